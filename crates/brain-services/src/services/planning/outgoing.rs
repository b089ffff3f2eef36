//! Outgoing looks: whether what a call tells somebody elsewhere was meant to be told there.
//!
//! A look elsewhere that needs no yes is a message to whoever answers it. Each value of it, down to the last leaf of its
//! parameters, is one of these:
//! - *said*: in the person's own words of this request, in what it completes, or in what they point at; a time that
//!   follows from these, or from now; a link that stands there as it is;
//! - *known there*: whoever is told has given it, or was told it before, in this conversation;
//! - *formal*: what the definition offers (a choice, a truth value), a round number, an ordinary word of searches, how
//!   long a list is, and nothing where something could stand;
//! - *unsaid*: everything else. It needs a yes, on a card that says so.
//!
//! What is known there or formal is a choice: it is weighed in bits, by how much else could stand there, and a turn has so
//! many of them ([`limits::LOOK_ADDED_BITS_MAX`]). Values count as they are written, signs, spaces and capitals included.
//!
//! Invariants: a link is never put together, and a link to another place was said or shown; what whoever is told has given
//! and the person's own data hold alike counts as that data; looks are counted over all rounds of a turn. Pure. Not here:
//! whose words a value is made of ([`brain_core::core::provenance`]), and asking (the gate).

mod leaves;

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, SecondsFormat, Timelike as _};
use chrono_tz::Tz;
use rustc_hash::FxHashSet;
use serde_json::Value;

pub use self::leaves::leaves_of;
use self::leaves::{choices, collect, is_stated};
use crate::services::contract::addressee::Addressee;
use crate::services::contract::entry::Entry;
use brain_core::core::plan::Params;
use brain_core::limits;
use brain_language::language::grounding::{Ground, NUMBER_BITS, OwnWords, TimeGround, bits_of, is_round, links};
use brain_language::language::time::{self, Reference};
use brain_language::language::words::words;

/// Days around today that a planner may choose where no time was named, and what such a choice weighs.
const NEAR_DAYS: i64 = 15;
const NEAR_DAY_BITS: u32 = 5;
/// How a local time is written out.
const LOCAL: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
/// What a truth value weighs.
const TRUTH_BITS: u32 = 1;
/// What a value weighs at least that whoever is told has given: more, the more it gave.
const GIVEN_BITS: u32 = 2;
/// What a border of what may stand there weighs, and a value that says nothing.
const BORDER_BITS: u32 = 2;
const EMPTY_BITS: u32 = 1;
/// What it weighs to tell again what was chosen before.
const AGAIN_BITS: u32 = 1;
/// A word of the person's own data is telling from so many letters on; one with figures always is.
const TELLING_LETTERS: usize = 4;

/// What a person meant to be told elsewhere.
#[derive(Debug)]
pub struct MeantToTell<'a> {
    /// Their own words about this request, and what these complete and point at.
    pub said: &'a OwnWords,
    /// The times in these.
    pub ground: &'a Ground<'a>,
    /// When they were said, and where.
    pub reference: &'a Reference,
    /// What whoever is told has answered in this conversation.
    pub given: Vec<&'a str>,
    /// The values that it was told before.
    pub told: Vec<String>,
    /// The person's own data in sight, a line each.
    pub records: &'a [String],
}

/// What a turn has told elsewhere so far, without a yes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisclosedSoFar {
    looks: usize,
    bits: u32,
    /// Service and value.
    values: BTreeSet<(String, String)>,
}

/// A value that nobody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsaidLeaf {
    /// As it would go out.
    pub value: String,
    /// The line of the person's own data that it stands in, where it does.
    pub record: Option<String>,
}

/// What a call tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Telling {
    /// Nothing that was not meant; the turn's account with it.
    Meant(DisclosedSoFar),
    /// Values that nobody said.
    Unsaid(Vec<UnsaidLeaf>),
    /// More than a planner may choose by itself in one turn.
    TooMuch,
}

/// One value on its way out.
enum LeafCost {
    /// Of a choice of its own so many bits.
    Weighs(u32),
    Unsaid,
}

