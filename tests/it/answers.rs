//! Answers, not dumps: a sentence first, the list below it: without a model, on the real program.

use crate::support::program::{Console, Program, text_of};

fn open(program: &Program) -> Console {
    program.demo()
}

fn told(console: &mut Console, said: &str) -> String {
    text_of(&console.say(said))
}

#[test]
fn one_event_is_answered_with_that_event() {
    let program = Program::new();
    let mut console = open(&program);
    for (said, answer) in [
        ("when's the dentist?", "📅 Thu 15 Jan at 09:30–10:00 — Dentist appointment"),
        ("do I have a dentist appointment this week?", "📅 Thu 15 Jan at 09:30–10:00 — Dentist appointment"),
        ("where is yoga?", "📅 today (Mon 12 Jan) at 18:30–19:30 — Yoga, The old chapel"),
        (
            "what's my next meeting with Jörg?",
            "📅 Your next one with Jörg: Wed 21 Jan at 19:30–21:30 — Dinner with Jörg",
        ),
        ("what's my first meeting tomorrow?", "📅 Your first one: tomorrow (Tue 13 Jan) at 10:00–10:15 — Standup"),
        ("when is the skydiving lesson?", "📅 I found nothing like “skydiving lesson” on your calendar."),
    ] {
        let answer_told = told(&mut console, said);
        assert!(answer_told.starts_with(answer), "{said}: {answer_told}");
        assert_eq!(answer_told.trim().lines().count(), 1, "{said}: {answer_told}");
    }
}

#[test]
fn free_or_busy_is_answered_with_yes_or_no_and_the_hours() {
    let program = Program::new();
    let mut console = open(&program);
    for (said, answer) in [
        ("am I free at 3?", "✅ Yes, you're free today (Mon 12 Jan) at 15:00–16:00."),
        (
            "am I free tomorrow from 2 to 4pm?",
            "✅ Yes, from 15:00; before that Client call with Northwind, 14:00–15:00.",
        ),
        ("am I free tomorrow at 2pm?", "❌ No: Client call with Northwind, 14:00–15:00."),
        ("am I free tomorrow afternoon?", "🕑 Partly: you're free 12:00–14:00 and 15:00–18:00."),
        ("am I busy tomorrow?", "🗓 Yes, 2 events tomorrow (Tue 13 Jan):"),
        ("am I busy on saturday morning?", "🕑 No, nothing on your calendar"),
    ] {
        let answer_told = told(&mut console, said);
        assert!(answer_told.starts_with(answer), "{said}: {answer_told}");
    }
}

#[test]
fn a_long_list_has_seven_rows_and_goes_on() {
    let program = Program::new();
    let mut console = open(&program);
    let week = told(&mut console, "what do I have this week?");
    let lines: Vec<&str> = week.trim().lines().collect();
    assert!(lines[0].starts_with("📅 ") && lines[0].ends_with(':'), "{week}");
    assert_eq!(lines.len(), 1 + 7 + 1, "{week}");
    assert!(lines[8].starts_with("… and ") && lines[8].ends_with("more: say “more”."), "{week}");
    let more = told(&mut console, "more");
    assert!(more.trim().lines().count() > 15, "{more}");
}

#[test]
fn only_one_of_a_series_is_meant_when_a_day_is_named() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("gym every Tuesday and Thursday at 6pm");
    let card = told(&mut console, "skip gym tomorrow");
    assert!(card.contains("tomorrow (Tue 13 Jan) at 18:00") && card.contains("only this one goes"), "{card}");
    assert!(told(&mut console, "yes").contains("the others stay"));
    let asked = told(&mut console, "cancel gym");
    assert!(asked.contains("“Gym” repeats. Which of it do you mean?") && asked.contains("The whole series"), "{asked}");
    let all = told(&mut console, "the whole series");
    assert!(all.contains("the whole series goes"), "{all}");
    assert!(told(&mut console, "yes").contains("all of the series"));
    assert!(told(&mut console, "when is gym?").contains("I found nothing like “gym”"));
}
