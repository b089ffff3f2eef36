//! Registration: what a service is called, its commands, and what people say for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::services::contract::command::{Command, Handle};
use crate::services::contract::entry::{Entry, entry};
use crate::services::contract::service::{Service, ServiceInfo};
use crate::services::remote::replica::{Editor, Edits, Restore};
use crate::services::tool::{self, ReadMore, Tool, Tools};
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_language::language::nearest::{Stems, stems_of};
use brain_language::language::requests::Phrases;

/// A service with its commands.
#[derive(Debug, Clone)]
pub struct Registration {
    /// What it is called.
    pub info: ServiceInfo,
    /// What may be asked of it beside its commands.
    pub service: Arc<dyn Service>,
    pub(in crate::services) commands: BTreeMap<String, Arc<dyn Entry>>,
    /// What each of them is found by, in their order.
    pub(in crate::services) stems: Vec<Stems>,
    /// What undo alone asks for: in no schema, catalog or help, and no plan may name it.
    pub(in crate::services) reversals: BTreeMap<String, Arc<dyn Entry>>,
    /// What a button alone asks for, likewise.
    pub(in crate::services) by_button: BTreeMap<String, Arc<dyn Entry>>,
    /// Everyday ways of asking for its commands, in the notation of the frames.
    pub(in crate::services) wording: Option<String>,
    /// The same, once it was read.
    pub(in crate::services) phrases: Option<Arc<Phrases>>,
}

/// A service while its commands are being named.
#[derive(Debug)]
pub struct Building<S> {
    registration: Registration,
    service: Arc<S>,
}

impl Registration {
    /// Begins a registration of `service`.
    pub fn of<S: Service>(info: ServiceInfo, service: Arc<S>) -> Building<S> {
        Building {
            registration: Self {
                info,
                service: service.clone(),
                commands: BTreeMap::new(),
                stems: Vec::new(),
                reversals: BTreeMap::new(),
                by_button: BTreeMap::new(),
                wording: None,
                phrases: None,
            },
            service,
        }
    }

    /// The same with other entries; for watching what they do.
    #[must_use]
    pub fn with_entries(mut self, change: impl Fn(Arc<dyn Entry>) -> Arc<dyn Entry>) -> Self {
        for entries in [&mut self.commands, &mut self.reversals, &mut self.by_button] {
            entries.values_mut().for_each(|entry| *entry = change(entry.clone()));
        }
        self
    }

    /// Its command of this name.
    pub fn command(&self, name: &str) -> Option<Arc<dyn Entry>> {
        self.commands.get(name).cloned()
    }

    /// What a button alone asks of it under this name.
    pub fn of_button(&self, name: &str) -> Option<Arc<dyn Entry>> {
        self.by_button.get(name).cloned()
    }

    /// Whether its commands are tools, or will be: they arrive at run time.
    pub fn has_tools(&self) -> bool {
        self.commands.values().all(|entry| entry.definition().is_some())
    }

    /// Its commands, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Arc<dyn Entry>> {
        self.commands.values()
    }
}

impl<S: Service> Building<S> {
    /// Adds a command that the service carries out.
    #[must_use]
    pub fn command<C: Command>(mut self) -> Self
    where
        S: Handle<C>,
    {
        let entry = entry::<C, S>(&self.registration.info.name, self.service.clone());
        self.registration.commands.insert(C::NAME.to_owned(), entry);
        self
    }

    /// Adds a command that the service carries out by changing its records, and what takes that back in an account.
    #[must_use]
    pub fn edit<C: Command>(mut self) -> Self
    where
        S: Edits<C>,
    {
        let editor = Arc::new(Editor(self.service.clone()));
        let name = &self.registration.info.name;
        let restore = entry::<Restore, _>(name, editor.clone());
        self.registration.commands.insert(C::NAME.to_owned(), entry::<C, _>(name, editor));
        self.registration.reversals.entry(Restore::NAME.to_owned()).or_insert(restore);
        self
    }

    /// Adds a command that changes records and that only a button asks for.
    #[must_use]
    pub fn by_button<C: Command>(mut self) -> Self
    where
        S: Edits<C>,
    {
        let editor = Arc::new(Editor(self.service.clone()));
        let entry = entry::<C, _>(&self.registration.info.name, editor);
        self.registration.by_button.insert(C::NAME.to_owned(), entry);
        self
    }

    /// Adds a command that is no Rust type; of two of one name the later counts.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self
    where
        S: Tools,
    {
        let read_on = || entry::<ReadMore, S>(&self.registration.info.name, self.service.clone());
        self.registration.by_button.entry(ReadMore::NAME.to_owned()).or_insert_with(read_on);
        let entry = tool::entry(&self.registration.info, tool, self.service.clone());
        self.registration.commands.insert(entry.command().to_owned(), entry);
        self
    }

    /// Everyday ways of asking for its commands when no model is there (see [`Phrases`]).
    #[must_use]
    pub fn phrases(mut self, wording: &str) -> Self {
        self.registration.wording = Some(wording.to_owned());
        self
    }

    /// Ends it.
    pub fn end(mut self) -> Registration {
        let entries = self.registration.commands();
        self.registration.stems = entries.map(|entry| stems_of(&telling_words(entry.as_ref()))).collect();
        self.registration
    }
}

/// A command as a catalog has it.
pub fn catalog_line(entry: &dyn Entry) -> String {
    format!("{}.{}: {}", entry.service(), entry.command(), entry.summary())
}

/// What a command is found by: its name, what it does, how a person asks for it, and the names, descriptions and choices
/// of its parameters. Of a definition that arrived at run time it is the head of these, so that none is near to
/// everything.
fn telling_words(entry: &dyn Entry) -> String {
    let mut words = vec![catalog_line(entry), entry.example().to_owned()];
    of_params(&entry.schema(), &mut words);
    shorten(&words.join(" "), limits::TELLING_WORDS_CHARS_MAX)
}

/// The names, descriptions and choices of parameters.
fn of_params(schema: &Value, words: &mut Vec<String>) {
    let told = ["description", "const"].iter().filter_map(|key| schema[key].as_str());
    let choices = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.extend(told.chain(choices).map(str::to_owned));
    for (name, param) in schema["properties"].as_object().into_iter().flatten() {
        words.push(name.clone());
        of_params(param, words);
    }
    let of_list = schema.get("items").into_iter();
    let forms = ["anyOf", "oneOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    of_list.chain(forms).for_each(|form| of_params(form, words));
}
