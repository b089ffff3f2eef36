//! `update_event`: move or change an event; of a series, all of it.

use async_trait::async_trait;
use chrono::{DateTime, Duration};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Event;
use super::values::{attendees, optional, reschedule};
use super::view::{EventChanged, EventView, backwards};
use super::{CalendarService, NOBODY_IS_TOLD};
use crate::core::card::CardBody;
use crate::core::history::ItemRef;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::ports::{Change, Expect};
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject, one_or_many,
};
use crate::services::error::ServiceError;
use crate::services::items::{self, Item, label};
use crate::services::service::{Prepared, RequestContext};
use crate::services::show::{self, Moment};
use crate::services::{provenance, texts};

/// Move or change an event.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateEvent {
    /// The event's id or words from its title.
    find_by: String,
    changes: EventChanges,
}

/// What becomes of it; what is not named stays.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventChanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    attendees: Vec<String>,
}

impl Command for UpdateEvent {
    type Output = EventChanged;

    const NAME: &'static str = "update_event";
    const SUMMARY: &'static str = "move or change an event";
    const EXAMPLE: &'static str = "Move the dentist to 4pm";
    const STATUS: &'static str = "Changing your calendar…";
    const STAKES: Stakes = Stakes::High;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let EventChanges { start_time, end_time, attendees, .. } = &mut self.changes;
        vec![
            Slot::Span {
                param: "start_time",
                start: start_time,
                end: end_time,
                repeat: None,
                base: Base::Target,
                past: PastTimes::Ask,
            },
            Slot::People { param: "attendees", value: attendees },
        ]
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    /// An event that is moved keeps its length.
    fn complete(&mut self, target: Option<&Target>) {
        let (Some(start), None, Some(target)) = (&self.changes.start_time, &self.changes.end_time, target) else {
            return;
        };
        let instant = |text: &Option<String>| match Moment::read(text.as_deref()?, Tz::UTC)? {
            Moment::Instant(at) => Some(at),
            Moment::Day(_) => None,
        };
        if let (Some(from), Some(to), Ok(new)) =
            (instant(&target.starts), instant(&target.ends), DateTime::parse_from_rfc3339(start))
        {
            let length: Duration = to - from;
            self.changes.end_time = Some((new + length).to_rfc3339_opts(chrono::SecondsFormat::Secs, false));
        }
    }

    fn problem(&self) -> Option<String> {
        backwards(self.changes.start_time.as_deref()?, self.changes.end_time.as_deref())
    }

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.before::<EventView>();
        let was = before.as_ref().map(|event| event.when(subject.reference)).unwrap_or_default();
        let when = match (&self.changes.start_time, &self.changes.end_time) {
            (Some(start), end) => format!("{was} → {}", show::span(start, end.as_deref(), subject.reference)),
            (None, Some(end)) => format!("{was} → until {}", show::time(end, subject.reference)),
            (None, None) => was,
        };
        let moves = self.changes.location.is_some();
        let left = before.as_ref().and_then(|event| event.location.clone()).filter(|_| moves);
        CardBody::titled("Change this event?")
            .words("Event", label(subject.action, &self.find_by))
            .words("New title", self.changes.summary.clone().unwrap_or_default())
            .row("When", when)
            .words("Where until now", left.unwrap_or_default())
            .words("Where", self.changes.location.clone().unwrap_or_default())
            .lines("With", show::people(&self.changes.attendees, subject.action))
            .lines(
                "Told about it",
                show::people(&before.map(|event| event.attendees).unwrap_or_default(), subject.action),
            )
    }

    fn approve(&self) -> &'static str {
        "✅ Change"
    }

    fn done(&self) -> &'static str {
        "Changed"
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        format!("📅 Changed: {}", output.event.line(receipt.reference))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("change “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Handle<UpdateEvent> for CalendarService {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: UpdateEvent) -> Result<Prepared<UpdateEvent>, ServiceError> {
        let words = command.find_by.clone();
        let invites = !texts::filled_all(&command.changes.attendees).is_empty();
        let mut prepared =
            items::prepare::<Event, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared {
            let event = EventView::deserialize(&target.before)?;
            if event.recurrence.is_some() {
                notes.push("This event repeats; all of the series changes.".to_owned());
            }
            if invites || !event.attendees.is_empty() {
                notes.push(NOBODY_IS_TOLD.to_owned());
            }
        }
        Ok(prepared)
    }

    async fn perform(&self, call: Invocation<'_, UpdateEvent>) -> Result<Completed<EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (mut event, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let EventChanges { summary, start_time, end_time, location, attendees: invited } = command.changes;
        // The gate looks at changes as one: what of them is not all the person's own is somebody else's.
        let source = provenance::source(action, "changes");
        if let Some(summary) = summary {
            event.summary = texts::title(&summary, Event::NOUN)?;
            event.others.write("summary", &event.summary, source.clone());
        }
        if let Some(location) = texts::filled(location.as_deref()) {
            event.others.write("location", &location, source.clone());
            event.location = Some(location);
        }
        event.others.add("attendees", &texts::filled_all(&invited).join("\n"), source);
        event.attendees = attendees(event.attendees, &invited)?;
        let (start, end) = (optional(start_time.as_deref(), ctx)?, optional(end_time.as_deref(), ctx)?);
        if start.is_some() || end.is_some() {
            reschedule(&mut event, start, end, ctx)?;
        }
        let change = Change::put(&event, Expect::Revision(revision))?;
        Ok(EventChanged::done(&event, ctx, change))
    }
}
