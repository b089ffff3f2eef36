//! `brain-agent setup`, by flags and at a terminal: what it tries, what it writes, and what it never shows.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use brain_agent::config::Config;

use crate::support::bot_api::{FakeBotApi, TOKEN};
use crate::support::dav_server::DavServer;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Finished, Program};
use crate::support::smtp_server::{Mode, SmtpServer};
use crate::support::token_server::{CLIENT_ID, TokenServer};

fn said(finished: &Finished) -> String {
    format!("{}{}", finished.stdout, finished.stderr)
}

fn is_private(path: &Path) -> bool {
    fs::metadata(path).unwrap().permissions().mode() & 0o777 == 0o600
}

fn env_file(program: &Program) -> String {
    fs::read_to_string(program.cwd().join(".env")).unwrap_or_default()
}

fn accounts_file(program: &Program) -> String {
    fs::read_to_string(program.data_dir().join("accounts.toml")).unwrap_or_default()
}

#[test]
fn a_token_that_telegram_knows_is_written_and_never_shown() {
    let api = FakeBotApi::start_blocking();
    let program = Program::new().env("TELEGRAM_API_URL", &api.url());
    let file = program.cwd().join(".env");
    fs::write(&file, "# mine\nexport BRAIN_TIMEZONE='Europe/Berlin'\n# TELEGRAM_BOT_TOKEN=1:x\nBRAIN_DEBOUNCE=1s\n")
        .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let before = env_file(&program);
    // The address comes from the environment, so the token may not come from the file: it would not start.
    let refused = program.run_with_stdin(&["setup", "token", "--token-stdin"], &format!("{TOKEN}\n"));
    assert_eq!((refused.code, env_file(&program)), (2, before.clone()), "{}", said(&refused));
    assert!(said(&refused).contains("a secret goes only to an address from the same place"), "{}", said(&refused));
    fs::write(&file, format!("{before}TELEGRAM_API_URL={}\n", api.url())).unwrap();
    let before = env_file(&program);
    let program = program.without_env("TELEGRAM_API_URL");
    let wrong = program.run_with_stdin(&["setup", "token", "--token-stdin"], "1:AAAAAAAAAAAAA-geheim\n");
    assert_eq!((wrong.code, env_file(&program)), (2, before.clone()), "{}", said(&wrong));
    assert!(said(&wrong).contains("Telegram does not know this token") && !said(&wrong).contains("geheim"));
    let done = program.run_with_stdin(&["setup", "token", "--token-stdin"], &format!("{TOKEN}\n"));
    assert_eq!(done.code, 0, "{}", said(&done));
    assert!(said(&done).contains("Telegram knows it: @") && !said(&done).contains(TOKEN), "{}", said(&done));
    let line = format!("# TELEGRAM_BOT_TOKEN=1:x\nTELEGRAM_BOT_TOKEN={TOKEN}\n");
    assert_eq!(env_file(&program), before.replace("# TELEGRAM_BOT_TOKEN=1:x\n", &line), "all else stays as it was");
    assert!(is_private(&file));
    // Once more changes that one line.
    let again = program.run_with_stdin(&["setup", "token", "--token-stdin", "--unchecked"], "7:BBBBBBBBBBBBB\n");
    assert_eq!(again.code, 0, "{}", said(&again));
    assert_eq!(env_file(&program).matches("BOT_TOKEN=").count(), 2);
    assert!(env_file(&program).contains("\nTELEGRAM_BOT_TOKEN=7:BBBBBBBBBBBBB\n"));
}

#[test]
fn a_model_is_asked_one_small_thing_before_it_is_written() {
    let server = ModelServer::scripted(Script::new().otherwise(ModelReply::text("ok")));
    let program = Program::new();
    let url = server.url();
    let done = program
        .run_with_stdin(&["setup", "model", "--url", &url, "--model", "small one", "--key-stdin"], "sk-'geh\"eim$ x\n");
    assert_eq!(done.code, 0, "{}", said(&done));
    assert_eq!(server.calls().len(), 1);
    assert!(!said(&done).contains("eim"), "{}", said(&done));
    assert!(is_private(&program.cwd().join(".env")));
    let pairs: Vec<(String, String)> =
        dotenvy::from_read_iter(env_file(&program).as_bytes()).collect::<Result<_, _>>().unwrap();
    let config = Config::parse(Vec::new(), pairs).unwrap();
    let endpoint = config.models.values().next().unwrap();
    use secrecy::ExposeSecret as _;
    assert_eq!((endpoint.model.as_str(), endpoint.base_url.as_str()), ("small one", url.as_str()));
    assert_eq!(endpoint.api_key.as_ref().unwrap().expose_secret(), "sk-'geh\"eim$ x");
    let nobody = program.run(&["setup", "model", "--url", "http://127.0.0.1:1/v1", "--model", "m"]);
    assert_eq!(nobody.code, 2);
    assert!(said(&nobody).contains("Nobody answers at that address"), "{}", said(&nobody));
    assert!(env_file(&program).contains(&url), "it is as it was");
}

