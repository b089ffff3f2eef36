//! Events that repeat, from everyday words: without a model, on the real program.

use serde_json::Value;

use crate::support::program::{Console, Program, did, outcomes_of, text_of};

/// A Monday.
const NOW: &str = "2026-01-12T09:00:00Z";

fn open(program: &Program) -> Console {
    program.at(NOW)
}

fn param(lines: &[Value], name: &str) -> String {
    outcomes_of(lines)[0]["params"][name].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_is_said_to_repeat_is_a_series_and_the_receipt_says_so() {
    let program = Program::new();
    let mut console = open(&program);
    for (said, rule, start, end, told) in [
        ("gym every Tuesday and Thursday at 6pm", "BYDAY=TU,TH", "2026-01-13T18:00", "2026-01-13T19:00", "Tuesday"),
        ("yoga class every Wednesday from 10 to 12", "BYDAY=WE", "2026-01-14T10:00", "2026-01-14T12:00", "Wednesday"),
        (
            "team meeting every Friday at 5pm for 90 minutes",
            "BYDAY=FR",
            "2026-01-16T17:00",
            "2026-01-16T18:30",
            "Friday",
        ),
    ] {
        let lines = console.say(said);
        let text = text_of(&lines);
        assert!(param(&lines, "repeat").contains(rule), "{said}: {lines:#?}");
        assert!(param(&lines, "start_time").starts_with(start), "{said}: {lines:#?}");
        assert!(param(&lines, "end_time").starts_with(end), "{said}: {lines:#?}");
        assert!(text.contains("repeats") && text.contains(told), "{said}: {text}");
    }
    // Weeks later, and taken back as a whole.
    let february = text_of(&console.say("what's on my calendar on February 12?"));
    assert!(february.contains("Gym") && february.contains("18:00–19:00"), "{february}");
    console.say("undo");
    let friday = text_of(&console.say("what's on my calendar on February 13?"));
    assert!(!friday.to_lowercase().contains("team meeting"), "{friday}");
}

#[test]
fn a_single_event_is_not_made_to_repeat_in_silence() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("dentist tomorrow at 9am");
    let asked = console.say("move the dentist to every Tuesday at 9am");
    assert_eq!(did(&asked), ["calendar.update_event pending"], "{}", text_of(&asked));
    assert!(text_of(&asked).contains("Repeats: every Tuesday at 9:00"), "{}", text_of(&asked));
    assert_eq!(did(&console.say("no")), ["calendar.update_event denied"]);
}

#[test]
fn a_series_ends_when_it_is_said_to_and_german_repeats_as_well() {
    let program = Program::new();
    let mut console = open(&program);
    for (said, rule, start, told) in [
        ("swim every friday at 8am until 20 february", "UNTIL=20260220", "2026-01-16T08:00", "until 20 Feb"),
        ("run every weekday at 7am until 2 march", "UNTIL=20260302", "2026-01-13T07:00", "every weekday at 7:00 until"),
        ("yoga every tuesday from 6 to 7pm until 3 february", "UNTIL=20260203", "2026-01-13T18:00", "until 3 Feb"),
        (
            "Yoga jeden Dienstag und Donnerstag um 18 Uhr",
            "BYDAY=TU,TH",
            "2026-01-13T18:00",
            "every Tuesday and Thursday",
        ),
    ] {
        let lines = console.say(said);
        assert!(param(&lines, "repeat").contains(rule), "{said}: {lines:#?}");
        assert!(param(&lines, "start_time").starts_with(start), "{said}: {lines:#?}");
        assert!(text_of(&lines).contains(told), "{said}: {}", text_of(&lines));
    }
    let march = text_of(&console.say("what's on my calendar on march 6?"));
    assert!(!march.contains("Swim") && !march.contains("Run"), "{march}");
}
