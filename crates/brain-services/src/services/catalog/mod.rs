//! The services of the moment: how one is registered, and how their actions stand on a card.

pub mod cards;
pub(in crate::services) mod registration;
pub mod registry;
