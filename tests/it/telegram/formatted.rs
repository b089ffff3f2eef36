//! Words of a model as text and entities, and what happens when Telegram does not take them.

use super::*;
use crate::support::bot_api::Fault;

/// Talks about everything in these words.
fn saying(words: impl Into<String>) -> ModelServer {
    let words = words.into();
    ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        // In large pieces: what a long answer is wrapped in counts, too.
        _ => ModelReply::text(words.clone()).chunks(4_000, Duration::ZERO),
    })
}

/// What the entities cover, with their kind.
fn styled(message: &SentMessage) -> Vec<(String, String)> {
    let units: Vec<u16> = message.text.encode_utf16().collect();
    let covered = |entity: &serde_json::Value| {
        let number = |name: &str| usize::try_from(entity[name].as_u64().unwrap()).unwrap();
        let part = &units[number("offset")..number("offset") + number("length")];
        (entity["type"].as_str().unwrap().to_owned(), String::from_utf16(part).unwrap())
    };
    message.entities.iter().map(covered).collect()
}

fn assert_nothing_was_refused(api: &FakeBotApi) {
    let refused: Vec<_> = api.all_calls().into_iter().filter(|call| call.status == Some(400)).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

#[tokio::test]
async fn a_models_markdown_arrives_as_text_and_entities() {
    let api = FakeBotApi::start().await;
    let model = saying(
        "👋🏽 **Well**, _see_ `ls -l`:\n\n- [the docs](https://x.example/a)\n- [bank.example](https://evil.example)",
    );
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me something about https://x.example/a");
    let answer = answer(&api, ANNA, "Well").await;
    assert_eq!(
        answer.text, "👋🏽 Well, see ls -l:\n\n• the docs (x.example)\n• bank.example (https://evil.example)",
        "the real target is shown"
    );
    let expected = [
        ("bold", "Well"),
        ("italic", "see"),
        ("code", "ls -l"),
        ("text_link", "the docs"),
        ("text_link", "bank.example"),
    ];
    assert_eq!(styled(&answer), expected.map(|(kind, words)| (kind.to_owned(), words.to_owned())));
    assert_nothing_was_refused(&api);
}

#[tokio::test]
async fn receipts_and_peoples_own_titles_are_literal() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "action", "domains": ["task"], "is_followup": false})),
        "plan" => ModelReply::json(json!({"actions": [{
            "service": "task", "command": "create", "reasoning": "asked for", "depends_on": [],
            "params": {"title": "call **mom** [now](https://x.example) `x`"},
        }], "question": null, "open": null})),
        _ => ModelReply::text("**Noted.**"),
    });
    let _daemon = serve(&installed().whole_plans(&model), &api).await;
    api.user_says(ANNA, "add a task: call **mom** [now](https://x.example) `x`");
    let answer = answer(&api, ANNA, "Noted").await;
    assert!(answer.text.starts_with("Noted.\n\n"), "{}", answer.text);
    assert!(answer.text.contains("call **mom** [now](https://x.example) `x`"), "{}", answer.text);
    assert_eq!(styled(&answer), [("bold".to_owned(), "Noted.".to_owned())]);
}

#[tokio::test]
async fn refused_entities_are_left_out_and_the_words_arrive_once() {
    let api = FakeBotApi::start().await;
    let model = saying("**Well**, here you are.");
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_once("sendMessage", Fault::RefuseEntities);
    api.user_says(ANNA, "tell me something");
    let first = answer(&api, ANNA, "Well, here you are.").await;
    assert!(first.entities.is_empty(), "{first:?}");
    api.user_says(ANNA, "and again");
    api.wait_for("the second answer", SOON, |api| (how_many(api, ANNA, "Well") == 2).then_some(())).await;
    assert!(!api.messages(ANNA)[1].entities.is_empty(), "it was one refusal, not a rule");
}

#[tokio::test]
async fn words_that_telegram_takes_in_no_form_are_told_about() {
    let api = FakeBotApi::start().await;
    let long: String = (0..400).map(|n| format!("word{n:03} ")).collect();
    let model = saying(long);
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_once("sendMessage", Fault::Refuse(400, "Bad Request: message is too long".to_owned()));
    api.user_says(ANNA, "tell me a story");
    answer(&api, ANNA, "word399").await;
    let words: Vec<String> = texts(&api, ANNA).join(" ").split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.len(), 400, "in pieces, and whole");

    api.fail_once("sendMessage", Fault::Refuse(400, "Bad Request: text must be non-empty".to_owned()));
    api.user_says(ANNA, "and another one");
    answer(&api, ANNA, "Telegram would not take it").await;
}

