//! What a server says, cut into whole answers before anything reads them.
//!
//! Invariants: each byte is looked at once, however small the pieces are in which it comes; nothing is kept beyond what
//! the command under way may bring, in all, in its lines and in each literal, and a literal that is announced as longer
//! is not waited for; what was refused once stays refused, as nobody knows where the next answer begins. Deliberately
//! not here: what an answer means, which is [`super::answer`].

use super::answer::{ImapReading, is_free_text};
use super::tokens::Nonsense;
use brain_core::limits::{
    IMAP_ANSWER_BYTES_MAX, IMAP_CLEAR_BYTES_MAX, IMAP_LINE_BYTES_MAX, IMAP_NAME_BYTES_MAX, IMAP_NUMBERS_BYTES_MAX,
};

/// How much may come of a command, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerBounds {
    /// In all.
    pub all: usize,
    /// Of one answer, without its literals.
    pub line: usize,
    /// Of a literal.
    pub literal: usize,
    pub reading: ImapReading,
}

impl AnswerBounds {
    /// Of a server that nobody has proven to be the one: a status in a line.
    pub const IN_THE_CLEAR: Self =
        Self { all: IMAP_CLEAR_BYTES_MAX, line: IMAP_CLEAR_BYTES_MAX, literal: 0, reading: ImapReading::StatusAlone };
    /// An answer that is small. A folder may be called by a literal.
    pub const SMALL: Self = Self {
        all: IMAP_ANSWER_BYTES_MAX,
        line: IMAP_LINE_BYTES_MAX,
        literal: IMAP_NAME_BYTES_MAX,
        reading: ImapReading::All,
    };
    /// Numbers, which come in one line.
    pub const NUMBERS: Self = Self { all: IMAP_NUMBERS_BYTES_MAX, line: IMAP_NUMBERS_BYTES_MAX, ..Self::SMALL };

    /// Small answers, of which many come.
    pub fn of_many(all: usize) -> Self {
        Self { all, ..Self::SMALL }
    }

    /// Mails: so many, and so long each.
    pub fn of_mails(count: usize, each: usize) -> Self {
        let all = count * (each + IMAP_NAME_BYTES_MAX) + IMAP_ANSWER_BYTES_MAX;
        Self { all, literal: each.max(IMAP_NAME_BYTES_MAX), ..Self::SMALL }
    }
}

/// Cuts.
#[derive(Debug)]
pub(super) struct Framing {
    /// What has come and is not handed on yet: one answer, and the beginning of another.
    bytes: Vec<u8>,
    /// As far as its lines and literals are known; may lie behind what has come, in a literal.
    known: usize,
    /// As far as no line end was found.
    searched: usize,
    /// Bytes of the answer under way that are in no literal.
    line: usize,
    /// Its first line is words for people, in which nothing else means anything.
    is_free_text: bool,
    bounds: AnswerBounds,
    /// Bytes that may still come.
    left: usize,
    refused: Option<Nonsense>,
}

impl Framing {
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            known: 0,
            searched: 0,
            line: 0,
            is_free_text: false,
            bounds: AnswerBounds::IN_THE_CLEAR,
            left: 0,
            refused: None,
        }
    }

    /// What may come from now on.
    pub fn allow(&mut self, bounds: AnswerBounds) {
        self.bounds = bounds;
        self.left = bounds.all;
    }

    pub fn reading(&self) -> ImapReading {
        self.bounds.reading
    }

    /// Whether something has come that was not handed on.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.refused.is_none()
    }

    /// Takes what came.
    pub fn push(&mut self, bytes: &[u8]) {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => {
                self.left = left;
                self.bytes.extend_from_slice(bytes);
            }
            None => drop(self.refuse(Nonsense::TooLong)),
        }
    }

    /// The next whole answer, where it has come.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Nonsense> {
        if let Some(why) = self.refused {
            return Err(why);
        }
        match self.cut() {
            Ok(Some(end)) => {
                let rest = self.bytes.split_off(end);
                let answer = std::mem::replace(&mut self.bytes, rest);
                (self.known, self.searched, self.line) = (0, 0, 0);
                Ok(Some(answer))
            }
            Ok(None) => Ok(None),
            Err(why) => Err(self.refuse(why)),
        }
    }

    /// Nothing is read any more; what is held is let go.
    pub fn refuse(&mut self, why: Nonsense) -> Nonsense {
        self.bytes = Vec::new();
        *self.refused.get_or_insert(why)
    }

    /// Where the answer under way ends.
    fn cut(&mut self) -> Result<Option<usize>, Nonsense> {
        while self.known <= self.bytes.len() {
            let from = self.searched.max(self.known);
            let Some(at) = self.bytes[from..].iter().position(|byte| *byte == b'\n') else {
                self.searched = self.bytes.len();
                let has_room = self.line + (self.bytes.len() - self.known) <= self.bounds.line;
                return if has_room { Ok(None) } else { Err(Nonsense::TooLong) };
            };
            let end = from + at + 1;
            let line = &self.bytes[self.known..end];
            if self.line == 0 {
                self.is_free_text = is_free_text(line);
            }
            self.line += line.len();
            if self.line > self.bounds.line {
                return Err(Nonsense::TooLong);
            }
            let Some(line) = line.strip_suffix(b"\r\n") else { return Err(Nonsense::Garbled) };
            let announced = if self.is_free_text { None } else { literal(line) };
            let Some(announced) = announced else { return Ok(Some(end)) };
            let may_come = self.left + (self.bytes.len() - end);
            if announced > self.bounds.literal || announced > may_come {
                return Err(Nonsense::TooLong);
            }
            self.known = end + announced;
        }
        Ok(None)
    }
}

