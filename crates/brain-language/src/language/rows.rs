//! Rows: how a message points at a row of what was shown, by its place.
//!
//! The words are data (`data/language/rows.txt`). Not here: what stands in the rows, and what is done about one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::word_classes::{WordClass, class_names, pairs};
use super::words::fold;

const TEXT: &str = include_str!("../../../../data/language/rows.txt");
/// Words of a message in which a row is looked for; it is named near the beginning.
const WORDS_MAX: usize = 16;
/// Words of the longest phrase of the data.
const PHRASE_WORDS_MAX: usize = 5;

class_names! {
    /// The classes of the data, by their names there.
    RowWords {
        why,
        open,
        mail,
        about,
        polite,
        article,
        number,
        abbreviated,
        row,
        amount,
    }
}

static WORDS: LazyLock<RowWords> = LazyLock::new(|| RowWords::read(&[TEXT]));
static NUMBERS: LazyLock<HashMap<String, usize>> =
    LazyLock::new(|| pairs(TEXT).filter_map(|(word, n)| Some((fold(word), n.parse().ok()?))).collect());

/// What is asked of rows.
#[derive(Debug, PartialEq)]
pub enum RowRequest {
    /// How the answer came about.
    Why,
    /// To show one.
    Open(usize),
    /// Something is to be done about one.
    About {
        /// What stands before the row.
        lead: String,
        n: usize,
        /// What stands behind it, with the space before it.
        rest: String,
        /// Whether it says the place of a row, and no amount: an ordinal, or a number behind a verb or a noun for one.
        is_place: bool,
        /// Whether it can be done to a mail alone.
        is_of_mail: bool,
    },
}

/// What a message asks of rows, if it begins with that.
pub fn asked(text: &str) -> Option<RowRequest> {
    let plain = text.trim().trim_end_matches(['?', '!', '.', ' ']);
    if WORDS.why.holds(&fold(plain)) {
        return Some(RowRequest::Why);
    }
    let line = FirstWords::of(plain);
    let begin = line.phrase(0, &WORDS.polite).unwrap_or(0);
    let row_behind = |class: &WordClass| {
        let end = line.phrase(begin, class)?;
        Some((end, line.row(end)?))
    };
    if let Some((_, PlacedRow { n, rest: "", .. })) = row_behind(&WORDS.open) {
        return Some(RowRequest::Open(n));
    }
    let mail = row_behind(&WORDS.mail);
    let is_of_mail = mail.is_some();
    let (end, PlacedRow { n, rest, is_place }) = mail.or_else(|| row_behind(&WORDS.about))?;
    let lead = plain[line.words[begin].1.start..line.words[end - 1].1.end].to_owned();
    let is_place = is_place || rest.is_empty() || is_of_mail;
    Some(RowRequest::About { lead, n, rest: rest.to_owned(), is_place, is_of_mail })
}

/// The place that words say, and nothing else: "2", "the second one".
pub fn place(words: &str) -> Option<usize> {
    let row = FirstWords::of(words.trim().trim_end_matches(['.', '!', ')'])).row(0);
    row.filter(|row| row.rest.is_empty()).map(|row| row.n)
}

struct PlacedRow<'t> {
    n: usize,
    rest: &'t str,
    is_place: bool,
}

/// The first words of a text, folded, with where they stand.
struct FirstWords<'t> {
    text: &'t str,
    words: Vec<(String, Range<usize>)>,
}

impl<'t> FirstWords<'t> {
    fn of(text: &'t str) -> Self {
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
        let mut words = Vec::new();
        let mut at = 0;
        while words.len() < WORDS_MAX
            && let Some(start) = text[at..].find(char::is_alphanumeric).map(|skipped| at + skipped)
        {
            let end = text[start..].find(|c| !is_inside(c)).map_or(text.len(), |len| start + len);
            words.push((fold(&text[start..end]), start..end));
            at = end;
        }
        Self { text, words }
    }

    /// What stands before a word.
    fn gap(&self, at: usize) -> &str {
        let before = at.checked_sub(1).map_or(0, |before| self.words[before].1.end);
        self.words.get(at).map_or("", |(_, span)| self.text[before..span.start].trim())
    }

