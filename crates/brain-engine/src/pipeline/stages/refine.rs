//! Refine: from services to commands, where there are more commands than one prompt holds.
//!
//! ```text
//! message ─► select_services: tasks, some after others ─► select_commands, one call a task ─► selection
//!            "read the list" ─────────────► files.read
//!            "mail it to Ana" ── after ──► email.create_draft, filled in when the list is known
//! ```
//!
//! Invariants: both see the person's own words only, and nothing foreign is read before the commands are chosen; tasks
//! that break a rule are not taken ([`brain_core::core::tasks`]), and a request that was refined often enough costs no
//! further call; tasks that do not depend on each other are refined side by side. Not here: parameters
//! ([`super::build_params`]), and what a message is when nothing is chosen for it ([`super::select`]).

use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use minijinja::context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{self, AnswerChecks, Typed};
use super::select::{self, Named, Pseudo, SelectionScope};
use super::selection::{SelectedCommand, Selection, SpeechAct};
use crate::pipeline::stages::guessed;
use crate::pipeline::stages::guessed::Route;
use crate::pipeline::turn::Turn;
use brain_core::core::graph::{Graph, GraphLimits, Node, NodeEnd, OnFailure};
use brain_core::core::tasks::{ProposedTask, RefinedTask, TaskError, refined};
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Model, Stage};
use brain_core::prompts::Fixed;
use brain_language::language::nearest;
use brain_language::language::routing::Guess;
use brain_services::services::catalog::registry::{Services, catalog_line};
use brain_services::services::contract::entry::Entry;

/// What a model makes of a message.
#[derive(Debug, Deserialize)]
struct Divided {
    kind: SpeechAct,
    /// By this name, since a small model that is asked for tasks gives the service `task`.
    #[serde(default, rename = "services")]
    tasks: Vec<WrittenTask>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenTask {
    /// The whole message, for this service.
    Alone(String),
    Task(ProposedTask),
}

#[derive(Debug, Deserialize)]
struct CommandChoice {
    #[serde(default)]
    commands: Vec<Named>,
}

/// One request on its way from services to commands.
pub(super) struct Refining<'a> {
    pub turn: &'a Turn<'a>,
    pub model: &'a dyn Model,
    pub services: Arc<Services>,
    pub offer: &'a SelectionScope,
    /// What of it is still to be done, after an earlier round.
    pub still: Option<&'a str>,
}

