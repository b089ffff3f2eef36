//! What people say to the assistant about itself, row by row.

use serde_json::json;

use super::*;
use crate::services::across::filling::BUILDERS;
use brain_language::language::requests::{ParseInput, Phrases, Understood, plan};
use brain_language::language::testing::monday;

/// The command and its parameters that a message comes to; `None` where it is none of these.
fn asked(text: &str) -> Option<(String, Value)> {
    let (phrases, reference) = (Phrases::read(NAME, PHRASES).unwrap(), monday());
    let input = ParseInput { phrases: &[&phrases], ..ParseInput::new(text, &reference, BUILDERS) };
    let Understood::Plan { plan, .. } = plan(&input, &[]) else { return None };
    let [planned] = plan.actions.as_slice() else { return None };
    AssistantRequest::of(planned).map(|_| (planned.command.clone(), Value::Object(planned.params.clone())))
}

#[test]
fn what_is_said_to_the_assistant_about_itself_is_a_command_of_its_own() {
    for (text, command, params) in [
        ("undo", "undo", json!({})),
        ("Undo that, please!", "undo", json!({})),
        ("undo the last thing", "undo", json!({})),
        ("take that back.", "undo", json!({})),
        ("rückgängig", "undo", json!({})),
        ("Mach das rückgängig", "undo", json!({})),
        ("My time zone is Lisbon.", "settings", json!({"zone": "Lisbon"})),
        ("set my timezone to America/New_York", "settings", json!({"zone": "America/New_York"})),
        ("set my time zone to Narnia", "settings", json!({"zone": "Narnia"})),
        ("quiet hours from 10pm to 7am", "settings", json!({"quiet": "from 10pm to 7am"})),
        ("Set my quiet hours to 22:00-07:00", "settings", json!({"quiet": "22:00-07:00"})),
        ("no quiet hours", "settings", json!({"quiet": "off"})),
        ("send me a morning briefing at 7:30", "settings", json!({"briefing": "at 7:30"})),
        ("turn off the morning briefing", "settings", json!({"briefing": "off"})),
        ("set the reminder hour to 8:00", "settings", json!({"hour": "8:00"})),
        ("I’m in Tokyo now", "settings", json!({"place": "Tokyo"})),
        ("I am now in Paris", "settings", json!({"place": "Paris"})),
        ("change your tone to brief", "settings", json!({"tone": "brief"})),
        ("snooze", "snooze", json!({})),
        ("snooze it for an hour", "snooze", json!({"until": "for an hour"})),
        ("Snooze until friday 9am", "snooze", json!({"until": "until friday 9am"})),
        ("more", "more", json!({})),
        ("next page, please", "more", json!({})),
        ("show 20 more, please", "more", json!({"count": "20"})),
        ("Zeig mir mehr", "more", json!({})),
        ("the rest?", "more", json!({})),
        ("What did you just do?", "done", json!({})),
        ("wait, what have you done??", "done", json!({})),
        ("Was hast du gerade gemacht?", "done", json!({})),
        ("did that work?", "done", json!({"verb": "any"})),
        ("Did you send it?", "done", json!({"verb": "send"})),
        ("has it been deleted", "done", json!({"verb": "delete"})),
        ("was it sent already?", "done", json!({"verb": "send"})),
        ("what's waiting for my yes?", "waiting", json!({})),
    ] {
        assert_eq!(asked(text), Some((command.to_owned(), params)), "{text}");
    }
}

#[test]
fn everything_else_is_none_of_it() {
    for text in [
        "undo the meeting",
        "don't undo",
        "I want to take that back to the shop",
        "take the book back",
        "my time zone is weird",
        "I'm in a meeting now",
        "I'm in Tokyo now, what should I see?",
        "I'm in trouble now",
        "morning briefing at 9",
        "quiet hours are nice",
        "be brief",
        "remind me to set my time zone to Lisbon",
        "what's the time in Lisbon?",
        "more milk",
        "add more to the list",
        "no more",
        "what's next week",
        "did you send it to Anna and Bob?",
        "what did you just do with my calendar tomorrow?",
        "did Anna send it?",
        "is it cold?",
        "send it",
        "",
    ] {
        assert_eq!(asked(text), None, "{text}");
    }
}
