//! Bounds of measuring how well messages are understood.

/// Largest file of examples that `eval` reads.
pub const EVAL_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Messages read untimed before the measuring begins, so that no figure holds the first look at a table.
pub const EVAL_WARM_UP_ROWS: usize = 20;
/// Worlds that are played at once: enough for the cores of a small machine.
pub const EVAL_WORLDS_MAX: usize = 4;
/// The same where a model answers: more would wait in a local server's queue and be taken for slow, or run into a rate
/// limit.
pub const EVAL_WORLDS_BY_MODEL_MAX: usize = 2;
/// Cards that are approved at the end of a row, to see what they would do; each may lead to another.
pub const EVAL_CARDS_MAX: usize = 5;
