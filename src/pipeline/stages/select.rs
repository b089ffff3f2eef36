//! Select: what a message is (an order, a question, a remark), and which commands it asks for. Takes the place of
//! `route` where a model plans in steps: the domains follow from the commands.
//!
//! Invariants: it sees the person's own words only, as the router does, and nothing foreign is read before it; the
//! commands that it names bound the plan. What two readers call an order is done at once, what only one of them does is
//! proposed (see [`super::grounding`]). Not here: parameters ([`super::build_params`]).

use std::sync::Arc;

use minijinja::context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{self, Asked};
use super::route;
use super::selection::{Said, SelectedCommand, Selection};
use crate::language::reading::Mood;
use crate::language::requests::Understood;
use crate::language::routing::{Guess, Kind};
use crate::limits;
use crate::pipeline::stages::guessed;
use crate::pipeline::stages::guessed::Route;
use crate::pipeline::turn::{Turn, TurnFacts};
use crate::ports::{AnswerSchema, Model, Stage};
use crate::prompts::Fixed;
use crate::services::entry::Entry;
use crate::services::registry::{CatalogExtent, Services, catalog_line};

/// A guess that is right this often says better than a small model which services a message needs.
const BOUND_FROM: f32 = 0.9;

/// Asks over everything there is, which no single command does.
const INVESTIGATE: &str = "investigate";
/// Answers the question that is open.
const ANSWER: &str = "answer";

#[derive(Debug, Deserialize)]
struct Selected {
    kind: Said,
    #[serde(default)]
    commands: Vec<Named>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Named {
    Alone(String),
    Of { command: String, words: String },
}

/// Where the message goes, by a model's choice of commands.
pub(super) async fn route(turn: &Turn<'_>, model: &dyn Model, guess: &Guess) -> Asked<Route> {
    let services = turn.brain.services.open_to(turn.facts.owner());
    let mut domains = services.names();
    let is_long = services.extent(&domains) == CatalogExtent::Services;
    if is_long {
        match route::by_model(turn, model, guess).await {
            Asked::Answer(route) if route.kind == Kind::Action && !route.domains.is_empty() => domains = route.domains,
            other => return other,
        }
    }
    let is_bound = turn.brain.policy.skip_router && guess.kind == Kind::Action && guess.confidence >= BOUND_FROM;
    let offered = if is_bound { guess.domains.clone() } else { domains.clone() };
    let mut shortlist = is_long.then(|| services.shortlist(turn.facts.words(), &offered));
    if let (true, Some(entries)) = (is_bound, &mut shortlist) {
        entries.retain(|entry| offered.iter().any(|domain| domain == entry.service()));
    }
    let offer = SelectionScope::of(&turn.facts, offered, shortlist);
    let selected = select(turn, model, &services, &domains, &offer).await;
    selected.map(|selected| settle(&turn.facts, selected, guess, &services, &offer))
}

async fn select(
    turn: &Turn<'_>,
    model: &dyn Model,
    services: &Services,
    domains: &[String],
    offer: &SelectionScope,
) -> Asked<Selected> {
    let schema = match &offer.shortlist {
        // It is another one for each message.
        Some(_) => AnswerSchema::of(offer.shape(services)),
        None => {
            let key = [Stage::Select.name().to_owned(), format!("{offer:?}")];
            services.schema_once(&key, || AnswerSchema::of(offer.shape(services)))
        }
    };
    // The text is the same whatever the shape of this call is.
    let fixed_key: Vec<String> = [Stage::Select.name().to_owned()].into_iter().chain(domains.iter().cloned()).collect();
    let fixed_of = services.schema_once(&fixed_key, || AnswerSchema::of(Value::Null));
    let commands = || match &offer.shortlist {
        Some(entries) => entries.iter().map(|entry| catalog_line(entry.as_ref())).collect::<Vec<_>>().join("\n"),
        None => services.catalog(domains),
    };
    let values = || context! { commands => commands() };
    let fixed = Fixed { of: offer.shortlist.is_none().then(|| fixed_of.number()), values };
    let changing = context! {
        history => ask::lines(&guessed::history(turn.brain, &turn.facts)), message => guessed::own_message(&turn.facts), asked => offer.answers,
    };
    match ask::prompt(turn.brain, Stage::Select, fixed, &changing) {
        Ok(prompt) => ask::typed(turn.account, model, Stage::Select, prompt, schema, offer.tokens_max()).await,
        Err(error) => Asked::Failed(error),
    }
}

/// What may be chosen for a message, as far as its words alone tell.
#[derive(Debug, Clone)]
struct SelectionScope {
    /// Of these services.
    domains: Vec<String>,
    /// Of these commands, where a prompt does not hold all; wherever they are.
    shortlist: Option<Vec<Arc<dyn Entry>>>,
    /// At most so many commands.
    commands_max: usize,
    /// What only asks changes nothing.
    only_looks: bool,
    /// Something is ordered or wished for.
    orders: bool,
    /// It may answer the question that is open: what is said in full is a request of its own.
    answers: bool,
}

impl SelectionScope {
    fn of(facts: &TurnFacts, domains: Vec<String>, shortlist: Option<Vec<Arc<dyn Entry>>>) -> Self {
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
            shortlist,
            commands_max: (requests + is(Mood::Question)).max(understood).clamp(1, limits::SELECTED_MAX),
            orders: is(Mood::Order) + is(Mood::Wish) > 0,
            only_looks: is(Mood::Question) > 0 && is(Mood::Question) == reading.clauses.len(),
            answers: facts.state.clarification.is_some() && !is_full,
        }
    }

