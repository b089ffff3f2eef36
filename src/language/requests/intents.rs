//! What a message seems to ask, clause by clause, as the router uses it.

use std::ops::Range;

use super::Hearing;
use super::annotated::AnnotatedText;
use super::clauses::{Clause, Parser, Tries, only_a_time};
use super::sentences::sentences;

/// What one clause seems to ask.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intent {
    /// `chat` for talk.
    pub service: String,
    pub command: String,
    pub weak: bool,
    pub investigates: bool,
    /// The bytes of the words that ask, without what is only said beside them.
    pub span: Range<usize>,
}

/// The intents of a message.
pub(crate) fn intents(hearing: &Hearing, heard: &AnnotatedText) -> Vec<Intent> {
    Parser::new(hearing, heard, &[], &Tries::default()).intents()
}

impl Parser<'_> {
    pub fn intents(&self) -> Vec<Intent> {
        let (mut out, mut before) = (Vec::new(), Vec::new());
        for sentence in sentences(self.heard) {
            let clauses = self.clauses(sentence.clone(), 0);
            if self.tells_why(&before, &clauses, &sentence) {
                continue;
            }
            out.extend(self.intents_of(&clauses, &sentence));
            before.extend(clauses);
        }
        if out.is_empty()
            && let Some(action) = only_a_time(self.hearing, self.heard, &[])
        {
            let (service, command) = (action.service, action.command);
            let span = self.bytes(&(0..self.heard.tokens.len()));
            out.push(Intent { service, command, weak: true, investigates: false, span });
        }
        out
    }

    /// Those of some words between two marks, as if they stood alone.
    pub fn intents_in(&self, part: Range<usize>) -> Vec<Intent> {
        self.tries.renew();
        self.intents_of(&self.clauses(part.clone(), 0), &part)
    }

    fn intents_of(&self, clauses: &[Clause], sentence: &Range<usize>) -> Vec<Intent> {
        if clauses.is_empty() && self.is_talk(sentence.clone()) {
            let (service, span) = ("chat".to_owned(), self.bytes(sentence));
            return vec![Intent { command: service.clone(), service, weak: false, investigates: false, span }];
        }
        let of_clause = |clause: &Clause| {
            let intent = |service: &str, command: &str| Intent {
                service: service.to_owned(),
                command: command.to_owned(),
                weak: clause.weak,
                investigates: clause.investigates,
                span: self.bytes(&clause.tokens),
            };
            clause.actions().map(|action| intent(&action.service, &action.command)).collect::<Vec<_>>()
        };
        clauses.iter().flat_map(of_clause).collect()
    }

    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        match self.heard.tokens.get(tokens.clone()) {
            Some([first, .., last]) => first.span.start..last.span.end,
            Some([only]) => only.span.clone(),
            Some([]) | None => 0..0,
        }
    }
}
