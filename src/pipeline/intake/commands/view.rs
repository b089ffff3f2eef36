//! What services show for a command: their own read-only commands, carried out like any other action.

use serde_json::{Value, json};

use crate::core::ids::RunId;
use crate::core::outcome::Outcome;
use crate::core::plan::{Action, Params};
use crate::core::provenance::UntrustedText;
use crate::core::run::{Origin, Progress, Run, Step};
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::execute;
use crate::pipeline::stages::execute::Grant;
use crate::services::service::RequestContext;

/// The result of a reading command and the words of others in it, or why there is none. Only what is low stakes is carried out, and nothing
/// of it is journalled: reading twice does no harm.
async fn read(
    brain: &Brain,
    ctx: &RequestContext,
    service: &str,
    command: &str,
    params: Value,
) -> Result<(Value, Vec<UntrustedText>), String> {
    let params: Params = params.as_object().cloned().unwrap_or_default();
    let action = Action { service: service.to_owned(), command: command.to_owned(), params, ..Action::default() };
    let run = Run {
        id: RunId::new(format!("view-{service}-{command}")),
        origin: Origin::Turn,
        owner: ctx.owner.clone(),
        chat: ctx.chat.clone(),
        request: String::new(),
        inbox: None,
        reply_to: None,
        started_at: ctx.now,
        steps: vec![Step::planned(action, Vec::new())],
    };
    if execute::changes_anything(brain, &run) {
        return Err("that is not for looking at".to_owned());
    }
    let ran = execute::run(brain, ctx, run, None, Grant::LowStakes).await.map_err(|error| error.to_string())?;
    let untrusted = ran.untrusted;
    match ran.run.steps.into_iter().next().map(|step| step.progress) {
        Some(Progress::Done { outcome: Outcome::Succeeded { result } }) => Ok((result, untrusted)),
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
    pub untrusted: Vec<UntrustedText>,
}

/// The same as rows of this name.
pub(super) async fn list(
    brain: &Brain,
    ctx: &RequestContext,
    (service, command): (&str, &str),
    params: Value,
    name: &str,
) -> Result<Listed, String> {
    let (result, untrusted) = read(brain, ctx, service, command, params).await?;
    let rows = result[name].as_array().cloned().unwrap_or_default();
    let more = result["more"].as_u64().and_then(|more| usize::try_from(more).ok()).unwrap_or(0);
    Ok(Listed { rows, more, untrusted })
}

/// Everything open on the task list, by deadline.
pub(super) async fn open_tasks(brain: &Brain, ctx: &RequestContext) -> Result<Listed, String> {
    list(brain, ctx, ("task", "list"), json!({"status": "open"}), "tasks").await
}
