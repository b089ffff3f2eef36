//! Access by OAuth 2, from the browser to the renewed token, against a token server that misbehaves.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brain_agent::accounts::oauth::{
    Authorization, CodeError, DeviceAuthorization, GrantError, OAuthLogin, OAuthSettings, TokenServer, TokenStore,
    Tokens,
};
use brain_agent::accounts::{Credential, Login, LoginError, SecretPlace};
use brain_agent::secret_files;
use chrono::{TimeDelta, Utc};
use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::token_server::{CLIENT_ID, Device, TokenServer as Server, Trouble};

fn settings(server: &Server) -> OAuthSettings {
    let url = |path: &str| server.url(path).parse().unwrap();
    OAuthSettings {
        auth_url: Some(url("authorize")),
        token_url: url("token"),
        device_url: Some(url("device")),
        client_id: CLIENT_ID.to_owned(),
        client_secret: None,
        scopes: vec!["mail".to_owned()],
        extra: vec![("prompt".to_owned(), "consent".to_owned())],
        redirect_host: "127.0.0.1".to_owned(),
        binding: None,
    }
}

fn ours(server: &Server) -> TokenServer {
    TokenServer::new(settings(server), None).unwrap()
}

/// An account whose tokens end after so long.
struct Account {
    folder: TempDir,
    server: Server,
}

impl Account {
    async fn with_tokens_that_live(secs: i64) -> Self {
        let account = Self { folder: TempDir::new().unwrap(), server: Server::of("anna@example.com") };
        account.reconnect(secs).await;
        account
    }

    async fn reconnect(&self, secs: i64) {
        let (access, refresh) = self.server.grant();
        let now = Utc::now();
        let tokens = Tokens {
            token_url: self.server.url("token"),
            client_id: CLIENT_ID.to_owned(),
            access: access.into(),
            obtained_at: now - TimeDelta::hours(1),
            expires_at: Some(now + TimeDelta::seconds(secs)),
            refresh: Some(refresh.into()),
            is_revoked: false,
            binding: None,
        };
        let store = self.store();
        store.write(&tokens, &store.lock().await.unwrap()).unwrap();
    }

    /// In a folder that the first tokens make.
    fn store(&self) -> TokenStore {
        TokenStore::new(&self.folder.path().join("state"), "acct:0123abcd")
    }

    fn login(&self) -> OAuthLogin {
        OAuthLogin::new("anna@example.com", "work", ours(&self.server), self.store())
    }

    fn refreshed(&self) -> usize {
        self.server.count("refresh_token")
    }
}

async fn bearer(login: &OAuthLogin) -> Result<String, LoginError> {
    match login.credential().await? {
        Credential::Bearer(token) => Ok(token.expose_secret().to_owned()),
        Credential::Password(_) => panic!("a password"),
    }
}

async fn get(address: &str) -> (u16, String, Option<String>) {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap();
    let answer = client.get(address).send().await.unwrap();
    let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
    (answer.status().as_u16(), answer.text().await.unwrap(), to)
}

#[tokio::test]
async fn a_browser_brings_a_code_that_only_we_can_use() {
    let server = Server::of("anna@example.com");
    server.wants_secret("s3cret/+");
    let with_secret = OAuthSettings { client_secret: Some(SecretPlace::Value("s3cret/+".into())), ..settings(&server) };
    let ours = TokenServer::new(with_secret, None).unwrap();
    let attempt = Authorization::begin(&ours).await.unwrap();
    let asked: Vec<(String, String)> = attempt.url().query_pairs().into_owned().collect();
    let value = |name: &str| asked.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(
        (value("code_challenge_method"), value("scope"), value("prompt")),
        (Some("S256"), Some("mail"), Some("consent"))
    );
    assert!(value("redirect_uri").unwrap().starts_with("http://127.0.0.1:"));
    let browser = async {
        let (_, _, to) = get(attempt.url().as_str()).await;
        get(&to.unwrap()).await
    };
    let (code, (status, page, _)) = tokio::join!(attempt.answered(), browser);
    assert!(status == 200 && page.contains("You can close this page"), "{page}");
    let tokens = attempt.tokens(&ours, code.unwrap()).await.unwrap();
    assert!(server.is_active(tokens.access.expose_secret()) && tokens.refresh.is_some() && tokens.expires_at.is_some());
    let form = &server.requests()[0];
    assert!(form["code_verifier"].len() >= 43 && !asked.iter().any(|(_, value)| *value == form["code_verifier"]));
    assert!(!format!("{tokens:?}").contains("geheim"), "{tokens:?}");
}

