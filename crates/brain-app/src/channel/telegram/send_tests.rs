//! The limits on sending, where they are kept and in virtual time: when a send begins is up to us, when a busy server
//! sees it is not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::api::{Api, ApiError};
use super::place::ChatPlace;
use super::send::PacedSender;
use crate::config::TelegramConfig;

const CHATS: i64 = 1_000;
const MESSAGES: i64 = 1_500;
/// These few get a third of everything.
const TALKATIVE: i64 = 10;
/// One call of so many is told to wait.
const FLOODED: usize = 40;
const SECOND: Duration = Duration::from_secs(1);

/// When calls began, and to which chat.
type Begun = Arc<Mutex<Vec<(Instant, i64)>>>;

fn sender() -> Arc<PacedSender> {
    let config = TelegramConfig { token: "7:AAfake".to_owned().into(), api_url: None, webhook: None };
    Arc::new(PacedSender::new(Api::new(&config).unwrap()))
}

fn place(chat: i64) -> ChatPlace {
    ChatPlace { chat, topic: None }
}

/// Sends one after the other into one chat, as the outbox of a chat does.
async fn sends(sender: Arc<PacedSender>, chat: i64, count: i64, begun: Begun, calls: Arc<AtomicUsize>) {
    for _ in 0..count {
        let tries = AtomicUsize::new(0);
        let sent = sender
            .at_pace(place(chat), || async {
                begun.lock().unwrap().push((Instant::now(), chat));
                // Whoever is told to wait three times gives up, rightly: not what is shown here.
                let may_wait = tries.fetch_add(1, Ordering::SeqCst) < 2;
                let is_flooded = calls.fetch_add(1, Ordering::SeqCst) % FLOODED == FLOODED - 1;
                if is_flooded && may_wait { Err(ApiError::Flood(SECOND)) } else { Ok(()) }
            })
            .await;
        assert_eq!(sent, Ok(()));
    }
}

/// The most that began within any second.
fn busiest_second(begun: &[(Instant, i64)]) -> usize {
    let until = |at: Instant| begun.partition_point(|(other, _)| *other < at + SECOND);
    begun.iter().enumerate().map(|(index, (at, _))| until(*at) - index).max().unwrap_or(0)
}

/// Three at once, then one a second; one every three seconds in a group.
fn keeps_the_limit_of_each_chat(begun: &[(Instant, i64)]) {
    let mut buckets: HashMap<i64, (f64, Instant)> = HashMap::new();
    for (at, chat) in begun {
        let (most, a_second) = if *chat < 0 { (1.0, 1.0 / 3.0) } else { (3.0, 1.0) };
        let (left, last) = buckets.entry(*chat).or_insert((most, *at));
        *left = (*left + a_second * at.duration_since(*last).as_secs_f64()).min(most) - 1.0;
        *last = *at;
        // The clock has milliseconds.
        assert!(*left > -0.01, "chat {chat} gets too many messages at once: {left}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_chats_at_once_break_no_limit_and_are_as_fast_as_it_allows() {
    let (sender, begun, calls) = (sender(), Begun::default(), Arc::new(AtomicUsize::new(0)));
    let began = Instant::now();
    let mut shares: HashMap<i64, i64> = HashMap::new();
    for nth in 0..MESSAGES {
        let person = if nth % 3 == 0 { nth / 3 % TALKATIVE } else { nth * 7_919 % CHATS };
        // Every tenth of them is a group.
        let chat = if person % 10 == 9 { -1 - person } else { 1 + person };
        *shares.entry(chat).or_default() += 1;
    }
    let tasks: Vec<_> = shares
        .into_iter()
        .map(|(chat, count)| tokio::spawn(sends(sender.clone(), chat, count, begun.clone(), calls.clone())))
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let begun = begun.lock().unwrap().clone();
    assert!(begun.len() > usize::try_from(MESSAGES).unwrap() + 30, "some were told to wait, and came again");
    assert!(busiest_second(&begun) <= 30, "{}", busiest_second(&begun));
    keeps_the_limit_of_each_chat(&begun);
    let slowest = f64::from(u32::try_from(begun.len()).unwrap()) / 30.0 * 1.1 + 3.0 * 50.0 + 60.0;
    assert!(began.elapsed().as_secs_f64() < slowest, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_told_to_wait_delays_no_other() {
    let (sender, told) = (sender(), AtomicUsize::new(0));
    let began = Instant::now();
    let flooded = sender.at_pace(place(7), || async {
        match told.fetch_add(1, Ordering::SeqCst) {
            0 => Err(ApiError::Flood(2 * SECOND)),
            _ => Ok(began.elapsed()),
        }
    });
    let others = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        sender.at_pace(place(8), || async { Ok(began.elapsed()) }).await
    };
    let (flooded, other) = tokio::join!(flooded, others);
    assert!(flooded.unwrap() >= 2 * SECOND);
    assert!(other.unwrap() < SECOND / 10);
}
