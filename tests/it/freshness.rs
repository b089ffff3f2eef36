//! How fresh an answer is that was read from an account elsewhere, and how accounts are told in `/status` and by a message.

use std::sync::Arc;

use brain_agent::accounts::{AccountDirectory, AccountPart, AccountPerson, ListedAccount};
use brain_agent::ports::Clock;
use brain_agent::upkeep::AccountWatch;
use chrono::Duration;
use serde_json::json;

use crate::rig::mail_place::MailPlace;
use crate::rig::{ME, Rig, Setup, action};

/// As the account of [`MailPlace`] is called.
const ID: &str = "mail:me@example.com";

fn listed(id: &str, person: &str, name: &str, address: &str) -> ListedAccount {
    let [id, name, address] = [id, name, address].map(str::to_owned);
    ListedAccount { id, part: AccountPart::Mail, person: AccountPerson::Id(person.to_owned()), name, address }
}

fn setup() -> Setup {
    let directory = AccountDirectory::new([listed(ID, ME, "work", "me@example.com")], Arc::default());
    Setup { demo: true, accounts: MailPlace::new().accounts(), directory, ..Setup::default() }
}

/// The account is away since a quarter of an hour.
fn goes_away(rig: &Rig, until_reconnected: bool) {
    let since = rig.clock.now() - Duration::minutes(15);
    let why = if until_reconnected { "The token server refused it." } else { "The server cannot be reached." };
    rig.brain.accounts.states.failed(ID, since, why.to_owned(), until_reconnected);
}

/// What is said to a question about mail.
async fn asked(rig: &Rig) -> String {
    rig.plans(json!([action("email", "search", json!({"text": "Berlin"}))]));
    rig.says("any mail about Berlin?").await.text()
}

#[tokio::test]
async fn an_answer_from_mail_says_once_that_its_account_is_not_connected() {
    const LINE: &str = "⚠️ Your mail account work is not connected since 08:45 (The server cannot be reached).";
    let rig = Rig::new(setup());
    assert!(!asked(&rig).await.contains("not connected"));
    goes_away(&rig, false);
    let told = asked(&rig).await;
    assert_eq!(told.matches("not connected").count(), 1, "{told}");
    assert!(told.trim_end().ends_with(LINE), "{told}");
    // Two questions in one message are one answer.
    let both = json!([
        action("email", "search", json!({"text": "Berlin"})),
        action("email", "search", json!({"text": "dinner"})),
    ]);
    rig.plans(both);
    let told = rig.says("any mail about Berlin, and any about dinner?").await.text();
    assert_eq!(told.matches("not connected").count(), 1, "{told}");
    rig.plans(json!([action("email", "read_thread", json!({"find_by": "no such mail at all"}))]));
    let told = rig.says("read me that mail").await.text();
    assert_eq!(told.matches("not connected").count(), 1, "what was not found may be what was not read: {told}");
    rig.brain.accounts.states.synced(ID, rig.clock.now());
    assert!(!asked(&rig).await.contains("not connected"));
}

#[tokio::test]
async fn small_talk_and_what_is_kept_here_say_nothing_of_accounts() {
    let rig = Rig::new(setup());
    goes_away(&rig, true);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    assert!(!rig.says("hello there").await.text().contains("not connected"));
    rig.plans(json!([action("task", "create", json!({"title": "Water the plants"}))]));
    assert!(!rig.says("water the plants, as a task").await.text().contains("not connected"));
    rig.plans(json!([action("task", "list", json!({}))]));
    assert!(!rig.says("what is on my list?").await.text().contains("not connected"));
}

#[tokio::test]
async fn while_it_is_read_for_the_first_time_an_answer_says_how_far() {
    let rig = Rig::new(setup());
    rig.brain.accounts.states.progressed(ID, 1_200, 40_000);
    let told = asked(&rig).await;
    assert!(told.trim_end().ends_with("I've read 1,200 of your 40,000 mails so far."), "{told}");
    assert_eq!(told.matches("mails so far").count(), 1, "{told}");
}

