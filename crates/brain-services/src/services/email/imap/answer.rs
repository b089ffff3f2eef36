//! What an answer says, as far as anything here asks for it (RFC 3501, 7; extensions where servers send them unasked).
//!
//! Invariants: nothing recurses; each byte is read once; what is nested deeper than any answer that is asked for, and
//! what nothing here ever asks for, is refused, not read. Leniency is for what servers do: a space too many, names and
//! flags that are none by the grammar, words that are no UTF-8.

use super::tokens::{ImapToken, ImapTokens, Nonsense, lossy, number};

#[cfg(test)]
mod tests;

/// What of a server's answers is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImapReading {
    /// Whatever a mailbox needs.
    All,
    /// That it is well or not, in one line.
    StatusAlone,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImapStatus {
    Ok,
    No,
    Bad,
    Bye,
    Preauth,
}

/// A number that a server gives along with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderCode {
    UidValidity(u32),
    UidNext(u32),
    HighestModSeq(u64),
}

/// A status, and what is said with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusReply {
    pub status: ImapStatus,
    pub code: Option<FolderCode>,
    /// For people.
    pub words: String,
}

/// A row of a list of folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListRow {
    /// Its attributes in small letters, each with its backslash.
    pub attributes: Vec<String>,
    pub delimiter: Option<char>,
    pub name: String,
}

/// What is told of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FetchRow {
    pub uid: u32,
    pub flags: Vec<String>,
    pub internal_date: String,
    /// Its beginning, or all of it.
    pub body: Option<Vec<u8>>,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImapAnswer {
    /// The rest of the command is wanted.
    Continue,
    /// The command of this tag ended.
    Done(String, StatusReply),
    Said(StatusReply),
    /// In capital letters.
    Capabilities(Vec<String>),
    List(ListRow),
    Search(Vec<u32>),
    /// Numbers of a folder, by their names in capital letters.
    FolderStatus(Vec<(String, u64)>),
    Exists(u32),
    Fetch(FetchRow),
    /// What a server tells of itself and is not asked for: that something changed.
    Other,
}

impl ImapAnswer {
    /// Reads a whole answer, its line end with it.
    pub fn parse(bytes: &[u8], reading: ImapReading) -> Result<Self, Nonsense> {
        let line = bytes.strip_suffix(b"\r\n").ok_or(Nonsense::Garbled)?;
        if line.starts_with(b"+") {
            return Ok(Self::Continue);
        }
        let Some(data) = line.strip_prefix(b"* ") else { return done(line) };
        let (word, rest) = first_word(data);
        match status(word) {
            Some(status) => Ok(Self::Said(said(status, rest))),
            None if reading == ImapReading::StatusAlone => Err(Nonsense::NotAsked),
            None => untagged(word, ImapTokens::of(rest)),
        }
    }
}

/// Whether a first line ends in words for people.
pub(super) fn is_free_text(line: &[u8]) -> bool {
    let Some(data) = line.strip_prefix(b"* ") else { return true };
    status(first_word(data.trim_ascii_end()).0).is_some()
}

fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    (&line[..end], &line[line.len().min(end + 1)..])
}

fn status(word: &[u8]) -> Option<ImapStatus> {
    let known: [(&[u8], ImapStatus); 5] = [
        (b"OK", ImapStatus::Ok),
        (b"NO", ImapStatus::No),
        (b"BAD", ImapStatus::Bad),
        (b"BYE", ImapStatus::Bye),
        (b"PREAUTH", ImapStatus::Preauth),
    ];
    known.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, status)| status)
}

fn done(line: &[u8]) -> Result<ImapAnswer, Nonsense> {
    let (tag, rest) = first_word(line);
    let (word, rest) = first_word(rest);
    let tag = std::str::from_utf8(tag).map_err(|_| Nonsense::Garbled)?;
    match status(word) {
        Some(status @ (ImapStatus::Ok | ImapStatus::No | ImapStatus::Bad)) if !tag.is_empty() => {
            Ok(ImapAnswer::Done(tag.to_owned(), said(status, rest)))
        }
        _ => Err(Nonsense::Garbled),
    }
}

fn said(status: ImapStatus, text: &[u8]) -> StatusReply {
    let text = text.trim_ascii_start();
    let inner = text.strip_prefix(b"[").and_then(|rest| Some(rest.split_at(rest.iter().position(|b| *b == b']')?)));
    let (code, words) = match inner {
        Some((code, words)) => (code_of(code), &words[1..]),
        None => (None, text),
    };
    StatusReply { status, code, words: lossy(words.trim_ascii()) }
}

fn code_of(inner: &[u8]) -> Option<FolderCode> {
    let (name, value) = first_word(inner);
    let small = || number(value);
    if name.eq_ignore_ascii_case(b"UIDVALIDITY") {
        small().map(FolderCode::UidValidity)
    } else if name.eq_ignore_ascii_case(b"UIDNEXT") {
        small().map(FolderCode::UidNext)
    } else if name.eq_ignore_ascii_case(b"HIGHESTMODSEQ") {
        number(value).map(FolderCode::HighestModSeq)
    } else {
        None
    }
}

