//! One configuration, parsed once. A key that is unknown or cannot be read fails at start, by name.
//!
//! A `.env` in the working directory fills in what the environment leaves unset. Every `BRAIN_*` key, and every key of
//! `.env`, must be known; an empty value means "not set". Secrets are never shown, and each goes only where it comes from
//! says or to the built-in address: a folder's file does not decide where the environment's keys go, nor about a data
//! folder that the environment names ([`found`]). See [`keys`].

mod accounts;
mod file;
mod found;
mod keys;
mod logs;
mod named_file;
mod price;
mod reader;
mod servers;
mod shadow;
mod web;

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono_tz::Tz;
use secrecy::SecretString;

use brain_core::core::history::Compression;
use brain_core::core::ids::UserId;
use brain_core::core::tasks::TaskLimits;
use brain_core::limits::kept::Keep;
use brain_core::ports::{Planning, Stage, TokenPrice, Wording};
use brain_engine::metering::Budgets;
use brain_wire::accounts::{AccountConfig, AccountsPlace};
use brain_wire::custom_commands::CustomService;
use brain_wire::mcp::McpServer;
pub use found::SettingsOrigin;
pub use logs::{LogFormat, NEWS, tell, tell_failure};
pub use named_file::NamedFile;
use reader::{ConfigReader, ValueSource};
pub use web::WebConfig;

/// A model endpoint.
#[derive(Debug, Clone)]
pub struct ModelEndpoint {
    /// Up to `/v1`, as the endpoint's documentation gives it.
    pub base_url: String,
    /// The key, for endpoints that want one.
    pub api_key: Option<SecretString>,
    /// The model's name there.
    pub model: String,
}

/// Telegram, when a bot token is set.
#[derive(Debug, Clone)]
pub struct TelegramConfig {
    /// From @BotFather.
    pub token: SecretString,
    /// Another Bot API server than Telegram's.
    pub api_url: Option<reqwest::Url>,
    /// How updates are delivered to us; `None`: we fetch them.
    pub webhook: Option<WebhookConfig>,
}

/// Where Telegram delivers updates.
#[derive(Debug, Clone)]
pub struct WebhookConfig {
    /// The address that Telegram calls, as the outside sees it.
    pub url: reqwest::Url,
    /// Where we listen.
    pub addr: SocketAddr,
    /// What Telegram proves itself with; `None`: made anew at each start.
    pub secret: Option<SecretString>,
}

/// Everything that can be configured.
#[derive(Debug, Clone)]
pub struct Config {
    /// `None`: no token is set, so the bot does not run.
    pub telegram: Option<TelegramConfig>,
    /// The endpoint of each stage; empty: built-in understanding does it all.
    pub models: BTreeMap<Stage, ModelEndpoint>,
    /// How long a stage waits for its model's first word, and between words, where that is set.
    pub model_timeouts: BTreeMap<Stage, Duration>,
    /// What the tokens of each stage's model cost, where its owner has said so.
    pub prices: BTreeMap<Stage, TokenPrice>,
    /// The same of the one that takes over.
    pub fallback_price: Option<TokenPrice>,
    /// What calls of models may cost.
    pub budgets: Budgets,
    /// Where traces of turns go, as OpenTelemetry has them; only where that is built in.
    pub otlp_url: Option<reqwest::Url>,
    /// How logs are written.
    pub log_format: LogFormat,
    /// Where the operator's page is, if it is to be.
    pub web: Option<WebConfig>,
    /// Takes over when a stage's endpoint does not answer.
    pub model_fallback: Option<ModelEndpoint>,
    /// Makes vectors of facts and of what is asked about them.
    pub embeddings: Option<ModelEndpoint>,
    /// Listens to recordings.
    pub transcribe: Option<ModelEndpoint>,
    /// How long a person's next message may join the one before.
    pub debounce: Duration,
    /// Outgoing mail in short form, for accounts without [`AccountConfig::smtp`].
    pub smtp_url: Option<SecretString>,
    /// The accounts of everybody: those of accounts.toml, and before them the one in short form.
    pub accounts: Vec<AccountConfig>,
    /// Where accounts.toml is, or would be.
    pub accounts_place: AccountsPlace,
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// Where a backup is put each day; `None`: nowhere.
    pub backup_dir: Option<PathBuf>,
    /// How many of those are kept.
    pub backups_kept: usize,
    /// Of people who have chosen none; `None`: the host's, which is then named once.
    pub timezone: Option<Tz>,
    /// Telegram users who are served without pairing.
    pub allowed_users: HashSet<i64>,
    /// Telegram users who are admins, the first one first; they are served as well.
    pub admins: Vec<i64>,
    /// Whether an admin may approve other people's pending actions.
    pub admin_may_approve: bool,
    /// Whether messages that built-in understanding is sure about go without the model router.
    pub skip_router: bool,
    /// Whether requests that are read exactly are planned without the model.
    pub skip_planner: bool,
    /// How a model plans.
    pub planning: Planning,
    /// How much one request is refined into.
    pub tasks: TaskLimits,
    /// Whether plans are held against what was said: always, but in a measurement of what that prevents.
    pub grounds_plans: bool,
    /// Whether a call for the parameters of a command offers all of them, whatever the message speaks of; where nothing
    /// is set, as the model plans.
    pub whole_schemas: Option<bool>,
    /// Whether what was asked before asks no model again.
    pub keeps_answers: bool,
    /// When a model is asked for words about what was done.
    pub wording: Wording,
    /// How long what only grows is kept.
    pub keep: Keep,
    /// Of how many turns of a person it is kept what their nodes got and gave; 0: of none.
    pub contents_kept: usize,
    /// What a second set of models or prompts, which takes turns beside the first with nothing done, goes by.
    pub shadow: Option<Box<Config>>,
    /// Whether what was said long ago is shown to planners in short.
    pub compresses: bool,
    /// When, and how short.
    pub compression: Compression,
    /// Whether what a person tells in passing is proposed to be remembered.
    pub learns: bool,
    /// What the assistant is for, as a rule for a model to hold messages against.
    pub topics: Option<String>,
    /// How long a pending action waits.
    pub pending_ttl: Duration,
    /// What a question may cost without being asked about first, in US dollars.
    pub ask_above_usd: f64,
    /// A folder whose prompts replace the embedded ones.
    pub prompts_dir: Option<PathBuf>,
    /// Where servers that bring tools are named, if anywhere, and what that file says.
    pub servers_file: Option<NamedFile>,
    pub servers: Vec<McpServer>,
    /// The same of services that are described in one.
    pub commands_file: Option<NamedFile>,
    pub commands: Vec<CustomService>,
    /// Which setting comes from where.
    pub origin: SettingsOrigin,
    /// For standard error at start.
    pub warnings: Vec<String>,
}

