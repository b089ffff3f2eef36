//! Withdrawing what a message has asked for, because the person has changed that message: its open cards, and the
//! question that was asked about it.
//!
//! Invariants: cards, question and what is told about them change in one commit, together with whatever the caller
//! brings along; a card that somebody has decided stays as it was decided. Not here: what was done already (see
//! [`super::undo`]).

use super::closed;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use brain_core::core::button::Press;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::pending::{Decision, Means, Transition};
use brain_core::core::turn::{Path, Reply};
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, Expect, StoreError, Table, optimistic};

/// Words of a message that are so many are found in a request that was sent in parts.
const PART_WORDS_MIN: usize = 3;

/// What the messages with this button look like once it is withdrawn with this batch: these words, and no button.
pub async fn button(
    brain: &Brain,
    chat: &ChatId,
    press: &Press,
    words: &'static str,
    batch: &mut Batch,
) -> Result<Vec<Show>, StoreError> {
    let mut answer = Answer::of(Path::Button);
    for shown in shown::all_with_button(brain, chat, &press.encode()).await? {
        answer.rewrite(shown.message, move |shown| (shown.text, shown.buttons) = (words.to_owned(), Vec::new()));
    }
    let edits = shown::rewritten(brain, chat, &answer.rewrites, batch).await?;
    Ok(edits.into_iter().map(Show::Edit).collect())
}

/// Withdraws what waits because of these words. False when nothing does; then nothing is committed. The caller sees to
/// the delivery.
pub async fn request(
    brain: &Brain,
    owner: &UserId,
    chat: &ChatId,
    said: &str,
    batch: &Batch,
) -> Result<bool, StoreError> {
    optimistic(&[Table::Pending], || async move {
        let (mut batch, mut shows, mut cards) = (batch.clone(), Vec::new(), 0);
        for open in brain.open_pending(chat).await? {
            if open.owner != *owner || !is_of(&open.request, said) {
                continue;
            }
            let Some((mut card, revision)) = brain.pending(&open.id).await? else { continue };
            if !card.state.is_open() || card.apply(Transition::Supersede).is_err() {
                continue;
            }
            let (at, digest) = (brain.clock.now(), card.digest.clone());
            card.decision = Some(Decision { by: owner.clone(), means: Means::Amendment, at, digest });
            batch.put(&card, Expect::Revision(revision))?;
            brain.leave_open(&card, &mut batch);
            batch.put(&brain.audit_pending(owner, at, &card), Expect::Absent)?;
            shows.extend(closed::shows(brain, &card).await?);
            cards += 1;
        }
        let question = brain.chat_state(chat).await?.clarification.filter(|asked| is_of(&asked.request, said));
        let words = match (cards, &question) {
            (0, None) => return Ok(false),
            (0, Some(_)) => "You changed your message, so I take my question back.",
            (1, _) => "You changed your message, so the card before is withdrawn.",
            (_, _) => "You changed your message, so the cards before are withdrawn.",
        };
        shows.push(Show::Send(Reply::text(words)));
        brain.commit_withdrawn(chat, &shows, &batch, question.as_ref()).await?;
        Ok(true)
    })
    .await
}

/// Whether a request was made in these words, alone or among others.
fn is_of(request: &str, said: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (request, said) = (words(request), words(said));
    request == said || said.split(' ').count() >= PART_WORDS_MIN && request.contains(&said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_by_its_words_and_by_a_part_of_some_length() {
        assert!(is_of("send it  to bob", "send it to bob") && is_of("hi", "hi"));
        assert!(is_of("send an email to bob saying the report is late", "saying the report is late"));
        assert!(!is_of("send an email saying hi", "hi") && !is_of("call mom", "call dad"));
    }
}
