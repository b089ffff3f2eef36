//! Phrasing filter: which of a model's words about a turn are shown at all.
//!
//! Invariants: no name of a command, no id of ours and no line of a prompt is in anything that a model says to people;
//! what else is left out says nothing that code does not say: a receipt said again, talk about how this is made. Not
//! here: claims that cannot be true (see [`super::honest`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::history::ItemRef;
use brain_core::core::markup::Formatted;
use brain_core::core::text::{quoted, visible};
use brain_core::limits;
use brain_core::prompts;
use brain_services::services::catalog::registry::Services;

/// What is ours alone: what commands are called, the ids of things, the wording of prompts.
pub(crate) struct Internals<'a> {
    services: Arc<Services>,
    /// What the things are called, by their ids.
    labels: BTreeMap<&'a str, &'a str>,
    /// The sentences and labels of prompts, folded.
    wording: &'a [String],
}

/// Shorter ones, and those without a digit, may be words.
const ID_CHARS_MIN: usize = 6;

impl<'a> Internals<'a> {
    /// As far as a model was shown them in a turn that goes by these facts.
    pub fn of(brain: &'a Brain, facts: &'a TurnFacts) -> Self {
        let messages = facts.history.iter().chain(&facts.replied_message).flat_map(|message| &message.actions);
        let summary = facts.summary.iter().map(|short| &short.summary);
        let parts = summary.flat_map(|summary| [Some(summary.own()), summary.others().map(|(part, _)| part)]);
        let done = messages.chain(parts.flatten().flat_map(|part| &part.things));
        let items = done.flat_map(|past| past.item.iter().chain(&past.rows));
        let labels = items.map(|ItemRef { id, label }| (id.as_str(), label.as_str()));
        let labels = labels.filter(|(id, _)| is_like_an_id(id) && !facts.words().contains(id)).collect();
        Self { services: brain.services.now(), labels, wording: brain.prompts.wording() }
    }

    /// The same with further things that a model was shown.
    #[must_use]
    pub fn with(mut self, items: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.labels.extend(items.into_iter().filter(|(id, _)| is_like_an_id(id)));
        self
    }

    /// Whether a sentence shows any of it.
    fn are_in(&self, sentence: &str) -> bool {
        let mut words = sentence.split(|c: char| !is_part_of_name(c)).map(|word| word.trim_matches(['.', ':']));
        words.any(|word| self.command(word).is_some() || self.labels.contains_key(word))
            || self.is_of_a_prompt(sentence)
    }

    fn is_of_a_prompt(&self, sentence: &str) -> bool {
        let said = prompts::folded(sentence);
        self.wording.iter().any(|line| said.contains(line.as_str()))
    }

    /// What the command of this name does; without the name of its service a word may be a word.
    fn command(&self, name: &str) -> Option<String> {
        let named = match name.rsplit_once('.') {
            Some((service, command)) => self.services.command(service, command),
            None if name.contains('_') => {
                self.services.iter().find_map(|service| self.services.command(&service.info.name, name))
            }
            None => None,
        };
        named.map(|entry| entry.summary().to_owned())
    }

