//! Where mail is kept.

pub mod maildir;
pub mod watch;
