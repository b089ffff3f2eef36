//! Cards as programs write them (`real_cards.txt`): what is read of each, and the lines that a change changes.

use super::tests::{difference, foreign, reads, writes};
use super::*;

struct RealCard<'t> {
    from: &'t str,
    text: String,
    /// What is expected: lines behind `---`.
    reads: Vec<&'t str>,
    changes: Vec<&'t str>,
}

fn all() -> Vec<RealCard<'static>> {
    let of = |part: &'static str| {
        let (from, rest) = part.split_once('\n').unwrap();
        let mut sections = rest.split("---\n");
        let text = sections.next().unwrap().trim_end().to_owned() + "\n";
        let text = if from.contains("CRLF") { text.replace('\n', "\r\n") } else { text };
        let mut lines = || sections.next().unwrap_or_default().lines().filter(|line| !line.is_empty()).collect();
        RealCard { from, text, reads: lines(), changes: lines() }
    };
    include_str!("real_cards.txt").split("=== ").skip(1).map(of).collect()
}

/// Where the mark of an address may stand in its line.
const MARKS: [&str; 4] = [";type=pref", ";pref=1", ";pref", ",pref"];

fn summary(contact: &Contact) -> Vec<String> {
    let rows = [
        ("", contact.name.clone()),
        ("also ", contact.nicknames.join(" | ")),
        ("mail ", contact.emails.join(" | ")),
        ("best ", contact.preferred.clone().unwrap_or_default()),
        ("tel ", contact.phones.join(" | ")),
        ("in ", contact.groups.join(" | ")),
    ];
    rows.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}{text}")).collect()
}

/// Another name, one address less where there are several, and one more of everything.
fn much(contact: &mut Contact) {
    contact.name = "Robin Banks".to_owned();
    if contact.emails.len() > 1 {
        contact.emails.remove(0);
    }
    contact.emails.push("new@x.example".to_owned());
    contact.preferred = Some("new@x.example".to_owned());
    contact.phones.push("+1 555 0100".to_owned());
    contact.nicknames.push("Räuber, der".to_owned());
    contact.groups.push("choir".to_owned());
}

#[test]
fn cards_of_every_program_are_read_and_changed_line_by_line() {
    let cards = all();
    assert!(cards.len() >= 30);
    for card in &cards {
        let Some(contact) = reads(&card.text) else {
            assert!(card.reads.is_empty() && card.changes.is_empty(), "{}", card.from);
            continue;
        };
        assert_eq!(summary(&contact), card.reads, "{}", card.from);
        let changed = writes(&card.text, much);
        assert_eq!(foreign(&card.text), foreign(&changed), "{}", card.from);
        let (gone, new) = difference(&card.text, &changed);
        let lines = gone.iter().map(|line| format!("-{line}")).chain(new.iter().map(|line| format!("+{line}")));
        let lines: Vec<String> = lines.filter(|line| !line[1..].starts_with("REV")).collect();
        assert_eq!(lines, card.changes, "{}", card.from);
    }
}

#[test]
fn a_card_that_does_not_change_is_the_same_text() {
    for card in all() {
        if reads(&card.text).is_some() {
            assert_eq!(writes(&card.text, |_| {}), card.text, "{}", card.from);
        }
    }
}

#[test]
fn what_was_added_is_taken_away_again() {
    for card in all() {
        let Some(before) = reads(&card.text) else { continue };
        let added = writes(&card.text, |contact| {
            contact.emails.push("new@x.example".to_owned());
            contact.preferred = Some("new@x.example".to_owned());
            contact.phones.push("+1 555 0100".to_owned());
            contact.groups.push("choir".to_owned());
        });
        let back = writes(&added, |contact| {
            let origin = contact.origin.clone();
            *contact = Contact { origin, ..before.clone() };
        });
        let (gone, new) = difference(&card.text, &back);
        // Who was called by a number has that as a name now.
        let is_kept = |line: &String| !["REV", "FN:", "N:"].iter().any(|name| line.starts_with(name));
        let stamps = |lines: Vec<String>| lines.into_iter().filter(is_kept).collect::<Vec<_>>();
        let (gone, new) = (stamps(gone), stamps(new));
        // The mark may stand elsewhere in its line.
        let unmarked = |lines: &[String]| {
            let mut lines: Vec<String> = lines
                .iter()
                .map(|line| MARKS.iter().fold(line.to_lowercase(), |line, mark| line.replace(mark, "")))
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(unmarked(&gone), unmarked(&new), "{}", card.from);
        assert_eq!(foreign(&card.text), foreign(&back), "{}", card.from);
    }
}
