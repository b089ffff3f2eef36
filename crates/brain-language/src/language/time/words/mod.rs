//! Lexing: from text to a line of tokens with their senses.

mod compile;
mod lexicon;
mod sense;
mod token;

pub use lexicon::{Atom, LEXICONS, Lexicon};
pub use sense::{DaySet, Edge, Half, Holiday, Link, Sense, Unit};
pub use token::{TimeToken, TokenKind, pieces};

/// A text as the grammar sees it.
#[derive(Debug)]
pub struct TokenLine<'a> {
    pub text: &'a str,
    pub tokens: Vec<TimeToken>,
    /// For every token, what may begin there; longest first.
    atoms: Vec<Vec<Atom>>,
    pub full_dial: bool,
}

impl<'a> TokenLine<'a> {
    pub fn new(text: &'a str, lexicon: &Lexicon) -> TokenLine<'a> {
        let tokens = token::tokens(text, |key| lexicon.is_mixed_word(key));
        let atoms = (0..tokens.len()).map(|i| atoms_at(&tokens, i, lexicon)).collect();
        TokenLine { text, tokens, atoms, full_dial: lexicon.full_dial }
    }

    pub fn atoms(&self, i: usize) -> &[Atom] {
        self.atoms.get(i).map_or(&[], Vec::as_slice)
    }

    /// The longest atom at `i` that `f` accepts, and the place after it.
    pub fn pick<T>(&self, i: usize, f: impl Fn(&Atom) -> Option<T>) -> Option<(T, usize)> {
        self.atoms(i).iter().find_map(|atom| Some((f(atom)?, i + atom.len)))
    }

    /// A word that says nothing of time; a name of an occasion only lets its hour lie in a half of the day.
    pub fn is_plain_word(&self, i: usize) -> bool {
        let of_things = |sense| {
            let things = [
                Link::Runs,
                Link::TimeOf,
                Link::Lesson,
                Link::Carrier,
                Link::Alarm,
                Link::Timer,
                Link::Told,
                Link::Label,
                Link::Festive,
                Link::Book,
                Link::OfItsDay,
                Link::ToldThing,
                Link::LooksUp,
                Link::Nap,
            ];
            matches!(sense, Sense::Cue(_) | Sense::Season(_)) || things.iter().any(|link| sense == Sense::Link(*link))
        };
        let word = self.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Word);
        word && self.atoms(i).iter().all(|a| of_things(a.sense))
    }

    /// The place after a joining word.
    pub fn link(&self, i: usize, link: Link) -> Option<usize> {
        self.pick(i, |a| matches!(a.sense, Sense::Link(is) if is == link).then_some(())).map(|(_, next)| next)
    }

    /// The place after any number of such words.
    pub fn skip(&self, mut i: usize, links: &[Link]) -> usize {
        while let Some(next) = links.iter().find_map(|l| self.link(i, *l)) {
            i = next;
        }
        i
    }

    /// A number written in digits that is not part of a longer figure to its left.
    pub fn digits(&self, i: usize) -> Option<(u32, usize)> {
        match self.tokens.get(i)?.kind {
            TokenKind::Number { value, digits } => Some((value?, digits)),
            TokenKind::Word | TokenKind::Mark(_) => None,
        }
    }

    /// The first token that begins at this byte or behind it.
    pub fn first_at(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.span.start < byte)
    }

    /// The same, if there is one.
    pub fn begins_behind(&self, byte: usize) -> Option<usize> {
        Some(self.first_at(byte)).filter(|at| *at < self.tokens.len())
    }

    /// A mark with no space before it.
    pub fn glued_mark(&self, i: usize, mark: char) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Mark(mark) && !t.spaced)
    }

    pub fn mark(&self, i: usize, mark: char) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Mark(mark))
    }

    pub fn glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| !t.spaced)
    }

    pub fn has_anywhere(&self, sense: Sense) -> bool {
        self.atoms.iter().flatten().any(|a| a.sense == sense)
    }

    /// Does a figure begin at `i`: not a price, a decimal place, a phone number's middle?
    pub fn begins_figure(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1).and_then(|b| self.tokens.get(b)) else {
            return true;
        };
        let Some(token) = self.tokens.get(i) else {
            return false;
        };
        match before.kind {
            TokenKind::Mark('$' | '€' | '£' | '#' | '+' | '№' | '¥') => false,
            TokenKind::Mark('/' | '*' | '=' | '_' | '\\' | '&' | '%' | '?') => token.spaced,
            TokenKind::Mark('.' | ',' | ':') => {
                let numeric = i.checked_sub(2).is_some_and(|b| self.digits(b).is_some());
                token.spaced || !numeric && !before.spaced
            }
            TokenKind::Mark(_) => true,
            TokenKind::Word | TokenKind::Number { .. } => token.spaced,
        }
    }

    /// Does the figure whose last token is before `i` end there: no decimals, percent, currency?
    pub fn ends_figure(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else {
            return true;
        };
        match token.kind {
            // A currency sign behind a space belongs to the next figure.
            TokenKind::Mark('$' | '£') => token.spaced,
            TokenKind::Mark('%' | '€' | '°' | '×' | '*' | '+' | '=' | '^') => false,
            TokenKind::Mark('.' | ',' | '/' | ':' | '-' | '_') => {
                token.spaced || self.digits(i + 1).is_none() || !self.glued(i + 1)
            }
            TokenKind::Mark(_) => true,
            TokenKind::Word | TokenKind::Number { .. } => token.spaced,
        }
    }
}

fn atoms_at(tokens: &[TimeToken], i: usize, lexicon: &Lexicon) -> Vec<Atom> {
    let mut atoms = lexicon.atoms_at(&tokens[i..]);
    if atoms.is_empty() && tokens[i].kind == TokenKind::Word && lexicon.ends_as_day(&tokens[i].key) {
        atoms.push(Atom { sense: Sense::Link(Link::DayName), len: 1, weak: false });
    }
    atoms
}
