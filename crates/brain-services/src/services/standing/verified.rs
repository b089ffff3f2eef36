//! What a capable model planned, beside the words that it says its values rest on.
//!
//! | a weighty value | its words stand where it says | and it follows from them, as code reads them | so it is |
//! |---|---|---|---|
//! | time, repetition, length, person, which item | yes | yes | exact |
//! | | yes | code cannot tell | likely: shown in full, done with one tap |
//! | | no, and it does not follow from the message either | | left out, and told |
//!
//! Names, texts and letters are a planner's to word; of the numbers in them each has to stand somewhere. What only looks
//! has no effect that could be wrong. Invariants: nothing is pruned that code merely cannot read, and nothing that it
//! cannot read is done at once; pure. Not here: stakes, whose words a value is (taint), and what a small model plans
//! ([`super`]).

use std::collections::BTreeMap;

use super::{PlanStanding, take};
use crate::services::address_book::Person;
use crate::services::entry::Entry;
use crate::services::values::{TypedValue, typed_values};
use brain_core::core::plan::{PlannedAction, StatedWords};
use brain_language::language::grounding::{Ground, TimeGround, ValueKind, says_choice};
use brain_language::language::people;
use brain_language::language::reading::{Mood, Reading};
use brain_language::language::time::{self, Reference, When};
use brain_language::language::words::words;

/// What values may rest on.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// This message.
    pub reading: &'a Reading,
    /// What the person said, this message among it; others' words are in none of it.
    pub own: Vec<&'a str>,
    /// What else they have before them: rows, things, results, letters.
    pub shown: Vec<&'a str>,
    /// Times of the things in hand, as they are stored.
    pub times: Vec<String>,
    /// Names of the things that a message may point at without naming them, by their ids.
    pub in_hand: BTreeMap<&'a str, &'a str>,
    /// Of all things that a planner was shown.
    pub items: BTreeMap<&'a str, &'a str>,
    /// Those whose addresses may stand in the plan.
    pub people: &'a [Person],
    /// When and where it was said.
    pub reference: &'a Reference,
}

/// How an action stands, and what was taken out of it.
#[derive(Debug, PartialEq)]
pub struct Verified {
    /// Exact or likely.
    pub standing: PlanStanding,
    /// Values that nothing carries.
    pub unsaid: Vec<String>,
}

/// How a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueStanding {
    Follows,
    Stands,
    Unsaid,
}

