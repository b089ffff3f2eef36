//! Prompts: one file a stage in `prompts/`, embedded in the binary, replaceable from a folder.
//!
//! A file has two parts, divided by a line `---`: the system message, which is the same for every call of a
//! stage with the same domains (so that an endpoint can reuse its prefix), and the user message with what
//! changes. Words of people and fetched texts go in as values; they are never read as template.

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use crate::ports::Stage;

/// The stages that have a prompt.
const EMBEDDED: [(Stage, &str); 4] = [
    (Stage::Route, include_str!("../prompts/route.md")),
    (Stage::Plan, include_str!("../prompts/plan.md")),
    (Stage::Reflect, include_str!("../prompts/reflect.md")),
    (Stage::Respond, include_str!("../prompts/respond.md")),
];

const DIVIDER: &str = "\n---\n";

/// All prompts, parsed.
#[derive(Debug)]
pub struct Prompts {
    templates: Environment<'static>,
}

/// What is wrong with a prompt file.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// It cannot be read.
    #[error("the prompt {path} cannot be read: {cause}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// It is no prompt.
    #[error("the prompt {stage} is not usable: {why}")]
    Unusable {
        /// Which stage.
        stage: Stage,
        /// Why.
        why: String,
    },
}

impl Prompts {
    /// The embedded prompts, each replaced by the file of the same name in `folder` where there is one.
    pub fn load(folder: Option<&Path>) -> Result<Self, PromptError> {
        let mut templates = Environment::new();
        templates.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().unwrap_or_default());
        for (stage, embedded) in EMBEDDED {
            let text = match folder.map(|folder| folder.join(format!("{stage}.md"))) {
                Some(path) if path.exists() => std::fs::read_to_string(&path)
                    .map_err(|cause| PromptError::Unreadable { path: path.display().to_string(), cause })?,
                Some(_) | None => embedded.to_owned(),
            };
            let unusable = |why: String| PromptError::Unusable { stage, why };
            let Some((system, user)) = text.split_once(DIVIDER) else {
                return Err(unusable("it needs a line --- between the fixed and the changing part".to_owned()));
            };
            for (part, source) in [("system", system), ("user", user)] {
                templates
                    .add_template_owned(format!("{stage}/{part}"), source.trim().to_owned())
                    .map_err(|cause| unusable(cause.to_string()))?;
            }
        }
        Ok(Self { templates })
    }

    /// The system and the user message of a stage.
    pub fn render(&self, stage: Stage, fixed: &Value, changing: &Value) -> Result<(String, String), PromptError> {
        let part = |name: &str, values: &Value| {
            self.templates
                .get_template(&format!("{stage}/{name}"))
                .and_then(|template| template.render(values))
                .map_err(|cause| PromptError::Unusable { stage, why: cause.to_string() })
        };
        Ok((part("system", fixed)?, part("user", changing)?))
    }
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    #[test]
    fn the_words_of_a_person_are_never_a_template() {
        let prompts = Prompts::load(None).unwrap();
        let (_, user) = prompts
            .render(
                Stage::Route,
                &context! {},
                &context! { history => ["{{ 7 * 7 }}"], message => "{% for x in y %}{{ secret }}" },
            )
            .unwrap();
        assert!(user.contains("{{ 7 * 7 }}") && user.contains("{% for x in y %}{{ secret }}"));
    }

    #[test]
    fn a_prompt_of_the_folder_replaces_the_embedded_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("route.md"), "Fixed.\n---\nSays: {{ message }}").unwrap();
        let prompts = Prompts::load(Some(folder.path())).unwrap();
        let (system, user) = prompts.render(Stage::Route, &context! {}, &context! { message => "hi" }).unwrap();
        assert_eq!((system.as_str(), user.as_str()), ("Fixed.", "Says: hi"));
        std::fs::write(folder.path().join("route.md"), "no divider").unwrap();
        assert!(Prompts::load(Some(folder.path())).is_err());
    }
}
