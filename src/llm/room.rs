//! How much a server reads of a prompt. A server with a context that is smaller than the prompt cuts it without a word;
//! what shows is that it counted far fewer tokens than were sent.
//!
//! Invariant: what is learned only shrinks what stages put into a prompt by choice (conversation, context); no message
//! of a person is cut for it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::{MODEL_CUT_FACTOR, MODEL_CUT_TOKENS_MIN};

/// What is known about one endpoint and model.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The most that was read of a prompt that was cut; 0 while none was.
    tokens: AtomicU64,
}

impl Room {
    /// The most tokens of a prompt that are read, where less is read than was sent.
    pub fn known(&self) -> Option<u64> {
        Some(self.tokens.load(Ordering::Relaxed)).filter(|tokens| *tokens > 0)
    }

    /// So many tokens were read of about so many that were sent.
    pub fn learn(&self, read: u64, sent: u64) {
        if read < MODEL_CUT_TOKENS_MIN || read.saturating_mul(MODEL_CUT_FACTOR) > sent {
            return;
        }
        if self.tokens.fetch_max(read, Ordering::Relaxed) == 0 {
            tracing::warn!(
                tokens_read = read,
                tokens_sent = sent,
                "the model server cuts prompts off: its context is too small, often 4,096 tokens unless set otherwise. \
                 Give it 16,384: OLLAMA_CONTEXT_LENGTH=16384 for Ollama, --ctx-size 16384 for llama.cpp, the context \
                 length of the loaded model in LM Studio. Until then less of the conversation is sent"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_far_below_what_was_sent_tells_of_a_cut() {
        let room = Room::default();
        // Bytes are not tokens; what was kept from an earlier call is not always counted.
        for (read, sent) in [(4_000, 5_000), (0, 9_000), (40, 9_000), (3_000, 5_900)] {
            room.learn(read, sent);
            assert_eq!(room.known(), None, "{read} of {sent}");
        }
        room.learn(2_048, 9_000);
        room.learn(4_096, 9_000);
        room.learn(2_048, 9_000);
        assert_eq!(room.known(), Some(4_096));
    }
}
