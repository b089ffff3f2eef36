//! Frame matching: which frames cover a clause, best first.
//!
//! A clause is tried whole and without its politeness at either end. Invariants: each step is taken from the message's
//! [`Work`]; a match covers every live token between its ends.

use std::ops::Range;

use super::annotated::AnnotatedText;
use super::grammar::{CommandFrame, Grammar, Symbol};
use super::lexicon::{RequestLexicon, WordId};
use super::slot_types::SlotType;
use super::text::Token;
use crate::language::work::Work;

/// Politeness comes in heaps, but not in mountains.
const LEADS_MAX: usize = 8;
/// Words of politeness at the end that speak for leaving them out.
const POLITE_WORDS_MAX: usize = 4;

/// One reading of a clause.
#[derive(Debug, Clone)]
pub struct ClauseMatch<'g> {
    pub frame: &'g CommandFrame,
    pub slots: Vec<Filler<'g>>,
    /// Tokens of the clause, politeness included.
    pub tokens: Range<usize>,
    /// Those between the politeness at both ends.
    pub core: Range<usize>,
    pub score: i32,
}

/// What a slot holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Filler<'g> {
    pub name: &'g str,
    /// First and last live token; none for a time, which is found wherever it stands.
    pub first: usize,
    pub last: usize,
    pub kind: SlotType,
}

impl ClauseMatch<'_> {
    /// A slot by its name.
    pub fn slot(&self, name: &str) -> Option<&Filler<'_>> {
        self.slots.iter().find(|slot| slot.name == name)
    }
}

/// All readings of the tokens, best first.
pub fn readings<'g>(
    grammar: Grammar<'g>,
    heard: &AnnotatedText,
    tokens: Range<usize>,
    work: &Work,
) -> Vec<ClauseMatch<'g>> {
    let (live, ids) = (heard.live(tokens.clone()), heard.ids(tokens.clone()));
    let mut found: Vec<ClauseMatch<'g>> = Vec::new();
    let open = grammar.frames_among(ids);
    let lexicon = grammar.lexicon;
    for end in ends(lexicon, ids) {
        for start in starts(lexicon, &ids[..end]) {
            let Some(&first) = ids[..end].get(start) else {
                continue;
            };
            for frame in grammar.frames_beginning(first).chain(open.iter().copied()) {
                let mut walk =
                    Matcher { lexicon, heard, live: &live[..end], ids: &ids[..end], work, slots: Vec::new() };
                if let Some(fixed) = walk.go(&frame.pieces, None, start, 0) {
                    let slots = walk.slots;
                    let score = score(frame, fixed, start, ids.len() - end, &slots);
                    let core = live[start]..live[end - 1] + 1;
                    found.push(ClauseMatch { frame, slots, tokens: tokens.clone(), core, score });
                }
            }
        }
    }
    found.sort_by_key(|m| std::cmp::Reverse(m.score));
    found
}

/// Fixed words speak for a frame; weakness, and words taken as politeness that might mean something, against it.
fn score(frame: &CommandFrame, fixed: u32, skipped_before: usize, skipped_after: usize, slots: &[Filler]) -> i32 {
    let weak = if frame.weak {
        15
    } else if frame.command == "chat" {
        8
    } else {
        0
    };
    let open = slots.iter().map(|slot| if slot.kind == SlotType::Text { -2 } else { 1 }).sum::<i32>();
    let says = slots.last().is_some_and(|slot| matches!(slot.name, "body" | "ask" | "clause"));
    let after = if says { -(skipped_after as i32) } else { skipped_after.min(POLITE_WORDS_MAX) as i32 };
    10 * fixed as i32 - weak - skipped_before as i32 + after + open
}

/// Where the request may begin: at the start, and after each piece of politeness.
pub fn starts(lexicon: RequestLexicon, ids: &[WordId]) -> Vec<usize> {
    let mut out = vec![0];
    let mut at = 0;
    while out.len() < LEADS_MAX {
        let rest = &ids[at..];
        let Some(len) = lexicon.starts("lead", rest).or_else(|| lexicon.starts("delead", rest)) else {
            break;
        };
        at += len;
        if at >= ids.len() {
            break;
        }
        out.push(at);
    }
    out
}

/// Where the request may end: at the end, and before each piece of politeness.
fn ends(lexicon: RequestLexicon, ids: &[WordId]) -> Vec<usize> {
    // A courtesy at the end is never meant; thanks may be what a mail says.
    let mut end = ids.len();
    while end > 1 && lexicon.is_phrase("please", &ids[end - 1..end]) {
        end -= 1;
    }
    let mut out = vec![end];
    while out.len() < LEADS_MAX {
        let shorter = (end.saturating_sub(7)..end)
            .find(|&at| at > 0 && ["tail", "detail"].iter().any(|class| lexicon.is_phrase(class, &ids[at..end])));
        let Some(at) = shorter else { break };
        end = at;
        out.push(at);
    }
    out
}

