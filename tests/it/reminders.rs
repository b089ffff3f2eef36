//! Reminders as a promise: a virtual year with everything that goes wrong, and the promises one by one.

mod ahead;
mod beside;
mod blocked;
mod events;
mod meant;
mod oracle;
mod promises;
mod world;
mod year;
