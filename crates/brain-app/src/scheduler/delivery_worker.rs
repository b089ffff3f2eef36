//! Reminder delivery beside the scheduler, in many chats side by side.
//!
//! Invariants: a chat holds one place, however much waits in it and however long it takes, so that it delays no
//! other; only so many hold one at once, the others get theirs in the order in which they were named; nothing is
//! spawned, so nothing goes on once the courier is dropped. What it has not delivered is in the durable outbox.
//! Not here: the order within a chat (see `pipeline::delivery`), and trying again (the channel knows when).

use std::collections::{HashSet, VecDeque};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use brain_core::core::ids::ChatId;
use brain_core::limits;
use brain_engine::pipeline::brain::Brain;

/// Names the chats in which something waits.
#[derive(Debug)]
pub(super) struct DeliveryWorker(mpsc::Sender<ChatId>);

impl DeliveryWorker {
    /// Something waits in this chat.
    pub async fn in_chat(&self, chat: &ChatId) {
        // Whoever names chats ends with the courier, so there is always one.
        let _ = self.0.send(chat.clone()).await;
    }
}

/// The chats that were named and nobody has begun to deliver in.
#[derive(Debug)]
pub(super) struct NamedChats(mpsc::Receiver<ChatId>);

/// From whoever names chats to the courier.
pub(super) fn slip() -> (DeliveryWorker, NamedChats) {
    let (sender, receiver) = mpsc::channel(limits::DELIVER_CHATS_MAX);
    (DeliveryWorker(sender), NamedChats(receiver))
}

/// Delivers in every chat that is named, until no more can be and all have had their turn. After `stop` it begins
/// nothing more.
pub(super) async fn deliver(brain: &Brain, mut named: NamedChats, stop: &CancellationToken) {
    let mut waiting: VecDeque<ChatId> = VecDeque::new();
    let mut busy: HashSet<ChatId> = HashSet::new();
    let mut under_way = FuturesUnordered::new();
    loop {
        while let Some(chat) = next(&mut waiting, &busy).filter(|_| !stop.is_cancelled()) {
            busy.insert(chat.clone());
            under_way.push(async move {
                brain.deliver(&chat).await;
                chat
            });
        }
        tokio::select! {
            biased;
            Some(chat) = under_way.next() => {
                busy.remove(&chat);
            }
            Some(chat) = named.0.recv() => {
                if !waiting.contains(&chat) {
                    waiting.push_back(chat);
                }
            }
            else => return,
        }
    }
}

/// The first that waits for a place and can have one. What was told in a chat while it was being delivered to may
/// have come too late for that, so its turn comes again.
fn next(waiting: &mut VecDeque<ChatId>, busy: &HashSet<ChatId>) -> Option<ChatId> {
    if busy.len() >= limits::DELIVER_CHATS_MAX {
        return None;
    }
    let at = waiting.iter().position(|chat| !busy.contains(chat))?;
    waiting.remove(at)
}
