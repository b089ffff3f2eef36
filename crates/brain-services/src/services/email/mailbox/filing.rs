//! Changing one mail: doing it, in its account and in the mailbox here, and telling afterwards whether it was done.
//!
//! The evidence is the mailbox itself: a mail that lies where it was to be, under the flags it was to have, was put
//! there; one that is as it was, was not. One that lies in neither place is anybody's guess.

use std::path::{Path, PathBuf};

use super::keeping::Written;
use super::mail_change::MailChange;
use super::source::maildir::{Folder, Listed, Maildir};
use super::source::moves::{FLAGGED, INBOX, SEEN, folder_of};
use crate::services::contract::command::Completed;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::email::finding::one_mail::{OneMail, unchanged};
use crate::services::email::message::mail::MailId;
use crate::services::email::service::Email;
use brain_core::core::plan::Action;

/// What is to become of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::services::email) enum Filing {
    /// It has this flag, or not.
    Flag {
        /// Of the Maildir's.
        flag: char,
        /// Whether it is to be there.
        wanted: bool,
    },
    /// It lies in this folder of the mailbox.
    Folder(PathBuf),
}

/// A file as it is now.
#[derive(Debug)]
pub(in crate::services::email) struct Filed {
    /// The mail's id from now on.
    pub id: String,
    /// It was something else before.
    pub changed: bool,
}

impl Filed {
    fn of(file: &Listed, changed: bool) -> Self {
        Self { id: MailId::of(file).to_string(), changed }
    }
}

impl Filing {
    /// The same for an account.
    fn change(&self, one: &OneMail) -> MailChange {
        let mail = one.mail_ref();
        match self {
            Self::Flag { flag, wanted } => MailChange::Flag { mail, flag: *flag, wanted: *wanted },
            Self::Folder(folder) => MailChange::Move { mail, to: folder.to_string_lossy().into_owned() },
        }
    }

    /// Whether a file is like that.
    fn is_so(&self, file: &Listed) -> bool {
        match self {
            Self::Flag { flag: SEEN, wanted } => file.unread != *wanted,
            Self::Flag { flag: FLAGGED, wanted } => file.starred == *wanted,
            Self::Flag { .. } => false,
            Self::Folder(folder) => folder_of(file) == folder,
        }
    }

    fn apply(&self, maildir: &Maildir, one: &OneMail) -> Result<Filed, ServiceError> {
        let file = one.still(maildir)?;
        if self.is_so(&file) {
            return Ok(Filed::of(&file, false));
        }
        let done = match self {
            Self::Flag { flag, wanted } => maildir.flag(&file, *flag, *wanted),
            Self::Folder(folder) => maildir.shift(&file, folder, kind_of(folder)),
        };
        done.map(|file| Filed::of(&file, true)).map_err(|cause| unchanged(&cause))
    }

    /// What it came to; `None` when the mailbox does not tell, or cannot be read.
    fn came_true(&self, maildir: &Maildir, one: &OneMail) -> Option<Result<Filed, ServiceError>> {
        let changed = !self.is_so(&one.file);
        let at = match self {
            Self::Flag { .. } => one.file.clone(),
            Self::Folder(folder) => {
                let there = Listed { path: folder.join("cur").join(&one.file.base), ..one.file.clone() };
                if changed && maildir.now(&one.file).ok()?.is_some() {
                    return Some(Err(stopped()));
                }
                there
            }
        };
        let file = OneMail { file: at, ..one.clone() }.still(maildir).ok()?;
        Some(if self.is_so(&file) { Ok(Filed::of(&file, changed)) } else { Err(stopped()) })
    }
}

fn kind_of(folder: &Path) -> Folder {
    if folder == Path::new(INBOX) { Folder::Inbox } else { Folder::Kept }
}

impl Email {
    /// Changes a mail, if it still is the one that was meant: in its account, then in the mailbox here.
    pub(in crate::services::email) async fn refile(
        &self,
        ctx: &RequestContext,
        (action, attempt): (&Action, &Attempt),
        one: OneMail,
        filing: Filing,
    ) -> Result<Completed<Filed>, ServiceError> {
        let (looked, wanted) = (one.clone(), filing.clone());
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let look = move || looked.still(&maildir).map(|file| wanted.is_so(&file).then(|| Filed::of(&file, false)));
        if let Some(unchanged) = self.mailboxes.files(&ctx.owner, look).await? {
            return Ok(Completed::read(unchanged));
        }
        let written = self.written(ctx, action.account.as_ref(), &filing.change(&one), attempt).await?;
        let is_there = match written {
            Written::Doubtful(why) => return Ok(Completed::Doubtful(why)),
            Written::There => true,
            Written::Here => false,
        };
        self.follows(ctx, one, filing, is_there).await.map(Completed::read)
    }

    /// The mailbox here becomes so. What its account did stands, whatever comes of this.
    async fn follows(
        &self,
        ctx: &RequestContext,
        one: OneMail,
        filing: Filing,
        is_there: bool,
    ) -> Result<Filed, ServiceError> {
        let as_it_was = Filed::of(&one.file, true);
        let maildir = self.mailboxes.maildir(&ctx.owner);
        match self.mailboxes.files(&ctx.owner, move || filing.apply(&maildir, &one)).await {
            Err(error) if is_there => {
                tracing::warn!(%error, "a mail was changed in its account and not here");
                Ok(as_it_was)
            }
            filed => filed,
        }
    }

    /// What the account, or without one the mailbox, says about an attempt to.
    pub(in crate::services::email) async fn refiled(
        &self,
        ctx: &RequestContext,
        (action, attempt): (&Action, &Attempt),
        one: OneMail,
        filing: Filing,
    ) -> Option<Result<Filed, ServiceError>> {
        match self.settled(ctx, action.account.as_ref(), &filing.change(&one), attempt).await? {
            Some(true) => Some(self.follows(ctx, one, filing, true).await),
            Some(false) => Some(Err(stopped())),
            None => {
                let maildir = self.mailboxes.maildir(&ctx.owner);
                let look = move || Ok(filing.came_true(&maildir, &one));
                self.mailboxes.files(&ctx.owner, look).await.ok().flatten()
            }
        }
    }
}

/// Said of what was not begun.
pub(in crate::services::email) fn stopped() -> ServiceError {
    ServiceError::Refused("I was stopped before it was done".to_owned())
}
