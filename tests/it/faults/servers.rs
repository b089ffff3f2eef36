//! Model servers as they are: calls of tools that nobody offered, in plans and in words; prompts that are cut off; and
//! words that say nothing new.

use serde_json::{Value, json};

use super::console;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Lines, Program, done_of, outcomes_of, text_of};

const REMIND: &str = "remind me to call mom tomorrow at 5pm";
const RECEIPT: &str = "⏰ Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00";

fn params() -> Value {
    json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00"})
}

fn plan() -> ModelReply {
    ModelReply::json(json!({"actions": [{"service": "task", "command": "create", "params": params()}]}))
}

fn turn(plan: ModelReply, words: &str) -> (Lines, ModelServer) {
    let script = Script::new().always("route", ModelReply::route("action", &["task"])).always("plan", plan);
    let model = ModelServer::scripted(script.always("respond", ModelReply::text(words)));
    let program = Program::new().whole_plans(&model);
    let lines = console(&program).say(REMIND);
    (lines, model)
}

fn created(lines: &[Value]) -> bool {
    let outcomes = outcomes_of(lines);
    outcomes.len() == 1 && outcomes[0]["command"] == "create" && outcomes[0]["status"] == "succeeded"
}

#[test]
fn a_plan_that_comes_as_a_call_of_a_tool_is_read() {
    let call = |name: &str| json!({"name": name, "arguments": params()});
    let field = json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
        "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "task.create", "arguments": params().to_string()}}]}}]});
    for (way, reply) in [
        ("a field", ModelReply::raw(field.to_string())),
        ("JSON", ModelReply::json(call("task.create"))),
        ("another name", ModelReply::json(call("task_create"))),
        ("an action alone", ModelReply::json(json!({"service": "task", "command": "create", "params": params()}))),
        ("a tag", ModelReply::text(format!("<tool_call>\n{}\n</tool_call>", call("task.create")))),
        ("a function", ModelReply::text(format!("<function=task.create>{}</function>", params()))),
    ] {
        let (lines, model) = turn(reply, "There you go.");
        assert!(created(&lines), "{way}: {lines:#?}");
        assert_eq!(model.calls_of("plan").len(), 1, "{way}");
    }
}

#[test]
fn a_call_of_something_unknown_and_an_object_of_another_kind_are_asked_for_once_more() {
    let unknown =
        ModelReply::text("<tool_call>{\"name\": \"web_search\", \"arguments\": {\"q\": \"mom\"}}</tool_call>");
    for first in [unknown, ModelReply::json(json!({"answer": "I will remind you."}))] {
        let script = Script::new()
            .always("route", ModelReply::route("action", &["task"]))
            .then("plan", first.clone())
            .then("plan", plan());
        let model = ModelServer::scripted(script.always("respond", ModelReply::text("There you go.")));
        let program = Program::new().whole_plans(&model);
        assert!(created(&console(&program).say(REMIND)));
        assert!(model.calls_of("plan")[1].messages.iter().any(|(_, text)| text.contains("could not be used")));

        let script = Script::new().always("route", ModelReply::route("action", &["task"])).always("plan", first);
        let model = ModelServer::scripted(script);
        let program = Program::new().whole_plans(&model);
        let lines = console(&program).say(REMIND);
        assert!(outcomes_of(&lines).is_empty() && text_of(&lines).contains("say it another way"), "{lines:#?}");
    }
}

#[test]
fn words_never_show_a_call_a_command_the_program_or_a_receipt_once_more() {
    let call = "<tool_call>{\"name\": \"task.create\", \"arguments\": {}}</tool_call>";
    for (words, shown) in [
        (call.to_owned(), ""),
        (format!("Say hello to her!\n{call}"), "Say hello to her!"),
        ("<function=task.create>{\"title\":\"x\"}</function>".to_owned(), ""),
        ("task.create succeeded: ⏰ Reminder set. Say hello to her!".to_owned(), "Say hello to her!"),
        (format!("{RECEIPT}. Say hello to her!"), "Say hello to her!"),
        ("The program took care of it.".to_owned(), ""),
        ("Sure.\n<think>What now?</think>\nSay hello to her!".to_owned(), "Sure.\n\nSay hello to her!"),
        ("The tag <think> is for models.".to_owned(), "The tag <think> is for models."),
    ] {
        let (lines, _) = turn(plan(), &words);
        assert!(created(&lines), "{lines:#?}");
        let told = text_of(&lines);
        let before = told.split('⏰').next().unwrap().trim();
        assert_eq!(before, shown, "{words}: {told}");
        assert_eq!(told.matches("Reminder set").count(), 1, "{told}");
    }
}

