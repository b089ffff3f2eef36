//! The digest of what a person approves: SHA-256 over canonical bytes.
//!
//! Invariant: two sets of actions have the same digest only if owner, chat, account, and every action's
//! service, command, schema, values, target, notes, taints, words passed on and attachments are the same, in the
//! same order, and depend on one another in the same way.
//! Every field has its tag, every list its count, every text its length, and object keys are sorted: the bytes can be
//! read back in one way only, so no two different values share them. [`Scheme::First`] left some tags and counts out;
//! cards that were shown under it are still verified by it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::ids::{ChatId, UserId};
use super::plan::{ActingAccount, Action, Taint};

/// A SHA-256, shown in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// Characters of the digest a button carries.
pub const PREFIX_CHARS: usize = 12;

/// How the bytes are made. A card keeps the one it was shown under.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// `actions/1`: sections that were added later have neither tag nor count where they are empty.
    #[default]
    #[serde(rename = "actions/1")]
    First,
    /// `actions/2`: every section has both.
    #[serde(rename = "actions/2")]
    Second,
    /// `actions/3`: the account that each action is done in.
    #[serde(rename = "actions/3")]
    Third,
}

impl Scheme {
    /// The one of new cards.
    pub const NOW: Self = Self::Third;

    fn name(self) -> &'static str {
        match self {
            Self::First => "brain-agent/actions/1",
            Self::Second => "brain-agent/actions/2",
            Self::Third => "brain-agent/actions/3",
        }
    }
}

impl Digest {
    /// The digest of everything one card asks for.
    pub fn of(owner: &UserId, chat: &ChatId, account: &str, actions: &[Action], depends_on: &[Vec<usize>]) -> Self {
        Self::under(Scheme::NOW, owner, chat, account, actions, depends_on)
    }

    /// The same under the scheme of an older card.
    pub fn under(
        scheme: Scheme,
        owner: &UserId,
        chat: &ChatId,
        account: &str,
        actions: &[Action],
        depends_on: &[Vec<usize>],
    ) -> Self {
        Self(hex(&Sha256::digest(bytes(scheme, owner, chat, account, actions, depends_on))))
    }

    /// The digest of a command's definition that arrived at run time.
    pub fn of_definition(service: &str, definition: &Value) -> Self {
        let mut bytes = Canonical { scheme: Scheme::NOW, bytes: Vec::new() };
        bytes.text("brain-agent/definition/1");
        bytes.field("service", service);
        bytes.value(definition);
        Self(hex(&Sha256::digest(bytes.bytes)))
    }

    /// The first characters, as buttons carry them.
    pub fn prefix(&self) -> &str {
        self.0.get(..PREFIX_CHARS).unwrap_or(&self.0)
    }

    /// True when `prefix` is this digest's, and long enough to mean it.
    pub fn matches(&self, prefix: &str) -> bool {
        prefix.len() >= PREFIX_CHARS && self.0.starts_with(&prefix.to_ascii_lowercase())
    }

    /// All 64 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn bytes(
    scheme: Scheme,
    owner: &UserId,
    chat: &ChatId,
    account: &str,
    actions: &[Action],
    depends_on: &[Vec<usize>],
) -> Vec<u8> {
    let mut bytes = Canonical { scheme, bytes: Vec::new() };
    bytes.text(scheme.name());
    bytes.field("owner", owner.as_str());
    bytes.field("chat", chat.as_str());
    bytes.field("account", account);
    bytes.section("actions", actions.len());
    actions.iter().for_each(|action| bytes.action(action));
    bytes.depends(depends_on);
    bytes.bytes
}

struct Canonical {
    scheme: Scheme,
    bytes: Vec<u8>,
}

