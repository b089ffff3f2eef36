//! Calendars, task lists and address books elsewhere.

/// How often an account is asked for what is new. Calendars are looked at more often than they change.
pub const DAV_POLL_SECS: u64 = 120;
/// First wait after an account could not be read; doubled each time.
pub const DAV_RETRY_SECS: u64 = 10;
/// Longest such wait, and the wait where it lets nobody in.
pub const DAV_RETRY_SECS_MAX: u64 = 1_200;
/// How often it is asked which collections there are.
pub const DAV_LOOK_SECS: u64 = 3_600;
/// Resources that are read, and committed here, at once.
pub const DAV_FETCH_SLICE: usize = 200;
/// Parts of an answer that come one after the other in one pass; what is left comes with the next.
pub const DAV_PARTS_MAX: usize = 100;
/// Resources that hold nothing that is shown, or cannot be read, and are remembered, so that they are not fetched in every
/// pass.
pub const DAV_PASSED_OVER_MAX: usize = 1_000;
/// Bytes of a deleted resource that undo can bring back.
pub const DAV_UNDO_BYTES_MAX: usize = 256 * 1024;
/// Lines of one calendar object or vCard.
pub const ICAL_LINES_MAX: usize = 50_000;
/// How deep components may lie in each other.
pub const ICAL_DEPTH_MAX: usize = 8;
/// Until a connection stands.
pub const DAV_CONNECT_MS: u64 = 10_000;
/// Between two parts of an answer.
pub const DAV_IDLE_MS: u64 = 30_000;
/// A whole answer to what only reads: a calendar of many years.
pub const DAV_READ_MS: u64 = 120_000;
/// A whole answer to a write. With what is read before and behind it, it lies inside the time of a command: what ends
/// from outside would be taken for something that may have been done.
pub const DAV_WRITE_MS: u64 = 12_000;
/// What is read right before or behind a write.
pub const DAV_GLANCE_MS: u64 = 8_000;
/// Bytes of one answer.
pub const DAV_ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of one resource; larger ones are somebody's attachments.
pub const DAV_RESOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Entries of one answer.
pub const DAV_ENTRIES_MAX: usize = 200_000;
/// How deep elements of an answer may lie in each other.
pub const DAV_DEPTH_MAX: usize = 100;
/// Redirections that are followed.
pub const DAV_REDIRECTS_MAX: usize = 5;
/// Resources asked for in one request.
pub const DAV_MULTIGET_MAX: usize = 100;
/// Resources asked for one by one, at once.
pub const DAV_GETS_AT_ONCE: usize = 8;
/// Collections of one account.
pub const DAV_COLLECTIONS_MAX: usize = 200;
