//! The calendar in the store.
//!
//! A series is one record: changing or deleting it changes or deletes all of it, and cards say so. Nobody is
//! invited from here: this calendar lives on this machine alone, and cards say that, too.

pub mod commands;
mod free;
mod record;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
pub use record::Event;
use record::Occurrence;
use serde_json::{Value, json};

use self::values::{attendees, check_order, frame, moment, optional, reschedule, with_end};
use super::items::{self, Item, unknown_command};
use super::provenance;
use super::provenance::Others;
use super::texts;
use crate::core::ids::UserId;
use crate::core::plan::{Action, Params};
use crate::core::provenance::UntrustedText;
use crate::core::stakes::Authorized;
use crate::limits::RESULT_ROWS_MAX;
use crate::ports::{Change, Expect, Key, Record, Store};
use crate::services::service::{
    AgendaItem, AgendaKind, Attempt, Noticed, Performed, Prepared, RequestContext, Service, ServiceError, Wanted,
};
use crate::services::show;
use crate::services::show::Moment;

/// Length of a free slot when none was said, and the longest one.
const SLOT_MINUTES: (i64, i64) = (30, 24 * 60);
/// Overlapping events a card names.
const OVERLAPS_MAX: usize = 3;

/// Events in the store.
#[derive(Debug)]
pub struct CalendarService {
    store: Arc<dyn Store>,
}

