//! Built-in answers: what code knows without looking anything up, and who somebody says they are.
//!
//! Topics, phrases and replies stand in `data/language/known.tsv`. Invariant: the whole message is this and nothing
//! else; a word that is left over makes it a message like any other. Not here: who remembers a name (a service).

use std::fmt::Write;

use chrono::{DateTime, Datelike};
use chrono_tz::Tz;

use super::places::city;
use super::requests;
use super::words::{distance, fold};
use brain_core::core::text::capital;

/// The topics, one a line; read where they stand.
const TOPICS: &str = include_str!("../../../../data/language/known.tsv");
/// What has an answer.
const ANSWERED: [&str; 3] = ["time", "date", ACCOUNTS];
/// Speaks of what somebody does with an account, too.
const ACCOUNTS: &str = "accounts";
/// Longer messages say more.
const BYTES_MAX: usize = 160;
/// Shorter words are right or other words.
const SLIP_LETTERS_MIN: usize = 3;
/// Of a name.
const NAME_WORDS_MAX: usize = 3;

/// How plainly somebody says who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Introduction {
    /// By a sentence that can only tell a name.
    ByName,
    /// By a copula alone, behind which a state may stand as well.
    ByTheWay,
}

struct KnownTopic {
    name: &'static str,
    language: &'static str,
    /// Folded.
    phrases: Vec<Vec<String>>,
    reply: &'static str,
}

fn topics() -> impl Iterator<Item = KnownTopic> {
    let lines = TOPICS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let [name, language, phrases, reply] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let phrases = phrases.split('|').map(|phrase| fold(phrase).split(' ').map(str::to_owned).collect()).collect();
        Some(KnownTopic { name, language, phrases, reply })
    })
}

/// A word as it was typed, and folded.
type TypedWord<'t> = (&'t str, String);

fn said(text: &str) -> Vec<TypedWord<'_>> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | '/'));
    let bare = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).map(|word| (word, fold(word))).collect()
}

fn phrases(names: &[&str]) -> Vec<Vec<String>> {
    topics().filter(|topic| names.contains(&topic.name)).flat_map(|topic| topic.phrases).collect()
}

/// The words that the longest of these phrases takes at the beginning, as written or with so many slips in each.
fn begins(phrases: &[Vec<String>], words: &[TypedWord<'_>], slips: usize) -> Option<usize> {
    let is = |word: &str, said: &str| {
        let slips = if word.chars().count() < SLIP_LETTERS_MIN { 0 } else { slips };
        word == said || distance(word, said, slips).is_some()
    };
    let fits = |phrase: &&Vec<String>| {
        phrase.len() <= words.len() && phrase.iter().zip(words).all(|(word, (_, said))| is(word, said))
    };
    phrases.iter().filter(fits).map(Vec::len).max()
}

/// The answer to a question about what code knows, at this moment of the person's; `None` for everything else.
pub fn answer(text: &str, now: DateTime<Tz>) -> Option<String> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let words = said(text);
    let (beside, linking) = (phrases(&["beside"]), phrases(&["beside", "linking"]));
    let topic = topics().filter(|topic| ANSWERED.contains(&topic.name)).find(|topic| {
        let beside = if topic.name == ACCOUNTS { &linking } else { &beside };
        let (mut rest, mut is_asked) = (&words[..], false);
        while !rest.is_empty() {
            let core = begins(&topic.phrases, rest, 1);
            let Some(taken) = core.max(begins(beside, rest, 1)) else { return false };
            is_asked |= core == Some(taken);
            rest = &rest[taken..];
        }
        is_asked
    })?;
    let mut reply = String::new();
    write!(reply, "{}", now.format(topic.reply)).ok()?;
    let weekday = TOPICS.lines().find_map(|line| line.strip_prefix("weekdays\t")?.strip_prefix(topic.language));
    let names = weekday.and_then(|row| row.trim().split('\t').next()).unwrap_or_default();
    let day = names.split('|').nth(now.weekday().num_days_from_monday() as usize).unwrap_or_default();
    Some(reply.replace("{place}", &city(now.timezone())).replace("{weekday}", &capital(day)))
}

