//! Bounds of reading messages without a model.

/// Steps that reading one message may take (see `language::work`): ten times what a letter of 4,000 characters takes,
/// and some thirty milliseconds. A message that takes more is told to be too much, and nothing of it is done.
pub const UNDERSTANDING_STEPS_MAX: u32 = 750_000;
/// People whose place in the pool is remembered before those without a job are let go.
pub const POOL_PEOPLE_KEPT: usize = 256;
/// The same of what a message reports as done, whose parts are each read anew: half of it.
pub const REPORT_STEPS_MAX: u32 = UNDERSTANDING_STEPS_MAX / 2;
