//! A turn that an earlier life began: carried through and told from its journal, not looked at anew. What it did may
//! have changed what the same press or the same words would mean now.

use super::buttons;
use crate::pipeline::commit::Answer;
use crate::pipeline::recover::AND_THE_REST;
use crate::pipeline::run::{self, Grant, Start};
use crate::pipeline::stages::context::Context;
use crate::pipeline::stages::progressing::{Progressing, put_together, told_by_receipts};
use crate::pipeline::turn::{Turn, TurnError};
use brain_core::core::run::Run;
use brain_core::core::turn::{Input, Path};
use brain_core::limits;
use brain_core::ports::{Key, RecordExt, Scan, StoreError};

/// The end of what this turn began in an earlier life; `None` for a turn that is new.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Some(mut answer) = from_journal(turn).await? else { return Ok(None) };
    buttons::carried_through(turn.brain, &turn.facts, &mut answer).await?;
    Ok(Some(answer))
}

async fn from_journal(turn: &Turn<'_>) -> Result<Option<Answer>, StoreError> {
    let first = Key::of(&[turn.facts.incoming.turn.as_str()]);
    let Some(first) = turn.brain.store.load::<Run>(&first).await? else {
        return Ok(None);
    };
    turn.debounce.before_writing().await;
    // Its later rounds were interrupted together with it; see `run_now` for their names.
    let later = Scan {
        prefix: Some(Key::from_stored(&format!("{}+", turn.facts.incoming.turn))),
        ..Scan::of::<Run>(&[], limits::REFLECT_ROUNDS_MAX)
    };
    let later = turn.brain.store.list::<Run>(later).await?;
    let is_press = matches!(turn.facts.incoming.input, Input::Press { .. });
    let mut so_far = Progressing::new(if is_press { Path::Button } else { Path::Action });
    for (run, revision) in [first].into_iter().chain(later) {
        let ran = run::run(turn.brain, &turn.facts.ctx, run, Start::at(revision), Grant::LowStakes).await?;
        so_far.add(turn.brain, &turn.facts, ran)?;
    }
    if is_press {
        return Ok(Some(told_by_receipts(turn.brain, &turn.facts, so_far).keeping_question()));
    }
    so_far.results.receipts.push(AND_THE_REST.to_owned());
    Ok(Some(put_together(turn, so_far, &Context::default()).await))
}