impl Refining<'_> {
    /// Where the message goes, by a model's choice of services, then of commands.
    pub(super) async fn route(&self, guess: &Guess) -> Typed<Route> {
        self.selected(0).await.map(|(selection, is_named)| {
            select::settle(&self.turn.facts, selection, is_named, guess, &self.services, self.offer)
        })
    }

    /// The commands of what is still to be done after `depth` rounds.
    pub(super) async fn further(&self, depth: usize) -> Typed<Vec<SelectedCommand>> {
        self.selected(depth).await.map(|(selection, _)| selection.commands)
    }

    async fn selected(&self, depth: usize) -> Typed<(Selection, Pseudo)> {
        if let Err(error) = self.turn.brain.policy.tasks.check_depth(depth) {
            return Typed::Unusable(error.to_string());
        }
        let divided = match self.divided().await {
            Typed::Answer(divided) => divided,
            Typed::Unusable(why) => return Typed::Unusable(why),
            Typed::Failed(error) => return Typed::Failed(error),
        };
        let is_named = Pseudo::of(divided.tasks.iter().map(WrittenTask::service));
        let commands = match self.tasks(&divided) {
            Ok(tasks) => self.commands(&tasks).await,
            Err(error) => return Typed::Unusable(error.to_string()),
        };
        commands.map(|commands| (Selection::new(divided.kind, commands), is_named))
    }

    /// Which services, each for what.
    async fn divided(&self) -> Typed<Divided> {
        let (turn, offer) = (self.turn, self.offer);
        let offered = || self.services.iter().filter(|service| offer.domains.contains(&service.info.name));
        let lines: Vec<String> = offered().map(|s| format!("{}: {}", s.info.name, s.info.summary)).collect();
        let is_whole = lines.iter().map(|line| line.len() + 1).sum::<usize>() <= limits::SERVICES_CHARS_MAX;
        let listed = if is_whole { Vec::new() } else { nearest_lines(turn.facts.if_own(turn.facts.words()), &lines) };
        let near = offer.near(&self.services, &turn.facts, self.still);
        let mut key = vec![Stage::SelectServices.name().to_owned(), is_whole.to_string()];
        key.extend(offer.domains.iter().cloned());
        let fixed_of = self.services.schema_once(&key, || AnswerSchema::of(Value::Null));
        let fixed = Fixed {
            of: Some(fixed_of.number()),
            values: || context! { services => ask::lines(if is_whole { &lines } else { &[] }) },
        };
        let sight = turn.facts.sight(&turn.brain.services).control();
        let changing = context! {
            history => ask::lines(&sight.history), sight => ask::lines(&sight.beside()),
            message => guessed::own_message(&turn.facts), asked => offer.answers, listed => ask::lines(&listed),
            near => ask::lines(&near), still => self.still,
        };
        let prompt = match ask::prompt(turn.brain, Stage::SelectServices, fixed, &changing) {
            Ok(prompt) => prompt,
            Err(error) => return Typed::Failed(error),
        };
        let misfit = |divided: &Divided| self.tasks(divided).err().map(|error| error.to_string());
        let checks = AnswerChecks { misfit: &misfit, called: &|_| None };
        let schema = AnswerSchema::of(self.shape());
        let tokens = limits::SELECTION_TOKENS.saturating_mul(u32::try_from(self.tasks_max()).unwrap_or(u32::MAX));
        let tokens = tokens.min(limits::PARAMS_TOKENS_MAX);
        ask::typed_fitting(turn.account, self.model, Stage::SelectServices, prompt, schema, tokens, checks).await
    }

    fn tasks_max(&self) -> usize {
        self.offer.asks_for.min(self.turn.brain.policy.tasks.tasks).max(1)
    }

    fn shape(&self) -> Value {
        let pseudo = select::pseudo_names(self.offer).map(str::to_owned);
        let names: Vec<String> = self.offer.domains.iter().cloned().chain(pseudo).collect();
        let item = match self.tasks_max() {
            1 => json!({"enum": names}),
            _ => json!({
                "type": "object", "additionalProperties": false, "required": ["service", "prompt", "dependencies"],
                "properties": {
                    "service": {"enum": names}, "prompt": {"type": "string"},
                    "dependencies": {"type": "array", "items": {"type": "string"}},
                },
            }),
        };
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["kind", "services"],
            "properties": {
                "kind": {"enum": ["order", "question", "remark"]},
                "services": {"type": "array", "maxItems": self.tasks_max(), "items": item},
            },
        })
    }

    /// The tasks of an answer, checked; none where it names none, or something in place of a service.
    fn tasks(&self, divided: &Divided) -> Result<Vec<RefinedTask>, TaskError> {
        let whole = || self.still.unwrap_or(self.turn.facts.words()).to_owned();
        let proposed: Vec<ProposedTask> = divided
            .tasks
            .iter()
            .map(|written| match written {
                WrittenTask::Alone(service) => ProposedTask { service: service.clone(), ..ProposedTask::default() },
                WrittenTask::Task(task) => task.clone(),
            })
            .map(|task| if task.prompt.trim().is_empty() { ProposedTask { prompt: whole(), ..task } } else { task })
            .collect();
        if proposed.is_empty() {
            return Ok(Vec::new());
        }
        let available: Vec<&str> = self.offer.domains.iter().map(String::as_str).collect();
        let is_known = |service: &str| available.contains(&service) || Pseudo::is(service);
        refined(proposed, &available, is_known, self.turn.brain.policy.tasks)
    }

    /// The commands of tasks, in their order: each task as soon as those before it are refined.
    async fn commands(&self, tasks: &[RefinedTask]) -> Typed<Vec<SelectedCommand>> {
        let node = |(at, task): (usize, &RefinedTask)| {
            task.after.iter().fold(Node::new(at), |node, &on| node.after(on, OnFailure::Stop))
        };
        let many = tasks.len();
        let mut graph = Graph::<usize>::new(GraphLimits { nodes: many, width: limits::GRAPH_WIDTH_MAX, depth: many });
        if graph.add(tasks.iter().enumerate().map(node).collect()).is_err() {
            return Typed::Unusable("the tasks are in no order".to_owned());
        }
        // What the others leave of what was asked for.
        let asks_for = (self.offer.asks_for + 1).saturating_sub(many).max(1);
        let mut found: Vec<Vec<SelectedCommand>> = vec![Vec::new(); many];
        let mut running = FuturesUnordered::new();
        loop {
            for at in graph.ready() {
                if graph.started(&at).is_err() {
                    continue;
                }
                let before = tasks[at].after.iter().flat_map(|&on| &found[on]);
                let before: Vec<String> = before.map(|done| format!("{}.{}", done.service, done.command)).collect();
                let task = &tasks[at];
                running.push(async move { (at, self.of_task(task, before, asks_for, many > 1).await) });
            }
            match running.next().await {
                Some((at, Typed::Answer(commands))) => {
                    found[at] = commands;
                    let _ = graph.finished(&at, NodeEnd::Done);
                }
                Some((_, Typed::Unusable(why))) => return Typed::Unusable(why),
                Some((_, Typed::Failed(error))) => return Typed::Failed(error),
                None => return Typed::Answer(self.in_order(tasks, found)),
            }
        }
    }

    /// The commands of one task.
    async fn of_task(
        &self,
        task: &RefinedTask,
        before: Vec<String>,
        asks_for: usize,
        is_part: bool,
    ) -> Typed<Vec<SelectedCommand>> {
        if Pseudo::is(&task.service) {
            return Typed::Answer(Vec::new());
        }
        let (turn, services) = (self.turn, &self.services);
        let domains = [task.service.clone()];
        // A task may be the whole of a message that was passed on.
        let words = turn.facts.if_own(&task.prompt);
        let offer = self.offer.part(&task.service, services.shortlist(words, &domains), asks_for);
        let listed = offer.shortlist.iter().flatten();
        let (own, others): (Vec<_>, Vec<_>) = listed.partition(|entry| entry.service() == task.service);
        let lines = |entries: &[&Arc<dyn Entry>]| -> Vec<String> {
            entries.iter().map(|entry| catalog_line(entry.as_ref())).collect()
        };
        // A service that is listed whole is listed in the same words each time.
        let is_whole = own.len() == services.commands(&domains).len();
        let (own, others) = (lines(&own), lines(&others));
        let (fixed_lines, listed) = if is_whole { (own, others) } else { (Vec::new(), [own, others].concat()) };
        let near = offer.near(services, &turn.facts, Some(words));
        let key = [Stage::SelectCommands.name().to_owned(), task.service.clone(), is_whole.to_string()];
        let fixed_of = services.schema_once(&key, || AnswerSchema::of(Value::Null));
        let fixed = Fixed { of: Some(fixed_of.number()), values: || context! { commands => ask::lines(&fixed_lines) } };
        let sight = turn.facts.sight(&turn.brain.services).control();
        let changing = context! {
            history => ask::lines(&sight.history), sight => ask::lines(&sight.beside()),
            listed => ask::lines(&listed), before => ask::lines(&before), near => ask::lines(&near),
            message => guessed::own_message(&turn.facts),
            part => (is_part || self.still.is_some()).then_some(words)
        };
        let schema = AnswerSchema::of(json!({
            "type": "object", "additionalProperties": false, "required": ["commands"],
            "properties": {"commands": offer.list(&offer.names(services))},
        }));
        let chosen: Typed<CommandChoice> = match ask::prompt(turn.brain, Stage::SelectCommands, fixed, &changing) {
            Ok(prompt) => {
                let tokens = offer.tokens_max();
                ask::typed(turn.account, self.model, Stage::SelectCommands, prompt, schema, tokens).await
            }
            Err(error) => Typed::Failed(error),
        };
        chosen.map(|CommandChoice { commands }| select::chosen(commands, &task.prompt, services, &offer))
    }

    /// The commands of all tasks with what comes before each, and the round from which it can be filled in.
    fn in_order(&self, tasks: &[RefinedTask], found: Vec<Vec<SelectedCommand>>) -> Vec<SelectedCommand> {
        let mut commands: Vec<SelectedCommand> = Vec::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (task, of_task) in tasks.iter().zip(found) {
            let after: Vec<usize> = task.after.iter().flat_map(|&on| places[on].clone()).collect();
            let round = after.iter().map(|&on| commands[on].round + usize::from(self.is_look(&commands[on])));
            let round = round.max().unwrap_or(0);
            places.push((commands.len()..commands.len() + of_task.len()).collect());
            commands.extend(of_task.into_iter().map(|command| SelectedCommand {
                after: after.clone(),
                round,
                ..command
            }));
        }
        commands
    }

    /// Whether what comes behind it may need what it finds.
    fn is_look(&self, selected: &SelectedCommand) -> bool {
        let entry = self.services.command(&selected.service, &selected.command);
        entry.is_some_and(|entry| !entry.writes())
    }
}

impl WrittenTask {
    fn service(&self) -> &str {
        match self {
            Self::Alone(service) => service,
            Self::Task(task) => &task.service,
        }
    }
}

/// As many lines as a prompt holds: the nearest to the words, then the first of the rest.
fn nearest_lines(words: &str, lines: &[String]) -> Vec<String> {
    let near = nearest::by_words(words, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let rest = (0..lines.len()).filter(|at| !near.contains(at));
    let mut room = limits::SERVICES_CHARS_MAX;
    let fits = |at: &usize| match room.checked_sub(lines[*at].len() + 1) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    let mut taken: Vec<usize> = near.iter().copied().chain(rest).filter(fits).collect();
    taken.sort_unstable();
    taken.into_iter().map(|at| lines[at].clone()).collect()
}
