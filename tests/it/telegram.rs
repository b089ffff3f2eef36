//! The real binary on Telegram: people, a Bot API that may misbehave, a model that may be slow.

mod access;
mod attached;
mod broken;
mod buttons;
mod callback_acks;
mod commands;
mod consent;
mod dates;
mod debounce;
mod edits;
mod faults;
mod formatted;
mod groups;
mod hanging;
mod order;
mod pages;
mod passed_on;
#[cfg(feature = "failpoints")]
mod redelivered;
mod restart;
mod shown;
mod streamed;
mod voice;
mod webhook;

use std::time::Duration;

use serde_json::json;

use crate::support::bot_api::{FakeBotApi, SentMessage};
use crate::support::model_server::{ModelReply, ModelRequest, ModelServer};
use crate::support::program::{Daemon, Program};
use crate::support::smtp_server::{Mode, SmtpServer};

/// Far above what is needed, so that a busy machine is no failure.
const SOON: Duration = Duration::from_secs(60);

const ANNA: i64 = 1_001;
const BEN: i64 = 1_002;
const EVE: i64 = 6_666;

/// Anna and Ben are served; each message is a turn of its own, however fast it is sent (see `debounce`).
fn installed() -> Program {
    let served = format!("{ANNA},{BEN}");
    Program::new().env("BRAIN_ALLOWED_USERS", &served).env("BRAIN_TIMEZONE", "UTC").env("BRAIN_DEBOUNCE", "0s")
}

async fn serve(program: &Program, api: &FakeBotApi) -> Daemon {
    let mut daemon = program.daemon(api);
    daemon.wait_ready().await;
    daemon
}

/// The words of a message behind `part`.
async fn answer(api: &FakeBotApi, chat: i64, part: &str) -> SentMessage {
    api.wait_message(chat, |message| message.text.contains(part), SOON).await
}

fn texts(api: &FakeBotApi, chat: i64) -> Vec<String> {
    api.messages(chat).into_iter().map(|message| message.text).collect()
}

fn how_many(api: &FakeBotApi, chat: i64, part: &str) -> usize {
    texts(api, chat).iter().filter(|text| text.contains(part)).count()
}

/// Waits until a press has said this: over its button, or in a message where that was too late.
async fn told(api: &FakeBotApi, chat: i64, query: &str, part: &str) {
    let over = |api: &FakeBotApi| api.callback_answer(query).and_then(|answer| Some(answer.get("text")?.to_string()));
    let said = |api: &FakeBotApi| over(api).is_some_and(|text| text.contains(part)) || how_many(api, chat, part) > 0;
    api.wait_for(part, SOON, |api| said(api).then_some(())).await;
}

/// What the person wrote, as the prompts of the model end with it.
fn message_in(request: &ModelRequest) -> String {
    let prompt = request.prompt();
    let behind = |label: &str| prompt.rsplit_once(label).map(|(_, message)| message.trim().to_owned());
    behind("\nMessage: ").or_else(|| behind("\nRequest: ")).unwrap_or_default()
}

/// How long a message says that the model should think: `(300 ms)`.
fn thinking_time(message: &str) -> Duration {
    let number = message.split_once('(').and_then(|(_, rest)| rest.split_once(" ms)")).map(|(number, _)| number);
    Duration::from_millis(number.and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// What the model says to a message is held until the test releases it: `(held)`.
fn paced_as_asked(reply: ModelReply, message: &str) -> ModelReply {
    if message.contains("(held)") { reply.held() } else { reply.after(thinking_time(message)) }
}

/// Takes everything for small talk and repeats it, after the time that the message asks for.
fn echo() -> ModelServer {
    ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        "chat" | "respond" => {
            let message = message_in(request);
            paced_as_asked(ModelReply::text(format!("You said: {message}")), &message)
        }
        stage => panic!("small talk needs no {stage}"),
    })
}

const SEND: &str = "send an email to bob.miller@example.com saying the report is late";

/// Plans the mail of [`SEND`], and talks about everything else.
fn mailing() -> ModelServer {
    mailing_as(|plan| plan)
}

/// The same, with the plan held until the test releases it.
fn mailing_late() -> ModelServer {
    mailing_as(ModelReply::held)
}

fn mailing_as(paced: fn(ModelReply) -> ModelReply) -> ModelServer {
    ModelServer::start(move |request| {
        let mailing = message_in(request).starts_with("send");
        match request.stage.as_str() {
            "route" if mailing => {
                ModelReply::json(json!({"type": "action", "domains": ["email"], "is_followup": false}))
            }
            "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
            "plan" => paced(ModelReply::json(json!({"actions": [{
                "service": "email", "command": "send_email", "reasoning": "asked for", "depends_on": [],
                "params": {"to": ["bob.miller@example.com"], "subject": "The report", "body": "Hi Bob,\nthe report is late."},
            }], "question": null, "open": null}))),
            _ => paced_as_asked(ModelReply::text("All right."), &message_in(request)),
        }
    })
}

/// The card of [`SEND`], complete with its buttons.
async fn card(api: &FakeBotApi, chat: i64) -> SentMessage {
    api.wait_message(
        chat,
        |message| message.text.contains("bob.miller@example.com") && !message.buttons.is_empty(),
        SOON,
    )
    .await
}

fn mail_server() -> SmtpServer {
    SmtpServer::start(Mode::Accept)
}

/// A served person in front of a card, and what is to be kept alive meanwhile.
async fn with_card() -> (FakeBotApi, SmtpServer, ModelServer, Daemon, SentMessage) {
    let (api, smtp, model) = (FakeBotApi::start().await, mail_server(), mailing());
    let daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    (api, smtp, model, daemon, card)
}
