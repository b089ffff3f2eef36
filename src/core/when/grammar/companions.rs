//! "Dinner tomorrow with Ana at 8": a date and a clock time with other words between them.
//!
//! They stay two expressions, so that their spans are only their own words, but each is given what
//! the other says, and both mean the same instant.

use super::super::Role;
use super::super::words::{Kind, Line, Link};
use super::Heard;
use super::lead::Lead;
use super::phrase::{Date, Doubt, Phrase, Span};

/// Gives each clock time without a date that of the nearest day in its sentence, and each day
/// without a clock time the clock of its companion.
pub fn share(line: &Line, heard: &mut Vec<Heard>) {
    drop_adjectives(heard);
    drop_occasions(line, heard);
    share_with_a_list(line, heard);
    share_clocks(line, heard);
    // "Hourly rate" says nothing of when.
    heard.retain(|h| !(is_adjective(&h.phrase) && noun_follows(line, h.span.end)));
}

fn noun_follows(line: &Line, end: usize) -> bool {
    let next = line.tokens.iter().position(|t| t.span.start >= end);
    next.is_some_and(|i| line.tokens[i].kind == Kind::Word && line.link(i, Link::Follow).is_none())
}

fn share_clocks(line: &Line, heard: &mut [Heard]) {
    for i in 1..heard.len() {
        let [.., first, second] = &mut heard[..=i] else {
            return;
        };
        let apart = ends_sentence(line, first.span.end, second.span.start);
        if !apart && is_moved_within(&first.phrase, &second.phrase) {
            second.phrase.date = first.phrase.date.clone();
            continue;
        }
        if apart || second.phrase.role == Role::To || first.phrase.role == Role::From {
            continue;
        }
        let between = line.text.get(first.span.end..second.span.start).unwrap_or_default();
        let joined_by = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '/'));
        if let Some(Junction::Or | Junction::Of) = junction(line, joined_by) {
            first.phrase.doubt = Some(Doubt::OneOfSeveral);
            second.phrase.doubt = Some(Doubt::OneOfSeveral);
            continue;
        }
        if listed(line, joined_by) && is_day(&first.phrase) && second.phrase.date.is_some() {
            continue;
        }
        if is_day(&first.phrase) && second.phrase.is_clock_alone()
            || first.phrase.is_clock_alone() && is_day(&second.phrase)
        {
            let role = if first.phrase.role == Role::Plain { second.phrase.role } else { first.phrase.role };
            let (day, clock) =
                if is_day(&first.phrase) { (&first.phrase, &second.phrase) } else { (&second.phrase, &first.phrase) };
            let both = joined(day, clock, role);
            first.phrase = both.clone();
            second.phrase = both;
        }
    }
}

/// "Move the standup on Tuesday to 10:15" stays on that day.
fn is_moved_within(from: &Phrase, to: &Phrase) -> bool {
    let day = from.date.as_ref().is_some_and(Date::is_one_day) && from.role == Role::Plain;
    day && to.role == Role::To && to.is_clock_alone()
}

/// "On Tuesday and Thursday at 6", "mon wed fri 6am": at 6 on each of them.
fn share_with_a_list(line: &Line, heard: &mut [Heard]) {
    for i in (1..heard.len()).rev() {
        let [.., first, second] = &mut heard[..=i] else {
            return;
        };
        let between = line.text.get(first.span.end..second.span.start).unwrap_or_default();
        let joined_by = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '/'));
        let moved = second.phrase.role == Role::To || first.phrase.role == Role::From;
        if listed(line, joined_by) && !moved && is_day(&first.phrase) && second.phrase.date.is_some() {
            first.phrase.clock = second.phrase.clock;
        }
    }
}

fn listed(line: &Line, joined_by: &str) -> bool {
    joined_by.is_empty() || junction(line, joined_by) == Some(Junction::And)
}

/// A word like "weekly", and nothing that says when.
fn is_adjective(phrase: &Phrase) -> bool {
    phrase.rule.is_some_and(|r| r.says_how_often_only()) && phrase.is_only_rule()
}

/// "Weekly review every Friday": beside a day, a bare "weekly" describes the thing.
fn drop_adjectives(heard: &mut Vec<Heard>) {
    let says_day = |p: &Phrase| !is_adjective(p) && (p.date.is_some() || p.rule.is_some());
    if heard.iter().any(|h| says_day(&h.phrase)) {
        heard.retain(|h| !is_adjective(&h.phrase));
    }
}

/// "Labor day trip Sep 4 to Sep 7": before a noun, beside another date, a holiday without a preposition names the thing.
fn drop_occasions(line: &Line, heard: &mut Vec<Heard>) {
    let is_occasion = |h: &Heard| {
        let bare = Phrase { date: None, ..h.phrase.clone() };
        let first = line.tokens.iter().position(|t| t.span.start >= h.span.start);
        matches!(h.phrase.date, Some(Date::Holiday { .. }))
            && bare.is_empty()
            && first.is_some_and(|i| Lead::read(line, i, true).next == i)
            && noun_follows(line, h.span.end)
    };
    let says_day = |h: &Heard| h.phrase.date.is_some() || h.phrase.offset.is_some();
    if heard.iter().any(|h| says_day(h) && !is_occasion(h)) {
        heard.retain(|h| !is_occasion(h));
    }
}

fn joined(day: &Phrase, clock: &Phrase, role: Role) -> Phrase {
    Phrase {
        role,
        date: day.date.clone(),
        rule: day.rule,
        offset: day.offset,
        shift: day.shift,
        part: day.part.or(clock.part),
        ..clock.clone()
    }
}

/// A day, and nothing else.
fn is_day(phrase: &Phrase) -> bool {
    let day = phrase.date.as_ref().is_some_and(|d| d.is_one_day()) || phrase.rule.is_some();
    day && phrase.clock.is_none()
        && phrase.to.is_none()
        && phrase.length.is_none()
        && phrase.shift.is_none_or(Span::is_calendar)
}

/// What stands between two expressions, if it is a single small word.
#[derive(Debug, PartialEq, Eq)]
enum Junction {
    And,
    Or,
    Of,
}

fn junction(line: &Line, word: &str) -> Option<Junction> {
    let at = |key: &str| line.tokens.iter().position(|t| t.key == key);
    let mut words = word.split_whitespace();
    let first = at(&words.next()?.to_lowercase())?;
    let links = [(Link::And, Junction::And), (Link::Or, Junction::Or), (Link::Of, Junction::Of)];
    let (_, found) = links.into_iter().find(|(link, _)| line.link(first, *link).is_some())?;
    match words.next() {
        None => Some(found),
        Some(article) if words.next().is_none() => line.link(at(&article.to_lowercase())?, Link::The).map(|_| found),
        Some(_) => None,
    }
}

fn ends_sentence(line: &Line, from: usize, to: usize) -> bool {
    line.text.get(from..to).is_none_or(|between| between.contains(['!', '?', ';', '\n']) || between.contains(". "))
}
