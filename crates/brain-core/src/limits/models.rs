//! Bounds of what models are asked and answer.

/// Shapes of answers, and prompts that follow from them, kept as they go out: more sets of services than people ask
/// for, and a few megabytes at most.
pub const SCHEMAS_KEPT: usize = 64;
/// Of each text that a node of a turn got or gave, so many bytes are kept: the prompt of a small model fits.
pub const CONTENTS_TEXT_BYTES_MAX: usize = 16 * 1024;
/// Of one line of it, such as why a call failed.
pub const CONTENTS_LINE_BYTES_MAX: usize = 300;
/// Of all of a turn together: a thousand turns of a person are a hundred megabytes at most.
pub const CONTENTS_BYTES_MAX: usize = 128 * 1024;
/// Where that is still too much, each text keeps so many at least.
pub const CONTENTS_TEXT_BYTES_MIN: usize = 256;
/// Nodes of a turn whose contents are kept: more have only questions over everything, and theirs are alike.
pub const CONTENTS_NODES_MAX: usize = 100;
/// Turns of a person whose contents may be kept.
pub const CONTENTS_TURNS_MAX: usize = 1_000;
/// Turns that a second set of models or prompts takes at once; those beyond are left out.
pub const SHADOW_TURNS_AT_ONCE: usize = 2;
/// One that takes longer is given up.
pub const SHADOW_SECS_MAX: u64 = 180;
/// What was said since a moment is passed over in pages of so many messages, and so many of those.
pub const SHADOW_MESSAGES_A_PAGE: usize = 100;
pub const SHADOW_PAGES_MAX: usize = 50;
/// Kept turns of which a report tells at most, and a replay goes through.
pub const SHADOW_REPORT_TURNS_MAX: usize = 1_000;
/// Of those that are kept no more, so many are read and deleted at once: two megabytes.
pub const CONTENTS_STEP: usize = 16;
/// Model answers larger than this are cut off: no stage needs more.
pub const MODEL_REPLY_BYTES_MAX: usize = 1024 * 1024;
/// One event of a streamed answer; a whole answer fits, as some servers send it.
pub const MODEL_EVENT_BYTES_MAX: usize = 256 * 1024;
/// Attempts for one model call, the first included.
pub const MODEL_ATTEMPTS_MAX: usize = 3;
/// A Retry-After longer than this is not waited for; the stage falls back.
pub const MODEL_RETRY_AFTER_SECS_MAX: u64 = 10;
/// Answers that take longer than this, and the built-in answer is given at once where it is sure: people look at
/// something else after about ten seconds, and a turn asks twice.
pub const MODEL_SLOW_MS: u64 = 6_000;
/// After so long whoever waits is told that it is the model which takes its time, and again after each as long.
pub const MODEL_WAIT_TOLD_MS: u64 = 10_000;
/// Of what a request in one service tells a model, in tokens (bytes / 4): on a machine without a GPU that is read at
/// some twenty tokens a second, before the first word of an answer.
pub const PLAN_PROMPT_TOKENS_MAX: usize = 980;
/// Up to so many parameters a model plans in steps: from some eight billion on, one call that plans everything does better.
pub const SMALL_MODEL_PARAMETERS_MAX: f64 = 4.5e9;
/// The least and the most that a time-out of a stage may be set to.
pub const MODEL_TIMEOUT_SECS: std::ops::RangeInclusive<u64> = 1..=3_600;
/// Outages in a row after which an endpoint is left alone: what a restart of it takes is over by the third.
pub const MODEL_OUTAGES_MAX: u32 = 5;
/// How long: nobody waits that long for an answer, and it is soon enough to find it working again.
pub const MODEL_REST_SECS: u64 = 30;
/// A count below so many tokens may leave out what the server kept from earlier prompts: it is held against what is
/// new in the prompt, a larger one against all of it.
pub const MODEL_CUT_TOKENS_MIN: u64 = 1_500;
/// Of fewer tokens no prompt is taken to be cut off: in such a context no answer would fit.
pub const MODEL_CUT_LEAST: u64 = 256;
/// So many of the last prompts of an endpoint are remembered, to tell what is new in the next: a few of each stage.
pub const MODEL_CUT_PROMPTS: usize = 16;
/// A prompt is taken to be cut off where so many times more was sent than was counted. Sent tokens are estimated from
/// bytes, and off by up to a third.
pub const MODEL_CUT_FACTOR: u64 = 2;
