//! `brain-agent mcp`: servers that bring tools, looked at and tried by whoever runs this. Each is started for it alone.

use std::io::Write as _;
use std::process::ExitCode;

use brain_agent::config::Config;
use brain_agent::core::text::{capital, visible};
use brain_agent::mcp::{
    HostsAnswer, McpCall, McpClient, McpConfig, McpServer, ServerReach, ServerSignIn, SignInError, SignInHosts,
    sign_out,
};
use brain_agent::services::catalog::registry::Registry;
use brain_agent::services::mcp::{WhyItAsks, asking_in_words, asking_tools, read_only_in_vain, registration_of};
use futures::future::join_all;
use serde_json::{Map, Value, json};

use crate::cli::McpVerb;
use crate::setup::{granted_code, say, somebody_is_there, yes};

pub(crate) async fn run(config: &Config, verb: McpVerb, json: bool) -> anyhow::Result<ExitCode> {
    match verb {
        McpVerb::List => list(config, json).await,
        McpVerb::Tools { server } => tools(&named(config, &server)?, json).await,
        McpVerb::Login { server, scope, browser } => login(&named(config, &server)?, &scope, browser.as_deref()).await,
        McpVerb::Logout { server } => logout(&named(config, &server)?).await,
        McpVerb::Call { server, tool, parameters } => {
            let parameters: Map<String, Value> = serde_json::from_str(&parameters)
                .map_err(|error| anyhow::anyhow!("the parameters have to be a JSON object, such as {{}}: {error}"))?;
            call(&named(config, &server)?, &tool, parameters, json).await
        }
    }
}

/// A server of the file; else what is typed is where one is.
fn named(config: &Config, typed: &str) -> anyhow::Result<McpServer> {
    if let Some(server) = config.servers.iter().find(|server| server.name == typed) {
        return Ok(server.clone());
    }
    if !typed.contains(['/', ' ']) {
        let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
        let known = if names.is_empty() { "BRAIN_MCP_CONFIG names none".to_owned() } else { names.join(", ") };
        anyhow::bail!("there is no server “{typed}” ({known}); a URL, or a command in quotes, is taken as well");
    }
    McpConfig::typed(typed).map_err(|why| anyhow::anyhow!("{typed}: {why}"))
}

fn place(server: &McpServer) -> String {
    match &server.reach {
        ServerReach::Program(_) | ServerReach::Unusable(_) => server.written.clone(),
        ServerReach::Url(endpoint) => endpoint.place.shown(),
    }
}