impl MeantToTell<'_> {
    /// What a call with these parameters tells, after what the turn has told already.
    pub fn telling(
        &self,
        entry: &dyn Entry,
        addressee: &Addressee<'_>,
        params: &Params,
        so_far: &DisclosedSoFar,
    ) -> Telling {
        let mut leaves = Vec::new();
        let schema = entry.schema();
        for (name, value) in params {
            let property = &schema["properties"][name];
            if property.is_null() && !Addressee::is_answer(name) {
                leaves.push((name.clone(), Value::Null));
            }
            if !Addressee::names_a_call(name) {
                collect(value, property, &mut leaves);
            }
        }
        let of_addressee: FxHashSet<String> = [addressee.title, entry.command(), entry.summary()]
            .into_iter()
            .flat_map(|text| words(&text.replace(['_', '-', '/', '.'], " ")))
            .collect();
        let (mut after, mut unsaid) = (so_far.clone(), Vec::new());
        after.looks += 1;
        after.bits += params.values().map(lists_weigh).sum::<u32>();
        let is_crowded = leaves.len() > limits::LOOK_VALUES_MAX;
        for (text, schema) in leaves {
            let told = (entry.service().to_owned(), text.clone());
            match self.leaf(&text, &schema, addressee, &of_addressee) {
                // What was told there before tells only that it was chosen again.
                LeafCost::Weighs(bits) if after.values.contains(&told) => after.bits += bits.min(AGAIN_BITS),
                LeafCost::Weighs(bits) => {
                    after.bits += bits;
                    after.values.insert(told);
                }
                LeafCost::Unsaid => unsaid.push(UnsaidLeaf { record: self.record_of(&text), value: text }),
            }
        }
        match unsaid.is_empty() {
            false => Telling::Unsaid(unsaid),
            true if is_crowded
                || after.bits > limits::LOOK_ADDED_BITS_MAX
                || after.looks > limits::LOOKS_ELSEWHERE_MAX =>
            {
                Telling::TooMuch
            }
            true => Telling::Meant(after),
        }
    }

    fn leaf(
        &self,
        text: &str,
        schema: &Value,
        addressee: &Addressee<'_>,
        of_addressee: &FxHashSet<String>,
    ) -> LeafCost {
        let year = self.reference.now.with_timezone(&self.reference.zone).year();
        if is_stated(schema, &["default"], text) {
            return LeafCost::Weighs(0);
        }
        if links(text).next().is_some() {
            let weighs = self.links(text, addressee, of_addressee, year);
            return weighs.into_iter().chain(self.was_told(text)).min().map_or(LeafCost::Unsaid, LeafCost::Weighs);
        }
        let choices = choices(schema);
        if choices.iter().any(|choice| choice == text) {
            let is_said = self.ground.has_choice(text) || self.said.added(text, &FxHashSet::default(), year) == Some(0);
            return LeafCost::Weighs(if is_said { 0 } else { bits_of(choices.len()) });
        }
        let known = self.was_told(text).or_else(|| self.given_weighs(text));
        let known = known.or_else(|| self.path(text, of_addressee, year));
        let border = is_stated(schema, &["minimum", "maximum"], text).then_some(BORDER_BITS);
        let plain = self.number(text).or_else(|| self.time(text)).or_else(|| self.words(text, of_addressee, year));
        let least = border.into_iter().chain(plain).chain(known).min();
        least.map_or(LeafCost::Unsaid, LeafCost::Weighs)
    }

    fn words(&self, text: &str, of_addressee: &FxHashSet<String>, year: i32) -> Option<u32> {
        match text {
            "" => Some(EMPTY_BITS),
            text if text == self.reference.zone.name() => Some(0),
            text => self.said.added(text, of_addressee, year),
        }
    }

    /// What a text with links weighs: each of them once, and the words around them.
    fn links(&self, text: &str, addressee: &Addressee<'_>, of_addressee: &FxHashSet<String>, year: i32) -> Option<u32> {
        let (mut rest, mut bits) = (text.to_owned(), 0);
        let mut before = FxHashSet::default();
        for link in links(text) {
            if !before.insert(link) {
                return None;
            }
            bits += match () {
                () if self.said.has_link(link) => 0,
                () if self.is_of(addressee, link) => {
                    let given = self.given.iter().flat_map(|given| links(given));
                    bits_of(given.collect::<FxHashSet<_>>().len()).max(GIVEN_BITS)
                }
                () => return None,
            };
            rest = rest.replacen(link, "", 1);
        }
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_spaced = text.contains("  ") || text.contains(|c: char| c.is_whitespace() && c != ' ');
        if links(&rest).next().is_some() || is_spaced || text.trim() != text {
            return None;
        }
        let around = if rest.is_empty() { 0 } else { self.words(&rest, of_addressee, year)? };
        Some(bits + around)
    }

    /// What a number or a truth value weighs that nobody said.
    fn number(&self, text: &str) -> Option<u32> {
        if matches!(text, "true" | "false") {
            return Some(TRUTH_BITS);
        }
        let number: f64 = text.parse().ok()?;
        if self.said.has_exactly(text) {
            return Some(0);
        }
        // One way of writing it is enough: others would tell something, too.
        let is_plain = number.to_string() == text || format!("{number:.1}") == text;
        (is_plain && number.fract() == 0.0 && is_round(number as i64)).then_some(NUMBER_BITS)
    }

    /// What a time weighs: nothing where it follows from what was said, or from now.
    fn time(&self, text: &str) -> Option<u32> {
        let now = self.reference.now.with_timezone(&self.reference.zone);
        let day = text.parse::<NaiveDate>().ok();
        let instant = instant(text, self.reference.zone);
        let is_plain = is_usual(text, day, instant.as_ref());
        let in_words = || !text.contains(char::is_numeric) && self.is_only_a_time(text);
        if !is_plain || day.is_none() && instant.is_none() && !in_words() {
            return None;
        }
        if self.ground.time(text, self.reference) == TimeGround::Said {
            return Some(0);
        }
        if let Some(at) = instant.filter(|at| (*at - now).abs() < chrono::Duration::minutes(2)) {
            return (at.second() == 0 || at == now).then_some(0);
        }
        let is_edge = |at: &DateTime<_>| matches!((at.hour(), at.minute()), (0, 0) | (23, 59));
        let day = day.or_else(|| instant.filter(is_edge).map(|at| at.date_naive()))?;
        match (day - now.date_naive()).num_days() {
            0 => Some(0),
            apart if apart.abs() <= NEAR_DAYS => Some(NEAR_DAY_BITS),
            _ => None,
        }
    }

    /// Whether words are a time and nothing beside it, which could be anything.
    fn is_only_a_time(&self, text: &str) -> bool {
        let mut rest = text.to_owned();
        let found = time::find(text, self.reference);
        found.iter().rev().for_each(|one| rest.replace_range(one.span.clone(), ""));
        let is_plain = !text.chars().skip(1).any(char::is_uppercase) && !text.contains("  ") && text.trim() == text;
        found.iter().all(|one| one.result.is_ok()) && !found.is_empty() && rest.trim().is_empty() && is_plain
    }

    /// What it weighs to choose this among all that was told before.
    fn was_told(&self, text: &str) -> Option<u32> {
        let told: FxHashSet<&str> = self.told.iter().map(String::as_str).collect();
        told.contains(text).then(|| bits_of(told.len()))
    }

    /// What it weighs to choose this among all that whoever is told has given: where it begins among what looks like it,
    /// and how long it is.
    fn given_weighs(&self, text: &str) -> Option<u32> {
        if !self.is_given(text) || self.record_of(text).is_some() {
            return None;
        }
        // What stands there by itself is one of so many, and that is all it tells.
        let alone: FxHashSet<&str> = self.given.iter().flat_map(|given| names(given)).collect();
        if alone.contains(text) {
            return Some((1 + bits_of(alone.len())).max(GIVEN_BITS));
        }
        let has_figures = |word: &str| word.contains(char::is_numeric);
        let alike: FxHashSet<String> = self.given.iter().flat_map(|given| words(given)).collect();
        let alike = alike.iter().filter(|word| has_figures(word) == has_figures(text)).count();
        Some((1 + bits_of(alike) + 2 * bits_of(words(text).len())).max(GIVEN_BITS))
    }

    /// What a path weighs that is known there up to a name, and the name as well; each name tells which one it is.
    fn path(&self, text: &str, of_addressee: &FxHashSet<String>, year: i32) -> Option<u32> {
        let (folder, name) = text.rsplit_once('/')?;
        if text.matches('/').count() > limits::LOOK_VALUES_MAX || !name.contains(char::is_alphanumeric) {
            return None;
        }
        let part = |part: &str| {
            let known = self.was_told(part).into_iter().chain(self.given_weighs(part));
            known.chain(self.words(part, of_addressee, year)).min()
        };
        let above = part(folder).or_else(|| self.path(folder, of_addressee, year))?;
        Some(above + part(name)?.max(GIVEN_BITS))
    }

    /// Whether whoever is told has named this: an id, a table, a file by its path or in a folder that is known there. A
    /// link or an address leads elsewhere.
    pub fn is_named(&self, text: &str) -> bool {
        let is_one = !text.contains(char::is_whitespace) || text.starts_with('/') && !text.contains('\n');
        let is_known = |folder: &str| folder.is_empty() || self.is_given(folder) || self.was_told(folder).is_some();
        let within = || text.rsplit_once('/').is_some_and(|(folder, name)| is_known(folder) && self.is_given(name));
        is_one && links(text).next().is_none() && (self.is_given(text) || within())
    }

    /// Whether whoever is told has written this, as it is.
    fn is_given(&self, piece: &str) -> bool {
        let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let holds = |given: &&str| {
            let mut found = given.match_indices(piece);
            found.any(|(at, _)| {
                is_border(given[..at].chars().next_back()) && is_border(given[at + piece.len()..].chars().next())
            })
        };
        piece.contains(char::is_alphanumeric) && self.given.iter().any(holds)
    }

    /// A link to whoever is told that it has given itself.
    fn is_of(&self, addressee: &Addressee<'_>, link: &str) -> bool {
        let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
        let host = rest[..rest.find(['/', '?', '#', ':']).unwrap_or(rest.len())].to_lowercase();
        addressee.host.as_ref().is_some_and(|own| *own == host) && self.is_given(link) && self.record_of(link).is_none()
    }

    /// The line of the person's own data in sight that holds a telling word of this which they did not say.
    fn record_of(&self, text: &str) -> Option<String> {
        self.found_in(text, self.records)
    }

    /// The one of these lines that holds most of them.
    pub fn found_in(&self, text: &str, records: &[String]) -> Option<String> {
        let is_telling = |word: &String| {
            (word.chars().count() >= TELLING_LETTERS || word.contains(char::is_numeric)) && !self.said.has_exactly(word)
        };
        let telling: Vec<String> = words(text).into_iter().filter(is_telling).collect();
        let shared = |record: &&String| {
            let held = words(record);
            telling.iter().filter(|word| held.contains(word)).count()
        };
        records.iter().filter(|record| shared(record) > 0).max_by_key(shared).cloned()
    }
}

