//! Who is let in and who is not heard any more, decided on the page.

use super::browser::{ANNA, logs_in, program, served, waits_for};
use super::*;
use crate::support::bot_api::FakeBotApi;
use crate::support::browser::Browser;

const BEN: i64 = 1_002;

#[tokio::test(flavor = "multi_thread")]
async fn a_code_of_the_page_lets_somebody_in_who_is_no_admin_and_a_click_keeps_them_out() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(1_100, 900, false).await;
    logs_in(&browser, &base).await;
    browser.goes_to(&format!("{base}/people")).await;
    browser.clicks("form[action='/people/pair'] button").await;
    browser.sees("Whoever sends this code").await;
    let said = browser.runs("return document.querySelector('pre').textContent").await;
    let code = said.as_str().unwrap().lines().next().unwrap().to_owned();
    assert_eq!(code.len(), 10, "{code}");

    let told = |who: i64, words: &'static str| api.messages(who).iter().any(|told| told.text.contains(words));
    api.open_chat(BEN);
    api.user_says(BEN, "hello");
    waits_for(|| told(BEN, "send me the pairing code")).await;
    api.user_says(BEN, &code);
    waits_for(|| told(BEN, "Welcome")).await;
    assert!(!told(BEN, "You are my admin"), "{}", api.transcript());
    api.user_says(BEN, "remind me to call mom tomorrow at 5pm");
    waits_for(|| told(BEN, "Reminder set: Call mom")).await;

    browser.goes_to(&format!("{base}/people")).await;
    browser.takes_picture("people").await;
    let of_ben = format!("form[action='/people/tg%3A{BEN}/block'] button");
    browser.clicks(&of_ben).await;
    browser.sees("is blocked: I hear nothing of them from now on").await;
    let before = api.all_messages(BEN).len();
    api.user_says(BEN, "what do I have this week?");
    api.open_chat(ANNA);
    api.user_says(ANNA, "remind me to feed the cat tomorrow at 5pm");
    waits_for(|| told(ANNA, "Reminder set: Feed the cat")).await;
    assert_eq!(api.all_messages(BEN).len(), before, "{}", api.transcript());
    browser.goes_to(&format!("{base}/people")).await;
    browser.clicks(&of_ben.replace("/block", "/unblock")).await;
    browser.sees("is heard again").await;
    api.user_says(BEN, "remind me to water the plants tomorrow at 5pm");
    waits_for(|| told(BEN, "Reminder set: Water the plants")).await;
}

#[tokio::test]
async fn an_admin_is_not_blocked_and_what_is_decided_stands_in_the_audit() {
    let rig = Rig::plain();
    let page = Page::open(&rig).await;
    let (status, told) = page.sends("/people", "/people/tg%3A7/block", "").await;
    assert_eq!(status, StatusCode::OK, "{told}");
    assert!(page.get("/people").await.contains("tg:7 is blocked"));
    let (status, told) = page.sends("/people", "/people/me/block", "").await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(told.contains("sits at this machine"), "{told}");
    let audit = rig.brain.store.list::<Audit>(Scan::of::<Audit>(&[], usize::MAX)).await.unwrap();
    let (row, _) = audit.iter().find(|(row, _)| row.what == "blocked").unwrap();
    assert_eq!((row.by.as_str(), row.actions.as_slice()), ("operator", ["tg:7".to_owned()].as_slice()));
    assert!(!page.get("/figures").await.contains("<td>blocked</td>"), "no state of a card");
}

#[tokio::test]
async fn nobody_is_let_in_or_kept_out_without_the_session_and_its_secret() {
    let rig = Rig::plain();
    let (out, page) = (Page::of(&rig).await, Page::open(&rig).await);
    for path in ["/people/pair", "/people/tg%3A7/block", "/people/tg%3A7/unblock"] {
        let answer = out.asks(Method::POST, path).header(ORIGIN, &out.base).body("secret=").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        for body in ["", "secret=", "secret=0000"] {
            let answer = page.asks(Method::POST, path).header(ORIGIN, &page.base).body(body).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}: {body}");
        }
        let answer = page.asks(Method::POST, path).header(ORIGIN, "http://evil.example").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{path}");
        assert_eq!(page.asks(Method::GET, path).send().await.unwrap().status(), StatusCode::NOT_FOUND, "{path}");
    }
    let audit = rig.brain.store.list::<Audit>(Scan::of::<Audit>(&[], usize::MAX)).await.unwrap();
    assert!(audit.is_empty(), "{audit:?}");
}
