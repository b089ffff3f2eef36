//! Lists: what is filtered out of them, how far one page looks for it, and that an open page follows what happens.

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::{Done, Path};
use brain_agent::ports::records::TurnTrace;
use brain_agent::ports::{Batch, Expect};
use chrono::{TimeDelta, Utc};

use super::browser::{ANNA, address, logs_in, program, served, waits_for};
use super::*;
use crate::support::bot_api::FakeBotApi;
use crate::support::browser::Browser;

#[tokio::test]
async fn cards_are_found_by_state_person_and_chat() {
    let rig = Rig::new(Setup::default());
    for (user, subject) in [("anna", "First"), ("anna", "Second"), ("ben", "Third")] {
        rig.plans(json!([send("bob@example.com", subject, "It is late.")]));
        rig.as_user(user).says("here is what I want").await;
    }
    let page = Page::open(&rig).await;
    let ids = |data: &str| -> Vec<String> {
        let data: Value = serde_json::from_str(data).unwrap();
        data["pending"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(&page.get("/api/pending").await);
    let annas = ids(&page.get("/api/pending?user=anna").await);
    assert_eq!((all.len(), annas.len()), (3, 2));
    let place = format!("/pending/{}", annas[0]);
    page.sends(&place, &format!("{place}/cancel"), "").await;
    assert_eq!(ids(&page.get("/api/pending?user=anna").await), annas[1..]);
    for query in ["state=denied", "state=denied&user=anna", "state=denied&chat=console%3Aanna"] {
        assert_eq!(ids(&page.get(&format!("/api/pending?{query}")).await), annas[..1], "{query}");
    }
    for query in ["state=denied&user=ben", "state=succeeded", "user=nobody", "chat=console%3Anobody&user=anna"] {
        assert!(ids(&page.get(&format!("/api/pending?{query}")).await).is_empty(), "{query}");
    }
    let shown = page.get("/pending?state=denied&user=anna").await;
    assert!(shown.contains("What was decided, newest first") && shown.contains(&annas[0]), "{shown}");
    assert!(shown.contains("<option value=\"denied\" selected") && shown.contains("value=\"anna\""), "{shown}");
    assert!(page.get("/pending?state=expired").await.contains("Nothing that fits."));
}

#[tokio::test]
async fn turns_are_found_by_path_person_and_how_they_went_and_one_page_looks_only_so_far() {
    let rig = Rig::new(Setup::default());
    let now = Utc::now();
    let trace = |number: i64, path, user: &str| TurnTrace {
        id: format!("turn-{number}"),
        user: UserId::new(user),
        chat: ChatId::new(format!("console:{user}")),
        at: now - TimeDelta::seconds(number),
        done: Done::quiet(path),
        spans: Vec::new(),
        investigation: None,
    };
    let mut batch = Batch::default();
    for number in 0..4_500 {
        let (path, user) = if number == 4_400 { (Path::Error, "ben") } else { (Path::Chat, "anna") };
        batch.put(&trace(number, path, user), Expect::Any).unwrap();
    }
    rig.brain.commit(batch).await.unwrap();
    let page = Page::open(&rig).await;
    for query in ["path=error", "went=failed", "user=ben", "chat=console%3Aben", "path=error&user=ben&went=failed"] {
        let (mut place, mut looked, mut pages) = (format!("/turns?{query}"), Vec::new(), 0);
        loop {
            pages += 1;
            let shown = page.get(&place).await;
            if shown.contains("/turn%2D4400\"") {
                break;
            }
            assert!(pages < 4, "{query}: {shown}");
            let next = shown.split("<a href=\"").find(|part| part.contains("Older turns")).unwrap();
            place = next.split('"').next().unwrap().replace("&amp;", "&");
            looked.push(shown.contains("I looked at 2,000 so far, and there are more."));
        }
        assert_eq!(looked, [true, true], "{query}");
    }
    let shown = page.get("/turns?path=chat&user=anna&went=well").await;
    assert_eq!(shown.matches("<td><a href=\"/turns/").count(), 50);
    assert!(!shown.contains("I looked at"), "a full page has no need to say it");
    assert!(page.get("/turns?path=nonsense&went=nonsense").await.contains("turn%2D0\""), "what is no choice is none");
    assert!(page.get("/turns?user=carl&before=%00").await.contains("No turn"));
}

#[tokio::test]
async fn so_many_pages_are_told_of_changes_and_none_whose_session_is_over() {
    let rig = Rig::plain();
    let (out, page) = (Page::of(&rig).await, Page::open(&rig).await);
    let answer = out.asks(Method::GET, "/changes/turns").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(page.asks(Method::GET, "/changes/people").send().await.unwrap().status(), StatusCode::NOT_FOUND);
    let mut open = Vec::new();
    for _ in 0..24 {
        let answer = page.asks(Method::GET, "/changes/turns").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        open.push(answer);
    }
    let answer = page.asks(Method::GET, "/changes/turns").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let chat = page.asks(Method::GET, "/chat/events").send().await.unwrap();
    assert_eq!(chat.status(), StatusCode::OK);
    open.push(chat);
    let mut told = open.remove(0);
    rig.says("hello").await;
    assert_eq!(told.chunk().await.unwrap().unwrap(), "event: changed\ndata: \n\n");
    page.sends("/pending", "/logout", "").await;
    for mut one in open {
        while one.chunk().await.unwrap().is_some() {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_list_follows_what_happens_in_the_chats_without_being_loaded_anew() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(1_100, 900, false).await;
    logs_in(&browser, &base).await;
    browser.sees("Nothing waits for a yes or a no.").await;
    browser.runs("window.isTheSame = true; document.getElementById('user').value = 'half typed'").await;
    api.open_chat(ANNA);
    api.user_says(ANNA, "send an email to bob.miller@example.com saying the report is late");
    waits_for(|| api.messages(ANNA).iter().any(|message| message.text.contains("Send this email?"))).await;
    browser.sees("bob.miller@example.com").await;
    assert_eq!(browser.runs("return window.isTheSame").await, true);
    assert_eq!(browser.runs("return document.getElementById('user').value").await, "half typed");
    browser.takes_picture("pending-filters").await;
    browser.goes_to(&format!("{base}/turns?path=action")).await;
    browser.sees("No turn fits.").await;
    browser.runs("window.isTheSame = true").await;
    api.user_says(ANNA, "remind me to feed the cat tomorrow at 5pm");
    browser.sees("task: create (succeeded)").await;
    assert_eq!(browser.runs("return window.isTheSame").await, true);
    browser.takes_picture("turns-filters").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_graph_of_a_question_is_drawn_and_said_in_words() {
    let program = program();
    let mut console = program.demo();
    console.say("what mails am I blocking people on?");
    let base = address(|| console.stderr()).await;
    for (width, name) in [(1_100, "graph"), (390, "graph-phone")] {
        let browser = Browser::open(width, 900, width == 390).await;
        logs_in(&browser, &base).await;
        browser.goes_to(&format!("{base}/turns?path=investigate")).await;
        browser.clicks("tbody td a").await;
        browser.sees("How the question was looked into").await;
        let count = |what: &'static str| {
            let script = format!("return document.querySelectorAll('{what}').length");
            let browser = &browser;
            async move { browser.runs(&script).await.as_u64().unwrap() }
        };
        let (boxes, edges) = (count("svg.graph rect.node").await, count("svg.graph path.edge").await);
        assert!(boxes > 1 && edges >= 1, "{boxes} boxes, {edges} edges");
        browser.sees(" found").await;
        let rows = "return [...document.querySelectorAll('svg.graph')][0].closest('div').nextElementSibling.querySelectorAll('tbody tr').length";
        assert_eq!(browser.runs(rows).await.as_u64().unwrap(), boxes);
        browser.runs("document.querySelector('svg.graph').scrollIntoView()").await;
        browser.takes_picture(name).await;
        let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.runs(wider).await, 0, "it is wider than the screen");
    }
}
