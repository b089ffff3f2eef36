//! Import: a person's archive, or the document of one, taken in again.
//!
//! ```text
//! file ─► names and sizes judged ─► the document's version ─► the store is opened
//!    ─► what each service makes of its records, settings, messages ─► one commit ─► mails
//! ```
//! Invariants:
//! - what is here stays as it is, found by its id: the same archive twice is the same as once;
//! - nothing gives a right, revives a card or fills a queue, and what somebody else wrote stays theirs;
//! - what was forgotten here since does not come back, neither as a fact nor in what was said;
//! - before the one commit nothing is written; mails after it each go in whole, under their names.
//!
//! Deliberately not here: what an archive looks like ([`crate::archive`]), and what a service keeps of its records.

mod messages;
mod person;
mod report;

use std::fs::File;
use std::path::Path;

use serde_json::{Map, Value};

use super::brain::Brain;
use crate::archive::{Archive, ArchiveBounds, ArchiveError, DATA, README};
use crate::core::forgotten::Forgotten;
use crate::core::ids::{ChatId, UserId};
use crate::limits;
use crate::ports::{Batch, StoreError};
use crate::queries::export::{MESSAGES, PERSON, VERSION, VERSION_FIELD};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
pub use report::{ImportReport, KindReport};

/// Lists of the document that are there to be looked at.
const FOR_INFORMATION: [&str; 4] =
    ["waiting_for_your_yes", "closed_cards", "conversation_in_short", "could_not_be_read"];
/// Characters of a person's id.
const ID_CHARS_MAX: usize = 200;

