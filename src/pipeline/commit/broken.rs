//! A turn that broke: its person is told, and nothing of it goes on by itself.

use crate::core::outcome::Outcome;
use crate::core::run::{Run, StepProgress};
use crate::core::turn::{Incoming, Reply};
use crate::pipeline::brain::Brain;
use crate::ports::records::Show;
use crate::ports::{Batch, Expect, Key, RecordExt, StoreError};

const BROKEN: &str = "Something went wrong inside me, and I stopped there. Nothing more was done. Please check /today or /tasks before you send it again.";

/// See [`Brain::tell_broken`].
pub(super) async fn tell(brain: &Brain, incoming: &Incoming, mut batch: Batch) -> Result<(), StoreError> {
    let journal = Key::of(&[incoming.turn.as_str()]);
    if let Some((mut run, revision)) = brain.store.load::<Run>(&journal).await? {
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
    brain.tell(&incoming.chat, vec![Show::Send(Reply::text(BROKEN))], batch).await
}
