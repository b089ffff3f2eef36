//! Services that the operator describes in a file (BRAIN_COMMANDS): from the file to registrations, and what a call comes
//! to.
//!
//! Invariants: the name and the title of a service are its own; who may not use it is refused before anything is asked or
//! goes out; a card is approved with all that the file says of its command, and another file carries out none of it.

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Client;

use super::tool::{ResultCache, Tool, ToolDefinition, ToolInvocation, ToolResult, Tools, answered, not_open};
use crate::services::catalog::registry::{Registration, Registry};
use crate::services::contract::command::{Completed, Effect};
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::{Service, ServiceInfo};
use brain_core::core::ids::UserId;
use brain_core::core::plan::Params;
use brain_wire::custom_commands::{CustomCommand, CustomService};
use brain_wire::outside::HttpPlace;

/// Why a service of the file cannot be one, for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("BRAIN_COMMANDS: the service “{service}”: {why}")]
pub struct DeclarationError {
    service: String,
    why: String,
}

/// A service of the file, with what it works with.
#[derive(Debug)]
struct DeclaredTools {
    declared: CustomService,
    holders: Vec<Holder>,
    client: Client,
    /// Long answers, for reading on.
    answers: ResultCache,
}

/// Registers them. `otherwise`: whose they are where the file names nobody.
pub fn register(declared: &[CustomService], otherwise: &[Holder], registry: &Registry) -> Result<(), DeclarationError> {
    for service in declared {
        let wrong = |why: String| DeclarationError { service: service.name.clone(), why };
        let is_same = |one: &str| [&service.name, &service.title].iter().any(|own| own.eq_ignore_ascii_case(one));
        let services = registry.now();
        if let Some(other) = services.iter().find(|other| is_same(&other.info.name) || is_same(&other.info.title)) {
            return Err(wrong(format!("“{}” is a service already; choose another name and title", other.info.title)));
        }
        let registration = registration(service, otherwise).map_err(wrong)?;
        registry.register(registration).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

fn registration(declared: &CustomService, otherwise: &[Holder]) -> Result<Registration, String> {
    let info = ServiceInfo::new(&declared.name, &declared.title, &declared.about, &declared.title);
    let tools = DeclaredTools {
        declared: declared.clone(),
        holders: Holder::named(&declared.users, otherwise),
        client: HttpPlace::client()?,
        answers: ResultCache::default(),
    };
    let mut building = Registration::of(info, Arc::new(tools));
    for command in &declared.commands {
        let tool = tool(&declared.title, command).map_err(|why| format!("the command “{}”: {why}", command.name))?;
        building = building.tool(tool);
    }
    Ok(building.end())
}

fn tool(title: &str, command: &CustomCommand) -> Result<Tool, String> {
    let example = match command.example.as_str() {
        "" => format!("Use {title}: {}", command.name),
        example => example.to_owned(),
    };
    let definition = ToolDefinition {
        name: command.name.clone(),
        summary: command.does.clone(),
        example,
        schema: command.schema.clone(),
        effect: if command.only_reads { Effect::ReadElsewhere } else { Effect::WriteElsewhere },
        stakes: command.stakes,
    };
    let tool = Tool::of(definition).map_err(|why| why.to_string())?.carried_out_by(&command.written);
    Ok(if command.is_vouched_for { tool.vouched_for() } else { tool })
}

impl Service for DeclaredTools {
    fn is_open_to(&self, owner: &UserId) -> bool {
        self.holders.iter().any(|holder| holder.is(owner))
    }
}

#[async_trait]
impl Tools for DeclaredTools {
    fn kept(&self) -> Option<&ResultCache> {
        Some(&self.answers)
    }

    fn refusal(&self, owner: &UserId) -> Option<String> {
        not_open(&self.declared.title, &self.holders, owner)
    }

    fn host(&self) -> Option<String> {
        self.declared.host()
    }

    fn unfit(&self, tool: &str, params: &Params) -> Option<String> {
        self.declared.call(tool, params)?.err().map(|why| why.to_string())
    }

    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let made = self.declared.call(&call.action.command, &call.action.params);
        let made =
            made.ok_or_else(|| ServiceError::Broken("There is no such command. Nothing was done.".to_owned()))?;
        let made = made.map_err(|why| ServiceError::Refused(why.to_string()))?;
        answered(&self.declared.title, call.effect, made.answer(&self.client).await)
    }
}
