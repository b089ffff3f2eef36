//! A fact as it is stored, and as cards and receipts see it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::services::contract::command::Completed;
use crate::services::contract::context::RequestContext;
use crate::services::contract::provenance::Others;
use crate::services::helpers::items::Item;
use crate::services::helpers::texts;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::FORMER_VALUES_MAX;
use brain_core::ports::secondary::readable;
use brain_core::ports::{Change, Key, Record, Secondary, Table};

/// Its name in plans.
pub const NAME: &str = "memory";

/// A fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Unique among the owner's memories.
    pub id: String,
    /// The person about whom it is.
    pub owner: UserId,
    /// E.g. `travel`.
    pub category: String,
    /// Its name, e.g. `seat`.
    pub key: String,
    /// What is so.
    pub value: String,
    /// Where it comes from, e.g. `told by you`.
    pub source: String,
    /// What it said before, oldest first: it goes when the fact goes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former: Vec<String>,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// Since when it is known.
    pub at: DateTime<Utc>,
}

impl Memory {
    /// What a fact keeps when it says something new.
    pub(super) fn once_replaced(&self) -> Vec<String> {
        let said = self.former.iter().chain([&self.value]).cloned();
        said.skip((self.former.len() + 1).saturating_sub(FORMER_VALUES_MAX)).collect()
    }
}

/// Facts as they are shown: owner, category, key.
pub(super) static BY_CATEGORY: Secondary = Secondary {
    name: "memories_by_category",
    table: Table::Memories,
    version: 1,
    keys: |_, stored| {
        let key =
            |fact: Memory| Key::of(&[fact.owner.as_str(), &fact.category.to_lowercase(), &fact.key.to_lowercase()]);
        readable::<Memory>(stored).map(key).into_iter().collect()
    },
};

/// Facts by what was learned last: owner, time from its far end.
pub(super) static BY_AGE: Secondary = Secondary {
    name: "memories_by_age",
    table: Table::Memories,
    version: 1,
    keys: |_, stored| {
        let ago = |fact: &Memory| u64::MAX - u64::try_from(fact.at.timestamp_millis()).unwrap_or(0);
        let key = |fact: Memory| Key::of(&[fact.owner.as_str(), &Key::number(ago(&fact))]);
        readable::<Memory>(stored).map(key).into_iter().collect()
    },
};

impl Record for Memory {
    const TABLE: Table = Table::Memories;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Memory {
    type View = FactView;

    const NOUN: &'static str = "memory";
    const KIND: &'static str = NAME;

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.key
    }

    fn body(&self) -> String {
        format!("{} {}", self.category, self.value)
    }

    fn at(&self) -> DateTime<Utc> {
        self.at
    }

    fn label(&self, _: &RequestContext) -> String {
        format!("{}: {}", texts::brief(&self.key), texts::brief(&self.value))
    }

    fn view(&self, _: &RequestContext) -> FactView {
        FactView {
            id: self.id.clone(),
            category: self.category.clone(),
            key: self.key.clone(),
            value: self.value.clone(),
            from: self.others.first().map(str::to_owned),
        }
    }

    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        (0, (ctx.now - self.at).num_seconds().abs())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a memory")
    }
}

/// A fact as cards and receipts see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactView {
    /// What `find_by` must hold to mean it.
    pub id: String,
    pub category: String,
    pub key: String,
    pub value: String,
    /// Whose words they are, if not the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl FactView {
    /// As conversation refers to it.
    pub(super) fn named(&self) -> ItemRef {
        ItemRef { id: self.id.clone(), label: self.key.clone() }
    }
}

/// A fact that was changed, or was there before it was erased.
#[derive(Debug, Serialize, Deserialize)]
pub struct FactChanged {
    pub memory: FactView,
}

impl FactChanged {
    /// The end of a command that changed `memory`.
    pub(super) fn done(memory: &Memory, ctx: &RequestContext, changes: Vec<Change>) -> Completed<Self> {
        Completed::changed(Self { memory: memory.view(ctx) }, changes).holding(memory.untrusted())
    }
}

/// The source of what the person said themself.
pub(super) const TOLD: &str = "told by you";

/// Where a fact comes from.
pub(super) fn told_by(others: &Others) -> String {
    others.first().unwrap_or(TOLD).to_owned()
}
