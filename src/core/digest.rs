//! The digest of what a person approves: SHA-256 over canonical bytes.
//!
//! Invariant: two sets of actions have the same digest only if owner, chat, account, and every action's
//! service, command, schema, values, target, notes, taints, words passed on and attachments are the same, in the
//! same order, and depend on one another in the same way.
//! Every field is length-prefixed, object keys are sorted, so no two different values share their bytes.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::ids::{ChatId, UserId};
use super::plan::{Action, Taint};

/// A SHA-256, shown in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// Characters of the digest a button carries.
pub const PREFIX_CHARS: usize = 12;

impl Digest {
    /// The digest of everything one card asks for.
    pub fn of(owner: &UserId, chat: &ChatId, account: &str, actions: &[Action], depends_on: &[Vec<usize>]) -> Self {
        let mut hash = Canonical::new();
        hash.text("brain-agent/actions/1");
        hash.text(owner.as_str());
        hash.text(chat.as_str());
        hash.text(account);
        hash.count(actions.len());
        for action in actions {
            hash.action(action);
        }
        // Nothing is added where nothing depends on anything: such digests are those of version 0.1.
        for (index, on) in depends_on.iter().enumerate().filter(|(_, on)| !on.is_empty()) {
            hash.text("depends");
            hash.count(index);
            hash.count(on.len());
            on.iter().for_each(|on| hash.count(*on));
        }
        Self(hex(&hash.0.finalize()))
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

struct Canonical(Sha256);

impl Canonical {
    fn new() -> Self {
        Self(Sha256::new())
    }

    fn count(&mut self, n: usize) {
        self.0.update((n as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    fn action(&mut self, action: &Action) {
        // Taken apart by name: a new field must be given its place here before this compiles.
        let Action { service, command, params, target, schema, taints, notes, names, attachments, passed_on } = action;
        self.text(service);
        self.text(command);
        self.text(schema.as_deref().unwrap_or(""));
        self.count(params.len());
        let mut keys: Vec<_> = params.keys().collect();
        keys.sort();
        for key in keys {
            self.text(key);
            self.value(&params[key]);
        }
        self.count(usize::from(target.is_some()));
        if let Some(target) = target {
            self.text(&target.id);
            self.text(&target.revision);
            self.text(&target.label);
            self.value(&target.before);
        }
        self.taints(taints);
        self.count(notes.len());
        notes.iter().for_each(|note| self.text(note));
        self.count(names.len());
        for (address, name) in names {
            self.text(address);
            self.text(name);
        }
        self.count(attachments.len());
        attachments.iter().for_each(|hash| self.text(hash));
        // Cards that were made before there was such a thing keep their digest: no service has this name.
        if !passed_on.is_empty() {
            self.text("passed on");
            self.taints(passed_on);
        }
    }

    fn taints(&mut self, taints: &[Taint]) {
        self.count(taints.len());
        for taint in taints {
            self.text(&taint.param);
            self.text(&taint.value);
            self.text(&taint.label());
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
