//! `create_event`: put an event on the calendar; high stakes once it invites others.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Event, Occurrence};
use super::values::{attendees, check_order, moment, optional, with_end};
use super::view::{EventChanged, backwards};
use super::{CalendarService, NOBODY_IS_TOLD};
use crate::core::card::CardBody;
use crate::core::history::ItemRef;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::language::time;
use crate::ports::{Change, Expect};
use crate::services::command::{
    Base, Called, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject, one_or_many,
};
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::provenance::{self, Others};
use crate::services::recurrence::Series;
use crate::services::service::{Prepared, RequestContext};
use crate::services::show::{self, Moment};
use crate::services::texts;

/// Overlapping events a card names.
const OVERLAPS_MAX: usize = 3;

/// Put an event on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// What it is, without time and place.
    summary: String,
    /// ISO local time or the person's own words.
    #[schemars(required)]
    start_time: Option<String>,
    /// A time, or a length as the person said it.
    end_time: Option<String>,
    location: Option<String>,
    /// How often, in the person's own words; only where they say that it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
    /// Names or addresses of people to invite.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    attendees: Vec<String>,
}

impl Command for CreateEvent {
    type Output = EventChanged;

    const NAME: &'static str = "create_event";
    const SUMMARY: &'static str = "put an event on the calendar";
    const EXAMPLE: &'static str = "Lunch with Sarah on Friday at noon";
    const STATUS: &'static str = "Putting it on your calendar…";
    const STAKES: Stakes = Stakes::Low;
    const NAMES: &'static [&'static str] = &["summary"];

    fn stakes(&self, _: &Action) -> Stakes {
        if self.attendees.is_empty() { Self::STAKES } else { Stakes::High }
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let (start, end, repeat) = (&mut self.start_time, &mut self.end_time, &mut self.repeat);
        let time = if repeat.is_some() {
            Slot::Repeat { repeat, first: start, end: Some(end) }
        } else {
            let (base, past) = (Base::Now, PastTimes::Ask);
            Slot::Span { param: "start_time", start, end, repeat: Some(repeat), base, past }
        };
        vec![time, Slot::People { param: "attendees", value: &mut self.attendees }]
    }

    fn called(&self) -> Called {
        Called::Occasion(self.summary.clone())
    }

    fn problem(&self) -> Option<String> {
        backwards(self.start_time.as_deref()?, self.end_time.as_deref())
    }

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this event?")
            .words("Event", &self.summary)
            .row(
                "When",
                show::span(self.start_time.as_deref().unwrap_or_default(), self.end_time.as_deref(), subject.reference),
            )
            .row("Repeats", self.repeat.as_deref().map(time::describe_recurrence).unwrap_or_default())
            .words("Where", self.location.clone().unwrap_or_default())
            .lines("With", show::people(&self.attendees, subject.action))
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let event = &output.event;
        let repeats = event.recurrence.as_deref().map(|rule| format!("; repeats {}", time::describe_recurrence(rule)));
        format!("📅 Added: {}{}", event.line(receipt.reference), repeats.unwrap_or_default())
    }

    fn attempt(&self, _: &Action) -> String {
        format!("add “{}” to your calendar", self.summary)
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Handle<CreateEvent> for CalendarService {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    /// The end filled in, and what it collides with.
    async fn prepare(&self, ctx: &RequestContext, command: CreateEvent) -> Result<Prepared<CreateEvent>, ServiceError> {
        let end_time = with_end(command.start_time.as_deref(), command.end_time, ctx);
        let command = CreateEvent { end_time, ..command };
        let mut notes = Vec::new();
        if let (Some(Moment::Instant(start)), Some(Moment::Instant(end))) =
            (optional(command.start_time.as_deref(), ctx)?, optional(command.end_time.as_deref(), ctx)?)
        {
            let taken = self.between(ctx, start.to_utc(), end.to_utc()).await?;
            let timed: Vec<_> = taken.iter().filter(|(_, o)| !o.is_whole_day()).collect();
            notes.extend(timed.iter().take(OVERLAPS_MAX).map(|(event, o)| overlap(event, o, ctx)));
            let more = timed.len().saturating_sub(OVERLAPS_MAX);
            if more > 0 {
                notes.push(format!("Overlaps with {more} more"));
            }
        }
        if !texts::filled_all(&command.attendees).is_empty() {
            notes.push(NOBODY_IS_TOLD.to_owned());
        }
        Ok(Prepared::Ready { params: command, target: None, notes, untrusted: Vec::new() })
    }

    async fn perform(&self, call: Invocation<'_, CreateEvent>) -> Result<Completed<EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let start = moment(command.start_time.as_deref().unwrap_or_default(), ctx)?;
        let end = with_end(command.start_time.as_deref(), command.end_time, ctx);
        let end = optional(end.as_deref(), ctx)?;
        check_order(start, end, ctx)?;
        let recurrence = texts::filled(command.repeat.as_deref());
        if let Some(rule) = &recurrence {
            let series = Series::new(rule, start, ctx.zone);
            series.map_err(|bad| ServiceError::Refused(format!("{bad} Nothing was written.")))?;
        }
        let mut event = Event {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            summary: texts::title(&command.summary, Event::NOUN)?,
            start_time: start.store(),
            end_time: end.map(Moment::store),
            zone: ctx.zone,
            location: texts::filled(command.location.as_deref()),
            attendees: attendees(Vec::new(), &command.attendees)?,
            notes: None,
            recurrence,
            exceptions: Vec::new(),
            others: Others::default(),
            created_at: ctx.now,
        };
        let location = event.location.as_deref().unwrap_or_default();
        let attendees = event.attendees.join("\n");
        for (field, text) in [("summary", event.summary.as_str()), ("location", location), ("attendees", &attendees)] {
            event.others.write(field, text, provenance::source(action, field));
        }
        let change = Change::put(&event, Expect::Absent)?;
        Ok(EventChanged::done(&event, ctx, change))
    }
}

fn overlap(event: &Event, o: &Occurrence, ctx: &RequestContext) -> String {
    let end = o.end.map(Moment::store);
    let when = show::span(&o.start.store(), end.as_deref(), &ctx.reference());
    format!("Overlaps with “{}” ({when})", texts::brief(&event.summary))
}
