//! Unfinished requests: what the next round of a turn is to see to, and what is said where there is none.
//!
//! Invariants: a round that brought nothing new is the last one, and so is one behind which the same is missing as
//! before it; what stays open is told. Not here: the rounds themselves ([`super::rounds`]).

use super::held;
use super::progressing::Progressing;
use super::reflect::{self, Reflected};
use crate::core::text::{self, visible};
use crate::limits;
use crate::pipeline::commit::Question;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::{Turn, TurnError};

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

/// What the next round is to see to, if there is to be one; where there is none and something is open, that is told.
pub(super) async fn missing(
    turn: &Turn<'_>,
    topic: &Topic<'_>,
    round: EndedRound,
    open: Option<String>,
    so_far: &mut Progressing,
) -> Result<Option<String>, TurnError> {
    so_far.looked_up(turn.brain);
    if !matches!(so_far.answer.clarification, Question::Settled) || so_far.asks_consent() {
        // An answer to a question goes on with what is open; a yes does not.
        if let Some(open) = open.filter(|_| so_far.asks_consent()) {
            so_far.results.add_remark(format!("Once that is settled, ask me for the rest: {}.", quoted(&open)));
        }
        return Ok(None);
    }
    if let Some(missed) = round.missed.as_ref().filter(|_| !round.is_new) {
        so_far.results.add_remark(stopped(open.as_ref().unwrap_or(missed)));
        return Ok(None);
    }
    // A model may leave out what it does not call open.
    let dropped = || held::parts_left_out(turn.brain, &turn.facts, topic, so_far);
    let is_named = open.is_some();
    let Some(open) = open
        .or_else(|| Some(dropped()).filter(|parts| round.is_new && !parts.is_empty()).map(|parts| parts.join(", ")))
    else {
        return Ok(None);
    };
    if round.at + 1 == limits::REFLECT_ROUNDS_MAX {
        so_far.results.add_remark(stopped(&open));
        return Ok(None);
    }
    match turn.unless_cancelled(reflect::missing(turn, &open, &so_far.results.facts)).await? {
        Reflected::Missing(missing)
            if round.missed.as_ref().is_none_or(|missed| !reflect::is_same(&missing, missed)) =>
        {
            return Ok(Some(missing));
        }
        Reflected::Missing(missing) => so_far.results.add_remark(stopped(&missing)),
        Reflected::Unclear if is_named && turn.brain.model.is_some() => {
            so_far
                .results
                .add_remark(format!("I can't tell whether that was all of it; this may be left: {}.", quoted(&open)));
        }
        Reflected::Complete | Reflected::Unclear => {}
    }
    Ok(None)
}

/// What is said where rounds end before all is done.
fn stopped(missing: &str) -> String {
    format!("I stopped here, and tried nothing more. Still missing: {}.", quoted(missing))
}

/// A model's words for what is left, as its own.
fn quoted(words: &str) -> String {
    text::quoted(&visible(words), LEFT_CHARS_MAX)
}
