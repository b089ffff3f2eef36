//! The bytes of the files that go along with a letter: as they were sent in the chat, else as a draft has them.

use super::outgoing_files::OutgoingFiles;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::email::mailbox::source::maildir::{self, Folder};
use crate::services::email::message::mime_attachments::{Enclosure, MimeAttachments, files_of};
use crate::services::email::service::Email;
use brain_core::core::text::quoted;
use brain_core::limits::NAME_CHARS_MAX;

impl Email {
    /// The bytes of these files.
    pub(in crate::services::email) async fn enclosed_of(
        &self,
        ctx: &RequestContext,
        attached: &[OutgoingFiles],
    ) -> Result<Vec<MimeAttachments>, ServiceError> {
        if attached.is_empty() {
            return Ok(Vec::new());
        }
        let (files, maildir) = (self.files.clone(), self.mailboxes.maildir(&ctx.owner));
        let (owner, wanted) = (ctx.owner.clone(), attached.to_vec());
        let read = move || {
            let mut of_drafts: Option<Vec<MimeAttachments>> = None;
            let mut found = Vec::with_capacity(wanted.len());
            for one in &wanted {
                let kept = files.read(&owner, one.file.digest()).ok().flatten();
                let had = match kept {
                    Some(bytes) => Some(MimeAttachments::new(one.file.name(), &one.kind, bytes)),
                    None => {
                        let drafts = of_drafts.get_or_insert_with(|| files_of_drafts(&maildir));
                        drafts.iter().find(|draft| Enclosure::of(draft).digest() == one.file.digest()).cloned()
                    }
                };
                found.push(had.ok_or_else(|| gone(one))?);
            }
            Ok(found)
        };
        self.mailboxes.files(&ctx.owner, read).await
    }
}

fn gone(one: &OutgoingFiles) -> ServiceError {
    let name = quoted(one.file.name(), NAME_CHARS_MAX);
    ServiceError::Refused(format!("I don't have {name} any more, so nothing was sent. Please send me the file again."))
}

fn files_of_drafts(maildir: &maildir::Maildir) -> Vec<MimeAttachments> {
    let drafts = maildir.in_folder(Folder::Drafts).unwrap_or_default();
    let raws = drafts.iter().filter_map(|file| maildir::read(&maildir.path(file)).ok());
    raws.filter_map(|raw| files_of(&raw)).flatten().collect()
}