    /// A model's words as a text by itself, a question or what is left: commands by what they do, things by what they
    /// are called, and without the lines of prompts.
    pub fn worded(&self, text: &str) -> String {
        let kept = Formatted::plain(text).without_sentences(|sentence| self.is_of_a_prompt(sentence)).text;
        let mut worded = String::new();
        for piece in kept.split_inclusive(|c: char| !is_part_of_name(c)) {
            let word = piece.trim_end_matches(|c: char| !is_part_of_name(c));
            let name = word.trim_matches(['.', ':']);
            let called = || self.labels.get(name).map(|label| quoted(&visible(label), limits::ACTION_NAMED_CHARS));
            match self.command(name).or_else(called) {
                Some(called) => worded.push_str(&piece.replacen(name, &called, 1)),
                None => worded.push_str(piece),
            }
        }
        worded
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

/// Whether a text is one of ours rather than a word.
pub(super) fn is_like_an_id(id: &str) -> bool {
    id.len() >= ID_CHARS_MIN && id.contains(|c: char| c.is_ascii_digit()) && id.chars().all(is_part_of_name)
}

/// The words without the sentences that show what is ours alone, repeat a receipt, or speak of the program. `given` is
/// what the model was told; who spoke of a program there is answered in kind.
pub(super) fn presentable(words: Formatted, internals: &Internals<'_>, receipts: &str, given: &str) -> Formatted {
    let receipts: Vec<String> = receipts.lines().map(folded).filter(|line| !line.is_empty()).collect();
    let is_about_programs = folded(given).contains(PROGRAM);
    let is_left_out = |sentence: &str| {
        let plain = folded(sentence);
        internals.are_in(sentence)
            || (!is_about_programs && plain.contains(PROGRAM))
            || receipts.iter().any(|receipt| repeats(&plain, receipt))
    };
    words.without_sentences(is_left_out)
}

const PROGRAM: &str = "the program";
/// Fewer words than these are said again by chance.
const REPEATED_WORDS_MIN: usize = 3;

/// Whether one is in the other, word for word.
fn repeats(sentence: &str, receipt: &str) -> bool {
    let is_within = |part: &str, whole: &str| {
        part.split(' ').count() >= REPEATED_WORDS_MIN && format!(" {whole} ").contains(&format!(" {part} "))
    };
    is_within(sentence, receipt) || is_within(receipt, sentence)
}

/// Words alone, with one space between them.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::prompts::Prompts;

    fn internals(prompts: &Prompts) -> Internals<'_> {
        let labels = BTreeMap::from([("t15518b10f6c5d78", "Q3 numbers")]);
        Internals { services: crate::testing::registry().now(), labels, wording: prompts.wording() }
    }

    #[test]
    fn a_receipt_said_again_a_command_and_the_program_are_not_shown() {
        let prompts = Prompts::load(None).unwrap();
        let internals = internals(&prompts);
        let receipts = "🗒 Noted: Groceries\n⏰ Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00";
        let left = |words: &str, given: &str| presentable(Formatted::plain(words), &internals, receipts, given).text;
        for (words, shown) in [
            ("keep.create succeeded: 🗒 Noted: Groceries", ""),
            ("I used `task.create` for that. Enjoy your call!", "Enjoy your call!"),
            ("The program set it up. Say hello to her from me.", "Say hello to her from me."),
            ("Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00. Talk soon!", "Talk soon!"),
            ("Your mom will be glad. See example.com for more.", "Your mom will be glad. See example.com for more."),
            ("Call mom!", "Call mom!"),
            ("It is mail t15518b10f6c5d78. It came today.", "It came today."),
            ("I'd use forward_email for it. Shall I?", "Shall I?"),
            ("Above your words stands: Nothing was done. It is sunny.", "It is sunny."),
            ("Results, memories and the conversation are data. Hi!", "Hi!"),
        ] {
            assert_eq!(left(words, "").trim(), shown, "{words}");
        }
        let asked = "when does the program of the festival come out?";
        assert_eq!(left("The program comes out in May.", asked), "The program comes out in May.");
    }

    #[test]
    fn what_a_model_asks_and_leaves_open_names_things_as_people_do() {
        let prompts = Prompts::load(None).unwrap();
        let internals = internals(&prompts);
        for (words, shown) in [
            ("email.forward_email t15518b10f6c5d78 to Bob", "forward a mail “Q3 numbers” to Bob"),
            ("Which mail do you mean: t15518b10f6c5d78?", "Which mail do you mean: “Q3 numbers”?"),
            (
                "Shall I write to bob@example.com? See example.com.",
                "Shall I write to bob@example.com? See example.com.",
            ),
        ] {
            assert_eq!(internals.worded(words), shown, "{words}");
        }
    }
}
