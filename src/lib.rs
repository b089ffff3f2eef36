//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.
//!
//! ```text
//! update ─► inbox (durable, de-duplicated) ─► queue of that chat
//!    │
//!    ├─ answers a pending action? (no model) ──────────────► decide ─► execute ─► receipt
//!    │
//!    ├─ guard ∥ route ∥ context            three at once; context is speculative and read-only
//!    │     blocked ─────► refuse politely
//!    │     chat ────────► respond                      (context cancelled, early exit)
//!    │     action ──────► plan
//!    │                     unclear ─► one clarifying question, remembered
//!    │                     gate, action by action:
//!    │                        run now        ─► execute ─► reflect ─► respond
//!    │                        needs consent  ─► store pending ─► confirmation card
//!    │                        forbidden      ─► say so
//!    └─► outbox (durable) ─► Telegram or the console
//! ```
//!
//! In reading order:
//! 1. [`core`]: what there is, pure. Start with [`core::plan`], [`core::pending`], [`core::stakes`].
//! 2. [`catalog`]: every command as one type; stakes, cards and receipts come from it.
//! 3. [`ports`] and [`records`]: what the pipeline needs from the world, and what is stored.
//! 4. [`pipeline`]: one turn, top to bottom. [`understanding`]: the same without a model.
//! 5. Adapters: [`store`], [`services`], [`llm`]. [`scheduler`]: what falls due.
//! 6. Channels: [`telegram`], [`console`], [`control`], [`admin`]; put together in [`app`]; the
//!    command line is the binary's, in `src/bin`.
//!
//! `core` imports nothing of ours but [`limits`]; the pipeline knows ports, not adapters; adapters never
//! import each other. A test fails on a forbidden edge.

pub mod admin;
pub mod app;
pub mod channel;
pub mod clock;
pub mod config;
pub mod core;
pub mod eval;
pub mod failpoint;
pub mod language;
pub mod limits;
pub mod llm;
pub mod pipeline;
pub mod ports;
pub mod prompts;
pub mod scheduler;
pub mod services;
pub mod store;
