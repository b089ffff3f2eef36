//! A file that a key names, and what it may do: what the environment names may start programs, what a folder's `.env`
//! names may not, since anybody can write a folder that somebody is then started in. A file that others may write, or put
//! another one in the place of, starts none either, and no variable or header goes where it says.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::process::geteuid;

use super::ConfigError;
use super::reader::{ConfigReader, ValueSource};
use brain_core::limits;
use brain_core::secret_files::{Exposure, SecretFileError, exposure, is_replaceable};

/// A file that a key names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    key: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// What its `${NAME}` stand for when a folder's `.env` named it: that file's values alone. `None`: the environment
    /// named it, and its variables are.
    folder: Option<BTreeMap<String, String>>,
}

impl ConfigReader {
    pub(super) fn named_file(&self, key: &'static str) -> Option<NamedFile> {
        let (path, source) = self.values.get(key)?;
        let of_file = || self.values.iter().filter(|(_, (_, source))| *source == ValueSource::File);
        let folder = match source {
            ValueSource::File => {
                let settings = of_file().map(|(key, (value, _))| (key.clone(), value.clone()));
                Some(settings.chain(self.further.clone()).collect())
            }
            ValueSource::Environment | ValueSource::Given => None,
        };
        // What a shell left as it is: of a quoted value, or in a file.
        let home = path.strip_prefix("~/").zip(std::env::var_os("HOME"));
        let path = home.map_or_else(|| PathBuf::from(path), |(rest, home)| PathBuf::from(home).join(rest));
        Some(NamedFile { key, path, folder })
    }
}

impl NamedFile {
    /// What is wrong with it.
    pub(super) fn wrong(&self, why: impl AsRef<str>) -> ConfigError {
        ConfigError(vec![format!("{}, {}: {}", self.key, self.path.display(), why.as_ref())])
    }

    /// Its text, of at most so many bytes, and why it is not ours alone, where it is not.
    pub(super) fn read(&self, most: u64) -> Result<(String, Option<SecretFileError>), ConfigError> {
        // Before it is opened: a pipe without a writer would be waited for.
        let is_file = std::fs::metadata(&self.path).map_err(|error| self.wrong(error.to_string()))?.is_file();
        if !is_file {
            return Err(self.wrong(format!("it {}", SecretFileError::NotAFile)));
        }
        let mut text = String::new();
        let file = std::fs::File::open(&self.path).map_err(|error| self.wrong(error.to_string()))?;
        let about = file.metadata().map_err(|error| self.wrong(error.to_string()))?;
        let read = file.take(most + 1).read_to_string(&mut text);
        let length = read.map_err(|error| self.wrong(error.to_string()))?;
        if length as u64 > most {
            return Err(self.wrong(format!("it has more than {most} bytes")));
        }
        let why = match exposure(about.uid(), geteuid().as_raw(), about.mode()) {
            Some(Exposure::Foreign) => Some(SecretFileError::Foreign),
            Some(Exposure::Writable) => Some(SecretFileError::Writable),
            Some(Exposure::Readable) | None if is_replaceable(&self.path) => Some(SecretFileError::Replaceable),
            Some(Exposure::Readable) | None => None,
        };
        if let Some(why) = why.as_ref().filter(|_| text.contains("${")) {
            return Err(self.wrong(format!(
                "it names variables (${{…}}), which would go wherever others write, and the file {why}"
            )));
        }
        Ok((text, why))
    }

    /// Refuses what it sends along with requests (`what` has it), where it is not ours alone.
    pub(super) fn may_send(&self, what: Option<String>, why: Option<&SecretFileError>) -> Result<(), ConfigError> {
        match (what, why) {
            (Some(what), Some(why)) => Err(self.wrong(format!(
                "{what} has headers or a secret, which would go wherever others write, and the file {why}"
            ))),
            (None, _) | (_, None) => Ok(()),
        }
    }

    /// Whether a folder's `.env` names it and it names this variable. One that cannot be read is told of when it is.
    pub(super) fn refers_to(&self, name: &str) -> bool {
        let text = || self.read(limits::MCP_FILE_BYTES_MAX).map_or_else(|_| String::new(), |(text, _)| text);
        self.folder.is_some() && ["}", ":-"].iter().any(|end| text().contains(&format!("${{{name}{end}")))
    }

    /// What a `${NAME}` of it stands for.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match &self.folder {
            Some(values) => values.get(name).cloned(),
            None => std::env::var(name).ok(),
        }
    }

    /// Refuses a program that it names, where a folder named the file or it is not ours alone.
    pub(super) fn may_start(&self, program: Option<String>, why: Option<&SecretFileError>) -> Result<(), ConfigError> {
        let Some(program) = program else { return Ok(()) };
        if let Some(why) = why {
            return Err(self.wrong(format!("{program} would start a program, and the file {why}")));
        }
        match &self.folder {
            None => Ok(()),
            Some(_) => Err(self.wrong(format!(
                "{program} would start a program, and nobody but the .env of this folder says so: set {} in the environment",
                self.key
            ))),
        }
    }
}
