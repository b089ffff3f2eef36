//! Which mail of the server's one of ours is: told by what it is, never by its number alone.
//!
//! Numbers change: another program moves a mail, a folder is made anew. So a mail that is to be changed is looked at
//! once more, at the moment it is changed: by the digest of its beginning, which its name here holds, or by the
//! Message-ID of one that we wrote.

use std::sync::Arc;

use chrono::{DateTime, Days};

use super::connection::{Connection, ImapError, quoted};
use super::fetch::{FetchedMail, ServerFlags};
use super::folders::ServerFolder;
use super::name::{DIGESTED_BYTES, MailName};
use super::rows::{MAILS_BY_NAME, MailRow};
use crate::services::email::mailbox::mail_change::MailRef;
use crate::services::email::mailbox::source::maildir::Raw;
use crate::services::email::message::read;
use crate::services::email::message::written_name::{MARK, safe_key_of};
use brain_core::core::ids::UserId;
use brain_core::limits::{IMAP_CANDIDATES_AT_ONCE, IMAP_CANDIDATES_MAX};
use brain_core::ports::{RecordExt, Scan, Store};

/// A mail as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundMail {
    pub uid: u32,
    pub flags: ServerFlags,
}

/// What says that a mail is the one.
enum Proof {
    Beginning(MailName),
    /// One that we wrote: the first part of its Message-ID.
    Written(String),
}

impl Proof {
    fn of(name: &str) -> Option<Self> {
        match name.strip_suffix(MARK) {
            Some(key) => Some(Self::Written(key.to_owned())),
            None => MailName::parse(name).map(Self::Beginning),
        }
    }

    fn holds(&self, mail: &FetchedMail) -> bool {
        let bytes = mail.bytes.as_deref().unwrap_or_default();
        match self {
            Self::Beginning(name) => name.is_of(bytes),
            Self::Written(key) => {
                let id = read::parse(&Raw::Beginning(bytes.to_vec())).message_id;
                id.is_some_and(|id| safe_key_of(&id) == Some(key))
            }
        }
    }
}

impl Connection {
    /// Opens a folder to change it.
    pub async fn select(&mut self, folder: &ServerFolder) -> Result<(), ImapError> {
        self.run(&format!("SELECT {}", quoted(&folder.name)), |_| {}).await
    }

    /// The mail in the folder that is open. `hint` is where it lay when it was last seen.
    pub async fn find(&mut self, mail: &MailRef, hint: Option<u32>) -> Result<Option<FoundMail>, ImapError> {
        let Some(proof) = Proof::of(&mail.name) else { return Ok(None) };
        if let Some(found) = self.proven(&proof, &hint.into_iter().collect::<Vec<_>>()).await? {
            return Ok(Some(found));
        }
        let id = match &proof {
            Proof::Written(key) => Some(format!("{key}@")),
            Proof::Beginning(_) => mail.message_id.clone(),
        };
        // Whatever is no plain word is not searched for: it would be another question to each server.
        let id = id.filter(|id| id.bytes().all(|b| b.is_ascii_graphic()));
        let criteria = match (&id, &proof) {
            (Some(id), _) => format!("HEADER Message-ID {}", quoted(id)),
            (None, Proof::Beginning(name)) => {
                let came = DateTime::from_timestamp(name.came, 0).unwrap_or_default();
                let day = |at: Option<DateTime<chrono::Utc>>| at.unwrap_or(came).format("%-d-%b-%Y").to_string();
                let (from, to) = (came.checked_sub_days(Days::new(1)), came.checked_add_days(Days::new(2)));
                format!("SINCE {} BEFORE {}", day(from), day(to))
            }
            (None, Proof::Written(_)) => return Ok(None),
        };
        let candidates = self.numbers(&criteria).await?;
        for some in candidates.rchunks(IMAP_CANDIDATES_AT_ONCE).take(IMAP_CANDIDATES_MAX / IMAP_CANDIDATES_AT_ONCE) {
            if let Some(found) = self.proven(&proof, some).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn proven(&mut self, proof: &Proof, candidates: &[u32]) -> Result<Option<FoundMail>, ImapError> {
        if candidates.is_empty() {
            return Ok(None);
        }
        let mails = self.mails(candidates, DIGESTED_BYTES).await?;
        let one = mails.into_iter().rev().find(|mail| !mail.flags.is_deleted && proof.holds(mail));
        Ok(one.map(|mail| FoundMail { uid: mail.uid, flags: mail.flags }))
    }
}

/// The number under which a mail was last seen.
pub(super) async fn hint(store: &Arc<dyn Store>, owner: &UserId, account: &str, mail: &MailRef) -> Option<u32> {
    let scan = Scan::by(&MAILS_BY_NAME, &[owner.as_str(), account, &mail.folder, &mail.name], 1);
    let rows = store.list::<MailRow>(scan).await.ok()?;
    rows.first().map(|(row, _)| row.uid)
}
