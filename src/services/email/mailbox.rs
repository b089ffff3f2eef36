//! Everybody's mailboxes, indexed in memory, grouped into threads.
//!
//! The index holds what search and lists need (headers, a snippet, hashes of stemmed words), not the texts:
//! those are read again when somebody wants them. It is brought up to date by listing the folders before
//! every use; a known file is never read twice. All file work happens off the async threads.
//!
//! Invariant: an index belongs to one owner and is built from that owner's folder alone.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};

use super::read::{self, Mailbox, Parsed};
use super::source::maildir;
use super::source::maildir::{Folder, Listed, Maildir};
use super::suspects::Reading;
use super::thread::{self, Thread};
use crate::core::ids::UserId;
use crate::core::text::shorten;
use crate::failpoint::fail_point;
use crate::language::people::NamedBy;
use crate::language::words;
use crate::limits::MAIL_TEXT_CHARS_MAX;
use crate::ports::why_not;
use crate::services::error::ServiceError;

/// What the index knows of one mail.
#[derive(Debug, Clone, PartialEq)]
pub struct Mail {
    /// Its file.
    pub file: Listed,
    /// Its headers and the rest, without text.
    pub head: Arc<Head>,
}

/// The part of a mail that never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Headers and attachments; `text` is empty.
    pub parsed: Parsed,
    /// The Date header, else what the file says.
    pub date: DateTime<Utc>,
    /// The beginning of what is new in it.
    pub snippet: String,
    /// Hashes of the stems of subject, people and text, sorted.
    words: Box<[u32]>,
    /// Set aside: it is listed, and never read.
    is_aside: bool,
}

/// The subject of a mail that is set aside.
const ASIDE: &str = "A mail that I set aside";
/// Its text.
const ASIDE_TEXT: &str =
    "I stopped each time I read this mail, so I no longer open it. It is still in your mailbox, for a mail program.";

/// Characters of a snippet.
pub const SNIPPET_CHARS: usize = 200;

impl Head {
    /// True when the mail holds this stem.
    pub fn has(&self, stem: &str) -> bool {
        self.words.binary_search(&word_hash(stem)).is_ok()
    }
}

impl Mail {
    /// True when the owner wrote it.
    pub fn is_own(&self) -> bool {
        matches!(self.file.folder, Folder::Sent | Folder::Drafts)
    }

    /// New to the owner.
    pub fn is_unread(&self) -> bool {
        self.file.unread && !self.is_own()
    }

    /// The mail, read again: its text as far as anybody would read it.
    pub fn read(&self) -> Parsed {
        if self.head.is_aside {
            return Parsed { text: ASIDE_TEXT.to_owned(), ..self.head.parsed.clone() };
        }
        maildir::read(&self.file.path).map_or_else(
            |_| Parsed { text: "(This mail has just been moved or deleted.)".to_owned(), ..self.head.parsed.clone() },
            |raw| read::parse(&raw).within(MAIL_TEXT_CHARS_MAX),
        )
    }
}

/// One owner's mail at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MailIndex {
    /// By folder and name.
    pub mails: Vec<Mail>,
    /// Newest first. Drafts belong to none.
    pub threads: Vec<Thread>,
    /// The owner's own addresses, lower case.
    pub own: Vec<String>,
}

impl MailIndex {
    /// True when this address is the owner's.
    pub fn is_me(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        self.own.contains(&address)
    }

    /// The mails of a thread, oldest first.
    pub fn mails_of<'a>(&'a self, thread: &'a Thread) -> impl DoubleEndedIterator<Item = &'a Mail> {
        thread.mails.iter().map(|&at| &self.mails[at])
    }

