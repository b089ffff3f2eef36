//! Senses become phrases. Nothing here knows what day it is.
//!
//! An expression is a lead ("on", "by", "from") and then components in any order, joined by small
//! words: each component fills a slot of the [`Phrase`] that is still empty and fits the filled
//! ones. An expression ends where no component follows. Every language of the tables reads the
//! text; the one whose phrases cover most of it is believed.

mod clock;
mod company;
mod component;
mod date;
mod days;
mod figures;
mod hours;
mod leading_words;
mod lengths;
mod lookalike;
mod merge;
mod moved;
mod names;
mod numbered;
mod numeric;
mod offsets;
mod period;
mod phrase;
mod ranges;
mod reading;
mod residue;
mod rule;
mod span;

use std::ops::Range;

use super::words::{Atom, Half, LEXICONS, Lexicon, Link, Sense, TokenKind, TokenLine};
use super::{DateOrder, TimeRole};
use component::ComponentReader;
pub use moved::{Direction, MovedBy, moved_by};
pub use offsets::{OffsetMention, offset_in};
pub use period::season_in;
pub use phrase::{ClockPhrase, Date, Dial, MonthOf, Period, Phrase, RepeatRule, SpanPhrase, TimeDoubt, Zone};
pub use reading::read_all;

/// A phrase and the bytes of the text that it came from.
#[derive(Debug)]
pub struct Mention {
    pub span: Range<usize>,
    pub phrase: Phrase,
    /// It is told as what it is not: "(at 5 instead of) 4".
    pub excluded: bool,
}

/// "Noon-sense", "mid-Monday", "noon.com", "friday@example.com": part of a longer word.
fn inside_compound(line: &TokenLine, from: usize, to: usize) -> bool {
    let is_word = |i: usize| line.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Word);
    // "Der 8-Uhr-Zug" does leave at 8.
    let hour = to.checked_sub(1).is_some_and(|last| line.link(last, Link::Oclock).is_some());
    let after = !hour && line.glued_mark(to, '-') && is_word(to + 1) && line.glued(to + 1);
    let before = from >= 2 && line.glued(from) && line.glued_mark(from - 1, '-') && is_word(from - 2);
    let address = line.glued_mark(to, '@') && line.glued(to + 1)
        || line.glued_mark(to, '.') && line.glued(to + 1) && line.link(to + 1, Link::DomainEnd).is_some();
    after || before || address
}

fn bytes(line: &TokenLine, from: usize, to: usize) -> Range<usize> {
    let start = line.tokens.get(from).map_or(0, |t| t.span.start);
    let end = to.checked_sub(1).and_then(|last| line.tokens.get(last)).map_or(start, |t| t.span.end);
    start..end
}

fn ends_clause(line: &TokenLine, i: usize) -> bool {
    line.tokens.get(i).is_none_or(|t| matches!(t.kind, TokenKind::Mark(_))) || line.link(i, Link::Follow).is_some()
}

/// The whole text as one expression; only politeness and punctuation may surround it.
pub fn read_whole(text: &str, order: DateOrder) -> Option<Phrase> {
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(text, lexicon);
        let reader = ComponentReader::new(&line, order, true);
        let start = skip_filler(&line, 0);
        // "To Friday": what a person answers to "move it to when?".
        let starts = [start, line.link(start, Link::MovedTo).unwrap_or(start)];
        starts.iter().find_map(|start| {
            let (phrase, next) = reader.expression(*start)?;
            (skip_filler(&line, next) >= line.tokens.len()).then_some(phrase)
        })
    })
}

fn skip_filler(line: &TokenLine, mut i: usize) -> usize {
    loop {
        let punctuation = [',', '.', '!', '?', ';', ':', '(', ')', '"', '…', '-'];
        if let Some(next) = line.link(i, Link::Filler) {
            i = next;
        } else if punctuation.iter().any(|m| line.mark(i, *m)) {
            i += 1;
        } else {
            return i;
        }
    }
}

/// Where the request begins behind its reason, as a byte of the text: "I land at 6, so | book dinner at 8", "my
/// flight leaves at 6, | remind me at 4", but not "remind me at 5 so I can leave at 6".
pub fn request_in(text: &str) -> Range<usize> {
    let begins = |lexicon: &Lexicon| {
        let line = TokenLine::new(text, lexicon);
        let follows = |i: usize| line.link(i, Link::So).filter(|next| line.link(*next, Link::Pronoun).is_none());
        let asks = |i: &usize| follows(*i).or_else(|| line.link(*i, Link::Request)).is_some();
        let at = (1..line.tokens.len()).rev().find(asks)?;
        Some(bytes(&line, at, line.link(at, Link::Request).unwrap_or(at + 1)))
    };
    LEXICONS.iter().filter_map(begins).max_by_key(|r| r.start).unwrap_or_default()
}

