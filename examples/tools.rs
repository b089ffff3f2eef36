//! Commands that are no Rust types: a program reads their definitions when it starts, and a server elsewhere carries them
//! out. What it may do is decided here, by whoever registers them, and not by the server.
//!
//! ```sh
//! cargo run --example tools -- "what's the temperature in the hall?"
//! HOME_URL=http://127.0.0.1:8098 cargo run --example tools -- "unlock the front door"
//! ```
//!
//! `HOME_URL` answers `POST /NAME` with the parameters as JSON, in words. The second command is asked back first: it stands
//! in no list of what only looks.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::app::{self, Parts};
use brain_agent::channel::console::terminal::TerminalSink;
use brain_agent::channel::console::{ConsoleChannel, Session};
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::core::ids::MessageId;
use brain_agent::core::people::ConsoleUser;
use brain_agent::core::stakes::Stakes;
use brain_agent::services::catalog::registry::Registration;
use brain_agent::services::contract::command::{Completed, Effect};
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Service, ServiceInfo};
use brain_agent::services::tool::{Tool, ToolDefinition, ToolInvocation, ToolResult, Tools, UnusableTool};
use brain_agent::store::MemoryStore;
use serde::Deserialize;
use serde_json::Value;

/// As a server would list them.
pub const DEFINITIONS: &str = r#"[
    {
        "name": "temperature",
        "description": "Look up how warm a room is.",
        "inputSchema": {
            "type": "object", "required": ["room"], "additionalProperties": false,
            "properties": {"room": {"type": "string", "maxLength": 40}}
        }
    },
    {
        "name": "unlock",
        "description": "Unlock a door.",
        "inputSchema": {
            "type": "object", "required": ["door"], "additionalProperties": false,
            "properties": {
                "door": {"type": "string", "maxLength": 40},
                "until": {"type": "string", "format": "date-time"}
            }
        }
    }
]"#;

/// What only looks, by our own word. Everything else changes something and needs a yes.
const LOOKS: [&str; 1] = ["temperature"];

/// Everyday ways of asking, for when no model is there.
const PHRASES: &str = "
temperature
  (what is|what's|whats) the temperature in [the] {room}
unlock
  unlock [the] {door}
";

/// How long the server may take.
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    description: String,
    input_schema: Value,
}

/// A server that does what it lists.
#[derive(Debug)]
pub struct Home {
    server: String,
    client: reqwest::Client,
}

/// The service with what `definitions` lists; a definition that cannot be used costs that command alone, and is given
/// back with its reason.
pub fn registration(
    server: &str,
    definitions: &str,
) -> Result<(Registration, Vec<(String, UnusableTool)>), serde_json::Error> {
    let home = Home { server: server.trim_end_matches('/').to_owned(), client: reqwest::Client::new() };
    let info = ServiceInfo::new("home", "Home", "lights, doors and temperatures at home", "your home");
    let (mut building, mut left_out) = (Registration::of(info, Arc::new(home)), Vec::new());
    for Listed { name, description, input_schema } in serde_json::from_str::<Vec<Listed>>(definitions)? {
        let looks = LOOKS.contains(&name.as_str());
        let definition = ToolDefinition {
            name: name.clone(),
            summary: description,
            example: String::new(),
            schema: input_schema,
            effect: if looks { Effect::ReadElsewhere } else { Effect::WriteElsewhere },
            stakes: if looks { Stakes::Low } else { Stakes::High },
        };
        match Tool::of(definition) {
            Ok(tool) => building = building.tool(tool),
            Err(why) => left_out.push((name, why)),
        }
    }
    Ok((building.phrases(PHRASES).end(), left_out))
}

impl Service for Home {}

#[async_trait]
impl Tools for Home {
    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let place = || "The server at home".to_owned();
        let (name, key) = (&call.action.command, &call.attempt.key);
        let request = self.client.post(format!("{}/{name}", self.server)).timeout(TIMEOUT);
        let request = request.header("Idempotency-Key", key).json(&call.action.params);
        let doubtful = |why: String| match LOOKS.contains(&name.as_str()) {
            true => Err(ServiceError::Unreachable { place: place(), why }),
            false => Ok(Completed::Doubtful(format!("{} did not say whether it did it: {why}", place()))),
        };
        match request.send().await {
            Ok(answer) if answer.status().is_success() => match answer.text().await {
                Ok(text) => Ok(Completed::read(ToolResult::new(text))),
                Err(error) => doubtful(error.without_url().to_string()),
            },
            Ok(answer) if answer.status().is_client_error() => {
                Err(ServiceError::Refused(format!("{} refused ({}); nothing was done.", place(), answer.status())))
            }
            Ok(answer) => doubtful(answer.status().to_string()),
            // Nobody was reached, so nothing was done.
            Err(error) if error.is_connect() => {
                Err(ServiceError::Unreachable { place: place(), why: error.without_url().to_string() })
            }
            Err(error) => doubtful(error.without_url().to_string()),
        }
    }
}

/// One turn of a conversation with the house in it, over a store that is gone afterwards.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let server = std::env::var("HOME_URL").unwrap_or_else(|_| "http://127.0.0.1:8098".to_owned());
    let folder = tempfile::tempdir()?;
    let console = Arc::new(ConsoleChannel::after(MessageId(0), folder.path()));
    let parts = Parts {
        store: Arc::new(MemoryStore::new()),
        data_dir: folder.path().to_owned(),
        clock: Arc::new(SystemClock::new()),
        channel: console.clone(),
        zone: None,
    };
    let brain = Arc::new(app::build(&Config::parse(Vec::new(), Vec::new())?, parts)?);
    let (registration, left_out) = registration(&server, DEFINITIONS)?;
    for (name, why) in left_out {
        eprintln!("home.{name} is left out: {why}");
    }
    brain.services.register(registration)?;
    let sink = Arc::new(TerminalSink::default());
    let line = console.line(sink.line(&asked).to_string());
    Session::open(brain, console, sink, None, ConsoleUser::default()).await.line(&line).await;
    Ok(())
}
