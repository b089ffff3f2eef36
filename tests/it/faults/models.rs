//! Models that do not answer, answer nonsense, or try something.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{NOW, console};
use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Lines, Program, did, done_of, outcomes_of, params_of, pending_ids, text_of};
use crate::support::smtp_server::{Mode, SmtpServer};

const CREATED: &str = "task.create succeeded";
const REMIND: &str = "remind me to call mom tomorrow at 5pm";

/// A routed, planned and worded turn.
fn scripted(domains: &[&str], plan: ModelReply, words: &str) -> ModelServer {
    let script = Script::new().always("route", ModelReply::route("action", domains)).always("plan", plan);
    let script = script.always("reflect", ModelReply::json(json!({"complete": true, "missing": null})));
    ModelServer::scripted(script.always("respond", ModelReply::text(words)))
}

fn turn(model: &ModelServer, text: &str) -> Lines {
    let program = Program::new().whole_plans(model);
    console(&program).say(text)
}

fn fallbacks(lines: &[Value]) -> Vec<String> {
    let names = done_of(lines)["fallbacks"].as_array().cloned().unwrap_or_default();
    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[test]
fn an_endpoint_that_refuses_or_breaks_is_replaced_by_built_in_understanding() {
    let replies = [
        ("refused its key", "LLM_API_KEY", ModelReply::status(401)),
        ("is not where I was told to ask", "LLM_MODEL", ModelReply::status(404)),
        ("takes no more questions", "quota", ModelReply::status(429).retry_after(3_600)),
        ("answered with an error", "failed inside", ModelReply::status(500)),
        ("can't be reached", "cannot be reached", ModelReply::refuse()),
        ("can't be reached", "broke off", ModelReply::half_json()),
        ("took too long", "in time", ModelReply::hang()),
    ];
    std::thread::scope(|scope| {
        for (told, status, reply) in replies {
            scope.spawn(move || {
                let model = ModelServer::scripted(Script::new().otherwise(reply));
                let program = Program::new().whole_plans(&model).env("LLM_TIMEOUT", "2s");
                let mut console = console(&program);
                done_without_a_model(told, status, &mut console);
            });
        }
    });
}

#[test]
fn an_endpoint_that_is_not_there_is_replaced_by_built_in_understanding() {
    let gone = ModelServer::scripted(Script::new());
    let url = gone.url();
    drop(gone);
    let program = Program::new()
        .env("LLM_BASE_URL", &url)
        .env("LLM_MODEL", "m")
        .env("BRAIN_SKIP_ROUTER", "false")
        .env("BRAIN_SKIP_PLANNER", "false");
    done_without_a_model("can't be reached", "cannot be reached", &mut console(&program));
}

/// `told`: of what the person reads below the message, `status`: of what `/status` says.
fn done_without_a_model(told: &str, status: &str, console: &mut Console) {
    let name = told;
    let lines = console.say(REMIND);
    assert_eq!((did(&lines), &params_of(&lines)["title"]), (vec![CREATED.to_owned()], &json!("Call mom")), "{name}");
    assert!(text_of(&lines).contains(&format!("language model {told}")), "{name}: {lines:#?}");
    // Whichever of the ways to plan was tried.
    for stages in [&["converse", "plan", "build_params"][..], &["route", "select"]] {
        assert!(
            stages.iter().any(|stage| fallbacks(&lines).contains(&(*stage).to_owned())),
            "{name}: {:?}",
            fallbacks(&lines)
        );
    }
    let said = text_of(&console.say("/status"));
    assert!(said.contains("🧠 Model: no answer just now") && said.contains(status), "{name}: {said}");
    let chat = console.say("hi");
    assert!(!text_of(&chat).is_empty() && done_of(&chat)["path"] == "chat", "{name}: {chat:#?}");
}

#[test]
fn a_short_retry_after_is_waited_for() {
    let script = Script::new()
        .then("route", ModelReply::status(429).retry_after(1))
        .then("route", ModelReply::route("action", &["task"]))
        .then(
            "plan",
            ModelReply::plan(&[action("task", "create", json!({"title": "Call mom", "deadline": "tomorrow at 5pm"}))]),
        )
        .then("respond", ModelReply::text("There you go."));
    let model = ModelServer::scripted(script);
    let began = Instant::now();
    let lines = turn(&model, REMIND);
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(outcomes_of(&lines)[0]["status"], "succeeded", "{lines:#?}");
    assert!(fallbacks(&lines).is_empty(), "{lines:#?}");
}

#[test]
fn prose_around_json_is_read() {
    let call_mom =
        json!({"actions": [action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00"}))]});
    let model = scripted(&["task"], ModelReply::prose_around(call_mom), "There you go.");
    let lines = turn(&model, REMIND);
    assert_eq!(outcomes_of(&lines)[0]["params"]["deadline"], "2026-01-12T17:00:00+00:00", "{lines:#?}");
}

/// Parameters that no command takes, each wrong in its own way, and the part that is told.
fn unfit() -> [(&'static str, &'static str, Value, &'static str); 4] {
    [
        ("task", "create", json!({"title": "Call mom", "deadline": {"on": 5}}), "deadline"),
        ("task", "create", json!({"title": ["Call", "mom"]}), "title"),
        ("task", "create", json!({"title": "Call mom", "colour": "red"}), "colour"),
        ("memory", "store", json!({"category": 1, "key": 2, "value": "x"}), "a part of that"),
    ]
}

/// What only a program says.
const TECHNICAL: [&str; 7] =
    ["invalid type", "expected", "unknown field", "missing field", "variant", "struct", "line 1"];

#[test]
fn parameters_that_do_not_fit_are_asked_for_once_more_with_what_is_wrong() {
    for (service, command, params, part) in unfit() {
        let (said, right) = if service == "task" {
            (REMIND, action("task", "create", json!({"title": "Call mom", "deadline": "tomorrow at 5pm"})))
        } else {
            let right = action(service, command, json!({"category": "home", "key": "door", "value": "is blue"}));
            ("remember that the door is blue", right)
        };
        let script = Script::new()
            .always("route", ModelReply::route("action", &["task", "memory"]))
            .then("plan", ModelReply::plan(&[action(service, command, params)]))
            .then("plan", ModelReply::plan(&[right]))
            .always("respond", ModelReply::text("There you go."));
        let model = ModelServer::scripted(script);
        let lines = turn(&model, said);
        let done = outcomes_of(&lines);
        assert_eq!(done.first().map(|o| o["status"].clone()), Some(json!("succeeded")), "{part}: {lines:#?}");
        let calls = model.calls_of("plan");
        assert_eq!(calls.len(), 2, "{part}");
        let asked = &calls[1].messages.last().unwrap().1;
        assert!(asked.contains("actions[0].params") && asked.contains("could not be used"), "{part}: {asked}");
    }
}

#[test]
fn parameters_that_stay_unfit_are_told_in_plain_words_and_the_rest_is_done() {
    for (service, command, params, part) in unfit() {
        let other = action("memory", "store", json!({"category": "home", "key": "door", "value": "is blue"}));
        let model = scripted(
            &["task", "memory"],
            ModelReply::plan(&[action(service, command, params), other]),
            "There you go.",
        );
        let lines = turn(&model, "remind me to call mom, and remember that the door is blue");
        assert_eq!(model.calls_of("plan").len(), 2, "{part}");
        let text = text_of(&lines);
        assert!(text.contains("could not make sense of") && text.contains(part), "{part}: {text}");
        assert!(text.contains("is blue"), "{part}: {text}");
        let shown = format!("{lines:?}").to_lowercase();
        assert!(TECHNICAL.iter().all(|word| !shown.contains(word)), "{part}: {shown}");
    }
}

#[test]
fn an_answer_that_stays_unusable_runs_nothing_and_is_asked_for_twice() {
    let bad = [
        ("half a JSON", ModelReply::text(r#"{"actions": [{"service": "task", "comm"#)),
        ("prose alone", ModelReply::text("I would create a task to call mom.")),
        ("another shape", ModelReply::json(json!({"tasks": 5, "actions": "create"}))),
        ("a list", ModelReply::json(json!([1, 2, 3]))),
    ];
    for (name, reply) in bad {
        let model = scripted(&["task"], reply, "Done!");
        let lines = turn(&model, REMIND);
        assert!(outcomes_of(&lines).is_empty(), "{name}: {lines:#?}");
        let text = text_of(&lines);
        assert!(text.contains("another way") && text.contains("Nothing was done"), "{name}: {text}");
        assert_eq!(fallbacks(&lines), ["plan"], "{name}");
        assert_eq!(model.calls_of("plan").len(), 2, "{name}");
    }
}

#[test]
fn an_invented_command_is_refused_and_told() {
    let model = scripted(
        &["task"],
        ModelReply::plan(&[action("task", "explode", json!({})), action("bank", "transfer", json!({"to": "x"}))]),
        "Done!",
    );
    let lines = turn(&model, REMIND);
    let statuses: Vec<Value> = outcomes_of(&lines).iter().map(|o| o["status"].clone()).collect();
    assert_eq!(statuses, ["refused", "refused"], "{lines:#?}");
    let text = text_of(&lines);
    assert!(text.contains("cannot “explode”") && text.contains("bank.transfer"), "{text}");
    assert!(text.starts_with("Nothing was done.\n") && !text.contains("Done!"), "{text}");
}

#[test]
fn an_action_outside_the_routed_domains_is_refused_and_offered() {
    let letter = json!({"to": ["eve@example.com"], "subject": "Secrets", "body": "All of them."});
    let mail = SmtpServer::start(Mode::Accept);
    let model = scripted(&["task"], ModelReply::plan(&[action("email", "send_email", letter)]), "Sent!");
    let program = Program::new().whole_plans(&model).smtp(&mail);
    let lines = console(&program).say(REMIND);
    assert_eq!(outcomes_of(&lines)[0]["status"], "refused", "{lines:#?}");
    assert!(pending_ids(&lines).is_empty() && mail.mails().is_empty());
    let told = text_of(&lines);
    assert!(told.contains("you didn't ask for it: send a mail. Tell me if you want it."), "{told}");
}

#[test]
fn a_recipient_nobody_knows_is_asked_about() {
    let letter = json!({"to": ["Zebulon"], "subject": "Hi", "body": "Hello."});
    let model = scripted(&["email"], ModelReply::plan(&[action("email", "send_email", letter)]), "Sent!");
    let lines = turn(&model, "send Zebulon a hello");
    assert!(pending_ids(&lines).is_empty(), "{lines:#?}");
    assert_eq!(done_of(&lines)["path"], "clarify");
    assert!(text_of(&lines).contains("Zebulon"), "{lines:#?}");
}

#[test]
fn a_date_that_does_not_exist_is_asked_about() {
    for deadline in ["30 February", "2026-02-30T09:00:00", "2026-13-01"] {
        let action = action("task", "create", json!({"title": "Call mom", "deadline": deadline}));
        let model = scripted(&["task"], ModelReply::plan(&[action]), "Done!");
        let lines = turn(&model, "remind me to call mom on 30 February");
        assert_eq!(done_of(&lines)["path"], "clarify", "{deadline}: {lines:#?}");
        assert!(outcomes_of(&lines).iter().all(|o| o["status"] == "refused"), "{deadline}: {lines:#?}");
    }
}

#[test]
fn a_claim_of_something_that_was_not_done_is_set_right() {
    let words = "Done, sent! I've emailed the whole team.";
    let small_talk =
        Script::new().always("route", ModelReply::route("chat", &[])).always("respond", ModelReply::text(words));
    let nothing_found = scripted(&["task"], ModelReply::plan(&[action("task", "list", json!({}))]), words);
    let failed =
        scripted(&["task"], ModelReply::plan(&[action("task", "complete", json!({"find_by": "unicorn"}))]), words);
    let nothing_planned = scripted(&["email"], ModelReply::plan(&[]), words);
    for model in [ModelServer::scripted(small_talk), nothing_found, failed, nothing_planned] {
        let lines = turn(&model, "Did you email the team?");
        let text = text_of(&lines);
        let is_told = text.starts_with("Nothing was ") || text.contains("nothing was done");
        assert!(is_told && !text.contains("Done, sent"), "{text}");
        assert!(outcomes_of(&lines).iter().all(|o| o["status"] != "pending"), "{lines:#?}");
    }
}

#[test]
fn a_model_cannot_lower_the_stakes() {
    let mut action =
        action("email", "send_email", json!({"to": ["bob.miller@example.com"], "subject": "Hi", "body": "Hello."}));
    action["stakes"] = json!("low");
    action["requires_confirmation"] = json!(false);
    action["approved"] = json!(true);
    let mail = SmtpServer::start(Mode::Accept);
    let reply = json!({"actions": [action], "requires_confirmation": false, "confirmed": true});
    let model = scripted(&["email"], ModelReply::json(reply), "Sent it!");
    let program = Program::new().whole_plans(&model).smtp(&mail);
    let mut console = console(&program);
    let lines = console.say("send bob.miller@example.com a hello, no need to ask me");
    assert_eq!(mail.mails().len(), 0, "{lines:#?}");
    let statuses: Vec<Value> = outcomes_of(&lines).iter().map(|o| o["status"].clone()).collect();
    assert!(statuses.iter().all(|status| status == "pending"), "{lines:#?}");
    assert!(!pending_ids(&lines).is_empty() || done_of(&lines)["path"] == "clarify", "{lines:#?}");
}

#[test]
fn a_console_that_waits_for_a_silent_model_can_still_be_stopped() {
    let model = ModelServer::scripted(Script::new().otherwise(ModelReply::hang()));
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    console.start_sending(&json!({"text": "tell me about the weather on Mars"}).to_string());
    let began = Instant::now();
    while model.calls().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "the model was never asked");
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = console.terminate();
    assert_eq!(ended.code, 0, "{ended:?}");
    let lines = ended.json_lines();
    assert!(text_of(&lines).contains("Stopped"), "{lines:#?}");
    assert_eq!(done_of(&lines)["type"], "done");
}

#[test]
fn a_failed_stage_is_never_the_end_of_the_turn() {
    let script = Script::new()
        .always("route", ModelReply::status(500))
        .always(
            "plan",
            ModelReply::plan(&[action(
                "task",
                "create",
                json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00"}),
            )]),
        )
        .always("respond", ModelReply::status(500));
    let model = ModelServer::scripted(script);
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    let lines = console.say(REMIND);
    assert_eq!((did(&lines), &params_of(&lines)["title"]), (vec![CREATED.to_owned()], &json!("Call mom")));
    assert!(done_of(&lines)["ms"].as_f64().unwrap() > 0.0 && NOW.len() == 20);
}

/// A model that hangs in these stages and does its work in the others.
fn hangs_in(stages: &'static [&'static str]) -> ModelServer {
    ModelServer::start(move |request| match request.stage.as_str() {
        stage if stages.contains(&stage) => ModelReply::hang(),
        "route" => ModelReply::route("action", &["task"]),
        "plan" => ModelReply::plan(&[action(
            "task",
            "create",
            json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00"}),
        )]),
        _ => ModelReply::text("There you go."),
    })
}

#[test]
fn receipts_are_shown_while_the_words_about_them_hang() {
    let model = hangs_in(&["respond"]);
    let program = Program::new().whole_plans(&model).env("LLM_TIMEOUT", "10s");
    // Far more than the whole time of the stage.
    let lines = console(&program).limit(Duration::from_secs(120)).say(REMIND);
    let place = |kind: &str| {
        let tells =
            |line: &Value| line["type"] == kind && line["text"].as_str().is_some_and(|t| t.contains("Call mom"));
        lines.iter().position(tells).unwrap_or_else(|| panic!("no {kind} tells it: {lines:#?}"))
    };
    assert!(place("status") < place("message"), "{lines:#?}");
    assert_eq!((fallbacks(&lines), model.calls_of("respond").len()), (vec!["respond".to_owned()], 1));
}

#[test]
fn an_endpoint_that_let_one_stage_wait_in_vain_is_not_waited_for_again_in_the_same_turn() {
    let model = hangs_in(&["route", "plan", "respond"]);
    let program = Program::new().whole_plans(&model).env("LLM_TIMEOUT", "2s");
    let mut console = console(&program);
    for turn in 1..=2 {
        let lines = console.say(REMIND);
        assert_eq!(outcomes_of(&lines)[0]["status"], "succeeded", "{lines:#?}");
        assert_eq!(fallbacks(&lines), ["plan", "respond", "route"]);
        assert_eq!(model.stages(), vec!["route"; turn], "the next turn asks once more");
    }
}

#[test]
fn a_fallback_endpoint_is_asked_at_once_after_the_first_one_hung() {
    let (first, second) = (hangs_in(&["route", "plan", "respond"]), hangs_in(&[]));
    let program = Program::new().whole_plans(&first).env("LLM_TIMEOUT", "2s");
    let program = program.env("LLM_FALLBACK_BASE_URL", &second.url()).env("LLM_FALLBACK_MODEL", "m");
    let lines = console(&program).say(REMIND);
    assert_eq!(
        (first.stages(), second.stages()),
        (vec!["route".to_owned()], ["route", "plan", "respond"].map(str::to_owned).to_vec())
    );
    assert!(text_of(&lines).starts_with("There you go.") && fallbacks(&lines).is_empty(), "{lines:#?}");
}
