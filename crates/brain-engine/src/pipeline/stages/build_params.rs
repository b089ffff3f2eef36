//! Build params: the parameters of the commands that were selected, one small call a command, side by side.
//!
//! A call gets the words of its part, what is in sight, what of the person's data fits its command, the command's
//! parameters that the message can ground ([`brain_services::services::planning::grounded_schema`]), and one example. Nothing read here chooses
//! what is done: the person's own words did that before. A command that needs nothing said asks nobody.

use chrono::{DateTime, Utc};
use futures::future::join_all;
use minijinja::context;
use serde_json::Value;

use super::ask::{self, AnswerChecks, Typed};
use super::context::{Context, ContextItem};
use super::grounding;
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::selection::{SelectedCommand, Selection};
use crate::pipeline::stages::topic;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::plan::{Params, Plan, PlannedAction};
use brain_core::core::text::{head_and_tail, shorten};
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Model, Planning, Stage};
use brain_core::prompts::Fixed;
use brain_language::language::grounding::{Ground, telling_stems, without_placeholders};
use brain_language::language::reading::Mood;
use brain_language::language::requests::{self, ParseInput};
use brain_language::language::time::{self, Reference};
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::catalog::registry::CatalogExtent;
use brain_services::services::contract::entry::Entry;
use brain_services::services::contract::schema::notation;
use brain_services::services::planning::grounded_schema::offered;

/// The moment that the times of examples are relative to: a Monday morning.
const EXAMPLE_AT: &str = "2026-01-12T09:00:00Z";

/// The commands whose parameters are to be filled in one by one; `None` where one call plans everything, which it does
/// as long as it can hold them.
pub(super) fn commands(brain: &Brain, facts: &TurnFacts, topic: &Topic<'_>) -> Option<Vec<SelectedCommand>> {
    let commands = chosen(facts, topic)?;
    let is_new = topic.amends.is_none() && topic.answers.is_none();
    let whole = match brain.planning() {
        Planning::Whole | Planning::Conversation => true,
        Planning::Auto => is_new && facts.reading().has(&[Mood::Condition]),
        Planning::Steps => false,
    };
    let domains = || commands.iter().map(|command| command.service.clone()).collect::<Vec<_>>();
    let is_whole = whole && brain.services.now().extent(&domains()) == CatalogExtent::Schemas;
    (!is_whole).then_some(commands)
}

/// The commands that are chosen already.
fn chosen(facts: &TurnFacts, topic: &Topic<'_>) -> Option<Vec<SelectedCommand>> {
    if topic.round.is_some() {
        return Some(topic.selection?.commands.clone());
    }
    if let Some(amended) = topic.amends {
        let [PlannedAction { service, command, .. }] = amended.actions.as_slice() else { return None };
        let words = facts.words().to_owned();
        let again = SelectedCommand::new(service, command, words);
        return amended.card.is_none().then(|| vec![again]);
    }
    if let Some(question) = topic.answers {
        let (partial, _) = question.partial.as_ref()?;
        let words = topic::request(facts, topic);
        let again = SelectedCommand::new(&partial.service, &partial.command, words);
        return question.rest.actions.is_empty().then(|| vec![again]);
    }
    let Selection { commands, .. } = topic.selection?;
    (!commands.is_empty()).then(|| commands.clone())
}

/// The plan of these commands.
pub(super) async fn plan(
    turn: &Turn<'_>,
    model: &dyn Model,
    commands: &[SelectedCommand],
    known: &Context,
    topic: &Topic<'_>,
) -> Typed<Plan> {
    let reference = turn.facts.reference();
    let reading = turn.facts.reading();
    let ground = grounding::ground(turn.brain, &turn.facts, topic, reading, &reference, grounding::Reach::ThisMessage);
    let filling = Filling { turn, model, known, topic, ground: &ground };
    let is_part = topic.selection.is_some_and(|selection| selection.is_part);
    let several = commands.len() > 1 || is_part || topic.round.is_some();
    let filled = join_all(commands.iter().map(|command| filling.filled(command, several))).await;
    let mut plan = Plan::default();
    for action in filled {
        match action {
            Typed::Answer(action) => plan.actions.push(action),
            Typed::Unusable(why) => return Typed::Unusable(why),
            Typed::Failed(error) => return Typed::Failed(error),
        }
    }
    Typed::Answer(plan)
}

