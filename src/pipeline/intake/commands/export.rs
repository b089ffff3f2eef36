//! `/export`: a person's data as a file, handed to them and to nobody else. What is in it: `queries::export`.

use crate::core::turn::{Attachment, Path, Reply};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::ports::StoreError;
use crate::queries::export::data_of;

/// Hands it over as a file.
pub(super) async fn hand_over(brain: &Brain, facts: &TurnFacts) -> Result<Answer, StoreError> {
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
