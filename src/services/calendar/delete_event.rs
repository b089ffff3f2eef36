//! `delete_event`: cancel an event; of a series, all of it.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Event;
use super::view::{EventChanged, EventView};
use super::{CalendarService, NOBODY_IS_TOLD};
use crate::core::card::CardBody;
use crate::core::history::ItemRef;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::ports::{Change, Expect, Record};
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::error::ServiceError;
use crate::services::items::{self, label};
use crate::services::service::{Prepared, RequestContext};
use crate::services::show;

/// Cancel an event.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteEvent {
    /// The event's id or words from its title.
    find_by: String,
}

impl Command for DeleteEvent {
    type Output = EventChanged;

    const NAME: &'static str = "delete_event";
    const SUMMARY: &'static str = "cancel an event";
    const EXAMPLE: &'static str = "Cancel my 3pm with Sarah";
    const STATUS: &'static str = "Taking it off your calendar…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Cancel this event?").words("Event", label(subject.action, &self.find_by));
        let Some(event) = subject.before::<EventView>() else {
            return card;
        };
        card.row("When", event.when(subject.reference))
            .words("Where", event.location.unwrap_or_default())
            .row("Repeats", if event.recurrence.is_some() { "the whole series goes" } else { "" })
            .lines("Told about it", show::people(&event.attendees, subject.action))
    }

    fn approve(&self) -> &'static str {
        "🗑 Cancel the event"
    }

    fn done(&self) -> &'static str {
        "Cancelled"
    }

    fn receipt(&self, _: &EventChanged, receipt: &Receipt<'_>) -> String {
        format!("🗑 Cancelled: {}", label(receipt.action, &self.find_by))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("cancel “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Handle<DeleteEvent> for CalendarService {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: DeleteEvent) -> Result<Prepared<DeleteEvent>, ServiceError> {
        let words = command.find_by.clone();
        let mut prepared =
            items::prepare::<Event, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared
            && !EventView::deserialize(&target.before)?.attendees.is_empty()
        {
            notes.push(NOBODY_IS_TOLD.to_owned());
        }
        Ok(prepared)
    }

    async fn perform(&self, call: Invocation<'_, DeleteEvent>) -> Result<Completed<EventChanged>, ServiceError> {
        let (event, revision) = items::held::<Event>(&self.store, call.ctx, call.action).await?;
        let change = Change::delete(Event::TABLE, event.key(), Expect::Revision(revision));
        Ok(EventChanged::done(&event, call.ctx, change))
    }
}
