//! One account's mailbox elsewhere: the conversation that is kept open for changes, and the word that something
//! changed. Keeping the mailbox here in step is [`super::sync_worker`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, Notify};

use super::connection::{Connection, ImapError};
use super::place::ImapPlace;
use crate::services::email::mailbox::mail_change::MailRef;
use brain_core::core::ids::UserId;
use brain_core::limits::{IMAP_SPARE_CHECK_MS, IMAP_SPARE_SECS};
use brain_core::ports::Store;
use brain_wire::accounts::AccountConfig;

/// A mailbox elsewhere.
#[derive(Debug)]
pub struct ImapMailbox {
    pub(super) place: ImapPlace,
    pub(super) store: Arc<dyn Store>,
    /// A conversation that ended well, and when.
    spare: Mutex<Option<(Connection, Instant)>>,
    /// Somebody wants it to be looked at now.
    pub(super) poked: Notify,
}

impl ImapMailbox {
    /// That of an account which has one.
    pub fn of(account: &AccountConfig, store: Arc<dyn Store>) -> Option<Arc<Self>> {
        let place = ImapPlace::of(account)?;
        Some(Arc::new(Self { place, store, spare: Mutex::default(), poked: Notify::new() }))
    }

    /// Looks at it as soon as may be.
    pub fn poke(&self) {
        self.poked.notify_one();
    }

    /// Connects, signs in, and counts the folders.
    pub async fn probe(account: &AccountConfig) -> Option<Result<usize, String>> {
        let place = ImapPlace::of(account)?;
        let probed = async {
            let mut connection = Connection::open(&place).await?;
            let folders = super::folders::Folders::of(&mut connection).await?;
            connection.close().await;
            Ok::<_, ImapError>(folders.0.len())
        };
        Some(probed.await.map_err(|error| error.to_string()))
    }

    /// A conversation: the spare one if it is still there, else another.
    pub(super) async fn connected(&self) -> Result<Connection, ImapError> {
        let spare = self.spare.lock().await.take();
        if let Some((mut connection, at)) = spare
            && at.elapsed() < Duration::from_secs(IMAP_SPARE_SECS)
            && connection.is_alive(Duration::from_millis(IMAP_SPARE_CHECK_MS)).await
        {
            return Ok(connection);
        }
        Connection::open(&self.place).await
    }

    pub(super) async fn give_back(&self, connection: Connection) {
        *self.spare.lock().await = Some((connection, Instant::now()));
    }

    /// A whole mail, of which only the beginning is here; `None` where it is not there as it was.
    pub(in crate::services::email) async fn whole(
        &self,
        owner: &UserId,
        mail: &MailRef,
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, String> {
        self.whole_of(owner, mail, bytes_max).await.map_err(|error| error.to_string())
    }

    async fn whole_of(&self, owner: &UserId, mail: &MailRef, bytes_max: usize) -> Result<Option<Vec<u8>>, ImapError> {
        let mut connection = self.connected().await?;
        let folders = super::folders::Folders::of(&mut connection).await?;
        let Some(found) = self.located(&mut connection, &folders, owner, mail).await? else { return Ok(None) };
        let mut mails = connection.mails(&[found.uid], bytes_max).await?;
        self.give_back(connection).await;
        Ok(mails.pop().and_then(|mail| mail.bytes))
    }
}
