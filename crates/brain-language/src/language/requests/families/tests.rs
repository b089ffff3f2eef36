//! Questions of families as tables.

use super::*;
use crate::language::testing::{alone, monday};

#[test]
fn the_texts_of_the_frames_hold_no_mistake() {
    ready();
}

type Read = (QuestionFamily, Option<String>, Option<String>, Option<String>);

fn read(text: &str) -> Option<Read> {
    question(&alone(text, &monday()), &Work::default()).map(|q| (q.family, q.who, q.topic, q.when))
}

/// A question, its family, and its slots: who, topic, when.
type Row = (&'static str, QuestionFamily, &'static str, &'static str, &'static str);

fn check(rows: &[Row]) {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let mut wrong = Vec::new();
    for (text, family, who, topic, when) in rows {
        let (found, wanted) = (read(text), Some((*family, some(who), some(topic), some(when))));
        if found != wanted {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn questions_of_a_family_are_told_with_their_slots() {
    use QuestionFamily as F;
    check(&[
        ("what mails am I blocking people on?", F::WaitingOnMe, "", "", ""),
        ("who's waiting for a reply from me?", F::WaitingOnMe, "", "", ""),
        ("Who is still waiting on me", F::WaitingOnMe, "", "", ""),
        ("which emails need a reply", F::WaitingOnMe, "", "", ""),
        ("do I owe anyone an answer?", F::WaitingOnMe, "", "", ""),
        ("wer wartet auf mich?", F::WaitingOnMe, "", "", ""),
        ("whose answer am I waiting for?", F::WaitingOnOthers, "", "", ""),
        ("who hasn't replied to me yet", F::WaitingOnOthers, "", "", ""),
        ("who owes me an answer?", F::WaitingOnOthers, "", "", ""),
        ("what am I waiting for", F::WaitingOnOthers, "", "", ""),
        ("what did Anna promise me?", F::PromisedToMe, "Anna", "", ""),
        ("what did I promise Priya", F::PromisedByMe, "Priya", "", ""),
        ("what have I promised people?", F::PromisedByMe, "", "", ""),
        ("everything about the Berlin trip", F::About, "", "Berlin", ""),
        ("find everything about the office move", F::About, "", "office move", ""),
        ("what's still open with the Berlin trip?", F::About, "", "Berlin", ""),
        ("what needs me today?", F::NeedsMe, "", "", "today"),
        ("what needs my attention this week", F::NeedsMe, "", "", "this week"),
        ("prepare me for the call with Northwind", F::Prepare, "", "call with Northwind", ""),
        ("prep me for my meeting with Sarah tomorrow", F::Prepare, "", "meeting with Sarah", "tomorrow"),
        ("who do I write with most?", F::WritesMost, "", "", ""),
        ("who do I meet most often this month", F::MeetsMost, "", "", "this month"),
        ("find the invoice from Inkwell", F::FindInvoice, "", "Inkwell", ""),
        ("where is the flight booking?", F::FindBooking, "", "flight", ""),
        ("how much was the hotel deposit?", F::FindAmount, "", "hotel deposit", ""),
        ("does Karim need my signature?", F::WaitingOnMe, "Karim", "", ""),
        ("which replies cannot wait until Friday?", F::WaitingOnMe, "", "", "until Friday"),
        ("is anyone at the school waiting for me?", F::WaitingOnMe, "school", "", ""),
        ("Am I keeping anyone in the orchestra waiting?", F::WaitingOnMe, "orchestra", "", ""),
        ("has the plumber written back to me?", F::WaitingOnOthers, "plumber", "", ""),
        ("has Lena sent the photos yet?", F::WaitingOnOthers, "Lena", "photos", ""),
        ("what is Omar supposed to give me?", F::WaitingOnOthers, "Omar", "", ""),
        ("am I waiting for the catering people?", F::WaitingOnOthers, "catering", "", ""),
        ("when did Lena say I'd get the photos?", F::PromisedToMe, "Lena", "photos", ""),
        ("which promises to me are due tomorrow?", F::PromisedToMe, "", "", "tomorrow"),
        ("what did I promise for the summer party?", F::PromisedByMe, "", "summer party", ""),
        ("which of my promises are overdue?", F::PromisedByMe, "", "", ""),
        ("which points on the wedding are still open?", F::About, "", "wedding", ""),
        ("what's going on with the roof?", F::About, "", "roof", ""),
        ("everything about the old boat", F::About, "", "boat", ""),
        ("what is there to do tomorrow?", F::NeedsMe, "", "", "tomorrow"),
        ("everything that needs me on Friday", F::NeedsMe, "", "", "on Friday"),
        ("Worum soll ich mich morgen kümmern?", F::NeedsMe, "", "", "morgen"),
        ("what should I take to the parents meeting?", F::Prepare, "", "parents meeting", ""),
        ("what do I need for tomorrow's meeting with Lena?", F::Prepare, "", "meeting with Lena", "tomorrow"),
        ("who wrote to me last week and is still waiting for a reply?", F::Unanswered, "", "", "last week"),
        ("who wrote since Monday and got no answer?", F::Unanswered, "", "", "since Monday"),
        ("Wem habe ich diese Woche noch nicht geantwortet?", F::Unanswered, "", "", "diese Woche"),
        ("which platform did we book for Leeds?", F::FindBooking, "", "Leeds", ""),
        ("find the map Omar sent me", F::FindAttachment, "", "map Omar", ""),
        ("what does the gardener charge?", F::FindAmount, "", "gardener", ""),
        ("what's the number of my policy?", F::Find, "", "policy", ""),
    ]);
}

#[test]
fn meetings_promises_and_what_was_left_lying_are_asked_about_in_many_ways() {
    use QuestionFamily as F;
    check(&[
        ("what's Lena bringing me on Friday?", F::PromisedToMe, "Lena", "", "on Friday"),
        ("things I said I'd do and haven't", F::PromisedByMe, "", "", ""),
        ("what did I say I'd send to Omar?", F::PromisedByMe, "Omar", "", ""),
        ("who still owes me money?", F::WaitingOnOthers, "", "money", ""),
        ("any open questions to the plumber?", F::WaitingOnOthers, "plumber", "", ""),
        ("which mails have I left lying since Monday?", F::Unanswered, "", "", "since Monday"),
        ("how's my Friday looking?", F::NeedsMe, "", "", "Friday"),
        ("I'm meeting Lena on Friday, what should I know?", F::Prepare, "Lena", "", "on Friday"),
        ("the gardener comes tomorrow, remind me what it's about", F::Prepare, "", "gardener", "tomorrow"),
        ("what do I need to bring? I have the fitting on Friday", F::Prepare, "", "fitting", "on Friday"),
        ("anything I should know before Dr Lee calls?", F::Prepare, "", "Dr Lee", ""),
        ("get me ready for Friday's workshop", F::Prepare, "", "workshop", "Friday"),
        ("Mach mich fit für den Elternabend", F::Prepare, "", "Elternabend", ""),
        ("Ich treffe Jens am Freitag, was muss ich wissen?", F::Prepare, "Jens", "", "am Freitag"),
        ("Wie hoch war die Miete für den Saal?", F::FindAmount, "", "Miete für den Saal", ""),
    ]);
}

#[test]
fn a_question_may_be_narrowed_in_the_same_breath() {
    let found = question(
        &alone("who have I not answered since Thursday, and do I meet them this week?", &monday()),
        &Work::default(),
    )
    .unwrap();
    assert_eq!(found.family, QuestionFamily::Unanswered);
    assert_eq!(found.when.as_deref(), Some("since Thursday"));
    assert_eq!(found.then, Some(Refinement::Meet { when: Some("this week".to_owned()) }));
    let found =
        question(&alone("which of tomorrow's people have I not answered?", &monday()), &Work::default()).unwrap();
    assert_eq!(found.then, Some(Refinement::Meet { when: Some("tomorrow".to_owned()) }));
    let only = |who: &str| Refinement::Only { who: Some(who.to_owned()), topic: None, when: None };
    assert_eq!(refinement(&alone("only from Anna", &monday()), &Work::default()), Some(only("Anna")));
    let meets = refinement(&alone("and of those, who do I meet next week?", &monday()), &Work::default());
    assert_eq!(meets, Some(Refinement::Meet { when: Some("next week".to_owned()) }));
}

#[test]
fn requests_and_talk_are_no_questions_of_a_family() {
    for text in [
        "",
        "hello",
        "remind me to call mom tomorrow at 5pm",
        "email Bob that I'm late",
        "what's on my calendar tomorrow?",
        "show my tasks",
        "what did I just do?",
        "did you send it?",
        "find my note about the garden",
        "who am I?",
        "what is the weather in Berlin",
        "cancel the meeting with Sarah",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn what_narrows_a_question_in_the_same_breath_is_never_dropped() {
    let read = |text: &str| question(&alone(text, &monday()), &Work::default());
    let open = read("everything about the Berlin trip, and what of it is open?").unwrap();
    let beside = open.beside.expect("what is open of it");
    assert!(!open.open && beside.open && beside.family == QuestionFamily::About);
    assert_eq!((open.topic.as_deref(), beside.topic.as_deref()), (Some("Berlin"), Some("Berlin")));
    let only = read("who is waiting for an answer from me, only from Anna").unwrap();
    assert_eq!((only.family, only.who.as_deref()), (QuestionFamily::WaitingOnMe, Some("Anna")));
    assert!(read("who do I meet most, only from Anna").is_none());
    assert!(read("what did Ben promise me, only from Anna").is_none(), "of whom?");
}

#[test]
fn two_questions_in_one_breath_are_answered_beside_each_other() {
    use QuestionFamily as F;
    for (text, first, second, who) in [
        ("what did Anna promise me and what do I owe her?", F::PromisedToMe, F::WaitingOnMe, Some("Anna")),
        ("what did I promise people, and who owes me an answer?", F::PromisedByMe, F::WaitingOnOthers, None),
    ] {
        let found = question(&alone(text, &monday()), &Work::default()).unwrap_or_else(|| panic!("{text}"));
        let beside = found.beside.unwrap_or_else(|| panic!("{text}: one question"));
        assert_eq!((found.family, beside.family, beside.who.as_deref()), (first, second, who), "{text}");
    }
}
