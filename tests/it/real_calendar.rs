//! Calendars on real servers: what a person says becomes what other clients read there, and what others write there is
//! what the person is told.

mod alarms;
mod changes;
mod contacts;
mod meanwhile;
mod tasks;
mod unsteady;
pub mod world;
