//! The registry: every service there is, at this moment.
//!
//! Filled at run time under owned names: the built-in services, those of the operator, and servers that come and go.
//! The router's domains, the planner's schema, stakes, cards, receipts, context, `/help` and status words derive from
//! it. A turn sees one snapshot at a time ([`Registry::now`]); a service that leaves takes its commands along, and an
//! action of it that still waits is refused in words when its time comes.
//!
//! Invariant: an unknown command is not in here, and what is not in here is forbidden.
//!
//! Deliberately not here: how a command is carried out (a folder each), and who is let in.

mod catalog;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::{Value, json};

pub use super::registration::{Registration, catalog_line};
use crate::services::contract::entry::Entry;
use crate::services::contract::schema::notation_after;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::provenance::WrittenBy;
use brain_core::limits;
use brain_core::ports::AnswerSchema;
use brain_language::language::nearest::NearestIndex;
use brain_language::language::requests::{Phrases, PhrasesError};

/// A service could not be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// There is one of this name.
    #[error("there is a service “{0}” already; remove it first")]
    Taken(String),
    /// Its phrases cannot be read.
    #[error(transparent)]
    Phrases(#[from] PhrasesError),
}

/// Every service at one moment, in the order in which help shows them.
#[derive(Debug)]
pub struct Services {
    list: Vec<Arc<Registration>>,
    /// The commands by their words, in the order of the list; empty where all are built in, as those are known without.
    by_words: NearestIndex,
    /// The same without some of them, by their names; made once.
    open: Mutex<HashMap<Vec<String>, Arc<Services>>>,
    /// The shapes that were asked for, by the services they hold; made once.
    schemas: Mutex<HashMap<Vec<String>, AnswerSchema>>,
    route: AnswerSchema,
}

impl Default for Services {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

/// How much there is to choose from in some services: what fits one prompt decides how they are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CatalogExtent {
    /// One prompt holds every parameter of every command: one call may plan all of it.
    Schemas,
    /// One prompt holds a line a command: a command is chosen first, then its parameters are filled in.
    Lines,
    /// No prompt holds them: services are chosen first.
    Services,
}

/// Every service, as they come and go. Clones are the same registry.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    now: Arc<RwLock<Arc<Services>>>,
}

impl Registry {
    /// With these to begin with; of two of one name the first counts.
    pub fn new(registrations: impl IntoIterator<Item = Registration>) -> Self {
        let registry = Self::default();
        for registration in registrations {
            if let Err(error) = registry.register(registration) {
                tracing::error!(%error, "a service is left out");
            }
        }
        registry
    }

    /// The services of this moment.
    pub fn now(&self) -> Arc<Services> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Those of this moment that a person may use: what is offered to their planners, and in help.
    pub fn open_to(&self, owner: &UserId) -> Arc<Services> {
        self.now().without_those(|registration| !registration.service.is_open_to(owner))
    }

    /// Adds a service; from the next look on it is there.
    pub fn register(&self, mut registration: Registration) -> Result<(), RegistryError> {
        let name = &registration.info.name;
        registration.phrases =
            registration.wording.as_ref().map(|text| Phrases::read(name, text).map(Arc::new)).transpose()?;
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if now.find(&registration.info.name).is_some() {
            return Err(RegistryError::Taken(registration.info.name));
        }
        let mut list = now.list.clone();
        list.push(Arc::new(registration));
        *now = Arc::new(Services::of(list));
        Ok(())
    }

