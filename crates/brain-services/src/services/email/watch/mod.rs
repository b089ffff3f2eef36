//! Watches over mail: telling when an answer or a mail has come, or that none has by a time.
//!
//! ```text
//! Waiting ─(a mail fits)───────► Came ───(told)─► rests: can be put off again, or is let go
//!    └─────(its time has come)─► Missed ─(told)─►   "
//! ```
//! In reading order: what is kept ([`record`]), which mail is the one ([`arrival`]), looking out for it ([`event_watcher`]), what
//! is said of it ([`words`]), the commands (of [`watch_mail`] what it does is in [`setting`]), and telling it ([`telling`]).
//!
//! Invariants:
//! - what has come is decided in one commit with the entry in the due-index that tells it, and told in the commit that
//!   removes the entry: once, whenever the process ends;
//! - at its time the mailbox is looked into once more, before anybody is said not to have answered;
//! - a mail is the one by its sender's address and what it answers, never by a name that its sender chose.
//!
//! Deliberately not here: how mail gets into the Maildir (whoever brings it says so with
//! [`Mailboxes::mail_came`](crate::services::email::mailbox::mailboxes::Mailboxes::mail_came)), and when to look (the scheduler).

mod arrival;
mod event_watcher;
mod listing;
pub(super) mod looked;
mod record;
mod setting;
mod stop;
mod telling;
mod watch_mail;
mod words;

pub use event_watcher::arrived;
pub(super) use listing::ListWatches;
pub(in crate::services) use record::INDEXES;
pub use record::MailWatch;
pub(super) use stop::UnwatchMail;
pub(super) use watch_mail::WatchMail;

use brain_language::language::requests::built::Builder;

/// What the phrases of watches come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 3] =
    [("watch", watch_mail::built), ("unwatch", stop::built), ("watches", listing::built)];
