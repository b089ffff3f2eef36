//! Which mail is the one that is waited for.
//!
//! Asking costs a look into the conversation and a query a sender, however large the mailbox is. When a mail came is what
//! its file says (the server's or the deliverer's clock); its own Date, which its sender writes, only keeps out what was
//! written long before.

use std::path::Path;

use chrono::{DateTime, Duration, Utc};

use super::record::{AnsweredMail, Awaited, MailWatch};
use crate::services::contract::error::ServiceError;
use crate::services::email::compose::composing::wire_address;
use crate::services::email::finding::query::meaningful;
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::mailbox::source::maildir::{self, Raw};
use crate::services::email::mailbox::source::moves::folder_of;
use crate::services::email::message::head;
use crate::services::email::message::mail::{DRAFT, FROM, Mail, MailId, OWN, SENT, TO, file_date};
use brain_core::limits::WATCH_MAILS_MAX;
use brain_core::ports::{Query, Ranking};
use brain_language::language::words::stems;

/// A sender's clock may be as wrong as this.
const CLOCK_OFF: Duration = Duration::days(1);
/// Folders of what is probably not from whom it says.
const JUNK: [&str; 3] = [".junk", ".spam", ".junk e-mail"];

/// The first mail there is that a watch waits for, and when it came.
pub(super) async fn find(view: &MailView, watch: &MailWatch) -> Result<Option<(Mail, DateTime<Utc>)>, ServiceError> {
    let mut mails = of_conversation(view, watch).await?;
    for address in &watch.from {
        mails.extend(from(view, address, watch).await?);
    }
    let thread = thread_of(view, watch);
    let is_in_thread = |mail: &Mail| {
        let own = view.thread_of(mail.id()).map(|thread| thread.id);
        own.is_some() && own == thread
    };
    let fitting = mails.into_iter().filter(|mail| is_from(view, watch, mail) && !is_junk(mail));
    let fitting: Vec<(bool, Mail)> = fitting.map(|mail| (is_in_thread(&mail), mail)).collect();
    let watch = watch.clone();
    view.files(move |root| {
        let mut came: Vec<(Mail, DateTime<Utc>)> = Vec::new();
        for (is_in_thread, mail) in fitting {
            let at = file_date(&mail.file, root);
            if is_it(&watch, &mail, at, is_in_thread, root) {
                came.push((mail, at));
            }
        }
        came.into_iter().min_by_key(|(mail, at)| (*at, mail.id()))
    })
    .await
}

/// The last mail that the owner sent to any of these, and its conversation.
pub(super) async fn last_sent(view: &MailView, to: &[String]) -> Result<Option<Mail>, ServiceError> {
    let mut last: Option<Mail> = None;
    for address in to {
        let people = vec![(TO.to_owned(), address.clone())];
        let query = Query {
            people,
            flags: vec![SENT.to_owned()],
            ranking: Ranking::Newest,
            limit: WATCH_MAILS_MAX,
            ..Query::default()
        };
        let (mails, _) = view.search(query).await?;
        let sent = mails.into_iter().find(|mail| mail.recipients().any(|person| same(&person.address, address)));
        last = [last, sent].into_iter().flatten().max_by_key(|mail| mail.head.date);
    }
    Ok(last)
}

/// The owner's last mail of a conversation, if it went to any of these; to whomever, where they are none.
pub(super) fn own_of<'c>(conversation: &'c Conversation, to: &[String]) -> Option<&'c Mail> {
    let sent = |mail: &&Mail| mail.is_own() && !is_draft(mail);
    let went = |mail: &&Mail| {
        to.is_empty() || mail.recipients().any(|person| to.iter().any(|address| same(&person.address, address)))
    };
    conversation.mails.iter().rfind(|mail| sent(mail) && went(mail))
}

/// What an answer to this mail is known by.
pub(super) fn answered(view: &MailView, mail: &Mail) -> AnsweredMail {
    let parsed = &mail.head.parsed;
    AnsweredMail {
        id: mail.id().to_string(),
        thread: view.thread_of(mail.id()).map(|thread| thread.id).unwrap_or_default(),
        message_id: parsed.message_id.clone(),
        subject: parsed.subject.clone(),
    }
}

