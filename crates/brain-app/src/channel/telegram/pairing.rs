//! Pairing code: how the first person is let in.
//!
//! Invariants: a code is used once, lives ten minutes, and dies after fifty wrong ones; who has sent five
//! wrong ones is not heard any more; codes are compared in constant time. Not here: storing who has paired.

use std::collections::HashMap;
use std::time::Duration;

use subtle::ConstantTimeEq;
use tokio::time::Instant;

use brain_core::limits;

/// A code that may be used, and the wrong ones so far.
#[derive(Debug, Default)]
pub struct Pairing {
    open: Option<OpenPairing>,
    tries: HashMap<i64, u32>,
    tries_overall: u32,
}

struct OpenPairing {
    code: String,
    until: Instant,
}

impl std::fmt::Debug for OpenPairing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").field("until", &self.until).finish_non_exhaustive()
    }
}

/// What became of a message that may hold a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Try {
    /// There is no code to be used, or the message does not look like one.
    None,
    /// Right: the code is used up.
    Right,
    /// Wrong.
    Wrong,
    /// The last wrong one: this person is not heard any more.
    Last,
    /// Not looked at.
    Unheard,
}

impl Pairing {
    /// Opens pairing with this code.
    pub fn open(code: String, now: Instant) -> Self {
        Self::open_for(code, now + Duration::from_secs(limits::PAIRING_SECS.unsigned_abs()))
    }

    /// The same until then.
    pub fn open_for(code: String, until: Instant) -> Self {
        Self { open: Some(OpenPairing { code, until }), ..Self::default() }
    }

    /// Whether a code can be used now.
    pub fn is_open(&self, now: Instant) -> bool {
        self.open.as_ref().is_some_and(|open| now < open.until)
    }

    /// Tries what a person has written.
    pub fn attempt(&mut self, who: i64, text: &str, now: Instant) -> Try {
        if !self.is_open(now) {
            self.open = None;
            return Try::None;
        }
        let Some(offered) = candidate(text) else { return Try::None };
        let tries = self.tries.get(&who).copied().unwrap_or(0);
        if tries >= limits::PAIRING_TRIES_PER_USER {
            return Try::Unheard;
        }
        let right = self.open.as_ref().is_some_and(|open| bool::from(open.code.as_bytes().ct_eq(offered.as_bytes())));
        if right {
            self.open = None;
            return Try::Right;
        }
        self.tries.insert(who, tries + 1);
        self.tries_overall += 1;
        if self.tries_overall >= limits::PAIRING_TRIES_OVERALL {
            self.open = None;
        }
        if tries + 1 == limits::PAIRING_TRIES_PER_USER { Try::Last } else { Try::Wrong }
    }
}

/// The code in a message: alone or behind /start, in any case, however it is grouped.
fn candidate(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("/start").unwrap_or(text);
    let code: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| c.to_ascii_lowercase())
        .take(limits::PAIRING_CHARS + 1)
        .collect();
    (code.len() == limits::PAIRING_CHARS && code.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "k3f9x2mmpq";

    fn open() -> (Pairing, Instant) {
        let now = Instant::now();
        (Pairing::open(CODE.to_owned(), now), now)
    }

    #[tokio::test(start_paused = true)]
    async fn a_code_lets_one_person_in_however_it_is_typed() {
        for typed in ["k3f9x2mmpq", " K3F9X2MMPQ\n", "/start k3f9x2mmpq", "k3f9x-2mmpq", "k3f9x 2mmpq"] {
            let (mut pairing, now) = open();
            assert_eq!(pairing.attempt(7, typed, now), Try::Right, "{typed}");
            assert_eq!(pairing.attempt(8, typed, now), Try::None, "a code is used once");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn words_are_no_tries() {
        let (mut pairing, now) = open();
        for text in ["", "hello", "/start", "what is this?", "k3f9x2mmpqq", "k3f9x2mmpé", "кодкодкодк"] {
            assert_eq!(pairing.attempt(7, text, now), Try::None, "{text}");
        }
        assert_eq!(pairing.attempt(7, CODE, now), Try::Right);
    }

    #[tokio::test(start_paused = true)]
    async fn after_five_wrong_codes_a_person_is_not_heard_but_others_are() {
        let (mut pairing, now) = open();
        let tries: Vec<Try> = (0..5).map(|_| pairing.attempt(7, "aaaaaaaaaa", now)).collect();
        assert_eq!(tries, [Try::Wrong, Try::Wrong, Try::Wrong, Try::Wrong, Try::Last]);
        assert_eq!(pairing.attempt(7, CODE, now), Try::Unheard);
        assert_eq!(pairing.attempt(8, CODE, now), Try::Right);
    }

    #[tokio::test(start_paused = true)]
    async fn after_fifty_wrong_codes_or_ten_minutes_it_is_over() {
        let (mut pairing, now) = open();
        for who in 0..50 {
            assert_eq!(pairing.attempt(who, "aaaaaaaaaa", now), Try::Wrong);
        }
        assert_eq!(pairing.attempt(99, CODE, now), Try::None);

        let (mut pairing, now) = open();
        assert_eq!(pairing.attempt(7, CODE, now + Duration::from_secs(600)), Try::None);
        assert!(!pairing.is_open(now), "an expired code does not come back");
    }
}
