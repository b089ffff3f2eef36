//! Every bound of the system in one place, each with its reason.
//!
//! Sizes are in bytes unless the name says otherwise; times carry their unit in the name.

mod accounts;
mod archive;
mod backup;
mod configuration;
mod console;
mod custom_commands;
mod dav;
mod doctor;
mod eval;
mod evidence_model;
mod investigate;
pub mod kept;
mod language;
mod mail_accounts;
mod mcp;
mod models;
mod outside;
mod planning;
mod search;
mod telegram;
mod tools;

pub use accounts::*;
pub use archive::*;
pub use backup::*;
pub use configuration::*;
pub use console::*;
pub use custom_commands::*;
pub use dav::*;
pub use doctor::*;
pub use eval::*;
pub use evidence_model::*;
pub use investigate::*;
pub use language::*;
pub use mail_accounts::*;
pub use mcp::*;
pub use models::*;
pub use outside::*;
pub use planning::*;
pub use search::*;
pub use telegram::*;
pub use tools::*;

/// A message longer than this is cut for planning, and the person is told. Telegram sends at most 4,096
/// characters; the console and forwarded files can bring more.
pub const MESSAGE_BYTES_MAX: usize = 16_384;
/// Messages that are looked through for what was done lately.
pub const RECORD_MESSAGES: usize = 200;
/// Undo buttons below one receipt; more things than these are taken back by one.
pub const UNDO_BUTTONS_MAX: usize = 3;
/// Actions one plan may hold; more is a sign of a runaway model, not of a wish.
pub const PLAN_ACTIONS_MAX: usize = 20;
/// Actions that were left for later are named one by one up to so many; the rest is a number.
pub const ACTIONS_NAMED_MAX: usize = 10;
/// Characters of each of them.
pub const ACTION_NAMED_CHARS: usize = 80;
/// Characters of what was wrong with a model's answer, when it is asked once more: a few parameters by name.
pub const PROBLEM_CHARS_MAX: usize = 400;
/// Rounds of one turn, the first included: a request whose fifth step is not the last is one for several messages.
pub const REFLECT_ROUNDS_MAX: usize = 5;
/// Characters of one string parameter; a mail body fits, a novel does not.
pub const PARAM_CHARS_MAX: usize = 20_000;
/// Characters that go along of a mail that is forwarded; with its headers and the person's words it fits on a card.
pub const FORWARD_CHARS_MAX: usize = 15_000;
/// Mails of a conversation that one mail names: how it began, and the last ones.
pub const REFERENCES_MAX: usize = 100;
/// Recipients of one mail; beyond it a mailing list is the right tool.
pub const RECIPIENTS_MAX: usize = 50;
/// Addresses in the values of one action whose owners are looked up: its recipients, and a long list in its text.
pub const ADDRESSES_MAX: usize = 200;

/// Telegram's limit for one message, in UTF-16 units.
pub const MESSAGE_UTF16_MAX: usize = 4_096;
/// Telegram styles at most so many parts of one message.
pub const MESSAGE_SPANS_MAX: usize = 100;
/// Messages one answer may become; a longer one is its beginning and a file with all of it.
pub const ANSWER_MESSAGES_MAX: usize = 5;
/// Of what a model writes so much is read as markdown, and the rest as it stands: three times what is shown.
pub const MARKDOWN_BYTES_MAX: usize = 64 * 1024;
/// Lists inside lists that are told apart; deeper ones do not fit a phone's width.
pub const MARKDOWN_LISTS_MAX: usize = 6;
/// Links and pictures inside each other: a picture in a link. What is deeper is text.
pub const MARKDOWN_LINKS_MAX: usize = 2;
/// A quote longer than this is shown folded, in UTF-16 units: about five lines on a phone.
pub const QUOTE_UTF16_OPEN: usize = 300;
/// A card that needs more parts than this is refused: nobody reads it.
pub const CARD_PARTS_MAX: usize = 10;
/// A value up to this long stands on a card's line, between quotation marks; longer ones have a frame.
pub const CARD_INLINE_CHARS_MAX: usize = 80;
/// Characters of a name that somebody has chosen for themselves: real ones are shorter.
pub const NAME_CHARS_MAX: usize = 60;
/// Telegram's limit for the data of a button.
pub const BUTTON_DATA_BYTES_MAX: usize = 64;
/// Places of a chat for lists that can be gone on with: the lists of a day or two.
pub const PAGES_KEPT: u64 = 64;
/// Seconds a list can be gone on with: after a month nobody means that one.
pub const PAGE_SECS: i64 = 30 * 86_400;
/// Lines an agenda shows before it says how many more there are: an ordinary week, in one message.
pub const AGENDA_ROWS_MAX: usize = 40;
/// Rows a list that was asked for shows, and each of its further pages.
pub const LIST_ROWS_MAX: usize = 20;
/// Rows below the sentence that answers a question, before it says how many more there are.
pub const ANSWER_ROWS_MAX: usize = 7;