impl Verifier<'_> {
    /// Takes out of an action what nothing carries, and says how the rest stands.
    pub fn action(&self, entry: &dyn Entry, planned: &mut PlannedAction) -> Verified {
        let mut verified = Verified { standing: PlanStanding::Exact, unsaid: Vec::new() };
        // What does not fit its command is the gate's to ask about.
        let Ok(params) = entry.check(planned.params.clone()) else { return verified };
        if !entry.writes() {
            return verified;
        }
        if self.only_asks_or_denies() {
            verified.standing = PlanStanding::Likely;
        }
        for value in typed_values(entry, &params).iter().rev() {
            match self.value(value, &planned.words) {
                ValueStanding::Follows => {}
                ValueStanding::Stands => verified.standing = PlanStanding::Likely,
                ValueStanding::Unsaid if value.is_required && value.kind != ValueKind::Person => {
                    verified.standing = PlanStanding::Likely;
                }
                ValueStanding::Unsaid => {
                    take(&mut planned.params, value);
                    verified.unsaid.push(value.text.clone());
                }
            }
        }
        verified
    }

    /// Whether code takes all of the message for what changes nothing.
    fn only_asks_or_denies(&self) -> bool {
        let clauses = &self.reading.clauses;
        !clauses.is_empty() && clauses.iter().all(|clause| matches!(clause.mood, Mood::Question | Mood::Negation))
    }

    fn value(&self, value: &TypedValue, stated: &[StatedWords]) -> ValueStanding {
        let text = value.text.as_str();
        let names = |one: &&StatedWords| value.path.contains(&one.param);
        let from: Vec<&str> = stated.iter().filter(names).map(|one| one.from.as_str()).collect();
        let stands = from.iter().any(|words| self.stands(words));
        let or_stands = |follows: bool| match (follows, stands) {
            (true, _) => ValueStanding::Follows,
            (false, true) => ValueStanding::Stands,
            (false, false) => ValueStanding::Unsaid,
        };
        match value.kind {
            ValueKind::Time => or_stands(self.time_follows(text, &from)),
            ValueKind::Repetition => or_stands(self.repeats_so(text, &from)),
            ValueKind::Length => or_stands(time::offset_in(&self.reading.text).is_some()),
            // No words stand for an address.
            ValueKind::Person if self.is_person(text) => ValueStanding::Follows,
            ValueKind::Person => ValueStanding::Unsaid,
            // The words for one of few are at hand where somebody said one.
            ValueKind::Choice if stands || self.says_choice(text) => ValueStanding::Follows,
            ValueKind::Choice => ValueStanding::Unsaid,
            ValueKind::Plain | ValueKind::Composed => ValueStanding::Follows,
            ValueKind::Reference => match self.is_item(text) {
                true => ValueStanding::Follows,
                false => ValueStanding::Stands,
            },
            ValueKind::Name | ValueKind::Entries | ValueKind::Text => match self.numbers_stand(text) {
                true => ValueStanding::Follows,
                false => ValueStanding::Stands,
            },
        }
    }

    /// Whether words stand in what the person said or has before them.
    fn stands(&self, from: &str) -> bool {
        let from = words(from);
        let from = format!(" {} ", from.join(" "));
        let holds = |text: &&str| format!(" {} ", words(text).join(" ")).contains(&from);
        !from.trim().is_empty() && self.own.iter().chain(&self.shown).any(holds)
    }

    /// Whether a time follows from its words, from the message, or from both with the times of what is in hand.
    fn time_follows(&self, value: &str, from: &[&str]) -> bool {
        let in_hand: Vec<&str> = self.times.iter().map(String::as_str).collect();
        let said = |more: &[&str]| {
            let ground = Ground::of(self.reading, more, &[], &[], self.reference);
            ground.time(value, self.reference) == TimeGround::Said
        };
        let from: Vec<&str> = from.iter().copied().filter(|words| self.stands(words)).collect();
        said(&from) || self.names_a_time(&from) && said(&[from.as_slice(), &in_hand].concat())
    }

    /// Whether the words or the message name any time, or point at one.
    fn names_a_time(&self, from: &[&str]) -> bool {
        !self.reading.mentions.is_empty() || !from.is_empty()
    }

    /// Whether a rule is what its words say, or those of the message that repeat.
    fn repeats_so(&self, rule: &str, from: &[&str]) -> bool {
        let of_message = self.reading.mentions.iter().filter_map(|mention| mention.result.as_ref().ok());
        let of_words = from.iter().filter(|words| self.stands(words));
        let of_words: Vec<When> = of_words.filter_map(|words| time::resolve(words, self.reference)?.ok()).collect();
        let said = of_message.chain(&of_words).filter_map(|when| match when {
            When::Recurrence { rrule, .. } => Some(parts(rrule)),
            When::Point { .. } | When::Range { .. } | When::Duration(_) => None,
        });
        let in_words = || time::resolve(rule, self.reference).and_then(Result::ok);
        let planned = match rule.contains('=') {
            true => parts(rule),
            false => match in_words() {
                Some(When::Recurrence { rrule, .. }) => parts(&rrule),
                Some(When::Point { .. } | When::Range { .. } | When::Duration(_)) | None => return false,
            },
        };
        said.into_iter().any(|said| said == planned)
    }

    fn says_choice(&self, value: &str) -> bool {
        self.own.iter().any(|own| says_choice(value, own))
    }

    fn is_person(&self, text: &str) -> bool {
        let mailbox = people::mailbox_of(text);
        let is_address = mailbox.contains('@');
        let is_known = || self.people.iter().any(|person| person.emails.contains(&mailbox));
        let name = words(mailbox.split('@').next().unwrap_or_default());
        let is_named = || self.own.iter().flat_map(|own| words(own)).any(|word| name.contains(&word));
        // A name is looked up by code, and an address that nobody said or knows is nobody's.
        !is_address || is_known() || is_named()
    }

    /// Whether something in sight, or in the person's words, is what this finds.
    fn is_item(&self, text: &str) -> bool {
        let is_named = |label: &str| {
            let ground = Ground::of(self.reading, &[], &self.own, &[], self.reference);
            ground.shares_a_word(label)
        };
        self.in_hand.contains_key(text) || is_named(self.items.get(text).copied().unwrap_or(text))
    }

    /// Whether each number of a text stands somewhere.
    fn numbers_stand(&self, text: &str) -> bool {
        let has_digit = |word: &String| word.contains(|c: char| c.is_ascii_digit());
        let mut numbers = words(text).into_iter().filter(has_digit).peekable();
        if numbers.peek().is_none() {
            return true;
        }
        let known: String =
            self.own.iter().chain(&self.shown).flat_map(|text| words(text)).collect::<Vec<_>>().join(" ");
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let run = digits(&known);
        numbers.all(|number| known.contains(&number) || run.contains(&digits(&number)))
    }
}

/// The parts of a rule that say how it repeats; which day or hour it begins with follows from its start.
fn parts(rule: &str) -> BTreeMap<String, String> {
    let parts = rule.trim().trim_start_matches("RRULE:").split(';').filter_map(|part| part.split_once('='));
    let parts = parts.map(|(name, value)| (name.to_uppercase(), value.to_uppercase()));
    let says = |(name, value): &(String, String)| match name.as_str() {
        "WKST" | "BYSECOND" => false,
        "INTERVAL" => value != "1",
        // One hour is that of the start.
        "BYHOUR" | "BYMINUTE" => value.contains(','),
        _ => true,
    };
    let until = |(name, value): (String, String)| {
        // An end is a day, whatever hour stands behind it.
        let day = value.get(..8).unwrap_or(&value).to_owned();
        if name == "UNTIL" { (name, day) } else { (name, value) }
    };
    parts.filter(says).map(until).collect()
}

#[cfg(test)]
mod tests;