    /// Registers a service without phrases in the place of the one of its name, if there is one.
    pub fn replace(&self, registration: Registration) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let mut list = now.list.clone();
        let registration = Arc::new(registration);
        match list.iter_mut().find(|other| other.info.name == registration.info.name) {
            Some(place) => *place = registration,
            None => list.push(registration),
        }
        *now = Arc::new(Services::of(list));
    }

    /// Takes a service away; false when there was none. What is under way with it goes on to its end.
    pub fn remove(&self, name: &str) -> bool {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let mut list = now.list.clone();
        list.retain(|registration| registration.info.name != name);
        let removed = list.len() < now.list.len();
        *now = Arc::new(Services::of(list));
        removed
    }

    /// The command of this name, if there is one now.
    pub fn command(&self, service: &str, command: &str) -> Option<Arc<dyn Entry>> {
        self.now().command(service, command)
    }

    /// The command of an action, which passed the gate. `None` where it is gone, and where its definition is another
    /// one by now than the action was settled by.
    pub fn of(&self, action: &Action) -> Option<Arc<dyn Entry>> {
        self.named(action).filter(|entry| entry.definition() == action.schema.as_deref())
    }

    /// Why there is no command for an action ([`Self::of`]), for its person.
    pub fn why_gone(&self, action: &Action) -> String {
        match self.named(action) {
            Some(_) => format!(
                "what {} does was changed since that was settled; nothing was done, ask for it again",
                action.name()
            ),
            None if self.now().find(&action.service).is_some() => {
                format!("“{}” does not offer {} as it was any more; nothing was done", action.service, action.command)
            }
            None => format!("the service “{}” is not set up here any more; nothing was done", action.service),
        }
    }

    fn named(&self, action: &Action) -> Option<Arc<dyn Entry>> {
        let now = self.now();
        let unplanned = |by| now.unplanned(&action.service, &action.command, by);
        let planned = now.command(&action.service, &action.command);
        planned.or_else(|| unplanned(&WrittenBy::Undo)).or_else(|| unplanned(&WrittenBy::Code))
    }
}

impl Services {
    fn of(list: Vec<Arc<Registration>>) -> Self {
        let route = AnswerSchema::of(route_shape(&list));
        let has_tools = list.iter().any(|registration| registration.has_tools());
        let found_by = list.iter().filter(|_| has_tools).flat_map(|registration| registration.stems.iter().cloned());
        let by_words = NearestIndex::of(found_by);
        Self { list, by_words, open: Mutex::default(), schemas: Mutex::default(), route }
    }

    /// The same without these.
    pub fn without_those(self: Arc<Self>, is_left_out: impl Fn(&Registration) -> bool) -> Arc<Self> {
        let closed = self.list.iter().filter(|registration| is_left_out(registration));
        let closed: Vec<String> = closed.map(|registration| registration.info.name.clone()).collect();
        if closed.is_empty() { self } else { self.without(closed) }
    }

    fn without(&self, closed: Vec<String>) -> Arc<Self> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= limits::SCHEMAS_KEPT {
            open.clear();
        }
        let list = || self.list.iter().filter(|registration| !closed.contains(&registration.info.name)).cloned();
        open.entry(closed.clone()).or_insert_with(|| Arc::new(Self::of(list().collect()))).clone()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Registration>> {
        self.list.iter()
    }

    /// The service of this name.
    pub fn find(&self, name: &str) -> Option<&Arc<Registration>> {
        self.list.iter().find(|registration| registration.info.name == name)
    }

    /// The command of this name.
    pub fn command(&self, service: &str, command: &str) -> Option<Arc<dyn Entry>> {
        self.find(service)?.command(command)
    }

    /// What undo alone, or a button alone, asks for under this name.
    pub fn unplanned(&self, service: &str, command: &str, by: &WrittenBy) -> Option<Arc<dyn Entry>> {
        let service = self.find(service)?;
        match by {
            WrittenBy::Undo => service.reversals.get(command).cloned(),
            WrittenBy::Code => service.of_button(command),
            WrittenBy::Planner { .. } => None,
        }
    }

    /// Whether these are commands that there are, and none of them changes anything.
    pub fn only_look(&self, actions: &[PlannedAction]) -> bool {
        actions.iter().all(|planned| {
            let entry = self.command(&planned.service, &planned.command);
            entry.is_some_and(|entry| !entry.writes())
        })
    }

    /// The names of all of them: the domains that a message can be about.
    pub fn names(&self) -> Vec<String> {
        self.list.iter().map(|registration| registration.info.name.clone()).collect()
    }

    /// The names of those whose things can be asked over.
    pub fn searchable(&self) -> Vec<String> {
        let all = self.list.iter().filter(|registration| registration.service.searchable().is_some());
        all.map(|registration| registration.info.name.clone()).collect()
    }

    /// What people say for services that are not built in.
    pub fn phrases(&self) -> Vec<&Phrases> {
        self.list.iter().filter_map(|registration| registration.phrases.as_deref()).collect()
    }

    /// The same, for whoever keeps them beyond this moment.
    pub fn kept_phrases(&self) -> Vec<Arc<Phrases>> {
        self.list.iter().filter_map(|registration| registration.phrases.clone()).collect()
    }

