//! `search`: find mails.

use std::collections::HashMap;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::{self, ThreadHit};
use super::marks::MailMarks;
use super::older_search::{OlderLooked, older_than_kept};
use super::query::MailQuery;
use crate::services::contract::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::show::{self, Paging};
use crate::services::email::filling::owner;
use crate::services::email::mailbox::indexing::SoFar;
use crate::services::email::message::mail::{Mail, NAME};
use crate::services::email::service::{Email, source_of};
use crate::services::helpers::times;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::progress::mails_read;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
pub(in crate::services::email) use brain_core::core::text::grouped;
use brain_core::core::text::{quoted, visible};
use brain_core::limits::NAME_CHARS_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::time::TimeRole;
use brain_language::language::tokens::lower;

/// Find mails.
#[derive(Debug, Default, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchMail {
    pub text: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub subject: Option<String>,
    pub since: Option<String>,
    pub before: Option<String>,
    pub unread: Option<bool>,
    /// When one of several is asked for: "my most recent mail from Anna" is the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<WhichMail>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub after: Option<String>,
}

/// Which of several mails is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhichMail {
    /// The last one that came.
    Newest,
    /// The first one there is.
    Oldest,
}

impl ThreadRow {
    fn named(&self) -> ItemRef {
        ItemRef { id: self.id.clone(), label: self.subject.clone() }
    }
}

impl SearchMail {
    /// What a list of them is of.
    fn kind(&self) -> &'static str {
        if self.unread == Some(true) { "unread conversations" } else { "conversations" }
    }

    /// What was looked for, and where; empty where nothing was named.
    fn looked_for(&self) -> String {
        let fields = [
            (&self.from, "among senders (names, addresses, domains) and in what mails say"),
            (&self.to, "among those it went to"),
            (&self.subject, "in subjects"),
            (&self.text, "in subjects, texts, names of people and of files"),
        ];
        let named =
            |(words, place): &(&Option<String>, &str)| words.as_ref().map(|_| format!("{} {place}", said(words)));
        let mut looked: Vec<String> = fields.iter().filter_map(named).collect();
        looked.extend((self.unread == Some(true)).then(|| "unread mail only".to_owned()));
        looked.extend((self.since.is_some() || self.before.is_some()).then(|| "only in that time".to_owned()));
        if looked.is_empty() { String::new() } else { format!(" I looked for {}.", looked.join("; ")) }
    }

    fn paging<'a>(&'a self, output: &'a Threads) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

fn said(words: &Option<String>) -> String {
    quoted(words.as_deref().unwrap_or_default(), NAME_CHARS_MAX)
}

/// A conversation, or a draft, in a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct ThreadRow {
    /// What `find_by` must hold to mean it.
    pub id: String,
    pub subject: String,
    /// The sender as the owner knows them, and their address; of a draft, whom it is for.
    pub from: String,
    pub address: String,
    /// RFC 3339 in the person's zone.
    pub date: String,
    pub snippet: String,
    pub unread: bool,
    /// The mail that was found has a star.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// It lies in the archive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// How many mails it has.
    pub messages: usize,
    /// Why the mail that was found reads like a fraud.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// Conversations that fit.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Threads {
    pub threads: Vec<ThreadRow>,
    /// How many more there are.
    pub more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Nobody who is called as asked for wrote them: they say it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_said: bool,
    /// How much was read, while not everything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<ReadSoFar>,
    /// By what they are in order.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub order: String,
    /// What came of asking for older mail than is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<OlderLooked>,
}

/// How much of a mailbox was read when it was looked into; the newest mails are read first.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ReadSoFar {
    read: usize,
    of: usize,
}

impl From<SoFar> for ReadSoFar {
    fn from(so_far: SoFar) -> Self {
        Self { read: so_far.done, of: so_far.total }
    }
}

impl ReadSoFar {
    /// In words: `I've read 3,200 of your 10,000 mails so far`.
    pub fn told(self) -> String {
        mails_read(self.read, self.of)
    }
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
        let so_far = output.so_far.map(ReadSoFar::told);
        if output.threads.is_empty() {
            return match so_far {
                Some(so_far) => format!("📭 Not found yet: {so_far}, newest first. Ask me again in a moment."),
                None => {
                    let older = output.older.and_then(|older| older.told(false));
                    let older = older.map(|told| format!(" {told}")).unwrap_or_default();
                    format!("📭 I found no such mail.{}{older}", self.looked_for())
                }
            };
        }
        let line = |thread: &ThreadRow| {
            let mark = match (thread.unread, thread.starred) {
                (true, _) => "🔵",
                (false, true) => "⭐",
                (false, false) => "▫️",
            };
            let date = show::time(&thread.date, receipt.reference);
            let archived = if thread.archived { " (archived)" } else { "" };
            let why = thread.mark.as_ref().map(|why| format!("\n   ⚠️ {}", visible(why))).unwrap_or_default();
            format!("{mark} {}: {} — {date}{archived}{why}", visible(&thread.from), visible(&thread.subject))
        };
        let paging = self.paging(output);
        let lines = show::page(output.threads.iter().map(line).collect(), paging);
        let list = match (paging.after, output.threads.len() + output.more) {
            (Some(_), _) => lines,
            (None, _) if output.is_said => {
                format!(
                    "📭 No sender is called {}, or writes from there. Mails that say it:\n{lines}",
                    said(&self.from)
                )
            }
            (None, 1) => format!("📬 {lines}"),
            (None, all) => format!("📬 {} {}:\n{lines}", grouped(all), self.kind()),
        };
        let older = output.older.and_then(|older| older.told(true)).map(|told| format!("\n\n{told}"));
        match so_far {
            Some(so_far) => format!("{list}\n\n{so_far}, newest first; older ones may be missing here."),
            None => list + older.as_deref().unwrap_or_default(),
        }
    }

    fn attempt(&self, _: &Action) -> String {
        "search your mail".to_owned()
    }

    fn next_page(&self, output: &Threads) -> Option<(usize, Self)> {
        let (rest, after) = pages::rest(self.paging(output), output.threads.len())?;
        Some((rest, Self { after: Some(after), ..self.clone() }))
    }

    // A pronoun in the next message means a single conversation. A draft has no address, and is none.
    fn made(&self, output: &Threads) -> Option<ItemRef> {
        let [only] = output.threads.as_slice() else { return None };
        let is_all = output.more == 0 && !only.address.is_empty();
        is_all.then(|| only.named())
    }

    fn listed(&self, output: &Threads) -> Vec<ItemRef> {
        output.threads.iter().map(ThreadRow::named).take(pages::shown(self.after.as_deref())).collect()
    }
}