struct Filling<'a> {
    turn: &'a Turn<'a>,
    model: &'a dyn Model,
    known: &'a Context,
    topic: &'a Topic<'a>,
    ground: &'a Ground<'a>,
}

impl Filling<'_> {
    async fn filled(&self, command: &SelectedCommand, several: bool) -> Typed<PlannedAction> {
        let SelectedCommand { service, command: name, words, after, .. } = command;
        let of = |params: Params| PlannedAction {
            service: service.clone(),
            command: name.clone(),
            params,
            depends_on: after.clone(),
            ..PlannedAction::default()
        };
        let Some(entry) = self.turn.brain.services.command(service, name) else {
            return Typed::Answer(of(Params::new()));
        };
        // What holds words of this message is not kept: it would push out what every turn asks for.
        let schema = match self.turn.brain.offers_whole_schemas() {
            true => self.whole_schema(entry.as_ref()),
            false => AnswerSchema::of(offered(entry.as_ref(), self.ground)),
        };
        let has_properties = schema.value()["properties"].as_object().is_some_and(|properties| !properties.is_empty());
        if !has_properties {
            return Typed::Answer(of(Params::new()));
        }
        self.asked(entry.as_ref(), schema, words, several).await.map(of)
    }

    fn whole_schema(&self, entry: &dyn Entry) -> AnswerSchema {
        let key = [Stage::BuildParams.name().to_owned(), format!("{}.{}", entry.service(), entry.command())];
        self.turn.brain.services.now().schema_once(&key, || AnswerSchema::of(entry.schema()))
    }

    async fn asked(&self, entry: &dyn Entry, schema: AnswerSchema, words: &str, several: bool) -> Typed<Params> {
        let turn = self.turn;
        turn.account.doing(status::planning(&turn.brain.services.now(), &[entry.service().to_owned()]));
        let whole = entry.schema();
        let command = format!("{}.{}", entry.service(), entry.command());
        let fixed_of = self.whole_schema(entry);
        let values = || {
            let example =
                example(turn.brain, &turn.facts, entry).map(|params| format!("{} → {params}", entry.example()));
            context! {
                command => command.as_str(), summary => entry.summary(), params => notation(&whole), example,
                composes => !entry.kinds().composed.is_empty(), refers => !entry.references().is_empty(),
            }
        };
        let fixed = Fixed { of: Some(fixed_of.number()), values };
        let known = self.fitting(entry, words);
        let question = self.topic.answers.is_some();
        let card = self.topic.amends.and_then(|amended| amended.card).map(|card| &card.id);
        let sight = turn.facts.sight_beside(&turn.brain.services, question, card).data(limits::FITTING_HISTORY_TOKENS);
        let part = several.then_some(words);
        let results = turn.brain.policy.of_rounds(self.topic.round.map_or(&[], |(results, _)| results));
        let changing = |history: &[String], known: &[String]| {
            context! {
                history => ask::lines(history),
                sight => ask::lines(&sight.beside()),
                known => ask::lines(known),
                results => ask::lines(&results),
                earlier => topic::earlier(self.topic),
                message => head_and_tail(turn.facts.words(), limits::MESSAGE_BYTES_MAX),
                part,
            }
        };
        let room = self.model.reads_tokens_max(Stage::BuildParams);
        let prompt =
            ask::prompt_within(turn.brain, Stage::BuildParams, fixed, room, (&sight.history, &known), changing);
        match prompt {
            Ok(prompt) => {
                let misfit = |params: &Params| entry.check(params.clone()).err()?.for_planner();
                let reading = AnswerChecks { misfit: &misfit, called: &|calls| Some(params_of(calls.first()?)) };
                ask::typed_fitting(
                    turn.account,
                    self.model,
                    Stage::BuildParams,
                    prompt,
                    schema,
                    tokens_max(entry, turn.facts.words()),
                    reading,
                )
                .await
            }
            Err(error) => Typed::Failed(error),
        }
    }

    /// The person's things that a command of this service may mean, those first that the words fit.
    fn fitting(&self, entry: &dyn Entry, said: &str) -> Vec<String> {
        if entry.references().iter().all(|name| entry.schema()["properties"].get(*name).is_none()) {
            return Vec::new();
        }
        let said = telling_stems(said);
        let mut own: Vec<(usize, &ContextItem)> = self
            .known
            .items
            .iter()
            .filter(|item| item.service == entry.service())
            .map(|item| (telling_stems(&item.line).intersection(&said).count(), item))
            .collect();
        own.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        own.truncate(limits::FITTING_ITEMS_MAX);
        let shown = |item: &ContextItem| Some(format!("{}: {}", item.id.as_ref()?, shorten(&item.line, 160)));
        own.into_iter().filter_map(|(_, item)| shown(item)).collect()
    }
}

