//! Cues: what a sentence of a letter says, told by its words.
//!
//! The cues are data (`data/language/letters/cues.*.txt`, with the notation at their beginning). All languages are
//! looked for at once: who writes is not asked in which. Deliberately not here: what a cue means for a conversation.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::letter::Sentence;
use brain_language::language::words::fold;

/// What a cue tells; the data name them by these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cue {
    /// Somebody is asked to do or to say something.
    Request,
    /// A question that wants no answer.
    Rhetorical,
    /// Who asked answers it right behind the question.
    Answered,
    /// Help is offered; it need not be answered.
    Offer,
    /// Something will be done for whoever reads it.
    Promise,
    /// What the reader gets by it.
    Delivery,
    /// It is no promise after all.
    Unless,
    /// Nothing more is wanted.
    Settled,
    /// What was said suits: nothing more is wanted, but what was promised for a day to come.
    Agreed,
    /// That nothing more is wanted is a wish or a condition.
    Unsettled,
    /// Something has come, and is thanked for.
    Thanked,
    /// It went to many.
    Bulk,
    /// It sells something to somebody who never asked.
    Cold,
    /// Orders for whoever reads mail for somebody, and what swindlers write.
    Order,
}

const TEXTS: [&str; 3] = [
    include_str!("../../../../../data/language/letters/cues.en.txt"),
    include_str!("../../../../../data/language/letters/cues.de.txt"),
    include_str!("../../../../../data/language/letters/cues.other.txt"),
];

/// Words between two parts of a cue, where it allows any.
const GAP_MAX: usize = 3;

/// One part of a cue.
#[derive(Debug, Clone, PartialEq)]
enum CuePart {
    Word(String),
    /// One word that ends so.
    Ending(String),
    /// Up to [`GAP_MAX`] words.
    Gap,
    /// One of these.
    Either(Vec<Vec<CuePart>>),
    /// One of these, or nothing.
    Optional(Vec<Vec<CuePart>>),
    /// None of these follows.
    Not(Vec<Vec<CuePart>>),
    /// None of these words comes right before.
    NotBehind(Vec<Vec<CuePart>>),
    /// The beginning of a clause.
    Start,
    /// The beginning of the sentence.
    First,
    /// The end of the sentence.
    End,
}

type Pattern = Vec<CuePart>;

/// The patterns of a cue by the word they begin with, so that few are tried at a word.
#[derive(Debug, Default)]
struct CuePatterns {
    all: Vec<Pattern>,
    by_word: FxHashMap<String, Vec<usize>>,
    /// Those that may begin with any word.
    by_none: Vec<usize>,
}

impl CuePatterns {
    fn add(&mut self, pattern: Pattern) {
        let at = self.all.len();
        let mut words = Vec::new();
        match first_words(&pattern, &mut words) {
            true => words.into_iter().for_each(|word| self.by_word.entry(word).or_default().push(at)),
            false => self.by_none.push(at),
        }
        self.all.push(pattern);
    }

    fn beginning_with<'a>(&'a self, word: &str) -> impl Iterator<Item = &'a Pattern> {
        let by_word = self.by_word.get(word).map(Vec::as_slice).unwrap_or_default();
        by_word.iter().chain(&self.by_none).map(|at| &self.all[*at])
    }
}

/// Collects the words that a pattern may begin with; `false` where these are not all.
fn first_words(pattern: &[CuePart], words: &mut Vec<String>) -> bool {
    let Some((piece, rest)) = pattern.split_first() else { return false };
    match piece {
        CuePart::Word(word) => {
            if !words.contains(word) {
                words.push(word.clone());
            }
            true
        }
        CuePart::Start | CuePart::First | CuePart::Not(_) | CuePart::NotBehind(_) => first_words(rest, words),
        CuePart::Either(ways) => ways.iter().all(|way| first_words(way, words)),
        CuePart::Optional(ways) => ways.iter().all(|way| first_words(way, words)) && first_words(rest, words),
        CuePart::Ending(_) | CuePart::Gap | CuePart::End => false,
    }
}

static CUES: LazyLock<FxHashMap<Cue, CuePatterns>> = LazyLock::new(|| {
    let mut cues: FxHashMap<Cue, CuePatterns> = FxHashMap::default();
    for text in TEXTS {
        let mut heading: Option<Cue> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            if !line.starts_with(' ') {
                heading = serde_json::from_value(line.trim().into()).ok();
            } else if let Some(cue) = heading {
                cues.entry(cue).or_default().add(read(line));
            }
        }
    }
    cues
});