fn untagged(word: &[u8], mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    if let Some(count) = number::<u32>(word) {
        return numbered(count, tokens);
    }
    match word.to_ascii_uppercase().as_slice() {
        b"CAPABILITY" => Ok(ImapAnswer::Capabilities(tokens.atoms(str::to_uppercase)?)),
        b"LIST" => list(tokens),
        b"SEARCH" => search(tokens),
        b"STATUS" => folder_status(tokens),
        b"FLAGS" | b"VANISHED" | b"ENABLED" => tokens.passed().map(|()| ImapAnswer::Other),
        _ => Err(Nonsense::NotAsked),
    }
}

fn numbered(count: u32, mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    let Some(ImapToken::Atom(word)) = tokens.next()? else { return Err(Nonsense::Garbled) };
    match word.to_ascii_uppercase().as_slice() {
        b"EXISTS" => tokens.passed().map(|()| ImapAnswer::Exists(count)),
        b"RECENT" | b"EXPUNGE" => tokens.passed().map(|()| ImapAnswer::Other),
        b"FETCH" => fetch(tokens),
        _ => Err(Nonsense::NotAsked),
    }
}

fn list(mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    let Some(ImapToken::Open) = tokens.next()? else { return Err(Nonsense::Garbled) };
    let attributes = tokens.list(str::to_lowercase)?;
    let delimiter = match tokens.next()? {
        Some(ImapToken::Text(text)) => lossy(&text).chars().next(),
        Some(ImapToken::Atom(_)) => None,
        _ => return Err(Nonsense::Garbled),
    };
    let Some(name) = tokens.next()?.and_then(ImapToken::text) else { return Err(Nonsense::Garbled) };
    tokens.passed()?;
    Ok(ImapAnswer::List(ListRow { attributes, delimiter, name: lossy(&name) }))
}

fn search(mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    let mut found = Vec::new();
    loop {
        match tokens.next()? {
            Some(ImapToken::Atom(digits)) => found.push(number(digits).ok_or(Nonsense::Garbled)?),
            // What it counts changes by may stand behind.
            Some(ImapToken::Open) => tokens.passed()?,
            None => return Ok(ImapAnswer::Search(found)),
            Some(ImapToken::Close | ImapToken::Text(_)) => return Err(Nonsense::Garbled),
        }
    }
}

fn folder_status(mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    let Some(_) = tokens.next()?.and_then(ImapToken::text) else { return Err(Nonsense::Garbled) };
    let Some(ImapToken::Open) = tokens.next()? else { return Err(Nonsense::Garbled) };
    let words = tokens.list(str::to_uppercase)?;
    tokens.passed()?;
    let pairs = words.chunks_exact(2);
    let numbers = pairs.filter_map(|pair| Some((pair[0].clone(), pair[1].parse().ok()?)));
    Ok(ImapAnswer::FolderStatus(numbers.collect()))
}

fn fetch(mut tokens: ImapTokens<'_>) -> Result<ImapAnswer, Nonsense> {
    let Some(ImapToken::Open) = tokens.next()? else { return Err(Nonsense::Garbled) };
    let mut row = FetchRow::default();
    loop {
        let name = match tokens.next()? {
            Some(ImapToken::Atom(name)) => name.to_ascii_uppercase(),
            Some(ImapToken::Close) => break,
            _ => return Err(Nonsense::Garbled),
        };
        match (name.as_slice(), tokens.next()?) {
            (b"UID", Some(ImapToken::Atom(digits))) => row.uid = number(digits).ok_or(Nonsense::Garbled)?,
            (b"FLAGS", Some(ImapToken::Open)) => row.flags = tokens.list(str::to_owned)?,
            (b"INTERNALDATE", Some(ImapToken::Text(text))) => row.internal_date = lossy(&text),
            (name, Some(ImapToken::Text(text))) if name.starts_with(b"BODY[]") => row.body = Some(text.into_owned()),
            // There is none.
            (name, Some(ImapToken::Atom(_))) if name.starts_with(b"BODY[]") => {}
            // The parts of a mail and its addresses: nobody here lets a server understand a mail.
            (name, _) if [&b"BODY"[..], b"ENVELOPE", b"RFC822", b"BINARY"].iter().any(|of| is_of(name, of)) => {
                return Err(Nonsense::NotAsked);
            }
            // What else there is to tell of a mail is passed over.
            (_, Some(ImapToken::Open)) => tokens.closed()?,
            (_, Some(ImapToken::Atom(_) | ImapToken::Text(_))) => {}
            (_, Some(ImapToken::Close) | None) => return Err(Nonsense::Garbled),
        }
    }
    tokens.passed()?;
    Ok(ImapAnswer::Fetch(row))
}

/// Whether a name is of a family that brings contents. `RFC822.SIZE` is a number.
fn is_of(name: &[u8], family: &[u8]) -> bool {
    name.starts_with(family) && name != b"RFC822.SIZE" && name != b"BINARY.SIZE"
}
