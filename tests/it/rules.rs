//! Rules and corrections of one's own are kept as such, and obeyed by code where it can.

use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Console, Program, did, params_of, text_of};

fn says(console: &mut Console, text: &str) -> String {
    text_of(&console.say(text))
}

/// What came of a message that asks for one thing, which is named with its end: what it was to do.
fn does(console: &mut Console, text: &str, end: &str) -> Value {
    let lines = console.say(text);
    assert_eq!(did(&lines), [end], "{text}: {lines:#?}");
    params_of(&lines)
}

const KEPT: &str = "memory.store succeeded";
const DRAFTED: &str = "email.create_draft succeeded";
const BOB: &str = "bob.miller@example.com";
const PRIYA: &str = "priya.raman@example.com";

#[test]
fn a_copy_goes_to_whoever_always_gets_one() {
    let program = Program::new();
    let mut console = program.demo();
    assert_eq!(does(&mut console, "always cc Priya", KEPT)["category"], "rule");
    let draft = does(&mut console, "email Bob Miller that the boiler is fixed", DRAFTED);
    assert_eq!(draft["to"], json!([BOB, PRIYA]));
    let without = does(&mut console, "without Priya", DRAFTED);
    assert_eq!(without["to"], json!([BOB]));
    assert!(!without["body"].as_str().unwrap().contains("Priya"), "its greeting follows: {without}");
    let again = does(&mut console, "change the subject to Boiler", DRAFTED);
    assert_eq!((&again["subject"], &again["to"]), (&json!("Boiler"), &json!([BOB])));
    let own = does(&mut console, "email Priya that the report is late", DRAFTED);
    assert_eq!(own["to"], json!([PRIYA]), "not twice");
}

#[test]
fn what_is_to_be_asked_about_is_asked_about() {
    let program = Program::new();
    let mut console = program.demo();
    let kept = does(&mut console, "I don't do meetings before 9", KEPT);
    let early = console.say("add a meeting with Sarah tomorrow at 8am");
    assert_eq!(did(&early), ["calendar.create_event pending"]);
    assert!(text_of(&early).contains("you told me: “I don't do meetings before 9”"), "{early:#?}");
    console.say("no");
    does(&mut console, "add a meeting with Sarah tomorrow at 3pm", "calendar.create_event succeeded");

    does(&mut console, "never add tasks without asking", KEPT);
    does(&mut console, "add a task: buy stamps", "task.create pending");
    console.say("no");
    let later = does(&mut console, "no meetings before 8 please", KEPT);
    assert_eq!(later["key"], kept["key"], "a later rule of the kind replaces it");
    assert!(!says(&mut console, "add a meeting with Sarah tomorrow at 8:30am").contains("before 9"));
}

#[test]
fn what_code_cannot_see_to_is_said_to_be_only_remembered() {
    let program = Program::new();
    let mut console = program.demo();
    let kept = says(&mut console, "never schedule anything on Sundays");
    assert!(kept.contains("Remembered") && kept.contains("only remember"), "{kept}");
    for remark in ["never mind", "always nice to see you", "never been so tired in my life"] {
        assert_eq!(did(&console.say(remark)), [""; 0], "{remark}");
    }
}

#[test]
fn what_has_changed_replaces_what_was_known() {
    let program = Program::new();
    let mut console = program.demo();
    says(&mut console, "remember that my NAS is a Synology");
    let now = says(&mut console, "my NAS is a fnOS now");
    assert!(now.contains("fnOS"), "{now}");
    let known = says(&mut console, "what's my NAS?");
    assert!(known.contains("fnOS") && !known.contains("Synology"), "{known}");
    says(&mut console, "remember that I love coriander");
    says(&mut console, "I hate coriander now");
    let taste = says(&mut console, "what do you know about coriander?");
    assert!(taste.contains("hate") && !taste.contains("love"), "{taste}");
    assert_eq!(did(&console.say("my bike is green now")), [""; 0], "nothing was known of it");
}

#[test]
fn one_fact_in_many_words_is_one() {
    let program = Program::new();
    let mut console = program.demo();
    for said in [
        "remember I like window seats",
        "remember that I prefer window seats",
        "remember: window seat please",
        "remember my seat preference is window",
        "remember that I love window seats",
    ] {
        says(&mut console, said);
    }
    let known = says(&mut console, "what do you know about seats?");
    assert_eq!(known.lines().filter(|line| line.contains("eat")).count(), 1, "{known}");
}

#[test]
fn the_old_one_is_what_it_said_before() {
    let program = Program::new();
    let mut console = program.demo();
    says(&mut console, "remember that my address is 12 Harbour Street");
    let card = does(&mut console, "forget my old address", "memory.forget pending");
    assert_eq!(card["former_only"], true);
    console.say("yes");
    let known = says(&mut console, "what's my address?");
    assert!(known.contains("12 Harbour Street"), "{known}");
    let again = says(&mut console, "forget my old address");
    assert!(!again.contains("said before"), "there is none any more: {again}");
}

/// Whoever plans: a rule stands between the plan and what is done.
#[tokio::test]
async fn a_rule_holds_for_a_models_plan_and_for_nobody_elses_words() {
    let rig = Rig::new(Setup { demo: true, model: true, ..Setup::default() });
    let person = rig.me();
    assert_eq!(person.says("I don't do meetings before 9").await.did(), [KEPT]);
    rig.plans(json!([action(
        "calendar",
        "create_event",
        json!({"summary": "Standup", "start_time": "2026-01-14T08:00"})
    )]));
    let asked = person.says("please put the standup on Wednesday at 8").await;
    assert_eq!(asked.did(), ["calendar.create_event pending"], "{}", asked.text());
    // Somebody else's rules are theirs.
    let other = rig.as_user("eve");
    rig.plans(json!([action("calendar", "create_event", json!({"summary": "Run", "start_time": "2026-01-14T07:00"}))]));
    let run = other.says("please put a run on Wednesday at 7").await;
    assert_eq!(run.did(), ["calendar.create_event succeeded"], "{}", run.text());
}

/// What a model makes of words, its own or somebody's mail, is no rule before its person has said so.
#[tokio::test]
async fn a_rule_that_a_model_plans_needs_a_yes() {
    let rig = Rig::new(Setup { demo: true, model: true, ..Setup::default() });
    let person = rig.me();
    let fact = json!({"category": "travel", "key": "seat", "value": "an aisle seat"});
    rig.plans(json!([action("memory", "store", fact)]));
    assert!(!person.says("please keep this in mind for me").await.has_card());
    let rule = json!({"category": "Rule", "key": "copies", "value": "always cc Priya"});
    rig.plans(json!([action("memory", "store", rule)]));
    let asked = person.says("please keep that in mind as well").await;
    assert_eq!((asked.has_card(), asked.did()), (true, vec!["memory.store pending".to_owned()]), "{}", asked.text());
}
