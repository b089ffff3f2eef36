//! The router's model: features of a message, and weights learnt from examples at first use.
//!
//! Training is deterministic (fixed order, no randomness), takes about a second (beside the start) and happens once.
//! Each example is learnt with and without its frames, so that words carry weight where no frame fits.

use std::ops::Range;
use std::sync::LazyLock;

use chrono::DateTime;

use super::super::requests::Hearing;
use super::super::requests::grammar::GRAMMAR;
use super::super::requests::heard::Heard;
use super::super::requests::lexicon::WordId;
use super::super::requests::matching;
use super::super::requests::senses::{Sense, senses};
use super::super::requests::text::{Mark, fold};
use crate::language::time::{DateOrder, Reference};

/// The domains, in the order of the model's units.
pub(crate) const DOMAINS: [&str; 6] = ["task", "calendar", "email", "memory", "keep", "contacts"];
/// The unit after the domains.
pub(crate) const INVESTIGATES: usize = DOMAINS.len();
const UNITS: usize = DOMAINS.len() + 1;

/// Features share this many weights; collisions are rare at some ten thousand features.
const BUCKETS: usize = 1 << 14;
const EPOCHS: usize = 8;
const RATE: f32 = 0.35;
/// Pulls weights to zero, so that no single word decides.
const DECAY: f32 = 2e-5;
/// Expansions of one line of examples.
const EXPANSIONS_MAX: usize = 14;
/// Features of one message.
const FEATURES_MAX: usize = 600;

const EXAMPLES: &str = include_str!("../../../data/language/routing/examples.tsv");
/// The tuning half of the evaluation sentences teaches as well; the test half never does.
const TUNING: &str = include_str!("../../../data/language/routing/tune.tsv");

/// The model, trained when it is first asked.
pub(crate) static MODEL: LazyLock<Model> = LazyLock::new(|| Model::train(examples()));

/// Every line that teaches.
pub(crate) fn examples() -> impl Iterator<Item = &'static str> {
    [EXAMPLES, TUNING].into_iter().flat_map(super::super::requests::lexicon::data_lines)
}

/// Weights of the units, bucket by bucket.
#[derive(Debug)]
pub(crate) struct Model {
    weights: Vec<[f32; UNITS]>,
    bias: [f32; UNITS],
}

/// Buckets of a message's features, and the share of each.
#[derive(Debug, Clone)]
pub(crate) struct Features(Vec<(u32, f32)>);

/// A message that teaches; its features stand among those of all, in one piece of memory that is given back at once.
struct Example {
    features: Range<usize>,
    wanted: [f32; UNITS],
}

impl Model {
    pub fn train<'a>(lines: impl Iterator<Item = &'a str>) -> Model {
        let (mut examples, mut shares) = (Vec::new(), Vec::new());
        let mut teach = |Features(features): Features, wanted| {
            let start = shares.len();
            shares.extend(features);
            examples.push(Example { features: start..shares.len(), wanted });
        };
        let reference = Reference { now: DateTime::UNIX_EPOCH, zone: chrono_tz::UTC, order: DateOrder::DayFirst };
        for (labels, line) in lines.filter_map(labelled) {
            let wanted = wanted(labels);
            for message in expansions(line) {
                let heard = Heard::quick(&message, &reference, &GRAMMAR);
                let hearing = Hearing { text: &message, reference: &reference, history: &[] };
                let senses = senses(&hearing, &heard);
                teach(features(&heard, &senses), wanted);
                teach(features(&heard, &[]), wanted);
            }
        }
        let mut model = Model { weights: vec![[0.0; UNITS]; BUCKETS], bias: [-1.0; UNITS] };
        for epoch in 0..EPOCHS {
            let rate = RATE / (1.0 + epoch as f32);
            for at in shuffled(examples.len()) {
                let Example { features, wanted } = &examples[at];
                model.learn(&shares[features.clone()], wanted, rate);
            }
        }
        model
    }

    fn learn(&mut self, features: &[(u32, f32)], wanted: &[f32; UNITS], rate: f32) {
        let scores = self.summed(features);
        let mut error = [0.0; UNITS];
        for unit in 0..UNITS {
            error[unit] = wanted[unit] - 1.0 / (1.0 + (-scores[unit]).exp());
            self.bias[unit] += 0.1 * rate * error[unit];
        }
        for &(bucket, share) in features {
            let weights = &mut self.weights[bucket as usize];
            for unit in 0..UNITS {
                weights[unit] += rate * (error[unit] * share - DECAY * weights[unit]);
            }
        }
    }

    /// The units' scores; a score of 0 is even odds.
    pub fn scores(&self, features: &Features) -> [f32; UNITS] {
        self.summed(&features.0)
    }

    fn summed(&self, features: &[(u32, f32)]) -> [f32; UNITS] {
        let mut scores = self.bias;
        for &(bucket, share) in features {
            let weights = &self.weights[bucket as usize];
            for unit in 0..UNITS {
                scores[unit] += share * weights[unit];
            }
        }
        scores
    }
}

