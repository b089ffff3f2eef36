//! Drafts: letters that wait in `.Drafts`, and the ids buttons carry.
//!
//! A draft's file name follows from the attempt that wrote it, so the same attempt twice is one draft.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::compose::{Envelope, Letter, compose, recipients};
use super::mailbox::{Mail, Mailboxes, blocking};
use super::source::maildir::Folder;
use crate::core::digest::hex;
use crate::core::ids::UserId;
use crate::ports::why_not;
use crate::services::error::ServiceError;
use crate::services::service::Attempt;

/// Ends the file names of mails we wrote.
const MARK: &str = ".brain-agent";

/// The file name of what an attempt wrote, without flags.
pub fn base_of(attempt: &Attempt) -> String {
    format!("{}{MARK}", safe_key(attempt))
}

/// The attempt's key as it may stand in file names and ids: at most 32 letters and digits.
pub fn safe_key(attempt: &Attempt) -> String {
    let plain =
        attempt.key.len() <= 32 && !attempt.key.is_empty() && attempt.key.chars().all(|c| c.is_ascii_alphanumeric());
    if plain {
        return attempt.key.clone();
    }
    short_hash(&attempt.key)
}

/// The id of a draft: at most 32 letters and digits, also for drafts that other programs wrote.
pub fn id_of(base: &str) -> String {
    match base.strip_suffix(MARK) {
        Some(key) => key.to_owned(),
        None => short_hash(base),
    }
}

fn short_hash(text: &str) -> String {
    let digest = hex(&Sha256::digest(text.as_bytes()));
    digest.get(..32).unwrap_or(&digest).to_owned()
}

/// Writes a draft; its id.
pub async fn save(
    mailboxes: &Arc<Mailboxes>,
    owner: &UserId,
    letter: &Letter,
    envelope: &Envelope,
    attempt: &Attempt,
) -> Result<String, ServiceError> {
    let bytes = compose(letter, envelope)
        .map_err(|error| ServiceError::Refused(format!("The draft was not saved: {error}.")))?;
    let maildir = mailboxes.maildir(owner);
    let base = base_of(attempt);
    let id = safe_key(attempt);
    blocking(move || {
        maildir
            .put(Folder::Drafts, &base, "DS", &bytes)
            .map_err(|cause| ServiceError::Refused(format!("{}.", why_not(&cause))))
    })
    .await?;
    Ok(id)
}

impl Mailboxes {
    /// A draft as a letter.
    pub async fn draft(self: &Arc<Self>, owner: &UserId, id: &str) -> Result<Option<Letter>, ServiceError> {
        let mail = self.draft_mail(owner, id).await?;
        let Some(mail) = mail else { return Ok(None) };
        blocking(move || Ok(Some(letter_of(&mail)))).await
    }

    /// Every draft with its id, newest first.
    pub async fn drafts(self: &Arc<Self>, owner: &UserId) -> Result<Vec<(String, Letter)>, ServiceError> {
        let index = self.index(owner).await?;
        blocking(move || {
            let mut mails: Vec<&Mail> = index.mails.iter().filter(|mail| mail.file.folder == Folder::Drafts).collect();
            mails.sort_by_key(|mail| std::cmp::Reverse(mail.head.date));
            Ok(mails.into_iter().map(|mail| (id_of(&mail.file.base), letter_of(mail))).collect())
        })
        .await
    }

    /// Takes back a draft that we wrote; true when it was there. Drafts of other programs stay.
    pub async fn delete_draft(&self, owner: &UserId, id: &str) -> Result<bool, ServiceError> {
        let maildir = self.maildir(owner);
        let base = format!("{id}{MARK}");
        blocking(move || {
            maildir
                .remove(Folder::Drafts, &base)
                .map_err(|cause| ServiceError::Refused(format!("{}.", why_not(&cause))))
        })
        .await
    }

    async fn draft_mail(self: &Arc<Self>, owner: &UserId, id: &str) -> Result<Option<Mail>, ServiceError> {
        let index = self.index(owner).await?;
        let found = index.mails.iter().find(|mail| mail.file.folder == Folder::Drafts && id_of(&mail.file.base) == id);
        Ok(found.cloned())
    }

    /// Our own drafts that say exactly this, as mails.
    pub(super) async fn drafts_like(
        self: &Arc<Self>,
        owner: &UserId,
        letter: &Letter,
    ) -> Result<Vec<Mail>, ServiceError> {
        let index = self.index(owner).await?;
        let letter = letter.clone();
        blocking(move || {
            let same = |mail: &&Mail| {
                mail.file.folder == Folder::Drafts
                    && mail.file.base.ends_with(MARK)
                    && mail.head.parsed.subject == letter.subject
                    && says_the_same(&letter_of(mail), &letter)
            };
            Ok(index.mails.iter().filter(same).cloned().collect())
        })
        .await
    }
}

/// The same text to the same addresses, however their domains are written.
fn says_the_same(a: &Letter, b: &Letter) -> bool {
    a.body == b.body && a.subject == b.subject && recipients(a).is_ok_and(|to| Ok(to) == recipients(b))
}

fn letter_of(mail: &Mail) -> Letter {
    let parsed = mail.read();
    Letter {
        to: parsed.to.into_iter().map(|person| person.address).collect(),
        subject: parsed.subject,
        body: parsed.text,
    }
}
