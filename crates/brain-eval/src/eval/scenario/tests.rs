use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::wrong::Wrong;
use super::fits::{fits, folded};
use super::happened::{FieldChange, Happened, between};
use super::judge::{Judgement, judge};
use super::row::Scenario;
use super::world::{Manner, RowOutcome, ScenarioReply, TakenOffer};
use crate::eval::example::{Fields, Inventory};
use brain_app::config::Config;
use brain_core::core::turn::{Done, Path};

fn row(area: &str, expect: Value, more: Value) -> Scenario {
    let mut row = json!({"name": "x", "area": area, "now": "2026-03-11T09:00:00Z", "tz": "UTC", "say": ["x"],
        "expect": expect});
    row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Scenario::parse(&row.to_string()).unwrap()
}

/// Things by service and id.
fn things(of: &Value) -> Inventory {
    ["task", "calendar", "keep", "email"]
        .into_iter()
        .map(|service| {
            let things = of.get(service).and_then(Value::as_object).cloned().unwrap_or_default();
            (service, things.into_iter().map(|(id, fields)| (id, fields.as_object().unwrap().clone())).collect())
        })
        .collect()
}

fn told(manner: Manner, answer: &str) -> ScenarioReply {
    ScenarioReply { done: Done::quiet(Path::Action), answers: vec![answer.to_owned()], manner }
}

fn outcome(before: &Value, after: &Value, turns: Vec<ScenarioReply>) -> RowOutcome {
    RowOutcome {
        turns,
        happened: between(&things(before), &things(after)),
        is_open: false,
        if_approved: None,
        if_taken: None,
    }
}

use Judgement::{Nothing, Proposed, Question, Refused, Right};
use Manner::{Answered, Asked, Declined, PressedNothing, Talked};

#[test]
fn what_happened_beside_what_was_expected_gives_the_verdict() {
    let before = json!({"task": {"1": {"title": "Bins", "done": false}, "2": {"title": "Vet", "done": false}}});
    let same = before.clone();
    let one = json!({"task": {"1": {"title": "Bins", "done": true}, "2": {"title": "Vet", "done": false}}});
    let both = json!({"task": {"1": {"title": "Bins", "done": true}, "2": {"title": "Vet", "done": true}}});
    let gone = json!({"task": {"2": {"title": "Vet", "done": false}}});
    let bins = json!({"task": {"changed": [{"title": "Bins", "done": true}]}});
    let all = json!({"task": {"changed": [{"title": "Vet", "done": true}, {"title": "Bins", "done": true}]}});
    let check = |expect: &Value, after: &Value, manner: Manner, verdict: Judgement| {
        let row = row("task", expect.clone(), json!({}));
        let judged = judge(&row, &outcome(&before, after, vec![told(manner, "Fine.")]));
        assert_eq!(judged.judgement, verdict, "{expect} {after} {manner:?}");
    };
    check(&bins, &one, Answered, Right);
    check(&all, &both, Answered, Right);
    // Somewhat more, or something else.
    check(&bins, &both, Answered, Judgement::Wrong);
    check(&bins, &gone, Asked, Judgement::Wrong);
    check(&json!({}), &one, Answered, Judgement::Wrong);
    // A part of it: in silence, or not.
    check(&all, &one, Answered, Judgement::Wrong);
    check(&all, &one, Talked, Judgement::Wrong);
    check(&all, &one, Asked, Question);
    check(&all, &one, Declined, Refused);
    // Nothing of it.
    check(&all, &same, Asked, Question);
    check(&all, &same, Declined, Refused);
    check(&all, &same, Talked, Nothing);
    check(&all, &same, Answered, Judgement::Wrong);
    // Nothing was to change.
    check(&json!({}), &same, Answered, Right);
    check(&json!({}), &same, Declined, Refused);
}

