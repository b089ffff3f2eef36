//! On what a request depends: "if I'm free at 3", "unless I already have a dentist appointment".
//!
//! What stands in a condition is taken out, and the rest is planned as if it had been said alone. Not here: whether a
//! condition holds.

use std::ops::Range;

use super::account::{Account, AccountedPart, SpanRole};
use super::annotated::AnnotatedText;
use super::carried::Carried;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::prices::TokenClass;
use super::reading::{tidy, without_determiner};
use super::text::{Mark, Token, own_words, tokens};
use crate::core::plan::PlannedAction;
use crate::language::time;
use crate::language::time::Reference;
use crate::language::tokens::lower;

/// What a request depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// In the person's words, whole: "unless I'm free at 3".
    pub said: String,
    /// Without the word that says which way it counts: "I'm free at 3".
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
    ("notenoun", "keep"),
    ("tasknoun", "task"),
    ("tasklist", "task"),
    ("mailnoun", "email"),
    ("event", "calendar"),
    ("cal", "calendar"),
    ("contact", "contacts"),
];
/// A condition about what the request itself is about begins so.
const ITSELF: [&str; 6] = ["it", "it's", "its", "it’s", "that", "that's"];
/// Said out of politeness, whatever it begins with.
const POLITE: [&str; 6] = ["lead", "tail", "delead", "detail", "giveup", "closing"];
/// Words of a condition that show whether something else says it.
const SHOWING_WORDS: usize = 5;

/// Where a message says what it depends on.
#[derive(Debug)]
pub(super) struct Spoken {
    /// The person's own words.
    pub text: String,
    /// Bytes of each condition, and of what is to be done otherwise, up to a mark or the end.
    pub spans: Vec<Range<usize>>,
    /// The same behind what asks: "ask Tom if it rains" sets no condition, "text Tom if it rains" may.
    asking: Vec<Range<usize>>,
    /// Whether there is one condition only, and all of it stands in its span.
    pub is_simple: bool,
}

/// What a message depends on that some actions do not hold in their own words: nothing else of it may be done.
pub fn unheeded_conditions(text: &str, reference: &Reference, actions: &[PlannedAction]) -> Vec<Condition> {
    let spoken = Spoken::find(text, reference);
    let carried = Carried::by(actions);
    // A title, or a letter, that says it itself.
    let is_told = |said: &str, needs_opening: bool| {
        let mut words = said.split_whitespace();
        let opens = words.next().is_none_or(|first| !needs_opening || carried.holds(first));
        let behind: Vec<&str> = words.take(SHOWING_WORDS).collect();
        opens && behind.iter().filter(|word| carried.holds(word)).count() * 2 >= behind.len()
    };
    let is_simple = spoken.is_simple && spoken.asking.is_empty() || spoken.asking.len() == 1 && spoken.spans.is_empty();
    let read = |span: &Range<usize>| {
        let condition = read(&spoken.text[span.clone()], reference);
        if is_simple { condition } else { condition.unknown() }
    };
    let (set, asking) = (spoken.spans.iter().map(read), spoken.asking.iter().map(read));
    let set = set.filter(|condition| !is_told(&condition.said, true));
    set.chain(asking.filter(|condition| !is_told(&condition.said, false))).collect()
}

impl Condition {
    /// The same, where more depends on more than that.
    pub(super) fn unknown(self) -> Condition {
        Condition { kind: ConditionKind::Unknown, ..self }
    }
}

/// The bytes of the one condition of a message, if it is all that was left unread but what is cheap.
pub(super) fn only_condition(account: &Account) -> Option<Range<usize>> {
    let is = |part: &&AccountedPart| part.role == SpanRole::Skipped(TokenClass::Condition);
    let mut parts = account.parts.iter().filter(is);
    let first = parts.next()?.span.clone();
    parts.next().is_none().then_some(first)
}

impl Spoken {
    pub fn find(text: &str, reference: &Reference) -> Spoken {
        let text = own_words(text);
        let heard = AnnotatedText::new(&text, reference, GRAMMAR.lexicon);
        let lexicon = GRAMMAR.lexicon;
        let ids: Vec<WordId> = heard.tokens.iter().map(|token| token.id).collect();
        let quoted = heard.quoted();
        let is_mark = |at: usize| heard.tokens[at].mark == Mark::Stop || heard.typed(at) == ",";
        let starts = |class: &str, at: usize| !quoted[at] && lexicon.starts(class, &ids[at..]).is_some();
        let mut spoken = Spoken { text: text.clone(), spans: Vec::new(), asking: Vec::new(), is_simple: true };
        let (mut at, mut asks, mut conditions) = (0, false, 0);
        while at < ids.len() {
            asks = (asks && heard.tokens[at].mark != Mark::Stop) || lexicon.is_phrase("whether", &ids[at..=at]);
            let is_otherwise = at > 0 && starts("otherwise", at);
            if !is_otherwise && !starts("dearcondition", at) {
                at += 1;
                continue;
            }
            let end = (at..ids.len()).find(|at| is_mark(*at)).unwrap_or(ids.len());
            if !POLITE.iter().any(|class| lexicon.is_phrase(class, &ids[at..end])) {
                let span = heard.tokens[at].span.start..heard.tokens.get(end).map_or(text.len(), |t| t.span.start);
                // "If I'm free, or if Anna is".
                let goes_on = end + 1 < ids.len() && heard.typed(end) == "," && starts("goeson", end + 1);
                spoken.is_simple &= !goes_on;
                conditions += usize::from(!is_otherwise && !asks);
                if asks { spoken.asking.push(span) } else { spoken.spans.push(span) }
            }
            at = end;
        }
        // "Otherwise I forget" tells why, where nothing depends on anything.
        if conditions == 0 {
            spoken.spans.clear();
        }
        spoken.is_simple &= spoken.spans.len() == 1;
        spoken
    }