#[tokio::test]
async fn a_code_without_our_state_and_whatever_else_connects_changes_nothing() {
    let server = Server::of("anna@example.com");
    let ours = ours(&server);
    let attempt = Authorization::begin(&ours).await.unwrap();
    let here = attempt.url().query_pairs().find(|(key, _)| key == "redirect_uri").unwrap().1.into_owned();
    let address = here.strip_prefix("http://").unwrap().to_owned();
    let strangers = async {
        // One that never says anything, beside all the rest.
        let silent = TcpStream::connect(&address).await.unwrap();
        let (foreign, page, _) = get(&format!("{here}/?code=stolen<b>&state=guessed")).await;
        assert!(foreign == 404 && page.contains("nothing has changed") && !page.contains("stolen"), "{page}");
        assert_eq!(get(&format!("{here}/favicon.ico")).await.0, 404);
        assert_eq!(get(&here).await.0, 404);
        for nonsense in ["POST / HTTP/1.1\r\n\r\n".to_owned(), "\r\n\r\n".to_owned(), "x".repeat(100_000)] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            let _ = stream.write_all(nonsense.as_bytes()).await;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            assert!(answer.is_empty());
        }
        let (_, _, to) = get(attempt.url().as_str()).await;
        let to = to.unwrap();
        assert_eq!(get(&to).await.0, 200);
        drop(silent);
        to
    };
    let (code, to) = tokio::join!(attempt.answered(), strangers);
    // The same, pasted by a person; and what a person pastes by mistake.
    assert!(attempt.pasted(&format!("  {to}\n")).is_ok());
    for (pasted, expected) in [
        ("hello", CodeError::NotOurs),
        ("https://example.com/?code=x&state=y", CodeError::NotOurs),
        (here.as_str(), CodeError::NotOurs),
        (&*format!("{here}/?code=x&state=y"), CodeError::OtherAttempt),
        (&*to.replace("code=", "error="), CodeError::Denied),
        (&*to.replace("127.0.0.1", "127.0.0.2"), CodeError::NotOurs),
    ] {
        assert_eq!(attempt.pasted(pasted).map(|_| ()).unwrap_err(), expected, "{pasted}");
    }
    assert!(attempt.tokens(&ours, code.unwrap()).await.is_ok());
}

#[tokio::test]
async fn connections_that_say_nothing_keep_no_browser_out() {
    let server = Server::of("anna@example.com");
    let ours = ours(&server);
    let attempt = Authorization::begin(&ours).await.unwrap();
    let here = attempt.url().query_pairs().find(|(key, _)| key == "redirect_uri").unwrap().1.into_owned();
    let address = here.strip_prefix("http://").unwrap().to_owned();
    let browser = async {
        let mut idle = Vec::new();
        for _ in 0..300 {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            let _ = stream.write_all(b"GET /?code").await;
            idle.push(stream);
        }
        let began = std::time::Instant::now();
        assert_eq!(get(&here).await.0, 404);
        let (_, _, to) = get(attempt.url().as_str()).await;
        assert_eq!(get(&to.unwrap()).await.0, 200);
        assert!(began.elapsed() < std::time::Duration::from_secs(2), "{:?}", began.elapsed());
        idle
    };
    let (code, _idle) = tokio::join!(attempt.answered(), browser);
    assert!(attempt.tokens(&ours, code.unwrap()).await.is_ok());
}

#[tokio::test]
async fn who_says_no_in_the_browser_gives_nothing() {
    let server = Server::of("anna@example.com");
    server.denies();
    let attempt = Authorization::begin(&ours(&server)).await.unwrap();
    let browser = async {
        let (_, _, to) = get(attempt.url().as_str()).await;
        get(&to.unwrap()).await
    };
    let (code, (_, page, _)) = tokio::join!(attempt.answered(), browser);
    assert_eq!(code.map(|_| ()), Err(GrantError::Denied));
    assert!(page.contains("Access was not given"), "{page}");
}

