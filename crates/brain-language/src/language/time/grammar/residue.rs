//! What was said about time and not understood: the rest must not be taken for all of it.
//!
//! All by the tables: words that can only be about time ("Friday" that fitted nowhere), phrases that
//! point at a time known to people only ("same time", "the day of the concert"), a day with a name
//! of its own beside a clock time ("freeday at 5"), and words that make another time of what
//! follows or precedes them ("the third Friday", "every day except the 5th"). A phrase next to one
//! of these is widened to it, so that whoever copies the words copies the doubt.

use std::ops::Range;

use super::super::TimeRole;
use super::super::words::{Link, Sense, TokenKind, TokenLine};
use super::figures::unread_figure;
use super::lookalike::lookalike;
use super::names::is_somebody;
use super::numbered::day_number;
use super::phrase::{Date, Phrase, TimeDoubt};
use super::span::{number, unit};
use super::{Mention, bytes, inside_compound};

/// Words of a name: "on mother in law's day", "the day of my sister's wedding".
const NAME_WORDS_MAX: usize = 3;

/// The minute of the day from which there are evenings.
const EVENING: i64 = 16 * 60;

/// Marks every phrase of a line in which part of the time was not understood.
/// `names` are words that only name something.
pub fn doubt(line: &TokenLine, heard: &mut Vec<Mention>, names: &[Range<usize>]) {
    let rests: Vec<Range<usize>> = (0..line.tokens.len())
        .filter_map(|i| {
            lookalike(line, i, heard)
                .or_else(|| names_time(line, i))
                .or_else(|| points_elsewhere(line, i, heard))
                .or_else(|| own_name(line, i, heard))
                .or_else(|| narrows(line, i, heard))
                .or_else(|| goes_on(line, i, heard))
                .or_else(|| corrected(line, i, heard))
                .or_else(|| unread_figure(line, i, heard))
                .or_else(|| part_apart(line, i, heard))
                .or_else(|| strange_zone(line, i, heard))
        })
        .map(|(from, to)| bytes(line, from, to))
        .filter(|rest| !heard.iter().map(|h| &h.span).chain(names).any(|s| s.start <= rest.start && rest.end <= s.end))
        .chain(heard.iter().filter_map(|h| counts_back(line, h)))
        .collect();
    let Some(first) = rests.first().and_then(|rest| line.text.get(rest.clone())) else {
        return;
    };
    for h in heard.iter_mut() {
        h.phrase.doubt = Some(TimeDoubt::Unread(first.to_owned()));
        for rest in &rests {
            if touches(line.text, &h.span, rest) {
                h.span = h.span.start.min(rest.start)..h.span.end.max(rest.end);
            }
        }
    }
    // Two phrases with what was not read between them are one.
    for i in 1..heard.len() {
        let end = heard[i - 1].span.end;
        if heard[i].span.start < end {
            heard[i].span.start = end.min(heard[i].span.end);
        }
    }
    heard.retain(|h| !h.span.is_empty());
}

/// A day or hour that only another language has words for: "Meeting am Dienstag um 3pm UK time".
pub fn doubt_what_others_heard<'h>(text: &str, heard: &mut [Mention], others: impl Iterator<Item = &'h Mention>) {
    let apart =
        |other: &&Mention| heard.iter().all(|h| h.span.end <= other.span.start || other.span.end <= h.span.start);
    // The name of a holiday may be that of an occasion.
    let named = |other: &Mention| matches!(other.phrase.date, Some(Date::Holiday { .. }));
    let timed = |other: &&Mention| (other.phrase.date.is_some() || other.phrase.clock.is_some()) && !named(other);
    let Some(words) = others.filter(timed).find(apart).and_then(|other| text.get(other.span.clone())) else {
        return;
    };
    for h in heard {
        h.phrase.doubt = Some(TimeDoubt::Unread(words.to_owned()));
    }
}

fn touches(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    let (left, right) = if one.start <= other.start { (one, other) } else { (other, one) };
    right.start <= left.end
        || text.get(left.end..right.start).is_some_and(|between| between.chars().all(|c| c.is_whitespace() || c == ','))
}

/// Does this token name a day or month?
pub fn names_day(line: &TokenLine, i: usize) -> bool {
    let says = |sense| matches!(sense, Sense::Weekday(_) | Sense::Day(_) | Sense::Month(_) | Sense::Holiday(_));
    line.atoms(i).iter().any(|a| says(a.sense) && !a.weak) || numeric_day(line, i)
}