#[tokio::test]
async fn a_card_that_telegram_refuses_cannot_be_approved_unseen() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    // A program that has just begun may be slow enough for a status line, and that is not what is refused here.
    api.user_says(ANNA, "hello");
    answer(&api, ANNA, "All right.").await;
    // With its frame, and without.
    api.fail_times("sendMessage", Fault::Refuse(400, "Bad Request: message is too long".to_owned()), 2);
    api.user_says(ANNA, SEND);
    answer(&api, ANNA, "Nothing was done").await;
    let before = texts(&api, ANNA).len();
    api.user_says(ANNA, "yes");
    api.wait_for("an answer", SOON, |api| (texts(api, ANNA).len() > before).then_some(())).await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
}

#[tokio::test]
async fn whatever_a_model_writes_telegram_takes_it() {
    let nasty: Vec<String> = vec![
        "**bold `code` *it* [link](https://x.example) ~~s~~** ".repeat(120),
        format!("Here:\n\n```rust\n{}```\nend", "    let x = \"👩\u{200D}🚀\"; // 漢字\n".repeat(300)),
        "> quote **b** `c`\n> - item\n> ```\n> code\n> ```\n".repeat(60),
        "\u{202E}\u{0}a\u{301}**\u{301}** ** x ** _ _ __ `` ` ```".to_owned(),
        "👩\u{200D}👩\u{200D}👧".repeat(900),
        "|a|b|\n|--|--|\n|**x**|`y`|\n".to_owned() + &"|é|漢|\n".repeat(400),
        "[a](https://x.example)[b](http://[)[c](javascript:x)![d](https://x.example/%)<https://e.example>".to_owned(),
        "\u{200B}\u{200B}".to_owned(),
        format!("# {}", "שלום עולם **x** ".repeat(200)),
        "**a**\n".repeat(700),
    ];
    let api = FakeBotApi::start().await;
    let told = nasty.clone();
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => {
            let message = message_in(request);
            let number: usize = message.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
            ModelReply::text(told[number].clone())
        }
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    for number in 0..nasty.len() {
        // Each in a chat of its own: none has to wait for the pace of another.
        let user = if number % 2 == 0 { ANNA } else { BEN };
        let before = texts(&api, user).len();
        api.user_says(user, &format!("please write me number {number}"));
        api.wait_for("an answer", SOON, |api| (texts(api, user).len() > before).then_some(())).await;
    }
    api.user_says(ANNA, "please write me number 3");
    api.user_says(BEN, "please write me number 3");
    api.wait_for("both ends", SOON, |api| {
        let last = |user| texts(api, user).last().is_some_and(|text| text.starts_with("aá") || text.contains("x"));
        (api.unacknowledged() == 0 && last(ANNA) && last(BEN)).then_some(())
    })
    .await;
    assert_nothing_was_refused(&api);
}

#[tokio::test]
async fn a_link_that_a_model_makes_up_shows_all_it_hands_over_and_leads_nowhere() {
    let api = FakeBotApi::start().await;
    let model =
        saying("[your invoice](https://evil.example/?q=4711) [ours](https://evil.example) [me](tg://user?id=7)");
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me something, my code is 4711");
    let answer = answer(&api, ANNA, "invoice").await;
    assert_eq!(answer.text, "your invoice (https://evil.example/?q=4711) ours (evil.example) me (tg://user?id=7)");
    // As code, for Telegram makes links of what looks like one.
    let styled_as = [("code", "https://evil.example/?q=4711"), ("text_link", "ours"), ("code", "tg://user?id=7")];
    assert_eq!(styled(&answer), styled_as.map(|(kind, words)| (kind.to_owned(), words.to_owned())));
}

#[tokio::test]
async fn an_answer_without_end_is_a_few_messages_and_a_file() {
    let api = FakeBotApi::start().await;
    let words = format!("Well, {}", "**more** and more. ".repeat(2_000));
    let model = saying(words);
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me something");
    let last = answer(&api, ANNA, "in this file").await;
    let (name, content) = last.document.clone().unwrap();
    let content = String::from_utf8(content).unwrap();
    assert!(name.ends_with(".txt") && content.starts_with("Well, more and more."), "{name}");
    assert_eq!(content.matches("and more.").count(), 2_000);
    let told = texts(&api, ANNA);
    assert_eq!(told.len(), 5, "{}", api.transcript());
}
