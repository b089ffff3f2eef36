//! One mail: which one a description means, and whether it is still there when its time comes.
//!
//! A description finds a conversation, as it does for reading one; of that it means the newest mail of the people it
//! names, else the newest of others. An id means just its mail. Invariant: what is changed is the file that was found
//! when the action was made, under whatever flags, in the same folder, with the same headers; anything else is told,
//! and left alone.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::find::{local, subject_or};
use super::meant::{self, ThreadMatch};
use super::query::{FILLERS, NEWEST};
use crate::services::contract::command::before;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::email::compose::prepare::not_found;
use crate::services::email::mailbox::mail_change::MailRef;
use crate::services::email::mailbox::mailboxes::Conversation;
use crate::services::email::mailbox::source::maildir::{self, Folder, Listed, Maildir, Raw};
use crate::services::email::mailbox::source::moves::{TRASH, folder_of};
use crate::services::email::message::mail::{Mail, MailId};
use crate::services::email::message::read;
use crate::services::email::service::{Email, writer};
use crate::services::helpers::address_book::KnownNames;
use crate::services::helpers::finding;
use crate::services::helpers::items::is_like_an_id;
use brain_core::core::plan::{Action, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::PLAN_ACTIONS_MAX;
use brain_core::ports::why_not;
use brain_language::language::words::{stems, words};

/// A mail as it was when the action was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::services::email) struct OneMail {
    /// Where it lay in the mailbox.
    pub file: Listed,
    /// Who sent it, as the owner knows them.
    pub from: String,
    /// May be empty.
    pub address: String,
    /// As it stands there; may be empty.
    pub subject: String,
    /// RFC 3339 in the person's zone.
    pub date: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// Other mails of its conversation.
    pub others: usize,
    /// Written by the person.
    pub own: bool,
    /// Never read, and not read now either.
    pub aside: bool,
}

impl OneMail {
    fn of(mail: &Mail, others: usize, names: &KnownNames, ctx: &RequestContext) -> Self {
        let parsed = &mail.head.parsed;
        Self {
            file: mail.file.clone(),
            from: writer(mail, names),
            address: parsed.from.address.clone(),
            subject: parsed.subject.clone(),
            date: local(mail.head.date, ctx.zone),
            message_id: parsed.message_id.clone(),
            others,
            own: mail.is_own(),
            aside: mail.is_aside(),
        }
    }

    /// As its account can recognise it.
    pub fn mail_ref(&self) -> MailRef {
        let folder = folder_of(&self.file).to_string_lossy().into_owned();
        MailRef { folder, name: self.file.base.clone(), message_id: self.message_id.clone() }
    }

    /// As the person would call it.
    pub fn label(&self) -> String {
        format!("{} — {}", subject_or(&self.subject), self.from)
    }

    /// What somebody else wrote that its name is made of.
    pub fn untrusted(&self) -> Vec<UntrustedText> {
        if self.own {
            return Vec::new();
        }
        let text = format!("{}\n{} {}", self.subject, self.from, self.address);
        vec![UntrustedText::new(self.source(), text)]
    }

    /// What a card calls the origin of its words.
    pub fn source(&self) -> String {
        format!("a mail from {}", self.from)
    }

    /// What an action about it is about.
    pub fn target(&self) -> Result<Target, ServiceError> {
        Ok(Target {
            id: MailId::of(&self.file).to_string(),
            revision: self.message_id.clone().unwrap_or_else(|| self.file.base.clone()),
            label: self.label(),
            before: serde_json::to_value(self)?,
            ..Target::default()
        })
    }

    /// The name of the file that a target is about, without flags.
    pub fn file_of(target: Option<&Target>) -> Option<String> {
        let one: Self = serde_json::from_value(target?.before.clone()).ok()?;
        Some(one.file.base)
    }

    /// The mail an action is about.
    pub fn held(action: &Action) -> Result<Self, ServiceError> {
        before(action).ok_or(ServiceError::Several { noun: "mail" })
    }

    /// Its file as it is named now. Reads it: a file that says something else is another mail.
    pub fn still(&self, maildir: &Maildir) -> Result<Listed, ServiceError> {
        let file = maildir.now(&self.file).map_err(|cause| unchanged(&cause))?;
        let Some(file) = file else { return Err(self.gone()) };
        if self.aside {
            return Ok(file);
        }
        let (Raw::Whole(bytes) | Raw::Beginning(bytes)) =
            maildir::read(&maildir.path(&file)).map_err(|_| self.gone())?;
        // Its headers alone: nothing else is compared.
        let now = read::parse(&Raw::Beginning(bytes));
        let is_same =
            now.message_id == self.message_id && now.subject == self.subject && now.from.address == self.address;
        if is_same { Ok(file) } else { Err(ServiceError::Conflict { label: self.label() }) }
    }

    fn gone(&self) -> ServiceError {
        ServiceError::NotFound { noun: "mail", label: self.label() }
    }
}

/// Said when an id means no mail.
const MOVED: &str = "That mail is not where it was any more: it was moved, or it is gone. Nothing was changed.";

/// Of a conversation the mail that a description means: the newest of the people it names, else the newest of others.
fn meant_of<'c>(conversation: &'c Conversation, find_by: &str) -> Option<&'c Mail> {
    let said = telling(find_by);
    // Of those that are worth the same the last one counts: they stand in the order of time.
    conversation.mails.iter().max_by_key(|mail| (named(mail, &said), !mail.is_own()))
}

