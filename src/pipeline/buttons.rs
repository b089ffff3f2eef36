//! Buttons. What they carry names things and proves nothing; everything is checked against the store.

use super::act;
use super::consent;
use super::offers;
use super::turn::{Answer, Turn};
use crate::core::button::Press;
use crate::core::pending::Means;
use crate::core::plan::{Params, PlannedAction};
use crate::core::turn::{Edit, Input, Path};
use crate::ports::{Batch, Expect, Key, RecordExt, StoreError, Table};
use crate::records::Undo;

/// Answers a press.
pub async fn press(turn: &Turn<'_>, data: &str) -> Result<Answer, StoreError> {
    let answer = match Press::decode(data) {
        None => Answer::says(Path::Button, "I don't know that button. Nothing was done."),
        Some(Press::Card { pending, digest_prefix, verb }) => {
            return consent::decide(turn, &pending, verb, Some(&digest_prefix), Means::Button).await;
        }
        Some(Press::Undo(id)) => undo(turn, &id).await?,
        Some(Press::Send(draft)) => send(turn, &draft).await?,
        Some(Press::Snooze { due, minutes }) => {
            let until =
                (turn.scene.now + chrono::Duration::minutes(i64::from(minutes))).with_timezone(&turn.scene.zone);
            let changes = serde_json::json!({"snooze": until.to_rfc3339_opts(chrono::SecondsFormat::Secs, false)});
            direct(
                turn,
                "update",
                Params::from_iter([("find_by".to_owned(), due.into()), ("changes".to_owned(), changes)]),
            )
            .await?
        }
        Some(Press::Offer { id, choice }) => offers::take(turn, &id, choice).await?,
        // The face that made it takes it before it gets here.
        Some(Press::Redo(_)) => Answer::says(Path::Button, "There is nothing to do again. Nothing was done."),
        Some(Press::Done(due)) => {
            direct(turn, "complete", Params::from_iter([("find_by".to_owned(), due.into())])).await?
        }
    };
    Ok(answer.keeping_question())
}

/// Restores the recorded prior state: once, for the owner, in time, if nothing has changed since.
async fn undo(turn: &Turn<'_>, id: &str) -> Result<Answer, StoreError> {
    let key = Key::of(&[id]);
    let Some((undo, revision)) = turn.brain.store.load::<Undo>(&key).await? else {
        return Ok(Answer::says(Path::Button, "That can't be undone any more: it already was, or it is too long ago."));
    };
    if undo.owner != *turn.owner() {
        return Ok(Answer::says(Path::Button, "Only the person who did that can undo it."));
    }
    if turn.scene.now > undo.until {
        return Ok(Answer::says(Path::Button, "Too late to undo that: it works for 10 minutes."));
    }
    let mut batch = Batch { changes: undo.changes };
    batch.delete(Table::Undo, key, Expect::Revision(revision));
    let mut answer = match turn.brain.commit(batch).await {
        Ok(_) => Answer::says(Path::Button, format!("↩️ Undone: I did not {} after all.", undo.label)),
        Err(StoreError::Conflict { table: Table::Undo, .. }) => Answer::says(Path::Button, "That was already undone."),
        Err(StoreError::Conflict { .. }) => {
            Answer::says(Path::Button, "It was changed since, so I left it as it is now. Nothing was undone.")
        }
        Err(error) => return Err(error),
    };
    if let Input::Press { message: Some(message), .. } = &turn.incoming.input {
        answer.edits.push(Edit { message: *message, text: None, buttons: Vec::new() });
    }
    Ok(answer)
}

/// A draft's Send button makes a card: sending is high stakes, however it is asked for.
async fn send(turn: &Turn<'_>, draft: &str) -> Result<Answer, StoreError> {
    let action =
        PlannedAction { service: "email".to_owned(), command: "send_email".to_owned(), ..PlannedAction::default() };
    let found = match turn.brain.service("email") {
        Some(service) => service.draft(&turn.scene, draft).await,
        None => None,
    };
    let Some(params) = found else {
        return Ok(Answer::says(Path::Button, "That draft is gone, so there is nothing to send."));
    };
    act::one_action(turn, PlannedAction { params, ..action }).await
}

/// A low-stakes task command that needs no planning.
async fn direct(turn: &Turn<'_>, command: &str, params: Params) -> Result<Answer, StoreError> {
    act::one_action(
        turn,
        PlannedAction { service: "task".to_owned(), command: command.to_owned(), params, ..PlannedAction::default() },
    )
    .await
}
