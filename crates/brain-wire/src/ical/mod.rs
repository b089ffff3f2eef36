//! iCalendar and vCard as text: content lines (RFC 5545 §3.1, RFC 6350 §3.2), where each stands, and changes of single
//! lines.
//!
//! A resource of somebody's calendar holds more than we understand. So nothing is ever written anew from what was read
//! of it: what changes is cut out of the text line by line, and every other byte stays ([`Patch`]). What a line means is
//! read by `calcard`; where it stands is found here.
//!
//! Invariants: no input makes this fail otherwise than with [`Malformed`]; work and depth are bounded (`limits`); the
//! lines of a text keep the line break that it has. Not here: what an event, a task or a contact is.

mod blocks;
mod patch;
mod times;
mod zones;

pub use blocks::{Block, ContentLine, Malformed, blocks};
pub use patch::{Patch, folded, text_value};
pub use times::{IcalTime, duration_of, times_of};
pub use zones::{TextZone, Zones};
