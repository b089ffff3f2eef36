//! Signing in to a server that wants it: found out, asked for, kept, renewed, and sent nowhere else.

use std::os::unix::fs::PermissionsExt as _;

use brain_agent::accounts::oauth::{CodeError, TokenStore, Tokens};
use brain_agent::mcp::{
    HostsAnswer, KeptServer, McpCall, McpCallError, McpClient, McpConfig, McpServer, ServerSignIn, ServerState,
    SignInHosts, ToolListing,
};
use brain_agent::outside::CallError;
use chrono::{TimeDelta, Utc};
use futures::FutureExt as _;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::support::token_server::{CLIENT_ID, TokenServer};
use crate::support::tool_server::ToolServer;

/// A server that wants a token, who gives one, and a folder to keep it in.
struct World {
    folder: tempfile::TempDir,
    tokens: TokenServer,
    tools: ToolServer,
}

impl World {
    fn new() -> Self {
        let tokens = TokenServer::of("anna");
        Self { folder: tempfile::TempDir::new().unwrap(), tools: ToolServer::of(&tokens), tokens }
    }

    /// As the file names it, with this beside its address.
    fn server(&self, more: Value) -> McpServer {
        self.at(&self.tools.url(), more)
    }

    fn at(&self, url: &str, more: Value) -> McpServer {
        let mut home = json!({ "url": url });
        home.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let config = McpConfig::parse(&json!({"mcpServers": {"home": home}}).to_string(), &|_| None).unwrap();
        config.servers[0].clone().with_tokens(self.folder.path())
    }

    fn store(&self) -> TokenStore {
        TokenStore::new(self.folder.path(), "home")
    }

    /// Signs in, with a browser that follows wherever it is led. Nobody is asked about hosts.
    async fn sign_in(&self, more: Value, scopes: &[&str]) -> Result<Tokens, String> {
        self.sign_in_by(more, scopes, HostsAnswer::NobodyThere).await
    }

    /// The same with this answer to a question about hosts.
    async fn sign_in_by(&self, more: Value, scopes: &[&str], answer: HostsAnswer) -> Result<Tokens, String> {
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let server = self.server(more);
        let attempt = ServerSignIn::begin(&server, &scopes, &|_| answer).await.map_err(|why| why.to_string())?;
        let code = match attempt.attempt() {
            None => None,
            Some(page) => {
                let browser = reqwest::get(page.url().clone());
                let (_, code) = tokio::join!(browser, page.answered());
                Some(code.map_err(|why| why.to_string())?)
            }
        };
        attempt.finish(code).await.map_err(|why| why.to_string())?;
        Ok(self.store().read().unwrap())
    }

    async fn connected(&self) -> McpClient {
        McpClient::connect(&self.server(json!({}))).await.unwrap()
    }

    /// The tokens of the file end so many seconds from now.
    async fn end_in(&self, secs: i64) {
        let (store, now) = (self.store(), Utc::now());
        let (obtained_at, expires_at) = (now - TimeDelta::hours(1), Some(now + TimeDelta::seconds(secs)));
        let tokens = Tokens { obtained_at, expires_at, ..store.read().unwrap() };
        store.write(&tokens, &store.lock().await.unwrap()).unwrap();
    }
}

async fn look(client: &McpClient) -> Result<String, McpCallError> {
    client.call(McpCall::new("look", serde_json::Map::new()), Duration::from_secs(20)).await.map(|answer| answer.text)
}

