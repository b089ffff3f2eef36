//! Access given in a browser: the page is named or opened, and the answer comes by itself or is pasted.

use std::process::Stdio;

use anyhow::{Context as _, anyhow};
use brain_agent::accounts::oauth::{Authorization, GrantError, GrantedCode};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::{Child, Command};

use super::ask::{read_line, say, somebody_is_there};

/// Waits for a yes at `host`. `browser`: the command that opens the page.
pub(crate) async fn granted_code(
    attempt: &Authorization,
    host: &str,
    browser: Option<&str>,
) -> anyhow::Result<GrantedCode> {
    say("Open this page in a browser, and give access:");
    say(attempt.url().as_str());
    say(
        "A browser on this machine brings the answer by itself. From another one, copy the address that it ends at (it says \
         that it cannot be reached) and paste it here.",
    );
    let _opened = browser.map(|command| opened(command, attempt)).transpose()?;
    tokio::select! {
        answered = attempt.answered() => answered.map_err(|why: GrantError| anyhow!("{host} {why}; nothing was changed")),
        pasted = pasted(attempt) => pasted,
    }
}

/// No shell reads the command.
fn opened(command: &str, attempt: &Authorization) -> anyhow::Result<Child> {
    let mut words = command.split_whitespace();
    let program = words.next().context("--browser names no command")?;
    let mut command = Command::new(program);
    command.args(words).arg(attempt.url().as_str());
    let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.with_context(|| format!("--browser: {program} cannot be started"))
}

/// The address that somebody pastes. Where nobody is there it never comes.
async fn pasted(attempt: &Authorization) -> anyhow::Result<GrantedCode> {
    if !somebody_is_there() {
        return std::future::pending().await;
    }
    #[allow(deprecated, reason = "its successor is unsafe; standard input stays open as long as the process lives")]
    let input = AsyncFd::with_interest(std::io::stdin(), Interest::READABLE).context("the terminal cannot be read")?;
    loop {
        // A terminal is readable once a line is whole, so that reading it does not wait.
        let mut ready = input.readable().await.context("the terminal cannot be read")?;
        let pasted = read_line()?.context("there was no answer, so nothing was changed")?;
        ready.clear_ready();
        if pasted.trim().is_empty() {
            continue;
        }
        match attempt.pasted(&pasted) {
            Ok(code) => return Ok(code),
            Err(why) => say(&format!("No: {why}.")),
        }
    }
}
