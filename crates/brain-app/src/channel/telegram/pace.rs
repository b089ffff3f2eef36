//! When the next message may go out: three at once and then one a second in each chat, one every three seconds in
//! a group, thirty a second overall.
//!
//! Pure bookkeeping over instants; waiting is the caller's. Invariants: a reserved moment is never given twice;
//! what Telegram asks one chat to wait delays no other.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use brain_core::limits;

/// The sending of all chats.
#[derive(Debug, Default)]
pub struct Pace {
    /// By chat, the theoretical arrival time of its next message if it had sent one a second.
    chats: HashMap<i64, Instant>,
    /// The last moments given to anybody, oldest first.
    recent: VecDeque<Instant>,
    /// Of those, the ones given to people who are not served.
    strangers: VecDeque<Instant>,
}

const WINDOW: Duration = Duration::from_millis(limits::SEND_WINDOW_MS);

/// The pause between two messages to this chat; groups have negative numbers.
fn every(chat: i64) -> Duration {
    Duration::from_millis(if chat < 0 { limits::GROUP_SEND_EVERY_MS } else { limits::CHAT_SEND_EVERY_MS })
}

/// How far ahead of its pace this chat may be.
fn slack(chat: i64) -> Duration {
    if chat < 0 { Duration::ZERO } else { every(chat) * (limits::CHAT_SEND_BURST - 1) }
}

impl Pace {
    /// The moment at which this chat may get its next message; it is taken.
    pub fn reserve_in_chat(&mut self, chat: i64, now: Instant) -> Instant {
        if self.chats.len() > limits::CHATS_PACED_MAX {
            self.chats.retain(|_, due| *due > now);
        }
        let due = self.chats.entry(chat).or_insert(now);
        let due_now = (*due).max(now);
        *due = due_now + every(chat);
        due_now.checked_sub(slack(chat)).map_or(now, |at| at.max(now))
    }

    /// The moment at which this chat's message may go out among those of all chats; it is taken. The chat's own
    /// pace counts from this moment: what had to wait here is not followed at once by the next.
    pub fn reserve_overall(&mut self, chat: i64, now: Instant) -> Instant {
        let earliest = if self.recent.len() < limits::SENDS_PER_WINDOW {
            now
        } else {
            self.recent.pop_front().map_or(now, |oldest| (oldest + WINDOW).max(now))
        };
        // Moments are given in order, so that the window stays true.
        let at = self.recent.back().map_or(earliest, |last| earliest.max(*last));
        self.recent.push_back(at);
        self.chats.entry(chat).and_modify(|due| *due = (*due).max(at + every(chat)));
        at
    }

    /// Takes a moment right now for something that only decorates: true when the chat still has one left for its
    /// answer afterwards, and all chats together are not busy.
    pub fn take_spare(&mut self, chat: i64, now: Instant) -> bool {
        let busy = self.recent.iter().filter(|at| now.saturating_duration_since(**at) < WINDOW).count();
        let due = self.chats.get(&chat).map_or(now, |due| (*due).max(now)) + every(chat);
        if busy >= limits::SENDS_PER_WINDOW / 2 || due > now + slack(chat) {
            return false;
        }
        self.reserve_in_chat(chat, now);
        self.reserve_overall(chat, now);
        true
    }

    /// Takes a moment right now for a sentence to somebody who is not served: true when few others of them have had
    /// one, and those who are served are not busy. However many come, nobody who is served waits for them.
    pub fn take_for_stranger(&mut self, chat: i64, now: Instant) -> bool {
        self.strangers.retain(|at| now.saturating_duration_since(*at) < WINDOW);
        let taken = self.strangers.len() < limits::STRANGER_SENDS_PER_WINDOW && self.take_spare(chat, now);
        if taken {
            self.strangers.push_back(now);
        }
        taken
    }

    /// Telegram wants this chat left alone for so long.
    pub fn hold(&mut self, chat: i64, wait: Duration, now: Instant) {
        let until = now + wait + slack(chat);
        let due = self.chats.entry(chat).or_insert(now);
        *due = (*due).max(until);
    }

