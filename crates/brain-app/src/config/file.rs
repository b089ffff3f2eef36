//! The `.env` file as keys and values.
//!
//! Invariants: a file that somebody else could have written is not read, as it says where secrets go; nor does it take
//! anything of the environment into its values, which could go to an address of its choice; an error names the line's
//! number, and its key if there is such a key; a value that ends too early leaves its rest there.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use dotenvy::Error;
use rustix::process::geteuid;

use super::keys::is_known;
use brain_core::limits::{SETTINGS_FILE_BYTES_MAX, SETTINGS_MAX, SETTINGS_PROBLEMS_MAX};
use brain_core::secret_files::{Exposure, exposure};

/// What stands in quotes needs no more care.
const QUOTES: &str = "a value with spaces, quotes, # or $ stands in single quotes";

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct SettingsFile {
    /// Keys and values, in order.
    pub(super) values: Vec<(String, String)>,
    /// What its owner should mend.
    pub(super) warnings: Vec<String>,
}

/// What is there, or what is wrong with each line that cannot be read; without a file there is nothing.
pub(super) fn read(path: &Path) -> Result<SettingsFile, Vec<String>> {
    let unreadable = |cause: io::Error| vec![format!(".env cannot be read: {cause}")];
    // Before it is opened: a pipe without a writer would be waited for.
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(vec![".env is no ordinary file".to_owned()]);
    }
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(SettingsFile::default()),
        Err(cause) => return Err(unreadable(cause)),
    };
    let about = file.metadata().map_err(unreadable)?;
    let warnings = trusted(about.uid(), geteuid().as_raw(), about.mode()).map_err(|why| vec![why.to_owned()])?;
    let mut bytes = Vec::new();
    file.take(SETTINGS_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > SETTINGS_FILE_BYTES_MAX {
        return Err(vec![format!(".env has more than {SETTINGS_FILE_BYTES_MAX} bytes")]);
    }
    let text = String::from_utf8(bytes).map_err(|_| vec![".env is no text in UTF-8".to_owned()])?;
    Ok(SettingsFile { values: parse(&text)?, warnings })
}

/// Whether a file of this owner and mode may say where secrets go, and what to warn about.
fn trusted(owner: u32, me: u32, mode: u32) -> Result<Vec<String>, &'static str> {
    match exposure(owner, me, mode) {
        Some(Exposure::Foreign) => {
            Err(".env belongs to somebody else, so it is not read: it could send your keys anywhere. Make it yours \
                    (chown), or start me in another folder")
        }
        Some(Exposure::Writable) => {
            Err("others may write .env, so it is not read: it could send your keys anywhere. Run: chmod 600 .env")
        }
        Some(Exposure::Readable) => {
            Ok(vec!["others may read .env, and what is secret in it. Run: chmod 600 .env".to_owned()])
        }
        None => Ok(Vec::new()),
    }
}

/// The line of the first `$` that would stand for another value: neither behind a `\`, nor in single quotes, nor in a
/// note. What reads the file would look it up in the environment, and a value of a value can grow without end.
fn substitutes(text: &str) -> Option<usize> {
    let (mut quote, mut before, mut is_note, mut line) = (None, '\n', false, 1);
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            ('\n', _) => {
                line += 1;
                is_note = false;
            }
            _ if is_note => {}
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            (_, Some('\'')) => {}
            ('\\', _) => {
                let escaped = signs.next();
                line += usize::from(escaped == Some('\n'));
            }
            ('\'' | '"', None) => quote = Some(sign),
            ('#', None) => is_note = matches!(before, ' ' | '\t' | '\n'),
            ('$', _) => return Some(line),
            _ => {}
        }
        before = sign;
    }
    None
}

