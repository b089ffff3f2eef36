//! `/export`: a person's data as one archive, handed to them and to nobody else; `/export calendar`: their events in the
//! form that other calendars read. What is in the former: `queries::archive`.

use std::sync::Arc;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::queries::archive::{ManyFiles, PackedArchive, PersonalArchive, archive_of};
use brain_core::archive;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::{Attachment, Path, Reply};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_services::services::calendar;

/// Characters of a name that nothing has.
const NAMED_CHARS: usize = 60;
const MB: usize = 1024 * 1024;

/// Whichever is asked for.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts, rest: &str) -> Result<Answer, StoreError> {
    let (what, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match what.to_lowercase().as_str() {
        "" => Ok(hand_over(brain, facts).await),
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
    with_file(text, attachment)
}

fn with_file(text: String, attachment: Attachment) -> Answer {
    let reply = Reply { text, attachment: Some(Box::new(attachment)), ..Reply::default() };
    Answer { replies: vec![reply], ..Answer::of(Path::Command) }
}

/// Hands it over as a file.
async fn hand_over(brain: &Brain, facts: &TurnFacts) -> Answer {
    match packed(brain, facts).await {
        Ok(answer) => answer,
        Err(why) => Answer::says(Path::Command, format!("❗ I could not put your data together: {why}")),
    }
}

async fn packed(brain: &Brain, facts: &TurnFacts) -> Result<Answer, String> {
    let data = archive_of(&brain.live_view(), facts.owner(), facts.chat()).await;
    let data = Arc::new(data.map_err(|error| error.to_string())?);
    let packing = data.clone();
    let packed = tokio::task::spawn_blocking(move || fitting(&packing)).await.map_err(|error| error.to_string())?;
    let Some(PackedArchive { content, many, remark }) = packed.map_err(|error| error.to_string())? else {
        let words = format!(
            "Your data is larger than the {} MB I can send in a message. On the machine I run on, “brain-agent export” writes all of it.",
            limits::ATTACHMENT_BYTES_MAX / MB
        );
        return Ok(Answer::says(Path::Command, words));
    };
    let counts = data.counts();
    let mails = if many == ManyFiles::LeftOut { counts.last().map(|(name, _)| name.as_str()) } else { None };
    let lines = counts.iter().filter(|(name, _)| Some(name.as_str()) != mails);
    let lines: Vec<String> = lines.map(|(name, count)| format!("▫️ {}", show::counted(name, *count))).collect();
    let left_out = match many {
        ManyFiles::Along => String::new(),
        ManyFiles::LeftOut => format!(
            "\nYour mail would make it larger than the {} MB I can send in a message, so it is not in it. On the machine I run on, “brain-agent export” writes all of it.",
            limits::ATTACHMENT_BYTES_MAX / MB
        ),
    };
    let back = remark.unwrap_or_else(|| "One archive, which “brain-agent import” reads back.".to_owned());
    let text = format!(
        "📦 This is your data, with your settings:\n{}\n{back}{left_out}\nNot in it: mail that your accounts keep on their servers, what was said in groups, and my notes on how my own work went.",
        lines.join("\n")
    );
    let now = facts.ctx.now.with_timezone(&facts.ctx.zone);
    let name = format!("brain-agent-{}.zip", now.format("%Y-%m-%d-%H%M%S"));
    Ok(with_file(text, Attachment { name, mime: archive::MIME.to_owned(), content }))
}

/// As much of it as fits into a message; `None`: not even the rest without the mail does.
fn fitting(data: &PersonalArchive) -> std::io::Result<Option<PackedArchive>> {
    let ways: &[ManyFiles] =
        if data.many() > 0 { &[ManyFiles::Along, ManyFiles::LeftOut] } else { &[ManyFiles::Along] };
    for many in ways {
        if let Some(packed) = data.packed(*many, limits::ATTACHMENT_BYTES_MAX)? {
            return Ok(Some(packed));
        }
    }
    Ok(None)
}
