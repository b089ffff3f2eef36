//! Reminders before something, as parameters give them: read, checked, and told on cards and receipts.

use serde::Deserialize;

use crate::services::contract::show;
use brain_language::language::offset::ReminderOffset;
use brain_language::language::time::Reference;

/// Words become durations; what cannot be read stays, and is a problem.
pub(crate) fn durations(remind_before: &mut [String]) {
    for entry in remind_before {
        if let Ok(lead) = entry.parse::<ReminderOffset>() {
            *entry = lead.to_string();
        }
    }
}

pub(crate) fn unreadable(remind_before: &[String]) -> Option<String> {
    let entries = remind_before.iter().filter(|entry| !entry.eq_ignore_ascii_case("none"));
    entries.filter_map(|entry| entry.parse::<ReminderOffset>().err()).next().map(|bad| bad.to_string())
}

/// `1 day before and 1 h before`.
pub(crate) fn also(before: Option<&[String]>, at: Option<&[String]>, reference: &Reference) -> String {
    let mut leads: Vec<ReminderOffset> =
        before.unwrap_or_default().iter().filter_map(|lead| lead.parse().ok()).collect();
    leads.sort_by(|a, b| b.cmp(a));
    let before = leads.into_iter().map(ReminderOffset::words);
    let at = at.unwrap_or_default().iter().map(|at| show::time(at, reference));
    before.chain(at).collect::<Vec<_>>().join(" and ")
}

/// Models and people give one where a list is meant.
pub(crate) fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        Many(Vec<String>),
    }
    Ok(Option::<Given>::deserialize(from)?.map(|given| match given {
        Given::One(entry) => vec![entry],
        Given::Many(entries) => entries,
    }))
}
