//! How clauses are meant.

use chrono::{TimeZone, Utc};

use super::*;
use crate::language::time::DateOrder;

fn reference() -> Reference {
    let now = Utc.with_ymd_and_hms(2026, 1, 12, 9, 0, 0).single().unwrap_or_default();
    Reference { now, zone: chrono_tz::Europe::Berlin, order: DateOrder::DayFirst }
}

fn moods(text: &str) -> Vec<Mood> {
    Reading::of(text, &reference()).clauses.into_iter().map(|clause| clause.mood).collect()
}

#[test]
fn orders_wishes_and_things_that_are_named_ask_for_something_to_be_done() {
    for text in [
        "remind me to call mom tomorrow at 5pm",
        "add oat milk n bananas to groceries",
        "can you move the dentist to Friday?",
        "could you please add milk",
        "please don't forget the milk",
        "don't let me forget to call Ann",
        "I need to buy milk",
        "i'd like a reminder at 5",
        "we need more coffee on the list",
        "descale the kettle",
        "dentist on Friday at 3",
        "gym every Tuesday and Thursday at 6pm",
        "milk, eggs and bread on the shopping list",
        "no, make it Friday",
        "check the oven is off at 6",
        "email Anna that the report is late",
        "remember that the gate code is 4471",
        "if it rains remind me to take the umbrella",
        "why don't you add it to my calendar",
        "wake me at 6:45 tomorrow",
        "could it be Monday instead?",
        "ok so then move lunch to noon",
        "add two phone calls to my list",
        "put the bins out",
        "call with Bob at 3 tomorrow",
        "shampoo for the dog on the list",
        "erinnere mich morgen an den Zahnarzt",
        "kannst du Milch auf die Liste setzen?",
        "ich muss morgen die Miete zahlen",
        "Milch und Eier kaufen",
        "vergiss nicht, Anna anzurufen",
    ] {
        assert!(moods(text).iter().any(|mood| mood.is_request()), "{text}: {:?}", moods(text));
    }
}

#[test]
fn a_no_before_what_is_meant_instead_denies_nothing_of_it() {
    for text in
        ["no wait, 3 of them", "no wait 3", "no, Friday", "no, it's 4713", "nope, the other one", "nein, Freitag"]
    {
        assert!(moods(text).iter().any(|mood| *mood != Mood::Negation), "{text}: {:?}", moods(text));
    }
    for text in ["no", "no more milk", "no, don't", "no, thanks", "not Friday"] {
        assert!(moods(text).iter().all(|mood| !mood.is_request()), "{text}: {:?}", moods(text));
    }
}

#[test]
fn a_question_asks_for_nothing_to_be_done() {
    for text in [
        "is the Q3 report done?",
        "did I call the dentist",
        "what do I still owe people this week",
        "when's my flight",
        "do I have anything on Friday?",
        "dentist on Friday?",
        "can you tell me what I have tomorrow?",
        "tell me who is coming to dinner",
        "remind me what Sarah said about the van",
        "has Bob answered?",
        "who's bringing the cake",
        "any mails from the hotel?",
        "was the rent paid?",
        "will Tom be at the meeting on Friday?",
        "shall we put jam on the list?",
        "Sarah is coming on Friday, right?",
        "I wonder if the shop is open at 9",
        "habe ich morgen was vor?",
        "wann ist der Zahnarzt?",
        "ist die Miete bezahlt",
    ] {
        assert!(moods(text).iter().all(|mood| *mood == Mood::Question), "{text}: {:?}", moods(text));
    }
}

#[test]
fn what_tells_or_denies_asks_for_nothing_to_be_done() {
    for text in [
        "the dentist called",
        "butter is already on the list",
        "no lunch with Sarah on Friday at noon",
        "I had lunch with Sarah, she loves sushi",
        "parcel pickup is urgent now",
        "Tom says the meeting moved to 3",
        "ugh what a day",
        "don't add milk",
        "never call me before 9",
        "dentist moved to 4",
        "Sarah emailed me about the van",
        "I'm meeting Sarah on Friday at noon",
        "the plumber was here at 8 and left at 9",
        "it rained all day",
        "my boss wants the report by Friday",
        "order arrived yesterday",
        "I paid the rent",
        "got the eggs",
        "not today",
        "we won't need the hall on Monday",
        "I can't make it on Friday",
        "everybody loved the cake",
        "der Zahnarzt hat angerufen",
        "kein Mittagessen mit Sarah am Freitag",
        "die Butter steht schon auf der Liste",
        "Tom sagt, das Treffen ist um 3",
    ] {
        assert!(!moods(text).iter().any(|mood| mood.is_request()), "{text}: {:?}", moods(text));
    }
}

