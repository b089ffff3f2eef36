//! Where mail is kept.

pub mod maildir;
pub mod moves;
pub mod watch;
