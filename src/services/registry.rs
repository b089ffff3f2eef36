//! The catalog: the single source of truth about what can be done.
//!
//! A command is one Rust type ([`Command`]). The router's domain list, the planner's schema, validation,
//! stakes, cards, receipts and `/help` derive from it; nothing about a command is written twice. Adding a
//! command means adding a type and naming it in [`Catalog::built_in`].
//!
//! Invariant: an unknown command is not in here, and what is not in here is forbidden.
//!
//! Deliberately not here: how a command is carried out (`services/`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::entry::Entry;
use super::{calendar, contacts, email, memory, notes, task};
use crate::core::plan::Action;

/// A service as people and routers know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceInfo {
    /// Its name in plans.
    pub name: &'static str,
    /// Its heading in `/help`.
    pub title: &'static str,
    /// What it is for, in one line, for routers.
    pub summary: &'static str,
}

/// The built-in services, in the order help shows them.
pub const SERVICES: [ServiceInfo; 6] = [
    ServiceInfo { name: "task", title: "Tasks and reminders", summary: "tasks, to-dos and reminders" },
    ServiceInfo { name: "calendar", title: "Calendar", summary: "events, availability, invitations" },
    ServiceInfo { name: "email", title: "Mail", summary: "searching, reading, drafting and sending mail" },
    ServiceInfo { name: "memory", title: "Memory", summary: "facts about the person to remember or recall" },
    ServiceInfo { name: "keep", title: "Notes and lists", summary: "notes and lists" },
    ServiceInfo { name: "contacts", title: "People", summary: "people, addresses and phone numbers" },
];

/// All commands, by service and name.
#[derive(Debug)]
pub struct Catalog {
    entries: BTreeMap<(String, String), Box<dyn Entry>>,
}

impl Catalog {
    /// The built-in commands.
    pub fn built_in() -> Self {
        let mut catalog = Self { entries: BTreeMap::new() };
        for entry in task::commands::entries()
            .into_iter()
            .chain(calendar::commands::entries())
            .chain(email::commands::entries())
            .chain(memory::commands::entries())
            .chain(notes::commands::entries())
            .chain(contacts::commands::entries())
        {
            catalog.add(entry);
        }
        catalog
    }

    /// Adds a command, in place of one of the same name.
    pub fn add(&mut self, entry: Box<dyn Entry>) {
        self.entries.insert((entry.service().to_owned(), entry.command().to_owned()), entry);
    }

    /// The command of this name, if there is one.
    pub fn find(&self, service: &str, command: &str) -> Option<&dyn Entry> {
        self.entries.get(&(service.to_owned(), command.to_owned())).map(AsRef::as_ref)
    }

    /// The command of an action.
    pub fn of(&self, action: &Action) -> Option<&dyn Entry> {
        self.find(&action.service, &action.command)
    }

    /// Every command of these services, by service and name.
    pub fn commands<'a>(&'a self, domains: &'a [String]) -> impl Iterator<Item = &'a dyn Entry> {
        self.entries.values().map(AsRef::as_ref).filter(|entry| domains.iter().any(|d| d == entry.service()))
    }

    /// True when a service of this name exists.
    pub fn has_service(&self, name: &str) -> bool {
        SERVICES.iter().any(|service| service.name == name)
    }

    /// The shape of a plan over these domains: byte-identical for the same domains.
    pub fn plan_schema(&self, domains: &[String]) -> Value {
        let actions: Vec<Value> = self
            .commands(domains)
            .map(|entry| {
                json!({
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["service", "command", "params"],
                    "properties": {
                        "service": {"const": entry.service()},
                        "command": {"const": entry.command()},
                        "params": entry.schema(),
                        "reasoning": {"type": "string"},
                        "depends_on": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    },
                })
            })
            .collect();
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["actions", "question", "open"],
            "properties": {
                "actions": {"type": "array", "items": {"anyOf": actions}},
                "question": {"type": ["string", "null"]},
                "open": {"type": ["string", "null"]},
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_service_a_summary_and_an_example() {
        let catalog = Catalog::built_in();
        assert_eq!(catalog.entries.len(), 26);
        for entry in catalog.entries.values() {
            assert!(catalog.has_service(entry.service()), "{}", entry.service());
            assert!(!entry.summary().is_empty() && !entry.example().is_empty(), "{}", entry.command());
            assert_eq!(entry.schema()["type"], "object", "{}.{}", entry.service(), entry.command());
        }
    }

    #[test]
    fn the_plan_schema_holds_the_routed_domains_only_and_is_stable() {
        let catalog = Catalog::built_in();
        let domains = vec!["keep".to_owned()];
        let text = catalog.plan_schema(&domains).to_string();
        assert!(text.contains("\"keep\"") && !text.contains("\"email\""));
        assert_eq!(text, Catalog::built_in().plan_schema(&domains).to_string());
    }
}
