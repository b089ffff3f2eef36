//! What people are given: the binary says what it is, and the files around it speak of the same program and places.

use std::path::Path;
use std::process::Command;

use crate::support::program::Program;

const UNIT: &str = include_str!("../../packaging/brain-agent.service");
const DOCKERFILE: &str = include_str!("../../Dockerfile");
const COMPOSE: &str = include_str!("../../compose.yaml");
const INSTALL: &str = include_str!("../../docs/install.md");
/// Where a service keeps its data, in every one of them.
const HOME: &str = "/var/lib/brain-agent";

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether this is a checkout that knows a commit of this name.
fn knows(commit: &str) -> Option<bool> {
    let name = format!("{commit}^{{commit}}");
    let run =
        Command::new("git").args(["rev-parse", "--quiet", "--verify", &name]).current_dir(here()).output().ok()?;
    here().join(".git").exists().then_some(run.status.success())
}

#[test]
fn the_version_names_commit_and_features() {
    let told = Program::new().run(&["--version"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    let start = concat!("brain-agent ", env!("CARGO_PKG_VERSION"), " (");
    let rest = told.stdout.trim_end().strip_prefix(start).and_then(|rest| rest.strip_suffix(')'));
    let (commit, features) = rest.and_then(|rest| rest.split_once(", ")).unwrap_or_else(|| panic!("{}", told.stdout));
    // Built of what is here, changed or not.
    let named = commit.strip_prefix("commit ").map(|name| name.trim_end_matches("-dirty"));
    let is_known = named.and_then(knows);
    assert!(is_known == Some(true) || knows("HEAD").is_none() && is_known != Some(false), "{commit}");
    let all = [("failpoints", cfg!(feature = "failpoints")), ("otel", cfg!(feature = "otel"))];
    let chosen: Vec<&str> = all.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect();
    let expected = match chosen.as_slice() {
        [] => "no features".to_owned(),
        [one] => format!("feature {one}"),
        several => format!("features {}", several.join(", ")),
    };
    assert_eq!(features, expected);
}

/// Cargo hands on what the build script sets to what it runs: `cargo run` would be refused for an unknown setting.
#[test]
fn what_the_build_tells_the_compiler_is_no_setting() {
    let told = include_str!("../../build.rs").split("rustc-env=").skip(1);
    let names: Vec<&str> = told.filter_map(|rest| rest.split('=').next()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| !name.starts_with("BRAIN_")), "{names:?}");
}

/// The value of a key in the unit, the last one that is set.
fn set_in_unit(key: &str) -> Option<&'static str> {
    UNIT.lines().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
}

#[test]
fn the_unit_the_image_and_the_page_name_the_same_places() {
    assert_eq!(set_in_unit("ExecStart"), Some("/usr/local/bin/brain-agent serve"));
    assert_eq!(set_in_unit("WorkingDirectory"), Some(HOME));
    assert_eq!(set_in_unit("StateDirectory").map(|name| format!("/var/lib/{name}")).as_deref(), Some(HOME));
    for (name, text) in [("Dockerfile", DOCKERFILE), ("compose.yaml", COMPOSE), ("docs/install.md", INSTALL)] {
        assert!(text.contains(HOME), "{name} keeps data elsewhere");
    }
    let user = set_in_unit("User").expect("a user of its own");
    assert!(DOCKERFILE.contains(&format!("USER {user}")) && INSTALL.contains(&format!("-u {user}")));
}

#[test]
fn an_image_is_not_built_of_secrets_or_of_what_was_built_before() {
    let ignored = include_str!("../../.dockerignore");
    let lines: Vec<&str> = ignored.lines().collect();
    for left_out in ["/target", "/data/state", "/.env", "/.git"] {
        assert!(lines.contains(&left_out), "{left_out} is copied into the image's build");
    }
}
