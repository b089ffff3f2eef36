//! `store`: remember a fact. A fact of a name that is known already replaces the old one.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::NAME;
use super::record::{FactView, Memory, TOLD, told_by};
use super::service::MemoryService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance::{self, Others};
use crate::services::helpers::items::Item;
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect, Record, RecordExt};
use brain_language::language::grounding::{is_light, is_liking};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::grammar::{GRAMMAR, Grammar};
use brain_language::language::requests::reading::{ClauseReading, behind, tidy, title, without_determiner};
use brain_language::language::terms;
use brain_language::language::tokens::lower;
use brain_language::language::words::words;

/// Remember a fact about the person.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreFact {
    /// E.g. preference, person, place, work, health, fact.
    pub category: String,
    /// A short name of the fact.
    pub key: String,
    pub value: String,
}

/// The category of rules.
pub(super) const RULE: &str = "rule";

impl StoreFact {
    /// A rule of the person's.
    pub(super) fn rule(name: &str, said: &str) -> Self {
        Self { category: RULE.to_owned(), key: name.to_owned(), value: said.to_owned() }
    }
}

/// A fact that was remembered.
#[derive(Debug, Serialize, Deserialize)]
pub struct FactStored {
    memory: FactView,
    /// What it said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

impl Command for StoreFact {
    type Output = FactStored;

    const NAME: &'static str = "store";
    const SUMMARY: &'static str = "remember a fact about the person";
    const EXAMPLE: &'static str = "Remember that I prefer window seats";
    const STATUS: &'static str = "Remembering that…";
    const STAKES: Stakes = Stakes::Low;
    const COMPOSED: &'static [&'static str] = &["category", "key"];

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Remember this?")
            .words("Fact", &self.key)
            .words("It says", &self.value)
            .words("Kind", &self.category)
    }

    fn receipt(&self, output: &FactStored, _: &Receipt<'_>) -> String {
        let remembered = format!("🧠 Remembered: {} — {}", self.key, self.value);
        match &output.replaced {
            Some(old) => format!("{remembered} (instead of “{old}”)"),
            None => remembered,
        }
    }

    fn attempt(&self, _: &Action) -> String {
        format!("remember “{}”", self.key)
    }

    fn made(&self, output: &FactStored) -> Option<ItemRef> {
        Some(output.memory.named())
    }
}

#[async_trait]
impl Handle<StoreFact> for MemoryService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn perform(&self, call: Invocation<'_, StoreFact>) -> Result<Completed<FactStored>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let key = texts::title(&command.key, "fact")?;
        let category = texts::title(&command.category, "category")?;
        let value = super::service::value(&command.value)?;
        let known = match self.called(ctx, &key).await? {
            None if category != RULE => self.says_the_same(ctx, &key, &value).await?,
            known => known,
        };
        let (id, expect, replaced) = match known {
            Some((old, revision)) => (old.id.clone(), Expect::Revision(revision), Some(old)),
            None => (texts::new_id(attempt), Expect::Absent, None),
        };
        // What was said in another way keeps its name.
        let key = replaced.as_ref().map_or(key, |old| old.key.clone());
        let mut others = Others::default();
        for (field, text) in [("category", &category), ("key", &key), ("value", &value)] {
            others.write(field, text, provenance::source(action, field));
        }
        let source = told_by(&others);
        let former = replaced.as_ref().map(Memory::once_replaced).unwrap_or_default();
        let memory = Memory { id, owner: ctx.owner.clone(), category, key, value, source, former, others, at: ctx.now };
        let mut untrusted = memory.untrusted();
        let replaced = replaced.filter(|old| old.value != memory.value);
        untrusted.extend(replaced.iter().flat_map(Item::untrusted));
        let output = FactStored { memory: memory.view(ctx), replaced: replaced.map(|old| old.value) };
        Ok(Completed::changed(output, vec![Change::put(&memory, expect)?]).holding(untrusted))
    }
}

impl MemoryService {
    /// The fact that speaks of the same things in other words, in its key or in its value.
    pub(super) async fn says_the_same(
        &self,
        ctx: &RequestContext,
        key: &str,
        value: &str,
    ) -> Result<Option<(Memory, u64)>, ServiceError> {
        let about = topics(key, value);
        if about.is_empty() {
            return Ok(None);
        }
        let (near, _) = self.relevant(ctx, &WordQuery::new(&format!("{key} {value}"))).await?;
        let same = |fact: &&Memory| fact.category != RULE && topics(&fact.key, &fact.value) == about;
        match near.iter().take(NEAR_MAX).find(same) {
            Some(fact) => Ok(self.store.load::<Memory>(&Record::key(fact)).await?),
            None => Ok(None),
        }
    }
}