/// How long a pending action waits when nothing else is configured.
pub const PENDING_TTL_SECS: i64 = 24 * 3600;
/// An approved action that has not begun by then expires: the world has moved on.
pub const APPROVED_BEGIN_SECS: i64 = 600;
/// Clocks of two machines may differ by this much; a card from further in the future cannot be decided.
pub const CLOCK_SKEW_SECS: i64 = 120;
/// Pending actions one person may have open.
pub const PENDING_OPEN_MAX: usize = 50;
/// How long an undo stays possible.
pub const UNDO_SECS: i64 = 600;
/// Longest wait of a press for the record of the very message it sits on.
pub const DELIVERY_PATIENCE_MS: u64 = 3_000;
/// Messages with buttons that are looked through for the one a press without a message belongs to.
pub const SHOWN_LOOKED_THROUGH: usize = 128;
/// Largest file handed to a person, and kept in the outbox until it is delivered.
pub const ATTACHMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a clarifying question waits for its answer in words.
pub const QUESTION_SECS: i64 = 600;
/// Messages beside it with which it is dropped.
pub const QUESTION_BESIDE_MAX: u8 = 3;
/// How long the buttons below a question can be taken.
pub const CHOICE_SECS: i64 = 3_600;
/// Characters of the line below an answer that says what still waits.
pub const FOOTER_CHARS_MAX: usize = 60;
/// Lines of so many characters that a phone shows at once.
pub const SCREEN_LINES: usize = 24;
/// See [`SCREEN_LINES`].
pub const SCREEN_LINE_CHARS: usize = 40;
/// Ways in which one message may be meant that are put on buttons.
pub const READINGS_MAX: usize = 4;
/// How long a yes or no without anything that waits is taken for a word about the card decided last.
pub const DECIDED_LATELY_SECS: i64 = 30 * 60;

