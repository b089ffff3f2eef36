//! The whole of built-in understanding: the flow examples, conversations, the evaluation files, hostile input.

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) use crate::services::across::filling::BUILDERS;
use brain_core::core::history::PastAction;
use brain_core::core::plan::PlannedAction;
use brain_language::language::requests::annotated::AnnotatedText;
use brain_language::language::requests::grammar::Grammar;
use brain_language::language::requests::*;
use brain_language::language::routing::{Kind, route};
use brain_language::language::time;
use brain_language::language::time::DateOrder;
use brain_language::language::time::Reference;
use brain_language::language::work::Work;

/// A message that follows nothing, as the built-in services hear it.
pub(crate) fn alone<'a>(text: &'a str, reference: &'a Reference) -> ParseInput<'a> {
    ParseInput::new(text, reference, BUILDERS)
}

/// Monday 2026-01-12, 09:00.
pub(crate) fn monday() -> Reference {
    reference("2026-01-12T09:00:00Z", "UTC")
}

fn reference(now: &str, zone: &str) -> Reference {
    let now: DateTime<Utc> = now.parse().unwrap();
    Reference { now, zone: zone.parse().unwrap(), order: DateOrder::DayFirst }
}

/// What a message asks for in that grammar: the command of the best reading of all of it, and the words of each slot.
pub(crate) fn asked_in(grammar: Grammar, text: &str, reference: &Reference) -> Option<(String, Vec<(String, String)>)> {
    let heard = AnnotatedText::new(text, reference, grammar.lexicon);
    let found = matching::readings(grammar, &heard, 0..heard.tokens.len(), &Work::default()).into_iter().next()?;
    let words = |slot: &matching::Filler| heard.raw(slot.first, slot.last).to_owned();
    let slots = found.slots.iter().map(|slot| (slot.name.to_owned(), words(slot))).collect();
    Some((found.frame.command.to_owned(), slots))
}

fn planned(text: &str, history: &[Past]) -> Understood {
    plan(&ParseInput { history, ..alone(text, &monday()) }, &[])
}

/// `service.command {params}` for each action, one a line; a question as `? param: question`.
fn shown(understood: &Understood) -> String {
    let line = |a: &PlannedAction| format!("{}.{} {}", a.service, a.command, Value::Object(a.params.clone()));
    match understood {
        Understood::Plan { plan, .. } => plan.actions.iter().map(line).collect::<Vec<_>>().join("\n"),
        Understood::Partly { plan, unread, .. } => {
            let unread: Vec<&str> = unread.iter().map(|part| part.text.as_str()).collect();
            let known = plan.actions.iter().map(line).collect::<Vec<_>>().join("\n");
            format!("partly {unread:?} {known}")
        }
        Understood::Which { readings } => format!("which {readings:?}"),
        Understood::Ask { question, partial, param } => format!("? {param}: {question} {}", line(partial)),
        Understood::NotUnderstood { .. } | Understood::SmallTalk => "-".into(),
        Understood::TooMuch => "too much".into(),
    }
}

fn check(text: &str, history: &[Past], expected: &str) {
    assert_eq!(shown(&planned(text, history)), expected, "{text}");
}

/// A turn that made or touched one thing.
fn past(service: &str, command: &str, params: Value, id: &str, label: &str) -> Past {
    let Value::Object(params) = params else { panic!("params are an object") };
    let item = (!id.is_empty()).then(|| brain_core::core::history::ItemRef { id: id.into(), label: label.into() });
    let action = PastAction { service: service.into(), command: command.into(), params, item, ..PastAction::default() };
    Past { said: String::new(), actions: vec![action] }
}

pub(crate) fn meeting_with_sarah() -> Vec<Past> {
    let params = json!({"summary": "Meeting with Sarah", "start_time": "2026-01-13T15:00:00"});
    vec![past("calendar", "create_event", params, "ev7", "Meeting with Sarah")]
}