    /// Everybody seen in mail.
    pub fn people(&self) -> Vec<Correspondent> {
        let mut order: Vec<&Mail> = self.mails.iter().collect();
        order.sort_by_key(|mail| mail.head.date);
        let mut seen: HashMap<String, Naming> = HashMap::new();
        for mail in order {
            let parsed = &mail.head.parsed;
            let people: Vec<&Mailbox> = match mail.file.folder {
                Folder::Drafts => Vec::new(),
                Folder::Sent => parsed.to.iter().chain(&parsed.cc).collect(),
                Folder::Inbox | Folder::Kept => vec![&parsed.from],
            };
            for person in people.into_iter().filter(|p| p.address.contains('@') && !self.is_me(&p.address)) {
                let naming = seen.entry(person.address.to_lowercase()).or_insert_with(|| Naming::of(person));
                naming.hears(person, mail);
            }
        }
        let mut people: Vec<Correspondent> = seen.into_values().map(Naming::settled).collect();
        people.sort_by(|a, b| (&a.mailbox.name, &a.mailbox.address).cmp(&(&b.mailbox.name, &b.mailbox.address)));
        people
    }
}

/// Somebody seen in mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correspondent {
    /// Their name, the person's own for them if there is one, and their address.
    pub mailbox: Mailbox,
    /// The owner has written to them.
    pub written: bool,
    /// Who chose the name.
    pub named_by: NamedBy,
}

/// The names that stood before one address, the newest of each sort.
#[derive(Debug)]
struct Naming {
    address: String,
    written: bool,
    /// In mails of the owner's that answer nothing.
    by_owner: String,
    /// In mails of others, and in answers: a mail program copies into those what it was told.
    by_others: String,
}

impl Naming {
    fn of(person: &Mailbox) -> Self {
        let address = person.address.clone();
        Self { address, written: false, by_owner: String::new(), by_others: String::new() }
    }

    fn hears(&mut self, person: &Mailbox, mail: &Mail) {
        let sent = mail.file.folder == Folder::Sent;
        self.written |= sent;
        let begins = sent && mail.head.parsed.references.is_empty();
        let name = if begins { &mut self.by_owner } else { &mut self.by_others };
        if !person.name.is_empty() {
            name.clone_from(&person.name);
        }
    }

    fn settled(self) -> Correspondent {
        let Self { address, written, by_owner, by_others } = self;
        let (name, named_by) = match (by_owner.as_str(), by_others.as_str()) {
            ("", "") => (String::new(), NamedBy::Person),
            ("", _) => (by_others, NamedBy::Themself),
            _ => (by_owner, NamedBy::Person),
        };
        Correspondent { mailbox: Mailbox { name, address }, written, named_by }
    }
}

#[derive(Debug, Default)]
struct Cached {
    heads: HashMap<(Folder, String), Arc<Head>>,
    index: Arc<MailIndex>,
}

/// The mailboxes of everybody, below one data folder.
#[derive(Debug)]
pub struct Mailboxes {
    data: PathBuf,
    /// The address outgoing mail carries.
    own: Option<String>,
    cached: Mutex<HashMap<UserId, Arc<Mutex<Cached>>>>,
}

impl Mailboxes {
    /// Mailboxes in `DATA/mail`; `own` is the address of outgoing mail, if one is configured.
    pub fn new(data: impl Into<PathBuf>, own: Option<String>) -> Arc<Self> {
        Arc::new(Self { data: data.into(), own: own.map(|address| address.to_lowercase()), cached: Mutex::default() })
    }

    /// The folder everything is below.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The files of one owner.
    pub fn maildir(&self, owner: &UserId) -> Maildir {
        Maildir::of(&self.data, owner)
    }

    /// The owner's mail as it is now.
    pub async fn index(self: &Arc<Self>, owner: &UserId) -> Result<Arc<MailIndex>, ServiceError> {
        let mailboxes = Arc::clone(self);
        let owner = owner.clone();
        blocking(move || mailboxes.refresh(&owner)).await
    }

