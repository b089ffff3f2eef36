//! `brain-agent doctor`: what it finds is exact, says what to do, takes no longer than it may, and changes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_agent::accounts::{
    AccountConfig, AccountPerson, ChosenCollections, ConnectionProbe, FixedLogin, Login, Sender, ServerAddress,
    ServerTls,
};
use brain_agent::config::Config;
use brain_agent::doctor::{Check, CheckLimits, CheckStatus, Subjects, examine};
use serde_json::{Value, json};

use crate::support::bot_api::{FakeBotApi, Fault};
use crate::support::guarded::free_ports;
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Finished, Program};
use crate::support::tls_server::{Begins, Shows, TlsServer, authority};

const NUMBERS: &str = "one two three four five six seven eight nine ten";

/// What `doctor --json` found, by its checks.
fn found(finished: &Finished) -> BTreeMap<String, Value> {
    let lines = finished.json_lines();
    assert!(lines.iter().all(|line| ["ok", "warning", "error"].contains(&line["status"].as_str().unwrap())));
    lines.into_iter().map(|line| (line["check"].as_str().unwrap().to_owned(), line)).collect()
}

fn examined(program: &Program) -> (i32, BTreeMap<String, Value>) {
    let finished = program.run(&["doctor", "--json"]);
    (finished.code, found(&finished))
}

fn is(found: &BTreeMap<String, Value>, check: &str, status: &str, says: &str) {
    let line = found.get(check).unwrap_or_else(|| panic!("no {check} in {found:#?}"));
    assert_eq!(line["status"], status, "{line}");
    assert!(line["message"].as_str().unwrap().contains(says), "{line}");
    if status != "ok" {
        assert!(line["advice"].as_str().is_some_and(|advice| advice.len() > 10), "{line} says what to do");
    }
}

fn installed() -> Program {
    Program::new().env("BRAIN_TIMEZONE", "Europe/Berlin")
}

