//! Who sends as whom. Nobody sends in somebody else's name: an account is its holder's, and who has none can draft.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use lettre::Address;

use super::mail_change::{MailChange, MailRef};
use super::older_mail::OlderMail;
use super::source::maildir::Maildir;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::Attempt;
use crate::services::email::compose::composing::same_address;
use crate::services::email::delivery::send::smtp::{Sender, Sent, Smtp};
use crate::services::remote::backend::Unwritten;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Target};

/// Where mail goes out, and where it is kept if that is elsewhere. The border between *not sent* and *perhaps sent* is
/// exact (see [`Sent`]).
#[async_trait]
pub trait MailBackend: Debug + Send + Sync + 'static {
    /// As whom mail goes out here, the default first. One at least.
    fn senders(&self) -> &[Sender];

    /// What stands below everything that is written from here.
    fn signature(&self) -> Option<&str> {
        None
    }

    /// Whether a copy of what was sent is kept there without our doing, so that one of ours would be a second one.
    fn files_sent(&self) -> bool {
        false
    }

    /// One attempt to send `mail` to all of `to`, as one of the [senders](Self::senders).
    async fn send(&self, from: &Address, to: &[Address], mail: &[u8]) -> Sent;

    /// Whether its mail is kept there, with the Maildir as a replica. What only sends keeps nothing.
    fn keeps_mail(&self) -> bool {
        false
    }

    /// Whether the mail in a file of this name may be one that is kept there. Asked only of what keeps mail.
    fn has(&self, _file: &str) -> bool {
        true
    }

    /// Makes a change in the mailbox there, in one attempt that is bounded in time by itself; never over what was
    /// changed there since. Asked only of what keeps mail.
    async fn write(&self, _: &RequestContext, _: &MailChange, _: &Attempt) -> Result<(), Unwritten> {
        Ok(())
    }

    /// Whether this attempt was made, as far as the mailbox there shows it; `None` when it cannot tell. Asked after a
    /// crash, and of the copy in Sent when nobody knows whether a mail went out: that one is there too when the server
    /// has filed a mail of the same Message-ID by itself, wherever it does.
    async fn settled(&self, _: &RequestContext, _: &MailChange, _: &Attempt) -> Option<bool> {
        None
    }

    /// Lays mails here that fit and are older than what of it is kept here: how many; `None` where the wanted ones are
    /// not older.
    async fn bring_older(&self, _: &RequestContext, _: &Maildir, _: &OlderMail) -> Result<Option<usize>, String> {
        Ok(None)
    }

    /// The whole of a mail of which only the beginning is kept here; `None` where that is all there is.
    async fn whole(&self, _: &RequestContext, _: &MailRef) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(None)
    }
}

#[async_trait]
impl MailBackend for Smtp {
    fn senders(&self) -> &[Sender] {
        self.senders()
    }

    fn signature(&self) -> Option<&str> {
        self.signature()
    }

    fn files_sent(&self) -> bool {
        self.files_sent()
    }

    async fn send(&self, from: &Address, to: &[Address], mail: &[u8]) -> Sent {
        self.send(from, to, mail).await
    }
}

/// One account.
#[derive(Debug, Clone)]
pub struct MailAccount {
    /// Unique among all accounts of everybody.
    pub id: String,
    /// What the holders call it.
    pub label: String,
    /// Whose it is.
    pub holders: Vec<Holder>,
    /// Where its mail goes out.
    pub backend: Arc<dyn MailBackend>,
}

impl MailAccount {
    /// The account of a mail server, under the address that it sends from; another address is another account.
    pub fn of(backend: impl MailBackend, holders: impl Into<Vec<Holder>>) -> Self {
        let address = backend.senders().first().map(|sender| sender.address.to_string()).unwrap_or_default();
        Self { id: format!("mail:{address}"), label: address, holders: holders.into(), backend: Arc::new(backend) }
    }
}

impl MailAccount {
    /// The sender of this address.
    pub(in crate::services::email) fn sender(&self, address: &str) -> Option<&Sender> {
        self.backend.senders().iter().find(|sender| same_address(sender.address.as_ref(), address))
    }
}

/// The accounts of everybody.
#[derive(Debug, Clone, Default)]
pub struct MailAccounts(Vec<MailAccount>);

impl MailAccounts {
    /// These; of several of one person the first one sends, unless another is chosen.
    pub fn new(accounts: impl Into<Vec<MailAccount>>) -> Self {
        Self(accounts.into())
    }

