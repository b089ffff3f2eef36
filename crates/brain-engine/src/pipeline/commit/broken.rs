//! A turn that broke, or that is not tried any more: its person is told, and nothing of it goes on by itself.

use crate::pipeline::brain::Brain;
use brain_core::core::ids::{ChatId, RunId};
use brain_core::core::outcome::Outcome;
use brain_core::core::run::{Run, StepProgress};
use brain_core::core::turn::{Incoming, Reply};
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, Expect, Key, RecordExt, StoreError};

const BROKEN: &str = "Something went wrong inside me, and I stopped there. Nothing more was done. Please check /today or /tasks before you send it again.";

/// See [`Brain::tell_broken`].
pub(super) async fn tell(brain: &Brain, incoming: &Incoming, batch: Batch) -> Result<(), StoreError> {
    give_up(brain, &incoming.turn, &incoming.chat, BROKEN.to_owned(), batch).await
}

/// See [`Brain::tell_given_up`].
pub(super) async fn give_up(
    brain: &Brain,
    turn: &RunId,
    chat: &ChatId,
    said: String,
    mut batch: Batch,
) -> Result<(), StoreError> {
    if let Some((mut run, revision)) = brain.store.load::<Run>(&Key::of(&[turn.as_str()])).await? {
        run.inbox = None;
        for step in &mut run.steps {
            if step.progress == StepProgress::Planned {
                step.progress = StepProgress::Done {
                    outcome: Outcome::failed("not tried, because something went wrong inside me"),
                };
            }
        }
        batch.put(&run, Expect::Revision(revision))?;
    }
    brain.tell(chat, vec![Show::Send(Reply::text(said))], batch).await
}
