//! The mailbox as a part of an archive: what is kept here alone goes into it and comes back out of it.
//!
//! Mails of accounts elsewhere are not in it: they stay on their servers, and the mailbox here follows those.

use std::collections::HashSet;
use std::path::PathBuf;

use super::source::maildir::Maildir;
use crate::services::contract::archived::{ArchivedFile, ArchivedFiles, FileContent, Unarchived};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::email::imap::rows;
use crate::services::email::service::Email;
use brain_core::core::text::visible;
use brain_core::limits::ARCHIVED_FILE_BYTES_MAX;

/// The folder of an archive that is the mailbox.
const FOLDER: &str = "mail";
/// What several of them are called.
const NOUN: &str = "mails";

impl Email {
    /// The mails that are kept here alone, where they lie. What was thrown away is not among them.
    pub(in crate::services::email) async fn for_archive(
        &self,
        ctx: &RequestContext,
    ) -> Result<ArchivedFiles, ServiceError> {
        let elsewhere = rows::names_elsewhere(self.store.as_ref(), &ctx.owner).await?;
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let (mut files, left, large) =
            self.mailboxes.files(&ctx.owner, move || listed(&maildir, &elsewhere).map_err(unread)).await?;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let mut told = vec![format!("{FOLDER}/  your mail that is kept here alone, a Maildir: {}", files.len())];
        if left > 0 {
            told.push(format!("       not in it: {left} mails that your accounts keep on their servers"));
        }
        if large > 0 {
            told.push(format!(
                "       not in it: {large} mails that are too large or have names that no archive takes"
            ));
        }
        let folders = ["cur", "new", "tmp"].map(|sub| format!("{FOLDER}/{sub}/")).to_vec();
        Ok(ArchivedFiles { folders, files, told })
    }

    /// Lays mails where they lay, unless they are in the mailbox already, wherever.
    pub(in crate::services::email) async fn laid_in(
        &self,
        ctx: &RequestContext,
        files: &[(String, Vec<u8>)],
    ) -> Result<Option<Unarchived>, ServiceError> {
        let is_mail = |(name, _): &&(String, Vec<u8>)| name.split_once('/').is_some_and(|(first, _)| first == FOLDER);
        let mails: Vec<(String, Vec<u8>)> = files.iter().filter(is_mail).cloned().collect();
        if mails.is_empty() {
            return Ok(None);
        }
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let done = self.mailboxes.files(&ctx.owner, move || laid(&maildir, mails)).await?;
        self.mailboxes.mail_came();
        Ok(Some(done))
    }
}

fn unread(cause: std::io::Error) -> ServiceError {
    ServiceError::Broken(format!("The mailbox could not be read: {cause}."))
}

/// The files of an archive, how many stay on servers, and how many cannot go into one.
fn listed(maildir: &Maildir, elsewhere: &HashSet<String>) -> std::io::Result<(Vec<ArchivedFile>, usize, usize)> {
    let (mut files, mut left, mut odd) = (Vec::new(), 0, 0);
    for place in maildir.places()? {
        for mail in maildir.list(&place)? {
            let path = maildir.path(&mail);
            let name = mail.path.to_str().map(|below| format!("{FOLDER}/{below}"));
            let fits = path.metadata().is_ok_and(|meta| meta.len() <= ARCHIVED_FILE_BYTES_MAX);
            match name.filter(|name| fits && place_of(name).is_some()) {
                _ if elsewhere.contains(&mail.base) => left += 1,
                Some(name) => files.push(ArchivedFile { name, content: FileContent::OnDisk(path) }),
                None => odd += 1,
            }
        }
    }
    Ok((files, left, odd))
}

