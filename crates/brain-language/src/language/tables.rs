//! Tables that are used where they stand: rows of numbers, and what writes them (words and phrases: see `lexicon`).
//!
//! What times and consent know stands in texts (`data/language`) that are made such tables when they are first needed,
//! some milliseconds for all of them (see [`ready`](super::ready)); a message then reads, copies and sorts nothing of
//! it.
//!
//! Invariants: numbers are little-endian, of two bytes where they are items and of four where they count items;
//! whatever the bytes are, nothing here panics: what is not there is not found. Not here: what the numbers mean.

use std::ops::Range;

/// What is made of texts when it is first needed, if not by [`ready`](super::ready) before, which forces each of these.
pub type MadeTables<T> = std::sync::LazyLock<T>;

/// Sections one behind the other, each led by its length.
#[derive(Debug, Clone, Copy)]
pub struct Sections<'t>(pub &'t [u8]);

impl<'t> Sections<'t> {
    /// The next section; `None` when the bytes end before it does.
    pub const fn next(&mut self) -> Option<&'t [u8]> {
        let Some((len, rest)) = self.0.split_first_chunk() else { return None };
        let Some((section, rest)) = rest.split_at_checked(u32::from_le_bytes(*len) as usize) else { return None };
        self.0 = rest;
        Some(section)
    }
}

/// Numbers of so many bytes each.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'t, const BYTES: usize>(&'t [u8]);

/// Numbers of words, meanings, nodes.
pub type Numbers<'t> = Packed<'t, 2>;
/// Where the rows of a table end.
pub type Ends<'t> = Packed<'t, 4>;

impl<'t, const BYTES: usize> Packed<'t, BYTES> {
    pub const NONE: Packed<'static, BYTES> = Packed(&[]);

    /// `None` when the section is not there.
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        match sections.next() {
            Some(bytes) => Some(Packed(bytes)),
            None => None,
        }
    }

    pub fn len(self) -> usize {
        self.0.len() / BYTES
    }

    pub fn get(self, at: usize) -> Option<usize> {
        // Spelled out: this is all that is done some ten thousand times a message, in builds that optimise nothing too.
        let bytes = self.0.get(at.checked_mul(BYTES)?..)?;
        match BYTES {
            2 => Some(u16::from_le_bytes(*bytes.first_chunk()?).into()),
            _ => usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).ok(),
        }
    }

    pub fn range(self, range: Range<usize>) -> Self {
        Packed(self.0.get(range.start * BYTES..range.end * BYTES).unwrap_or_default())
    }

    pub fn iter(self) -> impl Iterator<Item = usize> + Clone + use<'t, BYTES> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }

    /// The place of the first item, of ascending ones, that is not below this.
    pub fn lower_bound(self, range: Range<usize>, item: usize) -> usize {
        let (mut from, mut to) = (range.start, range.end);
        while from < to {
            let middle = from.midpoint(to);
            match self.get(middle) {
                Some(here) if here < item => from = middle + 1,
                Some(_) | None => to = middle,
            }
        }
        from
    }
}

impl Ends<'_> {
    /// Where a row stands, if there is one of this number.
    pub fn row(self, at: usize) -> Option<Range<usize>> {
        let start = at.checked_sub(1).map_or(Some(0), |before| self.get(before));
        start.zip(self.get(at)).map(|(start, end)| start..end)
    }
}

/// Lists of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'t> {
    ends: Ends<'t>,
    items: Numbers<'t>,
}

impl<'t> Rows<'t> {
    /// `None` when the sections are not there.
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(ends), Some(items)) = (sections.next(), sections.next()) else { return None };
        Some(Rows { ends: Packed(ends), items: Packed(items) })
    }

    #[cfg(test)]
    pub fn len(self) -> usize {
        self.ends.len()
    }

    /// Empty when there is no such row.
    pub fn row(self, at: usize) -> Numbers<'t> {
        self.ends.row(at).map_or(Packed::NONE, |range| self.items.range(range))
    }
}

/// FNV-1a over the parts, as if each ended with a zero byte.
pub fn hash<'p>(parts: impl IntoIterator<Item = &'p str>) -> u64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Makes the sections that are read above. What does not fit a number is an error of whoever compiles.
#[derive(Debug, Default)]
pub struct TableWriter(pub Vec<u8>);

/// More words, phrases or meanings than a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a table holds no more than 65,535 of a kind")]
pub struct TooMany;

