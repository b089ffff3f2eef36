//! Adapters behind the ports: the model endpoint, the search index, the store.

pub mod llm;
pub mod search;
pub mod store;
