//! Mail sources.

pub mod maildir;
pub mod moves;
pub mod watch;
