//! What is said of a watch: what is waited for, what has come, and what has not.

use chrono::DateTime;
use chrono_tz::Tz;

use super::record::{AnsweredMail, Awaited, CameMail, MailWatch, WatchState};
use crate::services::email::finding::find::subject_or;
use brain_core::core::text::quoted;
use brain_core::limits::{NAME_CHARS_MAX, WATCH_DAYS_MAX};

/// A subject between quotation marks: whoever wrote it chose it.
fn subject(text: &str) -> String {
    quoted(subject_or(text), NAME_CHARS_MAX)
}

fn answered(mail: Option<&AnsweredMail>) -> String {
    mail.map_or_else(|| "your mail".to_owned(), |mail| subject(&mail.subject))
}

/// `about “invoice”`, with a space in front; nothing where no words were named.
fn about(watch: &MailWatch) -> String {
    watch.about.as_deref().map(|about| format!(" about {}", quoted(about, NAME_CHARS_MAX))).unwrap_or_default()
}

fn somebody<'w>(watch: &'w MailWatch, nobody: &'w str) -> &'w str {
    if watch.who.is_empty() { nobody } else { &watch.who }
}

/// What is waited for, as it stands behind "when": `Anna Kim answers “Offer”`.
pub(super) fn awaited(watch: &MailWatch) -> String {
    let who = somebody(watch, "somebody");
    match watch.awaits {
        Awaited::Answer => format!("{who} answers {}", answered(watch.answers.as_ref())),
        Awaited::Mail => format!("a mail from {who}{} comes", about(watch)),
    }
}

/// What is not so yet: `Anna Kim hasn't answered “Offer”`.
pub(super) fn missing(watch: &MailWatch) -> String {
    match (watch.awaits, watch.who.is_empty()) {
        (Awaited::Answer, false) => format!("{} hasn't answered {}", watch.who, answered(watch.answers.as_ref())),
        (Awaited::Answer, true) => format!("nobody has answered {}", answered(watch.answers.as_ref())),
        (Awaited::Mail, _) => format!("no mail from {}{} has come", somebody(watch, "anybody"), about(watch)),
    }
}

/// What has come.
pub(super) fn came(awaits: Awaited, mail: &CameMail) -> String {
    match awaits {
        Awaited::Answer => format!("{} answered: {}", mail.from, subject(&mail.subject)),
        Awaited::Mail => format!("Mail from {}: {}", mail.from, subject(&mail.subject)),
    }
}

/// What a notification is called, and what stands below it.
pub(super) fn told(watch: &MailWatch) -> (String, Option<String>) {
    let not_yet = || brain_core::core::text::capital(&missing(watch));
    match &watch.state {
        WatchState::Came(mail) => (came(watch.awaits, mail), None),
        WatchState::Waiting | WatchState::Missed if !watch.is_due => {
            let ended = format!("After {WATCH_DAYS_MAX} days I've stopped looking out for it.");
            (not_yet(), Some(ended))
        }
        WatchState::Waiting | WatchState::Missed => match &watch.say {
            Some(say) => (say.clone(), Some(format!("{}.", not_yet()))),
            None => (not_yet(), None),
        },
    }
}

/// Said of what has not come, where the mailbox elsewhere could not be looked into.
pub(super) fn perhaps_unread(since: DateTime<Tz>) -> String {
    format!("I haven't reached your mailbox since {}, so it may lie there.", since.format("%a %-d %b, %H:%M"))
}

/// What it is called in a list, and where one of several is asked about.
pub(super) fn label(watch: &MailWatch) -> String {
    match &watch.state {
        WatchState::Came(mail) => came(watch.awaits, mail),
        WatchState::Waiting => awaited(watch),
        WatchState::Missed => missing(watch),
    }
}
