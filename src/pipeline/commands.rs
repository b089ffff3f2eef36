//! Slash commands: `/start`, `/help`, `/pending`, `/cancel`. Answered without a model.

use std::sync::PoisonError;

use super::consent;
use super::turn::{Answer, Turn};
use crate::catalog::SERVICES;
use crate::core::button::{CardVerb, Press};
use crate::core::pending::Means;
use crate::core::turn::{Input, Path};
use crate::ports::StoreError;

/// The command a message holds: its name without slash and bot name, and what follows.
pub fn parse(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (word, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let name = word.split('@').next().unwrap_or(word);
    let fine = !name.is_empty() && name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fine.then_some((name, arguments.trim()))
}

/// True for input that overtakes what is running: `/cancel` and presses. Doing a changed message again is a turn
/// like any other and waits in line.
pub fn overtakes(input: &Input) -> bool {
    match input {
        Input::Press { data, .. } => !matches!(Press::decode(data), Some(Press::Redo(_))),
        Input::Message { text, .. } => matches!(parse(text), Some(("cancel", _))),
    }
}

/// True for turns that `/cancel` may stop.
pub fn stoppable(input: &Input) -> bool {
    !overtakes(input)
}

/// Answers a command; `None` when the message is none.
pub async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, StoreError> {
    let words = turn.words();
    if words.trim().is_empty() {
        return Ok(Some(Answer::says(Path::Chat, "That message was empty. What can I do for you?").keeping_question()));
    }
    let Some((name, _)) = parse(words) else {
        return Ok(None);
    };
    let answer = match name {
        "start" => Answer::says(Path::Command, start(turn)),
        "help" => Answer::says(Path::Command, help(turn)),
        "pending" => pending(turn),
        "cancel" => cancel(turn).await?,
        _ => Answer::says(
            Path::Command,
            format!("I don't know /{name}. These work: /help, /pending, /cancel. Or just say what you need."),
        ),
    };
    Ok(Some(answer.keeping_question()))
}

fn start(turn: &Turn<'_>) -> String {
    format!(
        "Hi! I keep your tasks, reminders, calendar, mail, notes and memories, and I ask before I do anything that can't be taken back.\n\n\
         Try:\n• Remind me to call mom tomorrow at 5pm\n• What do I have this week?\n\n\
         Your time zone is {}. /help shows everything.",
        turn.scene.zone.name()
    )
}

/// From the catalog: one example a command, high stakes marked.
fn help(turn: &Turn<'_>) -> String {
    let mut text = String::from("This is what I can do. Say it in your own words.\n");
    for service in SERVICES {
        text.push_str(&format!("\n{}\n", service.title));
        for entry in turn.brain.catalog.commands(&[service.name.to_owned()]) {
            text.push_str(&format!("• {}\n", entry.example()));
        }
    }
    text.push_str("\nBefore I send, change or delete anything for good, I show you exactly what I would do and wait for your yes.\n/pending: what waits for you · /cancel: stop or drop it");
    text
}

fn pending(turn: &Turn<'_>) -> Answer {
    if turn.open.is_empty() {
        return Answer::says(Path::Command, "Nothing is waiting for your yes or no.");
    }
    let zone = turn.scene.zone;
    let lines: Vec<String> = turn
        .open
        .iter()
        .map(|pending| {
            let until = pending.expires_at.with_timezone(&zone).format("%a %d %b %H:%M");
            format!("▫️ {} — until {until} · {}", consent::title(turn.brain, pending), pending.id)
        })
        .collect();
    Answer::says(
        Path::Command,
        format!("Waiting for your yes or no:\n{}\nReply to a card, or use its buttons.", lines.join("\n")),
    )
}

/// Stops what runs in this chat; else drops the only open card; else lists them.
async fn cancel(turn: &Turn<'_>) -> Result<Answer, StoreError> {
    let running = turn.brain.running.lock().unwrap_or_else(PoisonError::into_inner).get(turn.chat()).cloned();
    if let Some(token) = running {
        token.cancel();
        return Ok(Answer::says(Path::Command, "Okay, stopping."));
    }
    match turn.open.as_slice() {
        [] if turn.state.clarification.is_some() => {
            let mut answer = Answer::says(Path::Command, "Okay, never mind.");
            answer.clarification = super::turn::Question::Settled;
            Ok(answer)
        }
        [] => Ok(Answer::says(Path::Command, "There is nothing to cancel.")),
        [only] => consent::decide(turn, &only.id.clone(), CardVerb::Cancel, None, Means::Command).await,
        _ => Ok(consent::which(turn)),
    }
}
