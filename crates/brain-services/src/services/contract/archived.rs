//! What of a person's data goes into an archive, and what comes of taking one in again.

use std::path::PathBuf;

use brain_core::core::plan::PlannedAction;
use brain_core::ports::Change;

/// What a file of an archive is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Those of a file as it is when the archive is written: one of many, which an archive may have to do without.
    OnDisk(PathBuf),
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Its name there, with `/` between folders.
    pub name: String,
    /// What is in it.
    pub content: FileContent,
}

/// What a service has for an archive beside its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchivedFiles {
    /// Folders that are there even where nothing is in them.
    pub folders: Vec<String>,
    /// In the order of their names.
    pub files: Vec<ArchivedFile>,
    /// What is in the files, a line each, for whoever opens the archive.
    pub told: Vec<String>,
}

/// What taking in records of one kind comes to.
#[derive(Debug, Default)]
pub struct Imported {
    /// What has to be committed.
    pub changes: Vec<Change>,
    /// How many are new.
    pub new: usize,
    /// How many were there already, and stay as they are.
    pub here: usize,
    /// How many an account elsewhere keeps, which brings them itself.
    pub elsewhere: usize,
    /// How many were forgotten here since, and stay so.
    pub forgotten: usize,
    /// What these say: it is in other records of the archive as well.
    pub forgotten_texts: Vec<String>,
    /// What would be gone by from now on, in words, and the action that keeps it: it is offered to whoever it becomes.
    pub proposed: Vec<(String, PlannedAction)>,
    /// Why others were left out, a sentence each.
    pub unread: Vec<String>,
}

/// What taking in files comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unarchived {
    /// What they are called, several of them.
    pub noun: &'static str,
    /// How many were written.
    pub new: usize,
    /// How many were there already.
    pub here: usize,
    /// Why others were left out, a sentence each.
    pub unread: Vec<String>,
}
