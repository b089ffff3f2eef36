//! The ports: what the pipeline needs from the world, in the domain's own words.
//!
//! Adapters (`store`, `services`, `llm`, the faces) implement them and never import each other.

mod chat;
mod clock;
mod model;
mod service;
mod store;
mod transcriber;
mod typed;

pub use chat::{Chat, SendError};
pub use clock::Clock;
pub use model::{Call, Completion, Model, ModelError, Stage, Usage};
pub use service::{
    AddressBook, AgendaItem, AgendaKind, Attempt, Candidate, FallenDue, Known, Noticed, Performed, Person, Prepared,
    Rezoned, Scene, Service, ServiceError, Wanted,
};
pub use store::{Batch, Change, Expect, Key, Order, Record, Scan, Store, StoreError, Stored, Table, from_stored};
pub use transcriber::{Recording, TranscribeError, Transcriber};
pub use typed::RecordExt;