impl Canonical {
    fn count(&mut self, n: usize) {
        self.bytes.extend_from_slice(&(n as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn tag(&mut self, tag: &str) {
        match self.scheme {
            Scheme::First => {}
            Scheme::Second | Scheme::Third => self.text(tag),
        }
    }

    /// One text.
    fn field(&mut self, tag: &str, text: &str) {
        self.tag(tag);
        self.text(text);
    }

    /// The head of a list of so many.
    fn section(&mut self, tag: &str, count: usize) {
        self.tag(tag);
        self.count(count);
    }

    fn action(&mut self, action: &Action) {
        // Taken apart by name: a new field must be given its place here before this compiles.
        let Action { service, command, params, target, schema, taints, notes, names, attachments, passed_on, account } =
            action;
        self.field("service", service);
        self.field("command", command);
        match self.scheme {
            Scheme::First => self.text(schema.as_deref().unwrap_or("")),
            Scheme::Second | Scheme::Third => {
                self.section("schema", usize::from(schema.is_some()));
                schema.iter().for_each(|schema| self.text(schema));
            }
        }
        self.section("params", params.len());
        let mut keys: Vec<_> = params.keys().collect();
        keys.sort();
        for key in keys {
            self.text(key);
            self.value(&params[key]);
        }
        self.section("target", usize::from(target.is_some()));
        if let Some(target) = target {
            self.text(&target.id);
            self.text(&target.revision);
            self.text(&target.label);
            self.value(&target.before);
        }
        self.taints("taints", taints);
        self.section("notes", notes.len());
        notes.iter().for_each(|note| self.text(note));
        self.section("names", names.len());
        for (address, name) in names {
            self.text(address);
            self.text(name);
        }
        self.section("attachments", attachments.len());
        attachments.iter().for_each(|hash| self.text(hash));
        match self.scheme {
            Scheme::First if passed_on.is_empty() => {}
            Scheme::First => {
                self.text("passed on");
                self.taints("", passed_on);
            }
            Scheme::Second | Scheme::Third => self.taints("passed on", passed_on),
        }
        self.account(account.as_ref());
    }

    /// Nothing had one under the older schemes: where one is said to, it changes the bytes.
    fn account(&mut self, account: Option<&ActingAccount>) {
        if self.scheme != Scheme::Third && account.is_none() {
            return;
        }
        self.section("account", usize::from(account.is_some()));
        if let Some(ActingAccount { id, label }) = account {
            self.text(id);
            self.section("label", usize::from(label.is_some()));
            label.iter().for_each(|label| self.text(label));
        }
    }

    fn taints(&mut self, tag: &str, taints: &[Taint]) {
        self.section(tag, taints.len());
        for taint in taints {
            let Taint { param, value, source, kept_in } = taint;
            self.text(param);
            self.text(value);
            match self.scheme {
                Scheme::First => self.text(&taint.label()),
                Scheme::Second | Scheme::Third => {
                    self.text(source);
                    self.section("kept in", usize::from(kept_in.is_some()));
                    kept_in.iter().for_each(|kept_in| self.text(kept_in));
                }
            }
        }
    }

    fn depends(&mut self, depends_on: &[Vec<usize>]) {
        match self.scheme {
            Scheme::First => {
                for (index, on) in depends_on.iter().enumerate().filter(|(_, on)| !on.is_empty()) {
                    self.text("depends");
                    self.count(index);
                    self.count(on.len());
                    on.iter().for_each(|on| self.count(*on));
                }
            }
            Scheme::Second | Scheme::Third => {
                self.section("depends on", depends_on.len());
                for on in depends_on {
                    self.count(on.len());
                    on.iter().for_each(|on| self.count(*on));
                }
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.text("null"),
            Value::Bool(b) => self.text(if *b { "true" } else { "false" }),
            Value::Number(n) => {
                self.text("number");
                self.text(&n.to_string());
            }
            Value::String(s) => {
                self.text("string");
                self.text(s);
            }
            Value::Array(items) => {
                self.text("array");
                self.count(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(map) => {
                self.text("object");
                self.count(map.len());
                let mut keys: Vec<_> = map.keys().collect();
                keys.sort();
                for key in keys {
                    self.text(key);
                    self.value(&map[key]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
