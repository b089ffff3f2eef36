//! What a status line says while a turn works: one table for stages, services and commands.

use crate::core::progress::Progress;

/// Before anything is known about the message.
pub fn thinking() -> Progress {
    Progress::of("Thinking…")
}

/// Planning within these services: their places are being looked at.
pub fn planning(services: &[String]) -> Progress {
    let places: Vec<&str> = services.iter().filter_map(|service| place(service)).collect();
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
pub fn running(service: &str, command: &str) -> Progress {
    Progress::of(words(service, command).unwrap_or("Working on it…"))
}

fn place(service: &str) -> Option<&'static str> {
    Some(match service {
        "task" => "your tasks",
        "calendar" => "your calendar",
        "email" => "your mail",
        "memory" => "what I remember",
        "keep" => "your notes",
        "contacts" => "your contacts",
        _ => return None,
    })
}

fn words(service: &str, command: &str) -> Option<&'static str> {
    Some(match (service, command) {
        ("task", "create") => "Noting that down…",
        ("task", "list") => "Looking through your tasks…",
        ("task", "update") => "Changing your task…",
        ("task", "complete") => "Ticking that off…",
        ("task", "delete") => "Deleting your task…",
        ("calendar", "list_events") => "Checking your calendar…",
        ("calendar", "find_free_time") => "Looking for free time…",
        ("calendar", "create_event") => "Putting it on your calendar…",
        ("calendar", "update_event") => "Changing your calendar…",
        ("calendar", "delete_event") => "Taking it off your calendar…",
        ("email", "search") => "Searching your mail…",
        ("email", "read_thread") => "Reading your mail…",
        ("email", "create_draft") => "Writing the draft…",
        ("email", "send_email" | "reply_to_email") => "Sending your mail…",
        ("memory", "store") => "Remembering that…",
        ("memory", "update") => "Correcting what I remember…",
        ("memory", "recall") => "Thinking back…",
        ("memory", "forget") => "Forgetting that…",
        ("keep", "create") => "Writing that down…",
        ("keep", "append") => "Adding to your notes…",
        ("keep", "list") => "Looking at your notes…",
        ("keep", "search") => "Searching your notes…",
        ("keep", "delete") => "Deleting your note…",
        ("contacts", "find") => "Looking up people…",
        ("contacts", "save") => "Saving the contact…",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::registry::{Catalog, SERVICES};

    #[test]
    fn every_service_and_every_command_has_its_words() {
        for service in SERVICES {
            assert!(place(service.name).is_some(), "{}", service.name);
            for entry in Catalog::built_in().commands(&[service.name.to_owned()]) {
                assert!(words(service.name, entry.command()).is_some(), "{}.{}", service.name, entry.command());
            }
        }
    }

    #[test]
    fn planning_names_the_places_it_looks_at() {
        let said =
            |services: &[&str]| planning(&services.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).to_string();
        assert_eq!(said(&["calendar"]), "Looking at your calendar…");
        assert_eq!(said(&["task", "calendar", "email"]), "Looking at your tasks, your calendar and your mail…");
        assert_eq!(said(&["mcp:weather"]), "Working out what to do…");
    }
}
