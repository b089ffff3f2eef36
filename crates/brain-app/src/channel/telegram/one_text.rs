//! The words of several messages as one text.

use brain_core::limits;
use brain_language::language::consent::{self, Consent};
use brain_language::language::continuation;
use brain_services::services::across::filling::BUILDERS;

/// Telegram's programs cut a longer paste into messages of this length, at a space where there is one.
pub(super) fn is_part_of_paste(text: &str) -> bool {
    text.encode_utf16().count() >= limits::PASTE_PART_UTF16_MIN
}

/// The words of several messages as one text: a sentence that goes on stays one sentence, what begins anew gets a
/// line of its own. However they are put together, several messages never make a bare yes or no: a decision
/// has no line breaks.
pub(super) fn joined(messages: &[&str]) -> String {
    let mut text = String::new();
    for (at, message) in messages.iter().enumerate() {
        if let Some(before) = at.checked_sub(1).and_then(|before| messages.get(before)) {
            let begins_small = message.trim_start().starts_with(char::is_lowercase);
            let goes_on = is_part_of_paste(before) && begins_small || continuation::reads_on(before, message, BUILDERS);
            text.push(if goes_on { ' ' } else { '\n' });
        }
        text.push_str(message);
    }
    if messages.len() > 1 && consent::read(&text) != Consent::Other { messages.join("\n") } else { text }
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