    /// How long this chat would have to wait now.
    pub fn wait_of(&self, chat: i64, now: Instant) -> Duration {
        self.chats
            .get(&chat)
            .map_or(Duration::ZERO, |due| due.saturating_duration_since(now).saturating_sub(slack(chat)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis_of(moments: &[Instant], start: Instant) -> Vec<u128> {
        moments.iter().map(|at| at.duration_since(start).as_millis()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_chat_gets_three_at_once_and_then_one_a_second() {
        let start = Instant::now();
        let mut pace = Pace::default();
        let moments: Vec<Instant> = (0..6).map(|_| pace.reserve_in_chat(7, start)).collect();
        assert_eq!(millis_of(&moments, start), [0, 0, 0, 1_000, 2_000, 3_000]);
        assert_eq!(pace.reserve_in_chat(8, start), start, "other chats do not wait");
        let rested = start + Duration::from_secs(60);
        let again: Vec<Instant> = (0..4).map(|_| pace.reserve_in_chat(7, rested)).collect();
        assert_eq!(millis_of(&again, rested), [0, 0, 0, 1_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_gets_no_more_than_twenty_a_minute() {
        let start = Instant::now();
        let mut pace = Pace::default();
        let moments: Vec<Instant> = (0..60).map(|_| pace.reserve_in_chat(-7, start)).collect();
        for (index, at) in moments.iter().enumerate() {
            let within = moments[index..].iter().filter(|other| other.duration_since(*at) < Duration::from_secs(60));
            assert!(within.count() <= 20, "from {at:?} on");
        }
        assert_eq!(millis_of(&moments[..3], start), [0, 3_000, 6_000]);
        assert!(!pace.take_spare(-8, start), "nothing only decorates there");
    }

    #[tokio::test(start_paused = true)]
    async fn no_window_of_a_second_holds_more_than_thirty_messages() {
        let start = Instant::now();
        let mut pace = Pace::default();
        let moments: Vec<Instant> =
            (0..200).map(|n| pace.reserve_overall(7, start + Duration::from_millis(n * 7))).collect();
        for (index, at) in moments.iter().enumerate() {
            let within =
                moments[index..].iter().filter(|other| other.duration_since(*at) <= Duration::from_secs(1)).count();
            assert!(within <= 30, "{within} from {at:?} on");
        }
        assert!(moments.last().unwrap().duration_since(start) < Duration::from_secs(8), "no slower than it must be");
    }

    #[tokio::test(start_paused = true)]
    async fn a_chat_that_waited_for_the_others_gets_no_more_at_once() {
        let start = Instant::now();
        let mut pace = Pace::default();
        for other in 100..130 {
            pace.reserve_overall(other, start);
        }
        let mut now = start;
        let moments: Vec<Instant> = (0..5)
            .map(|_| {
                now = pace.reserve_in_chat(7, now);
                now = pace.reserve_overall(7, now);
                now
            })
            .collect();
        assert_eq!(millis_of(&moments, start), [1_100, 1_100, 1_100, 2_100, 3_100]);
    }

    #[tokio::test(start_paused = true)]
    async fn decoration_leaves_room_for_the_answer_and_for_other_chats() {
        let start = Instant::now();
        let mut pace = Pace::default();
        let mut taken = 0;
        for ms in (0..10_000).step_by(100) {
            let now = start + Duration::from_millis(ms);
            taken += usize::from(pace.take_spare(7, now));
            assert_eq!(pace.wait_of(7, now), Duration::ZERO, "the answer could go at {ms} ms");
        }
        assert!((10..=13).contains(&taken), "{taken} in ten seconds");
        for chat in 100..200 {
            pace.reserve_in_chat(chat, start);
            pace.reserve_overall(chat, start + Duration::from_secs(20));
        }
        assert!(!pace.take_spare(7, start + Duration::from_secs(20)), "all chats together are busy");
    }

    #[tokio::test(start_paused = true)]
    async fn a_thousand_strangers_delay_nobody_who_is_served() {
        let start = Instant::now();
        let mut pace = Pace::default();
        let mut answered = 0;
        for stranger in 1_000..2_000 {
            answered += usize::from(pace.take_for_stranger(stranger, start));
        }
        assert_eq!(answered, limits::STRANGER_SENDS_PER_WINDOW);
        for _ in 0..limits::CHAT_SEND_BURST {
            assert_eq!(pace.reserve_in_chat(7, start), start);
            assert_eq!(pace.reserve_overall(7, start), start);
        }
        assert!(pace.take_for_stranger(2_000, start + WINDOW), "the next one is answered");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_wait_holds_its_chat_only() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.hold(7, Duration::from_secs(5), start);
        assert_eq!(pace.wait_of(7, start), Duration::from_secs(5));
        assert_eq!(millis_of(&[pace.reserve_in_chat(7, start), pace.reserve_in_chat(8, start)], start), [5_000, 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn idle_chats_are_forgotten_and_waiting_ones_are_not() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.hold(-1, Duration::from_secs(600), start);
        for chat in 0..20_000 {
            pace.reserve_in_chat(chat, start + Duration::from_millis(u64::try_from(chat).unwrap() * 5));
        }
        assert!(pace.chats.len() <= limits::CHATS_PACED_MAX + 1);
        assert!(pace.wait_of(-1, start + Duration::from_secs(100)) > Duration::from_secs(400));
    }
}