/// What a model wrote as it was meant: an id counts however it was copied (with the service before it, in brackets,
/// with the line behind it), and a letter has no places held open.
pub(super) fn mend(known: &Context, entry: &dyn Entry, facts: &TurnFacts, params: &mut Params) {
    for name in entry.kinds().composed {
        if let Some(Value::String(text)) = params.get_mut(*name) {
            *text = without_placeholders(text, facts.words());
        }
    }
    let ids = || known.items.iter().filter(|item| item.service == entry.service()).filter_map(|item| item.id.as_ref());
    for name in entry.references() {
        let Some(Value::String(value)) = params.get_mut(*name) else { continue };
        let is_id = |word: &&str| ids().any(|id| id == word);
        let mut named = value.split(|c: char| c.is_whitespace() || "[](){}\"“”:,".contains(c)).filter(is_id);
        // Several mean each of them, and a day behind one is that day of a series.
        let (Some(id), None) = (named.next().map(str::to_owned), named.next()) else { continue };
        let day = value.split_once(&id).and_then(|(_, behind)| {
            let found = time::find(behind, &facts.reference());
            let day = behind.get(found.first()?.span.clone())?;
            // More is the line that was copied.
            (day == behind.trim()).then(|| day.to_owned())
        });
        *value = day.map_or(id.clone(), |day| format!("{id} {day}"));
    }
}

/// Values are words of the message, so an answer that is much longer than it goes in circles.
fn tokens_max(entry: &dyn Entry, message: &str) -> u32 {
    let composed = if entry.kinds().composed.is_empty() { 0 } else { limits::COMPOSED_TOKENS_MAX };
    let said = u32::try_from(message.len() / 2).unwrap_or(u32::MAX);
    limits::PARAMS_TOKENS.saturating_add(composed).saturating_add(said).min(limits::PARAMS_TOKENS_MAX)
}

fn params_of(call: &brain_core::ports::ToolCall) -> Params {
    call.arguments.as_object().map(|map| map.clone().into_iter().collect()).unwrap_or_default()
}

/// The parameters of a command's own example, with its times as words.
fn example(brain: &Brain, facts: &TurnFacts, entry: &dyn Entry) -> Option<String> {
    let at: DateTime<Utc> = EXAMPLE_AT.parse().ok()?;
    let reference = Reference { now: at, ..facts.reference() };
    let services = brain.services.now();
    let phrases = services.phrases();
    let hearing = ParseInput { phrases: &phrases, ..ParseInput::new(entry.example(), &reference, BUILDERS) };
    let plan = requests::plan(&hearing, &[entry.service().to_owned()]).into_plan()?;
    let [action] = plan.actions.as_slice() else { return None };
    (action.command == entry.command()).then(|| Value::Object(action.params.clone().into_iter().collect()).to_string())
}
