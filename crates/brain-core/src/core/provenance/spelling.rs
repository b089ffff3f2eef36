//! Normal form of a text, in which taint compares, whoever wrote it and however.
//!
//! - letters: compatibility forms unified (NFKC), lower case, nothing hidden, no punctuation around words;
//! - addresses: "eve AT evil DOT example", "eve(at)evil.example", `mailto:`, what stands behind a plus, punycode (IDNA);
//! - links: without scheme, `www.` and the last slash;
//! - long numbers: without the spaces, dashes and dots that they are grouped by.
//!
//! Invariant: a text of the person's own and one of somebody else's are spelled by the same function. What only looks
//! alike ([`Likeness::Near`]) makes nothing one's own; it can only make something suspicious.

mod alike;
#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization;

pub use self::alike::is_disguised;
use self::alike::{drawn_alike, is_one_slip};
use crate::core::text::is_hidden;

/// Words in a row that make a copied passage.
const RUN_WORDS: usize = 4;
/// A short value (a title, a name) counts as a whole from this many characters on.
const WHOLE_CHARS: usize = 4;
/// A word with so many digits is an account, a code, a year: worth a look alone.
const TELLING_DIGITS: usize = 4;
/// From so many digits on, groups of them are one number.
const NUMBER_DIGITS: usize = 8;
/// From so many digits on, a number that differs in one of them is no coincidence; dates are shorter.
const NEAR_DIGITS: usize = 10;

/// A text, spelled so that it can be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spelled {
    /// All of it, single spaces.
    words: String,
    /// The addresses in it, and what may be one, spelled out in words.
    addresses: Vec<String>,
    /// The hosts of its links and addresses.
    hosts: Vec<String>,
    /// Its long numbers.
    numbers: Vec<String>,
}

/// What of a value may have been taken from somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A mail address.
    Address(String),
    /// The host of a link.
    Host(String),
    /// A long number.
    Number(String),
    /// Words in a row, or one that is telling alone.
    Words(String),
}

/// How a piece is like something in a text, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// One slip away, or drawn alike.
    Near,
    /// Above or below it: `mail.evil.example` and `evil.example`.
    Related,
    /// It is the very same.
    Same,
}

impl Spelled {
    /// Spells a text.
    pub fn of(text: &str) -> Self {
        let words = numbers_joined(spelled_out(split(&plain(text))));
        let mut spelled = Self::default();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).filter(|_| at > 0 && word == "at").filter(|next| is_host(next));
            if let (Some(host), Some(local)) = (next, at.checked_sub(1).and_then(|before| words.get(before))) {
                spelled.addresses.push(format!("{local}@{host}"));
            }
            match word.split_once('@') {
                Some((_, host)) if is_address(word) => {
                    spelled.addresses.push(word.clone());
                    spelled.hosts.push(host.to_owned());
                }
                Some(_) | None => spelled.hosts.extend(host_of(word).map(str::to_owned)),
            }
            if is_number(word) {
                spelled.numbers.push(word.clone());
            }
        }
        spelled.words = words.join(" ");
        spelled
    }

    /// The pieces that matter: addresses, links and numbers, runs of words, the whole of it when it is short.
    pub fn pieces(&self) -> Vec<Piece> {
        let words: Vec<&str> = self.words.split(' ').filter(|word| !word.is_empty()).collect();
        let mut pieces: Vec<Piece> = words.iter().flat_map(|word| telling(word)).collect();
        match words.as_slice() {
            [_] if !pieces.is_empty() => {}
            short if short.len() < RUN_WORDS => {
                if self.words.chars().count() >= WHOLE_CHARS {
                    pieces.push(Piece::Words(self.words.clone()));
                }
            }
            long => pieces.extend(long.windows(RUN_WORDS).map(|run| Piece::Words(run.join(" ")))),
        }
        pieces
    }

    /// The addresses in it.
    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// How `piece` is like something in here.
    pub fn likeness(&self, piece: &Piece) -> Option<Likeness> {
        match piece {
            Piece::Address(address) => self.addresses.iter().filter_map(|other| like_address(address, other)).max(),
            Piece::Host(host) => self.hosts.iter().filter_map(|other| like_host(host, other)).max(),
            Piece::Number(number) => self.numbers.iter().filter_map(|other| like_number(number, other)).max(),
            Piece::Words(words) => contains_words(&self.words, words).then_some(Likeness::Same),
        }
    }
}