#[test]
fn a_new_installation_has_nothing_wrong_and_nothing_is_made_by_looking() {
    let program = installed();
    let (code, found) = examined(&program);
    assert_eq!(code, 0, "{found:#?}");
    for (check, says) in [
        ("bot", "no bot token is set"),
        ("model", "none is set"),
        ("accounts", "none is configured"),
        ("store", "there is none yet"),
        ("index", "none is needed"),
        ("disk", "are free for"),
        ("zone", "Europe/Berlin is configured"),
        ("permissions", "nobody else"),
        ("prompts", "built-in"),
    ] {
        is(&found, check, "ok", says);
    }
    assert!(!program.data_dir().exists(), "looking makes no data folder");
    let told = program.run(&["doctor"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    assert!(told.stdout.contains("ok       zone: Europe/Berlin is configured, where it is "), "{}", told.stdout);
}

#[test]
fn bad_configuration_lists_every_problem_and_looks_at_nothing() {
    let program = installed().env("BRAIN_TIMEZONE", "Mars/Base").env("BRAIN_PENDING_TTL", "soon");
    let told = program.run(&["doctor"]);
    assert_eq!((told.code, told.stdout.as_str()), (2, ""));
    assert!(told.stderr.contains("BRAIN_TIMEZONE") && told.stderr.contains("BRAIN_PENDING_TTL"), "{}", told.stderr);
    let told = program.run(&["doctor", "--json"]);
    let lines = told.json_lines();
    assert_eq!((told.code, lines.len()), (2, 2), "{told:?}");
    assert!(lines.iter().all(|line| line["check"] == "configuration" && line["status"] == "error"), "{lines:?}");
}

#[test]
fn what_is_read_and_still_lets_nothing_start_is_bad_configuration_as_well() {
    let told = installed().env("SMTP_URL", "imap://me:geheim@host").run(&["doctor", "--json"]);
    assert_eq!((told.code, told.json_lines().len()), (2, 1), "{told:?}");
    assert!(told.stderr.contains("SMTP_URL") && !format!("{told:?}").contains("geheim"), "{told:?}");
}

#[tokio::test]
async fn a_running_daemon_says_how_it_is_and_goes_on_undisturbed() {
    let api = FakeBotApi::start().await;
    let program = installed().env("BRAIN_ALLOWED_USERS", "1001").bot_api(&api);
    let mut daemon = program.daemon(&api);
    daemon.wait_ready().await;
    let (code, found) = examined(&program);
    assert_eq!(code, 0, "{found:#?}");
    is(&found, "bot", "ok", "is known to 127.0.0.1");
    is(&found, "clock", "ok", "agrees with");
    is(&found, "store", "ok", "in use by the running brain-agent");
    is(&found, "updates", "ok", "none was received");
    let asked = program.run(&["doctor", "--running"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "ok       process: brain-agent runs and answers.\n"));
    api.user_says(1_001, "/help");
    api.wait_message(1_001, |message| message.text.contains("what I can do"), Duration::from_secs(60)).await;
    let (_, found) = examined(&program);
    is(&found, "updates", "ok", "the last one was received just now");
    assert!(daemon.is_running());
    assert_eq!(daemon.terminate(), 0);
    let before = std::fs::read(program.data_dir().join("brain.redb")).unwrap();
    let (code, found) = examined(&program);
    assert_eq!(code, 0, "{found:#?}");
    is(&found, "store", "ok", "can be opened");
    is(&found, "updates", "ok", "the last one was received");
    is(&found, "process", "warning", "no brain-agent runs");
    let asked = program.run(&["doctor", "--running", "--json"]);
    assert_eq!((asked.code, asked.json_lines()[0]["status"].as_str()), (1, Some("error")), "a health check asks that");
    assert!(before == std::fs::read(program.data_dir().join("brain.redb")).unwrap(), "not a byte was changed");
}

#[test]
fn a_token_that_is_refused_and_a_store_that_is_damaged_are_errors() {
    let api = FakeBotApi::start_blocking();
    let program = installed().bot_api(&api).env("TELEGRAM_BOT_TOKEN", "1:AAthis-token-is-nobodys-at-all");
    std::fs::create_dir_all(program.data_dir()).unwrap();
    std::fs::write(program.data_dir().join("brain.redb"), vec![7; 50_000]).unwrap();
    let told = program.run(&["doctor", "--json"]);
    let found = found(&told);
    assert_eq!(told.code, 1, "{told:?}");
    is(&found, "bot", "error", "refuses the token");
    is(&found, "store", "error", "brain.redb is damaged");
    assert_eq!(std::fs::read(program.data_dir().join("brain.redb")).unwrap(), vec![7; 50_000]);
    assert!(!format!("{told:?}").contains("nobodys"), "no token is shown: {told:?}");
}

#[test]
fn a_model_is_asked_something_short_and_each_endpoint_by_itself() {
    let server = ModelServer::start(|request| match request.model.as_str() {
        "scripted" => ModelReply::json(json!({"numbers": NUMBERS})),
        "prose" => ModelReply::text("I would rather not."),
        _ => ModelReply::status(404),
    });
    let program = installed().model(&server).env("LLM_MODEL_PLAN", "prose").env("LLM_MODEL_ROUTE", "absent");
    let (code, found) = examined(&program);
    assert_eq!(code, 1, "{found:#?}");
    is(&found, "model", "ok", "answers in the form of a schema");
    is(&found, "model plan", "warning", "did not answer in the form");
    is(&found, "model route", "error", "404");
    assert!(found["model route"]["advice"].as_str().unwrap().contains("LLM_MODEL"));
    drop(server);
    let (code, found) = examined(&program);
    assert_eq!(code, 1, "{found:#?}");
    is(&found, "model", "error", "cannot be reached");
    assert!(!format!("{found:?}").contains("test-key"), "no key is shown");
}

#[test]
fn what_a_model_comes_to_is_found_out_once_and_kept() {
    let server = ModelServer::start(|request| match request.stage.as_str() {
        "plan" => ModelReply::json(json!({"actions": [], "question": null, "reply": "It is 40.8, in 47 days."})),
        _ => ModelReply::json(json!({"numbers": NUMBERS})),
    });
    let program = installed().model(&server);
    for _ in 0..2 {
        let (_, found) = examined(&program);
        is(&found, "model", "ok", "small: 5 of 12 probes, so it plans in steps unless BRAIN_PLANNING says otherwise");
    }
    assert_eq!(server.calls_of("plan").len(), 12, "it is asked once");
}

#[test]
fn prompts_that_cannot_be_used_and_files_that_others_may_read_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = installed();
    let prompts = program.cwd().join("prompts");
    std::fs::create_dir(&prompts).unwrap();
    std::fs::write(prompts.join("plan.md"), "no divider").unwrap();
    let accounts = program.data_dir().join("accounts.toml");
    std::fs::create_dir_all(program.data_dir()).unwrap();
    std::fs::set_permissions(program.data_dir(), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(&accounts, "").unwrap();
    std::fs::set_permissions(&accounts, std::fs::Permissions::from_mode(0o644)).unwrap();
    let program = program.env("BRAIN_PROMPTS_DIR", prompts.to_str().unwrap());
    // It says where passwords go, so nothing is looked at with it.
    let (code, found) = examined(&program);
    assert_eq!(code, 2, "{found:#?}");
    is(&found, "configuration", "error", "chmod 600");
    std::fs::set_permissions(&accounts, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (code, found) = examined(&program);
    assert_eq!(code, 1, "{found:#?}");
    is(&found, "prompts", "error", "the prompt plan is not usable");
}

/// An account at a server of this machine.
fn account(name: &str, imap: Option<(u16, ServerTls)>, smtp: Option<(u16, ServerTls)>) -> AccountConfig {
    let at = |(port, tls)| ServerAddress { host: "localhost".to_owned(), port, tls };
    AccountConfig {
        id: name.to_owned(),
        person: AccountPerson::First,
        name: name.to_owned(),
        addresses: vec![Sender { name: None, address: "anna@example.com".parse().unwrap() }],
        login: Arc::new(FixedLogin::new("anna", "geheim".to_owned())) as Arc<dyn Login>,
        authorities: Some(authority()),
        imap: imap.map(at),
        smtp: smtp.map(at),
        caldav: None,
        carddav: None,
        chosen: ChosenCollections::default(),
        signature: None,
        mail_days: 30,
        files_sent: false,
    }
}

/// Looks at these accounts, with limits for a machine that is in a hurry.
async fn looked_at(accounts: Vec<AccountConfig>, limit: Duration) -> Vec<Check> {
    let folder = tempfile::tempdir().unwrap();
    let env = vec![("BRAIN_DATA_DIR".to_owned(), folder.path().join("state").display().to_string())];
    let subjects = Subjects {
        config: Config::parse(env, Vec::new()).unwrap(),
        accounts,
        probe: Arc::new(ConnectionProbe),
        working_dir: Path::new("/nowhere").to_owned(),
        limits: CheckLimits { check: limit, model: limit, server: limit },
    };
    examine(&subjects, |_| {}).await
}

fn line<'c>(checks: &'c [Check], name: &str) -> &'c Check {
    checks.iter().find(|check| check.check == name).unwrap_or_else(|| panic!("no {name} in {checks:#?}"))
}

#[tokio::test]
async fn a_mail_server_is_met_and_its_certificate_told_by_its_end() {
    const LIMIT: Duration = Duration::from_secs(20);
    let imap = TlsServer::start(Begins::Wrapped("* OK ready\r\n"), Shows::Valid);
    let smtp = TlsServer::start(Begins::Plain("220-hello\r\n220 ready\r\n", "220 go on\r\n"), Shows::Valid);
    let starts = TlsServer::start(Begins::Plain("* OK ready\r\n", "* note\r\na OK begin\r\n"), Shows::Valid);
    let old = TlsServer::start(Begins::Wrapped("* OK ready\r\n"), Shows::Expired);
    let other = TlsServer::start(Begins::Wrapped("220 a mail server\r\n"), Shows::Valid);
    let accounts = vec![
        account("work", Some((imap.port(), ServerTls::Wrapped)), Some((smtp.port(), ServerTls::StartTls))),
        account("home", Some((starts.port(), ServerTls::StartTls)), None),
        account("old", Some((old.port(), ServerTls::Wrapped)), None),
        account("other", Some((other.port(), ServerTls::Wrapped)), None),
        AccountConfig { authorities: None, ..account("unknown", Some((imap.port(), ServerTls::Wrapped)), None) },
        account("gone", Some((free_port(), ServerTls::Wrapped)), None),
    ];
    let checks = looked_at(accounts, LIMIT).await;
    for name in ["account work login", "account work imap", "account work smtp", "account home imap"] {
        assert_eq!(line(&checks, name).status, CheckStatus::Ok, "{checks:#?}");
    }
    for name in ["account work imap certificate", "account work smtp certificate", "account home imap certificate"] {
        let certificate = line(&checks, name);
        assert_eq!(certificate.status, CheckStatus::Ok, "{certificate}");
        assert!(certificate.message.contains("until 1 January 2099"), "{certificate}");
    }
    for (name, says) in [
        ("account old imap certificate", "has expired (it ends on 1 January 2021)"),
        ("account unknown imap certificate", "issued by nobody that is trusted here"),
        ("account other imap", "does not speak IMAP"),
        ("account gone imap", "cannot be connected to"),
    ] {
        let check = line(&checks, name);
        assert_eq!(check.status, CheckStatus::Error, "{check}");
        assert!(check.message.contains(says) && check.advice.is_some(), "{check}");
    }
    assert!(!format!("{checks:?}").contains("geheim"));
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let [port] = free_ports();
    port
}

#[tokio::test]
async fn a_server_that_never_says_a_word_is_an_error_when_its_time_is_over() {
    let silent = TlsServer::start(Begins::Silent, Shows::Valid);
    let accounts = ["a", "b", "c"].map(|name| account(name, Some((silent.port(), ServerTls::Wrapped)), None));
    let begun = Instant::now();
    let checks = looked_at(accounts.into(), Duration::from_secs(2)).await;
    assert!(begun.elapsed() < Duration::from_secs(6), "they are looked at side by side: {:?}", begun.elapsed());
    for name in ["account a imap", "account b imap", "account c imap"] {
        let check = line(&checks, name);
        assert_eq!(check.status, CheckStatus::Error, "{check}");
        assert!(check.message.contains("did not answer in 2 s") && check.advice.is_some(), "{check}");
    }
    assert_eq!(line(&checks, "zone").check, "zone", "the others are told all the same");
}

#[tokio::test]
async fn a_bot_api_that_hangs_is_an_error_when_its_time_is_over() {
    let api = FakeBotApi::start().await;
    api.fail_until_cleared("getMe", Fault::Hang);
    let env = [("TELEGRAM_BOT_TOKEN", api.token().to_owned()), ("TELEGRAM_API_URL", api.url())];
    let env = env.map(|(key, value)| (key.to_owned(), value)).to_vec();
    let folder = tempfile::tempdir().unwrap();
    let data = ("BRAIN_DATA_DIR".to_owned(), folder.path().display().to_string());
    let limit = Duration::from_millis(1_500);
    let subjects = Subjects {
        config: Config::parse([env, vec![data]].concat(), Vec::new()).unwrap(),
        accounts: Vec::new(),
        probe: Arc::new(ConnectionProbe),
        working_dir: folder.path().to_owned(),
        limits: CheckLimits { check: limit, model: limit, server: limit },
    };
    let mut waited_for = Vec::new();
    let checks = examine(&subjects, |names| waited_for.extend(names.iter().map(|name| (*name).to_owned()))).await;
    let bot = line(&checks, "bot");
    assert_eq!(bot.status, CheckStatus::Error, "{bot}");
    assert!(bot.message.contains("did not answer in 1.5 s"), "{bot}");
    assert!(waited_for.contains(&"bot".to_owned()), "whoever waits is told what for: {waited_for:?}");
}
