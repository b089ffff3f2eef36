//! The console as a place to talk in: messages become lines of whoever is attached to the chat.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use serde_json::Value;

use super::conversation::Line;
use super::wire::Out;
use brain_core::archive;
use brain_core::core::forgotten::Forgotten;
use brain_core::core::ids::{ChatId, MessageId, UserId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{Attachment, Edit, Reply};
use brain_core::ports::{Channel, SendError, why_not};

/// Where the lines of a session go.
pub trait Sink: Send + Sync {
    /// Writes one line; false when nobody reads any more.
    fn put(&self, out: &Out) -> bool;

    /// Whether answers are shown there while they are written.
    fn shows_drafts(&self) -> bool {
        false
    }
}

/// All consoles of this process.
#[derive(Default)]
pub struct ConsoleChannel {
    attached: Mutex<HashMap<ChatId, Arc<dyn Sink>>>,
    last_id: AtomicI64,
    /// Where files for people are written.
    files: PathBuf,
    data_dir: PathBuf,
}

impl std::fmt::Debug for ConsoleChannel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConsoleChannel").finish_non_exhaustive()
    }
}

impl ConsoleChannel {
    /// Numbers go on after `last`, the greatest one a card of an earlier life may carry. Files for people are
    /// written into a folder of `data_dir`.
    pub fn after(last: MessageId, data_dir: &Path) -> Self {
        let (files, data_dir) = (data_dir.join("exports"), data_dir.to_owned());
        Self { attached: Mutex::default(), last_id: AtomicI64::new(last.0), files, data_dir }
    }

    /// Where files for people are written.
    pub fn files(&self) -> &Path {
        &self.files
    }

    /// The folder that everything is kept in.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The next number of a message, theirs or ours.
    pub fn next_id(&self) -> MessageId {
        MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// A line that was written just now.
    pub fn line(&self, text: String) -> Line {
        Line { text, number: self.next_id() }
    }

    /// From now on `sink` reads this chat. True when it did not before.
    pub fn attach(&self, chat: &ChatId, sink: &Arc<dyn Sink>) -> bool {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        let before = attached.insert(chat.clone(), sink.clone());
        before.is_none_or(|before| !Arc::ptr_eq(&before, sink))
    }

    /// `sink` reads nothing any more.
    pub fn detach(&self, sink: &Arc<dyn Sink>) {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        attached.retain(|_, reader| !Arc::ptr_eq(reader, sink));
    }

    fn reader(&self, chat: &ChatId) -> Option<Arc<dyn Sink>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner).get(chat).cloned()
    }

    fn put(&self, chat: &ChatId, out: impl FnOnce(&str) -> Out) -> Result<(), SendError> {
        let sink = self.reader(chat).ok_or_else(|| SendError::Later("nobody is at this console".to_owned()))?;
        let user = chat.as_str().strip_prefix("console:").unwrap_or(chat.as_str());
        if sink.put(&out(user)) { Ok(()) } else { Err(SendError::Later("the console was closed".to_owned())) }
    }
}

/// Writes a file for its owner's eyes only; one that is there already under that name is replaced.
fn save(folder: &Path, file: &Attachment) -> std::io::Result<PathBuf> {
    use std::io::Write as _;
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A name is a name: no way out of the folder.
    let name = Path::new(&file.name).file_name().ok_or(std::io::ErrorKind::InvalidFilename)?;
    let path = folder.join(name);
    let draft = folder.join(format!(".{}.new", name.to_string_lossy()));
    match std::fs::remove_file(&draft) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause),
        Ok(()) | Err(_) => {}
    }
    let mut open = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    open.write_all(&file.content)?;
    open.sync_all()?;
    std::fs::rename(&draft, &path)?;
    Ok(path)
}

#[async_trait]
impl Channel for ConsoleChannel {
    async fn typing(&self, chat: &ChatId) {
        let _ = self.put(chat, |user| Out::Typing { user: user.to_owned() });
    }

    async fn status(&self, chat: &ChatId, text: &str) {
        let _ = self.put(chat, |user| Out::status(user, text));
    }

    fn shows_drafts(&self, chat: &ChatId) -> bool {
        self.reader(chat).is_some_and(|reader| reader.shows_drafts())
    }

    async fn draft(&self, chat: &ChatId, words: &Formatted) {
        let _ = self.put(chat, |user| Out::draft(user, words));
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        let id = self.next_id();
        let (mut reply, mut written) = (reply.clone(), None);
        if let Some(file) = reply.attachment.take() {
            let saved = save(&self.files, &file);
            let saved = saved.map(|path| {
                written = path.file_name().map(|name| name.to_string_lossy().into_owned());
                format!("Saved as {}", path.display())
            });
            let saved = saved.unwrap_or_else(|cause| format!("❗ The file could not be written: {}.", why_not(&cause)));
            reply.text = format!("{}\n{saved}", reply.text);
        }
        self.put(chat, |user| Out::message(user, id, &reply, written))?;
        Ok(id)
    }

    async fn edit(&self, chat: &ChatId, edit: &Edit) -> Result<(), SendError> {
        self.put(chat, |user| Out::edit(user, edit))
    }

    /// What waits is shown when somebody comes, or when the next thing is told there.
    fn try_again(&self, _: &ChatId) {}

    async fn erase(&self, owner: &UserId, what: &Forgotten) {
        for entry in std::fs::read_dir(&self.files).into_iter().flatten().flatten() {
            if let Err(cause) = erase_from(&entry.path(), owner, what) {
                tracing::warn!(%cause, "what was forgotten may still stand in a file that was handed over");
            }
        }
        match forget_lines(&history_of(&self.data_dir, owner.as_str()), what) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%cause, "what was forgotten may still stand in the history of a terminal");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// What somebody has typed at a terminal, for the arrow keys.
pub fn history_of(data_dir: &Path, user: &str) -> PathBuf {
    data_dir.join(format!("terminal-history.{}", user.replace('/', "_")))
}

/// Takes the lines out of a history that have what was forgotten.
fn forget_lines(path: &Path, what: &Forgotten) -> std::io::Result<()> {
    use std::io::Write as _;
    let text = std::fs::read_to_string(path)?;
    let kept: String = text.split_inclusive('\n').filter(|line| what.replaced(line).is_none()).collect();
    if kept.len() == text.len() {
        return Ok(());
    }
    // In its place, so that a terminal that is open goes on with it; and no byte is to outlive it.
    let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
    file.write_all(kept.as_bytes())?;
    file.write_all(&vec![0; text.len() - kept.len()])?;
    file.sync_data()?;
    file.set_len(kept.len() as u64)
}

/// Writes a file of this person anew, where it has what was forgotten.
fn erase_from(path: &Path, owner: &UserId, what: &Forgotten) -> std::io::Result<()> {
    use std::io::Write as _;
    let bytes = std::fs::read(path)?;
    let content = match serde_json::from_slice::<Value>(&bytes) {
        Ok(mut document) => {
            if document["person"]["id"] != owner.as_str() || !what.replace_in(&mut document) {
                return Ok(());
            }
            serde_json::to_vec_pretty(&document)?
        }
        Err(_) => match archive::without(&bytes, owner, what) {
            Some(content) => content,
            None => return Ok(()),
        },
    };
    let mut old = std::fs::OpenOptions::new().write(true).open(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().unwrap_or(Path::new("."));
    save(folder, &Attachment { name, mime: String::new(), content })?;
    // It has no name any more; its bytes are not to outlive it.
    let length = old.metadata()?.len() as usize;
    old.write_all(&vec![0; length])?;
    old.sync_data()
}
