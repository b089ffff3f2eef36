//! Mail sources.

mod archived;
pub mod delivery;
pub mod maildir;
pub mod moves;
pub mod watch;
