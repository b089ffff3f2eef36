//! Unfinished requests: what the next round of a turn is to see to, and what is said where there is none.
//!
//! Invariants: a round that brought nothing new is the last one, and so is one behind which the same is missing as
//! before it; what stays open is told. Not here: the rounds themselves ([`super::rounds`]).

use super::omissions;
use super::progressing::Progressing;
use super::reflect::{self, Reflected};
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::Status;
use brain_core::core::text::{self, visible};
use brain_core::limits;

/// Of what is named as left.
const LEFT_CHARS_MAX: usize = 200;

/// A round that has ended.
#[derive(Debug)]
pub(super) struct EndedRound {
    /// From 0.
    pub at: usize,
    /// What it was to see to, if it was not the first.
    pub missed: Option<String>,
    /// Whether anything came of it.
    pub is_new: bool,
}

/// What may still be missing behind a round.
#[derive(Debug)]
pub(super) struct OpenPart {
    /// In the planner's words, or the person's.
    pub words: String,
    /// The planner named it.
    is_named: bool,
}

/// What comes of the commands that were chosen for later rounds, before anything was looked up.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChosenNext {
    /// There are none.
    Nothing,
    /// The next round sees to these words.
    Words(String),
    /// They are not carried out, which is told.
    Ended,
}

/// The same behind the round at this place: what they need has to have succeeded.
pub(super) fn chosen_next(topic: &Topic<'_>, at: usize, so_far: &mut Progressing) -> ChosenNext {
    let Some((selection, next)) = topic.selection.map(|selection| (selection, at + 1)) else {
        return ChosenNext::Nothing;
    };
    let further = selection.words_from(next);
    if further.is_empty() {
        return ChosenNext::Nothing;
    }
    let named = || further.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(", ");
    let is_waiting = so_far.asks() || so_far.asks_consent() || next == limits::REFLECT_ROUNDS_MAX;
    let remark = match selection.before(next).all(|before| so_far.has_done(before)) {
        _ if is_waiting => format!("What comes after it is not begun: {}. Ask for it when that is settled.", named()),
        true => return ChosenNext::Words(further.join("\n")),
        false => format!("Not done: {}. What has to come first did not work out.", named()),
    };
    so_far.results.add_remark(remark);
    ChosenNext::Ended
}

/// What may still be missing, if there is to be another round; where there is none and something is open, that is told.
pub(super) fn open_part(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    round: &EndedRound,
    open: Option<String>,
    so_far: &mut Progressing,
) -> Option<OpenPart> {
    so_far.looked_up(brain);
    if so_far.asks() || so_far.asks_consent() {
        // An answer to a question goes on with what is open; a yes does not.
        if let Some(open) = open.filter(|_| so_far.asks_consent()) {
            so_far.results.add_remark(format!("Once that is settled, ask me for the rest: {}.", quoted(&open)));
        }
        return None;
    }
    if let Some(missed) = round.missed.as_ref().filter(|_| !round.is_new) {
        so_far.results.add_remark(stopped(open.as_ref().unwrap_or(missed)));
        return None;
    }
    // A small model that got nothing done is not asked for more of the same: it is slow, and what is missing is told.
    let has_done = so_far.answer.reports.iter().any(|report| report.status == Status::Succeeded);
    if brain.is_small() && !has_done {
        return None;
    }
    // A model may leave out what it does not call open.
    let left_out = match round.is_new && open.is_none() {
        true => omissions::parts_left_out(brain, facts, topic, so_far).join(", "),
        false => String::new(),
    };
    let is_named = open.is_some();
    let words = open.or(Some(left_out).filter(|parts| !parts.is_empty()))?;
    if round.at + 1 == limits::REFLECT_ROUNDS_MAX {
        so_far.results.add_remark(stopped(&words));
        return None;
    }
    Some(OpenPart { words, is_named })
}

/// What the next round is to see to, by what a model makes of this one.
pub(super) fn missing(
    reflected: Reflected,
    open: &OpenPart,
    round: &EndedRound,
    so_far: &mut Progressing,
) -> Option<String> {
    match reflected {
        Reflected::Missing(missing) => {
            let is_other = |missed: &String| !reflect::is_same(&missing, missed);
            if round.missed.as_ref().is_none_or(is_other) {
                return Some(missing);
            }
            so_far.results.add_remark(stopped(&missing));
        }
        Reflected::Unclear if open.is_named => {
            let left = quoted(&open.words);
            so_far.results.add_remark(format!("I can't tell whether that was all of it; this may be left: {left}."));
        }
        Reflected::Complete | Reflected::Unclear => {}
    }
    None
}

/// What is said where rounds end before all is done.
fn stopped(missing: &str) -> String {
    format!("I stopped here, and tried nothing more. Still missing: {}.", quoted(missing))
}

/// A model's words for what is left, as its own.
fn quoted(words: &str) -> String {
    text::quoted(&visible(words), LEFT_CHARS_MAX)
}
