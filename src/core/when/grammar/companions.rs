//! "Dinner tomorrow with Ana at 8": a date and a clock time with other words between them.
//!
//! They stay two expressions, so that their spans are only their own words, but each is given what
//! the other says, and both mean the same instant.

use super::super::Role;
use super::super::words::Line;
use super::Heard;
use super::phrase::Phrase;

/// Gives each clock time without a date that of the nearest day in its sentence, and each day
/// without a clock time the clock of its companion.
pub fn share(line: &Line, heard: &mut [Heard]) {
    for i in 1..heard.len() {
        let [.., first, second] = &mut heard[..=i] else { return };
        let apart = ends_sentence(line, first.span.end, second.span.start);
        if apart || second.phrase.role == Role::To || first.phrase.role == Role::From {
            continue;
        }
        if is_day(&first.phrase) && is_clock(&second.phrase) || is_clock(&first.phrase) && is_day(&second.phrase) {
            let role = if first.phrase.role == Role::Plain { second.phrase.role } else { first.phrase.role };
            let (day, clock) = if is_day(&first.phrase) { (&first.phrase, &second.phrase) } else { (&second.phrase, &first.phrase) };
            let both = joined(day, clock, role);
            first.phrase = both.clone();
            second.phrase = both;
        }
    }
}

fn joined(day: &Phrase, clock: &Phrase, role: Role) -> Phrase {
    Phrase {
        role,
        date: day.date.clone(),
        rule: day.rule,
        offset: day.offset,
        part: day.part.or(clock.part),
        ..clock.clone()
    }
}

/// A day, and nothing else.
fn is_day(phrase: &Phrase) -> bool {
    let day = phrase.date.as_ref().is_some_and(|d| d.is_one_day()) || phrase.rule.is_some();
    day && phrase.clock.is_none() && phrase.to.is_none() && phrase.length.is_none() && phrase.shift.is_none()
}

/// A clock time, and no day.
fn is_clock(phrase: &Phrase) -> bool {
    let free = phrase.date.is_none() && phrase.rule.is_none() && phrase.offset.is_none();
    phrase.clock.is_some() && free && phrase.shift.is_none()
}

fn ends_sentence(line: &Line, from: usize, to: usize) -> bool {
    line.text.get(from..to).is_none_or(|between| {
        between.contains(['!', '?', ';', '\n']) || between.contains(". ")
    })
}