fn laid(maildir: &Maildir, mails: Vec<(String, Vec<u8>)>) -> Result<Unarchived, ServiceError> {
    let mut there = maildir.bases().map_err(unread)?;
    let mut done = Unarchived { noun: NOUN, ..Unarchived::default() };
    for (name, bytes) in mails {
        let Some(MailEntry { dir, sub, file }) = place_of(&name) else {
            done.unread.push(format!("“{}” is no place of a mail", visible(&name)));
            continue;
        };
        let base = file.split_once(":2,").map_or(file, |(base, _)| base);
        if !there.insert(base.to_owned()) {
            done.here += 1;
            continue;
        }
        match maildir.lay(&dir, sub, file, &bytes) {
            Ok(()) => done.new += 1,
            Err(cause) => done.unread.push(format!("“{}”: {cause}", visible(&name))),
        }
    }
    Ok(done)
}

/// Where a mail of an archive lies.
struct MailEntry<'n> {
    /// Below the mailbox.
    dir: PathBuf,
    sub: &'n str,
    file: &'n str,
}

/// The place that a name of an archive stands for: `mail/cur/NAME` or `mail/.FOLDER/new/NAME`.
fn place_of(name: &str) -> Option<MailEntry<'_>> {
    let parts: Vec<&str> = name.strip_prefix(FOLDER)?.strip_prefix('/')?.split('/').collect();
    let (dir, sub, file) = match parts.as_slice() {
        [sub, file] => ("", *sub, *file),
        [dir, sub, file] if dir.len() > 1 && dir.starts_with('.') && *dir != ".." => (*dir, *sub, *file),
        _ => return None,
    };
    let (base, flags) = file.split_once(":2,").unwrap_or((file, ""));
    let is_name = !base.is_empty() && !base.starts_with('.') && file.len() <= 255;
    let is_plain = !name.contains(|c: char| c.is_control() || c == '\\');
    let fits = is_name && is_plain && matches!(sub, "cur" | "new") && flags.chars().all(|c| c.is_ascii_alphabetic());
    fits.then(|| MailEntry { dir: PathBuf::from(dir), sub, file })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::ids::UserId;

    #[test]
    fn only_places_of_a_mailbox_are_written_to() {
        for name in ["mail/cur/1:2,S", "mail/new/1", "mail/.Sent/cur/a.b-c:2,", "mail/.Work.2026/new/1"] {
            assert!(place_of(name).is_some(), "{name}");
        }
        for name in [
            "mail/1",
            "mail/tmp/1",
            "mail/cur/.hidden",
            "mail/../cur/1",
            "mail/Sent/cur/1",
            "mail/./cur/1",
            "mail/cur/",
            "mail/cur/1:2,S\n",
            "mail/cur/a\\b",
            "mail/.a/.b/cur/1",
            "cur/1",
            "mailx/cur/1",
            "mail/cur/1:2,../x",
        ] {
            assert!(place_of(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_mail_is_laid_once_wherever_it_has_gone_since() {
        let data = tempfile::tempdir().unwrap();
        let maildir = Maildir::of(data.path(), &UserId::new("me"));
        let mails =
            || vec![("mail/cur/1:2,S".to_owned(), b"one".to_vec()), ("mail/.Sent/new/2".to_owned(), b"two".to_vec())];
        let first = laid(&maildir, mails()).unwrap();
        assert_eq!((first.new, first.here, first.unread.len()), (2, 0, 0));
        std::fs::rename(maildir.root().join("cur/1:2,S"), maildir.root().join(".Sent/cur/1:2,RS")).unwrap();
        let again = laid(&maildir, mails()).unwrap();
        assert_eq!((again.new, again.here), (0, 2));
        let (files, left, odd) = listed(&maildir, &HashSet::from(["2".to_owned()])).unwrap();
        assert_eq!((files.len(), files[0].name.as_str(), left, odd), (1, "mail/.Sent/cur/1:2,RS", 1, 0));
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), maildir.root().join(".Out")).unwrap();
        let led_out = laid(&maildir, vec![("mail/.Out/cur/3".to_owned(), b"x".to_vec())]).unwrap();
        assert_eq!((led_out.new, led_out.unread.len()), (0, 1));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
