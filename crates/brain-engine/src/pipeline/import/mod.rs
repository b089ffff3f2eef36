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
//! - a rule of an archive is offered, one by one, and is none before the person has said so here;
//! - before the one commit nothing is written; mails after it each go in whole, under their names.
//!
//! Deliberately not here: what an archive looks like ([`brain_core::archive`]), and what a service keeps of its records.

mod messages;
mod person;
mod report;
mod rules;

use std::fs::File;
use std::path::Path;

use serde_json::Value;

use super::brain::Brain;
use crate::queries::export::{MESSAGES, PERSON, VERSION, VERSION_FIELD};
use brain_core::archive::{Archive, ArchiveBounds, ArchiveDocument, ArchiveError, DATA, DocumentError, README};
use brain_core::core::forgotten::Forgotten;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::people::person_named;
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::quoted;
use brain_core::limits;
use brain_core::ports::{Batch, StoreError};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;
pub use report::{ImportReport, KindReport};

/// Lists of the document that are there to be looked at.
const FOR_INFORMATION: [&str; 4] =
    ["waiting_for_your_yes", "closed_cards", "conversation_in_short", "could_not_be_read"];

/// Why nothing was taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file.
    #[error("nothing was taken in: {0}")]
    Archive(#[from] ArchiveError),
    /// Its document is none of ours.
    #[error("nothing was taken in: {DATA} is no document of a person's data ({0})")]
    Document(String),
    /// It has more than is read.
    #[error("nothing was taken in: it holds more than I read: {0}")]
    TooMuch(String),
    /// A newer program has written it.
    #[error("nothing was taken in: {DATA} is of version {0}, and I read up to {VERSION}; a newer brain-agent reads it")]
    Version(u64),
    /// Whom it is for.
    #[error("nothing was taken in: {0} is nobody's name; say whose it becomes with --user")]
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
    document: ArchiveDocument,
    version: u64,
}

impl ImportSource {
    /// Opens a file. Blocks.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let mut archive = Archive::open(path, ArchiveBounds::default())?;
        let document = ArchiveDocument::of(archive.read(DATA)?).map_err(|error| match error {
            DocumentError::Shape(why) => ImportError::Document(why),
            DocumentError::TooMuch(what) => ImportError::TooMuch(what),
        })?;
        let version = document.field(VERSION_FIELD).and_then(|version| version.as_u64());
        let version = version.ok_or_else(|| ImportError::Document(format!("{VERSION_FIELD} is missing")))?;
        match u32::try_from(version) {
            Ok(1..=VERSION) => Ok(Self { archive, document, version }),
            Ok(_) | Err(_) => Err(ImportError::Version(version)),
        }
    }

    /// Takes it in for its person, or for somebody else.
    pub async fn take_in(self, brain: &Brain, user: Option<&str>) -> Result<ImportReport, ImportError> {
        let told = self.document.field(PERSON).unwrap_or_default();
        let owner = owner_of(user.or(told["id"].as_str()).unwrap_or_default())?;
        let chat = ChatId::alone_with(&owner);
        let mut report = ImportReport::of(&owner);
        let mut batch = Batch::default();
        let user = person::taken_in(brain, &owner, &chat, &told, &mut report, &mut batch).await?;
        let ctx = brain.request_context(&user, &chat);
        let (forgotten, rules) = self.records(brain, &ctx, &mut report, &mut batch).await?;
        if let Some(records) = self.bounded(MESSAGES, &mut report) {
            let said = messages::PastMessages { records, version: self.version };
            said.taken_in(brain, &ctx, forgotten.as_ref(), &mut report, &mut batch).await?;
        }
        if !batch.changes.is_empty() {
            brain.commit(batch).await?;
        }
        rules::offered(brain, &ctx, rules, &mut report).await?;
        files(brain, &ctx, self.archive, &mut report).await;
        Ok(report)
    }

    /// Gives every list to the service that keeps such records; what it holds was forgotten here since, and what would be
    /// gone by.
    async fn records(
        &self,
        brain: &Brain,
        ctx: &RequestContext,
        report: &mut ImportReport,
        batch: &mut Batch,
    ) -> Result<(Option<Forgotten>, Proposed), ImportError> {
        let (mut forgotten, mut rules) = (Vec::new(), Vec::new());
        let services = brain.services.now();
        let is_of_services = |kind: &&str| *kind != MESSAGES && !FOR_INFORMATION.contains(kind);
        for kind in self.document.names().filter(is_of_services) {
            if self.document.records(kind).is_none_or(|mut records| records.next().is_none()) {
                continue;
            }
            let mut keeper = None;
            for service in services.iter() {
                // One that keeps such records says so of none of them as well.
                if service.service.import(ctx, kind, Vec::new()).await?.is_some() {
                    keeper = Some(service);
                    break;
                }
            }
            let Some(keeper) = keeper else {
                let count = self.document.records(kind).map_or(0, Iterator::count);
                report.unread(kind, vec![format!("nothing here keeps such records ({count})")]);
                continue;
            };
            let records = self.bounded(kind, report).unwrap_or_default();
            let Some(mut taken) = keeper.service.import(ctx, kind, records).await? else { continue };
            batch.changes.append(&mut taken.changes);
            forgotten.append(&mut taken.forgotten_texts);
            rules.append(&mut taken.proposed);
            report.add(kind, taken);
        }
        Ok((Forgotten::of(forgotten.iter().map(String::as_str)), rules))
    }

    /// As many records of a kind as are looked at, one kind at a time.
    fn bounded(&self, kind: &str, report: &mut ImportReport) -> Option<Vec<Value>> {
        let (mut read, mut unread, mut over) = (Vec::new(), Vec::new(), 0_usize);
        for record in self.document.records(kind)? {
            match record {
                _ if read.len() + unread.len() == limits::IMPORTED_RECORDS_MAX => over += 1,
                Ok(record) => read.push(record),
                Err(why) => unread.push(why),
            }
        }
        unread.extend((over > 0).then(|| format!("{over} are more than I take in at once")));
        report.unread(kind, unread);
        Some(read)
    }
}

/// What would be gone by: its words, and the action that keeps it.
type Proposed = Vec<(String, PlannedAction)>;

fn owner_of(name: &str) -> Result<UserId, ImportError> {
    person_named(name).ok_or_else(|| ImportError::Nobody(quoted(name, limits::NAME_CHARS_MAX)))
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
