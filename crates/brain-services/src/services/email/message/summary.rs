//! What is kept in memory of one owner's mail while they use it: hashes and counts, no text of any mail but names.
//!
//! It is made of the index once, and follows it mail by mail. Invariant: what it knows is in the index.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mail::{Mail, MailId};
use super::thread::{Grouping, ThreadLink};
use crate::services::email::mailbox::correspondents::{Correspondent, Correspondents};
use crate::services::email::mailbox::source::maildir::{Folder, Listed};

/// One owner's mail.
#[derive(Debug, Default)]
pub struct Summary {
    files: HashMap<MailId, IndexedFile>,
    places: Vec<PathBuf>,
    /// Its conversations. Drafts belong to none.
    pub threads: Grouping,
    people: Correspondents,
    /// Made when it is asked for, and kept until somebody comes or goes.
    shown: Option<Arc<Vec<Correspondent>>>,
}

/// A file that was read.
#[derive(Debug, Clone, Copy)]
struct IndexedFile {
    /// Index into `places`.
    place: u32,
    /// Hash of its name: another one means other flags.
    name: u64,
    is_unread: bool,
}

impl IndexedFile {
    fn is_at(&self, file: &Listed, place: Option<u32>) -> bool {
        Some(self.place) == place && self.name == name_hash(file)
    }
}

fn name_hash(file: &Listed) -> u64 {
    let mut hasher = DefaultHasher::new();
    file.path.file_name().hash(&mut hasher);
    hasher.finish()
}

/// What is to be done so that the index has what the folders have.
#[derive(Debug, Default)]
pub struct Difference {
    /// Not in the index, or under another name.
    pub unread: Vec<Listed>,
    /// In the index, and gone.
    pub gone: Vec<MailId>,
    /// How many mails there will be.
    pub total: usize,
}

impl Summary {
    /// How many mails it knows.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// What differs, now that `listed` is all that lies in these places. `there` are all places there are.
    pub fn compare(&self, listed: Vec<Listed>, places: &[PathBuf], there: &[PathBuf]) -> Difference {
        // Whoever was seen twice has moved meanwhile: the later place counts.
        let latest: HashMap<MailId, Listed> = listed.into_iter().map(|file| (MailId::of(&file), file)).collect();
        let is_looked_through = |place: &Path| places.iter().any(|p| p == place) || !there.iter().any(|p| p == place);
        let looked_through: HashSet<u32> =
            (0..).zip(&self.places).filter(|(_, place)| is_looked_through(place)).map(|(at, _)| at).collect();
        let is_gone =
            |(id, filed): &(&MailId, &IndexedFile)| looked_through.contains(&filed.place) && !latest.contains_key(id);
        let gone: Vec<MailId> = self.files.iter().filter(is_gone).map(|(id, _)| *id).collect();
        let new = latest.keys().filter(|id| !self.files.contains_key(id)).count();
        let total = self.files.len() - gone.len() + new;
        let is_known =
            |id: &MailId, file: &Listed| self.files.get(id).is_some_and(|filed| filed.is_at(file, self.place(file)));
        let unread = latest.into_iter().filter(|(id, file)| !is_known(id, file)).map(|(_, file)| file).collect();
        Difference { unread, gone, total }
    }

    /// These have gone, and those have come. Addresses that are to be [renamed](Self::rename).
    pub fn update(&mut self, gone: &[Mail], come: &[Mail]) -> Vec<String> {
        let mut doubtful = Vec::new();
        for mail in gone.iter().filter(|mail| self.files.remove(&mail.id()).is_some()) {
            doubtful.extend(self.people.remove(mail));
        }
        // Another name of the same mail changes nothing else.
        let fresh: Vec<&Mail> = come.iter().filter(|mail| self.file(mail)).collect();
        fresh.iter().for_each(|mail| self.people.add(mail));
        let threaded = fresh.into_iter().filter(|mail| mail.file.folder != Folder::Drafts);
        self.threads.update(gone.iter().map(Mail::id), threaded.map(ThreadLink::of));
        self.shown = None;
        doubtful
    }

    /// Notes where a mail lies; true when it is a new one.
    fn file(&mut self, mail: &Mail) -> bool {
        let dir = mail.file.path.parent().unwrap_or(Path::new(""));
        let place = self.place(&mail.file).unwrap_or_else(|| {
            self.places.push(dir.to_owned());
            self.places.len() as u32 - 1
        });
        let filed = IndexedFile { place, name: name_hash(&mail.file), is_unread: mail.is_unread() };
        self.files.insert(mail.id(), filed).is_none()
    }

    fn place(&self, file: &Listed) -> Option<u32> {
        let dir = file.path.parent().unwrap_or(Path::new(""));
        (0..).zip(&self.places).find(|(_, place)| *place == dir).map(|(at, _)| at)
    }

    /// Names somebody by these mails, which are all that speak of them.
    pub fn rename(&mut self, address: &str, mails: &[Mail]) {
        self.people.rename(address, mails);
        self.shown = None;
    }

    /// True when it is new to the owner.
    pub fn is_unread(&self, mail: MailId) -> bool {
        self.files.get(&mail).is_some_and(|filed| filed.is_unread)
    }

    /// The addresses that the owner sends from: the configured ones, then those of mails in Sent.
    pub fn own(&self, configured: &[String]) -> Vec<String> {
        let sent = self.people.own().into_iter().filter(|address| !configured.contains(address));
        configured.iter().cloned().chain(sent).collect()
    }

    /// What the owner calls whoever has this address, as far as their mails tell.
    pub fn named(&self, address: &str) -> Option<String> {
        self.people.named(address)
    }

    /// Whether the owner has written to an address.
    pub fn is_written_to(&self, address: &str) -> bool {
        self.people.is_written_to(address)
    }

    /// Everybody seen in mail.
    pub fn people(&mut self, configured: &[String]) -> Arc<Vec<Correspondent>> {
        if let Some(shown) = &self.shown {
            return Arc::clone(shown);
        }
        let people = Arc::new(self.people.all(&self.own(configured)));
        self.shown = Some(Arc::clone(&people));
        people
    }
}