    /// Of the answer: names, and with several of them the words that each covers.
    fn tokens_max(&self) -> u32 {
        limits::SELECTION_TOKENS * u32::try_from(self.commands_max).unwrap_or(1)
    }

    fn has(&self, entry: &dyn Entry) -> bool {
        let is_offered = match &self.shortlist {
            Some(entries) => entries.iter().any(|other| catalog_line(other.as_ref()) == catalog_line(entry)),
            None => self.domains.iter().any(|domain| domain == entry.service()),
        };
        is_offered && !(self.only_looks && entry.writes())
    }

    fn shape(&self, services: &Services) -> Value {
        let entries = self.shortlist.clone().unwrap_or_else(|| services.commands(&self.domains)).into_iter();
        let entries = entries.filter(|entry| self.has(entry.as_ref()));
        let names = entries.map(|entry| format!("{}.{}", entry.service(), entry.command()));
        let answer = self.answers.then(|| ANSWER.to_owned());
        let names: Vec<String> = names.chain([INVESTIGATE.to_owned()]).chain(answer).collect();
        let item = match self.commands_max {
            1 => json!({"enum": names}),
            _ => json!({
                "type": "object", "additionalProperties": false, "required": ["command", "words"],
                "properties": {"command": {"enum": names}, "words": {"type": "string"}},
            }),
        };
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["kind", "commands"],
            "properties": {
                "kind": {"enum": ["order", "question", "remark"]},
                "commands": {"type": "array", "maxItems": self.commands_max, "items": item},
            },
        })
    }
}

/// A model's word, checked: commands that do not exist are dropped, and what names none is what built-in understanding
/// takes it for.
fn settle(facts: &TurnFacts, selected: Selected, guess: &Guess, services: &Services, offer: &SelectionScope) -> Route {
    let Selected { kind, commands: named } = selected;
    // What code reads as nothing but a question is one.
    let said = if offer.only_looks { Said::Question } else { kind };
    let named: Vec<(String, String)> = named
        .into_iter()
        .map(|named| match named {
            Named::Alone(command) => (command, facts.words().to_owned()),
            Named::Of { command, words } => (command, words),
        })
        .collect();
    let is_named = |name: &str| named.iter().any(|(command, _)| command == name);
    let commands = named.iter().filter_map(|(name, words)| {
        let (service, command) = name.split_once('.')?;
        services.command(service, command).filter(|entry| offer.has(entry.as_ref()))?;
        Some(SelectedCommand { service: service.to_owned(), command: command.to_owned(), words: words.clone() })
    });
    let mut commands: Vec<SelectedCommand> = commands.take(limits::SELECTED_MAX).collect();
    commands.dedup_by(|a, b| (&a.service, &a.command) == (&b.service, &b.command) && a.words == b.words);
    let kind = match commands.is_empty() {
        true if is_named(ANSWER) && facts.state.clarification.is_some() => Kind::Followup,
        // What code takes for an order is not answered by talk.
        true if said == Said::Order || offer.orders || is_look(facts, services) => Kind::Action,
        true if is_named(INVESTIGATE) => Kind::Investigate,
        // A question is looked up before it is talked about; a remark is talk where both readers take it for that.
        true if said == Said::Question || guess.kind == Kind::Chat => Kind::Chat,
        true => guess.kind,
        false => Kind::Action,
    };
    let mut domains: Vec<String> = commands.iter().map(|command| command.service.clone()).collect();
    domains.sort();
    domains.dedup();
    if domains.is_empty() && kind != Kind::Chat {
        domains = guess.domains.clone();
    }
    Route { kind, domains, selection: Some(Selection { said, commands }) }
}

/// Whether built-in understanding knows what looks it up.
fn is_look(facts: &TurnFacts, services: &Services) -> bool {
    let Understood::Plan { plan, condition: None, .. } = facts.understood(&[]) else { return false };
    services.only_look(&plan.actions)
}
