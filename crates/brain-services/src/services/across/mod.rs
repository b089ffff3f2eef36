//! What reaches over all services: what a phrase, a condition or a report means for whichever it is about, and the
//! demo's data.

pub mod amendment;
pub mod completion;
pub mod condition;
pub mod demo;
pub mod filling;
pub mod probing;