/// Why nothing was taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file.
    #[error("nothing was taken in: {0}")]
    Archive(#[from] ArchiveError),
    /// Its document is none of ours.
    #[error("nothing was taken in: {DATA} is no document of a person's data ({0})")]
    Document(String),
    /// A newer program has written it.
    #[error("nothing was taken in: {DATA} is of version {0}, and I read up to {VERSION}; a newer brain-agent reads it")]
    Version(u64),
    /// Whom it is for.
    #[error("nothing was taken in: {0:?} is nobody's name; say whose it becomes with --user")]
    Nobody(String),
    /// A service could not look at it.
    #[error("nothing was taken in: {0}")]
    Service(#[from] ServiceError),
    /// The store.
    #[error("nothing was taken in: {0}")]
    Store(#[from] StoreError),
}

/// An archive whose document was read and is one of ours. Nothing was looked up or written for it yet.
#[derive(Debug)]
pub struct ImportSource {
    archive: Archive<File>,
    document: Map<String, Value>,
    version: u64,
}

impl ImportSource {
    /// Opens a file. Blocks.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let mut archive = Archive::open(path, ArchiveBounds::default())?;
        let document = serde_json::from_slice(&archive.read(DATA)?);
        let document: Map<String, Value> = document.map_err(|error| ImportError::Document(error.to_string()))?;
        let version = document.get(VERSION_FIELD).and_then(Value::as_u64);
        let version = version.ok_or_else(|| ImportError::Document(format!("{VERSION_FIELD} is missing")))?;
        match u32::try_from(version) {
            Ok(1..=VERSION) => Ok(Self { archive, document, version }),
            Ok(_) | Err(_) => Err(ImportError::Version(version)),
        }
    }

    /// Takes it in for its person, or for somebody else.
    pub async fn take_in(mut self, brain: &Brain, user: Option<&str>) -> Result<ImportReport, ImportError> {
        let named = self.document.get(PERSON).and_then(|person| person["id"].as_str());
        let owner = owner_of(user.or(named).unwrap_or_default())?;
        let chat = ChatId::alone_with(&owner);
        let mut report = ImportReport::of(&owner);
        let mut batch = Batch::default();
        let told = self.document.remove(PERSON).unwrap_or_default();
        let user = person::taken_in(brain, &owner, &chat, &told, &mut report, &mut batch).await?;
        let ctx = brain.request_context(&user, &chat);
        let said = self.document.remove(MESSAGES);
        let forgotten = self.records(brain, &ctx, &mut report, &mut batch).await?;
        if let Some(Value::Array(said)) = said {
            let said = messages::PastMessages { records: bounded(MESSAGES, said, &mut report), version: self.version };
            said.taken_in(brain, &ctx, forgotten.as_ref(), &mut report, &mut batch).await?;
        }
        if !batch.changes.is_empty() {
            brain.commit(batch).await?;
        }
        files(brain, &ctx, self.archive, &mut report).await;
        Ok(report)
    }

    /// Gives every list to the service that keeps such records; what it holds was forgotten here since.
    async fn records(
        &mut self,
        brain: &Brain,
        ctx: &RequestContext,
        report: &mut ImportReport,
        batch: &mut Batch,
    ) -> Result<Option<Forgotten>, ImportError> {
        let mut forgotten = Vec::new();
        let services = brain.services.now();
        for (kind, records) in std::mem::take(&mut self.document) {
            let Value::Array(records) = records else { continue };
            if records.is_empty() || FOR_INFORMATION.contains(&kind.as_str()) {
                continue;
            }
            let count = records.len();
            let records = bounded(&kind, records, report);
            let mut is_known = false;
            for service in services.iter() {
                let Some(mut taken) = service.service.import(ctx, &kind, records.clone()).await? else { continue };
                batch.changes.append(&mut taken.changes);
                forgotten.append(&mut taken.forgotten_texts);
                report.add(&kind, taken);
                is_known = true;
                break;
            }
            if !is_known {
                report.unread(&kind, vec![format!("nothing here keeps such records ({count})")]);
            }
        }
        Ok(Forgotten::of(forgotten.iter().map(String::as_str)))
    }
}

fn owner_of(name: &str) -> Result<UserId, ImportError> {
    let is_name = !name.trim().is_empty() && name.chars().count() <= ID_CHARS_MAX && !name.contains(char::is_control);
    // A group is nobody.
    let is_group = name.strip_prefix("tg:").is_some_and(|number| number.parse::<u64>().is_err());
    if is_name && !is_group { Ok(UserId::new(name)) } else { Err(ImportError::Nobody(name.to_owned())) }
}

/// As many records of a kind as are looked at.
fn bounded(kind: &str, mut records: Vec<Value>, report: &mut ImportReport) -> Vec<Value> {
    let over = records.len().saturating_sub(limits::IMPORTED_RECORDS_MAX);
    if over > 0 {
        records.truncate(limits::IMPORTED_RECORDS_MAX);
        report.unread(kind, vec![format!("{over} are more than I take in at once")]);
    }
    records
}

/// Gives the other files of an archive to the services, some at a time.
async fn files(brain: &Brain, ctx: &RequestContext, mut archive: Archive<File>, report: &mut ImportReport) {
    let names: Vec<String> = archive.names().iter().filter(|name| *name != DATA && *name != README).cloned().collect();
    let mut left = names.into_iter().peekable();
    while left.peek().is_some() {
        let work = move || {
            let (mut read, mut unread, mut bytes) = (Vec::new(), Vec::new(), 0);
            while read.len() < limits::ARCHIVED_AT_ONCE_MAX && bytes < limits::ARCHIVED_AT_ONCE_BYTES {
                let Some(name) = left.next() else { break };
                match archive.read(&name) {
                    Ok(content) => {
                        bytes += content.len();
                        read.push((name, content));
                    }
                    Err(error) => unread.push(format!("“{name}”: {error}")),
                }
            }
            (archive, left, read, unread)
        };
        let Ok((with, rest, read, unread)) = tokio::task::spawn_blocking(work).await else { return };
        (archive, left) = (with, rest);
        report.unread("files", unread);
        for service in brain.services.now().iter() {
            match service.service.unarchive(ctx, &read).await {
                Ok(Some(taken)) => report.add_files(taken),
                Ok(None) => {}
                Err(error) => report.unread("files", vec![error.to_string()]),
            }
        }
    }
}
