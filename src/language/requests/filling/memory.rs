//! What is remembered: facts with a category, a short key and a value.

use crate::language::requests::built::Built;
use crate::language::requests::grammar::Grammar;
use crate::language::requests::reading::{ClauseReading, behind, done, set, tidy, title, without_determiner};
use crate::language::tokens::lower;

/// A statement taken apart.
#[derive(Debug, PartialEq)]
struct Fact {
    category: &'static str,
    key: String,
    value: String,
}

/// "remember that I prefer window seats"
pub(super) fn store(said: &ClauseReading) -> Built {
    let Some(text) = said.raw("fact") else {
        return Built::No;
    };
    let fact = fact(said.grammar, strip_that(&text));
    let mut action = said.action("memory", "store");
    set(&mut action, "category", Some(fact.category));
    set(&mut action, "key", Some(fact.key));
    set(&mut action, "value", Some(fact.value));
    done(action)
}

fn strip_that(text: &str) -> &str {
    behind(text, &["that ", "this: ", "this "])
}

/// "my sister is called Nina" → person, sister, Nina. "I prefer window seats" → preference, seat preference.
fn fact(grammar: Grammar, text: &str) -> Fact {
    let text = tidy(text);
    if let Some((subject, value)) = split_copula(&text) {
        let key = without_determiner(subject).to_owned();
        return Fact { category: category(grammar, &text, "fact"), key, value: value.to_owned() };
    }
    let lower = lower(&text);
    for verb in ["prefer ", "like ", "love ", "hate ", "don't like ", "dislike ", "can't stand ", "enjoy "] {
        let Some(at) = lower.find(verb).filter(|&at| at <= 14 && lower.is_char_boundary(at)) else {
            continue;
        };
        let object = lower[at + verb.len()..].split([',', '.']).next().unwrap_or_default();
        let key = format!("{} preference", topic_of(object));
        return Fact { category: "preference", key, value: title(&text) };
    }
    if let Some((key, category)) =
        CUES.iter().find_map(|(cue, key, category)| lower.contains(cue).then_some((*key, *category)))
    {
        return Fact { category, key: key.to_owned(), value: title(&text) };
    }
    Fact { category: category(grammar, &text, "fact"), key: key_words(&text), value: title(&text) }
}

/// What some verbs are about.
const CUES: [(&str, &str, &str); 12] = [
    ("allergic", "allergy", "health"),
    ("parked", "parking", "place"),
    ("i live ", "home", "place"),
    ("i work ", "work", "work"),
    ("vegetarian", "diet", "preference"),
    ("vegan", "diet", "preference"),
    ("i was born", "birthday", "person"),
    ("born on", "birthday", "person"),
    ("i take ", "medication", "health"),
    ("i'm from", "home town", "place"),
    ("i usually", "habit", "preference"),
    ("i always", "habit", "preference"),
];

/// "X is (called) Y": the subject and what is said of it. Not for "I am".
fn split_copula(text: &str) -> Option<(&str, &str)> {
    const LINKS: [&str; 12] = [
        " is called ",
        " is named ",
        " are called ",
        " is now called ",
        " is now ",
        " is at ",
        " is on ",
        " is in ",
        " is ",
        " are ",
        " = ",
        ": ",
    ];
    let (at, link) = LINKS
        .iter()
        .filter_map(|link| text.find(link).map(|at| (at, *link)))
        .min_by_key(|(at, link)| (*at, std::cmp::Reverse(link.len())))?;
    let (subject, value) = (text[..at].trim(), text[at + link.len()..].trim());
    let words = subject.split_whitespace().count();
    let is_pronoun =
        matches!(lower(subject).as_str(), "i" | "it" | "he" | "she" | "they" | "we" | "there" | "this" | "that");
    (!is_pronoun && (1..=6).contains(&words) && !value.is_empty()).then_some((subject, value))
}

