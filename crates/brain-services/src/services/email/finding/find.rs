//! Finding mails: what the search command finds, and what is near a message.
//!
//! The index finds and ranks mails; here they become conversations. What is shown of them is loaded for those that are
//! shown.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::query::{MailQuery, meaningful};
use super::search::{ThreadRow, Threads, WhichMail};
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{ItemChoice, Noticed};
use crate::services::contract::show::Moment;
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::message::mail::{DRAFT, Mail, OWN};
use crate::services::email::message::thread::Thread;
use crate::services::email::service::{source_of, writer};
use crate::services::helpers::address_book::KnownNames;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::{MAIL_HITS_MAX, MAIL_RESULTS_MAX, ROW_PEOPLE_MAX};
use brain_core::ports::{Needs, Query};
use brain_language::language::words::{stems, words};

/// A conversation that fits, and its newest mail that does.
#[derive(Debug, Clone)]
pub struct ThreadHit {
    /// With all its mails.
    pub conversation: Conversation,
    /// The newest fitting mail of others, else the owner's own.
    pub mail: Mail,
}

/// What a search came to.
#[derive(Debug, Clone, Default)]
pub struct FoundThreads {
    /// Drafts that fit, when they were asked for.
    drafts: Vec<Mail>,
    /// Conversations: best first when words were given, newest first otherwise.
    pub hits: Vec<ThreadHit>,
    /// How many more there are.
    more: usize,
    /// Nobody who is called so wrote them: they say it.
    is_said: bool,
}

impl FoundThreads {
    pub(in crate::services::email) fn is_empty(&self) -> bool {
        self.drafts.is_empty() && self.hits.is_empty()
    }

    /// Those from these addresses that are not among them.
    async fn add(&mut self, view: &MailView, query: &MailQuery, from: &[String]) -> Result<(), ServiceError> {
        for address in from {
            let FoundThreads { hits, more, .. } = exactly(view, &query.of_address(address)).await?;
            let is_new = |hit: &ThreadHit| {
                !self.hits.iter().any(|known| known.conversation.thread.id == hit.conversation.thread.id)
            };
            let new: Vec<ThreadHit> = hits.into_iter().filter(is_new).collect();
            self.hits.extend(new);
            self.more += more;
        }
        if !from.is_empty() && query.is_by_time() {
            self.hits.sort_by_key(|hit| std::cmp::Reverse(hit.mail.head.date));
        }
        self.more += self.hits.len().saturating_sub(MAIL_RESULTS_MAX);
        self.hits.truncate(MAIL_RESULTS_MAX);
        Ok(())
    }

    /// The one that is asked for, where one is.
    fn only(mut self, query: &MailQuery) -> Self {
        let Some(which) = query.which() else { return self };
        match which {
            WhichMail::Newest => self.hits.sort_by_key(|hit| std::cmp::Reverse(hit.mail.head.date)),
            WhichMail::Oldest => self.hits.sort_by_key(|hit| hit.mail.head.date),
        }
        self.hits.truncate(1);
        Self { drafts: Vec::new(), more: 0, ..self }
    }

    /// What is shown of them.
    pub fn mails(&self) -> impl Iterator<Item = &Mail> {
        self.drafts.iter().chain(self.hits.iter().map(|hit| &hit.mail))
    }
}

/// Conversations with a mail that fits. Whose it is, is told by the name and the address of who wrote it, and by those
/// whom the person calls so (`known`, addresses), and by the domain it came from; else by what mails say.
pub async fn search(view: &MailView, query: &MailQuery, known: &[String]) -> Result<FoundThreads, ServiceError> {
    let mut found = exactly(view, query).await?;
    if query.sender().is_empty() {
        return Ok(found.only(query));
    }
    // Of those whose address says the name as well, all are found.
    let asked = words(query.sender());
    let is_found = |address: &&String| asked.iter().all(|word| words(address).contains(word));
    let mut from: Vec<String> = known.iter().filter(|address| !is_found(address)).cloned().collect();
    if found.more == 0 {
        from.extend(at_domain(view, query.sender()));
    }
    found.add(view, query, &from).await?;
    if found.is_empty() {
        found = FoundThreads { is_said: true, ..exactly(view, &query.saying_sender()).await? };
    }
    Ok(found.only(query))
}

