//! What an account may have beside mail: calendars, task lists, address books; and which of them takes what is new.

use std::collections::BTreeMap;

/// What is kept in a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DavKind {
    /// VEVENT.
    Events,
    /// VTODO.
    Tasks,
    /// vCards.
    Contacts,
}

impl DavKind {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Events, Self::Tasks, Self::Contacts];

    /// What a sentence calls one collection of it.
    pub fn one(self) -> &'static str {
        match self {
            Self::Events => "calendar",
            Self::Tasks => "task list",
            Self::Contacts => "address book",
        }
    }

    /// Several of them.
    pub fn many(self) -> &'static str {
        match self {
            Self::Events => "calendars",
            Self::Tasks => "task lists",
            Self::Contacts => "address books",
        }
    }

    /// What is kept there, several.
    pub fn things(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Tasks => "tasks",
            Self::Contacts => "contacts",
        }
    }

    /// Its key in the file of accounts.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Events => "calendar",
            Self::Tasks => "task_list",
            Self::Contacts => "address_book",
        }
    }
}

/// Which collection takes what is new, by the name that it has there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenCollections(BTreeMap<DavKind, String>);

impl ChosenCollections {
    /// The one of this kind; `None`: nobody chose one.
    pub fn of(&self, kind: DavKind) -> Option<&str> {
        self.0.get(&kind).map(String::as_str)
    }

    /// All that were chosen.
    pub fn all(&self) -> impl Iterator<Item = (DavKind, &str)> {
        self.0.iter().map(|(kind, name)| (*kind, name.as_str()))
    }
}

impl FromIterator<(DavKind, String)> for ChosenCollections {
    fn from_iter<I: IntoIterator<Item = (DavKind, String)>>(chosen: I) -> Self {
        Self(chosen.into_iter().collect())
    }
}

/// A collection that was found at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCollection {
    /// What it holds.
    pub kind: DavKind,
    /// What it is called there.
    pub name: String,
    /// Whether anything may be written into it.
    pub is_writable: bool,
}

/// Whether this is the name of a collection that somebody chose.
pub fn is_chosen(name: &str, chosen: &str) -> bool {
    name.trim().to_lowercase() == chosen.trim().to_lowercase()
}
