//! The file of the operator's services (TOML; docs/commands.md).
//!
//! ```toml
//! [[service]]
//! name = "home"
//! about = "lights and temperatures at home"
//! url = "http://127.0.0.1:8098"
//! headers = { Authorization = "Bearer ${HOME_TOKEN}" }
//!
//! [[service.command]]
//! name = "temperature"
//! does = "look up how warm a room is"
//! stakes = "low"
//! params = [{ name = "room" }]
//! http = { path = "/rooms/{room}" }
//! show = "/celsius"
//! ```
//!
//! Invariants: every problem is noted, with its service, its command and its key; a key that is none is one; no problem
//! repeats a value.

use std::collections::BTreeSet;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, Item, TomlError};

use super::http::HttpTemplate;
use super::param::{DeclaredParam, schema_of};
use super::program::ProgramTemplate;
use super::table::{FileProblems, FileTable};
use super::template::Template;
use super::{Carrier, CustomCommand, CustomService};
use crate::outside::{HttpPlace, ProgramCommand, Variables, expanded};
use brain_core::core::plan::Params;
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{capital, shorten};
use brain_core::limits;

/// The services of a file, or everything that is wrong with it, in sentences; `env` gives the variables that it may name.
pub fn read_services(text: &str, env: &Variables<'_>) -> Result<Vec<CustomService>, Vec<String>> {
    let document: DocumentMut = text.parse().map_err(|error| vec![unreadable(text, &error)])?;
    let mut problems = FileProblems::default();
    let mut services: Vec<CustomService> = Vec::new();
    if let Some(mut table) = FileTable::of(json_of(document.as_item()), "the file".to_owned(), &mut problems) {
        let found = table.list("service", limits::DECLARED_SERVICES_MAX);
        table.end();
        services = found.into_iter().filter_map(|value| service(value, env, &mut problems)).collect();
    }
    let mut seen = BTreeSet::new();
    for service in &services {
        // What a person says to name it.
        let titles = [&service.name, &service.title].map(|title| title.to_lowercase().replace(['-', '_'], " "));
        let own = BTreeSet::from(titles);
        if own.iter().any(|title| seen.contains(title)) {
            problems.note(&of_service(&service.name), "another service has its name or its title");
        }
        seen.extend(own);
    }
    if problems.0.is_empty() { Ok(services) } else { Err(problems.0) }
}

/// By its line alone: the line itself may hold a secret.
fn unreadable(text: &str, error: &TomlError) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line} cannot be read as TOML: {}", error.message())
}

fn of_service(name: &str) -> String {
    format!("the service “{name}”")
}

fn service(value: Value, env: &Variables<'_>, problems: &mut FileProblems) -> Option<CustomService> {
    let mut table = FileTable::of(value, "a service".to_owned(), problems)?;
    let name = table.name();
    let place = name.as_deref().map_or_else(|| "a service without a name".to_owned(), of_service);
    table.place.clone_from(&place);
    let title = table.text("title");
    let about = table.needed("about").unwrap_or_default();
    if about.chars().count() > limits::DECLARED_ABOUT_CHARS_MAX {
        table.problem(format!("about may have {} characters", limits::DECLARED_ABOUT_CHARS_MAX));
    }
    let users = table.texts("users").unwrap_or_default();
    let headers = secrets(&mut table, "headers", env);
    let surroundings = ProgramCommand {
        command: String::new(),
        args: Vec::new(),
        env: secrets(&mut table, "env", env),
        cwd: table.text("cwd").and_then(|cwd| noted(&mut table, "cwd", expanded(&cwd, env))),
    };
    let url = table.text("url");
    if url.is_none() && !headers.is_empty() {
        table.problem("headers go along with requests, and there is no url");
    }
    let http = url.and_then(|url| {
        let url = noted(&mut table, "url", expanded(&url, env))?;
        if url.contains(['?', '#']) {
            table.problem("url may have no “?” and no “#”; what comes behind “?” is the query of each command");
        }
        let place = noted(&mut table, "url", HttpPlace::new(url, headers))?;
        noted(&mut table, "headers", place.headers())?;
        Some(place)
    });
    let commands = table.list("command", limits::DECLARED_COMMANDS_MAX);
    if commands.is_empty() {
        table.problem("it has no command");
    }
    table.end();
    let read = |value| command(value, &place, http.as_ref(), &surroundings, env, problems);
    let commands: Vec<CustomCommand> = commands.into_iter().filter_map(read).collect();
    let mut names = BTreeSet::new();
    for command in commands.iter().filter(|command| !names.insert(&command.name)) {
        problems.note(&place, format!("there are two commands “{}”", command.name));
    }
    let name = name?;
    let title = title.unwrap_or_else(|| capital(&name));
    let title = shorten(&title, limits::DECLARED_NAME_CHARS_MAX);
    Some(CustomService { name, title, about, users, commands, place: http, surroundings })
}

