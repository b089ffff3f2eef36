//! Making an action ready: which mail is meant, what goes out, what a card must warn about.

use super::letter;
use super::outgoing_files::{OutgoingFiles, too_much, with_sent};
use super::wording;
use crate::services::contract::command::Subject;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::{Letter, same_address, wire_address};
use crate::services::email::delivery::sending_from::SendingFrom;
use crate::services::email::finding::find;
use crate::services::email::finding::meant::{self, ThreadMatch};
use crate::services::email::finding::query::meaningful_as_written;
use crate::services::email::finding::search::ReadSoFar;
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::mailbox::older_mail::OlderMail;
use crate::services::email::message::read::one_line;
use crate::services::email::service::{Email, writer};
use crate::services::helpers::address_book::{PeopleQuery, Person};
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::plan::Action;
use brain_core::core::provenance::NOT_YOURS;
use brain_core::core::text::quoted;
use brain_core::limits::{CANDIDATES_MAX, CARD_INLINE_CHARS_MAX, RECIPIENTS_MAX};
use brain_language::language::people::Familiarity;

impl Email {
    /// A new mail: addresses checked, the subject brought to one line, strangers noted.
    pub(in crate::services::email) async fn prepare_letter<C>(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        command: impl FnOnce(Letter) -> C,
    ) -> Result<Prepared<C>, ServiceError> {
        if let Some(bad) = letter.people().find(|address| wire_address(address).is_err()) {
            return Ok(bad_address(bad));
        }
        let from = match self.accounts.named_or_first(&ctx.owner, letter.from.as_deref()) {
            Ok(from) => from,
            Err(unclear) => return Ok(unclear.into()),
        };
        let everybody: Vec<String> = letter.people().cloned().collect();
        let notes = self.stranger_notes(ctx, &everybody).await?;
        let Letter { to, subject, body, greets, cc, bcc, unaddressed, attached, .. } = letter;
        let attached = with_sent(ctx, attached);
        if let Some(problem) = too_much(&attached) {
            return Ok(Prepared::NotFound { what: format!("Nothing was written: {problem}.") });
        }
        let people = self.book.people(&ctx.owner, &PeopleQuery::names(to.iter().map(String::as_str))).await?;
        let mut whom = called(&to, &people);
        whom.extend(unaddressed.iter().map(|name| (name.clone(), String::new())));
        let body = unified(&greeted(body, greets.as_deref(), &whom));
        let SendingFrom { address, signature, .. } = from;
        let subject = one_line(&subject);
        let params = command(Letter {
            to,
            subject,
            body,
            from: address,
            cc,
            bcc,
            unaddressed,
            attached,
            signature,
            greets: None,
        });
        Ok(Prepared::Ready { params, target: None, notes, untrusted: Vec::new() })
    }

    /// A remark for every address that the person never wrote to and did not save in words of their own, whoever has it
    /// on a card, and for every one that was saved from somebody else's words.
    pub(in crate::services::email) async fn stranger_notes(
        &self,
        ctx: &RequestContext,
        to: &[String],
    ) -> Result<Vec<String>, ServiceError> {
        let people = self.book.people(&ctx.owner, &PeopleQuery::names(to.iter().map(String::as_str))).await?;
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let known = |address: &String| {
            view.is_me(address)
                || people.iter().any(|person| person.confirmed.iter().any(|email| same_address(email, address)))
        };
        let strangers = to.iter().filter(|address| !known(address));
        let so_far = view.so_far.map(|so_far| ReadSoFar::from(so_far).told());
        let first = strangers.map(|address| {
            let address = show_address(address);
            match &so_far {
                Some(so_far) => format!("perhaps the first mail to this address: {address} ({so_far})"),
                None => format!("first mail to this address: {address}"),
            }
        });
        let saved = people.iter().filter(|person| !matches!(person.known, Familiarity::Seen));
        let said_by_others = saved.flat_map(|person| &person.untrusted);
        let said_by_others = said_by_others.filter(|said| to.iter().any(|address| same_address(&said.text, address)));
        let warned = said_by_others.map(|said| {
            format!("{} comes from {}, {NOT_YOURS}", quoted(&said.text, CARD_INLINE_CHARS_MAX), said.label())
        });
        Ok(first.chain(warned).collect())
    }
}

impl Email {
    /// The conversation `find_by` means, or what to ask instead.
    pub(in crate::services::email) async fn meant<C>(
        &self,
        view: &MailView,
        find_by: &str,
        ctx: &RequestContext,
    ) -> Result<Result<Conversation, Prepared<C>>, ServiceError> {
        let mut found = meant::thread(view, find_by).await?;
        if matches!(found, ThreadMatch::Nothing) {
            let described = OlderMail::described(meaningful_as_written(find_by));
            if self.older(ctx, &described).await.is_some() {
                found = meant::thread(&self.mailboxes.mail(&ctx.owner).await?, find_by).await?;
            }
        }
        Ok(match found {
            ThreadMatch::One(conversation) => Ok(conversation),
            ThreadMatch::Several(conversations) => {
                let shown = &conversations[..conversations.len().min(CANDIDATES_MAX)];
                let names = self.names(&ctx.owner, shown.iter().filter_map(find::speaks_for)).await?;
                Err(Prepared::Several {
                    param: "find_by".to_owned(),
                    question: "Which mail do you mean?".to_owned(),
                    candidates: find::candidates(shown, &names, ctx.zone),
                })
            }
            ThreadMatch::Nothing => Err(not_found(find_by, view.so_far.map(Into::into))),
        })
    }