    /// Nobody has any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::services::email) fn of<'a>(&'a self, owner: &'a UserId) -> impl Iterator<Item = &'a MailAccount> {
        self.0.iter().filter(move |account| account.holders.iter().any(|holder| holder.is(owner)))
    }

    /// The account that something is sent from: that of the target, else the one that has this address, else the
    /// person's first.
    pub(in crate::services::email) fn acting(
        &self,
        owner: &UserId,
        from: Option<&str>,
        target: Option<&Target>,
    ) -> Option<ActingAccount> {
        let target = target.and_then(|target| target.account.as_deref());
        let is_it = |account: &&MailAccount| match (target, from) {
            (Some(id), _) => account.id == id,
            (None, Some(from)) => account.sender(from).is_some(),
            (None, None) => true,
        };
        Some(self.named(owner, self.of(owner).find(is_it)?))
    }

    /// The account in which something becomes of the mail in a file of this name, or of a new one; `None`: the Maildir
    /// is all there is.
    pub(in crate::services::email) fn keeping(&self, owner: &UserId, file: Option<&str>) -> Option<ActingAccount> {
        let has_it = |account: &&MailAccount| file.is_none_or(|file| account.backend.has(file));
        let keeper = self.of(owner).filter(|account| account.backend.keeps_mail()).find(has_it)?;
        Some(self.named(owner, keeper))
    }

    /// The accounts, by their ids, whose mail is kept there.
    pub(in crate::services::email) fn kept_elsewhere(&self, owner: &UserId) -> Vec<String> {
        let keepers = self.of(owner).filter(|account| account.backend.keeps_mail());
        keepers.map(|account| account.id.clone()).collect()
    }

    fn named(&self, owner: &UserId, account: &MailAccount) -> ActingAccount {
        let label = Some(account.label.clone()).filter(|_| self.of(owner).count() > 1);
        ActingAccount { id: account.id.clone(), label }
    }

    /// Where the mail of an action goes out. An action of before there were several is sent from the first.
    pub(in crate::services::email) fn backend(
        &self,
        owner: &UserId,
        account: Option<&ActingAccount>,
    ) -> Result<Arc<dyn MailBackend>, ServiceError> {
        let acts = |candidate: &&MailAccount| account.is_none_or(|acting| acting.id == candidate.id);
        let found = self.of(owner).find(acts).map(|account| account.backend.clone());
        found.ok_or_else(|| ServiceError::NotSetUp(self.why_none(account.is_some()).to_owned()))
    }

    fn why_none(&self, was_there: bool) -> &'static str {
        match (was_there, self.0.is_empty()) {
            (true, _) => {
                "The mail account that this was to be sent from is not set up here any more, so nothing was sent."
            }
            (false, true) => "No outgoing mail server is set up (SMTP_URL), so nothing was sent.",
            (false, false) => {
                "You have no mail account here, and I send nothing in somebody else's name, so nothing was sent."
            }
        }
    }

    /// All addresses of this person's, in small letters; the first is the one that their mail carries.
    pub(in crate::services::email) fn addresses(&self, owner: &UserId) -> Vec<String> {
        let senders = self.of(owner).flat_map(|account| account.backend.senders());
        let mut addresses: Vec<String> = Vec::new();
        for address in senders.map(|sender| sender.address.to_string().to_lowercase()) {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    fn account(holders: impl Into<Vec<Holder>>) -> MailAccounts {
        let url = "smtp://mara%40example.com:secret@127.0.0.1:25".into();
        MailAccounts::new([MailAccount::of(Smtp::from_url(&url).unwrap(), holders)])
    }

    #[test]
    fn nobody_sends_in_somebody_elses_name() {
        let first = Arc::new(OnceLock::new());
        let accounts = account([Holder::FirstAdmin(first.clone()), Holder::Terminal]);
        let sends =
            |owner: &str| accounts.backend(&UserId::new(owner), None).map(|_| ()).map_err(|why| why.to_string());
        assert!(sends("tg:1").is_err(), "nobody is known to be the first admin");
        first.set(UserId::new("tg:1")).unwrap();
        assert_eq!((sends("tg:1"), sends("mara")), (Ok(()), Ok(())));
        assert!(sends("tg:2").unwrap_err().contains("nothing in somebody else's name, so nothing was sent"));
        assert_eq!(
            (accounts.acting(&UserId::new("tg:2"), None, None), accounts.addresses(&UserId::new("tg:2"))),
            (None, vec![])
        );
        assert_eq!(accounts.addresses(&UserId::new("tg:1")), ["mara@example.com"]);
    }

    #[test]
    fn another_account_than_was_agreed_to_sends_nothing() {
        let accounts = account([Holder::Everybody]);
        let me = UserId::new("tg:1");
        let agreed = accounts.acting(&me, None, None).unwrap();
        assert!(accounts.backend(&me, Some(&agreed)).is_ok());
        let other = ActingAccount { id: "mail:other@example.com".to_owned(), label: None };
        assert!(accounts.backend(&me, Some(&other)).unwrap_err().to_string().contains("is not set up here any more"));
    }
}
