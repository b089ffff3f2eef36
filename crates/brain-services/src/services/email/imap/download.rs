//! Fetching the mails of a folder, some hundred at a time: while those of one command come, the files of the one before
//! are brought to the disk and its rows are written.
//!
//! Invariants: a row is written after its file is on the disk; whatever the mailbox holds, only a few mails are held at
//! a time; a mail that ends the conversation holds up no other for long.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use tokio::sync::mpsc;

use super::connection::{Connection, ImapError, answer_time};
use super::fetch::{self, FetchedMail};
use super::maildir_writer::{Laid, MaildirWriter};
use super::rows::MailRow;
use super::sync::{Pass, SyncError, on_files};
use crate::services::email::mailbox::indexing::SoFar;
use crate::services::email::mailbox::source::delivery::MailDelivery;
use brain_core::limits::{IMAP_BATCH_MAILS, IMAP_TRIES_MAX};
use brain_core::ports::{Change, Expect, StoreError, why_not};

/// What passes remember of each other, beyond what the store keeps.
#[derive(Debug, Default)]
pub(super) struct SyncMemory {
    /// How many mails are fetched at once in a folder where more broke the conversation.
    batch: HashMap<String, usize>,
    /// Mails that broke it by themselves: folder and number, and how often.
    breaking: BTreeMap<(String, u32), u32>,
}

impl SyncMemory {
    pub fn is_given_up(&self, dir: &str, uid: u32) -> bool {
        self.breaking.get(&(dir.to_owned(), uid)).is_some_and(|tries| *tries >= IMAP_TRIES_MAX)
    }
}

/// Mails of one command, written and not on the disk yet.
struct WrittenBatch {
    delivery: MailDelivery,
    rows: Vec<MailRow>,
}

impl Pass<'_> {
    /// Fetches these, the first ones first, and lays them. `before`: how many there are already.
    pub(super) async fn download(
        &mut self,
        connection: &mut Connection,
        mut laying: MaildirWriter,
        wanted: &[u32],
        before: usize,
    ) -> Result<MaildirWriter, SyncError> {
        let dir = laying.folder.dir.clone();
        let (mut asked, mut written): (usize, Option<WrittenBatch>) = (0, None);
        while asked < wanted.len() || written.is_some() {
            let size = self.memory.batch.get(&dir).copied().unwrap_or(IMAP_BATCH_MAILS);
            let batch = &wanted[asked..wanted.len().min(asked + size)];
            let settling = written.as_ref().map_or(0, |written| written.rows.len());
            let (came, settled) = tokio::join!(self.batch(connection, laying, batch), self.settle(written));
            // What came before is whole, whatever becomes of this.
            let (back, next, ended) = came?;
            settled?;
            // Of a few mails nobody wants to know how many are there by now.
            if asked > 0 && wanted.len() > IMAP_BATCH_MAILS {
                let before = self.earlier + before;
                (self.came)(settling, SoFar { done: before + asked, total: before + wanted.len() });
            }
            if let Err(error) = ended {
                self.blame(&dir, batch, &next.rows);
                self.settle(Some(next)).await?;
                return Err(error.into());
            }
            self.memory.batch.entry(dir.clone()).and_modify(|size| *size = (*size * 2).min(IMAP_BATCH_MAILS));
            asked += batch.len();
            (laying, written) = (back, Some(next).filter(|next| !next.rows.is_empty()));
        }
        Ok(laying)
    }

    /// One command, and what came of it before it ended.
    async fn batch(
        &self,
        connection: &mut Connection,
        laying: MaildirWriter,
        batch: &[u32],
    ) -> Result<(MaildirWriter, WrittenBatch, Result<(), ImapError>), SyncError> {
        let (laying, delivery, laid, ended) = lay_batch(connection, laying, batch, self.now).await?;
        let dir = &laying.folder.dir;
        let rows = laid.into_iter().map(|laid| MailRow::of(self.owner, &self.place.account, dir, laid)).collect();
        Ok((laying, WrittenBatch { delivery, rows }, ended))
    }

    /// Brings files to the disk, then writes their rows.
    async fn settle(&self, written: Option<WrittenBatch>) -> Result<(), SyncError> {
        let Some(WrittenBatch { delivery, rows }) = written else { return Ok(()) };
        on_files(move || delivery.end()).await?;
        let puts: Result<Vec<Change>, StoreError> = rows.iter().map(|row| Change::put(row, Expect::Any)).collect();
        self.commit(puts?).await
    }

    /// The conversation ended in these: fewer are asked for next time, and one that ends it by itself is let be.
    fn blame(&mut self, dir: &str, batch: &[u32], came: &[MailRow]) {
        let first = batch.iter().find(|uid| came.iter().all(|row| row.uid != **uid));
        match (batch.len(), first) {
            (1, Some(uid)) => {
                let tries = self.memory.breaking.entry((dir.to_owned(), *uid)).or_default();
                *tries += 1;
                if *tries >= IMAP_TRIES_MAX {
                    tracing::warn!(dir, uid, "a mail breaks the conversation and is left out until the next start");
                }
            }
            (size, _) => drop(self.memory.batch.insert(dir.to_owned(), (size / 8).max(1))),
        }
    }
}

/// Writes some mails by one command: what came before it ended, and how it ended. They lie there once the delivery has
/// ended.
pub(super) async fn lay_batch(
    connection: &mut Connection,
    mut laying: MaildirWriter,
    batch: &[u32],
    now: DateTime<Utc>,
) -> Result<(MaildirWriter, MailDelivery, Vec<Laid>, Result<(), ImapError>), SyncError> {
    // Few: those that are on their way are held.
    let (sender, receiver) = mpsc::channel(8);
    let files = tokio::task::spawn_blocking(move || {
        let laid = laying.lay(receiver, now);
        (laying, laid)
    });
    let ended = if batch.is_empty() { Ok(()) } else { stream(connection, batch, &sender).await };
    drop(sender);
    let (laying, laid) = files.await.map_err(|_| SyncError::Files("it broke off".to_owned()))?;
    let (delivery, laid) = laid.map_err(|cause| SyncError::Files(why_not(&cause)))?;
    Ok((laying, delivery, laid, ended))
}

/// Asks for mails and hands each on as it comes.
async fn stream(connection: &mut Connection, batch: &[u32], to: &mpsc::Sender<FetchedMail>) -> Result<(), ImapError> {
    let (command, bounds) = fetch::command(batch);
    connection.allow(bounds);
    let tag = connection.begin(&command).await?;
    loop {
        let mut mail = None;
        let ended = connection.next(&tag, answer_time(), |part| mail = fetch::fetched(part)).await?;
        if let Some(ended) = ended {
            return ended;
        }
        let wanted = mail.filter(|mail| mail.bytes.is_some() && batch.contains(&mail.uid));
        if let Some(mail) = wanted
            && to.send(mail).await.is_err()
        {
            return Ok(());
        }
    }
}
