//! What brings further services: servers that bring tools, and a file that describes some.

use super::{Config, ConfigError};
use brain_core::limits;
use brain_wire::custom_commands::read_services;
use brain_wire::mcp::{McpConfig, ServerReach};

impl Config {
    /// The same with the servers of the file that `BRAIN_MCP_CONFIG` names.
    pub(super) fn with_servers(mut self) -> Result<Self, ConfigError> {
        let Some(file) = &self.servers_file else { return Ok(self) };
        let (text, why) = file.read(limits::MCP_FILE_BYTES_MAX)?;
        let McpConfig { servers, warnings } =
            McpConfig::parse(&text, &|name| file.variable(name)).map_err(|error| file.wrong(error.to_string()))?;
        let program = servers.iter().find(|server| matches!(server.reach, ServerReach::Program(_)));
        file.may_start(program.map(|program| format!("the server “{}”", program.name)), why.as_ref())?;
        let sends = servers.iter().find(|server| server.sends_secrets());
        file.may_send(sends.map(|server| format!("the server “{}”", server.name)), why.as_ref())?;
        self.warnings.extend(warnings.into_iter().map(|warning| format!("BRAIN_MCP_CONFIG: {warning}")));
        let folder = self.data_dir.join("servers");
        self.servers = servers.into_iter().map(|server| server.set_apart().with_tokens(&folder)).collect();
        Ok(self)
    }

    /// The same with the services of the file that `BRAIN_COMMANDS` names.
    pub(super) fn with_commands(mut self) -> Result<Self, ConfigError> {
        let Some(file) = &self.commands_file else { return Ok(self) };
        let (text, why) = file.read(limits::DECLARED_FILE_BYTES_MAX)?;
        let services = read_services(&text, &|name| file.variable(name)).map_err(|problems| {
            ConfigError(problems.into_iter().flat_map(|problem| file.wrong(problem).0).collect())
        })?;
        let program = services.iter().find_map(|service| Some((service, service.program()?)));
        file.may_start(
            program.map(|(service, command)| format!("the service “{}”, the command “{}”", service.name, command.name)),
            why.as_ref(),
        )?;
        let sends = services.iter().find(|service| service.sends_headers());
        file.may_send(sends.map(|service| format!("the service “{}”", service.name)), why.as_ref())?;
        // “use home: …” names one of them.
        let is_server = |title: &String| self.servers.iter().any(|server| server.name.eq_ignore_ascii_case(title));
        if let Some(both) = services.iter().find(|service| is_server(&service.name) || is_server(&service.title)) {
            return Err(file.wrong(format!(
                "the service “{}” is called as a server of BRAIN_MCP_CONFIG is; choose another name and title",
                both.name
            )));
        }
        self.commands = services;
        Ok(self)
    }
}
