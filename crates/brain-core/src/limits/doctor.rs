//! Bounds of looking at an installation, and of telling how its accounts are.

/// Of a sentence about an account that is not connected: what its server said may be anything.
pub const ACCOUNT_TROUBLE_CHARS: usize = 200;
/// How often it is looked whether somebody has to be told that an account waits for them.
pub const ACCOUNTS_LOOKED_AT_MS: u64 = 2_000;
/// A line of a mail server's greeting, and how many of them there may be before what is waited for.
pub const GREETING_BYTES_MAX: usize = 4 * 1024;
/// See [`GREETING_BYTES_MAX`].
pub const GREETING_LINES_MAX: usize = 64;
/// One check of `doctor`: a server that is there answers sooner.
pub const CHECK_MS: u64 = 10_000;
/// Its short question to a model: one that has to be loaded first takes its time.
pub const CHECK_MODEL_MS: u64 = 60_000;
/// The start of a server that brings tools, and its list.
pub const CHECK_SERVER_MS: u64 = 30_000;
/// What a model server lists of its models.
pub const MODEL_LIST_BYTES_MAX: usize = 4 * 1024 * 1024;
/// A prompt with conversation and context needs so many tokens of a model's context; below that, some is left out.
pub const MODEL_CONTEXT_TOKENS_MIN: u64 = 8_192;
/// Of less room on its disk than this, `doctor` warns: a store is written anew beside the old one.
pub const DISK_BYTES_LOW: u64 = 1_000_000_000;
/// Of less than this, soon nothing can be kept.
pub const DISK_BYTES_MIN: u64 = 100_000_000;
