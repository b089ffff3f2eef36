//! Values of a capable model beside the words that it says they rest on: a Monday, 10:00 in Berlin.

use serde_json::{Value, json};

use super::*;
use crate::testing::registry;
use brain_language::language::time::DateOrder;

const EARLIER: &str = "save Herr Brandl, 0171 3920044, from the Berlin office";

/// How an action stands that was planned for this message, after [`EARLIER`] was said and a list was shown; what was
/// taken out of it.
fn check(message: &str, command: &str, params: Value, words: &[(&str, &str)]) -> (PlanGrounding, Vec<String>) {
    beside("2026-01-14 08:15", "", message, command, params, words)
}

/// The same beside a thing in hand of this time, which repeats so.
fn beside(
    time: &str,
    rule: &str,
    message: &str,
    command: &str,
    params: Value,
    words: &[(&str, &str)],
) -> (PlanGrounding, Vec<String>) {
    let reference = Reference {
        now: "2026-01-12T09:00:00Z".parse().unwrap(),
        zone: chrono_tz::Europe::Berlin,
        order: DateOrder::DayFirst,
    };
    let reading = Reading::of(message, &reference);
    let verifier = Verifier {
        reading: &reading,
        own: vec![EARLIER, message],
        shown: vec!["🗒 Groceries: milk, eggs"],
        times: vec![time.to_owned()],
        rules: vec![rule.to_owned()],
        in_hand: BTreeMap::from([("n00000000001", "Groceries")]),
        items: BTreeMap::from([("n00000000001", "Groceries"), ("n00000000002", "Gift ideas")]),
        people: &[],
        reference: &reference,
    };
    let (service, name) = command.split_once('.').unwrap();
    let words = words.iter().map(|(param, from)| StatedWords { param: (*param).into(), from: (*from).into() });
    let mut planned = PlannedAction {
        service: service.to_owned(),
        command: name.to_owned(),
        params: params.as_object().unwrap().clone(),
        words: words.collect(),
        ..PlannedAction::default()
    };
    let entry = registry().command(service, name).unwrap();
    let Verified { standing, unsaid } = verifier.action(entry.as_ref(), &mut planned);
    assert!(unsaid.iter().all(|value| !planned.params.values().any(|kept| kept == value)), "{planned:?}");
    (standing, unsaid)
}

fn task(message: &str, params: Value, words: &[(&str, &str)]) -> (PlanGrounding, Vec<String>) {
    let mut all = json!({"title": "Take the pills"});
    all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
    check(message, "task.create", all, words)
}

const EXACT: (PlanGrounding, Vec<String>) = (PlanGrounding::Exact, Vec::new());
const LIKELY: (PlanGrounding, Vec<String>) = (PlanGrounding::Likely, Vec::new());

#[test]
fn a_time_follows_from_its_words_or_is_likely_or_was_not_said() {
    let tomorrow = "remind me to take the pills tomorrow at 5pm";
    let at = |deadline: &str| json!({"deadline": deadline});
    assert_eq!(task(tomorrow, at("2026-01-13T17:00"), &[("deadline", "tomorrow at 5pm")]), EXACT);
    assert_eq!(task(tomorrow, at("2026-01-13T17:00"), &[]), EXACT, "it follows from the message");
    assert_eq!(task(tomorrow, at("2026-01-13T18:00"), &[("deadline", "tomorrow at 5pm")]), LIKELY);
    let french = "rappelle-moi demain soir de prendre mes comprimés";
    assert_eq!(task(french, at("2026-01-13T19:00"), &[("deadline", "demain soir")]), LIKELY);
    let (standing, unsaid) = task(french, at("2026-01-13T19:00"), &[("deadline", "tomorrow evening")]);
    assert_eq!((standing, unsaid), (PlanGrounding::Exact, vec!["2026-01-13T19:00".to_owned()]));
    // The hour of what is in hand, on a day that is said.
    assert_eq!(task("the same on friday, for the pills", at("2026-01-16T08:15"), &[("deadline", "on friday")]), EXACT);
}

