//! One mail: its parts, its head and its links, what is read of it, and its conversation.

pub(in crate::services::email) mod head;
pub(in crate::services::email) mod links;
pub(in crate::services::email) mod mail;
pub(in crate::services::email) mod mime;
pub(in crate::services::email) mod mime_attachments;
pub mod read;
pub(in crate::services::email) mod summary;
pub mod thread;
pub mod written_name;
