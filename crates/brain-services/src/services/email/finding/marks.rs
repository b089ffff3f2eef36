//! What is odd about a mail: an address that looks like another one the person knows, a name that pretends to be an
//! address, and what it asks for where that reads like a fraud ([`brain_language::language::fraud`]). Told on cards, where a
//! mail is read or listed, and wherever its words go ([`MailMarks::source`]). A mark forbids nothing.
//!
//! Not here: first mails to an address and a Reply-To that differs, which are about whom something goes to, and
//! addresses in the values of an action, which the gate compares.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;

use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::email::compose::composing::{same_address, wire_address};
use crate::services::email::mailbox::mailboxes::MailView;
use crate::services::email::message::mail::{Mail, MailId};
use crate::services::email::message::read::{Mailbox, Parsed};
use crate::services::email::service::Email;
use crate::services::helpers::address_book::{PeopleQuery, Person};
use brain_core::core::card::show_address;
use brain_core::core::provenance;
use brain_core::limits::LISTED_MARKS_MS;
use brain_language::language::fraud::{self, LetterFacts};
use brain_language::language::people::Familiarity;
use brain_language::language::words::words;

/// What is odd about one mail.
#[derive(Debug, Clone, Default)]
pub(in crate::services::email) struct MailMarks {
    /// About whoever wrote it, and whom they want to be answered.
    sender: Vec<String>,
    /// Why it reads like a fraud.
    pub fraud: Option<String>,
}

impl MailMarks {
    /// All of it, a line each.
    pub fn lines(self) -> Vec<String> {
        self.fraud.into_iter().chain(self.sender).collect()
    }

    /// The origin of its words, with why it reads like a fraud: whoever is told where words come from is told that.
    pub fn source(&self, source: String) -> String {
        match &self.fraud {
            Some(why) => format!("{source} (⚠️ {why})"),
            None => source,
        }
    }
}

/// What is known of whoever wrote a mail.
#[derive(Debug, Clone, Default)]
struct SenderStanding {
    marks: Vec<String>,
    is_known: bool,
    /// Somebody else whom the person knows is called so.
    is_borrowed: bool,
}

impl Email {
    /// What is odd about a mail, as a card tells it; nothing of one's own.
    pub(in crate::services::email) async fn sender_marks(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        mail: &Mail,
    ) -> Result<Vec<String>, ServiceError> {
        let marks = self.marks_of(ctx, view, std::slice::from_ref(mail)).await?;
        Ok(marks.into_iter().flat_map(MailMarks::lines).collect())
    }

    /// What is odd about these mails; whoever wrote many of them is looked at once.
    pub(in crate::services::email) async fn marks_of(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        mails: &[Mail],
    ) -> Result<Vec<MailMarks>, ServiceError> {
        let read = read_all(view, mails).await?;
        let letters: Vec<(&Mail, &Parsed)> = mails.iter().zip(&read).collect();
        self.marks_of_read(ctx, view, &letters).await
    }

    /// Why these mails read like a fraud, and nothing else of them.
    pub(in crate::services::email) async fn frauds_among(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        mails: &[Mail],
    ) -> Result<Vec<MailMarks>, ServiceError> {
        // A list waits for no mailbox that is busy: its mails are judged by their beginnings then.
        let read = match timeout(Duration::from_millis(LISTED_MARKS_MS), read_all(view, mails)).await {
            Ok(read) => read?,
            Err(_) => mails.iter().map(beginning).collect(),
        };
        let letters: Vec<(&Mail, &Parsed)> = mails.iter().zip(&read).collect();
        let frauds = self.frauds_of(ctx, view, &letters).await?;
        Ok(frauds.into_iter().map(|fraud| MailMarks { sender: Vec::new(), fraud }).collect())
    }

    /// Why these mails read like a fraud, where they do. Who wrote them is looked up only for what would be marked if
    /// it came from a stranger: a question reads hundreds.
    pub(in crate::services::email) async fn frauds_of(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        letters: &[(&Mail, &Parsed)],
    ) -> Result<Vec<Option<String>>, ServiceError> {
        let stranger = SenderStanding { is_borrowed: true, marks: vec![String::new()], ..SenderStanding::default() };
        let may_be =
            |mail: &Mail, read: &Parsed| !mail.is_own() && fraud_of(read, &mail.head.parsed, &stranger).is_some();
        let suspects: Vec<(&Mail, &Parsed)> =
            letters.iter().filter(|(mail, read)| may_be(mail, read)).copied().collect();
        let marks = self.marks_of_read(ctx, view, &suspects).await?;
        let found: HashMap<MailId, Option<String>> =
            suspects.iter().map(|(mail, _)| mail.id()).zip(marks.into_iter().map(|marks| marks.fraud)).collect();
        Ok(letters.iter().map(|(mail, _)| found.get(&mail.id()).cloned().flatten()).collect())
    }