/// Exit 1 where one of them does not answer.
async fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut stdout = std::io::stdout().lock();
    if config.servers.is_empty() && !as_json {
        writeln!(stdout, "There are no servers: BRAIN_MCP_CONFIG names a file of them (docs/mcp.md).")?;
    }
    let looks = config.servers.iter().map(|server| async move {
        let client = McpClient::connect(server).await.map_err(|why| why.to_string())?;
        let listing = client.list().await.map_err(|why| why.to_string());
        client.stop().await;
        listing.map(|listing| (client.protocol(), listing))
    });
    let found = join_all(looks).await;
    let mut all_answer = true;
    for (server, found) in config.servers.iter().zip(found) {
        let (name, place) = (&server.name, place(server));
        match found {
            Ok((protocol, listing)) => {
                let (registration, left_out) = registration_of(server, &listing);
                let usable = registration.commands().count();
                if as_json {
                    let up = json!({"server": name, "place": place, "up": true, "protocol": protocol, "tools": usable, "left_out": left_out});
                    writeln!(stdout, "{up}")?;
                } else {
                    let more = if left_out.is_empty() {
                        String::new()
                    } else {
                        format!(", {} cannot be used", left_out.len())
                    };
                    let tools = if usable == 1 { "1 tool".to_owned() } else { format!("{usable} tools") };
                    let in_vain: String =
                        read_only_in_vain(server, &listing).iter().map(|why| format!("; {why}")).collect();
                    let asks = asking_in_words(&asking_tools(server, &listing, &registration));
                    let asks = asks.map(|words| format!("; {words}")).unwrap_or_default();
                    let line = format!("✅ {name} ({place}): {tools}{more}; protocol {protocol}{in_vain}{asks}");
                    writeln!(stdout, "{}", visible(&line))?;
                }
            }
            Err(why) => {
                all_answer = false;
                if as_json {
                    writeln!(stdout, "{}", json!({"server": name, "place": place, "up": false, "error": why}))?;
                } else {
                    writeln!(stdout, "{}", visible(&format!("❌ {name} ({place}): {why}")))?;
                }
            }
        }
    }
    Ok(if all_answer { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn tools(server: &McpServer, as_json: bool) -> anyhow::Result<ExitCode> {
    let client = McpClient::connect(server).await?;
    let listing = client.list().await;
    client.stop().await;
    let listing = listing?;
    let (registration, left_out) = registration_of(server, &listing);
    let mut stdout = std::io::stdout().lock();
    for tool in &listing.tools {
        let is_used = registration.command(&tool.name);
        let needs_yes = is_used.as_ref().map(|entry| entry.writes());
        if as_json {
            let line = json!({
                "tool": tool.name, "usable": is_used.is_some(), "needs_yes": needs_yes, "says_read_only": tool.says_read_only,
                "why_not": left_out.get(&tool.name), "description": tool.description, "schema": tool.schema,
            });
            writeln!(stdout, "{line}")?;
        }
    }
    if as_json {
        return Ok(ExitCode::SUCCESS);
    }
    let service = registration.info.name.clone();
    let asks = asking_tools(server, &listing, &registration);
    let usable =
        || listing.tools.iter().map(|tool| tool.name.as_str()).filter(|name| registration.command(name).is_some());
    let without: Vec<&str> = usable().filter(|name| !asks.contains_key(*name)).collect();
    let further: Vec<&str> = usable().filter(|name| asks.get(*name) == Some(&WhyItAsks::ReadsUnlisted)).collect();
    let allowed = if without.is_empty() { "none".to_owned() } else { without.join(", ") };
    let registry = Registry::new([registration]);
    let told = registry.now().plan_schema(&[service]).notation().to_owned();
    writeln!(stdout, "{}\n", visible(&told))?;
    writeln!(stdout, "{}", visible(&format!("Without a yes: {allowed}.")))?;
    if let Some(asks) = asking_in_words(&asks) {
        writeln!(stdout, "{}.", capital(&asks))?;
    }
    if !further.is_empty() {
        let all: Vec<&str> = without.iter().chain(&further).copied().collect();
        let (all, further) = (serde_json::to_string(&all)?, further.join(", "));
        writeln!(
            stdout,
            "{}",
            visible(&format!(
                "Its server declares that these only read, too: {further}. To run them without a yes, write into the file:\n\"readOnly\": {all}"
            ))
        )?;
    }
    for why in read_only_in_vain(server, &listing) {
        writeln!(stdout, "{}", visible(&why))?;
    }
    for (tool, why) in &left_out {
        writeln!(stdout, "{}", visible(&format!("❌ {tool} cannot be used: {why}")))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn login(server: &McpServer, scopes: &[String], browser: Option<&str>) -> anyhow::Result<ExitCode> {
    let told = |why: SignInError| anyhow::anyhow!("{}: {why}. Nothing was changed", server.name);
    let attempt = ServerSignIn::begin(server, scopes, &are_right).await.map_err(told)?;
    let code = match attempt.attempt() {
        Some(page) => {
            let SignInHosts { issuer, page: host, tokens, .. } = attempt.hosts();
            let host = host.as_deref().unwrap_or(tokens);
            say(&format!(
                "Access is given at {host}, and goes to {tokens}. If another one asks you for it there, say no."
            ));
            Some(granted_code(page, issuer, browser).await?)
        }
        None => None,
    };
    let file = attempt.finish(code).await.map_err(told)?;
    say(&format!("You are signed in to {}; the access is in {}.", server.name, file.display()));
    Ok(ExitCode::SUCCESS)
}

/// Asks about hosts that only the server names.
fn are_right(hosts: &SignInHosts) -> HostsAnswer {
    if !somebody_is_there() {
        return HostsAnswer::NobodyThere;
    }
    let SignInHosts { server, issuer, page, tokens } = hosts;
    say(&format!("{server} says that access to it is given by {issuer}:"));
    page.iter().for_each(|page| say(&format!("  the page where you say yes is at  {page}")));
    say(&format!("  what you give there goes to       {tokens}"));
    say("Whoever gets it can act for you at the page's host, so both have to be whom you expect.");
    match yes("Are they right?", "") {
        Ok(true) => HostsAnswer::Agreed,
        Ok(false) | Err(_) => HostsAnswer::Declined,
    }
}

async fn logout(server: &McpServer) -> anyhow::Result<ExitCode> {
    let name = &server.name;
    match sign_out(server).await.map_err(|why| anyhow::anyhow!("{name}: {why}"))? {
        true => {
            say(&format!("You are signed out of {name}: its access is gone from here. It may still be listed there."))
        }
        false => say(&format!("Nobody was signed in to {name}.")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Exit 1 where it failed.
async fn call(
    server: &McpServer,
    tool: &str,
    parameters: Map<String, Value>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let client = McpClient::connect(server).await?;
    // What a call has to say beside its values is in the list.
    let called = match client.list().await {
        Ok(_) => client.call(McpCall::new(tool, parameters), server.timeout).await,
        Err(error) => Err(error.into()),
    };
    client.stop().await;
    let answer = called?;
    let mut stdout = std::io::stdout().lock();
    if as_json {
        writeln!(stdout, "{}", json!({"ok": !answer.is_error, "text": answer.text}))?;
    } else {
        writeln!(stdout, "{}", visible(&answer.text))?;
    }
    Ok(ExitCode::from(u8::from(answer.is_error)))
}
