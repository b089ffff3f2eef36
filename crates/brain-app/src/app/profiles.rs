//! Profiles of models: how many of the probes each answered rightly, by endpoint and model.
//!
//! They lie in a file of the data folder, as `doctor` writes them beside a running program, which reads them when it
//! starts. What cannot be read is found out anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use brain_core::secret_files;

const FILE: &str = "model-profiles.json";
const BYTES_MAX: usize = 64 * 1024;
/// Of twelve probes a capable model misses at most so many.
const MISSES_MAX: usize = 2;

/// What a model came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelProfile {
    /// Probes that were answered rightly.
    pub right: usize,
    /// All of them.
    pub of: usize,
}

impl ModelProfile {
    /// Whether it plans in steps.
    pub fn is_small(self) -> bool {
        self.of.saturating_sub(self.right) > MISSES_MAX
    }
}

/// All that are known, by the labels of their endpoints.
pub fn known(data_dir: &Path) -> BTreeMap<String, ModelProfile> {
    let text = secret_files::read(&path(data_dir), BYTES_MAX).ok();
    text.and_then(|read| serde_json::from_str(read.text.expose_secret()).ok()).unwrap_or_default()
}

/// Keeps what one came to.
pub fn keep(data_dir: &Path, label: &str, profile: ModelProfile) -> std::io::Result<()> {
    let mut all = known(data_dir);
    all.insert(label.to_owned(), profile);
    secret_files::write(&path(data_dir), &serde_json::to_string_pretty(&all)?)
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_came_to_is_kept_by_its_endpoint_and_a_file_that_cannot_be_read_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let profile = |right| ModelProfile { right, of: 12 };
        keep(folder.path(), "a at host:1", profile(11)).unwrap();
        keep(folder.path(), "b at host:1", profile(4)).unwrap();
        let found = known(folder.path());
        assert_eq!(found.values().map(|profile| profile.is_small()).collect::<Vec<_>>(), [false, true]);
        std::fs::write(path(folder.path()), "nonsense").unwrap();
        assert!(known(folder.path()).is_empty());
    }
}
