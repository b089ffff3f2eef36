//! The numbers in an answer: each stands for a finding that is there, or does not stand.
//!
//! `[2]`, `[1, 3]` and `[1-3]` are numbers; brackets that hold anything else are text. Invariants: how an answer is cut
//! into pieces changes nothing, and nothing is held back longer than a bracket takes. Not here: what findings are.

use std::collections::BTreeSet;

/// What a bracket with numbers holds at most; longer ones are text.
const BRACKET_CHARS_MAX: usize = 40;

/// Takes the words of an answer, and gives them without numbers of findings that are not there.
#[derive(Debug)]
pub struct CitationFilter {
    /// Findings are numbered from 1.
    most: usize,
    /// From a bracket that is not closed yet, with white space before it.
    held: String,
    cited: BTreeSet<usize>,
}

impl CitationFilter {
    /// For an answer from so many findings.
    pub fn new(most: usize) -> Self {
        Self { most, held: String::new(), cited: BTreeSet::new() }
    }

    /// What is certain with this piece.
    pub fn push(&mut self, piece: &str) -> String {
        let mut certain = String::new();
        for c in piece.chars() {
            self.next(c, &mut certain);
        }
        certain
    }

    /// The answer has ended.
    pub fn finish(mut self) -> (String, BTreeSet<usize>) {
        // White space at the end says nothing.
        let rest = if self.held.trim().is_empty() { String::new() } else { std::mem::take(&mut self.held) };
        (rest, self.cited)
    }

    fn next(&mut self, c: char, certain: &mut String) {
        let is_open = self.held.contains('[');
        let belongs = match c {
            '[' => false,
            ']' => is_open,
            ' ' => !is_open || self.held.len() < BRACKET_CHARS_MAX,
            '0'..='9' | ',' | '-' | '–' => is_open && self.held.len() < BRACKET_CHARS_MAX,
            _ => false,
        };
        match (c, belongs) {
            (']', true) => self.closes(certain),
            (' ', true) if !is_open => self.held.push(c),
            (_, true) => self.held.push(c),
            ('[', false) => {
                // A bracket takes the space before it along.
                if is_open {
                    certain.push_str(&std::mem::take(&mut self.held));
                }
                self.held.push(c);
            }
            (_, false) => {
                certain.push_str(&std::mem::take(&mut self.held));
                certain.push(c);
            }
        }
    }

    /// Keeps of a bracket what is there; with nothing left it is gone, and the space before it.
    fn closes(&mut self, certain: &mut String) {
        let held = std::mem::take(&mut self.held);
        let (space, inner) = held.split_once('[').unwrap_or(("", held.as_str()));
        if inner.trim().is_empty() {
            certain.push_str(&format!("{space}[{inner}]"));
            return;
        }
        let numbers: Vec<usize> = inner.split(',').flat_map(|part| self.numbers(part)).collect();
        if !numbers.is_empty() {
            let shown: Vec<String> = numbers.iter().map(usize::to_string).collect();
            certain.push_str(&format!("{space}[{}]", shown.join(", ")));
            self.cited.extend(numbers);
        }
    }

    /// Those of one part that are there: a number, or a span of them.
    fn numbers(&self, part: &str) -> Vec<usize> {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let span = match part.split_once(['-', '–']) {
            Some((from, to)) => number(from).zip(number(to)),
            None => number(part).map(|only| (only, only)),
        };
        let Some((from, to)) = span else { return Vec::new() };
        (from.max(1)..=to.min(self.most)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(pieces: &[&str], most: usize) -> (String, Vec<usize>) {
        let mut filter = CitationFilter::new(most);
        let mut shown: String = pieces.iter().map(|piece| filter.push(piece)).collect();
        let (rest, cited) = filter.finish();
        shown.push_str(&rest);
        (shown, cited.into_iter().collect())
    }

    #[test]
    fn numbers_that_stand_for_nothing_are_gone() {
        let rows: &[(&str, &str, &[usize])] = &[
            ("Ann waits [1].", "Ann waits [1].", &[1]),
            ("Ann waits [9].", "Ann waits.", &[]),
            ("Ann [0] and Bob [2][7] wait [4, 3].", "Ann and Bob [2] wait [3].", &[2, 3]),
            ("All [1-9]. All [2–3].", "All [1, 2, 3]. All [2, 3].", &[1, 2, 3]),
            ("[link](https://x) and [x] and [ ] [12 monkeys]", "[link](https://x) and [x] and [ ] [12 monkeys]", &[]),
            ("open [1", "open [1", &[]),
            ("- [ ] to do [1]\n- [x] done", "- [ ] to do [1]\n- [x] done", &[1]),
            ("[[1]] [99999999999999999999]", "[[1]]", &[1]),
            ("", "", &[]),
        ];
        for (text, shown, cited) in rows {
            assert_eq!(filtered(&[text], 3), ((*shown).to_owned(), cited.to_vec()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_answer(text in "[\\[\\]0-9, a-c–-]{0,60}", cuts in proptest::collection::vec(0..60_usize, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|at| text.floor_char_boundary(at.min(text.len()))).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            let (shown, cited) = filtered(&pieces, 5);
            prop_assert_eq!(&filtered(&[&text], 5), &(shown, cited.clone()));
            prop_assert!(cited.iter().all(|number| (1..=5).contains(number)));
        }
    }
}