fn category(grammar: Grammar, text: &str, otherwise: &'static str) -> &'static str {
    let ids: Vec<_> =
        lower(text).split(|c: char| !c.is_alphanumeric()).map(|word| grammar.lexicon.read_word(word)).collect();
    ["person", "health", "place", "work", "preference"]
        .into_iter()
        .find(|name| grammar.lexicon.find(&format!("about-{name}"), &ids).is_some())
        .unwrap_or(otherwise)
}

/// The noun of "window seats on flights": "seat".
fn topic_of(object: &str) -> String {
    let noun = object
        .split_whitespace()
        .take_while(|w| {
            !matches!(
                *w,
                "on" | "in"
                    | "at"
                    | "to"
                    | "over"
                    | "when"
                    | "for"
                    | "with"
                    | "without"
                    | "than"
                    | "instead"
                    | "and"
                    | "not"
                    | "very"
                    | "in the"
            )
        })
        .last()
        .unwrap_or(object)
        .trim_matches(|c: char| !c.is_alphanumeric());
    match noun.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
        Some(_) | None => noun.to_owned(),
    }
}

/// The first words that carry meaning.
fn key_words(text: &str) -> String {
    const EMPTY: [&str; 22] = [
        "i", "i'm", "am", "the", "a", "an", "my", "is", "are", "was", "to", "that", "of", "at", "in", "on", "have",
        "has", "we", "he", "she", "be",
    ];
    let words: Vec<String> =
        text.split_whitespace().map(lower).filter(|w| !EMPTY.contains(&w.as_str())).take(3).collect();
    if words.is_empty() { lower(text) } else { words.join(" ") }
}

/// "what do you remember about my sister?"
pub(super) fn recall(said: &ClauseReading) -> Built {
    let mut action = said.action("memory", "recall");
    let query = said.raw("query").map(|q| without_determiner(&strip_lead(&q)).to_owned());
    let clause = lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end - 1));
    let query = match query {
        Some(query) => query,
        None if clause.contains("allergic") => "allergy".into(),
        None => "me".into(),
    };
    let parked = clause.contains("park") && !query.contains("park");
    set(&mut action, "query", Some(if parked { format!("{query} parked") } else { query }));
    done(action)
}

fn strip_lead(query: &str) -> String {
    let mut rest = query;
    for lead in ["what ", "where ", "about ", "that "] {
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    let rest = rest.strip_suffix(" is").or_else(|| rest.strip_suffix(" are")).unwrap_or(rest);
    rest.to_owned()
}

/// "actually my sister is called Nina, not Nora"
pub(super) fn update(said: &ClauseReading) -> Built {
    // "He and Elin are coming and I would rather not": told of others, or asked.
    if said.found.frame.weak && ["asking", "teller"].iter().any(|class| said.clause_starts(class)) {
        return Built::No;
    }
    let mut action = said.action("memory", "update");
    let pair = match (said.raw("key"), said.raw("value")) {
        (Some(key), Some(value)) => Some((without_determiner(&key).to_owned(), value)),
        _ => said.raw("fact").and_then(|text| {
            let text = strip_that(&text).to_owned();
            let text = text.split(", not ").next().unwrap_or(&text).trim_end_matches(" now").to_owned();
            if let Some((subject, value)) = split_copula(&text) {
                return Some((without_determiner(subject).to_owned(), tidy(value)));
            }
            let fact = fact(said.grammar, &text);
            (fact.category != "fact").then_some((fact.key, fact.value))
        }),
    };
    let Some((key, value)) = pair else {
        return Built::No;
    };
    set(&mut action, "key", Some(key));
    set(&mut action, "new_value", Some(value));
    done(action)
}

/// "forget what I said about the car"
pub(super) fn forget(said: &ClauseReading) -> Built {
    let Some(what) = said.raw("what") else {
        return Built::No;
    };
    let what = without_determiner(&strip_lead(&what)).to_owned();
    if matches!(lower(&what).as_str(), "it" | "that" | "about it" | "this" | "everything" | "") {
        return Built::No;
    }
    let mut action = said.action("memory", "forget");
    set(&mut action, "find_by", Some(what));
    done(action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::requests::grammar::GRAMMAR;

    #[test]
    fn statements_fall_into_category_key_and_value() {
        let rows = [
            ("I prefer window seats", "preference", "seat preference", "I prefer window seats"),
            ("my sister is called Nina", "person", "sister", "Nina"),
            ("I'm allergic to peanuts", "health", "allergy", "I'm allergic to peanuts"),
            ("Anna's birthday is May 3", "person", "Anna's birthday", "May 3"),
        ];
        for (text, category, key, value) in rows {
            let expected = Fact { category, key: key.into(), value: value.into() };
            assert_eq!(fact(GRAMMAR, text), expected, "{text}");
        }
    }
}
