//! The page in a real browser, over the real program.

use std::time::Duration;

use super::TOKEN;
use crate::support::bot_api::FakeBotApi;
use crate::support::browser::Browser;
use crate::support::program::{Daemon, Program};

pub(super) const ANNA: i64 = 1_001;
const TAB: char = '\u{E004}';
const ENTER: char = '\u{E007}';

/// Where a program says that its page is.
pub(super) async fn address(said: impl Fn() -> String) -> String {
    for _ in 0..600 {
        let said = said();
        if let Some((_, rest)) = said.split_once("The operator's page is at ") {
            return rest.split('/').take(3).collect::<Vec<_>>().join("/");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no page: {}", said());
}

pub(super) fn program() -> Program {
    Program::new()
        .env("BRAIN_ADMIN_ADDR", "127.0.0.1:0")
        .env("BRAIN_ADMIN_TOKEN", TOKEN)
        .env("BRAIN_ADMINS", &ANNA.to_string())
}

pub(super) async fn served(program: &Program, api: &FakeBotApi) -> (Daemon, String) {
    let mut daemon = program.daemon(api);
    daemon.wait_ready().await;
    let base = address(|| daemon.stderr()).await;
    (daemon, base)
}

pub(super) async fn logs_in(browser: &Browser, base: &str) {
    browser.goes_to(&format!("{base}/")).await;
    browser.types("#token", TOKEN).await;
    browser.clicks("button").await;
    browser.sees("Pending").await;
}

pub(super) async fn waits_for(what: impl Fn() -> bool) {
    for _ in 0..600 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it did not come to that");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_of_a_chat_is_cancelled_on_the_page_and_the_chat_is_told() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    api.open_chat(ANNA);
    api.user_says(ANNA, "send an email to bob.miller@example.com saying the report is late");
    waits_for(|| api.messages(ANNA).iter().any(|message| message.text.contains("Send this email?"))).await;

    let browser = Browser::open(1_100, 900, false).await;
    logs_in(&browser, &base).await;
    browser.takes_picture("pending").await;
    browser.clicks("td a").await;
    browser.sees("bob.miller@example.com").await;
    browser.sees("The report is late").await;
    browser.takes_picture("card").await;
    browser.clicks("button.harm").await;
    browser.sees("is cancelled; its owner is told").await;
    let told = |text: &str| text.contains("cancelled") || text.contains("Cancelled");
    waits_for(|| api.all_messages(ANNA).iter().any(|message| told(&message.text))).await;

    browser.goes_to(&format!("{base}/turns")).await;
    browser.clicks("tbody td a").await;
    browser.sees("Its nodes").await;
    let bars = browser.runs("return document.querySelectorAll('svg rect').length").await;
    assert!(bars.as_u64().unwrap() > 0, "{bars}");
    browser.takes_picture("turn").await;
    browser.goes_to(&format!("{base}/figures")).await;
    browser.sees("What became of cards").await;
    browser.takes_picture("figures").await;
    browser.goes_to(&format!("{base}/system")).await;
    browser.sees("Settings").await;
    browser.takes_picture("system").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chat_of_the_page_approves_a_card_on_a_dark_phone() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(390, 844, true).await;
    logs_in(&browser, &base).await;
    browser.goes_to(&format!("{base}/chat")).await;
    browser.types("#text", "remind me to call mom tomorrow at 5pm").await;
    browser.clicks("#say button").await;
    browser.sees("Reminder set: Call mom").await;
    browser.types("#text", "delete the task call mom").await;
    browser.clicks("#say button").await;
    browser.sees("Reply yes or no").await;
    browser.takes_picture("chat").await;
    browser.clicks("#said .bubble:last-child .row button").await;
    browser.sees("Deleted").await;
    let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    for page in ["chat", "pending", "turns", "figures", "people", "system"] {
        browser.goes_to(&format!("{base}/{page}")).await;
        // Under load a page may be looked at before it is laid out.
        let mut left = 50;
        while browser.runs(wider).await != 0 {
            left -= 1;
            assert!(left > 0, "{page} is wider than the phone");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        browser.takes_picture(&format!("{page}-phone")).await;
    }
    let ground = browser.runs("return getComputedStyle(document.body).backgroundColor").await;
    assert_eq!(ground, "rgb(21, 24, 27)", "dark where the machine is");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_used_by_the_keyboard_alone() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(1_100, 900, false).await;
    browser.goes_to(&format!("{base}/login")).await;
    let keys: Vec<char> = TOKEN.chars().chain([ENTER]).collect();
    browser.presses(&keys).await;
    browser.sees("Nothing waits for a yes or a no").await;
    // The first stop leads past the way to the other pages; the third is the second of these.
    browser.presses(&[TAB]).await;
    let at = "return document.activeElement.textContent";
    assert_eq!(browser.runs(at).await, "To the content");
    browser.presses(&[TAB, TAB]).await;
    assert_eq!(browser.runs(at).await, "Turns");
    let seen = "return getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.runs(seen).await, "solid", "where one is has to be seen");
    browser.presses(&[ENTER]).await;
    browser.sees("Turns").await;
}
