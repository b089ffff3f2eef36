//! What is told by how far it is from something: "half an hour later", "a timer for ten minutes", without a model.

use crate::support::program::{Console, Program, text_of};

/// Sunday 11 January 2026.
fn open(program: &Program) -> Console {
    program.at("2026-01-11T09:00:00Z")
}

/// What is said in turn, and what the answer has to hold.
fn talk(lines: &[(&str, &str)]) {
    let program = Program::new();
    let mut console = open(&program);
    for (said, told) in lines {
        let answer = text_of(&console.say(said));
        assert!(answer.contains(told), "{said}: {answer}");
    }
}

#[test]
fn an_event_is_moved_by_a_length_from_where_it_was() {
    talk(&[
        ("dentist tomorrow at 3pm", "Added: tomorrow (Mon 12 Jan) at 15:00–16:00"),
        ("push the dentist back by half an hour", "at 15:00–16:00 → tomorrow (Mon 12 Jan) at 15:30–16:30"),
        ("yes", "Changed: tomorrow (Mon 12 Jan) at 15:30–16:30"),
        ("bring it forward by an hour", "at 15:30–16:30 → tomorrow (Mon 12 Jan) at 14:30–15:30"),
        ("no", "Change this event?"),
        ("postpone the dentist by a day", "at 15:30–16:30 → Tue 13 Jan at 15:30–16:30"),
        ("make it an hour later", "Tue 13 Jan at 16:30–17:30"),
        ("yes", "Changed: Tue 13 Jan at 16:30–17:30"),
        ("extend the dentist by 30 minutes", "at 16:30–17:30 → until Tue 13 Jan at 18:00"),
        ("yes", "Changed: Tue 13 Jan at 16:30–18:00"),
        ("shorten the dentist by 15 min", "until Tue 13 Jan at 17:45"),
        // What is on the card has no beginning of its own.
        ("make it an hour later", "at 16:30–18:00 → Tue 13 Jan at 17:30–19:00"),
        ("yes", "Changed: Tue 13 Jan at 17:30–19:00"),
        ("verschieb den dentist um eine stunde nach hinten", "→ Tue 13 Jan at 18:30–20:00"),
    ]);
}

/// Half of the people move a meeting forward to an earlier hour.
#[test]
fn forward_is_asked_about() {
    talk(&[
        ("dentist tomorrow at 3pm", "Added"),
        ("move the dentist forward an hour", "“an hour forward”: is that earlier or later?"),
        ("an hour earlier", "at 15:00–16:00 → tomorrow (Mon 12 Jan) at 14:00–15:00"),
    ]);
}

#[test]
fn a_task_is_moved_by_a_length_too() {
    talk(&[
        ("remind me to water the plants friday at 6", "Fri 16 Jan at 18:00"),
        ("push it back an hour", "Water the plants — Fri 16 Jan at 19:00"),
        ("postpone that by two days", "Water the plants — Sun 18 Jan at 19:00"),
        ("delay it two days", "Water the plants — Tue 20 Jan at 19:00"),
    ]);
}

#[test]
fn a_timer_is_a_reminder_from_now() {
    talk(&[
        ("set a timer for 35 minutes", "Reminder set: Timer — today (Sun 11 Jan) at 09:35"),
        ("timer 20 minutes for the eggs", "Reminder set: The eggs — today (Sun 11 Jan) at 09:20"),
        ("oven timer 45 minutes", "Reminder set: Oven — today (Sun 11 Jan) at 09:45"),
        ("stell einen timer auf 10 minuten", "Reminder set: Timer — today (Sun 11 Jan) at 09:10"),
        ("set a timer", "When should it ring?"),
        ("an hour", "Reminder set: Timer — today (Sun 11 Jan) at 10:00"),
        ("cancel the oven timer", "Oven"),
    ]);
}

#[test]
fn the_hour_of_a_reminder_is_not_that_of_what_it_is_about() {
    talk(&[
        ("remind me at 5 about the meeting tomorrow", "The meeting tomorrow — today (Sun 11 Jan) at 17:00"),
        ("remind me at 5 to call mom tomorrow", "Call mom — tomorrow (Mon 12 Jan) at 17:00"),
        ("remind me tomorrow half an hour before my 6pm shift", "tomorrow (Mon 12 Jan) at 17:30"),
        ("wake me tomorrow an hour before my 6am flight", "tomorrow (Mon 12 Jan) at 05:00"),
        ("weck mich morgen eine stunde vor meinem 8-Uhr-Zug", "tomorrow (Mon 12 Jan) at 07:00"),
    ]);
}

/// "come", "die" and "mir" are words of other languages as well.
#[test]
fn english_is_answered_in_english() {
    let program = Program::new();
    let mut console = open(&program);
    for said in ["my plants die and i come home to it", "can you come to me, per my last note"] {
        let answer = text_of(&console.say(said));
        assert!(["I", "W", "A", "T"].iter().any(|letter| answer.starts_with(letter)), "{said}: {answer}");
    }
}
