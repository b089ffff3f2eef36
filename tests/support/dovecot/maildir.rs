//! What a test puts into the mailboxes, as a delivery agent would: files in a Maildir, complete when they appear.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::Dovecot;

/// How a message lies there; unread, from today, by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivered<'a> {
    /// "\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted".
    pub flags: &'a [&'a str],
    /// When it arrived, in seconds since 1970.
    pub arrived: Option<u64>,
}

impl Dovecot {
    /// A new message; `folder` is "INBOX" or another of ASCII letters, with `/` between levels.
    pub fn deliver(&self, user: &str, folder: &str, mail: impl AsRef<[u8]>) {
        self.deliver_as(user, folder, mail, Delivered::default());
    }

    /// The same with flags and a date of arrival.
    pub fn deliver_as(&self, user: &str, folder: &str, mail: impl AsRef<[u8]>, how: Delivered<'_>) {
        let maildir = self.folder_of(user, folder);
        self.put(&maildir, mail.as_ref(), how);
    }

    /// Many new messages, in the order in which they get their UIDs.
    pub fn deliver_all<M: AsRef<[u8]>>(&self, user: &str, folder: &str, mails: impl IntoIterator<Item = M>) {
        let maildir = self.folder_of(user, folder);
        for mail in mails {
            self.put(&maildir, mail.as_ref(), Delivered::default());
        }
    }

    /// The number of messages in the folder's files, whatever the server knows of them yet.
    pub fn files(&self, user: &str, folder: &str) -> usize {
        let maildir = self.folder_of(user, folder);
        ["new", "cur"].iter().map(|part| std::fs::read_dir(maildir.join(part)).expect("a Maildir").count()).sum()
    }

    /// The server forgets all numbers of this folder: UIDVALIDITY changes and every message has another UID.
    pub fn renumber(&self, user: &str, folder: &str) {
        let maildir = self.folder_of(user, folder);
        for entry in std::fs::read_dir(&maildir).expect("a Maildir") {
            let file = entry.expect("an entry").path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == "dovecot-uidlist" || name.starts_with("dovecot.index") {
                std::fs::remove_file(file).expect("its own file");
            }
        }
    }

    fn put(&self, maildir: &std::path::Path, mail: &[u8], how: Delivered<'_>) {
        let number = self.delivered.fetch_add(1, Ordering::SeqCst);
        let letters: String = [("D", "Draft"), ("F", "Flagged"), ("R", "Answered"), ("S", "Seen"), ("T", "Deleted")]
            .iter()
            .filter(|(_, flag)| how.flags.iter().any(|wanted| wanted.trim_start_matches('\\') == *flag))
            .map(|(letter, _)| *letter)
            .collect();
        // The server numbers what is new by this name: seconds, then what follows M.
        let name = format!("1700000000.M{number:09}.test");
        let unfinished = maildir.join("tmp").join(&name);
        std::fs::write(&unfinished, mail).expect("a mail");
        if let Some(seconds) = how.arrived {
            let file = std::fs::File::options().write(true).open(&unfinished).expect("that mail");
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("a date");
        }
        self.owner.give(&unfinished);
        let place = if letters.is_empty() { format!("new/{name}") } else { format!("cur/{name}:2,{letters}") };
        std::fs::rename(unfinished, maildir.join(place)).expect("the same file system");
    }

    pub(super) fn create_mailbox(&self, user: &str) {
        let home = self.folder.join("mail").join(user);
        std::fs::create_dir_all(&home).expect("a home");
        self.owner.give(&home);
        self.folder_of(user, "INBOX");
    }

    /// The Maildir of a folder, which is made when it is not there yet.
    fn folder_of(&self, user: &str, folder: &str) -> PathBuf {
        assert!(folder.is_ascii(), "a folder of other letters is made and filled by another client");
        let home = self.folder.join("mail").join(user);
        assert!(home.is_dir(), "no such user: {user}");
        let inbox = home.join("Maildir");
        let maildir = if folder == "INBOX" { inbox } else { inbox.join(format!(".{}", folder.replace('/', "."))) };
        if !maildir.join("cur").is_dir() {
            for part in ["", "tmp", "new", "cur"] {
                let part = maildir.join(part);
                if std::fs::create_dir(&part).is_ok() {
                    self.owner.give(&part);
                }
            }
        }
        maildir
    }
}
