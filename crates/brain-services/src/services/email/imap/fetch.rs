//! Fetching mails: their number, flags, time of arrival and beginning, and nothing that a server would have to
//! understand of them.

use chrono::{DateTime, Utc};

use super::answer::{FetchRow, ImapAnswer};
use super::connection::{Connection, ImapError};
use super::framing::AnswerBounds;
use brain_core::limits::{IMAP_NUMBERS_BYTES_MAX, MAIL_FETCHED_BYTES};

/// A mail as the server gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FetchedMail {
    pub uid: u32,
    pub flags: ServerFlags,
    pub came: Option<DateTime<Utc>>,
    /// Its beginning, or all of it; `None` where only flags were asked for.
    pub bytes: Option<Vec<u8>>,
}

/// The flags of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ServerFlags {
    /// In the Maildir's letters, in their order.
    pub letters: String,
    /// It is only there until somebody clears up.
    pub is_deleted: bool,
}

/// The server's names of flags, by the Maildir's letters.
pub(super) const FLAGS: [(char, &str); 4] =
    [('D', "\\Draft"), ('F', "\\Flagged"), ('R', "\\Answered"), ('S', "\\Seen")];

impl ServerFlags {
    fn of(names: &[String]) -> Self {
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        Self {
            letters: FLAGS.iter().filter(|(_, name)| has(name)).map(|(letter, _)| letter).collect(),
            is_deleted: has("\\Deleted"),
        }
    }
}

/// What an answer says of a mail.
pub(super) fn fetched(answer: ImapAnswer) -> Option<FetchedMail> {
    let ImapAnswer::Fetch(FetchRow { uid, flags, internal_date, body }) = answer else { return None };
    let (flags, came) = (ServerFlags::of(&flags), arrival(&internal_date));
    (uid != 0).then_some(FetchedMail { uid, flags, came, bytes: body })
}

/// `17-Jul-1996 02:44:25 -0700`; the day may have a space before it.
fn arrival(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_str(text.trim(), "%d-%b-%Y %H:%M:%S %z").ok().map(|at| at.to_utc())
}

/// The command for these mails, and how much may come of it.
pub(super) fn command(uids: &[u32]) -> (String, AnswerBounds) {
    let asked = format!("UID FETCH {} (UID FLAGS INTERNALDATE BODY.PEEK[]<0.{MAIL_FETCHED_BYTES}>)", set(uids));
    (asked, AnswerBounds::of_mails(uids.len(), MAIL_FETCHED_BYTES))
}

/// Numbers as a command takes them, in ranges where they follow each other.
pub(super) fn set(uids: &[u32]) -> String {
    let mut sorted = uids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for uid in sorted {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == uid => *last = uid,
            _ => ranges.push((uid, uid)),
        }
    }
    let shown = ranges.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}:{b}") });
    shown.collect::<Vec<_>>().join(",")
}

impl Connection {
    /// The numbers of the mails that fit, in order, none twice.
    pub async fn numbers(&mut self, criteria: &str) -> Result<Vec<u32>, ImapError> {
        // That there are none is told, too, so one that tells nothing is asked once more; not every server keeps to that.
        for _ in 0..2 {
            self.allow(AnswerBounds::NUMBERS);
            let tag = self.begin(&format!("UID SEARCH {criteria}")).await?;
            if let Some(found) = self.found(&tag).await? {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// What is answered to the search of this tag; `None` where nothing is.
    pub async fn found(&mut self, tag: &str) -> Result<Option<Vec<u32>>, ImapError> {
        let mut found: Option<Vec<u32>> = None;
        self.answered(tag, |answer| {
            if let ImapAnswer::Search(uids) = answer {
                found.get_or_insert_default().extend(uids);
            }
        })
        .await?;
        Ok(found.map(|mut found| {
            found.sort_unstable();
            found.dedup();
            found
        }))
    }

    /// Some mails of the folder that is open: few, as all of them are held.
    pub async fn mails(&mut self, uids: &[u32], bytes_each: usize) -> Result<Vec<FetchedMail>, ImapError> {
        let command = format!("UID FETCH {} (UID FLAGS INTERNALDATE BODY.PEEK[]<0.{bytes_each}>)", set(uids));
        let mut found = Vec::new();
        self.run_within(&command, AnswerBounds::of_mails(uids.len(), bytes_each), |answer| {
            found.extend(fetched(answer).filter(|mail| mail.bytes.is_some() && uids.contains(&mail.uid)));
        })
        .await?;
        Ok(found)
    }

    /// The flags of mails of the folder that is open.
    pub async fn flags(&mut self, set: &str, changed_since: Option<u64>) -> Result<Vec<FetchedMail>, ImapError> {
        let changed = changed_since.map(|modseq| format!(" (CHANGEDSINCE {modseq})")).unwrap_or_default();
        let mut found = Vec::new();
        let command = format!("UID FETCH {set} (UID FLAGS){changed}");
        self.run_within(&command, AnswerBounds::of_many(IMAP_NUMBERS_BYTES_MAX * 4), |answer| {
            found.extend(fetched(answer))
        })
        .await?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(set(&[9, 1, 2, 3, 3, 7, u32::MAX]), "1:3,7,9,4294967295");
        assert_eq!(set(&[]), "");
    }

    #[test]
    fn a_time_of_arrival_is_read_or_left_out() {
        assert_eq!(arrival(" 1-Jan-2026 00:30:00 +0100").unwrap().to_rfc3339(), "2025-12-31T23:30:00+00:00");
        for odd in ["", "yesterday", "32-Jan-2026 00:00:00 +0000", "1-Jan-2026"] {
            assert_eq!(arrival(odd), None, "{odd}");
        }
    }
}