/// The name that somebody says is theirs; `None` for everything else.
pub fn name(text: &str) -> Option<(String, Introduction)> {
    if text.len() > BYTES_MAX || text.contains(['?', '\n']) {
        return None;
    }
    let all = said(text);
    let beside = phrases(&["beside"]);
    let mut words = &all[..];
    let (plain, by_the_way) = (phrases(&["named", "called"]), phrases(&["am"]));
    let introduction = loop {
        if let Some(taken) = begins(&plain, words, 0) {
            words = &words[taken..];
            break Introduction::ByName;
        }
        if let Some(taken) = begins(&by_the_way, words, 0) {
            words = &words[taken..];
            break Introduction::ByTheWay;
        }
        words = &words[begins(&beside, words, 0)?..];
    };
    let end = (0..=words.len()).find(|at| *at == words.len() || begins(&beside, &words[*at..], 0).is_some())?;
    let (name, mut after) = words.split_at(end);
    while !after.is_empty() {
        after = &after[begins(&beside, after, 0)?..];
    }
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let may_be = |(word, folded): &TypedWord<'_>| {
        let is_free = word.chars().all(|c| c.is_alphabetic() || c == '\'') && !requests::is_worded_with(folded);
        is_free && (introduction == Introduction::ByName || is_capital(word))
    };
    let is_name = (1..=NAME_WORDS_MAX).contains(&name.len()) && name.iter().all(may_be);
    let words = name.iter().map(|(word, _)| capital(word));
    is_name.then(|| (words.collect::<Vec<_>>().join(" "), introduction))
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;
    use chrono_tz::Europe::Lisbon;

    use super::*;

    fn now() -> DateTime<Tz> {
        Lisbon.with_ymd_and_hms(2026, 1, 12, 9, 5, 0).unwrap()
    }

    #[test]
    fn every_row_is_one_that_is_asked_for() {
        let known = ["time", "date", "accounts", "weekdays", "beside", "linking", "named", "called", "am"];
        for topic in topics() {
            assert!(known.contains(&topic.name) && !topic.phrases.is_empty(), "{}", topic.name);
            assert_eq!(ANSWERED.contains(&topic.name), topic.reply != "-", "{}", topic.name);
        }
        let lines = TOPICS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(topics().count(), lines, "each has four columns");
    }

    #[test]
    fn the_time_and_the_day_are_those_of_the_person() {
        for (text, told) in [
            ("what time is it", "It's 09:05 (Lisbon)."),
            ("Hey, what's the time right now?", "It's 09:05 (Lisbon)."),
            ("wat time is it", "It's 09:05 (Lisbon)."),
            ("whats teh time", "It's 09:05 (Lisbon)."),
            ("wie spät ist es?", "Es ist 09:05 Uhr (Lisbon)."),
            ("What day is it today?", "It's Monday, 12 January 2026 (Lisbon)."),
            ("Welcher Tag ist heute?", "Heute ist Montag, der 12.1.2026 (Lisbon)."),
        ] {
            assert_eq!(answer(text, now()).as_deref(), Some(told), "{text}");
        }
        for text in ["what time is the standup?", "what time is it in Tokyo", "what day is the dentist", "add milk", ""]
        {
            assert_eq!(answer(text, now()), None, "{text}");
        }
    }

    #[test]
    fn what_accounts_can_do_here_is_told_plainly() {
        for text in ["how do I connect my Gmail?", "can you read my gmail", "connect my outlook account", "sync icloud"]
        {
            assert!(answer(text, now()).unwrap().contains("SMTP_URL"), "{text}");
        }
        assert!(answer("Wie verbinde ich mein Gmail-Konto?", now()).unwrap().contains("noch nicht"));
        for text in ["reply to the mail from gmail support", "add the gmail bill to my tasks", "connect my printer"] {
            assert_eq!(answer(text, now()), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_a_word_that_means_nothing_else() {
        for (text, known) in [
            ("I'm Mara", Some(("Mara", Introduction::ByTheWay))),
            ("hi, I'm Mara Lindqvist, nice to meet you!", Some(("Mara Lindqvist", Introduction::ByTheWay))),
            ("my name is mara", Some(("Mara", Introduction::ByName))),
            ("Call me Mara please", Some(("Mara", Introduction::ByName))),
            ("Ich heiße Mara", Some(("Mara", Introduction::ByName))),
            ("I'm late", None),
            ("I'm knackered", None),
            ("call me tomorrow", None),
            ("call me a taxi", None),
            ("I'm Mara and I need milk", None),
            ("my name is on the list", None),
            ("is my name Mara?", None),
            ("Mara", None),
        ] {
            let found = name(text);
            assert_eq!(found.as_ref().map(|(name, introduction)| (name.as_str(), *introduction)), known, "{text}");
        }
    }
}
