//! Payloads: what an order hands over to be kept, made or said, in words of its own.
//!
//! Behind the colon of an order, or behind a conjunction that makes a clause its object, stands what the order is
//! about. Whatever that says, asks or denies, the person asked for something to be done with it: its mood is that of
//! the order. Invariant: what is no order, and names no sort of thing that is kept, hands nothing over.

use std::ops::Range;

use super::clauses::ClausePiece;
use super::mood::{self, JudgedClause, Mood, MoodWords};

/// Words of an order before what it hands over; more tell something.
const HEAD_WORDS_MAX: usize = 12;
/// Words of a label that only names what is kept, and of an order that names nothing itself.
const LABEL_WORDS_MAX: usize = 4;

/// What an order hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// Bytes of the reading's text.
    pub span: Range<usize>,
    /// Whether nothing but an order stands before it, which may be about something that is there. Else only words that
    /// are kept are asked for.
    pub is_whole_order: bool,
}

/// The payload of a sentence. One that ends with its colon hands over the lines below it, up to an empty one.
pub(super) fn find(pieces: &[ClausePiece], sentence: &Range<usize>, known: &MoodWords) -> Option<Payload> {
    let opens =
        |at: &usize| !pieces[*at].is_quoted && (pieces[*at].text == ":" || hands_over(pieces, *at, sentence, known));
    let colon = sentence.clone().skip(1).take(2 * HEAD_WORDS_MAX).find(opens)?;
    let words: Vec<&str> = pieces[sentence.start..colon]
        .iter()
        .filter(|piece| piece.is_word)
        .map(|piece| if piece.is_quoted { "“" } else { piece.text.as_str() })
        .collect();
    let orders = orders(&words, known);
    let is_label = || {
        let names = words.len() <= LABEL_WORDS_MAX && mood::names_what_is_kept(&words);
        pieces[colon].text == ":" && names && matches!(mood_of(words.clone(), known), Mood::Fragment | Mood::Order)
    };
    if words.len() > HEAD_WORDS_MAX || !orders && !is_label() {
        return None;
    }
    let is_below = !pieces[colon + 1..sentence.end].iter().any(|piece| piece.is_word);
    let end = if is_below { end_of_lines(pieces, sentence.end) } else { sentence.end };
    let first = pieces.get(colon + 1).filter(|_| colon + 1 < end)?;
    let is_whole_order = orders && words.len() <= LABEL_WORDS_MAX;
    Some(Payload { span: first.span.start..pieces[end - 1].span.end, is_whole_order })
}

/// Whether a conjunction makes what follows it the object of a verb: one that may point as well, where a clause with a
/// verb of its own follows.
fn hands_over(pieces: &[ClausePiece], at: usize, sentence: &Range<usize>, known: &MoodWords) -> bool {
    let Some(is_all) = mood::makes_an_object(&pieces[at].text) else { return false };
    if is_all {
        return true;
    }
    let clause = pieces[at + 1..sentence.end].iter().take_while(|piece| piece.is_word);
    let words = clause.map(|piece| if piece.is_quoted { "“" } else { piece.text.as_str() }).collect();
    !matches!(mood_of(words, known), Mood::Fragment | Mood::Order)
}

fn mood_of(words: Vec<&str>, known: &MoodWords) -> Mood {
    mood::of(&JudgedClause { words, asks: false, is_labelled: false }, known)
}

/// Where the lines end that begin here.
fn end_of_lines(pieces: &[ClausePiece], from: usize) -> usize {
    let is_empty = |at: &usize| pieces[at - 1].text == "\n" && pieces[*at].text == "\n";
    (from + 1..pieces.len()).find(is_empty).unwrap_or(pieces.len())
}

/// Whether folded words say beyond doubt that something is to be done: a form of asking or wishing, or a verb; one that
/// names a thing as well needs an object or a particle.
fn orders(words: &[&str], known: &MoodWords) -> bool {
    if !matches!(mood_of(words.to_vec(), known), Mood::Order | Mood::Wish) {
        return false;
    }
    let rest = mood::without_leads(words, known);
    match rest {
        [first, second, rest @ ..] if known.nounverb.holds(first) => {
            rest.is_empty() || !known.preposition.holds(second)
        }
        [first] => !known.nounverb.holds(first),
        [..] => true,
    }
}
