//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use super::imap::sync_worker::MailSyncWorker;
use super::watch::looked::LookedAt;
use crate::services::contract::error::ServiceError;
use crate::services::email::mailbox::accounts::MailAccounts;
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::email::message::mail::Mail;
use crate::services::helpers::address_book::{AddressBook, KnownNames};
use brain_core::core::ids::UserId;
use brain_core::core::text::visible;
use brain_core::kept_files::KeptFiles;
use brain_core::ports::Store;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The email service, over the mailboxes, the address book and the accounts that send.
#[derive(Debug)]
pub struct Email {
    pub(super) store: Arc<dyn Store>,
    pub(super) mailboxes: Arc<Mailboxes>,
    pub(super) book: Arc<dyn AddressBook>,
    pub(super) accounts: MailAccounts,
    pub(super) looked: LookedAt,
    pub(super) keeper: Option<Arc<MailSyncWorker>>,
    /// What people sent to go along with their mail.
    pub(super) files: KeptFiles,
}

impl Email {
    /// Mail in `mailboxes`; it is sent from `accounts`, and what is waited for is kept in `store`.
    pub fn new(
        store: Arc<dyn Store>,
        mailboxes: Arc<Mailboxes>,
        book: Arc<dyn AddressBook>,
        accounts: MailAccounts,
    ) -> Self {
        let files = KeptFiles::of(mailboxes.data());
        Self { store, mailboxes, book, accounts, looked: LookedAt::default(), keeper: None, files }
    }

    /// The same, its mailboxes kept in step with the accounts.
    #[must_use]
    pub fn kept_by(self, keeper: Option<Arc<MailSyncWorker>>) -> Self {
        Self { keeper, ..self }
    }
}

impl Email {
    /// What the owner calls everybody in these mails.
    pub(super) async fn names<'m>(
        &self,
        owner: &UserId,
        mails: impl IntoIterator<Item = &'m Mail>,
    ) -> Result<KnownNames, ServiceError> {
        let addresses = mails.into_iter().flat_map(Mail::people).map(|person| person.address.to_lowercase());
        let addresses: BTreeSet<String> = addresses.filter(|address| !address.is_empty()).collect();
        self.book.names_of(owner, &addresses).await
    }
}

/// What a card calls the origin of a mail's words.
pub(super) fn source_of(mail: &Mail, names: &KnownNames) -> String {
    format!("a mail from {}", writer(mail, names))
}

/// Who wrote a mail, as the owner knows them; their own mails are theirs under whatever name.
pub(super) fn writer(mail: &Mail, names: &KnownNames) -> String {
    let from = &mail.head.parsed.from;
    if mail.is_own() && !from.name.is_empty() { visible(&from.name) } else { from.label(names) }
}

/// The question for a missing parameter.
pub(super) fn question(param: &str) -> &'static str {
    match param {
        "to" => "Who should it go to?",
        "subject" => "What should the subject be?",
        "body" => "What should it say?",
        _ => "Which mail do you mean?",
    }
}
