//! The file of accounts, seen from outside: what the program says of it at start, and how passwords are looked up.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use brain_agent::accounts::{CommandLogin, Credential, Login, LoginError, PlaceLogin, SecretPlace};
use brain_agent::secret_files;
use secrecy::ExposeSecret as _;

use crate::support::program::Program;

const WORK: &str = "[[account]]\nname = \"work\"\naddresses = [\"anna@example.com\"]\nimap = \"imaps://h.example\"\n\
                    password_file = \"work.password\"\n";

fn password(given: Result<Credential, LoginError>) -> Result<String, String> {
    match given {
        Ok(Credential::Password(password)) => Ok(password.expose_secret().to_owned()),
        Ok(Credential::Bearer(_)) => Err("a token".to_owned()),
        Err(why) => Err(why.to_string()),
    }
}

#[test]
fn a_file_of_accounts_that_is_wrong_is_told_at_start_by_account_and_key() {
    let program = Program::new();
    let file = program.data_dir().join("accounts.toml");
    let ask = |program: &Program| {
        let asked = program.run(&["ask", "hello"]);
        (asked.code, format!("{}{}", asked.stdout, asked.stderr))
    };
    secret_files::write(&file, WORK).unwrap();
    assert_eq!(ask(&program).0, 0);
    secret_files::write(&file, &WORK.replace("password_file", "password")).unwrap();
    let (code, said) = ask(&program);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("account “work”: password is not taken") && !said.contains("work.password"), "{said}");
    secret_files::write(&file, WORK).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let (code, said) = ask(&program);
    assert_eq!(code, 2);
    assert!(said.contains("others may read it") && said.contains("chmod 600"), "{said}");
    let (code, said) = ask(&program.clone().env("BRAIN_ACCOUNTS", "/nowhere/accounts.toml"));
    assert_eq!(code, 2);
    assert!(said.contains("BRAIN_ACCOUNTS names a file that is not there"), "{said}");
}

#[test]
fn an_account_that_is_set_twice_is_refused() {
    let program = Program::new().env("IMAP_URL", "imaps://anna%40example.com:geheim@h.example");
    secret_files::write(&program.data_dir().join("accounts.toml"), WORK).unwrap();
    let asked = program.run(&["ask", "hello"]);
    assert_eq!(asked.code, 2);
    assert!(asked.stderr.contains("anna@example.com is set as IMAP_URL"), "{}", asked.stderr);
    assert!(!asked.stderr.contains("geheim"));
}

#[test]
fn an_address_with_its_password_may_stand_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = folder.path().join("url");
    let program = Program::new().env("IMAP_URL_FILE", url.to_str().unwrap());
    let said = || program.run(&["ask", "hello"]);
    assert!(said().stderr.contains("IMAP_URL_FILE: its file"), "there is none");
    secret_files::write(&url, "imap://anna:geheim@h.example\nmore\n").unwrap();
    let asked = said();
    assert_eq!(asked.code, 2);
    assert!(asked.stderr.contains("IMAP_URL does not say whose it is") && !asked.stderr.contains("geheim"));
    secret_files::write(&url, "imap://anna:geheim@h.example?from=a@example.com\n").unwrap();
    assert_eq!(said().code, 0);
    let both = program.clone().env("IMAP_URL", "imaps://anna%40example.com:geheim@h.example").run(&["ask", "hello"]);
    assert!(both.stderr.contains("IMAP_URL and IMAP_URL_FILE are both set"), "{}", both.stderr);
}

#[test]
fn a_file_of_accounts_in_a_folder_does_not_get_the_passwords_of_the_environment() {
    let program = Program::new().without_env("BRAIN_DATA_DIR").env("WORK", "geheim");
    let file = program.cwd().join("data/state/accounts.toml");
    secret_files::write(&file, &WORK.replace("password_file = \"work.password\"", "password_variable = \"WORK\""))
        .unwrap();
    let asked = program.run(&["ask", "hello"]);
    assert_eq!(asked.code, 2);
    assert!(asked.stderr.contains("set BRAIN_ACCOUNTS"), "{}", asked.stderr);
    let named = program.env("BRAIN_ACCOUNTS", file.to_str().unwrap()).run(&["ask", "hello"]);
    assert_eq!(named.code, 0, "{}", named.stderr);
}

