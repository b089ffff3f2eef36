//! Secrets that somebody outside was given, and what hides them in words that come back from there.
//!
//! Invariants: no part of eight bytes or more of a secret is left, as it is, in percent-encoding, in hexadecimal figures,
//! or anywhere within base64 of something longer (a user and a password, say); one that is shorter is found whole. What is
//! no secret by its looks stays readable: a path that is there, a port, a word of three letters.

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};

use brain_core::limits;

/// What stands in place of a secret.
const HIDDEN: &str = "•••";
/// Of a secret so much is one.
const PART: usize = limits::SECRET_PART_BYTES;

/// See the module.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    parts: HashSet<[u8; PART]>,
    /// Shorter ones, in every form.
    short: Vec<Vec<u8>>,
}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSecrets").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// Those among values that a file gives: variables, headers, passwords, tokens.
    pub fn of<'s>(values: impl IntoIterator<Item = &'s SecretString>) -> Self {
        let mut known = Self::default();
        for value in values {
            let value = value.expose_secret();
            known.add(value);
            credentials_in(value).iter().for_each(|part| known.add(part));
        }
        known
    }

    fn add(&mut self, value: &str) {
        let value = value.trim();
        if !is_secret(value) {
            return;
        }
        for form in forms(value) {
            match form.len() {
                0..PART => self.short.push(form),
                _ => self.parts.extend(form.windows(PART).filter_map(|part| <[u8; PART]>::try_from(part).ok())),
            }
        }
    }

    /// The text with something else in place of them.
    pub fn masked(&self, text: &str) -> String {
        let bytes = text.as_bytes();
        let is_part = |at: usize| {
            bytes
                .get(at..at + PART)
                .and_then(|part| <[u8; PART]>::try_from(part).ok())
                .is_some_and(|part| self.parts.contains(&part))
        };
        let short = |at: usize| self.short.iter().filter(move |form| bytes[at..].starts_with(form)).map(Vec::len).max();
        let (mut masked, mut hidden) = (String::with_capacity(text.len()), 0);
        for (start, c) in text.char_indices() {
            // What is hidden may begin within a character, as bytes.
            for at in start..start + c.len_utf8() {
                let found = if is_part(at) { Some(PART) } else { short(at) };
                hidden = found.map_or(hidden, |length| hidden.max(at + length));
            }
            match (start < hidden, masked.ends_with(HIDDEN)) {
                (true, false) => masked.push_str(HIDDEN),
                (true, true) => {}
                (false, _) => masked.push(c),
            }
        }
        masked
    }
}

/// Whether hiding it hides a secret, and not what the words are about.
fn is_secret(value: &str) -> bool {
    let is_number = value.len() < 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = value.starts_with('/') && Path::new(value).exists();
    value.len() >= limits::SECRET_BYTES_MIN && !is_number && !is_place
}

/// Secrets within a value: behind the scheme of an `Authorization`, in base64 behind that, and in an address.
fn credentials_in(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((_, rest)) = value.trim().split_once(' ').filter(|(_, rest)| !rest.trim().contains(' ')) {
        found.push(rest.trim().to_owned());
        let decoded = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let password =
            decoded.as_deref().and_then(|pair| pair.split_once(':')).map(|(_, password)| password.to_owned());
        found.extend(password);
    }
    if let Some((user, _)) = value.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@')) {
        let password = user.split_once(':').map_or(user, |(_, password)| password);
        found.push(percent_decode_str(password).decode_utf8_lossy().into_owned());
        found.push(password.to_owned());
    }
    found
}

/// A secret as it may be written.
fn forms(value: &str) -> Vec<Vec<u8>> {
    let bytes = value.as_bytes();
    let encoded = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    let quoted = serde_json::to_string(value).unwrap_or_default();
    let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut forms = vec![
        bytes.to_vec(),
        lower_hex(&encoded).into_bytes(),
        quoted.trim_matches('"').as_bytes().to_vec(),
        hex.to_uppercase().into_bytes(),
        hex.into_bytes(),
        encoded.into_bytes(),
    ];
    for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
        // Within something longer it may begin at any of three places; what depends on its neighbours is left out.
        for before in 0..3 {
            let text = engine.encode([&[0; 2][..before], bytes].concat());
            let start = (before * 8).div_ceil(6);
            let end = (before + bytes.len()) * 8 / 6;
            forms.extend(text.as_bytes().get(start..end).map(<[u8]>::to_vec));
        }
    }
    forms.retain(|form| form.len() >= limits::SECRET_BYTES_MIN);
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// `%2F` as some write it, `%2f`.
fn lower_hex(encoded: &str) -> String {
    let mut figures = 0;
    let lower = |c: char| {
        let is_figure = figures > 0;
        figures = if c == '%' { 2_u8 } else { figures.saturating_sub(1) };
        if is_figure { c.to_ascii_lowercase() } else { c }
    };
    encoded.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[&str]) -> KnownSecrets {
        let values: Vec<SecretString> = values.iter().map(|value| SecretString::from(*value)).collect();
        KnownSecrets::of(&values)
    }

    #[test]
    fn a_secret_is_hidden_in_every_form_and_in_part() {
        let secret = "ghp_S3cret/+=Tok\"en~42";
        let known = known(&[secret]);
        let base64 = |text: &str| STANDARD.encode(text);
        let hex: String = secret.bytes().map(|byte| format!("{byte:02X}")).collect();
        for said in [
            secret.to_owned(),
            format!("bad token “{secret}”: expired"),
            format!("it begins with {}…", &secret[..9]),
            format!("…it ends with {}", &secret[secret.len() - 8..]),
            utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
            utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string().replace("%2F", "%2f").replace("%2B", "%2b"),
            base64(secret),
            base64(&format!("anna:{secret}")),
            base64(&format!("ann:{secret} and more")),
            base64(&format!("an:{secret}")),
            URL_SAFE_NO_PAD.encode(format!("anna:{secret}")),
            hex.to_lowercase(),
            hex,
            serde_json::to_string(secret).unwrap(),
        ] {
            let told = known.masked(&said);
            assert!(told.contains(HIDDEN), "{said}: {told}");
            let left = told.replace(HIDDEN, "\n");
            for part in left.lines().flat_map(|line| line.as_bytes().windows(PART)) {
                let part = std::str::from_utf8(part).unwrap_or_default();
                assert!(part.is_empty() || !secret.contains(part), "{said}: {told}");
            }
        }
        assert_eq!(known.masked("no such file: ä/ö “x”"), "no such file: ä/ö “x”");
        assert!(!format!("{known:?}").contains("ghp"));
    }

    #[test]
    fn a_scheme_and_a_user_stay_and_what_they_sign_in_with_does_not() {
        let known =
            known(&["Bearer geheim", &format!("Basic {}", STANDARD.encode("anna:pa55w")), "db://me:p%40ss@x/y"]);
        assert_eq!(known.masked("token geheim of anna is wrong"), "token ••• of anna is wrong");
        assert_eq!(known.masked("anna pa55w"), "anna •••");
        assert_eq!(known.masked("me p@ss, p%40ss"), "me •••, •••");
    }

    #[test]
    fn what_is_no_secret_by_its_looks_stays_readable() {
        let folder = std::env::temp_dir();
        let folder = folder.to_str().unwrap();
        let known = known(&[folder, "8080", "en", "", "1"]);
        let said = format!("1: cannot listen on 8080 for {folder}/x, en");
        assert_eq!(known.masked(&said), said);
    }
}