/// How an address is like another; both spelled.
pub(super) fn like_address(address: &str, other: &str) -> Option<Likeness> {
    if address == other {
        return Some(Likeness::Same);
    }
    let ((local, host), (other_local, other_host)) = (address.split_once('@')?, other.split_once('@')?);
    if local == other_local && like_host(host, other_host).is_some() {
        return Some(Likeness::Related);
    }
    (drawn_alike(address, other) || is_one_slip(address, other)).then_some(Likeness::Near)
}

fn like_host(host: &str, other: &str) -> Option<Likeness> {
    let below = |low: &str, high: &str| low.strip_suffix(high).is_some_and(|front| front.ends_with('.'));
    match (host == other, below(host, other) || below(other, host)) {
        (true, _) => Some(Likeness::Same),
        (false, true) => Some(Likeness::Related),
        (false, false) => None,
    }
}

fn like_number(number: &str, other: &str) -> Option<Likeness> {
    if other.contains(number) {
        return Some(Likeness::Same);
    }
    let long = number.len().min(other.len()) >= NEAR_DIGITS;
    (number.contains(other) || long && is_one_slip(number, other)).then_some(Likeness::Near)
}

fn telling(word: &str) -> Vec<Piece> {
    let digits = || word.chars().filter(char::is_ascii_digit).count();
    let words = || Piece::Words(word.to_owned());
    if is_address(word) {
        vec![Piece::Address(word.to_owned())]
    } else if is_number(word) {
        vec![Piece::Number(word.to_owned())]
    } else if let Some(host) = host_of(word) {
        let beyond = (host != word).then(words);
        std::iter::once(Piece::Host(host.to_owned())).chain(beyond).collect()
    } else if word.contains(['@', '/']) || digits() >= TELLING_DIGITS {
        vec![words()]
    } else {
        Vec::new()
    }
}

/// Compatibility forms unified, lower case, nothing hidden; bracketed "(at)" and "[dot]" as the signs they stand for.
fn plain(text: &str) -> String {
    let mut plain: String = if text.is_ascii() {
        text.chars().filter(|c| !is_hidden(*c)).map(|c| c.to_ascii_lowercase()).collect()
    } else {
        let seen = text.nfkc().filter(|c| !is_hidden(*c)).map(|c| if c == '。' { '.' } else { c });
        seen.flat_map(char::to_lowercase).collect()
    };
    let seen_open: Vec<char> = "([{<".chars().filter(|open| plain.contains(*open)).collect();
    for (word, sign) in [("at", "@"), ("dot", ".")] {
        let brackets = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];
        for (open, close) in brackets.into_iter().filter(|(open, _)| seen_open.contains(open)) {
            for space in ["", " "] {
                let spelled = format!("{open}{space}{word}{space}{close}");
                if plain.contains(&spelled) {
                    plain = plain.split(&spelled).map(str::trim).collect::<Vec<_>>().join(sign);
                }
            }
        }
    }
    plain
}

/// The words, each in its own spelling.
fn split(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "@.!#$%&'*+-=?^_`{|}~".contains(c);
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        // Addresses may stand close together.
        let is_list = word.contains('@') && !word.contains("://");
        let parts: Vec<&str> = if is_list { word.split(|c| !is_part(c)).collect() } else { vec![word] };
        let trimmed = parts.into_iter().map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
        words.extend(trimmed.filter(|part| !part.is_empty() && *part != "mailto").map(spelling));
    }
    words
}

fn spelling(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://")
        && scheme.chars().all(|c| c.is_ascii_alphanumeric())
    {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        return link(host, path);
    }
    if let Some((local, host)) = word.rsplit_once('@') {
        let bare = local.split('+').next().filter(|bare| !bare.is_empty()).unwrap_or(local);
        return format!("{bare}@{}", unicode(host));
    }
    let end = word.find(['/', '?', '#']).unwrap_or(word.len());
    let (host, path) = word.split_at(end);
    if is_host(without_port(host)) { link(host, path) } else { word.to_owned() }
}

fn link(host: &str, path: &str) -> String {
    let host = unicode(without_port(host));
    let host = host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(&host);
    format!("{host}{}", path.trim_end_matches('/'))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => host,
        Some(_) | None => host,
    }
}