/// What stands by itself in a text: between spaces, quotation marks, commas, brackets.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c.is_whitespace() || "\"'`“”,;()[]{}<>|=".contains(c));
    parts.map(|part| part.trim_matches([':', '.'])).filter(|part| part.contains(char::is_alphanumeric))
}

/// An instant that is written out, with its offset or as a local time.
fn instant(text: &str, zone: Tz) -> Option<DateTime<Tz>> {
    let local = || LOCAL.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let offset = DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&zone));
    offset.or_else(|| local()?.and_local_timezone(zone).earliest())
}

/// Whether a time is written as times usually are, in the person's own zone or in that of all: other ways would tell
/// something, too.
fn is_usual(text: &str, day: Option<NaiveDate>, instant: Option<&DateTime<Tz>>) -> bool {
    let Some(at) = instant else { return day.is_none_or(|day| day.to_string() == text) };
    let forms = [SecondsFormat::Secs, SecondsFormat::Millis];
    let with_zone = |form: &SecondsFormat| {
        [
            at.to_rfc3339_opts(*form, true),
            at.to_utc().to_rfc3339_opts(*form, true),
            at.to_utc().to_rfc3339_opts(*form, false),
        ]
    };
    let local = LOCAL.iter().map(|form| at.format(form).to_string());
    let is_plain = at.nanosecond() == 0 && matches!(at.second(), 0 | 59);
    is_plain && forms.iter().flat_map(with_zone).chain(local).any(|usual| usual == text)
}

/// What lists weigh beside what is in them: how long they are, and where nothing new stands.
fn lists_weigh(value: &Value) -> u32 {
    match value {
        Value::Array(items) => {
            let length = bits_of(items.len());
            let is_idle =
                |(at, item): (usize, &Value)| items[..at].contains(item) || *item == Value::Null || *item == "";
            let idle = items.iter().enumerate().filter(|one| is_idle(*one)).count();
            let idle = u32::try_from(idle).unwrap_or(limits::LOOK_ADDED_BITS_MAX);
            length + idle.saturating_mul(length.max(1)) + items.iter().map(lists_weigh).sum::<u32>()
        }
        Value::Object(map) => map.values().map(lists_weigh).sum(),
        _ => 0,
    }
}