/// "12.10.", "2026-10-12", "the 22nd".
fn numeric_day(line: &TokenLine, i: usize) -> bool {
    let marked = day_number(line, i).is_some_and(|(_, marked, _)| marked);
    marked
        || line.digits(i).is_some_and(|(_, digits)| digits <= 2)
            && ['.', '/'].iter().any(|m| line.glued_mark(i + 1, *m) && line.digits(i + 2).is_some())
}

/// Can this token only be about time: "Friday", "tomorrow", the minutes of "5:30"?
pub fn names_time(line: &TokenLine, i: usize) -> Option<(usize, usize)> {
    if is_somebody(line, i) {
        return None;
    }
    let says = |sense: Sense| {
        matches!(
            sense,
            Sense::Weekday(_)
                | Sense::Weekdays(_)
                | Sense::WeekdayPart(..)
                | Sense::Day(_)
                | Sense::DayPart(..)
                | Sense::Month(_)
                | Sense::Clock(..)
        )
    };
    let half_day = line.link(i, Link::Am).or(line.link(i, Link::Pm)).is_some();
    let after_digits = i > 0 && line.digits(i - 1).is_some();
    let named = line.pick(i, |a| (says(a.sense) && !a.weak).then_some(())).map(|(_, next)| (i, next));
    named
        .filter(|(_, next)| !inside_compound(line, i, *next))
        .or_else(|| (half_day && after_digits).then_some((i, i + 1)))
}

/// "Same time", "on the hour", "the day of (the concert)": up to a phrase soon after it.
fn points_elsewhere(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    if let Some(next) = line.link(i, Link::ThatDay) {
        let earlier = |h: &Mention| {
            h.span.end <= line.tokens[i].span.start && h.phrase.date.as_ref().is_some_and(Date::is_one_day)
        };
        return (!heard.iter().any(earlier)).then_some((i, next));
    }
    let next = line.link(i, Link::Residue)?;
    let read =
        |h: &Mention| h.span.contains(&line.tokens[i].span.start) && h.span.end >= line.tokens[next - 1].span.end;
    if heard.iter().any(read) {
        return None;
    }
    let starts = |at: &usize| line.tokens.get(*at).is_some_and(|t| heard.iter().any(|h| h.span.start == t.span.start));
    Some((i, (next..=next + NAME_WORDS_MAX).find(starts).unwrap_or(next)))
}

/// What would have made it another time: "the third Friday", "five and twenty past two", "not on Friday".
fn narrows(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let begins = |at: usize| line.tokens.get(at).is_some_and(|t| heard.iter().any(|h| h.span.start == t.span.start));
    if let Some(next) = line.link(i, Link::Excluded) {
        // The "on" may be part of the time or of these words.
        return (i + 1..=line.skip(next, &[Link::The])).any(begins).then_some((i, next));
    }
    if let Some((_, next)) = number(line, i).filter(|_| line.digits(i).is_none()) {
        let at = line.tokens.get(line.link(next, Link::And)?)?.span.start;
        let (_, past) = number(line, line.link(next, Link::And)?)?;
        let clock = heard.iter().any(|h| h.span.start == at && h.phrase.clock.is_some());
        let minutes = line.link(past, Link::Past).or(line.link(past, Link::BeforeHour));
        return (clock && minutes.is_some()).then_some((i, next));
    }
    // "A hundred days from today", "two days before the day after …".
    let unit = line.pick(i, |a| matches!(a.sense, Sense::Unit(_)).then_some(()));
    let counted = [Link::FromAnchor, Link::Before, Link::After];
    let goes_on = |at: &usize| line.tokens.get(*at).is_some_and(|t| t.kind == TokenKind::Word);
    if let Some(at) = unit.and_then(|(_, next)| counted.iter().find_map(|link| line.link(next, *link)).filter(goes_on))
    {
        return (i + 1..=line.skip(at, &[Link::The])).any(begins).then_some((i, at));
    }
    let (_, next) = line.pick(i, |a| match a.sense {
        Sense::Ordinal(_) | Sense::Which(_) | Sense::Amount(_) => (!a.weak).then_some(()),
        Sense::Link(Link::Quarter | Link::Half | Link::ThreeQuarters) => Some(()),
        _ => None,
    })?;
    let at = line.tokens.get(line.skip(next, &[Link::Of, Link::The]))?.span.start;
    let named = |h: &Mention| {
        let near = matches!(h.phrase.date, Some(Date::Day(_) | Date::Window(_))) || h.phrase.offset.is_some();
        !near && (h.phrase.date.is_some() || h.phrase.clock.is_some())
    };
    heard.iter().any(|h| h.span.start == at && named(h)).then_some((i, next))
}

