//! What the words of a condition ask for, as far as a service can look it up.
//!
//! Invariant: what is not understood whole is not looked up. Not here: which words are a condition
//! (`language::requests`), and whether it is so (`circumstance`).

use crate::services::{calendar, contacts, email, notes, task};
use brain_language::language::requests::Condition;
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::lexicon::WordId;
use brain_language::language::requests::own_words;
use brain_language::language::requests::reading::without_determiner;
use brain_language::language::requests::text::{Token, TokenMark, tokens};
use brain_language::language::time;
use brain_language::language::time::Reference;
use brain_language::language::tokens::lower;

/// The words of a condition, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionReading {
    /// Without the conjunction that says which way it counts.
    pub text: String,
    /// It is to be done when this is not so.
    pub negated: bool,
    /// What has to be looked up.
    pub kind: ConditionKind,
}

/// What has to be known to tell whether a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionKind {
    /// Whether the person has nothing else then.
    Free {
        /// In the person's words; empty where it is the time of what is asked for.
        when: String,
    },
    /// Whether there is such a thing.
    Exists {
        /// Whose thing it is.
        service: String,
        /// `None`: what is asked for is that thing itself.
        words: Option<String>,
    },
    /// Nothing that can be looked up, or not all of it was understood.
    Unknown,
}

/// Which service keeps what a word of the class names.
const KEPT_BY: [(&str, &str); 7] = [
    ("notenoun", notes::NAME),
    ("tasknoun", task::NAME),
    ("tasklist", task::NAME),
    ("mailnoun", email::NAME),
    ("event", calendar::NAME),
    ("cal", calendar::NAME),
    ("contact", contacts::NAME),
];
/// A condition about what the request itself is about begins so.
const ITSELF: [&str; 6] = ["it", "it's", "its", "it’s", "that", "that's"];
/// What a condition asks for.
pub fn read(condition: &Condition, reference: &Reference) -> ConditionReading {
    let words = ConditionTokens::of(&condition.said);
    let opening = words.starts("isornot", 0).filter(|len| words.starts("dearcondition", 0) == Some(*len));
    let unless = words.starts("unless", 0).is_some();
    let text = words.from(opening.unwrap_or(0)).to_owned();
    let known = opening.filter(|_| condition.is_all).and_then(|at| words.kind(at, reference));
    let (kind, is_not) = known.unwrap_or((ConditionKind::Unknown, false));
    ConditionReading { text, negated: unless != is_not, kind }
}

/// A look that a message asks for first, and on which the rest of it depends: "check whether I'm free at 3 and, if so,
/// book it".
#[derive(Debug, PartialEq, Eq)]
pub struct CheckedFirst {
    /// The look as a condition.
    pub condition: Condition,
    /// What depends on it, in the person's words.
    pub rest: String,
    /// The one time that the look names.
    pub when: Option<String>,
}

impl CheckedFirst {
    /// `None` where it is not beyond doubt what is looked up, and what depends on it.
    pub fn find(text: &str, reference: &Reference) -> Option<CheckedFirst> {
        let text = own_words(text);
        let said = ConditionTokens::marked(&text);
        let is_word = |at: usize| said.tokens.get(at).is_some_and(|token| token.mark == TokenMark::Word);
        let points_back = |at: usize| {
            let set_apart = |len: &usize| at + len < said.tokens.len() && !is_word(at + len);
            let so = said.starts("ifso", at).or(said.starts("ifsoapart", at).filter(set_apart));
            so.map(|len| (at, len, "if")).or(said.starts("ifnot", at).map(|len| (at, len, "unless")))
        };
        let (at, len, conjunction) = (1..said.tokens.len()).find_map(points_back)?;
        let end = (0..at).rev().find(|at| is_word(*at) && said.starts("goeson", *at).is_none())?;
        let lead = said.starts("lead", 0).filter(|len| *len <= end).unwrap_or(0);
        let asks = (lead..=end).find(|at| said.starts("asksso", *at).is_some());
        let from = match asks {
            // Right behind a verb of asking, before which nothing stands.
            Some(asks) if said.starts("whether", lead).is_some_and(|len| lead + len == asks || lead == asks) => {
                asks + 1
            }
            None if (end + 1..at).any(|at| said.word(at) == "?") => lead,
            Some(_) | None => return None,
        };
        let is_one = (from..=end).all(|at| said.tokens[at].mark != TokenMark::Stop);
        let goes_on = |at: usize| said.starts("dearcondition", at).or(said.starts("otherwise", at)).is_some();
        if from > end || !is_one || (at + len..said.tokens.len()).any(goes_on) {
            return None;
        }
        let looked_up = text[said.tokens[from].span.start..said.tokens[end].span.end].to_owned();
        let rest = said.from(at + len).trim_start_matches([',', ';', ':', '.', '-', '–', '—', ' ']);
        let rest = rest.strip_prefix("then ").unwrap_or(rest).to_owned();
        let when = match time::find(&looked_up, reference).as_slice() {
            [only] => Some(looked_up[only.span.clone()].to_owned()),
            _ => None,
        };
        let condition = Condition { said: format!("{conjunction} {looked_up}"), is_all: true };
        (!rest.is_empty()).then_some(CheckedFirst { condition, rest, when })
    }
}

