//! Where tasks, events, mails, notes, memories and contacts live: one file or folder a service, behind the
//! catalog's commands.
//!
//! Those that live in the store read it and answer with [`Change`](brain_core::ports::Change)s; the pipeline
//! commits them together with the outcome. Mail lives in a Maildir beside it.
//!
//! Invariants of those in the store:
//! - every change of an item expects the revision it was computed from, every new item expects nothing in
//!   its place: what changed meanwhile is a conflict, a retried attempt never doubles anything;
//! - an item's id follows from the attempt's key;
//! - everything read is bounded by `limits.rs`.
//!
//! Deliberately not here: stakes, consent and wording of receipts (catalog), words for times and people
//! (resolved before a service sees them).

#![deny(missing_docs)]

pub mod across;
pub mod assistant;
pub mod calendar;
pub mod catalog;
pub mod contacts;
pub mod contract;
pub mod custom_commands;
pub mod email;
pub mod helpers;
pub mod mcp;
pub mod memory;
pub mod notes;
pub mod planning;
pub mod remote;
pub mod task;
pub mod tool;

use std::sync::Arc;

use brain_core::ports::{Embedder, Index, Secondary, Source, Store};
use catalog::registry::Registry;
use contacts::Contacts;
pub use contract::holder::Holder;
use email::imap::sync_worker::MailSyncWorker;
pub use email::mailbox::accounts::{MailAccount, MailAccounts};
use email::mailbox::mailboxes::Mailboxes;
use remote::backend::Backends;
use remote::dav::DavSyncWorker;

#[cfg(test)]
mod tests;

/// The orders by which the built-in services ask the store for their things.
pub fn indexes() -> impl Iterator<Item = &'static Secondary> {
    task::INDEXES
        .into_iter()
        .chain(calendar::INDEXES)
        .chain(memory::INDEXES)
        .chain(notes::INDEXES)
        .chain(contacts::INDEXES)
        .chain(email::indexes())
}

/// What of the built-in services' records can be found.
pub fn sources() -> Vec<Source> {
    vec![task::SOURCE, calendar::SOURCE, memory::SOURCE, notes::SOURCE, contacts::SOURCE]
}

/// The accounts of everybody, by what they hold; who has none keeps everything here.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    /// To-do lists.
    pub tasks: Backends<task::Task>,
    /// What keeps tasks here in step with them.
    pub task_keeper: Option<Arc<DavSyncWorker<task::Task>>>,
    /// Calendars.
    pub events: Backends<calendar::Event>,
    /// What keeps events here in step with them.
    pub event_keeper: Option<Arc<DavSyncWorker<calendar::Event>>>,
    /// Address books.
    pub contacts: Backends<contacts::Contact>,
    /// What keeps contacts here in step with them.
    pub contact_keeper: Option<Arc<DavSyncWorker<contacts::Contact>>>,
    /// What mail is sent from.
    pub mail: MailAccounts,
    /// What keeps mail here in step with them.
    pub mail_keeper: Option<Arc<MailSyncWorker>>,
}

/// The built-in services, in the order in which help shows them, and whom names can mean.
pub fn built_in(
    store: &Arc<dyn Store>,
    index: &Arc<dyn Index>,
    mailboxes: &Arc<Mailboxes>,
    accounts: Accounts,
    embedder: Option<Arc<dyn Embedder>>,
) -> (Registry, Arc<Contacts>) {
    let Accounts { tasks, task_keeper, events, event_keeper, contacts, contact_keeper, mail, mail_keeper } = accounts;
    let people = Contacts::new(store.clone(), index.clone(), mailboxes.clone());
    let people = Arc::new(people.written_by(contacts).kept_by(contact_keeper));
    let tasks = task::TaskService::new(store.clone(), index.clone()).written_by(tasks).kept_by(task_keeper);
    let tasks = Arc::new(tasks);
    let calendar = calendar::CalendarService::new(store.clone(), index.clone())
        .written_by(events)
        .kept_by(event_keeper)
        .knowing(people.clone())
        .beside([tasks.clone() as Arc<dyn contract::service::Service>]);
    let mail = email::Email::new(store.clone(), mailboxes.clone(), people.clone(), mail).kept_by(mail_keeper);
    let registry = Registry::new([
        tasks.registration(),
        Arc::new(calendar).registration(),
        Arc::new(mail).registration(),
        Arc::new(memory::MemoryService::new(store.clone(), index.clone()).embedded_by(embedder)).registration(),
        Arc::new(notes::NotesService::new(store.clone(), index.clone())).registration(),
        people.clone().registration(),
        assistant::AssistantService::registration(),
    ]);
    (registry, people)
}
