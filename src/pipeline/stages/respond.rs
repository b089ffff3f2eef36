//! Respond: receipts by code, always; a few warm words by the model, when there is one.
//!
//! Invariant: no wording of a model can turn a failure into a success. The receipts stand below its words,
//! and when nothing was changed but its words claim that something was, the person is told.

use minijinja::context;

use super::{ask, speak};
use crate::core::markup::Formatted;
use crate::core::outcome::{Outcome, Status};
use crate::core::plan::Action;
use crate::core::run::{Run, RunOrigin, StepProgress};
use crate::core::text::shorten;
use crate::language::requests;
use crate::language::says::{opens, says};
use crate::pipeline::stages::status;
use crate::pipeline::turn::Turn;
use crate::ports::records::Speaker;
use crate::ports::{ModelError, Stage};
use crate::services::command::Receipt;
use crate::services::show;

/// What is said when words claim a change that never was.
pub const NOTHING_CHANGED: &str = "Nothing was changed.";

/// How `respond` and receipts see a turn.
#[derive(Debug, Default)]
pub struct Results {
    /// For the person: one a step.
    pub receipts: Vec<String>,
    /// For the model: the same in plain terms, waiting cards included.
    pub facts: Vec<String>,
    /// True when at least one write succeeded or may have.
    pub changed: bool,
}

impl Results {
    /// Receipts and facts of a finished run.
    pub fn add_run(&mut self, turn: &Turn<'_>, run: &Run) {
        let reference = turn.ctx.reference();
        for step in &run.steps {
            if let StepProgress::Done { outcome } = &step.progress {
                let (mut receipt, wrote) = told(turn.brain, &step.action, outcome, &reference);
                // What a card would have pointed out is pointed out here.
                if run.origin == RunOrigin::Turn && wrote {
                    for note in &step.action.notes {
                        receipt.push_str(&format!("\n   ℹ️ {}", crate::core::text::visible(note)));
                    }
                }
                let status = format!("{:?}", outcome.status()).to_lowercase();
                self.facts.push(format!("{} {status}: {}", step.action.name(), shorten(&receipt, 1_500)));
                self.receipts.push(receipt);
                self.changed |= wrote;
            }
        }
    }

    /// Something that did not come to be done, in words.
    pub fn add_remark(&mut self, remark: String) {
        self.facts.push(format!("not done: {remark}"));
        self.receipts.push(remark);
    }
}

/// The receipt of one outcome, and whether it changed, or may have changed, anything.
pub fn told(
    brain: &crate::pipeline::brain::Brain,
    action: &Action,
    outcome: &Outcome,
    reference: &crate::language::time::Reference,
) -> (String, bool) {
    // A service that left since then wrote, for all that anybody knows.
    let entry = brain.services.of(action);
    let entry = entry.as_deref();
    let wrote = entry.is_none_or(|entry| entry.effect().writes()) && outcome.status() != Status::Failed;
    let named = || format!("do “{}”", action.name());
    let deed = || entry.map_or_else(named, |entry| crate::core::text::visible(&entry.attempt(action)));
    let text = match outcome {
        Outcome::Succeeded { result } => entry.map_or_else(
            || {
                format!(
                    "Done: “{}”. Its service is not set up here any more, so I can't say what came of it.",
                    action.name()
                )
            },
            |entry| entry.receipt(result, &Receipt { action, reference }),
        ),
        Outcome::Failed { why } => format!("❗ I could not {}: {}", deed(), sentence(why)),
        Outcome::Unknown { why } => format!("❓ I can't tell whether I managed to {}: {}", deed(), sentence(why)),
    };
    (text, wrote)
}

fn sentence(why: &str) -> String {
    let why = why.trim();
    if why.ends_with(['.', '!', '?', ')']) { why.to_owned() } else { format!("{why}.") }
}

/// A reply to small talk.
pub async fn chat(turn: &Turn<'_>, memories: Vec<String>) -> Formatted {
    match by_model(turn, &memories, &Results::default()).await {
        Some(Ok(words)) => honest(words, false),
        Some(Err(error)) => {
            turn.fell_back("respond", &error.to_string());
            Formatted::plain(requests::chat(turn.words()))
        }
        None => Formatted::plain(requests::chat(turn.words())),
    }
}

/// The answer to a turn with outcomes: words, then receipts.
pub async fn outcomes(turn: &Turn<'_>, memories: &[String], results: &Results) -> Formatted {
    turn.doing(status::writing());
    turn.agreed();
    let receipts = results.receipts.join("\n");
    match by_model(turn, memories, results).await {
        Some(Ok(words)) => {
            let mut words = honest(words, results.changed);
            words.push(&format!("\n\n{receipts}"));
            words
        }
        Some(Err(error)) => {
            turn.fell_back("respond", &error.to_string());
            Formatted::plain(receipts)
        }
        None => Formatted::plain(receipts),
    }
}

/// The model's words, read as markdown; `None` when there is no model.
async fn by_model(turn: &Turn<'_>, memories: &[String], results: &Results) -> Option<Result<Formatted, ModelError>> {
    let model = turn.brain.model.as_deref()?;
    let history: Vec<String> = turn.history.iter().rev().take(3).rev().map(line).collect();
    let changing = context! {
        history => ask::lines(&history),
        memories => ask::lines(memories),
        results => ask::lines(&results.facts),
        manner => turn.manner(),
        message => turn.words(),
    };
    let prompt = match ask::prompt(turn, Stage::Respond, &context! {}, &changing) {
        Ok(prompt) => prompt,
        Err(error) => return Some(Err(error)),
    };
    Some(speak::aloud(turn, model, prompt, results.changed).await)
}

