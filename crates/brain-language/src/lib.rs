//! What people say: times, yes and no, which service, and plans without a model. Pure.

pub mod language;
