//! Reads what is set, key by key.
//!
//! Invariants: every problem is noted, not only the first; none repeats any part of a value: what was put into the
//! wrong place may be a secret. Not here: which keys there are ([`super::keys`]), and prices ([`super::price`]).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::found::SettingsOrigin;
use super::keys::{is_known, unknown};
use super::{Config, ModelEndpoint, TelegramConfig, WebhookConfig};
use brain_core::core::history::Compression;
use brain_core::core::tasks::TaskLimits;
use brain_core::limits;
use brain_core::limits::kept::{KEPT_SECS_MAX, Keep, RETENTION, in_words};
use brain_core::ports::{Planning, Stage, Wording};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueSource {
    Environment,
    File,
    /// The command line.
    Given,
}

/// The values that are set, and what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct ConfigReader {
    pub(super) values: BTreeMap<String, (String, ValueSource)>,
    pub(super) problems: Vec<String>,
    /// What a folder's `.env` sets that is no setting: perhaps a variable of a file that it names.
    pub(super) further: BTreeMap<String, String>,
    /// What a found `.env` sets and may not, and where that stands.
    pub(super) left_out: BTreeMap<String, ValueSource>,
    pub(super) origin: SettingsOrigin,
}

impl ConfigReader {
    pub(super) fn accept(&mut self, key: String, value: String, source: ValueSource) {
        let known = is_known(&key);
        let must_be_known = source != ValueSource::Environment || key.starts_with("BRAIN_");
        if !known && source == ValueSource::File {
            self.further.insert(key, value);
        } else if !known && must_be_known {
            self.problems.push(unknown(&key));
        } else if known {
            let value = value.trim().to_owned();
            if value.is_empty() {
                self.values.remove(&key);
            } else {
                self.values.insert(key, (value, source));
            }
        }
    }

    pub(super) fn read(&mut self) -> Config {
        self.leave_out();
        let (servers_file, commands_file) = (self.named_file("BRAIN_MCP_CONFIG"), self.named_file("BRAIN_COMMANDS"));
        // Whom it is for nobody can tell where the file that would name it was left out.
        let is_left_out = ["BRAIN_MCP_CONFIG", "BRAIN_COMMANDS"].iter().any(|key| self.left_out.contains_key(*key));
        let refer_to =
            |key: &String| [&servers_file, &commands_file].into_iter().flatten().any(|file| file.refers_to(key));
        let unknown_keys = self.further.keys().filter(|key| !is_left_out && !refer_to(key));
        self.problems.extend(unknown_keys.map(|key| unknown(key)));
        let telegram = self.telegram();
        let (short_form, smtp_url) = self.short_form();
        let model_fallback = self.endpoint("LLM_FALLBACK_BASE_URL", "LLM_FALLBACK_API_KEY", "LLM_FALLBACK_MODEL", None);
        let models = self.models();
        if models.is_empty() && model_fallback.is_some() {
            self.problems.push("LLM_FALLBACK_BASE_URL is set without LLM_BASE_URL: set that one first".to_owned());
        }
        let config = Config {
            telegram,
            models,
            model_timeouts: self.model_timeouts(),
            prices: self.prices(),
            fallback_price: self.fallback_price(),
            budgets: self.budgets(),
            otlp_url: self.otlp_url(),
            log_format: self.log_format(),
            web: self.web(),
            model_fallback,
            embeddings: self.endpoint("EMBEDDINGS_BASE_URL", "EMBEDDINGS_API_KEY", "EMBEDDINGS_MODEL", None),
            transcribe: self.endpoint("TRANSCRIBE_BASE_URL", "TRANSCRIBE_API_KEY", "TRANSCRIBE_MODEL", None),
            debounce: self.debounce(),
            smtp_url,
            accounts: short_form.into_iter().collect(),
            accounts_place: self.accounts_place(),
            data_dir: self.text("BRAIN_DATA_DIR").map_or_else(|| PathBuf::from("data/state"), PathBuf::from),
            backup_dir: self.text("BRAIN_BACKUP_DIR").map(PathBuf::from),
            backups_kept: self.number("BRAIN_BACKUP_KEEP", 1, limits::BACKUPS_KEPT_MAX, limits::BACKUPS_KEPT),
            timezone: self.parsed("BRAIN_TIMEZONE", "a zone such as Europe/Berlin", |text| text.parse().ok()),
            allowed_users: self.ids("BRAIN_ALLOWED_USERS").into_iter().collect(),
            admins: self.ids("BRAIN_ADMINS"),
            admin_may_approve: self.switch("BRAIN_ADMIN_MAY_APPROVE").unwrap_or(false),
            keep: self.keep(),
            contents_kept: self.number("BRAIN_KEEP_CONTENTS", 0, limits::CONTENTS_TURNS_MAX, 0),
            shadow: None,
            compresses: self.switch("BRAIN_COMPRESS").unwrap_or(true),
            compression: self.compression(),
            topics: self.parsed("BRAIN_POLICY", "a rule of at most 500 characters, in words", |text| {
                (text.chars().count() <= limits::POLICY_CHARS_MAX).then(|| text.to_owned())
            }),
            learns: self.switch("BRAIN_LEARN").unwrap_or(false),
            skip_router: self.switch("BRAIN_SKIP_ROUTER").unwrap_or(true),
            skip_planner: self.switch("BRAIN_SKIP_PLANNER").unwrap_or(true),
            planning: self.planning(),
            tasks: self.task_limits(),
            keeps_answers: self.switch("BRAIN_KEEP_ANSWERS").unwrap_or(true),
            grounds_plans: true,
            whole_schemas: self.whole_schemas(),
            wording: self.wording(),
            pending_ttl: self.pending_ttl(),
            ask_above_usd: self
                .parsed("BRAIN_ASK_ABOVE_USD", "US dollars, such as 0.05", usd)
                .unwrap_or(limits::ASK_ABOVE_USD),
            servers_file,
            servers: Vec::new(),
            commands_file,
            commands: Vec::new(),
            prompts_dir: self.text("BRAIN_PROMPTS_DIR").map(PathBuf::from),
            origin: self.origin.clone(),
            warnings: self.origin.told().into_iter().collect(),
        };
        self.check_budgets(&config);
        config
    }

