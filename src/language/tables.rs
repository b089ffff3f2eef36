//! Tables that are used where they stand: rows of numbers, words, and phrases by their first word.
//!
//! What the rooms know is compiled to such tables before the program is built and taken into its file; nothing of it is
//! read, copied or sorted when the program runs. The same tables can be made while it runs, of what a service brings.
//!
//! Invariants: numbers are little-endian, of two bytes where they are items and of four where they count items; whatever
//! the bytes are, nothing here panics: what is not there is not found. Deliberately not here: what the numbers mean.

use std::ops::Range;

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
type Ends<'t> = Packed<'t, 4>;

impl<'t, const BYTES: usize> Packed<'t, BYTES> {
    const NONE: Packed<'static, BYTES> = Packed(&[]);

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
        let bytes = self.0.get(at.checked_mul(BYTES)?..)?.first_chunk::<BYTES>()?;
        Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
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
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before));
        match (start, self.ends.get(at)) {
            (Some(start), Some(end)) => self.items.range(start..end),
            (Some(_) | None, _) => Packed::NONE,
        }
    }
}

/// Rows under numbers that need not be dense.
#[derive(Debug, Clone, Copy)]
pub struct Map<'t> {
    keys: Numbers<'t>,
    rows: Rows<'t>,
}

impl<'t> Map<'t> {
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(keys), Some(rows)) = (sections.next(), Rows::read(sections)) else { return None };
        Some(Map { keys: Packed(keys), rows })
    }

    /// Empty when the key has no row.
    pub fn get(self, key: usize) -> Numbers<'t> {
        let at = self.keys.lower_bound(0..self.keys.len(), key);
        if self.keys.get(at) == Some(key) { self.rows.row(at) } else { Packed::NONE }
    }
}

/// Distinct words, sorted; a word's number is its place.
#[derive(Debug, Clone, Copy)]
pub struct Words<'t> {
    ends: Ends<'t>,
    text: &'t [u8],
    /// A hash table of places + 1; 0 is free.
    slots: Numbers<'t>,
}

impl<'t> Words<'t> {
    pub const NONE: Words<'static> = Words { ends: Packed::NONE, text: &[], slots: Packed::NONE };

    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(ends), Some(text), Some(slots)) = (sections.next(), sections.next(), sections.next()) else {
            return None;
        };
        Some(Words { ends: Packed(ends), text, slots: Packed(slots) })
    }

    pub fn len(self) -> usize {
        self.ends.len()
    }

    fn bytes(self, at: usize) -> &'t [u8] {
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before));
        let range = start.zip(self.ends.get(at)).map(|(start, end)| start..end);
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
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

    /// The numbers of the words that begin with this letter.
    pub fn beginning_with(self, letter: char) -> Range<usize> {
        let mut buffer = [0; 4];
        let letter: &[u8] = letter.encode_utf8(&mut buffer).as_bytes();
        let first_not = |is_before: &dyn Fn(&[u8]) -> bool| {
            let (mut from, mut to) = (0, self.len());
            while from < to {
                let middle = from.midpoint(to);
                if is_before(self.bytes(middle)) { from = middle + 1 } else { to = middle }
            }
            from
        };
        first_not(&|word| word < letter)..first_not(&|word| word < letter || word.starts_with(letter))
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
        let (Some(ends), Some(meanings), Some(rests)) = (sections.next(), sections.next(), Rows::read(sections)) else {
            return None;
        };
        Some(PhraseTable { ends: Packed(ends), meanings: Packed(meanings), rests })
    }

    fn starting(self, word: usize) -> Range<usize> {
        let start = word.checked_sub(1).map_or(Some(0), |before| self.ends.get(before));
        start.zip(self.ends.get(word)).map_or(0..0, |(start, end)| start..end)
    }

    /// All that begin with a word: meaning, and the words after the first.
    pub fn of(self, word: usize) -> impl Iterator<Item = (usize, Numbers<'t>)> {
        self.starting(word).filter_map(move |at| Some((self.meanings.get(at)?, self.rests.row(at))))
    }

    /// Those of one meaning that begin with a word: the words after the first.
    pub fn meaning(self, word: usize, meaning: usize) -> impl Iterator<Item = Numbers<'t>> {
        let all = self.starting(word);
        let from = self.meanings.lower_bound(all.clone(), meaning);
        (from..all.end).take_while(move |at| self.meanings.get(*at) == Some(meaning)).map(move |at| self.rests.row(at))
    }

    /// The words that a phrase of this meaning may begin with.
    pub fn first_words(self, meaning: usize) -> impl Iterator<Item = usize> {
        (0..self.ends.len()).filter(move |word| self.meaning(*word, meaning).next().is_some())
    }
}

