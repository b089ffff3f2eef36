//! Fetched mails become files: on a thread of their own, some hundred at a time, each under the name that says what it
//! is.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use tokio::sync::mpsc::Receiver;

use super::fetch::FetchedMail;
use super::folders::ServerFolder;
use super::name::{DIGESTED_BYTES, MailName};
use crate::services::email::mailbox::source::delivery::MailDelivery;
use crate::services::email::mailbox::source::maildir::{Folder, Listed, Maildir, Raw};
use crate::services::email::message::read;
use crate::services::email::message::written_name::{MARK, safe_key_of};

/// A folder here that mails are laid into.
#[derive(Debug)]
pub(super) struct MaildirWriter {
    pub maildir: Maildir,
    pub account: String,
    pub folder: ServerFolder,
    /// What lies there, by name without flags.
    pub present: HashMap<String, Listed>,
    /// Names of mails that came since then; their files may be on their way still.
    laid: HashSet<String>,
    /// Names of mails whose file is that of another folder.
    pub elsewhere: BTreeSet<String>,
}

/// A mail that lies here now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Laid {
    pub uid: u32,
    /// Empty for one that is only there until somebody clears up: it has no file.
    pub name: String,
    pub flags: String,
    pub is_elsewhere: bool,
}

impl MaildirWriter {
    /// Lists what is there.
    pub fn open(maildir: Maildir, account: &str, folder: &ServerFolder) -> io::Result<Self> {
        let listed = maildir.in_dir(Path::new(&folder.dir), folder.kind())?;
        let present = listed.into_iter().map(|file| (file.base.clone(), file)).collect();
        let (account, folder) = (account.to_owned(), folder.clone());
        Ok(Self { maildir, account, folder, present, laid: HashSet::new(), elsewhere: BTreeSet::new() })
    }

    /// Writes what comes until there is no more; it lies there once the delivery has [ended](MailDelivery::end).
    pub fn lay(
        &mut self,
        mut mails: Receiver<FetchedMail>,
        now: DateTime<Utc>,
    ) -> io::Result<(MailDelivery, Vec<Laid>)> {
        let mut delivery = MailDelivery::into(&self.maildir, Path::new(&self.folder.dir))?;
        let mut laid = Vec::new();
        while let Some(mail) = mails.blocking_recv() {
            laid.push(self.lay_one(&mut delivery, mail, now)?);
        }
        Ok((delivery, laid))
    }

    fn lay_one(&mut self, delivery: &mut MailDelivery, mail: FetchedMail, now: DateTime<Utc>) -> io::Result<Laid> {
        let FetchedMail { uid, flags, came, bytes } = mail;
        if flags.is_deleted {
            return Ok(Laid { uid, name: String::new(), flags: flags.letters, is_elsewhere: false });
        }
        let bytes = bytes.unwrap_or_default();
        let name = self.own_name(&bytes);
        let name = name.unwrap_or_else(|| MailName::of(&self.account, came.unwrap_or(now), &bytes).base());
        let is_elsewhere = self.elsewhere.contains(&name);
        // The same bytes a second time are one file, with the flags of the first.
        if !is_elsewhere && self.laid.insert(name.clone()) {
            match self.present.get(&name) {
                Some(file) => self.maildir.set_flags(file, &flags.letters)?,
                None => delivery.add(&name, &flags.letters, &bytes)?,
            }
        }
        Ok(Laid { uid, name, flags: flags.letters, is_elsewhere })
    }

    /// The file of a mail that we wrote, sent or not, where it lies here already: its Message-ID names it. A draft that
    /// another program changed is another mail.
    fn own_name(&self, bytes: &[u8]) -> Option<String> {
        if !matches!(self.folder.kind(), Folder::Sent | Folder::Drafts) {
            return None;
        }
        let beginning = &bytes[..bytes.len().min(DIGESTED_BYTES)];
        let id = read::parse(&Raw::Beginning(beginning.to_vec())).message_id?;
        let name = format!("{}{MARK}", safe_key_of(&id)?);
        let file = self.present.get(&name)?;
        if self.folder.kind() == Folder::Sent {
            return Some(name);
        }
        let (Raw::Whole(here) | Raw::Beginning(here)) =
            crate::services::email::mailbox::source::maildir::read(&self.maildir.path(file)).ok()?;
        here.starts_with(beginning).then_some(name)
    }

    /// These mails have these flags elsewhere.
    pub fn flag(&self, changed: &[(String, String)]) -> io::Result<()> {
        for (name, flags) in changed {
            if let Some(file) = self.present.get(name) {
                self.maildir.set_flags(file, flags)?;
            }
        }
        Ok(())
    }
}