/// What stands right behind it and would have changed it: "the 5th fortnight", "daily except then", "ten of four".
fn goes_on(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let before = i.checked_sub(1).and_then(|b| line.tokens.get(b))?.span.end;
    let phrase = &heard.iter().find(|h| h.span.end == before)?.phrase;
    let ends = |next: usize| line.tokens.get(next).is_none_or(|t| matches!(t.kind, TokenKind::Mark(_)));
    if let Some(next) = knows_which(line, i, phrase) {
        return Some((i, next));
    }
    let unit = line.pick(i, |a| (matches!(a.sense, Sense::Unit(_) | Sense::Which(_)) && !a.weak).then_some(()));
    if let Some((_, next)) = unit.filter(|(_, next)| ends(*next)) {
        return Some((i, next));
    }
    if let Some(next) = line.link(i, Link::Except) {
        let at = line.skip(next, &[Link::On, Link::The]);
        let named = line.tokens.get(at).is_some_and(|t| heard.iter().any(|h| h.span.start == t.span.start));
        // "But" goes on with anything.
        let (weak, _) = line.pick(i, |a| (a.sense == Sense::Link(Link::Except)).then_some(a.weak))?;
        let sure = !weak && phrase.rule.is_some();
        return (sure || named || names_time(line, at).is_some() || line.digits(at).is_some()).then_some((i, next));
    }
    let joined = [Link::And, Link::Of, Link::Or].into_iter().find_map(|link| Some((link, line.link(i, link)?)));
    let next = joined.map_or(i, |(_, next)| next);
    let (_, after) = number(line, next)?;
    let is_clock = phrase.clock.is_some() && !phrase.between;
    let hour_follows = || {
        let joins = [Link::Past, Link::BeforeHour];
        joins.iter().any(|link| line.link(after, *link).is_some_and(|at| number(line, at).is_some()))
    };
    let goes_on = match joined.map(|(link, _)| link) {
        Some(Link::Of) => phrase.is_clock_alone() && ends(after),
        // "Noon or 1", "6 Jan or 7".
        Some(Link::Or) => (phrase.clock.is_some() || phrase.date.is_some()) && ends(after),
        Some(_) => is_clock && hour_follows() || phrase.rule.is_some() && another_day(line, next),
        // "June twenty twenty seven", "the 5th nineteen thirty".
        None => line.digits(next).is_none() && phrase.date.is_some() && number(line, after).is_some(),
    };
    goes_on.then_some((i, after))
}

/// "Ten minutes before" what nobody said, or said in other words.
fn counts_back(line: &TokenLine, heard: &Mention) -> Option<Range<usize>> {
    heard.phrase.only_length()?;
    let after = line.begins_behind(heard.span.end)?;
    let next = line.link(after, Link::Beforehand).or_else(|| line.link(after, Link::Before))?;
    Some(heard.span.start..line.tokens[next - 1].span.end)
}

/// A part of the day that fitted nowhere, beside a day without an hour.
fn part_apart(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let (part, next) = line.pick(i, |a| match a.sense {
        Sense::Part(part) if !a.weak => Some(part),
        _ => None,
    })?;
    let open = |p: &Phrase| p.date.as_ref().is_some_and(Date::is_one_day) && p.clock.is_none() && p.part.is_none();
    // "A hotel for one night", "2 evenings".
    let counted = i.checked_sub(1).is_some_and(|b| number(line, b).is_some());
    // "Quiz night" is no night.
    let compound = part.from >= EVENING
        && i.checked_sub(1).is_some_and(|b| line.is_plain_word(b) || line.link(b, Link::Idiom).is_some());
    // "The night team", "the morning run".
    let article = i.checked_sub(1).is_some_and(|b| line.link(b, Link::The).is_some());
    let compound = compound || article && line.is_plain_word(next);
    (i > 0 && !compound && !counted && heard.iter().any(|h| open(&h.phrase))).then_some((i, next))
}

/// "4pm kyoto time": the hour of a place that no table holds, or of one that is told apart: "3pm call, Dubai time".
fn strange_zone(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let before = line.tokens.get(i.checked_sub(1)?)?.span.end;
    let of_here = |h: &Mention| h.phrase.clock.is_some() && h.phrase.zone.is_none();
    let (zone, at) = match line.pick(i, |a| matches!(a.sense, Sense::Place(_) | Sense::Zone(_)).then_some(())) {
        Some((_, at)) => (true, at),
        None => (false, i + 1),
    };
    let strange = line.is_plain_word(i) && line.link(i, Link::TimeOf).is_none();
    let next = line.link(at, Link::TimeWord).filter(|_| zone || strange)?;
    heard.iter().any(|h| of_here(h) && (zone || h.span.end == before)).then_some((i, next))
}

