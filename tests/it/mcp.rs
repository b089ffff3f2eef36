//! Servers that bring tools (MCP), with the real program: from a message to a call, and what a server may do to it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::guarded::program_path;
use crate::support::program::{Console, Lines, Program, button, buttons_of, did, outcomes_of, text_of};

mod asking;
mod hostile;
mod many;
mod real;
mod same_way;
mod signing_in;

/// How long a server may take to start, on a machine that is busy.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A file that names servers, and a program that is started with it.
fn with_servers(folder: &Path, servers: Value) -> Program {
    let file = folder.join("servers.json");
    std::fs::write(&file, json!({ "mcpServers": servers }).to_string()).unwrap();
    Program::new().env("BRAIN_MCP_CONFIG", file.to_str().unwrap()).env("PATH", &std::env::var("PATH").unwrap())
}

/// Waits until help lists what a server brings.
fn listed(console: &mut Console, title: &str) -> String {
    listed_for(console, title, |console| console.say(&format!("/help {title}")))
}

/// The same for whoever asks so.
fn listed_for(console: &mut Console, title: &str, asks: impl Fn(&mut Console) -> Lines) -> String {
    let began = Instant::now();
    loop {
        let help = text_of(&asks(console));
        if help.contains(&format!("\n{title}\n• Use {title}: ")) {
            return help;
        }
        assert!(began.elapsed() < START_LIMIT, "no “{title}”: {}", console.stderr());
        std::thread::sleep(Duration::from_millis(200));
    }
}
