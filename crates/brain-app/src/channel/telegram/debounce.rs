//! Debouncing: the parts of one request that a person sends in quick succession are coalesced into one turn.
//!
//! A turn begins to think at once. While it has written nothing, what the same person sends within the debounce time
//! joins it: the turn is dropped and begun anew with all the words (see [`brain_engine::pipeline::turn::debounce`]). A
//! single message waits for nothing that its turn does not need anyway, or for the rest of a short time.
//!
//! Invariants: a joined update is recorded as such before the turn begins anew, and closed by that turn's commit
//! and no other; order is kept; separate requests stay separate: of typed words only what reads on joins (see
//! [`brain_language::language::continuation`]), and what is passed on comes along; a command and a reply never join another
//! message; a yes, a no or a request to wait joins nothing but what says otherwise, and is none when words about it
//! follow at once; an edit of a message that may still be joined replaces its words; what an earlier life left open
//! gains nothing new; what was written far apart is not coalesced, even when it is received at once. An album is one
//! message, in the order of its parts, however these arrive and wherever its words stand.

use std::time::Duration;

use chrono::TimeDelta;

use super::attachments::{self, Unpacked};
use super::context::{TelegramContext, UpdateJob};
use super::inbox::turn_of;
use super::one_text::{is_part_of_paste, joined};
use super::queue::{Next, WaitingRest};
use super::turns;
use super::updates::incoming::{IncomingEvent, IncomingMessage, IncomingUpdate, MessageContent};
use crate::config::telegram_user;
use brain_core::core::ids::{ChatId, RunId};
use brain_core::core::turn::{Incoming, Input, Origin, Part};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_core::ports::records::InboxEntry;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::commit::STOPPED;
use brain_engine::pipeline::intake::commands;
use brain_engine::pipeline::turn::debounce::Debounce;
use brain_language::language::consent::Consent;
use brain_language::language::{consent, continuation};
use brain_services::services::across::filling::BUILDERS;

/// One of the coalesced messages.
#[derive(Debug)]
struct CoalescedMessage {
    entry: InboxEntry,
    message: IncomingMessage,
    /// True when it changes an earlier one.
    edits: bool,
    unpacked: Unpacked,
}

/// Messages of one turn, in order.
#[derive(Debug)]
struct Coalesced {
    /// The first; whose they are, and where.
    update: IncomingUpdate,
    pieces: Vec<CoalescedMessage>,
}

/// A message that is being read: `/cancel` finds it before its turn begins, and after.
struct ReadMessage<'a> {
    brain: &'a Brain,
    chat: ChatId,
    turn: RunId,
}

impl<'a> ReadMessage<'a> {
    fn new(brain: &'a Brain, job: &UpdateJob) -> Self {
        let (chat, turn) = (job.update.place.id(), turn_of(&job.entry));
        brain.running.begins(&chat, &turn);
        Self { brain, chat, turn }
    }
}

impl Drop for ReadMessage<'_> {
    fn drop(&mut self) {
        self.brain.running.ends(&self.chat, &self.turn);
    }
}

fn is_stoppable(job: &UpdateJob) -> bool {
    match &job.update.event {
        IncomingEvent::Message(message) | IncomingEvent::Edited(message) => !message.is_cancel(),
        IncomingEvent::Press { .. } | IncomingEvent::Joined => false,
    }
}

/// What came of waiting for more.
enum Coalescing {
    Done(Result<(), StoreError>),
    More(Box<UpdateJob>),
}

/// Handles a message and what joins it.
pub(super) async fn handle(
    context: &TelegramContext,
    job: UpdateJob,
    rest: &WaitingRest<UpdateJob>,
) -> Result<(), StoreError> {
    // From now on it can be stopped; `/cancel` itself cannot.
    let _under_way = is_stoppable(&job).then(|| ReadMessage::new(&context.brain, &job));
    let UpdateJob { entry, update, joined, resumed } = job;
    let mut coalesced = Coalesced { update: update.clone(), pieces: Vec::new() };
    for (entry, update) in std::iter::once((entry, update)).chain(joined) {
        coalesced.add(context, entry, update.event).await?;
    }
    let may_grow = coalesced.is_album() || !resumed && !context.debounce.is_zero() && coalesced.may_grow();
    loop {
        if coalesced.pieces.iter().any(|piece| piece.unpacked.stopped) {
            return turns::answer(context, &coalesced.entries(), &coalesced.update.place.id(), STOPPED).await;
        }
        let debounce = if may_grow { Debounce::held() } else { Debounce::over() }.in_line(rest.lets_pass());
        let job = match coalescing(context, &coalesced, rest, &debounce).await {
            Coalescing::Done(ended) => return ended,
            Coalescing::More(job) => job,
        };
        if let Some(first) = coalesced.pieces.first() {
            context.inbox.join(&first.entry, &job.entry).await?;
        }
        coalesced.add(context, job.entry, job.update.event).await?;
    }
}