/// "Monday, no sorry, Tuesday", "at 3, make that 4": which of them counts is for the person to say.
fn corrected(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    // "The flat at no 46".
    let label = line.link(i, Link::Label).is_some_and(|at| line.digits(at).is_some());
    let clause = i.checked_sub(1).is_none_or(|before| matches!(line.tokens[before].kind, TokenKind::Mark(_)));
    let next = line.link(i, Link::Corrects).filter(|_| clause || !label)?;
    let here = line.tokens.get(i)?.span.start;
    let next = if line.mark(next, ',') { next + 1 } else { next };
    let after = line.tokens.get(next)?.span.start;
    let earlier = || heard.iter().filter(|h| h.span.end <= here);
    // "Make it 30 minutes" is no other time, and neither is "no one".
    let no_one = line.link(i, Link::Idiom).is_some();
    let short = line.digits(next).is_none_or(|(_, digits)| digits < 3);
    let figure = short && number(line, next).is_some_and(|(_, end)| unit(line, end).is_none()) && !no_one;
    // "After church, make it 1pm" says what was open.
    let same_kind = |new: &Phrase, old: &Phrase| {
        new.date.is_some() && old.date.is_some() || new.clock.is_some() && (old.clock.is_some() || old.part.is_some())
    };
    let new = heard.iter().find(|h| h.span.start == after);
    // "Make it ten minutes later".
    let again = new
        .is_some_and(|new| new.phrase.role != TimeRole::To && earlier().any(|old| same_kind(&new.phrase, &old.phrase)));
    (figure && new.is_none() && earlier().next().is_some() || again).then_some((i, next))
}

/// "The Sunday | the clocks fall back", "the Friday | before I leave": the one that is told by what follows.
fn knows_which(line: &TokenLine, i: usize, phrase: &Phrase) -> Option<usize> {
    let day = matches!(phrase.date, Some(Date::Weekday { which: None, weeks: 0, .. }));
    let bare = Phrase { date: None, ..phrase.clone() }.is_empty();
    let article = i.checked_sub(2).is_some_and(|at| line.link(at, Link::The).is_some());
    let joins = [Link::The, Link::Pronoun, Link::Before, Link::After];
    let next = joins.iter().find_map(|link| line.link(i, *link))?;
    (day && bare && article && line.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Word)).then_some(next)
}

/// "(Every 1st) and 15th".
fn another_day(line: &TokenLine, i: usize) -> bool {
    day_number(line, i).is_some_and(|(_, marked, _)| marked)
}

/// A day with a name of its own, beside a clock time that has no day: from its preposition to its end.
fn own_name(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let (sure, next) = line.pick(i, |a| (a.sense == Sense::Link(Link::DayName)).then_some(!a.weak))?;
    let here = bytes(line, i, next);
    let clocks = || heard.iter().filter(|h| h.phrase.is_clock_alone());
    if let Some(from) = preposition(line, i) {
        // "On the birthday of grandma".
        let next = line
            .link(next, Link::Of)
            .map_or(next, |of| (line.link(of, Link::The).unwrap_or(of) + 1).min(line.tokens.len()));
        let whole = bytes(line, from, next);
        return clocks().any(|h| touches(line.text, &h.span, &whole)).then_some((from, next));
    }
    let from = if compound(line, i) { i } else { name_before(line, i)? };
    let leads = clocks().any(|h| here.end <= h.span.start && touches(line.text, &here, &h.span));
    (sure && leads).then_some((from, next))
}

/// The "on" before a name of at most [`NAME_WORDS_MAX`] words.
fn preposition(line: &TokenLine, i: usize) -> Option<usize> {
    for from in (i.saturating_sub(NAME_WORDS_MAX + 1)..i).rev() {
        if line.link(from, Link::On).is_some() && line.link(from, Link::The).is_none() {
            return Some(from);
        }
        if line.tokens.get(from).is_none_or(|t| t.kind != TokenKind::Word) {
            return None;
        }
    }
    None
}

/// The name in one word: "freeday", "Ruhetag".
fn compound(line: &TokenLine, i: usize) -> bool {
    line.pick(i, |a| matches!(a.sense, Sense::Unit(_)).then_some(())).is_none()
}

/// "Pancake day", but not "my day", "5 day".
fn name_before(line: &TokenLine, i: usize) -> Option<usize> {
    let before = i.checked_sub(1)?;
    let is_name = line.tokens.get(before)?.kind == TokenKind::Word && line.atoms(before).is_empty();
    is_name.then_some(before)
}
