//! The domain core: no I/O, no clock, no randomness, no async. `now` and ids are arguments.
//!
//! In reading order: what comes in and goes out ([`turn`], [`button`], [`attachment`]), what is meant ([`plan`], [`tasks`]), how much is at stake
//! ([`stakes`]), what waits for a yes ([`pending`], [`digest`]) or an answer ([`question`]), how it is shown ([`card`], [`text`], [`markup`]), how
//! it is done and told ([`graph`], [`run`], [`progress`], [`outcome`], [`history`], [`metrics`]), what a model sees of
//! it ([`sight`]), what reminds
//! ([`notification`]), what is left alone while it fails ([`breaker`]), what people are called ([`people`]) and what each
//! chose ([`settings`]).

#![deny(missing_docs)]

pub mod attachment;
pub mod breaker;
pub mod button;
pub mod card;
pub mod digest;
pub mod forgotten;
pub mod graph;
pub mod history;
pub mod ids;
pub mod markup;
pub mod metrics;
pub mod notification;
pub mod outcome;
pub mod pending;
pub mod people;
pub mod plan;
pub mod progress;
pub mod provenance;
pub mod question;
pub mod run;
pub mod settings;
pub mod sight;
pub mod span;
pub mod stakes;
pub mod tasks;
pub mod text;
pub mod turn;
