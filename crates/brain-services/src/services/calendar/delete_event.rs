//! `delete_event`: cancel an event, one occurrence of a series, it and all after it, or all of it.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exceptions::{self, Scope, Scoped};
use super::record::Event;
use super::service::CalendarService;
use super::view::{EventChanged, EventView};
use crate::services::contract::command::{Command, Invocation, Receipt, Subject, before};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::helpers::items::{self, Item, label};
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::Action;
use brain_core::core::stakes::Stakes;

/// Cancel an event.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteEvent {
    /// The event's id or words from its title; one day of a series by that day behind it; several by their ids with
    /// commas between, or “all” and words or a day.
    find_by: String,
    /// Of an event that repeats: this, following or all, as the person said; leave it out when they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
}

impl Scoped for DeleteEvent {
    fn words(&self) -> String {
        self.find_by.clone()
    }

    fn scope(&mut self) -> &mut Option<Scope> {
        &mut self.scope
    }
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
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Cancel this event?").words("Event", label(subject.action, &self.find_by));
        let Some(event) = subject.before::<EventView>() else {
            return card;
        };
        card.row("When", event.when(subject.reference))
            .words("Where", event.location.unwrap_or_default())
            .row("Repeats", self.scope.map_or("", goes))
            .lines("Told about it", show::people(&event.attendees, subject.action))
    }

    fn approve(&self) -> &'static str {
        "🗑 Cancel the event"
    }

    fn done(&self) -> &'static str {
        "Cancelled"
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let name = label(receipt.action, &self.find_by);
        match output.scope {
            Some(Scope::This | Scope::Following) => {
                format!("🗑 Cancelled: {name}, {}{}", output.event.when(receipt.reference), output.told_of_series())
            }
            Some(Scope::All) | None => format!("🗑 Cancelled: {name}{}", output.told_of_series()),
        }
    }

    fn attempt(&self, action: &Action) -> String {
        format!("cancel “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Edits<DeleteEvent> for CalendarService {
    async fn prepare(&self, ctx: &RequestContext, command: DeleteEvent) -> Result<Prepared<DeleteEvent>, ServiceError> {
        let mut prepared = exceptions::prepare((&self.store, &self.index), ctx, command).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared {
            // The row for the repetition says it.
            notes.clear();
            let has_others = !EventView::deserialize(&target.before)?.attendees.is_empty();
            notes.extend(self.told_of_place(ctx, Some(target), has_others).await?);
        }
        Ok(prepared)
    }

    async fn edits(
        &self,
        call: Invocation<'_, DeleteEvent>,
    ) -> Result<PlannedEdits<Event, EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let (was, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let mut event = was.clone();
        let view = before::<EventView>(action).unwrap_or_else(|| event.view(ctx));
        let left = match (command.scope, exceptions::of(action, &event)) {
            (Some(Scope::This), Some(of)) => {
                event.except(of, None)?;
                event.current(ctx.now, ctx.zone).is_some()
            }
            (Some(Scope::Following), Some(of)) => event.split(of, texts::new_id(attempt), ctx.now).is_some(),
            (_, _) => false,
        };
        let scope = command.scope.filter(|_| event.is_series());
        let edit = if left { RecordEdit::update(was, revision, event) } else { RecordEdit::delete(was, revision) };
        Ok(PlannedEdits::new(vec![edit], move |_: &Event| EventChanged { event: view, scope, calendar: None }))
    }
}

/// What goes of a series.
fn goes(scope: Scope) -> &'static str {
    match scope {
        Scope::This => "only this one goes",
        Scope::Following => "this one and all after it go",
        Scope::All => "the whole series goes",
    }
}
