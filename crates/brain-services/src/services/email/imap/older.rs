//! Mail of before what is kept here: looked for on the server, in its words, and what fits is laid here like any other.
//!
//! Which mails fit is the server's word; whoever asked looks through what came by our own. Invariant: what was brought
//! is known like every other mail of the folder, so that what becomes of it there becomes of it here.

use std::sync::Arc;

use chrono::{DateTime, Days, Utc};

use super::connection::{Connection, ImapError, quoted};
use super::download::lay_batch;
use super::folders::{Folders, ServerFolder};
use super::framing::AnswerBounds;
use super::mailbox::ImapMailbox;
use super::maildir_writer::MaildirWriter;
use super::rows::{FolderRow, MailRow};
use super::sync::{SyncError, on_files};
use crate::services::email::mailbox::older_mail::OlderMail;
use crate::services::email::mailbox::source::maildir::Maildir;
use brain_core::core::ids::UserId;
use brain_core::limits::{IMAP_BATCH_MAILS, OLDER_MAILS_MAX, OLDER_WORDS_MAX};
use brain_core::ports::{Batch, Change, Expect, Key, RecordExt, Store};

impl ImapMailbox {
    /// Lays the newest mails here that fit and are older than what is kept, and says how many these are; `None` where
    /// no older ones are wanted.
    pub(in crate::services::email) async fn bring_older(
        &self,
        owner: &UserId,
        maildir: &Maildir,
        wanted: &OlderMail,
        now: DateTime<Utc>,
    ) -> Result<Option<usize>, String> {
        let since = now.checked_sub_days(Days::new(self.place.days.into())).unwrap_or_default();
        if !wanted.reaches_before(since) {
            return Ok(None);
        }
        let search = OlderSearch { mailbox: self, owner, maildir, criteria: criteria(wanted, since), now };
        search.run().await.map(Some).map_err(|error| error.to_string())
    }
}

struct OlderSearch<'s> {
    mailbox: &'s ImapMailbox,
    owner: &'s UserId,
    maildir: &'s Maildir,
    criteria: Vec<SearchKey>,
    now: DateTime<Utc>,
}

impl OlderSearch<'_> {
    async fn run(&self) -> Result<usize, SyncError> {
        let mut connection = self.mailbox.connected().await?;
        let folders = Folders::of(&mut connection).await?;
        // What lies in another folder as well is of that one.
        let (all, others): (Vec<_>, Vec<_>) =
            folders.0.iter().filter(|folder| folder.is_kept()).partition(|folder| folder.holds_all);
        let mut brought = 0;
        for folder in others.into_iter().chain(all) {
            match self.folder(&mut connection, folder, OLDER_MAILS_MAX - brought).await {
                Ok(some) => brought += some,
                Err(SyncError::Server(ImapError::Refused(why))) => {
                    tracing::warn!(folder = folder.dir, why, "a mail folder was not looked through");
                }
                Err(error) => return Err(error),
            }
            if brought >= OLDER_MAILS_MAX {
                break;
            }
        }
        self.mailbox.give_back(connection).await;
        Ok(brought)
    }

    async fn folder(
        &self,
        connection: &mut Connection,
        folder: &ServerFolder,
        most: usize,
    ) -> Result<usize, SyncError> {
        let (store, account): (&Arc<dyn Store>, &str) = (&self.mailbox.store, &self.mailbox.place.account);
        let keys = [self.owner.as_str(), account, &folder.dir];
        // A folder that was not looked at yet is one whose numbers nobody here knows.
        let Some((row, _)) = store.load::<FolderRow>(&Key::of(&keys)).await? else { return Ok(0) };
        if connection.examine(folder, false).await?.validity != row.validity {
            return Ok(0);
        }
        let known = store.list_all::<MailRow>(&keys).await?;
        let is_new = |uid: &u32| known.iter().all(|row| row.uid != *uid);
        let found: Vec<u32> = connection.search(&self.criteria).await?.into_iter().filter(is_new).collect();
        let wanted: Vec<u32> = found.into_iter().rev().take(most).collect();
        if wanted.is_empty() {
            return Ok(0);
        }
        let (maildir, id, place) = (self.maildir.clone(), account.to_owned(), folder.clone());
        let mut laying = on_files(move || MaildirWriter::open(maildir, &id, &place)).await?;
        if folder.holds_all {
            let rows = store.list_all::<MailRow>(&keys[..2]).await?;
            laying.elsewhere = super::all_mail::names_but_of(rows, folder);
        }
        for batch in wanted.chunks(IMAP_BATCH_MAILS) {
            let (back, delivery, laid, ended) = lay_batch(connection, laying, batch, self.now).await?;
            laying = back;
            on_files(move || delivery.end()).await?;
            let rows = laid.into_iter().map(|laid| MailRow::of(self.owner, account, &folder.dir, laid));
            let puts: Result<Vec<Change>, _> = rows.map(|row| Change::put(&row, Expect::Any)).collect();
            store.commit(Batch { changes: puts? }).await?;
            ended?;
        }
        Ok(wanted.len())
    }
}

/// A part of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SearchKey {
    /// As it stands.
    Plain(String),
    /// Somebody's word.
    Word(String),
}

