//! Finding mails by words, by description and by conversation.

pub(in crate::services::email) mod find;
pub(in crate::services::email) mod marks;
pub(in crate::services::email) mod meant;
pub(in crate::services::email) mod older_search;
pub(in crate::services::email) mod one_mail;
pub(in crate::services::email) mod query;
pub(in crate::services::email) mod read_thread;
pub(in crate::services::email) mod search;
pub(in crate::services::email) mod searchable;
