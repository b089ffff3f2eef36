//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.

pub mod admin;
pub mod app;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod console;
pub mod control;
pub mod core;
pub mod failpoint;
pub mod limits;
pub mod llm;
pub mod pipeline;
pub mod ports;
pub mod prompts;
pub mod records;
pub mod scheduler;
pub mod services;
pub mod store;
pub mod telegram;
pub mod understanding;
