//! Reading a file of examples, line by line.
//!
//! Empty lines and comments (`# …`) are passed over. In the two-column files the message is escaped: `\n`, `\t`
//! and `\u{HEX}`; any other backslash stands for itself.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{EvalError, Sample};
use brain_core::limits::EVAL_FILE_BYTES_MAX;

/// An example, and where it stands.
#[derive(Debug)]
pub(super) struct EvalLine<R> {
    /// 1-based.
    pub(super) number: usize,
    pub(super) row: R,
}

/// Reads all of a file, also where only a sample is wanted: a line that cannot be read is an error wherever it is.
pub(super) fn read<R>(
    file: &Path,
    sample: Option<Sample>,
    parse: fn(&str) -> Result<R, String>,
) -> Result<Vec<EvalLine<R>>, EvalError> {
    let name = || file.display().to_string();
    let text = text_of(file).map_err(|why| EvalError::File { file: name(), why })?;
    let mut rows = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if is_passed_over(line) {
            continue;
        }
        let number = index + 1;
        let row = parse(line).map_err(|why| EvalError::EvalLine { file: name(), line: number, why })?;
        rows.push((line, EvalLine { number, row }));
    }
    if rows.is_empty() {
        return Err(EvalError::File { file: name(), why: "it holds no examples".to_owned() });
    }
    let rows = match sample {
        Some(sample) => sample.of(rows, |(line, _)| line),
        None => rows,
    };
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn text_of(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(|cause| cause.to_string())?;
    opened.take(EVAL_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|cause| cause.to_string())?;
    if bytes.len() as u64 > EVAL_FILE_BYTES_MAX {
        return Err(format!("it is larger than {} MiB", EVAL_FILE_BYTES_MAX >> 20));
    }
    String::from_utf8(bytes).map_err(|cause| {
        let line = cause.as_bytes()[..cause.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("line {} is not UTF-8", line + 1)
    })
}

/// A message may begin with `#` itself: then it has its tab, and no space after the sign.
fn is_passed_over(line: &str) -> bool {
    let is_comment = line.starts_with("# ") || (line.starts_with('#') && !line.contains('\t'));
    line.trim().is_empty() || is_comment
}

/// The message and its label.
pub(super) fn columns(line: &str) -> Result<(String, &str), String> {
    let (text, label) = line.split_once('\t').ok_or("there must be a tab between message and answer")?;
    if label.contains('\t') {
        return Err("there is more than one tab; a tab inside the message is written \\t".to_owned());
    }
    Ok((unescaped(text)?, label.trim()))
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = after;
        if let Some(after) = after.strip_prefix('n') {
            out.push('\n');
            rest = after;
        } else if let Some(after) = after.strip_prefix('t') {
            out.push('\t');
            rest = after;
        } else if let Some(after) = after.strip_prefix("u{") {
            let (hex, after) = after.split_once('}').ok_or("\\u{ has no closing brace")?;
            let character = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
            out.push(character.ok_or_else(|| format!("\\u{{{hex}}} is no character"))?);
            rest = after;
        } else {
            out.push('\\');
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// A line of JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|cause| {
        let said = cause.to_string();
        let what = said.split(" at line ").next().unwrap_or_default();
        format!("{what} (column {})", cause.column())
    })
}

/// A time zone by its name; UTC where there is none.
pub(super) fn zone(name: Option<&str>) -> Result<chrono_tz::Tz, String> {
    let name = name.unwrap_or("UTC");
    name.parse().map_err(|_| format!("“{name}” is no time zone such as Europe/Berlin"))
}

/// An instant with its offset.
pub(super) fn instant(text: &str) -> Result<chrono::DateTime<chrono::Utc>, String> {
    let instant = chrono::DateTime::parse_from_rfc3339(text);
    instant.map(|at| at.to_utc()).map_err(|_| format!("“{text}” is no instant such as 2026-01-11T09:00:00+01:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_the_characters_they_stand_for() {
        assert_eq!(columns("a\\nb\\tc\\u{200b}d\\e\tyes"), Ok(("a\nb\tc\u{200b}d\\e".to_owned(), "yes")));
        assert_eq!(columns("\tother"), Ok((String::new(), "other")));
        for bad in ["yes", "a\tb\tc", "\\u{zz}\tyes", "\\u{41\tyes", "\\u{d800}\tyes"] {
            assert!(columns(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn comments_and_empty_lines_are_passed_over_but_messages_are_not() {
        for line in ["", "  ", "\t ", "# a\tcomment", "#comment", "#"] {
            assert!(is_passed_over(line), "{line:?}");
        }
        for line in ["#yes\tother", " \tother", "yes"] {
            assert!(!is_passed_over(line), "{line:?}");
        }
    }
}
