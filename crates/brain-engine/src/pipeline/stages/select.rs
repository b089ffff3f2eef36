//! Select: what a message is (an order, a question, a remark), and which commands it asks for. Takes the place of
//! `route` where a model plans in steps: the domains follow from the commands.
//!
//! Invariants: it sees the person's own words only, as the router does, and nothing foreign is read before it; the
//! commands that it names bound the plan. What two readers call an order is done at once, what only one of them does is
//! proposed (see [`super::grounding`]). Not here: more commands than a prompt holds ([`super::refine`]), and parameters
//! ([`super::build_params`]).

use std::sync::Arc;

use minijinja::context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{self, Typed};
use super::refine::Refining;
use super::selection::{SelectedCommand, Selection, SpeechAct};
use crate::pipeline::stages::guessed;
use crate::pipeline::stages::guessed::Route;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Model, Stage};
use brain_core::prompts::Fixed;
use brain_language::language::reading::Mood;
use brain_language::language::requests::Understood;
use brain_language::language::routing::{Guess, Kind};
use brain_services::services::catalog::registry::{CatalogExtent, Services, catalog_line};
use brain_services::services::contract::entry::Entry;

/// A guess that is right this often says better than a small model which services a message needs.
const BOUND_FROM: f32 = 0.9;

/// Asks over everything there is, which no single command does.
const INVESTIGATE: &str = "investigate";
/// Answers the question that is open.
const ANSWER: &str = "answer";

#[derive(Debug, Deserialize)]
struct Selected {
    kind: SpeechAct,
    #[serde(default)]
    commands: Vec<Named>,
}

/// A command as a model names it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Named {
    Alone(String),
    Of { command: String, words: String },
}

/// Where the message goes, by a model's choice of commands.
pub(super) async fn route(turn: &Turn<'_>, model: &dyn Model, guess: &Guess) -> Typed<Route> {
    let services = turn.brain.plannable(turn.facts.owner());
    // A guess knows the built-in services alone, so it says nothing where others might be meant.
    let is_guessable = services.iter().all(|service| !service.has_tools());
    let is_sure = guess.kind == Kind::Action && guess.confidence >= BOUND_FROM;
    let is_bound = turn.brain.policy.skip_router && is_guessable && is_sure;
    let all = services.names();
    let offered = if is_bound { guess.domains.clone() } else { all.clone() };
    let offer = SelectionScope::of(&turn.facts, offered);
    if services.extent(&offer.domains) == CatalogExtent::Services {
        return Refining { turn, model, services, offer: &offer, still: None }.route(guess).await;
    }
    // One list for all messages, as long as a prompt holds it.
    let listed = if services.extent(&all) == CatalogExtent::Services { offer.domains.clone() } else { all };
    select(turn, model, &services, &listed, &offer).await.map(|Selected { kind, commands }| {
        let is_named = Pseudo::of(commands.iter().map(Named::name));
        let commands = chosen(commands, turn.facts.words(), &services, &offer);
        settle(&turn.facts, Selection::new(kind, commands), is_named, guess, &services, &offer)
    })
}

async fn select(
    turn: &Turn<'_>,
    model: &dyn Model,
    services: &Services,
    listed: &[String],
    offer: &SelectionScope,
) -> Typed<Selected> {
    let key = [Stage::Select.name().to_owned(), format!("{offer:?}")];
    let schema = services.schema_once(&key, || AnswerSchema::of(offer.shape(services)));
    // The text is the same whatever the shape of this call is.
    let fixed_key: Vec<String> = [Stage::Select.name().to_owned()].into_iter().chain(listed.iter().cloned()).collect();
    let fixed_of = services.schema_once(&fixed_key, || AnswerSchema::of(Value::Null));
    let fixed = Fixed { of: Some(fixed_of.number()), values: || context! { commands => services.catalog(listed) } };
    let sight = turn.facts.sight(&turn.brain.services).control();
    let changing = context! {
        history => ask::lines(&sight.history), sight => ask::lines(&sight.beside()),
        message => guessed::own_message(&turn.facts),
        asked => offer.answers, near => ask::lines(&offer.near(services, &turn.facts, None)),
    };
    match ask::prompt(turn.brain, Stage::Select, fixed, &changing) {
        Ok(prompt) => ask::typed(turn.account, model, Stage::Select, prompt, schema, offer.tokens_max()).await,
        Err(error) => Typed::Failed(error),
    }
}

