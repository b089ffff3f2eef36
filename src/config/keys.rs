//! Every key there is. The contract with whoever writes the environment: `.env.example` names the same ones, and a
//! key that is not here fails at start.

use super::price::PRICE_KEYS;
use crate::limits::kept::RETENTION;
use crate::ports::Stage;

/// Every key there is, and whether this version acts on it; those of [`RETENTION`] stand there.
pub(super) const KEYS: &[(&str, Use)] = &[
    ("TELEGRAM_BOT_TOKEN", Use::Now),
    ("TELEGRAM_API_URL", Use::Now),
    ("LLM_BASE_URL", Use::Now),
    ("LLM_API_KEY", Use::Now),
    ("LLM_MODEL", Use::Now),
    ("LLM_TIMEOUT", Use::Now),
    ("LLM_PRICE_IN", Use::Now),
    ("LLM_PRICE_OUT", Use::Now),
    ("LLM_FALLBACK_BASE_URL", Use::Now),
    ("LLM_FALLBACK_API_KEY", Use::Now),
    ("LLM_FALLBACK_MODEL", Use::Now),
    ("EMBEDDINGS_BASE_URL", Use::Now),
    ("EMBEDDINGS_API_KEY", Use::Now),
    ("EMBEDDINGS_MODEL", Use::Now),
    ("TRANSCRIBE_BASE_URL", Use::Now),
    ("TRANSCRIBE_API_KEY", Use::Now),
    ("TRANSCRIBE_MODEL", Use::Now),
    ("IMAP_URL", Use::Now),
    ("IMAP_URL_FILE", Use::Now),
    ("SMTP_URL", Use::Now),
    ("SMTP_URL_FILE", Use::Now),
    ("CALDAV_URL", Use::Now),
    ("CALDAV_URL_FILE", Use::Now),
    ("CARDDAV_URL", Use::Now),
    ("CARDDAV_URL_FILE", Use::Now),
    ("BRAIN_ACCOUNTS", Use::Now),
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
    ("BRAIN_SKIP_PLANNER", Use::Now),
    ("BRAIN_SKIP_ROUTER", Use::Now),
    ("BRAIN_PLANNING", Use::Now),
    ("BRAIN_SCHEMAS", Use::Now),
    ("BRAIN_RESPOND", Use::Now),
    ("BRAIN_KEEP_ANSWERS", Use::Now),
    ("BRAIN_TASKS_MAX", Use::Now),
    ("BRAIN_TASK_DEPTH_MAX", Use::Now),
    ("BRAIN_COMPRESS", Use::Now),
    ("BRAIN_COMPRESS_RECENT", Use::Now),
    ("BRAIN_COMPRESS_TOKENS", Use::Now),
    ("BRAIN_COMPRESS_FROM", Use::Now),
    ("BRAIN_LEARN", Use::Now),
    ("BRAIN_ASK_ABOVE_USD", Use::Now),
    ("BRAIN_DAILY_BUDGET_USD", Use::Later),
    ("BRAIN_PROMPTS_DIR", Use::Now),
    ("BRAIN_MCP_CONFIG", Use::Now),
    ("BRAIN_COMMANDS", Use::Now),
    ("BRAIN_POLICY", Use::Now),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Now,
    /// Part of the contract, but what it configures is not built yet: accepted with a warning.
    Later,
}

/// Whether there is this key; those of an endpoint may carry a stage's name.
pub(super) fn is_known(key: &str) -> bool {
    let staged = ["LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "LLM_TIMEOUT"]
        .iter()
        .chain(&PRICE_KEYS)
        .find_map(|base| key.strip_prefix(base)?.strip_prefix('_'))
        .is_some_and(|stage| Stage::ALL.iter().any(|s| s.name().to_uppercase() == stage));
    let kept = RETENTION.iter().any(|row| row.setting == key);
    staged || kept || KEYS.iter().any(|(known, _)| *known == key)
}

/// What to say of a key there is not.
pub(super) fn unknown(key: &str) -> String {
    let nearest = KEYS
        .iter()
        .map(|(known, _)| *known)
        .chain(RETENTION.iter().map(|row| row.setting))
        .map(|known| (common_prefix(known, key), known))
        .max()
        .filter(|(shared, _)| *shared >= 7)
        .map(|(_, known)| format!("; did you mean {known}?"));
    format!("{key} is no setting of Brain Agent{}", nearest.unwrap_or_default())
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}
