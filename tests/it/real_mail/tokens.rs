//! A mailbox that is opened by tokens (OAuth 2): the mail server asks the token server about each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_agent::accounts::oauth::{OAuthLogin, OAuthSettings, TokenServer, TokenStore, Tokens};
use brain_agent::accounts::{AccountConfig, AccountPerson};
use brain_agent::secret_files;
use brain_agent::services::email::mailbox::mail_change::MailChange;
use chrono::{TimeDelta, Utc};

use super::world::{USER, World, account_at, mail};
use crate::support::dovecot::Dovecot;
use crate::support::program::{Console, Program, text_of};
use crate::support::token_server::{CLIENT_ID, TokenServer as Server};

/// Writes down what the token server grants now, as of an hour ago, good for so long by its own word.
async fn granted(store: &TokenStore, server: &Server, secs: i64) {
    let (access, refresh) = server.grant();
    let now = Utc::now();
    let tokens = Tokens {
        token_url: server.url("token"),
        client_id: CLIENT_ID.to_owned(),
        access: access.into(),
        obtained_at: now - TimeDelta::hours(1),
        expires_at: Some(now + TimeDelta::seconds(secs)),
        refresh: Some(refresh.into()),
        is_revoked: false,
        binding: None,
    };
    store.write(&tokens, &store.lock().await.unwrap()).unwrap();
}

const HOUR: i64 = 3_600;

/// A person whose account has tokens and no password.
struct WithTokens {
    world: World,
    server: Server,
    store: TokenStore,
    _folder: tempfile::TempDir,
}

impl WithTokens {
    async fn new(mechanisms: &str) -> Self {
        let server = Server::of(USER);
        let dovecot = Dovecot::setup().user(USER, "secret").oauth(&server.url("introspect"));
        let dovecot = dovecot.setting(&format!("auth_mechanisms = plain login {mechanisms}")).start();
        let folder = tempfile::tempdir().unwrap();
        let store = TokenStore::new(folder.path(), "acct:mara");
        let url = |path: &str| server.url(path).parse().unwrap();
        let settings = OAuthSettings {
            auth_url: None,
            token_url: url("token"),
            device_url: None,
            client_id: CLIENT_ID.to_owned(),
            client_secret: None,
            scopes: vec!["mail".to_owned()],
            extra: Vec::new(),
            redirect_host: "127.0.0.1".to_owned(),
            binding: None,
        };
        let login = OAuthLogin::new(USER, "work", TokenServer::new(settings, None).unwrap(), store.clone());
        let account = AccountConfig { login: Arc::new(login), ..account_at(dovecot.port()) };
        let world = World::with(dovecot, account).await;
        world.deliver("INBOX", mail("a", "Lunch", "lunch"));
        Self { world, server, store, _folder: folder }
    }

    async fn granted(&self, secs: i64) {
        granted(&self.store, &self.server, secs).await;
    }

