//! What several services need: finding an item by words, times and series, address books, and search.

pub mod address_book;
pub(in crate::services) mod components;
pub(in crate::services) mod described;
pub(in crate::services) mod finding;
pub(in crate::services) mod items;
pub(crate) mod offsets;
pub(in crate::services) mod preparing;
pub(crate) mod recurrence;
pub(in crate::services) mod reported;
pub mod search;
pub mod telling;
pub(in crate::services) mod texts;
pub(in crate::services) mod times;
