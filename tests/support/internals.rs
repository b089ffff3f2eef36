//! What no person reads: names of commands, ids of conversations, lines of prompts. Every text that a test sees is looked
//! at.

use std::sync::LazyLock;

use brain_agent::prompts::{Prompts, folded};

/// The commands of the services that are built in; `rig` holds the list against the registry.
pub const COMMANDS: [(&str, &[&str]); 7] = [
    ("task", &["create", "list", "update", "complete", "delete"]),
    (
        "calendar",
        &[
            "list_events",
            "find_free_time",
            "create_event",
            "update_event",
            "delete_event",
            "remind_of_event",
            "answer_invitation",
        ],
    ),
    (
        "email",
        &[
            "search",
            "read_thread",
            "create_draft",
            "send_email",
            "reply_to_email",
            "reply_all",
            "forward_email",
            "mark",
            "delete_email",
            "answer_invitation",
            "watch",
            "unwatch",
            "watches",
        ],
    ),
    ("memory", &["store", "update", "recall", "forget"]),
    ("keep", &["create", "append", "list", "search", "tick", "untick", "remove", "change", "delete"]),
    ("contacts", &["find", "save", "delete"]),
    ("assistant", &["undo", "settings", "show_settings", "snooze", "more", "done", "waiting", "look_into"]),
];

/// What asks to be shown how an answer came about is shown just that.
const TRACES: [&str; 2] = ["🔍 How I got there", "🔎 How I got there"];
/// Hexadecimal digits of the id of a conversation by mail.
const THREAD_ID_DIGITS: usize = 15;

static WORDING: LazyLock<Vec<String>> = LazyLock::new(|| Prompts::load(None).unwrap().wording().to_vec());

/// Behind this stands a name that a plan made up, which may look like one of ours, to the next comma.
const INVENTED: &str = "There is no such thing as ";

fn without_invented(text: &str) -> String {
    let mut parts = text.split(INVENTED);
    let first = parts.next().unwrap_or_default();
    std::iter::once(first).chain(parts.filter_map(|part| Some(part.split_once(',')?.1))).collect()
}

/// Fails where a text shows any of it.
pub fn are_not_in(text: &str) {
    if TRACES.iter().any(|trace| text.starts_with(trace)) {
        return;
    }
    let text = &without_invented(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@');
    for word in text.split(|c: char| !is_part(c)).map(|word| word.trim_matches('.')) {
        let command = word.split_once('.').is_some_and(|(service, command)| {
            COMMANDS.iter().any(|(name, commands)| *name == service && commands.contains(&command))
        });
        assert!(!command, "the name of a command, {word}, is in what a person reads: {text}");
        let is_id = word.strip_prefix('t').is_some_and(|digits| {
            digits.len() == THREAD_ID_DIGITS && digits.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
        });
        assert!(!is_id && !word.starts_with("demotask"), "an id, {word}, is in what a person reads: {text}");
    }
    let said = folded(text);
    let line = WORDING.iter().find(|line| said.contains(line.as_str()));
    assert!(line.is_none(), "a line of a prompt, {line:?}, is in what a person reads: {text}");
}
