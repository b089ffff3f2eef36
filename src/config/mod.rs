//! One configuration, parsed once. A key that is unknown or cannot be read fails at start, by name.
//!
//! A `.env` in the working directory fills in what the environment leaves unset. Every `BRAIN_*` key, and every key of
//! `.env`, must be known; an empty value means "not set". Secrets are never shown, and each goes only where it comes from
//! says or to the built-in address: a folder's file does not decide where the environment's keys go. See [`keys`].

mod accounts;
mod file;
mod keys;
mod named_file;
mod price;
mod reader;
mod servers;

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono_tz::Tz;
use secrecy::SecretString;

use crate::accounts::{AccountConfig, AccountsPlace};
use crate::core::history::Compression;
use crate::core::ids::UserId;
use crate::core::tasks::TaskLimits;
use crate::declared::DeclaredService;
use crate::limits::kept::Keep;
use crate::mcp::McpServer;
use crate::ports::{Planning, Stage, TokenPrice, Wording};
pub use named_file::NamedFile;
use reader::{ConfigReader, ValueSource};

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
    /// Takes over when a stage's endpoint does not answer.
    pub model_fallback: Option<ModelEndpoint>,
    /// Makes vectors of facts and of what is asked about them.
    pub embeddings: Option<ModelEndpoint>,
    /// Listens to recordings.
    pub transcribe: Option<ModelEndpoint>,
    /// How long a person's next message may join the one before.
    pub breath: Duration,
    /// Outgoing mail in short form, for accounts without [`AccountConfig::smtp`].
    pub smtp_url: Option<SecretString>,
    /// The accounts of everybody: those of accounts.toml, and before them the one in short form.
    pub accounts: Vec<AccountConfig>,
    /// Where accounts.toml is, or would be.
    pub accounts_place: AccountsPlace,
    /// Where everything is kept.
    pub data_dir: PathBuf,
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
    pub commands: Vec<DeclaredService>,
    /// For standard error at start.
    pub warnings: Vec<String>,
}

/// What is wrong with the configuration; each line names its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration needs a look:\n{}", .0.iter().map(|p| format!("  - {p}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<String>);

/// Later ones win.
type Layers = [(ValueSource, Vec<(String, String)>); 3];

impl Config {
    /// Reads the environment and `.env`.
    pub fn load() -> Result<Self, ConfigError> {
        Self::load_with(Vec::new())
    }

    /// The same without reading accounts.toml, for who is about to write it.
    pub fn load_without_accounts() -> Result<Self, ConfigError> {
        let (layers, warnings) = Self::layers(Vec::new())?;
        let config = Self::layered(layers)?;
        Ok(Self { warnings: [warnings, config.warnings].concat(), ..config })
    }

    /// The same with these variables in the place of what is set; an empty value unsets one. Each must be known.
    pub fn load_with(over: Vec<(String, String)>) -> Result<Self, ConfigError> {
        let (layers, warnings) = Self::layers(over)?;
        let values = layers.iter().flat_map(|(_, values)| values);
        let is_named = values.into_iter().any(|(key, value)| key == "BRAIN_ACCOUNTS" && !value.trim().is_empty());
        let config = Self::layered(layers)?.with_accounts(is_named)?.with_servers()?.with_commands()?;
        Ok(Self { warnings: [warnings, config.warnings].concat(), ..config })
    }

