//! The crates that are linked into the binary, with their licences, as those ask for: each text once, with the crates it
//! belongs to.
//!
//! Which crates: what the root package reaches by ordinary dependencies, on Linux. What only builds, tests or makes code
//! at compile time (procedural macros, build scripts) is in no binary. That every licence is one we may use is asserted by
//! `tests/it/dependencies.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

/// How a file with a licence or a notice begins.
const TEXTS: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// What cargo knows of the crates, with the features and the target of an archive.
pub(super) fn metadata() -> anyhow::Result<Value> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    anyhow::ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The whole file.
pub(super) fn notices(metadata: &Value) -> anyhow::Result<String> {
    let linked = linked(metadata)?;
    let packages = list(&metadata["packages"]).filter(|package| linked.contains(text(&package["id"])));
    let mut foreign: Vec<&Value> = packages.filter(|package| !package["source"].is_null()).collect();
    foreign.sort_by_key(|package| (text(&package["name"]), text(&package["version"])));

    let mut file = format!("Brain Agent contains {} crates by others, under these licences.\n\n", foreign.len());
    let mut texts: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for package in &foreign {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let licence = package["license"].as_str().unwrap_or("see its text below");
        let _ = writeln!(file, "{name} {version}: {licence}\n    {}", origin(package));
        for words in texts_of(package)? {
            texts.entry(words).or_default().insert(name);
        }
    }
    for (words, crates) in texts {
        let crates: Vec<&str> = crates.into_iter().collect();
        let _ = write!(file, "\n{}\n{}\n\n{words}\n", "-".repeat(80), crates.join(", "));
    }
    Ok(file)
}

/// Where a crate comes from, and who wrote it where nothing else says so.
fn origin(package: &Value) -> String {
    let place = ["repository", "homepage"].into_iter().find_map(|key| package[key].as_str());
    let authors: Vec<&str> = list(&package["authors"]).map(text).collect();
    match place {
        Some(place) => place.to_owned(),
        None => authors.join(", "),
    }
}

/// What a crate brings of licences and notices, line ends aside.
fn texts_of(package: &Value) -> anyhow::Result<Vec<String>> {
    let folder = Path::new(text(&package["manifest_path"])).parent().context("a manifest lies in a folder")?;
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && TEXTS.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    let read = |path| Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n").trim().to_owned());
    files.into_iter().map(read).collect()
}

/// The ids of what the root package is linked with, itself included.
fn linked(metadata: &Value) -> anyhow::Result<BTreeSet<&str>> {
    let makes_code: BTreeSet<&str> = list(&metadata["packages"])
        .filter(|package| {
            list(&package["targets"]).any(|target| list(&target["kind"]).any(|kind| kind == "proc-macro"))
        })
        .map(|package| text(&package["id"]))
        .collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let root = metadata["resolve"]["root"].as_str().context("a root package")?;
    let (mut found, mut ahead) = (BTreeSet::new(), vec![root]);
    while let Some(id) = ahead.pop() {
        if makes_code.contains(id) || !found.insert(id) {
            continue;
        }
        let is_linked = |needed: &&Value| list(&needed["dep_kinds"]).any(|kind| kind["kind"].is_null());
        let needed = list(&nodes.get(id).context("a resolved package")?["deps"]).filter(is_linked);
        ahead.extend(needed.map(|needed| text(&needed["pkg"])));
    }
    Ok(found)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_with_its_notice_and_what_only_builds_or_tests_is_not() {
        let file = notices(&metadata().unwrap()).unwrap();
        let listed = |name: &str| file.lines().any(|line| line.starts_with(name) && line.contains(": "));
        assert!(listed("ring ") && listed("tokio ") && listed("colored ") && listed("rustls "), "{file}");
        assert!(!listed("proptest ") && !listed("clap_mangen ") && !listed("serde_derive ") && !listed("brain-core "));
        assert!(file.contains("Tokio Contributors"), "texts are there");
    }
}
