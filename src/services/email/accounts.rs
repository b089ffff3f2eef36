//! Who sends as whom. Nobody sends in somebody else's name: an account is its holder's, and who has none can draft.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use lettre::Address;

use super::mail_change::MailChange;
use super::send::smtp::{Sender, Sent, Smtp};
use crate::core::ids::UserId;
use crate::core::plan::ActingAccount;
use crate::services::backend::Unwritten;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::service::Attempt;

/// Whose an account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// That of this person, once it is known who that is.
    FirstAdmin(Arc<OnceLock<UserId>>),
    /// That of whoever sits at this machine.
    Terminal,
    /// Everybody's: of a made-up world.
    Everybody,
}

impl Holder {
    fn is(&self, owner: &UserId) -> bool {
        match self {
            Self::FirstAdmin(person) => person.get() == Some(owner),
            Self::Terminal => owner.is_of_terminal(),
            Self::Everybody => true,
        }
    }
}

/// Where mail goes out, and where it is kept if that is elsewhere. The border between *not sent* and *perhaps sent* is
/// exact (see [`Sent`]).
#[async_trait]
pub trait MailBackend: Debug + Send + Sync + 'static {
    /// Whose mail goes out here.
    fn sender(&self) -> &Sender;

    /// One attempt to send `mail` to all of `to`.
    async fn send(&self, to: &[Address], mail: &[u8]) -> Sent;

    /// Whether its mail is kept there, with the Maildir as a replica. What only sends keeps nothing.
    fn keeps_mail(&self) -> bool {
        false
    }

    /// Makes a change in the mailbox there, in one attempt that is bounded in time by itself; never over what was
    /// changed there since. Asked only of what keeps mail.
    async fn write(&self, _: &RequestContext, _: &MailChange, _: &Attempt) -> Result<(), Unwritten> {
        Ok(())
    }

    /// After a crash: whether this attempt was made, as far as the mailbox there shows it. `None` when it cannot tell.
    async fn settled(&self, _: &RequestContext, _: &MailChange, _: &Attempt) -> Option<bool> {
        None
    }
}

#[async_trait]
impl MailBackend for Smtp {
    fn sender(&self) -> &Sender {
        self.sender()
    }

    async fn send(&self, to: &[Address], mail: &[u8]) -> Sent {
        self.send(to, mail).await
    }
}

/// One account.
#[derive(Debug, Clone)]
pub struct MailAccount {
    /// Unique among all accounts of everybody; another address is another account.
    pub id: String,
    /// What the holders call it.
    pub label: String,
    /// Whose it is.
    pub holders: Vec<Holder>,
    /// Where its mail goes out.
    pub backend: Arc<dyn MailBackend>,
}

impl MailAccount {
    /// The account of a mail server, under the address that it sends from.
    pub fn of(backend: impl MailBackend, holders: impl Into<Vec<Holder>>) -> Self {
        let address = backend.sender().address.to_string();
        Self { id: format!("mail:{address}"), label: address, holders: holders.into(), backend: Arc::new(backend) }
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

    fn of<'a>(&'a self, owner: &'a UserId) -> impl Iterator<Item = &'a MailAccount> {
        self.0.iter().filter(move |account| account.holders.iter().any(|holder| holder.is(owner)))
    }

    /// The account that something is sent from.
    pub(super) fn acting(&self, owner: &UserId) -> Option<ActingAccount> {
        Some(self.named(owner, self.of(owner).next()?))
    }

    /// The account in which something becomes of mail that is there; `None`: the Maildir is all there is.
    pub(super) fn keeping(&self, owner: &UserId) -> Option<ActingAccount> {
        let keeper = self.of(owner).find(|account| account.backend.keeps_mail())?;
        Some(self.named(owner, keeper))
    }

    /// The accounts, by their ids, whose mail is kept there.
    pub(super) fn kept_elsewhere(&self, owner: &UserId) -> Vec<String> {
        let keepers = self.of(owner).filter(|account| account.backend.keeps_mail());
        keepers.map(|account| account.id.clone()).collect()
    }

    fn named(&self, owner: &UserId, account: &MailAccount) -> ActingAccount {
        let label = Some(account.label.clone()).filter(|_| self.of(owner).count() > 1);
        ActingAccount { id: account.id.clone(), label }
    }

    /// Where the mail of an action goes out. An action of before there were several is sent from the first.
    pub(super) fn backend(
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

    /// The address that this person's mail carries.
    pub(super) fn address(&self, owner: &UserId) -> Option<String> {
        Some(self.of(owner).next()?.backend.sender().address.to_string().to_lowercase())
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!((accounts.acting(&UserId::new("tg:2")), accounts.address(&UserId::new("tg:2"))), (None, None));
        assert_eq!(accounts.address(&UserId::new("tg:1")).as_deref(), Some("mara@example.com"));
    }

    #[test]
    fn another_account_than_was_agreed_to_sends_nothing() {
        let accounts = account([Holder::Everybody]);
        let me = UserId::new("tg:1");
        let agreed = accounts.acting(&me).unwrap();
        assert!(accounts.backend(&me, Some(&agreed)).is_ok());
        let other = ActingAccount { id: "mail:other@example.com".to_owned(), label: None };
        assert!(accounts.backend(&me, Some(&other)).unwrap_err().to_string().contains("is not set up here any more"));
    }
}
