//! Servers that bring tools: whether each answers, and what of it can be used. Each is started for this look alone, beside
//! the one that a running program has.

use super::check::Check;
use super::subjects::{CheckJob, Subjects};
use brain_core::core::text::{one_line, shorten};
use brain_core::limits;
use brain_services::services::mcp::registration_of;
use brain_wire::mcp::{McpClient, McpServer};

const SLOW: &str =
    "Try it with “brain-agent mcp list”: the first start of a package takes longest, since it is fetched";

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    let job = |server| {
        let name = format!("server {}", server_name(server));
        CheckJob::new(name.clone(), subjects.limits.server, SLOW, async move { vec![look(name, server).await] })
    };
    subjects.config.servers.iter().map(job).collect()
}

fn server_name(server: &McpServer) -> String {
    one_line(&shorten(&server.name, limits::MCP_SERVER_NAME_CHARS_MAX))
}

fn counted(tools: usize) -> String {
    if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") }
}

async fn look(name: String, server: &McpServer) -> Check {
    let said = |why: &str| one_line(&shorten(why, limits::TOOL_SUMMARY_CHARS_MAX));
    let unusable = |why: &str| {
        Check::error(&name, format!("does not answer: {}", said(why)))
            .advised("See what BRAIN_MCP_CONFIG says of it (docs/mcp.md), or take it out with “disabled”")
    };
    let client = match McpClient::connect(server).await {
        Ok(client) => client,
        Err(why) => return unusable(&why.to_string()),
    };
    let listing = client.list().await;
    client.stop().await;
    let listing = match listing {
        Ok(listing) => listing,
        Err(why) => return unusable(&why.to_string()),
    };
    let (registration, left_out) = registration_of(server, &listing);
    let answers = format!("answers, with {}", counted(registration.commands().count()));
    match left_out.first_key_value() {
        None => Check::ok(name, answers),
        Some((tool, why)) => {
            let first = said(&format!("{tool}: {why}"));
            Check::warning(name, format!("{answers}; {} cannot be used, the first is {first}", left_out.len()))
                .advised(format!("“brain-agent mcp tools {}” says why of each", server_name(server)))
        }
    }
}