impl CalendarService {
    /// Over this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// What takes place in a span, in order.
    async fn between(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(Event, Occurrence)>, ServiceError> {
        let mut found: Vec<(Event, Occurrence)> = Vec::new();
        for (event, _) in items::all::<Event>(&self.store, &ctx.owner).await? {
            let times = event.occurrences(from, to, ctx.zone, RESULT_ROWS_MAX);
            found.extend(times.into_iter().map(|o| (event.clone(), o)));
        }
        found.sort_by(|(a, x), (b, y)| {
            let whole_days_first = y.is_whole_day().cmp(&x.is_whole_day());
            let day = |o: &Occurrence| o.from.with_timezone(&ctx.zone).date_naive();
            day(x)
                .cmp(&day(y))
                .then(whole_days_first)
                .then(x.from.cmp(&y.from))
                .then_with(|| (a.summary.as_str(), a.id.as_str()).cmp(&(b.summary.as_str(), b.id.as_str())))
        });
        Ok(found)
    }

    async fn list(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let frame = frame(&action.params, ctx)?;
        let found = self.between(ctx, frame.from, frame.to).await?;
        let events: Vec<Value> = found.iter().take(RESULT_ROWS_MAX).map(|(event, o)| event.shown(Some(o))).collect();
        let at = |at: DateTime<Utc>| Moment::Instant(at.with_timezone(&ctx.zone)).store();
        let performed = Performed::result(json!({
            "events": events,
            "from": at(frame.from),
            "to": at(frame.to),
            "more": found.len().saturating_sub(RESULT_ROWS_MAX),
        }));
        Ok(performed.holding(items::untrusted(found.iter().map(|(event, _)| event))))
    }

    async fn find_free_time(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let minutes = match action.params.get("minutes").and_then(Value::as_i64) {
            None | Some(0) => SLOT_MINUTES.0,
            Some(minutes) => minutes.clamp(1, SLOT_MINUTES.1),
        };
        let frame = frame(&action.params, ctx)?;
        let from = frame.from.max(free::round_up(ctx.now));
        let windows = free::windows(from, frame.to.max(from), frame.clock_times, ctx.zone);
        let busy = self.between(ctx, from, frame.to.max(from)).await?;
        let busy =
            busy.iter().filter(|(_, o)| !o.is_whole_day() && o.from < o.to).map(|(_, o)| (o.from, o.to)).collect();
        let gaps = free::gaps(&windows, busy, Duration::minutes(minutes));
        let at = |at: DateTime<Utc>| Moment::Instant(at.with_timezone(&ctx.zone)).store();
        let slots: Vec<Value> =
            gaps.iter().take(RESULT_ROWS_MAX).map(|(from, to)| json!({"start": at(*from), "end": at(*to)})).collect();
        let more = gaps.len().saturating_sub(RESULT_ROWS_MAX);
        Ok(Performed::result(json!({"slots": slots, "minutes": minutes, "more": more})))
    }

    async fn create(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let params = with_end(action.params.clone(), ctx);
        let start = moment(&texts::given(&params, "start_time").unwrap_or_default(), ctx)?;
        let end = optional(&params, "end_time", ctx)?;
        check_order(start, end, ctx)?;
        let mut event = Event {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            summary: texts::title(action.text("summary"), Event::NOUN)?,
            start_time: start.store(),
            end_time: end.map(Moment::store),
            zone: ctx.zone,
            location: texts::given(&params, "location"),
            attendees: attendees(Vec::new(), &params)?,
            notes: None,
            recurrence: None,
            others: Others::default(),
            created_at: ctx.now,
        };
        let location = event.location.as_deref().unwrap_or_default();
        let attendees = event.attendees.join("\n");
        for (field, text) in [("summary", event.summary.as_str()), ("location", location), ("attendees", &attendees)] {
            event.others.write(field, text, provenance::source(action, field));
        }
        let change = Change::put(&event, Expect::Absent)?;
        Ok(told(&event, ctx, change))
    }

    async fn update(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (mut event, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let changes = texts::changes(&action.params);
        // The gate looks at changes as one: what of them is not all the person's own is somebody else's.
        let source = provenance::source(action, "changes");
        if changes.contains_key("summary") {
            event.summary = texts::title(&texts::given(&changes, "summary").unwrap_or_default(), Event::NOUN)?;
            event.others.write("summary", &event.summary, source.clone());
        }
        if let Some(location) = texts::given(&changes, "location") {
            event.others.write("location", &location, source.clone());
            event.location = Some(location);
        }
        event.others.add("attendees", &texts::given_list(&changes, "attendees").join("\n"), source);
        event.attendees = attendees(event.attendees, &changes)?;
        let (start, end) = (optional(&changes, "start_time", ctx)?, optional(&changes, "end_time", ctx)?);
        if start.is_some() || end.is_some() {
            reschedule(&mut event, start, end, ctx)?;
        }
        let change = Change::put(&event, Expect::Revision(revision))?;
        Ok(told(&event, ctx, change))
    }

    async fn delete(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (event, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let change = Change::delete(Event::TABLE, event.key(), Expect::Revision(revision));
        Ok(told(&event, ctx, change))
    }

    /// The end filled in, and what it collides with.
    async fn prepare_create(&self, ctx: &RequestContext, params: Params) -> Result<Prepared, ServiceError> {
        let params = with_end(params, ctx);
        let mut notes = Vec::new();
        if let (Some(Moment::Instant(start)), Some(Moment::Instant(end))) =
            (optional(&params, "start_time", ctx)?, optional(&params, "end_time", ctx)?)
        {
            let taken = self.between(ctx, start.to_utc(), end.to_utc()).await?;
            let timed = taken.iter().filter(|(_, o)| !o.is_whole_day());
            notes.extend(timed.take(OVERLAPS_MAX).map(|(event, o)| overlap(event, o, ctx)));
        }
        if !texts::given_list(&params, "attendees").is_empty() {
            notes.push(NOBODY_IS_TOLD.to_owned());
        }
        Ok(Prepared::Ready { params, target: None, notes, untrusted: Vec::new() })
    }

    async fn prepare_change(&self, ctx: &RequestContext, params: Params) -> Result<Prepared, ServiceError> {
        let invites = !texts::given_list(&texts::changes(&params), "attendees").is_empty();
        let is_update = params.contains_key("changes");
        let mut prepared = items::prepare::<Event>(&self.store, ctx, params, "find_by", |_| true).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared {
            if is_update && target.before.get("recurrence").is_some() {
                notes.push("This event repeats; all of the series changes.".to_owned());
            }
            if invites || target.before.get("attendees").is_some() {
                notes.push(NOBODY_IS_TOLD.to_owned());
            }
        }
        Ok(prepared)
    }
}

/// What a card with other people on it has to say.
const NOBODY_IS_TOLD: &str = "This calendar is on this machine only: the others get no message about it.";

fn overlap(event: &Event, o: &Occurrence, ctx: &RequestContext) -> String {
    let end = o.end.map(Moment::store);
    let when = show::span(&o.start.store(), end.as_deref(), &ctx.reference());
    format!("Overlaps with “{}” ({when})", texts::brief(&event.summary))
}

fn told(event: &Event, ctx: &RequestContext, change: Change) -> Performed {
    Performed::changed(json!({"event": event.view(ctx)}), vec![change]).holding(event.untrusted())
}

#[async_trait]
impl Service for CalendarService {
    fn name(&self) -> &'static str {
        "calendar"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "list_events" | "find_free_time" => Ok(Prepared::as_is(params)),
            "create_event" => self.prepare_create(ctx, params).await,
            "update_event" | "delete_event" => self.prepare_change(ctx, params).await,
            _ => Err(unknown_command("calendar", command)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "list_events" => self.list(ctx, action).await,
            "find_free_time" => self.find_free_time(ctx, action).await,
            "create_event" => self.create(ctx, action, attempt).await,
            "update_event" => self.update(ctx, action).await,
            "delete_event" => self.delete(ctx, action).await,
            other => Err(unknown_command("calendar", other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("events", items::export::<Event>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let to = ctx.now + Duration::days(values::DAYS);
        let found = self.between(ctx, ctx.now, to).await?;
        Ok(found.iter().take(wanted.limit).map(|(event, o)| noticed(event, o, ctx)).collect())
    }

    async fn agenda(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        let item = |(event, o): (Event, Occurrence)| AgendaItem {
            kind: AgendaKind::Event,
            at: o.from,
            until: o.end.map(|_| o.to),
            whole_day: o.is_whole_day(),
            untrusted: event.untrusted(),
            title: event.summary,
            place: event.location,
        };
        Ok(self.between(ctx, from, to).await?.into_iter().map(item).collect())
    }

    async fn happened(&self, ctx: &RequestContext, command: &str, attempt: &Attempt) -> Option<bool> {
        if command != "create_event" {
            return None;
        }
        let key = Key::of(&[ctx.owner.as_str(), &texts::new_id(attempt)]);
        self.store.get(Event::TABLE, &key).await.ok().map(|stored| stored.is_some())
    }
}

/// One line of context: when, what, where, and what its maker wrote about it.
fn noticed(event: &Event, o: &Occurrence, ctx: &RequestContext) -> Noticed {
    let mut line = texts::stamp(o.start, ctx);
    if let Some(Moment::Instant(end)) = o.end {
        line.push_str(&end.with_timezone(&ctx.zone).format("–%H:%M").to_string());
    }
    line.push_str(&format!(" {}", texts::brief(&event.summary)));
    if let Some(place) = &event.location {
        line.push_str(&format!(", {}", texts::brief(place)));
    }
    let mut untrusted = event.others.untrusted("an event");
    if let Some(UntrustedText { source, text }) = event.makers_words() {
        line.push_str(&format!(" ({})", texts::brief(&text)));
        untrusted.push(UntrustedText { source, text: line.clone() });
    }
    Noticed { id: event.id.clone(), line, untrusted }
}
