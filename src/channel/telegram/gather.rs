//! Messages of one breath are one turn.
//!
//! A turn begins to think at once. While it has written nothing, what the same person sends within the pause
//! joins it: the turn is dropped and begun anew with all the words (see [`crate::pipeline::intake::debounce`]). A single
//! message waits for nothing that its turn does not need anyway, or for the rest of a short pause.
//!
//! Invariants: a joined update is recorded as such before the turn begins anew, and closed by that turn's commit
//! and no other; order is kept; a command, a reply and a bare yes or no never join another message, and a yes
//! that is followed by words in the same breath is none; an edit of a message that is still being gathered
//! replaces its words; what an earlier life left open gains nothing new; what was written far
//! apart is no breath, even when it is received at once.

use std::sync::PoisonError;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use chrono_tz::Tz;
use tokio_util::sync::CancellationToken;

use super::convert::{ChatUpdate, Said, UpdateKind, With};
use super::inbox::WaitingUpdate;
use super::queue::{Next, Rest};
use super::things::{self, Unpacked};
use super::turns::{self, Desk, Job};
use crate::config::telegram_user;
use crate::core::ids::{ChatId, RunId};
use crate::core::turn::{Incoming, Input, Origin, Part};
use crate::language::consent;
use crate::language::consent::Consent;
use crate::language::time;
use crate::language::time::{DateOrder, Reference};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::STOPPED;
use crate::pipeline::intake::commands;
use crate::pipeline::intake::debounce::Debounce;
use crate::ports::StoreError;

/// One message of a breath.
#[derive(Debug)]
struct Piece {
    entry: WaitingUpdate,
    said: Said,
    /// True when it changes an earlier one.
    edits: bool,
    unpacked: Unpacked,
}

/// The messages of one breath, in order.
#[derive(Debug)]
struct Together {
    /// Whose, and where.
    heard: ChatUpdate,
    pieces: Vec<Piece>,
}

/// A message that is being read: `/cancel` finds it before its turn begins, and after.
struct UnderWay<'a>(&'a Brain, ChatId);

