//! `brain-agent eval`: its formats, its answers, and the quality that the shipped test files must show.

mod columns;
mod memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Finished, Program};

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/eval").join(name)
}

fn evaluated(program: &Program, what: &str, file: &Path, flags: &[&str]) -> Finished {
    let file = file.to_str().unwrap();
    program.run(&[&["eval", what, file], flags].concat())
}

/// A file of these lines, evaluated.
fn on(program: &Program, what: &str, lines: &str, flags: &[&str]) -> Finished {
    let file = program.cwd().join("examples");
    std::fs::write(&file, lines).unwrap();
    evaluated(program, what, &file, flags)
}

fn figures(finished: &Finished) -> Value {
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let lines: Vec<&str> = finished.stdout.lines().collect();
    assert_eq!(lines.len(), 1, "one object and nothing else: {}", finished.stdout);
    serde_json::from_str(lines[0]).unwrap()
}

/// The parts of the answer that do not depend on the machine.
fn check(what: &str, lines: &str, correct: u64, confusion: Value) -> Value {
    let answer = figures(&on(&Program::new(), what, lines, &["--json"]));
    assert_eq!(answer["stage"], what);
    assert_eq!(answer["confusion"], confusion, "{answer}");
    let total: u64 = confusion.as_object().unwrap().values().flat_map(counts).sum();
    assert_eq!((answer["total"].as_u64(), answer["correct"].as_u64()), (Some(total), Some(correct)), "{answer}");
    let accuracy = answer["accuracy"].as_f64().unwrap();
    assert!((accuracy - correct as f64 / total as f64).abs() < 1e-9, "{answer}");
    assert_eq!(answer["llm_calls"], 0);
    assert!(answer["p50_us"].as_u64().unwrap() <= answer["p99_us"].as_u64().unwrap());
    assert_eq!(answer.get("errors"), None, "misses are listed when they are asked for");
    answer
}

fn counts(row: &Value) -> Vec<u64> {
    row.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).collect()
}

#[test]
fn consent_is_counted_by_label_and_escapes_are_read() {
    let lines = "# a comment\n\nYes please\tyes\nno\tno\nyes\\u{200b}\tother\nyes\\nno\tother\nwhat a day\tyes\r\n";
    check("consent", lines, 4, json!({"yes": {"yes": 1, "other": 1}, "no": {"no": 1}, "other": {"other": 2}}));
}

#[test]
fn a_route_is_right_when_it_equals_one_alternative_whole() {
    let lines = "remind me to call mom tomorrow at 5pm\tcalendar|task\nhi, how are you?\tchat\n\
        remind me to buy milk tomorrow\tcalendar+task\nremind me to buy milk tomorrow\temail|chat\n";
    check(
        "route",
        lines,
        2,
        json!({"task": {"task": 1}, "chat": {"chat": 1}, "calendar+task": {"task": 1}, "email": {"task": 1}}),
    );
}

#[test]
fn times_are_compared_as_exactly_as_the_grain_says() {
    let row = |input: &str, expected: Value, grain: &str| {
        let row = json!({"input": input, "reference": "2026-01-11T12:00:00+01:00", "tz": "Europe/Berlin",
            "expected_start": expected, "grain": grain});
        format!("{row}\n")
    };
    let lines = [
        row("call mom tomorrow at 5pm", json!("2026-01-12T16:00:00Z"), "minute"),
        row("call mom tomorrow at 5pm", json!("2026-01-12T17:59:00+01:00"), "hour"),
        row("call mom tomorrow at 5pm", json!("2026-01-12T00:00:00+01:00"), "day"),
        row("call mom tomorrow at 5pm", json!("2026-01-18T00:00:00+01:00"), "week"),
        row("call mom tomorrow at 5pm", json!("2026-01-31T00:00:00+01:00"), "month"),
        row("call mom tomorrow at 5pm", json!("2026-12-31T00:00:00+01:00"), "year"),
        row("call mom tomorrow at 5pm", json!("2026-01-12T17:01:00+01:00"), "minute"),
        row("the meeting may be moved", Value::Null, "day"),
        row("call mom tomorrow", Value::Null, "day"),
        row("the meeting may be moved", json!("2026-01-12T17:00:00+01:00"), "day"),
        "{\"input\":\"at 17:30\",\"reference\":\"2026-01-11T09:00:00Z\",\"expected_start\":\"2026-01-11T17:30:00Z\",\"grain\":\"minute\"}".to_owned(),
    ];
    check("when", &lines.concat(), 8, json!({"time": {"right": 8, "wrong": 2, "none": 1}}));
}