/// What a fact is about: its telling words, without those of liking and disliking.
fn topics(key: &str, value: &str) -> BTreeSet<String> {
    let said = words(&format!("{key} {value}")).into_iter();
    let telling = said.filter(|word| !is_light(word) && !is_liking(word));
    telling.map(|word| terms::stem(&word)).collect()
}

/// Facts that may say the same.
const NEAR_MAX: usize = 5;

/// A statement taken apart.
#[derive(Debug, PartialEq)]
pub(super) struct ParsedFact {
    pub category: &'static str,
    pub key: String,
    pub value: String,
}

/// A fact to keep, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let Some(text) = said.raw("fact") else {
        return Built::No;
    };
    let fact = fact(said.grammar, strip_that(&text));
    let mut action = said.action(NAME, "store");
    set(&mut action, "category", Some(fact.category));
    set(&mut action, "key", Some(fact.key));
    set(&mut action, "value", Some(fact.value));
    Built::Act(action)
}

impl Memory {
    /// What is kept of a statement of the person's.
    pub fn told(id: &str, owner: &UserId, text: &str, at: DateTime<Utc>) -> Self {
        let ParsedFact { category, key, value } = fact(*GRAMMAR, text);
        let (source, former, others) = (TOLD.to_owned(), Vec::new(), Others::default());
        Self {
            id: id.to_owned(),
            owner: owner.clone(),
            category: category.to_owned(),
            key,
            value,
            source,
            former,
            others,
            at,
        }
    }
}

pub(super) fn strip_that(text: &str) -> &str {
    behind(text, &["that ", "this: ", "this "])
}

/// A fact by the form of its sentence, or else by its first words.
pub(super) fn fact(grammar: Grammar, text: &str) -> ParsedFact {
    let by_words = || {
        let text = tidy(text);
        ParsedFact { category: category(grammar, &text, "fact"), key: key_words(&text), value: title(&text) }
    };
    formed(grammar, text).unwrap_or_else(by_words)
}

/// A fact by the form of its sentence: category, key, value.
pub(super) fn formed(grammar: Grammar, text: &str) -> Option<ParsedFact> {
    let text = tidy(text);
    if let Some((subject, value)) = split_copula(&text) {
        let key = without_determiner(subject).to_owned();
        return Some(ParsedFact { category: category(grammar, &text, "fact"), key, value: value.to_owned() });
    }
    let lower = lower(&text);
    for verb in ["prefer ", "like ", "love ", "hate ", "don't like ", "dislike ", "can't stand ", "enjoy "] {
        let Some(at) = lower.find(verb).filter(|&at| at <= 14 && lower.is_char_boundary(at)) else {
            continue;
        };
        let object = lower[at + verb.len()..].split([',', '.']).next().unwrap_or_default();
        let key = format!("{} preference", topic_of(object));
        return Some(ParsedFact { category: "preference", key, value: title(&text) });
    }
    let cue =
        |(cue, key, category): &(&str, &'static str, &'static str)| lower.contains(cue).then_some((*key, *category));
    let (key, category) = CUES.iter().find_map(cue)?;
    Some(ParsedFact { category, key: key.to_owned(), value: title(&text) })
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

/// A sentence with a copula: the subject and what is said of it. Not for the first person.
pub(super) fn split_copula(text: &str) -> Option<(&str, &str)> {
    at_copula(text).filter(|(subject, _)| !is_pronoun(subject))
}

/// Whether a subject only points at something.
pub(super) fn is_pronoun(subject: &str) -> bool {
    matches!(lower(subject).as_str(), "i" | "it" | "he" | "she" | "they" | "we" | "there" | "this" | "that")
}

/// The same of any subject.
pub(super) fn at_copula(text: &str) -> Option<(&str, &str)> {
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
    ((1..=6).contains(&words) && !value.is_empty()).then_some((subject, value))
}

fn category(grammar: Grammar, text: &str, otherwise: &'static str) -> &'static str {
    let ids: Vec<_> =
        lower(text).split(|c: char| !c.is_alphanumeric()).map(|word| grammar.lexicon.read_word(word)).collect();
    ["person", "health", "place", "work", "preference"]
        .into_iter()
        .find(|name| grammar.lexicon.find(&format!("about-{name}"), &ids).is_some())
        .unwrap_or(otherwise)
}

/// The head of a noun phrase, without what hangs on it behind a preposition.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_fall_into_category_key_and_value() {
        let rows = [
            ("I prefer window seats", "preference", "seat preference", "I prefer window seats"),
            ("my sister is called Nina", "person", "sister", "Nina"),
            ("I'm allergic to peanuts", "health", "allergy", "I'm allergic to peanuts"),
            ("Anna's birthday is May 3", "person", "Anna's birthday", "May 3"),
        ];
        for (text, category, key, value) in rows {
            let expected = ParsedFact { category, key: key.into(), value: value.into() };
            assert_eq!(fact(*GRAMMAR, text), expected, "{text}");
        }
    }
}
