//! What a service is: its commands, what it is asked with, and what it can be beside.
//!
//! Stands below everything else here and knows no service. Not here: the list of those that there are
//! ([`crate::services::catalog`]).

pub mod addressee;
pub mod agenda;
pub mod archived;
pub mod capabilities;
pub mod circumstance;
pub mod command;
pub mod context;
pub mod entry;
pub mod error;
pub(in crate::services) mod following;
pub mod holder;
pub(in crate::services) mod lenient_params;
pub(in crate::services) mod pages;
pub(in crate::services) mod param_error;
pub mod provenance;
pub mod rows;
pub mod schema;
pub mod searchable;
pub mod service;
pub mod show;
pub(in crate::services) mod type_erasure;
