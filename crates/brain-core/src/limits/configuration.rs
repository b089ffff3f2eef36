//! Bounds of what the program is configured by.

/// Bytes of `.env`: far more than every setting with its comments.
pub const SETTINGS_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Settings of it: many times as many as there are.
pub const SETTINGS_MAX: usize = 2_000;
/// Lines of it that are told of when they cannot be read.
pub const SETTINGS_PROBLEMS_MAX: usize = 20;
/// Bytes of a prompt that replaces a built-in one: ten times the longest of them.
pub const PROMPT_FILE_BYTES_MAX: u64 = 256 * 1024;
