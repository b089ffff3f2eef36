//! Crash marker: which mail was being read when the process died; written before and removed after.
//!
//! ```text
//! nothing marked ─► all that is new is read under one mark ──(dies)──► each is read under a mark of its own
//!                                                                          └─(dies at the same one, again and
//!                                                                             again)─► it is set aside
//! ```
//! Both files lie beside the owner's mailbox, not in it. They are not synced: they tell of the end of a process, not of
//! a power cut, which is no mail's fault. Invariants: what is set aside is not read again until its file has another
//! name or the list is removed; a mark names a mail only while that mail is read, and whoever reads one under a mark of
//! its own reads it while nobody's mail is read beside it ([`SuspectLock`]), so that no innocent one stands in a mark
//! when another ends the process; a mark that cannot be written delays nobody.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::source::maildir::create_file;
use brain_core::limits::DEATHS_MAX;

/// What is being read.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Mark {
    /// By itself; nothing while all that is new is read together.
    mail: Option<String>,
    /// How often the process has died while that one was read.
    deaths: u32,
}

/// Mails that are set aside, and since how many deaths.
type Quarantine = BTreeMap<String, u32>;

/// Held shared while any mail is read, and alone by whoever reads a suspect. One for all mailboxes of a process.
pub(in crate::services::email) type SuspectLock = RwLock<()>;

/// Reads one mail under the mark that it needs.
pub(in crate::services::email) fn marked<T>(
    reading: &Mutex<MailboxScan>,
    quiet: &SuspectLock,
    mail: &str,
    read: impl FnOnce() -> T,
) -> T {
    let marks = || reading.lock().unwrap_or_else(PoisonError::into_inner);
    if marks().is_alone() {
        let _alone = quiet.write().unwrap_or_else(PoisonError::into_inner);
        marks().before(mail);
        let read = read();
        marks().after();
        return read;
    }
    let _beside_others = quiet.read().unwrap_or_else(PoisonError::into_inner);
    marks().before(mail);
    read()
}

/// The reading of what is new in a mailbox, from its first mail to its last.
#[derive(Debug)]
pub(in crate::services::email) struct MailboxScan {
    mark: PathBuf,
    aside_at: PathBuf,
    aside: Quarantine,
    /// Left by an earlier life that did not come to the end of it.
    left: Option<Mark>,
    is_marked: bool,
}

impl MailboxScan {
    /// Looks at what an earlier life has left beside a mailbox.
    pub fn begin(mailbox: &Path) -> Self {
        let mark = mailbox.with_extension("reading");
        let aside_at = mailbox.with_extension("aside");
        let left = fs::read(&mark).ok().map(|bytes| serde_json::from_slice::<Mark>(&bytes).unwrap_or_default());
        let mut reading = Self { mark, aside: read(&aside_at), aside_at, left, is_marked: false };
        if let Some(Mark { mail: Some(mail), deaths }) = &reading.left
            && *deaths >= DEATHS_MAX
        {
            let (mail, deaths) = (mail.clone(), *deaths);
            reading.set_aside(mail, deaths);
        }
        reading
    }

    /// True when this mail is not to be read.
    pub fn is_aside(&self, mail: &str) -> bool {
        self.aside.contains_key(mail)
    }

    /// True when each mail is read by itself: an earlier life has ended while something was read.
    pub fn is_alone(&self) -> bool {
        self.left.is_some()
    }

    /// It was read, and the process lives.
    fn after(&self) {
        if self.is_alone() {
            write(&self.mark, &Mark::default());
        }
    }

    /// This mail is read next.
    fn before(&mut self, mail: &str) {
        let mark = match &self.left {
            None if self.is_marked => return,
            None => Mark::default(),
            Some(left) => {
                let before = if left.mail.as_deref() == Some(mail) { left.deaths } else { 0 };
                Mark { mail: Some(mail.to_owned()), deaths: before + 1 }
            }
        };
        self.is_marked = true;
        write(&self.mark, &mark);
    }