fn criteria(wanted: &OlderMail, kept_since: DateTime<Utc>) -> Vec<SearchKey> {
    let day = |at: DateTime<Utc>| at.format("%-d-%b-%Y").to_string();
    let mut keys = vec![SearchKey::Plain(format!("BEFORE {}", day(kept_since)))];
    // A day more on both sides: servers know the days of their own zone.
    if let Some(since) = wanted.since.and_then(|since| since.checked_sub_days(Days::new(1))) {
        keys.push(SearchKey::Plain(format!("SENTSINCE {}", day(since))));
    }
    if let Some(before) = wanted.before.and_then(|before| before.checked_add_days(Days::new(2))) {
        keys.push(SearchKey::Plain(format!("SENTBEFORE {}", day(before))));
    }
    let words = |words: &[String]| words.iter().take(OLDER_WORDS_MAX).cloned().collect::<Vec<_>>();
    for (key, said) in [("TEXT", &wanted.text), ("SUBJECT", &wanted.subject)] {
        keys.extend(words(said).into_iter().flat_map(|word| one_of(&[key], &[word])));
    }
    keys.extend(words(&wanted.to).into_iter().flat_map(|word| one_of(&["TO", "CC"], &[word])));
    keys.extend(wanted.from.iter().take(OLDER_WORDS_MAX).flat_map(|any| one_of(&["FROM"], &words(any))));
    keys
}

/// One of these words in one of these places.
fn one_of(places: &[&str], words: &[String]) -> Vec<SearchKey> {
    let pairs: Vec<(&str, &String)> =
        words.iter().flat_map(|word| places.iter().map(move |place| (*place, word))).collect();
    let mut keys = Vec::new();
    for (at, (place, word)) in pairs.iter().enumerate() {
        // `OR a OR b c`.
        let or = if at + 1 < pairs.len() { "OR " } else { "" };
        keys.extend([SearchKey::Plain(format!("{or}{place}")), SearchKey::Word((*word).clone())]);
    }
    keys
}

/// The lines of a search: a word in other letters than English ones ends one, and stands alone at the next one's
/// beginning.
fn lines(keys: &[SearchKey]) -> Vec<String> {
    let is_plain = |word: &str| word.bytes().all(|b| (b' '..=b'~').contains(&b));
    let all_plain = keys
        .iter()
        .all(|key| matches!(key, SearchKey::Plain(_)) || matches!(key, SearchKey::Word(word) if is_plain(word)));
    let mut lines = vec![if all_plain { "UID SEARCH".to_owned() } else { "UID SEARCH CHARSET UTF-8".to_owned() }];
    for key in keys {
        let line = lines.pop().unwrap_or_default();
        match key {
            SearchKey::Plain(text) => lines.push(format!("{line} {text}")),
            SearchKey::Word(word) if is_plain(word) => lines.push(format!("{line} {}", quoted(word))),
            SearchKey::Word(word) => lines.extend([format!("{line} {{{}}}", word.len()), word.clone()]),
        }
    }
    lines
}

impl Connection {
    /// The numbers of the mails that fit, in order. A word with a line end in it is one that no mail has.
    async fn search(&mut self, keys: &[SearchKey]) -> Result<Vec<u32>, ImapError> {
        let has_line_end = |key: &SearchKey| matches!(key, SearchKey::Word(word) if word.contains(['\r', '\n', '\0']));
        if keys.iter().any(has_line_end) {
            return Ok(Vec::new());
        }
        let lines = lines(keys);
        let (first, rest) = lines.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        self.allow(AnswerBounds::NUMBERS);
        let tag = self.begin(first).await?;
        for line in rest {
            if let Some(ended) = self.asked_for_more(&tag).await? {
                return ended.map(|()| Vec::new());
            }
            self.line(line.as_bytes()).await?;
        }
        Ok(self.found(&tag).await?.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> OlderMail {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        OlderMail {
            text: words(&["boiler", "say \"hi\" \\ all"]),
            from: vec![words(&["Zoë", "zoe@example.com"])],
            to: words(&["Tom"]),
            subject: words(&["Kessel"]),
            ..OlderMail::default()
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn words_are_quoted_and_other_letters_go_as_they_are_long() {
        let said = lines(&criteria(&wanted(), at("2024-03-01T12:00:00Z")));
        let first = "UID SEARCH CHARSET UTF-8 BEFORE 1-Mar-2024 TEXT \"boiler\" TEXT \"say \\\"hi\\\" \\\\ all\" \
                     SUBJECT \"Kessel\" OR TO \"Tom\" CC \"Tom\" OR FROM {4}";
        assert_eq!(said, [first, "Zoë FROM \"zoe@example.com\""]);
        let plain = OlderMail { from: Vec::new(), text: Vec::new(), ..wanted() };
        assert!(lines(&criteria(&plain, at("2024-03-01T12:00:00Z")))[0].starts_with("UID SEARCH BEFORE"));
    }

    #[test]
    fn a_time_that_was_named_is_looked_at_with_a_day_more_on_both_sides() {
        let (since, before) = (Some(at("2019-03-01T00:00:00Z")), Some(at("2019-04-01T00:00:00Z")));
        let wanted = OlderMail { since, before, is_found: true, ..OlderMail::default() };
        let kept_since = at("2024-03-01T12:00:00Z");
        assert!(wanted.reaches_before(kept_since));
        assert_eq!(
            lines(&criteria(&wanted, kept_since)),
            ["UID SEARCH BEFORE 1-Mar-2024 SENTSINCE 28-Feb-2019 SENTBEFORE 3-Apr-2019"]
        );
    }

    #[test]
    fn older_mail_is_wanted_where_nothing_was_found_or_a_time_lies_before() {
        let kept_since = at("2024-03-01T12:00:00Z");
        let found = OlderMail { is_found: true, ..wanted() };
        let recent = OlderMail { since: Some(at("2024-05-01T00:00:00Z")), ..wanted() };
        let until_lately = OlderMail { before: Some(at("2024-05-01T00:00:00Z")), is_found: true, ..wanted() };
        let any = OlderMail::default();
        let reaches = [wanted(), found, recent, until_lately, any].map(|wanted| wanted.reaches_before(kept_since));
        assert_eq!(reaches, [true, false, false, false, false]);
    }
}
