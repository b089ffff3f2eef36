//! Mail on a real server: a Dovecot that keeps it, and an SMTP conversation by which it goes out.
//!
//! With `BRAIN_TESTS_MAIL=imap` every rig has such an account where a test says nothing about accounts or sending: what
//! holds with a mailbox here is shown to hold with one there.

use std::sync::Arc;
use std::time::Duration;

use brain_agent::accounts::{
    AccountConfig, AccountPerson, AccountStates, ChosenCollections, FixedLogin, Sender, ServerAddress, ServerTls,
};
use brain_agent::app;
use brain_agent::clock::SystemClock;
use brain_agent::core::ids::UserId;
use brain_agent::ports::{Index, Store};
use brain_agent::search::SearchIndex;
use brain_agent::services::Accounts;
use brain_agent::services::contract::capabilities::{ContextSource as _, Mirroring as _};
use brain_agent::services::contract::holder::Holder;
use brain_agent::services::email::imap::mailbox::ImapMailbox;
use brain_agent::services::email::imap::sync_worker::{KeptAccount, MailSyncWorker};
use brain_agent::services::email::mailbox::accounts::{MailAccount, MailAccounts};
use brain_agent::services::email::mailbox::elsewhere::MailElsewhere;
use brain_agent::services::email::mailbox::mailboxes::Mailboxes;
use brain_agent::store::RedbStore;

use super::{ME, Rig, Sending, Setup};
use crate::support::dovecot::{Delivered, Dovecot};
use crate::support::smtp_server::{Mode, SmtpServer};

pub const ALEX: &str = "alex.morgan@example.com";

/// Where the person's mail is.
pub struct RealMail {
    pub server: Dovecot,
    pub smtp: SmtpServer,
    kept: KeptAccount,
    account: AccountConfig,
    store: Arc<RedbStore>,
    _folder: tempfile::TempDir,
}

impl RealMail {
    pub fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let server = Dovecot::setup().user(ALEX, "secret").start();
        let smtp = SmtpServer::start(Mode::Accept);
        let here = |port| Some(ServerAddress { host: "127.0.0.1".to_owned(), port, tls: ServerTls::Plain });
        let account = AccountConfig {
            id: "acct:alex".to_owned(),
            person: AccountPerson::First,
            name: "home".to_owned(),
            addresses: vec![Sender { name: None, address: ALEX.parse().unwrap() }],
            login: Arc::new(FixedLogin::new(ALEX, "secret".to_owned())),
            authorities: None,
            imap: here(server.port()),
            smtp: here(smtp.port()),
            caldav: None,
            carddav: None,
            chosen: ChosenCollections::default(),
            signature: None,
            mail_days: 100_000,
            files_sent: false,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        // A rig is made within a test's own runtime, which must not wait.
        let opening = std::thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(app::open_store(&path)).unwrap()
        });
        let store = opening.join().unwrap();
        let mailbox = ImapMailbox::of(&account, store.clone()).unwrap();
        let kept = KeptAccount { id: account.id.clone(), holders: vec![Holder::Everybody], mailbox };
        Self { server, smtp, kept, account, store, _folder: folder }
    }

    /// One of a rig whose test says nothing about it, if this run is about real mail.
    pub(super) fn asked_for(setup: &Setup) -> Option<Self> {
        let says_nothing = setup.accounts.mail.is_empty() && setup.sending == Sending::Accepted;
        let is_asked_for = std::env::var("BRAIN_TESTS_MAIL").is_ok_and(|kept| kept == "imap");
        (is_asked_for && says_nothing).then(Self::new)
    }

    /// The same with this account.
    pub fn over(&self, setup: Setup) -> Setup {
        let backend = MailElsewhere::of(&self.account, None, Some(self.kept.mailbox.clone()));
        let (id, label, holders) = (self.account.id.clone(), "home".to_owned(), vec![Holder::Everybody]);
        let mail = MailAccounts::new([MailAccount { id, label, holders, backend: Arc::new(backend) }]);
        let sending = if setup.sending == Sending::Accepted { Sending::Real } else { setup.sending };
        Setup { accounts: Accounts { mail, ..setup.accounts }, sending, ..setup }
    }

    /// Puts these mails there, and brings them here.
    pub async fn delivers(&self, rig: &Rig, mails: &[String]) {
        for (number, mail) in mails.iter().enumerate() {
            let arrived = Some(1_768_204_800 + u64::try_from(number).unwrap());
            self.server.deliver_as(ALEX, "INBOX", mail, Delivered { flags: &[], arrived });
        }
        let store: Arc<dyn Store> = self.store.clone();
        let index: Arc<dyn Index> = Arc::new(SearchIndex::new(store, Vec::new(), None));
        let mailboxes = Mailboxes::new(rig.folder(), Some(ALEX.to_owned()), index);
        let states = Arc::new(AccountStates::default());
        let keeper =
            MailSyncWorker::new(vec![self.kept.clone()], mailboxes, states.clone(), Arc::new(SystemClock::new()));
        let ctx = rig.brain.context_of(&UserId::new(ME)).await.unwrap();
        keeper.catch_up(&ctx, Duration::from_secs(60)).await;
        let state = states.of(&self.account.id);
        assert!(state.synced.is_some(), "{state:?}\n{}", self.server.log());
    }
}
