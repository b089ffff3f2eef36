//! Reminders of events: how long ahead they ring, and when the next one does.
//!
//! A time of the due-index is the next ring of an event. Once it has come the one behind it is entered: a series needs
//! one entry, however long it goes on. What was changed meanwhile does not ring: an entry counts only where the event
//! still rings at it.

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::event_reminder::EventReminder;
use super::occurrence::Occurrence;
use super::record::{Event, NAME};
use super::service::CalendarService;
use super::snooze_event::SnoozeEvent;
use crate::services::contract::capabilities::{FallenDue, Reminded, ReminderAnswer, Reminders};
use crate::services::contract::command::{Command as _, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::show::Moment;
use crate::services::helpers::items::{self, Item as _};
use crate::services::remote::backend::RecordEdit;
use brain_core::core::notification::{Notification, Urgency};
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::ports::records::{DUE_BY_OWNER, Due, DueKind};
use brain_core::ports::{Change, Expect, Record as _, RecordExt as _, Scan};

/// Times of a series that are looked at for one whose reminder lies ahead: days before it are no fixed length.
const LOOKED_AT_MAX: usize = 64;
/// Series that are told of no time of theirs.
const TOO_OFTEN: [&str; 2] = ["FREQ=MINUTELY", "FREQ=SECONDLY"];
/// Rings that were slept through and are counted.
const MISSED_MAX: u32 = 1_000;

/// One reminder of one time of an event.
pub(super) struct EventReminderTime {
    pub at: DateTime<Utc>,
    /// What it tells of.
    pub of: Occurrence,
}

impl Event {
    /// The first reminder behind an instant.
    pub(super) fn next_ring(&self, after: DateTime<Utc>, zone: Tz) -> Option<EventReminderTime> {
        let rings = self.reminders.iter().filter_map(|reminder| self.ring_of(*reminder, after, zone));
        let snoozed = self.snoozed.filter(|at| *at > after);
        let again = snoozed.and_then(|at| Some(EventReminderTime { at, of: self.current(at, zone)? }));
        rings.chain(again).min_by_key(|ring| ring.at)
    }

    fn ring_of(&self, reminder: EventReminder, after: DateTime<Utc>, zone: Tz) -> Option<EventReminderTime> {
        // Whoever may write into a calendar would have somebody's chat ring every minute.
        if self.recurrence.as_ref().is_some_and(|rule| TOO_OFTEN.iter().any(|often| rule.contains(often))) {
            return None;
        }
        let is_day = matches!(self.first()?, Moment::Day(_));
        // A day is not always 24 hours, and not everywhere the same.
        let slack = Duration::days(if is_day || reminder.days != 0 { 2 } else { 0 });
        let ahead = reminder.length();
        let mut behind = after.checked_add_signed(ahead)?.checked_sub_signed(slack)?;
        for _ in 0..LOOKED_AT_MAX {
            let of = self.next_after(behind, zone)?;
            let at = reminder.rings_at(of.start, zone)?;
            if at > after {
                return Some(EventReminderTime { at, of });
            }
            behind = of.from;
        }
        None
    }
}

impl CalendarService {
    /// What makes the due-index hold the next ring of `new` in place of that of `old`.
    async fn due_changes(
        &self,
        ctx: &RequestContext,
        old: Option<&Event>,
        new: Option<&Event>,
    ) -> Result<Vec<Change>, ServiceError> {
        let ring = |event: &Event| event.next_ring(ctx.now, ctx.zone).map(|ring| ring.at);
        let due = |event: &Event, at: DateTime<Utc>| Due {
            at,
            owner: event.owner.clone(),
            chat: ctx.chat.clone(),
            kind: DueKind::Item { service: NAME.to_owned(), item: event.id.clone() },
            meant: None,
        };
        let of = |event: Option<&Event>| event.and_then(|event| Some(due(event, ring(event)?)));
        let (gone, comes) = (of(old), of(new));
        let mut changes = Vec::new();
        if gone.as_ref().map(|due| due.at) == comes.as_ref().map(|due| due.at) && old.is_some() {
            return Ok(changes);
        }
        if let Some(gone) = gone {
            changes.extend(items::disarmed(self.store.as_ref(), &gone).await?);
        }
        if let Some(comes) = comes {
            changes.push(items::armed(self.store.as_ref(), &comes).await?);
        }
        Ok(changes)
    }

    /// The reminders that follow from edits.
    pub(super) async fn reminders_along(
        &self,
        ctx: &RequestContext,
        edits: &[RecordEdit<Event>],
    ) -> Result<Vec<Change>, ServiceError> {
        let mut changes = Vec::new();
        for RecordEdit { before, after } in edits {
            let before = before.as_ref().map(|(before, _)| before);
            changes.extend(self.due_changes(ctx, before, after.as_ref()).await?);
        }
        Ok(changes)
    }

    /// What rings at another instant now that the person's zone is `to`: whole days.
    pub(super) async fn rezoned(&self, ctx: &RequestContext, to: Tz) -> Result<Vec<Change>, ServiceError> {
        let mut changes = Vec::new();
        let dues = self.store.list::<Due>(Scan::by(&DUE_BY_OWNER, &[ctx.owner.as_str()], usize::MAX)).await?;
        for (due, revision) in dues {
            let DueKind::Item { service, item } = &due.kind else { continue };
            if service != NAME || due.meant.is_some() {
                continue;
            }
            let Some((event, _)) = items::by_id::<Event>(&self.store, &ctx.owner, item).await? else { continue };
            let Some(ring) = event.next_ring(ctx.now, to).filter(|ring| ring.at != due.at) else { continue };
            changes.push(Change::delete(Due::TABLE, due.key(), Expect::Revision(revision)));
            changes.push(items::armed(self.store.as_ref(), &Due { at: ring.at, ..due }).await?);
        }
        Ok(changes)
    }
}

#[async_trait]
impl Reminders for CalendarService {
    async fn fall_due(&self, ctx: &RequestContext, due: &Due) -> Result<FallenDue, ServiceError> {
        let DueKind::Item { item, .. } = &due.kind else { return Ok(FallenDue::default()) };
        let Some((event, _)) = items::by_id::<Event>(&self.store, &due.owner, item).await? else {
            return Ok(FallenDue::default());
        };
        let meant = due.meant();
        let ring = event.next_ring(meant - Duration::milliseconds(1), ctx.zone).filter(|ring| ring.at == meant);
        let Some(mut ring) = ring else { return Ok(FallenDue::default()) };
        let mut missed = 0;
        let mut next = event.next_ring(ring.at, ctx.zone);
        while let Some(came) = next.take_if(|next| next.at <= ctx.now) {
            (ring, missed) = (came, missed + 1);
            let behind = if missed < MISSED_MAX { ring.at } else { ctx.now };
            next = event.next_ring(behind, ctx.zone);
        }
        let mut changes = Vec::new();
        if let Some(next) = next {
            changes.push(items::armed(self.store.as_ref(), &Due { at: next.at, meant: None, ..due.clone() }).await?);
        }
        let at = event.as_at(&ring.of);
        let notification = Notification {
            service: NAME.to_owned(),
            item: event.id.clone(),
            title: at.summary.clone(),
            details: at.location.clone(),
            at: ring.at,
            owner: Some(event.owner.clone()),
            zone: ctx.zone,
            ahead_of: Some(ring.of.from).filter(|from| !ring.of.is_whole_day() && *from > ring.at),
            missed,
            held_until: None,
            urgency: Urgency::Usual,
            quiet: None,
            is_told_only: true,
            untrusted: at.untrusted(),
        };
        Ok(FallenDue { notification: Some(notification), changes })
    }

    async fn reminded(&self, ctx: &RequestContext, item: &str) -> Result<Option<Reminded>, ServiceError> {
        let held = items::by_id::<Event>(&self.store, &ctx.owner, item).await?;
        Ok(held.map(|(event, _)| Reminded { title: event.summary, done: false }))
    }

    fn answered(&self, item: &str, with: ReminderAnswer) -> Option<PlannedAction> {
        match with {
            ReminderAnswer::Done => None,
            ReminderAnswer::Snooze(until) => Some(planned(NAME, &SnoozeEvent { find_by: item.to_owned(), until })),
        }
    }

    fn answer_of(&self, command: &str, params: &Params) -> Option<ReminderAnswer> {
        let snooze: SnoozeEvent = serde_json::from_value(Value::Object(params.clone())).ok()?;
        (command == SnoozeEvent::NAME).then_some(ReminderAnswer::Snooze(snooze.until))
    }
}
