//! Bounds of Telegram: what is joined to one message, fetched, sent, shown while it grows, and answered to strangers.

/// How long a person's next message may join the one before, when nothing else is configured: long enough for
/// what is sent together, too short to be felt by who sends one message.
pub const DEBOUNCE_MS: u64 = 300;
/// The rest of a sentence is waited for so many times longer when the turn would only ask back.
pub const DEBOUNCE_ASKING_FACTOR: u32 = 5;
/// Telegram's limit for what is shown over a button.
pub const NOTICE_UTF16_MAX: usize = 200;
/// A pressed button is answered after so long at the latest, with words or without: people press again after a second.
pub const TAP_ANSWER_MS: u64 = 700;
/// The answer to a pressed button is given up after so long, and its words become a message.
pub const NOTICE_CALL_MS: u64 = 3_000;
/// A message so long is part of a paste: Telegram's programs cut at 4,096, a word's length earlier at most.
pub const PASTE_PART_UTF16_MIN: usize = 4_000;
/// How long the next part of an album is waited for: a program sends them together, and a network one by one.
pub const ALBUM_MS: u64 = 2_500;
/// Groups that have another number than they began with, as far as that is read at a start.
pub const CHATS_MOVED_MAX: usize = 4_096;
/// Messages of which it is known what they were changed to last; a number each.
pub const EDITS_KNOWN_MAX: usize = 4_096;
/// Messages that are one turn at most.
pub const DEBOUNCE_MESSAGES_MAX: usize = 10;
/// How long an offer can be taken.
pub const OFFER_SECS: i64 = 24 * 3_600;
/// Messages of a chat that are searched for the one that was changed.
pub const EDITS_REMEMBERED: usize = 200;
/// The largest file that Telegram hands to bots.
pub const DOWNLOAD_BYTES_MAX: u64 = 20 * 1024 * 1024;
/// Longest recording that is listened to: nobody dictates longer, and transcription is paid by the minute.
pub const RECORDING_SECS_MAX: u64 = 900;
/// Fetching a file from Telegram.
pub const DOWNLOAD_MS: u64 = 60_000;
/// Transcribing a recording.
pub const TRANSCRIBE_MS: u64 = 120_000;
/// Answer of a transcription endpoint: fifteen minutes of speech are far smaller.
pub const TRANSCRIPT_BYTES_MAX: usize = 1024 * 1024;
/// Largest text file that is read.
pub const TEXT_FILE_BYTES_MAX: u64 = 256 * 1024;

/// Seconds an update waits at Telegram to be fetched: a day, and an hour for clocks that differ.
pub const UPDATE_KEPT_SECS: i64 = 25 * 3_600;
/// Seconds Telegram may hold a `getUpdates` call open when there is nothing to say.
pub const POLL_SECS: u32 = 30;
/// A `getUpdates` call that has not been answered so long after that is dead.
pub const POLL_GRACE_SECS: u64 = 10;
/// A server that asks to be left alone for longer is asked again after this: what it says is a mistake, or an attack.
pub const RETRY_AFTER_SECS_MAX: u64 = 3_600;
/// Longest pause between two tries of a failing `getUpdates`.
pub const POLL_PAUSE_MS_MAX: u64 = 30_000;
/// Largest answer of the Bot API: a hundred updates are far smaller.
pub const TELEGRAM_REPLY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Largest update that a webhook takes: a message of 4,096 characters with a keyboard is far smaller.
pub const WEBHOOK_BODY_BYTES_MAX: usize = 1024 * 1024;
/// So long whoever calls the webhook may take for the head of a call, and again for its body.
pub const WEBHOOK_READ_MS: u64 = 10_000;
/// Connections to the webhook at once: Telegram opens at most a hundred.
pub const WEBHOOK_CONNECTIONS_MAX: usize = 256;
/// One call of the Bot API other than `getUpdates`.
pub const TELEGRAM_CALL_MS: u64 = 15_000;
/// One upload of a file: the largest one over a slow line.
pub const TELEGRAM_UPLOAD_MS: u64 = 120_000;
/// Telegram's limit for the words below a file.
pub const CAPTION_UTF16_MAX: usize = 1_024;
/// A Retry-After longer than this is not waited for within a send: the message goes back to the outbox.
pub const FLOOD_WAIT_MS_MAX: u64 = 10_000;
/// Messages one chat may get at once.
pub const CHAT_SEND_BURST: u32 = 3;
/// Pause between two messages to one chat after that.
pub const CHAT_SEND_EVERY_MS: u64 = 1_000;
/// Pause between two messages to a group: Telegram takes twenty a minute there.
pub const GROUP_SEND_EVERY_MS: u64 = 3_000;
/// Messages to all chats together in any window of `SEND_WINDOW_MS`.
pub const SENDS_PER_WINDOW: usize = 30;
/// A second, and a little: what is sent evenly arrives unevenly when the machine is busy.
pub const SEND_WINDOW_MS: u64 = 1_100;
/// Chats whose sending is remembered at least; idle ones are forgotten beyond that.
pub const CHATS_PACED_MAX: usize = 4_096;
/// Telegram shows "typing" for five seconds, and a turn looks once a second whether to renew it: at the latest
/// a second after this.
pub const TYPING_EVERY_MS: u64 = 2_900;
/// A status line is changed at most so often.
pub const STATUS_EVERY_MS: u64 = 1_000;
/// Words that have been coming for so long are a long answer, and are shown as they come.
pub const DRAFT_AFTER_MS: u64 = 1_000;
/// A growing answer is shown anew at most so often.
pub const DRAFT_EVERY_MS: u64 = 1_000;
/// Of a growing answer so much is shown, in UTF-16 units: one message, with room for the sign that it goes on.
pub const DRAFT_UTF16_MAX: usize = 4_000;
/// First pause before an undelivered message is tried again; doubled each time.
pub const REDELIVER_MS_MIN: u64 = 500;
/// Longest such pause.
pub const REDELIVER_MS_MAX: u64 = 60_000;
/// Chats in which what fell due is delivered side by side: more than hang at once, and few enough to be held in
/// memory.
pub const DELIVER_CHATS_MAX: usize = 64;
/// Chats whose waiting messages are delivered side by side.
pub const REDELIVER_CHATS_MAX: usize = 16;
/// Presses and `/cancel` handled at once; a press waits for those of its own chat only.
pub const OVERTAKERS_MAX: usize = 64;
/// Approved cards that are carried out beside the lines of their chats: as many connections to other people's servers,
/// each of which may hang until its time-out. Those beyond keep what their own chat says next waiting.
pub const JOBS_BESIDE_MAX: usize = 64;
/// Strangers remembered, so that each is answered once.
pub const STRANGERS_MAX: usize = 1_000;
/// People who are blocked: read at each batch of updates.
pub const BLOCKED_MAX: usize = 1_000;
/// A stranger is answered at most so often.
pub const STRANGER_SECS: u64 = 3_600;

/// Sentences to people who are not served, in any window of `SEND_WINDOW_MS`: those who are served need the rest.
pub const STRANGER_SENDS_PER_WINDOW: usize = 3;
