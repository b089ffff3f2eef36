//! Where mail is kept.

pub mod maildir;
