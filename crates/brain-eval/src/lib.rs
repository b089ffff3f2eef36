//! How well it understands: evaluations over files of rows.

pub mod eval;
