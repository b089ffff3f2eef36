//! One configuration, parsed once. A key that is unknown or cannot be read fails at start, by name.
//!
//! Values come from the environment; a `.env` file in the working directory fills in what is not set there.
//! Every `BRAIN_*` key of the environment, and every key of `.env`, must be known. An empty value means
//! "not set". Secrets are never shown.

mod price;

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use chrono_tz::Tz;
use secrecy::SecretString;

use crate::core::ids::UserId;
use crate::limits;
use crate::ports::Stage;
pub use price::Price;

/// Every key there is: what it is for, and whether this version acts on it.
const KEYS: &[(&str, Use)] = &[
    ("TELEGRAM_BOT_TOKEN", Use::Now),
    ("TELEGRAM_API_URL", Use::Now),
    ("LLM_BASE_URL", Use::Now),
    ("LLM_API_KEY", Use::Now),
    ("LLM_MODEL", Use::Now),
    ("LLM_PRICE_IN", Use::Now),
    ("LLM_PRICE_OUT", Use::Now),
    ("LLM_FALLBACK_BASE_URL", Use::Now),
    ("LLM_FALLBACK_API_KEY", Use::Now),
    ("LLM_FALLBACK_MODEL", Use::Now),
    ("EMBEDDINGS_BASE_URL", Use::Later),
    ("EMBEDDINGS_API_KEY", Use::Later),
    ("EMBEDDINGS_MODEL", Use::Later),
    ("TRANSCRIBE_BASE_URL", Use::Now),
    ("TRANSCRIBE_API_KEY", Use::Now),
    ("TRANSCRIBE_MODEL", Use::Now),
    ("IMAP_URL", Use::Later),
    ("SMTP_URL", Use::Now),
    ("CALDAV_URL", Use::Later),
    ("BRAIN_DATA_DIR", Use::Now),
    ("BRAIN_TIMEZONE", Use::Now),
    ("BRAIN_ALLOWED_USERS", Use::Now),
    ("BRAIN_ADMINS", Use::Now),
    ("BRAIN_BREATH", Use::Now),
    ("BRAIN_WEBHOOK_URL", Use::Now),
    ("BRAIN_WEBHOOK_ADDR", Use::Now),
    ("BRAIN_WEBHOOK_SECRET", Use::Now),
    ("BRAIN_ADMIN_ADDR", Use::Later),
    ("BRAIN_ADMIN_TOKEN", Use::Later),
    ("BRAIN_ADMIN_MAY_APPROVE", Use::Now),
    ("BRAIN_PENDING_TTL", Use::Now),
    ("BRAIN_SKIP_ROUTER", Use::Now),
    ("BRAIN_ASK_ABOVE_USD", Use::Later),
    ("BRAIN_DAILY_BUDGET_USD", Use::Later),
    ("BRAIN_PROMPTS_DIR", Use::Now),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Now,
    /// Part of the contract, but what it configures is not built yet: accepted with a warning.
    Later,
}

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
    /// The bot.
    pub telegram: Option<TelegramConfig>,
    /// The endpoint of each stage; empty: built-in understanding does it all.
    pub models: BTreeMap<Stage, ModelEndpoint>,
    /// What the tokens of each stage's model cost, where its owner has said so.
    pub prices: BTreeMap<Stage, Price>,
    /// Takes over when a stage's endpoint does not answer.
    pub model_fallback: Option<ModelEndpoint>,
    /// Listens to recordings.
    pub transcribe: Option<ModelEndpoint>,
    /// How long a person's next message may join the one before.
    pub breath: Duration,
    /// Outgoing mail.
    pub smtp_url: Option<SecretString>,
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The zone of people who have not chosen one; `None`: the host's, which is then named once.
    pub timezone: Option<Tz>,
    /// Telegram users who are served without pairing.
    pub allowed_users: HashSet<i64>,
    /// Telegram users who are admins; they are served as well.
    pub admins: HashSet<i64>,
    /// Whether an admin may approve other people's pending actions.
    pub admin_may_approve: bool,
    /// Whether messages that built-in understanding is sure about go without the model router.
    pub skip_router: bool,
    /// How long a pending action waits.
    pub pending_ttl: Duration,
    /// A folder whose prompts replace the embedded ones.
    pub prompts_dir: Option<PathBuf>,
    /// For standard error at start: keys that are set but not acted on yet.
    pub warnings: Vec<String>,
}

