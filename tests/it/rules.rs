//! Rules and corrections of one's own are kept as such, and obeyed by code where it can.

use brain_agent::core::outcome::Status;
use serde_json::json;

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Console, Program, text_of};

fn says(console: &mut Console, text: &str) -> String {
    text_of(&console.say(text))
}

#[test]
fn a_copy_goes_to_whoever_always_gets_one() {
    let program = Program::new();
    let mut console = program.demo();
    let kept = says(&mut console, "always cc Priya");
    assert!(kept.contains("Remembered") && kept.contains("Priya on every mail"), "{kept}");
    let draft = says(&mut console, "email Bob Miller that the boiler is fixed");
    assert!(draft.contains("“Bob Miller”") && draft.contains("“Priya Raman”"), "{draft}");
    let without = says(&mut console, "without Priya");
    assert!(without.contains("“Bob Miller”") && !without.contains("Priya"), "its greeting follows: {without}");
    let again = says(&mut console, "change the subject to Boiler");
    assert!(again.contains("Subject: Boiler") && !again.contains("Priya"), "{again}");
    let own = says(&mut console, "email Priya that the report is late");
    assert_eq!(own.matches("Priya Raman").count(), 1, "not twice: {own}");
}

#[test]
fn what_is_to_be_asked_about_is_asked_about() {
    let program = Program::new();
    let mut console = program.demo();
    let kept = says(&mut console, "I don't do meetings before 9");
    assert!(kept.contains("Remembered") && kept.contains("before 09:00"), "{kept}");
    let early = says(&mut console, "add a meeting with Sarah tomorrow at 8am");
    assert!(
        early.contains("Reply yes or no") && early.contains("you told me: “I don't do meetings before 9”"),
        "{early}"
    );
    says(&mut console, "no");
    let fine = says(&mut console, "add a meeting with Sarah tomorrow at 3pm");
    assert!(!fine.contains("Reply yes or no"), "{fine}");

    let asks = says(&mut console, "never add tasks without asking");
    assert!(asks.contains("From now on I ask"), "{asks}");
    let task = says(&mut console, "add a task: buy stamps");
    assert!(task.contains("Reply yes or no") && task.contains("you told me"), "{task}");
    says(&mut console, "no");
    let later = says(&mut console, "no meetings before 8 please");
    assert!(
        later.contains("instead of “I don't do meetings before 9”"),
        "a later rule of the kind replaces it: {later}"
    );
}

#[test]
fn what_code_cannot_see_to_is_said_to_be_only_remembered() {
    let program = Program::new();
    let mut console = program.demo();
    let kept = says(&mut console, "never schedule anything on Sundays");
    assert!(kept.contains("Remembered") && kept.contains("only remember"), "{kept}");
    for remark in ["never mind", "always nice to see you", "never been so tired in my life"] {
        let told = says(&mut console, remark);
        assert!(!told.contains("Remembered"), "{remark}: {told}");
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
    let nothing = says(&mut console, "my bike is green now");
    assert!(!nothing.contains("Remembered") && !nothing.contains("Changed"), "nothing was known of it: {nothing}");
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
    let card = says(&mut console, "forget my old address");
    assert!(card.contains("said before") && card.contains("12 Harbour Street"), "{card}");
    says(&mut console, "yes");
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
    let kept = person.says("I don't do meetings before 9").await;
    assert!(kept.text().contains("Remembered"), "{}", kept.text());
    rig.plans(json!([action(
        "calendar",
        "create_event",
        json!({"summary": "Standup", "start_time": "2026-01-14T08:00"})
    )]));
    let asked = person.says("please put the standup on Wednesday at 8").await;
    assert!(asked.has_card() && asked.text().contains("you told me"), "{}", asked.text());
    // Somebody else's rules are theirs.
    let other = rig.as_user("eve");
    rig.plans(json!([action("calendar", "create_event", json!({"summary": "Run", "start_time": "2026-01-14T07:00"}))]));
    let run = other.says("please put a run on Wednesday at 7").await;
    let done = run.done.outcomes.iter().filter(|report| report.status == Status::Succeeded).count();
    assert_eq!(done, 1, "{}", run.text());
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
    assert!(asked.has_card() && asked.text().contains("I go by this from now on"), "{}", asked.text());
}