    /// Where the longest phrase of a class ends that begins at a word.
    fn phrase(&self, begin: usize, class: &WordClass) -> Option<usize> {
        (begin + 1..=self.words.len().min(begin + PHRASE_WORDS_MAX)).rev().find(|end| {
            let words = self.words[begin..*end].iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ");
            (begin + 1..*end).all(|at| self.gap(at).is_empty()) && class.holds(&words)
        })
    }

    /// The row that is named from a word on, and what stands behind it.
    fn row(&self, begin: usize) -> Option<PlacedRow<'t>> {
        let is_one = |at: usize, class: &WordClass| self.words.get(at).is_some_and(|(word, _)| class.holds(word));
        let mut at = begin + usize::from(is_one(begin, &WORDS.article));
        let is_figure = |at: usize| self.words.get(at).is_some_and(|(word, _)| word.parse::<usize>().is_ok());
        let is_numbered = is_one(at, &WORDS.number) || is_one(at, &WORDS.abbreviated) && is_figure(at + 1);
        at += usize::from(is_numbered);
        let (word, span) = self.words.get(at)?;
        let is_marked = self.gap(at) == "#";
        // A figure of something else: a clock, a date, a sum.
        let is_whole = |end: usize| !self.text[end..].starts_with(['.', '/', '-', '%', '€']);
        if !(self.gap(at).is_empty() || is_marked || is_numbered) || !is_whole(span.end) {
            return None;
        }
        let named = NUMBERS.get(word).copied();
        let n = named.or_else(|| word.parse().ok()).filter(|n| *n > 0)?;
        let is_ordinal = named.is_some() && !WORDS.amount.holds(word);
        let (mut end, mut next) = (span.end, at + 1);
        while self.gap(next).is_empty() && is_one(next, &WORDS.row) {
            (end, next) = (self.words[next].1.end, next + 1);
        }
        let rest = &self.text[end..];
        let is_place = is_numbered || is_marked || is_ordinal && (next > at + 1 || rest.is_empty());
        Some(PlacedRow { n, rest, is_place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_the_data_has_words() {
        assert_eq!(WORDS.empty(), Vec::<&str>::new());
    }

    #[test]
    fn numbers_point_at_rows() {
        for (text, expected) in [
            ("open 2", Some(RowRequest::Open(2))),
            ("show me the second one", Some(RowRequest::Open(2))),
            ("what's 3?", Some(RowRequest::Open(3))),
            ("what’s #3?", Some(RowRequest::Open(3))),
            ("öffne 4", Some(RowRequest::Open(4))),
            ("Zeig mir die zweite", Some(RowRequest::Open(2))),
            ("why?", Some(RowRequest::Why)),
            ("woher weißt du das?", Some(RowRequest::Why)),
            ("open the window", None),
            ("open", None),
            ("", None),
            ("show my tasks", None),
            ("what is 2 plus 2", None),
            ("what's 3.5", None),
            ("remind me about the dentist", None),
            ("cancel 12/3", None),
        ] {
            assert_eq!(asked(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_to_be_done_about_a_row_keeps_its_words() {
        for (text, lead, n, rest, is_place, is_of_mail) in [
            ("Reply to 3 that I'm Fine with it", "Reply to", 3, " that I'm Fine with it", true, true),
            ("answer the first one: thanks", "answer", 1, ": thanks", true, true),
            ("remind me about the first one tomorrow at 9", "remind me about", 1, " tomorrow at 9", true, false),
            ("please archive 2", "archive", 2, "", true, false),
            ("archive no. 2 today", "archive", 2, " today", true, false),
            ("add 2 eggs to the list", "add", 2, " eggs to the list", false, false),
            ("delete the third mail thread", "delete", 3, "", true, false),
        ] {
            let (lead, rest) = (lead.to_owned(), rest.to_owned());
            assert_eq!(asked(text), Some(RowRequest::About { lead, n, rest, is_place, is_of_mail }), "{text}");
        }
    }

    #[test]
    fn a_place_alone_is_one() {
        for (text, expected) in [
            ("2", Some(2)),
            ("2)", Some(2)),
            ("the third one", Some(3)),
            ("Number two", Some(2)),
            ("der zweite", Some(2)),
            ("nr. 3", Some(3)),
            ("no one", None),
            ("2 eggs", None),
            ("0", None),
            ("Anna", None),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }
}
