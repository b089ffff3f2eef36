//! Bounds of the terminal, and of the socket behind which a running process is reached.

/// Connections of other processes on this machine that are served at once.
pub const CONTROL_CONNECTIONS_MAX: usize = 32;
/// So long a connection may take to say what it wants.
pub const CONTROL_HELLO_MS: u64 = 5_000;
/// So long whoever asked may take to read a line.
pub const CONTROL_WRITE_MS: u64 = 30_000;
/// Lines that are read ahead while another one is being answered. More stay with whoever writes them.
pub const LINES_AHEAD_MAX: usize = 16;
/// Files that come with one line.
pub const FILES_WITH_A_LINE_MAX: usize = 10;
/// Bytes of the name of one, and of its media type: what file systems take.
pub const FILE_NAME_BYTES_MAX: usize = 255;
/// So long `/cancel` waits for what runs to end by itself: what is quick is not stopped half way, and input that was
/// written at one go is answered in its order.
pub const CANCEL_WAITS_MS: u64 = 300;
/// So long the prompt waits for the answer: a quick one stands there first, behind a slow one one may type on.
pub const PROMPT_WAITS_MS: u64 = 250;
/// So long a yes or a no waits for the end of a turn whose answer is on the screen already.
pub const TURN_ENDS_MS: u64 = 5_000;
/// So long the end of the program waits for a terminal that takes nothing.
pub const LAST_WORDS_MS: u64 = 1_000;
/// Lines of the terminal's history: some weeks of talking.
pub const HISTORY_LINES_MAX: usize = 1_000;
/// Bytes of a name of somebody at a console.
pub const CONSOLE_NAME_BYTES_MAX: usize = 64;
/// Parents of a process that are looked at, to know whether we have started it: deeper than anything that is called by hand.
pub const ANCESTORS_MAX: usize = 64;
/// Connections to the operator's page at once; each open chat of it holds one.
pub const WEB_CONNECTIONS_MAX: usize = 64;
/// Pages that are told when their list changes, at once; each holds a connection.
pub const WEB_LIVE_MAX: usize = 24;
/// Largest form of the page, a message of its chat included.
pub const WEB_BODY_BYTES_MAX: usize = 512 * 1024;
/// Largest file that its chat takes.
pub const WEB_FILE_BYTES_MAX: usize = 20 * 1024 * 1024;
/// So long a browser may take to hand a file over.
pub const WEB_FILE_MS: u64 = 120_000;
/// Fields of a form or an address that are read.
pub const WEB_FIELDS_MAX: usize = 16;
/// Wrong tokens a minute, of everybody together.
pub const WEB_WRONG_TOKENS_MAX: usize = 10;
/// Characters of a token at least.
pub const WEB_TOKEN_CHARS_MIN: usize = 16;
/// So long a browser stays logged in.
pub const WEB_SESSION_SECS: u64 = 12 * 3_600;
/// Browsers that are logged in at once; the oldest one gives way.
pub const WEB_SESSIONS_MAX: usize = 32;
/// Records that one page of a filtered list looks at; it says so and goes on behind them: milliseconds, however long the list.
pub const FILTER_LOOKED_AT_MAX: usize = 2_000;
/// Rows of the audit and of usage that the page counts over: a year of a busy household.
pub const WEB_ROWS_COUNTED_MAX: usize = 50_000;
