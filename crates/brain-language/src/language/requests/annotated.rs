//! A message with its tokens, and what is masked off before frames are tried (times, priorities).
//!
//! Invariant: hidden tokens keep their place in the text, so a slot that wants them (a mail's body) still
//! has them, while a title comes out clean.

use std::ops::Range;

use super::lexicon::{RequestLexicon, WordId};
use super::text::{self, Token, TokenMark};
use crate::language::time::{self, Reference, TimeMention};

/// A text with its tokens and masked-off spans.
#[derive(Debug, Clone, Default)]
pub struct AnnotatedText<'t> {
    pub text: &'t str,
    pub tokens: Vec<Token>,
    pub masks: Vec<Mask>,
    /// For each token the mask that hides it.
    hidden: Vec<Option<usize>>,
    /// For each token whether it stands between two quotation marks.
    pub quoted: Vec<bool>,
    /// The word of each token, hidden ones and marks too.
    pub words: Vec<WordId>,
    /// The tokens that frames look at, and the words of those.
    live: Vec<usize>,
    live_words: Vec<WordId>,
}

/// Something taken out of the sentence.
#[derive(Debug, Clone)]
pub struct Mask {
    pub span: Range<usize>,
    pub what: Masked,
}

/// What was taken out.
#[derive(Debug, Clone)]
pub enum Masked {
    Time(Box<TimeMention>),
    Priority(&'static str),
    /// Looks like a time to the router, which does not read times.
    Timeish,
}

const PRIORITIES: [(&str, &str); 3] =
    [("priority-high", "high"), ("priority-medium", "medium"), ("priority-low", "low")];

impl<'t> AnnotatedText<'t> {
    /// For planning: times are read.
    pub fn new(text: &'t str, reference: &Reference, lexicon: RequestLexicon) -> AnnotatedText<'t> {
        let mut heard = AnnotatedText::with_times(text, reference, lexicon);
        heard.mask_priorities(lexicon);
        heard.settled()
    }

    /// Times are read, and nothing else is taken out.
    pub fn with_times(text: &'t str, reference: &Reference, lexicon: RequestLexicon) -> AnnotatedText<'t> {
        let mut heard = AnnotatedText::of(text, text::tokens(text, lexicon));
        // What lies behind the last token is not looked at.
        let end = heard.tokens.last().map_or(0, |last| last.span.end);
        for found in time::find(&text[..end], reference) {
            let span = heard.core_of(found.span.clone());
            // What stands in quotation marks is one thing, and says nothing about when.
            let starts_quoted =
                (heard.first_behind(span.start)..heard.first_behind(span.end)).any(|at| heard.quoted[at]);
            if !heard.cuts_a_word(&span) && !starts_quoted {
                heard.mask(span, Masked::Time(Box::new(found)));
            }
        }
        heard.settled()
    }

    fn of(text: &'t str, tokens: Vec<Token>) -> AnnotatedText<'t> {
        let (hidden, words) = (vec![None; tokens.len()], tokens.iter().map(|token| token.id).collect());
        let heard = AnnotatedText { text, tokens, hidden, words, ..AnnotatedText::default() };
        AnnotatedText { quoted: heard.in_quotes(), ..heard }
    }

    /// With what follows from its masks.
    fn settled(mut self) -> AnnotatedText<'t> {
        let is_live = |at: &usize| self.tokens[*at].mark == TokenMark::Word && self.hidden[*at].is_none();
        self.live = (0..self.tokens.len()).filter(is_live).collect();
        self.live_words = self.live.iter().map(|at| self.words[*at]).collect();
        self
    }

    /// For routing: words that speak of times in other languages are hidden too.
    pub fn without_timeish(mut self, lexicon: RequestLexicon) -> AnnotatedText<'t> {
        self.hide_timeish(lexicon);
        self.settled()
    }

    /// Whether frames see the same of both.
    pub fn looks_like(&self, other: &AnnotatedText) -> bool {
        (self.text, &self.hidden) == (other.text, &other.hidden)
    }

    /// Some of its tokens, as if they had been said alone.
    pub fn part(&self, tokens: Range<usize>) -> AnnotatedText<'t> {
        let own = &self.tokens[tokens];
        let (from, to) = match own {
            [] => (0, 0),
            [first, ..] => (first.span.start, own.last().map_or(first.span.end, |last| last.span.end)),
        };
        let moved = |span: &Range<usize>| span.start - from..span.end - from;
        let tokens = own.iter().map(|token| Token { span: moved(&token.span), ..token.clone() }).collect();
        let mut part = AnnotatedText::of(&self.text[from..to], tokens);
        for mask in self.masks.iter().filter(|mask| mask.span.start >= from && mask.span.end <= to) {
            part.mask(moved(&mask.span), mask.what.clone());
        }
        part.settled()
    }

    /// Runs of words that speak of times, if one of them surely does.
    fn hide_timeish(&mut self, lexicon: RequestLexicon) {
        let is = |class: &str, id: WordId| lexicon.is_phrase(class, &[id]);
        let sure: Vec<bool> = self.tokens.iter().map(|t| is("timeword", t.id)).collect();
        let mut at = 0;
        while at < self.tokens.len() {
            let run = (at..self.tokens.len()).take_while(|&i| sure[i] || is("timelink", self.tokens[i].id)).count();
            if sure[at..at + run].contains(&true) {
                let span = self.tokens[at].span.start..self.tokens[at + run - 1].span.end;
                self.mask(span, Masked::Timeish);
            }
            at += run.max(1);
        }
    }

