use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::accounts::{Credential, LoginError, ServerTls, sender_text};

fn place(chosen_by: PlaceChosenBy) -> AccountsPlace {
    AccountsPlace { path: PathBuf::from("/data/state/accounts.toml"), chosen_by }
}

fn read(text: &str) -> Result<Vec<AccountEntry>, String> {
    parse_accounts(text, &place(PlaceChosenBy::Environment)).map_err(|problems| problems.join("\n"))
}

const WORK: &str = r#"
[[account]]
name = "work"
addresses = ["Anna Example <anna@example.com>", "a.example@example.com"]
imap = "imaps://imap.example.com"
smtp = "smtp://smtp.example.com"
caldav = "https://dav.example.com/"
signature = "Anna\nExample Ltd."
mail_days = 90
files_sent = true
password_file = "work.password"
"#;

#[test]
fn an_account_is_read_with_all_that_it_says() {
    let [work] = read(WORK).unwrap().try_into().unwrap();
    assert_eq!(
        (work.person.clone(), work.name.as_str(), work.user.as_str()),
        (AccountPerson::First, "work", "anna@example.com")
    );
    let addresses: Vec<String> = work.addresses.iter().map(sender_text).collect();
    assert_eq!(addresses, ["Anna Example <anna@example.com>", "a.example@example.com"]);
    assert_eq!(work.imap.as_ref().map(|s| (s.port, s.tls)), Some((993, ServerTls::Wrapped)));
    assert_eq!(work.smtp.as_ref().map(|s| (s.port, s.tls)), Some((587, ServerTls::StartTls)));
    assert_eq!(work.signature.as_deref(), Some("Anna\nExample Ltd."));
    assert_eq!((work.mail_days, work.files_sent), (90, true));
    assert!(matches!(&work.secret, SecretSource::Place(SecretPlace::File { path, within: None })
        if path == Path::new("/data/state/work.password")));
}

