//! Servers that bring tools: where they are named, and who says so.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;

use super::reader::{ConfigReader, ValueSource};
use super::{Config, ConfigError};
use crate::limits;
use crate::mcp::{McpConfig, ServerReach};

/// A file that names servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServersPlace {
    /// Where it is.
    pub path: PathBuf,
    /// What its `${NAME}` stand for when a folder's `.env` named it: that file's values alone. `None`: the environment
    /// named it, and its variables are.
    folder: Option<BTreeMap<String, String>>,
}

impl ConfigReader {
    pub(super) fn servers_place(&self) -> Option<ServersPlace> {
        let (path, source) = self.values.get("BRAIN_MCP_CONFIG")?;
        let of_file = || self.values.iter().filter(|(_, (_, source))| *source == ValueSource::File);
        let folder = match source {
            ValueSource::File => Some(of_file().map(|(key, (value, _))| (key.clone(), value.clone())).collect()),
            ValueSource::Environment | ValueSource::Given => None,
        };
        Some(ServersPlace { path: PathBuf::from(path), folder })
    }
}

impl Config {
    /// The same with the servers of the file that `BRAIN_MCP_CONFIG` names.
    pub(super) fn with_servers(mut self) -> Result<Self, ConfigError> {
        let Some(place) = &self.servers_place else { return Ok(self) };
        let wrong = |why: String| ConfigError(vec![format!("BRAIN_MCP_CONFIG, {}: {why}", place.path.display())]);
        let mut text = String::new();
        let file = std::fs::File::open(&place.path).map_err(|error| wrong(error.to_string()))?;
        let read = file.take(limits::MCP_FILE_BYTES_MAX + 1).read_to_string(&mut text);
        let length = read.map_err(|error| wrong(error.to_string()))?;
        if length as u64 > limits::MCP_FILE_BYTES_MAX {
            return Err(wrong(format!("it has more than {} bytes", limits::MCP_FILE_BYTES_MAX)));
        }
        let variable = |name: &str| match &place.folder {
            Some(values) => values.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        let McpConfig { servers, warnings } =
            McpConfig::parse(&text, &variable).map_err(|error| wrong(error.to_string()))?;
        // Anybody can write a folder that somebody is then started in.
        let program = servers.iter().find(|server| matches!(server.reach, ServerReach::Program(_)));
        if let Some(program) = program.filter(|_| place.folder.is_some()) {
            return Err(wrong(format!(
                "the server “{}” would start a program, and nobody but the .env of this folder says so: set \
                 BRAIN_MCP_CONFIG in the environment",
                program.name
            )));
        }
        self.warnings.extend(warnings.into_iter().map(|warning| format!("BRAIN_MCP_CONFIG: {warning}")));
        let folder = self.data_dir.join("servers");
        self.servers = servers.into_iter().map(|server| server.with_tokens(&folder)).collect();
        Ok(self)
    }
}
