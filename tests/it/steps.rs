//! Planning in steps: what a message is and which commands it asks for is chosen from its own words, then each command's
//! parameters are filled in, side by side, from what the message can ground.

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::core::turn::Path;
use brain_agent::ports::{AnswerSchema, Call, Planning, Stage, Table};
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action};

fn rig() -> Rig {
    Rig::new(Setup { demo: true, grounds_plans: true, planning: Planning::Auto, model: true, ..Setup::default() })
}

fn properties(call: &Call) -> Value {
    call.schema.as_ref().expect("an answer of some shape").value()["properties"].clone()
}

fn names(properties: &Value) -> Vec<&str> {
    properties.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The commands that the last selection could choose from.
fn offered(rig: &Rig) -> Vec<String> {
    let call = rig.script.asked(Stage::Select).pop().expect("a selection");
    let items = &properties(&call)["commands"]["items"];
    let several = &items["properties"]["command"];
    let names = if several.is_object() { &several["enum"] } else { &items["enum"] };
    names.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_command_is_chosen_then_filled_in_from_what_was_said() {
    let rig = rig();
    rig.script.selects("order", json!(["task.create"]));
    rig.script.fills(json!({"title": "Ring the plumber", "deadline": "tomorrow at 6pm"}));
    let answer = rig.says("remind me to ring the plumber tomorrow at 6pm, lovely").await;
    assert_eq!(rig.script.stages()[..2], [Stage::Select, Stage::BuildParams], "two small calls, and no plan");
    assert_eq!(answer.succeeded(), ["task.create"], "{}", answer.text());
    let filled = properties(&rig.script.asked(Stage::BuildParams)[0]);
    assert_eq!(names(&filled), ["deadline", "title"], "no repetition, no priority, no description: {filled}");
    assert_eq!(filled["deadline"], json!({"enum": ["tomorrow at 6pm"]}), "times are the person's words");
}

#[tokio::test]
async fn an_endpoint_that_pays_for_each_new_schema_keeps_the_whole_one() {
    let planning = Planning::Auto;
    let rig =
        Rig::new(Setup { whole_schemas: Some(true), grounds_plans: true, planning, model: true, ..Setup::default() });
    rig.script.selects("order", json!(["task.create"]));
    rig.script.fills(json!({"title": "Ring the plumber", "deadline": "tomorrow at 6pm", "repeat": "daily"}));
    let person = rig.me();
    for text in ["could I be reminded to ring the plumber tomorrow at 6pm", "maybe ring the plumber tomorrow at 6pm"] {
        let answer = person.says(text).await;
        let kept = answer.done.outcomes.iter().find(|report| report.status == Status::Succeeded);
        assert!(kept.is_none_or(|report| !report.params.contains_key("repeat")), "{text}: {}", answer.text());
    }
    let asked = rig.script.asked(Stage::BuildParams);
    let schemas: Vec<&AnswerSchema> = asked.iter().filter_map(|call| call.schema.as_ref()).collect();
    assert!(schemas.len() >= 2 && schemas.windows(2).all(|two| two[0].number() == two[1].number()), "{schemas:?}");
    assert!(names(&properties(&asked[0])).contains(&"repeat"), "all of it is offered");
}

#[tokio::test]
async fn a_model_that_is_not_known_to_be_small_holds_a_conversation_with_whole_schemas() {
    let (planning, whole_schemas) = (Planning::Auto, None);
    let rig = Rig::new(Setup { grounds_plans: true, planning, whole_schemas, model: true, ..Setup::default() });
    rig.script.is_known_to_be_small(false);
    assert_eq!((rig.brain.planning(), rig.brain.offers_whole_schemas()), (Planning::Conversation, true));
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    let params = json!({"title": "Ring the plumber", "deadline": "tomorrow at 6pm"});
    rig.script.plans(json!({"actions": [action("task", "create", params)], "question": null, "open": null}));
    rig.me().says("could I be reminded to ring the plumber tomorrow at 6pm").await;
    assert_eq!(rig.script.stages(), [Stage::Route, Stage::Converse], "one call beside the router");
    rig.script.is_known_to_be_small(true);
    assert_eq!((rig.brain.planning(), rig.brain.offers_whole_schemas()), (Planning::Auto, false));
}

#[tokio::test]
async fn what_only_one_of_two_readers_takes_for_an_order_is_proposed() {
    let rig = rig();
    rig.script.selects("remark", json!(["task.create"]));
    rig.script.fills(json!({"title": "Ring the plumber"}));
    let person = rig.me();
    let answer = person.says("could someone see to it that I ring the plumber").await;
    assert_eq!(answer.succeeded(), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.button(Role::Offer).is_some(), "{}", answer.text());
    assert_eq!(person.says("yes").await.succeeded(), ["task.create"]);
}

#[tokio::test]
async fn another_command_than_the_words_ask_for_is_proposed() {
    let rig = rig();
    rig.script.selects("order", json!(["email.create_draft"]));
    rig.script.fills(json!({"to": ["Priya"], "subject": "Numbers", "body": "The numbers look fine to me."}));
    let answer = rig.says("pls get back to priya, numbers look fine to me").await;
    assert_eq!(rig.script.stages()[..2], [Stage::Select, Stage::BuildParams]);
    assert_eq!(answer.succeeded(), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.button(Role::Offer).is_some(), "{}", answer.text());
}

/// A question that nobody meant would be answered by the next message.
#[tokio::test]
async fn what_a_small_model_alone_takes_a_message_for_asks_for_nothing_more() {
    let rig = rig();
    rig.script.selects("order", json!(["calendar.create_event"]));
    rig.script.fills(json!({"summary": "75mg"}));
    let sum = rig.says("200mg in 5ml and i need 75mg thats how many ml then").await;
    assert!(!sum.text().contains("When is it?"), "{}", sum.text());
    assert_eq!((sum.path(), sum.button(Role::Offer)), (Path::Clarify, None), "{}", sum.text());
}

#[tokio::test]
async fn what_only_asks_can_choose_only_what_looks() {
    let rig = rig();
    rig.script.selects("order", json!(["task.complete"]));
    let answer = rig.says("is the thing for Priya through already?").await;
    let offered = offered(&rig);
    assert!(offered.contains(&"task.list".to_owned()) && offered.contains(&"investigate".to_owned()), "{offered:?}");
    let writes = ["task.complete", "task.create", "email.send_email", "keep.append", "calendar.create_event"];
    assert!(!writes.iter().any(|name| offered.contains(&(*name).to_owned())), "{offered:?}");
    assert!(answer.succeeded().iter().all(|name| !writes.contains(&name.as_str())), "{}", answer.text());
    assert!(rig.script.asked(Stage::BuildParams).is_empty(), "what was not offered is not filled in");
}

#[tokio::test]
async fn a_question_about_ones_own_things_is_never_answered_out_of_nothing() {
    let rig = rig();
    rig.script.selects("question", json!([]));
    rig.script.on(Stage::Chat, |_| json!("It is tomorrow."));
    let flight = rig.says("when's my flight").await;
    assert!(flight.text().contains("KA 412"), "{}", flight.text());
    let unknown = rig.says("what was my locker combination again?").await;
    assert!(!unknown.text().contains("tomorrow"), "{}", unknown.text());
    assert!(rig.script.asked(Stage::Chat).is_empty());
    let general = rig.says("how far is the moon from the earth?").await;
    assert_eq!(general.path(), Path::Chat, "what is about nobody's things is talk");
}

#[tokio::test]
async fn several_commands_are_filled_in_side_by_side() {
    let rig = rig();
    let ring = json!({"command": "task.create", "words": "ring the plumber"});
    let milk = json!({"command": "keep.append", "words": "oat milk to groceries"});
    rig.script.selects("order", json!([ring, milk]));
    rig.script.on(Stage::BuildParams, |call| match call.system.contains("keep.append") {
        true => json!({"find_by": "groceries", "text": "oat milk"}),
        false => json!({"title": "Ring the plumber"}),
    });
    let answer = rig.says("sort both out for me: the plumber wants ringing, and groceries lacks oat milk").await;
    assert_eq!(rig.script.asked(Stage::BuildParams).len(), 2);
    assert!(rig.script.asked(Stage::Plan).is_empty());
    let all = format!("{:?} {}", answer.succeeded(), answer.text());
    assert!(all.contains("Ring the plumber") || all.contains("ring the plumber"), "{all}");
    assert!(all.contains("oat milk"), "{all}");
}

#[tokio::test]
async fn what_depends_on_something_is_planned_whole() {
    let rig = rig();
    rig.script.selects("order", json!(["task.create"]));
    rig.plans(json!([action("task", "create", json!({"title": "Take the washing in"}))]));
    let answer = rig.says("if it rains this evening, see to it that I take the washing in").await;
    assert_eq!(rig.script.asked(Stage::Plan).len(), 1, "{:?}", rig.script.stages());
    assert_eq!(answer.succeeded(), Vec::<String>::new(), "{}", answer.text());
}

#[tokio::test]
async fn an_order_for_which_there_is_no_command_is_told_so_at_once() {
    let rig = rig();
    rig.script.selects("order", json!([]));
    let answer = rig.says("order me a large pepperoni off dominos").await;
    assert_eq!(rig.script.stages(), [Stage::Select]);
    assert_eq!(answer.succeeded(), Vec::<String>::new());
    assert_eq!(answer.path(), Path::Clarify, "{}", answer.text());
}

#[tokio::test]
async fn what_code_reads_exactly_and_a_model_takes_for_something_else_is_asked() {
    let rig = rig();
    rig.script.selects("order", json!(["calendar.create_event"]));
    rig.script.fills(json!({"summary": "Buy stamps", "start_time": "tomorrow at 6pm"}));
    let answer = rig.says("remind me to buy stamps tomorrow at 6pm").await;
    assert_eq!(answer.succeeded(), Vec::<String>::new(), "{}", answer.text());
    let labels: Vec<&str> = answer.shown[0].reply.buttons.iter().flatten().map(|button| button.text.as_str()).collect();
    assert_eq!(labels.len(), 3, "{labels:?}");
}

#[tokio::test]
async fn what_was_not_fetched_before_the_choice_is_fetched_after_it_and_an_id_counts_however_it_is_copied() {
    let rig = rig();
    rig.script.selects("order", json!(["task.update"]));
    rig.script.on(Stage::BuildParams, |call| {
        let line = call.user.lines().find(|line| line.contains("dentist")).unwrap_or("none").to_owned();
        json!({"find_by": format!("task [{line}]"), "changes": {"priority": "high"}})
    });
    let answer = rig.says("that dentist thing, it's got to be urgent from now on please").await;
    let call = &rig.script.asked(Stage::BuildParams)[0];
    let known = call.user.split("Known").nth(1).expect("what is known");
    let first = known.trim().lines().next().unwrap();
    assert!(first.contains("dentist"), "what the words fit comes first: {known}");
    assert!(!answer.text().contains("can't find"), "{}", answer.text());
    assert!(answer.text().contains("dentist"), "{}", answer.text());
}

#[tokio::test]
async fn a_full_request_is_no_answer_to_an_open_question_and_a_fragment_may_be_one() {
    for (text, may_answer) in
        [("and what is on tomorrow evening, anything at all?", false), ("hm, the usual place maybe", true)]
    {
        let rig = rig();
        rig.script.selects("order", json!(["calendar.create_event"]));
        rig.script.fills(json!({"summary": "Lunch with Sarah", "start_time": ""}));
        let person = rig.me();
        let asked = person.says("could you see to lunch with Sarah in the calendar").await;
        assert!(asked.text().contains('?'), "{}", asked.text());
        rig.script.selects("remark", json!([]));
        person.says(text).await;
        assert_eq!(rig.script.asked(Stage::Select).len(), 2, "{text}: {:?}", rig.script.stages());
        assert_eq!(offered(&rig).contains(&"answer".to_owned()), may_answer, "{text}");
    }
}

#[tokio::test]
async fn more_commands_than_one_list_may_hold_are_divided_by_services_first() {
    let rig = rig();
    let keep = rig.brain.services.now().find("keep").cloned().expect("notes");
    for number in 0..12 {
        let mut more = brain_agent::services::catalog::registry::Registration::clone(&keep);
        more.info.name = format!("extra{number}");
        rig.brain.services.register(more).expect("a free name");
    }
    rig.script.divides("order", json!(["keep"]));
    rig.script.chooses(&[("", "keep.append")]);
    rig.script.fills(json!({"find_by": "groceries", "text": "oat milk"}));
    let answer = rig.says("groceries lacks oat milk, sort that out for me").await;
    let stages = [Stage::SelectServices, Stage::SelectCommands, Stage::BuildParams];
    assert_eq!(rig.script.stages()[..3], stages, "{}", answer.text());
    let chosen = rig.script.asked(Stage::SelectCommands).pop().expect("a choice");
    let listed = format!("{}{}", chosen.system, chosen.user);
    assert!(listed.contains("keep.append: ") && !listed.contains("calendar."), "{listed}");
}

#[tokio::test]
async fn what_chooses_sees_the_persons_own_words_and_nothing_foreign() {
    let rig = rig();
    rig.script.selects("question", json!(["email.search"]));
    rig.script.fills(json!({"from": "Priya"}));
    let person = rig.me();
    person.says("which letters came in from Priya about the thing with the numbers?").await;
    person.says("and which ones from Tom, would you know?").await;
    for call in rig.script.asked(Stage::Select) {
        assert!(!call.user.contains("Q3 report") && !call.user.contains("visa"), "{}", call.user);
        assert!(!call.system.contains("Priya"), "{}", call.system);
    }
}

#[tokio::test]
async fn an_answer_that_goes_in_circles_is_cut_short_and_nothing_comes_of_it() {
    let rig = rig();
    rig.script.selects("order", json!(["task.create"]));
    rig.script.on(Stage::BuildParams, |call| {
        assert!(call.tokens_max < 200, "{}", call.tokens_max);
        json!("{\"title\": \"and on and on")
    });
    let answer = rig.says("could someone see to it that I ring the plumber").await;
    assert_eq!(rig.script.asked(Stage::BuildParams).len(), 2, "asked once more");
    assert_eq!(answer.succeeded(), Vec::<String>::new());
    assert!(answer.text().contains("another way"), "{}", answer.text());
}

#[tokio::test]
async fn another_thing_than_the_words_name_is_asked_about() {
    let rig = rig();
    let person = rig.me();
    for title in ["Renew the passport", "Renew the car insurance"] {
        rig.script.selects("order", json!(["task.create"]));
        rig.script.fills(json!({"title": title}));
        person.says(&format!("add a task: {title}")).await;
    }
    let tasks: Vec<Value> =
        rig.bodies(Table::Tasks).await.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let insurance = tasks.iter().find(|task| task["title"] == "Renew the car insurance").expect("made")["id"].clone();
    rig.script.selects("order", json!(["task.update"]));
    rig.script.fills(json!({"find_by": insurance, "changes": {"priority": "high"}}));
    let answer = person.says("make the task about the passport high priority, because it runs out").await;
    assert_eq!(answer.succeeded(), Vec::<String>::new(), "{} {:?} {}", answer.text(), rig.script.stages(), insurance);
    assert!(rig.script.stages().ends_with(&[Stage::Select, Stage::BuildParams]), "{:?}", rig.script.stages());
    assert!(answer.text().contains("Renew the passport or Renew the car insurance?"), "{}", answer.text());
}

/// A small model adds to what code has read; it does not override it.
#[tokio::test]
async fn what_code_reads_as_a_whole_stands_whatever_a_small_model_would_rather() {
    let rig = Rig::new(Setup {
        demo: true,
        grounds_plans: true,
        planning: Planning::Auto,
        skip_planner: true,
        ..Setup::default()
    });
    rig.script.selects("order", json!(["task.complete"]));
    rig.script.fills(json!({"find_by": "plumber"}));
    for (text, done) in [
        ("remind me to ring the plumber tomorrow at 6pm", "task.create"),
        ("tell jamie yes ill get ellie at quarter past 3", "email.create_draft"),
    ] {
        let answer = rig.says(text).await;
        assert_eq!(answer.succeeded(), [done], "{text}: {}", answer.text());
    }
    assert!(rig.script.stages().iter().all(|stage| *stage == Stage::Respond), "{:?}", rig.script.stages());
}

/// What no reader but a small model sees in a message stands by the words of it, all of them, or not at all.
#[tokio::test]
async fn a_small_models_own_words_are_not_offered() {
    for (text, command, params) in [
        (
            "swimming next week im away arent i. who takes her",
            "email.create_draft",
            json!({"to": ["Jamie Ortega"], "subject": "Swimming", "body": "I am away. Are you available to take her?"}),
        ),
        (
            "Hugo can't come. And his mum says she's coeliac, can you keep that in mind for the cake",
            "calendar.delete_event",
            json!({"find_by": "his mum says she's coeliac, can you keep that in mind for the cake"}),
        ),
        (
            "off to bed, leave me in peace till 3",
            "calendar.create_event",
            json!({"summary": "Rest", "start_time": "3"}),
        ),
    ] {
        let rig = rig();
        rig.script.selects("order", json!([command]));
        rig.script.fills(params);
        let answer = rig.says(text).await;
        assert_eq!((answer.succeeded(), answer.button(Role::Offer)), (Vec::new(), None), "{text}: {}", answer.text());
        assert!(answer.text().contains("nothing was done"), "{text}: {}", answer.text());
        assert!(rig.script.asked(Stage::Respond).is_empty(), "code says it: {:?}", rig.script.stages());
    }
}
