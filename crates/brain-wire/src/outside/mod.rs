//! What the operator's files name outside of this program: programs of this machine, addresses elsewhere, and the
//! variables that stand in both.
//!
//! Invariants:
//! - a program ends with whoever started it, and so does what it has started itself, as far as it stays in its group; it
//!   gets none of this program's environment but what a program needs to run;
//! - what goes along with a request is shown nowhere, and follows no redirect;
//! - of whatever answers only so much is read;
//! - what a program complains of holds none of the secrets that it was given ([`KnownSecrets`]).
//!
//! Not here: what is asked, and what becomes of the answer ([`crate::mcp`], [`crate::custom_commands`]).

/// Where a program runs whose file names no folder: in none that has anything of ours, and none that we were started in.
pub const FOLDER_OF_PROGRAMS: &str = "/";

mod answer;
mod place;
mod program;
mod secrets;
mod variables;

pub use answer::{BodyEnd, CallError, ToolAnswer, beginning, causes, read_as_text};
pub use place::HttpPlace;
pub use program::{Program, ProgramCommand, StartedProgram, finished};
pub use secrets::KnownSecrets;
pub use variables::{Variables, expanded};