    /// All was read.
    pub fn finish(self) {
        if self.is_marked || self.left.is_some() {
            let _ = fs::remove_file(&self.mark);
        }
    }

    fn set_aside(&mut self, mail: String, deaths: u32) {
        tracing::error!(
            mail,
            deaths,
            list = %self.aside_at.display(),
            "a mail is set aside: I stopped each time I read it; take it out of the list to have it read again"
        );
        self.aside.insert(mail, deaths);
        write(&self.aside_at, &self.aside);
        self.left = Some(Mark::default());
    }
}

fn read(path: &Path) -> Quarantine {
    let found = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    found.unwrap_or_default()
}

fn write<T: Serialize>(path: &Path, value: &T) {
    let write = || create_file(path)?.write_all(&serde_json::to_vec(value)?);
    let written: std::io::Result<()> = write();
    if let Err(error) = written {
        tracing::warn!(%error, "what is being read could not be marked");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A life that reads these in order and dies at one of them, or not at all. What it would not read.
    fn life(mailbox: &Path, mails: &[&str], dies_at: Option<&str>) -> Vec<String> {
        let mut reading = MailboxScan::begin(mailbox);
        let mut left_out = Vec::new();
        for mail in mails {
            if reading.is_aside(mail) {
                left_out.push((*mail).to_owned());
                continue;
            }
            reading.before(mail);
            if dies_at == Some(mail) {
                return left_out;
            }
            reading.after();
        }
        reading.finish();
        left_out
    }

    #[test]
    fn a_mail_that_was_being_read_at_each_death_is_set_aside_and_the_others_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let mailbox = dir.path().join("anna");
        let mails = ["one", "two", "three"];
        for death in 0..=DEATHS_MAX {
            assert!(life(&mailbox, &mails, Some("two")).is_empty(), "death {death}");
        }
        for _ in 0..3 {
            assert_eq!(life(&mailbox, &mails, None), ["two"]);
        }
        assert!(!mailbox.with_extension("reading").exists());
    }

    #[test]
    fn deaths_at_different_mails_set_nothing_aside() {
        let dir = tempfile::tempdir().unwrap();
        let mailbox = dir.path().join("anna");
        let mails = ["one", "two", "three"];
        for _ in 0..DEATHS_MAX {
            life(&mailbox, &mails, Some("two"));
            life(&mailbox, &mails, Some("three"));
        }
        assert!(life(&mailbox, &mails, None).is_empty());
    }

    #[test]
    fn a_mailbox_that_was_read_to_its_end_forgets_its_deaths() {
        let dir = tempfile::tempdir().unwrap();
        let mailbox = dir.path().join("anna");
        for _ in 0..2 * DEATHS_MAX {
            life(&mailbox, &["one", "two"], Some("two"));
            life(&mailbox, &["one", "two"], None);
        }
        assert!(life(&mailbox, &["one", "two"], None).is_empty());
    }

    #[test]
    fn what_is_written_beside_a_mailbox_is_its_owners_alone_whoever_wrote_it_before() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let mailbox = dir.path().join("anna");
        fs::write(mailbox.with_extension("aside"), "{}").unwrap();
        for _death in 0..=DEATHS_MAX {
            life(&mailbox, &["bad"], Some("bad"));
        }
        life(&mailbox, &["bad", "another"], Some("another"));
        let files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap()).collect();
        assert_eq!(files.len(), 2, "{files:?}");
        for file in files {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
        }
    }

    #[test]
    fn an_innocent_mail_in_another_mailbox_is_never_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let (anna, bob) = (dir.path().join("anna"), dir.path().join("bob"));
        for _death in 0..=DEATHS_MAX {
            // Bob's only mail was read to its end in each life; what follows it is not his.
            let mut of_bob = MailboxScan::begin(&bob);
            assert!(!of_bob.is_aside("his"));
            of_bob.before("his");
            of_bob.after();
            life(&anna, &["bad"], Some("bad"));
        }
        assert_eq!(life(&anna, &["bad"], None), ["bad"]);
        assert!(life(&bob, &["his"], None).is_empty());
    }
}
