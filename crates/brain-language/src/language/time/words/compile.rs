//! From the tables of `data/language/time` to what `lexicon` reads in place. A line that means nothing is reported,
//! which a test requires not to happen.

use std::collections::BTreeMap;

use chrono_tz::{TZ_VARIANTS, Tz};

use super::super::defaults::PARTS;
use super::lexicon::Lexicon;
use super::sense::{EDGES, HALVES, LINKS, UNITS};
use super::token::tokens;
use crate::language::tables::{Sections, TableWriter, TooMany, sorted};

const TABLES: [&str; 2] = [
    include_str!("../../../../../../data/language/time/en.txt"),
    include_str!("../../../../../../data/language/time/de.txt"),
];

/// A phrase of a table: its keys, the words of its sense, and whether it is weak.
type TablePhrase = (Vec<String>, Vec<String>, bool);

/// The lexicon of each language. That every line means something is tested.
pub(super) fn lexicons() -> [Lexicon<'static>; 2] {
    TABLES.map(|text| {
        let table = WordTable::read(text);
        if !table.problems.is_empty() {
            panic!("the words of time hold mistakes: {:?}", table.problems);
        }
        let mut out = TableWriter::default();
        let written = table.write(&mut out).map(|()| Lexicon::read(&mut Sections(out.0.leak())));
        match written {
            Ok(Some(lexicon)) => lexicon,
            Ok(None) | Err(TooMany) => panic!("the words of time are more than a table holds"),
        }
    })
}

#[derive(Default)]
struct WordTable {
    phrases: Vec<TablePhrase>,
    forgiving: Vec<String>,
    not_typos: Vec<String>,
    day_endings: Vec<String>,
    full_dial: bool,
    problems: Vec<String>,
}

impl WordTable {
    fn read(text: &str) -> WordTable {
        let mut table = WordTable { full_dial: text.lines().any(|line| line == "dial full"), ..WordTable::default() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if table.read_line(line).is_none() && !line.starts_with("language ") && line != "dial full" {
                table.problems.push(line.to_owned());
            }
        }
        TZ_VARIANTS.iter().for_each(|zone| table.add_city(*zone));
        table.phrases.sort_by_key(|(keys, _, _)| std::cmp::Reverse(keys.len()));
        table
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
            match *head {
                ["day_ending"] => self.day_endings.push(phrase.to_owned()),
                ["not_typo"] => self.not_typos.push(phrase.to_owned()),
                _ => self.add(phrase, &head)?,
            }
        }
        Some(())
    }

    fn add(&mut self, phrase: &str, head: &[&str]) -> Option<()> {
        code_of(head, &[])?;
        let bare = phrase.trim_end_matches(['?', '~']);
        let bare = if bare.is_empty() { phrase } else { bare };
        let flags = &phrase[bare.len()..];
        let keys: Vec<String> = tokens(bare, |_| true).into_iter().map(|token| token.key).collect();
        let first = keys.first()?;
        if flags.contains('~') {
            self.forgiving.push(first.clone());
        }
        self.phrases.push((keys, head.iter().map(ToString::to_string).collect(), flags.contains('?')));
        Some(())
    }

    /// The city of a zone's name: "America/New_York".
    fn add_city(&mut self, zone: Tz) {
        let areas = ["Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific"];
        let name = zone.name().rsplit_once('/');
        if let Some((_, city)) = name.filter(|(area, _)| areas.iter().any(|known| area.starts_with(known))) {
            self.add(&city.replace('_', " "), &["place", zone.name()]);
        }
    }

    fn write(&self, out: &mut TableWriter) -> Result<(), TooMany> {
        let keys = sorted(self.phrases.iter().flat_map(|(keys, _, _)| keys.clone()));
        let key = |word: &String| keys.partition_point(|known| known < word);
        let names =
            sorted(self.phrases.iter().filter(|(_, head, _)| is_zone(head)).map(|(_, head, _)| head[1].clone()));
        let mut senses: Vec<Vec<usize>> = Vec::new();
        let mut places = BTreeMap::new();
        let mut phrases = Vec::new();
        for (words, head, weak) in &self.phrases {
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            let (Some(code), Some((first, rest))) = (code_of(&head, &names), words.split_first()) else { continue };
            let sense = *places.entry(code.clone()).or_insert(senses.len());
            if sense == senses.len() {
                senses.push(code);
            }
            phrases.push((key(first), sense * 2 + usize::from(*weak), rest.iter().map(key).collect()));
        }
        let mixed =
            |word: &&String| word.bytes().any(|b| b.is_ascii_digit()) && !word.bytes().all(|b| b.is_ascii_digit());
        let mixed = self.phrases.iter().map(|(keys, _, _)| &keys[0]).filter(mixed).cloned();
        out.words(&keys)?;
        out.phrases(keys.len(), &phrases)?;
        out.rows(&senses)?;
        out.words(&names)?;
        out.numbers(self.forgiving.iter().map(key))?;
        out.words(&sorted(self.not_typos.iter().cloned()))?;
        out.words(&sorted(mixed))?;
        out.words(&sorted(self.day_endings.iter().cloned()))?;
        out.bytes(if self.full_dial { &[1] } else { &[] })
    }
}

