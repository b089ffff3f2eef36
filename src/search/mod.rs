//! The search index over everything that people have, behind [`Index`](crate::ports::Index).

#![deny(missing_docs)]

pub mod plain;
