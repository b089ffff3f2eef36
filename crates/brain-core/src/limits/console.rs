//! Bounds of the terminal, and of the socket behind which a running process is reached.

/// Connections of other processes on this machine that are served at once.
pub const CONTROL_CONNECTIONS_MAX: usize = 32;
/// So long a connection may take to say what it wants.
pub const CONTROL_HELLO_MS: u64 = 5_000;
/// So long whoever asked may take to read a line.
pub const CONTROL_WRITE_MS: u64 = 30_000;
/// Lines that are read ahead while another one is being answered. More stay with whoever writes them.
pub const LINES_AHEAD_MAX: usize = 16;
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
