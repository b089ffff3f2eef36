//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.

pub mod catalog;
pub mod config;
pub mod core;
pub mod failpoint;
pub mod limits;
pub mod pipeline;
pub mod ports;
pub mod prompts;
pub mod records;
pub mod store;
pub mod telegram;
pub mod understanding;
