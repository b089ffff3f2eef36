//! What others speak: accounts and how one signs in, calendars and address books over the wire and in their texts,
//! servers that bring tools, services that a file describes, and the programs and addresses that files name.

pub mod accounts;
pub mod custom_commands;
pub mod dav;
pub mod ical;
pub mod mcp;
pub mod outside;