#[test]
fn where_nothing_is_to_change_the_area_says_what_is_right() {
    for (area, more, manner, answer, verdict) in [
        ("chat", json!({}), Talked, "Hello!", Right),
        ("chat", json!({}), Declined, "I didn't understand.", Right),
        ("outside", json!({}), Declined, "I can't do that.", Right),
        ("outside", json!({}), Talked, "I'm here.", Nothing),
        ("outside", json!({}), Asked, "Which?", Question),
        ("outside", json!({}), Answered, "Your day: nothing.", Judgement::Wrong),
        ("question", json!({}), Answered, "Your day: nothing.", Right),
        ("question", json!({}), Talked, "I'm here.", Nothing),
        ("question", json!({"says": ["15:00|3 pm"]}), Answered, "Dentist at 3\u{a0}PM", Right),
        ("question", json!({"says": ["15:00|3 pm", "Mill"]}), Answered, "Dentist at 15:00", Judgement::Wrong),
        ("question", json!({"says": ["15:00"]}), Declined, "I can't do that.", Refused),
        ("question", json!({"says": ["15:00"]}), Talked, "I'm here.", Nothing),
        ("email", json!({"asks": true}), Asked, "Which Bob?", Right),
        ("email", json!({"asks": true}), Declined, "I can't do that.", Refused),
        ("email", json!({"asks": true}), Talked, "I'm here.", Nothing),
        ("email", json!({"asks": true}), Answered, "No mail.", Judgement::Wrong),
        ("conversation", json!({}), PressedNothing, "", Judgement::Wrong),
    ] {
        let row = row(area, json!({}), more.clone());
        let judged = judge(&row, &outcome(&json!({}), &json!({}), vec![told(manner, answer)]));
        assert_eq!(judged.judgement, verdict, "{area} {more} {manner:?}");
    }
}

#[test]
fn a_card_that_waits_counts_for_what_it_would_do() {
    let before = json!({"task": {"1": {"title": "Bins"}, "2": {"title": "Vet"}}});
    let row = row("task", json!({"task": {"removed": [{"title": "bins"}]}}), json!({}));
    for (then, verdict) in [
        (json!({"task": {"2": {"title": "Vet"}}}), Question),
        (json!({"task": {"1": {"title": "Bins"}}}), Judgement::Wrong),
    ] {
        let mut outcome = outcome(&before, &before, vec![told(Asked, "Delete it?")]);
        outcome.is_open = true;
        outcome.if_approved = Some(between(&things(&before), &things(&then)));
        assert_eq!(judge(&row, &outcome).judgement, verdict, "{then}");
    }
    // All is done, and something still waits.
    let mut outcome = outcome(&before, &json!({"task": {"2": {"title": "Vet"}}}), vec![told(Asked, "And the vet?")]);
    outcome.is_open = true;
    assert_eq!(judge(&row, &outcome).judgement, Question);
}

#[test]
fn an_offer_that_was_left_counts_for_what_one_tap_on_it_does() {
    let before = json!({"task": {"1": {"title": "Bins"}, "2": {"title": "Vet"}}});
    let bins = json!({"task": {"2": {"title": "Vet"}}});
    let vet = json!({"task": {"1": {"title": "Bins"}}});
    let nothing = json!({"task": {}});
    let removed = json!({"task": {"removed": [{"title": "bins"}]}});
    let both = json!({"task": {"removed": [{"title": "bins"}, {"title": "vet"}]}});
    for (expect, then, asks, verdict, is_wrongly) in [
        (&removed, &bins, false, Proposed, false),
        // Something else, something more, or less.
        (&removed, &vet, false, Question, true),
        (&removed, &nothing, false, Question, true),
        (&removed, &before, false, Question, false),
        (&both, &bins, false, Question, false),
        (&both, &nothing, false, Proposed, false),
        // Nothing was to be done, or only to be asked.
        (&json!({}), &bins, false, Question, true),
        (&json!({}), &bins, true, Right, false),
    ] {
        let row = row("task", expect.clone(), if asks { json!({"asks": true}) } else { json!({}) });
        let mut outcome = outcome(&before, &before, vec![told(Asked, "Delete it?")]);
        outcome.is_open = true;
        let happened = between(&things(&before), &things(then));
        outcome.if_taken = Some(TakenOffer { happened, turn: told(Answered, "Deleted.") });
        let judged = judge(&row, &outcome);
        assert_eq!((judged.judgement, judged.is_proposed_wrongly), (verdict, is_wrongly), "{expect} {then}");
    }
}