    fn debounce(&mut self) -> Duration {
        let of_seconds = |text: &str| duration(text).filter(|d| d.as_secs() <= 10);
        let set = self.parsed("BRAIN_DEBOUNCE", "a duration from 0s to 10s, such as 300ms", of_seconds);
        set.unwrap_or(Duration::from_millis(limits::DEBOUNCE_MS))
    }

    fn pending_ttl(&mut self) -> Duration {
        let between = |text: &str| duration(text).filter(|d| (60..=30 * 86_400).contains(&d.as_secs()));
        let set = self.parsed("BRAIN_PENDING_TTL", "a duration from 1m to 30d, such as 24h", between);
        set.unwrap_or(Duration::from_secs(limits::PENDING_TTL_SECS.unsigned_abs()))
    }

    fn planning(&mut self) -> Planning {
        let named = |text: &str| match text {
            "auto" => Some(Planning::Auto),
            "steps" => Some(Planning::Steps),
            "whole" => Some(Planning::Whole),
            "conversation" => Some(Planning::Conversation),
            _ => None,
        };
        self.parsed("BRAIN_PLANNING", "auto, steps, whole or conversation", named).unwrap_or_default()
    }

    fn whole_schemas(&mut self) -> Option<bool> {
        let named = |text: &str| match text {
            "auto" => Some(None),
            "message" => Some(Some(false)),
            "whole" => Some(Some(true)),
            _ => None,
        };
        self.parsed("BRAIN_SCHEMAS", "auto, message or whole", named).flatten()
    }

    fn wording(&mut self) -> Wording {
        let named = |text: &str| match text {
            "auto" => Some(Wording::Auto),
            "always" => Some(Wording::Always),
            "never" => Some(Wording::Never),
            _ => None,
        };
        self.parsed("BRAIN_RESPOND", "auto, always or never", named).unwrap_or_default()
    }

    fn number(&mut self, key: &str, from: usize, to: usize, usual: usize) -> usize {
        let in_range = |text: &str| text.parse().ok().filter(|number| (from..=to).contains(number));
        self.parsed(key, &format!("a number from {from} to {to}"), in_range).unwrap_or(usual)
    }

    /// How much one request is refined into.
    fn task_limits(&mut self) -> TaskLimits {
        let usual = TaskLimits::default();
        TaskLimits {
            tasks: self.number("BRAIN_TASKS_MAX", 1, limits::TASKS_MAX, usual.tasks),
            depth: self.number("BRAIN_TASK_DEPTH_MAX", 0, limits::TASK_DEPTH_MAX, usual.depth),
        }
    }

    /// How short conversations are kept.
    fn compression(&mut self) -> Compression {
        let usual = Compression::PLAN;
        let mut number = |key: &str, from, to, usual| self.number(key, from, to, usual);
        let compression = Compression {
            recent: number("BRAIN_COMPRESS_RECENT", 2, 40, usual.recent),
            tokens: number("BRAIN_COMPRESS_TOKENS", 300, 100_000, usual.tokens),
            from: number("BRAIN_COMPRESS_FROM", 4, 60, usual.from),
        };
        if compression.from <= compression.recent {
            self.problems.push("BRAIN_COMPRESS_FROM must be more than BRAIN_COMPRESS_RECENT".to_owned());
        }
        compression
    }

