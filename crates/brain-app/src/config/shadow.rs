//! `BRAIN_SHADOW`: a file with the settings of a second set of models or prompts that takes turns beside the real one.
//!
//! It is written like `.env`, and what it does not set is as in the rest of the configuration. Invariant: where it names
//! another endpoint, nothing of the first one goes there: neither its keys nor its prices.

use std::path::Path;

use super::file::{self, SettingsFile};
use super::reader::{ConfigReader, ValueSource};
use super::{Config, ConfigError};

/// The settings that such a file may hold, by how they begin.
const OF_SHADOWS: [&str; 9] = [
    "LLM_",
    "BRAIN_PROMPTS_DIR",
    "BRAIN_PLANNING",
    "BRAIN_SCHEMAS",
    "BRAIN_SKIP_",
    "BRAIN_RESPOND",
    "BRAIN_TASK",
    "BRAIN_COMPRESS",
    "BRAIN_KEEP_ANSWERS",
];

type Layers = [(ValueSource, Vec<(String, String)>)];

/// The configuration of the shadow that `reader` names, if it names one.
pub(super) fn read(
    reader: &ConfigReader,
    layers: &Layers,
    env_file: &Path,
) -> Result<Option<Box<Config>>, ConfigError> {
    let Some((path, _)) = reader.values.get("BRAIN_SHADOW") else { return Ok(None) };
    let wrong = |why: String| ConfigError(vec![format!("BRAIN_SHADOW: {why}")]);
    if !Path::new(path).exists() {
        return Err(wrong("there is no such file".to_owned()));
    }
    let named = |problem: String| problem.replace(".env", path);
    let SettingsFile { values, warnings } =
        file::read(Path::new(path)).map_err(|problems| ConfigError(problems.into_iter().map(named).collect()))?;
    let others = values.iter().map(|(key, _)| key).filter(|key| !OF_SHADOWS.iter().any(|begin| key.starts_with(begin)));
    let others: Vec<&str> = others.map(String::as_str).collect();
    if !others.is_empty() {
        let others = others.join(", ");
        return Err(wrong(format!(
            "{others}: a shadow differs in its models (LLM_…), its prompts (BRAIN_PROMPTS_DIR) and how it plans alone"
        )));
    }
    if values.is_empty() {
        return Err(wrong("it sets nothing that a shadow could do another way, such as LLM_MODEL".to_owned()));
    }
    let is_kept = reader.values.get("BRAIN_KEEP_CONTENTS").is_some_and(|(kept, _)| kept != "0");
    if !is_kept {
        return Err(wrong(
            "what a shadow comes to is kept with the contents of turns: set BRAIN_KEEP_CONTENTS".to_owned(),
        ));
    }
    let goes_elsewhere = values.iter().any(|(key, _)| key.starts_with("LLM_BASE_URL"));
    let first = reader.values.keys().filter(|key| goes_elsewhere && key.starts_with("LLM_"));
    let unset = first.cloned().chain(["BRAIN_SHADOW".to_owned()]).map(|key| (key, String::new()));
    let over = (ValueSource::Given, unset.chain(values).collect());
    let layers = layers.iter().cloned().chain([over]);
    let (config, _) = Config::layered(layers.collect(), env_file).map_err(|ConfigError(problems)| {
        ConfigError(problems.into_iter().map(|why| format!("{path}: {why}")).collect())
    })?;
    let warnings = warnings.into_iter().map(named).collect();
    Ok(Some(Box::new(Config { warnings, ..config })))
}