    /// A conversation as the person would call it.
    pub(in crate::services::email) async fn label(
        &self,
        ctx: &RequestContext,
        conversation: &Conversation,
    ) -> Result<String, ServiceError> {
        let subject = find::subject_or(&conversation.subject);
        let Some(mail) = conversation.last_of_others() else { return Ok(subject.to_owned()) };
        let names = self.names(&ctx.owner, [mail]).await?;
        Ok(format!("{subject} — {}", writer(mail, &names)))
    }
}

pub(in crate::services::email) fn not_found<C>(find_by: &str, so_far: Option<ReadSoFar>) -> Prepared<C> {
    let find_by = find_by.trim();
    let what = match so_far.map(ReadSoFar::told) {
        Some(so_far) => {
            format!("I found no mail like “{find_by}” yet: {so_far}, newest first. Ask me again in a moment.")
        }
        None => format!("I found no mail like “{find_by}”."),
    };
    Prepared::NotFound { what }
}

pub(in crate::services::email) fn bad_address<C>(address: &str) -> Prepared<C> {
    Prepared::NotFound { what: format!("“{}” is no mail address I can write to.", one_line(address)) }
}

/// One kind of line end, so that the card and the mail agree.
pub(in crate::services::email) fn unified(body: &str) -> String {
    body.replace("\r\n", "\n")
}

/// These addresses, each behind what its owner is called.
pub(in crate::services::email) fn called(to: &[String], people: &[Person]) -> Vec<(String, String)> {
    let person = |address: &String| people.iter().find(|p| p.emails.iter().any(|email| same_address(email, address)));
    to.iter().map(|address| (person(address).map_or("", |p| p.name.as_str()).to_owned(), address.clone())).collect()
}

/// A body that code has worded, with the greeting of those whom it goes to; any other stays as it is.
pub(in crate::services::email) fn greeted(body: String, greets: Option<&str>, people: &[(String, String)]) -> String {
    let Some(greets) = greets else { return body };
    let people: Vec<(&str, &str)> = people.iter().map(|(name, address)| (name.as_str(), address.as_str())).collect();
    let below = letter::ungreeted(&body);
    match wording::greeting(greets, &people) {
        Some(hi) => format!("{hi}\n\n{below}"),
        None => below.to_owned(),
    }
}

/// What goes out ends with its last word.
pub(in crate::services::email) fn trimmed(body: &mut String) {
    body.truncate(body.trim_end().len());
}

/// What is wrong with more recipients than a mail may have.
pub(in crate::services::email) fn too_many<'a>(to: impl IntoIterator<Item = &'a String>) -> Option<String> {
    (to.into_iter().count() > RECIPIENTS_MAX).then(|| format!("a mail may go to {RECIPIENTS_MAX} people at most"))
}

/// The whole of a new mail.
pub(in crate::services::email) fn letter_card(title: &str, letter: &Letter, subject: &Subject<'_>) -> CardBody {
    let to = show::people(&letter.to, subject.action).into_iter().chain(letter.without_address()).collect();
    let card = CardBody::titled(title).lines("To", to);
    let card = copied(card, (&letter.cc, &letter.bcc), subject.action);
    let card = leaving(card, letter.from.as_deref()).words("Subject", &letter.subject);
    with_attached(card, &letter.attached).body(letter.text())
}

/// With the files that go along, where there are any.
pub(in crate::services::email) fn with_attached(card: CardBody, attached: &[OutgoingFiles]) -> CardBody {
    if attached.is_empty() { card } else { card.lines("Attached", attached.iter().map(OutgoingFiles::line).collect()) }
}

/// With those who get a copy, openly or not, where there are any.
pub(in crate::services::email) fn copied(
    card: CardBody,
    (cc, bcc): (&[String], &[String]),
    action: &Action,
) -> CardBody {
    let rows = [("Cc", cc), ("Bcc", bcc)].into_iter().filter(|(_, people)| !people.is_empty());
    rows.fold(card, |card, (name, people)| card.lines(name, show::people(people, action)))
}

/// With the address that it leaves from, where that is not the one that is meant anyway.
pub(in crate::services::email) fn leaving(card: CardBody, from: Option<&str>) -> CardBody {
    match from {
        Some(from) => card.row("From", show_address(from)),
        None => card,
    }
}