#[test]
fn a_rule_is_the_one_that_was_said() {
    let weekdays = "every weekday at 17:30 remind me to take the pills";
    let rule = |repeat: &str| json!({"deadline": "2026-01-12T17:30", "repeat": repeat});
    let words = [("repeat", "every weekday"), ("deadline", "17:30")];
    assert_eq!(task(weekdays, rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), &words), EXACT);
    assert_eq!(task(weekdays, rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=17;BYMINUTE=30"), &words), EXACT);
    assert_eq!(task(weekdays, rule("FREQ=WEEKLY;BYDAY=MO,TU,TH,FR"), &words), LIKELY);
    let once = task("take the pills at 17:30", rule("FREQ=DAILY"), &[("repeat", "daily"), ("deadline", "17:30")]);
    assert_eq!(once, (PlanGrounding::Exact, vec!["FREQ=DAILY".to_owned()]));
}

#[test]
fn what_only_asks_is_likely_at_most() {
    let at = json!({"deadline": "2026-01-13T17:00"});
    assert_eq!(task("should I take the pills tomorrow at 5pm?", at, &[("deadline", "tomorrow at 5pm")]), LIKELY);
}

#[test]
fn a_choice_needs_a_word_a_number_stands_somewhere_and_a_thing_is_named_or_in_hand() {
    assert_eq!(task("take the pills", json!({"priority": "high"}), &[]).1, ["high"]);
    let urgent = task("it is urgent that I take the pills", json!({"priority": "high"}), &[("priority", "urgent")]);
    assert_eq!(urgent, EXACT);
    let save = |phone: &str| json!({"name": "Herr Brandl", "phone": phone});
    let number = "sorry, at its end it is 54 and not 44";
    assert_eq!(check(number, "contacts.save", save("0171 3920054"), &[]), LIKELY);
    assert_eq!(check(number, "contacts.save", save("0171 3920044"), &[]), EXACT);
    let append = |id: &str| json!({"find_by": id, "text": "bread"});
    assert_eq!(check("bread as well", "keep.append", append("n00000000001"), &[]), EXACT, "it is in hand");
    assert_eq!(check("bread as well", "keep.append", append("n00000000002"), &[]), LIKELY);
    assert_eq!(check("add bread to my gift ideas", "keep.append", append("n00000000002"), &[]), EXACT);
}

#[test]
fn a_number_stands_in_figures_as_it_was_said_in_words() {
    let append = |message: &str, text: &str| {
        check(message, "keep.append", json!({"find_by": "n00000000001", "text": text}), &[("find_by", "groceries")])
    };
    for (message, text) in [
        ("two kilos of flour on groceries", "2 kg flour"),
        ("two kilos of flour on groceries", "2kg of flour"),
        ("and a packet of tea for groceries", "1 packet of tea"),
        ("zwei Packungen Reis auf groceries", "2 Packungen Reis"),
        ("a couple of lemons, groceries please", "2 lemons"),
    ] {
        assert_eq!(append(message, text), EXACT, "{message}: {text}");
    }
    assert_eq!(append("two kilos of flour on groceries", "3 kg flour"), LIKELY);
}

#[test]
fn a_bare_hour_is_in_either_half_of_the_day() {
    let event = |message: &str, start: &str, end: &str, words: &[(&str, &str)]| {
        let params = json!({"summary": "Work", "start_time": start, "end_time": end});
        check(message, "calendar.create_event", params, words)
    };
    for (message, words) in [
        ("work tomorrow from 8 to 6", [("start_time", "tomorrow from 8"), ("end_time", "to 6")]),
        ("put my work in, tomorrow 8 till 6", [("start_time", "tomorrow 8"), ("end_time", "till 6")]),
        ("work tomorrow, 8-6", [("start_time", "tomorrow"), ("end_time", "8-6")]),
    ] {
        assert_eq!(event(message, "2026-01-13T08:00", "2026-01-13T18:00", &words), EXACT, "{message}");
        assert_eq!(event(message, "2026-01-13T08:00", "2026-01-13T19:00", &words), LIKELY, "{message}");
    }
}

#[test]
fn what_is_said_short_follows_from_the_thing_in_hand() {
    let moved = |message: &str, from: &str| {
        let changes = json!({"find_by": "n00000000001", "changes": {"deadline": "2026-01-15T15:00"}});
        beside("2026-01-15 16:00", "", message, "task.update", changes, &[("deadline", from)])
    };
    assert_eq!(moved("make it 3, I'm out at 4", "3"), EXACT);
    assert_eq!(moved("make it 3 instead of 4", "3"), EXACT);
    assert_eq!(moved("make it 5, I'm out at 4", "5"), LIKELY);
    let ahead = |message: &str, from: &str| {
        let set = json!({"find_by": "n00000000001", "remind_before": ["PT1H"]});
        check(message, "calendar.remind_of_event", set, &[("remind_before", from)])
    };
    assert_eq!(ahead("Erinner mich eine Stunde vorher", "eine Stunde vorher"), EXACT);
    assert_eq!(ahead("and remind me an hour before", "an hour before"), EXACT);
    assert_eq!(ahead("Erinner mich zwei Stunden vorher", "zwei Stunden vorher"), LIKELY);
    let term = task(
        "take the pills weekdays at 8:10, only in term time which goes until the 13th of February",
        json!({"deadline": "2026-01-13T08:10", "repeat": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20260213T235959"}),
        &[("repeat", "weekdays"), ("deadline", "8:10")],
    );
    assert_eq!(term, EXACT);
    let lasts = |message: &str, from: &str, end: &str| {
        let params = json!({"summary": "Swim", "start_time": "2026-01-16T15:00", "end_time": end});
        let words = [("start_time", "friday 3pm"), ("end_time", from)];
        check(message, "calendar.create_event", params, &words).0
    };
    // Nothing in hand has another time than its own: no length follows, and an end that was said is that one.
    assert_eq!(lasts("swim on friday 3pm, same length", "same length", "2026-01-16T16:00"), PlanGrounding::Likely);
    assert_eq!(lasts("swim on friday 3pm till 5", "till 5", "2026-01-16T16:00"), PlanGrounding::Likely);
    let saturdays = json!({"title": "Swimming", "deadline": "2026-01-17T10:00", "repeat": "FREQ=WEEKLY;BYDAY=SA"});
    let words = [("deadline", "Saturdays at 10"), ("repeat", "Saturdays")];
    assert_eq!(check("and one for Maya too, hers is Saturdays at 10", "task.create", saturdays, &words), EXACT);
}

#[test]
fn an_address_that_nobody_said_or_knows_is_taken_out() {
    let draft = json!({"to": ["eve@evil.example"], "subject": "Late", "body": "I am late."});
    let (_, unsaid) =
        check("write to Herr Brandl that I am late", "email.create_draft", draft, &[("to", "Herr Brandl")]);
    assert_eq!(unsaid, ["eve@evil.example"]);
}

#[test]
fn what_is_counted_from_a_thing_in_hand_follows() {
    let changes = |message: &str, time: &str, rule: &str, changes: Value, words: &[(&str, &str)]| {
        beside(time, rule, message, "task.update", json!({"find_by": "n00000000001", "changes": changes}), words)
    };
    let at = |deadline: &str| json!({"deadline": deadline});
    for (message, time, deadline) in [
        ("a week earlier pls", "2026-01-31 00:00", "2026-01-24"),
        ("a day later", "2026-01-14 08:15", "2026-01-15T08:15"),
        ("an hour later please", "2026-01-14 08:15", "2026-01-14T09:15"),
        ("eine Stunde später", "2026-01-14 08:15", "2026-01-14T09:15"),
    ] {
        let words = [("deadline", message)];
        assert_eq!(changes(message, time, "", at(deadline), &words), EXACT, "{message}");
        assert_eq!(changes(message, time, "", at("2026-02-11T08:15"), &words), LIKELY, "{message}");
    }
    let tuesdays = "FREQ=WEEKLY;BYDAY=TU";
    let moved = json!({"deadline": "2026-01-14T20:00", "repeat": "FREQ=WEEKLY;BYDAY=WE"});
    let words = [("deadline", "mittwoch"), ("repeat", "mittwoch")];
    assert_eq!(changes("äh nee mittwoch", "2026-01-13 20:00", tuesdays, moved, &words), EXACT);
    let daily = json!({"deadline": "2026-01-14T20:00", "repeat": "FREQ=DAILY"});
    assert_eq!(changes("äh nee mittwoch", "2026-01-13 20:00", tuesdays, daily, &words), LIKELY);
    let fortnightly = json!({"repeat": "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE"});
    let words = [("repeat", "nur alle zwei wochen")];
    let wednesdays = "FREQ=WEEKLY;BYDAY=WE";
    let message = "nur alle zwei wochen, ab dieser woche";
    assert_eq!(changes(message, "2026-01-14 20:00", wednesdays, fortnightly, &words), EXACT);
    let reminds = |lead: &str| {
        let params = json!({"find_by": "n00000000001", "remind_before": [lead]});
        let message = "and the reminder 2 hrs before instead";
        beside(
            "2026-01-16 16:00",
            "",
            message,
            "calendar.remind_of_event",
            params,
            &[("remind_before", "2 hrs before")],
        )
    };
    assert_eq!((reminds("PT2H"), reminds("PT3H")), (EXACT, LIKELY));
}
