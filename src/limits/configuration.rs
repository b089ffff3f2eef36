//! Bounds of what the program is configured by.

/// Bytes of `.env`: far more than every setting with its comments.
pub const SETTINGS_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a prompt that replaces a built-in one: ten times the longest of them.
pub const PROMPT_FILE_BYTES_MAX: u64 = 256 * 1024;
