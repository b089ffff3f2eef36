//! How much a server reads of a prompt. A server with a context that is smaller than the prompt cuts it without a word;
//! what shows is that it counted far fewer tokens than were sent.
//!
//! Some servers leave out of their count what they kept from earlier prompts. So a small count tells of a cut only where
//! it is small beside what no earlier prompt began with, which nobody can have kept; and what was learned from one is
//! given up when the same stage is read further. Invariant: what is learned only shrinks what stages put into a prompt
//! by choice (conversation, context); no message of a person is cut for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::limits::{MODEL_CUT_FACTOR, MODEL_CUT_LEAST, MODEL_CUT_PROMPTS, MODEL_CUT_TOKENS_MIN};
use brain_core::ports::{Call, Stage};

/// What is known about one endpoint and model.
#[derive(Debug, Default)]
pub(super) struct Room(Mutex<Learned>);

#[derive(Debug, Default)]
struct Learned {
    /// The most that was read of a prompt that was cut; 0 while none was.
    tokens: u64,
    /// The stage whose small count told it; `None` where the count was no small one.
    by: Option<Stage>,
    /// The last prompts, oldest first.
    sent: VecDeque<SentPrompt>,
}

#[derive(Debug)]
struct SentPrompt {
    stage: Stage,
    system: Arc<str>,
    user: Arc<str>,
}

impl Room {
    /// The most tokens of a prompt that are read, where less is read than was sent.
    pub fn known(&self) -> Option<u64> {
        Some(self.learned().tokens).filter(|tokens| *tokens > 0)
    }

    /// So many tokens were read of a prompt. `tokens`: of so many bytes, about.
    pub fn learn(&self, read: u64, call: &Call, tokens: impl Fn(usize) -> u64) {
        let mut learned = self.learned();
        let (sent, new) = (tokens(call.system.len() + call.user.len()), tokens(learned.new_bytes(call)));
        learned.remember(call);
        let far_below = |sent: u64| read.saturating_mul(MODEL_CUT_FACTOR) <= sent;
        let is_small = read < MODEL_CUT_TOKENS_MIN;
        let is_cut = read >= MODEL_CUT_LEAST && far_below(if is_small { new } else { sent });
        if !is_cut {
            if learned.by == Some(call.stage) && read > learned.tokens {
                (learned.tokens, learned.by) = (0, None);
            }
            return;
        }
        if learned.tokens == 0 {
            tracing::warn!(
                tokens_read = read,
                tokens_sent = sent,
                "the model server cuts prompts off: its context is too small, often 4,096 tokens unless set otherwise. \
                 Give it 16,384: OLLAMA_CONTEXT_LENGTH=16384 for Ollama, --ctx-size 16384 for llama.cpp, the context \
                 length of the loaded model in LM Studio. Until then less of the conversation is sent"
            );
        }
        if read > learned.tokens {
            (learned.tokens, learned.by) = (read, is_small.then_some(call.stage));
        }
    }

    fn learned(&self) -> std::sync::MutexGuard<'_, Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learned {
    /// Bytes of the changing part that none of the last prompts began with.
    fn new_bytes(&self, call: &Call) -> usize {
        let same = self.sent.iter().filter(|sent| sent.stage == call.stage && sent.system == call.system);
        let shared = |sent: &SentPrompt| sent.user.bytes().zip(call.user.bytes()).take_while(|(a, b)| a == b).count();
        call.user.len() - same.map(shared).max().unwrap_or(0)
    }

    fn remember(&mut self, call: &Call) {
        if self.sent.len() >= MODEL_CUT_PROMPTS {
            self.sent.pop_front();
        }
        let (system, user) = (Arc::clone(&call.system), Arc::clone(&call.user));
        self.sent.push_back(SentPrompt { stage: call.stage, system, user });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::ports::Patience;

    fn call(stage: Stage, system: u64, user: &str) -> Call {
        let system = "s".repeat(usize::try_from(system).unwrap() * 4);
        let (system, user) = (system.into(), user.into());
        Call {
            stage,
            system,
            user,
            schema: None,
            tokens_max: 100,
            patience: Patience::default(),
            meter: Default::default(),
        }
    }

    fn words(word: &str, tokens: usize) -> String {
        word.repeat(tokens * 4 / word.len())
    }

    fn estimate(bytes: usize) -> u64 {
        bytes.div_ceil(4) as u64
    }

    #[test]
    fn only_a_count_far_below_what_was_sent_tells_of_a_cut() {
        let room = Room::default();
        // Bytes are not tokens; what was kept from an earlier call is not always counted.
        for (read, sent) in [(4_000, 5_000), (0, 9_000), (40, 9_000), (3_000, 5_900)] {
            room.learn(read, &call(Stage::Plan, sent, "what"), estimate);
            assert_eq!(room.known(), None, "{read} of {sent}");
        }
        for read in [2_048, 4_096, 2_048] {
            room.learn(read, &call(Stage::Plan, 9_000, "what"), estimate);
        }
        assert_eq!(room.known(), Some(4_096));
    }

    #[test]
    fn a_cut_is_noticed_however_small_the_context_is() {
        for context in [300, 512, 1_024, 1_400] {
            let room = Room::default();
            room.learn(context, &call(Stage::Plan, 200, &words("news ", 2_800)), estimate);
            assert_eq!(room.known(), Some(context));
        }
    }

    #[test]
    fn what_a_server_kept_and_did_not_count_is_no_cut() {
        let room = Room::default();
        let mut said = words("news ", 2_000);
        room.learn(2_900, &call(Stage::Plan, 900, &said), estimate);
        for _ in 0..5 {
            said.push_str(&words("more ", 300));
            room.learn(300, &call(Stage::Plan, 900, &said), estimate);
            assert_eq!(room.known(), None);
        }
    }

    #[test]
    fn what_a_small_count_told_is_given_up_when_more_is_read() {
        let room = Room::default();
        // Kept from before this program began.
        room.learn(300, &call(Stage::Plan, 900, &words("news ", 2_000)), estimate);
        assert_eq!(room.known(), Some(300));
        room.learn(2_900, &call(Stage::Plan, 900, &words("other ", 2_000)), estimate);
        assert_eq!(room.known(), None);
    }
}
