//! Built-in answers: what code knows without looking anything up, and who somebody says they are.
//!
//! Topics, phrases and replies stand in `data/language/known.tsv`. Invariant: the whole message is this and nothing
//! else; a word that is left over makes it a message like any other; what is said of where words go is so here, by the
//! configuration. Not here: who remembers a name (a service).

mod worked_out;

use std::fmt::Write;

use chrono::{DateTime, Datelike};
use chrono_tz::Tz;

use super::places::city;
use super::requests;
use super::time::Reference;
use super::words::{distance, fold};
use brain_core::core::text::capital;

/// The topics, one a line; read where they stand.
const TOPICS: &str = include_str!("../../../../data/language/known.tsv");
/// What has an answer.
const ANSWERED: [&str; 7] = ["time", "date", "who", "can", "connections", "privacy", ACCOUNTS];
/// Speaks of what somebody does with an account, too.
const ACCOUNTS: &str = "accounts";
/// What is asked by words of several classes stands in rows of its own, `topic/family/class`; this class of a family
/// may stand beside the others, each of which is needed.
const BESIDE: &str = "beside";
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
    topics_of("")
}

/// Those whose names begin so.
fn topics_of(begin: &str) -> impl Iterator<Item = KnownTopic> {
    let lines = TOPICS.lines().filter(move |line| !line.starts_with('#') && line.starts_with(begin));
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

/// What is so where the program runs, for one person.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// What is connected: accounts, servers.
    pub connected: Vec<String>,
    /// Where the models are that read along.
    pub models: Vec<String>,
    /// Whether all of those are on the net of whoever runs it.
    pub are_own: bool,
}

impl Surroundings {
    /// The row of each word in braces, and what stands in it in place of another.
    fn rows(&self) -> [(&'static str, &'static str, &'static str, String); 2] {
        let model = match (self.models.is_empty(), self.are_own) {
            (true, _) => "model-none",
            (false, true) => "model-own",
            (false, false) => "model-elsewhere",
        };
        let connected = if self.connected.is_empty() { "connected-none" } else { "connected-some" };
        let names = self.connected.join("; ");
        [("{model}", model, "{host}", self.models.join(", ")), ("{connected}", connected, "{names}", names)]
    }
}

/// The answer to a question about what code knows, at this moment of the person's; `None` for everything else.
pub fn answer(text: &str, reference: &Reference, here: &Surroundings) -> Option<String> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let now = reference.now.with_timezone(&reference.zone);
    let words = said(text);
    if let Some(told) = worked_out::answer(text, &words, reference) {
        return Some(told);
    }
    let (beside, linking) = (phrases(&["beside"]), phrases(&["beside", "linking"]));
    let topic = topics().filter(|topic| ANSWERED.contains(&topic.name)).find(|topic| {
        let beside = if topic.name == ACCOUNTS { &linking } else { &beside };
        let (mut rest, mut is_asked) = (&words[..], false);
        while !rest.is_empty() {
            // A slip in its only word would leave nothing that was asked.
            let core = begins(&topic.phrases, rest, 0).max(begins(&topic.phrases, rest, 1).filter(|taken| *taken > 1));
            let Some(taken) = core.max(begins(beside, rest, 1)) else {
                return topic.is_asked_by_classes(&words, beside);
            };
            is_asked |= core == Some(taken);
            rest = &rest[taken..];
        }
        is_asked || topic.is_asked_by_classes(&words, beside)
    })?;
    let mut told = at(topic.reply, topic.language, now)?;
    for (word, row, inner, what) in here.rows() {
        let row = topics().find(|other| other.name == row && other.language == topic.language);
        told = told.replace(word, &row.map(|row| row.reply.replace(inner, &what)).unwrap_or_default());
    }
    Some(told)
}

