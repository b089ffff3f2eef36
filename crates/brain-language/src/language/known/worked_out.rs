//! What code works out exactly: how far away a day is, the time elsewhere, sums and units.
//!
//! Invariants: only a whole question is worked out; what a calculator gives back as it was said is no answer; none works
//! longer than it may.

use std::time::{Duration, Instant};

use super::super::places::{Place, zone_of};
use super::super::time::{self, Grain, Reference, TimeMention, When};
use super::{TypedWord, at, begins, opened, phrases};

/// A calculation takes microseconds; a tower of powers is given up.
const SUM_TIME_MAX: Duration = Duration::from_millis(20);
/// Of an answer.
const SUM_CHARS_MAX: usize = 60;

/// The answer to a question that is one of these.
pub(super) fn answer(text: &str, words: &[TypedWord<'_>], reference: &Reference) -> Option<String> {
    of_a_day(text, words, reference).or_else(|| of_a_place(words, reference)).or_else(|| of_a_sum(text, words))
}

/// How far away a day is.
fn of_a_day(text: &str, words: &[TypedWord<'_>], reference: &Reference) -> Option<String> {
    let (topic, rest) = opened("until", words)?;
    let said = from(text, rest[0].0).trim_end_matches(['?', '.', '!', ' ']);
    let [TimeMention { span, result: Ok(When::Point { at: day, grain: Grain::Day }), .. }] =
        &time::find(said, reference)[..]
    else {
        return None;
    };
    let days = (day.date_naive() - reference.now.with_timezone(&reference.zone).date_naive()).num_days();
    let (one, several) = topic.reply.split_once('|')?;
    let told = at(if days == 1 { one } else { several }, topic.language, *day)?.replace("{n}", &days.to_string());
    (span.start == 0 && span.end == said.len() && days > 0).then_some(told)
}

/// The time elsewhere, now or at a time of here.
fn of_a_place(words: &[TypedWord<'_>], reference: &Reference) -> Option<String> {
    let (topic, rest) = opened("timein", words)?;
    let split = (1..rest.len()).find_map(|at| Some((at, opened("wheninit", &rest[at..])?)));
    let (place, condition) = match split {
        Some((at, condition)) => (&rest[..at], Some(condition)),
        None => (rest, None),
    };
    let typed = |words: &[TypedWord<'_>]| words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
    let Place::Zone(zone) = zone_of(&typed(place)) else { return None };
    let Some((condition, said)) = condition else {
        return at(topic.reply, topic.language, reference.now.with_timezone(&zone));
    };
    let here = phrases(&["here"]);
    let end = (1..said.len()).find(|at| begins(&here, &said[*at..], 0) == Some(said.len() - at)).unwrap_or(said.len());
    let said = typed(&said[..end]);
    // A bare number is an hour of this day.
    let today = reference.now.with_timezone(&reference.zone).date_naive();
    let hour =
        said.parse().ok().and_then(|hour| today.and_hms_opt(hour, 0, 0)?.and_local_timezone(reference.zone).single());
    let resolved = || match time::resolve(&said, reference)? {
        Ok(When::Point { at, grain: Grain::Minute }) => Some(at),
        Ok(_) | Err(_) => None,
    };
    let moment = hour.or_else(resolved)?;
    let told = at(condition.reply, condition.language, moment.with_timezone(&zone))?;
    Some(told.replace("{here}", &moment.format("%H:%M").to_string()))
}

/// What a sum comes to, and units in other units: `17% of 240`, `5 miles in km`.
fn of_a_sum(text: &str, words: &[TypedWord<'_>]) -> Option<String> {
    let said = match opened("sum", words) {
        Some((_, rest)) => from(text, rest[0].0),
        // Without a word that asks, figures alone with a sign that stands in no date and no number of a phone.
        None if !text.contains(char::is_alphabetic) && text.contains(['*', '×', '÷', '=']) => text,
        None => return None,
    };
    let said = said.trim().trim_end_matches(['?', '=', '!', ' ']).trim_end_matches('.');
    // A comma, and a point before three figures, mean one thing here and another there.
    let is_ambiguous = said.contains(',') || said.split('.').skip(1).any(|part| figures(part) == 3);
    if is_ambiguous || !said.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let result = fend_core::evaluate_with_interrupt(
        said,
        &mut fend_core::Context::new(),
        &SumDeadline(Instant::now() + SUM_TIME_MAX),
    );
    let told = result.ok()?.get_main_result().to_owned();
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let is_answer = told.contains(|c: char| c.is_ascii_digit())
        && told.chars().count() <= SUM_CHARS_MAX
        && bare(&told) != bare(said)
        && !told.contains(['\n', ':', '{', '"']);
    is_answer.then(|| format!("{said} = {told}").replace("= approx. ", "≈ "))
}

/// The text from a word of it on, with the marks before it.
fn from<'t>(text: &'t str, word: &str) -> &'t str {
    let at = (word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..at).unwrap_or_default();
    &text[before.rfind(char::is_whitespace).map_or(0, |space| space + 1)..]
}

/// Figures that a text begins with.
fn figures(text: &str) -> usize {
    text.chars().take_while(char::is_ascii_digit).count()
}

/// Ends a calculation.
struct SumDeadline(Instant);

impl fend_core::Interrupt for SumDeadline {
    fn should_interrupt(&self) -> bool {
        Instant::now() > self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::said;
    use super::*;

    #[test]
    fn sums_and_units_are_worked_out_and_nothing_else() {
        for (text, told) in [
            ("what's 17% of 240?", "17% of 240 = 40.8"),
            ("How much is 12.50 * 4", "12.50 * 4 = 50"),
            ("(14 * 85) - 300 =", "(14 * 85) - 300 = 890"),
            ("what's (3 + 4) * 2", "(3 + 4) * 2 = 14"),
            ("convert 5 miles to km", "5 miles to km = 8.04672 km"),
            ("Wie viel ist 3 * 7?", "3 * 7 = 21"),
        ] {
            assert_eq!(of_a_sum(text, &said(text)).as_deref(), Some(told), "{text}");
        }
        for text in [
            "what's 5",
            "what is 9 am",
            "what's the 12th like",
            "what's on the 3rd",
            "what is 2 kg flour",
            "call 0151/234567",
            "555-0100",
            "milk 2 kg",
            "what's 9^9^9^9^9",
            "what is milk",
            "12/3",
            "+49 151 23",
            "was ist 3,5 * 2",
            "was ist 1.200 * 2",
        ] {
            assert_eq!(of_a_sum(text, &said(text)), None, "{text}");
        }
    }
}
