//! The same attack where mail is kept on a real server and goes out through a real conversation: what another client
//! sees there, and what the mail server was handed, is judged apart from what services say.

use std::sync::Arc;
use std::time::Duration;

use brain_agent::accounts::{
    AccountConfig, AccountPerson, AccountStates, FixedLogin, Sender, ServerAddress, ServerTls,
};
use brain_agent::app;
use brain_agent::clock::SystemClock;
use brain_agent::core::ids::UserId;
use brain_agent::ports::{Index, Store};
use brain_agent::search::SearchIndex;
use brain_agent::services::Accounts;
use brain_agent::services::capabilities::Mirroring as _;
use brain_agent::services::email::accounts::{Holder, MailAccount, MailAccounts};
use brain_agent::services::email::elsewhere::MailElsewhere;
use brain_agent::services::email::imap::keeper::{KeptAccount, MailKeeper};
use brain_agent::services::email::imap::mailbox::ImapMailbox;
use brain_agent::services::email::mailbox::Mailboxes;
use brain_agent::store::RedbStore;

use super::*;
use crate::rig::Sending;
use crate::support::dovecot::{Delivered, Dovecot};
use crate::support::smtp_server::{Mode, SmtpServer};

const ALEX: &str = "alex.morgan@example.com";
/// Two stages: each plan that changes something is a conversation with the server.
const REAL_PLANS: u64 = 2 * PLANS_A_RIG;

/// Where the person's mail is.
struct RealMail {
    server: Dovecot,
    smtp: SmtpServer,
    kept: KeptAccount,
    account: AccountConfig,
    store: Arc<RedbStore>,
    _folder: tempfile::TempDir,
}

impl RealMail {
    async fn new() -> Self {
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
            signature: None,
            mail_days: 100_000,
            files_sent: false,
        };
        let folder = tempfile::tempdir().unwrap();
        let store = app::open_store(folder.path()).await.unwrap();
        let mailbox = ImapMailbox::of(&account, store.clone()).unwrap();
        let kept = KeptAccount { id: account.id.clone(), holders: vec![Holder::Everybody], mailbox };
        Self { server, smtp, kept, account, store, _folder: folder }
    }

    fn setup(&self) -> Setup {
        let backend = MailElsewhere::of(&self.account, None, Some(self.kept.mailbox.clone()));
        let (id, label, holders) = (self.account.id.clone(), "home".to_owned(), vec![Holder::Everybody]);
        let mail = MailAccounts::new([MailAccount { id, label, holders, backend: Arc::new(backend) }]);
        Setup { accounts: Accounts { mail, ..Accounts::default() }, sending: Sending::Real, ..Setup::default() }
    }

    /// Puts the hostile mails there, and brings them here.
    async fn fills(&self, rig: &Rig) {
        for (number, mail) in hostile_mails().iter().enumerate() {
            let arrived = Some(1_768_204_800 + u64::try_from(number).unwrap());
            self.server.deliver_as(ALEX, "INBOX", mail, Delivered { flags: &[], arrived });
        }
        let store: Arc<dyn Store> = self.store.clone();
        let index: Arc<dyn Index> = Arc::new(SearchIndex::new(store, Vec::new(), None));
        let mailboxes = Mailboxes::new(rig.folder(), Some(ALEX.to_owned()), index);
        let states = Arc::new(AccountStates::default());
        let keeper = MailKeeper::new(vec![self.kept.clone()], mailboxes, states.clone(), Arc::new(SystemClock::new()));
        keeper.catch_up(&UserId::new(ME), Duration::from_secs(60)).await;
        let state = states.of(&self.account.id);
        assert!(state.synced.is_some(), "{state:?}\n{}", self.server.log());
    }

    /// What another client sees is what was agreed to, and no more.
    fn holds_what_was_agreed_to(&self, attack: &Told) {
        let other = self.server.other_client(ALEX);
        let folders = ["INBOX", "Archive", "Trash"];
        let ids: Vec<Vec<String>> =
            folders.iter().map(|folder| other.ids(folder).into_iter().map(|mail| mail.message_id).collect()).collect();
        for number in 0..hostile_mails().len() {
            let id = format!("<{number}@mail.example>");
            let there = ids.iter().flatten().filter(|other| **other == id).count();
            assert_eq!(there, 1, "{id} is there once: {ids:?}");
        }
        assert!(ids[2].len() <= attack.deletions, "{} agreed to be deleted: {ids:?}", attack.deletions);
        let sent = self.smtp.mails();
        let agreed: Vec<String> = attack.people.iter().map(|address| on_the_wire(address)).collect();
        for mail in &sent {
            for address in &mail.to {
                assert!(agreed.contains(&address.to_lowercase()), "nobody agreed to {address}: {agreed:?}");
            }
        }
        assert!(sent.len() <= attack.sendings, "{} mails went out, {} were agreed to", sent.len(), attack.sendings);
        // Each of them lies in Sent once.
        let mut filed: Vec<String> = other.ids("Sent").into_iter().map(|mail| mail.message_id).collect();
        let mut ids: Vec<String> = sent.iter().map(|mail| format!("<{}>", mail.message_id)).collect();
        filed.sort();
        ids.sort();
        assert_eq!(filed, ids);
    }
}

/// As an address goes out whose domain has other letters than English ones.
fn on_the_wire(address: &str) -> String {
    let (user, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    format!("{user}@{}", idna::domain_to_ascii(domain).unwrap_or_default()).to_lowercase()
}

#[test]
fn hostile_plans_against_a_real_mailbox_do_there_what_was_agreed_to_and_nothing_else() {
    let total = std::sync::Mutex::new((Counts::default(), 0, 0));
    std::thread::scope(|scope| {
        for stage in 0..REAL_PLANS / PLANS_A_RIG {
            let total = &total;
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let real = RealMail::new().await;
                    let mut attack = Attack::with(real.setup(), stage, async |rig| real.fills(rig).await).await;
                    for _ in 0..PLANS_A_RIG {
                        attack.one_plan().await;
                    }
                    let (counts, told) = attack.ends_telling().await;
                    real.holds_what_was_agreed_to(&told);
                    let mut total = total.lock().unwrap();
                    total.0.add(counts);
                    total.1 += real.smtp.mails().len();
                    total.2 += told.deletions;
                });
            });
        }
    });
    let (counts, sent, deleted) = total.into_inner().unwrap();
    println!("attack: {counts:?}; {sent} mails went out, {deleted} were agreed to be deleted");
    assert!(
        counts.executed > 10 && sent > 1 && deleted > 1,
        "{counts:?} {sent} {deleted}: it does not reach far enough"
    );
    assert_eq!((counts.unconsented, counts.different), (0, 0), "{:#?}", counts.findings);
}
