//! Drafts: letters that wait in `.Drafts`, and the ids buttons carry.
//!
//! A draft's file name follows from the attempt that wrote it, so the same attempt twice is one draft.

use std::path::Path;

use super::outgoing_files::{OutgoingFiles, are_same};
use crate::services::contract::command::Completed;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::email::compose::composing::{Envelope, Letter, compose, recipients, unsigned};
use crate::services::email::mailbox::keeping::Written;
use crate::services::email::mailbox::mail_change::MailChange;
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::email::mailbox::source::maildir::{self, Folder};
use crate::services::email::message::mail::{DRAFT, Mail};
use crate::services::email::message::mime_attachments::files_of;
use crate::services::email::message::read::Mailbox;
use crate::services::email::message::written_name::{MARK, base_of, id_of, safe_key};
use crate::services::email::service::Email;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::ports::{Query, Ranking, why_not};

impl Email {
    /// Writes a draft; its id.
    pub(in crate::services::email) async fn save(
        &self,
        ctx: &RequestContext,
        letter: &Letter,
        envelope: &Envelope,
        (action, attempt): (&Action, &Attempt),
    ) -> Result<Completed<String>, ServiceError> {
        let bytes = compose(letter, envelope)
            .map_err(|error| ServiceError::Refused(format!("The draft was not saved: {error}.")))?;
        self.put(ctx, Folder::Drafts, bytes, (action, attempt)).await.map(|done| done.map(|()| safe_key(attempt)))
    }

    /// Keeps a mail that we wrote, in its account and in the mailbox here. What the account did stands.
    pub(in crate::services::email) async fn put(
        &self,
        ctx: &RequestContext,
        folder: Folder,
        bytes: Vec<u8>,
        (action, attempt): (&Action, &Attempt),
    ) -> Result<Completed<()>, ServiceError> {
        let change = MailChange::put(folder, base_of(attempt), &bytes);
        let written = self.written(ctx, action.account.as_ref(), &change, attempt).await?;
        if let Written::Doubtful(why) = written {
            return Ok(Completed::Doubtful(why));
        }
        match self.put_here(ctx, folder, bytes, attempt).await {
            Err(error) if written == Written::There => {
                tracing::warn!(%error, "a mail is kept in its account and not here");
                Ok(Completed::read(()))
            }
            put => put.map(Completed::read),
        }
    }

    async fn put_here(
        &self,
        ctx: &RequestContext,
        folder: Folder,
        bytes: Vec<u8>,
        attempt: &Attempt,
    ) -> Result<(), ServiceError> {
        let (maildir, base) = (self.mailboxes.maildir(&ctx.owner), base_of(attempt));
        let flags = if folder == Folder::Drafts { "DS" } else { "S" };
        self.mailboxes.files(&ctx.owner, move || maildir.put(folder, &base, flags, &bytes).map_err(refused)).await
    }

    /// After a crash: whether a draft was kept.
    pub(in crate::services::email) async fn saved(
        &self,
        ctx: &RequestContext,
        letter: &Letter,
        (action, attempt): (&Action, &Attempt),
    ) -> Option<bool> {
        let enclosed = self.enclosed_of(ctx, &letter.attached).await.ok()?;
        let envelope = Envelope { enclosed, ..self.envelope(ctx, letter.from.as_deref(), (action, attempt)).await };
        let bytes = compose(letter, &envelope).ok()?;
        let change = MailChange::put(Folder::Drafts, base_of(attempt), &bytes);
        match self.settled(ctx, action.account.as_ref(), &change, attempt).await? {
            Some(true) => {
                if let Err(error) = self.put_here(ctx, Folder::Drafts, bytes, attempt).await {
                    tracing::warn!(%error, "a draft is kept in its account and not here");
                }
                Some(true)
            }
            Some(false) => Some(false),
            None => Some(self.mailboxes.draft(&ctx.owner, &safe_key(attempt)).await.ok()?.is_some()),
        }
    }

    /// The account that a draft lies in: the one that it would leave from.
    async fn account_of(&self, ctx: &RequestContext, id: &str) -> Option<ActingAccount> {
        let letter = self.mailboxes.own_draft(&ctx.owner, id).await.ok().flatten();
        let from = letter.and_then(|letter| letter.from);
        let account = from.and_then(|from| self.accounts.acting(&ctx.owner, Some(&from), None));
        account.or_else(|| self.accounts.keeping(&ctx.owner, None))
    }

    /// A draft as a person would plan it: what its account adds is not in it.
    pub(in crate::services::email) fn as_planned(&self, ctx: &RequestContext, mut letter: Letter) -> Letter {
        letter.from = self.accounts.still_sends(&ctx.owner, letter.from.as_deref());
        if let Some(signature) = self.accounts.signature(&ctx.owner, letter.from.as_deref()) {
            letter.body = unsigned(&letter.body, &signature).to_owned();
        }
        letter
    }

