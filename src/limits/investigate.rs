//! Bounds of questions over everything that a person has.

/// Characters of what a thing says beside its title, wherever it is shown or summed up.
pub const SNIPPET_CHARS_MAX: usize = 200;
/// Things of one service that one look gives at most: more are ranked first, and said to be more.
pub const FOUND_ITEMS_MAX: usize = 400;
/// Conversations whose heads one look compares: half a year of a busy mailbox.
pub const FOUND_THREADS_MAX: usize = 4_000;
/// Mails of one conversation that are read: what is open in it stands at its end.
pub const READ_MAILS_MAX: usize = 12;
/// Characters of one letter that are read for what it asks and promises; longer ones are reports.
pub const LETTER_CHARS_MAX: usize = 8_000;
/// Sentences of one letter that are read.
pub const LETTER_SENTENCES_MAX: usize = 120;
/// Characters of a sentence that is shown.
pub const SENTENCE_CHARS_MAX: usize = 160;
/// Promises of one conversation that are kept, the newest.
pub const PROMISES_MAX: usize = 20;
/// Amounts of one text that are kept.
pub const AMOUNTS_MAX: usize = 20;
/// Things that one node reads: without a model a second's work, with one what the budget allows.
pub const READ_ITEMS_MAX: usize = 400;
/// Searches of one node that are put together.
pub const SEARCHES_MAX: usize = 8;
/// Days back that mail is looked through when nobody says: what waits longer is settled or hopeless.
pub const LOOK_BACK_DAYS: i64 = 180;
/// Days ahead that events are looked for when nobody says.
pub const LOOK_AHEAD_DAYS: i64 = 60;
/// People whom an answer to "whom most?" names.
pub const PEOPLE_SHOWN_MAX: usize = 10;
/// Conversations with those who come to a meeting that are read to prepare it.
pub const PREPARED_THREADS_MAX: usize = 60;
