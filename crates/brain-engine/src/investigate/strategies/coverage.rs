//! Coverage: how many of the asked words a thing says, whether it is about them, and the passage that tells.

use std::collections::{HashMap, HashSet};

use super::evidence::stems;
use crate::investigate::features::conversation::asks;
use crate::investigate::features::letter::{Sentence, new_part, sentences};
use crate::investigate::finding::Finding;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;
use brain_language::language::requests::is_detail;
use brain_language::language::terms;
use brain_language::language::words::without_digraphs;
use brain_services::services::contract::searchable::{ItemKind, ItemText, Party};

/// How much of what is asked a task or a note has to say.
const ABOUT_COVERED: f32 = 0.6;
/// Sentences that open a letter: they say what it is about.
const OPENING_SENTENCES: usize = 2;
/// Shorter ones are a greeting or a call.
const SENTENCE_WORDS_MIN: usize = 4;
/// Letters that have to speak of a topic that neither the title nor an opening names.
const LETTERS_ABOUT: usize = 2;
/// What a sentence is worth beside what it says of the words that are asked for, where it tells a code or a reference.
const DETAIL: f32 = 0.6;
/// Digits of such a thing.
const DETAIL_DIGITS_MIN: usize = 2;
/// Lines that close a letter and say who writes it: a name, what they do, and for whom.
const CLOSING_LINES: usize = 3;
const CLOSING_WORDS_MAX: usize = 6;
/// What a word weighs beside what it tells, so that none weighs nothing.
const TELLS_NOTHING: f32 = 1.0;

/// The words of what is asked, and how much each of them tells: what all say that was found tells least.
pub(super) struct QueryWords {
    stems: Vec<String>,
    /// All together 1.
    weights: Vec<f32>,
}

impl QueryWords {
    /// Those of what is asked, beside what was found for it.
    pub fn new(about: &str, read: &[Finding], texts: &HashMap<(String, String), ItemText>) -> Self {
        let stems = stems(about);
        if stems.len() < 2 {
            return Self { weights: vec![1.0; stems.len()], stems };
        }
        let said: Vec<HashSet<String>> = read
            .iter()
            .filter_map(|finding| {
                let text = texts.get(&(finding.item.service.clone(), finding.item.id.clone()))?;
                let people = finding.item.people.iter().map(spelled);
                let all = text.said.iter().map(|said| new_part(&said.text)).chain(people);
                let all = all.chain([finding.item.title.clone()]).collect::<Vec<_>>().join(" ");
                Some(terms::stems(&terms::fold(&all)).into_iter().collect())
            })
            .collect();
        let found: Vec<usize> =
            stems.iter().map(|stem| said.iter().filter(|said| said.contains(stem)).count()).collect();
        // What nothing says tells nothing of what there is: it counts as much as the others do on the whole.
        let telling = |found: usize| (found > 0).then(|| TELLS_NOTHING + terms::telling(found, said.len()));
        let known: Vec<f32> = found.iter().filter_map(|found| telling(*found)).collect();
        let mean = known.iter().sum::<f32>().max(f32::MIN_POSITIVE) / known.len().max(1) as f32;
        let share = |found: &usize| telling(*found).map_or(1.0, |telling| telling / mean) / stems.len() as f32;
        Self { weights: found.iter().map(share).collect(), stems }
    }
}

/// How much of what is asked a thing covers, and whether it is about it: it is called so, those who take part are, or
/// it opens with it, asks about it or repeats it; of what is no conversation, saying it once is much.
pub(super) struct Coverage {
    /// From 0 to 1.
    pub covered: f32,
    pub is_about: bool,
}

