//! "Dinner tomorrow with Ana at 8": a date and a clock time with other words between them.
//!
//! They stay two expressions, so that their spans are only their own words, but each is given what
//! the other says, and both mean the same instant.

use std::ops::Range;

use super::super::TimeRole;
use super::super::words::{Link, Sense, TokenLine};
use super::phrase::{Date, Phrase, SpanPhrase, TimeDoubt};
use super::rule::plural_days;
use super::{Mention, first_request, moves};

/// Gives each clock time without a date that of the nearest day in its sentence, and each day
/// without a clock time the clock of its companion.
pub fn share(line: &TokenLine, heard: &mut [Mention]) {
    share_with_a_list(line, heard);
    share_that_day(line, heard);
    let sentence =
        MergedSentence { line, moves: moves(line), request: first_request(line).map(|i| line.tokens[i].span.start) };
    // What became whole in the first round may contradict its neighbour in the second.
    for i in (1..heard.len()).chain(1..heard.len()) {
        let [.., first, second] = &mut heard[..=i] else {
            return;
        };
        match sentence.pair(first, second) {
            Pair::Strangers => {}
            Pair::OneOfSeveral => {
                first.phrase.doubt = Some(TimeDoubt::OneOfSeveral);
                second.phrase.doubt = Some(TimeDoubt::OneOfSeveral);
            }
            Pair::MovedOnItsDay => second.phrase.date = first.phrase.date.clone(),
            Pair::PartOfIt if is_part(&first.phrase) => first.phrase = second.phrase.clone(),
            Pair::PartOfIt => second.phrase = first.phrase.clone(),
            Pair::CountedOnIt => {
                second.phrase.date = first.phrase.date.clone();
                first.phrase = second.phrase.clone();
            }
            Pair::StartOfRule => {
                let start = Phrase { role: TimeRole::Plain, ..first.phrase.clone() };
                second.phrase.start = Some(Box::new(start));
                first.phrase = second.phrase.clone();
            }
            Pair::SameInstant => {
                let both = joined(&first.phrase, &second.phrase);
                first.phrase = both.clone();
                second.phrase = both;
            }
            Pair::Ahead => {
                let told = joined(&Phrase { shift: None, ..first.phrase.clone() }, &second.phrase);
                first.phrase = Phrase { shift: first.phrase.shift, ..told.clone() };
                second.phrase = told;
            }
        }
    }
}

/// What two neighbouring expressions are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pair {
    Strangers,
    /// "Wednesday or Thursday": which of them, is for the person to say.
    OneOfSeveral,
    /// "Move the standup on Tuesday to 10:15".
    MovedOnItsDay,
    /// "Remind me tomorrow half an hour before my 6pm shift".
    CountedOnIt,
    /// "Late night ferry tomorrow at 23:15".
    PartOfIt,
    /// "Starting tomorrow I take these every day at 8".
    StartOfRule,
    /// "Dinner tomorrow with Ana at 8".
    SameInstant,
    /// "An hour before the train tomorrow, it leaves at 16:24".
    Ahead,
}

#[derive(Debug)]
struct MergedSentence<'a> {
    line: &'a TokenLine<'a>,
    /// It tells that something is moved.
    moves: bool,
    /// The byte at which it asks to be told.
    request: Option<usize>,
}

