//! Bounds of questions over everything that a person has.

/// Characters of what a thing says beside its title, wherever it is shown or summed up.
pub const SNIPPET_CHARS_MAX: usize = 200;
/// Things of one service that one look gives at most: more are ranked first, and said to be more.
pub const FOUND_ITEMS_MAX: usize = 2_000;
/// Conversations whose heads one look compares: half a year of a busy mailbox.
pub const FOUND_THREADS_MAX: usize = 4_000;
/// Conversations whose heads are in memory at once.
pub const FOUND_THREADS_AT_ONCE: usize = 500;
/// Mails of one conversation that are read: what is open in it stands at its end.
pub const READ_MAILS_MAX: usize = 12;
/// Characters of one letter that are read for what it asks and promises; longer ones are reports.
pub const LETTER_CHARS_MAX: usize = 8_000;
/// Sentences of one letter that are read.
pub const LETTER_SENTENCES_MAX: usize = 120;
/// Characters that are read as one sentence. What goes on without a stop is a log or a list, and is read as several:
/// every way to say something is held against each of its words, and the words between them.
pub const SENTENCE_READ_CHARS_MAX: usize = 600;
/// Bytes of what is kept of conversations that were read, of all people: some ten thousand of them.
pub const KEPT_FEATURES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Conversations that are read in one piece: some milliseconds, after which somebody's next message may be read.
pub const LETTERS_READ_AT_ONCE: usize = 25;
/// Characters of a sentence that is shown.
pub const SENTENCE_CHARS_MAX: usize = 160;
/// Bytes of a question that phrases may cover, with what narrows it: several times the longest that people ask.
pub const FAMILY_QUESTION_BYTES_MAX: usize = 600;
/// Words of what is asked before a meeting, and marks that may divide it from the meeting.
pub const BRIEFING_WORDS_MAX: usize = 14;
pub const BRIEFING_MARKS_MAX: usize = 8;
/// Promises of one conversation that are kept, the newest.
pub const PROMISES_MAX: usize = 20;
/// Letters of one person, each the first of its conversation, that are held against what is open with them.
pub const LETTERS_COMPARED_MAX: usize = 200;
/// Amounts of one text that are kept.
pub const AMOUNTS_MAX: usize = 20;
/// Things that one node reads: without a model a second's work, with one what the budget allows.
pub const READ_ITEMS_MAX: usize = 2_000;
/// Things whose texts are asked for at once.
pub const ITEMS_READ_AT_ONCE: usize = 50;
/// Bytes of texts that one node holds: the rest of what it could read is counted as unread.
pub const READ_BYTES_MAX: usize = 24 * 1024 * 1024;
/// How long one node goes on reading, of the time that there is for a node: what is unread by then is counted, and what
/// was read is told.
pub const READ_MS_MAX: u64 = 12_000;
/// Searches of one node that are put together.
pub const SEARCHES_MAX: usize = 8;
/// Days back that mail is looked through when nobody says: what waits longer is settled or hopeless.
pub const LOOK_BACK_DAYS: i64 = 180;
/// Days ahead that events are looked for when nobody says.
pub const LOOK_AHEAD_DAYS: i64 = 60;
/// Things that the person told, in an answer about a topic: they are beside what is kept.
pub const TOLD_SHOWN_MAX: usize = 3;
/// People whom an answer names to a question of who does something most.
pub const PEOPLE_SHOWN_MAX: usize = 5;
/// Conversations with those who come to a meeting that are read to prepare it.
pub const PREPARED_THREADS_MAX: usize = 60;

/// Nodes of one graph of evidence: questions need three to eight, and a model that writes more does not know what it
/// looks for.
pub const EVIDENCE_NODES_MAX: usize = 30;
/// Nodes that run side by side: they mostly wait, and what they wait for has limits of its own.
pub const EVIDENCE_WIDTH_MAX: usize = 16;
/// Dependencies in a row: find, read, compare, and as much again.
pub const EVIDENCE_DEPTH_MAX: usize = 6;
/// Nodes that look into one source at once: it is a disk or one mail server, which the turn itself needs as well.
pub const SOURCE_AT_ONCE_MAX: usize = 4;
/// Calls that one model endpoint answers at once, of all questions together: what it does without making others wait.
pub const ENDPOINT_AT_ONCE_MAX: usize = 8;
/// Attempts for one node, the first included.
pub const EVIDENCE_ATTEMPTS_MAX: u32 = 3;
/// The pause before the second attempt; each further one is twice as long, and between half and all of it is waited.
pub const EVIDENCE_BACKOFF_BASE_MS: u64 = 200;
/// The longest pause: a person waits.
pub const EVIDENCE_BACKOFF_CAP_MS: u64 = 2_000;
/// Failures in a row after which a source or an endpoint is left alone: two nodes that used up their attempts.
pub const LANE_FAILURES_MAX: u32 = 6;
/// How long: a few nodes go on without, and the next question tries again.
pub const LANE_REST_MS: u64 = 10_000;
/// One node, all attempts and pauses together: a third of what there is for the whole question.
pub const EVIDENCE_NODE_MS_MAX: u64 = 20_000;
/// The same with a model that is known to be slow.
pub const SLOW_EVIDENCE_NODE_MS_MAX: u64 = 100_000;
/// What one node gives: the heads of so many things as one look finds, and what was read of them.
pub const EVIDENCE_OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Tokens of one question, all model calls together.
pub const TURN_TOKENS_MAX: u64 = 100_000;
/// Model calls of one question: fifty threads read one by one, and what is around them.
pub const TURN_CALLS_MAX: u32 = 60;
/// How long one question may take; after that what was found is told.
pub const TURN_MS_MAX: u64 = 60_000;
/// The same with a model that is known to be slow: it alone takes minutes for what others write in seconds, and what
/// code found is shown meanwhile.
pub const SLOW_TURN_MS_MAX: u64 = 300_000;
/// Seconds for which what was found or told is kept for a question that is asked again: the talk about it.
pub const EVIDENCE_CACHE_SECS: i64 = 3_600;
/// Bytes of it, of all people: what a few long questions found.
pub const EVIDENCE_CACHE_BYTES_MAX: usize = 12 * 1024 * 1024;
/// Entries of it: most are what a model said of one text.
pub const EVIDENCE_CACHE_ENTRIES_MAX: usize = 2_048;
/// Characters of a title or a sentence in a row of an answer.
pub const ROW_CHARS_MAX: usize = 120;
/// People of a thing that are kept with an answer.
pub const ROW_PEOPLE_MAX: usize = 12;
/// Rows of an answer that are shown at first: what the design allows a node in an answer.
pub const FINDINGS_SHOWN_MAX: usize = 10;
/// Rows that are kept for further pages and for what is asked next.
pub const FINDINGS_KEPT_MAX: usize = 200;
/// Seconds for which an answer can be gone on with: a working day.
pub const FINDINGS_KEPT_SECS: i64 = 12 * 3600;
/// Messages after which an answer is no longer what a request to narrow it means: three exchanges.
pub const FINDINGS_FRESH_MESSAGES: u64 = 8;
/// People whose meetings are looked for at once.
pub const PEOPLE_ASKED_MAX: usize = 50;
/// Traces that are looked through for a chat's last turn.
pub const TRACES_LOOKED_THROUGH: usize = 200;
/// Events by which a group is told: it meets again and again, with the same people.
pub const GROUP_EVENTS_MAX: usize = 12;
