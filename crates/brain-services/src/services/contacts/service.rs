//! The service itself, and what its commands share. Not here: which commands it has (`mod`), and whom it finds
//! (`lookup`).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::cards::{Cards, File};
use super::record::{BY_ORIGIN, Contact, NAME};
use crate::services::contract::error::ServiceError;
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::remote::backend::Backends;
use crate::services::remote::dav::{DavReplica, DavSyncWorker};
use crate::services::remote::replica::Replica;
use brain_core::ports::{Index, Secondary, Store};

/// The service, and the address book.
#[derive(Debug)]
pub struct Contacts {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
    pub(super) mailboxes: Arc<Mailboxes>,
    vcf: PathBuf,
    pub(super) file: Arc<Mutex<File>>,
    pub(super) backends: Backends<Contact>,
    keeper: Option<Arc<DavSyncWorker<Contact>>>,
}

impl Contacts {
    /// People from the store, from `contacts.vcf` beside the mailboxes, and from the mailboxes.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>, mailboxes: Arc<Mailboxes>) -> Self {
        Self {
            vcf: mailboxes.data().join("contacts.vcf"),
            store,
            index,
            mailboxes,
            file: Arc::default(),
            backends: Backends::default(),
            keeper: None,
        }
    }

    /// The same, where these write.
    #[must_use]
    pub fn written_by(self, backends: Backends<Contact>) -> Self {
        Self { backends, ..self }
    }

    /// The same, where this keeps the accounts of people in step.
    #[must_use]
    pub fn kept_by(self, keeper: Option<Arc<DavSyncWorker<Contact>>>) -> Self {
        Self { keeper, ..self }
    }

    /// The cards of the file; none when it cannot be read now. Not on the threads that read mail: who somebody is must
    /// not wait for a mailbox.
    pub(super) async fn cards(&self) -> Result<Arc<Cards>, ServiceError> {
        let path = self.vcf.clone();
        let file = Arc::clone(&self.file);
        let read = move || file.lock().unwrap_or_else(PoisonError::into_inner).read(&path);
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|error| ServiceError::Broken(format!("contacts.vcf could not be read ({error}).")))
    }
}

impl Replica for Contacts {
    type Kept = Contact;

    fn service(&self) -> &'static str {
        NAME
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn backends(&self) -> &Backends<Contact> {
        &self.backends
    }

    fn by_origin(&self) -> &'static Secondary {
        &BY_ORIGIN
    }
}

impl DavReplica for Contacts {
    fn keeper(&self) -> Option<&DavSyncWorker<Contact>> {
        self.keeper.as_deref()
    }
}