/// What is wrong with the configuration; each line names its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration needs a look:\n{}", .0.iter().map(|p| format!("  - {p}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Config {
    /// Reads the environment and `.env`.
    pub fn load() -> Result<Self, ConfigError> {
        Self::load_with(Vec::new())
    }

    /// The same without reading accounts.toml, for who is about to write it.
    pub fn load_without_accounts() -> Result<Self, ConfigError> {
        Self::read(Vec::new()).map(|(config, _)| config)
    }

    /// The same with these variables in the place of what is set; an empty value unsets one. Each must be known.
    pub fn load_with(over: Vec<(String, String)>) -> Result<Self, ConfigError> {
        let (config, reader) = Self::read(over)?;
        let is_named = reader.values.contains_key("BRAIN_ACCOUNTS");
        config.with_accounts(is_named)?.with_servers()?.with_commands()
    }

    /// What is set.
    fn read(over: Vec<(String, String)>) -> Result<(Self, ConfigReader), ConfigError> {
        let env: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.to_string_lossy().into_owned())))
            .collect();
        let path = Path::new(".env");
        let file::SettingsFile { values, warnings } = file::read(path).map_err(ConfigError)?;
        let layers = vec![(ValueSource::File, values), (ValueSource::Environment, env), (ValueSource::Given, over)];
        let (config, reader) = Self::layered(layers, path)?;
        Ok((Self { warnings: [warnings, config.warnings].concat(), ..config }, reader))
    }

    /// Reads these variables; those of the environment win over those of the file. Reads no accounts.toml.
    pub fn parse(env: Vec<(String, String)>, file: Vec<(String, String)>) -> Result<Self, ConfigError> {
        let layers = vec![(ValueSource::File, file), (ValueSource::Environment, env)];
        Self::layered(layers, Path::new(".env")).map(|(config, _)| config)
    }

    /// Later layers win.
    fn layered(
        layers: Vec<(ValueSource, Vec<(String, String)>)>,
        path: &Path,
    ) -> Result<(Self, ConfigReader), ConfigError> {
        let mut reader = ConfigReader::default();
        reader.origin.file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut told = Vec::new();
        for (source, values) in layers.clone() {
            let (values, renamed) = keys::by_new_names(values);
            told.extend(renamed);
            values.into_iter().for_each(|(key, value)| reader.accept(key, value, source));
        }
        let mut config = reader.read();
        config.warnings.extend(told);
        if reader.problems.is_empty() {
            config.shadow = shadow::read(&reader, &layers, path)?;
            config.warnings.extend(config.shadow.iter_mut().flat_map(|shadow| std::mem::take(&mut shadow.warnings)));
            return Ok((config, reader));
        }
        // It may be why.
        reader.problems.extend(reader.origin.told());
        Err(ConfigError(reader.problems))
    }
}

/// `KEY=VALUE` as it may be shown: what may hold a secret without its value.
pub fn shown(key: &str, value: &str) -> String {
    let may_be_secret = ["KEY", "TOKEN", "SECRET", "URL"].iter().any(|end| key.split('_').any(|part| part == *end));
    if may_be_secret { format!("{key}=…") } else { format!("{key}={value}") }
}

/// The user behind a numeric Telegram id.
pub fn telegram_user(id: i64) -> UserId {
    UserId::new(format!("tg:{id}"))
}

#[cfg(test)]
mod tests;