#[tokio::test]
async fn status_tells_ones_own_accounts_and_an_admin_those_of_everybody_without_addresses() {
    let theirs = listed("b", "bob", "shop", "bob@shop.example");
    let mine = listed(ID, ME, "work", "me@example.com");
    let rig = Rig::new(Setup { directory: AccountDirectory::new([mine, theirs], Arc::default()), ..setup() });
    let status = rig.says("/status").await.text();
    assert!(status.contains("📫 work (me@example.com): not read yet since I was started"), "{status}");
    rig.brain.accounts.states.synced(ID, rig.clock.now() - Duration::minutes(2));
    rig.brain.accounts.states.progressed("b", 1_200, 40_000);
    let status = rig.says("/status").await.text();
    assert!(status.contains("📫 work (me@example.com): read 2 min ago"), "{status}");
    assert!(!status.contains("shop"), "nobody sees somebody else's: {status}");
    goes_away(&rig, true);
    let status = rig.says("/status").await.text();
    let away = "not connected since 08:45: The token server refused it; reconnect with “brain-agent setup”";
    assert!(status.contains(away), "{status}");
    let status = rig.as_user("root").says("/status").await.text();
    assert!(status.contains("📫 bob, shop: reading: 1,200 of 40,000"), "{status}");
    assert!(status.contains(&format!("📫 {ME}, work: not connected since 08:45")), "{status}");
    assert!(!status.contains("@shop.example") && !status.contains("me@example.com"), "{status}");
}

/// How often it was told that the account waits.
fn told(rig: &Rig) -> usize {
    rig.channel.all().iter().filter(|shown| shown.reply.text.contains("🔌 Your mail account work")).count()
}

#[tokio::test]
async fn an_account_that_waits_for_somebody_is_told_once_over_restarts_and_anew_the_next_time() {
    let mut rig = Rig::new(setup());
    let mut watch = AccountWatch::default();
    goes_away(&rig, true);
    watch.look(&rig.brain).await.unwrap();
    assert_eq!(told(&rig), 0, "nobody has spoken yet");
    rig.says("/status").await;
    watch.look(&rig.brain).await.unwrap();
    watch.look(&rig.brain).await.unwrap();
    assert_eq!(told(&rig), 1);
    let said = rig.channel.all().into_iter().find(|shown| shown.reply.text.contains('🔌')).unwrap().reply.text;
    assert!(said.contains("since 08:45: The token server refused it; reconnect with “brain-agent setup”."), "{said}");
    // A new life knows nothing of the account until it was tried.
    rig.restart(setup()).await;
    let mut watch = AccountWatch::default();
    watch.look(&rig.brain).await.unwrap();
    goes_away(&rig, true);
    watch.look(&rig.brain).await.unwrap();
    assert_eq!(told(&rig), 1, "the same disconnection");
    // What is only away for a while is not told.
    rig.brain.accounts.states.synced(ID, rig.clock.now());
    watch.look(&rig.brain).await.unwrap();
    goes_away(&rig, false);
    watch.look(&rig.brain).await.unwrap();
    assert_eq!(told(&rig), 1);
    goes_away(&rig, true);
    watch.look(&rig.brain).await.unwrap();
    assert_eq!(told(&rig), 2, "another one");
}

#[tokio::test]
async fn two_accounts_that_wait_are_told_each_by_its_own_message() {
    let accounts = [listed(ID, ME, "work", "me@example.com"), listed("h", ME, "home", "me@home.example")];
    let rig = Rig::new(Setup { directory: AccountDirectory::new(accounts, Arc::default()), ..setup() });
    rig.says("/status").await;
    let mut watch = AccountWatch::default();
    goes_away(&rig, true);
    watch.look(&rig.brain).await.unwrap();
    rig.brain.accounts.states.failed("h", rig.clock.now(), "Refused.".to_owned(), true);
    watch.look(&rig.brain).await.unwrap();
    watch.look(&rig.brain).await.unwrap();
    let all = rig.channel.all();
    let about = |name: &str| {
        all.iter().filter(|shown| shown.reply.text.contains(&format!("🔌 Your mail account {name}"))).count()
    };
    assert_eq!((about("work"), about("home")), (1, 1));
}
