//! Questions about the record of past actions: answered from it, by no model.
//!
//! The conversation keeps what became of everything that a turn was about; a card that still waits and an undo that was
//! pressed since are looked up where they are kept, so that the answer is true at this moment.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::undo;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::Status;
use brain_core::core::pending::State;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::records::{ActionRecord, Message};
use brain_core::ports::{RecordExt, Scan, StoreError};
use brain_language::language::record::{is_of_kind, kind_of};

const NOTHING: &str = "I haven't done anything here yet.";

/// What was done: last, whether that was (`any`), or of the kind of a verb.
pub(super) async fn told(brain: &Brain, facts: &TurnFacts, verb: Option<&str>) -> Result<Answer, StoreError> {
    let record = PastTurns::read(brain, facts).await?;
    let words = match verb {
        None => record.latest(),
        Some(verb) => match kind_of(verb) {
            Some(kind) => record.of_kind(kind),
            None => record.done(record.last()),
        },
    };
    Ok(Answer::says(Path::Command, words).holding(record.untrusted).keeping_question())
}

/// Something that a turn was about.
struct RecordEntry {
    action: ActionRecord,
    at: DateTime<Utc>,
    /// Of what waited for a yes: where that card is now; `None` when it is no longer kept.
    card: Option<State>,
}

impl RecordEntry {
    /// As it is now: a card may have been decided elsewhere, or brought to its end after a crash.
    async fn read(brain: &Brain, mut action: ActionRecord, at: DateTime<Utc>) -> Result<Self, StoreError> {
        let pending = match &action.pending {
            Some(id) => brain.readable_pending(id).await?,
            None => None,
        };
        let card = pending.map(|(pending, _)| pending.state);
        if let Some(state) = card {
            action.status = show::status_of(state);
        }
        Ok(Self { action, at, card })
    }
}

struct PastTurns {
    /// By turn, the latest first.
    turns: Vec<Vec<RecordEntry>>,
    /// Cards that wait, in words.
    waiting: Vec<String>,
    /// What was taken back, and when.
    taken_back: Vec<(String, DateTime<Utc>)>,
    /// Others' words that the record repeats.
    untrusted: Vec<UntrustedText>,
    zone: Tz,
}

impl PastTurns {
    async fn read(brain: &Brain, facts: &TurnFacts) -> Result<Self, StoreError> {
        let scan = Scan::of::<Message>(&[facts.chat().as_str()], limits::RECORD_MESSAGES).newest_first();
        let mut record = Self {
            turns: Vec::new(),
            waiting: facts.open.iter().map(|pending| show::title(&brain.services, pending)).collect(),
            taken_back: undo::used(brain, facts).await?,
            untrusted: Vec::new(),
            zone: facts.ctx.zone,
        };
        for (message, _) in brain.store.list::<Message>(scan).await? {
            if message.outcomes.is_empty() {
                continue;
            }
            let mut entries = Vec::with_capacity(message.outcomes.len());
            for action in message.outcomes {
                entries.push(RecordEntry::read(brain, action, message.at).await?);
            }
            record.turns.push(entries);
            record.untrusted.extend(message.untrusted);
        }
        Ok(record)
    }

    fn last(&self) -> Option<&RecordEntry> {
        self.turns.first()?.last()
    }

    fn latest(&self) -> String {
        let Some(last) = self.turns.first() else { return self.nothing() };
        let lines: Vec<String> = last.iter().map(|entry| self.line(entry)).collect();
        match lines.as_slice() {
            [only] => only.clone(),
            lines => format!("Last, at {}:\n{}", self.clock(last[0].at), lines.join("\n")),
        }
    }

    fn nothing(&self) -> String {
        match self.waiting.as_slice() {
            [] => NOTHING.to_owned(),
            waiting => format!("Nothing yet; this waits for your yes or no: {}.", waiting.join("; ")),
        }
    }

    fn done(&self, entry: Option<&RecordEntry>) -> String {
        let Some(entry) = entry else { return self.nothing() };
        let line = self.line(entry);
        match entry.action.status {
            Status::Succeeded if self.back(entry).is_none() => format!("Yes. {line}"),
            // Nobody can tell, or not yet.
            Status::Unknown => line,
            Status::Pending if entry.card != Some(State::Pending) => line,
            Status::Succeeded
            | Status::Failed
            | Status::Pending
            | Status::Denied
            | Status::Refused
            | Status::Expired
            | Status::Superseded => format!("No. {line}"),
        }
    }

    fn of_kind(&self, verb: &str) -> String {
        let all = self.turns.iter().flat_map(|turn| turn.iter().rev());
        let found = all.into_iter().find(|entry| is_of_kind(&entry.action.label, verb));
        match found {
            Some(entry) => self.done(Some(entry)),
            None => format!("I have no record of anything like that here. {}", self.latest()),
        }
    }

    fn back(&self, entry: &RecordEntry) -> Option<DateTime<Utc>> {
        let taken = self.taken_back.iter().filter(|(label, at)| *label == entry.action.label && *at >= entry.at);
        taken.map(|(_, at)| *at).min()
    }

    fn line(&self, entry: &RecordEntry) -> String {
        let ActionRecord { label, status, error, .. } = &entry.action;
        let at = self.clock(entry.at);
        let why = error.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
        match status {
            Status::Succeeded => match self.back(entry) {
                Some(back) => format!("↩️ Done at {at} and taken back at {}: {label}.", self.clock(back)),
                None => format!("✅ Done at {at}: {label}."),
            },
            Status::Failed => format!("❌ Tried at {at} and failed{why}: {label}."),
            Status::Unknown => format!("❓ Tried at {at}, and I can't tell whether it took effect{why}: {label}."),
            Status::Pending => match entry.card {
                Some(State::Pending) => format!("⏳ Not done: it waits for your yes or no since {at}: {label}."),
                Some(_) => format!("⏳ You said yes, and it is not finished yet: {label}."),
                None => format!("⏳ I asked at {at}, and no longer have what became of it: {label}."),
            },
            Status::Denied => format!("✖️ Not done, as you said no at {at}: {label}."),
            Status::Refused => format!("🚫 Not done{why}: {label}."),
            Status::Expired => format!("⌛ Not done, as nobody answered in time: {label}."),
            Status::Superseded => format!("✏️ Changed before it was done: {label}."),
        }
    }

    fn clock(&self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%H:%M").to_string()
    }
}
