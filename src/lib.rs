//! Brain Agent: a personal assistant that asks before it does anything that cannot be taken back.
//!
//! ```text
//! update ─► inbox (durable, de-duplicated) ─► queue of that chat
//!    │
//!    ├─ intake: the first of these that has an answer gives it
//!    │     resumed     begun in an earlier life: told from its journal, never done twice
//!    │     press       a button; the record that it names decides
//!    │     forward     passed on without a word: offered, not obeyed
//!    │     command     /today, /undo, …
//!    │     decision    yes or no to an open card ──────────► decide ─► execute ─► receipt
//!    │     amendment   "yes, but at 4pm": the card changes
//!    │     setting     "my time zone is Lisbon"
//!    │     told        "always cc Tom", "my NAS is a fnOS now": kept, and gone by
//!    │     snooze      until when, for the reminder whose button asked
//!    │     reminder    "done", right after one was told
//!    │     page        "more", right below a list
//!    │     findings    "only from Anna", "reply to 3", of what an investigation found
//!    │     salient     "answer the first one", "write her", of what was shown or said last
//!    │     record      "did you send it?"
//!    │     known       "what day is it?", "I'm Mara": answered by code alone
//!    │     excess      more at once than can be read: to be said in parts
//!    │     reply       the answer to a question of ours
//!    │     report      "bins are out": what is open and was meant is done
//!    │     undecided   said below a card and decides nothing: the card is shown again
//!    │
//!    ├─ guard ∥ route ∥ context            three at once; context is speculative and read-only
//!    │     blocked ─────► refuse politely
//!    │     chat ────────► respond                      (context cancelled, early exit)
//!    │     investigate ─► graph of evidence ─► run ─► answer with its sources
//!    │     action ──────► plan
//!    │                     unclear ─► one clarifying question, remembered
//!    │                     grounded: what nobody said is left out, proposed or asked
//!    │                     gate, action by action:
//!    │                        run now        ─► execute ─► reflect ─► respond
//!    │                        needs consent  ─► store pending ─► confirmation card
//!    │                        forbidden      ─► say so
//!    └─► outbox (durable) ─► Telegram or the console
//! ```
//!
//! In reading order:
//! 1. [`core`]: what there is, pure. Start with [`core::plan`], [`core::pending`], [`core::stakes`].
//! 2. [`language`]: times, yes and no, which service, and plans without a model; pure as well.
//! 3. [`ports`]: what the pipeline needs from the world, and what is stored.
//! 4. [`services`]: a folder each; stakes, cards and receipts of every command come from there.
//! 5. [`pipeline`]: one turn, top to bottom; what it goes by is [`pipeline::turn::TurnFacts`]. [`scheduler`]: what
//!    falls due without one. [`upkeep`]: what is done when nobody waits, so that nothing grows for
//!    ever. [`queries`], below them: what there is to see, as data.
//! 6. Adapters: [`store`], [`search`], [`llm`]. Where people are: [`channel`], [`admin`]. Put together in [`app`]; the
//!    command line is the binary's, in `src/bin`.
//!
//! `core` imports nothing of ours but [`limits`]; the pipeline knows ports and the registry, not adapters; adapters
//! never import each other. A test fails on a forbidden edge.

pub mod admin;
pub mod app;
pub mod channel;
pub mod clock;
pub mod config;
pub mod core;
pub mod eval;
pub mod failpoint;
pub mod investigate;
pub mod language;
pub mod limits;
pub mod llm;
pub mod pipeline;
pub mod ports;
pub mod prompts;
pub mod queries;
pub mod scheduler;
pub mod search;
pub mod services;
pub mod store;
#[cfg(test)]
mod testing;
pub mod upkeep;
