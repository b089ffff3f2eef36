//! The screen's contents, and which buttons a typed number presses.
//!
//! Invariant: a number means what it meant when its line was begun: [`SeenScreen`] is taken then, so that a message
//! that arrives while somebody types moves no button under their finger.

use std::collections::VecDeque;

use super::fit::{dim, on_screen};
use brain_core::core::button::Button;

/// Messages that an edit is shown as a change of.
const SHOWN_MAX: usize = 64;

/// What is on the screen.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// The latest messages, oldest first.
    shown: VecDeque<(i64, String)>,
    /// The message whose buttons can be pressed.
    of: Option<i64>,
    seen: SeenScreen,
}

/// What somebody could see at a moment.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenScreen {
    /// How many messages there were.
    pub(super) messages: u64,
    /// Whether what was said last has an answer, or the beginning of one.
    pub(super) is_answered: bool,
    buttons: Vec<Button>,
    /// Whether a bare number is for them: they were shown last, and nothing was asked since.
    take_numbers: bool,
}

impl SeenScreen {
    /// The button that was typed: `2`, or `:2` when other messages stand below the buttons.
    pub(super) fn pressed(&self, typed: &str) -> Option<&Button> {
        let typed = typed.trim();
        let number = match typed.strip_prefix(':') {
            Some(number) => number.trim(),
            None if self.take_numbers => typed,
            None => return None,
        };
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        self.buttons.get(number.parse::<usize>().ok().filter(|_| is_number)?.checked_sub(1)?)
    }
}

impl Screen {
    /// What can be seen now.
    pub(super) fn seen(&self) -> SeenScreen {
        self.seen.clone()
    }

    fn remember(&mut self, id: i64, text: &str) {
        self.shown.retain(|(shown, _)| *shown != id);
        self.shown.push_back((id, text.to_owned()));
        if self.shown.len() > SHOWN_MAX {
            self.shown.pop_front();
        }
    }

    /// Somebody has said something: a number that comes after the answer to it is about that answer.
    pub(super) fn said(&mut self) {
        (self.seen.take_numbers, self.seen.is_answered) = (false, false);
    }

    /// A new message, as it is printed.
    pub(super) fn message(&mut self, id: i64, text: &str, buttons: &[Vec<Button>]) -> String {
        self.remember(id, text);
        (self.seen.messages, self.seen.is_answered) = (self.seen.messages + 1, true);
        let flat: Vec<Button> = buttons.iter().flatten().cloned().collect();
        if flat.is_empty() {
            // The answer to a question is not for the buttons above it.
            self.seen.take_numbers &= !text.contains(['?', '؟', '？']);
            return format!("\n{}\n", on_screen(text));
        }
        let names: Vec<String> = flat.iter().enumerate().map(|(i, b)| format!("[{}] {}", i + 1, b.text)).collect();
        self.of = Some(id);
        (self.seen.buttons, self.seen.take_numbers) = (flat, true);
        format!("\n{}\n{}\n", on_screen(text), dim(&on_screen(&names.join("   "))))
    }

    /// A message above changes: what is new in it is shown, and the buttons it has now.
    pub(super) fn edit(&mut self, id: i64, text: Option<&str>, buttons: &[Vec<Button>]) -> Option<String> {
        let before =
            self.shown.iter().find(|(shown, _)| *shown == id).map(|(_, text)| text.clone()).unwrap_or_default();
        let now = text.map_or_else(|| before.clone(), str::to_owned);
        if self.of == Some(id) {
            self.of = None;
            (self.seen.buttons, self.seen.take_numbers) = (Vec::new(), false);
        }
        if !buttons.is_empty() {
            return Some(self.message(id, &now, buttons));
        }
        let added: Vec<&str> = now.lines().filter(|line| !before.lines().any(|known| known == *line)).collect();
        let added = added.join("\n").trim().to_owned();
        self.remember(id, &now);
        (!added.is_empty()).then(|| on_screen(&added))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::button::Role;

    fn buttons(data: &[&str]) -> Vec<Vec<Button>> {
        let button = |data: &&str| Button { text: (*data).to_owned(), data: (*data).to_owned(), role: Role::Set };
        vec![data.iter().map(button).collect()]
    }

    fn pressed(page: &Screen, typed: &str) -> Option<String> {
        page.seen().pressed(typed).map(|button| button.data.clone())
    }

    #[test]
    fn a_page_that_changes_is_pressed_as_it_stands() {
        let mut page = Screen::default();
        page.message(1, "Settings", &buttons(&["quiet"]));
        let choices = page.edit(1, Some("Quiet hours?"), &buttons(&["off", "on"])).unwrap();
        assert!(choices.contains("Quiet hours?") && choices.contains("[2] on"), "{choices}");
        assert_eq!(pressed(&page, "2").as_deref(), Some("on"));
        page.edit(1, None, &[]);
        assert_eq!(pressed(&page, "2"), None, "buttons that are gone");
    }

    #[test]
    fn of_a_card_that_is_decided_only_the_decision_is_new() {
        let mut page = Screen::default();
        page.message(1, "Send this?", &buttons(&["yes"]));
        page.message(2, "Another card", &buttons(&["other"]));
        assert_eq!(page.edit(1, Some("Send this?\n\n✅ Sent"), &[]).as_deref(), Some("✅ Sent"));
        assert_eq!(pressed(&page, "1").as_deref(), Some("other"), "those of the other card stay");
    }

    #[test]
    fn a_number_is_for_the_buttons_until_something_else_is_asked_or_said() {
        let mut page = Screen::default();
        page.message(1, "Send this?", &buttons(&["yes", "no"]));
        page.message(2, "(Your time zone is Lisbon.)", &[]);
        assert_eq!(pressed(&page, " 2 ").as_deref(), Some("no"));
        for text in ["0", "3", "", ":", "2 eggs", "+2", "zwei"] {
            assert_eq!(pressed(&page, text), None, "{text:?}");
        }
        page.message(3, "For how many people?", &[]);
        assert_eq!(pressed(&page, "2"), None, "an answer to the question");
        assert_eq!(pressed(&page, ":2").as_deref(), Some("no"));

        page.message(4, "Send that?", &buttons(&["send", "not"]));
        page.said();
        page.message(5, "Tomorrow is empty.", &[]);
        assert_eq!((pressed(&page, "1"), pressed(&page, ":1").as_deref()), (None, Some("send")));
    }

    #[test]
    fn a_number_means_what_it_meant_when_its_line_was_begun() {
        let mut page = Screen::default();
        page.message(1, "Noted.", &buttons(&["undo"]));
        let begun = page.seen();
        page.message(2, "Send this?", &buttons(&["send"]));
        assert_eq!(begun.pressed("1").unwrap().data, "undo");
        assert_ne!(begun.messages, page.seen().messages);
    }
}
