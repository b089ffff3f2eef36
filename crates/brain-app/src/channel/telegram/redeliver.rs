//! Redelivery: what could not be delivered is tried again, chat by chat, with growing pauses, until it arrives.
//!
//! Invariants: a chat that has something waiting is either under way or has a time at which it is tried
//! next; one chat's trouble delays no other. The messages themselves are in the durable outbox.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;

use super::channel::TelegramChannel;
use super::place::ChatPlace;
use brain_core::core::ids::ChatId;
use brain_core::limits;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::recover;

#[derive(Debug, Clone, Copy)]
struct WaitingDelivery {
    due: Instant,
    tries: u32,
    /// Being delivered now.
    under_way: bool,
    /// It failed while it was under way.
    again: bool,
}

/// Runs until it is dropped. Begins with everything an earlier life has left in the outbox.
pub(super) async fn run(brain: Arc<Brain>, chat: Arc<TelegramChannel>) {
    let mut waiting: HashMap<ChatId, WaitingDelivery> = HashMap::new();
    let now = Instant::now();
    match recover::undelivered(&brain).await {
        Ok(chats) => {
            let ours = chats.into_iter().filter(|id| ChatPlace::parse(id).is_some());
            waiting.extend(ours.map(|id| (id, WaitingDelivery { due: now, tries: 0, under_way: false, again: false })));
        }
        Err(error) => tracing::error!(%error, "the outbox cannot be read"),
    }
    let mut under_way = FuturesUnordered::new();
    loop {
        let now = Instant::now();
        for id in due(&mut waiting, now) {
            let brain = Arc::clone(&brain);
            under_way.push(async move {
                brain.deliver(&id).await;
                id
            });
        }
        let busy = under_way.len() >= limits::REDELIVER_CHATS_MAX;
        let next = waiting.values().filter(|w| !w.under_way && !busy).map(|w| w.due).min();
        tokio::select! {
            () = chat.late.changed() => {}
            Some(id) = under_way.next() => finished(&mut waiting, &id, &chat),
            () = tokio::time::sleep_until(next.unwrap_or(now)), if next.is_some() => {}
        }
        for id in chat.late.take() {
            let pause = pause(0).max(chat.held(&id));
            let entry = waiting.entry(id).or_insert(WaitingDelivery {
                due: Instant::now() + pause,
                tries: 0,
                under_way: false,
                again: false,
            });
            entry.again = entry.under_way;
        }
    }
}

/// The chats whose time has come, as many as may be under way.
fn due(waiting: &mut HashMap<ChatId, WaitingDelivery>, now: Instant) -> Vec<ChatId> {
    let room = limits::REDELIVER_CHATS_MAX.saturating_sub(waiting.values().filter(|w| w.under_way).count());
    let mut due: Vec<(Instant, ChatId)> =
        waiting.iter().filter(|(_, w)| !w.under_way && w.due <= now).map(|(id, w)| (w.due, id.clone())).collect();
    due.sort();
    due.truncate(room);
    for (_, id) in &due {
        if let Some(entry) = waiting.get_mut(id) {
            entry.under_way = true;
            entry.again = false;
        }
    }
    due.into_iter().map(|(_, id)| id).collect()
}

fn finished(waiting: &mut HashMap<ChatId, WaitingDelivery>, id: &ChatId, chat: &TelegramChannel) {
    let failed_just_now = chat.late.remove(id);
    let Some(entry) = waiting.get_mut(id) else { return };
    if !(entry.again || failed_just_now) {
        waiting.remove(id);
        return;
    }
    entry.tries += 1;
    entry.due = Instant::now() + pause(entry.tries).max(chat.held(id));
    entry.under_way = false;
    entry.again = false;
}

fn pause(tries: u32) -> Duration {
    let ms = limits::REDELIVER_MS_MIN.saturating_mul(1 << tries.min(16));
    Duration::from_millis(ms.min(limits::REDELIVER_MS_MAX))
}