#[tokio::test]
async fn another_device_is_asked_about_no_more_often_than_allowed() {
    for (answers, waits, expected) in [
        (vec![Device::Pending, Device::Pending, Device::Yes], vec![1, 1], Ok(())),
        (vec![Device::SlowDown, Device::Pending, Device::Yes], vec![6, 6], Ok(())),
        (vec![Device::Pending, Device::Denied], vec![1], Err(GrantError::Denied)),
        (vec![Device::Expired], vec![], Err(GrantError::Expired)),
    ] {
        let server = Server::of("anna@example.com");
        server.device(answers.clone());
        let ours = ours(&server);
        let attempt = DeviceAuthorization::begin(&ours).await.unwrap();
        assert_eq!((attempt.page().as_str(), attempt.code().as_str()), ("https://example.com/device", "ABCD-EFGH"));
        let waited = Arc::new(Mutex::new(Vec::new()));
        let pause = |wait: Duration| {
            waited.lock().unwrap().push(wait.as_secs());
            std::future::ready(())
        };
        let got =
            attempt.tokens(&ours, pause).await.map(|tokens| assert!(server.is_active(tokens.access.expose_secret())));
        assert_eq!((got, &*waited.lock().unwrap()), (expected, &waits), "{answers:?}");
    }
    let wrong = OAuthSettings { client_id: "somebody".to_owned(), ..settings(&Server::of("x")) };
    assert!(DeviceAuthorization::begin(&TokenServer::new(wrong, None).unwrap()).await.is_err());
}

#[tokio::test]
async fn a_token_that_lives_is_given_as_it_is_and_one_that_ends_is_renewed_once_for_all() {
    let account = Account::with_tokens_that_live(3_000).await;
    let login = account.login();
    assert_eq!(login.user(), "anna@example.com");
    assert!(account.server.is_active(&bearer(&login).await.unwrap()));
    assert_eq!(account.refreshed(), 0);
    // Ahead of its end; two processes and eight connections at once.
    account.reconnect(100).await;
    account.server.answers_after(Duration::from_millis(50));
    let before = account.store().read().unwrap();
    let other = account.login();
    let all = (0..8).map(|n| bearer(if n % 2 == 0 { &login } else { &other }));
    let given: Vec<String> = futures::future::join_all(all).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(account.refreshed(), 1);
    assert!(given.iter().all(|token| *token == given[0] && token != before.access.expose_secret()), "{given:?}");
    let stored = account.store().read().unwrap();
    assert_eq!(stored.access.expose_secret(), given[0]);
    assert_ne!(stored.refresh.unwrap().expose_secret(), before.refresh.unwrap().expose_secret(), "it rotates");
    // And again with the refresh token that was given with it.
    account.server.lives(0);
    login.was_refused();
    bearer(&login).await.unwrap();
    assert_eq!(account.refreshed(), 2);
    assert!(!format!("{login:?}").contains("geheim"));
}

#[tokio::test]
async fn a_server_that_gives_no_new_refresh_token_keeps_the_old_one() {
    let account = Account::with_tokens_that_live(0).await;
    account.server.rotates_nothing();
    account.server.says_no_end();
    let before = account.store().read().unwrap().refresh.unwrap();
    bearer(&account.login()).await.unwrap();
    let after = account.store().read().unwrap();
    assert_eq!(after.refresh.unwrap().expose_secret(), before.expose_secret());
    assert!(after.expires_at.is_none());
}

#[tokio::test]
async fn what_was_refused_for_good_is_asked_once_and_told_until_somebody_reconnects() {
    let account = Account::with_tokens_that_live(0).await;
    account.server.revoke_all();
    let login = account.login();
    for _ in 0..3 {
        let why = bearer(&login).await.unwrap_err();
        assert!(
            matches!(&why, LoginError::Reconnect(why) if why.ends_with("reconnect with: brain-agent setup account work")),
            "{why}"
        );
        assert!(!why.to_string().contains("geheim"), "{why}");
    }
    // Another process does not ask either.
    assert!(matches!(bearer(&account.login()).await, Err(LoginError::Reconnect(_))));
    assert_eq!(account.refreshed(), 1);
    account.reconnect(3_000).await;
    assert!(account.server.is_active(&bearer(&login).await.unwrap()));
    assert_eq!(account.refreshed(), 1);
}

