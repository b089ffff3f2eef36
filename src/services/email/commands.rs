//! Mail. A thread in a search result is `{id, subject, from, date, snippet, unread, messages}`.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::super::command::{Base, Command, Kind, Past, Place, Receipt, Slot, Subject};
use super::super::entry::{Entry, entry};
use super::super::show;
use super::super::task::commands::{label, text};
use crate::core::card::CardBody;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::core::text::visible;
use crate::limits::RECIPIENTS_MAX;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![
        entry::<Search>(),
        entry::<ReadThread>(),
        entry::<CreateDraft>(),
        entry::<SendEmail>(),
        entry::<ReplyToEmail>(),
    ]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    text: Option<String>,
    from: Option<String>,
    to: Option<String>,
    subject: Option<String>,
    since: Option<String>,
    before: Option<String>,
    unread: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadThread {
    /// The thread's id or words from subject or sender.
    find_by: String,
}

/// A mail as it will be drafted or sent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Letter {
    /// Names, groups ("the whole team") or addresses.
    #[serde(deserialize_with = "one_or_many")]
    to: Vec<String>,
    subject: String,
    /// The whole text, as it goes out.
    body: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct CreateDraft(Letter);

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct SendEmail(Letter);

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyToEmail {
    /// The thread's id, or sender, or words from its subject.
    find_by: String,
    body: String,
    // Filled in from the thread, never by a planner.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    subject: Option<String>,
}

/// A list, or one alone: planners write both.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::<OneOrMany>::deserialize(deserializer)? {
        Some(OneOrMany::One(one)) => {
            one.split([',', ';']).map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect()
        }
        Some(OneOrMany::Many(many)) => many,
        None => Vec::new(),
    })
}

fn question(param: &str) -> &'static str {
    match param {
        "to" => "Who should it go to?",
        "subject" => "What should the subject be?",
        "body" => "What should it say?",
        _ => "Which mail do you mean?",
    }
}

fn too_many(to: &[String]) -> Option<String> {
    (to.len() > RECIPIENTS_MAX).then(|| format!("a mail may go to {RECIPIENTS_MAX} people at most"))
}

impl Command for Search {
    const SERVICE: &'static str = "email";
    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "find mails";
    const EXAMPLE: &'static str = "Any unread mail from Anna?";
    const KIND: Kind = Kind::Read;
    const REFERENCES: &'static [&'static str] = &["text", "from", "to", "subject"];

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let since =
            self.since.as_mut().map(|value| Slot::Time { param: "since", value, base: Base::Now, past: Past::Only });
        let before =
            self.before.as_mut().map(|value| Slot::Time { param: "before", value, base: Base::Now, past: Past::Only });
        since.into_iter().chain(before).collect()
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Search your mail?")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let threads = receipt.result["threads"].as_array().map(Vec::as_slice).unwrap_or_default();
        if threads.is_empty() {
            return "📭 I found no such mail.".to_owned();
        }
        let lines = threads
            .iter()
            .map(|thread| {
                let mark = if thread["unread"] == Value::Bool(true) { "🔵" } else { "▫️" };
                let from = visible(text(thread, "from").unwrap_or("(unknown sender)"));
                let subject = visible(text(thread, "subject").unwrap_or("(no subject)"));
                let date = show::time(text(thread, "date").unwrap_or_default(), receipt.reference);
                format!("{mark} {from}: {subject} — {date}")
            })
            .collect();
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("📬 {}", show::list(lines, more))
    }

    fn deed(&self, _: &Action) -> String {
        "search your mail".to_owned()
    }
}

impl Command for ReadThread {
    const SERVICE: &'static str = "email";
    const NAME: &'static str = "read_thread";
    const SUMMARY: &'static str = "read a whole conversation";
    const EXAMPLE: &'static str = "Read me the mail about the Berlin trip";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Read this mail?").row("Mail", label(subject.action, &self.find_by))
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let thread = &receipt.result["thread"];
        let messages = thread["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let shown: Vec<String> = messages
            .iter()
            .map(|message| {
                let from = visible(text(message, "from").unwrap_or("(unknown sender)"));
                let date = show::time(text(message, "date").unwrap_or_default(), receipt.reference);
                format!("{from}, {date}:\n{}", visible(text(message, "text").unwrap_or("(no text)").trim_end()))
            })
            .collect();
        format!("✉️ {}\n\n{}", visible(text(thread, "subject").unwrap_or("(no subject)")), shown.join("\n\n"))
    }

    fn deed(&self, action: &Action) -> String {
        format!("read “{}”", label(action, &self.find_by))
    }
}

impl Command for CreateDraft {
    const SERVICE: &'static str = "email";
    const NAME: &'static str = "create_draft";
    const SUMMARY: &'static str = "write a mail without sending it";
    const EXAMPLE: &'static str = "Email Bob that I'm running late";
    const KIND: Kind = Kind::Write;
    const PLACE: Place = Place::Outside;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::People { param: "to", value: &mut self.0.to }]
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.0.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.0.to)
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        letter_card("Save this draft?", &self.0, subject)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let Letter { to, subject, body } = &self.0;
        format!(
            "📝 Draft for {} — not sent.\nSubject: {}\n\n{}",
            visible(&show::people(to, receipt.action)),
            visible(subject),
            visible(body.trim_end())
        )
    }

    fn deed(&self, _: &Action) -> String {
        format!("save the draft “{}”", self.0.subject)
    }
}

impl Command for SendEmail {
    const SERVICE: &'static str = "email";
    const NAME: &'static str = "send_email";
    const SUMMARY: &'static str = "send a mail";
    const EXAMPLE: &'static str = "Send an email to Bob saying the report is late";
    const KIND: Kind = Kind::Write;
    const PLACE: Place = Place::Outside;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::People { param: "to", value: &mut self.0.to }]
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.0.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.0.to)
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        letter_card("Send this email?", &self.0, subject)
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("📨 Sent to {}: {}", visible(&show::people(&self.0.to, receipt.action)), visible(&self.0.subject))
    }

    fn deed(&self, action: &Action) -> String {
        format!("send “{}” to {}", self.0.subject, show::names(&self.0.to, action))
    }
}

impl Command for ReplyToEmail {
    const SERVICE: &'static str = "email";
    const NAME: &'static str = "reply_to_email";
    const SUMMARY: &'static str = "answer a mail";
    const EXAMPLE: &'static str = "Reply to Anna that Thursday works";
    const KIND: Kind = Kind::Write;
    const PLACE: Place = Place::Outside;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.to)
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Send this reply?")
            .row("To", show::people(&self.to, subject.action))
            .row("Subject", self.subject.clone().unwrap_or_default())
            .row("In reply to", label(subject.action, &self.find_by))
            .body(&self.body)
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!(
            "📨 Replied to {}: {}",
            visible(&show::people(&self.to, receipt.action)),
            visible(self.subject.as_deref().unwrap_or("(no subject)"))
        )
    }

    fn deed(&self, action: &Action) -> String {
        format!("reply to “{}”", label(action, &self.find_by))
    }
}

/// What goes out ends with its last word.
fn trimmed(body: &mut String) {
    body.truncate(body.trim_end().len());
}

fn letter_card(title: &str, letter: &Letter, subject: &Subject<'_>) -> CardBody {
    CardBody::titled(title)
        .row("To", show::people(&letter.to, subject.action))
        .row("Subject", &letter.subject)
        .body(&letter.body)
}