    /// How long everything is kept; too little is refused with the reason.
    fn keep(&mut self) -> Keep {
        let mut keep = Keep::default();
        for row in RETENTION {
            let wanted = "a duration such as 30d";
            let Some(length) = self.parsed(row.setting, wanted, duration) else { continue };
            match i64::try_from(length.as_secs()) {
                Ok(secs) if secs < row.secs_min => {
                    let least = in_words(row.secs_min);
                    self.problems.push(format!("{} must be {least} at least: {}", row.setting, row.why_min));
                }
                Ok(secs) if secs <= KEPT_SECS_MAX => keep = keep.with(row.of, secs),
                Ok(_) | Err(_) => {
                    self.problems.push(format!("{} must be {} at most", row.setting, in_words(KEPT_SECS_MAX)));
                }
            }
        }
        keep
    }

    fn text(&self, key: &str) -> Option<String> {
        self.values.get(key).map(|(value, _)| value.clone())
    }

    /// Notes a secret that would go to an address from elsewhere: one of the two stands in the file, the other not.
    pub(super) fn goes_to(&mut self, secret: &str, address: &str) {
        let of = |key: &str| self.values.get(key).map(|(_, source)| source).or_else(|| self.left_out.get(key));
        let is_in_file = |key: &str| of(key).map(|source| *source == ValueSource::File);
        let (Some(secret_is), Some(address_is)) = (is_in_file(secret), is_in_file(address)) else { return };
        if secret_is != address_is {
            let place = |is_in_file: bool| if is_in_file { "in .env" } else { "in the environment" };
            self.problems.push(format!(
                "{secret} is set {}, and {address} {}: a secret goes only to an address from the same place. Set both in one",
                place(secret_is),
                place(address_is)
            ));
        }
    }

    pub(super) fn parsed<T>(&mut self, key: &str, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(key)?;
        let value = parse(&text);
        if value.is_none() {
            self.problems.push(format!("{key} must be {wanted}"));
        }
        value
    }

    fn switch(&mut self, key: &str) -> Option<bool> {
        self.parsed(key, "true or false", |text| text.parse().ok())
    }

    pub(super) fn url(&mut self, key: &str) -> Option<reqwest::Url> {
        let text = self.text(key)?;
        let url =
            reqwest::Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        // An unescaped / ? or # ends the host early: what was taken for it is then a part of the password.
        let ends_early = |part: Option<&str>| part.is_some_and(|part| part.contains('@'));
        let url =
            url.filter(|url| !url.path().contains('@') && !ends_early(url.query()) && !ends_early(url.fragment()));
        if url.is_none() {
            let wanted = "a http:// or https:// address, with special characters of a password percent-encoded";
            self.problems.push(format!("{key} must be {wanted}"));
        }
        url
    }

    fn telegram(&mut self) -> Option<TelegramConfig> {
        let api_url = self.url("TELEGRAM_API_URL");
        self.goes_to("TELEGRAM_BOT_TOKEN", "TELEGRAM_API_URL");
        // Whoever is there reads all that the bot is told.
        self.goes_to("TELEGRAM_BOT_TOKEN", "BRAIN_WEBHOOK_URL");
        let token = self.text("TELEGRAM_BOT_TOKEN")?;
        self.goes_to("BRAIN_WEBHOOK_SECRET", "BRAIN_WEBHOOK_URL");
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

    /// How long each stage waits, where that is set.
    fn model_timeouts(&mut self) -> BTreeMap<Stage, Duration> {
        let mut wait = |key: &str| {
            self.parsed(key, "a duration from 1s to 1h, such as 2m", |text| {
                duration(text).filter(|d| limits::MODEL_TIMEOUT_SECS.contains(&d.as_secs()))
            })
        };
        let common = wait("LLM_TIMEOUT");
        let own = Stage::ALL.map(|stage| (stage, wait(&format!("LLM_TIMEOUT_{}", stage.name().to_uppercase()))));
        own.into_iter().filter_map(|(stage, own)| Some((stage, own.or(common)?))).collect()
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
        self.goes_to(key, if own_url.is_some() { url } else { "LLM_BASE_URL" });
        // A key belongs to its endpoint: the common one is not handed to another address.
        let inherited = if own_url.is_none() { common.and_then(|c| c.api_key.clone()) } else { None };
        let api_key = self.text(key).map(SecretString::from).or(inherited);
        Some(ModelEndpoint { base_url, api_key, model: name })
    }

    fn ids(&mut self, key: &str) -> Vec<i64> {
        self.parsed(key, "numeric Telegram ids, separated by commas", |text| {
            text.split([',', ' '])
                .filter(|part| !part.is_empty())
                .map(|part| part.parse().ok().filter(|id| *id > 0))
                .collect()
        })
        .unwrap_or_default()
    }
}

/// Loopback: whatever terminates TLS stands in front of us.
fn default_webhook_addr() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8_791))
}

/// An amount that can be paid.
pub(super) fn usd(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|usd| usd.is_finite() && *usd >= 0.0)
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
