//! Where tasks, events, mails, notes, memories and contacts live: one file or folder a service.

pub mod contacts;
pub mod email;
