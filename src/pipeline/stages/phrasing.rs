//! Phrasing filter: which of a model's words about a turn are shown at all.
//!
//! Invariant: what is left out here says nothing that code does not say: a receipt said again, the name of a command,
//! talk about how this is made. Not here: claims that cannot be true (see [`super::honest`]).

use crate::core::markup::Formatted;
use crate::services::registry::Services;

/// The words without the sentences that repeat a receipt, name a command, or speak of the program. `given` is what the
/// model was told; who spoke of a program there is answered in kind.
pub(super) fn presentable(words: Formatted, services: &Services, receipts: &str, given: &str) -> Formatted {
    let receipts: Vec<String> = receipts.lines().map(folded).filter(|line| !line.is_empty()).collect();
    let is_about_programs = folded(given).contains(PROGRAM);
    let is_left_out = |sentence: &str| {
        let plain = folded(sentence);
        names_a_command(sentence, services)
            || (!is_about_programs && plain.contains(PROGRAM))
            || receipts.iter().any(|receipt| repeats(&plain, receipt))
    };
    words.without_sentences(is_left_out)
}

const PROGRAM: &str = "the program";
/// Fewer words than these are said again by chance.
const REPEATED_WORDS_MIN: usize = 3;

fn names_a_command(sentence: &str, services: &Services) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == ':';
    sentence.split(|c: char| !is_part(c)).any(|word| {
        let name = word.trim_matches(['.', ':']);
        name.rsplit_once('.').is_some_and(|(service, command)| services.command(service, command).is_some())
    })
}

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

    #[test]
    fn a_receipt_said_again_a_command_and_the_program_are_not_shown() {
        let services = crate::testing::registry().now();
        let receipts = "🗒 Noted: Groceries\n⏰ Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00";
        let left = |words: &str, given: &str| presentable(Formatted::plain(words), &services, receipts, given).text;
        for (words, shown) in [
            ("keep.create succeeded: 🗒 Noted: Groceries", ""),
            ("I used `task.create` for that. Enjoy your call!", "Enjoy your call!"),
            ("The program set it up. Say hello to her from me.", "Say hello to her from me."),
            ("Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00. Talk soon!", "Talk soon!"),
            ("Your mom will be glad. See example.com for more.", "Your mom will be glad. See example.com for more."),
            ("Call mom!", "Call mom!"),
        ] {
            assert_eq!(left(words, "").trim(), shown, "{words}");
        }
        let asked = "when does the program of the festival come out?";
        assert_eq!(left("The program comes out in May.", asked), "The program comes out in May.");
    }
}