    /// What is set, and what its owner should mend.
    fn layers(over: Vec<(String, String)>) -> Result<(Layers, Vec<String>), ConfigError> {
        let env: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.to_string_lossy().into_owned())))
            .collect();
        let file::SettingsFile { values, warnings } = file::read(Path::new(".env")).map_err(ConfigError)?;
        Ok(([(ValueSource::File, values), (ValueSource::Environment, env), (ValueSource::Given, over)], warnings))
    }

    /// Reads these variables; those of the environment win over those of the file. Reads no accounts.toml.
    pub fn parse(env: Vec<(String, String)>, file: Vec<(String, String)>) -> Result<Self, ConfigError> {
        Self::layered([(ValueSource::File, file), (ValueSource::Environment, env)])
    }

    /// Later layers win.
    fn layered(layers: impl IntoIterator<Item = (ValueSource, Vec<(String, String)>)>) -> Result<Self, ConfigError> {
        let mut reader = ConfigReader::default();
        for (source, values) in layers {
            values.into_iter().for_each(|(key, value)| reader.accept(key, value, source));
        }
        let config = reader.read();
        if reader.problems.is_empty() { Ok(config) } else { Err(ConfigError(reader.problems)) }
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
mod tests {
    use super::keys::{KEYS, Use, is_known};
    use super::*;
    use crate::limits::kept::{Kept, RETENTION};

    fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let env = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::parse(env, Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_is_a_fine_configuration() {
        let config = parse(&[("PATH", "/bin")]).unwrap();
        assert!(config.telegram.is_none() && config.models.is_empty());
        assert_eq!((config.pending_ttl, config.ask_above_usd), (Duration::from_secs(86_400), 0.05));
        assert_eq!(parse(&[("BRAIN_ASK_ABOVE_USD", "0.2")]).unwrap().ask_above_usd, 0.2);
    }

    #[test]
    fn an_unknown_or_malformed_key_fails_by_name() {
        for (key, value) in [
            ("BRAIN_TIMEZON", "UTC"),
            ("BRAIN_TIMEZONE", "Mars/Base"),
            ("BRAIN_PENDING_TTL", "soon"),
            ("BRAIN_PENDING_TTL", "5s"),
            ("BRAIN_PENDING_TTL", "é"),
            ("BRAIN_ALLOWED_USERS", "alice"),
            ("BRAIN_ADMIN_MAY_APPROVE", "maybe"),
            ("BRAIN_SKIP_ROUTER", "maybe"),
            ("BRAIN_RESPOND", "sometimes"),
            ("BRAIN_PLANNING", "twice"),
            ("BRAIN_SCHEMAS", "some"),
            ("BRAIN_ASK_ABOVE_USD", "much"),
            ("BRAIN_ASK_ABOVE_USD", "-1"),
            ("LLM_BASE_URL", "localhost"),
            ("TELEGRAM_BOT_TOKEN", "nonsense"),
            ("BRAIN_BREATH", "11s"),
            ("BRAIN_BREATH", "-5ms"),
            ("TRANSCRIBE_MODEL", "whisper-1"),
            ("EMBEDDINGS_MODEL", "some"),
            ("LLM_MODEL", "small"),
            ("LLM_TIMEOUT", "0s"),
            ("LLM_TIMEOUT", "2h"),
            ("LLM_TIMEOUT_PLAN", "slow"),
        ] {
            let error = parse(&[(key, value)]).unwrap_err();
            assert!(error.contains(key), "{key}: {error}");
        }
    }

    #[test]
    fn what_is_kept_how_long_can_be_set_and_never_to_less_than_is_needed() {
        let config = parse(&[("BRAIN_KEEP_TRACES", "14d"), ("BRAIN_KEEP_INBOX", "25h")]).unwrap();
        assert_eq!(config.keep.secs(Kept::Traces), 14 * 86_400);
        assert_eq!(config.keep.secs(Kept::Inbox), 25 * 3_600);
        assert_eq!(config.keep.secs(Kept::Audit), parse(&[]).unwrap().keep.secs(Kept::Audit));
        for row in RETENTION {
            let error = parse(&[(row.setting, "59m")]).unwrap_err();
            assert!(error.contains(row.setting) && error.contains(row.why_min), "{error}");
        }
        assert!(parse(&[("BRAIN_KEEP_TRACES", "for ever")]).unwrap_err().contains("such as 30d"));
        assert!(parse(&[("BRAIN_KEEP_TRACE", "30d")]).unwrap_err().contains("did you mean BRAIN_KEEP_TRACES?"));
    }

    #[test]
    fn every_unknown_key_of_the_file_is_named() {
        let error =
            Config::parse(Vec::new(), vec![("LLM_MODLE".into(), "x".into()), ("FOO".into(), "y".into())]).unwrap_err();
        assert_eq!(error.0.len(), 2);
        assert!(error.to_string().contains("did you mean LLM_MODEL?"));
    }

    #[test]
    fn a_stage_takes_what_it_has_and_the_rest_from_the_common_endpoint_but_never_its_key() {
        let config = parse(&[
            ("LLM_BASE_URL", "http://localhost:1/v1"),
            ("LLM_API_KEY", "common"),
            ("LLM_MODEL", "big"),
            ("LLM_MODEL_ROUTE", "small"),
            ("LLM_BASE_URL_PLAN", "http://other:2/v1"),
        ])
        .unwrap();
        assert_eq!(config.models[&Stage::Route].model, "small");
        assert!(config.models[&Stage::Route].api_key.is_some());
        assert_eq!(config.models[&Stage::Plan].model, "big");
        assert!(config.models[&Stage::Plan].api_key.is_none());
    }

    #[test]
    fn a_secret_goes_only_to_an_address_from_where_it_comes_from() {
        const TOKEN: (&str, &str) = ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA");
        const ADDRESS: &str = "https://elsewhere.example/v1";
        const LLM: [(&str, &str); 2] = [("LLM_MODEL", "big"), ("LLM_BASE_URL", "https://llm.example/v1")];
        let key = |name| (name, "AAAA");
        for (secret, address, rest) in [
            (TOKEN, "TELEGRAM_API_URL", vec![]),
            (TOKEN, "BRAIN_WEBHOOK_URL", vec![]),
            (key("BRAIN_WEBHOOK_SECRET"), "BRAIN_WEBHOOK_URL", vec![TOKEN]),
            (key("LLM_API_KEY"), "LLM_BASE_URL", vec![LLM[0]]),
            (key("LLM_API_KEY_PLAN"), "LLM_BASE_URL_PLAN", LLM.to_vec()),
            (key("LLM_API_KEY_PLAN"), "LLM_BASE_URL", vec![LLM[0]]),
            (key("LLM_FALLBACK_API_KEY"), "LLM_FALLBACK_BASE_URL", [&LLM[..], &[("LLM_FALLBACK_MODEL", "m")]].concat()),
            (key("EMBEDDINGS_API_KEY"), "EMBEDDINGS_BASE_URL", vec![("EMBEDDINGS_MODEL", "m")]),
            (key("TRANSCRIBE_API_KEY"), "TRANSCRIBE_BASE_URL", vec![("TRANSCRIBE_MODEL", "m")]),
        ] {
            let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
            // What the two need beside them stands where the secret does.
            let beside: Vec<(String, String)> = rest.into_iter().chain([secret]).map(owned).collect();
            let address_set = vec![owned((address, ADDRESS))];
            for apart in
                [Config::parse(beside.clone(), address_set.clone()), Config::parse(address_set.clone(), beside.clone())]
            {
                let error = apart.unwrap_err().to_string();
                assert!(error.contains(secret.0) && error.contains(address), "{secret:?}, {address}: {error}");
                assert!(!error.contains("AAAA") && !error.contains("elsewhere"), "{error}");
            }
            let all = [beside, address_set].concat();
            assert!(Config::parse(all.clone(), Vec::new()).is_ok(), "{secret:?}, {address}");
            assert!(Config::parse(Vec::new(), all).is_ok(), "{secret:?}, {address}");
        }
        // Where there is an address by default, a secret may stand anywhere.
        let token = vec![(TOKEN.0.to_owned(), TOKEN.1.to_owned())];
        assert!(Config::parse(token.clone(), Vec::new()).is_ok() && Config::parse(Vec::new(), token).is_ok());
    }

    #[test]
    fn a_stage_waits_as_long_as_is_set_for_it_or_for_all() {
        let waits = |pairs: &[(&str, &str)]| parse(pairs).unwrap().model_timeouts;
        assert!(waits(&[]).is_empty(), "each stage knows how long it waits");
        let set = waits(&[("LLM_TIMEOUT", "3m"), ("LLM_TIMEOUT_ROUTE", "20s")]);
        assert_eq!(set[&Stage::Route], Duration::from_secs(20));
        assert_eq!(set[&Stage::Plan], Duration::from_secs(180));
        let of_plan = waits(&[("LLM_TIMEOUT_PLAN", "5m")]);
        assert_eq!(of_plan, BTreeMap::from([(Stage::Plan, Duration::from_secs(300))]));
    }

    #[test]
    fn a_webhook_needs_an_address_of_its_own_and_a_secret_that_telegram_takes() {
        let token = ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA");
        let config = parse(&[token, ("BRAIN_WEBHOOK_URL", "https://bot.example/hook")]).unwrap();
        let webhook = config.telegram.unwrap().webhook.unwrap();
        assert!(webhook.addr.ip().is_loopback() && webhook.secret.is_none());
        for (key, value) in [
            ("BRAIN_WEBHOOK_URL", "bot.example"),
            ("BRAIN_WEBHOOK_ADDR", "8791"),
            ("BRAIN_WEBHOOK_SECRET", "not allowed!"),
        ] {
            let error = parse(&[token, (key, value)]).unwrap_err();
            assert!(error.contains(key), "{error}");
        }
        let error = parse(&[token, ("BRAIN_WEBHOOK_SECRET", "abc")]).unwrap_err();
        assert!(error.contains("BRAIN_WEBHOOK_URL is missing"), "{error}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let config =
            parse(&[("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAAsecret"), ("SMTP_URL", "smtp://u:secret@h")]).unwrap();
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn the_example_file_names_every_key_and_no_other() {
        let example = include_str!("../../.env.example");
        let named: Vec<&str> = example
            .lines()
            .filter_map(|line| line.trim_start_matches("# ").split_once('='))
            .map(|(key, _)| key)
            .collect();
        let kept = RETENTION.iter().map(|row| row.setting);
        for key in KEYS.iter().map(|(key, _)| *key).chain(kept) {
            assert!(named.contains(&key), "{key} is missing from .env.example");
        }
        for key in named {
            assert!(is_known(key), "{key} in .env.example is unknown");
        }
        let (_, later) = example.split_once("Accepted, but not acted on").unwrap();
        for (key, when) in KEYS {
            assert_eq!(later.contains(&format!("# {key}=")), *when == Use::Later, "{key}");
        }
    }

    #[test]
    fn accounts_in_short_form_are_acted_on() {
        let url = "https://anna%40example.com:secret@dav.example.com/";
        let config = parse(&[("CALDAV_URL", url), ("CARDDAV_URL", url)]).unwrap();
        assert_eq!((config.accounts.len(), config.warnings.as_slice()), (1, [].as_slice()));
    }
}