fn is_zone(head: &[String]) -> bool {
    matches!(head[0].as_str(), "zone" | "place")
}

/// The numbers of the sense that a line of a table names, by its words before the `=`; see `Sense::read`.
fn code_of(words: &[&str], names: &[String]) -> Option<Vec<usize>> {
    let number = |text: &str| text.parse::<i16>().ok().map(|n| usize::from(n.cast_unsigned()));
    let hundredths = |text: &str| text.parse::<f64>().ok().map(|n| (n * 100.0) as usize);
    let part = |name: &str| PARTS.iter().position(|part| part.name == name);
    let day = |text: &str| text.parse::<usize>().ok().filter(|day| (1..=7).contains(day)).map(|day| day - 1);
    let unit = |name: &str| place(&UNITS, name);
    let pair = |text: &str, mark| text.split_once(mark).and_then(|(a, b)| Some((number(a)?, number(b)?)));
    let zone = |name: &str| {
        name.parse::<Tz>().ok()?;
        Some(names.binary_search_by(|known| known.as_str().cmp(name)).unwrap_or_default())
    };
    Some(match *words {
        ["weekday", on] => vec![0, day(on)?],
        ["weekdays", days] => vec![1, days.split(',').try_fold(0, |set, on| Some(set | 1 << day(on)?))?],
        ["weekdaypart", on, name] => vec![2, day(on)?, part(name)?],
        ["workday"] => vec![3],
        ["weekend"] => vec![4],
        ["month", n] => vec![5, number(n)?],
        ["day", n] => vec![6, number(n)?],
        ["daypart", n, name] => vec![7, number(n)?, part(name)?],
        ["part", name] => vec![8, part(name)?],
        ["clock", clock] => pair(clock, ':').map(|(hour, minute)| vec![9, hour, minute])?,
        ["number", n] => vec![10, number(n)?],
        ["amount", n] => vec![11, hundredths(n)?],
        ["and", n] => vec![12, hundredths(n)?],
        ["ordinal", n] => vec![13, number(n)?],
        ["length", n, "minute"] => vec![14, number(n)?],
        ["unit", name] => vec![15, unit(name)?],
        ["short_unit", name] => vec![16, unit(name)?],
        ["which", n] => vec![17, number(n)?],
        ["often", name, n] => vec![18, unit(name)?, number(n)?],
        ["edge", name] => vec![19, place(&EDGES, name)?],
        ["eom", name] => vec![20, unit(name)?],
        ["quarter_of_year", n] => vec![21, number(n).filter(|n| (1..=4).contains(n))?],
        ["season", month] => vec![30, number(month)?],
        ["holiday", "nth", n, on, month] => vec![24, number(n)?, day(on)?, number(month)?, 0],
        ["holiday", "nth", n, on, month, plus] => vec![24, number(n)?, day(on)?, number(month)?, number(plus)?],
        ["holiday", "before", n, on, date] => {
            pair(date, '-').and_then(|(month, of_month)| Some(vec![25, number(n)?, day(on)?, month, of_month]))?
        }
        ["holiday", date] => match date.strip_prefix("easter") {
            Some(days) => vec![23, number(days)?],
            None => pair(date, '-').map(|(month, day)| vec![22, month, day])?,
        },
        ["zone", name] => vec![26, zone(name)?],
        ["place", name] => vec![27, zone(name)?],
        ["cue", name] => vec![28, place(&HALVES, name)?],
        [name] => vec![29, place(LINKS, name)?],
        _ => return None,
    })
}

/// The place of a name in a list of names.
fn place<T>(list: &[(&str, T)], name: &str) -> Option<usize> {
    list.iter().position(|(known, _)| *known == name)
}

#[test]
fn every_line_of_the_tables_means_something() {
    for text in TABLES {
        assert_eq!(WordTable::read(text).problems, Vec::<String>::new());
    }
    assert!(lexicons().iter().flat_map(Lexicon::senses).all(|sense| sense.is_some()));
}
