//! What may not get into the dependency tree; the same rules as `deny.toml`, checked without a tool to install.

use std::process::Command;

use serde_json::Value;

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap_or_default()
}

#[test]
fn there_is_one_tls_stack_and_one_http_client() {
    let packages = packages();
    for banned in ["openssl", "openssl-sys", "native-tls", "aws-lc-rs", "aws-lc-sys"] {
        assert!(packages.iter().all(|package| name(package) != banned), "{banned} got in");
    }
    assert_eq!(packages.iter().filter(|package| name(package) == "reqwest").count(), 1);
}

#[test]
fn every_licence_is_permissive() {
    let rules = include_str!("../../deny.toml");
    let list = rules.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).expect("an allow list").0;
    let quoted = |text: &'static str| text.split('"').skip(1).step_by(2);
    let allowed: Vec<&str> = quoted(list).collect();
    // A line each: the crate, and what is allowed for it alone.
    let exceptions =
        rules.split_once("exceptions = [").and_then(|(_, rest)| rest.split_once("\n]")).map_or("", |(list, _)| list);
    let exceptions: Vec<Vec<&str>> = exceptions.lines().map(|line| quoted(line).collect()).collect();
    for package in packages() {
        let own = exceptions.iter().find(|line| line.first() == Some(&name(&package)));
        let allowed: Vec<&str> = allowed.iter().chain(own.into_iter().flatten().skip(1)).copied().collect();
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        // An expression is fine when one of its alternatives has only allowed parts.
        let fine = licence.split(" OR ").any(|alternative| {
            let parts = alternative.split(" AND ").map(|part| part.trim_matches(['(', ')', ' ']));
            !alternative.is_empty() && parts.into_iter().all(|part| allowed.contains(&part))
        });
        assert!(fine, "{} has the licence “{licence}”", name(&package));
    }
}

#[test]
fn everything_comes_from_the_registry() {
    for package in packages() {
        let source = package["source"].as_str();
        let fine = source.is_none_or(|source| source.starts_with("registry+"));
        assert!(fine, "{} comes from {source:?}", name(&package));
    }
}