    /// Without words that say more than when: what is due, and what a mail is about.
    fn core_of(&self, span: Range<usize>) -> Range<usize> {
        let words = &self.text[span.clone()];
        let lead = ["due ", "about "]
            .into_iter()
            .find(|lead| words.get(..lead.len()).is_some_and(|w| w.eq_ignore_ascii_case(lead)));
        span.start + lead.map_or(0, str::len)..span.end
    }

    /// A time in the possessive, before a noun, belongs to the name of a thing.
    fn cuts_a_word(&self, span: &Range<usize>) -> bool {
        self.first_behind(span.end).checked_sub(1).is_some_and(|last| span.end < self.tokens[last].span.end)
    }

    /// The first token that begins at a byte or behind it.
    fn first_behind(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.span.start < byte)
    }

    fn mask_priorities(&mut self, lexicon: RequestLexicon) {
        for (class, level) in PRIORITIES {
            let mut at = 0;
            while at < self.words.len() {
                let len = lexicon.starts(class, &self.words[at..]).unwrap_or(0);
                if len > 0 && self.hidden[at..at + len].iter().all(Option::is_none) {
                    let span = self.tokens[at].span.start..self.tokens[at + len - 1].span.end;
                    self.mask(span, Masked::Priority(level));
                }
                at += len.max(1);
            }
        }
    }

    fn mask(&mut self, span: Range<usize>, what: Masked) {
        let index = self.masks.len();
        for at in self.first_behind(span.start)..self.tokens.len() {
            if self.tokens[at].span.end > span.end {
                break;
            }
            self.hidden[at].get_or_insert(index);
        }
        self.masks.push(Mask { span, what });
    }

    fn in_quotes(&self) -> Vec<bool> {
        const PAIRS: [(&str, &str); 5] = [("\"", "\""), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»")];
        let mut quoted = vec![false; self.tokens.len()];
        let mut at = 0;
        // Where nothing closes one mark, nothing closes another of its kind behind it.
        let mut left_open: Vec<&str> = Vec::new();
        while at < quoted.len() {
            let mark = self.typed(at);
            if PAIRS.iter().any(|(open, _)| *open == mark) && !left_open.contains(&mark) {
                match (at + 1..quoted.len()).find(|i| PAIRS.contains(&(mark, self.typed(*i)))) {
                    Some(end) => {
                        quoted[at..=end].fill(true);
                        at = end;
                    }
                    None => left_open.push(mark),
                }
            }
            at += 1;
        }
        quoted
    }

    /// The mask that hides a token.
    pub fn hidden_by(&self, token: usize) -> Option<usize> {
        self.hidden.get(token).copied().flatten()
    }

    /// Tokens of a range that frames look at.
    pub fn live(&self, tokens: Range<usize>) -> &[usize] {
        &self.live[self.live_in(&tokens)]
    }

    /// The words of those.
    pub fn ids(&self, tokens: Range<usize>) -> &[WordId] {
        &self.live_words[self.live_in(&tokens)]
    }

    fn live_in(&self, tokens: &Range<usize>) -> Range<usize> {
        let before = |token: usize| self.live.partition_point(|live| *live < token);
        let start = before(tokens.start);
        start..before(tokens.end).max(start)
    }

    /// A token, as typed.
    pub fn typed(&self, token: usize) -> &'t str {
        &self.text[self.tokens[token].span.clone()]
    }

    /// The text from one token to another, as typed.
    pub fn raw(&self, first: usize, last: usize) -> &'t str {
        match (self.tokens.get(first), self.tokens.get(last)) {
            (Some(a), Some(b)) if a.span.start <= b.span.end => &self.text[a.span.start..b.span.end],
            _ => "",
        }
    }

    /// The words of a mask, as typed.
    pub fn words_of(&self, mask: &Mask) -> &'t str {
        self.text[mask.span.clone()].trim()
    }

    /// The time a mask is.
    pub fn time(&self, mask: usize) -> Option<&TimeMention> {
        match &self.masks.get(mask)?.what {
            Masked::Time(found) => Some(found),
            Masked::Priority(_) | Masked::Timeish => None,
        }
    }

    pub fn has_times(&self) -> bool {
        self.masks.iter().any(|mask| matches!(mask.what, Masked::Time(_)))
    }

    /// Times whose first token lies in the range, in order.
    pub fn times_in(&self, tokens: &Range<usize>) -> Vec<usize> {
        self.masks_in(tokens).into_iter().filter(|&i| self.time(i).is_some()).collect()
    }

    pub fn is_priority(&self, mask: usize) -> bool {
        matches!(self.masks.get(mask).map(|mask| &mask.what), Some(Masked::Priority(_)))
    }

    /// The priority said in the range.
    pub fn priority_in(&self, tokens: &Range<usize>) -> Option<(usize, &'static str)> {
        self.masks_in(tokens).into_iter().find_map(|i| match self.masks[i].what {
            Masked::Priority(level) => Some((i, level)),
            Masked::Time(_) | Masked::Timeish => None,
        })
    }

    fn masks_in(&self, tokens: &Range<usize>) -> Vec<usize> {
        let mut seen = vec![false; self.masks.len()];
        let hidden = self.hidden[tokens.clone()].iter().copied().flatten();
        hidden.filter(|mask| !std::mem::replace(&mut seen[*mask], true)).collect()
    }
}