/// What may be chosen in place of a command or a service.
pub(super) fn pseudo_names(offer: &SelectionScope) -> impl Iterator<Item = &'static str> {
    [INVESTIGATE].into_iter().chain(offer.answers.then_some(ANSWER))
}

impl Named {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Alone(command) | Self::Of { command, .. } => command,
        }
    }
}

/// What is chosen in place of a command or a service.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pseudo {
    answers: bool,
    investigates: bool,
}

impl Pseudo {
    /// Which of them are among these names.
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        names.fold(Self::default(), |pseudo, name| Self {
            answers: pseudo.answers || name == ANSWER,
            investigates: pseudo.investigates || name == INVESTIGATE,
        })
    }

    /// Whether a name is one.
    pub(super) fn is(name: &str) -> bool {
        name == ANSWER || name == INVESTIGATE
    }
}

/// What may be chosen for a message, as far as its words alone tell.
#[derive(Debug, Clone)]
pub(super) struct SelectionScope {
    /// Of these services.
    pub(super) domains: Vec<String>,
    /// Of these commands, where a prompt does not hold all; wherever they are.
    pub(super) shortlist: Option<Vec<Arc<dyn Entry>>>,
    /// So many things are asked for at most, as code reads it.
    pub(super) asks_for: usize,
    /// What only asks changes nothing.
    only_looks: bool,
    /// Something is ordered or wished for.
    orders: bool,
    /// It may answer the question that is open: what is said in full is a request of its own.
    pub(super) answers: bool,
}

impl SelectionScope {
    pub(super) fn of(facts: &TurnFacts, domains: Vec<String>) -> Self {
        let reading = facts.reading();
        let is = |mood: Mood| reading.clauses.iter().filter(move |clause| clause.mood == mood).count();
        let requests = reading.clauses.iter().filter(|clause| clause.mood.is_request()).count();
        let understood = match facts.understood(&[]) {
            Understood::Plan { plan, .. } => plan.actions.len(),
            Understood::Partly { plan, unread, .. } => plan.actions.len() + unread.len(),
            Understood::Ask { .. }
            | Understood::Which { .. }
            | Understood::NotUnderstood { .. }
            | Understood::SmallTalk
            | Understood::TooMuch => 1,
        };
        let is_full = is(Mood::Order) + is(Mood::Wish) + is(Mood::Question) > 0;
        Self {
            domains,
            shortlist: None,
            asks_for: (requests + is(Mood::Question)).max(understood).max(1),
            orders: is(Mood::Order) + is(Mood::Wish) > 0,
            only_looks: is(Mood::Question) > 0 && is(Mood::Question) == reading.clauses.len(),
            answers: facts.state.clarification.is_some() && !is_full,
        }
    }

    /// The same for a part of it, which chooses from these commands.
    pub(super) fn part(&self, service: &str, shortlist: Vec<Arc<dyn Entry>>, asks_for: usize) -> Self {
        Self { domains: vec![service.to_owned()], shortlist: Some(shortlist), asks_for, ..self.clone() }
    }

    /// The commands that share words with the person's own, or with what of them is still to be done, a line each. A
    /// small model takes what stands beside the message, and overlooks one line of a long list.
    pub(super) fn near(&self, services: &Services, facts: &TurnFacts, still: Option<&str>) -> Vec<String> {
        let words = facts.if_own(still.unwrap_or(facts.words()));
        let near = services.near(words, |entry| self.has(entry));
        near.iter().map(|entry| catalog_line(entry.as_ref())).collect()
    }

    fn commands_max(&self) -> usize {
        self.asks_for.min(limits::SELECTED_MAX)
    }

    /// Of the answer: names, and with several of them the words that each covers.
    pub(super) fn tokens_max(&self) -> u32 {
        limits::SELECTION_TOKENS * u32::try_from(self.commands_max()).unwrap_or(1)
    }

