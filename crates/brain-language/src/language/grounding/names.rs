//! Grounding of names and texts: whether one holds what is no part of it.
//!
//! A reader who takes too many words for a name leaves traces in it: a time, a second clause, a mark that divides, a
//! word that corrects or points, a story. Each trace has its weight; from a border on ([`BORDER`]) the value is shown
//! before it is made, not after.

use std::ops::Range;

use super::{BORDER, choices, is_light};
use crate::language::reading::{Mood, Reading};
use crate::language::requests;
use crate::language::time::{Grain, Reference, TimeMention, When};
use crate::language::words::words;

/// A name of more words tells something.
const NAME_WORDS: usize = 7;
/// Fewer words only look like a statement.
const STATEMENT_WORDS: usize = 4;
/// The same of a text.
const TEXT_WORDS: usize = 16;
/// Marks that divide.
const DIVIDING: [char; 5] = [',', ';', '–', '—', '\n'];

/// The words of a text that are written as names are: with a capital inside it, and no word that requests are worded with.
pub(super) fn called_in(text: &str) -> impl Iterator<Item = String> {
    let inside = text.split_whitespace().skip(1);
    let capitals =
        inside.filter(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase));
    let names = capitals.flat_map(words);
    names.filter(|name| !is_light(name) && !requests::is_worded_with(name))
}

/// Whether a name holds more than a name.
pub(super) fn is_odd_name(name: &str, reference: &Reference) -> bool {
    oddness_of_name(name, reference) >= BORDER
}

/// Whether a text that is kept holds more than one thing.
pub(super) fn is_odd_text(text: &str, reference: &Reference) -> bool {
    oddness_of_text(text, reference) >= BORDER
}

fn oddness_of_name(name: &str, reference: &Reference) -> u32 {
    let plain = unquoted(name);
    let read = Reading::of(&plain, reference);
    let said = words(&plain);
    let mut odd = traces(&said, true);
    let told = [Mood::Statement, Mood::Arrangement, Mood::Question, Mood::Negation, Mood::Condition];
    odd += 2 * u32::from(said.len() >= STATEMENT_WORDS && read.has(&told));
    // A day may be part of a name; a clock is not.
    let is_day = |mention: &TimeMention| match &mention.result {
        Ok(When::Point { grain, .. } | When::Range { grain, .. } | When::Recurrence { grain, .. }) => {
            *grain >= Grain::Day
        }
        Ok(When::Duration(_)) | Err(_) => false,
    };
    odd += read.mentions.iter().map(|mention| if is_day(mention) { 1 } else { 2 }).sum::<u32>();
    odd += 2 * u32::from(read.clauses.len() > 1);
    odd += 2 * u32::from(plain.contains(DIVIDING) && !is_enumeration(&plain));
    odd += u32::try_from(said.len().saturating_sub(NAME_WORDS)).unwrap_or(u32::MAX);
    let points = said.iter().skip(1).filter(|word| choices::points(word)).count();
    odd += 2 * u32::from(said.iter().skip(1).any(|word| choices::tells(word)));
    let ends_pointing = said.len() > 1 && said.last().is_some_and(|word| choices::points(word));
    odd + u32::try_from(points).unwrap_or(u32::MAX) + u32::from(ends_pointing)
}

/// Whether a name holds a time; a thing may be called by its day.
pub(super) fn holds_a_time(name: &str, reference: &Reference) -> bool {
    let plain = unquoted(name);
    let is_called = |span: &Range<usize>| span.start == 0 && plain[span.end..].contains(char::is_alphabetic);
    Reading::of(&plain, reference).mentions.iter().any(|mention| !is_called(&mention.span))
}

/// Whether a name is beyond doubt nothing but a name.
pub(super) fn is_plain_name(name: &str, reference: &Reference) -> bool {
    let read = Reading::of(&unquoted(name), reference);
    let said = words(name);
    let joins = said.iter().skip(1).any(|word| choices::joins_within(word));
    // A place with an infinitive behind it is a place and an errand.
    let is_thing_with_errand =
        said.first().is_some_and(|word| choices::is_light(word)) && said.contains(&"to".to_owned());
    read.mentions.is_empty()
        && !name.contains([':', ';', '–', '—', '\n'])
        && !joins
        && !is_thing_with_errand
        && oddness_of_name(name, reference) == 0
}

fn oddness_of_text(text: &str, reference: &Reference) -> u32 {
    let plain = unquoted(text);
    let read = Reading::of(&plain, reference);
    let said = words(&plain);
    let clauses = read.clauses.len().saturating_sub(1);
    let asks = read.has(&[Mood::Condition]) || plain.contains('?');
    let long = said.len().saturating_sub(TEXT_WORDS) / 2;
    let more = u32::try_from(2 * clauses + long).unwrap_or(u32::MAX);
    traces(&said, false) + more + 2 * u32::from(asks)
}

/// An enumeration of nouns.
fn is_enumeration(name: &str) -> bool {
    let last = name.rsplit(',').next().unwrap_or_default();
    let names_each = || name.split(',').all(|part| part.contains(char::is_alphabetic));
    !name.contains([';', '–', '—', '\n'])
        && names_each()
        && words(last).iter().any(|word| word == "and" || word == "und")
}

/// What is odd in either; what is kept may be a number alone.
fn traces(said: &[String], is_name: bool) -> u32 {
    let corrects = said.iter().any(|word| choices::corrects(word));
    let opens = said.first().is_some_and(|word| choices::opens(word));
    let doubled = said.windows(2).any(|pair| pair[0] == pair[1]);
    let nameless = !said.iter().any(|word| word.chars().any(char::is_alphabetic) && !choices::is_light(word));
    let ends_open = said.last().is_some_and(|word| choices::leaves_open(word));
    let begins_within = is_name && said.len() > 1 && said.first().is_some_and(|word| choices::begins_within(word));
    let is_cut = is_name && said.len() == 1 && said.iter().all(|word| word.chars().count() == 1);
    let nameless = is_name && nameless && !said.is_empty();
    2 * [corrects, opens, doubled, nameless, ends_open, begins_within, is_cut].map(u32::from).iter().sum::<u32>()
}

/// Without what stands in quotation marks, which its person has set apart.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '“' | '„' | '«' => inside = true,
            '”' | '»' => inside = false,
            '"' => inside = !inside,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    // A mark that nothing closes quotes nothing.
    if inside { text.to_owned() } else { out }
}
