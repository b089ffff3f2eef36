//! Dates in figures: 2026-01-12T17:00, 3/4, 03.04.2026, 12-05-2026.

use chrono::{NaiveDate, NaiveTime};

use super::super::DateOrder;
use super::super::words::{Link, TokenLine};
use super::date::{Company, DateReading};
use super::ends_clause;
use super::phrase::{Date, MonthOf, Zone};

pub fn date(line: &TokenLine, i: usize, order: DateOrder) -> Option<DateReading> {
    let (first, digits) = line.digits(i)?;
    if !line.begins_figure(i) {
        return None;
    }
    if digits == 4 {
        let (date, next) = year_first(line, i)?;
        return Some(DateReading { date, part: None, next, company: Company::Nothing });
    }
    let mark = ['/', '.', '-'].into_iter().find(|m| line.glued_mark(i + 1, *m))?;
    let (second, second_digits) = line.digits(i + 2).filter(|_| line.glued(i + 2))?;
    if digits > 2 || second_digits > 2 {
        return None;
    }
    let year = year_after(line, i + 3, mark);
    let next = year.map_or(i + 3, |(_, next)| next);
    if is_size(line, i) {
        return None;
    }
    let dotted_end = mark == '.' && year.is_none() && line.link(next, Link::OrdinalDot).is_some() && line.glued(next);
    // "On 12.10. at 5": no end of a sentence.
    let dotted = mark == '.'
        && year.is_none()
        && line.glued_mark(next, '.')
        && line.tokens.get(next + 1).is_some_and(|t| {
            // A capital begins another sentence.
            t.spaced && !line.text.get(t.span.clone()).is_some_and(|word| word.starts_with(char::is_uppercase))
        });
    let next = if dotted_end || dotted { next + 1 } else { next };
    if !line.ends_figure(next) {
        return None;
    }
    let company = match (mark, year) {
        // "The code is 18-4-32".
        ('-', Some((_, next))) if line.digits(next - 1).is_some_and(|(_, digits)| digits == 2) => Company::Some,
        (_, Some(_)) => Company::Nothing,
        // "15/8" is no fraction, and "10/8 - 21/8" not two of them.
        ('/', None) if order == DateOrder::DayFirst && first > 12 && second <= 12 => Company::Nothing,
        // Nobody halves by 13, but inches are in sixteenths.
        ('/', None)
            if order == DateOrder::MonthFirst && first <= 12 && second > 12 && (second != 16 || runs_out(line, i)) =>
        {
            Company::Nothing
        }
        // An improper fraction is none, and neither is what "closes 4/7".
        ('/', None) if (first > second || first == second && first > 3) && (i == 0 || ends_clause(line, next)) => {
            Company::Nothing
        }
        ('/', None) if ends_clause(line, next) && runs_out(line, i) => Company::Nothing,
        ('/', None) if slashed_follows(line, next) => Company::Nothing,
        ('/', None) if ends_clause(line, next) => Company::Lead,
        ('/', None) => Company::Some,
        ('.', None) if dotted_end => Company::Nothing,
        ('.', None) if dotted || line.glued_mark(next, '.') => Company::Some,
        ('.', None) => Company::On,
        // "3.4" is a decimal, "3-4" a range.
        _ => return None,
    };
    let day_first = mark == '.' || order == DateOrder::DayFirst;
    let (day, month) = in_order(first, second, day_first)?;
    if mark == '.' && year.is_none() && (day > 31 || month > 12) {
        return None;
    }
    let month = MonthOf::Named { month, year: year.map(|(y, _)| y), which: None };
    let date = Date::Numbered { day, month: Some(month), weekday: None };
    Some(DateReading { date, part: None, next, company })
}

/// "12/3 wire", "3/4 inch", "a 3/2".
pub fn is_size(line: &TokenLine, i: usize) -> bool {
    let slashed = line.glued_mark(i + 1, '/') && line.digits(i).is_some() && line.digits(i + 2).is_some();
    // "The bungalow is a 3/2".
    let one = i.checked_sub(1).is_some_and(|b| line.link(b, Link::Article) == Some(i));
    slashed && (one || line.link(i + 3, Link::Counted).is_some() || is_full_mark(line, i))
}

/// The best mark of a scale, "8/10".
const MARK_MAX: u32 = 10;

/// "That was 10/10", but not "dentist 10/10".
fn is_full_mark(line: &TokenLine, i: usize) -> bool {
    let full = [i, i + 2].into_iter().all(|at| line.digits(at).is_some_and(|(figure, _)| figure == MARK_MAX));
    let told = |b: usize| [Link::ToldOn, Link::Present].iter().any(|link| line.link(b, *link) == Some(i));
    full && i.checked_sub(1).is_some_and(told)
}

/// "Starts 4/7", "expires 6/10".
fn runs_out(line: &TokenLine, i: usize) -> bool {
    // What "is 6/9" may be a mark; none is out of sixteen.
    let high = [i, i + 2].into_iter().any(|at| line.digits(at).is_some_and(|(figure, _)| figure > MARK_MAX));
    let present = high.then_some(Link::Present);
    let says =
        |at: usize| [Link::Ends, Link::Runs].into_iter().chain(present).any(|link| line.link(at, link) == Some(i));
    (i.saturating_sub(2)..i).any(says)
}

/// "… - 21/8".
fn slashed_follows(line: &TokenLine, i: usize) -> bool {
    let figures = |at: usize| line.digits(at).is_some_and(|(_, digits)| digits <= 2);
    line.link(i, Link::To).is_some_and(|at| {
        figures(at) && line.glued_mark(at + 1, '/') && figures(at + 2) && line.glued(at + 2) && line.ends_figure(at + 3)
    })
}

