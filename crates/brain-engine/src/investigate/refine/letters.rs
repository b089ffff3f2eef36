//! A conversation inside a budget: how it began, and what came last.

use chrono_tz::Tz;

use crate::investigate::asker::cut;
use crate::investigate::features::letter::new_part;
use brain_core::core::text::{one_line, shorten, visible};
use brain_services::services::contract::searchable::{ItemText, WrittenText};

/// Characters of who wrote a letter: a name and an address.
pub(super) const LABEL_CHARS: usize = 120;

/// What is left of a budget below which a letter is not begun any more, in bytes.
const LETTER_BYTES_MIN: usize = 80;

/// The text of a thing in at most so many bytes: the newest letters, the last one in any case, and the beginning of the
/// first. Quotes and signatures are left out, hidden characters are shown.
pub fn letters_within(text: &ItemText, zone: Tz, bytes_max: usize) -> String {
    let letters: Vec<String> = text.said.iter().map(|written| letter(written, zone)).collect();
    let whole = letters.join("\n\n");
    if whole.len() <= bytes_max && text.left_out == 0 {
        return whole;
    }
    let [first, rest @ ..] = letters.as_slice() else { return String::new() };
    if rest.is_empty() {
        return ends(first, bytes_max);
    }
    // A quarter for how it began, and a line for what is left out.
    let first = ends(first, bytes_max / 4);
    let mut left = bytes_max.saturating_sub(first.len() + 48);
    let mut newest: Vec<String> = Vec::new();
    for letter in rest.iter().rev() {
        let fits = letter.len() + 2 <= left;
        if !fits && !newest.is_empty() && left < LETTER_BYTES_MIN {
            break;
        }
        let shown = if fits { letter.clone() } else { ends(letter, left.saturating_sub(2)) };
        left = left.saturating_sub(shown.len() + 2);
        newest.push(shown);
        if !fits {
            break;
        }
    }
    let skipped = rest.len() - newest.len() + text.left_out;
    let skipped = (skipped > 0).then(|| format!("({skipped} letters left out)"));
    newest.reverse();
    let shown = [first].into_iter().chain(skipped).chain(newest).collect::<Vec<_>>().join("\n\n");
    cut(&shown, bytes_max).to_owned()
}

fn letter(written: &WrittenText, zone: Tz) -> String {
    let by =
        if written.is_own { "the person".to_owned() } else { shorten(&one_line(&written.by.label()), LABEL_CHARS) };
    let at = written.at.map(|at| at.with_timezone(&zone).format("%Y-%m-%d %H:%M, ").to_string()).unwrap_or_default();
    let head = if by.is_empty() && at.is_empty() { String::new() } else { format!("[{at}{by}]\n") };
    format!("{head}{}", visible(&new_part(&written.text)))
}

/// Head and tail of a text, in bytes.
fn ends(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let half = bytes_max.saturating_sub(5) / 2;
    let tail = text.ceil_char_boundary(text.len() - half);
    format!("{} … {}", cut(text, half), &text[tail..])
}
