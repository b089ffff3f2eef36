//! Changing the file of one mail: doing it, and telling afterwards whether it was done.
//!
//! The evidence is the mailbox itself: a mail that lies where it was to be, under the flags it was to have, was put there;
//! one that is as it was, was not. One that lies in neither place is anybody's guess.

use std::path::{Path, PathBuf};

use super::mail::MailId;
use super::one_mail::{OneMail, unchanged};
use super::service::Email;
use super::source::maildir::{Folder, Listed, Maildir};
use super::source::moves::{FLAGGED, INBOX, SEEN, folder_of};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;

/// What is to become of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Filing {
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
pub(super) struct Filed {
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

    /// Whether it came to that; `None` when the mailbox does not tell.
    fn came_true(&self, maildir: &Maildir, one: &OneMail) -> Result<Option<Filed>, ServiceError> {
        let changed = !self.is_so(&one.file);
        let at = match self {
            Self::Flag { .. } => one.file.clone(),
            Self::Folder(folder) => {
                let there = Listed { path: folder.join("cur").join(&one.file.base), ..one.file.clone() };
                if changed && maildir.now(&one.file).map_err(|cause| unchanged(&cause))?.is_some() {
                    return Err(ServiceError::Refused("I was stopped before it was done".to_owned()));
                }
                there
            }
        };
        let is_of = |file: Listed| OneMail { file, ..one.clone() }.still(maildir);
        match is_of(at) {
            Ok(file) if self.is_so(&file) => Ok(Some(Filed::of(&file, changed))),
            Ok(_) => Err(ServiceError::Refused("I was stopped before it was done".to_owned())),
            Err(ServiceError::NotFound { .. } | ServiceError::Conflict { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn kind_of(folder: &Path) -> Folder {
    if folder == Path::new(INBOX) { Folder::Inbox } else { Folder::Kept }
}

impl Email {
    /// Changes a mail's file, if it still is the one that was meant.
    pub(super) async fn refile(
        &self,
        ctx: &RequestContext,
        one: OneMail,
        filing: Filing,
    ) -> Result<Filed, ServiceError> {
        let maildir = self.mailboxes.maildir(&ctx.owner);
        self.mailboxes.files(&ctx.owner, move || filing.apply(&maildir, &one)).await
    }

    /// What the mailbox says about an attempt to.
    pub(super) async fn refiled(
        &self,
        ctx: &RequestContext,
        one: OneMail,
        filing: Filing,
    ) -> Option<Result<Filed, ServiceError>> {
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let look = move || filing.came_true(&maildir, &one);
        self.mailboxes.files(&ctx.owner, look).await.transpose()
    }
}
