//! Who is let in and who is not heard any more, decided on the page.

use brain_agent::core::ids::UserId;
use brain_agent::ports::{Order, Table};

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

    // What is kept of them is named, asked about once more, and gone; they are a stranger then.
    browser.goes_to(&format!("{base}/people")).await;
    browser.clicks(&of_ben).await;
    browser.sees("is blocked: I hear nothing").await;
    browser.goes_to(&format!("{base}/people")).await;
    browser.clicks(&format!("a[href='/people/tg%3A{BEN}/erase']")).await;
    browser.sees("2 tasks").await;
    browser.takes_picture("erase").await;
    browser.types("#confirm", &format!("tg:{BEN}")).await;
    browser.clicks("main button.harm").await;
    browser.sees(&format!("All that I kept of tg:{BEN} is erased")).await;
    browser.goes_to(&format!("{base}/people")).await;
    browser.clicks(&of_ben.replace("/block", "/unblock")).await;
    browser.sees("is heard again").await;
    let before = api.all_messages(BEN).len();
    api.user_says(BEN, "what do I have this week?");
    api.user_says(ANNA, "remind me to call the vet tomorrow at 5pm");
    waits_for(|| told(ANNA, "Reminder set: Call the vet")).await;
    assert!(
        api.all_messages(BEN)[before..].iter().all(|said| said.text.contains("don't know you")),
        "{}",
        api.transcript()
    );
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
    for path in ["/people/pair", "/people/tg%3A7/block", "/people/tg%3A7/unblock", "/people/tg%3A7/erase"] {
        let answer = out.asks(Method::POST, path).header(ORIGIN, &out.base).body("secret=").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        for body in ["", "secret=", "secret=0000"] {
            let answer = page.asks(Method::POST, path).header(ORIGIN, &page.base).body(body).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}: {body}");
        }
        let answer = page.asks(Method::POST, path).header(ORIGIN, "http://evil.example").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{path}");
        let answer = page.asks(Method::GET, path).send().await.unwrap();
        assert!([StatusCode::NOT_FOUND, StatusCode::CONFLICT].contains(&answer.status()), "{path}");
    }
    let audit = rig.brain.store.list::<Audit>(Scan::of::<Audit>(&[], usize::MAX)).await.unwrap();
    assert!(audit.is_empty(), "{audit:?}");
}

/// Whether anything that is kept names somebody, the tables that stay left out.
async fn is_named(rig: &Rig, who: &str) -> Vec<Table> {
    let mut found = Vec::new();
    for table in Table::ALL.into_iter().filter(|table| ![Table::Audit, Table::Usage, Table::Forgotten].contains(table))
    {
        let scan = Scan {
            table,
            by: None,
            prefix: None,
            before: None,
            after: None,
            order: Order::Ascending,
            limit: usize::MAX,
        };
        for (key, stored) in rig.brain.store.scan(scan).await.unwrap() {
            let body = String::from_utf8_lossy(&stored.body).into_owned();
            if key.as_str().contains(who) || body.contains(who) {
                found.push(table);
            }
        }
    }
    found
}

#[tokio::test]
async fn all_that_is_kept_of_somebody_goes_and_nothing_of_anybody_else() {
    let rig = Rig::new(Setup { contents_kept: 5, ..Setup::default() });
    for (user, subject) in [("tg:71001", "Secret one"), ("tg:71002", "Other one")] {
        rig.plans(json!([send("bob@example.com", subject, "It is late.")]));
        rig.as_user(user).says("here is what I want").await;
        rig.plans(json!([action("task", "create", json!({"title": subject}))]));
        rig.as_user(user).says(&format!("see to it: {subject}")).await;
    }
    let page = Page::open(&rig).await;
    let place = "/people/tg%3A71001/erase";
    let mailbox = rig.folder().join("mail").join(UserId::new("tg:71001").folder_name());
    std::fs::create_dir_all(mailbox.join("cur")).unwrap();
    let before = is_named(&rig, "71002").await;
    assert!(is_named(&rig, "71001").await.len() > 5);

    // Only of somebody who is not heard, and only where it was said of whom.
    let (status, told) = page.sends("/people", place, "confirm=tg%3A71001").await;
    assert_eq!(status, StatusCode::CONFLICT, "{told}");
    assert!(told.contains("Block tg:71001 first"), "{told}");
    page.sends("/people", "/people/tg%3A71001/block", "").await;
    let (status, told) = page.sends("/people", place, "confirm=tg%3A71002").await;
    assert_eq!(status, StatusCode::CONFLICT, "{told}");
    assert!(!is_named(&rig, "Secret one").await.is_empty());
    let asked = page.get(place).await;
    for part in ["1 tasks", "1 cards, open and decided", "messages of their private chat", "2 traces of turns"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }

    let (status, told) = page.sends(place, place, "confirm=tg%3A71001").await;
    assert_eq!(status, StatusCode::OK, "{told}");
    assert!(told.contains("All that I kept of tg:71001 is erased"), "{told}");
    assert_eq!(is_named(&rig, "71001").await, [Table::Meta], "that they are blocked");
    assert!(is_named(&rig, "Secret one").await.is_empty());
    assert!(!mailbox.exists());
    assert_eq!(is_named(&rig, "71002").await, before);
    let audit = rig.brain.store.list::<Audit>(Scan::of::<Audit>(&[], usize::MAX)).await.unwrap();
    let (row, _) = audit.iter().find(|(row, _)| row.what == "erased").unwrap();
    assert_eq!((row.by.as_str(), row.actions.as_slice()), ("operator", ["tg:71001".to_owned()].as_slice()));
}
