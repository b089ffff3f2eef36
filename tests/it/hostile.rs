//! Words that would do something to whoever reads them: what moves a terminal's cursor, hides or turns text around.
//! Whoever they come from and whatever repeats them, they are shown, and do nothing.

use serde_json::{Value, json};

use crate::rig::action;
use crate::support::bot_api::FakeBotApi;
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Program, text_of};

/// ESC and OSC, C1, a bell, a turn of direction, a tag character, nothing at all.
const HOSTILE: &str = "x\u{1b}[2K\u{1b}]0;owned\u{7}\u{9b}1A\u{202E}y\u{200B}\u{E0041}\u{2066}z";
/// As it is shown.
const SHOWN: &str = "⟨U+001B⟩";

/// A planner that is somebody else's mouth: it asks, names, titles and fails with these words.
fn mouth() -> ModelServer {
    ModelServer::start(|request| {
        let prompt = request.prompt();
        let last = prompt.rsplit("\nMessage: ").next().unwrap_or_default();
        let plan = |actions: Value, question: Option<&str>| {
            ModelReply::json(json!({"actions": actions, "question": question, "open": null}))
        };
        let mail =
            |to: &str| json!([action("email", "send_email", json!({"to": [to], "subject": HOSTILE, "body": HOSTILE}))]);
        match request.stage.as_str() {
            "route" if last.contains("small") => ModelReply::route("chat", &[]),
            "route" => ModelReply::json(
                json!({"type": "action", "domains": ["email", "task", "contacts"], "is_followup": false}),
            ),
            "plan" if last.contains("question") => plan(json!([]), Some(&format!("Which one, {HOSTILE}?"))),
            "plan" if last.contains("unknown") => plan(mail(HOSTILE), None),
            "plan" if last.contains("address") => plan(mail(&format!("{HOSTILE}@b@c")), None),
            "plan" if last.contains("card") => plan(mail("zoe@example.com"), None),
            "plan" if last.contains("title") => {
                plan(json!([action("task", "create", json!({"title": HOSTILE}))]), None)
            }
            "plan" if last.contains("missing") => {
                plan(json!([action("task", "delete", json!({"find_by": HOSTILE}))]), None)
            }
            "plan" if last.contains("place") => {
                plan(json!([action(HOSTILE, HOSTILE, json!({HOSTILE: HOSTILE}))]), None)
            }
            "plan" if last.contains("refusal") => ModelReply::status(400),
            "plan" => plan(json!([action("task", "complete", json!({"find_by": HOSTILE, "nonsense": HOSTILE}))]), None),
            _ => ModelReply::text(format!("Fine. {HOSTILE}")),
        }
    })
}

const REQUESTS: [&str; 10] =
    ["question", "unknown", "address", "card", "title", "missing", "place", "refusal", "else", "small"];

fn request(which: &str) -> String {
    format!("please take care of this {which} for me with the usual people")
}

fn is_harmless(text: &str) -> bool {
    text.chars()
        .all(|c| (!c.is_control() || c == '\n' || c == '\t') && !"\u{202E}\u{200B}\u{E0041}\u{2066}".contains(c))
}

#[test]
fn on_a_console_they_are_shown_and_do_nothing() {
    let model = mouth();
    let program = Program::new().model(&model).env("BRAIN_SKIP_ROUTER", "false");
    let mut console = program.console(&[]);
    let mut shown = 0;
    for which in REQUESTS {
        for words in [request(which), format!("remind me to {which} {HOSTILE}"), format!("/{HOSTILE}")] {
            let lines = console.say(&words);
            let words = text_of(&lines);
            assert!(is_harmless(&words), "{which}: {words:?}");
            shown += usize::from(words.contains(SHOWN));
        }
    }
    assert!(shown >= 6, "only {shown} answers repeat anything");
    let error = console.send_raw(&json!({"user": HOSTILE, "text": "hi"}).to_string());
    assert!(is_harmless(error[0]["error"].as_str().unwrap()), "{error:#?}");
    drop(console);

    // As a terminal gets it: raw bytes.
    let typed: Vec<String> = REQUESTS.iter().map(|which| request(which)).collect();
    let ended = program.run_with_stdin(&["console", "--user", "ben"], &(typed.join("\n") + "\n"));
    assert!(ended.stdout.contains(SHOWN) && is_harmless(&ended.stdout), "{:?}", ended.stdout);
    assert!(is_harmless(&ended.stderr), "{:?}", ended.stderr);
    let listed = program.run(&["pending", "list"]);
    assert!(is_harmless(&listed.stdout), "{:?}", listed.stdout);
}

#[tokio::test]
async fn on_telegram_they_are_shown_and_do_nothing() {
    const ANNA: i64 = 1_001;
    let soon = std::time::Duration::from_secs(60);
    let (api, model) = (FakeBotApi::start().await, mouth());
    let program = Program::new().env("BRAIN_ALLOWED_USERS", &ANNA.to_string()).env("BRAIN_DEBOUNCE", "0s");
    let mut daemon = program.model(&model).env("BRAIN_SKIP_ROUTER", "false").daemon(&api);
    daemon.wait_ready().await;
    for which in REQUESTS {
        let said = api.user_says(ANNA, &request(which));
        api.wait_message(ANNA, |message| message.id > said, soon).await;
    }
    let words: Vec<String> = api.messages(ANNA).into_iter().map(|message| message.text).collect();
    assert!(words.iter().any(|words| words.contains(SHOWN)), "{words:#?}");
    for call in ["sendMessage", "editMessageText", "sendMessageDraft", "answerCallbackQuery"] {
        for made in api.calls(call) {
            let params = serde_json::to_value(&made.params).unwrap();
            assert!(strings(&params).iter().all(|text| is_harmless(text)), "{params:#}");
        }
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
