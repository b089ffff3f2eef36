//! `/export`: a person's data as a file, handed to them and to nobody else; `/export calendar`: their events in the form
//! that other calendars read. What is in the former: `queries::export`.

use crate::core::text::{shorten, visible};
use crate::core::turn::{Attachment, Path, Reply};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::ports::StoreError;
use crate::queries::export::data_of;
use crate::services::calendar;

/// Characters of a name that nothing has.
const NAMED_CHARS: usize = 60;

/// Whichever is asked for.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts, rest: &str) -> Result<Answer, StoreError> {
    let (what, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match what.to_lowercase().as_str() {
        "" => hand_over(brain, facts).await,
        what => Ok(of_service(brain, facts, what, words.trim()).await),
    }
}

/// What one service keeps, as a file of its own.
async fn of_service(brain: &Brain, facts: &TurnFacts, what: &str, words: &str) -> Answer {
    const ONLY: &str = "I can hand out your calendar like that: /export calendar, or /export calendar NAME for some events. \
        All of your data is /export.";
    let services = brain.services.now();
    let Some(service) = services.find(what) else { return Answer::says(Path::Command, ONLY) };
    let (attachment, count) = match service.service.file(&facts.ctx, words).await {
        Ok(Some(found)) => found,
        Ok(None) if what == calendar::NAME && words.is_empty() => {
            return Answer::says(Path::Command, "There is nothing on your calendar yet.");
        }
        Ok(None) if what == calendar::NAME => {
            let named = visible(&shorten(words, NAMED_CHARS));
            return Answer::says(Path::Command, format!("No event of yours is called “{named}”."));
        }
        Ok(None) => return Answer::says(Path::Command, ONLY),
        Err(error) => return Answer::says(Path::Command, format!("❗ I could not make that file: {error}")),
    };
    let text = format!("📅 {}, for other calendars to read.", show::counted("events", count));
    let reply = Reply { text, attachment: Some(Box::new(attachment)), ..Reply::default() };
    Answer { replies: vec![reply], ..Answer::of(Path::Command) }
}

/// Hands it over as a file.
async fn hand_over(brain: &Brain, facts: &TurnFacts) -> Result<Answer, StoreError> {
    let document = match data_of(&brain.live_view(), facts.owner(), facts.chat()).await {
        Ok(document) => document,
        Err(error) => {
            return Ok(Answer::says(Path::Command, format!("❗ I could not put your data together: {error}")));
        }
    };
    let content = serde_json::to_string_pretty(&document).unwrap_or_default();
    if content.len() > limits::ATTACHMENT_BYTES_MAX {
        let words = format!(
            "Your data is larger than the {} MB I can send in a message. On the machine I run on, “brain-agent export” writes all of it.",
            limits::ATTACHMENT_BYTES_MAX / 1024 / 1024
        );
        return Ok(Answer::says(Path::Command, words));
    }
    let counts: Vec<String> =
        document.counts().map(|(name, count)| format!("▫️ {}", show::counted(name, count))).collect();
    let now = facts.ctx.now.with_timezone(&facts.ctx.zone);
    let attachment = Attachment {
        name: format!("brain-agent-{}.json", now.format("%Y-%m-%d-%H%M%S")),
        mime: "application/json".to_owned(),
        content,
    };
    let text = format!(
        "📦 This is your data, with your settings:\n{}\nNot in it: mail, which stays in its folder, what was said in groups, and my notes on how my own work went.",
        counts.join("\n")
    );
    let reply = Reply { text, attachment: Some(Box::new(attachment)), ..Reply::default() };
    Ok(Answer { replies: vec![reply], ..Answer::of(Path::Command) })
}