/// "15.10", if it may be a day and a month; `next` is the place after it.
pub fn day_and_month(line: &TokenLine, i: usize, next: usize) -> Option<Date> {
    let ((day, _), (month, _)) = (line.digits(i)?, line.digits(i + 2)?);
    let fits = line.glued_mark(i + 1, '.') && next == i + 3 && (1..=31).contains(&day) && (1..=12).contains(&month);
    let month = MonthOf::Named { month, year: None, which: None };
    fits.then_some(Date::Numbered { day, month: Some(month), weekday: None })
}

/// Day and month of two numbers.
fn in_order(first: u32, second: u32, day_first: bool) -> Option<(u32, u32)> {
    let (day, month) = if day_first { (first, second) } else { (second, first) };
    if day == 0 || month == 0 {
        return None;
    }
    // Only one order may make sense: 12/25 is Christmas everywhere.
    let swapped = month > 12 && day <= 12;
    Some(if swapped { (month, day) } else { (day, month) })
}

fn year_after(line: &TokenLine, i: usize, mark: char) -> Option<(i32, usize)> {
    if !line.glued_mark(i, mark) || !line.glued(i + 1) {
        return None;
    }
    let (value, digits) = line.digits(i + 1)?;
    match digits {
        4 if (1900..2200).contains(&value) => Some((value as i32, i + 2)),
        2 => Some((2000 + value as i32, i + 2)),
        _ => None,
    }
}

/// 2026-01-12 or 2026/01/12.
fn year_first(line: &TokenLine, i: usize) -> Option<(Date, usize)> {
    let (year, _) = line.digits(i).filter(|(y, _)| (1000..=9999).contains(y))?;
    let mark = ['-', '/', '.'].into_iter().find(|m| line.glued_mark(i + 1, *m))?;
    let (month, _) = line.digits(i + 2).filter(|(_, d)| *d <= 2)?;
    if !line.glued_mark(i + 3, mark) || !line.glued(i + 4) {
        return None;
    }
    let (day, _) = line.digits(i + 4).filter(|(_, d)| *d <= 2)?;
    let date = match NaiveDate::from_ymd_opt(year as i32, month, day) {
        Some(date) => Date::Exact(date),
        None => Date::Missing(format!("there is no day {year}-{month:02}-{day:02}")),
    };
    Some((date, i + 5))
}

/// A date with its clock in ISO 8601: 2026-01-12T17:00, 2026-01-12 17:00:00+01:00. A date alone is
/// left to [`date`].
pub fn iso(line: &TokenLine, i: usize) -> Option<(Date, Option<Zone>, usize)> {
    if !line.begins_figure(i) || line.digits(i).is_none_or(|(_, digits)| digits != 4) {
        return None;
    }
    let (date, next) = year_first(line, i)?;
    let end = line.tokens.get(next - 1)?.span.end;
    let clock = line.text.get(end..)?.strip_prefix(['T', 't', ' '])?;
    let (time, used) = clock_text(clock)?;
    let (zone, zone_used) = offset_text(&clock[used..]).map_or((None, 0), |(z, n)| (Some(z), n));
    let stop = end + 1 + used + zone_used;
    let next = line.first_at(stop);
    let date = match (date, time) {
        (Date::Exact(date), Some(time)) => Date::Local(date.and_time(time)),
        (Date::Exact(_), None) => Date::Missing(format!("there is no clock time {}", &clock[..used])),
        (other, _) => other,
    };
    Some((date, zone, next))
}

/// hh:mm with optional seconds and fraction; the inner `None` is no such time.
fn clock_text(text: &str) -> Option<(Option<NaiveTime>, usize)> {
    let bytes = text.as_bytes();
    let two = |at: usize| {
        let digits = bytes.get(at..at + 2)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| u32::from(digits[0] - b'0') * 10 + u32::from(digits[1] - b'0'))
    };
    let hour = two(0)?;
    let minute = two(3).filter(|_| bytes.get(2) == Some(&b':'))?;
    let (second, mut used) = match two(6).filter(|_| bytes.get(5) == Some(&b':')) {
        Some(second) => (second, 8),
        None => (0, 5),
    };
    if used == 8 && bytes.get(8) == Some(&b'.') {
        let fraction = bytes[9..].iter().take_while(|b| b.is_ascii_digit()).count();
        used += if fraction > 0 { 1 + fraction } else { 0 };
    }
    // "2026-01-12 05:30pm" is left to the words.
    let rest = text.get(used..)?.trim_start();
    let ends = !rest.starts_with(|c: char| c.is_ascii_digit() || c.is_alphabetic() && !matches!(c, 'Z' | 'z'))
        || text[used..].starts_with(' ') && !rest.starts_with(['a', 'A', 'p', 'P']);
    ends.then_some((NaiveTime::from_hms_opt(hour, minute, second.min(59)), used))
}

/// "Z", "+01:00", "-0500", "+2".
pub fn offset_text(text: &str) -> Option<(Zone, usize)> {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return (!rest.starts_with(char::is_alphanumeric)).then_some((Zone::Fixed(0), 1));
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = |from: usize| text.as_bytes().iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let value = |from: usize, n: usize| text.get(from..from + n)?.parse::<i32>().ok();
    let (hours, minutes, used) = match digits(1) {
        n @ (1 | 2) if text.as_bytes().get(1 + n) == Some(&b':') && digits(2 + n) == 2 => {
            (value(1, n)?, value(2 + n, 2)?, 4 + n)
        }
        n @ (1 | 2) => (value(1, n)?, 0, 1 + n),
        4 => (value(1, 2)?, value(3, 2)?, 5),
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some((Zone::Fixed(sign * (hours * 60 + minutes)), used))
}
