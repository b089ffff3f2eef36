//! What a model is asked and says in a conversation: the stable part of its prompt holds every command there is, what is
//! in sight stands below it, and what it said before in this turn below that.

use futures::future::join;
use minijinja::context;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Dialogue;
use crate::pipeline::commit::Answer;
use crate::pipeline::show::Results;
use crate::pipeline::stages::ask::{self, AnswerChecks, Typed};
use crate::pipeline::stages::honest::{CameTo, Truth};
use crate::pipeline::stages::progressing::Progressing;
use crate::pipeline::stages::speak;
use crate::pipeline::stages::{called, plan, respond};
use crate::pipeline::turn::status;
use brain_core::core::plan::Plan;
use brain_core::core::text::head_and_tail;
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Call, Model, ModelError, Stage};
use brain_core::prompts::{Fixed, Prompt};
use brain_services::services::assistant::AssistantRequest;

/// What a model says in a conversation.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub(super) struct ModelTurn {
    #[serde(flatten)]
    pub plan: Plan,
    /// The id of the card or the draft that the actions take the place of.
    #[serde(default)]
    pub instead_of: Option<String>,
    /// A condition of the message that is not so, in the words of the message.
    #[serde(default)]
    pub unmet: Option<String>,
    /// Words for the person.
    #[serde(default)]
    pub reply: Option<String>,
}

/// Where a question over everything comes to none.
pub(super) fn not_looked_into() -> Answer {
    Answer::says(Path::Clarify, "I could not find out what to look for in that. Could you say it in other words?")
}

impl ModelTurn {
    /// Whether all that it wants is to look into the message: over everything there is, which no round of single looks
    /// finds out.
    pub(super) fn looks_into(&self) -> bool {
        let looks = |planned| matches!(AssistantRequest::of(planned), Some(AssistantRequest::LookInto));
        !self.plan.actions.is_empty() && self.plan.actions.iter().all(looks)
    }
}

impl Dialogue<'_> {
    /// What the model says; `log`: what it said before in this turn, and what came of it. Words for the person are shown
    /// as they come where nothing is to be done before them; `so_far`: what they are beside.
    pub async fn says(&self, log: &str, so_far: Option<&Progressing>) -> Typed<ModelTurn> {
        let turn = self.turn;
        let Some(model) = turn.brain.model.as_deref() else {
            return Typed::Unusable("there is no model".to_owned());
        };
        turn.account.doing(status::thinking());
        let services = turn.brain.services.now();
        let schema = services.conversation_schema(&self.names);
        let Prompt { system, user } = match self.prompt(model, &schema) {
            Ok(prompt) => prompt,
            Err(error) => return Typed::Failed(error),
        };
        let call = Call {
            stage: Stage::Converse,
            system,
            user: [&*user, log].concat().into(),
            schema: Some(schema),
            tokens_max: limits::CONVERSATION_TOKENS_MAX,
            patience: turn.account.patience.clone(),
            meter: turn.account.meter(),
        };
        let misfit = |said: &ModelTurn| plan::misfit(turn.brain, &said.plan);
        let called = |calls: &[_]| {
            Some(ModelTurn { plan: called::plan(&services, &self.names, calls)?, ..ModelTurn::default() })
        };
        let given = respond::given(&turn.facts, &self.context.memories, so_far.map(|so_far| &so_far.results));
        let came_to = so_far.map_or(CameTo::Talk, Progressing::came_to);
        let nothing = Results::default();
        let results = so_far.map_or(&nothing, |so_far| &so_far.results);
        let truth = Truth::of(turn.brain, &turn.facts, results, came_to);
        let write = |to: Option<UnboundedSender<String>>| {
            let checks = AnswerChecks { misfit: &misfit, called: &called };
            let call = call.clone();
            async move {
                let asked = match to {
                    Some(to) => {
                        let (growing, grown) = unbounded_channel();
                        let asking = ask::typed_growing(turn.account, model, call, checks, Some(growing));
                        join(asking, reply_of(grown, to)).await.0
                    }
                    None => ask::typed_growing(turn.account, model, call, checks, None).await,
                };
                match asked {
                    Typed::Failed(error) => Err(error),
                    asked => Ok(asked),
                }
            }
        };
        speak::growing(turn, &given, &truth, write).await.unwrap_or_else(Typed::Failed)
    }

    fn prompt(&self, model: &dyn Model, schema: &AnswerSchema) -> Result<Prompt, ModelError> {
        let turn = self.turn;
        let written = schema.notation();
        let fixed = Fixed {
            of: Some(schema.number()),
            values: || context! { commands => written, actions_max => limits::PLAN_ACTIONS_MAX },
        };
        let sight = turn.facts.sight(&turn.brain.services).data(turn.brain.policy.compression.tokens);
        let known = plan::known_lines(&turn.facts, self.context);
        let changing = |history: &[String], known: &[String]| {
            context! {
                history => ask::lines(history),
                known => ask::lines(known),
                missing => self.context.missing.join(", "),
                sight => ask::lines(&sight.beside()),
                manner => turn.facts.manner(),
                message => head_and_tail(turn.facts.words(), limits::MESSAGE_BYTES_MAX),
            }
        };
        let room = model.reads_tokens_max(Stage::Converse);
        ask::prompt_within(turn.brain, Stage::Converse, fixed, room, (&sight.history, &known), changing)
    }
}

/// Passes on the words for the person while the answer that holds them grows, where it does nothing.
async fn reply_of(mut grown: UnboundedReceiver<String>, to: UnboundedSender<String>) {
    let (mut text, mut passed_on) = (String::new(), 0);
    while let Some(piece) = grown.recv().await {
        text.push_str(&piece);
        // More than one piece may wait.
        while let Ok(piece) = grown.try_recv() {
            text.push_str(&piece);
        }
        let Some(reply) = reply_in(&text) else { continue };
        if let Some(new) = reply.get(passed_on..).filter(|new| !new.is_empty())
            && to.send(new.to_owned()).is_ok()
        {
            passed_on = reply.len();
        }
    }
}

/// The words for the person in the beginning of an answer that does nothing: as far as they are whole characters.
fn reply_in(beginning: &str) -> Option<String> {
    /// `\uD83D\uDE00`, cut before its end.
    const ESCAPE_BYTES: usize = 11;
    let open = &beginning[beginning.find('{')?..];
    // Before that, nothing is read again with each piece.
    open.rfind("\"reply\"")?;
    let cuts = (0..=ESCAPE_BYTES).filter_map(|cut| open.get(..open.len().checked_sub(cut)?));
    let mut read = cuts.filter_map(|cut| serde_json::from_str::<ModelTurn>(&format!("{cut}\"}}")).ok());
    read.next().filter(|said| said.plan.actions.is_empty()).and_then(|said| said.reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_heard_before_their_answer_ends_and_only_where_it_does_nothing() {
        let said = r#"{"actions": [], "question": null, "reply": "Sechs \ud83d\ude00 \"und\" mehr"}"#;
        let heard: Vec<String> = (0..said.len()).filter_map(|end| reply_in(said.get(..end)?)).collect();
        assert!(heard.windows(2).all(|two| two[1].starts_with(&*two[0])), "{heard:?}");
        assert_eq!(heard.last().map(String::as_str), Some("Sechs \u{1F600} \"und\" mehr"));
        for nothing in [
            "",
            "Sure.",
            r#"{"question": "Which"#,
            r#"{"actions": [{"service": "task", "command": "a"}], "reply": "Do"#,
        ] {
            assert_eq!(reply_in(nothing), None, "{nothing}");
        }
    }
}
