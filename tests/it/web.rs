//! The operator's page: who may open it, what it shows, and what may be done there.

#[path = "web/browser.rs"]
mod browser;
#[path = "web/chat.rs"]
mod chat;
#[path = "web/hostile.rs"]
mod hostile;
#[path = "web/lists.rs"]
mod lists;
#[path = "web/people.rs"]
mod people;

use std::sync::Arc;
use std::time::Duration;

use brain_agent::channel::console::ConsoleChannel;
use brain_agent::channel::web::Web;
use brain_agent::config::{SettingsOrigin, WebConfig};
use brain_agent::core::ids::MessageId;
use brain_agent::core::pending::State;
use brain_agent::ports::records::Audit;
use brain_agent::ports::{RecordExt, Scan, TokenPrice};
use reqwest::header::{AUTHORIZATION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::rig::{Rig, Script, Setup, action, send};
use crate::support::program::Program;

const TOKEN: &str = "a-token-of-the-tests";
/// Every page there is.
const PAGES: [&str; 11] = [
    "/",
    "/pending",
    "/turns",
    "/figures",
    "/people",
    "/system",
    "/chat",
    "/api/pending",
    "/api/turns",
    "/api/usage",
    "/metrics",
];

/// A page over a rig, and a browser that keeps its cookie.
struct Page {
    client: reqwest::Client,
    base: String,
    cookie: String,
    _served: AbortOnDropHandle<()>,
}

impl Page {
    /// Nobody is logged in.
    async fn of(rig: &Rig) -> Page {
        let config = WebConfig { addr: "127.0.0.1:0".parse().unwrap(), token: Some(TOKEN.to_owned().into()) };
        let web = Web::bind(&config, rig.folder()).await.unwrap();
        let base = format!("http://{}", web.addr());
        let console = Arc::new(ConsoleChannel::after(MessageId(0), rig.folder()));
        let served = tokio::spawn(web.serve(rig.brain.clone(), console, SettingsOrigin::default()));
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Page { client, base, cookie: String::new(), _served: AbortOnDropHandle::new(served) }
    }

    /// The operator is.
    async fn open(rig: &Rig) -> Page {
        let mut page = Page::of(rig).await;
        let answer = page.asks(Method::POST, "/login").body(format!("token={TOKEN}")).send().await.unwrap();
        assert_eq!(
            (answer.status(), &answer.headers()[LOCATION]),
            (StatusCode::SEE_OTHER, &"/pending".parse().unwrap())
        );
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        page.cookie = cookie.split(';').next().unwrap().to_owned();
        page
    }

    fn asks(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        if self.cookie.is_empty() { request } else { request.header(COOKIE, &self.cookie) }
    }

    async fn get(&self, path: &str) -> String {
        let answer = self.asks(Method::GET, path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        answer.text().await.unwrap()
    }

    /// A form of this path, with the secret that stands on the page `at`.
    async fn sends(&self, at: &str, path: &str, fields: &str) -> (StatusCode, String) {
        let page = self.get(at).await;
        let secret = page.split("name=\"secret\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let form = format!("secret={secret}&{fields}");
        let answer = self.asks(Method::POST, path).header(ORIGIN, &self.base).body(form).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }
}

#[tokio::test]
async fn a_card_is_found_read_and_cancelled_and_its_owner_is_told() {
    let rig = Rig::new(Setup::default());
    let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
    let page = Page::open(&rig).await;
    let list = page.get("/pending").await;
    let place = format!("/pending/{}", card.id);
    assert!(list.contains(&place) && list.contains("<td>alex</td>"), "{list}");
    let shown = page.get(&place).await;
    assert!(shown.contains("bob@example.com") && shown.contains("It is late.") && shown.contains("pending"), "{shown}");
    assert!(!shown.contains("Approve in its owner"), "only where it is allowed: {shown}");

    let (status, told) = page.sends(&place, &format!("{place}/cancel"), "").await;
    assert_eq!(status, StatusCode::OK, "{told}");
    assert!(told.contains("is cancelled; its owner is told"), "{told}");
    assert_eq!(rig.pending(&card.id).await.state, State::Denied);
    let told: Vec<String> = rig.channel.all().into_iter().map(|shown| shown.reply.text).collect();
    assert!(told.last().unwrap().contains("cancelled"), "{told:?}");
    let audit = rig.brain.store.list::<Audit>(Scan::of::<Audit>(&[], usize::MAX)).await.unwrap();
    assert!(audit.iter().any(|(row, _)| row.by.as_str() == "operator" && row.state == Some(State::Denied)));

    // Once more it is closed, and the page says so.
    let (status, told) = page.sends(&place, &format!("{place}/cancel"), "").await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(told.contains("is already denied; nothing was changed"), "{told}");
    let shown = page.get(&place).await;
    assert!(shown.contains("How it came to this") && shown.contains("denied by operator"), "{shown}");
}

#[tokio::test]
async fn a_yes_in_its_owners_place_needs_the_configuration_and_what_was_read() {
    let rig = Rig::new(Setup { admin_may_approve: true, ..Setup::default() });
    let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
    let page = Page::open(&rig).await;
    let place = format!("/pending/{}", card.id);
    let shown = page.get(&place).await;
    let digest = shown.split("name=\"digest\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let (status, told) = page.sends(&place, &format!("{place}/approve"), "digest=000000000000").await;
    assert_eq!((status, rig.effects().len()), (StatusCode::CONFLICT, 0), "{told}");
    let (status, told) = page.sends(&place, &format!("{place}/approve"), &format!("digest={digest}")).await;
    assert_eq!((status, rig.effects().len()), (StatusCode::OK, 1), "{told}");
}

#[tokio::test]
async fn a_turn_is_a_timeline_of_its_nodes_and_its_use_stands_in_the_figures() {
    let price = Some(TokenPrice { input_usd: 0.0, output_usd: 1_000.0 });
    let rig = Rig::new(Setup { price, ..Setup::default() });
    rig.script.answers_in_tokens(100);
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    rig.says("see to it that I ring the plumber").await;
    let page = Page::open(&rig).await;
    let list = page.get("/turns").await;
    let place = list.split("href=\"/turns/").nth(1).unwrap().split('"').next().unwrap();
    let turn = page.get(&format!("/turns/{place}")).await;
    for part in ["<svg", "role=\"img\"", "route", "plan", "task.create", "tokens in and out"] {
        assert!(turn.contains(part), "{part}: {turn}");
    }
    let figures = page.get("/figures").await;
    for part in ["<svg", "scripted", "alex", "$0.30", "action", "code alone would have said the same of 0 of 1"] {
        assert!(figures.contains(part), "{part}: {figures}");
    }
    let metrics = page.get("/metrics").await;
    assert!(
        metrics.contains("brain_model_usd_today{user=\"alex\",stage=\"plan\",model=\"scripted\"} 0.1"),
        "{metrics}"
    );
    assert!(metrics.contains("# TYPE brain_pending_open gauge\nbrain_pending_open 0\n"), "{metrics}");
    let usage: Value = serde_json::from_str(&page.get("/api/usage").await).unwrap();
    assert_eq!(usage[0]["owner"], "alex");
    let turns: Value = serde_json::from_str(&page.get("/api/turns").await).unwrap();
    assert_eq!(turns["turns"][0]["done"]["path"], "action", "{turns}");
}

#[tokio::test]
async fn what_the_nodes_of_a_turn_got_and_gave_is_shown_where_it_is_kept() {
    for (kept, is_shown) in [(5, true), (0, false)] {
        let rig = Rig::new(Setup { contents_kept: kept, ..Setup::default() });
        rig.plans(json!([action("task", "create", json!({"title": "Ring the <b>plumber"}))]));
        rig.says("see to it that I ring the <b>plumber").await;
        let page = Page::open(&rig).await;
        let list = page.get("/turns").await;
        let place = list.split("href=\"/turns/").nth(1).unwrap().split('"').next().unwrap();
        let turn = page.get(&format!("/turns/{place}")).await;
        assert_eq!(turn.contains("What each node got and gave"), is_shown, "{turn}");
        assert_eq!(turn.contains("was not kept (BRAIN_KEEP_CONTENTS"), !is_shown);
        assert_eq!(turn.contains("see to it that I ring the &lt;b&gt;plumber"), is_shown, "{turn}");
        assert!(!turn.contains("<b>plumber"), "{turn}");
    }
}

#[tokio::test]
async fn a_shadow_stands_beside_what_counted() {
    let script = Arc::new(Script::default());
    script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    let other = json!([action("task", "create", json!({"title": "Ring <i>him"}))]);
    script.plans(json!({"actions": other, "question": null, "open": null}));
    let rig = Rig::new(Setup { contents_kept: 5, shadow: Some(script), ..Setup::default() });
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    rig.says("see to it that I ring the plumber").await;
    let page = Page::open(&rig).await;
    let list = page.get("/turns").await;
    let place = list.split("href=\"/turns/").nth(1).unwrap().split('"').next().unwrap();
    let mut turn = String::new();
    for _ in 0..4_000 {
        turn = page.get(&format!("/turns/{place}")).await;
        if turn.contains("The shadow") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for part in ["what counted", "the shadow", "Ring the plumber", "Ring &lt;i&gt;him", "task.create (runs)"] {
        assert!(turn.contains(part), "{part}: {turn}");
    }
}

#[tokio::test]
async fn long_lists_are_paged() {
    let rig = Rig::new(Setup::default());
    for number in 0..60 {
        let card = json!([send("bob@example.com", &format!("Number {number}"), "It is late.")]);
        rig.plans(card);
        rig.as_user(&format!("person{number:02}")).says("here is what I want").await;
    }
    let page = Page::open(&rig).await;
    for (path, what, links) in [("/pending", "Next page", "/pending/"), ("/turns", "Older turns", "/turns/")] {
        let first = page.get(path).await;
        let next = first.split("<a href=\"").find(|part| part.contains(what)).unwrap().split('"').next().unwrap();
        let second = page.get(&next.replace("&amp;", "&")).await;
        let count = |page: &str| page.matches(&format!("<td><a href=\"{links}")).count();
        assert!(!second.contains(what), "{second}");
        let places = |page: &str| -> Vec<String> {
            page.split(&format!("<td><a href=\"{links}"))
                .skip(1)
                .map(|part| part.split('"').next().unwrap().to_owned())
                .collect()
        };
        let lists = |text: &str| text.split("What happened lately").next().unwrap().to_owned();
        assert_eq!((count(&lists(&first)), count(&lists(&second))), (50, 10), "{path}");
        assert!(places(&lists(&second)).iter().all(|place| !places(&lists(&first)).contains(place)), "{path}");
    }
}

#[tokio::test]
async fn whether_it_works_anybody_may_ask_and_learns_nothing_else() {
    let rig = Rig::plain();
    let page = Page::of(&rig).await;
    assert_eq!(page.get("/healthz").await, "ok\n");
    let log_in = page.get("/login").await;
    assert!(!log_in.contains("alex") && log_in.contains("type=\"password\""), "{log_in}");
}

#[test]
fn the_same_is_told_on_the_command_line_while_nothing_runs_and_by_the_process_that_does() {
    let program = Program::new();
    let told = |args: &[&str]| {
        let ended = program.run(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        ended.stdout
    };
    assert_eq!(told(&["turns"]), "No turn is kept here.\n");
    assert_eq!(told(&["users"]), "Nobody is served yet.\n");
    let mut console = program.console(&[]);
    console.say("remind me to call mom tomorrow at 5pm");
    let running = [told(&["turns"]), told(&["stats"]), told(&["users", "--json"])];
    drop(console);
    let stopped = [told(&["turns"]), told(&["stats"]), told(&["users", "--json"])];
    assert_eq!(running, stopped);
    let [turns, stats, users] = stopped;
    assert!(turns.contains("me  action") && turns.contains("0 calls, 0 tokens  task: create (succeeded)"), "{turns}");
    assert!(stats.contains("action: 1 turns, half within") && stats.contains("promised within 3.0 s"), "{stats}");
    let user: Value = serde_json::from_str(&users).unwrap();
    assert_eq!((&user["id"], &user["today"]["usd"]), (&json!("me"), &json!(0.0)), "{users}");
}

#[tokio::test]
async fn an_admin_sees_the_same_in_short_in_their_chat_and_nobody_elses_words() {
    let rig = Rig::new(Setup::default());
    let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
    let admin = rig.as_user("root");
    for (what, told) in [
        ("cards", card.id.as_str()),
        ("cards", "email: send email"),
        ("turns", "email: send email (pending)"),
        ("figures", "today: "),
        ("people", "alex"),
        ("weather", "/status turns, /status figures"),
        ("", "/status turns, /status figures"),
    ] {
        let answer = admin.says(&format!("/status {what}")).await.text();
        assert!(answer.contains(told), "{what}: {answer}");
        assert!(!answer.contains("bob@example.com") && !answer.contains("late"), "{what}: {answer}");
    }
    // Whoever does not run this is told how it is for them.
    let answer = rig.as_user("tg:5").says("/status turns").await.text();
    assert!(answer.contains("is running") && !answer.contains("alex"), "{answer}");
}
