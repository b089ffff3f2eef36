//! Streaming: a long answer grows before the person's eyes while the model writes it.
//!
//! Invariants: nothing is shown before guard and router have agreed to the turn; what is shown is never the last
//! word, the checked answer of [`super::respond`] replaces it; words that claim a change which never was are not
//! shown at all; a stream that breaks in the middle is asked for once more, in one piece; and a short answer is
//! as fast as if nobody had thought of this.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::{Either, select};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use super::ask;
use super::honest::{self, Truth};
use super::phrasing::{self, Internals};
use crate::pipeline::turn::Turn;
use brain_core::core::markup::Formatted;
use brain_core::limits;
use brain_core::ports::{Model, ModelError};
use brain_core::prompts::Prompt;

/// The most tokens of an answer.
const TOKENS_MAX: u32 = 600;
/// Of a growing answer so much is read each time it is shown: more than fits, however it is written.
const DRAFT_BYTES: usize = 8 * limits::DRAFT_UTF16_MAX;

/// Asks `respond` for words about what the turn came to. `given`: what others and the person wrote of what the model
/// reads.
pub async fn aloud(
    turn: &Turn<'_>,
    model: &dyn Model,
    prompt: Prompt,
    given: &str,
    truth: &Truth,
) -> Result<Formatted, ModelError> {
    // Talk is the answer itself, and has all the time of its stage.
    let within = (!turn.account.known().is_empty()).then(|| turn.account.time_for_words());
    let write = |to| ask::words(turn.account, model, truth.came_to.stage(), prompt.clone(), TOKENS_MAX, to, within);
    growing(turn, given, truth, write).await.map(|markdown| Formatted::read(&markdown, given))
}

/// Shows words as `write` sends them, where the channel can. What has begun to be shown and breaks off is asked for
/// once more, in one piece.
pub async fn growing<T, E, W>(
    turn: &Turn<'_>,
    given: &str,
    truth: &Truth,
    write: impl Fn(Option<UnboundedSender<String>>) -> W,
) -> Result<T, E>
where
    W: Future<Output = Result<T, E>>,
{
    if !turn.brain.channel.shows_drafts(turn.facts.chat()) {
        return write(None).await;
    }
    let (to, from) = unbounded_channel();
    let begun = AtomicBool::new(false);
    let (writing, showing) = (Box::pin(write(Some(to))), Box::pin(show(turn, from, &begun, truth, given)));
    let written = match select(writing, showing).await {
        Either::Left((written, _)) => written,
        Either::Right(((), writing)) => writing.await,
    };
    match written {
        Err(_) if begun.load(Ordering::Relaxed) => write(None).await,
        whole => whole,
    }
}

/// Shows what has come so far, from the moment it is a long answer. Ends with the words.
async fn show(turn: &Turn<'_>, mut from: UnboundedReceiver<String>, begun: &AtomicBool, truth: &Truth, given: &str) {
    let mut written = match from.recv().await {
        Some(first) => first,
        None => return,
    };
    begun.store(true, Ordering::Relaxed);
    let mut shown = 0;
    let mut next = Instant::now() + Duration::from_millis(limits::DRAFT_AFTER_MS);
    loop {
        tokio::select! {
            biased;
            piece = from.recv() => match piece {
                Some(piece) => written.push_str(&piece),
                None => return,
            },
            () = sleep_until(next) => {
                if turn.may_be_shown() && written.len() > shown {
                    shown = written.len();
                    draft(turn, &written, truth, given).await;
                }
                next = Instant::now() + Duration::from_millis(limits::DRAFT_EVERY_MS);
            }
        }
    }
}

async fn draft(turn: &Turn<'_>, written: &str, truth: &Truth, given: &str) {
    let words = Formatted::read(&written[..written.floor_char_boundary(DRAFT_BYTES)], given);
    if words.without_sentences(|sentence| truth.is_overstated(sentence)).text != words.text {
        return;
    }
    let known = turn.account.known();
    let words = phrasing::presentable(words, &Internals::of(turn.brain, &turn.facts), &known, given);
    let mut words = honest::shown(words, truth);
    if !known.is_empty() {
        words.push(&format!("\n\n{known}"));
    }
    // The beginning, once there is more than a message holds: the rest comes with the answer.
    let first = words.split(limits::DRAFT_UTF16_MAX, limits::MESSAGE_SPANS_MAX).next();
    if let Some(first) = first {
        // Once words are seen, the turn can no longer be begun anew.
        turn.debounce.before_writing().await;
        turn.account.speaks();
        turn.brain.channel.draft(turn.facts.chat(), &first).await;
    }
}
