//! Clause segmentation: from words and marks to clauses.
//!
//! A sentence ends at a stop or a line's end. Inside one, a clause begins behind a comma, a dash, a colon or a joining
//! word where what follows has a mood of its own: it asks, denies, orders, tells with a subject, or sets a condition.
//! Everything else goes on with the clause before it, as an enumeration does.

use std::ops::Range;

use super::Clause;
use super::mood::{self, JudgedClause, Mood, MoodWords};
use super::payload::{self, Payload};
use crate::language::requests::{self, RULES, TOKENS_MAX};
use crate::language::tokens;
use crate::language::words::fold;

/// Marks behind which a clause may begin.
const DIVIDING: [&str; 6] = [",", ":", "-", "–", "—", "("];
/// What stands between two of these is quoted.
const QUOTES: [(&str, &str); 5] = [("\"", "\""), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»")];

/// The clauses of a text, what its orders hand over, and what stands in quotation marks.
pub(super) struct CutText {
    pub clauses: Vec<Clause>,
    pub payloads: Vec<Payload>,
    pub quoted: Vec<Range<usize>>,
}

/// A word or a mark.
pub(super) struct ClausePiece {
    pub span: Range<usize>,
    /// Folded; a mark as it is.
    pub text: String,
    pub is_word: bool,
    ends_sentence: bool,
    pub is_quoted: bool,
}

pub(super) fn cut(text: &str) -> CutText {
    let mut pieces = pieces(text);
    let quoted = mark_quoted(&mut pieces);
    let words: Vec<&str> = pieces.iter().filter(|piece| piece.is_word).map(|piece| piece.text.as_str()).collect();
    let known = mood::words_of(&words);
    let mut clauses: Vec<Clause> = Vec::new();
    let mut payloads: Vec<Payload> = Vec::new();
    for sentence in sentences(&pieces) {
        payloads.extend(payload::find(&pieces, &sentence, known));
        clauses.extend(in_sentence(&pieces, sentence, known));
    }
    // Spans meet: what stands between two clauses belongs to the first.
    let starts: Vec<usize> = clauses.iter().map(|clause| clause.span.start).collect();
    for (at, clause) in clauses.iter_mut().enumerate() {
        clause.span.end = starts.get(at + 1).copied().unwrap_or(text.len());
    }
    if let Some(first) = clauses.first_mut() {
        first.span.start = 0;
    }
    CutText { clauses, payloads, quoted }
}

fn pieces(text: &str) -> Vec<ClausePiece> {
    let cuts = tokens::cut(text, TOKENS_MAX, &RULES).into_iter();
    // The stop of an abbreviation before a name is no end.
    let is_shortened = |end: usize| {
        let before = text[..end].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        requests::is_shortened(&fold(before))
    };
    let piece = |cut: tokens::Cut| {
        let typed = &text[cut.span.clone()];
        let stops = matches!(typed, "." | "!" | "?" | ";" | "\n" | "…" | "؟" | "？");
        let ends_sentence = !cut.is_word && stops && !(typed == "." && is_shortened(cut.span.start));
        let folded = if cut.is_word { fold(typed) } else { typed.to_owned() };
        ClausePiece { span: cut.span, text: folded, is_word: cut.is_word, ends_sentence, is_quoted: false }
    };
    cuts.map(piece).collect()
}

/// Marks what stands between two quotation marks; gives the bytes.
fn mark_quoted(pieces: &mut [ClausePiece]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let closes = |end: &usize| QUOTES.contains(&(pieces[at].text.as_str(), pieces[*end].text.as_str()));
        let opens = QUOTES.iter().any(|(open, _)| *open == pieces[at].text);
        let end = (at + 1..pieces.len()).find(|end| opens && closes(end));
        if let Some(end) = end {
            found.push(pieces[at].span.start..pieces[end].span.end);
            pieces[at..=end].iter_mut().for_each(|piece| piece.is_quoted = true);
        }
        // Marks that nothing closes are looked at once.
        at = end.unwrap_or(at) + 1;
    }
    found
}

/// Runs of pieces up to a stop outside quotation marks, the stop included.
fn sentences(pieces: &[ClausePiece]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, piece) in pieces.iter().enumerate() {
        if piece.ends_sentence && !piece.is_quoted {
            found.push(begin..at + 1);
            begin = at + 1;
        }
    }
    found.push(begin..pieces.len());
    found.retain(|range| pieces[range.clone()].iter().any(|piece| piece.is_word));
    found
}

fn in_sentence(pieces: &[ClausePiece], sentence: Range<usize>, known: &MoodWords) -> Vec<Clause> {
    let asks = pieces[sentence.clone()]
        .iter()
        .rev()
        .take_while(|piece| !piece.is_word)
        .any(|piece| matches!(piece.text.as_str(), "?" | "？" | "؟"));
    let borders = borders(pieces, &sentence, known);
    let said = |range: Range<usize>, asks: bool| {
        let begin = range.start;
        let live = pieces[range].iter().filter(|piece| piece.is_word);
        // A quotation is one word that nothing knows.
        let words = live.map(|piece| if piece.is_quoted { "“" } else { piece.text.as_str() }).collect();
        let is_labelled = pieces.get(begin + 1).is_some_and(|mark| mark.text == ":");
        JudgedClause { words, asks, is_labelled }
    };
    let mut clauses: Vec<(Range<usize>, Option<Mood>)> = Vec::new();
    let mut begin = sentence.start;
    for (index, border) in borders.iter().enumerate() {
        let end = borders.get(index + 1).copied().unwrap_or(sentence.end);
        let is_set_apart = !pieces[border - 1].is_word;
        let own = mood::opened(&said(*border..end, false), is_set_apart, known);
        if own.is_some() && *border > begin {
            clauses.push((begin..*border, None));
            begin = *border;
        }
    }
    clauses.push((begin..sentence.end, None));
    let last = clauses.len() - 1;
    let judged = clauses.into_iter().enumerate().map(|(index, (range, _))| {
        let mood = mood::of(&said(range.clone(), asks && index == last), known);
        Clause { span: pieces[range.start].span.start..pieces[range.end - 1].span.end, mood }
    });
    let mut judged: Vec<Clause> = judged.collect();
    // The mark behind all of it asks for the whole, unless something of it orders.
    if asks && judged.iter().all(|clause| matches!(clause.mood, Mood::Fragment | Mood::Condition | Mood::Question)) {
        judged
            .iter_mut()
            .filter(|clause| clause.mood == Mood::Fragment)
            .for_each(|clause| clause.mood = Mood::Question);
    }
    judged
}

/// Where clauses may begin inside a sentence.
fn borders(pieces: &[ClausePiece], sentence: &Range<usize>, known: &MoodWords) -> Vec<usize> {
    let is_free = |at: usize| pieces.get(at).is_some_and(|piece| !piece.is_quoted);
    let begins = |at: &usize| {
        let before = &pieces[at - 1];
        let divides = !before.is_word && DIVIDING.contains(&before.text.as_str());
        let joins = pieces[*at].is_word && mood::joins(&pieces[*at].text, known);
        is_free(*at) && is_free(at - 1) && pieces[*at].is_word && (divides || joins)
    };
    (sentence.start + 1..sentence.end).filter(begins).collect()
}