/// What follows once a group is through.
struct Rest<'a, 'g> {
    pieces: &'g [Symbol],
    after: Option<&'a Rest<'a, 'g>>,
}

struct Matcher<'a, 'g> {
    lexicon: RequestLexicon<'g>,
    heard: &'a AnnotatedText<'a>,
    live: &'a [usize],
    ids: &'a [WordId],
    work: &'a Work,
    slots: Vec<Filler<'g>>,
}

impl<'g> Matcher<'_, 'g> {
    /// Matches `pieces` and then `after` from live token `at` to the end; the number of fixed words.
    fn go(&mut self, pieces: &'g [Symbol], after: Option<&Rest<'_, 'g>>, at: usize, fixed: u32) -> Option<u32> {
        self.work.take(1)?;
        let Some((piece, rest)) = pieces.split_first() else {
            return match after {
                Some(next) => self.go(next.pieces, next.after, at, fixed),
                None if at == self.ids.len() => Some(fixed),
                None => None,
            };
        };
        match piece {
            Symbol::Word(id) => {
                if self.ids.get(at) != Some(id) {
                    return None;
                }
                self.go(rest, after, at + 1, fixed + 1)
            }
            Symbol::Class(class) => {
                let (lexicon, ids) = (self.lexicon, self.ids);
                lexicon
                    .lengths(*class, &ids[at.min(ids.len())..])
                    .find_map(|len| self.go(rest, after, at + len, fixed + len as u32))
            }
            Symbol::Optional(ways) => {
                let then = Rest { pieces: rest, after };
                let taken = ways.iter().find_map(|way| self.go(way, Some(&then), at, fixed));
                taken.or_else(|| self.go(rest, after, at, fixed))
            }
            Symbol::Either(ways) => {
                let then = Rest { pieces: rest, after };
                ways.iter().find_map(|way| self.go(way, Some(&then), at, fixed))
            }
            Symbol::Mark(mark) if self.has_before(mark, at) => self.go(rest, after, at, fixed + 1),
            Symbol::Mark(_) => None,
            Symbol::Slot { name, kind: SlotType::Time } => {
                let depth = self.slots.len();
                let none = usize::MAX;
                self.slots.push(Filler { name, first: none, last: none, kind: SlotType::Time });
                let found = self.heard.has_times().then(|| self.go(rest, after, at, fixed)).flatten();
                if found.is_none() {
                    self.slots.truncate(depth);
                }
                found
            }
            Symbol::Slot { name, kind } => self.slot((name, *kind), rest, after, at, fixed),
        }
    }

    fn has_before(&self, mark: &str, at: usize) -> bool {
        let (Some(before), Some(here)) = (at.checked_sub(1).map(|i| self.live[i]), self.live.get(at)) else {
            return false;
        };
        self.heard.tokens[before..*here].iter().any(|t| self.is_mark(t, mark))
    }

    /// A dash set apart by spaces announces as a colon does.
    fn is_mark(&self, token: &Token, mark: &str) -> bool {
        let text = self.heard.text;
        let apart = token.span.start > 0 && text[..token.span.start].ends_with(' ');
        match &text[token.span.clone()] {
            "-" | "–" | "—" => mark == ":" && apart,
            word => word == mark,
        }
    }

    fn slot(
        &mut self,
        (name, kind): (&'g str, SlotType),
        rest: &'g [Symbol],
        after: Option<&Rest<'_, 'g>>,
        at: usize,
        fixed: u32,
    ) -> Option<u32> {
        let is_last = rest.is_empty() && after.is_none();
        let first_end = if is_last { self.ids.len() } else { at + 1 };
        let last_end = at.saturating_add(kind.words_max()).min(self.ids.len());
        for end in first_end.max(at + 1)..=last_end {
            self.work.take(kind.steps(end - at))?;
            let (first, last) = (self.live[at], self.live[end - 1]);
            if !kind.admits(&self.ids[at..end], self.heard.raw(first, last), self.lexicon) {
                continue;
            }
            let depth = self.slots.len();
            self.slots.push(Filler { name, first, last, kind });
            if let Some(fixed) = self.go(rest, after, end, fixed) {
                return Some(fixed);
            }
            self.slots.truncate(depth);
        }
        None
    }
}