/// Two spellings of one address.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (wire_address(one), wire_address(other)) {
        (Ok(one), Ok(other)) => {
            let (one, other): (&str, &str) = (one.as_ref(), other.as_ref());
            one.eq_ignore_ascii_case(other)
        }
        (_, _) => !one.is_empty() && one.eq_ignore_ascii_case(other),
    }
}

fn is_draft(mail: &Mail) -> bool {
    mail.file.folder == maildir::Folder::Drafts
}

fn is_junk(mail: &Mail) -> bool {
    let folder = folder_of(&mail.file).to_string_lossy().to_lowercase();
    JUNK.contains(&folder.as_str())
}

/// The conversation of what is to be answered, as it is called now.
fn thread_of(view: &MailView, watch: &MailWatch) -> Option<String> {
    let answered = watch.answers.as_ref()?;
    let of_mail = || MailId::parse(&answered.id).and_then(|id| view.thread_of(id));
    of_mail().or_else(|| view.thread(&answered.thread)).map(|thread| thread.id)
}

async fn of_conversation(view: &MailView, watch: &MailWatch) -> Result<Vec<Mail>, ServiceError> {
    let Some(thread) = thread_of(view, watch).and_then(|id| view.thread(&id)) else { return Ok(Vec::new()) };
    let found = view.conversations([thread], WATCH_MAILS_MAX).await?;
    Ok(found.into_iter().flat_map(|conversation| conversation.mails).collect())
}

/// Mails that say they are from this address, are not older than the watch, and seem to hold its words.
async fn from(view: &MailView, address: &str, watch: &MailWatch) -> Result<Vec<Mail>, ServiceError> {
    let query = Query {
        text: watch.about.as_deref().map(|about| meaningful(about).join(" ")).unwrap_or_default(),
        people: vec![(FROM.to_owned(), address.to_owned())],
        without: vec![OWN.to_owned(), DRAFT.to_owned()],
        from: Some(watch.since - CLOCK_OFF),
        ranking: Ranking::Newest,
        limit: WATCH_MAILS_MAX,
        ..Query::default()
    };
    Ok(view.search(query).await?.0)
}

fn is_from(view: &MailView, watch: &MailWatch, mail: &Mail) -> bool {
    let from = &mail.head.parsed.from.address;
    let is_theirs = watch.from.is_empty() || watch.from.iter().any(|address| same(address, from));
    is_theirs && !mail.is_own() && !view.is_me(from) && !from.is_empty()
}

fn is_it(watch: &MailWatch, mail: &Mail, at: DateTime<Utc>, is_in_thread: bool, root: &Path) -> bool {
    let parsed = &mail.head.parsed;
    let is_new = at >= watch.since && mail.head.date >= watch.since - CLOCK_OFF;
    match watch.awaits {
        Awaited::Answer => {
            let asked = watch.answers.as_ref().and_then(|answered| answered.message_id.as_ref());
            let names_it = asked.is_some_and(|id| parsed.references.contains(id));
            !parsed.is_bulk && (names_it || is_in_thread && is_new)
        }
        Awaited::Mail => is_new && says(watch, mail, root) && !(parsed.is_bulk && is_auto_reply(mail, root)),
    }
}

/// Whether all words that were named stand in it.
fn says(watch: &MailWatch, mail: &Mail, root: &Path) -> bool {
    let Some(about) = &watch.about else { return true };
    let wanted = stems(&meaningful(about).join(" "));
    let parsed = &mail.head.parsed;
    let head = stems(&format!("{} {} {}", parsed.subject, parsed.attachments.join(" "), mail.head.snippet));
    let holds = |there: &[String]| wanted.iter().all(|stem| head.contains(stem) || there.contains(stem));
    holds(&[]) || holds(&stems(&mail.read(root).text))
}

/// Written by a machine in answer to something (RFC 3834). What a machine writes of its own accord may be a bill.
fn is_auto_reply(mail: &Mail, root: &Path) -> bool {
    let Ok(Raw::Whole(raw) | Raw::Beginning(raw)) = maildir::read(&root.join(&mail.file.path)) else { return false };
    let (fields, _) = head::fields(&raw, 0, |name| name == "auto-submitted", |_| false);
    String::from_utf8_lossy(&fields).to_ascii_lowercase().contains("auto-replied")
}
