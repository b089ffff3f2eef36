//! What a status line says while a turn works.

use crate::core::plan::Action;
use crate::core::progress::Progress;
use crate::services::registry::{Registry, Services};

/// Before anything is known about the message.
pub fn thinking() -> Progress {
    Progress::of("Thinking…")
}

/// Planning within these services: their places are being looked at.
pub fn planning(services: &Services, domains: &[String]) -> Progress {
    let places: Vec<&str> = domains.iter().filter_map(|name| Some(services.find(name)?.info.place.as_str())).collect();
    match places.as_slice() {
        [] => Progress::of("Working out what to do…"),
        [only] => Progress::of(format!("Looking at {only}…")),
        [first @ .., last] => Progress::of(format!("Looking at {} and {last}…", first.join(", "))),
    }
}

/// After a round: is anything still missing?
pub fn checking() -> Progress {
    Progress::of("Checking whether that was all…")
}

/// The results become words.
pub fn writing() -> Progress {
    Progress::of("Writing the answer…")
}

/// One command at work.
pub fn running(services: &Registry, action: &Action) -> Progress {
    match services.of(action) {
        Some(entry) => Progress::of(entry.status()),
        None => Progress::of("Working on it…"),
    }
}
