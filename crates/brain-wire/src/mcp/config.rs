//! Which servers there are: a file in the format that other assistants read as well (`mcpServers`).
//!
//! ```json
//! {"mcpServers": {
//!     "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/papers"],
//!               "readOnly": ["read_text_file", "list_directory"]},
//!     "home": {"url": "https://home.example.org/mcp", "headers": {"Authorization": "Bearer ${HOME_TOKEN}"}}
//! }}
//! ```
//!
//! `${NAME}` and `${NAME:-otherwise}` stand for variables of the environment. `readOnly`, `timeout` (seconds, or with a
//! unit), `users` and `oauth` (see [`ServerOAuth`]) are ours. Keys of others that would let a server act by itself (`autoApprove`, `alwaysAllow`) are
//! named in a warning and do nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;

use crate::accounts::is_private;
use crate::accounts::oauth::{TokenGrant, TokenStore};
use crate::outside::{FOLDER_OF_PROGRAMS, HttpPlace, ProgramCommand, Variables, expanded};
use brain_core::limits;

/// Keys that mean something: what is written otherwise is one of them in other letters.
const OWN_KEYS: [&str; 11] =
    ["command", "args", "env", "cwd", "url", "headers", "oauth", "readOnly", "timeout", "users", "disabled"];

/// One server of the file.
#[derive(Debug, Clone)]
pub struct McpServer {
    /// What it is called: small letters, digits, `-` and `_`.
    pub name: String,
    /// Where it is.
    pub reach: ServerReach,
    /// A program with its arguments, or its address, as the file writes it: variables by their names, no value of one.
    pub written: String,
    /// The tools that run without a yes where the server does not say that they change something.
    pub read_only: BTreeSet<String>,
    /// How long a call may take without a word of it.
    pub timeout: Duration,
    /// Who may use it; nobody named: whoever the accounts belong to that name nobody.
    pub users: Vec<String>,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum ServerReach {
    /// A program of this machine, over its standard input and output.
    Program(ProgramCommand),
    /// A server elsewhere, over HTTP.
    Url(McpEndpoint),
    /// It cannot be, as the file describes it: why.
    Unusable(String),
}

/// Where a server answers, and how requests to it are signed in.
#[derive(Debug, Clone)]
pub struct McpEndpoint {
    pub place: HttpPlace,
    /// What the file says of signing in.
    pub oauth: ServerOAuth,
    /// Where its tokens are kept; `None`: it stands in no file, and nobody signs in to it.
    pub tokens: Option<TokenStore>,
}

/// How one signs in to a server, as far as it does not say so itself.
#[derive(Debug, Clone)]
pub struct ServerOAuth {
    /// Who gives access, letter by letter as in its own metadata; nothing: whom the server names.
    pub issuer: Option<String>,
    /// Who we are there; or the https address of a document about us (client id metadata document).
    pub client_id: Option<String>,
    /// And how we prove it.
    pub client_secret: Option<SecretString>,
    /// What to ask for; nothing: what the server says.
    pub scopes: Vec<String>,
    /// Who says yes.
    pub grant: TokenGrant,
    /// The port of this machine that a browser is sent back to; 0 for a free one.
    pub callback_port: u16,
}

impl McpServer {
    /// Whether the file sends something along with its requests.
    pub fn sends_secrets(&self) -> bool {
        match &self.reach {
            ServerReach::Url(endpoint) => !endpoint.place.headers.is_empty() || endpoint.oauth.client_secret.is_some(),
            ServerReach::Program(_) | ServerReach::Unusable(_) => false,
        }
    }

    /// The same, with a program of it in a folder that has nothing of ours, where the file names none.
    pub fn set_apart(mut self) -> Self {
        if let ServerReach::Program(program) = &mut self.reach {
            program.cwd.get_or_insert_with(|| FOLDER_OF_PROGRAMS.to_owned());
        }
        self
    }

    /// The same with its tokens in a folder, where it is signed in to.
    pub fn with_tokens(mut self, folder: &Path) -> Self {
        if let ServerReach::Url(endpoint) = &mut self.reach {
            endpoint.tokens = Some(TokenStore::new(folder, &self.name));
        }
        self
    }
}

/// What a file says.
#[derive(Debug, Default)]
pub struct McpConfig {
    /// In the order of their names.
    pub servers: Vec<McpServer>,
    /// What was left out or does nothing, in sentences.
    pub warnings: Vec<String>,
}

/// Why a file cannot be used, for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpConfigError {
    /// It is no JSON of this shape.
    #[error("it has to be JSON of the form {{\"mcpServers\": {{\"NAME\": {{…}}}}}}: {0}")]
    Shape(String),
    /// One server.
    #[error("the server “{name}”: {why}")]
    Server { name: String, why: String },
}

