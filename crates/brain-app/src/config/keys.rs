//! Every key there is. The contract with whoever writes the environment: `.env.example` names the same ones, and a
//! key that is not here fails at start.

use super::price::{DAILY_BUDGET, PRICE_KEYS};
use brain_core::limits::kept::RETENTION;
use brain_core::ports::Stage;

/// Every key there is, and what it decides; those of [`RETENTION`] stand there.
pub(super) const KEYS: &[(&str, Decides)] = &[
    ("TELEGRAM_BOT_TOKEN", Decides::Place),
    ("TELEGRAM_API_URL", Decides::Place),
    ("LLM_BASE_URL", Decides::Place),
    ("LLM_API_KEY", Decides::Place),
    ("LLM_MODEL", Decides::Model),
    ("LLM_TIMEOUT", Decides::Manner),
    ("LLM_PRICE_IN", Decides::Manner),
    ("LLM_PRICE_OUT", Decides::Manner),
    ("LLM_FALLBACK_BASE_URL", Decides::Place),
    ("LLM_FALLBACK_API_KEY", Decides::Place),
    ("LLM_FALLBACK_MODEL", Decides::Model),
    ("LLM_FALLBACK_PRICE_IN", Decides::Manner),
    ("LLM_FALLBACK_PRICE_OUT", Decides::Manner),
    ("EMBEDDINGS_BASE_URL", Decides::Place),
    ("EMBEDDINGS_API_KEY", Decides::Place),
    ("EMBEDDINGS_MODEL", Decides::Model),
    ("TRANSCRIBE_BASE_URL", Decides::Place),
    ("TRANSCRIBE_API_KEY", Decides::Place),
    ("TRANSCRIBE_MODEL", Decides::Model),
    ("IMAP_URL", Decides::Place),
    ("IMAP_URL_FILE", Decides::Place),
    ("SMTP_URL", Decides::Place),
    ("SMTP_URL_FILE", Decides::Place),
    ("CALDAV_URL", Decides::Place),
    ("CALDAV_URL_FILE", Decides::Place),
    ("CARDDAV_URL", Decides::Place),
    ("CARDDAV_URL_FILE", Decides::Place),
    ("BRAIN_ACCOUNTS", Decides::Place),
    ("BRAIN_DATA_DIR", Decides::Manner),
    ("BRAIN_TIMEZONE", Decides::Manner),
    ("BRAIN_ALLOWED_USERS", Decides::Right),
    ("BRAIN_ADMINS", Decides::Right),
    ("BRAIN_DEBOUNCE", Decides::Manner),
    ("BRAIN_WEBHOOK_URL", Decides::Place),
    ("BRAIN_WEBHOOK_ADDR", Decides::Place),
    ("BRAIN_WEBHOOK_SECRET", Decides::Place),
    ("BRAIN_LOG_FORMAT", Decides::Manner),
    ("BRAIN_OTLP_URL", Decides::Place),
    ("BRAIN_ADMIN_ADDR", Decides::Right),
    ("BRAIN_ADMIN_TOKEN", Decides::Right),
    ("BRAIN_ADMIN_MAY_APPROVE", Decides::Right),
    ("BRAIN_PENDING_TTL", Decides::Manner),
    ("BRAIN_SKIP_PLANNER", Decides::Manner),
    ("BRAIN_SKIP_ROUTER", Decides::Manner),
    ("BRAIN_PLANNING", Decides::Manner),
    ("BRAIN_SCHEMAS", Decides::Manner),
    ("BRAIN_RESPOND", Decides::Manner),
    ("BRAIN_KEEP_ANSWERS", Decides::Manner),
    ("BRAIN_TASKS_MAX", Decides::Manner),
    ("BRAIN_TASK_DEPTH_MAX", Decides::Manner),
    ("BRAIN_KEEP_CONTENTS", Decides::Keeping),
    ("BRAIN_SHADOW", Decides::Place),
    ("BRAIN_COMPRESS", Decides::Manner),
    ("BRAIN_COMPRESS_RECENT", Decides::Manner),
    ("BRAIN_COMPRESS_TOKENS", Decides::Manner),
    ("BRAIN_COMPRESS_FROM", Decides::Manner),
    ("BRAIN_LEARN", Decides::Manner),
    ("BRAIN_ASK_ABOVE_USD", Decides::Right),
    (DAILY_BUDGET, Decides::Right),
    ("BRAIN_MONTHLY_BUDGET_USD", Decides::Right),
    ("BRAIN_PROMPTS_DIR", Decides::Place),
    ("BRAIN_MCP_CONFIG", Decides::Place),
    ("BRAIN_COMMANDS", Decides::Place),
    ("BRAIN_POLICY", Decides::Right),
    ("BRAIN_BACKUP_DIR", Decides::Place),
    ("BRAIN_BACKUP_KEEP", Decides::Keeping),
];

/// Keys that had another name, and that one.
const RENAMED: &[(&str, &str)] = &[("BRAIN_BREATH", "BRAIN_DEBOUNCE")];
/// The last version that reads the earlier names.
const LAST_VERSION: &str = "0.2";

/// These variables by the names that their keys have now, and what to say of each that had an earlier one. Where a place
/// sets both, the new name counts.
pub(super) fn by_new_names(mut values: Vec<(String, String)>) -> (Vec<(String, String)>, Vec<String>) {
    let now = |key: &str| RENAMED.iter().find(|(earlier, _)| *earlier == key).map(|(_, now)| *now);
    values.sort_by_key(|(key, _)| now(key).is_none());
    let mut told = Vec::new();
    for (key, _) in &mut values {
        if let Some(now) = now(key) {
            told.push(format!("{key} is called {now} now. Version {LAST_VERSION} is the last to read the old name."));
            now.clone_into(key);
        }
    }
    (values, told)
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
    KEYS.iter().find(|(known, _)| *known == base).map(|(_, decides)| *decides)
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
