//! Figures that may be hours or dates and fitted nowhere: "the 9.35 train on Friday", "closes 2359 on the 30th".

use super::super::words::{Link, TokenLine};
use super::numbered::day_number;
use super::phrase::{Date, Phrase, SpanPhrase};
use super::{Mention, clock, ends_clause};

/// Years are written with four digits as well.
const YEARS: std::ops::Range<u32> = 1900..2100;

/// The figure at `i` and the place after it, if it may say more about when.
pub fn unread_figure(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    line.digits(i).filter(|_| line.begins_figure(i))?;
    let says_day = |p: &Phrase| {
        p.date.as_ref().is_some_and(Date::is_one_day)
            || p.offset.is_some_and(SpanPhrase::is_calendar)
            || p.rule.is_some()
    };
    let day = heard.iter().any(|h| says_day(&h.phrase));
    let hour = heard.iter().any(|h| h.phrase.clock.is_some());
    let hour_alone = heard.iter().any(|h| h.phrase.is_time_alone());
    let occasion = heard.iter().all(|h| matches!(h.phrase.date, Some(Date::Holiday { .. })));
    let date = || {
        day_in_figures(line, i)
            .filter(|_| hour_alone || occasion && !heard.is_empty())
            .or_else(|| ordinal(line, i).filter(|_| hour_alone && !day))
    };
    let clock = || {
        hours_from_to(line, i)
            .or_else(|| open_ended(line, i, heard))
            .or_else(|| last_hour(line, i))
            .or_else(|| before_a_thing(line, i, heard))
            .or_else(|| dotted(line, i))
            .or_else(|| compact(line, i, heard))
            .filter(|_| day && !hour && !named_by(line, i))
    };
    date().or_else(clock).map(|next| (i, next))
}

/// "The concert is 8/14, doors at 6".
fn day_in_figures(line: &TokenLine, i: usize) -> Option<usize> {
    let (one, _) = line.digits(i).filter(|_| line.mark(i + 1, '/'))?;
    let (other, _) = line.digits(i + 2).filter(|_| line.glued(i + 1) && line.glued(i + 2))?;
    let fits = one.min(other) <= 12 && one.max(other) <= 31 && one.min(other) > 0;
    (fits && one.max(other) > 4 && line.ends_figure(i + 3)).then_some(i + 3)
}

/// "The 2nd review at 5", "gas man 27th, home by 5".
fn ordinal(line: &TokenLine, i: usize) -> Option<usize> {
    let (day, marked, next) = day_number(line, i)?;
    let article = i.checked_sub(1).is_some_and(|before| line.link(before, Link::The).is_some());
    let alone = day >= 10 && line.digits(i).is_some() && ends_clause(line, next);
    (day <= 31 && marked && (article || alone) && line.link(next, Link::Counted).is_none()).then_some(next)
}

/// "The 9.35 train"; "24.80" is a price.
fn dotted(line: &TokenLine, i: usize) -> Option<usize> {
    let (hour, _) = line.digits(i)?;
    let (minute, next) = clock::minutes_after(line, i + 1, '.')?;
    (hour < 24 && minute < 60 && !is_amount(line, next)).then_some(next)
}

/// "Tomorrow 930", "closes 2359".
fn compact(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<usize> {
    let (value, digits) = line.digits(i)?;
    // A phone number goes on.
    let among_others = |at: Option<usize>| at.is_some_and(|at| line.digits(at).is_some());
    let alone = !among_others(Some(i + 1)) && !among_others(i.checked_sub(1));
    let before = i.checked_sub(1).map(|b| line.tokens[b].span.end);
    let beside = heard.iter().any(|h| Some(h.span.end) == before);
    let day_follows = || heard.iter().any(|h| line.tokens.get(i + 1).is_some_and(|t| h.span.start == t.span.start));
    // "A budget of 500 due Friday".
    let part_of = i.checked_sub(1).is_some_and(|b| line.link(b, Link::Of).is_some());
    if digits == 3 && (beside || day_follows() && !part_of) {
        let clock = value % 100 < 60 && (1..13).contains(&(value / 100));
        return (clock && alone && !is_amount(line, i + 1)).then_some(i + 1);
    }
    let next = clock::plain(line, i)?.next;
    // Of the day that was, it is rather an amount.
    let past = heard.iter().any(|h| matches!(h.phrase.date, Some(Date::Day(..=-1))));
    (digits == 4 && alone && !past && !YEARS.contains(&value) && !is_amount(line, next)).then_some(next)
}

fn is_amount(line: &TokenLine, next: usize) -> bool {
    line.link(next, Link::Counted).is_some() || !line.ends_figure(next)
}

/// "Dentist on Friday, 2-4", but not "chapters 2-4 on Friday".
fn hours_from_to(line: &TokenLine, i: usize) -> Option<usize> {
    let is_hour = |at: usize| line.digits(at).filter(|(hour, digits)| *digits <= 2 && (1..=12).contains(hour));
    is_hour(i)?;
    let between = i.checked_sub(1).is_some_and(|before| line.link(before, Link::Between).is_some());
    let at = line.link(i + 1, Link::To).or_else(|| line.link(i + 1, Link::And).filter(|_| between))?;
    is_hour(at)?;
    (line.ends_figure(at + 1) && line.link(at + 1, Link::Counted).is_none()).then_some(at + 1)
}

/// "Late shift friday 4 til close".
fn open_ended(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<usize> {
    line.digits(i).filter(|(hour, digits)| *digits <= 2 && (1..=12).contains(hour))?;
    let before = line.tokens.get(i.checked_sub(1)?)?.span.end;
    let beside = heard.iter().any(|h| h.span.end == before);
    line.link(i + 1, Link::Until).or_else(|| line.link(i + 1, Link::To)).filter(|_| beside).map(|_| i + 1)
}

/// "The dentist is Friday and it's 5", but not "Friday, table for 4".
fn last_hour(line: &TokenLine, i: usize) -> Option<usize> {
    let last = i + 1 == line.tokens.len() && line.digits(i).is_some_and(|(hour, _)| (1..=12).contains(&hour));
    let counted = i.checked_sub(1).is_some_and(|before| {
        line.link(before, Link::For).or(line.link(before, Link::To)).is_some() || line.mark(before, '-')
    });
    (last && !counted).then_some(i + 1)
}

/// "Tmrw 11 seminar hall", but not "tomorrow 11 lanterns".
fn before_a_thing(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<usize> {
    line.digits(i).filter(|(hour, digits)| *digits <= 2 && (1..=12).contains(hour))?;
    let before = line.tokens.get(i.checked_sub(1)?)?.span.end;
    let beside = heard.iter().any(|h| h.span.end == before);
    let several = line.tokens.get(i + 1)?.key.ends_with('s');
    (beside && !several && line.is_plain_word(i + 1) && line.link(i + 1, Link::Counted).is_none()).then_some(i + 1)
}

/// "Room 1430".
fn named_by(line: &TokenLine, i: usize) -> bool {
    i.checked_sub(1).is_some_and(|before| line.link(before, Link::Label) == Some(i))
}