impl<'a> UnderWay<'a> {
    fn new(brain: &'a Brain, chat: ChatId) -> Self {
        let mut running = brain.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.insert(chat.clone(), CancellationToken::new());
        drop(running);
        Self(brain, chat)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

fn is_stoppable(job: &Job) -> bool {
    match &job.heard.what {
        UpdateKind::Said(said) | UpdateKind::Edited(said) => !turns::is_cancel(said),
        UpdateKind::Press(..) | UpdateKind::Added => false,
    }
}

/// What came of waiting for more.
enum Gathered {
    Done(Result<(), StoreError>),
    More(Box<Job>),
}

/// Handles a message and what follows it in the same breath.
pub(super) async fn said(desk: &Desk, job: Job, rest: &Rest<Job>) -> Result<(), StoreError> {
    // From now on it can be stopped; `/cancel` itself cannot.
    let _under_way = is_stoppable(&job).then(|| UnderWay::new(&desk.brain, job.heard.place.id()));
    let Job { entry, heard, more, resumed } = job;
    let mut together = Together { heard: heard.clone(), pieces: Vec::new() };
    let all: Vec<(WaitingUpdate, ChatUpdate)> = std::iter::once((entry, heard)).chain(more).collect();
    for (entry, heard) in all {
        together.add(desk, entry, heard.what).await?;
    }
    let may_grow = !resumed && !desk.pause.is_zero() && together.may_grow();
    loop {
        if together.pieces.iter().any(|piece| piece.unpacked.stopped) {
            let entries: Vec<&WaitingUpdate> = together.pieces.iter().map(|piece| &piece.entry).collect();
            return turns::answer(desk, &entries, &together.heard.place.id(), STOPPED).await;
        }
        let breath = if may_grow { Debounce::held() } else { Debounce::over() };
        let job = match gathered(desk, &together, rest, &breath).await {
            Gathered::Done(ended) => return ended,
            Gathered::More(job) => job,
        };
        if let Some(first) = together.pieces.first() {
            desk.inbox.join(&first.entry, &job.entry).await?;
        }
        together.add(desk, job.entry, job.heard.what).await?;
    }
}

/// Runs the turn, unless something more comes before it has begun to act.
async fn gathered(desk: &Desk, together: &Together, rest: &Rest<Job>, breath: &Debounce) -> Gathered {
    let mut turn = std::pin::pin!(together.turn(desk, breath));
    while !breath.is_over() {
        let full = together.pieces.len() >= limits::DEBOUNCE_MESSAGES_MAX || desk.is_cancelled(&together.heard);
        if full || breath.has_begun() {
            break;
        }
        match rest.take(|job| together.is_changed_by(job), |job| together.goes_on_with(job, desk.longest_pause())) {
            Next::Taken(job) => return Gathered::More(Box::new(job)),
            Next::Other => break,
            Next::Nobody => {}
        }
        let age = together.age(desk);
        if age >= desk.longest_pause() {
            break;
        }
        let wait = if age < desk.pause {
            desk.pause - age
        } else {
            breath.let_act();
            desk.longest_pause() - age
        };
        tokio::select! {
            biased;
            ended = &mut turn => return Gathered::Done(ended),
            () = rest.arrival() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    breath.end();
    Gathered::Done(turn.await)
}

impl Together {
    async fn add(&mut self, desk: &Desk, entry: WaitingUpdate, what: UpdateKind) -> Result<(), StoreError> {
        let (said, edits) = match what {
            UpdateKind::Said(said) => (said, false),
            UpdateKind::Edited(said) => (said, true),
            UpdateKind::Press(..) | UpdateKind::Added => return desk.inbox.close_now(&entry).await,
        };
        let unpacked =
            if edits { Unpacked::default() } else { things::unpack(desk, &entry, &self.heard, &said).await? };
        self.pieces.push(Piece { entry, said, edits, unpacked });
        Ok(())
    }

    /// Whether more may be added to what there is.
    fn may_grow(&self) -> bool {
        self.pieces.iter().all(|piece| piece.said.reply_to.is_none() && !is_command(&piece.said))
    }

    /// Since the last message.
    fn age(&self, desk: &Desk) -> Duration {
        let last = self.pieces.last().map(|piece| piece.entry.at);
        last.map_or(Duration::MAX, |at| (desk.brain.clock.now() - at).to_std().unwrap_or_default())
    }

    /// An edit of one of these messages.
    fn is_changed_by(&self, job: &Job) -> bool {
        match &job.heard.what {
            UpdateKind::Edited(edit) => self.pieces.iter().any(|piece| piece.said.number == edit.number),
            UpdateKind::Said(_) | UpdateKind::Press(..) | UpdateKind::Added => false,
        }
    }

    /// The next message of the same breath.
    fn goes_on_with(&self, job: &Job, pause: Duration) -> bool {
        let UpdateKind::Said(next) = &job.heard.what else { return false };
        let pause = TimeDelta::from_std(pause).unwrap_or_default();
        let soon = self.pieces.last().is_some_and(|last| {
            let written = next.written(job.entry.at) - last.said.written(last.entry.at);
            job.entry.at - last.entry.at <= pause && written.abs() <= rounded_up(pause)
        });
        let bytes: usize = self.pieces.iter().map(|piece| piece.said.text.len()).sum();
        soon && !job.resumed
            && job.heard.who == self.heard.who
            && next.reply_to.is_none()
            && !is_command(next)
            && !decides(next)
            && bytes + next.text.len() <= limits::MESSAGE_BYTES_MAX
    }

    /// The turn itself.
    async fn turn(&self, desk: &Desk, breath: &Debounce) -> Result<(), StoreError> {
        if self.pieces.iter().any(|piece| decides(&piece.said)) {
            // A decision is made in one step, so it waits before it rather than in it.
            breath.before_writing().await;
        }
        let entries: Vec<&WaitingUpdate> = self.pieces.iter().map(|piece| &piece.entry).collect();
        match self.incoming() {
            Some(incoming) => {
                self.tell_what_is_left_out(desk, breath).await?;
                turns::run(desk, &entries, &incoming, breath.clone()).await
            }
            None => {
                breath.before_asking().await;
                let sentence = self.pieces.iter().rev().find_map(|piece| piece.unpacked.sentence.as_deref());
                turns::answer(desk, &entries, &self.heard.place.id(), sentence.unwrap_or(things::OTHER)).await
            }
        }
    }

    /// A picture beside words cannot be looked into; that is told before the answer, once for all the pictures.
    async fn tell_what_is_left_out(&self, desk: &Desk, breath: &Debounce) -> Result<(), StoreError> {
        let beside = |piece: &Piece| piece.unpacked.beside.clone();
        // An earlier life may have told it.
        let known = self.pieces.iter().filter(|piece| piece.entry.heard.is_some());
        let mut told: Vec<String> = known.filter_map(beside).collect();
        for piece in &self.pieces {
            if let Some(words) = beside(piece).filter(|words| !told.contains(words)) {
                breath.before_writing().await;
                things::tell_once(desk, &piece.entry, &self.heard, &words, "").await?;
                told.push(words);
            }
        }
        Ok(())
    }

    /// What was said, put together; `None` when there are no words in it.
    fn incoming(&self) -> Option<Incoming> {
        let parts = self.parts();
        let own: Vec<&Part> = parts.iter().filter(|part| part.along.is_none() && !part.text.is_empty()).collect();
        if own.is_empty() && parts.iter().all(|part| part.along.is_none()) {
            return None;
        }
        let first = self.pieces.first()?;
        let text = joined(&own.iter().map(|part| part.text.as_str()).collect::<Vec<_>>());
        let untyped = own.iter().map(|part| part.origin).find(|origin| *origin != Origin::Typed);
        // Words beside something else are its caption: a yes with a forward behind it is no bare yes.
        let typed = if parts.iter().any(|part| part.along.is_some()) { Origin::Caption } else { Origin::Typed };
        let origin = if own.is_empty() { Origin::Forwarded } else { untyped.unwrap_or(typed) };
        let single = parts.len() == 1 && parts.iter().all(|part| part.along.is_none());
        Some(Incoming {
            turn: RunId::new(format!("tg-{}", first.entry.update)),
            user: telegram_user(self.heard.who),
            chat: self.heard.place.id(),
            message_id: self.pieces.iter().map(|piece| piece.said.number).max()?,
            at: first.said.written(first.entry.at),
            input: Input::Message { text, origin, reply_to: first.said.reply_to },
            inbox: Some(first.entry.name.clone()),
            parts: if single { Vec::new() } else { parts },
        })
    }

    /// One part a message at least, so that each is closed; edits put in the place of what they change.
    fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for piece in &self.pieces {
            let inbox = Some(piece.entry.name.clone());
            let mut own = piece.unpacked.parts.clone();
            own.iter_mut().for_each(|part| part.inbox.clone_from(&inbox));
            let changed = parts.iter_mut().find(|part| part.message == piece.said.number && part.along.is_none());
            if let (true, Some(changed)) = (piece.edits, changed) {
                changed.text.clone_from(&piece.said.text);
                changed.origin = piece.said.origin;
            }
            if own.is_empty() {
                let (message, origin) = (piece.said.number, piece.said.origin);
                own.push(Part { message, text: String::new(), origin, along: None, inbox });
            }
            parts.extend(own);
        }
        parts
    }
}

/// To whole seconds, as Telegram dates messages: what was written within the pause is never further apart.
fn rounded_up(pause: TimeDelta) -> TimeDelta {
    TimeDelta::seconds((pause.num_milliseconds() + 999) / 1_000)
}

fn is_command(said: &Said) -> bool {
    commands::parse(&said.text).is_some()
}

/// A bare yes or no.
fn decides(said: &Said) -> bool {
    said.with == With::Nothing && said.origin != Origin::Forwarded && consent::read(&said.text) != Consent::Other
}

/// The words of several messages as one text: a sentence that goes on stays one sentence, what begins anew gets a
/// line of its own. However they are put together, several messages never make a bare yes or no: a decision
/// has no line breaks.
fn joined(messages: &[&str]) -> String {
    let mut text = String::new();
    for message in messages {
        if !text.is_empty() {
            text.push(if goes_on(&text, message) { ' ' } else { '\n' });
        }
        text.push_str(message);
    }
    if messages.len() > 1 && consent::read(&text) != Consent::Other { messages.join("\n") } else { text }
}

/// Whether a message goes on with the sentence before it: in small letters, with a number, or with a time.
fn goes_on(before: &str, next: &str) -> bool {
    let complete = before.trim_end().ends_with(['.', '!', '?', '…', ':', ';', '。', '؟', '।']);
    let begins_small = next.trim_start().starts_with(|c: char| c.is_lowercase() || c.is_numeric());
    let reference = Reference { now: DateTime::UNIX_EPOCH, zone: Tz::UTC, order: DateOrder::DayFirst };
    let begins_with_time = || time::find(next, &reference).first().is_some_and(|found| found.span.start == 0);
    !complete && (begins_small || begins_with_time())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_goes_on_stays_one_and_another_gets_its_own_line() {
        for (messages, text) in [
            (vec!["remind me", "to buy milk", "tomorrow 9am"], "remind me to buy milk tomorrow 9am"),
            (vec!["Remind me to buy milk", "Tomorrow at 9"], "Remind me to buy milk Tomorrow at 9"),
            (vec!["Buy milk", "Call mom"], "Buy milk\nCall mom"),
            (vec!["Done with that.", "now the next one"], "Done with that.\nnow the next one"),
            (vec!["alone"], "alone"),
        ] {
            assert_eq!(joined(&messages), text);
        }
    }

    #[test]
    fn several_messages_never_make_a_yes() {
        for messages in [vec!["yes", "please"], vec!["ok", "thanks"], vec!["do", "it"], vec!["yes", "send it"]] {
            assert_eq!(consent::read(&joined(&messages)), Consent::Other, "{messages:?}");
        }
        assert_eq!(consent::read(&joined(&["yes"])), Consent::Yes);
    }
}
