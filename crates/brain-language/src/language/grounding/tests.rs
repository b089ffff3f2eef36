//! Values and their grounds.

use chrono::{TimeZone, Utc};

use super::*;
use crate::language::time::DateOrder;

fn reference() -> Reference {
    let now = Utc.with_ymd_and_hms(2026, 1, 12, 9, 0, 0).single().unwrap_or_default();
    Reference { now, zone: chrono_tz::Europe::London, order: DateOrder::DayFirst }
}

fn with<T>(message: &str, ask: impl FnOnce(&Ground) -> T) -> T {
    let reading = Reading::of(message, &reference());
    ask(&Ground::of(&reading, &[], &[], &[], &reference()))
}

#[test]
fn a_time_follows_from_a_mention_or_has_no_ground() {
    use TimeGround::*;
    for (message, value, ground) in [
        ("call mom tomorrow at 5pm", "2026-01-13T17:00", Said),
        ("call mom tomorrow at 5pm", "2026-01-13T17:00:00Z", Said),
        ("call mom tomorrow at 5pm", "tomorrow at 5pm", Said),
        ("call mom tomorrow at 5", "2026-01-13T05:00", Said),
        ("call mom tomorrow", "2026-01-13", Said),
        ("call mom tomorrow", "2026-01-13T09:00", DayOnly("2026-01-13".to_owned())),
        ("call mom", "2026-01-13T09:00", Nothing),
        ("call mom tomorrow at 5pm", "2026-01-14T17:00", Nothing),
        ("call mom tomorrow at 5pm", "2026-01-13T20:00", DayOnly("2026-01-13".to_owned())),
        ("move it to 4pm", "2026-01-20T16:00", Said),
        ("in 2 hours", "2026-01-12T11:00", Said),
        ("lunch 12 to 14 January", "2026-01-14", Said),
        ("parcel pickup is urgent now", "2026-01-13T18:00", Nothing),
    ] {
        assert_eq!(with(message, |ground| ground.time(value, &reference())), ground, "{message}: {value}");
    }
}

#[test]
fn a_repetition_a_person_a_choice_and_a_text_need_words_that_carry_them() {
    assert!(with("pills every day at 7", |ground| ground.has_repetition()));
    assert!(!with("pills tomorrow at 7", |ground| ground.has_repetition()));
    for (message, value, has) in [
        ("mail Anna that I'm late", "Anna", true),
        ("mail Anna that I'm late", "anna.kowalczyk@example.org", true),
        ("mail Anna that I'm late", "Bob", false),
        ("mail bob@example.com that I'm late", "eve@example.com", false),
        ("answer her", "anna.kowalczyk@example.org", false),
    ] {
        assert_eq!(with(message, |ground| ground.has_person([value])), has, "{message}: {value}");
    }
    let reading = Reading::of("answer her", &reference());
    let shown = ["✉️ Anna Kowalczyk: which desk would you like?"];
    assert!(Ground::of(&reading, &[], &[], &shown, &reference()).has_person(["anna.kowalczyk@example.org"]));
    for (message, value, has) in [
        ("this is urgent: pay the rent", "high", true),
        ("pay the rent", "high", false),
        ("star the mail from Bob", "starred", true),
        ("every one of them", "all", true),
    ] {
        assert_eq!(with(message, |ground| ground.has_choice(value)), has, "{message}: {value}");
    }
    for (message, value, has) in [
        ("add oat milk to groceries", "Oat milk", true),
        ("dinner at Luigi's on Friday", "Luigi's", true),
        ("dinner on Friday", "at your home", false),
        ("I had lunch with Sarah", "sarah@example.com", false),
        ("save Sarah, sarah@example.com", "sarah@example.com", true),
        ("the gate code is 4471", "4471", true),
        ("the gate code is 4471", "gate code 4472", false),
        ("write to Anna", "Write to Ben", false),
        ("add Anna's birthday", "Ben's birthday", false),
        ("buy milk", "Buy zucchini", false),
        ("remind me to ring the plumber", "Call the plumber", true),
        ("write to Anna Berg about the lease", "Write to Anna Kazoba about the lease", false),
        ("tell marek to bring the keys", "Tell Marek to bring the keys", true),
        ("remind me to ring the plumber", "Call the plumber about the leak in the kitchen", false),
    ] {
        assert_eq!(with(message, |ground| ground.has_text(value)), has, "{message}: {value}");
    }
}

#[test]
fn a_slip_counts_only_where_one_word_fits_it() {
    let (one, two) = ("ring Menuza about the lease", "ring Menuza and Menuzo about the lease");
    assert!(with(one, |ground| ground.has_word("menuzi")));
    assert!(!with(two, |ground| ground.has_word("menuzi")), "it may be the one or the other");
    assert!(!with(one, |ground| ground.has_word("kazoba")));
}

#[test]
fn an_action_has_the_mood_of_the_clauses_that_it_was_said_in() {
    for (message, texts, mood) in [
        ("the dentist called. add milk to the list", ["Call the dentist", ""], Mood::Statement),
        ("the dentist called. add milk to the list", ["Milk", "the list"], Mood::Order),
        ("dentist is on Friday at 3, put that in my calendar", ["Dentist", "Friday at 3"], Mood::Order),
        ("is the report done?", ["report", ""], Mood::Question),
        ("no lunch with Sarah on Friday", ["Lunch with Sarah", "Friday"], Mood::Negation),
    ] {
        let texts = texts.map(str::to_owned);
        assert_eq!(with(message, |ground| ground.mood(&texts)), mood, "{message}");
    }
}

#[test]
fn a_name_that_holds_more_than_a_name_is_odd() {
    for name in ["Buy stamps", "Sunday lunch", "Call mom", "Milk", "Dinner with Jane Smith", "\"at 8, then no\""] {
        assert!(!is_odd_name(name, &reference()), "{name}");
    }
    for name in [
        "11, 14 and 20 to drink water",
        "butter is already",
        "Budget review, Room 4B",
        "take the the barber off",
        "umbrella on it",
        "kids dentist all three of them god help me",
    ] {
        assert!(is_odd_name(name, &reference()), "{name}");
    }
    for text in ["the gate code is 4471", "4471", "Serviced on 4 March by Mr Doyle", "28mm, 3 pieces"] {
        assert!(!is_odd_text(text, &reference()), "{text}");
    }
    for text in ["number 47 no 74 seven four yeah 74", "because i wont", "fyi im allergic to cashews"] {
        assert!(is_odd_text(text, &reference()), "{text}");
    }
}

#[test]
fn what_no_value_carries_is_counted() {
    let left = |message: &str, values: &[&str]| {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        with(message, |ground| ground.left_out(&values, &reference()))
    };
    assert_eq!(left("call mom tomorrow at 5pm", &["Call mom", "tomorrow at 5pm"]), LeftOut::default());
    assert_eq!(left("call mom tomorrow at 5pm", &["Call mom", "2026-01-13T17:00"]), LeftOut::default());
    assert_eq!(left("call mom tomorrow at 5pm", &["Call mom"]).times, 1);
    assert_eq!(left("buy quinces tomorrow and polish Grandfather's trombone", &["Buy quinces", "tomorrow"]).words, 2);
}