    fn refreshed(&self) -> usize {
        self.server.count("refresh_token")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_signs_in_by_either_mechanism() {
    for (mechanisms, method) in [("xoauth2 oauthbearer", "OAUTHBEARER"), ("xoauth2", "XOAUTH2")] {
        let account = WithTokens::new(mechanisms).await;
        account.granted(HOUR).await;
        assert_eq!(account.world.synchronised().await.len(), 1);
        let log = account.world.server.log();
        assert!(log.contains(&format!("method={method}")), "{log}");
        let star = MailChange::Flag { mail: account.world.one("lunch").as_ref(), flag: 'F', wanted: true };
        account.world.changes(&star).await.unwrap();
        assert_eq!(account.world.other().ids("INBOX")[0].flags, ["\\Flagged"]);
        assert_eq!(account.refreshed(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_has_ended_or_is_no_longer_taken_is_renewed_once_and_signs_in() {
    for mechanisms in ["oauthbearer", "xoauth2"] {
        let account = WithTokens::new(mechanisms).await;
        // By its own word.
        account.granted(-1).await;
        assert_eq!(account.world.synchronised().await.len(), 1);
        assert_eq!(account.refreshed(), 1, "{mechanisms}");
        // By the mail server's alone.
        account.server.lives(0);
        account.granted(HOUR).await;
        account.server.lives(3_600);
        account.world.deliver("INBOX", mail("b", "News", "news"));
        assert_eq!(account.world.synchronised().await.len(), 2);
        assert_eq!(account.refreshed(), 2, "{mechanisms}");
        // And it serves on.
        account.world.synchronised().await;
        assert_eq!(account.refreshed(), 2, "{mechanisms}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_that_is_refused_asks_nobody_again_until_somebody_reconnects() {
    let account = WithTokens::new("oauthbearer xoauth2").await;
    account.granted(HOUR).await;
    account.world.synchronised().await;
    account.server.revoke_all();
    for _ in 0..3 {
        account.world.synchronise().await;
        let disconnected = account.world.account().disconnected.unwrap();
        assert!(disconnected.until_reconnected, "{disconnected:?}");
        let why = disconnected.why;
        assert!(why.contains("reconnect with: brain-agent setup account work") && !why.contains("geheim"), "{why}");
    }
    assert_eq!(account.refreshed(), 1);
    assert_eq!(account.world.held().len(), 1, "what is here stays");
    let star = MailChange::Flag { mail: account.world.one("lunch").as_ref(), flag: 'F', wanted: true };
    let refused = account.world.changes_anew(&star).await.unwrap_err().to_string();
    assert!(refused.contains("reconnect with") && refused.ends_with("Nothing was changed."), "{refused}");
    account.granted(HOUR).await;
    account.world.deliver("INBOX", mail("b", "News", "news"));
    assert_eq!(account.world.synchronised().await.len(), 2);
    account.world.changes_anew(&star).await.unwrap();
    assert_eq!(account.refreshed(), 1);
}

/// Asks until the answer has this in it; everything that was shown.
fn asks_until(console: &mut Console, words: &str) -> String {
    let (began, mut shown) = (Instant::now(), String::new());
    loop {
        let said = text_of(&console.say("any mail from Bob?"));
        shown.push_str(&said);
        if shown.contains(words) {
            return shown;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no {words:?} in {shown}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_once_to_reconnect_and_is_answered_from_what_is_here() {
    let server = Server::of(USER);
    let dovecot = Dovecot::setup().user(USER, "secret").oauth(&server.url("introspect")).start();
    dovecot.deliver(USER, "INBOX", mail("a", "Lunch", "lunch"));
    let program = Program::new();
    let account = format!(
        "[[account]]\nname = \"work\"\naddresses = [\"{USER}\"]\nimap = \"imap://127.0.0.1:{}\"\n{}\n",
        dovecot.port(),
        server.toml()
    );
    secret_files::write(&program.data_dir().join("accounts.toml"), &account).unwrap();
    let id = AccountConfig::id_of(&AccountPerson::First, &USER.parse().unwrap());
    let store = TokenStore::new(program.data_dir(), &id);
    granted(&store, &server, HOUR).await;
    let limit = Duration::from_secs(60);
    let mut console = program.console(&[]).limit(limit);
    asks_until(&mut console, "Lunch");
    console.finish();
    server.revoke_all();
    let (told, away) = ("🔌 Your mail account work", "is not connected since");
    let mut console = program.console(&[]).limit(limit);
    let shown = asks_until(&mut console, told);
    let said = asks_until(&mut console, "⚠️");
    assert!(shown.contains("reconnect with: brain-agent setup account work"), "{shown}");
    assert!(said.contains("Lunch") && said.contains(away), "{said}");
    assert_eq!(format!("{shown}{said}").matches(told).count(), 1, "{shown}{said}");
    console.finish();
    assert_eq!(server.count("refresh_token"), 1, "it was refused once");
    // A further life says it in its answers alone.
    let mut console = program.console(&[]).limit(limit);
    let said = asks_until(&mut console, away);
    assert!(said.contains("Lunch") && !said.contains(told), "{said}");
    console.finish();
    // Somebody gives access again.
    granted(&store, &server, HOUR).await;
    dovecot.deliver(USER, "INBOX", mail("b", "News", "news"));
    let mut console = program.console(&[]).limit(limit);
    let said = asks_until(&mut console, "News");
    assert!(!said.contains(told), "{said}");
    console.finish();
}