    /// Takes back a draft that we wrote. It says what was sent or written anew meanwhile, so that nothing is lost where
    /// that fails.
    pub(in crate::services::email) async fn drop_draft(&self, ctx: &RequestContext, id: &str) {
        let name = format!("{id}{MARK}");
        let change = MailChange::Remove { folder: Folder::Drafts.dir(), name };
        let attempt = Attempt { key: format!("drop-{id}"), begun: ctx.now };
        let account = self.account_of(ctx, id).await;
        let dropped = match self.written(ctx, account.as_ref(), &change, &attempt).await {
            Ok(Written::Here | Written::There) => self.mailboxes.delete_draft(&ctx.owner, id).await.map(|_| ()),
            Ok(Written::Doubtful(why)) => Err(ServiceError::Refused(why)),
            Err(error) => Err(error),
        };
        if let Err(error) = dropped {
            tracing::warn!(%error, "a draft stayed although its mail was sent or written anew");
        }
    }
}

impl Mailboxes {
    /// A draft as a letter.
    pub async fn draft(&self, owner: &UserId, id: &str) -> Result<Option<Letter>, ServiceError> {
        if let Some(letter) = self.own_draft(owner, id).await? {
            return Ok(Some(letter));
        }
        let view = self.mail(owner).await?;
        let mut seen = 0;
        loop {
            let flags = vec![DRAFT.to_owned()];
            let query =
                Query { flags, ranking: Ranking::Newest, skip: seen, limit: DRAFTS_AT_ONCE, ..Query::default() };
            let (drafts, _) = view.search(query).await?;
            if drafts.is_empty() {
                return Ok(None);
            }
            seen += drafts.len();
            if let Some(draft) = drafts.into_iter().find(|draft| id_of(&draft.file.base) == id) {
                return view.files(move |mailbox| Some(letter_of(&draft, mailbox))).await;
            }
        }
    }

    /// A draft that we wrote, had by its name: it is there however much mail there is still to be read.
    pub(in crate::services::email) async fn own_draft(
        &self,
        owner: &UserId,
        id: &str,
    ) -> Result<Option<Letter>, ServiceError> {
        let (maildir, base) = (self.maildir(owner), format!("{id}{MARK}"));
        let own = move || match maildir.find(Folder::Drafts, &base).map_err(refused)? {
            Some(file) => Ok(Mail::read_at(&maildir, file).map(|mail| letter_of(&mail, maildir.root()))),
            None => Ok(None),
        };
        self.files(owner, own).await
    }

    /// Takes back a draft that we wrote; true when it was there. Drafts of other programs stay.
    pub async fn delete_draft(&self, owner: &UserId, id: &str) -> Result<bool, ServiceError> {
        let maildir = self.maildir(owner);
        let base = format!("{id}{MARK}");
        self.files(owner, move || maildir.remove(Folder::Drafts, &base).map_err(refused)).await
    }

    /// Our own drafts that say exactly this, as mails.
    pub(in crate::services::email) async fn drafts_like(
        &self,
        owner: &UserId,
        letter: &Letter,
    ) -> Result<Vec<Mail>, ServiceError> {
        let maildir = self.maildir(owner);
        let letter = letter.clone();
        self.files(owner, move || {
            let ours = maildir.in_folder(Folder::Drafts).map_err(refused)?;
            let ours = ours.into_iter().filter(|file| file.base.ends_with(MARK));
            let drafts = ours.filter_map(|file| Mail::read_at(&maildir, file));
            let same = |mail: &Mail| {
                mail.head.parsed.subject == letter.subject && says_the_same(&letter_of(mail, maildir.root()), &letter)
            };
            Ok(drafts.filter(same).collect())
        })
        .await
    }
}

/// Drafts of other programs that are looked through at once.
const DRAFTS_AT_ONCE: usize = 100;

fn refused(cause: std::io::Error) -> ServiceError {
    ServiceError::Refused(format!("{}.", why_not(&cause)))
}

/// The same text to the same addresses, however their domains are written.
fn says_the_same(a: &Letter, b: &Letter) -> bool {
    let are_same_words = a.text() == b.text() && a.subject == b.subject;
    are_same_words && are_same(&a.attached, &b.attached) && recipients(a).is_ok_and(|to| Ok(to) == recipients(b))
}

/// The files of a draft.
fn attached(mail: &Mail, mailbox: &Path) -> Vec<OutgoingFiles> {
    let raw = maildir::read(&mailbox.join(&mail.file.path)).ok();
    match raw.and_then(|raw| files_of(&raw)) {
        Some(files) => files.iter().map(OutgoingFiles::enclosed).collect(),
        None => vec![OutgoingFiles::unreadable()],
    }
}

fn letter_of(mail: &Mail, mailbox: &Path) -> Letter {
    let parsed = mail.read(mailbox);
    let addresses = |people: Vec<Mailbox>| people.into_iter().map(|person| person.address).collect();
    let addressed = mail.addressed(mailbox);
    Letter {
        to: addresses(parsed.to),
        subject: parsed.subject,
        body: parsed.text,
        from: Some(parsed.from.address).filter(|address| !address.is_empty()),
        cc: addresses(addressed.cc),
        bcc: addresses(addressed.bcc),
        attached: attached(mail, mailbox),
        ..Letter::default()
    }
}
