//! Conversations, for questions over everything a person has.
//!
//! Found by their heads; their texts are read when they are asked for. Drafts are no part of what was said.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;

use super::find::{at_domain, subject_or};
use super::read_thread::ReadThread;
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemMark, ItemText, Party, Searchable, WrittenText,
};
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::mailbox::source::maildir::Folder;
use crate::services::email::message::mail::{DRAFT, Mail, NAME};
use crate::services::email::message::read::{Mailbox, Parsed};
use crate::services::email::message::thread::Thread;
use crate::services::email::service::{Email, source_of};
use crate::services::helpers::address_book::KnownNames;
use brain_core::core::plan::PlannedAction;
use brain_core::core::progress::mails_read;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::{
    CONVERSATION_MAILS_MAX, FOUND_THREADS_AT_ONCE, FOUND_THREADS_MAX, MAIL_HITS_MAX, READ_MAILS_MAX,
};
use brain_core::ports::{Needs, Query, Ranking};

#[async_trait]
impl Searchable for Email {
    fn kind(&self) -> ItemKind {
        ItemKind::Thread
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        let view = self.mailboxes.looked_into(&ctx.owner).await?;
        let mut threads = match filter.words.is_empty() && filter.people.is_empty() {
            true => view.threads_between(filter.from, filter.until),
            false => searched(&view, filter).await?,
        };
        let mut more = threads.len().saturating_sub(FOUND_THREADS_MAX);
        threads.truncate(FOUND_THREADS_MAX);
        let mut items = Vec::new();
        // Heads are held of some at a time: of those that are not shown, only how many they are.
        for some in threads.chunks(FOUND_THREADS_AT_ONCE) {
            let mut conversations = view.conversations(some.iter().cloned(), READ_MAILS_MAX).await?;
            conversations.retain(|conversation| filter.allows(&marks(&view, conversation)));
            let room = filter.limit.saturating_sub(items.len());
            more += conversations.len().saturating_sub(room);
            conversations.truncate(room);
            let names = self.names(&ctx.owner, conversations.iter().flat_map(said)).await?;
            items.extend(conversations.iter().filter_map(|conversation| item(&view, conversation, &names)));
        }
        let gap = view.so_far.map(|so_far| mails_read(so_far.done, so_far.total));
        Ok(FoundItems { items, more, gap })
    }

    /// Whoever is named anew is called something else in what was found.
    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        let mails = self.mailboxes.freshness(&ctx.owner).await?;
        Some(mails.and(self.book.freshness(&ctx.owner).await?))
    }

    fn opening(&self, item: &FoundItem) -> Option<PlannedAction> {
        Some(planned(NAME, &ReadThread::of(&item.id)))
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        let view = self.mailboxes.looked_into(&ctx.owner).await?;
        let threads: Vec<Thread> = ids.iter().filter_map(|id| view.thread(id)).collect();
        let conversations = view.conversations(threads, READ_MAILS_MAX).await?;
        let mails: Vec<Mail> = conversations.iter().flat_map(said).cloned().collect();
        let read = view.files(move |root| mails.into_iter().map(|mail| (mail.read(root), mail)).collect::<Vec<_>>());
        let read = read.await?;
        let letters: Vec<(&Mail, &Parsed)> = read.iter().map(|(parsed, mail)| (mail, parsed)).collect();
        let frauds = self.frauds_of(ctx, &view, &letters).await?;
        let texts = read.into_iter().zip(frauds).map(|((parsed, mail), fraud)| (mail.id(), (parsed.text, fraud)));
        let mut texts: HashMap<_, _> = texts.collect();
        let names = self.names(&ctx.owner, conversations.iter().flat_map(said)).await?;
        let text = |conversation: &Conversation| ItemText {
            id: conversation.thread.id.clone(),
            left_out: conversation.thread.mails.len().saturating_sub(conversation.mails.len()),
            said: said(conversation)
                .map(|mail| written(&view, mail, &names, texts.remove(&mail.id()).unwrap_or_default()))
                .collect(),
        };
        Ok(conversations.iter().map(text).collect())
    }
}

/// What was said: drafts are not.
fn said(conversation: &Conversation) -> impl DoubleEndedIterator<Item = &Mail> {
    conversation.mails.iter().filter(|mail| mail.file.folder != Folder::Drafts)
}

/// Conversations with a mail that holds the words, of any of these people, best or newest first.
async fn searched(view: &MailView, filter: &ItemFilter) -> Result<Vec<Thread>, ServiceError> {
    let one = |people: Vec<(String, String)>| Query {
        text: filter.words.clone(),
        people,
        without: vec![DRAFT.to_owned()],
        from: filter.from,
        until: filter.until,
        ranking: if filter.words.is_empty() { Ranking::Newest } else { Ranking::Relevance },
        limit: MAIL_HITS_MAX,
        ..Query::default()
    };
    let any = Query { needs: Needs::Any, limit: MAIL_HITS_MAX / 4, ..one(Vec::new()) };
    let queries: Vec<Query> = match filter.people.as_slice() {
        // The words may stand in several mails of one conversation.
        [] if filter.any && filter.words.trim().contains(' ') => vec![one(Vec::new()), any],
        [] => vec![one(Vec::new())],
        people => {
            let of_domain = people.iter().flat_map(|who| at_domain(view, who));
            let all = people.iter().cloned().chain(of_domain);
            all.map(|who| one(vec![(String::new(), who)])).collect()
        }
    };
    let (mut threads, mut seen) = (Vec::new(), HashSet::new());
    let several = queries.len() > 1 && !filter.people.is_empty();
    for query in queries {
        for mail in view.search(query).await?.0 {
            let Some(thread) = view.thread_of(mail.id()) else { continue };
            if seen.insert(thread.id.clone()) {
                threads.push(thread);
            }
        }
    }
    if several || filter.words.is_empty() {
        threads.sort_by(|a: &Thread, b: &Thread| (b.date, &b.id).cmp(&(a.date, &a.id)));
    }
    Ok(threads)
}

