//! What is odd about who a mail is from: an address that looks like another one the person knows, and a name that
//! pretends to be an address. Told on cards, and where a mail is read.
//!
//! Not here: first mails to an address and a Reply-To that differs, which are about whom something goes to, and
//! addresses in the values of an action, which the gate compares.

use std::collections::HashMap;

use super::compose::{same_address, wire_address};
use super::mail::Mail;
use super::mailbox::MailView;
use super::read::Mailbox;
use super::service::Email;
use crate::core::card::show_address;
use crate::core::provenance;
use crate::language::people::Familiarity;
use crate::services::address_book::PeopleQuery;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;

impl Email {
    /// What is odd about whoever wrote a mail, and whom they want to be answered; nothing of one's own.
    pub(super) async fn sender_marks(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        mail: &Mail,
    ) -> Result<Vec<String>, ServiceError> {
        if mail.is_own() {
            return Ok(Vec::new());
        }
        let parsed = &mail.head.parsed;
        let mut marks = Vec::new();
        for person in std::iter::once(&parsed.from).chain(parsed.reply_to.first()) {
            let found = pretended(person).into_iter().chain(self.likened(ctx, view, person).await?);
            marks.extend(found.collect::<Vec<String>>());
        }
        marks.dedup();
        Ok(marks)
    }

    /// The same of several mails; whoever wrote many of them is looked at once.
    pub(super) async fn marks_of(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        mails: &[Mail],
    ) -> Result<Vec<Vec<String>>, ServiceError> {
        let mut by_sender: HashMap<String, Vec<String>> = HashMap::new();
        let mut all = Vec::with_capacity(mails.len());
        for mail in mails {
            let parsed = &mail.head.parsed;
            let people = std::iter::once(&parsed.from).chain(parsed.reply_to.first()).map(Mailbox::spelled);
            let sender = format!("{} {}", mail.is_own(), people.collect::<Vec<_>>().join("\n"));
            if !by_sender.contains_key(&sender) {
                by_sender.insert(sender.clone(), self.sender_marks(ctx, view, mail).await?);
            }
            all.push(by_sender.get(&sender).cloned().unwrap_or_default());
        }
        Ok(all)
    }

    /// The address that is not one of somebody known, and looks like it.
    async fn likened(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        person: &Mailbox,
    ) -> Result<Option<String>, ServiceError> {
        let address = person.address.as_str();
        if address.is_empty() || view.is_me(address) {
            return Ok(None);
        }
        let asked = PeopleQuery::names([person.name.as_str(), address].into_iter().filter(|name| !name.is_empty()));
        let saved = self.book.people(&ctx.owner, &asked).await?;
        let saved = saved.iter().filter(|one| one.known > Familiarity::Seen).flat_map(|one| &one.emails);
        let seen = view.people();
        let written = seen.iter().filter(|one| one.written).map(|one| &one.mailbox.address);
        let known: Vec<&str> = saved.chain(written).chain(view.own()).map(String::as_str).collect();
        if known.iter().any(|other| same_address(other, address)) {
            return Ok(None);
        }
        let like = provenance::looks_like(address, known);
        Ok(like.map(|like| format!("{} is not {}, though it looks like it", show_address(address), show_address(like))))
    }
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
