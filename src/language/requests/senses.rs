//! What a message seems to ask, clause by clause, as the router uses it.

use std::ops::Range;

use super::Hearing;
use super::clauses::{Clause, Parser, Tries, only_a_time};
use super::heard::Heard;
use super::sentences::sentences;

/// What one clause seems to ask.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sense {
    /// `chat` for talk.
    pub service: String,
    pub command: String,
    pub weak: bool,
    pub investigates: bool,
    /// The bytes of the words that ask, without what is only said beside them.
    pub said: Range<usize>,
}

/// The senses of a message.
pub(crate) fn senses(hearing: &Hearing, heard: &Heard) -> Vec<Sense> {
    Parser::new(hearing, heard, &[], &Tries::default()).senses()
}

impl Parser<'_> {
    pub fn senses(&self) -> Vec<Sense> {
        let (mut out, mut before) = (Vec::new(), Vec::new());
        for sentence in sentences(self.heard) {
            let clauses = self.clauses(sentence.clone(), 0);
            if self.tells_why(&before, &clauses, &sentence) {
                continue;
            }
            out.extend(self.senses_of(&clauses, &sentence));
            before.extend(clauses);
        }
        if out.is_empty()
            && let Some(action) = only_a_time(self.hearing, self.heard, &[])
        {
            let (service, command) = (action.service, action.command);
            let said = self.bytes(&(0..self.heard.tokens.len()));
            out.push(Sense { service, command, weak: true, investigates: false, said });
        }
        out
    }

    /// Those of some words between two marks, as if they stood alone.
    pub fn senses_in(&self, part: Range<usize>) -> Vec<Sense> {
        self.tries.renew();
        self.senses_of(&self.clauses(part.clone(), 0), &part)
    }

    fn senses_of(&self, clauses: &[Clause], sentence: &Range<usize>) -> Vec<Sense> {
        if clauses.is_empty() && self.is_talk(sentence.clone()) {
            let said = self.bytes(sentence);
            return vec![Sense {
                service: "chat".into(),
                command: "chat".into(),
                weak: false,
                investigates: false,
                said,
            }];
        }
        let of_clause = |clause: &Clause| {
            let sense = |service: &str, command: &str| Sense {
                service: service.to_owned(),
                command: command.to_owned(),
                weak: clause.weak,
                investigates: clause.investigates,
                said: self.bytes(&clause.tokens),
            };
            clause.actions().map(|action| sense(&action.service, &action.command)).collect::<Vec<_>>()
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
