//! A command as its author writes it: one type whose fields are its parameters, and what it says of itself. Everybody
//! else uses the erased form (see [`super::entry`]).

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::core::card::CardBody;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::language::time::Reference;

/// Whether a command changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Looks only.
    Read,
    /// Changes something.
    Write,
}

/// Where a command's effect happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the store: commits together with its outcome.
    Store,
    /// Outside: recorded as begun before it is tried, doubtful after a crash.
    Outside,
}

/// What the words of a time are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The moment of the turn.
    Now,
    /// The item that is being changed: "move it to 4" means that day.
    Target,
}

/// What a time in the past means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// Nothing sensible: ask.
    Ask,
    /// Fine: a search, a look back.
    Fine,
    /// The only thing there is: mails have come.
    Only,
}

/// A place in a command's parameters where words must become values before anything is shown.
#[derive(Debug)]
pub enum Slot<'a> {
    /// One point in time.
    Time {
        /// Name of the parameter.
        param: &'static str,
        /// Words in, RFC 3339 instant (or a plain date) out.
        value: &'a mut String,
        /// What they are relative to.
        base: Base,
        /// Whether it may lie in the past.
        past: Past,
    },
    /// A span; the start's words may hold all of it ("Thursday 2-4pm"), the end's a length ("for an hour").
    Span {
        /// Name of the start's parameter.
        param: &'static str,
        /// Words in, instant or date out.
        start: &'a mut Option<String>,
        /// Likewise.
        end: &'a mut Option<String>,
        /// What they are relative to.
        base: Base,
        /// Whether it may lie in the past.
        past: Past,
    },
    /// A recurrence, and the time of its first occurrence.
    Repeat {
        /// Words in, RRULE out.
        repeat: &'a mut Option<String>,
        /// Filled when the words hold it.
        first: &'a mut Option<String>,
    },
    /// Names, groups or addresses.
    People {
        /// Name of the parameter.
        param: &'static str,
        /// Words in, addresses out.
        value: &'a mut Vec<String>,
    },
}

/// What a receipt is about.
#[derive(Debug, Clone, Copy)]
pub struct Receipt<'a> {
    /// The service's result; shape: the command's own.
    pub result: &'a Value,
    /// What was executed.
    pub action: &'a Action,
    /// Now and where, for times.
    pub reference: &'a Reference,
}

/// What a card is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What will execute.
    pub action: &'a Action,
    /// Now and where, for times.
    pub reference: &'a Reference,
}

/// A command, as its author writes it: its fields are its parameters.
pub trait Command: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// The service it belongs to.
    const SERVICE: &'static str;
    /// Its name there.
    const NAME: &'static str;
    /// What it does, for prompts and help.
    const SUMMARY: &'static str;
    /// How a person asks for it.
    const EXAMPLE: &'static str;
    /// Whether it changes anything.
    const KIND: Kind;
    /// Where its effect happens.
    const PLACE: Place = Place::Store;
    /// Parameters that refer to something by name, and so are no values that could be tainted.
    const REFERENCES: &'static [&'static str] = &["find_by", "query"];

    /// Decided from command and parameters, never by a model.
    fn stakes(&self, action: &Action) -> Stakes;

    /// Where words must become values.
    fn slots(&mut self) -> Vec<Slot<'_>> {
        Vec::new()
    }

    /// Fills in what follows from the other values and the target, once those are settled.
    fn complete(&mut self, _target: Option<&Target>) {}

    /// What is wrong with these values, in words, if anything.
    fn problem(&self) -> Option<String> {
        None
    }

    /// The question for a missing parameter.
    fn question(_param: &str) -> &'static str {
        "Could you tell me a little more?"
    }

    /// What the person approves. Only high-stakes commands are shown, but every command can become one.
    fn card(&self, subject: &Subject<'_>) -> CardBody;

    /// What the button says that approves it.
    fn approve(&self) -> &'static str {
        "✅ Yes"
    }

    /// What the decided card says of it in a word, once it was done.
    fn done(&self) -> &'static str {
        "Done"
    }

    /// One line for a write, the content for a read. Told after it succeeded.
    fn receipt(&self, receipt: &Receipt<'_>) -> String;

    /// What the person tried, for "I could not …": an infinitive with its object.
    fn deed(&self, action: &Action) -> String;
}