#[test]
fn from_a_server_that_wants_a_sign_in_to_its_tools_and_out_again() {
    let world = World::new();
    let program = with_servers(world.folder.path(), json!({"home": {"url": world.tools.url()}}));
    let before = program.run(&["mcp", "list"]);
    assert!(before.code == 1 && before.stdout.contains("brain-agent mcp login home"), "{before:?}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/mcp/browser.py");
    let browser = format!("{} -I {}", program_path("python3").display(), script.display());
    let signed_in = program.run(&["mcp", "login", "home", "--browser", &browser]);
    assert!(signed_in.code == 0 && signed_in.stdout.contains("You are signed in to home"), "{signed_in:?}");
    assert!(!format!("{signed_in:?}").contains("geheim"), "no token is shown");
    let file = program.data_dir().join("servers/home.tokens.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let after = program.run(&["mcp", "list"]);
    assert!(after.code == 0 && after.stdout.contains("1 tool;"), "{after:?}");
    let (page, form) = (world.tokens.pages()[0].clone(), world.tokens.requests()[0].clone());
    assert_eq!((page["resource"].clone(), form["resource"].clone()), (world.tools.url(), world.tools.url()));
    assert_eq!((page["code_challenge_method"].as_str(), page["scope"].as_str()), ("S256", "tools"));
    assert_eq!(world.tokens.registered()[0]["redirect_uris"][0], page["redirect_uri"].as_str());
    assert_eq!(program.run(&["mcp", "logout", "home"]).code, 0);
    assert!(!file.exists());
    assert!(program.run(&["mcp", "list"]).stdout.contains("brain-agent mcp login home"));
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends_and_once_when_it_is_refused() {
    let world = World::new();
    world.sign_in(json!({}), &[]).await.unwrap();
    world.end_in(30).await;
    let client = world.connected().await;
    assert_eq!(world.tokens.count("refresh_token"), 1, "its end was near");
    assert_eq!(world.tokens.requests().last().unwrap()["resource"], world.tools.url());
    assert_eq!(look(&client).await.unwrap(), "seen");
    assert_eq!(world.tokens.count("refresh_token"), 1);
    world.tokens.revoke_access();
    let (one, two) = tokio::join!(look(&client), look(&client));
    assert_eq!((one.unwrap(), two.unwrap()), ("seen".to_owned(), "seen".to_owned()));
    assert_eq!(world.tokens.count("refresh_token"), 2, "renewed once for both");
    let bare = world.tools.asked().iter().filter(|(_, token)| token.is_none()).count();
    assert_eq!(bare, 1, "nothing but the question of the sign-in goes without");
    client.stop().await;
}

#[tokio::test]
async fn what_is_refused_for_good_takes_the_server_down_until_somebody_signs_in_again() {
    let world = World::new();
    world.sign_in(json!({}), &[]).await.unwrap();
    let kept = KeptServer::new(world.server(json!({})));
    let (stop, mut state) = (CancellationToken::new(), kept.watch());
    let listed = |_: ToolListing| std::future::ready(()).boxed();
    let story = async {
        state.wait_for(|state| *state == ServerState::Up).await.unwrap();
        world.tokens.revoke_all();
        let why = kept.call(McpCall::new("look", serde_json::Map::new())).await.unwrap_err().to_string();
        assert!(why.ends_with("sign in again: brain-agent mcp login home"), "{why}");
        let down = |state: &ServerState| matches!(state, ServerState::Down(why) if why.to_string().contains("brain-agent mcp login home"));
        state.wait_for(down).await.unwrap();
        let asked = world.tokens.requests().len();
        world.sign_in(json!({}), &[]).await.unwrap();
        state.wait_for(|state| *state == ServerState::Up).await.unwrap();
        assert_eq!(world.tokens.requests().len(), asked + 1, "what was refused for good is not asked again");
        stop.cancel();
    };
    tokio::join!(kept.keep(&listed, &stop), story);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_before_anybody_is_asked_for_anything() {
    for (says, why) in [
        (("code_challenge_methods_supported", json!(["plain"])), "S256"),
        (("issuer", json!("https://another.example")), "calls itself"),
        (("token_endpoint", json!("http://another.example/token")), "https://"),
        (("registration_endpoint", Value::Null), "clientId"),
    ] {
        let world = World::new();
        world.tokens.says(says.0, says.1);
        let refused = world.sign_in(json!({}), &[]).await.unwrap_err();
        assert!(refused.contains(why), "{why}: {refused}");
        assert!(world.tokens.pages().is_empty() && world.tokens.registered().is_empty(), "{why}");
    }
    let world = World::new();
    world.tools.calls_itself("https://another.example/mcp");
    let refused = world.sign_in(json!({}), &[]).await.unwrap_err();
    assert!(refused.contains("another server") && world.tokens.registered().is_empty(), "{refused}");
    let nobody = |_: &SignInHosts| HostsAnswer::NobodyThere;
    let plain = world.at("http://another.example/mcp", json!({}));
    let plain = ServerSignIn::begin(&plain, &[], &nobody).await.unwrap_err();
    assert!(plain.to_string().contains("https://"), "{plain}");
    let own = world.server(json!({"headers": {"authorization": "Bearer x"}}));
    let own = ServerSignIn::begin(&own, &[], &nobody).await;
    assert!(own.unwrap_err().to_string().contains("comes first"));
}

#[tokio::test]
async fn an_answer_counts_only_from_whom_it_was_asked_and_for_this_attempt() {
    for (issuer, says_so, is_good) in [
        (None, false, true),
        (None, true, false),
        (Some("https://another.example"), false, false),
        (Some("https://another.example"), true, false),
    ] {
        let world = World::new();
        world.tokens.says("authorization_response_iss_parameter_supported", json!(says_so));
        issuer.into_iter().for_each(|issuer| world.tokens.answers_as(issuer));
        let signed_in = world.sign_in(json!({}), &[]).await;
        assert_eq!(signed_in.is_ok(), is_good, "{issuer:?} {says_so}: {signed_in:?}");
        assert_eq!(world.tokens.requests().len(), usize::from(is_good), "no code goes on");
    }
    let world = World::new();
    world.tokens.says("authorization_response_iss_parameter_supported", json!(true));
    world.tokens.answers_as(&world.tokens.issuer());
    world.sign_in(json!({}), &[]).await.unwrap();
    world.tokens.answers_as(&format!("{}/", world.tokens.issuer()));
    assert!(world.sign_in(json!({}), &[]).await.unwrap_err().contains("somebody else"), "letter by letter");
    let attempt = ServerSignIn::begin(&world.server(json!({})), &[], &|_| HostsAnswer::NobodyThere).await.unwrap();
    let page = attempt.attempt().unwrap();
    let redirect = page.url().query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1.into_owned();
    assert_eq!(page.pasted(&format!("{redirect}?code=x&state=y")).unwrap_err(), CodeError::OtherAttempt);
    assert_eq!(page.pasted(&redirect.replace("/callback", "/?code=x")).unwrap_err(), CodeError::NotOurs);
}

#[tokio::test]
async fn a_token_goes_to_the_address_that_it_was_given_for_alone() {
    let world = World::new();
    world.sign_in(json!({}), &[]).await.unwrap();
    let other = ToolServer::of(&world.tokens);
    let refused = McpClient::connect(&world.at(&other.url(), json!({}))).await.unwrap_err();
    assert_eq!(refused.to_string(), "it wants you to sign in: brain-agent mcp login home");
    assert!(!other.asked().is_empty() && other.asked().iter().all(|(_, token)| token.is_none()));
    let nowhere = McpConfig::typed(&world.tools.url()).unwrap();
    assert!(McpClient::connect(&nowhere).await.unwrap_err().to_string().contains("a token is missing or wrong"));
}

#[tokio::test]
async fn what_access_does_not_suffice_for_is_said_with_the_command_that_asks_for_more() {
    let world = World::new();
    world.sign_in(json!({}), &[]).await.unwrap();
    let client = world.connected().await;
    world.tools.wants("files:write");
    let McpCallError::Outside(CallError::Rejected(why)) = look(&client).await.unwrap_err() else {
        panic!("it was not let in")
    };
    assert!(why.ends_with("brain-agent mcp login home --scope 'files:write rm'"), "{why}");
    client.stop().await;
    world.sign_in(json!({}), &["files:write"]).await.unwrap();
    assert_eq!(world.tokens.pages().last().unwrap()["scope"], "tools files:write");
}

#[tokio::test]
async fn a_client_that_asks_for_itself_needs_nobody_and_a_known_one_is_not_made_known() {
    let world = World::new();
    world.tokens.wants_secret("s3cret");
    let client = json!({"clientId": CLIENT_ID, "clientSecret": "s3cret"});
    world.sign_in(json!({"oauth": client}), &[]).await.unwrap();
    assert!(world.tokens.registered().is_empty());
    assert!(
        !std::fs::read_to_string(world.store().path()).unwrap().contains("s3cret"),
        "it stays in the file of servers"
    );
    let own = json!({"oauth": {"clientId": CLIENT_ID, "clientSecret": "s3cret", "grant": "client_credentials"}});
    world.sign_in(own.clone(), &[]).await.unwrap();
    assert_eq!(world.tokens.pages().len(), 1, "nobody is asked");
    world.tokens.revoke_access();
    let client = McpClient::connect(&world.server(own)).await.unwrap();
    assert_eq!((look(&client).await.unwrap().as_str(), world.tokens.count("client_credentials")), ("seen", 2));
    client.stop().await;
}

#[tokio::test]
async fn where_somebody_else_gives_access_now_a_client_of_the_file_does_not_go_along() {
    let (world, other) = (World::new(), TokenServer::of("anna"));
    let known = json!({"oauth": {"clientId": CLIENT_ID}});
    world.sign_in(known.clone(), &[]).await.unwrap();
    world.tools.trusts(&other);
    let refused = world.sign_in(known, &[]).await.unwrap_err();
    assert!(refused.contains("sign out first") && other.pages().is_empty(), "{refused}");
    world.sign_in(json!({}), &[]).await.unwrap();
    assert_eq!((other.registered().len(), world.tokens.registered().len()), (1, 0), "made known where it is new");
}

#[test]
fn a_file_that_a_folder_names_takes_no_client_secret_of_the_environment() {
    let program = Program::new().without_env("BRAIN_DATA_DIR").env("HOME_SECRET", "s3cret");
    let oauth = json!({"clientId": "x", "clientSecret": "${HOME_SECRET}"});
    let servers = json!({"mcpServers": {"home": {"url": "http://127.0.0.1:9/mcp", "oauth": oauth}}});
    let file = program.cwd().join("servers.json");
    std::fs::write(&file, servers.to_string()).unwrap();
    std::fs::write(program.cwd().join(".env"), format!("BRAIN_MCP_CONFIG={}\n", file.display())).unwrap();
    let refused = program.run(&["mcp", "list"]);
    assert!(refused.stderr.contains("the variable HOME_SECRET is not set"), "{}", refused.stderr);
}

/// A tool server that names the page of an honest provider, and a place of its own for the code.
fn mixing_up() -> (World, TokenServer) {
    let (world, honest) = (World::new(), TokenServer::of("anna"));
    world.tokens.says("authorization_endpoint", json!(honest.url("authorize").replace("127.0.0.1", "localhost")));
    (world, honest)
}

#[tokio::test]
async fn hosts_that_only_the_server_names_are_agreed_to_before_anything_goes_there() {
    for answer in [HostsAnswer::Declined, HostsAnswer::NobodyThere] {
        let (world, honest) = mixing_up();
        let refused = world.sign_in_by(json!({}), &[], answer).await.unwrap_err();
        let says = if answer == HostsAnswer::Declined { "not the right ones" } else { "\"issuer\"" };
        assert!(refused.contains(says), "{refused}");
        assert!(world.tokens.requests().is_empty() && world.tokens.registered().is_empty(), "{refused}");
        assert!(honest.pages().is_empty(), "no page was opened");
    }
    let (world, _honest) = mixing_up();
    let asked = std::sync::Mutex::new(Vec::new());
    let question = |hosts: &SignInHosts| {
        asked.lock().unwrap().push(hosts.clone());
        HostsAnswer::Agreed
    };
    let attempt = ServerSignIn::begin(&world.server(json!({})), &[], &question).await.unwrap();
    assert!(attempt.attempt().is_some());
    let hosts = SignInHosts {
        server: "127.0.0.1".to_owned(),
        issuer: world.tokens.issuer(),
        page: Some("localhost".to_owned()),
        tokens: "127.0.0.1".to_owned(),
    };
    assert_eq!(*asked.lock().unwrap(), [hosts]);
}

#[tokio::test]
async fn a_secret_of_the_file_goes_to_no_host_that_the_file_does_not_name() {
    let (world, honest) = mixing_up();
    world.tokens.wants_secret("s3cret");
    let client = json!({"oauth": {"clientId": CLIENT_ID, "clientSecret": "s3cret"}});
    let refused = world.sign_in_by(client, &[], HostsAnswer::Agreed).await.unwrap_err();
    assert!(refused.contains("clientSecret") && refused.contains("\"issuer\""), "{refused}");
    let own = json!({"oauth": {"clientId": CLIENT_ID, "clientSecret": "s3cret", "grant": "client_credentials"}});
    world.tokens.says("token_endpoint", json!(world.tokens.url("token").replace("127.0.0.1", "localhost")));
    assert!(world.sign_in_by(own, &[], HostsAnswer::Agreed).await.unwrap_err().contains("clientSecret"));
    assert!(world.tokens.requests().is_empty() && honest.pages().is_empty());
}

#[tokio::test]
async fn where_the_file_names_who_gives_access_nobody_else_does() {
    let (world, other) = (World::new(), TokenServer::of("anna"));
    world.tokens.wants_secret("s3cret");
    let pinned = |issuer: String| json!({"oauth": {"issuer": issuer, "clientId": CLIENT_ID, "clientSecret": "s3cret"}});
    // Its own metadata says where its places are.
    world.tokens.says("token_endpoint", json!(world.tokens.url("token").replace("127.0.0.1", "localhost")));
    world.sign_in(pinned(world.tokens.issuer()), &[]).await.unwrap();
    let asked = world.tokens.requests().len();
    world.tools.trusts(&other);
    let refused = world.sign_in(pinned(world.tokens.issuer()), &[]).await.unwrap_err();
    assert!(refused.contains("the file says that access is given by"), "{refused}");
    assert_eq!((world.tokens.requests().len(), other.requests().len()), (asked, 0));
    // And tokens of somebody else are not used.
    let moved = world.server(pinned(other.issuer()));
    let refused = McpClient::connect(&moved).await.unwrap_err().to_string();
    assert!(refused.contains("it wants you to sign in"), "{refused}");
    let wrong = json!({"mcpServers": {"home": {"url": "http://y", "oauth": {"issuer": "http://y"}}}});
    let config = McpConfig::parse(&wrong.to_string(), &|_| None).unwrap();
    assert!(config.warnings.concat().contains("oauth.issuer"), "{:?}", config.warnings);
}

#[tokio::test]
async fn a_name_that_cannot_be_sent_is_none() {
    for name in ["", "a\nb", &"x".repeat(5_000)] {
        let world = World::new();
        world.tokens.names_clients(name);
        assert!(world.sign_in(json!({}), &[]).await.unwrap_err().contains("a name that is none"), "{name}");
    }
}

#[test]
fn a_server_that_repeats_what_it_was_sent_is_told_without_it() {
    let world = World::new();
    let headers = json!({"X-Key": "k3y-of-the-house", "Authorization": "Bearer geheim-und-lang"});
    world.tools.says_back();
    let program = with_servers(world.folder.path(), json!({"home": {"url": world.tools.url(), "headers": headers}}));
    let listed = program.run(&["mcp", "list"]);
    assert!(listed.code == 1 && listed.stdout.contains("no thanks"), "{listed:?}");
    for secret in ["k3y-of-the-house", "geheim-und-lang", "geheim-u"] {
        assert!(!format!("{listed:?}").contains(secret), "{listed:?}");
    }
}
