//! Writing mails: letters, answers, forwards and drafts, and what a card must say of them.

pub(in crate::services::email) mod amend;
pub(in crate::services::email) mod answering;
pub mod composing;
pub(in crate::services::email) mod create_draft;
pub mod drafts;
pub(in crate::services::email) mod file_bytes;
pub(in crate::services::email) mod forward_email;
pub(in crate::services) mod letter;
pub(in crate::services::email) mod outgoing;
pub(in crate::services::email) mod outgoing_files;
pub(in crate::services::email) mod prepare;
pub(in crate::services::email) mod reply;
pub(in crate::services::email) mod reply_all;
pub(in crate::services::email) mod reply_to_email;
pub(in crate::services::email) mod wording;
