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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::testing::registry;

    #[test]
    fn planning_names_the_places_it_looks_at() {
        let said = |domains: &[&str]| {
            let domains: Vec<String> = domains.iter().map(|&domain| domain.to_owned()).collect();
            planning(&registry().now(), &domains).to_string()
        };
        assert_eq!(said(&["calendar"]), "Looking at your calendar…");
        assert_eq!(said(&["task", "calendar", "email"]), "Looking at your tasks, your calendar and your mail…");
        assert_eq!(said(&["mcp:weather"]), "Working out what to do…");
    }

    #[test]
    fn a_command_says_what_it_does_and_one_that_is_gone_says_little() {
        let action =
            |service: &str| Action { service: service.to_owned(), command: "create".to_owned(), ..Action::default() };
        assert_eq!(running(&registry(), &action("task")).to_string(), "Noting that down…");
        assert_eq!(running(&registry(), &action("mcp:weather")).to_string(), "Working on it…");
    }
}
