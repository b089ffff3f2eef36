//! What an archive holds beside the binary, written into a folder:
//!
//! - `man/`: a page for `brain-agent` and one for each of its commands
//! - `completions/`: for bash, zsh and fish
//! - `THIRD-PARTY.txt`: the crates that are linked in, with their licences and notices
//!
//! ```text
//! cargo run --example release -- target/release-files
//! ```
//!
//! Here, and not in the program, so that the program stays small.

// The binary's own definitions. What it does with their values is not needed here.
#[allow(dead_code, reason = "the binary reads them")]
#[path = "../../src/bin/brain-agent/cli.rs"]
mod cli;
mod licences;
mod manual;
#[allow(dead_code, reason = "the binary reads them")]
#[path = "../../src/bin/brain-agent/setup/args.rs"]
mod setup_args;
/// What the definitions name of the binary that they are part of.
mod setup {
    pub(crate) use crate::setup_args::SetupArgs;
}

use std::path::PathBuf;
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| anyhow::anyhow!("Say into which folder: --example release -- FOLDER"))?;
    for part in ["man", "completions"] {
        fs::create_dir_all(folder.join(part))?;
    }
    manual::write_pages(&folder.join("man"))?;
    manual::write_completions(&folder.join("completions"))?;
    fs::write(folder.join("THIRD-PARTY.txt"), licences::notices(&licences::metadata()?)?)?;
    Ok(())
}