#[async_trait]
impl Handle<SearchMail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, SearchMail>) -> Result<Completed<Threads>, ServiceError> {
        let mut view = self.mailboxes.looked_into(&call.ctx.owner).await?;
        let query = MailQuery::of(&call.command, call.ctx.zone);
        let called = self.book.addresses_of(&call.ctx.owner, query.sender()).await?;
        let mut found = find::search(&view, &query, &called).await?;
        let older = match call.command.after {
            None => self.older(call.ctx, &older_than_kept(&call.command, &query, &called, &found)).await,
            Some(_) => None,
        };
        if older.is_some() {
            view = self.mailboxes.mail(&call.ctx.owner).await?;
            found = find::search(&view, &query, &called).await?;
        }
        let text = |hit: &ThreadHit| {
            let head = &hit.mail.head;
            [hit.conversation.subject.as_str(), &head.snippet, &head.parsed.people()].join("\n")
        };
        let names = self.names(&call.ctx.owner, found.mails()).await?;
        let mails: Vec<Mail> = found.hits.iter().map(|hit| hit.mail.clone()).collect();
        let marks = self.frauds_among(call.ctx, &view, &mails).await?;
        let seen = found.hits.iter().zip(&marks).filter(|(hit, _)| !hit.mail.is_own());
        let source = |hit: &ThreadHit, marks: &MailMarks| marks.source(source_of(&hit.mail, &names));
        let untrusted = seen.map(|(hit, marks)| UntrustedText::new(source(hit, marks), text(hit))).collect();
        let mut all = find::result(&view, &found, &names, call.ctx.zone);
        let why = found.hits.iter().zip(marks).map(|(hit, marks)| (&hit.conversation.thread.id, marks.fraud));
        let why: HashMap<&String, Option<String>> = why.collect();
        for row in &mut all.threads {
            row.mark = why.get(&row.id).cloned().flatten();
        }
        let total = all.threads.len() + all.more;
        let Page { rows, more, next } =
            pages::ranked(std::mem::take(&mut all.threads), total, call.command.after.as_deref(), |row: &ThreadRow| {
                &row.id
            });
        let order = query.order().to_owned();
        Ok(Completed::read(Threads { threads: rows, more, next, older, order, ..all }).holding(untrusted))
    }
}

/// A search for mails from the slots of a message.
pub(in crate::services::email) fn built(said: &ClauseReading) -> Built {
    if reads_one(said) {
        return Built::No;
    }
    let (mut action, times, reference) = (said.action(NAME, "search"), said.moments(&[]), said.input.reference);
    for (mask, found) in times.iter().filter_map(|mask| Some((*mask, said.heard.time(*mask)?))) {
        let name = if matches!(found.role, TimeRole::By | TimeRole::Until) { "before" } else { "since" };
        set(&mut action, name, Some(said.words(&[mask]).text));
        // Days that are over were those days and no later ones.
        let ended = times::days_over(&found.result, reference);
        let ended = ended.filter(|_| matches!(found.role, TimeRole::Plain | TimeRole::From));
        set(&mut action, "before", ended.map(|end| end.to_rfc3339()));
    }
    for name in ["from", "to"] {
        let who = said.clean(name, &times).map(|who| owner(&who).to_owned());
        set(
            &mut action,
            name,
            who.filter(|w| !matches!(lower(w).as_str(), "me" | "you" | "anyone" | "anybody" | "someone" | "somebody")),
        );
    }
    for name in ["text", "subject"] {
        let words = said.clean(name, &times).map(|words| without_determiner(&words).to_owned());
        set(&mut action, name, words.filter(|w| !w.is_empty()));
    }
    if said.clause_holds("unreadmail") && !said.found.frame.investigates {
        set(&mut action, "unread", Some(true));
    }
    Built::Act(action)
}

/// A verb of opening with a singular wants to read, not to look.
fn reads_one(said: &ClauseReading) -> bool {
    let clause = format!(" {} ", said.typed());
    let reads = [" read ", " open ", " summarize ", " summarise "].iter().any(|verb| clause.contains(verb));
    let one = [" email ", " mail ", " message ", " thread "].iter().any(|noun| clause.contains(noun));
    let last = [" last ", " latest ", " newest ", " most recent "].iter().any(|w| clause.contains(w));
    (reads || last) && one && (said.found.slot("from").is_some() || said.found.slot("text").is_some())
}
