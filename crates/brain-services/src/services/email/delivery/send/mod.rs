//! Outgoing mail.

pub mod smtp;
