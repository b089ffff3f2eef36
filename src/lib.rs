//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.
//!
//! An update becomes durable in an inbox, waits in the queue of its chat, is one turn of the pipeline (the picture is in
//! [`pipeline`]), and its answer leaves through a durable outbox to Telegram or the console.
//!
//! In reading order:
//! 1. [`core`]: what there is, pure. Start with [`core::plan`], [`core::pending`], [`core::stakes`].
//! 2. [`language`]: times, yes and no, which service, and plans without a model; pure as well.
//! 3. [`ports`]: what the pipeline needs from the world, and what is stored.
//! 4. [`accounts`]: who has which elsewhere, and how one signs in; [`dav`] and [`ical`]: what calendars and address books
//!    speak, over the wire and in their texts; [`mcp`]: servers that bring tools; [`declared`]: services that a file
//!    describes; [`outside`], below both: programs and addresses that files name. [`services`]: a folder each; stakes,
//!    cards and receipts of every command come from there.
//! 5. [`pipeline`]: one turn, top to bottom; what it goes by is [`pipeline::turn::TurnFacts`]. [`scheduler`]: what
//!    falls due without one. [`upkeep`]: what is done when nobody waits, so that nothing grows for
//!    ever. [`queries`], below them: what there is to see, as data; [`archive`]: the file that a person takes it away in.
//! 6. [`config`], and [`secret_files`] below it and the accounts. Adapters: [`store`], [`search`], [`llm`]. Where people
//!    are: [`channel`], [`admin`]. Put together in [`app`]; [`doctor`] looks at all of it; the command line is the
//!    binary's, in `src/bin`.
//!
//! `core` imports nothing of ours but [`limits`]; the pipeline knows ports and the registry, not adapters; adapters
//! never import each other. A test fails on a forbidden edge.

pub mod accounts;
pub mod admin;
pub mod app;
pub mod archive;
pub mod channel;
pub mod clock;
pub mod config;
pub mod core;
pub mod dav;
pub mod declared;
pub mod doctor;
pub mod eval;
pub mod failpoint;
pub mod ical;
pub mod investigate;
pub mod kept_files;
pub mod language;
pub mod limits;
pub mod llm;
pub mod mcp;
pub mod outside;
pub mod pipeline;
pub mod ports;
pub mod prompts;
pub mod queries;
pub mod scheduler;
pub mod search;
pub mod secret_files;
pub mod services;
pub mod store;
#[cfg(test)]
mod testing;
pub mod upkeep;
