//! `remind_of_event`: be told of an event some time ahead; of a series, each time.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event_reminder::reminders_of;
use super::record::{Event, NAME};
use super::service::{CalendarService, OTHERS_SEE_IT};
use super::view::EventChanged;
use crate::services::contract::command::{Command, Invocation, Receipt, Subject, one_or_many, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::helpers::described::{self, Timing};
use crate::services::helpers::items::{self, label};
use crate::services::helpers::offsets;
use crate::services::helpers::preparing;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, PlannedAction, Target};
use brain_core::core::stakes::Stakes;
use brain_core::limits::REMINDERS_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::ClauseReading;

const HOW_LONG: &str = "How long before it?";
/// Words of a name.
const NAME_WORDS_MAX: usize = 8;

/// A reminder of an event by its name, if one was said.
pub(in crate::services) fn remind_of(name: &str, lengths: Vec<String>) -> Option<PlannedAction> {
    let find_by = name.trim().trim_end_matches(['.', '!', '?']).to_owned();
    let said = RemindOfEvent { find_by, remind_before: lengths, instead: false };
    let words = said.find_by.split_whitespace().count();
    (1..=NAME_WORDS_MAX).contains(&words).then(|| planned(NAME, &said))
}

/// A reminder of an event, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let Some(found) = described::find_by(said, "what", NAME, Timing::Nothing) else { return Built::No };
    let mut action = said.action(NAME, RemindOfEvent::NAME);
    set(&mut action, "find_by", Some(found));
    if let Some(&length) = said.lengths(&[]).first() {
        set(&mut action, "remind_before", Some(said.words(&[length]).text));
    }
    if action.params.contains_key("remind_before") {
        return Built::Act(action);
    }
    Built::Ask { question: HOW_LONG, partial: action, param: "remind_before" }
}

/// Be reminded of an event.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemindOfEvent {
    /// The event's id or words from its title.
    find_by: String,
    /// Each a length of time before it; none: no reminder any more.
    #[serde(deserialize_with = "one_or_many")]
    remind_before: Vec<String>,
    /// Those that it has go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    instead: bool,
}

impl Command for RemindOfEvent {
    type Output = EventChanged;

    const NAME: &'static str = "remind_of_event";
    const SUMMARY: &'static str = "remind of an event some time ahead";
    const EXAMPLE: &'static str = "Remind me 30 minutes before the dentist";
    const STATUS: &'static str = "Setting the reminder…";
    const STAKES: Stakes = Stakes::Low;
    const LENGTHS: &'static [&'static str] = &["remind_before"];

    fn stakes(&self, action: &Action) -> Stakes {
        let others_see_it = action.notes.iter().any(|note| note == OTHERS_SEE_IT);
        if others_see_it { Stakes::High } else { Self::STAKES }
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        offsets::durations(&mut self.remind_before);
    }

    fn problem(&self) -> Option<String> {
        offsets::unreadable(&self.remind_before)
    }

    fn question(param: &str) -> &'static str {
        match param {
            "remind_before" => HOW_LONG,
            other => super::service::question(other),
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let lengths = offsets::also(Some(&self.remind_before), None, subject.reference);
        CardBody::titled("Set this reminder?")
            .words("Event", label(subject.action, &self.find_by))
            .row("Reminder", if lengths.is_empty() { "none any more".to_owned() } else { lengths })
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let event = &output.event;
        match event.reminders_told() {
            Some(told) => format!("⏰ Reminder {told}: {}", event.line(receipt.reference)),
            None => format!("🔕 No reminder any more: {}", event.line(receipt.reference)),
        }
    }

    fn attempt(&self, action: &Action) -> String {
        format!("set a reminder of “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Edits<RemindOfEvent> for CalendarService {
    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: RemindOfEvent,
    ) -> Result<Prepared<RemindOfEvent>, ServiceError> {
        let words = command.find_by.clone();
        let all = |_: &Event| true;
        let mut prepared = preparing::prepare(&self.store, &self.index, ctx, command, "find_by", &words, all).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared {
            // A remark makes a card: only what others see does.
            let told = self.told_of_place(ctx, Some(target), false).await?;
            if told.iter().any(|note| note == OTHERS_SEE_IT) {
                notes.extend(told);
            }
        }
        Ok(prepared)
    }

    async fn edits(
        &self,
        call: Invocation<'_, RemindOfEvent>,
    ) -> Result<PlannedEdits<Event, EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (before, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let mut event = before.clone();
        let start = event.first().ok_or_else(|| ServiceError::Broken("It has no time.".to_owned()))?;
        let new = reminders_of(&command.remind_before, start, ctx)?;
        event.reminders = if new.is_empty() || command.instead { new } else { [event.reminders, new].concat() };
        event.reminders.sort();
        event.reminders.dedup();
        if event.reminders.len() > REMINDERS_MAX {
            let why = format!("One event can have {REMINDERS_MAX} reminders at most; nothing was written.");
            return Err(ServiceError::Refused(why));
        }
        if !event.reminders.is_empty() && event.next_ring(ctx.now, ctx.zone).is_none() {
            return Err(ServiceError::Refused("That time has passed already, so nothing was set.".to_owned()));
        }
        Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, event)], EventChanged::told(ctx, None)))
    }
}