/// Labels and text, whichever column holds which. Rows with alternatives teach nothing.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once('\t')?;
    let are_labels = |text: &str| text.trim_start_matches('?').split('+').all(|l| l == "chat" || DOMAINS.contains(&l));
    match (are_labels(left), are_labels(right)) {
        (true, _) => Some((left, right)),
        (false, true) => Some((right, left)),
        (false, false) => None,
    }
}

fn wanted(labels: &str) -> [f32; UNITS] {
    let mut wanted = [0.0; UNITS];
    for label in labels.trim_start_matches('?').split('+') {
        if let Some(unit) = DOMAINS.iter().position(|d| *d == label) {
            wanted[unit] = 1.0;
        }
    }
    wanted[INVESTIGATES] = if labels.starts_with('?') { 1.0 } else { 0.0 };
    wanted
}

/// A fixed order in which neighbours are far apart.
fn shuffled(len: usize) -> impl Iterator<Item = usize> {
    let stride = (len * 5 / 8..).find(|s| gcd(*s, len) == 1).unwrap_or(1);
    (0..len).map(move |i| i * stride % len)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All readings of "(a|b) c", at most [`EXPANSIONS_MAX`], spread evenly.
fn expansions(line: &str) -> Vec<String> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    for (i, piece) in line.split('(').enumerate() {
        match piece.split_once(')').filter(|_| i > 0) {
            Some((ways, rest)) => parts.extend([ways.split('|').collect(), vec![rest]]),
            None => parts.push(vec![piece]),
        }
    }
    let total = parts.iter().map(Vec::len).product::<usize>().max(1);
    let wanted = total.min(EXPANSIONS_MAX);
    let pick = |nth: usize| {
        let mut index = nth * total / wanted + nth % total.div_ceil(wanted);
        let mut out = String::new();
        for ways in &parts {
            out.push_str(ways[index % ways.len()]);
            index /= ways.len();
        }
        out
    };
    (0..wanted).map(pick).collect()
}

/// Words, pairs of words, pieces of words, and what the frames make of it.
pub(crate) fn features(heard: &Heard, senses: &[Sense]) -> Features {
    let mut out = Vec::with_capacity(128);
    let words = words(heard);
    let mut before = "^".to_owned();
    for word in &words {
        out.push((bucket(&["w", word]), 1.0));
        out.push((bucket(&["p", &before, word]), 0.7));
        pieces(word, &mut out);
        before.clone_from(word);
    }
    out.push((bucket(&["p", &before, "$"]), 0.7));
    out.push((
        bucket(&[
            "n",
            if words.len() < 3 {
                "few"
            } else if words.len() < 7 {
                "some"
            } else {
                "many"
            },
        ]),
        0.5,
    ));
    let ids: Vec<_> = heard.tokens.iter().filter(|t| t.mark == Mark::Word).map(|t| t.id).collect();
    let asks = if may_ask(&ids) { "asks" } else { "" };
    out.push((bucket(&["a", asks, if heard.peels.is_empty() { "" } else { "time" }]), 0.8));
    for word in &words {
        out.push((bucket(&["v", word, asks]), 0.5));
    }
    for class in [
        "tasknoun",
        "notenoun",
        "mailnoun",
        "event",
        "cal",
        "errand",
        "contact",
        "number",
        "feeling",
        "others",
        "closing",
        "hypothetical",
        "negated",
    ] {
        if GRAMMAR.lexicon.find(class, &ids).is_some() {
            out.push((bucket(&["c", class]), 0.7));
            out.push((bucket(&["d", class, asks]), 0.7));
        }
    }
    opening(heard, &words, &mut out);
    if heard.text.trim_end().ends_with('?') {
        out.push((bucket(&["q"]), 0.5));
    }
    for sense in senses {
        let weight = if sense.weak { 0.7 } else { 2.0 };
        out.push((bucket(&["f", &sense.service, if sense.weak { "~" } else { "" }]), weight));
        out.push((bucket(&["g", &sense.service, &sense.command]), weight / 2.0));
        if sense.investigates {
            out.push((bucket(&["i"]), weight));
        }
    }
    out.truncate(FEATURES_MAX);
    normalise(&mut out);
    Features(out)
}

