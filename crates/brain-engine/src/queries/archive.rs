//! A person's data as one archive: the document, and what services have as files of their own.
//!
//! What is in it is read first; it is packed off the runtime, and as often as is needed for it to fit.

use std::io::{Seek, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::View;
use super::export::{PersonalData, data_of};
use brain_core::archive::{ArchiveWriter, BoundedBuffer, DATA, README};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::limits::ARCHIVED_DATA_BYTES_MAX;
use brain_core::ports::records::User;
use brain_core::ports::{Key, RecordExt};
use brain_services::services::contract::archived::{ArchivedFiles, FileContent};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;

/// What mails and their like are called in counts.
const MANY: &str = "mails";

/// A person's data, read and not packed yet.
#[derive(Debug, Clone)]
pub struct PersonalArchive {
    /// The document.
    pub document: PersonalData,
    beside: Vec<ArchivedFiles>,
    owner: UserId,
}

/// Whether the many files that lie on the disk go along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManyFiles {
    /// They do.
    Along,
    /// They stay, so that the rest is smaller.
    LeftOut,
}

/// Reads it. `chat`: their private chat.
pub async fn archive_of(view: &View<'_>, owner: &UserId, chat: &ChatId) -> Result<PersonalArchive, ServiceError> {
    let document = data_of(view, owner, chat).await?;
    let ctx = context(view, owner, chat).await?;
    let mut beside = Vec::new();
    for service in view.services.now().iter() {
        beside.push(service.service.archived(&ctx).await?);
    }
    Ok(PersonalArchive { document, beside, owner: owner.clone() })
}

async fn context(view: &View<'_>, owner: &UserId, chat: &ChatId) -> Result<RequestContext, ServiceError> {
    let user = view.moment.load::<User>(&Key::of(&[owner.as_str()])).await?.map(|(user, _)| user);
    Ok(RequestContext {
        owner: owner.clone(),
        chat: chat.clone(),
        now: view.now,
        zone: user.as_ref().and_then(|user| user.zone).unwrap_or(view.zone),
        order: view.order,
        hour: user.map(|user| user.settings).unwrap_or_default().reminding_hour(),
        files: Vec::new(),
    })
}

/// An archive that fits into what was allowed.
#[derive(Debug)]
pub struct PackedArchive {
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether the many files are in it.
    pub many: ManyFiles,
    /// What there is to know for whoever means to read it back.
    pub remark: Option<String>,
}

impl PersonalArchive {
    /// How many of each kind there are.
    pub fn counts(&self) -> Vec<(String, usize)> {
        let many = self.many();
        let counts = self.document.counts().map(|(name, count)| (name.to_owned(), count));
        counts.chain((many > 0).then(|| (MANY.to_owned(), many))).collect()
    }

    /// How many files lie on the disk.
    pub fn many(&self) -> usize {
        let files = self.beside.iter().flat_map(|beside| &beside.files);
        files.filter(|file| matches!(file.content, FileContent::OnDisk(_))).count()
    }

    /// Whether nothing is kept of them.
    pub fn is_empty(&self) -> bool {
        self.document.is_empty() && self.many() == 0
    }

    /// Packs it in memory; `None`: it is larger than that. Blocks.
    pub fn packed(&self, many: ManyFiles, max: usize) -> std::io::Result<Option<PackedArchive>> {
        let (buffer, is_over) = BoundedBuffer::new(max);
        let (buffer, remark) = self.write(buffer, many, &is_over)?;
        Ok(buffer.into_bytes().map(|content| PackedArchive { content, many, remark }))
    }

    /// Packs all of it, and tells what there is to know for whoever means to read it back. Blocks.
    pub fn write_all<W: Write + Seek>(&self, out: W) -> std::io::Result<Option<String>> {
        Ok(self.write(out, ManyFiles::Along, &AtomicBool::new(false))?.1)
    }

    fn write<W: Write + Seek>(
        &self,
        out: W,
        many: ManyFiles,
        is_over: &AtomicBool,
    ) -> std::io::Result<(W, Option<String>)> {
        let mut writer = ArchiveWriter::new(out);
        let document = serde_json::to_vec_pretty(&Value::from(self.document.clone()))?;
        let remark = remark(&document);
        writer.bytes(README, self.readme(many, remark.as_deref()).as_bytes())?;
        writer.bytes(DATA, &document)?;
        for beside in &self.beside {
            for folder in &beside.folders {
                writer.folder(folder)?;
            }
            for file in &beside.files {
                match &file.content {
                    FileContent::Bytes(bytes) => writer.bytes(&file.name, bytes)?,
                    FileContent::OnDisk(path) if many == ManyFiles::Along => _ = writer.file(&file.name, path)?,
                    FileContent::OnDisk(_) => {}
                }
                if is_over.load(Ordering::Relaxed) {
                    return Ok((writer.finish()?, remark));
                }
            }
        }
        Ok((writer.finish()?, remark))
    }

    fn readme(&self, many: ManyFiles, remark: Option<&str>) -> String {
        let mut lines = vec![
            format!("All that Brain Agent keeps of {}.", self.owner),
            String::new(),
            format!("{DATA}  everything, as JSON: records by kind, settings, the conversation of the private chat"),
        ];
        lines.extend(self.beside.iter().flat_map(|beside| beside.told.iter().cloned()));
        if many == ManyFiles::LeftOut {
            lines.push(format!("These {} {MANY} are not in this archive: it would be too large.", self.many()));
        }
        lines.extend(remark.map(str::to_owned));
        lines.extend(
            [
                "",
                "“brain-agent import FILE” reads it back: the records, settings, the conversation and the mails. What is",
                "there already stays as it is. Cards and questions are in it for information only; rights, what waits to be",
                "sent, and what accounts elsewhere keep are never read back.",
                "Not in it: what was said in groups, and notes on how the work went.",
                "",
            ]
            .map(str::to_owned),
        );
        lines.join("\n")
    }
}

fn remark(document: &[u8]) -> Option<String> {
    let max = ARCHIVED_DATA_BYTES_MAX;
    let is_too_large = u64::try_from(document.len()).is_ok_and(|bytes| bytes > max);
    is_too_large.then(|| {
        format!(
            "{DATA} has more than the {} MB that “brain-agent import” takes: it cannot be read back as it is.",
            max >> 20
        )
    })
}
