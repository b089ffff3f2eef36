//! A backup each day, in a folder that keeps so many of them.
//!
//! Invariants: no day has two; the oldest goes only after a new one is whole; whoever runs this is told once that it fails,
//! over restarts as well, and again only after it has worked in between.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDate;
use tokio::time::sleep;

use super::aside;
use super::quiet_moment;
use crate::backup::{BackupError, BackupLock, BackupOrder, PackedBackup, pack};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_core::secret_files;
use brain_engine::pipeline::brain::Brain;

/// What is noted in the chat of whoever was told, beside accounts that wait for them.
const NOTED: &str = "the daily backup";

/// Where backups go.
#[derive(Debug, Clone)]
pub struct BackupPlan {
    /// What is backed up.
    pub data_dir: PathBuf,
    /// Where accounts.toml is.
    pub accounts: PathBuf,
    /// Where to.
    pub folder: PathBuf,
    /// How many are kept.
    pub keep: usize,
}

/// Looks again and again whether one is due. Ends when dropped.
pub(super) async fn keep_taken(brain: &Brain, plan: Option<&BackupPlan>) {
    let Some(plan) = plan else { return std::future::pending().await };
    loop {
        quiet_moment(brain).await;
        let pause = match plan.look(brain).await {
            Ok(()) | Err(BackupError::UnderWay) => limits::BACKUP_LOOKED_AT_SECS,
            Err(_) => limits::BACKUP_AGAIN_SECS,
        };
        sleep(Duration::from_secs(pause)).await;
    }
}

impl BackupPlan {
    /// Takes the backup of today, where there is none yet. What comes of it is in the log; that it fails is told.
    pub async fn look(&self, brain: &Brain) -> Result<(), BackupError> {
        let today = brain.clock.now().with_timezone(&brain.policy.zone).date_naive();
        let file = self.folder.join(name_of(today));
        if file.exists() {
            return Ok(());
        }
        let taken = self.take(brain, file).await;
        let told = match &taken {
            Ok(packed) => {
                tracing::info!(files = packed.files, bytes = packed.packed, "the backup of today is taken");
                tell(brain, None).await
            }
            Err(BackupError::UnderWay) => Ok(()),
            Err(error) => {
                tracing::error!(%error, "the backup of today failed; it is tried again in an hour");
                tell(brain, Some(error)).await
            }
        };
        if let Err(error) = told {
            tracing::warn!(%error, "how the backup went is not told yet");
        }
        taken.map(|_| ())
    }

    async fn take(&self, brain: &Brain, file: PathBuf) -> Result<PackedBackup, BackupError> {
        let lock = BackupLock::take(&self.data_dir)?;
        let order = BackupOrder {
            data_dir: self.data_dir.clone(),
            store: BackupLock::place(&self.data_dir),
            taken_at: brain.clock.now(),
            accounts: self.accounts.clone(),
            file,
            with_tokens: false,
        };
        brain.store.copy_to(&order.store).await?;
        let (folder, keep) = (self.folder.clone(), self.keep);
        let packed = tokio::task::spawn_blocking(move || {
            let told = |cause| BackupError::Disk { path: folder.clone(), cause };
            secret_files::make_folder(&order.file).map_err(told)?;
            let packed = pack(&order, &mut |_| ())?;
            drop(lock);
            keep_newest(&folder, keep);
            Ok(packed)
        });
        packed.await.unwrap_or_else(|cause| Err(BackupError::Damaged(cause.to_string())))
    }
}

fn name_of(day: NaiveDate) -> String {
    format!("brain-agent-{day}.zip")
}

/// The day of a backup that was taken by itself.
fn day_of(name: &str) -> Option<NaiveDate> {
    let day = name.strip_prefix("brain-agent-")?.strip_suffix(".zip")?;
    // As it is written, and nothing like it.
    day.parse().ok().filter(|parsed| name_of(*parsed) == name)
}

/// Removes the oldest beyond that number. What is called otherwise stays.
fn keep_newest(folder: &Path, keep: usize) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let dated = entries.filter_map(|entry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let day = entry.file_name().to_str().and_then(day_of).filter(|_| is_file)?;
        Some((day, entry.path()))
    });
    let dated: BTreeMap<NaiveDate, PathBuf> = dated.collect();
    for path in dated.values().rev().skip(keep) {
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "an old backup could not be removed");
        }
    }
}

/// Tells those who run this, once for as long as it fails. `None`: it has worked.
async fn tell(brain: &Brain, failed: Option<&BackupError>) -> Result<(), StoreError> {
    let (mut waiting, mut over) = (BTreeMap::new(), BTreeSet::new());
    match failed {
        Some(error) => {
            let words = format!(
                "💾 The daily backup failed: {error}. What is kept here is as it was; I try again every hour, and say so again \
                 only after it has worked. Look at the folder that BRAIN_BACKUP_DIR names."
            );
            waiting.insert(NOTED.to_owned(), words);
        }
        None => _ = over.insert(NOTED.to_owned()),
    }
    let chats = aside::chats(brain).await?;
    for chat in aside::operators(brain, &chats).await? {
        if brain.commit_disconnected(&chat, &waiting, &over).await? {
            brain.deliver(&chat).await;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_kept_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let days = (1..=9).map(|day| format!("brain-agent-2026-01-0{day}.zip"));
        let others = ["brain-agent-2026-1-1.zip", "brain-agent-notes.zip", "brain-agent-2025-01-01-101010.zip", "x"];
        for name in days.chain(others.map(str::to_owned)) {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        keep_newest(folder.path(), 3);
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        left.retain(|name| !others.contains(&name.as_str()));
        left.sort();
        assert_eq!(left, ["7", "8", "9"].map(|day| format!("brain-agent-2026-01-0{day}.zip")));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
    }
}
