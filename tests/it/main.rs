#[path = "../support/mod.rs"]
mod support;
mod support_selftest;