/// The same as far as it stands in the mails. Of very many hits each mail that was not looked at counts as one more.
async fn exactly(view: &MailView, query: &MailQuery) -> Result<FoundThreads, ServiceError> {
    let (drafts, of_drafts) = match query.drafts {
        true => view.search(query.query(true)).await?,
        false => (Vec::new(), 0),
    };
    let free = MAIL_RESULTS_MAX - drafts.len();
    let mut threads: Vec<(Thread, Vec<Mail>)> = Vec::new();
    let (mut seen, mut total) = (0, usize::MAX);
    // A search without words is counted without looking at each of its mails.
    let enough = |threads: usize| query.is_wordless() && threads >= free;
    while seen < total.min(MAIL_HITS_MAX) && !enough(threads.len()) {
        let page = Query { skip: seen, limit: MAIL_HITS_MAX / 4, ..query.query(false) };
        let (mails, fitting) = view.search(page).await?;
        if mails.is_empty() {
            total = seen;
            break;
        }
        (seen, total) = (seen + mails.len(), fitting);
        for mail in mails {
            let Some(thread) = view.thread_of(mail.id()) else { continue };
            match threads.iter_mut().find(|(known, _)| known.id == thread.id) {
                Some((_, fitting)) => fitting.push(mail),
                None => threads.push((thread, vec![mail])),
            }
        }
    }
    let mut best: Vec<(usize, Mail, Thread)> =
        threads.into_iter().filter_map(|(t, of)| best_of(query, t, of)).collect();
    best.sort_by(|(a, x, _), (b, y, _)| (b, y.head.date).cmp(&(a, x.head.date)));
    if query.which() == Some(WhichMail::Oldest) {
        best.reverse();
    }
    let of_threads = match query.is_wordless() {
        true => view.count(|unread, date| query.fits(unread, date)),
        false => best.len() + total.saturating_sub(seen),
    };
    best.truncate(free);
    let shown = view.conversations(best.iter().map(|(_, _, thread)| thread.clone()), 0).await?;
    let hit = |conversation: Conversation| {
        let mail = best.iter().find(|(_, _, thread)| thread.id == conversation.thread.id);
        mail.map(|(_, mail, _)| ThreadHit { mail: mail.clone(), conversation })
    };
    let hits: Vec<ThreadHit> = shown.into_iter().filter_map(hit).collect();
    let more = (of_drafts + of_threads).saturating_sub(drafts.len() + hits.len());
    Ok(FoundThreads { drafts, hits, more, is_said: false })
}

fn best_of(query: &MailQuery, thread: Thread, mut fitting: Vec<Mail>) -> Option<(usize, Mail, Thread)> {
    let best = fitting.iter().map(|mail| query.prominence(mail)).max()?;
    fitting.sort_by_key(|mail| mail.head.date);
    let mail = fitting.iter().rfind(|mail| !mail.is_own()).or(fitting.last())?.clone();
    Some((best, mail, thread))
}

/// The result of `email.search`.
pub fn result(view: &MailView, found: &FoundThreads, names: &KnownNames, zone: Tz) -> Threads {
    let drafts = found.drafts.iter().map(|mail| draft_row(mail, names, zone));
    let threads = drafts.chain(found.hits.iter().map(|hit| row(view, hit, names, zone))).collect();
    let so_far = view.so_far.map(Into::into);
    Threads { threads, more: found.more, is_said: found.is_said, so_far, ..Threads::default() }
}

fn row(view: &MailView, hit: &ThreadHit, names: &KnownNames, zone: Tz) -> ThreadRow {
    let head = &hit.mail.head;
    ThreadRow {
        id: hit.conversation.thread.id.clone(),
        subject: subject_or(&hit.conversation.subject).to_owned(),
        from: writer(&hit.mail, names),
        address: head.parsed.from.address.clone(),
        date: local(head.date, zone),
        snippet: head.snippet.clone(),
        unread: view.is_unread(&hit.conversation.thread),
        starred: hit.mail.file.starred,
        archived: hit.mail.is_archived(),
        messages: hit.conversation.thread.mails.len(),
        mark: None,
    }
}

fn draft_row(mail: &Mail, names: &KnownNames, zone: Tz) -> ThreadRow {
    let parsed = &mail.head.parsed;
    let to: Vec<String> = parsed.to.iter().map(|to| to.label(names)).collect();
    ThreadRow {
        id: crate::services::email::message::written_name::id_of(&mail.file.base),
        subject: subject_or(&parsed.subject).to_owned(),
        from: format!("Draft for {}", to.join(", ")),
        address: String::new(),
        date: local(mail.head.date, zone),
        snippet: mail.head.snippet.clone(),
        unread: false,
        starred: false,
        archived: false,
        messages: 1,
        mark: None,
    }
}