fn parse(text: &str) -> Result<Vec<(String, String)>, Vec<String>> {
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    if let Some(line) = substitutes(text) {
        let known = text.lines().nth(line - 1).and_then(key_of).filter(|key| is_known(key));
        let of = known.map_or_else(String::new, |key| format!(" of {key}"));
        return Err(vec![format!(
            ".env, line {line}: a $ in the value{of} would stand for another value, and nothing does here; {QUOTES}"
        )]);
    }
    for line in dotenvy::from_read_iter(text.as_bytes()) {
        if values.len() == SETTINGS_MAX {
            return Err(vec![format!(".env has more than {SETTINGS_MAX} settings")]);
        }
        // Each is looked for in all of the text.
        if problems.len() == SETTINGS_PROBLEMS_MAX {
            problems.push(".env has more lines that cannot be read".to_owned());
            break;
        }
        match line {
            Ok((key, value)) if looks_like_a_key(&key) => values.push((key, value)),
            Ok((key, _)) => {
                let place = place(text, |line| key_of(line) == Some(&key));
                problems.push(format!("{place}: what stands before the = is the name of no setting; {QUOTES}"));
            }
            Err(Error::LineParse(bad, _)) => {
                // All of the line, or its value alone.
                let first = bad.lines().next().unwrap_or_default().trim();
                let is_it = |line: &str| line.trim().ends_with(first) && !line.trim().is_empty();
                let place = place(text, is_it);
                let known = text.lines().find(|line| is_it(line)).and_then(key_of).filter(|key| is_known(key));
                problems.push(match known {
                    Some(key) => format!("{place}: the value of {key} cannot be read; {QUOTES}: {key}='…'"),
                    None => format!("{place} is not KEY=VALUE; {QUOTES}"),
                });
            }
            Err(_) => problems.push(".env cannot be read".to_owned()),
        }
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

/// `.env, line 3`.
fn place(text: &str, is_it: impl Fn(&str) -> bool) -> String {
    match text.lines().position(is_it) {
        Some(index) => format!(".env, line {}", index + 1),
        None => ".env".to_owned(),
    }
}

fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    Some(key.strip_prefix("export ").map_or(key, str::trim))
}

/// Only such a word is repeated when there is no such key.
fn looks_like_a_key(key: &str) -> bool {
    let fine = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    key.len() <= 40 && key.starts_with(|c: char| c.is_ascii_uppercase()) && key.bytes().all(fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_told_by_number_and_key_and_by_nothing_else_of_it() {
        for (text, expected) in [
            ("LLM_MODEL=x\nLLM_API_KEY=sk-geheim more geheim\n", ".env, line 2: the value of LLM_API_KEY"),
            ("SMTP_URL=smtps://me:geh'eim@host\n", ".env, line 1: the value of SMTP_URL"),
            ("BRAIN_ADMIN_TOKEN=\"geheim\ngeheim=\n", ".env, line 1: the value of BRAIN_ADMIN_TOKEN"),
            ("\nLLM_API_KEY=abc\ngeheim=xyz\n", ".env, line 3: what stands before the ="),
            ("geheim of mine\n", ".env, line 1 is not KEY=VALUE"),
            ("geheim=x y\n", ".env, line 1 is not KEY=VALUE"),
            ("LLM_MODEL=geheim more\nLLM_API_KEY=x\n", ".env, line 1: the value of LLM_MODEL"),
        ] {
            let problems = parse(text).unwrap_err().join("\n");
            assert!(problems.starts_with(expected), "{text:?}: {problems}");
            assert!(!problems.contains("geh") && !problems.contains("eim"), "{text:?}: {problems}");
        }
    }

    #[test]
    fn a_value_takes_nothing_of_the_environment_or_of_other_values() {
        for (text, expected) in [
            ("LLM_BASE_URL=https://evil.example/${HOME}\n", ".env, line 1: a $ in the value of LLM_BASE_URL"),
            ("# $HOME is fine\n\nLLM_MODEL=\"a $HOME\"\n", ".env, line 3: a $ in the value of LLM_MODEL"),
            ("LLM_MODEL='a'$HOME\n", ".env, line 1"),
            ("LLM_MODEL=\\ #$HOME\n", ".env, line 1"),
            ("LLM_MODEL='it''s' # $HOME\nA=\\'$HOME'\n", ".env, line 2"),
        ] {
            let problems = parse(text).unwrap_err().join("\n");
            assert!(problems.starts_with(expected) && problems.contains("single quotes"), "{text:?}: {problems}");
        }
        let kept = parse("A='$HOME ${HOME}' # $HOME\nB=\"\\$HOME\"\n# it's $HOME\nC='x\n$HOME'\n").unwrap();
        let kept: Vec<&str> = kept.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(kept, ["$HOME ${HOME}", "$HOME", "x\n$HOME"]);
    }

    #[test]
    fn fuzzed_settings_are_read_or_refused_and_hold_nothing_of_the_environment() {
        let seeds = [
            "# a note\n\nexport LLM_MODEL=small\nLLM_API_KEY='a b=c#d$e'\nSMTP_URL=\n",
            "A=\"x \\\" y\\n\" # note\nB='it is\nlonger'\nC=\\ d\n",
        ];
        let tokens =
            ["'", "\"", "\\", "$", "${PATH}", "$PATH", "=", "\n", "#", " ", "export ", "{", "}", "\u{feff}", "\r"];
        let path = std::env::var("PATH").unwrap();
        brain_testing::fuzzing::fuzz("settings", &seeds, &tokens, move |bytes| {
            let Ok(text) = std::str::from_utf8(bytes) else { return };
            for (_, value) in parse(text).unwrap_or_default() {
                assert!(!value.contains(&path), "{text:?}");
                assert!(value.len() <= text.len(), "{text:?}");
            }
        });
    }

    #[test]
    fn a_file_of_somebody_else_or_that_others_may_write_is_not_read() {
        for (owner, mode, expected) in [
            (1_000, 0o100_600, Ok(0)),
            (1_000, 0o100_400, Ok(0)),
            (0, 0o100_600, Ok(0)),
            (1_000, 0o100_640, Ok(1)),
            (1_000, 0o100_604, Ok(1)),
            (1_000, 0o100_620, Err("others may write")),
            (1_000, 0o100_666, Err("others may write")),
            (1_001, 0o100_600, Err("belongs to somebody else")),
        ] {
            let got = trusted(owner, 1_000, mode);
            match expected {
                Ok(warnings) => assert_eq!(got.map(|w| w.len()), Ok(warnings), "{owner} {mode:o}"),
                Err(why) => assert!(got.unwrap_err().contains(why), "{owner} {mode:o}"),
            }
        }
    }

    #[test]
    fn what_is_written_with_care_is_read() {
        let read = parse("# a note\n\nexport LLM_MODEL=small\nLLM_API_KEY='a b=c#d$e'\nSMTP_URL=\n").unwrap();
        let read: Vec<(&str, &str)> = read.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(read, [("LLM_MODEL", "small"), ("LLM_API_KEY", "a b=c#d$e"), ("SMTP_URL", "")]);
    }
}
