//! Where people are and what falls due without them, put together: the composition root and all around it.

pub mod admin;
pub mod app;
pub mod backup;
pub mod channel;
pub mod config;
pub mod doctor;
pub mod scheduler;
#[cfg(feature = "otel")]
pub mod telemetry;
pub mod upkeep;
