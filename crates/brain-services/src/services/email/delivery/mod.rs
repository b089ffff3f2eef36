//! Sending mails: the connection to a mail server, and from which account.

pub mod send;
pub(in crate::services::email) mod send_email;
pub mod sending_from;
pub(in crate::services::email) mod socket;
