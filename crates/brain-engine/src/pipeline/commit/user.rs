//! Changes of a person's own record, and what follows of them in the due-index: the morning briefing, and reminders
//! after a change of zone.
//!
//! Invariants: the record is changed in [`apply`] and nowhere else in the pipeline, on the record as it is at that
//! moment, so that two changes at once lose neither. Whoever has chosen a briefing has one entry for the next one. An
//! entry that no longer fits the choices (they changed while it fell due or was held) stays silent: entries are made
//! anew from the person's record, whose revision guards the change, so they expect nothing themselves.

use chrono::{DateTime, Days, NaiveTime, Utc};
use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::settings::{Quiet, Tone};
use brain_core::ports::records::{ContentsChoice, Due, DueKind, User};
use brain_core::ports::{Batch, Change, Expect, Record, StoreError, Table};
use brain_language::language::time::local_instant;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::service::Rezoned;

/// A change of a person's own record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserChange {
    /// The assumed zone was named to them.
    ZoneNamed,
    /// They live in this zone.
    Zone(Tz),
    /// Models answer in this language, as a BCP 47 tag; `None`: the one they write in.
    Language(Option<&'static str>),
    /// Models phrase things like this.
    Tone(Tone),
    /// Reminders wait during these hours; `None`: never.
    Quiet(Option<Quiet>),
    /// The briefing comes at this local time; `None`: never.
    Briefing(Option<NaiveTime>),
    /// A day of which no hour was said reminds at this local time.
    Hour(NaiveTime),
    /// What the nodes of their turns get and give is kept, or not.
    Contents(ContentsChoice),
}

impl UserChange {
    pub(in crate::pipeline) fn apply(&self, user: &mut User) {
        match self {
            Self::ZoneNamed => user.zone_named = true,
            Self::Zone(zone) => user.zone = Some(*zone),
            Self::Language(tag) => user.settings.language = tag.map(str::to_owned),
            Self::Tone(tone) => user.settings.tone = *tone,
            Self::Quiet(quiet) => user.settings.quiet = *quiet,
            Self::Briefing(at) => user.settings.briefing = *at,
            Self::Hour(at) => user.settings.hour = Some(*at),
            Self::Contents(choice) => user.contents = Some(*choice),
        }
    }
}

/// Adds to a turn's batch what changes in the person's record, as it is now; reminders and the briefing follow in the
/// same commit.
pub(super) async fn apply(
    brain: &Brain,
    facts: &TurnFacts,
    changes: &[UserChange],
    batch: &mut Batch,
) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let (before, expect) = match brain.user_at(facts.owner(), facts.chat()).await? {
        (_, Expect::Absent) => (facts.user.clone(), Expect::Absent),
        stored => stored,
    };
    let mut user = before.clone();
    changes.iter().for_each(|change| change.apply(&mut user));
    let follows = settings_changed(brain, &before, &user).await;
    let follows = follows.map_err(|error| StoreError::Unreadable { table: Table::Due, why: error.to_string() })?;
    batch.put(&user, expect)?.extend(follows.changes);
    Ok(())
}

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
async fn rezone(brain: &Brain, user: &User, to: Tz) -> Result<Rezoned, ServiceError> {
    let ctx = brain.request_context(user, &user.chat);
    let mut all = Rezoned::default();
    for service in brain.services.now().iter() {
        let one = service.service.rezone(&ctx, to).await?;
        all.changes.extend(one.changes);
        all.moved += one.moved;
    }
    Ok(all)
}