/// The stems of words that tell something of a mail.
fn telling(find_by: &str) -> Vec<String> {
    let is_telling = |word: &String| !NEWEST.contains(&word.as_str()) && !FILLERS.contains(&word.as_str());
    stems(&words(find_by).into_iter().filter(is_telling).collect::<Vec<_>>().join(" "))
}

/// How many of these words name the people of a mail.
fn named(mail: &Mail, said: &[String]) -> usize {
    let parsed = &mail.head.parsed;
    let people = match mail.is_own() {
        true => parsed.to.iter().map(|to| format!("{} {} ", to.name, to.address)).collect(),
        false => format!("{} {}", parsed.from.name, parsed.from.address),
    };
    let present = stems(&people);
    said.iter().filter(|stem| present.contains(stem)).count()
}

/// A file that could not be changed.
pub(in crate::services::email) fn unchanged(cause: &std::io::Error) -> ServiceError {
    ServiceError::Refused(format!("The mail could not be changed: {}. It is where it was.", why_not(cause)))
}

/// The mail and what is to be known of it.
#[derive(Debug)]
pub(in crate::services::email) struct LocatedMail {
    pub mail: Mail,
    pub one: OneMail,
}

impl Email {
    /// The mail that `find_by` means, or what to ask instead.
    pub(in crate::services::email) async fn one_mail<C>(
        &self,
        ctx: &RequestContext,
        find_by: &str,
    ) -> Result<Result<LocatedMail, Prepared<C>>, ServiceError> {
        let view = self.mailboxes.mail(&ctx.owner).await?;
        if let Some(id) = MailId::parse(find_by.trim()) {
            let mail = match view.mail_of(id).await? {
                Some(mail) => Some(mail),
                None => self.deleted(ctx, id).await?,
            };
            let Some(mail) = mail else {
                return Ok(Err(Prepared::NotFound { what: MOVED.to_owned() }));
            };
            let others = view.thread_of(id).map_or(0, |thread| thread.mails.len().saturating_sub(1));
            let one = OneMail::of(&mail, others, &self.names(&ctx.owner, [&mail]).await?, ctx);
            return Ok(Ok(LocatedMail { mail, one }));
        }
        let conversation = match self.meant(&view, find_by, ctx).await? {
            Ok(conversation) => conversation,
            Err(unclear) => return Ok(Err(unclear)),
        };
        let Some(mail) = meant_of(&conversation, find_by).cloned() else {
            return Ok(Err(not_found(find_by, None)));
        };
        let others = conversation.thread.mails.len().saturating_sub(1);
        let one = OneMail::of(&mail, others, &self.names(&ctx.owner, [&mail]).await?, ctx);
        Ok(Ok(LocatedMail { mail, one }))
    }

    /// Each mail that `find_by` means, where it means all that fit or names several by their ids; `None`: it means one.
    pub(in crate::services::email) async fn every_mail<C>(
        &self,
        ctx: &RequestContext,
        find_by: &str,
        allowed: impl Fn(&Mail) -> bool,
    ) -> Result<Option<Prepared<C>>, ServiceError> {
        let several = finding::several_of(find_by, |id| MailId::parse(id).is_some() || is_like_an_id(id));
        if let Some(ids) = several.filter(|ids| ids.len() <= PLAN_ACTIONS_MAX) {
            return Ok(Some(Prepared::Every { ids }));
        }
        let Some(words) = finding::all_of(find_by) else { return Ok(None) };
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let conversations = match meant::thread(&view, words).await? {
            ThreadMatch::One(conversation) => vec![conversation],
            ThreadMatch::Several(conversations) => conversations,
            ThreadMatch::Nothing => Vec::new(),
        };
        let meant = |conversation: &Conversation| -> Vec<String> {
            let said = telling(words);
            let best = conversation.mails.iter().filter(|mail| !mail.is_own()).map(|mail| named(mail, &said)).max();
            let is_meant = |mail: &&Mail| !mail.is_own() && Some(named(mail, &said)) == best && allowed(mail);
            conversation.mails.iter().filter(is_meant).map(|mail| mail.id().to_string()).collect()
        };
        let ids: Vec<String> = conversations.iter().flat_map(meant).collect();
        Ok(Some(match ids.len() {
            0 => not_found(words, view.so_far.map(Into::into)),
            many if many > PLAN_ACTIONS_MAX => {
                let what = format!(
                    "That would be {many} mails; I take on {PLAN_ACTIONS_MAX} at once at most, so nothing was done."
                );
                Prepared::NotFound { what }
            }
            _ => Prepared::Every { ids },
        }))
    }

    /// A mail in the trash, which the index does not know.
    async fn deleted(&self, ctx: &RequestContext, id: MailId) -> Result<Option<Mail>, ServiceError> {
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let look = move || {
            let files = maildir.in_dir(Path::new(TRASH), Folder::Kept).map_err(|cause| unchanged(&cause))?;
            let file = files.into_iter().find(|file| MailId::of(file) == id);
            Ok(file.and_then(|file| Mail::read_at(&maildir, file)))
        };
        self.mailboxes.files(&ctx.owner, look).await
    }
}
