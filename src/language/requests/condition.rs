//! On what a request depends: "if I'm free at 3", "unless I already have a dentist appointment".
//!
//! What stands in a condition is taken out, and the rest is planned as if it had been said alone. Not here: whether a
//! condition holds.

use std::ops::Range;

use super::Hearing;
use super::account::{Account, AccountedPart, SpanRole};
use super::annotated::AnnotatedText;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::prices::TokenClass;
use super::reading::{tidy, without_determiner};
use super::text::{Mark, Token, own_words, tokens};
use crate::language::time;
use crate::language::time::Reference;

/// What a request depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// In the person's words, without "if".
    pub text: String,
    /// It is to be done when this is not so.
    pub negated: bool,
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
        /// Whose thing it is, where the words say so.
        service: Option<String>,
        words: String,
    },
    /// Nothing that can be looked up.
    Unknown,
}

/// Which service keeps what a word of the class names.
const KEPT_BY: [(&str, &str); 7] = [
    ("notenoun", "keep"),
    ("tasknoun", "task"),
    ("tasklist", "task"),
    ("mailnoun", "email"),
    ("event", "calendar"),
    ("cal", "calendar"),
    ("contact", "contacts"),
];

/// The bytes of the one condition of a message, if it is all that was left unread but what is cheap.
pub(super) fn only_condition(account: &Account) -> Option<Range<usize>> {
    let is = |part: &&AccountedPart| part.role == SpanRole::Skipped(TokenClass::Condition);
    let mut parts = account.parts.iter().filter(is);
    let first = parts.next()?.span.clone();
    parts.next().is_none().then_some(first)
}

/// The person's own words, and the bytes of the first condition in them, up to a mark or the end.
pub(super) fn spoken(hearing: &Hearing) -> Option<(String, Range<usize>)> {
    let text = own_words(hearing.text);
    let heard = AnnotatedText::new(&text, hearing.reference, GRAMMAR.lexicon);
    let quoted = heard.quoted();
    let ids: Vec<WordId> = heard.tokens.iter().map(|token| token.id).collect();
    let first = (0..ids.len()).find(|at| {
        let asks = || ids[..*at].iter().any(|id| GRAMMAR.lexicon.is_phrase("whether", &[*id]));
        !quoted[*at] && GRAMMAR.lexicon.starts("dearcondition", &ids[*at..]).is_some() && !asks()
    })?;
    let ends = |at: &usize| heard.tokens[*at].mark == Mark::Stop || heard.typed(*at) == ",";
    let end = (first..ids.len()).find(ends).unwrap_or(ids.len());
    let span = heard.tokens[first].span.start..heard.tokens.get(end).map_or(text.len(), |token| token.span.start);
    Some((text, span))
}

/// A message without some of its bytes, and without the marks that parted them from the rest.
pub(super) fn without(text: &str, span: &Range<usize>) -> String {
    let before = text[..span.start].trim_end().trim_end_matches([',', '-', '–', '—']).trim_end();
    let behind = text[span.end..].trim_start().trim_start_matches([',', '-', '–', '—']).trim_start();
    let rest = behind.strip_prefix("then ").unwrap_or(behind);
    format!("{before} {rest}").trim().to_owned()
}

/// What the words of a condition ask for.
pub(super) fn read(said: &str, reference: &Reference) -> Condition {
    let said = tidy(said);
    let words = Words::of(&said);
    let opening = words.starts("dearcondition", 0).unwrap_or(0);
    let unless = words.starts("unless", 0).is_some();
    let text = words.from(opening).to_owned();
    let free = words.starts("isfree", opening);
    let busy = words.starts("isbusy", opening);
    let lacks = words.starts("lacks", opening);
    let has = words.starts("holds", opening);
    let found = time::find(&text, reference);
    let when = || found.first().map(|found| text[found.span.clone()].trim().to_owned()).unwrap_or_default();
    let (kind, is_not) = if free.or(busy).is_some() {
        (ConditionKind::Free { when: when() }, free.is_none())
    } else if let Some(len) = lacks.or(has) {
        let thing = without_determiner(words.from(opening + len)).to_owned();
        let service = service_of(&thing);
        (ConditionKind::Exists { service, words: thing }, lacks.is_some())
    } else {
        (ConditionKind::Unknown, false)
    };
    Condition { text, negated: unless != is_not, kind }
}

fn service_of(thing: &str) -> Option<String> {
    let ids: Vec<WordId> = tokens(thing, GRAMMAR.lexicon).into_iter().map(|token| token.id).collect();
    let kept = KEPT_BY.into_iter().find(|(class, _)| GRAMMAR.lexicon.find(class, &ids).is_some());
    kept.map(|(_, service)| service.to_owned())
}

struct Words<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        let tokens = tokens(text, GRAMMAR.lexicon).into_iter().filter(|token| token.mark == Mark::Word).collect();
        Words { text, tokens }
    }

    fn starts(&self, class: &str, at: usize) -> Option<usize> {
        let ids: Vec<WordId> = self.tokens.iter().skip(at).map(|token| token.id).collect();
        GRAMMAR.lexicon.starts(class, &ids)
    }

    fn from(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.text[token.span.start..])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::monday;
    use super::*;

    fn exists(service: &str, words: &str) -> ConditionKind {
        let service = Some(service.to_owned()).filter(|service| !service.is_empty());
        ConditionKind::Exists { service, words: words.to_owned() }
    }

    #[test]
    fn a_condition_says_what_has_to_be_known() {
        for (said, text, negated, kind) in [
            ("if it rains", "it rains", false, ConditionKind::Unknown),
            ("unless it rains", "it rains", true, ConditionKind::Unknown),
            ("if I'm free at 3", "I'm free at 3", false, ConditionKind::Free { when: "at 3".to_owned() }),
            ("if i am free", "i am free", false, ConditionKind::Free { when: String::new() }),
            ("if I'm busy at 3", "I'm busy at 3", true, ConditionKind::Free { when: "at 3".to_owned() }),
            (
                "unless I already have a dentist appointment",
                "I already have a dentist appointment",
                true,
                exists("calendar", "dentist appointment"),
            ),
            ("if it isn't on the list yet", "it isn't on the list yet", true, exists("keep", "list yet")),
            ("if there is no reminder", "there is no reminder", true, exists("task", "reminder")),
        ] {
            let wanted = Condition { text: text.to_owned(), negated, kind };
            assert_eq!(read(said, &monday()), wanted, "{said}");
        }
    }
}
