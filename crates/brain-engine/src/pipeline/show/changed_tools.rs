//! A tool whose server has come with another definition: the difference, with a button that takes the new one.
//!
//! Invariant: what is not shown whole has no button. Not here: when it is told, and what a press does.

use brain_core::core::button::{Button, Press};
use brain_core::core::text::{capital, shorten, visible};
use brain_core::core::turn::Reply;
use brain_core::limits;
use brain_services::services::mcp::ChangedTool;

/// What such a button sets.
pub const KEY: &str = "tool";

/// What changed, and the button where all of it is shown.
pub fn told_of_change(changed: &ChangedTool) -> Reply {
    let (title, name) = (capital(&changed.server), &changed.server);
    let difference = visible(&changed.difference);
    let is_whole = difference.chars().count() <= limits::DIFFERENCE_CHARS_MAX;
    let framed: Vec<String> =
        shorten(&difference, limits::DIFFERENCE_CHARS_MAX).lines().map(|line| format!("│ {line}")).collect();
    let then = match is_whole {
        true => format!("If you have not updated {title}, ask why it changed before you take it."),
        false => format!(
            "That is not all of it, so there is no button. To use it, look at “brain-agent mcp tools {name}” and give the \
             server another name in its file."
        ),
    };
    let mut reply = Reply::text(format!(
        "🔧 {title} now describes its tool “{}” differently, so I don't use it until you have looked (- was, + is):\n{}\n{then}",
        visible(&changed.tool),
        framed.join("\n")
    ));
    if is_whole {
        let press = Press::Set { key: KEY.to_owned(), value: Some(changed.id.clone()) };
        reply.buttons = vec![vec![Button::new("Use the new one", &press)]];
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_whole_cannot_be_taken_by_a_press() {
        let changed = |lines: usize| ChangedTool {
            server: "files".to_owned(),
            tool: "send".to_owned(),
            id: "0123456789ab".to_owned(),
            difference: "+ to everybody\n".repeat(lines),
            is_told: false,
        };
        let (short, long) = (told_of_change(&changed(3)), told_of_change(&changed(1_000)));
        assert_eq!((short.buttons.len(), long.buttons.len()), (1, 0));
        assert!(long.text.contains("That is not all of it") && long.text.contains("mcp tools files"), "{}", long.text);
    }
}