/// How it begins: who speaks of whom, in which tense, and whether it is negated or reported.
fn opening(heard: &Heard, words: &[String], out: &mut Vec<(u32, f32)>) {
    let ids: Vec<_> = heard.tokens.iter().filter(|t| t.mark == Mark::Word).map(|t| t.id).collect();
    for class in ["negation", "reported", "subject", "assistant", "closing", "howto", "capable"] {
        if GRAMMAR.lexicon.starts(class, &ids).is_some() {
            out.push((bucket(&["o", class]), 0.8));
        }
    }
    if let Some(who) = told_of(&ids) {
        out.push((bucket(&["t", who]), 1.0));
    }
    let ending = |word: &String| word.chars().rev().take(2).collect::<String>();
    if let [first, second, ..] = words {
        out.push((bucket(&["b", first, &ending(second)]), 0.6));
    }
    if let [first, ..] = words {
        out.push((bucket(&["s", first]), 0.6));
    }
}

/// Whether a request may begin as this does: some frame that asks for something has its first word.
fn may_ask(ids: &[WordId]) -> bool {
    let asks = |at: usize| {
        let Some(first) = ids.get(at).filter(|id| **id != WordId::UNKNOWN) else {
            return false;
        };
        GRAMMAR.frames_beginning(*first).any(|frame| !frame.weak && frame.command != "chat")
    };
    matching::starts(&GRAMMAR, ids).into_iter().any(asks)
}

/// Of whom a statement tells: a subject that is nobody we know, and a verb in the form that only statements have.
pub(crate) fn told_of(ids: &[WordId]) -> Option<&'static str> {
    let lexicon = &GRAMMAR.lexicon;
    if lexicon.starts("asking", ids).is_some() {
        return None;
    }
    let owner = lexicon.starts("det", ids).or_else(|| lexicon.starts("dedet", ids)).unwrap_or(0);
    let subject = if owner > 0 { "thing" } else { "name" };
    let tells = |at: usize| lexicon.starts("tells", ids.get(at..).unwrap_or_default()).is_some();
    (1..=2).any(|words| ids.len() > owner + words && tells(owner + words)).then_some(subject)
}

/// Long messages must not shout louder than short ones.
fn normalise(features: &mut [(u32, f32)]) {
    let norm = features.iter().map(|(_, share)| share * share).sum::<f32>().sqrt().max(1.0);
    let scale = 3.0 / norm;
    for (_, share) in features {
        *share *= scale;
    }
}

/// The words as features see them: lower case, numbers as one, names of weekdays and the like as one.
fn words(heard: &Heard) -> Vec<String> {
    let shown = heard.tokens.iter().enumerate().filter(|(_, t)| !t.span.is_empty());
    shown
        .filter_map(|(i, token)| {
            let text = &heard.text[token.span.clone()];
            if token.mark != Mark::Word {
                return text.chars().all(|c| !c.is_ascii()).then(|| text.to_owned());
            }
            if text.contains('@') {
                return Some("<address>".to_owned());
            }
            if text.chars().any(|c| c.is_ascii_digit()) {
                return Some("<number>".to_owned());
            }
            if heard.hidden_by(i).is_some() {
                return Some("<time>".to_owned());
            }
            Some(fold(text))
        })
        .collect()
}

/// Four letters at a time, so that a typo or an ending does not lose the word.
fn pieces(word: &str, out: &mut Vec<(u32, f32)>) {
    let chars: Vec<char> = std::iter::once('‹').chain(word.chars()).chain(std::iter::once('›')).collect();
    if chars.len() < 6 || chars.len() > 24 || word.starts_with('<') {
        return;
    }
    let mut buffer = String::with_capacity(16);
    for window in chars.windows(4) {
        buffer.clear();
        buffer.extend(window);
        out.push((bucket(&["4", &buffer]), 0.3));
    }
}

/// FNV-1a over the parts.
fn bucket(parts: &[&str]) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    ((hash ^ (hash >> 29)) % BUCKETS as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_written_out() {
        assert_eq!(expansions("(a|b) c"), ["a c", "b c"]);
        assert_eq!(expansions("plain"), ["plain"]);
        assert_eq!(expansions("(1|2|3|4) (1|2|3|4) (1|2|3|4)").len(), EXPANSIONS_MAX);
    }

    #[test]
    fn every_line_of_examples_names_known_domains() {
        for line in crate::language::requests::lexicon::data_lines(EXAMPLES) {
            let (labels, text) = line.split_once('\t').unwrap();
            assert!(!text.is_empty());
            for label in labels.trim_start_matches('?').split('+') {
                assert!(label == "chat" || DOMAINS.contains(&label), "{line}");
            }
        }
    }
}