#[tokio::test]
async fn a_password_in_a_file_is_looked_up_at_each_sign_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    let login = PlaceLogin::new("anna", "work", SecretPlace::File { path: path.clone(), within: None });
    let why = password(login.credential().await).unwrap_err();
    assert!(why.starts_with("The password of work: its file") && why.contains("is not there"), "{why}");
    for (text, expected) in [("one", "one"), (" two \r\nmore", " two "), ("ü\n", "ü")] {
        secret_files::write(&path, text).unwrap();
        assert_eq!(password(login.credential().await).as_deref(), Ok(expected));
    }
    for (text, expected) in [("\nmore", "it is empty"), (&*"x".repeat(20_000), "is too large")] {
        secret_files::write(&path, text).unwrap();
        assert!(password(login.credential().await).unwrap_err().contains(expected), "{expected}");
    }
    secret_files::write(&path, "geheim").unwrap();
    for (mode, expected) in [(0o644, "may be read by others"), (0o666, "may be written by others")] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let why = login.credential().await.unwrap_err();
        assert!(matches!(&why, LoginError::Reconnect(why) if why.contains(expected)), "{why}");
    }
    let unset = PlaceLogin::new("anna", "work", SecretPlace::Variable("BRAIN_AGENT_TEST_UNSET".to_owned()));
    assert!(password(unset.credential().await).unwrap_err().contains("variable BRAIN_AGENT_TEST_UNSET is not set"));
}

fn script(folder: &Path, text: &str) -> Vec<String> {
    let path = folder.join("script");
    fs::write(&path, text).unwrap();
    vec!["/bin/sh".to_owned(), path.to_str().unwrap().to_owned(), folder.to_str().unwrap().to_owned()]
}

#[tokio::test]
async fn a_command_runs_once_for_some_minutes_and_again_when_its_password_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let words = script(folder.path(), "echo x >> \"$1/runs\"; echo \"pass $(wc -l < \"$1/runs\")\"; echo more\n");
    let login = CommandLogin::new("anna", "work", words);
    let (one, other) = tokio::join!(login.credential(), login.credential());
    assert_eq!((password(one), password(other)), (Ok("pass 1".to_owned()), Ok("pass 1".to_owned())));
    login.was_refused();
    assert_eq!(password(login.credential().await), Ok("pass 2".to_owned()));
    assert_eq!(password(login.credential().await), Ok("pass 2".to_owned()));
    assert!(!format!("{login:?}").contains("pass"), "{login:?}");
}

#[tokio::test]
async fn a_command_that_fails_is_told_by_its_name_and_not_run_again_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let words = script(folder.path(), "echo x >> \"$1/runs\"; echo geheim; echo geheim >&2; exit 3\n");
    let login = CommandLogin::new("anna", "work", words);
    for _ in 0..3 {
        let why = login.credential().await.unwrap_err();
        assert!(matches!(&why, LoginError::Unavailable(_)));
        let why = why.to_string();
        assert!(why.contains("the command /bin/sh failed with exit code 3") && !why.contains("geheim"), "{why}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("runs")).unwrap(), "x\n");
    for (text, expected) in [
        ("true", "prints nothing"),
        ("head -c 100000 /dev/zero; sleep 60", "prints too much"),
        ("printf '\\377\\n'", "no text in UTF-8"),
        ("kill -9 $$", "was stopped"),
    ] {
        let login = CommandLogin::new("anna", "work", script(folder.path(), text));
        let why = login.credential().await.unwrap_err().to_string();
        assert!(why.contains(expected), "{text}: {why}");
    }
    let login = CommandLogin::new("anna", "work", vec!["/nowhere/pass".to_owned()]);
    assert!(login.credential().await.unwrap_err().to_string().contains("/nowhere/pass cannot be started"));
}
