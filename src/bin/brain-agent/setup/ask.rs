//! Questions to whoever sits at the terminal.
//!
//! Invariants: a secret is typed without being shown; where standard input is no terminal nobody is asked, and the error
//! names the flag that would have answered.

use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::os::fd::AsFd as _;

use anyhow::{Context as _, bail};
use brain_agent::core::text::visible;
use brain_agent::limits::SECRET_BYTES_MAX;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;

/// One line, for the person.
pub(crate) fn say(text: &str) {
    let _ = writeln!(stdout(), "{}", visible(text));
}

fn prompt(text: &str) {
    let mut out = stdout();
    let _ = write!(out, "{} ", visible(text));
    let _ = out.flush();
}

/// Whether there is somebody to ask.
pub(crate) fn somebody_is_there() -> bool {
    stdin().is_terminal()
}

fn needs_somebody(flag: &str) -> anyhow::Result<()> {
    if somebody_is_there() {
        return Ok(());
    }
    bail!("standard input is no terminal, so nobody can be asked: give {flag}")
}

/// A line; an empty one is the default.
pub(crate) fn line(question: &str, flag: &str, default: Option<&str>) -> anyhow::Result<String> {
    needs_somebody(flag)?;
    loop {
        match default {
            Some(default) if !default.is_empty() => prompt(&format!("{question} [{default}]:")),
            Some(_) | None => prompt(&format!("{question}:")),
        }
        let answer = read_line()?.context("there was no answer, so nothing was changed")?;
        match (answer.trim(), default) {
            ("", Some(default)) => return Ok(default.to_owned()),
            ("", None) => {}
            (answer, _) => return Ok(answer.to_owned()),
        }
    }
}

/// Yes or no; an empty line is no.
pub(crate) fn yes(question: &str, flag: &str) -> anyhow::Result<bool> {
    let answer = line(&format!("{question} (y/n)"), flag, Some("n"))?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes" | "j" | "ja"))
}

/// The number of one of these.
pub(crate) fn choice(question: &str, options: &[String], flag: &str) -> anyhow::Result<usize> {
    needs_somebody(flag)?;
    say(question);
    for (index, option) in options.iter().enumerate() {
        say(&format!("  {}  {option}", index + 1));
    }
    loop {
        let answer = line("Number", flag, Some("1"))?;
        match answer.parse::<usize>() {
            Ok(number) if (1..=options.len()).contains(&number) => return Ok(number - 1),
            _ => say(&format!("A number from 1 to {}, please.", options.len())),
        }
    }
}

/// A secret that nobody sees. An empty one is none.
pub(crate) fn secret(question: &str, flag: &str) -> anyhow::Result<Option<SecretString>> {
    needs_somebody(flag)?;
    // Hidden first: whoever pastes is faster than the next line.
    let hidden = Hidden::begin()?;
    prompt(&format!("{question} (it is not shown):"));
    let typed = typed_secret();
    drop(hidden);
    say("");
    let typed = typed?;
    Ok((!typed.is_empty()).then(|| typed.into()))
}

/// The next line of standard input, for a flag that says so.
pub(crate) fn secret_of_input(flag: &str) -> anyhow::Result<SecretString> {
    let line = read_line()?.unwrap_or_default();
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() {
        bail!("{flag} was given, and standard input has no line more");
    }
    Ok(line.to_owned().into())
}

/// Reads no byte more than the line has, so that the next one is there for the next question.
pub(crate) fn read_line() -> anyhow::Result<Option<String>> {
    let mut bytes = Vec::new();
    while let Some(byte) = read_byte()? {
        if byte == b'\n' {
            return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
        }
        if bytes.len() >= SECRET_BYTES_MAX {
            bail!("a line of the input is too long");
        }
        bytes.push(byte);
    }
    Ok((!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

fn read_byte() -> anyhow::Result<Option<u8>> {
    let mut byte = [0_u8];
    loop {
        match rustix::io::read(stdin().as_fd(), &mut byte) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(Some(byte[0])),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("standard input cannot be read"),
        }
    }
}

/// Keys that mean something while a line is typed that the terminal does not edit.
fn typed_secret() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    loop {
        match read_byte()? {
            None | Some(b'\r' | b'\n') => break,
            Some(0x03) => bail!("stopped; nothing was changed"),
            Some(0x04) if bytes.is_empty() => bail!("there was no answer, so nothing was changed"),
            Some(0x08 | 0x7f) => {
                // A character may have several bytes.
                while bytes.pop().is_some_and(|byte: u8| byte & 0xc0 == 0x80) {}
            }
            Some(0x15) => bytes.clear(),
            Some(_) if bytes.len() >= SECRET_BYTES_MAX => bail!("that is too long for a secret"),
            Some(byte) => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).context("that is no text in UTF-8")
}

/// While it lives, the terminal shows nothing of what is typed, and Ctrl-C is a key like any other: who stops here
/// leaves a terminal that shows again what is typed.
struct Hidden(Termios);

impl Hidden {
    fn begin() -> anyhow::Result<Self> {
        let before = tcgetattr(stdin().as_fd()).context("the terminal cannot hide what is typed")?;
        let mut hidden = before.clone();
        hidden.local_modes &= !(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin().as_fd(), OptionalActions::Now, &hidden).context("the terminal cannot hide what is typed")?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = tcsetattr(stdin().as_fd(), OptionalActions::Now, &self.0);
    }
}