#[test]
fn the_flow_examples_are_planned() {
    check("Hey, how's it going?", &[], "-");
    check(
        "Remind me to call mom tomorrow at 5pm",
        &[],
        r#"task.create {"deadline":"tomorrow at 5pm","title":"Call mom"}"#,
    );
    check(
        "Send an email to the whole team about the project delay",
        &[],
        r#"email.send_email {"body":"Hi all,\n\nThis is about the project delay.\n","greets":"the whole team","subject":"Project delay","to":["the whole team"]}"#,
    );
    check(
        "Check my calendar for tomorrow and email Bob to tell him I'm running late",
        &[],
        "calendar.list_events {\"from\":\"tomorrow\"}\nemail.create_draft {\"body\":\"Hi Bob,\\n\\nI'm running late.\\n\",\"greets\":\"Bob\",\"subject\":\"I'm running late\",\"to\":[\"Bob\"]}",
    );
    check(
        "I have a meeting with Sarah at 3pm",
        &[],
        r#"calendar.create_event {"start_time":"at 3pm","summary":"Meeting with Sarah"}"#,
    );
    check("Actually, cancel it", &meeting_with_sarah(), r#"calendar.delete_event {"find_by":"ev7"}"#);
}

#[test]
fn the_most_recent_mail_of_somebody_is_an_order_and_no_subject() {
    for (text, expected) in [
        ("read my most recent email from Sara", r#"email.read_thread {"find_by":"latest mail from Sara"}"#),
        ("archive the most recent email from Sara", r#"email.mark {"as":"archived","find_by":"latest Sara"}"#),
        ("delete my most recent email from Sara", r#"email.delete_email {"find_by":"latest Sara"}"#),
        ("delete the last email from Sara", r#"email.delete_email {"find_by":"latest Sara"}"#),
    ] {
        check(text, &[], expected);
    }
}

#[test]
fn details_in_brackets_are_those_of_the_name_before_them() {
    check("save Rui (rui@example.org)", &[], r#"contacts.save {"email":"rui@example.org","name":"Rui"}"#);
    check("save Rui <rui@example.org>", &[], r#"contacts.save {"email":"rui@example.org","name":"Rui"}"#);
    check("delete Tom from my contacts", &[], r#"contacts.delete {"find_by":"Tom"}"#);
}

#[test]
fn several_times_of_one_reminder_are_all_kept_or_nothing_is() {
    check(
        "remind me to call mom tomorrow at 5 and at 6",
        &[],
        r#"task.create {"deadline":"tomorrow at 5","remind_at":["2026-01-13T18:00"],"title":"Call mom"}"#,
    );
    check(
        "remind me on friday at 3pm and on monday at 9am to water the plants",
        &[],
        r#"task.create {"deadline":"friday at 3pm","remind_at":["monday at 9am"],"title":"Water the plants"}"#,
    );
    check(
        "remind me a day before and an hour before my flight on friday at 3pm",
        &[],
        r#"task.create {"deadline":"friday at 3pm","remind_before":["P1D","PT1H"],"title":"Flight"}"#,
    );
}

#[test]
fn pronouns_and_ellipsis_mean_what_was_talked_about_last() {
    let meeting = meeting_with_sarah();
    let task = vec![past("task", "create", json!({"title": "Call mom"}), "t3", "Call mom")];
    let draft = json!({"to": ["Bob"], "subject": "Late", "body": "Hi Bob,\n\nI'm late.\n"});
    let draft = vec![past("email", "create_draft", draft, "d1", "Late")];
    let looked = vec![past("calendar", "list_events", json!({"from": "tomorrow"}), "", "")];
    let rows: [(&str, &[Past], &str); 14] = [
        ("cancel it", &meeting, r#"calendar.delete_event {"find_by":"ev7"}"#),
        ("delete that please", &task, r#"task.delete {"find_by":"t3"}"#),
        ("move that to 4", &meeting, r#"calendar.update_event {"changes":{"start_time":"4"},"find_by":"ev7"}"#),
        ("make it 5 instead", &meeting, r#"calendar.update_event {"changes":{"start_time":"at 5"},"find_by":"ev7"}"#),
        ("no, friday", &meeting, r#"calendar.update_event {"changes":{"start_time":"friday"},"find_by":"ev7"}"#),
        ("actually tomorrow at 6", &task, r#"task.update {"changes":{"deadline":"tomorrow at 6"},"find_by":"t3"}"#),
        ("push it to friday", &task, r#"task.update {"changes":{"deadline":"friday"},"find_by":"t3"}"#),
        ("make it high priority", &task, r#"task.update {"changes":{"priority":"high"},"find_by":"t3"}"#),
        ("mark it as done", &task, r#"task.complete {"find_by":"t3"}"#),
        (
            "and one with Tom at 4",
            &meeting,
            r#"calendar.create_event {"start_time":"2026-01-13 at 4","summary":"Meeting with Tom"}"#,
        ),
        ("send it", &draft, r#"email.send_email {"body":"Hi Bob,\n\nI'm late.\n","subject":"Late","to":["Bob"]}"#),
        ("what about friday?", &looked, r#"calendar.list_events {"from":"friday"}"#),
        (
            "email her that i'm late",
            &meeting,
            r#"email.create_draft {"body":"Hi Sarah,\n\nI'm late.\n","greets":"Sarah","subject":"I'm late","to":["Sarah"]}"#,
        ),
        ("cancel it", &[], "-"),
    ];
    for (text, history, expected) in rows {
        check(text, history, expected);
    }
}

#[test]
fn only_routed_domains_come_back() {
    let reference = monday();
    let hearing = alone("email Bob that I'm late", &reference);
    assert_eq!(plan(&hearing, &["calendar".into()]), Understood::NotUnderstood { nearest: Vec::new() });
    assert!(matches!(plan(&hearing, &["email".into()]), Understood::Plan { .. }));
}

#[test]
fn quoted_text_is_not_the_persons_command() {
    check("> remind me to call mom tomorrow", &[], "-");
    check("> cancel everything\nwhat's on my calendar tomorrow?", &[], r#"calendar.list_events {"from":"tomorrow"}"#);
}

/// The catalog table of the design: every parameter a plan may name.
const CATALOG: [(&str, &str); 35] = [
    ("task.create", "title description priority deadline repeat remind_before remind_at"),
    ("task.list", "status due_before"),
    ("task.update", "find_by changes"),
    ("task.complete", "find_by"),
    ("task.delete", "find_by"),
    ("calendar.list_events", "from to text with which whether"),
    ("calendar.find_free_time", "from to minutes"),
    ("calendar.create_event", "summary start_time end_time location attendees repeat remind_before"),
    ("calendar.update_event", "find_by changes scope"),
    ("calendar.delete_event", "find_by scope"),
    ("calendar.remind_of_event", "find_by remind_before"),
    ("email.search", "text from to subject since before unread"),
    ("email.read_thread", "find_by"),
    ("email.create_draft", "to subject body greets from"),
    ("email.send_email", "to subject body greets from"),
    ("email.reply_to_email", "find_by body greets from"),
    ("email.reply_all", "find_by body greets from"),
    ("email.forward_email", "find_by to body greets from"),
    ("email.answer_invitation", "find_by answer"),
    ("email.mark", "find_by as"),
    ("email.delete_email", "find_by"),
    ("memory.store", "category key value"),
    ("memory.update", "key new_value"),
    ("memory.recall", "query"),
    ("memory.forget", "find_by"),
    ("keep.create", "title text items"),
    ("keep.append", "find_by text"),
    ("keep.tick", "find_by items near"),
    ("keep.untick", "find_by items near or_add"),
    ("keep.remove", "find_by items near"),
    ("keep.list", ""),
    ("keep.search", "query"),
    ("keep.delete", "find_by"),
    ("contacts.find", "query"),
    ("contacts.save", "name email phone"),
];

fn assert_in_catalog(action: &PlannedAction, text: &str) {
    let name = format!("{}.{}", action.service, action.command);
    let (_, allowed) = CATALOG.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name} for {text:?}"));
    for (param, value) in &action.params {
        assert!(allowed.split(' ').any(|a| a == param), "{name}.{param} for {text:?}");
        assert!(!value.is_null() && value.as_str() != Some(""), "{name}.{param} is empty for {text:?}");
    }
}

#[test]
fn a_list_to_which_nothing_is_added_is_no_request() {
    for text in ["done the list : and", "put on the list: and"] {
        let added = actions(planned(text, &meeting_with_sarah()));
        assert!(added.iter().all(|action| action.command != "append"), "{text}: {added:?}");
    }
}

fn actions(understood: Understood) -> Vec<PlannedAction> {
    match understood {
        Understood::Plan { plan, .. } => plan.actions,
        Understood::Ask { partial, .. } => vec![partial],
        Understood::Which { .. }
        | Understood::Partly { .. }
        | Understood::NotUnderstood { .. }
        | Understood::SmallTalk
        | Understood::TooMuch => Vec::new(),
    }
}

/// Two requests, one of which lacks something: neither is lost, and what is missing is asked by who finds it so.
#[test]
fn a_request_that_lacks_something_takes_nothing_of_its_neighbours_along() {
    for text in [
        "Schedule a meeting with Sarah. Remind me to buy milk at 5pm.",
        "Remind me to buy milk at 5pm. Schedule a meeting with Sarah.",
        "remind me to buy milk at 5pm and email her that I'm late",
    ] {
        let planned = actions(planned(text, &[]));
        let services: Vec<&str> = planned.iter().map(|action| action.service.as_str()).collect();
        assert_eq!(services.len(), 2, "{text}: {planned:?}");
        let milk = planned.iter().find(|action| action.service == "task");
        assert!(milk.is_some_and(|milk| milk.params["title"] == "Buy milk"), "{text}: {planned:?}");
        let other = planned.iter().find(|action| action.service != "task").unwrap();
        assert!(!other.params.contains_key("start_time") && !other.params.contains_key("to"), "{text}: {other:?}");
    }
}

#[test]
fn of_two_requests_both_are_routed_and_neither_gets_words_of_the_other() {
    for (text, domains) in [
        ("save gregs number 0171 2345678 in my contacts and remind me tonight at 8 to call him", ["contacts", "task"]),
        ("make a note in keep that the boiler code is e119 and remind me at 5 to ring the engineer", ["keep", "task"]),
        ("read my unread emails and tell me what meetings i have tomorrow", ["email", "calendar"]),
    ] {
        let reference = monday();
        let hearing = alone(text, &reference);
        let mut routed = route(&hearing).domains;
        routed.sort();
        let mut wanted = domains.map(str::to_owned).to_vec();
        wanted.sort();
        assert_eq!(routed, wanted, "{text}");
        let planned = actions(plan(&hearing, &routed));
        assert_eq!(planned.len(), 2, "{text}: {planned:?}");
        assert!(
            !planned.iter().any(|action| action.params.get("phone") == Some(&json!("0171 2345678 8"))),
            "{planned:?}"
        );
    }
}

// ── Hostile input ──

#[test]
fn a_huge_message_is_bounded() {
    let long_word = "a".repeat(100_000);
    let many = "and remind me to call mom, ".repeat(4_000);
    let dots = ".".repeat(100_000);
    for text in [long_word.as_str(), many.as_str(), dots.as_str()] {
        let start = std::time::Instant::now();
        let understood = planned(text, &[]);
        route(&alone(text, &monday()));
        // How many are done at once is for the pipeline, which names those it leaves out.
        assert!(actions(understood).len() <= 14);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}

#[test]
fn emoji_and_noise_are_chat() {
    for text in ["🦖", "😂😂😂", "👍🏽", "", "   ", "?!?!", "\u{202E}\u{200B}", "𝕳𝖊𝖑𝖑𝖔", "￿", "٣٤٥"]
    {
        let guess = route(&alone(text, &monday()));
        assert!(guess.kind == Kind::Chat || guess.confidence < 0.6, "{text:?} {guess:?}");
        assert_eq!(shown(&planned(text, &[])), "-", "{text:?}");
        assert!(!chat(text).is_empty() && !not_understood(text).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_input_panics_and_plans_stay_in_the_catalog(text in "\\PC{0,200}") {
        let understood = planned(&text, &meeting_with_sarah());
        actions(understood).iter().for_each(|action| assert_in_catalog(action, &text));
        route(&alone(&text, &monday()));
        chat(&text);
    }

    #[test]
    fn words_of_requests_in_any_order_never_panic(words in proptest::collection::vec(prop_oneof![
        Just("remind"), Just("me"), Just("to"), Just("and"), Just("tomorrow"), Just("cancel"), Just("it"), Just("email"),
        Just("Bob"), Just("that"), Just(","), Just("."), Just("at 5"), Just("list"), Just("the"), Just("ß’s"), Just("meeting"),
        Just("with"), Just(":"), Just("\""), Just("not"), Just("done"), Just("add"), Just("number"), Just("high priority"),
    ], 0..14)) {
        let text = words.join(" ");
        let understood = planned(&text, &meeting_with_sarah());
        actions(understood).iter().for_each(|action| assert_in_catalog(action, &text));
    }

    #[test]
    fn politeness_and_case_change_nothing(index in 0usize..6, polite in 0usize..4) {
        let texts = [
            "remind me to call mom tomorrow at 5pm", "cancel the standup", "what's on my calendar tomorrow",
            "add milk to the shopping list", "mark the report as done", "show my notes",
        ];
        let plain = texts[index];
        let dressed = match polite {
            0 => format!("hey, could you please {plain}?"),
            1 => format!("{plain} please"),
            2 => format!("pls {plain}, thanks!"),
            _ => format!("{}{}", &plain[..1].to_uppercase(), &plain[1..]),
        };
        let names = |text: &str| actions(planned(text, &[])).iter().map(|a| format!("{}.{} {}", a.service, a.command, figures::fold(&Value::Object(a.params.clone()).to_string()))).collect::<Vec<_>>();
        prop_assert!(!names(plain).is_empty());
        prop_assert_eq!(names(plain), names(&dressed));
    }

    #[test]
    fn random_text_is_not_confidently_a_request(text in "[\\u{4e00}-\\u{4fff}\\u{ac00}-\\u{ad00}]{1,20}") {
        let guess = route(&alone(&text, &monday()));
        prop_assert!(guess.kind == Kind::Chat || guess.confidence < 0.7, "{:?}", guess);
    }
}
mod account;
mod antecedent;
mod bounds;
mod composition;
pub(crate) mod figures;
mod remarks;

#[test]
fn a_time_that_something_unsaid_tells_is_asked_for() {
    let asked = planned("remind me the night before to pack", &[]);
    let Understood::Ask { question, partial, param } = asked else { panic!() };
    assert_eq!((question.as_str(), param.as_str()), ("When exactly is that?", "deadline"));
    assert_eq!(partial.params["title"], "Pack");
}
