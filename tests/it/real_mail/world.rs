//! A person whose mail is on a real server, and the parts of the program that keep it here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use brain_agent::accounts::{
    AccountConfig, AccountPerson, AccountStates, ChosenCollections, FixedLogin, Sender, ServerAddress, ServerTls,
};
use brain_agent::app;
use brain_agent::clock::SystemClock;
use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::language::time::DateOrder;
use brain_agent::ports::{Index, Store};
use brain_agent::search::SearchIndex;
use brain_agent::services::contract::capabilities::{ContextSource, Mirroring as _};
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::holder::Holder;
use brain_agent::services::contract::service::Attempt;
use brain_agent::services::email::imap::mailbox::ImapMailbox;
use brain_agent::services::email::imap::sync_worker::{KeptAccount, MailSyncWorker};
use brain_agent::services::email::mailbox::accounts::MailBackend;
use brain_agent::services::email::mailbox::elsewhere::MailElsewhere;
use brain_agent::services::email::mailbox::mail_change::{MailChange, MailRef};
use brain_agent::services::email::mailbox::mailboxes::Mailboxes;
use brain_agent::services::email::mailbox::source::maildir::Maildir;
use brain_agent::services::remote::backend::Unwritten;
use brain_agent::store::RedbStore;
use chrono::{NaiveTime, Utc};
use tokio_util::sync::CancellationToken;

use crate::support::dovecot::{Dovecot, DovecotSetup, OtherClient};

/// Whose mail it is, at the server.
pub const USER: &str = "mara@example.com";
/// The id of the account.
const ACCOUNT: &str = "acct:mara";

/// The person, their server, and what the program keeps.
pub struct World {
    pub server: Dovecot,
    pub owner: UserId,
    pub states: Arc<AccountStates>,
    pub keeper: Arc<MailSyncWorker>,
    pub backend: MailElsewhere,
    pub data: tempfile::TempDir,
    store: Arc<RedbStore>,
    account: AccountConfig,
}

/// What lies here: folder, name without flags, flags, and the bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldMail {
    pub folder: String,
    pub name: String,
    pub flags: String,
    pub bytes: Vec<u8>,
}

impl HeldMail {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// As an account is asked for it.
    pub fn as_ref(&self) -> MailRef {
        let id = self.text().lines().find_map(|line| line.strip_prefix("Message-ID: <").map(str::to_owned));
        let message_id = id.map(|id| id.trim_end_matches('>').to_owned());
        MailRef { folder: self.folder.clone(), name: self.name.clone(), message_id }
    }
}

/// The only person there is.
struct Alone(RequestContext);

#[async_trait::async_trait]
impl ContextSource for Alone {
    async fn context_of(&self, _: &UserId) -> Option<RequestContext> {
        Some(self.0.clone())
    }
}

impl World {
    pub async fn new(setup: DovecotSetup) -> Self {
        Self::behind(setup, |server| server.port()).await
    }

    /// The same with another port in front of the server.
    pub async fn behind(setup: DovecotSetup, port: impl FnOnce(&Dovecot) -> u16) -> Self {
        let server = setup.user(USER, "secret").start();
        let account = account_at(port(&server));
        Self::with(server, account).await
    }

    /// The same with another way to that server.
    pub async fn with(server: Dovecot, account: AccountConfig) -> Self {
        Self::on(server, account, tempfile::tempdir().unwrap()).await
    }

    async fn on(server: Dovecot, account: AccountConfig, data: tempfile::TempDir) -> Self {
        // One TLS stack; it is the same for every test.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let kept_store = app::open_store(data.path()).await.unwrap();
        let store: Arc<dyn Store> = kept_store.clone();
        let index: Arc<dyn Index> = Arc::new(SearchIndex::new(store.clone(), Vec::new(), None));
        let mailboxes = Mailboxes::new(data.path(), Some(USER.to_owned()), index);
        let mailbox = ImapMailbox::of(&account, store.clone()).unwrap();
        let states = Arc::new(AccountStates::default());
        let kept = KeptAccount { id: account.id.clone(), holders: vec![Holder::Everybody], mailbox: mailbox.clone() };
        let keeper = MailSyncWorker::new(vec![kept], mailboxes, states.clone(), Arc::new(SystemClock::new()));
        let backend = MailElsewhere::of(&account, None, Some(mailbox));
        let (owner, keeper, store) = (UserId::new("tg:1"), Arc::new(keeper), kept_store);
        Self { server, owner, states, keeper, backend, data, store, account }
    }

    /// Another program in the same mailbox.
    pub fn other(&self) -> OtherClient {
        self.server.other_client(USER)
    }

    pub fn deliver(&self, folder: &str, mail: impl AsRef<[u8]>) {
        self.server.deliver(USER, folder, mail);
    }

    /// One pass over the account.
    pub async fn synchronise(&self) {
        self.keeper.catch_up(&self.ctx(), Duration::from_secs(120)).await;
    }

    /// One pass that must come to its end.
    pub async fn synchronised(&self) -> Vec<HeldMail> {
        self.synchronise().await;
        let state = self.states.of(ACCOUNT);
        assert!(state.disconnected.is_none() && state.synced.is_some(), "{state:?}\n{}", self.server.log());
        self.held()
    }