#[test]
fn what_is_wrong_is_told_by_its_kind() {
    let before = json!({"task": {"1": {"title": "Bins", "deadline": "2026-03-11T18:00"}, "2": {"title": "Vet"}}});
    let with = |task: Value| {
        let mut things = before.clone();
        things["task"]["3"] = task;
        things
    };
    let mom = json!({"task": {"added": [{"title": "Call mom", "deadline": "2026-03-12T17:00", "repeat": null}]}});
    let bins = json!({"task": {"changed": [{"title": "Bins", "deadline": "2026-03-12T18:00"}]}});
    let moved = |id: &str, to: &str| {
        let mut things = before.clone();
        things["task"][id]["deadline"] = json!(to);
        things
    };
    let gone = json!({"task": {"2": {"title": "Vet"}}});
    for (expect, after, kind) in [
        (json!({}), with(json!({"title": "Call mom"})), Wrong::Mood),
        (mom.clone(), with(json!({"title": "Call mom"})), Wrong::Dropped),
        (mom.clone(), with(json!({"title": "Call mom", "deadline": "2026-03-12T09:00"})), Wrong::Invented),
        (
            mom.clone(),
            with(json!({"title": "Call mom", "deadline": "2026-03-12T17:00", "repeat": "FREQ=DAILY"})),
            Wrong::Invented,
        ),
        (mom.clone(), gone.clone(), Wrong::OtherCommand),
        (mom, before.clone(), Wrong::OtherCommand),
        (bins.clone(), moved("2", "2026-03-12T18:00"), Wrong::OtherItem),
        (bins.clone(), moved("1", "2026-03-13T18:00"), Wrong::Invented),
        (bins, gone, Wrong::OtherCommand),
        (json!({"task": {"removed": [{"title": "Vet"}]}}), json!({"task": {"2": {"title": "Vet"}}}), Wrong::OtherItem),
    ] {
        let row = row("task", expect.clone(), json!({}));
        let judged = judge(&row, &outcome(&before, &after, vec![told(Answered, "Done.")]));
        assert_eq!((judged.judgement, judged.wrong), (Judgement::Wrong, Some(kind)), "{expect} {after}");
    }
}

fn fields(value: &Value) -> Fields {
    value.as_object().unwrap().clone()
}

fn added(service: &str, wanted: Value, got: &Value) -> bool {
    let row = row("mixed", json!({service: {"added": [wanted]}}), json!({}));
    let kind = FieldChange::Added(fields(got));
    fits(&row.expect[0], &Happened { service: service.to_owned(), kind, is_by_the_way: false })
}

#[test]
fn values_are_compared_by_what_they_mean() {
    let task = json!({"title": "Call the vet", "deadline": "2026-03-13T15:00", "repeat": "FREQ=WEEKLY;BYHOUR=15"});
    for (wanted, is_same) in [
        (json!({"title": "the call  the VET."}), true),
        (json!({"title": {"any": ["Ring the vet", "Call the vet"]}}), true),
        (json!({"title": {"has": ["vet", "call"]}}), true),
        (json!({"title": {"has": ["vet", "dog"]}}), false),
        (json!({"title": "Call vet"}), false),
        (json!({"title": "Call the vet", "deadline": "2026-03-13"}), true),
        (json!({"title": "Call the vet", "deadline": "2026-03-13T15:00"}), true),
        (json!({"title": "Call the vet", "deadline": "2026-03-13T03:00"}), false),
        (json!({"title": "Call the vet", "repeat": "FREQ=WEEKLY;BYDAY=FR"}), true),
        (json!({"title": "Call the vet", "repeat": "FREQ=WEEKLY;BYDAY=MO"}), false),
        (json!({"title": "Call the vet", "repeat": null}), false),
        (json!({"title": "Call the vet", "done": false, "description": null}), true),
        (json!({"title": "Call the vet", "priority": "high"}), false),
    ] {
        assert_eq!(added("task", wanted.clone(), &task), is_same, "{wanted}");
    }
    let list = json!({"title": "Groceries", "items": ["Milk", "Eggs"]});
    assert!(added("keep", json!({"title": "groceries", "items": ["eggs", {"any": ["Milk", "Oat milk"]}]}), &list));
    assert!(!added("keep", json!({"title": "groceries", "items": ["Eggs"]}), &list));
    let event = json!({"summary": "Lunch", "start": "2026-03-13T12:00", "attendees": ["Bob <bob@example.com>"]});
    assert!(added("calendar", json!({"summary": "lunch", "attendees": ["bob@example.com"]}), &event));
    assert!(!added("calendar", json!({"summary": "lunch", "attendees": []}), &event));
    let trip = json!({"summary": "Trip", "start": "2026-03-13", "end": ["2026-03-15", "2026-03-16"]});
    assert!(added("calendar", json!({"summary": "Trip", "end": "2026-03-15"}), &trip));
    assert!(!added("calendar", json!({"summary": "Trip", "start": "2026-03-13T09:00"}), &trip));
    let twice = "FREQ=DAILY;BYDAY=TU,MO";
    let one = json!({"title": "x", "repeat": twice});
    assert!(added("task", json!({"title": "x", "repeat": "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU"}), &one));
    assert_eq!(folded("  My “Milk”…"), "\"milk\"");
}