    /// Every command of these services, by service and name.
    pub fn commands(&self, domains: &[String]) -> Vec<Arc<dyn Entry>> {
        let mut services: Vec<&Arc<Registration>> =
            self.list.iter().filter(|registration| domains.contains(&registration.info.name)).collect();
        services.sort_by(|a, b| a.info.name.cmp(&b.info.name));
        services.into_iter().flat_map(|registration| registration.commands.values().cloned()).collect()
    }

    /// The shape of a plan over these domains: made once, and byte-identical for the same domains.
    pub fn plan_schema(&self, domains: &[String]) -> AnswerSchema {
        let mut key: Vec<String> = domains.iter().filter(|domain| self.find(domain).is_some()).cloned().collect();
        key.sort();
        key.dedup();
        self.schema_once(&key, || AnswerSchema::written(self.plan_shape(&key), self.written(&key)))
    }

    /// The shape of an answer in a conversation over these domains: a plan with the words that its values rest on, and
    /// words for the person.
    pub fn conversation_schema(&self, domains: &[String]) -> AnswerSchema {
        let plan = self.plan_schema(domains);
        let key: Vec<String> = ["conversation".to_owned()].into_iter().chain(domains.iter().cloned()).collect();
        self.schema_once(&key, || {
            let mut shape = plan.value().clone();
            let words = json!({
                "type": "object", "additionalProperties": false, "required": ["param", "from"],
                "properties": {"param": {"type": "string"}, "from": {"type": "string"}},
            });
            if let Some(actions) = shape["properties"]["actions"]["items"]["anyOf"].as_array_mut() {
                actions.iter_mut().for_each(|action| {
                    action["properties"]["words"] = json!({"type": "array", "items": words});
                });
            }
            for name in ["instead_of", "unmet", "reply"] {
                shape["properties"][name] = json!({"type": ["string", "null"]});
            }
            AnswerSchema::written(shape, plan.notation().to_owned())
        })
    }

    /// A shape of answers over these services: made once for each `key`, and byte-identical from then on. Plans have
    /// the names of their services as keys; others begin with the name of their stage.
    pub fn schema_once(&self, key: &[String], make: impl FnOnce() -> AnswerSchema) -> AnswerSchema {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = schemas.get(key) {
            return known.clone();
        }
        if schemas.len() >= limits::SCHEMAS_KEPT {
            schemas.clear();
        }
        let schema = make();
        schemas.insert(key.to_vec(), schema.clone());
        schema
    }

    /// The shape of a route: which of all services a message needs.
    pub fn route_schema(&self) -> AnswerSchema {
        self.route.clone()
    }

    /// How much these services hold. The only place where the number of commands chooses how they are planned.
    pub fn extent(&self, domains: &[String]) -> CatalogExtent {
        if self.catalog(domains).len() > limits::CATALOG_CHARS_MAX {
            CatalogExtent::Services
        } else if self.plan_schema(domains).notation().len() > limits::PLAN_COMMANDS_CHARS_MAX {
            CatalogExtent::Lines
        } else {
            CatalogExtent::Schemas
        }
    }

    /// The commands of these services as prompts list them, one a line.
    fn written(&self, domains: &[String]) -> String {
        let mut described = HashSet::new();
        let line = |entry: &Arc<dyn Entry>| {
            let params = notation_after(&entry.schema(), &mut described);
            format!("{}.{}: {} {{{params}}}", entry.service(), entry.command(), entry.summary())
        };
        self.commands(domains).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn plan_shape(&self, domains: &[String]) -> Value {
        let action = |entry: &Arc<dyn Entry>| {
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["service", "command", "params"],
                "properties": {
                    "service": {"const": entry.service()},
                    "command": {"const": entry.command()},
                    "params": entry.schema(),
                    "depends_on": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                },
            })
        };
        let actions: Vec<Value> = self.commands(domains).iter().map(action).collect();
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["actions", "question", "open"],
            "properties": {
                "actions": {"type": "array", "items": {"anyOf": actions}},
                "question": {"type": ["string", "null"]},
                "open": {"type": ["string", "null"]},
            },
        })
    }
}

fn route_shape(list: &[Arc<Registration>]) -> Value {
    let names: Vec<&str> = list.iter().map(|registration| registration.info.name.as_str()).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["type", "domains", "is_followup"],
        "properties": {
            "type": {"enum": ["chat", "action", "investigate", "followup"]},
            "domains": {"type": "array", "items": {"enum": names}},
            "is_followup": {"type": "boolean"},
        },
    })
}
