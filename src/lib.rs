//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.

pub mod catalog;
pub mod core;
pub mod limits;
pub mod ports;
pub mod records;
pub mod services;