/// A subject to show.
pub fn subject_or(subject: &str) -> &str {
    if subject.is_empty() { "(no subject)" } else { subject }
}

/// RFC 3339 in the person's zone.
pub fn local(at: DateTime<Utc>, zone: Tz) -> String {
    Moment::Instant(at.with_timezone(&zone)).store()
}

/// The addresses at a domain that is called so.
pub(in crate::services::email) fn at_domain(view: &MailView, who: &str) -> Vec<String> {
    if who.contains('@') {
        return Vec::new();
    }
    let people = view.people();
    let there = people.iter().map(|person| person.mailbox.party(&KnownNames::default()));
    let there = there.filter(|party| party.is_at(who));
    there.map(|party| party.address).take(ROW_PEOPLE_MAX).collect()
}

/// The mail that stands for a conversation.
pub(in crate::services::email) fn speaks_for(conversation: &Conversation) -> Option<&Mail> {
    conversation.last_of_others().or(conversation.mails.last())
}

/// Conversations to choose from.
pub fn candidates(conversations: &[Conversation], names: &KnownNames, zone: Tz) -> Vec<ItemChoice> {
    conversations
        .iter()
        .map(|conversation| {
            let from = speaks_for(conversation).map_or_else(String::new, |mail| writer(mail, names));
            let date = conversation.thread.date.with_timezone(&zone).format("%a %-d %b %H:%M");
            let label = format!("{from}: {} ({date})", subject_or(&conversation.subject));
            let source = speaks_for(conversation).map_or_else(String::new, |mail| source_of(mail, names));
            let untrusted = vec![UntrustedText::new(source, label.clone())];
            ItemChoice { id: conversation.thread.id.clone(), label, untrusted }
        })
        .collect()
}

/// Mails of each conversation that a description is compared with.
const COMPARED_MAILS: usize = 20;

/// The conversations of these mails, in their order.
pub(in crate::services::email) async fn of_mails(
    view: &MailView,
    mails: Vec<Mail>,
) -> Result<Vec<Conversation>, ServiceError> {
    let mut threads: Vec<Thread> = Vec::new();
    for thread in mails.iter().filter_map(|mail| view.thread_of(mail.id())) {
        if !threads.iter().any(|known| known.id == thread.id) {
            threads.push(thread);
        }
    }
    view.conversations(threads, COMPARED_MAILS).await
}

/// Conversations whose subject or sender shares words with a message, most in common first.
pub async fn near(view: &MailView, message: &str, limit: usize) -> Result<Vec<Conversation>, ServiceError> {
    let said = meaningful(message).join(" ");
    if said.is_empty() {
        return Ok(Vec::new());
    }
    let without = vec![DRAFT.to_owned(), OWN.to_owned()];
    let query = Query { text: said.clone(), needs: Needs::Any, without, limit: MAIL_HITS_MAX / 4, ..Query::default() };
    let near = of_mails(view, view.search(query).await?.0).await?;
    let stems = stems(&said);
    let common = |conversation: Conversation| {
        let from = conversation.last_of_others()?.head.parsed.from.name.clone();
        let present = self::stems(&format!("{} {from}", conversation.subject));
        let common = stems.iter().filter(|stem| present.contains(stem)).count();
        (common > 0).then_some((common, conversation))
    };
    let mut near: Vec<(usize, Conversation)> = near.into_iter().filter_map(common).collect();
    near.sort_by_key(|(common, conversation)| std::cmp::Reverse((*common, conversation.thread.date)));
    Ok(near.into_iter().take(limit).map(|(_, conversation)| conversation).collect())
}

/// One of those, on one line.
pub fn noticed(conversation: &Conversation, names: &KnownNames, zone: Tz) -> Option<Noticed> {
    let mail = conversation.last_of_others()?;
    let from = mail.head.parsed.from.label(names);
    let subject = subject_or(&conversation.subject);
    let date = conversation.thread.date.with_timezone(&zone).format("%Y-%m-%d");
    let unread = if mail.is_unread() { ", unread" } else { "" };
    let line = format!("mail from {from}: {subject} ({date}{unread})");
    let untrusted = vec![UntrustedText::new(source_of(mail, names), line.clone())];
    Some(Noticed { id: Some(conversation.thread.id.clone()), line, untrusted })
}
