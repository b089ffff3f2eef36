//! What `brain-agent --version` says: version, commit and features, as `VERSION_AS_BUILT` for the compiler. Cargo
//! hands that on to what it runs, so it may not look like a setting.
//!
//! Run again when HEAD moves and when something changes that the binary is made of, so that what it says is true of the
//! binary at hand. Without git, or in a folder that is no checkout of its own, the commit is what `SOURCE_COMMIT` says (the
//! Dockerfile passes it), else unknown. No failure here fails a build.

#![allow(clippy::print_stdout, reason = "a build script speaks to cargo on standard output")]

use std::path::Path;
use std::process::Command;

/// What the binary is made of. Only a change here makes a commit `-dirty`.
const SOURCES: [&str; 8] = [".cargo", "Cargo.toml", "Cargo.lock", "build.rs", "src", "crates", DATA, "prompts"];
const DATA: &str = "data";

/// Names the commit that a build without git is of.
const COMMIT_VARIABLE: &str = "SOURCE_COMMIT";

fn main() {
    for source in SOURCES.into_iter().filter(|source| *source != DATA) {
        println!("cargo:rerun-if-changed={source}");
    }
    // Without what a program that was started here keeps, which changes all the time.
    let entries = std::fs::read_dir(DATA).into_iter().flatten().flatten().map(|entry| entry.path());
    for source in entries.filter(|path| !path.ends_with("state")) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rerun-if-env-changed={COMMIT_VARIABLE}");
    let commit = checked_out().or_else(|| std::env::var(COMMIT_VARIABLE).ok().filter(|name| !name.trim().is_empty()));
    let commit = match commit {
        Some(name) => format!("commit {}", name.trim()),
        None => "unknown commit".to_owned(),
    };
    let features = match features().as_slice() {
        [] => "no features".to_owned(),
        [one] => format!("feature {one}"),
        several => format!("features {}", several.join(", ")),
    };
    println!("cargo:rustc-env=VERSION_AS_BUILT={} ({commit}, {features})", env!("CARGO_PKG_VERSION"));
}

/// The commit that is checked out here, with `-dirty` where the sources differ from it.
fn checked_out() -> Option<String> {
    // A copy of the sources inside of somebody's repository is not of a commit of that one.
    git(&["rev-parse", "--show-prefix"]).filter(|prefix| prefix.is_empty())?;
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    // While somebody works on it, a commit that changes no file builds nothing anew: the name may be that of the one before.
    let is_given_out = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    for file in ["HEAD", "logs/HEAD"].into_iter().chain(branch.as_deref()).filter(|_| is_given_out) {
        // A file that is not there would run this at every build.
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
    let changes = git(&[["status", "--porcelain", "--"].as_slice(), &SOURCES].concat())?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// What git prints, in one piece; `None` where there is no git, or it refuses.
fn git(arguments: &[&str]) -> Option<String> {
    // Another git that works here at the same time is not held up by a lock of ours.
    let output = Command::new("git").args(arguments).env("GIT_OPTIONAL_LOCKS", "0").output().ok()?;
    let printed = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(printed.trim_end().to_owned())
}

/// The features of this build that somebody chose, by name.
fn features() -> Vec<String> {
    let variables = std::env::vars_os().filter_map(|(key, _)| key.into_string().ok());
    let names = variables.filter_map(|key| Some(key.strip_prefix("CARGO_FEATURE_")?.to_lowercase().replace('_', "-")));
    let mut names: Vec<String> = names.filter(|name| name != "default").collect();
    names.sort();
    names
}
