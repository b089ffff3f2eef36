//! `text⇥yes|no|other`. Read by code alone: a model never decides what a yes is.

use super::asker::Asker;
use super::rows::columns;
use super::{EvalRow, RowVerdict};
use brain_core::core::turn::{Done, Path};
use brain_core::ports::StoreError;
use brain_language::language::consent;
use brain_language::language::consent::Consent;

#[derive(Debug)]
pub(super) struct ConsentExample {
    text: String,
    label: Consent,
}

fn name(consent: Consent) -> &'static str {
    match consent {
        Consent::Yes => "yes",
        Consent::No => "no",
        Consent::Wait | Consent::Other => "other",
    }
}

impl EvalRow for ConsentExample {
    type Answer = Consent;

    fn parse(line: &str) -> Result<Self, String> {
        let (text, label) = columns(line)?;
        let all = [Consent::Yes, Consent::No, Consent::Other];
        let label = all.into_iter().find(|consent| name(*consent) == label);
        Ok(Self { text, label: label.ok_or("the answer must be yes, no or other")? })
    }

    fn input(&self) -> &str {
        &self.text
    }

    fn built_in(&self) -> Consent {
        match consent::read(&self.text) {
            Consent::Wait => Consent::Other,
            said => said,
        }
    }

    async fn ask(&self, _: &Asker) -> Result<(Consent, Done), StoreError> {
        Ok((self.built_in(), Done::quiet(Path::Consent)))
    }

    fn judge(&self, answer: &Consent) -> RowVerdict {
        RowVerdict {
            is_right: *answer == self.label,
            class: name(self.label).to_owned(),
            got_class: name(*answer).to_owned(),
            expected: name(self.label).to_owned(),
            got: name(*answer).to_owned(),
            ..RowVerdict::default()
        }
    }
}