#[test]
fn a_message_of_several_clauses_has_the_mood_of_each() {
    use Mood::*;
    for (text, expected) in [
        ("the dentist called. add milk to the list", vec![Statement, Order]),
        ("is the report done? if not, remind me at 5", vec![Question, Condition, Order]),
        ("tell Bob I'm late and she should start", vec![Order, Statement]),
        ("Dentist is on Friday at 3, put that in my calendar", vec![Statement, Order]),
        ("I'm tired, remind me tomorrow", vec![Statement, Order]),
        ("not Tuesday, move it to Wednesday", vec![Negation, Order]),
        ("add milk, eggs and butter, and call mum at 5", vec![Order]),
        ("note \"is this done? no.\" in ideas", vec![Order]),
    ] {
        assert_eq!(moods(text), expected, "{text}");
    }
}

#[test]
fn clauses_cover_the_text_and_name_its_times() {
    let reading = Reading::of("Is lunch at noon? Move it to 2pm, \"at 5\".", &reference());
    let spans: Vec<Range<usize>> = reading.clauses.iter().map(|clause| clause.span.clone()).collect();
    assert_eq!(spans.first().map(|span| span.start), Some(0));
    assert_eq!(spans.last().map(|span| span.end), Some(reading.text.len()));
    assert!(spans.windows(2).all(|pair| pair[0].end == pair[1].start), "{spans:?}");
    assert_eq!(reading.mentions.len(), 2, "{:?}", reading.mentions);
    for text in ["", "?", "...", "\n\n", "\"", "“”"] {
        assert!(Reading::of(text, &reference()).clauses.len() <= 1, "{text}");
    }
}

#[test]
fn what_an_order_hands_over_is_known_by_its_colon_or_conjunction() {
    let handed = |text: &str| -> Vec<String> {
        let read = Reading::of(text, &reference());
        read.payloads.iter().map(|payload| read.text[payload.span.clone()].trim().to_owned()).collect()
    };
    for (text, payload) in [
        ("note: gate code at Quay Street is 2290", "gate code at Quay Street is 2290"),
        ("add a task: the bin is full", "the bin is full"),
        ("could you add a task: is this right?", "is this right?"),
        ("task: don't forget the keys", "don't forget the keys"),
        ("text to keep: is this right?", "is this right?"),
        ("remember that I don't like fish", "I don't like fish"),
        ("make a note that Anna isn't coming", "Anna isn't coming"),
        ("schreib auf: der Müll kommt", "der Müll kommt"),
        ("merk dir, dass ich keinen Fisch mag", "ich keinen Fisch mag"),
        ("note:\nthe code is 4711\nthe bins are out\n\ncall Anna", "the code is 4711\nthe bins are out"),
    ] {
        assert_eq!(handed(text), [payload], "{text}");
    }
    for text in [
        "Anna said: add a task",
        "update: the meeting was moved to 5",
        "question: is the rent paid?",
        "don't make a note: the code is 4711",
        "delete that mail, Anna has answered",
        "is this a note: yes",
        "call at 5:30",
        "the plan: Anna comes at five",
        "note \"a: b\"",
    ] {
        assert_eq!(handed(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_denial_with_another_time_behind_a_mark_asks_for_that_time() {
    for text in
        ["no, 6pm", "not 5pm, 6pm", "no - tomorrow at 6", "nein, 18 Uhr", "nicht 17 Uhr, 18 Uhr", "No, on Friday!"]
    {
        assert_eq!(moods(text), [Mood::Fragment], "{text}");
    }
    for text in
        ["not 5pm", "no 6pm", "no, not at 6pm, thanks for the lunch", "no lunch on Friday, not at 6", "not today"]
    {
        assert!(!moods(text).iter().any(|mood| mood.is_request()), "{text}: {:?}", moods(text));
    }
}
