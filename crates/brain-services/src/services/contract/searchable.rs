//! What a service gives to questions over everything a person has: its things, found by words, people and time, and
//! read one by one.
//!
//! Invariants: reads only; every look has a limit and says how much lies behind it; of what somebody else wrote the
//! source goes along ([`FoundItem::untrusted`]). Deliberately not here: what a question needs (the investigation
//! knows), and commands, which show things to people.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::RequestContext;
use super::error::ServiceError;
use super::show::chosen;
use brain_core::core::card::show_address;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::visible;
use brain_core::ports::{Record, Store};
use brain_language::language::words::{fold, without_digraphs};

/// Shorter words are no names of domains.
const DOMAIN_NAME_CHARS_MIN: usize = 4;
/// Shorter ones stand in other words by accident.
const DOMAIN_PART_CHARS_MIN: usize = 5;

/// Of what sort a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A conversation by mail.
    Thread,
    /// It takes place.
    Event,
    /// It is to be done.
    Task,
    /// Written down.
    Note,
    /// Known about the person.
    Fact,
    /// Said in the chat with the assistant.
    Talk,
    /// Somebody known.
    Person,
}

/// What is true of a thing, as far as nobody has to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemMark {
    /// Still to do.
    Open,
    /// Done.
    Done,
    /// Something in it is new to the person.
    Unread,
    /// The person wrote what came last.
    OwnLast,
    /// What came last of others goes to the person by address.
    ToMe,
    /// And to nobody else.
    ToMeAlone,
    /// Sent to many, or by a machine.
    Bulk,
    /// Files came with it.
    Attachments,
    /// It comes again and again.
    Repeats,
    /// It is meant for whole days.
    WholeDay,
}

/// Somebody who takes part in a thing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Party {
    /// As it stands there; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// In small letters; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// What the owner calls whoever has this address; `None` for a stranger, whatever they call themself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
}

impl Party {
    /// From `Name <address>`, an address, or a name.
    pub fn read(text: &str) -> Self {
        match text.trim().split_once('<') {
            Some((name, address)) => Self {
                name: name.trim().trim_matches('"').to_owned(),
                address: address.trim().trim_end_matches('>').to_lowercase(),
                known_as: None,
            },
            None if text.contains('@') => Self { address: text.trim().to_lowercase(), ..Self::default() },
            None => Self::called(text.trim()),
        }
    }

    /// Somebody whom the owner calls so, and of whom no address is known.
    pub fn called(name: &str) -> Self {
        Self { name: name.to_owned(), address: String::new(), known_as: Some(name.to_owned()) }
    }

    /// Whether they write from a domain that is called so, by a part of its name.
    pub fn is_at(&self, name: &str) -> bool {
        let name = without_digraphs(&fold(name)).replace(' ', "");
        let letters = name.chars().count();
        let Some((_, domain)) = self.address.rsplit_once('@').filter(|_| letters >= DOMAIN_NAME_CHARS_MIN) else {
            return false;
        };
        let is_part = |part: &str| {
            part == name || letters >= DOMAIN_PART_CHARS_MIN && (part.starts_with(&name) || part.ends_with(&name))
        };
        let domain = without_digraphs(&fold(domain));
        domain.split('.').any(|label| label.replace('-', "") == name || label.split('-').any(is_part))
    }

    /// How to call them, wherever somebody is shown: by the owner's name for them, else by the name that they chose
    /// for themself between quotation marks, with the address that it stands before. Empty where nothing is known.
    pub fn label(&self) -> String {
        match (&self.known_as, self.name.as_str(), self.address.as_str()) {
            (Some(known_as), ..) => visible(known_as),
            (None, "", "") => String::new(),
            (None, "", address) => show_address(address),
            (None, name, "") => format!("{} (no address)", chosen(name)),
            (None, name, address) => format!("{} <{}>", chosen(name), show_address(address)),
        }
    }
}

/// A thing that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundItem {
    /// The service that keeps it.
    pub service: String,
    /// What `find_by` takes to mean it.
    pub id: String,
    /// Of what sort.
    pub kind: ItemKind,
    /// What it is called.
    pub title: String,
    /// When it takes place, is due, or came last.
    pub at: Option<DateTime<Utc>>,
    /// When it ends, if it takes time.
    pub until: Option<DateTime<Utc>>,
    /// Everybody but the person; who wrote last, or made it, comes first.
    pub people: Vec<Party>,
    /// The beginning of what it says; at most 200 characters.
    pub snippet: String,
    /// What is true of it.
    pub marks: Vec<ItemMark>,
    /// The words in it that are not the person's own.
    pub untrusted: Vec<UntrustedText>,
}

impl FoundItem {
    /// Something of which no more than its name is known.
    pub fn named(service: &str, kind: ItemKind, item: &ItemRef) -> Self {
        Self {
            service: service.to_owned(),
            id: item.id.clone(),
            kind,
            title: item.label.clone(),
            at: None,
            until: None,
            people: Vec::new(),
            snippet: String::new(),
            marks: Vec::new(),
            untrusted: Vec::new(),
        }
    }