struct ConditionTokens<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> ConditionTokens<'t> {
    fn of(text: &'t str) -> ConditionTokens<'t> {
        let tokens = tokens(text, GRAMMAR.lexicon).into_iter().filter(|token| token.mark == TokenMark::Word).collect();
        ConditionTokens { text, tokens }
    }

    /// With the marks between the words.
    fn marked(text: &'t str) -> ConditionTokens<'t> {
        ConditionTokens { text, tokens: tokens(text, GRAMMAR.lexicon) }
    }

    /// What has to be known, and whether it must not be so; `None` where a word of it is not understood.
    fn kind(&self, opening: usize, reference: &Reference) -> Option<(ConditionKind, bool)> {
        let starts = |class| self.starts(class, opening);
        let (free, busy, lacks, holds) = (starts("isfree"), starts("isbusy"), starts("lacks"), starts("holds"));
        if let Some(len) = free.or(busy) {
            let when = self.time(opening + len, reference)?;
            return Some((ConditionKind::Free { when }, free.is_none()));
        }
        let thing = ConditionTokens::of(self.from(opening + lacks.or(holds)?));
        let links = (0..thing.tokens.len()).any(|at| thing.starts("goeson", at).is_some());
        if links || !time::find(thing.text, reference).is_empty() {
            return None;
        }
        let first = self.word(opening);
        let words = thing.thing(ITSELF.contains(&first.as_str()))?;
        Some((ConditionKind::Exists { service: service_of(thing.text)?, words }, lacks.is_some()))
    }

    /// The one time that all words behind a token say; empty where they say none.
    fn time(&self, at: usize, reference: &Reference) -> Option<String> {
        let rest = self.from(at);
        let found = time::find(rest, reference);
        let (before, when, behind) = match found.as_slice() {
            [] => (rest, "", ""),
            [only] => (&rest[..only.span.start], &rest[only.span.clone()], &rest[only.span.end..]),
            _ => return None,
        };
        let says_no_more = |rest| ConditionTokens::of(rest).is_all("moment");
        (says_no_more(before) && says_no_more(behind)).then(|| when.trim().to_owned())
    }

    /// What a thing is called, if these words are its name; the outer `None` where they only say what sort it is of.
    fn thing(&self, is_itself: bool) -> Option<Option<String>> {
        let end = (0..self.tokens.len()).find(|at| ConditionTokens::of(self.from(*at)).is_all("alreadythere"));
        let end = end.and_then(|at| self.tokens.get(at)).map_or(self.text.len(), |token| token.span.start);
        let name = without_determiner(self.text[..end].trim());
        let ids: Vec<WordId> = tokens(name, GRAMMAR.lexicon).into_iter().map(|token| token.id).collect();
        let is_sort = KEPT_BY.iter().any(|(class, _)| GRAMMAR.lexicon.is_phrase(class, &ids));
        match (is_itself, is_sort) {
            (true, _) => Some(None),
            (false, false) if !name.is_empty() => Some(Some(name.to_owned())),
            (false, _) => None,
        }
    }

    /// Whether nothing but phrases of a class stands here.
    fn is_all(&self, class: &str) -> bool {
        let mut at = 0;
        while at < self.tokens.len() {
            match self.starts(class, at) {
                Some(len) => at += len,
                None => return false,
            }
        }
        true
    }

    fn starts(&self, class: &str, at: usize) -> Option<usize> {
        let ids: Vec<WordId> = self.tokens.iter().skip(at).map(|token| token.id).collect();
        GRAMMAR.lexicon.starts(class, &ids)
    }

    fn word(&self, at: usize) -> String {
        self.tokens.get(at).map(|token| lower(&self.text[token.span.clone()])).unwrap_or_default()
    }

    fn from(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.text[token.span.start..])
    }
}