/// What is wrong with the configuration; each line names its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration needs a look:\n{}", .0.iter().map(|p| format!("  - {p}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Config {
    /// Reads the environment and `.env`.
    pub fn load() -> Result<Self, ConfigError> {
        let env: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.to_string_lossy().into_owned())))
            .collect();
        let file = match dotenvy::from_path_iter(".env") {
            Ok(lines) => lines
                .collect::<Result<Vec<_>, _>>()
                .map_err(|cause| ConfigError(vec![format!(".env cannot be read: {cause}")]))?,
            Err(dotenvy::Error::Io(cause)) if cause.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(cause) => return Err(ConfigError(vec![format!(".env cannot be read: {cause}")])),
        };
        Self::parse(env, file)
    }

    /// Reads these variables; those of the environment win over those of the file.
    pub fn parse(env: Vec<(String, String)>, file: Vec<(String, String)>) -> Result<Self, ConfigError> {
        let mut reader = Reader::default();
        for (key, value) in file {
            reader.accept(key, value, Source::File);
        }
        for (key, value) in env {
            reader.accept(key, value, Source::Environment);
        }
        let config = reader.read();
        if reader.problems.is_empty() { Ok(config) } else { Err(ConfigError(reader.problems)) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Environment,
    File,
}

#[derive(Debug, Default)]
struct Reader {
    values: BTreeMap<String, String>,
    problems: Vec<String>,
}

impl Reader {
    fn accept(&mut self, key: String, value: String, source: Source) {
        let known = is_known(&key);
        let must_be_known = source == Source::File || key.starts_with("BRAIN_");
        if !known && must_be_known {
            self.problems.push(unknown(&key));
        } else if known {
            let value = value.trim().to_owned();
            if value.is_empty() {
                self.values.remove(&key);
            } else {
                self.values.insert(key, value);
            }
        }
    }

    fn read(&mut self) -> Config {
        let warnings = KEYS
            .iter()
            .filter(|(key, when)| *when == Use::Later && self.values.contains_key(*key))
            .map(|(key, _)| format!("{key} is set, but this version does not act on it yet"))
            .collect();
        let telegram = self.telegram();
        let model_fallback = self.endpoint("LLM_FALLBACK_BASE_URL", "LLM_FALLBACK_API_KEY", "LLM_FALLBACK_MODEL", None);
        let models = self.models();
        if models.is_empty() && model_fallback.is_some() {
            self.problems.push("LLM_FALLBACK_BASE_URL is set without LLM_BASE_URL: set that one first".to_owned());
        }
        Config {
            telegram,
            models,
            prices: self.prices(),
            model_fallback,
            transcribe: self.endpoint("TRANSCRIBE_BASE_URL", "TRANSCRIBE_API_KEY", "TRANSCRIBE_MODEL", None),
            breath: self
                .parsed("BRAIN_BREATH", "a duration from 0s to 10s, such as 300ms", |text| {
                    duration(text).filter(|d| d.as_secs() <= 10)
                })
                .unwrap_or(Duration::from_millis(limits::BREATH_MS)),
            smtp_url: self.text("SMTP_URL").map(SecretString::from),
            data_dir: self.text("BRAIN_DATA_DIR").map_or_else(|| PathBuf::from("data/state"), PathBuf::from),
            timezone: self.parsed("BRAIN_TIMEZONE", "a zone such as Europe/Berlin", |text| text.parse().ok()),
            allowed_users: self.ids("BRAIN_ALLOWED_USERS"),
            admins: self.ids("BRAIN_ADMINS"),
            admin_may_approve: self.switch("BRAIN_ADMIN_MAY_APPROVE").unwrap_or(false),
            skip_router: self.switch("BRAIN_SKIP_ROUTER").unwrap_or(true),
            pending_ttl: self
                .parsed("BRAIN_PENDING_TTL", "a duration from 1m to 30d, such as 24h", |text| {
                    duration(text).filter(|d| (60..=30 * 86_400).contains(&d.as_secs()))
                })
                .unwrap_or(Duration::from_secs(limits::PENDING_TTL_SECS.unsigned_abs())),
            prompts_dir: self.text("BRAIN_PROMPTS_DIR").map(PathBuf::from),
            warnings,
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        self.values.get(key).cloned()
    }

    fn parsed<T>(&mut self, key: &str, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(key)?;
        let value = parse(&text);
        if value.is_none() {
            self.problems.push(format!("{key} must be {wanted}, not “{text}”"));
        }
        value
    }

    fn switch(&mut self, key: &str) -> Option<bool> {
        self.parsed(key, "true or false", |text| text.parse().ok())
    }

    fn url(&mut self, key: &str) -> Option<reqwest::Url> {
        let text = self.text(key)?;
        let url =
            reqwest::Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if url.is_none() {
            self.problems.push(format!("{key} must be a http:// or https:// address"));
        }
        url
    }

    fn telegram(&mut self) -> Option<TelegramConfig> {
        let api_url = self.url("TELEGRAM_API_URL");
        let token = self.text("TELEGRAM_BOT_TOKEN")?;
        let fine = token.split_once(':').is_some_and(|(id, secret)| {
            !id.is_empty()
                && id.bytes().all(|b| b.is_ascii_digit())
                && secret.len() >= 10
                && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
        if !fine {
            self.problems.push("TELEGRAM_BOT_TOKEN must look like 123456789:AAE…, as @BotFather gives it".to_owned());
        }
        let webhook = self.webhook();
        Some(TelegramConfig { token: SecretString::from(token), api_url, webhook })
    }

    /// How updates are delivered. The address may be plain HTTP on this machine only, for a server in front of us.
    fn webhook(&mut self) -> Option<WebhookConfig> {
        let addr = self.parsed("BRAIN_WEBHOOK_ADDR", "an address to listen on, such as 127.0.0.1:8791", |text| {
            text.parse::<SocketAddr>().ok()
        });
        let secret = self.parsed("BRAIN_WEBHOOK_SECRET", "1 to 256 letters, digits, _ and -", |text| {
            let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            (text.len() <= 256 && text.bytes().all(fine)).then(|| SecretString::from(text.to_owned()))
        });
        let Some(url) = self.url("BRAIN_WEBHOOK_URL") else {
            if addr.is_some() || secret.is_some() {
                self.problems.push("BRAIN_WEBHOOK_URL is missing: where should Telegram deliver to?".to_owned());
            }
            return None;
        };
        Some(WebhookConfig { url, addr: addr.unwrap_or_else(default_webhook_addr), secret })
    }

    /// The endpoint of each stage: its own keys, each falling back to the common one.
    fn models(&mut self) -> BTreeMap<Stage, ModelEndpoint> {
        let common = self.endpoint("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", None);
        let mut models = BTreeMap::new();
        for stage in Stage::ALL {
            let key = |base: &str| format!("{base}_{}", stage.name().to_uppercase());
            let own = self.endpoint(&key("LLM_BASE_URL"), &key("LLM_API_KEY"), &key("LLM_MODEL"), common.as_ref());
            if let Some(endpoint) = own {
                models.insert(stage, endpoint);
            }
        }
        if !models.is_empty() && models.len() < Stage::ALL.len() {
            self.problems
                .push("LLM_BASE_URL is missing: it serves every stage that has no endpoint of its own".to_owned());
        }
        models
    }

    fn endpoint(&mut self, url: &str, key: &str, model: &str, common: Option<&ModelEndpoint>) -> Option<ModelEndpoint> {
        let own_url = self.url(url).and_then(|_| self.text(url));
        let own_model = self.text(model);
        if self.values.contains_key(url) && own_url.is_none() {
            return None;
        }
        let base_url = own_url.clone().or_else(|| common.map(|c| c.base_url.clone()));
        let Some(base_url) = base_url else {
            if own_model.is_some() || self.values.contains_key(key) {
                self.problems.push(format!("{model} or {key} is set without {url}"));
            }
            return None;
        };
        let Some(name) = own_model.or_else(|| common.map(|c| c.model.clone())) else {
            self.problems.push(format!("{model} is missing: which model should {url} use?"));
            return None;
        };
        // A key belongs to its endpoint: the common one is not handed to another address.
        let inherited = if own_url.is_none() { common.and_then(|c| c.api_key.clone()) } else { None };
        let api_key = self.text(key).map(SecretString::from).or(inherited);
        Some(ModelEndpoint { base_url, api_key, model: name })
    }

    fn ids(&mut self, key: &str) -> HashSet<i64> {
        self.parsed(key, "numeric Telegram ids, separated by commas", |text| {
            text.split([',', ' '])
                .filter(|part| !part.is_empty())
                .map(|part| part.parse().ok().filter(|id| *id > 0))
                .collect()
        })
        .unwrap_or_default()
    }
}

fn is_known(key: &str) -> bool {
    let staged = ["LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL"]
        .iter()
        .chain(&price::PRICE_KEYS)
        .find_map(|base| key.strip_prefix(base)?.strip_prefix('_'))
        .is_some_and(|stage| Stage::ALL.iter().any(|s| s.name().to_uppercase() == stage));
    staged || KEYS.iter().any(|(known, _)| *known == key)
}

fn unknown(key: &str) -> String {
    let nearest = KEYS
        .iter()
        .map(|(known, _)| (common_prefix(known, key), *known))
        .max()
        .filter(|(shared, _)| *shared >= 7)
        .map(|(_, known)| format!("; did you mean {known}?"));
    format!("{key} is no setting of Brain Agent{}", nearest.unwrap_or_default())
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Loopback: whatever terminates TLS stands in front of us.
fn default_webhook_addr() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8_791))
}

/// `300ms`, `90s`, `15m`, `24h`, `7d`.
fn duration(text: &str) -> Option<Duration> {
    if let Some(number) = text.strip_suffix("ms") {
        return number.parse().ok().map(Duration::from_millis);
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds).map(Duration::from_secs)
}

/// The user behind a numeric Telegram id.
pub fn telegram_user(id: i64) -> UserId {
    UserId::new(format!("tg:{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let env = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::parse(env, Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_is_a_fine_configuration() {
        let config = parse(&[("PATH", "/bin")]).unwrap();
        assert!(config.telegram.is_none() && config.models.is_empty());
        assert_eq!(config.pending_ttl, Duration::from_secs(86_400));
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
            ("LLM_BASE_URL", "localhost"),
            ("TELEGRAM_BOT_TOKEN", "nonsense"),
            ("BRAIN_BREATH", "11s"),
            ("BRAIN_BREATH", "-5ms"),
            ("TRANSCRIBE_MODEL", "whisper-1"),
            ("LLM_MODEL", "small"),
        ] {
            let error = parse(&[(key, value)]).unwrap_err();
            assert!(error.contains(key), "{key}: {error}");
        }
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
        let example = include_str!("../.env.example");
        let named: Vec<&str> = example
            .lines()
            .filter_map(|line| line.trim_start_matches("# ").split_once('='))
            .map(|(key, _)| key)
            .collect();
        for (key, _) in KEYS {
            assert!(named.contains(key), "{key} is missing from .env.example");
        }
        for key in named {
            assert!(is_known(key), "{key} in .env.example is unknown");
        }
    }
}