/// How long the literal is that a line announces at its end; beyond all bounds where the number is.
fn literal(line: &[u8]) -> Option<usize> {
    let inner = line.strip_suffix(b"}")?;
    let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, digits) = inner.split_at(inner.len() - digits);
    if digits.is_empty() || before.last() != Some(&b'{') {
        return None;
    }
    Some(std::str::from_utf8(digits).ok()?.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers in these bytes, that come in pieces of so many, and why no more of them are read.
    fn cut(bytes: &[u8], piece: usize, bounds: AnswerBounds) -> (Vec<String>, Option<Nonsense>) {
        let mut framing = Framing::new();
        framing.allow(bounds);
        let mut answers = Vec::new();
        for piece in bytes.chunks(piece) {
            framing.push(piece);
            loop {
                match framing.next() {
                    Ok(Some(answer)) => answers.push(String::from_utf8_lossy(&answer).into_owned()),
                    Ok(None) => break,
                    Err(why) => return (answers, Some(why)),
                }
            }
        }
        (answers, None)
    }

    #[test]
    fn answers_are_cut_at_their_ends_in_whatever_pieces_they_come() {
        let mail = "* 1 FETCH (UID 7 BODY[]<0> {11}\r\nA: b\r\n\r\n(\"{ FLAGS ())\r\n";
        let said = format!("* OK hello {{5}}\r\n{mail}B1 OK done ((\r\n+ go on\r\n* LIST () NIL \"x");
        for piece in [1, 2, 3, 7, 1_000] {
            let (answers, why) = cut(said.as_bytes(), piece, AnswerBounds::SMALL);
            assert_eq!(answers, ["* OK hello {5}\r\n", mail, "B1 OK done ((\r\n", "+ go on\r\n"], "{piece}");
            assert_eq!(why, None);
        }
    }

    #[test]
    fn what_is_longer_than_what_was_asked_for_is_refused_before_it_is_held() {
        let small = AnswerBounds { all: 1_000, line: 100, literal: 50, ..AnswerBounds::SMALL };
        for said in [
            "* SEARCH".to_owned() + &" 1".repeat(100),
            "* 1 FETCH (BODY[] {51}\r\n".to_owned(),
            "* 1 FETCH (BODY[] {99999999999999999999999}\r\n".to_owned(),
            format!("* 1 FETCH ({}", "X {1}\r\n1 ".repeat(40)),
            "* OK a\r\n".repeat(200),
        ] {
            let (_, why) = cut(said.as_bytes(), 10, small);
            assert_eq!(why, Some(Nonsense::TooLong), "{said}");
        }
        let (_, why) = cut(b"* OK a line end of another kind\n", 100, small);
        assert_eq!(why, Some(Nonsense::Garbled));
    }

    #[test]
    fn after_a_refusal_nothing_is_read_any_more() {
        let mut framing = Framing::new();
        framing.allow(AnswerBounds::SMALL);
        framing.push(b"* OK a\n");
        assert_eq!(framing.next(), Err(Nonsense::Garbled));
        framing.allow(AnswerBounds::SMALL);
        framing.push(b"* OK b\r\n");
        assert_eq!(framing.next(), Err(Nonsense::Garbled));
        assert!(!framing.is_empty());
    }

    #[test]
    fn four_megabytes_in_small_pieces_cost_what_they_cost_in_one() {
        let line = "* SEARCH".to_owned() + &" 1".repeat(2_000_000) + "\r\n";
        let began = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let (answers, why) = cut(line.as_bytes(), 64, AnswerBounds::NUMBERS);
        let ended = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        assert_eq!((answers.len(), why), (1, None));
        assert!(ended.tv_sec - began.tv_sec < 3, "{began:?} to {ended:?}");
    }
}