/// FNV-1a over the parts, as if each ended with a zero byte.
pub fn hash<'p>(parts: impl IntoIterator<Item = &'p str>) -> u64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Makes the sections that are read above. What does not fit a number is an error of whoever compiles.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

/// More words, phrases or meanings than a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a table holds no more than 65,535 of a kind")]
pub struct TooMany;

impl Writer {
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

    pub fn map(&mut self, map: &std::collections::BTreeMap<usize, Vec<usize>>) -> Result<(), TooMany> {
        self.numbers(map.keys().copied())?;
        self.rows(&map.values().collect::<Vec<_>>())
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
    #[cfg(test)]
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

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let words = sorted(["pear", "apple", "äpfel", "plum", "peach"].map(str::to_owned));
        let mut writer = Writer::default();
        writer.words(&words).unwrap();
        writer.phrases(words.len(), &[(2, 9, vec![]), (1, 4, vec![3, 0]), (2, 3, vec![1])]).unwrap();
        writer.map(&[(7, vec![1, 2]), (9, vec![])].into()).unwrap();
        let mut sections = Sections(&writer.0);
        let table = Words::read(&mut sections).unwrap();
        let phrases = PhraseTable::read(&mut sections).unwrap();
        let map = Map::read(&mut sections).unwrap();
        assert!(sections.next().is_none());
        for (at, word) in words.iter().enumerate() {
            assert_eq!((table.find(word), table.word(at)), (Some(at), word.as_str()));
        }
        assert_eq!((table.find("fig"), table.word(99), table.find("")), (None, "", None));
        assert_eq!(table.beginning_with('p'), 1..4);
        assert_eq!(table.beginning_with('ä'), 4..5);
        assert!(table.beginning_with('z').is_empty());
        let of = |word| phrases.of(word).map(|(meaning, rest)| (meaning, rest.iter().collect())).collect::<Vec<_>>();
        assert_eq!(of(2), [(9, vec![]), (3, vec![1])]);
        assert_eq!(of(1), [(4, vec![3, 0])]);
        assert!(of(0).is_empty() && of(5).is_empty());
        assert_eq!(phrases.meaning(1, 4).count() + phrases.meaning(1, 5).count(), 1);
        assert_eq!(phrases.first_words(4).collect::<Vec<_>>(), [1]);
        assert_eq!(map.get(7).iter().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(map.get(8).len() + map.get(9).len() + map.get(10).len(), 0);
    }

    #[test]
    fn broken_bytes_are_no_table_and_never_panic() {
        let mut writer = Writer::default();
        writer.words(&sorted(["a", "b"].map(str::to_owned))).unwrap();
        for len in 0..writer.0.len() {
            assert!(Words::read(&mut Sections(&writer.0[..len])).is_none());
        }
        let mut nonsense = Vec::new();
        (0..3).for_each(|_| nonsense.extend([8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]));
        let words = Words::read(&mut Sections(&nonsense)).unwrap();
        assert_eq!((words.find("a"), words.word(0), words.word(1)), (None, "", ""));
        assert_eq!(Writer::default().numbers([70_000]), Err(TooMany));
    }
}
