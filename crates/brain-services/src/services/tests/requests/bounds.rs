//! What reading a message may cost, in steps: the same on every machine.

use super::*;
use brain_core::limits::UNDERSTANDING_STEPS_MAX;
use brain_language::language::time;
use brain_language::language::work::Work;

/// What people send at most with one message.
const CHARS: usize = 4_096;

/// A unit again and again.
fn filled(unit: &str) -> String {
    unit.repeat(CHARS / unit.chars().count() + 1).chars().take(CHARS).collect()
}

fn steps(text: &str, given: u32) -> (u32, Understood) {
    let work = Work::of(given);
    let reference = monday();
    let understood = plan_within(&alone(text, &reference), &[], &work);
    (work.taken(), understood)
}

/// What cost seconds once, and what each reader takes longest for.
const HEAVY: [&str; 24] = [
    ", ",
    "a, ",
    "if ",
    "if a, ",
    "and ",
    "and at 5 ",
    "at 5 ",
    "5pm, ",
    "1/2 ",
    "\"",
    "\" ",
    "' ",
    "from 5 to ",
    "an hour before ",
    "12:30 ",
    "add milk, ",
    "email bob: ",
    "write bob that ",
    "put milk on the list and ",
    "remind me to call mom and ",
    "wendesday ",
    "a@",
    "1.",
    "if it rains call mom, otherwise ",
];

#[test]
fn no_repetition_costs_more_than_a_message_may() {
    for unit in HEAVY {
        let (taken, understood) = steps(&filled(unit), UNDERSTANDING_STEPS_MAX);
        assert!(taken <= UNDERSTANDING_STEPS_MAX, "{unit:?}");
        assert!(!matches!(understood, Understood::Plan { .. }) || taken < UNDERSTANDING_STEPS_MAX, "{unit:?}");
    }
}

/// Of all words of the data so many are passed over between two that are tried: all of them take hours unoptimised.
const PASSED_OVER: usize = 301;

#[test]
fn no_word_of_the_data_costs_more_than_a_message_may_when_it_is_repeated() {
    let texts = brain_language::language::testing::vocabulary();
    assert!(texts.len() > 2_000, "the data was read");
    for word in texts.iter().step_by(PASSED_OVER) {
        let (taken, _) = steps(&filled(&format!("{word} ")), UNDERSTANDING_STEPS_MAX);
        assert!(taken <= UNDERSTANDING_STEPS_MAX, "{word}");
    }
}

#[test]
fn what_is_too_much_is_neither_talk_nor_a_plan_of_a_part() {
    for text in ["remind me to buy milk at 5pm", "hey there", "if it rains remind me to call mom", "what's on today?"] {
        assert_eq!(steps(text, 5).1, Understood::TooMuch, "{text}");
        assert_ne!(steps(text, UNDERSTANDING_STEPS_MAX).1, Understood::TooMuch, "{text}");
    }
    assert_eq!(steps(&filled("add milk, "), UNDERSTANDING_STEPS_MAX).1, Understood::TooMuch);
}

#[test]
fn a_letter_behind_a_request_takes_a_part_of_what_there_is() {
    let letter = "Dear neighbours, the boiler in the cellar was serviced last Tuesday. The man said that it would run for \
        another two years, and that nobody needs to be at home when he comes again in spring. He left the key with me. ";
    let text: String =
        format!("remind me tomorrow at 9 to answer this: {}", letter.repeat(20)).chars().take(4_000).collect();
    let (taken, understood) = steps(&text, UNDERSTANDING_STEPS_MAX);
    assert!(taken < UNDERSTANDING_STEPS_MAX / 3, "{taken}");
    assert_ne!(understood, Understood::TooMuch);
}

#[test]
fn a_time_far_behind_in_a_long_text_is_found_where_it_stands() {
    let text = format!("{} See you on Friday at 3pm.", "It was a long day, and so on.\n".repeat(120));
    let found = time::find(&text, &monday());
    let words: Vec<&str> = found.iter().map(|mention| &text[mention.span.clone()]).collect();
    assert_eq!(words.last(), Some(&"on Friday at 3pm"), "{words:?}");
}