    pub(super) fn has(&self, entry: &dyn Entry) -> bool {
        let is_offered = match &self.shortlist {
            Some(entries) => entries.iter().any(|other| catalog_line(other.as_ref()) == catalog_line(entry)),
            None => self.domains.iter().any(|domain| domain == entry.service()),
        };
        is_offered && (entry.may_only_look() || !self.only_looks)
    }

    fn shape(&self, services: &Services) -> Value {
        let mut names = self.names(services);
        names.extend(pseudo_names(self).map(str::to_owned));
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["kind", "commands"],
            "properties": {"kind": {"enum": ["order", "question", "remark"]}, "commands": self.list(&names)},
        })
    }

    /// What may be chosen, by name.
    pub(super) fn names(&self, services: &Services) -> Vec<String> {
        let entries = self.shortlist.clone().unwrap_or_else(|| services.commands(&self.domains)).into_iter();
        let entries = entries.filter(|entry| self.has(entry.as_ref()));
        entries.map(|entry| format!("{}.{}", entry.service(), entry.command())).collect()
    }

    /// The shape of a choice from these names.
    pub(super) fn list(&self, names: &[String]) -> Value {
        let item = match self.commands_max() {
            1 => json!({"enum": names}),
            _ => json!({
                "type": "object", "additionalProperties": false, "required": ["command", "words"],
                "properties": {"command": {"enum": names}, "words": {"type": "string"}},
            }),
        };
        json!({"type": "array", "maxItems": self.commands_max(), "items": item})
    }
}

/// A model's word, checked: commands that do not exist are dropped. `words`: what those cover that name none.
pub(super) fn chosen(
    named: Vec<Named>,
    words: &str,
    services: &Services,
    offer: &SelectionScope,
) -> Vec<SelectedCommand> {
    let commands = named.into_iter().filter_map(|named| {
        let (name, words) = match named {
            Named::Alone(command) => (command, words.to_owned()),
            Named::Of { command, words } => (command, words),
        };
        let (service, command) = name.split_once('.')?;
        services.command(service, command).filter(|entry| offer.has(entry.as_ref()))?;
        Some(SelectedCommand::new(service, command, words))
    });
    let mut commands: Vec<SelectedCommand> = commands.take(limits::SELECTED_MAX).collect();
    commands.dedup_by(|a, b| a.is_same(b));
    commands
}

/// Where a message goes for which these commands were chosen; what names none is what built-in understanding takes it
/// for.
pub(super) fn settle(
    facts: &TurnFacts,
    selection: Selection,
    is_named: Pseudo,
    guess: &Guess,
    services: &Services,
    offer: &SelectionScope,
) -> Route {
    let Selection { said, commands, .. } = selection;
    // What code reads as nothing but a question is one.
    let said = if offer.only_looks { SpeechAct::Question } else { said };
    let kind = match commands.is_empty() {
        true if is_named.answers && facts.state.clarification.is_some() => Kind::Followup,
        // What is asked over everything is no list that one look gives, whatever its words look like.
        true if is_named.investigates && said == SpeechAct::Question => Kind::Investigate,
        // What code takes for an order is not answered by talk.
        true if said == SpeechAct::Order || offer.orders || is_look(facts, services) => Kind::Action,
        true if is_named.investigates => Kind::Investigate,
        // A question is looked up before it is talked about; a remark is talk where both readers take it for that.
        true if said == SpeechAct::Question || guess.kind == Kind::Chat => Kind::Chat,
        true => guess.kind,
        false => Kind::Action,
    };
    let mut domains: Vec<String> = commands.iter().map(|command| command.service.clone()).collect();
    domains.sort();
    domains.dedup();
    if domains.is_empty() && kind != Kind::Chat {
        domains = guess.domains.clone();
    }
    Route { kind, domains, selection: Some(Selection::new(said, commands)) }
}

/// Whether built-in understanding knows what looks it up.
fn is_look(facts: &TurnFacts, services: &Services) -> bool {
    let Understood::Plan { plan, condition: None, .. } = facts.understood(&[]) else { return false };
    services.only_look(&plan.actions)
}
