//! What may answer a message before it is routed.

pub mod agenda;
pub mod buttons;
pub mod commands;
pub mod debounce;
pub mod offers;
pub mod settings;
