//! How tests hear: on a Monday, and those of its own as one who has no services.

#![allow(clippy::unwrap_used, reason = "a kit of tests: what fails here fails the test")]

#[cfg(test)]
use super::requests::ParseInput;
#[cfg(test)]
use super::requests::built::{Builders, Built};
use super::time::{DateOrder, Reference};

/// Makes of a clause what its frame names, without parameters.
#[cfg(test)]
pub const BUILDERS: Builders = Builders {
    build: |said| {
        let (service, command) = said.found.frame.command.split_once('.').unwrap_or_default();
        let (service, command) = (service.to_owned(), command.to_owned());
        Built::Act(brain_core::core::plan::PlannedAction { service, command, ..Default::default() })
    },
    retimed: |_, _| None,
    revalued: |_, _| None,
    looks_up: |_| false,
    waits: |_| false,
    ahead: |_, _, _, _| Vec::new(),
    address: |_, _| {},
    goes_on: |_, _| {},
};

/// A message that follows nothing.
#[cfg(test)]
pub fn alone<'a>(text: &'a str, reference: &'a Reference) -> ParseInput<'a> {
    ParseInput::new(text, reference, BUILDERS)
}

/// Monday 2026-01-12, 09:00.
pub fn monday() -> Reference {
    Reference { now: "2026-01-12T09:00:00Z".parse().unwrap(), zone: chrono_tz::UTC, order: DateOrder::DayFirst }
}

/// Every distinct word of the data that messages are read by.
pub fn vocabulary() -> std::collections::BTreeSet<String> {
    fn walk(folder: &std::path::Path, words: &mut std::collections::BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, words);
            } else if path.extension().is_some_and(|end| end == "txt" || end == "tsv") {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                let apart = |c: char| c.is_whitespace() || "()[]{}|:,;=".contains(c);
                let all = lines.flat_map(|line| line.split(apart)).filter(|word| (1..30).contains(&word.len()));
                words.extend(all.map(str::to_lowercase));
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut words = std::collections::BTreeSet::new();
    ["data/language", "crates/brain-services/src/services"]
        .iter()
        .for_each(|folder| walk(&root.join(folder), &mut words));
    words
}
