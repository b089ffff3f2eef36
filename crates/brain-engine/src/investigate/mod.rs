//! Investigations: a question over everything a person has becomes a graph that is complete before it runs.
//!
//! ```text
//! question ─► a template's phrases, or decompose (a model) ─► graph, checked ─► [costly? ask]
//!      ─► run: every node the moment its inputs are there, within limits, partial results with their gaps
//!      ─► synthesize: from summaries only ─► answer, numbered sources, findings kept for the next turn
//! ```
//!
//! With a model, in reading order: `question` (from its words to what was found), `asker` (how a model is asked),
//! `decompose`, `known` (what code finds meanwhile), `estimate`, `refine` and `model_worker` (what a model adds to what
//! strategies found),
//! `synthesize_by_model` and `citations`, `metrics`. Each falls back to what code does without one. `cache` is what a
//! question that is asked again need not do a second time.
//!
//! Invariants: strategies read and never write; a graph is typed and bounded before any of it runs; what is found is
//! data of others, and nothing found becomes an action without a new turn of the person's. Deliberately not here: the
//! turn (`pipeline::stages::investigate`), and what services hold (each gives its things by
//! [`Searchable`](brain_services::services::contract::searchable::Searchable)).

pub mod asker;
pub mod cache;
pub mod citations;
pub mod decompose;
pub mod estimate;
pub mod features;
pub mod finding;
pub mod graph;
pub mod known;
pub mod ledger;
pub mod metrics;
pub mod model_worker;
pub mod node;
pub mod question;
pub mod refine;
pub mod run;
pub mod strategies;
pub mod synthesize;
pub mod synthesize_by_model;
pub mod templates;
pub mod worker;
