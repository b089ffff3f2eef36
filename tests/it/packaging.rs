//! What people are given: the binary says what it is.

use std::path::Path;
use std::process::Command;

use crate::support::program::Program;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The commit that is checked out, where this is a checkout.
fn head() -> Option<String> {
    let run = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).current_dir(here()).output().ok()?;
    let commit = String::from_utf8(run.stdout).ok()?.trim().to_owned();
    (run.status.success() && here().join(".git").exists()).then_some(commit)
}

#[test]
fn the_version_names_commit_and_features() {
    let told = Program::new().run(&["--version"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    let start = concat!("brain-agent ", env!("CARGO_PKG_VERSION"), " (");
    let rest = told.stdout.trim_end().strip_prefix(start).and_then(|rest| rest.strip_suffix(')'));
    let (commit, features) = rest.and_then(|rest| rest.split_once(", ")).unwrap_or_else(|| panic!("{}", told.stdout));
    if let Some(head) = head() {
        // Built of what is here, changed or not.
        assert_eq!(commit.trim_end_matches("-dirty"), format!("commit {head}"));
    } else {
        assert!(commit == "unknown commit" || commit.starts_with("commit "), "{commit}");
    }
    assert_eq!(features, if cfg!(feature = "failpoints") { "feature failpoints" } else { "no features" });
}
