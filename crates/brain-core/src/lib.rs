//! What there is, pure, and what everything above stands on: records and ports, limits, prompts, files that are kept.

pub mod archive;
pub mod clock;
pub mod core;
pub mod failpoint;
pub mod kept_files;
pub mod limits;
pub mod ports;
pub mod prompts;
pub mod secret_files;
