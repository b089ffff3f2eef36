//! Every key there is. The contract with whoever writes the environment: `.env.example` names the same ones, and a
//! key that is not here fails at start.

use super::price::{DAILY_BUDGET, PRICE_KEYS};
use brain_core::limits::kept::RETENTION;
use brain_core::ports::Stage;

/// Every key there is, whether this version acts on it, and what it decides; those of [`RETENTION`] stand there.
pub(super) const KEYS: &[(&str, Use, Decides)] = &[
    ("TELEGRAM_BOT_TOKEN", Use::Now, Decides::Place),
    ("TELEGRAM_API_URL", Use::Now, Decides::Place),
    ("LLM_BASE_URL", Use::Now, Decides::Place),
    ("LLM_API_KEY", Use::Now, Decides::Place),
    ("LLM_MODEL", Use::Now, Decides::Model),
    ("LLM_TIMEOUT", Use::Now, Decides::Manner),
    ("LLM_PRICE_IN", Use::Now, Decides::Manner),
    ("LLM_PRICE_OUT", Use::Now, Decides::Manner),
    ("LLM_FALLBACK_BASE_URL", Use::Now, Decides::Place),
    ("LLM_FALLBACK_API_KEY", Use::Now, Decides::Place),
    ("LLM_FALLBACK_MODEL", Use::Now, Decides::Model),
    ("LLM_FALLBACK_PRICE_IN", Use::Now, Decides::Manner),
    ("LLM_FALLBACK_PRICE_OUT", Use::Now, Decides::Manner),
    ("EMBEDDINGS_BASE_URL", Use::Now, Decides::Place),
    ("EMBEDDINGS_API_KEY", Use::Now, Decides::Place),
    ("EMBEDDINGS_MODEL", Use::Now, Decides::Model),
    ("TRANSCRIBE_BASE_URL", Use::Now, Decides::Place),
    ("TRANSCRIBE_API_KEY", Use::Now, Decides::Place),
    ("TRANSCRIBE_MODEL", Use::Now, Decides::Model),
    ("IMAP_URL", Use::Now, Decides::Place),
    ("IMAP_URL_FILE", Use::Now, Decides::Place),
    ("SMTP_URL", Use::Now, Decides::Place),
    ("SMTP_URL_FILE", Use::Now, Decides::Place),
    ("CALDAV_URL", Use::Now, Decides::Place),
    ("CALDAV_URL_FILE", Use::Now, Decides::Place),
    ("CARDDAV_URL", Use::Now, Decides::Place),
    ("CARDDAV_URL_FILE", Use::Now, Decides::Place),
    ("BRAIN_ACCOUNTS", Use::Now, Decides::Place),
    ("BRAIN_DATA_DIR", Use::Now, Decides::Manner),
    ("BRAIN_TIMEZONE", Use::Now, Decides::Manner),
    ("BRAIN_ALLOWED_USERS", Use::Now, Decides::Right),
    ("BRAIN_ADMINS", Use::Now, Decides::Right),
    ("BRAIN_BREATH", Use::Now, Decides::Manner),
    ("BRAIN_WEBHOOK_URL", Use::Now, Decides::Place),
    ("BRAIN_WEBHOOK_ADDR", Use::Now, Decides::Place),
    ("BRAIN_WEBHOOK_SECRET", Use::Now, Decides::Place),
    ("BRAIN_ADMIN_ADDR", Use::Later, Decides::Right),
    ("BRAIN_ADMIN_TOKEN", Use::Later, Decides::Right),
    ("BRAIN_ADMIN_MAY_APPROVE", Use::Now, Decides::Right),
    ("BRAIN_PENDING_TTL", Use::Now, Decides::Manner),
    ("BRAIN_SKIP_PLANNER", Use::Now, Decides::Manner),
    ("BRAIN_SKIP_ROUTER", Use::Now, Decides::Manner),
    ("BRAIN_PLANNING", Use::Now, Decides::Manner),
    ("BRAIN_SCHEMAS", Use::Now, Decides::Manner),
    ("BRAIN_RESPOND", Use::Now, Decides::Manner),
    ("BRAIN_KEEP_ANSWERS", Use::Now, Decides::Manner),
    ("BRAIN_TASKS_MAX", Use::Now, Decides::Manner),
    ("BRAIN_TASK_DEPTH_MAX", Use::Now, Decides::Manner),
    ("BRAIN_COMPRESS", Use::Now, Decides::Manner),
    ("BRAIN_COMPRESS_RECENT", Use::Now, Decides::Manner),
    ("BRAIN_COMPRESS_TOKENS", Use::Now, Decides::Manner),
    ("BRAIN_COMPRESS_FROM", Use::Now, Decides::Manner),
    ("BRAIN_LEARN", Use::Now, Decides::Manner),
    ("BRAIN_ASK_ABOVE_USD", Use::Now, Decides::Right),
    (DAILY_BUDGET, Use::Now, Decides::Right),
    ("BRAIN_MONTHLY_BUDGET_USD", Use::Now, Decides::Right),
    ("BRAIN_PROMPTS_DIR", Use::Now, Decides::Place),
    ("BRAIN_MCP_CONFIG", Use::Now, Decides::Place),
    ("BRAIN_COMMANDS", Use::Now, Decides::Place),
    ("BRAIN_POLICY", Use::Now, Decides::Right),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Now,
    /// Part of the contract, but what it configures is not built yet: accepted with a warning.
    Later,
}

/// What a key decides: the border of what a file may say that merely lies in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decides {
    /// Where words, facts and secrets go, or whose words are taken for ours.
    Place,
    /// The name of a model at a [`Place`](Self::Place): nothing without that.
    Model,
    /// Who may do what, and what may be spent.
    Right,
    /// When something is deleted.
    Keeping,
    /// How something is done.
    Manner,
}

/// Whether there is this key; those of an endpoint may carry a stage's name.
pub(super) fn is_known(key: &str) -> bool {
    decides(key).is_some()
}

/// What a key decides; `None`: there is no such key.
pub(super) fn decides(key: &str) -> Option<Decides> {
    if RETENTION.iter().any(|row| row.setting == key) {
        return Some(Decides::Keeping);
    }
    let base = base_of(key).unwrap_or(key);
    KEYS.iter().find(|(known, _, _)| *known == base).map(|(_, _, decides)| *decides)
}

/// The key without the name of a stage, where it has one.
fn base_of(key: &str) -> Option<&str> {
    ["LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "LLM_TIMEOUT", DAILY_BUDGET].iter().chain(&PRICE_KEYS).copied().find(
        |base| {
            let stage = key.strip_prefix(base).and_then(|rest| rest.strip_prefix('_'));
            stage.is_some_and(|stage| Stage::ALL.iter().any(|s| s.name().to_uppercase() == stage))
        },
    )
}

/// What to say of a key there is not.
pub(super) fn unknown(key: &str) -> String {
    let nearest = KEYS
        .iter()
        .map(|(known, _, _)| *known)
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
