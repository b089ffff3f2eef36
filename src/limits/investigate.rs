//! Bounds of questions over everything that a person has.

/// Characters of what a thing says beside its title, wherever it is shown or summed up.
pub const SNIPPET_CHARS_MAX: usize = 200;
/// Things of one service that one look gives at most: more are ranked first, and said to be more.
pub const FOUND_ITEMS_MAX: usize = 400;
/// Conversations whose heads one look compares: half a year of a busy mailbox.
pub const FOUND_THREADS_MAX: usize = 4_000;
/// Mails of one conversation that are read: what is open in it stands at its end.
pub const READ_MAILS_MAX: usize = 12;
