//! Bounds of servers that speak the Model Context Protocol.

/// Servers of one file.
pub const MCP_SERVERS_MAX: usize = 50;
/// Characters of a server's name.
pub const MCP_SERVER_NAME_CHARS_MAX: usize = 40;
/// Bytes of the file that names them.
pub const MCP_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Characters of what a router is told of a server: thirty of them fit into 700 tokens.
pub const MCP_SUMMARY_CHARS_MAX: usize = 70;
/// Tools that are named for each reason to ask first, where a server is told of on a line.
pub const ASKING_TOOLS_NAMED_MAX: usize = 6;
/// Until a server has greeted, and until it has said a page of what it offers. The first start of a package takes longest:
/// it is fetched.
pub const MCP_START_SECS: u64 = 60;
/// Without a word about a call, where the file says nothing else.
pub const MCP_CALL_SECS: u64 = 60;
/// The same at most.
pub const MCP_CALL_SECS_MAX: u64 = 3_600;
/// How often its patience a call may take in all, though words about it come.
pub const MCP_CALL_PATIENCES: u32 = 10;
/// Bytes of one question that a server asks in the middle of a call.
pub const MCP_ASKED_BYTES_MAX: usize = 16 * 1024;
/// Questions that one call may end with.
pub const MCP_ASKED_FORMS_MAX: usize = 4;
/// Bytes of what a server wants back with the answers.
pub const MCP_STATE_BYTES_MAX: usize = 64 * 1024;
/// How often a server may want one call to be made, with nothing asked.
pub const MCP_CALLED_AGAIN_MAX: usize = 3;
/// How long a question may be that of a call that was let go.
pub const MCP_STRAY_SECS: u64 = 600;
/// How long a call waits for a server that is just starting.
pub const MCP_WAIT_SECS: u64 = 15;
/// Characters of a difference between two definitions that an admin is shown, and may take with a press.
pub const DIFFERENCE_CHARS_MAX: usize = 6_000;
/// Tools of one server; a list that goes on is cut.
pub const MCP_TOOLS_MAX: usize = 500;
/// Pages of that list.
pub const MCP_PAGES_MAX: usize = 50;
/// Bytes of one message from a server.
pub const MCP_MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Characters of why a server is not there, as whoever runs this is told.
pub const MCP_WHY_CHARS_MAX: usize = 400;
/// Changed tools that `/status` shows with their differences.
pub const MCP_CHANGES_SHOWN_MAX: usize = 3;
/// Between two starts of a server that does not stay, growing from the first to the second.
pub const MCP_PAUSE_MIN_MS: u64 = 500;
/// See [`MCP_PAUSE_MIN_MS`].
pub const MCP_PAUSE_MAX_MS: u64 = 300_000;
/// Who has stayed so long is started again as if it were the first time.
pub const MCP_STAYED_SECS: u64 = 60;
/// Between two looks at what a server offers, however often it says that this changed.
pub const MCP_LIST_PAUSE_MS: u64 = 1_000;
/// The same where its list is good for a shorter time.
pub const MCP_LIST_HOLDS_SECS: u64 = 60;
/// Between two looks at whether a connection is still there.
pub const MCP_LOOK_MS: u64 = 250;
/// Between two looks at whether somebody has signed in to a server that is down.
pub const MCP_SIGN_IN_LOOK_MS: u64 = 1_000;
/// Characters of the scopes that somebody is told a server wants.
pub const MCP_SCOPES_CHARS_MAX: usize = 400;
/// Levels of a message; what is deeper is cut out. A parser stops at 128, and a schema may have far fewer.
pub const MCP_MESSAGE_DEPTH_MAX: usize = 100;
/// Values of a message: each may take some hundred bytes here, though it took two to send.
pub const MCP_MESSAGE_VALUES_MAX: usize = 100_000;
/// Questions to us that a server may ask at once; a busy one asks a handful.
pub const MCP_QUESTIONS_AT_ONCE: u64 = 1_000;
/// And so many more each second.
pub const MCP_QUESTIONS_PER_SEC: u64 = 100;
/// Bytes of one question, or one line; longer ones count as several.
pub const MCP_QUESTION_BYTES: usize = 4 * 1024;
/// Lines of any kind at once, of messages and of what is none: programs write whole logs there.
pub const MCP_LINES_AT_ONCE: u64 = 500_000;
/// And so many more each second.
pub const MCP_LINES_PER_SEC: u64 = 10_000;
/// Bytes that may wait until a server takes them.
pub const MCP_WAITING_BYTES_MAX: usize = 1024 * 1024;
/// How often a stream may be asked for at once, each ended by its server.
pub const MCP_STREAMS_AT_ONCE: u64 = 10;
/// Between two further ones, and the least delay that a server may ask for.
pub const MCP_STREAM_PAUSE_MS: u64 = 1_000;
/// How long a server that had to be ended is left alone at least.
pub const MCP_ENDED_PAUSE_MS: u64 = 30_000;
