//! Clock times: "5pm", "17:30", "half past six", "quarter to 8", "halb sechs".

use super::super::words::{Link, Sense, TokenLine, Unit};
use super::phrase::{ClockPhrase, Dial};
use super::span::{number, unit, word_number};

/// A clock time and how sure it is that it is one.
#[derive(Debug, Clone, Copy)]
pub struct ClockReading {
    pub clock: ClockPhrase,
    pub next: usize,
    pub surety: Surety,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surety {
    /// A figure like "11.52"; needs a date right before it.
    Odd,
    /// A bare number; needs "at" or a date beside it.
    Bare,
    /// "5.30", "17h", "five thirty": needs "at" or a date, but not much else could be meant.
    Likely,
    Sure,
}

pub fn clock(line: &TokenLine, i: usize) -> Option<ClockReading> {
    relative(line, i).or_else(|| plain(line, i))
}

pub fn plain(line: &TokenLine, i: usize) -> Option<ClockReading> {
    if line.digits(i).is_some() && !line.begins_figure(i) {
        return None;
    }
    let named = line.pick(i, |a| match a.sense {
        Sense::Clock(hour, minute) => Some((hour, minute)),
        _ => None,
    });
    if let Some(((hour, minute), next)) = named {
        return Some(sure(hour, minute, if hour == 0 { Dial::Midnight } else { Dial::Full }, next));
    }
    in_digits(line, i).or_else(|| in_words(line, i))
}

fn sure(hour: u32, minute: u32, dial: Dial, next: usize) -> ClockReading {
    ClockReading { clock: ClockPhrase { hour, minute, dial }, next, surety: Surety::Sure }
}

/// The dial of an hour as it was written: 13, 0 and 05 belong to the full one.
fn dial(hour: u32, digits: usize) -> Dial {
    let full = hour > 12 || hour == 0 || (digits >= 2 && hour < 10);
    if full { Dial::Full } else { Dial::Half }
}

fn in_digits(line: &TokenLine, i: usize) -> Option<ClockReading> {
    let (value, digits) = line.digits(i)?;
    if digits >= 3 {
        return compact(line, i, value, digits);
    }
    let next = i + 1;
    if let Some((minute, next)) = minutes_after(line, next, ':') {
        // "4:21:09" is rather how long it took, "5:52/km" how fast.
        let (next, surety) = match seconds_after(line, next) {
            Some(next) => (next, Surety::Likely),
            None => (next, Surety::Sure),
        };
        let each = line.is_plain_word(next + 1) || line.link(next + 1, Link::Counted).is_some();
        if line.glued_mark(next, '/') && each {
            return None;
        }
        // "16:15h"
        let next = line.link(next, Link::ClockH).filter(|_| line.glued(next)).unwrap_or(next);
        // "17:30 hrs"; "1:30 hours" is a length.
        let full = dial(value, digits) == Dial::Full;
        let next = line.link(next, Link::ClockHours).filter(|_| full).unwrap_or(next);
        let heard = finish(line, value, minute, digits, next, surety);
        let full = ClockPhrase { dial: Dial::Full, ..heard.clock };
        let clock = if line.full_dial { full } else { heard.clock };
        return Some(ClockReading { clock, ..heard }).filter(|h| ends(line, h.next));
    }
    let h = line.link(next, Link::ClockH).filter(|_| line.glued(next));
    if let Some((minute, next)) = h.and_then(|n| two_digits(line, n)) {
        return Some(finish(line, value, minute, 2, next, Surety::Sure));
    }
    if let Some((minute, next)) = minutes_after(line, next, '.') {
        // "At 1.17" is a figure, unless more is said.
        let leaves = line.link(next, Link::Carrier).is_some();
        let surety = if leaves {
            Surety::Sure
        } else if minute % 5 == 0 {
            Surety::Likely
        } else {
            Surety::Odd
        };
        let heard = finish(line, value, minute, digits, next, surety);
        // "6.45 Uhr" is in the morning.
        let full = line.full_dial && heard.surety == Surety::Sure;
        let clock = if full { ClockPhrase { dial: Dial::Full, ..heard.clock } } else { heard.clock };
        return Some(ClockReading { clock, ..heard }).filter(|h| value < 25 && minute < 60 && ends(line, h.next));
    }
    // "6 30 pm".
    let apart = line.digits(next).filter(|(minute, digits)| *digits == 2 && *minute < 60 && value <= 12);
    if let Some((minute, _)) = apart
        && let Some((hour, next)) = meridiem(line, value, next + 1)
    {
        return Some(sure(hour, minute, Dial::Full, next));
    }
    if value > 24 {
        return None;
    }
    // "Der 8-Uhr-Zug".
    if let Some(next) = line.link(next + 1, Link::Oclock).filter(|_| line.glued_mark(next, '-')) {
        return Some(sure(value, 0, dial(value, digits), next));
    }
    let heard = finish(line, value, 0, digits, next, Surety::Bare);
    if heard.surety == Surety::Sure {
        return Some(heard);
    }
    if let Some(next) = h {
        return Some(ClockReading { next, surety: Surety::Likely, ..heard });
    }
    // "2 by 24" is no midnight.
    (value < 24 && ends(line, next)).then_some(heard)
}

/// Does the figure end? A dash may join it to the end of a range.
fn ends(line: &TokenLine, i: usize) -> bool {
    line.ends_figure(i) || line.glued_mark(i, '-')
}

/// "1730", "530pm".
fn compact(line: &TokenLine, i: usize, value: u32, digits: usize) -> Option<ClockReading> {
    let (hour, minute) = (value / 100, value % 100);
    // A phone number goes on.
    let among_others = |at: Option<usize>| at.is_some_and(|at| line.digits(at).is_some());
    // "Oct 12 0830", "12 Oct 2026 0830".
    let after_a_date = digits == 4
        && hour < 10
        && i.checked_sub(1)
            .and_then(|b| line.digits(b))
            .is_some_and(|(n, digits)| digits <= 2 || (1900..2100).contains(&n));
    if digits > 4 || hour > 24 || minute > 59 || among_others(i.checked_sub(1)) && !after_a_date {
        return None;
    }
    // "0825" is hardly anything else.
    let surety = if digits == 4 && hour < 10 && !among_others(Some(i + 1)) { Surety::Likely } else { Surety::Bare };
    // "630" is on either half of the day, "0630" is not.
    let mut heard = finish(line, hour, minute, digits - 2, i + 1, surety);
    if heard.surety < Surety::Sure
        && let Some(next) = line.link(i + 1, Link::ClockHours)
    {
        heard = ClockReading { next, surety: Surety::Sure, ..heard };
    }
    // "At 630", but hardly "at 637".
    let like_an_hour = digits == 4 || hour > 0 && minute % 5 == 0;
    let fits = heard.surety == Surety::Sure || like_an_hour && line.ends_figure(i + 1);
    fits.then_some(heard)
}

/// Takes what may follow the digits: am/pm, "o'clock", "Uhr 30".
fn finish(line: &TokenLine, hour: u32, minute: u32, digits: usize, next: usize, surety: Surety) -> ClockReading {
    if let Some((half_hour, next)) = meridiem(line, hour, next) {
        // "8 am sharp".
        return sure(half_hour, minute, Dial::Full, line.link(next, Link::Oclock).unwrap_or(next));
    }
    let dial = dial(hour, digits);
    if let Some(next) = line.link(next, Link::Oclock) {
        if let Some((half_hour, next)) = meridiem(line, hour, next) {
            return sure(half_hour, minute, Dial::Full, next);
        }
        return match uhr_minutes(line, next) {
            // "6 Uhr 15" is in the morning.
            Some((minute, next)) => sure(hour, minute, Dial::Full, next),
            None => sure(hour, minute, dial, next),
        };
    }
    ClockReading { clock: ClockPhrase { hour, minute, dial }, next, surety }
}

/// "17 Uhr 30".
fn uhr_minutes(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    let (minute, next) = number(line, i)?;
    // "17 Uhr 12. Oktober" goes on with a date.
    let ends = line.full_dial && line.ends_figure(next) && !line.mark(next, '.') && unit(line, next).is_none();
    ((5..60).contains(&minute) && ends).then_some((minute, next))
}

/// Am or pm after an hour: the hour on the full dial.
fn meridiem(line: &TokenLine, hour: u32, i: usize) -> Option<(u32, usize)> {
    if let Some(next) = line.link(i, Link::Am) {
        return Some((if hour == 12 { 0 } else { hour }, next));
    }
    let short = |link| line.link(i, link).filter(|_| line.glued(i) && line.digits(i - 1).is_some());
    if let Some(next) = short(Link::AmShort).filter(|_| hour <= 12) {
        return Some((hour % 12, next));
    }
    let next = line.link(i, Link::Pm).or_else(|| short(Link::PmShort).filter(|_| hour <= 12))?;
    Some((if hour < 12 { hour + 12 } else { hour }, next))
}

pub fn minutes_after(line: &TokenLine, i: usize, mark: char) -> Option<(u32, usize)> {
    if !line.glued_mark(i, mark) {
        return None;
    }
    two_digits(line, i + 1)
}

fn seconds_after(line: &TokenLine, i: usize) -> Option<usize> {
    minutes_after(line, i, ':').map(|(_, next)| next)
}

fn two_digits(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    let (value, digits) = line.digits(i)?;
    (digits == 2 && line.glued(i)).then_some((value, i + 1))
}

/// "five", "five thirty", "five pm", "five o'clock", "oh nine hundred".
fn in_words(line: &TokenLine, i: usize) -> Option<ClockReading> {
    if let Some(heard) = military(line, i) {
        return Some(heard);
    }
    let (hour, next) = word_number(line, i).filter(|(h, _)| (1..=24).contains(h))?;
    // "Twenty-ninth", "nineteen ninety-eight".
    let longer = line.glued_mark(next, '-') && line.glued(next + 1);
    if longer || hour > 12 && word_number(line, next).is_some_and(|(n, _)| n > 59) {
        return None;
    }
    if let Some((minute, after)) = word_number(line, next).filter(|(m, _)| (10..60).contains(m))
        && unit(line, after).is_none()
    {
        return Some(finish(line, hour, minute, 1, after, Surety::Likely));
    }
    Some(finish(line, hour, 0, 1, next, Surety::Bare))
}

/// "Oh seven hundred", "zero six thirty", "twenty-two hundred hours".
fn military(line: &TokenLine, i: usize) -> Option<ClockReading> {
    let zero = line.pick(i, |a| (a.sense == Sense::Number(0)).then_some(()));
    let (hour, next) = match zero {
        Some((_, next)) => number(line, next).filter(|(h, _)| (1..=9).contains(h))?,
        None => word_number(line, i).filter(|(h, _)| (1..=24).contains(h))?,
    };
    let hours = |next| line.link(next, Link::ClockHours);
    match line.link(next, Link::Hundred) {
        Some(next) if zero.is_some() => Some(sure(hour, 0, Dial::Full, hours(next).unwrap_or(next))),
        Some(next) => Some(sure(hour, 0, Dial::Full, hours(next)?)),
        None => {
            let (minute, next) = word_number(line, next).filter(|(m, _)| zero.is_some() && (10..60).contains(m))?;
            Some(sure(hour, minute, Dial::Full, hours(next).unwrap_or(next)))
        }
    }
}

/// "Half past six", "20 past 4", "quarter to 8", "half six", "fünf vor halb sechs".
fn relative(line: &TokenLine, i: usize) -> Option<ClockReading> {
    if let Some(next) = line.link(i, Link::HalfTo) {
        return on_the_hour(line, next, -30);
    }
    if let Some(heard) = quarters_to(line, i) {
        return Some(heard);
    }
    // "Quarter of nine", in the United States.
    if let Some(heard) = line.link(i, Link::QuarterTo).and_then(|next| on_the_hour(line, next, -15)) {
        return Some(heard);
    }
    let article = line.link(i, Link::Article).unwrap_or(i);
    let (minutes, next, in_words) = if let Some(next) = line.link(i, Link::Quarter) {
        (15, next, true)
    } else if let Some(next) = line.link(article, Link::Half) {
        if line.link(next, Link::Past).is_none() {
            // British "half six"; an amount ("half 5 litres") has a unit.
            let heard = on_the_hour(line, next, 30)?;
            return (unit(line, heard.next).is_none()).then_some(heard);
        }
        (30, next, true)
    } else {
        let (n, next) = number(line, i).filter(|(n, _)| (1..=59).contains(n))?;
        if line.digits(i).is_some() && !line.begins_figure(i) {
            return None;
        }
        let in_words = line.digits(i).is_none();
        match unit(line, next) {
            Some((Unit::Minute, next)) => (i64::from(n), next, true),
            Some(_) => return None,
            None => (i64::from(n), next, in_words),
        }
    };
    if let Some(next) = line.link(next, Link::Past) {
        return around(line, next, minutes);
    }
    let next = line.link(next, Link::BeforeHour)?;
    let heard = around(line, next, -minutes)?;
    // "2 to 4" is a range; "20 to 4" and "five to four" are not.
    let minutes_like = minutes % 5 == 0 && minutes <= 25;
    // "21 to 9" is a score.
    if in_words && minutes_like || minutes > 12 && (in_words || minutes % 5 == 0) {
        return Some(heard);
    }
    minutes_like.then_some(ClockReading { surety: Surety::Bare, ..heard })
}

/// "Dreiviertel acht" is 7:45, "viertel acht" 7:15: where a half counts towards the hour, quarters
/// do as well.
fn quarters_to(line: &TokenLine, i: usize) -> Option<ClockReading> {
    let quarters = [(Link::ThreeQuarters, -15), (Link::Quarter, -45)];
    let (next, minutes) = quarters.into_iter().find_map(|(link, minutes)| Some((line.link(i, link)?, minutes)))?;
    on_the_hour(line, next, minutes).filter(|_| line.full_dial)
}

fn around(line: &TokenLine, i: usize, minutes: i64) -> Option<ClockReading> {
    match line.link(i, Link::HalfTo) {
        Some(next) => on_the_hour(line, next, minutes - 30),
        None => on_the_hour(line, i, minutes),
    }
}

/// The whole hour at `i`, `minutes` away.
fn on_the_hour(line: &TokenLine, i: usize, minutes: i64) -> Option<ClockReading> {
    let named = line.pick(i, |a| match a.sense {
        Sense::Clock(hour, 0) => Some(hour),
        _ => None,
    });
    let base = match named {
        Some((hour, next)) => sure(hour, 0, Dial::Full, next),
        None => {
            let (hour, next) = number(line, i).filter(|(h, _)| (1..=24).contains(h))?;
            if !line.ends_figure(next) && line.link(next, Link::Am).or(line.link(next, Link::Pm)).is_none() {
                return None;
            }
            let goes_on = line.glued_mark(next, ':') && line.digits(next + 1).is_some() && line.glued(next + 1);
            if goes_on || unit(line, next).is_some() {
                return None;
            }
            finish(line, hour, 0, 1, next, Surety::Sure)
        }
    };
    let hours = match base.clock.dial {
        Dial::Full | Dial::Midnight => 24,
        Dial::Half => 12,
    };
    let total = (i64::from(base.clock.hour) * 60 + minutes).rem_euclid(hours * 60);
    let (hour, minute) = ((total / 60) as u32, (total % 60) as u32);
    // On the half dial twelve stands for zero: "half past twelve" is 12:30.
    let hour = if hours == 12 && hour == 0 { 12 } else { hour };
    Some(sure(hour, minute, base.clock.dial, base.next))
}