/// Items that a search loads to find the one that is meant: those that fit best, many more than are ever shown.
pub const LOOKED_AT_MAX: usize = 64;
/// Items that take place around a named time and are looked at: a full fortnight.
pub const TAKING_PLACE_MAX: usize = 256;
/// Characters of a title; what is longer belongs into the details.
pub const TITLE_CHARS_MAX: usize = 500;
/// Items one list command returns; receipts show fewer, a model may read them all.
pub const RESULT_ROWS_MAX: usize = 100;
/// Entries one list in the notes may hold.
pub const NOTE_ITEMS_MAX: usize = 1_000;
/// Characters one note may grow to by appending.
pub const NOTE_CHARS_MAX: usize = 100_000;
/// Steps a recurrence is followed from its start: every day for 54 years.
pub const RECURRENCE_STEPS_MAX: usize = 20_000;
/// Occurrences of one series that are on their own: every day of a year.
pub const SERIES_EXCEPTIONS_MAX: usize = 366;
/// The same of a series that another program made.
pub const READ_EXCEPTIONS_MAX: usize = 4 * SERIES_EXCEPTIONS_MAX;
/// A reminder repeats at most this often; anything faster is a stopwatch, not an assistant.
pub const REPEAT_MINUTES_MIN: i64 = 5;
/// Reminders one task may have besides the one of its deadline; more is nagging.
pub const REMINDERS_MAX: usize = 10;
/// A reminder this late says so.
pub const LATE_SECS: i64 = 90;
/// Reminders told at once to one chat as messages of their own; more are one message.
pub const APART_MAX: usize = 3;
/// Reminders such a message lists before it says how many more there are.
pub const NOTIFICATION_LINES_MAX: usize = 15;
/// Messages waiting in one chat that are looked through for reminders to tell together.
pub const COALESCED_MAX: usize = 1_000;
/// How long before something a reminder of it may come.
pub const LEAD_DAYS_MAX: u32 = 366;
/// Mails one search returns.
pub const MAIL_RESULTS_MAX: usize = 20;
/// A mail larger than this is listed but not read.
pub const MAIL_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// Parts of one mail that are read; a long conversation with its pictures has a few dozen.
pub const MAIL_PARTS_MAX: usize = 200;
/// Multiparts inside each other; mail programs and lists come to five.
pub const MAIL_DEPTH_MAX: usize = 20;
/// Of one field of a mail's head so much is read: two hundred people with their names.
pub const MAIL_FIELD_BYTES_MAX: usize = 16 * 1024;
/// Of all fields of a head together.
pub const MAIL_HEAD_BYTES_MAX: usize = 64 * 1024;
/// A message or a mail that was under way when the process died is tried again by itself. After so many more deaths
/// at the same one it is set aside: fewer could be power cuts, more would keep everybody else waiting.
pub const DEATHS_MAX: u32 = 3;
/// Characters of one mail that are read aloud: a small book's chapter. All of it can be searched.
pub const MAIL_TEXT_CHARS_MAX: usize = 100_000;
/// Characters of a mail that are looked at for what a fraud asks for: what wants to be answered says so early.
pub const FRAUD_TEXT_CHARS_MAX: usize = 8_000;
/// How long a list waits for its mails to be read for what is odd about them: nobody notices that much.
pub const LISTED_MARKS_MS: u64 = 300;
/// Links of one mail's markup that are looked at: a newsletter has some fifty.
pub const LINKS_MAX: usize = 200;
/// Characters of a link's words: more than an address that somebody would read.
pub const LINK_WORDS_CHARS_MAX: usize = 200;
/// Characters of a whole conversation that are read aloud, the newest mails first.
pub const THREAD_TEXT_CHARS_MAX: usize = 200_000;
/// Mails of one conversation that are loaded, the newest: more than fit into its text.
pub const CONVERSATION_MAILS_MAX: usize = 1_000;
/// Threads for mail files: disks and processors have no more to give beside turns.
pub const MAIL_THREADS_MAX: usize = 4;
/// Files that are read in one piece: some tens of milliseconds, in which nobody else's mail is read on that thread.
pub const MAIL_SLICE_MAX: usize = 250;
/// Text after which such a piece ends: a few mails may hold as much as thousands.
pub const MAIL_SLICE_BYTES: usize = 4 * 1024 * 1024;
/// Mails that are written to the index at once: one commit costs as much as reading some hundred.
pub const MAIL_BATCH_MAX: usize = 2_000;
/// Text of them that is held in memory until then.
pub const MAIL_BATCH_BYTES: usize = 16 * 1024 * 1024;
/// How long a turn waits for mail to be read before it answers with what is there: longer than the status line, which
/// says what it waits for, and shorter than anybody's patience.
pub const MAIL_PATIENCE_MS: u64 = 4_000;
/// Mails whose conversations and people are kept in memory, of everybody together: about 300 bytes each.
pub const MAILS_REMEMBERED_MAX: usize = 400_000;
/// Mails that one search looks at; those beyond are counted.
pub const MAIL_HITS_MAX: usize = 400;
/// Earlier mails of the same subject in which a reply that names none looks for the one it answers.
pub const SAME_SUBJECT_MAX: usize = 100;
/// When a mail goes, so many of the others that speak of its people are looked through for their names.
pub const MAIL_NAMED_BY_MAX: usize = 200;

/// Saved people of the same words in their names who are looked at: more cannot be told apart by a name.
pub const NAMESAKES_MAX: usize = 64;
/// Different words of a message in which names are looked for: a long letter.
pub const SAID_WORDS_MAX: usize = 200;
/// Members of one group: it is all of them or nothing.
pub const GROUP_MEMBERS_MAX: usize = 1_000;
/// Addresses, names and words by which one search looks for people.
pub const PEOPLE_FLAGS_MAX: usize = 1_000;
/// The largest address book that is read: ten thousand people with a small picture each.
pub const VCF_BYTES_MAX: u64 = 20 * 1024 * 1024;
/// Cards of it that are read.
pub const VCARDS_MAX: usize = 10_000;
/// Of one card, so much is read; more is a picture. A parsed card takes up to a hundred times its size.
pub const VCARD_BYTES_MAX: usize = 1024 * 1024;
/// Names, addresses, numbers, groups of one card that are kept, of each.
pub const VCARD_VALUES_MAX: usize = 50;
/// Characters of one of them.
pub const VCARD_VALUE_CHARS_MAX: usize = 500;

/// What was forgotten is looked for in other records from this length on; shorter words stand everywhere.
pub const FORGOTTEN_CHARS_MIN: usize = 3;
/// A single number, code or address in it, likewise.
pub const FORGOTTEN_PART_CHARS_MIN: usize = 4;
/// Earlier values of a fact that are kept to be forgotten with it.
pub const FORMER_VALUES_MAX: usize = 20;
/// Records looked through at once for what was forgotten.
pub const ERASURE_PAGE: usize = 500;
/// Erasures carried out at once: of as many cards as fit into one turn, and of those that had to wait.
pub const ERASURES_MAX: usize = 1_000;

