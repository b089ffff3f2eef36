//! Clause parser: a range of tokens, read as one clause.
//!
//! Not here: where a message may be divided (`borders`), and which of its clauses count (`chart`).

use std::ops::Range;
use std::rc::Rc;

use super::account::SpanRole;
use super::annotated::AnnotatedText;
use super::built::{Built, fits};
use super::grammar::{GRAMMAR, Grammar};
use super::matching::{self, ClauseMatch, Filler};
use super::parse_input::ParseInput;
use super::reading::ClauseReading;
use super::text::{TokenMark, own_words};
use crate::language::memo::Memo;
use crate::language::work::Work;
use brain_core::core::plan::PlannedAction;

/// Readings of one clause that are built before it is given up.
const READINGS_MAX: usize = 12;
/// Steps of building one reading of a clause, for each of its words.
const BUILD_STEPS: usize = 20;
/// Steps of annotating a word, and bytes of a short word.
const ANNOTATING_STEPS: usize = 10;
const WORD_BYTES: usize = 4;

/// A clause, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Parse {
    pub built: Built,
    pub command: String,
    pub weak: bool,
    pub investigates: bool,
    /// It only asks for something that is there.
    pub looks_up: bool,
    /// The tokens that ask.
    pub tokens: Range<usize>,
    /// Those between the politeness at both ends.
    pub core: Range<usize>,
    pub slots: Vec<Filler<'static>>,
    /// Its last words are a slot that would take more of them (a title, a body).
    pub open_ended: bool,
    pub has_time: bool,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    pub tokens: Range<usize>,
    /// None: it asks for nothing.
    pub clause: Option<Parse>,
    /// What it is as a whole, if it asks for nothing; else each of its words is something of its own.
    pub role: Option<SpanRole>,
    pub sentence: usize,
}

/// A message, part by part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derivation {
    pub parts: Vec<Passage>,
    pub cost: u32,
    /// The cheapest one that asks for something else, and what it costs more.
    pub rival: Option<(Vec<Passage>, u32)>,
}

impl Parse {
    /// Whether one of the words that ask, and not of those that it is about, stands between quotation marks.
    pub fn asks_in_quotes(&self, heard: &AnnotatedText) -> bool {
        let in_slot = |at: usize| self.slots.iter().any(|slot| (slot.first..=slot.last).contains(&at));
        let is_quoted = |at: usize| heard.quoted[at] && heard.tokens[at].mark == TokenMark::Word;
        self.core.clone().any(|at| is_quoted(at) && (at == self.core.start || !in_slot(at)))
    }

    /// Whether both come to the same commands.
    fn asks_the_same(&self, other: &Parse) -> bool {
        let commands = |clause: &Parse| -> Vec<(String, String)> {
            clause.actions().map(|action| (action.service.clone(), action.command.clone())).collect()
        };
        commands(self) == commands(other)
    }

    pub fn actions(&self) -> impl Iterator<Item = &PlannedAction> {
        let (one, several): (Option<&PlannedAction>, &[PlannedAction]) = match &self.built {
            Built::Act(action) | Built::Ask { partial: action, .. } => (Some(action), &[]),
            Built::Acts(actions) => (None, actions),
            Built::No => (None, &[]),
        };
        one.into_iter().chain(several)
    }
}

/// Parses the words of a message, each range of them once: a message is divided in many ways that share their clauses,
/// and whoever else asks what its words come to ([`Parser::with`]) is answered from what was made of them.
#[derive(Debug)]
pub struct Parser<'a> {
    pub grammar: Grammar<'static>,
    pub input: &'a ParseInput<'a>,
    pub heard: &'a AnnotatedText<'a>,
    pub domains: &'a [String],
    pub work: &'a Work,
    /// The frames that fit, whatever was said before and whichever services are meant.
    matched: Memo<Range<usize>, Vec<ClauseMatch<'static>>>,
    read: Memo<Range<usize>, Vec<Rc<Parse>>>,
    derived: Memo<Range<usize>, Derivation>,
}

/// Parses a message once for all that `then` asks of it. Only commands of `domains` are read; of any where there are
/// none.
pub fn parsed<T>(input: &ParseInput, domains: &[String], work: &Work, then: impl FnOnce(&Parser) -> T) -> T {
    let text = own_words(input.text);
    // Where they do not suffice nothing is read: the work is spent.
    let _ = work.take(ANNOTATING_STEPS * text.len().div_ceil(WORD_BYTES));
    let heard = AnnotatedText::new(&text, input.reference, GRAMMAR.lexicon);
    then(&Parser::new(input, &heard, domains, work))
}