#[tokio::test]
async fn a_client_that_is_not_known_is_told_and_not_tried_again() {
    let account = Account::with_tokens_that_live(0).await;
    account.server.wants_secret("another");
    let login = account.login();
    for _ in 0..2 {
        let why = bearer(&login).await.unwrap_err();
        assert!(
            matches!(&why, LoginError::Reconnect(why) if why.contains("does not accept this client (invalid_client)")),
            "{why}"
        );
    }
    assert_eq!(account.refreshed(), 1);
    // With the right secret, after a start, nothing has been lost.
    let with_secret =
        OAuthSettings { client_secret: Some(SecretPlace::Value("another".into())), ..settings(&account.server) };
    let server = TokenServer::new(with_secret, None).unwrap();
    let login = OAuthLogin::new("anna@example.com", "work", server, account.store());
    assert!(bearer(&login).await.is_ok());
}

#[tokio::test]
async fn what_may_pass_is_tried_again_after_a_pause_and_not_before() {
    let elsewhere = Server::of("mallory@example.com");
    for (trouble, expected) in [
        (Trouble::Error(503, "temporarily_unavailable"), "answered with an error"),
        (Trouble::Garbage, "gave an answer that makes no sense"),
        (Trouble::Flood, "answers too much"),
        (Trouble::Cut, "broke off"),
        (Trouble::Redirect(elsewhere.url("token")), "gave an answer that makes no sense"),
    ] {
        let account = Account::with_tokens_that_live(0).await;
        account.server.trouble([trouble.clone()]);
        let login = account.login();
        for _ in 0..5 {
            let why = bearer(&login).await.unwrap_err();
            assert!(matches!(&why, LoginError::Unavailable(why) if why.contains(expected)), "{trouble:?}: {why}");
            assert!(!why.to_string().contains("geheim"), "{why}");
        }
        assert_eq!(account.refreshed(), 1, "{trouble:?}");
        assert!(!account.store().read().unwrap().is_revoked);
        // A start has no pause to keep.
        assert!(bearer(&account.login()).await.is_ok(), "{trouble:?}");
    }
    assert!(elsewhere.requests().is_empty(), "no redirect is followed");
}

#[tokio::test]
async fn a_token_that_still_lives_is_given_though_it_could_not_be_renewed() {
    let account = Account::with_tokens_that_live(60).await;
    account.server.trouble([Trouble::Error(500, "server_error")]);
    let login = account.login();
    let before = account.store().read().unwrap().access;
    for _ in 0..3 {
        assert_eq!(bearer(&login).await.unwrap(), before.expose_secret());
    }
    assert_eq!(account.refreshed(), 1);
}

#[tokio::test]
async fn who_stops_waiting_does_not_lose_the_tokens_that_were_on_their_way() {
    let account = Account::with_tokens_that_live(0).await;
    account.server.answers_after(Duration::from_millis(200));
    let login = account.login();
    assert!(tokio::time::timeout(Duration::from_millis(20), bearer(&login)).await.is_err());
    let token = bearer(&login).await.unwrap();
    assert_eq!((account.refreshed(), token.as_str()), (1, account.store().read().unwrap().access.expose_secret()));
}

#[tokio::test]
async fn a_token_that_a_server_refuses_is_renewed_once_and_then_left_alone() {
    let account = Account::with_tokens_that_live(3_000).await;
    let login = account.login();
    let first = bearer(&login).await.unwrap();
    login.was_refused();
    let second = bearer(&login).await.unwrap();
    assert!(first != second && account.refreshed() == 1);
    for _ in 0..3 {
        login.was_refused();
        let why = bearer(&login).await.unwrap_err();
        assert!(matches!(&why, LoginError::Unavailable(why) if why.contains("renewed a moment ago")), "{why}");
    }
    assert_eq!(account.refreshed(), 1);
}

#[tokio::test]
async fn tokens_go_to_the_server_that_gave_them() {
    let account = Account::with_tokens_that_live(0).await;
    let elsewhere = Server::of("mallory@example.com");
    let login = OAuthLogin::new("anna@example.com", "my work", ours(&elsewhere), account.store());
    let why = bearer(&login).await.unwrap_err().to_string();
    assert!(why.ends_with("reconnect with: brain-agent setup account 'my work'"), "{why}");
    assert!(elsewhere.requests().is_empty());
    // And a file that others may read, or that is none, is not used.
    let path: PathBuf = account.store().path().to_owned();
    secret_files::write(&path, "geheim").unwrap();
    let why = bearer(&account.login()).await.unwrap_err().to_string();
    assert!(why.contains("makes no sense") && !why.contains("geheim"), "{why}");
    std::fs::remove_file(&path).unwrap();
    assert!(bearer(&account.login()).await.unwrap_err().to_string().contains("nobody has given access yet"));
}
