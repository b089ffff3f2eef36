//! What a text to somebody holds beyond the person's own words: times, numbers, addresses and names that nobody said.
//! Greetings and words that join are a planner's to choose.

use rustc_hash::FxHashSet;

use super::is_light;
use crate::language::time::{self, Grain, Reference, TimeMention, When};
use crate::language::{terms, words};

/// The times, numbers, addresses and names of `text` that none of `own` says, as they stand there, each once.
pub fn added(text: &str, own: &[&str], reference: &Reference) -> Vec<String> {
    let said: FxHashSet<String> = own.iter().flat_map(|own| words::words(own)).map(|word| terms::stem(&word)).collect();
    let numbers: FxHashSet<u32> =
        own.iter().flat_map(|own| words::words(own)).filter_map(|word| time::number(&word)).collect();
    let is_own = |part: &str| {
        // An amount without cents is the number.
        let part = part.strip_suffix("00").and_then(|part| part.strip_suffix(['.', ','])).unwrap_or(part);
        let in_words = |word: &str| word.parse().is_ok_and(|number: u32| numbers.contains(&number));
        let is_said = |word: &String| said.contains(&terms::stem(word)) || in_words(word);
        words::words(part).iter().filter(|word| !is_light(word)).all(is_said)
    };
    let said_at: Vec<When> = own.iter().flat_map(|own| whens(own, reference)).collect();
    let found: Vec<_> = time::find(text, reference);
    let times: Vec<_> = found.iter().map(|mention| mention.span.clone()).collect();
    // A time that was worked out of one that was said is said.
    let follows = |mention: &TimeMention| {
        let is_same = |when: &When| said_at.iter().any(|said| is_at(when, said));
        mention.result.as_ref().is_ok_and(is_same)
    };
    let of_times = found.iter().filter(|mention| !follows(mention));
    let of_times = of_times.filter_map(|mention| Some((mention.span.start, text.get(mention.span.clone())?)));
    let is_in_time = |at: usize| times.iter().any(|span| span.contains(&at));
    let of_words = telling(text).filter(|(at, _)| !is_in_time(*at));
    let mut found: Vec<(usize, &str)> = of_times.chain(of_words).filter(|(_, part)| !is_own(part)).collect();
    found.sort_unstable();
    let mut parts: Vec<String> = Vec::new();
    for (_, part) in found {
        let part = part.trim();
        if !parts.iter().any(|known| known == part) {
            parts.push(part.to_owned());
        }
    }
    parts
}

fn whens(text: &str, reference: &Reference) -> impl Iterator<Item = When> {
    time::find(text, reference).into_iter().filter_map(|mention| mention.result.ok())
}

/// Whether a time is that of another one, or its day.
fn is_at(when: &When, said: &When) -> bool {
    let repeats = |when: &When| matches!(when, When::Recurrence { .. });
    let (Some(at), Some(from)) = (when.start(), said.start()) else { return false };
    let is_day = matches!(when, When::Point { grain: Grain::Day, .. });
    repeats(when) == repeats(said) && (at == from || is_day && at.date_naive() == from.date_naive())
}

/// The numbers, addresses and names of a text, as they stand there.
pub fn specifics(text: &str) -> impl Iterator<Item = &str> {
    telling(text).map(|(_, word)| word)
}

/// The words that are numbers, addresses or names inside a sentence, and where they begin.
fn telling(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut begins = true;
    text.split_inclusive(char::is_whitespace)
        .scan(0, |at, token| {
            let from = *at;
            *at += token.len();
            Some((from, token))
        })
        .filter_map(move |(from, token)| {
            let begins_here = std::mem::replace(&mut begins, token.ends_with('\n') || ends_sentence(token.trim_end()));
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            let is_name = || !begins_here && word.chars().count() > 1 && word.starts_with(char::is_uppercase);
            let is_exact = word.contains(|c: char| c.is_ascii_digit()) || word.contains(['@', '/']);
            (is_exact || is_name()).then_some((from, word))
        })
}

fn ends_sentence(token: &str) -> bool {
    token.ends_with(['.', '!', '?', ':', ';', ','])
}

/// A text without the lines that are nothing but a placeholder in brackets, for a word that nobody said.
pub fn without_placeholders(text: &str, own: &str) -> String {
    let is_placeholder = |line: &str| {
        let line = line.trim();
        line.starts_with('[') && line.ends_with(']') && line.len() > 2 && !own.contains(line)
    };
    let kept: Vec<&str> = text.lines().filter(|line| !is_placeholder(line)).collect();
    kept.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::time::DateOrder;

    fn of(text: &str, own: &[&str]) -> Vec<String> {
        let now = "2026-01-12T09:00:00Z".parse().unwrap();
        added(text, own, &Reference { now, zone: chrono_tz::UTC, order: DateOrder::DayFirst })
    }

    #[test]
    fn what_a_letter_adds_is_named_and_what_was_said_is_not() {
        let own = ["email Bob that the report is late, he gets it on Friday"];
        assert_eq!(
            of("Hi Bob,\n\nThe report is late. You get it on Friday.\n\nBest regards", &own),
            Vec::<String>::new()
        );
        let invented = "Hi Bob,\n\nthe report is late; let's meet Tom at 3pm tomorrow. Call me on 555-0100.";
        let found = of(invented, &own).join("|");
        for part in ["Tom", "tomorrow", "555-0100"] {
            assert!(found.contains(part), "{part}: {found}");
        }
        assert!(!found.contains("Bob") && !found.contains("report"), "{found}");
        assert_eq!(of("", &own), Vec::<String>::new());
        let own = ["tell Bob that we come on friday at ten, the two of us"];
        let worked_out = "Hi Bob,\n\nwe come on Friday, 16 January at 10:00, 2 of us.";
        assert_eq!(of(worked_out, &own), Vec::<String>::new());
        let wrong = of("Hi Bob,\n\nwe come every Friday, the 17th of January, 3 of us.", &own).join("|");
        assert!(["every Friday", "17th", "3"].iter().all(|part| wrong.contains(part)), "{wrong}");
        let amounts = of("It is 185.00 each, and 3,00 off, so 555.00, 182.50 and 3,000.", &["it is 185 each, 3 off"]);
        assert_eq!(amounts, ["555.00", "182.50", "3,000"]);
    }

    #[test]
    fn places_held_open_are_taken_out_and_nothing_else() {
        let letter = "Hi Bob,\n\nIt is late.\n\nBest regards,\n[Your Name]";
        assert_eq!(without_placeholders(letter, "tell bob it is late"), "Hi Bob,\n\nIt is late.\n\nBest regards,");
        assert_eq!(without_placeholders("[draft]\nIt is late.", "start it with [draft]"), "[draft]\nIt is late.");
        assert_eq!(without_placeholders("see [1] below", ""), "see [1] below");
    }
}
