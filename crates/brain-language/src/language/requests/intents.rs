//! Intents: what a message seems to ask, clause by clause, as the router uses it.

use std::ops::Range;

use super::derivation::only_a_value;
use super::parse_input::ParseInput;
use super::parser::{Parser, Passage, parsed};
use crate::language::work::Work;

/// What one clause seems to ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// `chat` for talk.
    pub service: String,
    pub command: String,
    pub weak: bool,
    pub investigates: bool,
    /// It shows something and changes nothing.
    pub looks_up: bool,
    /// The bytes of the words that ask, without what is only said beside them.
    pub span: Range<usize>,
}

/// What all clauses of a message seem to ask; by default, of what was not read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intents(Vec<Intent>);

impl Intents {
    pub fn of(input: &ParseInput) -> Intents {
        parsed(input, &[], &Work::default(), Intents::read)
    }

    /// Those of a message that is parsed for all services.
    pub fn read(parser: &Parser) -> Intents {
        Intents(parser.intents())
    }

    /// Whether the message asks for what no single look can tell.
    pub fn investigates(&self) -> bool {
        self.0.iter().any(|intent| intent.investigates && !intent.weak)
    }

    /// Whether all that it asks is plainly a command's.
    pub fn ask_a_command(&self) -> bool {
        let is_plain = |intent: &Intent| !intent.investigates && !intent.weak && intent.service != "chat";
        !self.0.is_empty() && self.0.iter().all(is_plain)
    }

    /// Whether it plainly asks for nothing to be changed.
    pub fn only_look(&self) -> bool {
        self.0.iter().all(|intent| intent.looks_up || intent.weak || intent.service == "chat")
    }

    /// Whether anything is plainly asked for within these bytes.
    pub fn ask_within(&self, span: &Range<usize>) -> bool {
        self.0.iter().any(|intent| !intent.weak && intent.span.start < span.end && span.start < intent.span.end)
    }

    /// Whether something is plainly asked for, and nothing by this command.
    pub fn ask_otherwise(&self, service: &str, command: &str) -> bool {
        let plain = || self.0.iter().filter(|intent| !intent.weak && intent.service != "chat");
        plain().next().is_some() && !plain().any(|intent| intent.service == service && intent.command == command)
    }
}

/// Whether a message asks nothing, and for nothing to be done; it may talk.
pub fn asks_nothing(input: &ParseInput) -> bool {
    !super::is_question(input.text) && Intents::of(input).0.iter().all(|intent| intent.service == "chat")
}

impl Parser<'_> {
    pub fn intents(&self) -> Vec<Intent> {
        let mut out = self.intents_in(self.all());
        if out.is_empty()
            && let Some(action) = only_a_value(self)
        {
            let (service, command) = (action.service, action.command);
            let span = self.bytes(&self.all());
            out.push(Intent { service, command, weak: true, investigates: false, looks_up: false, span });
        }
        out
    }

    /// Those of some words, as if they stood alone.
    pub fn intents_in(&self, range: Range<usize>) -> Vec<Intent> {
        self.derivation(&range).parts.iter().flat_map(|part| self.intents_of(part)).collect()
    }

    fn intents_of(&self, part: &Passage) -> Vec<Intent> {
        let Some(clause) = &part.clause else {
            let (service, span) = ("chat".to_owned(), self.bytes(&part.tokens));
            let talk =
                Intent { command: service.clone(), service, weak: false, investigates: false, looks_up: true, span };
            return Some(talk).filter(|_| self.is_talk(part.tokens.clone())).into_iter().collect();
        };
        let intent = |service: &str, command: &str| Intent {
            service: service.to_owned(),
            command: command.to_owned(),
            weak: clause.weak,
            investigates: clause.investigates,
            looks_up: clause.looks_up,
            span: self.bytes(&clause.tokens),
        };
        clause.actions().map(|action| intent(&action.service, &action.command)).collect()
    }

    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        match self.heard.tokens.get(tokens.clone()) {
            Some([first, .., last]) => first.span.start..last.span.end,
            Some([only]) => only.span.clone(),
            Some([]) | None => 0..0,
        }
    }
}