fn line(message: &crate::ports::records::Message) -> String {
    let speaker = match message.speaker {
        Speaker::Person => "person",
        Speaker::Assistant => "assistant",
    };
    format!("{speaker}: {}", shorten(&message.text, 500))
}

/// Adds the truth to words that claim a change when there was none.
fn honest(mut words: Formatted, changed: bool) -> Formatted {
    if !changed && claims_a_change(&words.text) {
        words.push(&format!("\n\n{NOTHING_CHANGED}"));
    }
    words
}

/// A small lexicon of claims, in several languages.
pub(super) fn claims_a_change(text: &str) -> bool {
    const DOERS: &[&str] = &[
        "i",
        "i've",
        "i have",
        "we",
        "we've",
        "we have",
        "it",
        "it's",
        "it is",
        "it has been",
        "all",
        "that",
        "that's",
        "that is",
        "that has been",
        "email",
        "mail",
        "event",
        "task",
        "reminder",
        "message",
        "meeting",
        "note",
        "draft",
    ];
    const DEEDS: &[&str] = &[
        "sent",
        "added",
        "created",
        "deleted",
        "removed",
        "canceled",
        "cancelled",
        "scheduled",
        "booked",
        "moved",
        "updated",
        "saved",
        "set",
        "forwarded",
        "replied",
        "completed",
        "marked",
    ];
    const OPENINGS: &[&str] = &[
        "done",
        "all set",
        "all done",
        "sent",
        "added",
        "created",
        "deleted",
        "scheduled",
        "saved",
        "booked",
        "consider it done",
    ];
    const WORDS: &[&str] = &[
        "i'll remind you",
        "i will remind you",
        "erledigt",
        "gesendet",
        "verschickt",
        "gelöscht",
        "hinzugefügt",
        "eingetragen",
        "gespeichert",
        "verschoben",
        "hecho",
        "enviado",
        "enviada",
        "añadido",
        "borrado",
        "eliminado",
        "guardado",
        "agendado",
        "feito",
        "adicionado",
        "salvo",
        "apagado",
        "envoyé",
        "ajouté",
        "supprimé",
        "enregistré",
        "planifié",
        "fatto",
        "inviato",
        "inviata",
        "aggiunto",
        "eliminato",
        "salvato",
        "tamam",
        "tamamlandı",
        "gönderildi",
        "eklendi",
        "silindi",
        "kaydedildi",
        "terkirim",
        "ditambahkan",
        "dihapus",
        "disimpan",
        "selesai",
    ];
    /// With any ending.
    const STEMS: &[&str] = &[
        "готово",
        "сделано",
        "отправлен",
        "отправил",
        "добавлен",
        "добавил",
        "удалён",
        "удален",
        "удалил",
        "создан",
        "создал",
        "сохранен",
        "надіслано",
        "додано",
        "видалено",
        "зроблено",
        "تم ",
        "أرسلت",
        "أضفت",
        "حذفت",
        "انجام شد",
        "فرستادم",
        "ارسال شد",
        "حذف شد",
        "भेज दिया",
        "हो गया",
        "जोड़ दिया",
        "हटा दिया",
    ];
    let lower = text.to_lowercase();
    says(text, &[(DOERS, 0), (DEEDS, 40)])
        || opens(text, OPENINGS)
        || says(text, &[(WORDS, 0)])
        || STEMS.iter().any(|stem| lower.contains(stem))
}

/// The line that names an assumed zone, once.
pub fn zone_note(zone: chrono_tz::Tz) -> String {
    let name = zone.name();
    format!("(I took {name} as your time zone. If it is another, write for example “my time zone is Lisbon”.)")
}

/// True when a text shows a time that was resolved, so that the zone matters.
pub fn shows_time(action: &Action) -> bool {
    action.params.values().chain(action.params.get("changes")).any(holds_time)
}

fn holds_time(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => {
            matches!(show::Moment::read(text, chrono_tz::UTC), Some(show::Moment::Instant(_)))
        }
        serde_json::Value::Object(map) => map.values().any(holds_time),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Array(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_a_change_that_never_was_is_set_right() {
        for text in [
            "Done! I've sent the email to Bob.",
            "Your event has been scheduled.",
            "Готово, отправила!",
            "Erledigt, die Mail ist raus.",
            "¡Hecho!",
            "I'll remind you tomorrow.",
        ] {
            assert!(honest(Formatted::read(text), false).text.ends_with(NOTHING_CHANGED), "{text}");
            assert_eq!(honest(Formatted::read(text), true).text, text);
        }
    }

    #[test]
    fn a_claim_is_found_whatever_its_stress() {
        let words = honest(Formatted::read("I have **ad**ded it."), false);
        assert_eq!(words.text, format!("I have added it.\n\n{NOTHING_CHANGED}"));
    }

    #[test]
    fn small_talk_stays_as_it_is() {
        for text in [
            "Going well, thanks! What's on your mind?",
            "Hi there!",
            "You have a lot on your plate today.",
            "Gern geschehen!",
        ] {
            assert_eq!(honest(Formatted::read(text), false).text, text);
        }
    }
}
