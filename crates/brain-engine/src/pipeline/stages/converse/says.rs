//! What a model is asked and says in a conversation: the stable part of its prompt holds every command there is, what is
//! in sight stands below it, and what it said before in this turn below that.

use minijinja::context;
use serde::{Deserialize, Serialize};

use super::Dialogue;
use crate::pipeline::stages::ask::{self, AnswerChecks, Asked};
use crate::pipeline::stages::{called, plan};
use crate::pipeline::turn::status;
use brain_core::core::plan::Plan;
use brain_core::core::text::head_and_tail;
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Model, ModelError, Stage};
use brain_core::prompts::{Fixed, Prompt};

/// What a model says in a conversation.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub(super) struct ModelTurn {
    #[serde(flatten)]
    pub plan: Plan,
    /// The id of the card or the draft that the actions take the place of.
    #[serde(default)]
    pub instead_of: Option<String>,
    /// Words for the person.
    #[serde(default)]
    pub reply: Option<String>,
}

impl Dialogue<'_> {
    /// What the model says; `log`: what it said before in this turn, and what came of it.
    pub async fn says(&self, log: &str) -> Asked<ModelTurn> {
        let turn = self.turn;
        let Some(model) = turn.brain.model.as_deref() else { return Asked::Unusable("there is no model".to_owned()) };
        turn.account.doing(status::thinking());
        let services = turn.brain.services.now();
        let schema = services.conversation_schema(&self.names);
        let prompt = match self.prompt(model, &schema) {
            Ok(Prompt { system, user }) => Prompt { system, user: [&*user, log].concat().into() },
            Err(error) => return Asked::Failed(error),
        };
        let misfit = |said: &ModelTurn| plan::misfit(turn.brain, &said.plan);
        let called = |calls: &[_]| {
            Some(ModelTurn { plan: called::plan(&services, &self.names, calls)?, ..ModelTurn::default() })
        };
        let checks = AnswerChecks { misfit: &misfit, called: &called };
        let tokens = limits::CONVERSATION_TOKENS_MAX;
        ask::typed_fitting(turn.account, model, Stage::Converse, prompt, schema, tokens, checks).await
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