    /// The person's own words, and the first of its conditions.
    pub fn first(self) -> Option<(String, Range<usize>)> {
        let first = self.spans.into_iter().next()?;
        Some((self.text, first))
    }
}

/// A message without some of its bytes, and without the marks that parted them from the rest.
pub(super) fn without(text: &str, spans: &[Range<usize>]) -> String {
    let ends = spans.iter().skip(1).map(|next| next.start).chain([text.len()]);
    let before = spans.first().map_or(text, |first| &text[..first.start]).to_owned();
    spans.iter().zip(ends).fold(before, |before, (span, end)| joined(&before, &text[span.end..end]))
}

fn joined(before: &str, behind: &str) -> String {
    let before = before.trim_end().trim_end_matches([',', '-', '–', '—']).trim_end();
    let behind = behind.trim_start().trim_start_matches([',', '-', '–', '—']).trim_start();
    let rest = behind.strip_prefix("then ").unwrap_or(behind);
    format!("{before} {rest}").trim().to_owned()
}

/// What the words of a condition ask for.
pub(super) fn read(said: &str, reference: &Reference) -> Condition {
    let said = tidy(said);
    let words = Words::of(&said);
    let opening = words.starts("isornot", 0).filter(|len| words.starts("dearcondition", 0) == Some(*len));
    let unless = words.starts("unless", 0).is_some();
    let text = words.from(opening.unwrap_or(0)).to_owned();
    let (kind, is_not) = opening.and_then(|at| words.kind(at, reference)).unwrap_or((ConditionKind::Unknown, false));
    let negated = unless != is_not;
    Condition { text, negated, kind, said: said.clone() }
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

    /// What has to be known, and whether it must not be so; `None` where a word of it is not understood.
    fn kind(&self, opening: usize, reference: &Reference) -> Option<(ConditionKind, bool)> {
        let starts = |class| self.starts(class, opening);
        let (free, busy, lacks, holds) = (starts("isfree"), starts("isbusy"), starts("lacks"), starts("holds"));
        if let Some(len) = free.or(busy) {
            let when = self.time(opening + len, reference)?;
            return Some((ConditionKind::Free { when }, free.is_none()));
        }
        let thing = Words::of(self.from(opening + lacks.or(holds)?));
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
        let says_no_more = |rest| Words::of(rest).is_all("moment");
        (says_no_more(before) && says_no_more(behind)).then(|| when.trim().to_owned())
    }

    /// What a thing is called, if these words are its name; the outer `None` where they only say what sort it is of.
    fn thing(&self, is_itself: bool) -> Option<Option<String>> {
        let end = (0..self.tokens.len()).find(|at| Words::of(self.from(*at)).is_all("alreadythere"));
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
    use serde_json::json;

    use super::super::tests::monday;
    use super::*;
    use crate::core::plan::PlannedAction;

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
            let wanted = Condition { said: said.to_owned(), text: text.to_owned(), negated, kind };
            assert_eq!(read(said, &monday()), wanted, "{said}");
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
            assert_eq!(read(said, &monday()).kind, ConditionKind::Unknown, "{said}");
        }
    }

    #[test]
    fn whatever_a_plan_depends_on_and_does_not_say_itself_is_unheeded() {
        let planned = |title: &str| {
            let params = json!({"title": title}).as_object().cloned().unwrap_or_default();
            vec![PlannedAction {
                service: "task".to_owned(),
                command: "create".to_owned(),
                params,
                ..PlannedAction::default()
            }]
        };
        for (text, title, unheeded) in [
            ("remind me to call mom if it rains", "Call mom", vec!["if it rains"]),
            ("remind me to call mom only if it rains", "Call mom", vec!["only if it rains"]),
            ("remind me to call mom if it rains", "Call mom if it rains", vec![]),
            ("ask Tom if it rains", "Ask Tom whether it rains", vec![]),
            ("text Tom the address if it rains", "Text Tom the address", vec!["if it rains"]),
            ("remind me to call mom if possible", "Call mom", vec![]),
            ("remind me to call mom, otherwise I forget", "Call mom", vec![]),
            (
                "if it rains, remind me to call mom, otherwise remind me to swim",
                "Call mom",
                vec!["if it rains", "otherwise remind me to swim"],
            ),
            (
                "if it rains call mom; if it snows call dad",
                "Call mom",
                vec!["if it rains call mom", { "if it snows call dad" }],
            ),
            ("note \u{201c}if it rains\u{201d}", "it", vec![]),
        ] {
            let found = unheeded_conditions(text, &monday(), &planned(title));
            assert_eq!(found.iter().map(|one| one.said.as_str()).collect::<Vec<_>>(), unheeded, "{text}");
        }
    }
}