/// Runs the turn, unless something more comes before it has begun to act.
async fn coalescing(
    context: &TelegramContext,
    coalesced: &Coalesced,
    rest: &WaitingRest<UpdateJob>,
    debounce: &Debounce,
) -> Coalescing {
    let mut turn = std::pin::pin!(coalesced.turn(context, debounce));
    while !debounce.is_over() {
        let full = coalesced.pieces.len() >= limits::DEBOUNCE_MESSAGES_MAX || context.is_cancelled(&coalesced.update);
        if full || debounce.has_begun() {
            break;
        }
        let belongs = |job: &UpdateJob| coalesced.is_changed_by(job) || coalesced.is_album_of(job);
        match rest.take(belongs, |job| coalesced.goes_on_with(job, context.longest_debounce())) {
            Next::Taken(job) => return Coalescing::More(Box::new(job)),
            Next::Other => break,
            Next::Nobody => {}
        }
        let age = coalesced.age(context);
        let (shortest, longest) = coalesced.pauses(context);
        if age >= longest {
            break;
        }
        let wait = if age < shortest {
            shortest - age
        } else {
            debounce.let_act();
            longest - age
        };
        tokio::select! {
            biased;
            ended = &mut turn => return Coalescing::Done(ended),
            () = rest.arrival() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    debounce.end();
    Coalescing::Done(turn.await)
}

impl Coalesced {
    async fn add(
        &mut self,
        context: &TelegramContext,
        entry: InboxEntry,
        event: IncomingEvent,
    ) -> Result<(), StoreError> {
        let (message, edits) = match event {
            IncomingEvent::Message(message) => (message, false),
            IncomingEvent::Edited(message) => (message, true),
            IncomingEvent::Press { .. } | IncomingEvent::Joined => return context.inbox.close(&entry).await,
        };
        let unpacked = if edits {
            Unpacked::default()
        } else {
            attachments::unpack(context, &entry, &self.update, &message).await?
        };
        self.pieces.push(CoalescedMessage { entry, message, edits, unpacked });
        Ok(())
    }

    fn entries(&self) -> Vec<&InboxEntry> {
        self.pieces.iter().map(|piece| &piece.entry).collect()
    }

    /// Whether more may be added to what there is.
    fn may_grow(&self) -> bool {
        self.pieces.iter().all(|piece| piece.message.reply_to.is_none() && !is_command(&piece.message))
    }

    fn is_album(&self) -> bool {
        self.pieces.iter().any(|piece| piece.message.album.is_some())
    }

    /// Another part of the same album, whatever else it is.
    fn is_album_of(&self, job: &UpdateJob) -> bool {
        let IncomingEvent::Message(next) = &job.update.event else { return false };
        let is_same = |piece: &CoalescedMessage| piece.message.album == next.album;
        next.album.is_some() && job.update.who == self.update.who && self.pieces.iter().any(is_same)
    }

    /// How long nothing is done after the last message, and how long the next may still come.
    fn pauses(&self, context: &TelegramContext) -> (Duration, Duration) {
        let least = if self.is_album() { Duration::from_millis(limits::ALBUM_MS) } else { Duration::ZERO };
        (context.debounce.max(least), context.longest_debounce().max(least))
    }

    /// Since the last message.
    fn age(&self, context: &TelegramContext) -> Duration {
        let last = self.pieces.last().map(|piece| piece.entry.received_at);
        last.map_or(Duration::MAX, |at| (context.brain.clock.now() - at).to_std().unwrap_or_default())
    }

    /// An edit of one of these messages.
    fn is_changed_by(&self, job: &UpdateJob) -> bool {
        match &job.update.event {
            IncomingEvent::Edited(edit) => self.pieces.iter().any(|piece| piece.message.number == edit.number),
            IncomingEvent::Message(_) | IncomingEvent::Press { .. } | IncomingEvent::Joined => false,
        }
    }

    /// The next message of the same person, soon enough.
    fn goes_on_with(&self, job: &UpdateJob, pause: Duration) -> bool {
        let IncomingEvent::Message(next) = &job.update.event else { return false };
        let pause = TimeDelta::from_std(pause).unwrap_or_default();
        let soon = self.pieces.last().is_some_and(|last| {
            let written = next.written(job.entry.received_at) - last.message.written(last.entry.received_at);
            job.entry.received_at - last.entry.received_at <= pause && written.abs() <= rounded_up(pause)
        });
        let bytes: usize = self.pieces.iter().map(|piece| piece.message.text.len()).sum();
        soon && !job.resumed
            && !pause.is_zero()
            && self.may_grow()
            && job.update.who == self.update.who
            && next.reply_to.is_none()
            && !is_command(next)
            && bytes + next.text.len() <= limits::MESSAGE_BYTES_MAX
            && self.reads_on_with(next)
    }

    /// Whether the next message is a part of the same request.
    fn reads_on_with(&self, next: &IncomingMessage) -> bool {
        match next.content {
            // Nobody knows yet what it says.
            MessageContent::Recording(_) => return false,
            MessageContent::TextOnly if next.origin != Origin::Forwarded => {}
            _ => return true,
        }
        let parts = self.parts();
        let Some(last) = parts.iter().rfind(|part| part.along.is_none() && !part.text.is_empty()) else {
            // The comment on what was passed on.
            return !decides(next);
        };
        match (consent::read(&last.text), decision(next)) {
            (Consent::Other, Consent::Yes | Consent::No | Consent::Wait) => false,
            (Consent::Other, Consent::Other) => {
                is_part_of_paste(&last.text) || continuation::reads_on(&last.text, &next.text, BUILDERS)
            }
            (Consent::Yes | Consent::No | Consent::Wait, Consent::Other) => {
                consent::amends(&next.text) || !continuation::stands_alone(&next.text, BUILDERS)
            }
            (before, after) => before != after,
        }
    }

    /// The turn itself.
    async fn turn(&self, context: &TelegramContext, debounce: &Debounce) -> Result<(), StoreError> {
        if self.pieces.iter().any(|piece| decides(&piece.message)) {
            // A decision is made in one step, so it waits before it rather than in it.
            debounce.before_writing().await;
        }
        match self.incoming() {
            Some(incoming) => {
                self.tell_what_is_left_out(context, debounce).await?;
                turns::run(context, &self.entries(), &incoming, debounce.clone()).await
            }
            None => {
                debounce.before_asking().await;
                let sentence = self.pieces.iter().rev().find_map(|piece| piece.unpacked.sentence.as_deref());
                turns::answer(
                    context,
                    &self.entries(),
                    &self.update.place.id(),
                    sentence.unwrap_or(attachments::UNSUPPORTED),
                )
                .await
            }
        }
    }

    /// What beside words cannot be looked into; that is told before the answer, the same thing once.
    async fn tell_what_is_left_out(&self, context: &TelegramContext, debounce: &Debounce) -> Result<(), StoreError> {
        let beside = |piece: &CoalescedMessage| piece.unpacked.beside.clone();
        // An earlier life may have told it.
        let known = self.pieces.iter().filter(|piece| piece.entry.transcript.is_some());
        let mut told: Vec<String> = known.filter_map(beside).collect();
        for piece in &self.pieces {
            if let Some(words) = beside(piece).filter(|words| !told.contains(words)) {
                debounce.before_writing().await;
                attachments::tell_once(context, &piece.entry, &self.update, &words, "").await?;
                told.push(words);
            }
        }
        Ok(())
    }

    /// What was said, put together; `None` when there are no words in it.
    fn incoming(&self) -> Option<Incoming> {
        let parts = self.parts();
        let own: Vec<&Part> = parts.iter().filter(|part| part.along.is_none() && !part.text.is_empty()).collect();
        if own.is_empty() && !parts.iter().any(Part::comes_along) {
            return None;
        }
        let first = self.pieces.first()?;
        let text = joined(&own.iter().map(|part| part.text.as_str()).collect::<Vec<_>>());
        let untyped = own.iter().map(|part| part.origin).find(|origin| *origin != Origin::Typed);
        // Words beside something else are its caption: a yes with a forward behind it is no bare yes.
        let typed = if parts.iter().any(Part::comes_along) { Origin::Caption } else { Origin::Typed };
        let origin = if own.is_empty() { Origin::Forwarded } else { untyped.unwrap_or(typed) };
        let single = parts.len() == 1 && !parts.iter().any(Part::comes_along);
        let reply_to = self.pieces.iter().find_map(|piece| piece.message.reply_to);
        Some(Incoming {
            turn: turn_of(&first.entry),
            user: telegram_user(self.update.who),
            chat: self.update.place.id(),
            message_id: self.pieces.iter().map(|piece| piece.message.number).max()?,
            at: first.message.written(first.entry.received_at),
            input: Input::Message { text, origin, reply_to },
            inbox: Some(first.entry.name()),
            parts: if single { Vec::new() } else { parts },
            quote: self.pieces.iter().find_map(|piece| piece.message.quote.clone()),
        })
    }

    /// One part a message at least, so that each is closed; edits put in the place of what they change.
    fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut pieces: Vec<&CoalescedMessage> = self.pieces.iter().collect();
        if self.is_album() {
            pieces.sort_by_key(|piece| piece.message.number);
        }
        for piece in pieces {
            let inbox = Some(piece.entry.name());
            let mut own = piece.unpacked.parts.clone();
            own.iter_mut().for_each(|part| part.inbox.clone_from(&inbox));
            let changed = parts.iter_mut().find(|part| part.message == piece.message.number && part.along.is_none());
            if let (true, Some(changed)) = (piece.edits, changed) {
                changed.text.clone_from(&piece.message.text);
                changed.origin = piece.message.origin;
            }
            if own.is_empty() {
                let (message, origin) = (piece.message.number, piece.message.origin);
                own.push(Part { inbox, ..Part::words(message, String::new(), origin) });
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

fn is_command(message: &IncomingMessage) -> bool {
    commands::parse(&message.text).is_some()
}

/// A bare yes, a no or a request to wait.
fn decides(message: &IncomingMessage) -> bool {
    decision(message) != Consent::Other
}

fn decision(message: &IncomingMessage) -> Consent {
    let is_own = message.content == MessageContent::TextOnly && message.origin != Origin::Forwarded;
    if is_own { consent::read(&message.text) } else { Consent::Other }
}