fn command(
    value: Value,
    of: &str,
    place: Option<&HttpPlace>,
    surroundings: &ProgramCommand,
    env: &Variables<'_>,
    problems: &mut FileProblems,
) -> Option<CustomCommand> {
    let written = json!({"command": &value, "url": place.map(HttpPlace::shown), "cwd": &surroundings.cwd});
    let mut table = FileTable::of(value, format!("{of}, a command"), problems)?;
    let name = table.name();
    let here = format!("{of}, the command “{}”", name.as_deref().unwrap_or("…"));
    table.place.clone_from(&here);
    let does = table.needed("does").unwrap_or_default();
    let example = table.text("example").unwrap_or_default();
    let stakes = table.one_of("stakes", &[("low", Stakes::Low), ("high", Stakes::High)]).unwrap_or(Stakes::High);
    let reads = table.truth("reads");
    let secs = table.count("timeout", limits::DECLARED_CALL_SECS_MAX).unwrap_or(limits::DECLARED_CALL_SECS);
    let is_vouched_for = table.one_of("answer", &[("own", true), ("foreign", false)]).unwrap_or(false);
    let show = table.text("show");
    if show.as_ref().is_some_and(|show| !show.starts_with('/')) {
        table.problem("show has to be a JSON pointer, which begins with “/”");
    }
    let params = table.list("params", limits::DECLARED_PARAMS_MAX);
    let params: Vec<DeclaredParam> =
        params.into_iter().filter_map(|value| DeclaredParam::read(value, &here, table.problems())).collect();
    let carrier = carrier(&mut table, &here, place, &params, env);
    if let Some(carrier) = &carrier {
        misused(carrier, &params, place).into_iter().for_each(|why| table.problem(why));
    }
    table.end();
    let carrier = carrier?;
    let only_reads = reads.unwrap_or_else(|| match &carrier {
        Carrier::Http(http) => http.says_that_it_reads(),
        Carrier::Program(_) => false,
    });
    let (schema, timeout) = (schema_of(&params), Duration::from_secs(secs));
    let name = name?;
    Some(CustomCommand {
        name,
        does,
        example,
        schema,
        stakes,
        only_reads,
        is_vouched_for,
        written,
        show,
        timeout,
        carrier,
    })
}

/// What carries a command out: its request, or its program; exactly one of them.
fn carrier(
    table: &mut FileTable<'_>,
    here: &str,
    place: Option<&HttpPlace>,
    params: &[DeclaredParam],
    env: &Variables<'_>,
) -> Option<Carrier> {
    let (http, program, stdin) = (table.take("http"), table.texts("program"), table.text("stdin"));
    match (http, program) {
        (Some(http), None) => {
            if stdin.is_some() {
                table.problem("stdin is for a program");
            }
            if place.is_none() {
                table.problem("it has http, and its service has no url");
            }
            let inner = FileTable::of(http, format!("{here}, http"), table.problems());
            inner.and_then(|inner| HttpTemplate::read(inner, env, place)).map(Carrier::Http)
        }
        (None, Some(words)) => {
            ProgramTemplate::read(&words, stdin.as_deref(), params, env, table).map(Carrier::Program)
        }
        (Some(_), Some(_)) => {
            table.problem("it has http and a program; only one of them can be");
            None
        }
        (None, None) => {
            table.problem("it has neither http nor a program");
            None
        }
    }
}

/// Parameters that stand twice, nowhere, or only where they are used; and a path that is none.
fn misused(carrier: &Carrier, params: &[DeclaredParam], place: Option<&HttpPlace>) -> Vec<String> {
    let templates = match carrier {
        Carrier::Http(http) => http.templates(),
        Carrier::Program(program) => program.templates(),
    };
    let used: BTreeSet<&str> = templates.into_iter().flat_map(Template::params).collect();
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    for param in params {
        if !known.insert(param.name.as_str()) {
            problems.push(format!("there are two parameters “{}”", param.name));
        } else if !used.contains(param.name.as_str()) {
            problems.push(format!("the parameter “{}” is used nowhere", param.name));
        }
    }
    let unknown = used.difference(&known).map(|name| shorten(name, limits::DECLARED_NAME_CHARS_MAX));
    problems.extend(unknown.map(|name| format!("“{{{name}}}” is none of its params")));
    let Carrier::Http(http) = carrier else { return problems };
    let optional = |name: &&str| params.iter().any(|param| param.name == *name && !param.is_required);
    let left_out = http.needs().filter(optional);
    problems.extend(left_out.map(|name| format!("“{name}” is a part of the path, and cannot be left out there")));
    let sample: Params = used.iter().map(|name| ((*name).to_owned(), "x".into())).collect();
    if place.is_some_and(|place| http.filled(place, &sample).is_err()) {
        problems.push("path cannot stand in an address as it is written".to_owned());
    }
    problems
}

fn noted<T>(table: &mut FileTable<'_>, key: &str, read: Result<T, String>) -> Option<T> {
    read.map_err(|why| table.problem(format!("{key}: {why}"))).ok()
}

fn secrets(
    table: &mut FileTable<'_>,
    key: &str,
    env: &Variables<'_>,
) -> std::collections::BTreeMap<String, SecretString> {
    let fields = table.fields(key).into_iter();
    fields.filter_map(|(name, text)| Some((name, noted(table, key, expanded(&text, env))?.into()))).collect()
}

/// The same as JSON: what a body is made of, and what a definition's digest is made of.
fn json_of(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => {
            table.iter().map(|(key, item)| (key.to_owned(), json_of(item))).collect::<Map<_, _>>().into()
        }
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| table.iter().map(|(key, item)| (key.to_owned(), json_of(item))).collect::<Map<_, _>>())
            .collect(),
    }
}

fn json_of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(json_of_value).collect(),
        toml_edit::Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), json_of_value(value))).collect::<Map<_, _>>().into()
        }
    }
}