#[test]
fn plans_are_compared_by_what_their_values_mean() {
    let row = |text: &str, expect: Value| {
        format!("{}\n", json!({"text": text, "now": "2026-01-12T09:00:00Z", "tz": "Europe/Berlin", "expect": expect}))
    };
    let reminder = |params: Value| json!([{"service": "task", "command": "create", "params": params}]);
    let mom = "remind me to call mom tomorrow at 5pm";
    let lines = [
        row(mom, reminder(json!({"title": " call  MOM", "deadline": "2026-01-13T17:00:00"}))),
        row(mom, reminder(json!({"deadline": "2026-01-13T16:00:00Z"}))),
        row(mom, reminder(json!({"deadline": "tomorrow at 17:00"}))),
        row(mom, reminder(json!({"deadline": "2026-01-13"}))),
        row(mom, reminder(json!({}))),
        row("how are you?", json!([])),
        row(mom, reminder(json!({"deadline": "2026-01-13T17:00:00Z"}))),
        row(mom, reminder(json!({"title": "call dad"}))),
        row(mom, reminder(json!({"priority": "high"}))),
        row(mom, json!([])),
        row(mom, json!([{"service": "task", "command": "create"}, {"service": "task", "command": "list"}])),
        row("how are you?", reminder(json!({}))),
    ];
    check("plan", &lines.concat(), 6, json!({"plan": {"right": 6, "wrong": 5, "none": 1}}));
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_there_are_no_figures() {
    let program = Program::new();
    let time = r#"{"input":"x","reference":"2026-01-11T09:00:00Z","tz":"TZ","expected_start":START,"grain":"day"}"#;
    let time = |zone: &str, start: &str| time.replace("TZ", zone).replace("START", start);
    let plan = |rest: &str| format!(r#"{{"text":"x","now":"2026-01-12T09:00:00Z","tz":"UTC",{rest}}}"#);
    let rows = [
        ("memory", r#"{"facts":[],"questions":[{"text":"x","expect":["a"]}]}"#.to_owned()),
        ("memory", r#"{"facts":[{"id":"a","text":"x"}],"questions":[{"text":"x","expect":[]}]}"#.to_owned()),
        ("consent", "yes".to_owned()),
        ("consent", "yes\tmaybe".to_owned()),
        ("consent", "yes\tyes\tyes".to_owned()),
        ("consent", "\\u{110000}\tother".to_owned()),
        ("route", "hello".to_owned()),
        ("route", "hello\ttask+".to_owned()),
        ("route", "hello\tchat|".to_owned()),
        ("when", "{".to_owned()),
        ("when", r#"{"input":"x"}"#.to_owned()),
        ("when", time("Mars/Base", "null")),
        ("when", time("UTC", "\"tomorrow\"")),
        ("plan", plan(r#""expect":{}"#)),
        ("plan", plan(r#""expect":[{"service":"task","command":"dance"}]"#)),
        ("plan", "null".to_owned()),
    ];
    for (what, bad) in rows {
        let finished = on(&program, what, &format!("# fine\n\n{bad}\n"), &["--json"]);
        assert_eq!(finished.code, 2, "{what} {bad:?}: {}", finished.stderr);
        assert!(finished.stderr.contains("examples:3: "), "{what} {bad:?}: {}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let program = Program::new();
    let missing = evaluated(&program, "consent", Path::new("nowhere.tsv"), &[]);
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""));
    assert!(missing.stderr.contains("nowhere.tsv"), "{}", missing.stderr);
    assert_eq!(on(&program, "route", "# nothing\n", &[]).code, 2);
    let file = program.cwd().join("latin1");
    std::fs::write(&file, b"yes\tyes\ns\xed\tyes\n").unwrap();
    let latin1 = evaluated(&program, "consent", &file, &[]);
    assert_eq!(latin1.code, 2);
    assert!(latin1.stderr.contains("line 2 is not UTF-8"), "{}", latin1.stderr);
    assert_eq!(program.run(&["eval", "weather", "x"]).code, 2);
}

#[test]
fn every_miss_is_one_line_with_its_number() {
    let program = Program::new();
    let lines = "yes\tno\n\nmaybe\\nlater\\u{200b}\tyes\nno\tno\n";
    let text = on(&program, "consent", lines, &["--errors"]);
    assert_eq!(text.code, 0);
    assert!(text.stdout.starts_with("consent: 1 of 3 right (33.3 %)"), "{}", text.stdout);
    let misses: Vec<&str> = text.stdout.lines().filter(|line| line.starts_with("line ")).collect();
    let hidden = "line 3: \"maybe\\nlater\\u{200b}\" expected yes, got other";
    assert_eq!(misses, ["line 1: \"yes\" expected no, got yes", hidden]);
    assert!(!on(&program, "consent", lines, &[]).stdout.contains("line 1"));
    let answer = figures(&on(&program, "consent", lines, &["--json", "--errors"]));
    assert_eq!(answer["errors"][0], json!({"line": 1, "input": "yes", "expected": "no", "got": "yes"}));
}

#[test]
fn a_configured_model_is_asked_for_routes_and_plans_and_for_nothing_else() {
    let server = ModelServer::start(|request| match request.stage.as_str() {
        "route" if request.prompt().contains("milk") => ModelReply::route("action", &["task"]),
        "route" => ModelReply::route("chat", &[]),
        "plan" => ModelReply::json(json!({"actions": [{"service": "task", "command": "create",
            "params": {"title": "Buy milk", "deadline": "2026-01-13T09:00:00"}}], "question": null, "open": null})),
        other => panic!("nobody needs {other}"),
    });
    let program = Program::new().model(&server);
    let routes = "buy milk\ttask\nbuy milk\temail\nhow are you\tchat\n";
    let answer = figures(&on(&program, "route", routes, &["--json"]));
    assert_eq!((&answer["correct"], &answer["llm_calls"], &answer["by"]), (&json!(2), &json!(3), &json!("scripted")));
    assert!(answer["tokens_in"].as_u64().unwrap() > 0 && answer["tokens_out"].as_u64().unwrap() > 0, "{answer}");

    let plan = |deadline: &str| {
        format!(
            "{}\n",
            json!({"text": "buy milk tomorrow at 9", "now": "2026-01-12T09:00:00Z", "tz": "Asia/Tokyo",
                "history": ["hi", {"said": "note: tea", "actions": [{"service": "keep", "command": "create"}]}],
                "expect": [{"service": "task", "command": "create", "params": {"deadline": deadline}}]})
        )
    };
    let plans = plan("2026-01-13T00:00:00Z") + &plan("tomorrow at 10");
    let answer = figures(&on(&program, "plan", &plans, &["--json"]));
    assert_eq!((&answer["correct"], &answer["llm_calls"]), (&json!(1), &json!(2)), "{answer}");
    let asked = server.calls().iter().rev().find(|call| call.stage == "plan").unwrap().messages.clone();
    let prompt: String = asked.into_iter().map(|(_, text)| text).collect();
    for part in ["Monday 2026-01-12T18:00", "Asia/Tokyo", "person: hi", "keep.create"] {
        assert!(prompt.contains(part), "{part} is missing from {prompt}");
    }

    let before = server.calls().len();
    for (what, lines, flags) in [
        ("consent", "yes\tyes\n", vec!["--json"]),
        ("route", routes, vec!["--json", "--built-in"]),
        ("plan", plans.as_str(), vec!["--json", "--built-in"]),
    ] {
        let answer = figures(&on(&program, what, lines, &flags));
        assert_eq!((&answer["llm_calls"], &answer["by"]), (&json!(0), &json!("built-in")));
    }
    assert_eq!(server.calls().len(), before);
}

#[test]
fn a_run_says_what_it_cost_when_prices_are_set_and_that_it_cannot_otherwise() {
    let server = ModelServer::start(|_| ModelReply::route("chat", &[]));
    let rows = "how are you\tchat\n";
    let unknown = Program::new().model(&server);
    let answer = figures(&on(&unknown, "route", rows, &["--json"]));
    assert_eq!((answer.get("cost_usd"), &answer["llm_calls"]), (Some(&Value::Null), &json!(1)));
    let text = on(&unknown, "route", rows, &[]).stdout;
    assert!(text.contains("cost unknown: set LLM_PRICE_IN and LLM_PRICE_OUT"), "{text}");
    let free = figures(&on(&unknown, "route", rows, &["--json", "--built-in"]));
    assert_eq!(free["cost_usd"], json!(0.0));

    let priced = Program::new()
        .model(&server)
        .env("LLM_PRICE_IN", "3")
        .env("LLM_PRICE_OUT_ROUTE", "20")
        .env("LLM_PRICE_OUT", "10")
        .env("LLM_PRICE_IN_ROUTE", "4");
    let answer = figures(&on(&priced, "route", rows, &["--json"]));
    let cost = (answer["tokens_in"].as_f64().unwrap() * 4.0 + answer["tokens_out"].as_f64().unwrap() * 20.0) / 1e6;
    assert!(cost > 0.0 && (answer["cost_usd"].as_f64().unwrap() - cost).abs() < 1e-12, "{answer}");
    assert!(on(&priced, "route", rows, &[]).stdout.contains("\ncost $0.0"), "a price has a cost");
}

#[test]
fn a_model_that_fails_is_told_beside_the_figures() {
    let server = ModelServer::start(|_| ModelReply::json(json!({"domains": 7})));
    let answer = figures(&on(&Program::new().model(&server), "route", "buy milk tomorrow\ttask\n", &["--json"]));
    assert_eq!((&answer["fallbacks"], &answer["llm_calls"]), (&json!(1), &json!(2)), "{answer}");
}

/// Figures on a shipped file, printed as the README has them.
fn quality(what: &str, name: &str) -> (Value, BTreeMap<String, BTreeMap<String, u64>>) {
    let answer = figures(&evaluated(&Program::new(), what, &shipped(name), &["--json"]));
    println!("{name}: {answer}");
    let confusion = serde_json::from_value(answer["confusion"].clone()).unwrap();
    (answer, confusion)
}

#[test]
fn no_consent_is_false_and_nine_in_ten_plain_ones_are_read() {
    let (_, confusion) = quality("consent", "consent_test.tsv");
    for (expected, got) in &confusion {
        for decided in ["yes", "no"].iter().filter(|decided| *decided != expected) {
            assert_eq!(got.get(*decided), None, "{expected} was taken for {decided}");
        }
    }
    for plain in ["yes", "no"] {
        let right = confusion[plain][plain];
        let all: u64 = confusion[plain].values().sum();
        assert!(right * 10 >= all * 9, "{right} of {all} plain {plain} were read");
    }
}

#[test]
fn nineteen_in_twenty_times_are_read() {
    let (answer, _) = quality("when", "when_test.jsonl");
    assert!(answer["accuracy"].as_f64().unwrap() >= 0.95, "{answer}");
}

#[test]
fn nine_in_ten_messages_go_where_they_belong_and_small_talk_stays_small_talk() {
    let (answer, confusion) = quality("route", "route_test.tsv");
    assert!(answer["accuracy"].as_f64().unwrap() >= 0.90, "{answer}");
    let chat: u64 = confusion["chat"].values().sum();
    let to_tools = chat - confusion["chat"].get("chat").copied().unwrap_or(0);
    assert!(to_tools * 100 <= chat * 3, "{to_tools} of {chat} chats went to a tool");
}

#[test]
fn four_in_five_everyday_requests_are_planned_whole() {
    let (answer, _) = quality("plan", "plan_test.jsonl");
    assert!(answer["accuracy"].as_f64().unwrap() >= 0.80, "{answer}");
}

/// Each line of every file of scenarios, and what it begins with put into a world.
#[test]
fn every_shipped_scenario_can_be_read() {
    let folder = shipped("");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("scenarios"));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = brain_agent::eval::check_scenario(line);
            assert_eq!(read, Ok(()), "{}:{}", file.display(), number + 1);
        }
    }
}

#[test]
fn a_scenario_is_judged_by_what_it_leaves_behind() {
    let row = |name: &str, title: &str| {
        let row = json!({"name": name, "area": "task", "now": "2026-03-11T09:00:00Z", "tz": "Europe/London",
            "start": {"task": [{"title": "Bins", "deadline": "2026-03-11T18:00"}]},
            "say": ["remind me to call mom tomorrow at 5pm"],
            "expect": {"task": {"added": [{"title": title, "deadline": "2026-03-12T17:00"}]}}});
        format!("{row}\n")
    };
    let lines = row("fine", "Call mom") + &row("other", "Call dad");
    check("scenario", &lines, 1, json!({"task": {"right": 1, "wrong": 1}}));
    let text = on(&Program::new(), "scenario", &lines, &["--errors"]).stdout;
    assert!(text.contains("in all: right 1, wrong 1"), "{text}");
    assert!(text.contains("line 2 (other): \"remind me to call mom tomorrow at 5pm\" expected task added"), "{text}");
    let bad = on(&Program::new(), "scenario", &(lines + "{\"name\":\"x\"}\n"), &[]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("examples:3: "), "{}", bad.stderr);
}
