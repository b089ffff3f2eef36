//! What the router's model sees of a message: words, pairs of words, pieces of words, and what the frames make of it.
//!
//! A feature is a bucket (a hash of what was seen) and its share. The fitted weights belong to these very features:
//! whoever changes one here has to fit them anew (see `tests/train.rs`).

use super::super::requests::annotated::AnnotatedText;
use super::super::requests::grammar::GRAMMAR;
use super::super::requests::intents::Intent;
use super::super::requests::lexicon::WordId;
use super::super::requests::matching;
use super::super::requests::text::TokenMark;
use crate::language::tokens::lower;

/// Features of one message.
const FEATURES_MAX: usize = 600;
/// Features share this many weights; collisions are rare at some ten thousand features.
pub const BUCKETS: usize = 1 << 14;

/// Buckets of a message's features, and the share of each.
#[derive(Debug, Clone)]
pub struct Features(pub Vec<(u32, f32)>);

/// Classes of words that say what a message is about.
const CLASSES: &str =
    "tasknoun notenoun mailnoun event cal errand contact number feeling others closing hypothetical negated";

/// Words, pairs of words, pieces of words, and what the frames make of it.
pub fn features(heard: &AnnotatedText, intents: &[Intent]) -> Features {
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
    let ids: Vec<_> = heard.tokens.iter().filter(|t| t.mark == TokenMark::Word).map(|t| t.id).collect();
    let asks = if may_ask(&ids) { "asks" } else { "" };
    out.push((bucket(&["a", asks, if heard.masks.is_empty() { "" } else { "time" }]), 0.8));
    for word in &words {
        out.push((bucket(&["v", word, asks]), 0.5));
    }
    for class in CLASSES.split(' ') {
        if GRAMMAR.lexicon.find(class, &ids).is_some() {
            out.push((bucket(&["c", class]), 0.7));
            out.push((bucket(&["d", class, asks]), 0.7));
        }
    }
    opening(&ids, &words, &mut out);
    if heard.text.trim_end().ends_with('?') {
        out.push((bucket(&["q"]), 0.5));
    }
    for intent in intents {
        let weight = if intent.weak { 0.7 } else { 2.0 };
        out.push((bucket(&["f", &intent.service, if intent.weak { "~" } else { "" }]), weight));
        out.push((bucket(&["g", &intent.service, &intent.command]), weight / 2.0));
        if intent.investigates {
            out.push((bucket(&["i"]), weight));
        }
    }
    out.truncate(FEATURES_MAX);
    normalise(&mut out);
    Features(out)
}

/// How it begins: who speaks of whom, in which tense, and whether it is negated or reported.
fn opening(ids: &[WordId], words: &[String], out: &mut Vec<(u32, f32)>) {
    for class in ["negation", "reported", "subject", "assistant", "closing", "howto", "capable"] {
        if GRAMMAR.lexicon.starts(class, ids).is_some() {
            out.push((bucket(&["o", class]), 0.8));
        }
    }
    if let Some(who) = told_of(ids) {
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
    matching::starts(GRAMMAR.lexicon, ids).into_iter().any(asks)
}

/// Of whom a statement tells: a subject that is nobody we know, and a verb in the form that only statements have.
pub fn told_of(ids: &[WordId]) -> Option<&'static str> {
    let lexicon = GRAMMAR.lexicon;
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
fn words(heard: &AnnotatedText) -> Vec<String> {
    let shown = heard.tokens.iter().enumerate().filter(|(_, t)| !t.span.is_empty());
    shown
        .filter_map(|(i, token)| {
            let text = &heard.text[token.span.clone()];
            if token.mark != TokenMark::Word {
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
            Some(lower(text))
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