#[test]
fn an_account_is_tried_and_its_password_lies_in_a_file_of_its_own() {
    let server = SmtpServer::start(Mode::AuthFails);
    let program = Program::new();
    let smtp = format!("smtp://127.0.0.1:{}", server.port());
    let args =
        ["setup", "account", "work", "--address", "Anna <anna@example.com>", "--smtp", &smtp, "--password-stdin"];
    let refused = program.run_with_stdin(&args, "geheim\n");
    assert_eq!(refused.code, 2, "{}", said(&refused));
    assert!(said(&refused).contains("it does not let you in"), "{}", said(&refused));
    assert!(said(&refused).contains("nothing was written; --unchecked") && !said(&refused).contains("geheim"));
    assert!(!program.data_dir().join("accounts.toml").exists());
    server.set_mode(Mode::Accept);
    let done = program.run_with_stdin(&args, "geheim\n");
    assert_eq!(done.code, 0, "{}", said(&done));
    assert!(said(&done).contains("lets you in") && !said(&done).contains("geheim"), "{}", said(&done));
    assert_eq!(server.logins().last().unwrap(), &("anna@example.com".to_owned(), "geheim".to_owned()));
    let text = accounts_file(&program);
    assert!(!text.contains("geheim") && is_private(&program.data_dir().join("accounts.toml")), "{text}");
    let name = text.lines().find_map(|line| line.strip_prefix("password_file = ")).unwrap().trim_matches('"');
    let file = program.data_dir().join(name);
    assert!(is_private(&file) && fs::read_to_string(&file).unwrap() == "geheim\n");
    assert_eq!(program.run(&["ask", "hello"]).code, 0, "it starts with it");
    // One thing changes, and the secret is the one that is there.
    let changed = program.run(&["setup", "account", "work", "--signature", "Anna\nExample"]);
    assert_eq!(changed.code, 0, "{}", said(&changed));
    assert!(accounts_file(&program).contains("signature") && accounts_file(&program).contains(name));
    assert_eq!(server.logins().last().unwrap().1, "geheim");
    let other = program.run_with_stdin(&["setup", "account", "work", "--password-stdin"], "new-geheim\n");
    assert_eq!(other.code, 0, "{}", said(&other));
    assert_eq!(fs::read_to_string(&file).unwrap(), "new-geheim\n");
    assert_eq!(accounts_file(&program).matches("[[account]]").count(), 1);
}

#[test]
fn where_nobody_can_be_asked_the_flag_is_named() {
    let program = Program::new();
    for (args, flag) in [
        (&["setup"][..], "setup account NAME"),
        (&["setup", "token"], "--token-stdin"),
        (&["setup", "model"], "--url"),
        (&["setup", "model", "--url", "http://127.0.0.1:1/v1"], "--model"),
        (&["setup", "account", "work"], "--address"),
        (&["setup", "account", "work", "--address", "a@example.com"], "--imap"),
        (
            &["setup", "account", "work", "--address", "a@example.com", "--smtp", "smtps://h.example"],
            "--password-stdin",
        ),
        (&["setup", "account", "work", "--address", "a@gmail.com"], "--password-stdin"),
        (&["setup", "account", "work", "--address", "a@outlook.com"], "--client-id"),
        (&["setup", "account", "work", "--provider", "nextcloud", "--address", "a@example.com"], "--cloud"),
        (&["setup", "token", "--token-stdin"], "standard input has no line more"),
    ] {
        let finished = program.run(args);
        assert_eq!(finished.code, 2, "{args:?}: {}", said(&finished));
        assert!(said(&finished).contains(flag), "{args:?}: {}", said(&finished));
    }
    assert!(env_file(&program).is_empty() && accounts_file(&program).is_empty());
}