    pub fn account(&self) -> brain_agent::accounts::AccountState {
        self.states.of(ACCOUNT)
    }

    /// Keeps the account in step from now on, until the value is dropped.
    pub fn keeps(&self) -> tokio_util::sync::DropGuard {
        let stop = CancellationToken::new();
        self.keeper.serves(&self.owner);
        let (keeper, stopped, people) = (self.keeper.clone(), stop.clone(), Alone(self.ctx()));
        tokio::spawn(async move { keeper.follow(&people, &stopped).await });
        stop.drop_guard()
    }

    /// All that lies here, in order.
    pub fn held(&self) -> Vec<HeldMail> {
        let root: PathBuf = Maildir::of(self.data.path(), &self.owner).root().to_owned();
        let mut found = Vec::new();
        let folders = std::fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let folders = folders.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with('.'));
        for folder in std::iter::once(String::new()).chain(folders) {
            for part in ["new", "cur"] {
                let files = std::fs::read_dir(root.join(&folder).join(part)).into_iter().flatten().flatten();
                found.extend(files.map(|file| {
                    let name = file.file_name().into_string().unwrap();
                    let (base, flags) = name.split_once(":2,").unwrap_or((&name, ""));
                    HeldMail {
                        folder: folder.clone(),
                        name: base.to_owned(),
                        flags: flags.to_owned(),
                        bytes: std::fs::read(file.path()).unwrap(),
                    }
                }));
            }
        }
        found.sort();
        found
    }

    /// The one mail here with these words in it.
    pub fn one(&self, words: &str) -> HeldMail {
        let mut held: Vec<HeldMail> = self.held().into_iter().filter(|mail| mail.text().contains(words)).collect();
        assert_eq!(held.len(), 1, "{words}");
        held.remove(0)
    }

    /// Where the mails with these words lie here: folders and flags.
    pub fn places(&self, words: &str) -> Vec<(String, String)> {
        let held = self.held().into_iter().filter(|mail| mail.text().contains(words));
        held.map(|mail| (mail.folder, mail.flags)).collect()
    }

    /// One attempt at a change there.
    pub async fn changes(&self, change: &MailChange) -> Result<(), Unwritten> {
        self.backend.write(&self.ctx(), change, &Attempt { key: "k1".to_owned(), begun: Utc::now() }).await
    }

    /// The same over a connection of its own.
    pub async fn changes_anew(&self, change: &MailChange) -> Result<(), Unwritten> {
        let store: Arc<dyn Store> = self.store.clone();
        let backend = MailElsewhere::of(&self.account, None, ImapMailbox::of(&self.account, store));
        backend.write(&self.ctx(), change, &Attempt { key: "k1".to_owned(), begun: Utc::now() }).await
    }

    /// Whether a change is to be seen there.
    pub async fn is_settled(&self, change: &MailChange) -> Option<bool> {
        self.backend.settled(&self.ctx(), change, &Attempt { key: "k1".to_owned(), begun: Utc::now() }).await
    }

    pub fn ctx(&self) -> RequestContext {
        RequestContext {
            owner: self.owner.clone(),
            chat: ChatId::new("tg:1"),
            now: Utc::now(),
            zone: chrono_tz::Tz::UTC,
            order: DateOrder::usual_in(chrono_tz::Tz::UTC),
            hour: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            files: Vec::new(),
        }
    }

    /// As after a start: nothing is remembered but what was kept.
    pub async fn restarted(self) -> Self {
        let Self { server, data, store, account, .. } = self;
        store.close().await;
        Self::on(server, account, data).await
    }

    /// The same server, and nothing kept of it.
    pub async fn emptied(self) -> Self {
        let Self { server, store, account, .. } = self;
        store.close().await;
        Self::with(server, account).await
    }
}

/// An account of theirs: by a plain port of this machine, with the password.
pub fn account_at(port: u16) -> AccountConfig {
    AccountConfig {
        id: ACCOUNT.to_owned(),
        person: AccountPerson::First,
        name: "work".to_owned(),
        addresses: vec![Sender { name: None, address: USER.parse().unwrap() }],
        login: Arc::new(FixedLogin::new(USER, "secret".to_owned())),
        authorities: None,
        imap: Some(ServerAddress { host: "127.0.0.1".to_owned(), port, tls: ServerTls::Plain }),
        smtp: None,
        caldav: None,
        carddav: None,
        chosen: ChosenCollections::default(),
        signature: None,
        mail_days: 100_000,
        files_sent: false,
    }
}

/// A mail of somebody's.
pub fn mail(id: &str, subject: &str, text: &str) -> String {
    format!(
        "From: Bob <bob@work.example>\r\nTo: {USER}\r\nSubject: {subject}\r\n\
         Date: Mon, 12 Jan 2026 08:00:00 +0000\r\nMessage-ID: <{id}@work.example>\r\n\r\n{text}\r\n"
    )
}

/// What lies in each folder, by the first word of its text.
pub fn by_folder(held: &[HeldMail]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mail in held {
        let text = mail.text();
        let words = text.rsplit("\r\n\r\n").next().unwrap_or_default().trim().to_owned();
        found.entry(mail.folder.clone()).or_default().push(words);
    }
    found.values_mut().for_each(|words| words.sort());
    found
}
