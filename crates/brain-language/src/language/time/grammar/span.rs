//! Numbers and lengths of time: "2 hours", "an hour and a half", "1h30", "half a day".

use super::super::words::{Link, Sense, TokenKind, TokenLine, Unit};
use super::phrase::SpanPhrase;

/// Larger amounts are not times but typing errors or attacks.
const AMOUNT_MAX: u32 = 100_000;
const PARTS_MAX: usize = 4;

/// A number in digits or words ("5", "five", "forty-five").
pub fn number(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    if let Some((value, _)) = line.digits(i) {
        return Some((value, i + 1));
    }
    word_number(line, i)
}

pub fn word_number(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    let simple = |i| {
        line.pick(i, |a| match a.sense {
            Sense::Number(n) if !a.weak || n == 3 || n == 2 => Some(n),
            _ => None,
        })
    };
    let (value, next) = simple(i)?;
    if value >= 20 && value % 10 == 0 {
        let ones_at = if line.glued_mark(next, '-') { next + 1 } else { next };
        if let Some((ones, after)) = simple(ones_at).filter(|(n, _)| (1..10).contains(n)) {
            return Some((value + ones, after));
        }
    }
    Some((value, next))
}

/// A length of one or more parts: "1 hour and 15 minutes".
pub fn span(line: &TokenLine, i: usize) -> Option<(SpanPhrase, usize)> {
    let (mut total, mut end) = part(line, i)?;
    for _ in 1..PARTS_MAX {
        let at = line.link(end, Link::And).unwrap_or(end);
        let at = if line.mark(at, ',') { at + 1 } else { at };
        match part(line, at) {
            // "5 minutes 5 minutes" is not a sum; smaller units follow larger ones.
            Some((more, next)) if smaller(more, total) => {
                total = total.plus(more);
                end = next;
            }
            Some(_) | None => break,
        }
    }
    Some((total, end))
}

fn smaller(a: SpanPhrase, b: SpanPhrase) -> bool {
    let size = |s: SpanPhrase| s.months * 2_592_000 + (s.days + s.workdays) * 86_400 + s.seconds;
    size(a) < size(b)
}

fn part(line: &TokenLine, i: usize) -> Option<(SpanPhrase, usize)> {
    let length = line.pick(i, |a| match a.sense {
        Sense::Length(minutes) => Some(minutes),
        _ => None,
    });
    if let Some((minutes, next)) = length {
        return Some((SpanPhrase::of(Unit::Minute, minutes * 100), next));
    }
    let (hundredths, next, exact_digits) = amount(line, i)?;
    if exact_digits
        && (line.glued(next) || i.checked_sub(1).is_some_and(|before| line.link(before, Link::In).is_some()))
        && let Some(found) = short_part(line, next, hundredths)
    {
        return Some(found);
    }
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let (unit, next) = unit(line, next)?;
    if let Some((more, after)) = and_part(line, next) {
        return Some((SpanPhrase::of(unit, hundredths + more), after));
    }
    let span = SpanPhrase::of(unit, hundredths);
    // "1 hr 15".
    let minutes = line.digits(next).filter(|(n, digits)| *digits == 2 && *n < 60 && unit == Unit::Hour);
    match minutes.filter(|_| line.ends_figure(next + 1) && self::unit(line, next + 1).is_none()) {
        Some((n, _)) if line.tokens.get(next + 1).is_none_or(|t| t.kind != TokenKind::Word) => {
            Some((span.plus(SpanPhrase::of(Unit::Minute, i64::from(n) * 100)), next + 1))
        }
        Some(_) | None => Some((span, next)),
    }
}

/// "And a half", in hundredths.
fn and_part(line: &TokenLine, i: usize) -> Option<(i64, usize)> {
    line.pick(i, |a| match a.sense {
        Sense::And(hundredths) => Some(i64::from(hundredths)),
        _ => None,
    })
}

/// "2h", "45m", "1h30", "2d": the unit glued to its digits.
fn short_part(line: &TokenLine, i: usize, hundredths: i64) -> Option<(SpanPhrase, usize)> {
    let (unit, next) = line.pick(i, |a| match a.sense {
        Sense::ShortUnit(unit) => Some(unit),
        _ => None,
    })?;
    // "Seat 4D", but "IN 2H".
    let seat = unit == Unit::Day && line.tokens.get(i).and_then(|t| line.text.get(t.span.clone())) == Some("D");
    if seat {
        return None;
    }
    let span = SpanPhrase::of(unit, hundredths);
    let minutes = line.digits(next).filter(|(m, digits)| *digits == 2 && *m < 60);
    match minutes {
        Some((minutes, _)) if unit == Unit::Hour && line.glued(next) => {
            let rest = line.link(next + 1, Link::Follow).map_or(next + 1, |_| next + 1);
            Some((span.plus(SpanPhrase::of(Unit::Minute, i64::from(minutes) * 100)), rest))
        }
        _ => Some((span, next)),
    }
}

pub fn unit(line: &TokenLine, i: usize) -> Option<(Unit, usize)> {
    line.pick(i, |a| match a.sense {
        Sense::Unit(unit) => Some(unit),
        _ => None,
    })
}

/// Hundredths, the place after, and whether it was written in whole digits.
fn amount(line: &TokenLine, i: usize) -> Option<(i64, usize, bool)> {
    let fraction = |link, hundredths| Some((hundredths, line.link(i, link)?, false));
    if let Some(found) =
        fraction(Link::ThreeQuarters, 75).or_else(|| fraction(Link::Half, 50)).or_else(|| fraction(Link::Quarter, 25))
        && unit(line, found.1).is_some()
    {
        return Some(found);
    }
    let amount = line.pick(i, |a| match a.sense {
        Sense::Amount(hundredths) => Some(i64::from(hundredths)),
        _ => None,
    });
    if let Some((hundredths, next)) = amount {
        return Some((hundredths, next, false));
    }
    if line.digits(i).is_some() && !line.begins_figure(i) {
        return None;
    }
    let (whole, next) = match number(line, i) {
        Some(found) => found,
        None => (1, line.link(i, Link::Article)?),
    };
    if whole > AMOUNT_MAX {
        return None;
    }
    let whole = i64::from(whole) * 100;
    if let Some((hundredths, next)) = decimals(line, next) {
        return Some((whole + hundredths, next, true));
    }
    match and_part(line, next) {
        Some((more, after)) => Some((whole + more, after, false)),
        None => Some((whole, next, line.digits(i).is_some())),
    }
}

/// ".5" glued to a number.
fn decimals(line: &TokenLine, i: usize) -> Option<(i64, usize)> {
    if !(line.glued_mark(i, '.') || line.glued_mark(i, ',')) || !line.glued(i + 1) {
        return None;
    }
    let TokenKind::Number { value: Some(value), digits } = line.tokens.get(i + 1)?.kind else {
        return None;
    };
    match digits {
        1 => Some((i64::from(value) * 10, i + 2)),
        2 => Some((i64::from(value), i + 2)),
        _ => None,
    }
}
