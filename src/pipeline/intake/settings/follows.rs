//! What a person's choices mean for the due-index: the morning briefing, and reminders after a change of zone.
//!
//! Invariant: whoever has chosen a briefing has one entry for the next one. An entry that no longer fits the
//! choices (they changed while it fell due or was held) stays silent: entries are made anew from the person's record,
//! whose revision guards the change, so they expect nothing themselves.

use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;

use crate::language::time::local_instant;
use crate::pipeline::brain::Brain;
use crate::ports::records::{Due, DueKind, User};
use crate::ports::{Change, Expect, Record};
use crate::services::error::ServiceError;
use crate::services::service::Rezoned;

/// The first briefing after `after`, if the person wants one. `zone` is theirs, or the operator's.
pub fn briefing_due(user: &User, zone: Tz, after: DateTime<Utc>) -> Option<Due> {
    let clock = user.settings.briefing?;
    let today = after.with_timezone(&zone).date_naive();
    let days = [-1, 0, 1, 2].into_iter().filter_map(|n: i64| {
        let by = Days::new(n.unsigned_abs());
        if n < 0 { today.checked_sub_days(by) } else { today.checked_add_days(by) }
    });
    let mut times = days.map(|day| local_instant(zone, day.and_time(clock)).earliest().to_utc());
    let at = times.find(|at| *at > after)?;
    Some(Due { at, owner: user.id.clone(), chat: user.chat.clone(), kind: DueKind::Briefing, meant: None })
}

/// What a change of settings or zone changes with it: to be committed together with `after`. `moved` is how
/// many repeating reminders follow the person to the new zone.
pub async fn settings_changed(brain: &Brain, before: &User, after: &User) -> Result<Rezoned, ServiceError> {
    let now = brain.clock.now();
    let (from, to) = (brain.zone_of(before), brain.zone_of(after));
    let mut settled = if from == to { Rezoned::default() } else { rezone(brain, before, to).await? };
    let (was, is) = (briefing_due(before, from, now), briefing_due(after, to, now));
    if was != is {
        let gone = was.map(|due| Change::delete(Due::TABLE, due.key(), Expect::Any));
        settled.changes.extend(gone);
        settled.changes.extend(is.map(|due| Change::put(&due, Expect::Any)).transpose()?);
    }
    Ok(settled)
}

/// What repeats keeps its time of day in the new zone; what was set for one instant stays at it.
pub async fn rezone(brain: &Brain, user: &User, to: Tz) -> Result<Rezoned, ServiceError> {
    let ctx = brain.request_context(user, &user.chat);
    let mut all = Rezoned::default();
    for service in brain.services.now().iter() {
        let one = service.service.rezone(&ctx, to).await?;
        all.changes.extend(one.changes);
        all.moved += one.moved;
    }
    Ok(all)
}
