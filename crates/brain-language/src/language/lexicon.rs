//! Words and phrases of a language, used where they stand (see `tables`).
//!
//! One kind of table for all modules. The words themselves are each module's own: times write ä as ae and drop
//! apostrophes, requests keep both, and consent admits no spelling that its books do not give.

use super::tables::{Ends, Numbers, Rows, Sections, hash};

/// Distinct words, sorted; a word's number is its place.
#[derive(Debug, Clone, Copy)]
pub struct Words<'t> {
    ends: Ends<'t>,
    text: &'t [u8],
    /// A hash table of places + 1; 0 is free.
    slots: Numbers<'t>,
}

impl<'t> Words<'t> {
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(ends), Some(text), Some(slots)) = (Ends::read(sections), sections.next(), Numbers::read(sections))
        else {
            return None;
        };
        Some(Words { ends, text, slots })
    }

    pub fn len(self) -> usize {
        self.ends.len()
    }

    fn bytes(self, at: usize) -> &'t [u8] {
        self.ends.row(at).and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    /// The word of a number; nothing when there is none.
    pub fn word(self, at: usize) -> &'t str {
        std::str::from_utf8(self.bytes(at)).unwrap_or_default()
    }

    /// The number of a word.
    pub fn find(self, word: &str) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let first = hash([word]) as usize;
        for step in 0..=mask {
            match self.slots.get((first + step) & mask)?.checked_sub(1) {
                Some(at) if self.bytes(at) == word.as_bytes() => return Some(at),
                Some(_) => {}
                None => return None,
            }
        }
        None
    }
}

/// Phrases by the number of their first word; those of one word stand together, sorted by meaning, or in an order of
/// their own where nobody asks for a meaning.
#[derive(Debug, Clone, Copy)]
pub struct PhraseTable<'t> {
    /// For each word, where its phrases end.
    ends: Ends<'t>,
    meanings: Numbers<'t>,
    /// The words after the first.
    rests: Rows<'t>,
}

impl<'t> PhraseTable<'t> {
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(ends), Some(meanings)) = (Ends::read(sections), Numbers::read(sections)) else { return None };
        let Some(rests) = Rows::read(sections) else { return None };
        Some(PhraseTable { ends, meanings, rests })
    }

    /// All that begin with a word: meaning, and the words after the first.
    pub fn of(self, word: usize) -> impl Iterator<Item = (usize, Numbers<'t>)> {
        self.ends
            .row(word)
            .into_iter()
            .flatten()
            .filter_map(move |at| Some((self.meanings.get(at)?, self.rests.row(at))))
    }
}