#[derive(Deserialize)]
struct ServersFile {
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerEntry {
    #[serde(rename = "type", alias = "transport")]
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    oauth: OAuthEntry,
    #[serde(default)]
    read_only: BTreeSet<String>,
    timeout: Option<Value>,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    disabled: bool,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OAuthEntry {
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
    grant: Option<String>,
    #[serde(default)]
    callback_port: u16,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl McpConfig {
    /// Reads a file; `env` gives the variables of the environment.
    pub fn parse(text: &str, env: &Variables<'_>) -> Result<Self, McpConfigError> {
        let file: ServersFile = serde_json::from_str(text).map_err(|error| McpConfigError::Shape(error.to_string()))?;
        let mut config = Self::default();
        if file.servers.len() > limits::MCP_SERVERS_MAX {
            return Err(McpConfigError::Shape(format!("more than {} servers", limits::MCP_SERVERS_MAX)));
        }
        for (given, value) in file.servers {
            let wrong = |why: String| McpConfigError::Server { name: given.clone(), why };
            let name = server_name(&given);
            if name.is_empty() || name.len() > limits::MCP_SERVER_NAME_CHARS_MAX {
                let most = limits::MCP_SERVER_NAME_CHARS_MAX;
                return Err(wrong(format!("its name has to have 1 to {most} letters or digits")));
            }
            if config.servers.iter().any(|server| server.name == name) {
                return Err(wrong(format!("there is another one called “{name}”")));
            }
            let entry: ServerEntry = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
            let inner = entry.oauth.others.keys().map(|key| format!("oauth.{key}"));
            let keys: Vec<String> = entry.others.keys().cloned().chain(inner).collect();
            if !keys.is_empty() {
                let verb = if keys.len() == 1 { "does" } else { "do" };
                let meant = keys.iter().filter_map(|key| OWN_KEYS.iter().find(|own| own.eq_ignore_ascii_case(key)));
                let meant: String = meant.map(|own| format!("; write “{own}”")).collect();
                config.warnings.push(format!("the server “{given}”: {} {verb} nothing here{meant}", keys.join(", ")));
            }
            if entry.disabled {
                config.warnings.push(format!("the server “{given}” is disabled"));
                continue;
            }
            // What is wrong with one costs that one.
            let written = entry.written();
            let unusable = |why: String| McpServer {
                name: name.clone(),
                reach: ServerReach::Unusable(why),
                written,
                read_only: BTreeSet::new(),
                timeout: Duration::from_secs(limits::MCP_CALL_SECS),
                users: Vec::new(),
            };
            let server = entry.into_server(name.clone(), env).unwrap_or_else(unusable);
            if let ServerReach::Unusable(why) = &server.reach {
                config.warnings.push(format!("the server “{given}” cannot be used: {why}"));
            }
            config.servers.push(server);
        }
        Ok(config)
    }

    /// One server from the command line: a URL, or a command with its arguments.
    pub fn typed(text: &str) -> Result<McpServer, String> {
        let is_url = text.starts_with("http://") || text.starts_with("https://");
        let mut words = text.split_whitespace().map(str::to_owned);
        let command = words.next().filter(|_| !is_url);
        let entry = ServerEntry {
            kind: None,
            command,
            args: if is_url { Vec::new() } else { words.collect() },
            env: BTreeMap::new(),
            cwd: None,
            url: is_url.then(|| text.to_owned()),
            headers: BTreeMap::new(),
            oauth: OAuthEntry::default(),
            read_only: BTreeSet::new(),
            timeout: None,
            users: Vec::new(),
            disabled: false,
            others: BTreeMap::new(),
        };
        entry.into_server("server".to_owned(), &|_| None)
    }
}

impl ServerEntry {
    fn written(&self) -> String {
        let words: Vec<&str> = self.command.iter().chain(&self.args).chain(&self.url).map(String::as_str).collect();
        words.join(" ")
    }

    fn into_server(self, name: String, env: &Variables<'_>) -> Result<McpServer, String> {
        let said = |text: &str| expanded(text, env);
        let secrets = |map: &BTreeMap<String, String>| {
            map.iter()
                .map(|(key, value)| Ok((key.clone(), SecretString::from(said(value)?))))
                .collect::<Result<_, String>>()
        };
        let is_remote = self.kind.as_deref().is_some_and(|kind| !kind.eq_ignore_ascii_case("stdio"));
        let reach = match (&self.command, &self.url) {
            (Some(_), Some(_)) => return Err("it has a command and a url; only one of them can be".to_owned()),
            (None, None) => return Err("it has neither a command nor a url".to_owned()),
            (Some(_), None) if is_remote => return Err("its type wants a url, and it has a command".to_owned()),
            (Some(command), None) => ServerReach::Program(ProgramCommand {
                command: at_home(said(command)?, env)?,
                args: self.args.iter().map(|arg| said(arg)).collect::<Result<_, _>>()?,
                env: secrets(&self.env)?,
                cwd: self.cwd.as_deref().map(|cwd| at_home(said(cwd)?, env)).transpose()?,
            }),
            (None, Some(_)) if self.kind.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("sse")) => {
                return Err("the transport “sse” is not spoken here; ask for the server's streamable HTTP".to_owned());
            }
            (None, Some(url)) => {
                let place = HttpPlace::new(said(url)?, secrets(&self.headers)?)?;
                ServerReach::Url(McpEndpoint { place, oauth: self.oauth.read(&said)?, tokens: None })
            }
        };
        let timeout = match &self.timeout {
            None => Duration::from_secs(limits::MCP_CALL_SECS),
            Some(Value::Number(secs)) => {
                secs.as_u64().map(Duration::from_secs).ok_or("its timeout is no number of seconds")?
            }
            Some(_) => return Err("its timeout has to be a number of seconds".to_owned()),
        };
        if timeout.is_zero() || timeout.as_secs() > limits::MCP_CALL_SECS_MAX {
            return Err(format!("its timeout has to be 1 to {} seconds", limits::MCP_CALL_SECS_MAX));
        }
        let written = self.written();
        Ok(McpServer { name, reach, written, read_only: self.read_only, timeout, users: self.users })
    }
}

impl OAuthEntry {
    fn read(&self, said: &dyn Fn(&str) -> Result<String, String>) -> Result<ServerOAuth, String> {
        let grant = match self.grant.as_deref() {
            None | Some("authorization_code") => TokenGrant::Person,
            Some("client_credentials") => TokenGrant::Client,
            Some(_) => return Err("its oauth.grant has to be authorization_code or client_credentials".to_owned()),
        };
        let issuer = self.issuer.as_deref().map(said).transpose()?;
        let is_address = |issuer: &String| Url::parse(issuer).is_ok_and(|url| is_private(&url));
        if !issuer.as_ref().is_none_or(is_address) {
            return Err("its oauth.issuer has to begin with https://".to_owned());
        }
        let client_id = self.client_id.as_deref().map(said).transpose()?;
        let client_secret = self.client_secret.as_deref().map(said).transpose()?.map(SecretString::from);
        if client_id.is_none() && (client_secret.is_some() || grant == TokenGrant::Client) {
            return Err("its oauth has no clientId".to_owned());
        }
        if client_secret.is_none() && grant == TokenGrant::Client {
            return Err("its oauth has no clientSecret, and client_credentials wants one".to_owned());
        }
        let (scopes, callback_port) = (self.scopes.clone(), self.callback_port);
        Ok(ServerOAuth { issuer, client_id, client_secret, scopes, grant, callback_port })
    }
}

/// A name of a file as it is used here: what others write with spaces and capitals, too.
fn server_name(given: &str) -> String {
    let mut name = String::new();
    for c in given.trim().chars() {
        let c = c.to_ascii_lowercase();
        let is_kept = c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if is_kept || !name.ends_with('-') {
            name.push(if is_kept { c } else { '-' });
        }
    }
    name.trim_matches('-').to_owned()
}

/// A path that begins at home, as a shell would read it; nobody else does here.
fn at_home(path: String, env: &Variables<'_>) -> Result<String, String> {
    match path.strip_prefix("~/") {
        Some(rest) => match env("HOME") {
            Some(home) => Ok(format!("{home}/{rest}")),
            None => Err(format!("“{path}” begins at home, and the variable HOME is not set")),
        },
        None => Ok(path),
    }
}
