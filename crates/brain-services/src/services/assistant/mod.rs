//! What is asked of the assistant itself: to take something back, to change a setting, to let a reminder ring again, to
//! go on with a list, to tell what it did and what waits.
//!
//! Its commands are carried out by the turn (see [`Handle::is_of_the_turn`]): most of them come to actions of other
//! services, which the gate judges as any. Here are their parameters, what people say for them, and what they are
//! called. Not here: doing it (the pipeline's `stages::assistant`).

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::services::catalog::registry::Registration;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{Service, ServiceInfo};
use brain_core::core::card::CardBody;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::capital;

/// Its name in plans.
pub const NAME: &str = "assistant";
const PHRASES: &str = include_str!("phrases.txt");

#[cfg(test)]
mod tests;

/// The service.
#[derive(Debug)]
pub struct AssistantService;

impl AssistantService {
    /// The service with its commands, for the registry.
    pub fn registration() -> Registration {
        let summary = "the assistant itself: undo what it did last, snooze a reminder that rang, its settings (time zone, \
                       language, tone, quiet hours, morning briefing), the next page of a list, what it did, what waits";
        let info = ServiceInfo::new(NAME, "Settings and undo", summary, "what I did");
        Registration::of(info, Arc::new(Self))
            .command::<TakeBack>()
            .command::<ChangeSettings>()
            .command::<ShowSettings>()
            .command::<Snooze>()
            .command::<ShowMore>()
            .command::<ShowDone>()
            .command::<ShowWaiting>()
            .command::<LookInto>()
            .phrases(PHRASES)
            .end()
    }
}

impl Service for AssistantService {
    fn is_for_conversations(&self) -> bool {
        true
    }
}

/// What is asked of it.
#[derive(Debug)]
pub enum AssistantRequest {
    /// See the command.
    TakeBack(TakeBack),
    /// See the command.
    ChangeSettings(ChangeSettings),
    /// See the command.
    ShowSettings,
    /// See the command.
    Snooze(Snooze),
    /// See the command.
    ShowMore,
    /// See the command.
    ShowDone(ShowDone),
    /// See the command.
    ShowWaiting,
    /// See the command.
    LookInto,
}

impl AssistantRequest {
    /// What a planned action asks of it; `None` where it is no such action, or its values cannot be read.
    pub fn of(planned: &PlannedAction) -> Option<Self> {
        fn read<C: DeserializeOwned>(planned: &PlannedAction) -> Option<C> {
            C::deserialize(Value::Object(planned.params.clone())).ok()
        }
        if planned.service != NAME {
            return None;
        }
        Some(match planned.command.as_str() {
            TakeBack::NAME => Self::TakeBack(read(planned)?),
            ChangeSettings::NAME => Self::ChangeSettings(read(planned)?),
            ShowSettings::NAME => Self::ShowSettings,
            Snooze::NAME => Self::Snooze(read(planned)?),
            ShowMore::NAME => Self::ShowMore,
            ShowDone::NAME => Self::ShowDone(read(planned)?),
            ShowWaiting::NAME => Self::ShowWaiting,
            LookInto::NAME => Self::LookInto,
            _ => return None,
        })
    }
}

/// Take back what was done last, or lately.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeBack {
    /// Words from its receipt, where it is not the last thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// Show the settings.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowSettings {}

/// Change settings.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSettings {
    /// The time zone or city that they live in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Where they only are at present: its zone is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What you write in: `German`, `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// `warm`, `brief`, `formal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tone: Option<String>,
    /// Hours without reminders: `22:00-07:00`, `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
    /// The clock of the morning briefing: `07:30`, `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefing: Option<String>,
    /// The clock of a reminder for a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<String>,
}

/// Let a reminder that rang ring again later.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snooze {
    /// Own words, or ISO local; none asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// Show the next page of the list that was shown last.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowMore {}

/// Tell what was done here, and what became of it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowDone {
    /// Of this kind, as a verb: `send`; `any` asks whether the last was done, none what it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
}

/// Show what waits for their yes or no.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowWaiting {}

/// Look into the whole message over mail, calendar, tasks and notes, read closely: who waits for whom, promises, whom
/// they have not answered, everything or what is open about somebody or something, what to know before a meeting.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookInto {}

/// What these commands have alike: the turn carries them out, so that none has an output, a receipt or a card of its
/// own.
macro_rules! of_the_turn {
    ($($command:ty, $name:literal, $summary:literal, $title:literal, $example:literal, $effect:expr;)*) => {$(
        impl Command for $command {
            type Output = ();

            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const EXAMPLE: &'static str = $example;
            const STATUS: &'static str = "One moment…";
            const STAKES: Stakes = Stakes::Low;
            // Amounts and clocks in the notation of the settings.
            const COMPOSED: &'static [&'static str] = &["quiet", "briefing", "hour"];

            fn card(&self, _: &Subject<'_>) -> CardBody {
                let values = serde_json::to_value(self).unwrap_or_default();
                let rows = values.as_object().into_iter().flatten();
                let rows: Vec<_> = rows.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
                let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
                let title = $title.replace("{}", &names.join(", "));
                rows.iter().fold(CardBody::titled(title), |card, (name, value)| card.words(&capital(name), *value))
            }

            fn receipt(&self, _: &(), _: &Receipt<'_>) -> String {
                concat!("Done: ", $summary).to_owned()
            }

            fn attempt(&self, _: &Action) -> String {
                $summary.to_owned()
            }
        }

        #[async_trait]
        impl Handle<$command> for AssistantService {
            fn effect(&self, _: Option<&ActingAccount>) -> Effect {
                $effect
            }

            fn is_of_the_turn(&self) -> bool {
                true
            }

            async fn perform(&self, _: Invocation<'_, $command>) -> Result<Completed<()>, ServiceError> {
                Err(ServiceError::Refused("That can only be asked for in a message of its own; nothing was done.".into()))
            }
        }
    )*};
}

of_the_turn! {
    TakeBack, "undo", "take back what was done", "Take this back?", "Undo that", Effect::WriteHere;
    ChangeSettings, "settings", "change settings", "Change the settings {}?", "My time zone is Lisbon", Effect::WriteHere;
    ShowSettings, "show_settings", "show the settings", "Show the settings?", "Show my settings", Effect::Read;
    Snooze, "snooze", "let a reminder ring again later", "Let it ring again?", "Snooze it for an hour", Effect::WriteHere;
    ShowMore, "more", "show the next page of a list", "Show more?", "Show more", Effect::Read;
    ShowDone, "done", "tell what was done", "Tell what was done?", "What did you just do?", Effect::Read;
    LookInto, "look_into", "look into a question", "Look into it?", "Who still owes me an answer?", Effect::Read;
    ShowWaiting, "waiting", "show what waits for a yes or no", "Show what waits?", "What is waiting for my yes?", Effect::Read;
}
