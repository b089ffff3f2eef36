//! Bounds of what the operator's files name: programs of this machine, and addresses elsewhere.

/// Bytes of a text of a file once the variables that it names stand in it: a long token, many times.
pub const EXPANDED_BYTES_MAX: usize = 256 * 1024;
/// Bytes that are read of an answer; what goes on is not read.
pub const OUTSIDE_ANSWER_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How long a connection to an address may take.
pub const OUTSIDE_CONNECT_SECS: u64 = 10;
/// Bytes of what a program says of its trouble: its end is kept.
pub const PROGRAM_COMPLAINT_BYTES_MAX: usize = 2_048;
/// Lines of that end which are told.
pub const PROGRAM_COMPLAINT_LINES: usize = 3;
/// How long a program may take to end when it is asked to.
pub const PROGRAM_END_MS: u64 = 2_000;
/// How long its last words are waited for, where it has closed its output: it mostly has ended then.
pub const PROGRAM_LAST_WORDS_MS: u64 = 200;
/// Between two looks at whether a program has ended.
pub const PROGRAM_LOOK_MS: u64 = 10;
/// Bytes of a secret that must not be seen side by side; fewer are in many a word.
pub const SECRET_PART_BYTES: usize = 8;
/// Bytes of the shortest value that is hidden; what is shorter is in every sentence.
pub const SECRET_BYTES_MIN: usize = 4;