impl KnownTopic {
    /// Whether all words of a message are of one family's classes or stand beside them, in any order, and each class is
    /// there: who, does what, with what.
    fn is_asked_by_classes(&self, words: &[TypedWord<'_>], beside: &[Vec<String>]) -> bool {
        let rows: Vec<KnownTopic> =
            topics_of(&format!("{}/", self.name)).filter(|row| row.language == self.language).collect();
        let mut families: Vec<&str> = rows.iter().filter_map(|row| Some(row.name.rsplit_once('/')?.0)).collect();
        families.dedup();
        families.iter().any(|family| {
            let classes = rows.iter().filter_map(|row| Some((row.name.strip_prefix(family)?.strip_prefix('/')?, row)));
            let classes: Vec<(&str, &KnownTopic)> = classes.collect();
            let needed = |class: &&str| *class != BESIDE;
            let mut missing: Vec<&str> = classes.iter().map(|(class, _)| *class).filter(needed).collect();
            let mut rest = words;
            while !rest.is_empty() {
                let known = classes.iter().filter_map(|(class, row)| Some((begins(&row.phrases, rest, 0)?, *class)));
                // Of two that are as long the one counts that is still missing.
                let longest = known.max_by_key(|(taken, class)| (*taken, missing.contains(class)));
                let Some((taken, class)) = longest.or_else(|| Some((begins(beside, rest, 1)?, BESIDE))) else {
                    return false;
                };
                missing.retain(|one| *one != class);
                rest = &rest[taken..];
            }
            missing.is_empty()
        })
    }
}

/// A reply at a moment.
fn at(reply: &str, language: &str, moment: DateTime<Tz>) -> Option<String> {
    let mut told = String::new();
    write!(told, "{}", moment.format(reply)).ok()?;
    let weekdays = topics().find(|topic| topic.name == "weekdays" && topic.language == language);
    let day =
        weekdays.and_then(|row| row.phrases.get(moment.weekday().num_days_from_monday() as usize)?.first().cloned());
    Some(told.replace("{place}", &city(moment.timezone())).replace("{weekday}", &capital(&day.unwrap_or_default())))
}

/// The topic of this name that words begin with, past what stands beside, and the words behind it.
fn opened<'w, 't>(name: &str, mut words: &'w [TypedWord<'t>]) -> Option<(KnownTopic, &'w [TypedWord<'t>])> {
    let beside = phrases(&["beside"]);
    loop {
        let opens = |topic: KnownTopic| begins(&topic.phrases, words, 0).map(|taken| (taken, topic));
        if let Some((taken, topic)) = topics().filter(|topic| topic.name == name).find_map(opens) {
            return Some((topic, &words[taken..])).filter(|(_, rest)| !rest.is_empty());
        }
        words = &words[begins(&beside, words, 0)?..];
    }
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
    use crate::language::time::DateOrder;

    fn answered(text: &str, here: &Surroundings) -> Option<String> {
        let now = Lisbon.with_ymd_and_hms(2026, 1, 12, 9, 5, 0).unwrap().to_utc();
        answer(text, &Reference { now, zone: Lisbon, order: DateOrder::DayFirst }, here)
    }

    #[test]
    fn every_row_is_one_that_is_asked_for_and_what_is_answered_has_a_reply_in_every_language() {
        let inner = ["weekdays", "beside", "linking", "named", "called", "am", "here", "sum"];
        let parts = ["until", "timein", "wheninit", "model-none", "model-own", "model-elsewhere"];
        let parts = parts.iter().chain(&["connected-none", "connected-some"]);
        let told: Vec<&str> = ANSWERED.iter().chain(parts).copied().collect();
        let is_class = |topic: &KnownTopic| topic.name.split('/').count() == 3 && topic.reply == "-";
        for topic in topics().filter(|topic| !is_class(topic)) {
            assert!(told.contains(&topic.name) || inner.contains(&topic.name), "{}", topic.name);
            assert_eq!(told.contains(&topic.name), topic.reply != "-", "{}", topic.name);
        }
        let has = |name: &str, language: &str| topics().any(|row| row.name == name && row.language == language);
        assert!(told.iter().all(|name| has(name, "en") && has(name, "de")));
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
            ("how many days til feb 28?", "Saturday, 28 February 2026 is 47 days away."),
            ("hey, how long until tomorrow", "Tuesday, 13 January 2026 is 1 day away."),
            ("Wie viele Tage sind es noch bis zum 28. Februar?", "Bis Samstag, 28.2.2026, sind es noch 47 Tage."),
            ("what time is it in Tokyo?", "It's 18:05 in Tokyo (Monday)."),
            ("what time is it in tokyo when it's 9 here?", "It's 18:00 in Tokyo (Monday) when it's 09:00 here."),
            ("what time is it in New York when it's 5pm here", "It's 12:00 in New York (Monday) when it's 17:00 here."),
            ("Wie spät ist es in Tokyo?", "In Tokyo ist es 18:05 Uhr (Montag)."),
        ] {
            assert_eq!(answered(text, &Surroundings::default()).as_deref(), Some(told), "{text}");
        }
        for text in [
            "hello",
            "what time is the standup?",
            "what time is it in the kitchen",
            "what day is the dentist",
            "how many days until the dentist on friday",
            "how long until the flat is ready",
            "how many days until yesterday",
            "add milk",
            "",
        ] {
            assert_eq!(answered(text, &Surroundings::default()), None, "{text}");
        }
    }

    #[test]
    fn what_it_is_and_who_reads_along_is_told_as_it_is_configured() {
        let model =
            |place: &str, are_own| Surroundings { models: vec![place.to_owned()], are_own, ..Surroundings::default() };
        let connected = Surroundings { connected: vec!["work (a@example.com)".to_owned()], ..Surroundings::default() };
        for (text, here, told) in [
            ("who are you?", Surroundings::default(), "No language model is set up"),
            ("who are you?", model("localhost:11434", true), "or on its network (localhost:11434)"),
            ("do you read my mail to train?", model("api.example.com", false), "A language model at api.example.com"),
            ("who reads along?", Surroundings::default(), "whoever runs it"),
            ("Who's reading this?", Surroundings::default(), "whoever runs it"),
            ("does anybody else read what I write here?", Surroundings::default(), "whoever runs it"),
            ("can other people see my messages", Surroundings::default(), "whoever runs it"),
            ("hey, is there a human looking at our chat?", Surroundings::default(), "whoever runs it"),
            ("where do you keep all my data?", Surroundings::default(), "whoever runs it"),
            ("where does what I type end up", Surroundings::default(), "whoever runs it"),
            ("are my messages shared with third parties?", Surroundings::default(), "whoever runs it"),
            ("Do you record our conversations?", Surroundings::default(), "whoever runs it"),
            ("kann hier sonst jemand meine Nachrichten lesen?", Surroundings::default(), "Wer sie betreibt"),
            ("wo wird das, was ich dir schreibe, gespeichert?", Surroundings::default(), "Wer sie betreibt"),
            ("who sees this?", connected.clone(), "Connected: work (a@example.com)."),
            ("Wer liest mit?", model("api.example.com", false), "bei api.example.com liest mit"),
            ("was kannst du?", Surroundings::default(), "/help"),
            ("what can you do?", connected.clone(), "/help"),
            ("What is connected?", connected.clone(), "Connected: work"),
            ("Welche Konten sind verbunden?", connected, "Verbunden: work"),
            ("how do I connect my Gmail?", Surroundings::default(), "brain-agent setup account"),
            ("can you read my gmail", Surroundings::default(), "IMAP"),
            ("Wie verbinde ich mein Gmail-Konto?", Surroundings::default(), "brain-agent setup account"),
        ] {
            let said = answered(text, &here).unwrap_or_default();
            assert!(said.contains(told) && !said.contains('{'), "{text}: {said}");
        }
        for text in [
            "reply to the mail from gmail support",
            "add the gmail bill to my tasks",
            "connect my printer",
            "who is Anna?",
            "what can you do about the dentist",
            "who sees the dentist on friday",
            "did anyone read my mail?",
            "who reads the minutes",
            "who is reading my mail to the board",
            "is anyone looking at the kids?",
            "can you see my messages",
            "read what I write",
            "share this with everyone",
            "record this",
            "where do I keep my passport",
            "where is the data of the survey",
            "is my data plan paid?",
            "wer liest morgen vor?",
        ] {
            assert_eq!(answered(text, &Surroundings::default()), None, "{text}");
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