impl TableWriter {
    pub fn bytes(&mut self, section: &[u8]) -> Result<(), TooMany> {
        self.0.extend(u32::try_from(section.len()).map_err(|_| TooMany)?.to_le_bytes());
        self.0.extend(section);
        Ok(())
    }

    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = usize>) -> Result<(), TooMany> {
        let mut section = Vec::new();
        for number in numbers {
            section.extend(u16::try_from(number).map_err(|_| TooMany)?.to_le_bytes());
        }
        self.bytes(&section)
    }

    fn ends(&mut self, lengths: impl IntoIterator<Item = usize>) -> Result<(), TooMany> {
        let (mut section, mut end) = (Vec::new(), 0);
        for len in lengths {
            end += len;
            section.extend(u32::try_from(end).map_err(|_| TooMany)?.to_le_bytes());
        }
        self.bytes(&section)
    }

    pub fn rows<R: AsRef<[usize]>>(&mut self, rows: &[R]) -> Result<(), TooMany> {
        self.ends(rows.iter().map(|row| row.as_ref().len()))?;
        self.numbers(rows.iter().flat_map(|row| row.as_ref().iter().copied()))
    }

    /// Sorted and distinct; see [`sorted`].
    pub fn words(&mut self, words: &[String]) -> Result<(), TooMany> {
        self.ends(words.iter().map(String::len))?;
        self.bytes(words.concat().as_bytes())?;
        let mask = (words.len() * 2).next_power_of_two() - 1;
        let mut slots = vec![0; mask + 1];
        for (at, word) in words.iter().enumerate() {
            let mut slot = hash([word.as_str()]) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = at + 1;
        }
        self.numbers(slots)
    }

    /// Phrases of `words` words in all: first word, meaning, the words after the first. Order is kept within a word.
    pub fn phrases(&mut self, words: usize, phrases: &[(usize, usize, Vec<usize>)]) -> Result<(), TooMany> {
        let mut phrases: Vec<_> = phrases.iter().collect();
        phrases.sort_by_key(|(first, _, _)| *first);
        let of = |word: usize| phrases.partition_point(|(first, _, _)| *first < word);
        self.ends((0..words).map(|word| of(word + 1) - of(word)))?;
        self.numbers(phrases.iter().map(|(_, meaning, _)| *meaning))?;
        self.rows(&phrases.iter().map(|(_, _, rest)| rest).collect::<Vec<_>>())
    }
}

/// Words as a table has them.
pub fn sorted(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let words: std::collections::BTreeSet<String> = words.into_iter().collect();
    words.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lexicon::{PhraseTable, Words};

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let words = sorted(["pear", "apple", "äpfel", "plum", "peach"].map(str::to_owned));
        let mut writer = TableWriter::default();
        writer.words(&words).unwrap();
        writer.phrases(words.len(), &[(2, 9, vec![]), (1, 4, vec![3, 0]), (2, 3, vec![1])]).unwrap();
        let mut sections = Sections(&writer.0);
        let table = Words::read(&mut sections).unwrap();
        let phrases = PhraseTable::read(&mut sections).unwrap();
        assert!(sections.next().is_none());
        for (at, word) in words.iter().enumerate() {
            assert_eq!((table.find(word), table.word(at)), (Some(at), word.as_str()));
        }
        assert_eq!((table.find("fig"), table.word(99), table.find("")), (None, "", None));
        let of = |word| phrases.of(word).map(|(meaning, rest)| (meaning, rest.iter().collect())).collect::<Vec<_>>();
        assert_eq!(of(2), [(9, vec![]), (3, vec![1])]);
        assert_eq!(of(1), [(4, vec![3, 0])]);
        assert!(of(0).is_empty() && of(5).is_empty());
    }

    #[test]
    fn broken_bytes_are_no_table_and_never_panic() {
        let mut writer = TableWriter::default();
        writer.words(&sorted(["a", "b"].map(str::to_owned))).unwrap();
        for len in 0..writer.0.len() {
            assert!(Words::read(&mut Sections(&writer.0[..len])).is_none());
        }
        let mut nonsense = Vec::new();
        (0..3).for_each(|_| nonsense.extend([8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]));
        let words = Words::read(&mut Sections(&nonsense)).unwrap();
        assert_eq!((words.find("a"), words.word(0), words.word(1)), (None, "", ""));
        assert_eq!(TableWriter::default().numbers([70_000]), Err(TooMany));
    }
}
