//! The ports: what the pipeline needs from the world, in the domain's own words.
//!
//! Adapters (`store`, `services`, `llm`, the channels) implement them and never import each other.

#![deny(missing_docs)]

mod changes;
mod channel;
mod clock;
mod embedder;
mod file_error;
mod index;
pub mod metering;
mod model;
mod optimistic;
mod pool;
pub mod records;
mod schema;
pub mod secondary;
mod snapshot;
mod store;
mod store_error;
mod table;
mod transcriber;
mod typed;

pub use changes::{ChangeLog, ChangedRecords, Changes};
pub use channel::{Channel, SendError};
pub use clock::Clock;
pub use embedder::{EmbedError, Embedder, Embedding};
pub use file_error::{is_full, why_not};
pub use index::{
    BuildProgress, Candidates, Description, Document, Found, Hit, Index, IndexError, Needs, Participant, Query,
    Ranking, Source, Update, WordMatch,
};
pub use metering::Meter;
pub use model::{
    Call, Completion, Model, ModelError, ModelHost, Patience, Planning, Stage, TokenPrice, ToolCall, Usage, Wording,
};
pub use optimistic::optimistic;
pub use pool::CpuPool;
pub use schema::{AnswerSchema, in_order};
pub use secondary::Secondary;
pub use snapshot::{Reader, Snapshot};
pub use store::{Batch, Change, Expect, Key, Order, Record, Scan, Store, Stored, from_stored};
pub use store_error::StoreError;
pub use table::Table;
pub use transcriber::{Recording, TranscribeError, Transcriber};
pub use typed::{RecordExt, leave_out};
