//! Bounds of accounts elsewhere, and of signing in to them.

/// Accounts in one file: a family with a handful each.
pub const ACCOUNTS_MAX: usize = 50;
/// Addresses of one account, its aliases counted.
pub const ACCOUNT_ADDRESSES_MAX: usize = 50;
/// `accounts.toml`: so many accounts, each with a long signature.
pub const ACCOUNTS_FILE_BYTES_MAX: usize = 256 * 1024;
/// Characters of what stands below a mail; what is longer is a letter of its own.
pub const SIGNATURE_CHARS_MAX: usize = 2_000;
/// Days of mail that are kept here unless something else is set: two years.
pub const MAIL_DAYS: u32 = 730;
/// And at most: a hundred years, so everything there is.
pub const MAIL_DAYS_MAX: u32 = 36_525;
/// A file that holds one secret, and what a command prints: the first line of it is far shorter.
pub const SECRET_BYTES_MAX: usize = 16 * 1024;
/// A file of certificates: what everybody trusts together has a quarter of it.
pub const AUTHORITIES_BYTES_MAX: usize = 1024 * 1024;
/// How long a command may take that prints a password: somebody may have to unlock something first.
pub const SECRET_COMMAND_MS: u64 = 20_000;
/// How long what it printed is used again, so that a connection more does not start one more process.
pub const SECRET_COMMAND_KEPT_SECS: u64 = 300;
/// How long a command that failed is not run again: it may have asked somebody something.
pub const SECRET_COMMAND_PAUSE_SECS: u64 = 30;
/// One request to a token server.
pub const TOKEN_REQUEST_MS: u64 = 20_000;
/// What it may answer: tokens have a few thousand bytes.
pub const TOKEN_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// The name that an authorization server gives us: it stands in the address of a page.
pub const CLIENT_ID_BYTES_MAX: usize = 2_048;
/// An access token is renewed so many seconds before it ends, or a quarter of its life if that is less: a connection
/// that is being opened takes seconds.
pub const TOKEN_AHEAD_SECS: i64 = 300;
/// After a failure a token server is left alone so long, twice as long after each further one,
pub const TOKEN_PAUSE_SECS: u64 = 5;
/// and so long at most.
pub const TOKEN_PAUSE_SECS_MAX: u64 = 900;
/// A token that was just renewed and is refused all the same is not renewed again for so long.
pub const TOKEN_FORCED_SECS: u64 = 300;
/// How long another process may be renewing the same tokens.
pub const TOKEN_LOCK_MS: u64 = 30_000;
/// How long somebody may take in the browser before setup gives up.
pub const AUTHORIZE_SECS: u64 = 600;
/// How long a code for another device is asked about, whatever the server says.
pub const DEVICE_SECS_MAX: u64 = 1_800;
/// Connections that have not said yet what they want; a browser opens a few ahead. One more takes the place of the first.
pub const REDIRECTS_AT_ONCE: usize = 64;
/// How long one of them may take to say it, and to take its answer: it comes from this machine.
pub const REDIRECT_MS: u64 = 5_000;
/// The head of its request.
pub const REDIRECT_BYTES_MAX: usize = 16 * 1024;
/// Signing in at one server of an account, to see whether it works.
pub const PROBE_MS: u64 = 20_000;
