//! Seasons: "in spring", "last summer", "in the winter of 2024". Only where something is looked for: whoever does something
//! at a time says it more exactly.

use std::ops::Range;

use super::super::words::{LEXICONS, Link, Sense, TokenLine};
use super::numbered::year_after;
use super::period::which_word;

/// A season as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeasonMention {
    pub span: Range<usize>,
    /// In which it begins in the north.
    pub month: u32,
    pub year: Option<i32>,
    pub which: Option<i64>,
}

/// The first season that is named.
pub fn season_in(text: &str) -> Option<SeasonMention> {
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(text, lexicon);
        (0..line.tokens.len()).find_map(|i| season(&line, i))
    })
}

fn season(line: &TokenLine, i: usize) -> Option<SeasonMention> {
    let at = [Link::In, Link::Since].iter().find_map(|lead| line.link(i, *lead)).unwrap_or(i);
    let (which, named) = which_word(line, at).unwrap_or((None, at));
    let named = line.skip(named, &[Link::The]);
    if named == i {
        return None;
    }
    let (month, next) = line.pick(named, |a| match a.sense {
        Sense::Season(month) => Some(month),
        _ => None,
    })?;
    let (year, next) = year_after(line, next).map_or((None, next), |(year, next)| (Some(year), next));
    Some(SeasonMention { span: super::bytes(line, i, next), month, year, which })
}
