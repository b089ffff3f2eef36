//! What the file of a mail that we wrote is called, sent or not, and its Message-ID: both follow from the attempt, so
//! that the same attempt twice is one mail.

use sha2::{Digest as _, Sha256};

use crate::services::contract::service::Attempt;
use brain_core::core::digest::hex;

/// Ends the file names of mails we wrote.
pub const MARK: &str = ".brain-agent";

/// The file name of what an attempt wrote, without flags.
pub fn base_of(attempt: &Attempt) -> String {
    format!("{}{MARK}", safe_key(attempt))
}

/// The attempt's key as it may stand in file names and ids: at most 32 letters and digits.
pub fn safe_key(attempt: &Attempt) -> String {
    let plain =
        attempt.key.len() <= 32 && !attempt.key.is_empty() && attempt.key.chars().all(|c| c.is_ascii_alphanumeric());
    if plain {
        return attempt.key.clone();
    }
    short_hash(&attempt.key)
}

/// The id of a draft: at most 32 letters and digits, also for drafts that other programs wrote.
pub fn id_of(base: &str) -> String {
    match base.strip_suffix(MARK) {
        Some(key) => key.to_owned(),
        None => short_hash(base),
    }
}

fn short_hash(text: &str) -> String {
    let digest = hex(&Sha256::digest(text.as_bytes()));
    digest.get(..32).unwrap_or(&digest).to_owned()
}

/// The key of what we wrote, from its Message-ID; `None` for mails of other programs.
pub(in crate::services::email) fn safe_key_of(message_id: &str) -> Option<&str> {
    let (key, _) = message_id.split_once('@')?;
    let is_key = !key.is_empty() && key.len() <= 32 && key.chars().all(|c| c.is_ascii_alphanumeric());
    is_key.then_some(key)
}
