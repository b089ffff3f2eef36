//! Servers that bring tools: where they are named, and who says so.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::process::geteuid;

use super::keys::unknown;
use super::reader::{ConfigReader, ValueSource};
use super::{Config, ConfigError};
use crate::limits;
use crate::mcp::{McpConfig, ServerReach};
use crate::secret_files::{self, Exposure, SecretFileError};

/// A file that names servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServersPlace {
    /// Where it is.
    pub path: PathBuf,
    /// What its `${NAME}` stand for when a folder's `.env` named it: that file's values alone. `None`: the environment
    /// named it, and its variables are.
    folder: Option<FolderValues>,
}

/// What a folder's `.env` says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FolderValues {
    settings: BTreeMap<String, String>,
    /// No settings: the servers file has to refer to each, or it is a slip.
    further: BTreeMap<String, String>,
}

impl ConfigReader {
    /// Takes what `.env` sets for that file alone; where it names none, that is no setting.
    pub(super) fn servers_place(&mut self) -> Option<ServersPlace> {
        let further = std::mem::take(&mut self.further);
        let named = self.values.get("BRAIN_MCP_CONFIG").cloned();
        let folder = match &named {
            Some((_, ValueSource::File)) => {
                let settings = self.values.iter().filter(|(_, (_, source))| *source == ValueSource::File);
                let settings = settings.map(|(key, (value, _))| (key.clone(), value.clone())).collect();
                Some(FolderValues { settings, further })
            }
            Some((_, ValueSource::Environment | ValueSource::Given)) | None => {
                self.problems.extend(further.keys().map(|key| unknown(key)));
                None
            }
        };
        let (path, _) = named?;
        // What a shell left as it is: of a quoted value, or in a file.
        let home = path.strip_prefix("~/").zip(std::env::var_os("HOME"));
        let path = home.map_or_else(|| PathBuf::from(path), |(rest, home)| PathBuf::from(home).join(rest));
        Some(ServersPlace { path, folder })
    }
}

impl Config {
    /// The same with the servers of the file that `BRAIN_MCP_CONFIG` names.
    pub(super) fn with_servers(mut self) -> Result<Self, ConfigError> {
        let Some(place) = &self.servers_place else { return Ok(self) };
        let wrong = |why: String| ConfigError(vec![format!("BRAIN_MCP_CONFIG, {}: {why}", place.path.display())]);
        let mut text = String::new();
        let file = std::fs::File::open(&place.path).map_err(|error| wrong(error.to_string()))?;
        let about = file.metadata().map_err(|error| wrong(error.to_string()))?;
        let exposure = secret_files::exposure(about.uid(), geteuid().as_raw(), about.mode());
        let read = file.take(limits::MCP_FILE_BYTES_MAX + 1).read_to_string(&mut text);
        let length = read.map_err(|error| wrong(error.to_string()))?;
        if length as u64 > limits::MCP_FILE_BYTES_MAX {
            return Err(wrong(format!("it has more than {} bytes", limits::MCP_FILE_BYTES_MAX)));
        }
        let variable = |name: &str| match &place.folder {
            Some(values) => values.settings.get(name).or_else(|| values.further.get(name)).cloned(),
            None => std::env::var(name).ok(),
        };
        let further = place.folder.iter().flat_map(|values| values.further.keys());
        let slips: Vec<String> = further
            .filter(|key| ["}", ":-"].iter().all(|end| !text.contains(&format!("${{{key}{end}"))))
            .map(|key| unknown(key))
            .collect();
        if !slips.is_empty() {
            return Err(ConfigError(slips));
        }
        let McpConfig { servers, warnings } =
            McpConfig::parse(&text, &variable).map_err(|error| wrong(error.to_string()))?;
        // Anybody can write a folder that somebody is then started in.
        let program = servers.iter().find(|server| matches!(server.reach, ServerReach::Program(_)));
        let error = match exposure {
            Some(Exposure::Foreign) => Some(SecretFileError::Foreign),
            Some(Exposure::Writable) => Some(SecretFileError::Writable),
            Some(Exposure::Readable) | None => None,
        };
        if let (Some(program), Some(error)) = (program, error) {
            return Err(wrong(format!("it starts a program (“{}”), and {error}", program.name)));
        }
        if let Some(program) = program.filter(|_| place.folder.is_some()) {
            return Err(wrong(format!(
                "the server “{}” would start a program, and nobody but the .env of this folder says so: set \
                 BRAIN_MCP_CONFIG in the environment",
                program.name
            )));
        }
        self.warnings.extend(warnings.into_iter().map(|warning| format!("BRAIN_MCP_CONFIG: {warning}")));
        self.servers = servers;
        Ok(self)
    }
}