#[test]
fn an_id_is_that_of_person_and_first_address_and_of_nothing_else() {
    let id = |text: &str| read(text).unwrap().remove(0).id;
    let work = id(WORK);
    let (acct, digits) = work.split_once(':').unwrap();
    assert_eq!((acct, digits.len()), ("acct", 8));
    assert!(digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    assert_eq!(id(&WORK.replace("\"work\"", "\"job\"").replace("imap.example.com", "mail.example.com")), work);
    assert_ne!(id(&WORK.replace("anna@", "anne@")), work);
    assert_ne!(id(&WORK.replace("name =", "person = \"tg:1\"\nname =")), work);
}

#[test]
fn a_provider_fills_in_what_is_not_said() {
    let text = "[[account]]\nprovider = \"google\"\naddresses = \"anna@gmail.com\"\npassword_variable = \"P\"\n";
    let google = read(text).unwrap().remove(0);
    assert_eq!(google.imap.as_ref().unwrap().host, "imap.gmail.com");
    assert_eq!((google.name.as_str(), google.files_sent), ("anna@gmail.com", true));
    assert!(google.caldav.is_none(), "Google's calendars take no app password");
    let oauth =
        text.replace("password_variable = \"P\"", "files_sent = false\ncarddav = false\noauth = { client_id = \"c\" }");
    let google = read(&oauth).unwrap().remove(0);
    assert!(google.caldav.unwrap().as_str().contains("/v2/anna%40gmail%2Ecom/user"));
    assert!(google.carddav.is_none() && !google.files_sent);
    let SecretSource::OAuth(settings) = google.secret else { panic!("no OAuth") };
    assert_eq!(settings.token_url.as_str(), "https://oauth2.googleapis.com/token");
    assert!(settings.device_url.is_none() && settings.scopes.len() == 3);
}

#[test]
fn what_is_wrong_is_told_by_account_and_key_and_shows_nothing() {
    let account = |lines: &str| format!("[[account]]\nname = \"work\"\naddresses = \"a@example.com\"\n{lines}\n");
    let fine = "imap = \"imaps://h.example\"\npassword_file = \"p\"\n";
    for (text, expected) in [
        (account("imap = \"imaps://h.example\"\npassword = \"geheim\""), "account “work”: password is not taken"),
        (account(&format!("{fine}pasword = \"geheim\"")), "account “work”: pasword is no key of an account"),
        (account(&format!("{fine}\"geheim!\" = 1")), "account “work”: a key is none of an account"),
        (account("imap = \"imaps://h.example\""), "account “work”: password_file is missing"),
        (
            account(&format!("{fine}password_variable = \"P\"")),
            "account “work”: password_variable stands beside another",
        ),
        (account("password_file = \"p\""), "account “work”: imap is missing"),
        (account("imap = \"imaps://a:geheim@h.example\"\npassword_file = \"p\""), "imap must be the server alone"),
        (account("imap = \"geheim\"\npassword_file = \"p\""), "imap is no address that can be read"),
        (account("imap = 5\npassword_file = \"p\""), "imap must be a text"),
        (account(&format!("{fine}mail_days = 0")), "mail_days must be a number from 1"),
        (account(&format!("{fine}mail_days = \"geheim\"")), "mail_days must be a number from 1"),
        (account(&format!("{fine}files_sent = \"yes\"")), "files_sent must be true or false"),
        (account(&format!("{fine}person = \"tg:anna\"")), "person must be tg:"),
        (account(&format!("{fine}provider = \"geheim\"")), "provider is none that I know; there are google,"),
        (account(&format!("{fine}authorities = \"~/ca.pem\"")), "authorities must be the whole path"),
        (
            account("imap = \"imaps://h.example\"\npassword_variable = \"geheim es\""),
            "password_variable must be the name",
        ),
        (account("imap = \"imaps://h.example\"\npassword_command = \"\""), "password_command must be a list of texts"),
        (account("imap = \"imaps://h.example\"\noauth = \"geheim\""), "oauth must be a table"),
        (account("imap = \"imaps://h.example\"\noauth = { client_id = \"c\" }"), "oauth.token_url is missing"),
        (
            account(
                "imap = \"imaps://h.example\"\noauth = { client_id = \"c\", token_url = \"http://geheim.example\" }",
            ),
            "oauth.token_url must be a https://",
        ),
        (
            account(
                "provider = \"google\"\noauth = { client_id = \"c\", client_secret = \"geheim\", client_secret_file = \"f\" }",
            ),
            "oauth.client_secret_file stands beside",
        ),
        (account("provider = \"google\"\noauth = { secret = \"geheim\" }"), "oauth.secret is no key"),
        (
            "[[account]]\nname = \"work\"\nimap = \"imaps://h\"\npassword_file = \"p\"\n".to_owned(),
            "account “work”: addresses is missing",
        ),
        ("[[account]]\naddresses = [\"geheim\"]\n".to_owned(), "account 1: addresses holds something"),
        (format!("{}{}", account(fine), account(fine).replace("a@", "b@")), "account “work”: name stands twice"),
        (format!("{}{}", account(fine), account(fine).replace("work", "job")), "account “job”: addresses begins as"),
        ("account = \"geheim\"".to_owned(), "each account begins with [[account]]"),
        (format!("token = \"geheim\"\n{}", account(fine)), "a key outside of any account"),
        ("[[account]]\nname = \"work\"\nname = \"geheim\"\n".to_owned(), "accounts.toml, line 3, cannot be read"),
        ("[[account]]\npassword geheim\n".to_owned(), "accounts.toml, line 2, cannot be read"),
    ] {
        let problems = read(&text).unwrap_err();
        assert!(problems.contains(expected), "{text}\n{problems}");
        assert!(!problems.contains("geheim"), "{text}\n{problems}");
    }
    let two = format!("{}{}", account(fine), account(fine).replace("name", "person = \"tg:1\"\nname"));
    assert_eq!(read(&two).unwrap().len(), 2, "each person has their own names");
}

#[test]
fn a_file_that_was_found_in_a_folder_names_no_secret_outside_of_it() {
    let found = place(PlaceChosenBy::Folder);
    let with = |line: &str| WORK.replace("password_file = \"work.password\"", line);
    for line in [
        "password_file = \"../work.password\"",
        "password_file = \"/home/anna/.netrc\"",
        "password_variable = \"LLM_API_KEY\"",
        "password_command = [\"sh\", \"-c\", \"id\"]",
        "oauth = { client_id = \"c\", token_url = \"https://t.example\", auth_url = \"https://t.example\", client_secret_variable = \"X\" }",
    ] {
        let problems = parse_accounts(&with(line), &found).unwrap_err().join("\n");
        assert!(problems.contains("set BRAIN_ACCOUNTS"), "{line}: {problems}");
        assert!(read(&with(line)).is_ok(), "{line}");
    }
    assert!(parse_accounts(WORK, &found).is_ok());
}

#[tokio::test]
async fn a_link_out_of_the_folder_is_not_followed_for_a_file_that_was_found_there() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    secret_files::write(&elsewhere.path().join("key"), "geheim\n").unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("key"), folder.path().join("work.password")).unwrap();
    secret_files::write(&folder.path().join("accounts.toml"), WORK).unwrap();
    for (chosen_by, is_read) in [(PlaceChosenBy::Folder, false), (PlaceChosenBy::Environment, true)] {
        let place = AccountsPlace { path: folder.path().join("accounts.toml"), chosen_by };
        let login = read_accounts(&place).unwrap().remove(0).login(&place).unwrap();
        match login.credential().await {
            Ok(Credential::Password(password)) => assert!(is_read && password.expose_secret() == "geheim"),
            Err(LoginError::Reconnect(why)) => assert!(!is_read && why.contains("leads out of the folder"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_file_that_others_may_read_or_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = AccountsPlace { path: folder.path().join("accounts.toml"), chosen_by: PlaceChosenBy::Folder };
    assert!(read_accounts(&place).unwrap().is_empty(), "without a file there is none");
    secret_files::write(&place.path, WORK).unwrap();
    assert_eq!(read_accounts(&place).unwrap().len(), 1);
    for (mode, expected) in [(0o640, "others may read it"), (0o604, "others may read it"), (0o620, "written by others")]
    {
        fs::set_permissions(&place.path, fs::Permissions::from_mode(mode)).unwrap();
        let why = read_accounts(&place).unwrap_err().join("\n");
        assert!(
            why.contains(expected) && why.contains("chmod 600") && why.contains("accounts.toml"),
            "{mode:o}: {why}"
        );
    }
}

#[test]
fn one_account_is_changed_and_all_else_stays_as_it_was() {
    let text = "# mine\n\n[[account]]\nname = \"Work\" # the old one\naddresses = [\"a@example.com\"]\nprovider = \"fastmail\"   # quick\n\
                password_command = [\"pass\", \"work\"]\n# not that one:\n# imap = \"x\"\n\n[[account]]\nperson = \"tg:1\"\n\
                name = \"work\"\naddresses = [\"b@example.com\"]\nimap = 'imaps://h.example'\npassword_file = 'b'\n";
    let change = |name: &str, person, settings: &[(&str, FileSetting)]| {
        let settings = settings.iter().map(|(key, setting)| ((*key).to_owned(), setting.clone())).collect();
        changed(text, &AccountChange { person, name: name.to_owned(), settings }).unwrap()
    };
    let text_of = |text: &str| FileSetting::Text(text.to_owned());
    let after =
        change("work", AccountPerson::First, &[("provider", text_of("icloud")), ("password_file", text_of("p"))]);
    let expected = text
        .replace("\"fastmail\"   # quick", "\"icloud\"   # quick")
        .replace("password_command = [\"pass\", \"work\"]", "password_file = \"p\"");
    assert_eq!(after, expected);
    let oauth = FileSetting::Table(vec![("client_id".to_owned(), text_of("c"))]);
    let other = AccountPerson::Id("tg:1".to_owned());
    let after =
        change("work", other, &[("oauth", oauth), ("imap", FileSetting::Absent), ("provider", text_of("google"))]);
    let [_, second] = read(&after).unwrap().try_into().unwrap();
    assert!(matches!(second.secret, SecretSource::OAuth(_)) && second.imap.unwrap().host == "imap.gmail.com");
    assert!(after.starts_with(&text[..text.find("[[account]]\nperson").unwrap()]), "{after}");
    let new = [
        ("addresses", FileSetting::Texts(vec!["c@example.com".to_owned()])),
        ("imap", text_of("imaps://h.example")),
        ("password_file", text_of("p")),
        ("mail_days", FileSetting::Number(30)),
        ("files_sent", FileSetting::Truth(true)),
    ];
    let after = change("new one", AccountPerson::First, &new);
    assert!(after.starts_with(text), "{after}");
    assert_eq!(read(&after).unwrap()[2].name, "new one");
    let first = changed(
        "",
        &AccountChange {
            person: AccountPerson::Id("anna".to_owned()),
            name: "q\"uote".to_owned(),
            settings: new.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
        },
    )
    .unwrap();
    assert_eq!(read(&first).unwrap()[0].name, "q\"uote");
}

#[test]
fn fuzzed_files_of_accounts_are_read_or_refused() {
    let oauth = "[[account]]\nname = \"x\"\nperson = \"tg:1\"\naddresses = [\"b@example.com\"]\nprovider = \"google\"\n\
                 oauth = { client_id = \"c\" }\ncalendars = [\"a\", 'b']\n";
    let tokens = [
        "[",
        "]",
        "{",
        "}",
        "[[account]]\n",
        "a.",
        "name = ",
        "\"",
        "'''",
        "\"\"\"",
        "=",
        ",",
        "\n",
        "imap",
        "@",
        "#",
        "\\",
    ];
    brain_testing::fuzzing::fuzz("accounts", &[WORK, oauth], &tokens, |bytes| {
        let _ = std::str::from_utf8(bytes).map(read);
    });
}

#[test]
fn a_hundred_thousand_levels_of_a_file_are_refused() {
    const LEVELS: usize = 100_000;
    for text in [
        format!("a = {}", "[".repeat(LEVELS)),
        format!("[[account]]\nname = {}{}", "[".repeat(LEVELS), "]".repeat(LEVELS)),
        format!("[[account]]\noauth = {}", "{ a = ".repeat(LEVELS)),
        format!("{}a = 1", "a.".repeat(LEVELS)),
        format!("[{}a]", "a.".repeat(LEVELS)),
        format!("[[{}a]]", "account.".repeat(LEVELS)),
    ] {
        assert!(read(&text).is_err(), "{text:.40}");
    }
}