    /// Whether this is true of it.
    pub fn is(&self, mark: ItemMark) -> bool {
        self.marks.contains(&mark)
    }

    /// Tells it from all others of the person's.
    pub fn key(&self) -> (&str, &str) {
        (&self.service, &self.id)
    }
}

/// What is looked for. Everything that is given has to hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemFilter {
    /// Words in it; none: whatever the rest allows.
    pub words: String,
    /// Some of the words are enough, of what holds most of them.
    pub any: bool,
    /// One of these takes part: addresses, or words of names.
    pub people: Vec<String>,
    /// Not before. Of what lasts: not over by then.
    pub from: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
    /// All of these are true of it.
    pub with: Vec<ItemMark>,
    /// None of these is.
    pub without: Vec<ItemMark>,
    /// At most so many.
    pub limit: usize,
}

impl ItemFilter {
    /// Whether the marks of a thing allow it.
    pub fn allows(&self, marks: &[ItemMark]) -> bool {
        self.with.iter().all(|mark| marks.contains(mark)) && !self.without.iter().any(|mark| marks.contains(mark))
    }
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundItems {
    /// Those that fit best first where words were given; else the newest, or what takes place first.
    pub items: Vec<FoundItem>,
    /// How many more there are.
    pub more: usize,
    /// What could not be looked at, in words for the person: `I've read 200 of 4,000 mails so far`.
    pub gap: Option<String>,
}

/// How fresh a service's things were: another one whenever a look could find something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Freshness(Vec<u64>);

impl Freshness {
    /// Made of marks that change with what they stand for: revisions, generations, a time.
    pub fn of(marks: impl IntoIterator<Item = u64>) -> Self {
        Self(marks.into_iter().collect())
    }

    /// That of the owner's records in one table; `None` where the store cannot tell.
    pub fn of_records<R: Record>(store: &dyn Store, owner: &UserId) -> Option<Self> {
        Some(Self::of([store.change_log().touched(R::TABLE, owner.as_str())?]))
    }

    /// That of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// A thing to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemText {
    /// See [`FoundItem::id`].
    pub id: String,
    /// What was written, oldest first; of very long ones the newest.
    pub said: Vec<WrittenText>,
    /// How much of it is left out at the beginning.
    pub left_out: usize,
}

/// Something that somebody wrote.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WrittenText {
    /// When it was written, if that is known.
    pub at: Option<DateTime<Utc>>,
    /// Who; nobody where the person did.
    pub by: Party,
    /// True when the person wrote it.
    pub is_own: bool,
    /// To whom; the person is not among them.
    pub to: Vec<Party>,
    /// Who got a copy; the person is not among them.
    pub copied: Vec<Party>,
    /// The person is named among those it goes to.
    pub is_to_me: bool,
    /// Sent to many, or by a machine, as its own heads say.
    pub is_bulk: bool,
    /// Answers go elsewhere than to who wrote it.
    pub answers_elsewhere: bool,
    /// Why it reads like a fraud.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// What it says, quotes and all.
    pub text: String,
    /// Names of files that came with it.
    pub files: Vec<String>,
}

/// A service whose things can be asked over.
#[async_trait]
pub trait Searchable: Send + Sync {
    /// Of what sort its things are.
    fn kind(&self) -> ItemKind;

    /// Things that fit.
    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError>;

    /// How fresh what it would find is; to be asked before it is looked at. `None`: that cannot be told, and what is
    /// found is never kept.
    async fn freshness(&self, _ctx: &RequestContext) -> Option<Freshness> {
        None
    }

    /// The action that shows one of them; `None` where its row says all there is.
    fn opening(&self, _item: &FoundItem) -> Option<PlannedAction> {
        None
    }

    /// What these say; what has gone is left out.
    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owners_name_for_somebody_stands_alone() {
        let kim = |name: &str, address: &str, known_as: Option<&str>| {
            Party { name: name.into(), address: address.into(), known_as: known_as.map(str::to_owned) }.label()
        };
        assert_eq!(kim("Kim Lee", "kim@x.example", Some("Kimmy")), "Kimmy");
        assert_eq!(kim("Kim Lee", "eve@y.example", None), "“Kim Lee” <eve@y.example>");
        assert_eq!(kim("Kim” <kim@x.example>", "eve@y.example", None), "“Kim' kim at x.example” <eve@y.example>");
        assert_eq!(kim("", "eve@y.example", None), "eve@y.example");
        assert_eq!(kim("Kim Lee", "", None), "“Kim Lee” (no address)");
        assert_eq!(kim("", "", None), "");
    }

    #[test]
    fn somebody_is_at_a_domain_that_is_called_so() {
        for (address, name, expected) in [
            ("dana@northwind.example", "Northwind", true),
            ("dana@north-wind.example", "North Wind", true),
            ("ole@nordicfreight.example", "freight", true),
            ("ole@nordicfreight.example", "dic", false),
            ("eve@hampshire.example", "hire", false),
            ("eve@x.example", "x", false),
            ("eve@kc-muenster.example", "Münster", true),
            ("eve@bluewave.example", "bluewave", true),
        ] {
            assert_eq!(Party::read(address).is_at(name), expected, "{address} {name}");
        }
    }
}