impl MergedSentence<'_> {
    fn pair(&self, one: &Mention, other: &Mention) -> Pair {
        let (first, second) = (&one.phrase, &other.phrase);
        if (one.excluded || other.excluded) && are_two_days(first, second) {
            return Pair::Strangers;
        }
        let asks = self.request.is_some();
        let ends = ends_sentence(self.line, one.span.end, other.span.start);
        let apart = ends && (asks || !(is_day(first) && second.is_clock_alone()));
        if !apart && is_moved_within(first, second) {
            return Pair::MovedOnItsDay;
        }
        let starts = first.role == TimeRole::From && is_day(first);
        if starts && second.rule.is_some() && second.start.is_none() {
            return Pair::StartOfRule;
        }
        if apart || second.role == TimeRole::To || first.role == TimeRole::From && self.moves {
            return Pair::Strangers;
        }
        let between = self.line.text.get(one.span.end..other.span.start).unwrap_or_default();
        let joined_by = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '/'));
        let listed = listed(self.line, joined_by);
        if let Some(Junction::Or | Junction::Of) = junction(self.line, joined_by) {
            return Pair::OneOfSeveral;
        }
        if listed && is_day(first) && second.date.is_some() {
            return Pair::Strangers;
        }
        let another = are_two_days(first, second) && (self.moves || !asks && is_day(first) && second.is_appointment());
        let another = another || !asks && are_two_hours(first, second);
        if !listed && (another || !asks && are_two_appointments(first, second)) {
            return Pair::OneOfSeveral;
        }
        if first.is_time_alone() && (second.date.is_some() || second.rule.is_some()) {
            if self.is_about(one, between) {
                return Pair::Strangers;
            }
            // "Remind me at 3 to tell Ben that dad is collecting him on Friday", "at 6 remind me to pack for Saturday".
            if self.asks_at(one) && self.is_apart(one.span.end..other.span.start, other) {
                return Pair::OneOfSeveral;
            }
        }
        let counted = second.counts_exactly() && Phrase { shift: None, ..second.clone() }.is_clock_alone();
        if is_day(first) && counted {
            return Pair::CountedOnIt;
        }
        let together = is_day(first) && second.is_time_alone() || first.is_time_alone() && is_day(second);
        let asked_before = self.request.is_some_and(|at| at < one.span.start);
        if is_part(first) && second.is_appointment() && !asks {
            return if first.part_holds(second.clock) { Pair::PartOfIt } else { Pair::OneOfSeveral };
        }
        if is_part(second) && first.is_appointment() && second.part_holds(first.clock) {
            return Pair::PartOfIt;
        }
        // "Call about the night out at 3pm".
        let apart_from =
            |part: &Phrase, hour: &Phrase| is_part(part) && hour.is_clock_alone() && !part.part_holds(hour.clock);
        if apart_from(first, second) || apart_from(second, first) {
            return Pair::OneOfSeveral;
        }
        let within = is_hour_within(first, second) || is_hour_within(second, first);
        if together || !asked_before && within {
            return Pair::SameInstant;
        }
        if first.counts_exactly() && completes(first, second) { Pair::Ahead } else { Pair::Strangers }
    }

    /// "Remind me at 5 about the meeting (tomorrow)", "at 5 remind me about …": the day is not that of the request.
    fn is_about(&self, hour: &Mention, between: &str) -> bool {
        let begins = self.line.begins_behind(hour.span.end);
        let Some(mut i) = begins.filter(|_| !between.is_empty()) else { return false };
        let follows = self.line.link(i, Link::Request);
        i = follows.unwrap_or(i);
        let asks = follows.is_some() || self.asks_just_before(hour.span.start);
        let about = || self.line.link(i, Link::About).is_some();
        asks && (about() || self.is_of_a_thing(hour.span.end + between.len()))
    }

    /// An hour right before or behind the request.
    fn asks_at(&self, hour: &Mention) -> bool {
        let next = self.line.begins_behind(hour.span.end);
        next.is_some_and(|i| self.line.link(i, Link::Request).is_some()) || self.asks_just_before(hour.span.start)
    }

    /// Does another sentence, or a purpose, stand between the hour and the day?
    fn is_apart(&self, between: Range<usize>, day: &Mention) -> bool {
        let inside = |i: &usize| between.contains(&self.line.tokens[*i].span.start);
        let tells = (0..self.line.tokens.len()).filter(inside).any(|i| self.line.link(i, Link::Present).is_some());
        let begins = self.line.begins_behind(day.span.start);
        tells || begins.is_some_and(|i| self.line.link(i, Link::For).is_some())
    }

    /// "(Print the agenda for) mondays meeting", "tmrw's lab", "my thursday trip".
    fn is_of_a_thing(&self, byte: usize) -> bool {
        let owned = |i: usize| {
            let own = i.checked_sub(1).is_some_and(|b| self.line.link(b, Link::Own) == Some(i));
            own && self.line.atoms(i).iter().any(|a| matches!(a.sense, Sense::Weekday(_)))
        };
        let mut days = (0..self.line.tokens.len())
            .filter(|i| self.line.tokens[*i].possessive || plural_days(self.line, *i).is_some() || owned(*i));
        days.any(|i| self.line.tokens[i].span.start >= byte && self.line.is_plain_word(i + 1))
    }

    /// "Remind me | at 5".
    fn asks_just_before(&self, byte: usize) -> bool {
        let Some(at) = self.line.begins_behind(byte) else { return false };
        (0..at).any(|i| self.line.link(i, Link::Request) == Some(at))
    }
}

/// "It was Tuesday at 10 and now it is Thursday at 12:40": a day and an hour each, and not the same.
fn are_two_appointments(first: &Phrase, second: &Phrase) -> bool {
    let whole = |p: &Phrase| p.role == TimeRole::Plain && p.is_appointment();
    whole(first) && whole(second) && first.date != second.date
}

/// "It was for Saturday and now it is Tuesday", "Sunday league kicks off tomorrow at 10".
fn are_two_days(first: &Phrase, second: &Phrase) -> bool {
    let day = |p: &Phrase| p.role == TimeRole::Plain && p.date.as_ref().is_some_and(Date::is_one_day);
    day(first) && day(second) && first.date != second.date
}

