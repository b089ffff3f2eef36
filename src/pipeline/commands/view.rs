//! What services show for a command: their own read-only commands, carried out like any other action.

use serde_json::{Value, json};

use crate::core::ids::RunId;
use crate::core::outcome::Outcome;
use crate::core::plan::{Action, Params};
use crate::core::run::{Origin, Progress, Run, Step};
use crate::core::taint::Foreign;
use crate::pipeline::Brain;
use crate::pipeline::execute::{self, Grant};
use crate::ports::Scene;

/// The result of a reading command and the words of others in it, or why there is none. Only what is low stakes is carried out, and nothing
/// of it is journalled: reading twice does no harm.
async fn read(
    brain: &Brain,
    scene: &Scene,
    service: &str,
    command: &str,
    params: Value,
) -> Result<(Value, Vec<Foreign>), String> {
    let params: Params = params.as_object().cloned().unwrap_or_default();
    let action = Action { service: service.to_owned(), command: command.to_owned(), params, ..Action::default() };
    let run = Run {
        id: RunId::new(format!("view-{service}-{command}")),
        origin: Origin::Turn,
        owner: scene.owner.clone(),
        chat: scene.chat.clone(),
        request: String::new(),
        inbox: None,
        reply_to: None,
        started_at: scene.now,
        steps: vec![Step::planned(action, Vec::new())],
    };
    if execute::changes_anything(brain, &run) {
        return Err("that is not for looking at".to_owned());
    }
    let ran = execute::run(brain, scene, run, None, Grant::LowStakes).await.map_err(|error| error.to_string())?;
    let foreign = ran.foreign;
    match ran.run.steps.into_iter().next().map(|step| step.progress) {
        Some(Progress::Done { outcome: Outcome::Succeeded { result } }) => Ok((result, foreign)),
        Some(Progress::Done { outcome: Outcome::Failed { why } | Outcome::Unknown { why } }) => Err(why),
        Some(Progress::Planned | Progress::Started) | None => Err("it did not end".to_owned()),
    }
}

/// What a reading command lists.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub rows: Vec<Value>,
    /// How many more there are.
    pub more: usize,
    /// Words of others in the rows.
    pub foreign: Vec<Foreign>,
}

/// The same as rows of this name.
pub(super) async fn list(
    brain: &Brain,
    scene: &Scene,
    (service, command): (&str, &str),
    params: Value,
    name: &str,
) -> Result<Listed, String> {
    let (result, foreign) = read(brain, scene, service, command, params).await?;
    let rows = result[name].as_array().cloned().unwrap_or_default();
    let more = result["more"].as_u64().and_then(|more| usize::try_from(more).ok()).unwrap_or(0);
    Ok(Listed { rows, more, foreign })
}

/// Everything open on the task list, by deadline.
pub(super) async fn open_tasks(brain: &Brain, scene: &Scene) -> Result<Listed, String> {
    list(brain, scene, ("task", "list"), json!({"status": "open"}), "tasks").await
}
