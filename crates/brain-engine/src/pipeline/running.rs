//! Running work, for whoever stops it: one turn a chat, and the approved cards that are being carried out.
//!
//! Invariants: a turn ends its own entry and no other's; of an approved card only what has not begun is stopped, and
//! the end of the program stops none. Not here: what has begun (the journals know that).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use brain_core::core::ids::{ChatId, PendingId, RunId};
use brain_core::core::pending::Pending;
use brain_core::limits;

/// What runs.
#[derive(Debug, Default)]
pub struct RunningTurns(Mutex<RunningEntries>);

#[derive(Debug, Default)]
struct RunningEntries {
    turns: HashMap<ChatId, (RunId, CancellationToken)>,
    cards: HashMap<PendingId, (ChatId, CancellationToken)>,
}

/// What stopping a chat came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// A turn ends at its next step.
    Turn,
    /// What has begun ends by itself; what had not begun is left.
    Rest,
    /// Nothing was running.
    Nothing,
}

/// An approved card that is being carried out, until this is dropped.
#[derive(Debug)]
pub struct CardUnderWay<'a> {
    all: &'a RunningTurns,
    card: PendingId,
    /// Once cancelled, no further step begins.
    pub stopped: CancellationToken,
}

impl Drop for CardUnderWay<'_> {
    fn drop(&mut self) {
        self.all.entries().cards.remove(&self.card);
    }
}

impl RunningTurns {
    fn entries(&self) -> MutexGuard<'_, RunningEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins. One that was stopped while its message was still being read begins stopped.
    pub fn begins(&self, chat: &ChatId, turn: &RunId) -> CancellationToken {
        let token = CancellationToken::new();
        let before = self.entries().turns.insert(chat.clone(), (turn.clone(), token.clone()));
        if before.is_some_and(|(id, before)| id == *turn && before.is_cancelled()) {
            token.cancel();
        }
        token
    }

    /// A turn is over, or can no longer be stopped.
    pub fn ends(&self, chat: &ChatId, turn: &RunId) {
        let mut entries = self.entries();
        if entries.turns.get(chat).is_some_and(|(id, _)| id == turn) {
            entries.turns.remove(chat);
        }
    }

    /// What stops the turn of this chat.
    pub fn turn_in(&self, chat: &ChatId) -> Option<CancellationToken> {
        self.entries().turns.get(chat).map(|(_, token)| token.clone())
    }

    /// The steps of an approved card are about to begin.
    pub fn carries_out(&self, card: &Pending) -> CardUnderWay<'_> {
        let stopped = CancellationToken::new();
        self.entries().cards.insert(card.id.clone(), (card.chat.clone(), stopped.clone()));
        CardUnderWay { all: self, card: card.id.clone(), stopped }
    }

    /// Whether approved cards of this chat are being carried out.
    pub fn carries_out_in(&self, chat: &ChatId) -> bool {
        self.entries().cards.values().any(|(of, _)| of == chat)
    }

    /// Begins nothing more of what is carried out in this chat; false when nothing is.
    pub fn stop_cards(&self, chat: &ChatId) -> bool {
        let entries = self.entries();
        let cards = entries.cards.values().filter(|(of, _)| of == chat);
        cards.inspect(|(_, stopped)| stopped.cancel()).count() > 0
    }

    /// Stops what runs in a chat.
    pub fn stop(&self, chat: &ChatId) -> Stopped {
        let carries_out = self.stop_cards(chat);
        match self.turn_in(chat).inspect(CancellationToken::cancel) {
            Some(_) => Stopped::Turn,
            None if carries_out => Stopped::Rest,
            None => Stopped::Nothing,
        }
    }

    /// Stops every turn: the program ends. What is being carried out ends by itself.
    pub fn stop_turns(&self) {
        self.entries().turns.values().for_each(|(_, token)| token.cancel());
    }

    /// Waits until nothing runs, but not for ever: what has time goes after the turns.
    pub async fn quiet(&self) {
        let pause = Duration::from_millis(limits::RETENTION_PAUSE_MS);
        let patience = Instant::now() + Duration::from_millis(limits::RETENTION_PATIENCE_MS);
        while self.is_busy() && Instant::now() < patience {
            sleep(pause).await;
        }
    }

    /// Whether anything runs.
    pub fn is_busy(&self) -> bool {
        let entries = self.entries();
        !(entries.turns.is_empty() && entries.cards.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::digest::{Digest, Scheme};
    use brain_core::core::ids::UserId;
    use brain_core::core::pending::{Monotonic, State};
    use chrono::Utc;

    #[test]
    fn a_turn_ends_its_own_entry_and_no_other() {
        let (running, chat) = (RunningTurns::default(), ChatId::new("a"));
        let (one, two) = (RunId::new("1"), RunId::new("2"));
        running.begins(&chat, &one);
        let later = running.begins(&chat, &two);
        running.ends(&chat, &one);
        assert_eq!(running.stop(&chat), Stopped::Turn);
        assert!(later.is_cancelled());
        assert!(running.begins(&chat, &two).is_cancelled(), "stopped while it was read");
        assert!(!running.begins(&chat, &one).is_cancelled(), "another turn was not");
        running.ends(&chat, &one);
        assert_eq!((running.stop(&chat), running.is_busy()), (Stopped::Nothing, false));
    }

    fn pending_in(chat: &ChatId) -> Pending {
        let monotonic = Monotonic { boot: "b".into(), ms: 0 };
        let owner = UserId::new("a");
        let actions = Vec::new();
        let digest = Digest::under(Scheme::default(), &owner, chat, "default", &actions, &[]);
        Pending {
            id: PendingId::new("1"),
            owner,
            chat: chat.clone(),
            account: "default".into(),
            actions,
            depends_on: Vec::new(),
            digest,
            scheme: Scheme::default(),
            state: State::Approved,
            created_at: Utc::now(),
            created_monotonic: monotonic,
            expires_at: Utc::now(),
            card_parts: 1,
            card_messages: Vec::new(),
            decision: None,
            superseded_by: None,
            request: String::new(),
            domains: Vec::new(),
            goes_on: None,
        }
    }

    #[test]
    fn what_is_carried_out_is_stopped_by_whoever_says_so_and_not_by_the_end_of_the_program() {
        let (running, chat) = (RunningTurns::default(), ChatId::new("a"));
        let card = running.carries_out(&pending_in(&chat));
        running.stop_turns();
        assert!(!card.stopped.is_cancelled() && running.is_busy());
        assert_eq!(running.stop(&ChatId::new("b")), Stopped::Nothing);
        assert_eq!(running.stop(&chat), Stopped::Rest);
        assert!(card.stopped.is_cancelled());
        drop(card);
        assert_eq!(running.stop(&chat), Stopped::Nothing);
    }
}
