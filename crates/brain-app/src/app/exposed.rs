//! Who else on this machine may look into what is kept.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::store_path;

/// What to say of a data folder, or of the store in it, that others on this machine may look into.
pub fn exposed(data_dir: &Path) -> Option<String> {
    let of_store = || {
        let store = store_path(data_dir);
        let (mode, shown) = (open_to_others(&store)?, store.display());
        Some(format!(
            "others on this machine may use {shown} (mode {mode:o}), where everything is kept: chmod 600 {shown}"
        ))
    };
    exposed_folder(data_dir).or_else(of_store)
}

/// The same of the folder alone.
pub fn exposed_folder(data_dir: &Path) -> Option<String> {
    let (mode, folder) = (open_to_others(data_dir)?, data_dir.display());
    Some(format!(
        "others on this machine may look into {folder} (mode {mode:o}), where everything is kept: chmod 700 {folder}"
    ))
}

fn open_to_others(path: &Path) -> Option<u32> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};

    use super::*;

    #[test]
    fn a_folder_or_a_store_that_others_may_use_is_told_with_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let (path, store) = (folder.path(), store_path(folder.path()));
        write(&store, "").unwrap();
        let told = |of_folder: u32, of_store: u32| {
            set_permissions(path, Permissions::from_mode(of_folder)).unwrap();
            set_permissions(&store, Permissions::from_mode(of_store)).unwrap();
            exposed(path)
        };
        assert_eq!(told(0o700, 0o600), None);
        let of_folder = told(0o750, 0o644).unwrap();
        assert!(of_folder.contains("(mode 750)") && of_folder.ends_with(&format!("chmod 700 {}", path.display())));
        let of_store = told(0o700, 0o640).unwrap();
        assert!(of_store.contains("(mode 640)") && of_store.ends_with(&format!("chmod 600 {}", store.display())));
    }
}
