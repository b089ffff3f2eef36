//! `snooze_event`: be told of an event once more. Asked for below its reminder alone: no plan may name it. It stays here,
//! whichever account the event is in.

use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Event;
use super::service::CalendarService;
use super::view::EventChanged;
use crate::services::contract::command::{Command, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::Action;
use brain_core::core::stakes::Stakes;

/// Be told of an event once more.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeEvent {
    /// The event's id.
    pub(super) find_by: String,
    /// When.
    #[schemars(with = "String")]
    pub(super) until: DateTime<FixedOffset>,
}

impl Command for SnoozeEvent {
    type Output = EventChanged;

    const NAME: &'static str = "snooze_event";
    const SUMMARY: &'static str = "remind of an event once more";
    const EXAMPLE: &'static str = "Snooze";
    const STATUS: &'static str = "Putting the reminder off…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["find_by", "until"];

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Remind once more?").words("Event", label(subject.action, &self.find_by))
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let until = show::time(&self.until.to_rfc3339(), receipt.reference);
        format!("💤 Snoozed until {until}: {}", output.event.summary)
    }

    fn attempt(&self, action: &Action) -> String {
        format!("remind of “{}” once more", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Edits<SnoozeEvent> for CalendarService {
    async fn prepare(&self, ctx: &RequestContext, command: SnoozeEvent) -> Result<Prepared<SnoozeEvent>, ServiceError> {
        let words = command.find_by.clone();
        preparing::prepare::<Event, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await
    }

    async fn edits(
        &self,
        call: Invocation<'_, SnoozeEvent>,
    ) -> Result<PlannedEdits<Event, EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (before, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let event = Event { snoozed: Some(command.until.to_utc()), ..before.clone() };
        Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, event)], EventChanged::told(ctx, None)))
    }
}