    fn refresh(&self, owner: &UserId) -> Result<Arc<MailIndex>, ServiceError> {
        let slot = {
            let mut all = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(owner.clone()).or_default())
        };
        let mut cached = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = self.maildir(owner).list().map_err(unreadable)?;
        let known = cached.index.mails.iter().map(|mail| &mail.file);
        if cached.index.mails.len() == listed.len() && known.eq(listed.iter()) {
            return Ok(Arc::clone(&cached.index));
        }
        let mut heads = HashMap::with_capacity(listed.len());
        let mut mails = Vec::with_capacity(listed.len());
        let mut reading = Reading::begin(self.maildir(owner).root());
        for file in listed {
            let key = (file.folder, file.base.clone());
            let head = match cached.heads.get(&key) {
                Some(head) => Arc::clone(head),
                None if reading.is_aside(&suspect(&file)) => Arc::new(aside(&file)),
                None => match maildir::read(&file.path) {
                    Ok(raw) => {
                        reading.before(&suspect(&file));
                        fail_point("mail-read");
                        Arc::new(head_of(read::parse(&raw), &file))
                    }
                    // Gone since it was listed, or not ours to read: the others still count.
                    Err(_) => continue,
                },
            };
            heads.insert(key, Arc::clone(&head));
            mails.push(Mail { file, head });
        }
        reading.finish();
        let own = own_addresses(self.own.as_deref(), &mails);
        let threads = thread::group(&mails);
        cached.heads = heads;
        cached.index = Arc::new(MailIndex { mails, threads, own });
        Ok(Arc::clone(&cached.index))
    }
}

/// Runs file work where it may wait.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, ServiceError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(ServiceError::Refused("The mailbox could not be read.".to_owned())))
}

fn unreadable(cause: std::io::Error) -> ServiceError {
    ServiceError::Refused(format!("Your mailbox cannot be read: {}. Nothing was changed.", why_not(&cause)))
}

/// The configured address, else whoever wrote what lies in Sent.
fn own_addresses(configured: Option<&str>, mails: &[Mail]) -> Vec<String> {
    let mut own: Vec<String> = configured.map(str::to_owned).into_iter().collect();
    for mail in mails.iter().filter(|m| m.file.folder == Folder::Sent) {
        let address = mail.head.parsed.from.address.to_lowercase();
        if !address.is_empty() && !own.contains(&address) {
            own.push(address);
        }
    }
    own
}

/// As a mail is called among those that are set aside.
fn suspect(file: &Listed) -> String {
    format!("{:?}/{}", file.folder, file.base)
}

fn aside(file: &Listed) -> Head {
    let parsed = Parsed { subject: ASIDE.to_owned(), text: ASIDE_TEXT.to_owned(), ..Parsed::default() };
    Head { is_aside: true, ..head_of(parsed, file) }
}

fn head_of(mut parsed: Parsed, file: &Listed) -> Head {
    let text = std::mem::take(&mut parsed.text);
    let people = std::iter::once(&parsed.from).chain(&parsed.to).chain(&parsed.cc);
    let people: Vec<String> = people.map(|p| format!("{} {}", p.name, p.address)).collect();
    let mut said: Vec<String> = words::words(&parsed.subject);
    said.extend(words::words(&people.join(" ")));
    said.extend(words::words(&text));
    // Texts repeat themselves: every word is brought to its stem once.
    said.sort_unstable();
    said.dedup();
    let stems = words::stems_of(&said);
    let mut hashes: Vec<u32> = stems.iter().map(|stem| word_hash(stem)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    Head {
        date: parsed.date.unwrap_or_else(|| file_date(file)),
        snippet: snippet(&text),
        words: hashes.into_boxed_slice(),
        is_aside: false,
        parsed,
    }
}

fn word_hash(stem: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish() as u32
}

/// Maildir names begin with the second of delivery; else the file's own time.
fn file_date(file: &Listed) -> DateTime<Utc> {
    let named = file.base.split('.').next().and_then(|s| s.parse().ok());
    let named = named.filter(|secs| *secs > 100_000_000).and_then(|secs| DateTime::from_timestamp(secs, 0));
    let written = || std::fs::metadata(&file.path).and_then(|meta| meta.modified());
    named.or_else(|| written().ok().map(DateTime::<Utc>::from)).unwrap_or(DateTime::UNIX_EPOCH)
}

/// The beginning of the text without what it quotes.
fn snippet(text: &str) -> String {
    let mut short = String::new();
    let fresh = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    for word in fresh.flat_map(str::split_whitespace) {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.len() > SNIPPET_CHARS * 4 {
            break;
        }
    }
    shorten(&short, SNIPPET_CHARS)
}
