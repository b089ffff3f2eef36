//! How each version of vCard writes words, parameters and lines.

use brain_core::core::text::without_hidden;
use brain_wire::ical::{folded, text_value};

/// Characters of a line of quoted-printable (RFC 2045 §6.7).
const QUOTED_LINE_CHARS: usize = 75;

/// Which vCard it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CardVersion {
    /// 2.1: bare parameters, quoted-printable, folds between words only.
    V2,
    /// RFC 2426.
    V3,
    /// RFC 6350.
    V4,
}

impl CardVersion {
    /// By the value of VERSION; a card without one is written as most are.
    pub fn of(version: &str) -> Self {
        match version {
            "2.1" | "2.0" | "1.0" => Self::V2,
            "4.0" => Self::V4,
            _ => Self::V3,
        }
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// One text.
    Single,
    /// One of several, between commas.
    Listed,
    /// A component, between semicolons.
    Component,
}

/// Words on one line, as the reader of cards gives them back.
pub(super) fn plain(words: &str) -> String {
    let words = without_hidden(words);
    let parts = words.split(|c: char| c.is_control() || c.is_whitespace()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ").trim_end_matches('\\').to_owned()
}

/// The head and the value that say these words, in the way of this line and this version.
pub(super) fn encoded(head: &str, words: &[String], form: ValueForm, version: CardVersion) -> (String, String) {
    let joined = |one: &dyn Fn(&String) -> String| {
        let between = if form == ValueForm::Component { ";" } else { "," };
        words.iter().map(one).collect::<Vec<_>>().join(between)
    };
    let was_quoted = is_quoted_printable(head);
    let is_utf8 = param(head, "CHARSET").is_none_or(|charset| charset.to_ascii_lowercase().replace('-', "") == "utf8");
    if version != CardVersion::V2 {
        let head = if was_quoted || !is_utf8 { without_encoding(head) } else { head.to_owned() };
        return (head, joined(&|words| text_value(words)));
    }
    let is_raw_utf8 = is_utf8 && param(head, "CHARSET").is_some();
    let is_quoted = was_quoted || words.iter().any(|words| needs_quotes(words, is_raw_utf8));
    let head = match (is_quoted, was_quoted && is_raw_utf8) {
        (true, true) => head.to_owned(),
        (true, false) => with_param(&with_param(&without_encoding(head), "CHARSET=UTF-8"), "ENCODING=QUOTED-PRINTABLE"),
        (false, _) if is_utf8 => head.to_owned(),
        (false, _) => without_encoding(head),
    };
    let one = |words: &String| {
        // What parts values is escaped, and by hand: some decode a whole value before they part it.
        let parted = match form {
            ValueForm::Single => "",
            ValueForm::Listed => ",",
            ValueForm::Component => ";",
        };
        words.chars().fold(String::with_capacity(words.len()), |mut out, c| {
            match c {
                c if parted.contains(c) => out.extend(['\\', c]),
                c if is_quoted => out.push_str(&quoted(c)),
                c => out.push(c),
            }
            out
        })
    };
    (head, joined(&one))
}

fn needs_quotes(words: &str, is_raw_utf8: bool) -> bool {
    words.contains('\\') || !(is_raw_utf8 || words.is_ascii())
}

fn quoted(c: char) -> String {
    match c {
        '=' | '\\' => format!("={:02X}", u32::from(c)),
        ' '..='~' => c.to_string(),
        _ => c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("={byte:02X}")).collect::<Vec<_>>().concat(),
    }
}

/// A line with its line breaks, folded as its version and its encoding allow.
pub(super) fn on_lines(head: &str, value: &str, version: CardVersion, line_break: &str) -> String {
    let line: String = format!("{head}{value}").chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    match (is_quoted_printable(head), version) {
        (true, _) => soft_broken(&line, head.chars().count(), line_break),
        // A fold of version 2.1 is a blank of the text.
        (false, CardVersion::V2) => line + line_break,
        (false, CardVersion::V3 | CardVersion::V4) => folded(&line, line_break),
    }
}

fn soft_broken(line: &str, head_chars: usize, line_break: &str) -> String {
    let (mut out, mut length) = (String::with_capacity(line.len() + 8), 0);
    let chars: Vec<char> = line.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        // The bytes of a character, `=C3=B6`, stay together: some decode each line alone. So does what a backslash escapes.
        let room = match (c, chars.get(at + 1)) {
            ('=', Some('C' | 'D')) => 6,
            ('=', Some('E')) => 9,
            ('=', Some('F')) => 12,
            ('=', _) => 3,
            ('\\', _) => 2,
            _ => 1,
        };
        let follows = *c == '=' && matches!(chars.get(at + 1), Some('8' | '9' | 'A' | 'B'));
        let is_inside = follows || at > 0 && chars[at - 1] == '\\' || chars[at.saturating_sub(2)..at].contains(&'=');
        if at >= head_chars && length + room > QUOTED_LINE_CHARS && !is_inside {
            out.push('=');
            out.push_str(line_break);
            length = 0;
        }
        out.push(*c);
        length += 1;
    }
    out + line_break
}

/// The parameters of a head, as they are written.
pub(super) fn params(head: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = head.strip_suffix(':').unwrap_or(head).split(move |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    parts.skip(1).collect()
}

/// The value of a parameter, without quotes.
pub(super) fn param<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    params(head).into_iter().find_map(|param| {
        let (key, value) = param.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

/// The head with these parameters instead of its own.
pub(super) fn with_params(head: &str, params: &[String]) -> String {
    let name = head.split([';', ':']).next().unwrap_or_default();
    let parts: Vec<&str> = std::iter::once(name).chain(params.iter().map(String::as_str)).collect();
    parts.join(";") + ":"
}

/// The head with one more parameter.
pub(super) fn with_param(head: &str, param: &str) -> String {
    format!("{};{param}:", head.strip_suffix(':').unwrap_or(head))
}

/// The head without the parameters that `is_out` names; it is asked for the name in small letters.
pub(super) fn without_params(head: &str, is_out: impl Fn(&str) -> bool) -> String {
    let name = |param: &str| param.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kept: Vec<String> = params(head).into_iter().filter(|param| !is_out(&name(param))).map(str::to_owned).collect();
    with_params(head, &kept)
}

fn without_encoding(head: &str) -> String {
    without_params(head, |name| ["encoding", "charset", "quoted-printable", "base64", "8bit", "7bit"].contains(&name))
}

/// Whether the value is quoted-printable; version 2.1 may leave out the parameter's name.
pub(super) fn is_quoted_printable(head: &str) -> bool {
    let says = |param: &str| match param.split_once('=') {
        Some((name, value)) => {
            name.trim().eq_ignore_ascii_case("ENCODING") && value.trim().eq_ignore_ascii_case("QUOTED-PRINTABLE")
        }
        None => param.trim().eq_ignore_ascii_case("QUOTED-PRINTABLE"),
    };
    params(head).into_iter().any(says)
}
