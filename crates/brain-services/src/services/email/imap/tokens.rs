//! The pieces of an answer, one after the other: words, strings, brackets.
//!
//! Invariants: nothing recurses; how deep brackets stand is counted, and has an end.

use std::borrow::Cow;

use brain_core::limits::IMAP_DEPTH_MAX;

/// Why an answer is not read. The texts come after a server's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Nonsense {
    #[error("sent more than it was asked for")]
    TooLong,
    #[error("nested an answer deeper than any mailbox needs")]
    TooDeep,
    #[error("sent what nothing had asked for")]
    NotAsked,
    #[error("said what makes no sense")]
    Garbled,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImapToken<'a> {
    Open,
    Close,
    /// A word, a number, a flag, NIL.
    Atom(&'a [u8]),
    /// In quotation marks, or a literal.
    Text(Cow<'a, [u8]>),
}

impl<'a> ImapToken<'a> {
    /// A string in either way of writing.
    pub fn text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Atom(word) => Some(Cow::Borrowed(word)),
            Self::Text(text) => Some(text),
            Self::Open | Self::Close => None,
        }
    }
}

/// Those of an answer, one after the other.
#[derive(Debug)]
pub(super) struct ImapTokens<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> ImapTokens<'a> {
    pub fn of(rest: &'a [u8]) -> Self {
        Self { rest, depth: 0 }
    }

    pub fn next(&mut self) -> Result<Option<ImapToken<'a>>, Nonsense> {
        while let Some(rest) = self.rest.strip_prefix(b" ") {
            self.rest = rest;
        }
        let Some((first, rest)) = self.rest.split_first() else {
            return if self.depth == 0 { Ok(None) } else { Err(Nonsense::Garbled) };
        };
        let token = match first {
            b'(' => {
                self.depth += 1;
                self.rest = rest;
                if self.depth > IMAP_DEPTH_MAX {
                    return Err(Nonsense::TooDeep);
                }
                ImapToken::Open
            }
            b')' => {
                self.depth = self.depth.checked_sub(1).ok_or(Nonsense::Garbled)?;
                self.rest = rest;
                ImapToken::Close
            }
            b'"' => ImapToken::Text(self.quoted(rest)?),
            b'{' => ImapToken::Text(Cow::Borrowed(self.literal(rest)?)),
            _ => {
                let is_end = |byte: &u8| matches!(byte, b' ' | b'(' | b')' | b'\r' | b'\n');
                let (word, rest) = self.rest.split_at(self.rest.iter().position(is_end).unwrap_or(self.rest.len()));
                if word.is_empty() {
                    return Err(Nonsense::Garbled);
                }
                self.rest = rest;
                ImapToken::Atom(word)
            }
        };
        Ok(Some(token))
    }

    fn quoted(&mut self, after: &'a [u8]) -> Result<Cow<'a, [u8]>, Nonsense> {
        let mut own: Option<Vec<u8>> = None;
        let mut from = 0;
        loop {
            let special = after[from..].iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\r' | b'\n'));
            let at = from + special.ok_or(Nonsense::Garbled)?;
            let plain = &after[from..at];
            match (after[at], after.get(at + 1)) {
                (b'"', _) => {
                    self.rest = &after[at + 1..];
                    return Ok(match own {
                        Some(own) => Cow::Owned([own.as_slice(), plain].concat()),
                        None => Cow::Borrowed(plain),
                    });
                }
                (b'\\', Some(escaped)) if !matches!(escaped, b'\r' | b'\n') => {
                    let own = own.get_or_insert_default();
                    own.extend_from_slice(plain);
                    own.push(*escaped);
                    from = at + 2;
                }
                _ => return Err(Nonsense::Garbled),
            }
        }
    }

    fn literal(&mut self, after: &'a [u8]) -> Result<&'a [u8], Nonsense> {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length: usize = number(&after[..digits]).ok_or(Nonsense::Garbled)?;
        let bytes = after[digits..].strip_prefix(b"}\r\n").ok_or(Nonsense::Garbled)?;
        let (literal, rest) = bytes.split_at_checked(length).ok_or(Nonsense::Garbled)?;
        self.rest = rest;
        Ok(literal)
    }

    /// The words of a list that was opened, up to its end.
    pub fn list(&mut self, each: impl Fn(&str) -> String) -> Result<Vec<String>, Nonsense> {
        let mut words = Vec::new();
        loop {
            match self.next()? {
                Some(ImapToken::Close) => return Ok(words),
                Some(token) => words.push(each(&lossy(&token.text().ok_or(Nonsense::Garbled)?))),
                None => return Err(Nonsense::Garbled),
            }
        }
    }

    /// All words up to the end of the answer.
    pub fn atoms(mut self, each: impl Fn(&str) -> String) -> Result<Vec<String>, Nonsense> {
        let mut words = Vec::new();
        while let Some(token) = self.next()? {
            words.push(each(&lossy(&token.text().ok_or(Nonsense::Garbled)?)));
        }
        Ok(words)
    }

    /// Passes over a list that was opened.
    pub fn closed(&mut self) -> Result<(), Nonsense> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Passes over the rest of the answer.
    pub fn passed(&mut self) -> Result<(), Nonsense> {
        while self.next()?.is_some() {}
        Ok(())
    }
}

pub(super) fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
