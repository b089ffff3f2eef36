//! `.env`, changed key by key: every other line stays as it is.
//!
//! Invariants: what is written would be read as what was meant, and the program would start with it; what the environment
//! sets is not written, as it would not count.

use std::path::Path;

use anyhow::{Context as _, bail};
use brain_agent::config::Config;
use brain_agent::secret_files;
use secrecy::ExposeSecret as _;

use super::say;

const PATH: &str = ".env";
/// Far more than every setting with its comments.
const BYTES_MAX: usize = 1024 * 1024;

/// Sets these keys; `None` takes one out.
pub(crate) fn set(changes: &[(&str, Option<&str>)]) -> anyhow::Result<()> {
    let env: Vec<(String, String)> = std::env::vars().collect();
    for (key, _) in changes {
        if env.iter().any(|(known, value)| known == key && !value.trim().is_empty()) {
            bail!("{key} is set in the environment, which wins over .env: change it there");
        }
    }
    let after = changed(&text()?, changes)?;
    // What would not start is not written.
    let config = Config::parse(env, pairs(&after)?)?;
    secret_files::write(Path::new(PATH), &after).context(".env cannot be written; it is as it was")?;
    if changes.iter().any(|(key, _)| config.origin.left_out.contains(*key)) {
        config.origin.told().iter().for_each(|told| say(told));
    }
    Ok(())
}

/// What a key is set to, here or in the environment.
pub(crate) fn value(key: &str) -> anyhow::Result<Option<String>> {
    if let Some(value) = std::env::var(key).ok().filter(|value| !value.trim().is_empty()) {
        return Ok(Some(value));
    }
    let found = pairs(&text()?)?.into_iter().rev().find(|(known, _)| known == key);
    Ok(found.map(|(_, value)| value).filter(|value| !value.trim().is_empty()))
}

fn text() -> anyhow::Result<String> {
    match secret_files::read(Path::new(PATH), BYTES_MAX) {
        Ok(file) => Ok(file.text.expose_secret().to_owned()),
        Err(secret_files::SecretFileError::Missing) => Ok(String::new()),
        Err(why) => bail!(".env {why}"),
    }
}

fn changed(text: &str, changes: &[(&str, Option<&str>)]) -> anyhow::Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (key, value) in changes {
        let line = value.map(|value| written(key, value)).transpose()?;
        let sets = |line: &String| {
            let line = line.trim_start();
            let line = line.strip_prefix("export ").unwrap_or(line);
            line.split_once('=').is_some_and(|(known, _)| known.trim() == *key)
        };
        let is_example =
            |line: &String| line.trim_start_matches(['#', ' ']).split_once('=').is_some_and(|(k, _)| k == *key);
        match (lines.iter().position(sets), line) {
            (Some(at), Some(line)) => {
                lines[at] = line;
                // The last one counts, so no other stays.
                let mut seen = false;
                lines.retain(|line| !sets(line) || !std::mem::replace(&mut seen, true));
            }
            (Some(_), None) => lines.retain(|line| !sets(line)),
            (None, Some(line)) => match lines.iter().position(is_example) {
                Some(at) => lines.insert(at + 1, line),
                None => lines.push(line),
            },
            (None, None) => {}
        }
    }
    let mut after = lines.join("\n");
    after.push('\n');
    let read = pairs(&after)?;
    for (key, value) in changes {
        let found = read.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
        if found != *value {
            bail!("{key} cannot be written into .env so that it is read again; set it in the environment instead");
        }
    }
    Ok(after)
}

fn written(key: &str, value: &str) -> anyhow::Result<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=~".contains(c);
    if value.contains(['\n', '\r']) {
        bail!("{key} must be one line");
    }
    Ok(match (value.chars().all(is_plain), value.contains('\'')) {
        (true, _) => format!("{key}={value}"),
        (false, false) => format!("{key}='{value}'"),
        (false, true) => {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
            format!("{key}=\"{escaped}\"")
        }
    })
}

fn pairs(text: &str) -> anyhow::Result<Vec<(String, String)>> {
    let read: Result<Vec<_>, _> = dotenvy::from_read_iter(text.as_bytes()).collect();
    read.map_err(|_| anyhow::anyhow!(".env has a line that cannot be read; the program says which one when it starts"))
}