#[test]
fn a_change_is_whole_and_brings_along_what_follows_from_it() {
    let before = json!({"title": "Bins", "deadline": "2026-03-12T07:00", "repeat": "FREQ=WEEKLY", "done": false});
    let change = |service: &str, wanted: Value, before: &Value, after: &Value| {
        let row = row("mixed", json!({service: {"changed": [wanted]}}), json!({}));
        let (before, after) = (json!({service: {"1": before}}), json!({service: {"1": after}}));
        let happened = between(&things(&before), &things(&after));
        happened.len() == 1 && fits(&row.expect[0], &happened[0])
    };
    let moved = json!({"title": "Bins", "deadline": "2026-03-13T07:00", "repeat": "FREQ=WEEKLY", "done": false});
    assert!(change("task", json!({"title": "Bins", "deadline": "2026-03-13"}), &before, &moved));
    let more = json!({"title": "Bins", "deadline": "2026-03-13T07:00", "done": false, "priority": "high"});
    assert!(!change("task", json!({"title": "Bins", "deadline": "2026-03-13"}), &before, &more));
    let named = json!({"title": "Recycling", "deadline": "2026-03-12T07:00", "repeat": "FREQ=WEEKLY", "done": false});
    assert!(change("task", json!({"title": "Recycling"}), &before, &named));
    assert!(!change("task", json!({"title": "Bins"}), &before, &named));
    // One time of it was done; the next one is to do.
    let done = json!({"title": "Bins", "deadline": "2026-03-19T07:00", "repeat": "FREQ=WEEKLY", "done": false,
        "last_done": "2026-03-11T09:00:00Z"});
    assert!(change("task", json!({"title": "Bins", "done": true}), &before, &done));
    let event = json!({"summary": "Lunch", "start": "2026-03-13T12:00", "end": "2026-03-13T13:00"});
    let later = json!({"summary": "Lunch", "start": "2026-03-13T13:00", "end": "2026-03-13T14:00"});
    assert!(change("calendar", json!({"summary": "Lunch", "start": "2026-03-13T13:00"}), &event, &later));
    assert!(!change("calendar", json!({"summary": "Lunch", "end": "2026-03-13T14:00"}), &event, &later));
}

#[test]
fn what_was_made_anew_as_it_was_and_a_draft_that_went_out_are_nobodys_surprise() {
    let note = json!({"title": "Door", "text": "1"});
    assert_eq!(between(&things(&json!({"keep": {"1": note}})), &things(&json!({"keep": {"2": note}}))), []);
    let mail =
        |folder: &str| json!({"subject": "Late", "to": ["Bob <bob@example.com>"], "body": "x", "folder": folder});
    let before = json!({"email": {"d": mail("drafts")}});
    let row = row("email", json!({"sent": [{"to": ["bob@example.com"], "subject": "late"}]}), json!({}));
    let sent = outcome(&before, &json!({"email": {"s": mail("sent")}}), vec![told(Answered, "Sent.")]);
    assert_eq!(judge(&row, &sent).judgement, Right);
}