fn service_of(thing: &str) -> Option<String> {
    let ids: Vec<WordId> = tokens(thing, GRAMMAR.lexicon).into_iter().map(|token| token.id).collect();
    let kept = KEPT_BY.into_iter().find(|(class, _)| GRAMMAR.lexicon.find(class, &ids).is_some());
    kept.map(|(_, service)| service.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::tests::requests::monday;

    fn reading(said: &str) -> ConditionReading {
        read(&Condition { said: said.to_owned(), is_all: true }, &monday())
    }

    fn exists(service: &str, words: Option<&str>) -> ConditionKind {
        ConditionKind::Exists { service: service.to_owned(), words: words.map(str::to_owned) }
    }

    fn free(when: &str) -> ConditionKind {
        ConditionKind::Free { when: when.to_owned() }
    }

    #[test]
    fn a_condition_says_what_has_to_be_known() {
        for (said, text, negated, kind) in [
            ("if it rains", "it rains", false, ConditionKind::Unknown),
            ("unless it rains", "it rains", true, ConditionKind::Unknown),
            ("if I'm free at 3", "I'm free at 3", false, free("at 3")),
            ("only if I'm free at 3", "I'm free at 3", false, free("at 3")),
            ("if i am free", "i am free", false, free("")),
            ("if I'm free then", "I'm free then", false, free("")),
            ("if I'm busy at 3", "I'm busy at 3", true, free("at 3")),
            ("unless I already have a dentist appointment", "I already have a dentist appointment", true, {
                exists("calendar", Some("dentist appointment"))
            }),
            ("if it isn't on the list yet", "it isn't on the list yet", true, exists("keep", None)),
        ] {
            let wanted = ConditionReading { text: text.to_owned(), negated, kind };
            assert_eq!(reading(said), wanted, "{said}");
        }
    }

    #[test]
    fn a_look_that_the_rest_depends_on_is_a_condition() {
        for (text, condition, rest) in [
            ("check whether I'm free at 3 and, if so, book it with Ana", "if I'm free at 3", "book it with Ana"),
            ("please check if I'm free at 3 and if so book gym", "if I'm free at 3", "book gym"),
            ("am I free at 3? If so, add lunch", "if am I free at 3", "add lunch"),
            ("am I free at 3? If I am, then add lunch", "if am I free at 3", "add lunch"),
            ("see whether I have milk and if not, add milk", "unless I have milk", "add milk"),
            ("add milk and check whether I'm free and if so add gym", "", ""),
            ("check whether I'm free at 3 and if so add gym, otherwise remind me to run", "", ""),
            ("remind me to ask whether he is there", "", ""),
        ] {
            let found = CheckedFirst::find(text, &monday());
            let (said, depends) = found.map(|found| (found.condition.said, found.rest)).unwrap_or_default();
            assert_eq!((said.as_str(), depends.as_str()), (condition, rest), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_whole_is_not_looked_up() {
        for said in [
            "if I'm free at 3 and it isn't raining",
            "if I'm free at 3 or at 4",
            "if I'm free of pain",
            "even if I'm free at 3",
            "whenever I'm free",
            "in case I'm busy",
            "if there is a strike",
            "if there is a meeting",
            "if I have a meeting tomorrow",
            "if I have a meeting with Sarah or Tom",
            "if I have milk",
            "if it's on sale",
            "if there is no reminder",
            "when I'm free",
        ] {
            assert_eq!(reading(said).kind, ConditionKind::Unknown, "{said}");
        }
    }
}