/// How well a thing fits.
pub(super) fn coverage(finding: &Finding, text: &ItemText, asked: &QueryWords) -> Coverage {
    let wanted = &asked.stems;
    let counted = |text: &str| -> Vec<usize> {
        let said = terms::stems(&terms::fold(text));
        wanted.iter().map(|stem| said.iter().filter(|word| *word == stem).count()).collect()
    };
    let title = counted(&finding.item.title);
    let closings = text.said.iter().filter(|said| !said.is_own).flat_map(|said| closing(&said.text));
    let named: Vec<String> = finding.item.people.iter().map(spelled).chain(closings).collect();
    let parties: Vec<usize> = counted(&named.join(" "));
    let letters: Vec<Vec<usize>> = text.said.iter().map(|said| counted(&new_part(&said.text))).collect();
    let has = |at: usize| title[at] > 0 || parties[at] > 0 || letters.iter().any(|letter| letter[at] > 0);
    let worth = |at: usize| match (title[at] > 0 || parties[at] > 0, has(at)) {
        (true, _) => 1.0,
        (false, true) => 0.8,
        (false, false) => 0.0,
    };
    let covered = (0..wanted.len()).map(|at| worth(at) * asked.weights[at]).sum::<f32>();
    let whole = (0..wanted.len()).all(has);
    if finding.item.kind != ItemKind::Thread {
        return Coverage { covered, is_about: covered >= ABOUT_COVERED };
    }
    let speaks = |letter: &&Vec<usize>| {
        letter.iter().any(|count| *count > 0) && (0..wanted.len()).all(|at| letter[at] + title[at] > 0)
    };
    let speaking = letters.iter().filter(speaks).count();
    let often = letters.iter().any(|letter| letter.iter().all(|count| *count >= LETTERS_ABOUT));
    let tells = |sentence: &Sentence| counted(&sentence.text).iter().zip(&title).all(|(here, title)| here + title > 0);
    let is_told =
        speaking > 0 && text.said.iter().enumerate().any(|(at, said)| opens_or_asks(at == 0, &said.text, &tells));
    let is_called = |counts: &[usize]| counts.iter().all(|count| *count > 0);
    let is_named = is_called(&title) || is_called(&parties);
    Coverage { covered, is_about: whole && (is_named || is_told || speaking >= LETTERS_ABOUT || often) }
}

/// The sentence that says most of what is asked, the first of those that say as much; `None` where none says any of it.
/// Where a number may be wanted and the next sentence has it, that comes first.
pub(super) fn passage(kind: ItemKind, text: &ItemText, asked: &QueryWords, wants_numbers: bool) -> Option<String> {
    let mut best: Option<(f32, String)> = None;
    for said in &text.said {
        let sentences = said_in(kind, &said.text);
        for (at, sentence) in sentences.iter().enumerate() {
            let said = terms::stems(&terms::fold(&sentence.text));
            let of_it = asked.stems.iter().zip(&asked.weights).filter(|(stem, _)| said.contains(stem));
            let names_it = wants_numbers && tells_a_detail(sentence);
            let worth = of_it.map(|(_, weight)| weight).sum::<f32>() + if names_it { DETAIL } else { 0.0 };
            if worth > best.as_ref().map_or(0.0, |(most, _)| *most) {
                let has_number = |sentence: &&Sentence| sentence.text.chars().any(|c| c.is_ascii_digit());
                let next = sentences.get(at + 1).filter(|_| wants_numbers && !has_number(&sentence)).filter(has_number);
                let passage = match next {
                    Some(next) => format!("{} … {}", next.text, sentence.text),
                    None => sentence.text.clone(),
                };
                best = Some((worth, passage));
            }
        }
    }
    best.map(|(_, passage)| shorten(&passage, SNIPPET_CHARS_MAX))
}

/// The sentences of a letter; of anything else each line says something of its own.
fn said_in(kind: ItemKind, text: &str) -> Vec<Sentence> {
    match kind {
        ItemKind::Thread => sentences(&new_part(text)),
        _ => text.lines().flat_map(sentences).collect(),
    }
}

/// Whether a sentence has a word for a detail, and a word with enough digits to be its value.
fn tells_a_detail(sentence: &Sentence) -> bool {
    let has_number = |word: &String| word.chars().filter(char::is_ascii_digit).count() >= DETAIL_DIGITS_MIN;
    sentence.words.iter().any(|word| is_detail(word)) && sentence.words.iter().any(has_number)
}

/// Whether a letter asks about something, or the first one opens with it.
fn opens_or_asks(is_first: bool, text: &str, tells: &dyn Fn(&Sentence) -> bool) -> bool {
    let read = sentences(&new_part(text));
    let whole = read.iter().filter(|sentence| sentence.words.len() >= SENTENCE_WORDS_MIN);
    let mut opening = whole.take(if is_first { OPENING_SENTENCES } else { 0 });
    opening.any(tells) || read.iter().any(|sentence| asks(sentence) && tells(sentence))
}

/// How whoever wrote a letter signs it.
fn closing(text: &str) -> Vec<String> {
    let new = new_part(text);
    let lines = new.lines().rev().filter(|line| !line.trim().is_empty()).take(CLOSING_LINES);
    lines.take_while(|line| line.split_whitespace().count() <= CLOSING_WORDS_MAX).map(str::to_owned).collect()
}

/// Somebody's name, and the domain they write from.
fn spelled(party: &Party) -> String {
    let domain = party.address.rsplit('@').next().unwrap_or_default().replace(['.', '-'], " ");
    format!("{} {domain} {}", party.name, without_digraphs(&domain))
}