fn read(line: &str) -> Pattern {
    let spaced: String =
        line.chars().flat_map(|c| if "()[]|!?".contains(c) { vec![' ', c, ' '] } else { vec![c] }).collect();
    let symbols: Vec<&str> = spaced.split_whitespace().collect();
    sequence(&mut symbols.as_slice())
}

fn sequence(symbols: &mut &[&str]) -> Pattern {
    let mut pattern = Pattern::new();
    while let Some((&symbol, rest)) = symbols.split_first() {
        match symbol {
            ")" | "]" | "|" => break,
            "!" | "?" => {
                *symbols = rest;
                let ways = group(symbols);
                pattern.push(if symbol == "!" { CuePart::Not(ways) } else { CuePart::NotBehind(ways) });
                continue;
            }
            "(" | "[" => {
                let ways = group(symbols);
                pattern.push(if symbol == "(" { CuePart::Either(ways) } else { CuePart::Optional(ways) });
                continue;
            }
            "*" => pattern.push(CuePart::Gap),
            "^" => pattern.push(CuePart::Start),
            "^^" => pattern.push(CuePart::First),
            "$" => pattern.push(CuePart::End),
            word if word.starts_with('~') => pattern.push(CuePart::Ending(fold(&word[1..]))),
            word => pattern.push(CuePart::Word(fold(word))),
        }
        *symbols = rest;
    }
    pattern
}

/// The ways of a group, of which the opening bracket comes next.
fn group(symbols: &mut &[&str]) -> Vec<Pattern> {
    let mut ways = Vec::new();
    while matches!(symbols.first(), Some(&"(" | &"[" | &"|")) && (ways.is_empty() || symbols[0] == "|") {
        *symbols = &symbols[1..];
        ways.push(sequence(symbols));
    }
    *symbols = symbols.get(1..).unwrap_or_default();
    ways
}

/// Whether a sentence says this.
pub fn says(sentence: &Sentence, cue: Cue) -> bool {
    let Some(patterns) = CUES.get(&cue) else { return false };
    let mut words = sentence.words.iter().enumerate();
    words.any(|(at, word)| patterns.beginning_with(word).any(|pattern| matches(pattern, &[], sentence, at)))
}

/// Whether `pattern` and then `after` stand at `at`.
fn matches(pattern: &[CuePart], after: &[&[CuePart]], sentence: &Sentence, at: usize) -> bool {
    let Some((piece, rest)) = pattern.split_first() else {
        return match after.split_first() {
            Some((next, after)) => matches(next, after, sentence, at),
            None => true,
        };
    };
    match piece {
        CuePart::Word(word) => {
            sentence.words.get(at).is_some_and(|here| here == word) && matches(rest, after, sentence, at + 1)
        }
        CuePart::Ending(end) => {
            sentence.words.get(at).is_some_and(|here| here.len() > end.len() && here.ends_with(end.as_str()))
                && matches(rest, after, sentence, at + 1)
        }
        CuePart::Gap => {
            (0..=GAP_MAX).any(|gap| at + gap <= sentence.words.len() && matches(rest, after, sentence, at + gap))
        }
        CuePart::Start => sentence.starts.contains(&at) && matches(rest, after, sentence, at),
        CuePart::First => at == 0 && matches(rest, after, sentence, at),
        CuePart::End => at == sentence.words.len() && matches(rest, after, sentence, at),
        CuePart::Not(ways) => {
            !ways.iter().any(|way| matches(way, &[], sentence, at)) && matches(rest, after, sentence, at)
        }
        CuePart::NotBehind(ways) => {
            let is_behind = |way: &Pattern| at >= way.len() && matches(way, &[], sentence, at - way.len());
            !ways.iter().any(is_behind) && matches(rest, after, sentence, at)
        }
        CuePart::Either(ways) => ways.iter().any(|way| then(way, rest, after, sentence, at)),
        CuePart::Optional(ways) => {
            ways.iter().any(|way| then(way, rest, after, sentence, at)) || matches(rest, after, sentence, at)
        }
    }
}

fn then(way: &[CuePart], rest: &[CuePart], after: &[&[CuePart]], sentence: &Sentence, at: usize) -> bool {
    let after: Vec<&[CuePart]> = std::iter::once(rest).chain(after.iter().copied()).collect();
    matches(way, &after, sentence, at)
}
