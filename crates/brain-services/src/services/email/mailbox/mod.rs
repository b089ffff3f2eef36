//! Everybody's mailboxes: kept as files, indexed, and changed mail by mail, for each account that they belong to.

pub mod accounts;
pub(in crate::services::email) mod archiving;
pub(in crate::services::email) mod arriving;
pub mod correspondents;
pub(in crate::services::email) mod delete_email;
pub mod elsewhere;
pub(in crate::services::email) mod filing;
pub(in crate::services::email) mod indexing;
pub(in crate::services::email) mod keeping;
pub mod mail_change;
pub mod mailboxes;
pub(in crate::services::email) mod mark;
pub mod older_mail;
pub(in crate::services::email) mod pool;
pub(in crate::services::email) mod slices;
pub mod source;
pub(in crate::services::email) mod suspects;