impl<'a> Parser<'a> {
    pub fn new(
        input: &'a ParseInput<'a>,
        heard: &'a AnnotatedText<'a>,
        domains: &'a [String],
        work: &'a Work,
    ) -> Parser<'a> {
        let (matched, read, derived) = (Memo::default(), Memo::default(), Memo::default());
        Parser { grammar: *GRAMMAR, input, heard, domains, work, matched, read, derived }
    }

    /// The same words after another conversation (or none), for other services, with other steps: what was made of them
    /// already is not made again.
    pub fn with<'b>(
        &self,
        input: &'b ParseInput<'b>,
        heard: &'b AnnotatedText<'b>,
        domains: &'b [String],
        work: &'b Work,
    ) -> Parser<'b> {
        let mut other = Parser::new(input, heard, domains, work);
        if heard.looks_like(self.heard) {
            other.matched = self.matched.clone();
            if (domains, input.history.is_empty()) == (self.domains, self.input.history.is_empty()) {
                (other.read, other.derived) = (self.read.clone(), self.derived.clone());
            }
        }
        other
    }

    /// All its tokens.
    pub fn all(&self) -> Range<usize> {
        0..self.heard.tokens.len()
    }

    /// The cheapest derivation of some tokens.
    pub fn derivation(&self, range: &Range<usize>) -> Rc<Derivation> {
        self.derived.once(range, || self.derive(range))
    }

    /// The frames that fit a range, best first.
    fn matches(&self, range: &Range<usize>) -> Rc<Vec<ClauseMatch<'static>>> {
        self.matched.once(range, || matching::readings(self.grammar, self.heard, range.clone(), self.work))
    }

    /// Talk that names our nouns but asks for nothing.
    pub fn is_talk(&self, range: Range<usize>) -> bool {
        self.matches(&range).first().is_some_and(|found| found.frame.command == "chat")
    }

    /// Negated, wished or reported: no request of the person's own.
    pub fn is_told(&self, range: &Range<usize>) -> bool {
        let ids = self.heard.ids(range.clone());
        matching::starts(self.grammar.lexicon, ids).into_iter().any(|at| {
            ["negation", "reported"].iter().any(|class| self.grammar.lexicon.starts(class, &ids[at..]).is_some())
        })
    }

    /// The best buildable reading of a clause.
    pub fn clause(&self, range: Range<usize>) -> Option<Rc<Parse>> {
        self.readings(&range).first().cloned()
    }

    /// That, and the next best where nothing in the wording tells which of two commands is meant.
    pub fn readings(&self, range: &Range<usize>) -> Rc<Vec<Rc<Parse>>> {
        self.read.once(range, || self.read_clause(range.clone()).into_iter().map(Rc::new).collect())
    }

    fn read_clause(&self, range: Range<usize>) -> Vec<Parse> {
        let readings = self.matches(&range);
        // A negated order and a question would be taken for the first slot of a frame.
        let is_told = self.is_told(&range) || self.begins(&range, &["question"]);
        let asks_us = self.begins(&range, &["askingus"]);
        let mut best: Option<(Parse, i32)> = None;
        for found in readings.iter().take(READINGS_MAX) {
            if best.as_ref().is_some_and(|(_, score)| found.score < *score) || found.frame.command == "chat" {
                break;
            }
            if is_told && found.frame.begins_with_slot() {
                continue;
            }
            // A request to the assistant, in the form of a question, is no note of what the person will do.
            if asks_us && found.frame.weak && found.frame.command == "task.create" {
                continue;
            }
            if self.work.take(BUILD_STEPS * (1 + range.len())).is_none() {
                return Vec::new();
            }
            let Some(clause) = self.built(found, &range) else { continue };
            match best {
                None => best = Some((clause, found.score)),
                // A weak one is a guess, and another guess is no rival.
                Some((best, _)) if !best.weak && !best.asks_the_same(&clause) => return vec![best, clause],
                Some(_) => {}
            }
        }
        best.map(|(clause, _)| clause).into_iter().collect()
    }

    fn built(&self, found: &ClauseMatch<'static>, range: &Range<usize>) -> Option<Parse> {
        let said =
            ClauseReading { grammar: self.grammar, input: self.input, heard: self.heard, found, domains: self.domains };
        let built = (self.input.builders.build)(&said);
        let allowed = |action: &PlannedAction| fits(self.domains, &action.service);
        let fits = match &built {
            Built::Act(action) | Built::Ask { partial: action, .. } => allowed(action),
            Built::Acts(actions) => !actions.is_empty() && actions.iter().all(allowed),
            Built::No => false,
        };
        let last_slot = found.slots.last().map(|slot| slot.last);
        let last_live = self.heard.live(range.clone()).last().copied();
        let last_is_time = self.heard.hidden_by(range.end.saturating_sub(1)).is_some();
        fits.then(|| Parse {
            built,
            command: found.frame.command.clone(),
            weak: found.frame.weak,
            investigates: found.frame.investigates,
            looks_up: (self.input.builders.looks_up)(&found.frame.command),
            tokens: range.clone(),
            core: found.core.clone(),
            slots: found.slots.clone(),
            open_ended: last_slot.is_some() && last_slot == last_live && !last_is_time,
            has_time: !self.heard.times_in(range).is_empty(),
        })
    }
}