/// The number that a word says, and says alone.
pub fn number_of(word: &str) -> Option<u32> {
    let said = |atom: &Atom| if let Sense::Number(number) = atom.sense { Some(number) } else { None };
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(word, lexicon);
        line.pick(0, said).filter(|(_, end)| *end == line.tokens.len()).map(|(number, _)| number)
    })
}

/// Which half of the day the words of a text suggest.
pub fn cue_in(text: &str) -> Option<Half> {
    LEXICONS.iter().find_map(|lexicon| hints(&TokenLine::new(text, lexicon)).cue)
}

/// Words of the sentence that change how its times are read.
#[derive(Debug, Clone, Copy)]
struct Hints {
    moves: bool,
    /// It asks to be told.
    asks: bool,
    /// A day is named somewhere.
    day: bool,
    /// It tells when something ends: "the form closes on Friday".
    ends: bool,
    cue: Option<Half>,
}

fn hints(line: &TokenLine) -> Hints {
    let cue = |half| line.has_anywhere(Sense::Cue(half)).then_some(half);
    Hints {
        moves: moves(line),
        asks: first_request(line).is_some(),
        ends: line.has_anywhere(Sense::Link(Link::Ends)),
        day: (0..line.tokens.len()).any(|i| residue::names_day(line, i)),
        // Whom an alarm wakes from a nap gets up in the afternoon.
        cue: cue(Half::Am)
            .filter(|_| !line.has_anywhere(Sense::Link(Link::Nap)))
            .or(cue(Half::Pm))
            .or(cue(Half::Evening).filter(|_| !line.has_anywhere(Sense::Link(Link::Lesson))))
            .or(cue(Half::Either)),
    }
}

/// Does it say "remind me", in any language?
pub fn asks_to_be_told(text: &str) -> bool {
    LEXICONS.iter().any(|lexicon| first_request(&TokenLine::new(text, lexicon)).is_some())
}

/// The token at which a line asks to be told: "remind me".
fn first_request(line: &TokenLine) -> Option<usize> {
    (0..line.tokens.len()).find(|i| line.link(*i, Link::Request).is_some())
}

/// Does it tell that something is moved?
fn moves(line: &TokenLine) -> bool {
    let says = |link| line.has_anywhere(Sense::Link(link));
    // "Bring the call forward".
    says(Link::Pull) && says(Link::Forward) || (0..line.tokens.len()).any(|i| says_move(line, i))
}

/// "Shift the call to 5", but not "my shift 2 to 10": a word that is also a thing begins its clause as a verb and is
/// followed by what is moved.
fn says_move(line: &TokenLine, i: usize) -> bool {
    let Some((weak, next)) = line.pick(i, |a| (a.sense == Sense::Link(Link::Mover)).then_some(a.weak)) else {
        return false;
    };
    let asks = [Link::Pronoun, Link::Filler, Link::To];
    let before = i.checked_sub(1);
    if line.link(i, Link::Idiom).is_some() {
        return false;
    }
    if !weak || before.is_some_and(|b| asks.iter().any(|link| line.link(b, *link).is_some())) {
        return true;
    }
    let begins = before.is_none_or(|b| {
        matches!(line.tokens[b].kind, TokenKind::Mark(_))
            || [Link::And, Link::So].iter().any(|l| line.link(b, *l).is_some())
    });
    let joins = [Link::At, Link::From, Link::On, Link::In, Link::Between, Link::Until];
    let word = line.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Word);
    // "Push tomorrow's review to 11".
    let todays = |at: usize| {
        line.tokens[at].key.ends_with('s') && line.atoms(at).iter().any(|a| matches!(a.sense, Sense::Day(_)))
    };
    let own = |at: usize| line.tokens[at].possessive || rule::plural_days(line, at).is_some() || todays(at);
    let named = |at: usize| own(at) || residue::names_time(line, at).is_none();
    let thing = word && named(next) && joins.iter().all(|l| line.link(next, *l).is_none());
    // "Shift swap: …" is a heading.
    begins && thing && !line.mark(next + 1, ':')
}

fn role_of(link: Link, role: TimeRole) -> TimeRole {
    match link {
        Link::By => TimeRole::By,
        Link::Until => TimeRole::Until,
        Link::Since => TimeRole::Since,
        Link::From => TimeRole::From,
        Link::MovedTo => TimeRole::To,
        _ => role,
    }
}
