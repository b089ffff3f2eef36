//! Lists: what is filtered out of them, how far one page looks for it, and that an open page follows what happens.

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::{Done, Path};
use brain_agent::ports::records::TurnTrace;
use brain_agent::ports::{Batch, Expect};
use chrono::{TimeDelta, Utc};

use super::browser::{address, logs_in, program};
use super::*;
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