#[test]
fn a_row_that_is_none_is_said_to_be_none() {
    let fine = json!({"name": "x", "area": "task", "now": "2026-03-11T09:00:00Z", "tz": "UTC", "say": ["x"]});
    assert!(Scenario::parse(&fine.to_string()).is_ok());
    for (field, bad) in [
        ("area", json!("weather")),
        ("now", json!("2026-03-11")),
        ("tz", json!("Mars")),
        ("say", json!([])),
        ("say", json!([{"press": "maybe"}])),
        ("start", json!({"task": [{"title": "x", "colour": "red"}]})),
        ("start", json!({"task": [{"title": "x", "deadline": "soon"}]})),
        ("expect", json!({"weather": {}})),
        ("expect", json!({"task": {"moved": []}})),
        ("expect", json!({"task": {"added": [{"name": "x"}]}})),
        ("expect", json!({"sent": [{"cc": "x"}]})),
        ("mood", json!("fine")),
    ] {
        let mut row = fine.clone();
        row[field] = bad;
        assert!(Scenario::parse(&row.to_string()).is_err(), "{row}");
    }
    let mut both = fine;
    both["asks"] = json!(true);
    both["expect"] = json!({"task": {"added": [{"title": "x"}]}});
    assert!(Scenario::parse(&both.to_string()).is_err());
}

/// The whole way: a file, worlds, cards and presses, figures.
#[tokio::test]
async fn rows_are_played_by_the_program_itself() {
    let rows = [
        json!({"name": "add", "area": "task", "say": ["remind me to call mom tomorrow at 5pm"],
            "expect": {"task": {"added": [{"title": "Call mom", "deadline": "2026-03-12T17:00"}]}}}),
        json!({"name": "list", "area": "notes", "say": ["add milk to the shopping list"],
            "start": {"keep": [{"title": "Shopping list", "items": ["Eggs"]}]},
            "expect": {"keep": {"changed": [{"title": "Shopping list", "items": ["Eggs", "Milk"]}]}}}),
        json!({"name": "mail", "area": "email",
            "say": ["send an email to bob@example.com saying I'm running late", {"press": "approve"}],
            "expect": {"sent": [{"to": ["bob@example.com"], "body": {"has": ["running late"]}}]}}),
        json!({"name": "waits", "area": "email",
            "say": ["send an email to bob@example.com saying I'm running late"],
            "expect": {"sent": [{"to": ["bob@example.com"], "body": {"has": ["running late"]}}]}}),
        json!({"name": "hello", "area": "chat", "say": ["hi, how are you?"]}),
        json!({"name": "other", "area": "task", "say": ["remind me to call mom tomorrow at 5pm"],
            "expect": {"task": {"added": [{"title": "Call dad"}]}}}),
        json!({"name": "in vain", "area": "conversation", "say": ["hi", {"press": "cancel"}]}),
        json!({"name": "offered", "area": "task", "say": ["please descale the kettle"],
            "expect": {"task": {"added": [{"title": "Descale the kettle"}]}}}),
        json!({"name": "offered in vain", "area": "outside", "say": ["please descale the kettle"]}),
        json!({"name": "offered and passed by", "area": "task", "say": ["please descale the kettle", "hi!"],
            "expect": {"task": {"added": [{"title": "Descale the kettle"}]}}}),
    ];
    let line = |row: &Value| {
        let mut row = row.clone();
        row["now"] = json!("2026-03-11T09:00:00Z");
        row["tz"] = json!("Europe/London");
        format!("{row}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, rows.iter().map(line).collect::<String>()).unwrap();
    let config = Config::parse(Vec::new(), Vec::new()).unwrap();
    let report = super::measure(&file, None, super::Who::BuiltIn, &config).await.unwrap();
    let misses: BTreeMap<&str, &str> = report
        .errors
        .iter()
        .map(|miss| (miss.aside.as_ref().unwrap().name.as_str(), miss.got.split(':').next().unwrap()))
        .collect();
    let wanted = [
        ("waits", "question"),
        ("other", "wrong"),
        ("in vain", "nothing"),
        ("offered", "proposed"),
        ("offered in vain", "question"),
        ("offered and passed by", "question"),
    ];
    assert_eq!(misses, BTreeMap::from(wanted), "{:#?}", report.errors);
    assert_eq!((report.total, report.correct, report.verdicts["right"]), (10, 4, 4));
    assert_eq!((report.proposed_wrongly, report.wrong["invented"]), (Some(1), 1));
    assert_eq!(report.confusion["email"]["right"], 1);
}
