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
//!    speak, over the wire and in their texts; [`mcp`]: servers that bring tools; [`custom_commands`]: services that a file
//!    describes; [`outside`], below both: programs and addresses that files name. [`services`]: a folder each; stakes,
//!    cards and receipts of every command come from there.
//! 5. [`pipeline`]: one turn, top to bottom; what it goes by is [`pipeline::turn::TurnFacts`]. [`scheduler`]: what
//!    falls due without one. [`upkeep`]: what is done when nobody waits, so that nothing grows for
//!    ever. [`shadow`]: turns taken a second time, with nothing done. [`queries`], below them: what there is to see, as data; [`archive`]: the file that a person takes it away in.
//! 6. [`config`], and [`secret_files`] below it and the accounts. Adapters: [`store`], [`search`], [`llm`]. Where people
//!    are: [`channel`], [`admin`]; [`backup`]: the data folder in one file. Put together in [`app`]; [`doctor`] looks at all of it; the command line is the
//!    binary's, in `src/bin`.
//!
//! Each of these is in one of the crates below `crates/`, which know only those under them: `brain-core`, then
//! `brain-language` and `brain-wire`, `brain-adapters` and `brain-services` side by side, `brain-engine`, `brain-app`,
//! `brain-eval`. Here they are under one roof, for the binary and the tests. Inside a crate a test holds the rest: `core`
//! imports nothing of ours but [`limits`]; adapters never import each other.

pub use brain_adapters::{llm, search, store};
#[cfg(feature = "otel")]
pub use brain_app::telemetry;
pub use brain_app::{admin, app, backup, channel, config, doctor, scheduler, upkeep};
pub use brain_core::{archive, clock, core, failpoint, kept_files, limits, ports, prompts, secret_files};
pub use brain_engine::{investigate, metering, pipeline, queries, shadow};
pub use brain_eval::eval;
pub use brain_language::language;
pub use brain_services::services;
pub use brain_wire::{accounts, custom_commands, dav, ical, mcp, outside};
