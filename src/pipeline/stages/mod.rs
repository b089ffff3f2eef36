//! The stages of a routed turn, one file each: guard, route, context, plan, gate, execute, reflect, respond; and what
//! leads from one to the next.

pub(crate) mod act;
pub(crate) mod answers;
pub(crate) mod ask;
mod build_params;
mod built_in;
mod called;
pub(crate) mod chat;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod doubts;
pub(crate) mod gate;
pub(crate) mod grounding;
pub(crate) mod guard;
mod held;
pub(crate) mod honest;
pub mod investigate;
mod known;
pub(crate) mod later;
pub(crate) mod order;
mod own_rules;
mod phrasing;
pub(crate) mod plan;
pub(crate) mod progressing;
pub(crate) mod reflect;
pub(crate) mod resolve;
pub mod respond;
pub(crate) mod rounds;
pub(crate) mod route;
pub(crate) mod select;
pub(crate) mod speak;
pub(crate) mod times;
pub(crate) mod undecided;
mod without_model;
