//! What was seen of each tool: the definition that is in use, and a newer one that waits for an admin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use brain_core::core::digest::Digest;
use brain_core::core::text::visible;
use brain_core::ports::{Key, Record, RecordExt, Store, StoreError, Table};
use brain_wire::mcp::OfferedTool;

/// A tool, as it was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KnownTool {
    server: String,
    /// The definition that is used.
    pub(super) used: OfferedTool,
    /// Another one that its server has come with since, and whether an admin was told so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newer: Option<NewerDefinition>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct NewerDefinition {
    definition: OfferedTool,
    is_told: bool,
}

/// A tool whose server has come with another definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedTool {
    /// The server's name.
    pub server: String,
    /// The tool's.
    pub tool: String,
    /// Names the new definition: no other one is taken by it.
    pub id: String,
    /// What is different, line by line: `-` was, `+` is.
    pub difference: String,
    /// An admin was told.
    pub is_told: bool,
}

impl Record for KnownTool {
    const TABLE: Table = Table::Tools;

    fn key(&self) -> Key {
        self.key_of()
    }
}

impl KnownTool {
    pub(super) fn key_of(&self) -> Key {
        Key::of(&[&self.server, &self.used.name])
    }

    /// Whether what its server offers now is what is used.
    pub(super) fn is_current(&self) -> bool {
        self.newer.is_none()
    }

    pub(super) fn changed(&self) -> Option<ChangedTool> {
        let newer = self.newer.as_ref()?;
        Some(ChangedTool {
            server: self.server.clone(),
            tool: self.used.name.clone(),
            id: id_of(&self.server, &newer.definition),
            difference: difference(&self.used, &newer.definition),
            is_told: newer.is_told,
        })
    }

    /// The newer definition is used from now on.
    pub(super) fn take(&mut self) {
        if let Some(newer) = self.newer.take() {
            self.used = newer.definition;
        }
    }

    pub(super) fn note_told(&mut self, id: &str) {
        let server = self.server.clone();
        if let Some(newer) = self.newer.as_mut().filter(|newer| id_of(&server, &newer.definition) == id) {
            newer.is_told = true;
        }
    }
}

/// What was seen of a server's tools, by name.
pub(super) async fn remembered(store: &dyn Store, server: &str) -> Result<BTreeMap<String, KnownTool>, StoreError> {
    let all = store.list_all::<KnownTool>(&[server]).await?;
    Ok(all.into_iter().map(|tool| (tool.used.name.clone(), tool)).collect())
}

/// A server offers this now; what has to be kept of that, if anything.
pub(super) fn seen<'a>(
    known: &'a mut BTreeMap<String, KnownTool>,
    server: &str,
    offered: &OfferedTool,
) -> Option<&'a KnownTool> {
    let is_new = !known.contains_key(&offered.name);
    let first = || KnownTool { server: server.to_owned(), used: offered.clone(), newer: None };
    let tool = known.entry(offered.name.clone()).or_insert_with(first);
    let newer = (tool.used != *offered).then(|| offered.clone());
    let is_other = tool.newer.as_ref().map(|newer| &newer.definition) != newer.as_ref();
    if is_other {
        tool.newer = newer.map(|definition| NewerDefinition { definition, is_told: false });
    }
    (is_new || is_other).then_some(tool)
}

fn id_of(server: &str, definition: &OfferedTool) -> String {
    let value = serde_json::to_value(definition).unwrap_or_default();
    Digest::of_definition(server, &value).prefix().to_owned()
}

/// Line by line, in the order of the new one.
fn difference(old: &OfferedTool, new: &OfferedTool) -> String {
    let lines = |tool: &OfferedTool| -> Vec<String> {
        let schema = serde_json::to_string_pretty(&tool.schema).unwrap_or_default();
        let reads = match (tool.says_read_only, tool.says_it_changes) {
            (true, _) => "says that it only reads",
            (_, true) => "says that it changes something",
            (false, false) => "does not say that it only reads",
        };
        [&tool.title, &tool.description, reads, &schema].iter().flat_map(|text| text.lines().map(visible)).collect()
    };
    let (before, after) = (lines(old), lines(new));
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| format!("- {line}"));
    let come = after.iter().filter(|line| !before.contains(line)).map(|line| format!("+ {line}"));
    let lines: Vec<String> = gone.chain(come).collect();
    if lines.is_empty() { "the same lines in another order".to_owned() } else { lines.join("\n") }
}