/// What is true of a conversation.
fn marks(view: &MailView, conversation: &Conversation) -> Vec<ItemMark> {
    let Some(last) = said(conversation).next_back() else { return Vec::new() };
    let of_others = said(conversation).rfind(|mail| !mail.is_own());
    let is_to_me = of_others.is_some_and(|mail| is_to_me(view, &mail.head.parsed));
    let is_to_me_alone = is_to_me && of_others.is_some_and(|mail| is_to_me_alone(view, &mail.head.parsed));
    // An automatic answer of somebody who was written to makes no newsletter of a conversation, and nor does what a
    // list or a machine sends into one of people.
    let is_written_to = |person: &Mailbox| {
        let mut own = said(conversation).filter(|mail| mail.is_own());
        own.any(|mail| mail.recipients().any(|to| to.address == person.address))
    };
    let mut others = said(conversation).filter(|mail| !mail.is_own()).map(|mail| &mail.head.parsed);
    let is_bulk = of_others.is_some() && others.all(|parsed| parsed.is_bulk && !is_written_to(&parsed.from));
    let marks = [
        (said(conversation).any(Mail::is_unread), ItemMark::Unread),
        (last.is_own(), ItemMark::OwnLast),
        (is_to_me, ItemMark::ToMe),
        (is_to_me_alone, ItemMark::ToMeAlone),
        (is_bulk, ItemMark::Bulk),
        (said(conversation).any(|mail| !mail.head.parsed.attachments.is_empty()), ItemMark::Attachments),
    ];
    marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect()
}

fn item(view: &MailView, conversation: &Conversation, names: &KnownNames) -> Option<FoundItem> {
    let last = said(conversation).next_back()?;
    let of_others = said(conversation).rfind(|mail| !mail.is_own());
    let mut people: Vec<Party> = Vec::new();
    for person in said(conversation).rev().flat_map(Mail::people).filter(|person| !view.is_me(&person.address)) {
        let person = person.party(names);
        if !people.iter().any(|known| known.address == person.address) {
            people.push(person);
        }
    }
    people.truncate(CONVERSATION_MAILS_MAX);
    let words = |mail: &Mail| {
        let text = [conversation.subject.as_str(), &mail.head.snippet, &mail.head.parsed.people()].join("\n");
        UntrustedText::new(source_of(mail, names), text)
    };
    Some(FoundItem {
        service: NAME.to_owned(),
        id: conversation.thread.id.clone(),
        kind: ItemKind::Thread,
        title: subject_or(&conversation.subject).to_owned(),
        at: Some(last.head.date),
        until: None,
        people,
        snippet: last.head.snippet.clone(),
        marks: marks(view, conversation),
        untrusted: of_others.map(words).into_iter().collect(),
    })
}

fn written(view: &MailView, mail: &Mail, names: &KnownNames, (text, warning): (String, Option<String>)) -> WrittenText {
    let parsed = &mail.head.parsed;
    let others = |person: &&Mailbox| !view.is_me(&person.address);
    WrittenText {
        at: Some(mail.head.date),
        by: if mail.is_own() { Party::default() } else { parsed.from.party(names) },
        is_own: mail.is_own(),
        to: parsed.to.iter().filter(others).map(|person| person.party(names)).collect(),
        copied: parsed.cc.iter().filter(others).map(|person| person.party(names)).collect(),
        is_to_me: is_to_me(view, parsed),
        is_bulk: parsed.is_bulk,
        answers_elsewhere: answers_elsewhere(parsed),
        warning,
        text,
        files: parsed.attachments.clone(),
    }
}

/// Names the owner among those it goes to. Where no address of theirs is known, whoever gets it alone.
fn is_to_me(view: &MailView, parsed: &Parsed) -> bool {
    match view.own() {
        [] => parsed.to.len() == 1,
        _ => parsed.to.iter().any(|person| view.is_me(&person.address)),
    }
}

fn is_to_me_alone(view: &MailView, parsed: &Parsed) -> bool {
    let all = parsed.to.iter().chain(&parsed.cc);
    match view.own() {
        [] => all.count() == 1,
        _ => is_to_me(view, parsed) && all.into_iter().all(|person| view.is_me(&person.address)),
    }
}

/// Its answers go to another domain than it came from.
fn answers_elsewhere(parsed: &Parsed) -> bool {
    let domain = |address: &str| address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase());
    let from = domain(&parsed.from.address);
    parsed.reply_to.iter().any(|to| domain(&to.address) != from)
}
