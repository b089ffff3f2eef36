//! Date agreement: one day, named twice in a message.
//!
//! Whether two names are of one day is known only when both are resolved. If they are, the one without an hour has
//! that of the other, and there is nothing to ask about. Two times that are not the same, in a message that neither
//! asks to be told nor moves anything, are a question.

use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;

use super::grammar::{ClockPhrase, Date, Mention, Period, Phrase, TimeDoubt};
use super::words::DaySet;
use super::{Reference, TimeRole, grammar, resolve};

/// Of a conjunction between two days.
const JOINT_CHARS_MAX: usize = 3;

/// Gives each name of a day the hour that another name of it has, and doubts what is left of several times.
pub fn agree(text: &str, heard: &mut [Mention], reference: &Reference) {
    // A request to be told on a day about a thing on a day: two times, each with its own part.
    if heard.len() < 2 || grammar::asks_to_be_told(text) {
        return;
    }
    let days: Vec<Option<NaiveDate>> = heard.iter().map(|h| day_of(&h.phrase, reference)).collect();
    settle(heard, &days);
    for i in 0..heard.len() {
        let of_day = |j: &usize| *j != i && days[*j].is_some() && days[*j] == days[i];
        let mut timed: Vec<usize> =
            (0..heard.len()).filter(of_day).filter(|&j| heard[j].phrase.clock.is_some()).collect();
        timed.dedup_by_key(|j| heard[*j].phrase.clock);
        if let [j] = timed[..]
            && open_to(&heard[i].phrase, heard[j].phrase.clock)
        {
            heard[i].phrase = heard[j].phrase.clone();
        }
    }
    doubt_several(text, heard, reference);
}

/// Several clock times beside a day, and nothing says which is meant.
fn doubt_several(text: &str, heard: &mut [Mention], reference: &Reference) {
    let related = |p: &Phrase| p.role == TimeRole::To || p.doubt.is_some() || p.counts_exactly();
    let known = heard.iter().any(|h| related(&h.phrase));
    if known || !grammar::request_in(text).is_empty() {
        return;
    }
    let starts: Vec<(usize, DateTime<Tz>)> =
        heard.iter().enumerate().filter_map(|(i, h)| Some((i, start_of(h, reference)?))).collect();
    let differ = starts.windows(2).any(|pair| {
        let ((i, one), (j, other)) = (pair[0], pair[1]);
        let between = text.get(heard[i].span.end..heard[j].span.start).unwrap_or_default();
        let begins = heard[i].phrase.rule.is_some() != heard[j].phrase.rule.is_some();
        let same = one == other || begins && one.date_naive() == other.date_naive();
        !same && !is_list(&heard[i].phrase, &heard[j].phrase, between)
    });
    if differ {
        for (i, _) in starts {
            heard[i].phrase.doubt = Some(TimeDoubt::OneOfSeveral);
        }
    }
}

/// Where a phrase begins that stands by itself.
fn start_of(heard: &Mention, reference: &Reference) -> Option<DateTime<Tz>> {
    let phrase = &heard.phrase;
    let day = |date: &Date| date.is_one_day() && !matches!(date, Date::Edge(_, Period::Year(_)));
    let often = phrase.is_only_rule() && phrase.rule.is_some_and(|rule| rule.days == DaySet::default());
    let says = phrase.clock.is_some() || phrase.date.as_ref().is_some_and(day) || phrase.rule.is_some() && !often;
    let plain = phrase.role == TimeRole::Plain && says && !heard.excluded;
    plain.then(|| resolve::resolve(phrase, reference).ok()?.start()).flatten()
}

/// An enumeration of days with one clock time.
fn is_list(one: &Phrase, other: &Phrase, between: &str) -> bool {
    let joined = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '/' | '&'));
    let hours_fit = one.clock == other.clock || one.clock.is_none();
    hours_fit && one.date.is_some() && other.date.is_some() && joined.chars().count() <= JOINT_CHARS_MAX
}

/// Alternatives that are all the same day, with one hour at most, are no question.
fn settle(heard: &mut [Mention], days: &[Option<NaiveDate>]) {
    let several = |h: &Mention| h.phrase.doubt == Some(TimeDoubt::OneOfSeveral);
    let doubted: Vec<usize> = (0..heard.len()).filter(|&i| several(&heard[i])).collect();
    let clocks = doubted.iter().filter(|&&i| heard[i].phrase.clock.is_some()).count();
    let same = doubted.iter().all(|&i| days[i].is_some() && days[i] == days[doubted[0]]);
    if same && clocks < 2 {
        for i in doubted {
            heard[i].phrase.doubt = None;
        }
    }
}

/// A part of a day is open to an hour of it.
fn open_to(day: &Phrase, clock: Option<ClockPhrase>) -> bool {
    let fits = if day.part.is_some() { day.part_holds(clock) } else { clock.is_some() };
    day.clock.is_none() && day.doubt.is_none() && fits
}

/// The day of a phrase that names just one.
fn day_of(phrase: &Phrase, reference: &Reference) -> Option<NaiveDate> {
    let whole = phrase.rule.is_none() && phrase.to.is_none() && phrase.length.is_none() && phrase.shift.is_none();
    let known = matches!(phrase.doubt, None | Some(TimeDoubt::OneOfSeveral))
        && matches!(phrase.role, TimeRole::Plain | TimeRole::By);
    let single = phrase.date.as_ref().is_some_and(|date| date.is_one_day());
    if !(whole && known && single) {
        return None;
    }
    let sure = Phrase { doubt: None, ..phrase.clone() };
    resolve::resolve(&sure, reference).ok()?.start().map(|at| at.date_naive())
}
