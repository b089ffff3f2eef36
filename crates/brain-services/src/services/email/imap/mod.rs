//! Mailboxes elsewhere (IMAP, RFC 3501 and 9051 as far as both agree), of which the Maildir is the replica.
//!
//! In reading order: where ([`place`]), whole answers
//! ([`framing`]) and what they say ([`tokens`], [`answer`]), a conversation ([`connection`], [`sign_in`]), the
//! folders ([`folders`]), what is fetched ([`fetch`]) and becomes of it ([`name`], [`maildir_writer`], [`rows`], [`state`]), a pass over an
//! account ([`sync`], [`download`], [`all_mail`]), when that is done ([`sync_worker`]), what is older ([`older`]); the other way
//! round: which mail is meant ([`finding`]) and what
//! becomes of it there ([`changing`]).
//!
//! Invariants:
//! - the server understands nothing for us: it gives numbers, flags, times and bytes, and we read the bytes;
//! - nothing is changed there but the mail that is, byte for byte at its beginning, the one that was meant;
//! - what an account may have done is told as such, and never tried again by itself.

mod all_mail;
mod answer;
mod changing;
mod connection;
mod download;
mod fetch;
mod finding;
mod folders;
mod framing;
pub mod mailbox;
mod maildir_writer;
pub mod name;
mod older;
pub mod place;
pub(in crate::services) mod rows;
mod sign_in;
mod state;
mod sync;
pub mod sync_worker;
mod tokens;
