//! Due dates: by when a sentence of a letter wants or promises something.
//!
//! Of several times the earliest counts, but for these: what is said as a deadline is the day, whatever else is told; a
//! weekday beside its date is that day; a weekday named on that day is the next one.

use chrono::{DateTime, Datelike, Duration, NaiveDate, Utc};

use super::conversation::ReadingFrame;
use super::letter::Sentence;
use super::words::WORDS;
use brain_language::language::time;
use brain_language::language::time::{Problem, Reference, TimeMention, TimeRole, When};
use brain_language::language::words::{fold, words};

/// By when a sentence wants something; where it does not say, what the sentences around it say, or one that names the
/// end of a span.
pub(super) fn due_of(
    sentence: &Sentence,
    all: &[Sentence],
    at: DateTime<Utc>,
    frame: ReadingFrame,
) -> Option<DateTime<Utc>> {
    let own = due(&sentence.text, at, frame);
    let place = all.iter().position(|other| std::ptr::eq(other, sentence)).unwrap_or(0);
    let around = all.iter().enumerate().filter(|(other, _)| other.abs_diff(place) == 1);
    own.or_else(|| around.filter_map(|(_, other)| due(&other.text, at, frame)).min())
}

/// The moment by which a sentence wants or promises something: the last instant of the day, where it names one.
pub fn due(sentence: &str, at: DateTime<Utc>, frame: ReadingFrame) -> Option<DateTime<Utc>> {
    let reference = Reference { now: at, zone: frame.zone, order: frame.order };
    let local = at.with_timezone(&frame.zone).date_naive();
    let ends = telling(sentence, &reference).into_iter().filter_map(|mention| match mention.result {
        // A weekday, written on that weekday, is the next one.
        Ok(When::Point { at: day, grain })
            if day.date_naive() == local && names_weekday(&sentence[mention.span.clone()]) =>
        {
            Some(time::end_of(day, grain) + Duration::days(7))
        }
        Ok(When::Point { at, grain }) => Some(time::end_of(at, grain)),
        Ok(When::Range { end, .. }) => Some(end.to_utc()),
        Ok(When::Duration(length)) if is_ahead(&sentence[..mention.span.end]) => at.checked_add_signed(length),
        Ok(When::Duration(_)) => None,
        Ok(When::Recurrence { .. }) => None,
        Err(Problem::Ambiguous { candidates, .. }) => candidates.iter().min().map(DateTime::to_utc),
        Err(_) => None,
    });
    ends.filter(|end| *end >= at).min()
}

/// The times of a sentence of which its day may be one.
fn telling(sentence: &str, reference: &Reference) -> Vec<TimeMention> {
    let mut found = time::find(sentence, reference);
    let day = |mention: &TimeMention| -> Option<NaiveDate> {
        match &mention.result {
            Ok(When::Point { at, .. }) => Some(at.date_naive()),
            Ok(_) | Err(_) => None,
        }
    };
    let is_weekday = |mention: &TimeMention| names_weekday(&sentence[mention.span.clone()]);
    // A date in apposition stands for the weekday before it.
    for at in (0..found.len()).rev() {
        let Some(weekday) = day(&found[at]).filter(|_| is_weekday(&found[at])) else { continue };
        let is_date = |mention: &TimeMention| {
            !is_weekday(mention) && day(mention).is_some_and(|day| day > weekday && day.weekday() == weekday.weekday())
        };
        if let Some(date) = found.iter().position(is_date) {
            found[date].role = found[at].role;
            found.remove(at);
        }
    }
    if found.iter().any(|mention| mention.role == TimeRole::By) {
        found.retain(|mention| mention.role == TimeRole::By);
    }
    found
}

/// Whether words end with a length of time that counts from now on.
fn is_ahead(words: &str) -> bool {
    let before: Vec<&str> = words.split_whitespace().rev().take(4).collect();
    before.iter().any(|word| WORDS.ahead.holds(&fold(word)))
}

fn names_weekday(text: &str) -> bool {
    let said = words(text);
    WORDS.weekday.is_in(&said) && !WORDS.this_day.is_in(&said)
}