    /// What is odd about mails that were read anyway.
    async fn marks_of_read(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        letters: &[(&Mail, &Parsed)],
    ) -> Result<Vec<MailMarks>, ServiceError> {
        let mut by_sender: HashMap<String, SenderStanding> = HashMap::new();
        let mut all = Vec::with_capacity(letters.len());
        for (mail, read) in letters {
            if mail.is_own() {
                all.push(MailMarks::default());
                continue;
            }
            let parsed = &mail.head.parsed;
            let people = std::iter::once(&parsed.from).chain(parsed.reply_to.first()).map(Mailbox::spelled);
            let sender = people.collect::<Vec<_>>().join("\n");
            if !by_sender.contains_key(&sender) {
                by_sender.insert(sender.clone(), self.standing(ctx, view, parsed).await?);
            }
            let standing = by_sender.get(&sender).cloned().unwrap_or_default();
            let fraud = fraud_of(read, parsed, &standing);
            all.push(MailMarks { sender: standing.marks, fraud });
        }
        Ok(all)
    }

    async fn standing(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        parsed: &Parsed,
    ) -> Result<SenderStanding, ServiceError> {
        let mut standing = SenderStanding::default();
        for person in std::iter::once(&parsed.from).chain(parsed.reply_to.first()) {
            let address = person.address.as_str();
            let asked = [person.name.as_str(), address].into_iter().filter(|name| !name.is_empty());
            let people = self.book.people(&ctx.owner, &PeopleQuery::names(asked)).await?;
            let found = pretended(person).into_iter().chain(likened(view, person, &people));
            standing.marks.extend(found.collect::<Vec<String>>());
            if person == &parsed.from {
                standing.is_known = view.is_written_to(address) || people.iter().any(|one| vouches(one, address));
                standing.is_borrowed = !standing.is_known && people.iter().any(|one| is_called(one, person));
            }
        }
        standing.marks.dedup();
        Ok(standing)
    }
}

/// These mails, read again; of one's own nothing is read.
async fn read_all(view: &MailView, mails: &[Mail]) -> Result<Vec<Parsed>, ServiceError> {
    let looked: Vec<Mail> = mails.to_vec();
    let read = |mail: &Mail, root: &Path| if mail.is_own() { Parsed::default() } else { mail.read(root) };
    view.files(move |root| looked.iter().map(|mail| read(mail, root)).collect()).await
}

/// What is at hand of a mail without its file.
fn beginning(mail: &Mail) -> Parsed {
    Parsed { text: mail.head.snippet.clone(), ..Parsed::default() }
}

/// Why a mail reads like a fraud.
fn fraud_of(read: &Parsed, parsed: &Parsed, standing: &SenderStanding) -> Option<String> {
    fraud::mark(&LetterFacts {
        subject: &parsed.subject,
        text: &read.text,
        name: &parsed.from.name,
        address: &parsed.from.address,
        reply_to: parsed.reply_to.first().map(|to| to.address.as_str()),
        hosts: &read.links.hosts,
        is_misleading: read.links.is_misleading,
        is_known: standing.is_known,
        is_borrowed: standing.is_borrowed,
        is_odd: !standing.marks.is_empty(),
    })
}

/// Whether the person knows somebody at this address: by their own word or letters, or by a card that others do not
/// write.
fn vouches(person: &Person, address: &str) -> bool {
    let has_it = person.known > Familiarity::Seen && person.emails.iter().any(|one| same_address(one, address));
    let is_others = person.untrusted.iter().any(|said| provenance::says_address(&said.text, address));
    has_it && (person.is_confirmed(address) || !is_others)
}

/// Whether somebody whom the person knows, and who does not write from there, has the name that a mail says.
fn is_called(person: &Person, writer: &Mailbox) -> bool {
    let is_there = person.emails.iter().any(|one| same_address(one, &writer.address));
    let called = words(&writer.name);
    let names = std::iter::once(&person.name).chain(&person.nicknames);
    person.known > Familiarity::Seen && !is_there && !called.is_empty() && names.into_iter().any(|n| words(n) == called)
}

/// The address that is not one of somebody known, and looks like it.
fn likened(view: &MailView, person: &Mailbox, saved: &[Person]) -> Option<String> {
    let address = person.address.as_str();
    let is_confirmed = |other: &String| same_address(other, address);
    let known = || saved.iter().flat_map(|one| &one.confirmed);
    if address.is_empty() || view.is_me(address) || known().any(is_confirmed) || view.is_written_to(address) {
        return None;
    }
    // A card may say the very address that looks like another: it is no evidence for it.
    let listed = saved.iter().filter(|one| one.known > Familiarity::Seen).flat_map(|one| &one.emails);
    let listed = listed.filter(|other| !same_address(other, address));
    let seen = view.people();
    let written = seen.iter().filter(|one| one.written).map(|one| &one.mailbox.address);
    let like = provenance::looks_like(address, listed.chain(written).chain(view.own()).map(String::as_str))?;
    Some(format!("{} is not {}, though it looks like it", show_address(address), show_address(like)))
}

/// A name that says another address than it stands before.
fn pretended(person: &Mailbox) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || "<>()[]\"'“”,;:".contains(c);
    let is_other =
        |word: &&str| word.contains('@') && wire_address(word).is_ok() && !same_address(word, &person.address);
    let other = person.name.split(ends).find(is_other)?;
    let (other, address) = (show_address(other), show_address(&person.address));
    Some(format!("it calls its sender {other}, and comes from {address}"))
}