/// A host as people read it, whichever way it was written.
fn unicode(host: &str) -> String {
    if host.is_ascii() && !host.contains("xn--") {
        return host.to_owned();
    }
    let (unicode, valid) = idna::domain_to_unicode(host);
    if valid.is_ok() { unicode } else { host.to_owned() }
}

/// Addresses and domains that are spelled out in words, as they would be typed.
fn spelled_out(words: Vec<String>) -> Vec<String> {
    let mut typed: Vec<String> = Vec::with_capacity(words.len());
    // Whether the last one was joined by a "dot".
    let mut dotted = false;
    let mut left = words.into_iter().peekable();
    while let Some(word) = left.next() {
        let joins = word == "dot" && !typed.is_empty() && left.peek().is_some_and(|next| is_label(next));
        match (joins, left.peek(), typed.last_mut()) {
            (true, Some(next), Some(last)) if is_label(last.rsplit('.').next().unwrap_or_default()) => {
                last.push('.');
                last.push_str(next);
                left.next();
                dotted = true;
            }
            _ => {
                close(&mut typed, dotted);
                typed.push(word);
                dotted = false;
            }
        }
    }
    close(&mut typed, dotted);
    typed
}

/// A host that was spelled out, with an "at" before it, ends an address.
fn close(typed: &mut Vec<String>, dotted: bool) {
    if let (true, [.., local, at, host]) = (dotted, typed.as_slice())
        && at == "at"
        && !local.contains(['@', '/'])
    {
        let address = spelling(&format!("{local}@{host}"));
        typed.truncate(typed.len() - 3);
        typed.push(address);
    }
}

/// Groups of digits that are one long number, put together; an IBAN begins with letters.
fn numbers_joined(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut group: Vec<String> = Vec::new();
    for word in words {
        if !goes_on(&group, &word) {
            end_number(&mut group, &mut joined);
        }
        if group.is_empty() && !begins_number(&word) {
            joined.push(word);
        } else {
            group.push(word);
        }
    }
    end_number(&mut group, &mut joined);
    joined
}

fn end_number(group: &mut Vec<String>, joined: &mut Vec<String>) {
    let number: String = group.concat().chars().filter(|c| c.is_alphanumeric()).collect();
    if is_number(&number) {
        joined.push(number);
        group.clear();
    }
    joined.append(group);
}

fn is_grouped(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || "-./()".contains(c))
}

/// Country and check digits.
fn is_iban_head(word: &str) -> bool {
    let bytes = word.as_bytes();
    let [a, b, c, d, rest @ ..] = bytes else { return false };
    let (letters, digits) = ([a, b].iter().all(|c| c.is_ascii_lowercase()), [c, d].iter().all(|c| c.is_ascii_digit()));
    letters && digits && rest.iter().all(|c| c.is_ascii_alphanumeric() || b"-.".contains(c))
}

fn begins_number(word: &str) -> bool {
    is_grouped(word) || is_iban_head(word)
}

fn goes_on(group: &[String], word: &str) -> bool {
    // A bank's letters stand right behind the head.
    let bank = word.len() == 4 && word.chars().all(|c| c.is_ascii_alphanumeric());
    is_grouped(word) || matches!(group, [head] if is_iban_head(head) && head.len() == 4 && bank)
}

fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let bare = word.chars().all(|c| c.is_ascii_digit()) || is_iban_head(word) && !word.contains(['-', '.']);
    bare && digits >= NUMBER_DIGITS
}

fn is_address(word: &str) -> bool {
    let is_domain = |host: &str| host.contains('.') && host.split('.').all(is_label);
    word.split_once('@').is_some_and(|(local, host)| !local.is_empty() && is_domain(host))
}

fn is_label(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

fn is_host(word: &str) -> bool {
    let Some((front, top)) = word.rsplit_once('.') else { return false };
    let top_fine = top.chars().count() >= 2 && (top.starts_with("xn--") || top.chars().all(char::is_alphabetic));
    top_fine && front.split('.').all(is_label)
}

/// The host that a link, or a bare name of one, begins with.
fn host_of(word: &str) -> Option<&str> {
    let host = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
    is_host(host).then_some(host)
}

fn contains_words(text: &str, piece: &str) -> bool {
    let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut from = 0;
    // Occurrences may overlap.
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(piece)) {
        let at = from + found;
        if free(text[..at].chars().next_back()) && free(text[at + piece.len()..].chars().next()) {
            return true;
        }
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}
