//! A text read by every language of the tables, and the one that is believed.

use std::ops::Range;

use super::super::DateOrder;
use super::super::words::{LEXICONS, Lexicon, Link, Sense, TokenLine};
use super::component::ComponentReader;
use super::{Mention, bytes, inside_compound, merge, moved, names, offsets, residue, span};

/// What one language makes of a text.
#[derive(Debug)]
struct LanguageReading {
    heard: Vec<Mention>,
    /// Where words of time stand that only name something, or take it back.
    names: Vec<Range<usize>>,
    /// The letters that it explains.
    covered: usize,
}

/// All expressions of a text, in the language that explains most of it.
pub fn read_all(text: &str, order: DateOrder) -> Vec<Mention> {
    let mut readings: Vec<LanguageReading> = LEXICONS.iter().map(|lexicon| read(text, order, lexicon)).collect();
    // The first of equally good readings wins.
    let most = readings.iter().map(|reading| reading.covered).max().unwrap_or_default();
    let Some(best) = readings.iter().position(|reading| reading.covered == most) else {
        return Vec::new();
    };
    let LanguageReading { mut heard, names, .. } = readings.swap_remove(best);
    let named = |other: &&Mention| names.iter().any(|n| n.start <= other.span.start && other.span.end <= n.end);
    let others = readings.iter().flat_map(|reading| &reading.heard);
    residue::doubt_what_others_heard(text, &mut heard, others.filter(|other| !named(other)));
    heard
}

fn read(text: &str, order: DateOrder, lexicon: &Lexicon) -> LanguageReading {
    let line = TokenLine::new(text, lexicon);
    let mut heard = expressions(&line, order);
    let names = names::drop_names(&line, &mut heard);
    let moved = moved::take_out(&line, &mut heard);
    merge::share(&line, &mut heard);
    offsets::count_back(&line, &mut heard);
    moved::put_back(moved, &mut heard);
    residue::doubt(&line, &mut heard, &names);
    heard.retain(|h| covered(&line, &[&h.span], lexicon) > 0);
    let spans = heard.iter().map(|h| &h.span).chain(&names);
    let covered = covered(&line, &spans.collect::<Vec<_>>(), lexicon);
    LanguageReading { heard, names, covered }
}

fn expressions(line: &TokenLine, order: DateOrder) -> Vec<Mention> {
    let reader = ComponentReader::new(line, order, false);
    let mut heard = Vec::new();
    let mut i = 0;
    while i < line.tokens.len() {
        if let Some(next) = line.link(i, Link::Idiom).filter(|_| !counts(line, i)) {
            i = next;
            continue;
        }
        match reader.expression(i).filter(|(_, next)| !inside_compound(line, i, *next)) {
            Some((phrase, next)) if next > i => {
                heard.push(Mention { span: bytes(line, i, next), phrase, excluded: false });
                i = next;
            }
            Some(_) | None => i += 1,
        }
    }
    heard
}

/// "One day before the tender closes" is no "one day".
fn counts(line: &TokenLine, i: usize) -> bool {
    let joins = [Link::Before, Link::Beforehand, Link::FromAnchor];
    span::span(line, i).is_some_and(|(_, next)| joins.iter().any(|link| line.link(next, *link).is_some()))
}

/// The letters that a language explains. A short day that another language knows as a word is no sign of it: "so" is
/// hardly a Sunday.
fn covered(line: &TokenLine, spans: &[&Range<usize>], lexicon: &Lexicon) -> usize {
    let others = |key: &str| LEXICONS.iter().any(|l| !std::ptr::eq(l, lexicon) && l.knows(key));
    let foreign = |i: &usize| {
        let weak = line.atoms(*i).iter().any(|a| a.weak && matches!(a.sense, Sense::Weekday(_)));
        weak && others(&line.tokens[*i].key)
    };
    let mut inside = vec![false; line.tokens.len()];
    for span in spans {
        let tokens = line.first_at(span.start)..line.first_at(span.end);
        inside.get_mut(tokens).unwrap_or_default().fill(true);
    }
    let own = (0..line.tokens.len()).filter(|i| inside[*i]).filter(|i| !foreign(i));
    own.map(|i| line.tokens[i].span.len()).sum()
}