/// One command of a service.
pub const COMMAND_TIMEOUT_MS: u64 = 30_000;
/// A status line appears when a turn takes longer.
pub const STATUS_AFTER_MS: u64 = 2_000;
/// So long after its beginning a turn waits for no more words about receipts that it has.
pub const TURN_MS: u64 = 45_000;
/// But so long in any case: a slow plan must not make every answer bare.
pub const WORDS_MS_MIN: u64 = 3_000;
/// A clean shutdown waits this long for running turns before it parks them.
pub const SHUTDOWN_MS: u64 = 10_000;
/// Of that, what is being delivered outside turns has so long to arrive.
pub const LAST_DELIVERIES_MS: u64 = 3_000;
/// Actions of one plan that run side by side.
pub const CONCURRENT_ACTIONS_MAX: usize = 8;

/// Turns the daemon works on at once; the rest wait in their chat's queue.
pub const CONCURRENT_TURNS_MAX: usize = 512;
/// Messages waiting in one chat before the person is asked to slow down.
pub const CHAT_QUEUE_MAX: usize = 64;
/// Attempts of an update that finds its record changed by somebody else, the first included. Each failed one means
/// that another writer got through, and a record has few: the tasks of a process go one after the other, so this is
/// several times as many as there are replicas.
pub const CONFLICT_TRIES_MAX: usize = 32;
/// Messages of a chat that a deliverer reads at once; the rest follow.
pub const OUTBOX_AT_ONCE: usize = 32;
/// Records of a range that are read where they are asked for; a longer one goes on on a thread of the store.
pub const STORE_READ_INLINE: usize = 64;
/// Entries of a range that are counted at once where it is asked for: a millisecond of keys.
pub const STORE_COUNT_INLINE: usize = 5_000;
/// Threads for long reads: few, as they take turns at one disk, and begun with the first such read.
pub const STORE_READERS: usize = 2;
/// Changes waiting for one group commit.
pub const STORE_QUEUE_MAX: usize = 4_096;
/// Batches that share one group commit.
pub const STORE_GROUP_MAX: usize = 256;
/// Records after which building an index of the store says how far it is: about once a second.
pub const INDEX_PROGRESS_EVERY: u64 = 100_000;
/// Free space in the store's file that is given back, where it is also half of the file: less is used again within
/// weeks, and a copy of the rest should cost no more writing than it saves.
pub const STORE_FREE_BYTES_MIN: u64 = 8 * 1024 * 1024;
/// Memory redb may use as page cache.
pub const STORE_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Pause between two looks at what needs upkeep: what could not be read is told within a minute.
pub const UPKEEP_EVERY_SECS: u64 = 60;
/// So often it is looked whether something is wrong that whoever runs this should know of.
pub const ALARMS_EVERY_SECS: u64 = 60;
/// Calls of a stage's model that fail in a row until that is told.
pub const STAGE_FAILURES_MAX: usize = 5;
/// All that people keep is read through with the first look, and again after so many: once a day.
pub const UPKEEP_ALL_AFTER: u64 = 24 * 60;
/// Records that are looked at in one step of retention, and at most deleted with one commit: a few milliseconds.
pub const RETENTION_STEP: usize = 300;
/// Pause after such a step: what is waiting to be committed meanwhile goes first.
pub const RETENTION_PAUSE_MS: u64 = 200;
/// A step waits so long for a moment without a turn; a house that is never quiet is kept in order all the same.
pub const RETENTION_PATIENCE_MS: u64 = 10_000;
/// Records that could not be read which are looked through for new ones.
pub const ASIDE_LISTED_MAX: usize = 10_000;
/// Of those that are told at once so many are named; the rest is a number.
pub const ASIDE_NAMED_MAX: usize = 5;

/// Length, life and tries of a pairing code.
pub const PAIRING_CHARS: usize = 10;
/// Seconds a pairing code lives.
pub const PAIRING_SECS: i64 = 600;
/// Wrong codes one user may send.
pub const PAIRING_TRIES_PER_USER: u32 = 5;
/// Wrong codes all users together may send.
pub const PAIRING_TRIES_OVERALL: u32 = 50;

/// What a service may bring of everyday phrases: the built-in ones of all services together are 58 KB.
pub const PHRASES_BYTES_MAX: usize = 64 * 1024;
/// Frames of one service; each is tried on every message that begins with its first word.
pub const PHRASE_FRAMES_MAX: usize = 500;