#[test]
fn a_model_is_asked_for_words_as_the_setting_says() {
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" if request.prompt().contains("show") => ModelReply::route("action", &["task"]),
        "route" => ModelReply::route("action", &["task"]),
        "plan" if request.prompt().contains("show my tasks") => {
            ModelReply::json(json!({"actions": [{"service": "task", "command": "list", "params": {}}]}))
        }
        "plan" => plan(),
        _ => ModelReply::text("There you go."),
    });
    for (setting, changed, looked) in [("auto", false, true), ("always", true, true), ("never", false, false)] {
        let program = Program::new().whole_plans(&model).env("BRAIN_RESPOND", setting);
        let mut console = console(&program);
        for (said, is_asked) in [(REMIND, changed), ("show my tasks", looked)] {
            model.forget_calls();
            let lines = console.say(said);
            assert_eq!(model.calls_of("respond").len(), usize::from(is_asked), "{setting}: {said}");
            assert_eq!(text_of(&lines).contains("There you go."), is_asked, "{setting}: {lines:#?}");
            assert!(text_of(&lines).contains("Call mom"), "{setting}: {lines:#?}");
        }
    }
}

#[test]
fn less_of_the_conversation_is_sent_to_a_server_that_cuts_prompts_off_and_all_of_the_message() {
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" if request.prompt().contains("remind me") => ModelReply::route("action", &["task"]),
        "route" => ModelReply::route("chat", &[]),
        "plan" => ModelReply::json(json!({"actions": [], "question": "When?"})).usage(1_500, 10),
        _ => ModelReply::text("I see."),
    });
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    for number in 1..=5 {
        console.say(&format!("Story {number}: {}", "it was a long and rather uneventful day at sea. ".repeat(45)));
    }
    let order =
        format!("remind me {}to call mom, and that is the end of it", "at some time, not too late, ".repeat(30));
    console.say(&order);
    console.say("never mind");
    console.say(&order);
    let asked: Vec<String> = model
        .calls_of("plan")
        .iter()
        .map(|call| call.messages.iter().map(|(_, text)| text.as_str()).collect::<String>())
        .collect();
    let (first, last) = (&asked[0], &asked[asked.len() - 1]);
    assert!(first.contains("Story 5"), "{first}");
    assert!(last.len() < first.len() && !last.contains("Story 2"), "{} {}", first.len(), last.len());
    assert!(first.contains(&order) && last.contains(&order), "the message is sent whole");
}

#[test]
fn a_trace_tells_what_the_server_had_in_its_cache() {
    let usage = json!({"prompt_tokens": 200, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 150}});
    let words = json!({"choices": [{"message": {"content": "Going well!"}, "finish_reason": "stop"}], "usage": usage});
    let script = Script::new()
        .always("route", ModelReply::route("chat", &[]).usage(100, 3))
        .always("respond", ModelReply::raw(words.to_string()));
    let model = ModelServer::scripted(script);
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    assert_eq!(done_of(&console.say("how was your weekend, dear assistant?"))["llm_calls"], 2);
    let trace = text_of(&console.say("/trace"));
    assert!(trace.contains("200 + 3 tokens, 150 of them kept"), "{trace}");
    assert!(trace.contains("had 50 % of what was sent in its cache"), "{trace}");
}

/// So that a server finds what it has read before.
#[test]
fn the_first_part_of_a_prompt_is_the_same_byte_for_byte_from_turn_to_turn() {
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::route("action", &["task"]),
        "plan" => {
            let is_second = request.prompt().contains("the ferns");
            let (title, deadline) =
                if is_second { ("Ferns", "2026-01-16T12:00:00") } else { ("Mom", "2026-01-12T17:00:00") };
            let action =
                json!({"service": "task", "command": "create", "params": {"title": title, "deadline": deadline}});
            ModelReply::json(json!({"actions": [action], "question": null, "open": null}))
        }
        _ => ModelReply::text("There you go."),
    });
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    console.say(REMIND);
    console.now("2026-01-11T21:30:00Z");
    console.say("and remind me to water the ferns on friday at noon, please");
    for stage in ["route", "plan", "respond"] {
        let first: Vec<String> = model.calls_of(stage).iter().map(|call| call.messages[0].1.clone()).collect();
        assert_eq!(first.len(), 2, "{stage}");
        assert_eq!(first[0], first[1], "{stage}");
    }
}
