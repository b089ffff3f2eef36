//! Services that the operator describes in a file: an HTTP API, or a program of this machine, with typed parameters.
//!
//! Invariants:
//! - a value stays what it is: one segment of a path, one value of a query or a body, one argument of a program; where it
//!   would become anything else it is refused ([`UnfitValue`]), before a card is shown and again before a call;
//! - stakes are high and answers are foreign text, unless the file says otherwise;
//! - a call is made once, and ends by itself; one that may have happened says so ([`CallError::Unanswered`]);
//! - what the file holds through `${NAME}` is shown nowhere.
//!
//! Not here: who may use a service, and what becomes of an answer (`services::custom_commands`).

mod body;
mod file;
mod http;
mod param;
mod program;
mod runs;
#[cfg(test)]
mod runs_tests;
mod table;
mod template;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::Client;
use serde_json::Value;

pub use self::file::read_services;
use self::http::{HttpRequest, HttpTemplate};
use self::program::{ProgramCall, ProgramTemplate};
use crate::outside::{CallError, HttpPlace, ProgramCommand, ToolAnswer};
use brain_core::core::plan::Params;
use brain_core::core::stakes::Stakes;

/// A service of the file.
#[derive(Debug, Clone)]
pub struct CustomService {
    /// Its name in plans.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What it is for, in one line, for routers.
    pub about: String,
    /// Who may use it; nobody named: whoever the accounts belong to that name nobody.
    pub users: Vec<String>,
    /// In the order of the file.
    pub commands: Vec<CustomCommand>,
    /// Where its requests go.
    place: Option<HttpPlace>,
    /// What its programs run in.
    surroundings: ProgramCommand,
}

/// A command of the file.
#[derive(Debug, Clone)]
pub struct CustomCommand {
    /// Its name inside its service.
    pub name: String,
    /// What it does: an infinitive with its object.
    pub does: String,
    /// How a person asks for it; nothing where the file does not say.
    pub example: String,
    /// JSON schema of its parameters.
    pub schema: Value,
    /// How much harm is possible.
    pub stakes: Stakes,
    /// It changes nothing.
    pub only_reads: bool,
    /// The operator vouches for its answers.
    pub is_vouched_for: bool,
    /// All that the file says of it and of where it is carried out, without secrets.
    pub written: Value,
    /// What of an answer in JSON is told.
    show: Option<String>,
    timeout: Duration,
    carrier: Carrier,
}

/// Who carries a command out.
#[derive(Debug, Clone)]
enum Carrier {
    Http(HttpTemplate),
    Program(ProgramTemplate),
}

/// Why values are not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnfitValue {
    /// It would be another path.
    #[error(
        "What goes into an address may not be “.” or “..”, nor hold “/”, “\\” or a line break, so I passed nothing on. \
         Nothing was done."
    )]
    Path,
    /// It could be an option.
    #[error(
        "A value that begins with “-” could be taken for an option of the program, so I passed nothing on. Nothing was done."
    )]
    Option,
    /// No argument can hold it.
    #[error("A value holds a sign that no program can be given, so I passed nothing on. Nothing was done.")]
    Sign,
    /// What it needs is not there.
    #[error("A value that this needs is missing. Nothing was done.")]
    Missing,
}

/// A call with its values, to be made once.
#[derive(Debug)]
pub struct CustomCall<'s> {
    outgoing: Outgoing<'s>,
    show: Option<&'s str>,
    timeout: Duration,
}

#[derive(Debug)]
enum Outgoing<'s> {
    Http(HttpRequest, &'s HttpPlace),
    Program(ProgramCall),
}

impl CustomService {
    /// The call of one of its commands with these values; `None` where there is no such command.
    pub fn call(&self, command: &str, params: &Params) -> Option<Result<CustomCall<'_>, UnfitValue>> {
        let command = self.commands.iter().find(|known| known.name == command)?;
        let outgoing = match &command.carrier {
            Carrier::Http(http) => {
                let place = self.place.as_ref()?;
                http.filled(place, params).map(|request| Outgoing::Http(request, place))
            }
            Carrier::Program(program) => program.filled(&self.surroundings, params).map(Outgoing::Program),
        };
        let (show, timeout) = (command.show.as_deref(), command.timeout);
        Some(outgoing.map(|outgoing| CustomCall { outgoing, show, timeout }))
    }

    /// Whether something goes along with its requests.
    pub fn sends_headers(&self) -> bool {
        self.place.as_ref().is_some_and(|place| !place.headers.is_empty())
    }

    /// The name of the machine that its requests go to.
    pub fn host(&self) -> Option<String> {
        self.place.as_ref()?.host()
    }

    /// A command of it that a program carries out, if there is one.
    pub fn program(&self) -> Option<&CustomCommand> {
        self.commands.iter().find(|command| matches!(command.carrier, Carrier::Program(_)))
    }
}

impl CustomCall<'_> {
    /// Makes it.
    pub async fn answer(self, client: &Client) -> Result<ToolAnswer, CallError> {
        let answer = match self.outgoing {
            Outgoing::Http(request, place) => request.sent(client, place, self.timeout).await,
            Outgoing::Program(call) => call.run(self.timeout).await,
        };
        answer.map(|answer| match self.show.filter(|_| !answer.is_error) {
            Some(show) => ToolAnswer { text: shown(&answer.text, show), ..answer },
            None => answer,
        })
    }
}

/// What stands at a place of an answer in JSON; all of it, where it is none or has no such place.
fn shown(answer: &str, pointer: &str) -> String {
    let read: Option<Value> = serde_json::from_str(answer).ok();
    match read.as_ref().and_then(|read| read.pointer(pointer)) {
        None => answer.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