#[test]
fn what_others_could_have_written_is_not_written_on() {
    let program = Program::new();
    let file = program.data_dir().join("accounts.toml");
    fs::create_dir_all(program.data_dir()).unwrap();
    fs::write(&file, "# nothing\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let args =
        ["setup", "account", "work", "--address", "a@example.com", "--smtp", "smtp://127.0.0.1:1", "--unchecked"];
    let refused = program.run_with_stdin(&[&args[..], &["--password-stdin"]].concat(), "geheim\n");
    assert_eq!(refused.code, 2);
    assert!(said(&refused).contains("written by others"), "{}", said(&refused));
    assert_eq!(fs::read_to_string(&file).unwrap(), "# nothing\n");
}

#[test]
fn access_on_another_device_is_kept_and_a_password_at_the_terminal_is_not_shown() {
    let (mail, tokens) = (SmtpServer::start(Mode::Accept), TokenServer::of("anna@example.com"));
    let smtp = format!("smtp://127.0.0.1:{}", mail.port());
    let program = Program::new();
    let urls = [tokens.url("token"), tokens.url("device")];
    let done = program.run(&[
        "setup",
        "account",
        "cloud",
        "--address",
        "anna@example.org",
        "--smtp",
        &smtp,
        "--oauth",
        "--client-id",
        CLIENT_ID,
        "--token-url",
        &urls[0],
        "--device-url",
        &urls[1],
        "--scope",
        "mail",
        "--unchecked",
    ]);
    assert_eq!(done.code, 0, "{}", said(&done));
    assert!(said(&done).contains("open https://example.com/device and type ABCD-EFGH"), "{}", said(&done));
    assert!(!said(&done).contains("geheim"), "{}", said(&done));
    let stored = fs::read_dir(program.data_dir()).unwrap().map(|entry| entry.unwrap().path());
    let stored: Vec<_> = stored.filter(|path| path.to_str().unwrap().ends_with(".tokens.json")).collect();
    assert!(stored.len() == 1 && is_private(&stored[0]), "{stored:?}");
    // At a terminal: a new password for another account.
    let args = ["setup", "account", "work", "--address", "anna@example.com", "--smtp", &smtp, "--password-stdin"];
    assert_eq!(program.run_with_stdin(&args, "geheim\n").code, 0);
    let mut terminal = program.terminal_command(&["setup", "account", "work"]);
    terminal.waits("question", |terminal| terminal.screen().contains("Password of anna@example.com"));
    terminal.says("nw\u{7f}ew-geheim");
    assert!(terminal.ended().success(), "{}", terminal.screen());
    assert!(terminal.is_as_found() && !terminal.screen().contains("geheim"), "{}", terminal.screen());
    assert_eq!(mail.logins().last().unwrap().1, "new-geheim");
    let mut terminal = program.terminal_command(&["setup", "account", "work"]);
    terminal.waits("question", |terminal| terminal.screen().contains("Password of anna@example.com"));
    terminal.types("half\u{3}");
    assert!(!terminal.ended().success());
    assert!(terminal.is_as_found(), "who stops leaves a terminal that shows what is typed");
}

#[test]
fn which_calendar_and_which_task_list_take_what_is_new_is_asked_at_a_terminal_or_said_by_flags() {
    let server = DavServer::radicale(&[("anna@example.com", "geheim")]);
    let url = server.url();
    let account = ["setup", "account", "home", "--address", "anna@example.com", "--caldav", &url];
    let program = Program::new();
    let mut terminal = program.terminal_command(&account);
    terminal.waits("question", |terminal| terminal.screen().contains("Password of anna@example.com"));
    terminal.says("geheim");
    for (question, wanted) in
        [("Which calendar takes new events?", "Work"), ("Which task list takes new tasks?", "Tasks")]
    {
        terminal.waits("question", |terminal| {
            let screen = terminal.screen();
            screen.split_once(question).is_some_and(|(_, options)| options.contains("Number"))
        });
        let screen = terminal.screen();
        let options = screen.split_once(question).unwrap().1;
        let line = options.lines().map(str::trim).find(|line| line.ends_with(&format!("  {wanted}"))).unwrap();
        terminal.says(line.split(' ').next().unwrap());
    }
    assert!(terminal.ended().success(), "{}", terminal.screen());
    let text = accounts_file(&program);
    assert!(text.contains("calendar = \"Work\"") && text.contains("task_list = \"Tasks\""), "{text}");
    // Where nobody is there, flags say it, and without one tasks stay here.
    for (flags, chosen) in [(&["--task-list", "Personal"][..], Some("task_list = \"Personal\"")), (&[], None)] {
        let program = Program::new();
        let args: Vec<&str> = account.iter().chain(flags).chain(&["--password-stdin"]).copied().collect();
        let done = program.run_with_stdin(&args, "geheim\n");
        assert_eq!(done.code, 0, "{}", said(&done));
        let text = accounts_file(&program);
        assert_eq!(text.contains("task_list"), chosen.is_some(), "{text}");
        assert!(chosen.is_none_or(|line| text.contains(line)), "{text}");
    }
}
