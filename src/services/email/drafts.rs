//! Drafts: letters that wait in `.Drafts`, and the ids buttons carry.
//!
//! A draft's file name follows from the attempt that wrote it, so the same attempt twice is one draft.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::compose::{Envelope, Letter, compose, recipients};
use super::mail::{DRAFT, Mail};
use super::mailbox::Mailboxes;
use super::source::maildir::Folder;
use crate::core::digest::hex;
use crate::core::ids::UserId;
use crate::ports::{Query, Ranking, why_not};
use crate::services::error::ServiceError;
use crate::services::service::Attempt;

/// Ends the file names of mails we wrote.
pub(crate) const MARK: &str = ".brain-agent";

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
    let put = move || maildir.put(Folder::Drafts, &base, "DS", &bytes).map_err(refused);
    mailboxes.files(owner, put).await?;
    Ok(id)
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
    pub(super) async fn own_draft(&self, owner: &UserId, id: &str) -> Result<Option<Letter>, ServiceError> {
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
    pub(super) async fn drafts_like(&self, owner: &UserId, letter: &Letter) -> Result<Vec<Mail>, ServiceError> {
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
    a.body == b.body && a.subject == b.subject && recipients(a).is_ok_and(|to| Ok(to) == recipients(b))
}

fn letter_of(mail: &Mail, mailbox: &Path) -> Letter {
    let parsed = mail.read(mailbox);
    Letter {
        to: parsed.to.into_iter().map(|person| person.address).collect(),
        subject: parsed.subject,
        body: parsed.text,
        greets: None,
    }
}