/// "Gym at 6, work at 9".
fn are_two_hours(first: &Phrase, second: &Phrase) -> bool {
    let plain = first.role == TimeRole::Plain && second.role == TimeRole::Plain;
    plain && first.is_clock_alone() && second.clock.is_some() && first.clock != second.clock
}

/// "Fetch her tonight, she lands 21:35", "on the 5.50 bus tomorrow morning".
fn is_hour_within(first: &Phrase, second: &Phrase) -> bool {
    let bare = Phrase { part: None, ..first.clone() };
    is_day(&bare) && second.is_clock_alone() && first.part_holds(second.clock)
}

/// Does the second say of the day or of the hour what the first left open?
fn completes(first: &Phrase, second: &Phrase) -> bool {
    let whole = Phrase { shift: None, ..first.clone() };
    if is_hour_within(second, &whole) {
        return true;
    }
    is_day(&whole) && second.is_clock_alone() || whole.is_clock_alone() && is_day(second)
}

/// "Move the standup on Tuesday to 10:15", "… from Tuesday at 9 to 10:15" stays on that day.
fn is_moved_within(from: &Phrase, to: &Phrase) -> bool {
    let day = from.date.as_ref().is_some_and(Date::is_one_day) && matches!(from.role, TimeRole::Plain | TimeRole::From);
    day && to.role == TimeRole::To && to.is_clock_alone()
}

/// "On Tuesday and Thursday at 6", "mon wed fri 6am": at 6 on each of them.
fn share_with_a_list(line: &TokenLine, heard: &mut [Mention]) {
    for i in (1..heard.len()).rev() {
        let [.., first, second] = &mut heard[..=i] else {
            return;
        };
        let between = line.text.get(first.span.end..second.span.start).unwrap_or_default();
        let joined_by = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '/'));
        let moved = second.phrase.role == TimeRole::To || first.phrase.role == TimeRole::From;
        if listed(line, joined_by) && !moved && is_day(&first.phrase) && second.phrase.date.is_some() {
            first.phrase.clock = second.phrase.clock;
        }
    }
}

/// "The shops open Friday at 6, wake me 5:15 that day".
fn share_that_day(line: &TokenLine, heard: &mut [Mention]) {
    for i in 1..heard.len() {
        let (earlier, [hour, ..]) = heard.split_at_mut(i) else {
            return;
        };
        let next = line.begins_behind(hour.span.end);
        let here = next.is_some_and(|next| line.link(next, Link::ThatDay).is_some());
        let day = earlier.iter().rev().find_map(|h| h.phrase.date.clone().filter(Date::is_one_day));
        if here && hour.phrase.is_clock_alone() && day.is_some() {
            hour.phrase.date = day;
        }
    }
}

fn listed(line: &TokenLine, joined_by: &str) -> bool {
    joined_by.is_empty() || junction(line, joined_by) == Some(Junction::And)
}

/// The day of one and the hour of the other.
fn joined(first: &Phrase, second: &Phrase) -> Phrase {
    let day_first = first.clock.is_none() && (second.clock.is_some() || first.part.is_none());
    let (day, clock) = if day_first { (first, second) } else { (second, first) };
    Phrase {
        role: if first.role == TimeRole::Plain { second.role } else { first.role },
        date: day.date.clone(),
        rule: day.rule,
        offset: day.offset,
        shift: day.shift,
        part: day.part.or(clock.part),
        to: day.to.clone().or_else(|| clock.to.clone()),
        length: day.length.or(clock.length),
        ..clock.clone()
    }
}

/// A part of the day, and nothing else.
fn is_part(phrase: &Phrase) -> bool {
    phrase.is_time_alone() && phrase.clock.is_none()
}

/// A day, and nothing else but how much of it.
fn is_day(phrase: &Phrase) -> bool {
    let day = phrase.date.as_ref().is_some_and(|d| d.is_one_day()) || phrase.rule.is_some();
    let day = day || phrase.offset.is_some_and(SpanPhrase::is_calendar);
    day && phrase.clock.is_none()
        && phrase.part.is_none()
        && phrase.to.as_ref().is_none_or(|to| to.clock.is_none() && to.date.is_some())
        && phrase.length.is_none_or(|length| !length.is_calendar())
        && phrase.shift.is_none_or(SpanPhrase::is_calendar)
}

/// What stands between two expressions, if it is a single small word.
#[derive(Debug, PartialEq, Eq)]
enum Junction {
    And,
    Or,
    Of,
}

fn junction(line: &TokenLine, word: &str) -> Option<Junction> {
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

fn ends_sentence(line: &TokenLine, from: usize, to: usize) -> bool {
    line.text.get(from..to).is_none_or(|between| between.contains(['!', '?', ';', '\n']) || between.contains(". "))
}
