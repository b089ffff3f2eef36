//! Samples, proposals, kinds of wrong, and several configurations side by side.

use serde_json::{Value, json};

use super::{check, figures, on};
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::Program;

/// Reminders for these, each with a world of its own.
fn reminders(titles: &[&str]) -> String {
    let row = |title: &&str| {
        let row = json!({"name": title, "area": "task", "now": "2026-03-11T09:00:00Z", "tz": "Europe/London",
            "say": [format!("remind me to {} tomorrow at 5pm", title.to_lowercase())],
            "expect": {"task": {"added": [{"title": title, "deadline": "2026-03-12T17:00"}]}}});
        format!("{row}\n")
    };
    titles.iter().map(row).collect()
}

#[test]
fn what_one_tap_on_an_offer_would_do_is_a_verdict_of_its_own() {
    let row = |name: &str, area: &str, expect: Value| {
        let row = json!({"name": name, "area": area, "now": "2026-03-11T09:00:00Z", "tz": "Europe/London",
            "say": ["please descale the kettle"], "expect": expect});
        format!("{row}\n")
    };
    let lines = row("kept", "task", json!({"task": {"added": [{"title": "Descale the kettle"}]}}))
        + &row("in vain", "outside", json!({}));
    check("scenario", &lines, 0, json!({"task": {"proposed": 1}, "outside": {"question": 1}}));
    let answer = figures(&on(&Program::new(), "scenario", &lines, &["--json", "--errors"]));
    assert_eq!((&answer["verdicts"]["proposed"], &answer["proposed_wrongly"]), (&json!(1), &json!(1)), "{answer}");
    let got = answer["errors"][1]["got"].as_str().unwrap();
    assert!(got.starts_with("question: ") && got.contains("proposed wrongly: task added"), "{got}");
    let text = on(&Program::new(), "scenario", &lines, &["--errors"]).stdout;
    assert!(text.contains("in all: proposed 1, question 1\nproposed wrongly: 1"), "{text}");
    assert!(text.contains("one tap away: task added"), "{text}");
}

#[test]
fn a_sample_is_the_same_rows_each_time_and_another_seed_draws_others() {
    let titles: Vec<String> = (0..40).map(|number| format!("Call person {number}")).collect();
    let rows: String = titles.iter().map(|title| format!("remind me to {title} tomorrow\tcalendar\n")).collect();
    let drawn = |seed: &str, flags: &[&str]| {
        let flags = [&["--json", "--errors", "--sample", "12", "--seed", seed], flags].concat();
        let answer = figures(&on(&Program::new(), "route", &rows, &flags));
        let lines: Vec<u64> =
            answer["errors"].as_array().unwrap().iter().map(|miss| miss["line"].as_u64().unwrap()).collect();
        assert_eq!((answer["total"].as_u64(), lines.len()), (Some(12), 12), "{answer}");
        lines
    };
    let first = drawn("1", &[]);
    assert!(first.is_sorted() && first == drawn("1", &[]), "{first:?}");
    assert_ne!(first, drawn("2", &[]));
    let alone = on(&Program::new(), "route", &rows, &["--seed", "1"]);
    assert!(alone.code != 0 && alone.stderr.contains("--sample"), "{}", alone.stderr);
}

#[test]
fn a_second_configuration_and_built_in_understanding_stand_in_columns_of_their_own() {
    let actions = |title: &str| {
        json!({"actions": [{"service": "task", "command": "create",
            "params": {"title": title, "deadline": "2026-03-12T17:00:00"}}], "question": null, "open": null})
    };
    let server = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::route("action", &["task"]),
        "plan" if request.body["model"] == "second" => ModelReply::json(actions("Ring the vet")),
        "plan" => ModelReply::json(actions("Call mom")),
        _ => ModelReply::text("There you are."),
    });
    let program = Program::new().model(&server);
    let lines = reminders(&["Call mom"]);
    let flags = ["--json", "--beside", "LLM_MODEL=second", "LLM_API_KEY=abc"];
    let answer = figures(&on(&program, "scenario", &lines, &flags));
    let columns = answer["beside"].as_array().unwrap();
    assert_eq!(columns.len(), 2, "{answer}");
    assert_eq!((&columns[0]["by"], &columns[1]["by"]), (&json!("second"), &json!("built-in")), "{answer}");
    assert_eq!(columns[0]["setting"], "LLM_MODEL=second LLM_API_KEY=…");
    assert_eq!((&answer["correct"], &columns[1]["correct"]), (&json!(1), &json!(1)), "{answer}");
    for column in [&answer, &columns[0], &columns[1]] {
        assert!(column["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{column}");
    }
    assert_eq!(columns[1]["llm_calls"], 0);

    let text = on(&program, "scenario", &lines, &flags[1..]).stdout;
    assert!(!text.contains("abc"), "{text}");
    let head = text.lines().find(|line| line.contains("built-in")).unwrap();
    assert!(head.contains("scripted") && head.contains("second, LLM_MODEL=second"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("right: task ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("calls ")), "{text}");

    let refused = on(&program, "scenario", &lines, &["--beside", "BRAIN_NONSENSE=1"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("BRAIN_NONSENSE is no setting"), "{}", refused.stderr);
    let refused = on(&program, "scenario", &lines, &["--beside", "LLM_MODEL"]);
    assert!(refused.code == 2 && refused.stderr.contains("KEY=VALUE"), "{}", refused.stderr);
}

#[test]
fn routes_and_plans_are_wrong_in_a_way_that_is_told() {
    let server = ModelServer::start(|request| match request.stage.as_str() {
        "route" if request.prompt().contains("nice") => ModelReply::route("action", &["task"]),
        "route" => ModelReply::json(json!({"type": "action", "domains": ["task", "email"], "is_followup": false})),
        _ => ModelReply::json(json!({"actions": [{"service": "task", "command": "create",
            "params": {"title": "Buy milk", "deadline": "2026-01-14T09:00:00"}}], "question": null, "open": null})),
    });
    let program = Program::new().model(&server);
    let routes = "nice weather\tchat\nbuy milk\ttask\nbuy milk\tcalendar\nbuy milk\ttask+email+keep\n";
    let answer = figures(&on(&program, "route", routes, &["--json"]));
    assert_eq!(answer["wrong"], json!({"mood": 1, "invented": 1, "other command": 1, "dropped": 1}), "{answer}");
    let row = |expect: Value| {
        let row = json!({"text": "buy milk on the 14th", "now": "2026-01-12T09:00:00Z", "tz": "UTC", "expect": expect});
        format!("{row}\n")
    };
    let create = |params: Value| json!({"service": "task", "command": "create", "params": params});
    let delete = json!({"service": "task", "command": "delete", "params": {"find_by": "milk"}});
    let plans = [
        row(json!([])),
        row(json!([create(json!({"deadline": "2026-01-14T10:00:00"}))])),
        row(json!([create(json!({"priority": "high"}))])),
        row(json!([create(json!({"title": "buy milk"})), delete])),
        row(json!([delete])),
        row(json!([create(json!({"title": "buy milk"}))])),
    ];
    let answer = figures(&on(&program, "plan", &plans.concat(), &["--json"]));
    assert_eq!(answer["wrong"], json!({"mood": 1, "invented": 1, "dropped": 2, "other command": 1}), "{answer}");
    assert_eq!(answer["correct"], 1);
}
