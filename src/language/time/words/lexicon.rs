//! The words of one language, read once from its table.
//!
//! Another language is another file in `data/language/time` and a line in [`lexicons`]. A test reads every
//! table and fails on a line that means nothing; at run time such a line is skipped.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use chrono_tz::{TZ_VARIANTS, Tz};

use super::sense::Sense;
use super::token::tokens;

/// Words shorter than this are never guessed from a typing error.
const TYPO_LETTERS_MIN: usize = 5;
/// ... and shorter words of time are never what was meant.
const MEANT_LETTERS_MIN: usize = 6;
/// From this length on, two errors are forgiven.
const TYPO_TWO_LETTERS_MIN: usize = 9;
/// Real words within one error of a word of time.
const NOT_TYPOS: &[&str] = &["mourning", "sunray", "augusta", "monterey", "minuet", "minuets"];

#[derive(Debug)]
pub struct Lexicon {
    /// By first key; longer phrases first.
    entries: HashMap<String, Vec<Entry>>,
    /// Words that are recognised with a typing error.
    forgiving: Vec<String>,
    /// Mixtures of digits and letters that are words: "2moro".
    mixed: HashSet<String>,
    /// How the names of days end: "freeday", "Ruhetag".
    day_endings: Vec<String>,
    /// Is 5:30, without am or pm, always half past five in the morning?
    pub full_dial: bool,
    pub problems: Vec<String>,
}

#[derive(Debug)]
pub struct Entry {
    /// The keys after the first.
    pub rest: Vec<String>,
    pub sense: Sense,
    /// Also an ordinary word: needs company.
    pub weak: bool,
}

/// The first language wins a tie.
pub fn lexicons() -> &'static [Lexicon] {
    static LEXICONS: OnceLock<Vec<Lexicon>> = OnceLock::new();
    LEXICONS.get_or_init(|| {
        let tables = [
            include_str!("../../../../data/language/time/en.txt"),
            include_str!("../../../../data/language/time/de.txt"),
        ];
        tables.iter().map(|table| Lexicon::read(table)).collect()
    })
}

impl Lexicon {
    pub fn read(table: &str) -> Lexicon {
        let mut lexicon = Lexicon {
            entries: HashMap::new(),
            forgiving: Vec::new(),
            mixed: HashSet::new(),
            day_endings: Vec::new(),
            full_dial: table.lines().any(|line| line == "dial full"),
            problems: Vec::new(),
        };
        let lines = table.lines().map(str::trim);
        for line in lines.filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if lexicon.read_line(line).is_none() && !line.starts_with("language ") && line != "dial full" {
                lexicon.problems.push(line.to_owned());
            }
        }
        for zone in TZ_VARIANTS {
            lexicon.add_city(zone);
        }
        for entries in lexicon.entries.values_mut() {
            entries.sort_by_key(|e| std::cmp::Reverse(e.rest.len()));
        }
        lexicon
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let (head, phrases) = line.split_once(" = ")?;
        let head: Vec<&str> = head.split_whitespace().collect();
        for phrase in phrases.split(" | ").map(str::trim) {
            // "montagabend evening": compounds name their part of day.
            let (head, phrase) = match (head.as_slice(), phrase.split_once(' ')) {
                (["weekdaypart", day], Some((word, part))) => (vec!["weekdaypart", *day, part], word),
                _ => (head.clone(), phrase),
            };
            if head == ["day_ending"] {
                self.day_endings.push(phrase.to_owned());
                continue;
            }
            let sense = Sense::parse(&head)?;
            let bare = phrase.trim_end_matches(['?', '~']);
            let bare = if bare.is_empty() { phrase } else { bare };
            let flags = &phrase[bare.len()..];
            if flags.contains('~') {
                self.forgiving.push(key_of(bare)?);
            }
            self.add(bare, sense, flags.contains('?'))?;
        }
        Some(())
    }

    fn add(&mut self, phrase: &str, sense: Sense, weak: bool) -> Option<()> {
        let mut keys = tokens(phrase, |_| true).into_iter().map(|t| t.key);
        let first = keys.next()?;
        if first.bytes().any(|b| b.is_ascii_digit()) && first.bytes().any(|b| !b.is_ascii_digit()) {
            self.mixed.insert(first.clone());
        }
        let entry = Entry { rest: keys.collect(), sense, weak };
        self.entries.entry(first).or_default().push(entry);
        Some(())
    }

    /// The city of a zone's name: "America/New_York".
    fn add_city(&mut self, zone: Tz) {
        let Some((area, city)) = zone.name().rsplit_once('/') else {
            return;
        };
        let areas = ["Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific"];
        if areas.iter().any(|a| area.starts_with(a)) {
            self.add(&city.replace('_', " "), Sense::Place(zone), false);
        }
    }

    pub fn is_mixed_word(&self, key: &str) -> bool {
        self.mixed.contains(key)
    }

    /// May this word, which the table does not have, be the name of a day?
    pub fn ends_as_day(&self, key: &str) -> bool {
        self.day_endings.iter().any(|ending| key.len() > ending.len() + 1 && key.ends_with(ending.as_str()))
    }

    /// All entries that begin with this key, longest first; a misspelt word counts as the word
    /// that was meant.
    pub fn starting_with(&self, key: &str) -> &[Entry] {
        let exact = self.entries.get(key);
        let entries = exact.or_else(|| self.entries.get(self.meant_by(key)?));
        entries.map_or(&[], Vec::as_slice)
    }

    fn meant_by(&self, key: &str) -> Option<&str> {
        if key.len() < TYPO_LETTERS_MIN || NOT_TYPOS.contains(&key) {
            return None;
        }
        let near = |word: &&String| {
            let errors = if word.len() >= TYPO_TWO_LETTERS_MIN { 2 } else { 1 };
            word.len() >= MEANT_LETTERS_MIN
                && key.as_bytes().first() == word.as_bytes().first()
                && within(key, word, errors)
        };
        self.forgiving.iter().find(near).map(String::as_str)
    }
}

fn key_of(word: &str) -> Option<String> {
    tokens(word, |_| true).into_iter().next().map(|t| t.key)
}

/// Is the number of edits (insert, delete, replace, swap neighbours) at most `errors`?
fn within(a: &str, b: &str, errors: usize) -> bool {
    if a.len().abs_diff(b.len()) > errors || a.len() > 20 {
        return false;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = [[0usize; 24]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        let (this, last, older) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[this][0] = i;
        for j in 1..=b.len() {
            let replace = rows[last][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[last][j] + 1).min(rows[this][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[older][j - 2] + 1);
            }
            rows[this][j] = best;
        }
    }
    rows[a.len() % 3][b.len()] <= errors
}
