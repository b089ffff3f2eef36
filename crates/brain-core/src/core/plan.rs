//! Plans: planned actions, and the actions they become once every value is known.
//!
//! A [`PlannedAction`] is a proposal in the planner's words: names and times as said. An [`Action`] holds values only:
//! addresses, instants, the one item meant. Only actions are shown, approved and executed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The parameters of a command, by name.
pub type Params = Map<String, Value>;

/// What the planner proposes. Nothing in it is trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// In the order they were asked for.
    #[serde(default)]
    pub actions: Vec<PlannedAction>,
    /// A question instead of, or beside, the actions.
    #[serde(default)]
    pub question: Option<String>,
    /// What must be planned once these outcomes are known; `None` when the request is covered.
    #[serde(default)]
    pub open: Option<String>,
}

/// One proposed call of a command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedAction {
    /// The service's name, e.g. `calendar`.
    pub service: String,
    /// The command's name inside the service, e.g. `create_event`.
    pub command: String,
    /// Typed by the command; times and people still in words.
    #[serde(default)]
    pub params: Params,
    /// Why, for the trace. Never shown on a card.
    #[serde(default)]
    pub reasoning: String,
    /// Indexes of earlier actions of the plan that must succeed first.
    #[serde(default)]
    pub depends_on: Vec<usize>,
    /// The words on which its values rest, as a planner says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<StatedWords>,
}

/// The words that a planner says a value rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedWords {
    /// The parameter.
    pub param: String,
    /// Copied from the message, the conversation or what is in sight.
    pub from: String,
}

impl PlannedAction {
    /// `service.command`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.service, self.command)
    }

    /// As a planner would write it.
    pub fn as_proposed(&self) -> Value {
        json!({
            "service": self.service, "command": self.command, "params": self.params, "depends_on": self.depends_on,
        })
    }

    /// Whether the other asks for just this; why and after what does not matter.
    pub fn asks_the_same_as(&self, other: &Self) -> bool {
        self.service == other.service && self.command == other.command && self.params == other.params
    }
}

/// The item an action is about, as it was when the action was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The item's id inside its service.
    pub id: String,
    /// Changes whenever the item changes; execution refuses another one.
    pub revision: String,
    /// How the person would call it, e.g. `Meeting with Sarah`.
    pub label: String,
    /// The item as it was, for "old → new" on the card. Shape: the service's own.
    pub before: Value,
    /// When the item begins or is due, as it is stored: what words for a new time are relative to.
    #[serde(skip)]
    pub starts: Option<String>,
    /// When it ends.
    #[serde(skip)]
    pub ends: Option<String>,
    /// The names behind the addresses that the item brings along; they end up in [`Action::names`].
    #[serde(skip)]
    pub names: BTreeMap<String, String>,
    /// The account it is kept in; `None`: here. Part of the action, not of the target, once that is settled.
    #[serde(skip)]
    pub account: Option<String>,
}

/// A value that came from somebody else's text and not from the person's own words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taint {
    /// The parameter it sits in.
    pub param: String,
    /// The value, as it will be used.
    pub value: String,
    /// Where it came from at first.
    pub source: String,
    /// What of the person's own it was kept in when it was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_in: Option<String>,
}

/// An action with every value settled; what cards show and what executes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The service's name.
    pub service: String,
    /// The command's name.
    pub command: String,
    /// Resolved values: addresses, RFC 3339 instants, texts.
    pub params: Params,
    /// What `find_by` was resolved to.
    #[serde(default)]
    pub target: Option<Target>,
    /// For commands that arrive at run time: digest of the server's tool definition.
    #[serde(default)]
    pub schema: Option<String>,
    /// Values taken from untrusted text.
    #[serde(default)]
    pub taints: Vec<Taint>,
    /// Remarks for the card that code found out, such as a first mail to an address.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The name behind each address, as the card shows it.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// SHA-256 of each attachment, in hexadecimal.
    #[serde(default)]
    pub attachments: Vec<String>,
    /// Others' words that the person took as they are, with a press on exactly this: they ask for nothing more, but
    /// whatever keeps them keeps whose they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<Taint>,
    /// The account it is done in; `None`: what everybody has here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ActingAccount>,
}

/// The account of the person's in which something is done. Resolved when it is prepared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActingAccount {
    /// Unique among all accounts of everybody.
    pub id: String,
    /// What a card calls it; `None` where the person has no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Action {
    /// `service.command`, as the trace and the router's history show it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.service, self.command)
    }

    /// Everything in it that is somebody else's.
    pub fn others_words(&self) -> impl Iterator<Item = &Taint> {
        self.taints.iter().chain(&self.passed_on)
    }

    /// A text parameter, or `""`.
    pub fn text(&self, param: &str) -> &str {
        self.params.get(param).and_then(Value::as_str).unwrap_or_default()
    }
}
