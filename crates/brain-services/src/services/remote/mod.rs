//! Records that live on a server: what a backend does, the replica of it that is kept here, and CalDAV and CardDAV.

pub mod backend;
pub mod dav;
pub mod replica;
