//! Bounds of mail that is kept and sent elsewhere: IMAP and SMTP, and what is waited for in it.

use super::COMMAND_TIMEOUT_MS;

/// Connecting to a mail server, and securing that.
pub const MAIL_CONNECT_MS: u64 = 15_000;
/// Between the parts of its answers.
pub const IMAP_ANSWER_MS: u64 = 30_000;
/// Of an answer that is small.
pub const IMAP_ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Of a line of it, without the literals in it: one that is longer would be a list of folders or flags that nobody has.
pub const IMAP_LINE_BYTES_MAX: usize = 64 * 1024;
/// Of a name that comes as a literal, and of what stands around a mail.
pub const IMAP_NAME_BYTES_MAX: usize = 4 * 1024;
/// Before a server has proven that it is the one, in all: a greeting, or its word that the connection may be secured.
pub const IMAP_CLEAR_BYTES_MAX: usize = 4 * 1024;
/// Brackets within brackets in an answer; flags of a mail stand in two.
pub const IMAP_DEPTH_MAX: usize = 16;
/// Read from the connection at once.
pub const IMAP_READ_BYTES: usize = 16 * 1024;
/// Of a list of numbers: some hundred thousand.
pub const IMAP_NUMBERS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Of a mail that are fetched; the rest is fetched when it is needed.
pub const MAIL_FETCHED_BYTES: usize = 1024 * 1024;
/// Mails that are asked for at once.
pub const IMAP_BATCH_MAILS: usize = 250;
/// After how many minutes what nobody can tell is asked after, each time anew; then it stays unknown.
pub const DOUBT_LOOKS_MINS: [i64; 6] = [1, 2, 5, 30, 120, 1_200];
/// Doubts that are read in one go, and looked into side by side.
pub const DOUBTS_AT_ONCE: usize = 1_000;
pub const DOUBTS_SIDE_BY_SIDE: usize = 4;
/// Files that go along with a mail, and their bytes together: what most servers take of it in base64.
pub const ATTACHED_FILES_MAX: usize = 10;
pub const ATTACHED_BYTES_MAX: usize = 18_000_000;
/// How long files wait for the message that says what for.
pub const FILES_AT_HAND_MINS: i64 = 15;
/// How long files that were sent to go along with a mail are kept: a card and a draft may wait.
pub const KEPT_FILES_DAYS: u64 = 30;
/// Of one person, in all.
pub const KEPT_FILES_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Mails older than what is kept that are brought for one search: more are not looked through.
pub const OLDER_MAILS_MAX: usize = 50;
/// Words of a search that a server is asked for, of each kind.
pub const OLDER_WORDS_MAX: usize = 8;
/// How long older mail is waited for: somebody waits for the answer.
pub const OLDER_MAIL_MS: u64 = 6_000;
/// Changes of one commit.
pub const IMAP_ROWS_AT_ONCE: usize = 500;
/// A mail that breaks the conversation so often is let be until the next start.
pub const IMAP_TRIES_MAX: u32 = 3;
/// Folders of an account.
pub const IMAP_FOLDERS_MAX: usize = 1_000;
/// Mails of the same Message-ID or day that are looked at at once, and in all.
pub const IMAP_CANDIDATES_AT_ONCE: usize = 16;
/// In all.
pub const IMAP_CANDIDATES_MAX: usize = 512;
/// How long a conversation is kept for the next change.
pub const IMAP_SPARE_SECS: u64 = 60;
/// How long it is given to say that it is still there.
pub const IMAP_SPARE_CHECK_MS: u64 = 3_000;
/// Before what a change came to is looked up, and how often.
pub const IMAP_READ_BACK_MS: u64 = 700;
/// How often.
pub const IMAP_READ_BACK_TRIES: usize = 3;
/// How long a server is listened to before it is asked anew.
pub const IMAP_IDLE_SECS: u64 = 240;
/// From the beginning of a look that news led to, to the next one for that reason.
pub const IMAP_PASSES_APART_MS: u64 = 1_000;
/// How often one is asked that cannot tell of news.
pub const IMAP_POLL_SECS: u64 = 120;
/// How often flags are looked at where changes are not counted.
pub const IMAP_FLAGS_SECS: u64 = 600;
/// What a process that answers once reads of accounts before that.
pub const CATCH_UP_MS: u64 = 6_000;
/// After a server let nobody in, at least, whoever wants something of it.
pub const IMAP_REFUSED_SECS: u64 = 60;
/// After a conversation that broke off; doubled each time.
pub const IMAP_RETRY_SECS: u64 = 2;
/// At most.
pub const IMAP_RETRY_SECS_MAX: u64 = 900;

/// Of a reply to a command of SMTP: its features are the longest, some dozen lines (RFC 5321, 4.5.3.1.5, has 512 bytes
/// for each).
pub const SMTP_REPLY_LINES_MAX: usize = 100;
pub const SMTP_REPLY_BYTES_MAX: usize = 16 * 1024;
/// Of a reply's words that are looked at for what is told: a refusal in several lines.
pub const SMTP_WORDS_CHARS_MAX: usize = 1_000;
/// Sending a mail through SMTP, from connect to the last answer.
pub const SMTP_TIMEOUT_MS: u64 = 30_000;
/// Looks into the account for a mail of which nobody knows whether it went out, ...
pub const SENT_LOOKS_MAX: usize = 4;
/// ... and the pause before each: servers file what they send within seconds.
pub const SENT_LOOK_PAUSE_MS: u64 = 1_000;
/// Filing the copy of a sent mail, and looking for one of a doubtful mail, end so long after the sending began: before
/// the command's own end, behind which nobody would know that it was sent.
pub const SENT_AFTERWARDS_MS: u64 = COMMAND_TIMEOUT_MS + 2_000;

/// Mails that one person waits for at a time; each is a query when their mailbox changes.
pub const WATCHES_MAX: usize = 100;
/// Mails of one sender, or of one conversation, among which the one is looked for that is waited for: the newest ones.
pub const WATCH_MAILS_MAX: usize = 200;
/// How long something is waited for in mail that has no time by which it was to come: a quarter.
pub const WATCH_DAYS_MAX: i64 = 90;
/// How long what was told of a mail that was waited for can still be put off.
pub const WATCH_KEPT_DAYS: i64 = 30;
/// How late it may be told that no mail has come, while the mailbox cannot be read.
pub const WATCH_PATIENCE_SECS: i64 = 3_600;
/// How often mailboxes are looked into for what is waited for when nobody says that they have changed: other programs
/// deliver into them as well.
pub const WATCH_POLL_SECS: i64 = 60;
