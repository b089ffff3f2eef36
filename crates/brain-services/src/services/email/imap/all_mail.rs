//! A folder that holds every mail of the account once more, as some servers have it in the place of an archive.
//!
//! Here a mail lies once: where another folder has it, there; else in the archive. So its row in that folder says
//! whether its file is that of another one, and follows what becomes of the others.

use std::collections::BTreeSet;
use std::path::Path;

use super::folders::{Folders, ServerFolder};
use super::maildir_writer::MaildirWriter;
use super::rows::{FolderRow, MailRow};
use super::sync::{Gone, Pass, SyncError, on_files};
use crate::services::email::mailbox::source::maildir::Listed;
use brain_core::ports::{Change, Expect, Record, RecordExt};

impl Pass<'_> {
    /// The names of the mails that other folders have.
    pub(super) async fn names_elsewhere(&self, all: &ServerFolder) -> Result<BTreeSet<String>, SyncError> {
        let rows = self.store.list_all::<MailRow>(&[self.owner.as_str(), &self.place.account]).await?;
        Ok(names_but_of(rows, all))
    }

    /// What is in no other folder any more lies in the archive from now on, and what has come into another does not.
    pub(super) async fn reconcile_all_mail(&self, folders: &Folders, gone: &mut Gone) -> Result<(), SyncError> {
        let Some(all) = folders.0.iter().find(|folder| folder.holds_all) else { return Ok(()) };
        let vanishing: BTreeSet<String> = gone.rows.iter().map(|key| key.as_str().to_owned()).collect();
        let rows = self.store.list_all::<MailRow>(&[self.owner.as_str(), &self.place.account]).await?;
        let rows: Vec<MailRow> = rows.into_iter().filter(|row| !vanishing.contains(row.key().as_str())).collect();
        let others: BTreeSet<&str> =
            rows.iter().filter(|row| row.dir != all.dir).map(|row| row.name.as_str()).collect();
        let (maildir, account, folder) = (self.maildir.clone(), self.place.account.clone(), all.clone());
        let laying = on_files(move || MaildirWriter::open(maildir, &account, &folder)).await?;
        let mut changes = Vec::new();
        for row in rows.iter().filter(|row| row.dir == all.dir && !row.name.is_empty()) {
            match (row.is_elsewhere, others.contains(row.name.as_str())) {
                (true, false) => match gone.files.iter().position(|file| file.base == row.name) {
                    Some(at) => {
                        let file: Listed = gone.files.swap_remove(at);
                        let (maildir, dir, kind) = (self.maildir.clone(), all.dir.clone(), all.kind());
                        on_files(move || maildir.shift(&file, Path::new(&dir), kind)).await?;
                        changes.push(Change::put(&MailRow { is_elsewhere: false, ..row.clone() }, Expect::Any)?);
                    }
                    // Its file went earlier: it is fetched.
                    None => {
                        changes.push(Change::delete(MailRow::TABLE, row.key(), Expect::Any));
                        gone.folders.retain(|whole| whole.dir != all.dir);
                        changes.push(Change::delete(FolderRow::TABLE, self.folder_key(&all.dir), Expect::Any));
                    }
                },
                (false, true) => {
                    gone.files.extend(laying.present.get(&row.name).cloned());
                    changes.push(Change::put(&MailRow { is_elsewhere: true, ..row.clone() }, Expect::Any)?);
                }
                (_, _) => {}
            }
        }
        self.commit(changes).await
    }
}

/// Those of the mails that lie in other folders than this one.
pub(super) fn names_but_of(rows: Vec<MailRow>, all: &ServerFolder) -> BTreeSet<String> {
    rows.into_iter().filter(|row| row.dir != all.dir && !row.name.is_empty()).map(|row| row.name).collect()
}
