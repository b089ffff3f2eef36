//! `search`: find mails.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::{self, Hit, MailQuery};
use super::{Email, source_of};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::provenance::UntrustedText;
use crate::core::stakes::Stakes;
use crate::core::text::visible;
use crate::limits::MAIL_RESULTS_MAX;
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::error::ServiceError;
use crate::services::show;

/// Find mails.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchMail {
    pub text: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub subject: Option<String>,
    pub since: Option<String>,
    pub before: Option<String>,
    pub unread: Option<bool>,
}

/// A conversation, or a draft, in a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct ThreadRow {
    /// What `find_by` must hold to mean it.
    pub id: String,
    pub subject: String,
    /// The sender's name and address; of a draft, whom it is for.
    pub from: String,
    pub address: String,
    /// RFC 3339 in the person's zone.
    pub date: String,
    pub snippet: String,
    pub unread: bool,
    /// How many mails it has.
    pub messages: usize,
}

/// Conversations that fit.
#[derive(Debug, Serialize, Deserialize)]
pub struct Threads {
    pub threads: Vec<ThreadRow>,
    /// How many more there are.
    pub more: usize,
}

impl Command for SearchMail {
    type Output = Threads;

    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "find mails";
    const EXAMPLE: &'static str = "Any unread mail from Anna?";
    const STATUS: &'static str = "Searching your mail…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["text", "from", "to", "subject"];
    const SHOWS_UNTRUSTED: bool = true;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let since = self.since.as_mut().map(|value| Slot::Time {
            param: "since",
            value,
            base: Base::Now,
            past: PastTimes::Only,
        });
        let before = self.before.as_mut().map(|value| Slot::Time {
            param: "before",
            value,
            base: Base::Now,
            past: PastTimes::Only,
        });
        since.into_iter().chain(before).collect()
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Search your mail?")
    }

    fn receipt(&self, output: &Threads, receipt: &Receipt<'_>) -> String {
        if output.threads.is_empty() {
            return "📭 I found no such mail.".to_owned();
        }
        let line = |thread: &ThreadRow| {
            let mark = if thread.unread { "🔵" } else { "▫️" };
            let date = show::time(&thread.date, receipt.reference);
            format!("{mark} {}: {} — {date}", visible(named(&thread.from)), visible(&thread.subject))
        };
        format!("📬 {}", show::list(output.threads.iter().map(line).collect(), output.more))
    }

    fn attempt(&self, _: &Action) -> String {
        "search your mail".to_owned()
    }
}

/// A sender to show.
pub(super) fn named(from: &str) -> &str {
    if from.is_empty() { "(unknown sender)" } else { from }
}

#[async_trait]
impl Handle<SearchMail> for Email {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, SearchMail>) -> Result<Completed<Threads>, ServiceError> {
        let index = self.mailboxes.index(&call.ctx.owner).await?;
        let query = MailQuery::of(&call.command, call.ctx.zone);
        let seen = find::search(&index, &query).into_iter().take(MAIL_RESULTS_MAX).filter(|hit| !hit.mail.is_own());
        let text = |hit: &Hit<'_>| {
            let head = &hit.mail.head;
            [hit.thread.subject.as_str(), &head.snippet, &head.parsed.people()].join("\n")
        };
        let untrusted = seen.map(|hit| UntrustedText::new(source_of(hit.mail), text(&hit)));
        let untrusted = untrusted.collect();
        Ok(Completed::read(find::result(&index, &query, call.ctx.zone)).holding(untrusted))
    }
}
