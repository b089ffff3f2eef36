//! Conditions of a request: what has to hold, or must not, for it to be done.
//!
//! What stands in a condition is taken out, and the rest is planned as if it had been said alone. Not here: whether a
//! condition holds.

use std::ops::Range;

use super::account::{AccountedPart, PartAccount, SpanRole};
use super::annotated::AnnotatedText;
use super::carried::CarriedValues;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::prices::TokenClass;
use super::reading::tidy;
use super::several::JOINTS;
use super::text::{TokenMark, own_words};
use crate::core::plan::PlannedAction;
use crate::language::time::{self, Reference};
use crate::language::tokens::lower;

/// What a request depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// In the person's words, whole: with its conjunction.
    pub said: String,
    /// Whether that is all that the request depends on.
    pub is_all: bool,
}

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
    /// The same behind a verb of asking, whose object it is; behind one of sending it may be a condition.
    asking: Vec<Range<usize>>,
    /// Whether there is one condition only, and all of it stands in its span.
    pub is_simple: bool,
}

/// A look that a message asks for first, and on which the rest of it depends: "check whether I'm free at 3 and, if so,
/// book it".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckedFirst {
    /// The person's own words.
    pub text: String,
    /// Bytes of the look and of what points back at it; the rest is what depends on it.
    pub span: Range<usize>,
    /// The look as a condition.
    pub condition: Condition,
}

impl CheckedFirst {
    pub fn find(text: &str, reference: &Reference) -> Option<CheckedFirst> {
        let text = own_words(text);
        let heard = AnnotatedText::new(&text, reference, GRAMMAR.lexicon);
        let lexicon = GRAMMAR.lexicon;
        let ids: Vec<WordId> = heard.tokens.iter().map(|token| token.id).collect();
        let quoted = heard.quoted();
        let is_word = |at: &usize| heard.tokens[*at].mark == TokenMark::Word;
        let starts = |class: &str, at: usize| lexicon.starts(class, &ids[at..]);
        let (at, len, is_so) = (1..ids.len()).filter(|at| !quoted[*at]).find_map(|at| {
            let set_apart = |len: &usize| heard.tokens.get(at + len).is_some_and(|next| next.mark != TokenMark::Word);
            let so = starts("ifso", at).or(starts("ifsoapart", at).filter(set_apart)).map(|len| (at, len, true));
            so.or(starts("ifnot", at).map(|len| (at, len, false)))
        })?;
        // Up to the last word before it that joins nothing.
        let joins = |at: &usize| JOINTS.contains(&lower(heard.typed(*at)).as_str());
        let end = (0..at).rev().find(|at| is_word(at) && !joins(at))?;
        let lead = |from: usize| lexicon.starts("lead", &ids[from..=end]).map_or(from, |len| from + len);
        let asked = (1..=end).find(|at| lexicon.is_phrase("asksso", &ids[*at..=*at]));
        let is_question = (end + 1..at).any(|at| heard.typed(at) == "?");
        let from = match asked {
            // Behind a verb of asking, with nothing before it.
            Some(asks) if starts("whether", lead(0)).is_some_and(|len| lead(0) + len == asks) => asks + 1,
            Some(_) => return None,
            None if is_question => lead(0),
            None => return None,
        };
        // One look, in one sentence, and nothing that is to be done otherwise.
        let one = (from..=end).all(|at| heard.tokens[at].mark != TokenMark::Stop);
        let behind =
            (at + len..ids.len()).all(|at| starts("dearcondition", at).is_none() && starts("otherwise", at).is_none());
        let looked_for = text.get(heard.tokens.get(from)?.span.start..heard.tokens[end].span.end)?;
        if !one || !behind || at + len >= ids.len() {
            return None;
        }
        let said = format!("{} {}", if is_so { "if" } else { "unless" }, looked_for.trim());
        let span = 0..heard.tokens[at + len - 1].span.end;
        Some(CheckedFirst { span, condition: Condition { said, is_all: true }, text })
    }

    /// What depends on it, in the person's words.
    pub fn rest(&self) -> String {
        without(&self.text, std::slice::from_ref(&self.span))
    }
}

/// What a message depends on that some actions do not hold in their own words: nothing else of it may be done.
pub fn unheeded_conditions(text: &str, reference: &Reference, actions: &[PlannedAction]) -> Vec<Condition> {
    if let Some(checked) = CheckedFirst::find(text, reference) {
        return vec![checked.condition];
    }
    let spoken = Spoken::find(text, reference);
    let carried = CarriedValues::by(actions);
    // A title, or a letter, that says it itself.
    let is_told = |said: &str, needs_opening: bool| {
        let mut words = said.split_whitespace();
        let opens = words.next().is_none_or(|first| !needs_opening || carried.holds(first));
        let behind: Vec<&str> = words.take(SHOWING_WORDS).collect();
        opens && behind.iter().filter(|word| carried.holds(word)).count() * 2 >= behind.len()
    };
    let is_simple = spoken.is_simple && spoken.asking.is_empty() || spoken.asking.len() == 1 && spoken.spans.is_empty();
    let read = |span: &Range<usize>| Condition { said: tidy(&spoken.text[span.clone()]), is_all: is_simple };
    let (set, asking) = (spoken.spans.iter().map(read), spoken.asking.iter().map(read));
    let set = set.filter(|condition| !is_told(&condition.said, true));
    set.chain(asking.filter(|condition| !is_told(&condition.said, false))).collect()
}

/// The bytes of the one condition of a message, if it is all that was left unread but what is cheap.
pub(super) fn only_condition(account: &PartAccount) -> Option<Range<usize>> {
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
        let is_mark = |at: usize| heard.tokens[at].mark == TokenMark::Stop || heard.typed(at) == ",";
        let starts = |class: &str, at: usize| !quoted[at] && lexicon.starts(class, &ids[at..]).is_some();
        let mut spoken = Spoken { text: text.clone(), spans: Vec::new(), asking: Vec::new(), is_simple: true };
        let (mut at, mut asks, mut conditions) = (0, false, 0);
        while at < ids.len() {
            asks = (asks && heard.tokens[at].mark != TokenMark::Stop) || lexicon.is_phrase("whether", &ids[at..=at]);
            let is_otherwise = at > 0 && starts("otherwise", at);
            if !is_otherwise && !starts("dearcondition", at) {
                at += 1;
                continue;
            }
            let end = (at..ids.len()).find(|at| is_mark(*at)).unwrap_or(ids.len());
            if !POLITE.iter().any(|class| lexicon.is_phrase(class, &ids[at..end])) {
                let span = heard.tokens[at].span.start..heard.tokens.get(end).map_or(text.len(), |t| t.span.start);
                // A condition goes on behind a comma and a second conjunction.
                let goes_on = end + 1 < ids.len() && heard.typed(end) == "," && starts("goeson", end + 1);
                spoken.is_simple &= !goes_on;
                conditions += usize::from(!is_otherwise && !asks);
                if asks { spoken.asking.push(span) } else { spoken.spans.push(span) }
            }
            at = end;
        }
        // A conjunction of the contrary tells why, where nothing depends on anything.
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

/// The one time that is named in a text, in its words.
pub(super) fn only_time<'t>(text: &'t str, reference: &Reference) -> Option<&'t str> {
    match time::find(text, reference).as_slice() {
        [only] => text.get(only.span.clone()),
        _ => None,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::monday;
    use super::*;
    use crate::core::plan::PlannedAction;

    #[test]
    fn a_look_that_the_rest_depends_on_is_a_condition() {
        for (text, condition, rest) in [
            ("check whether I'm free at 3 and, if so, book it with Ana", Some("if I'm free at 3"), "book it with Ana"),
            ("please check if I'm free at 3 and if so book gym", Some("if I'm free at 3"), "book gym"),
            ("am I free at 3? If so, add lunch", Some("if am I free at 3"), "add lunch"),
            ("am I free at 3? If I am, add lunch", Some("if am I free at 3"), "add lunch"),
            ("see whether I have milk and if not, add milk", Some("unless I have milk"), "add milk"),
            ("add milk and check whether I'm free and if so add gym", None, ""),
            ("check whether I'm free at 3 and if so add gym, otherwise remind me to run", None, ""),
            ("remind me to ask whether he is there", None, ""),
        ] {
            let found = CheckedFirst::find(text, &monday());
            assert_eq!(found.as_ref().map(|found| found.condition.said.as_str()), condition, "{text}");
            assert_eq!(found.map(|found| found.rest()).unwrap_or_default(), rest, "{text}");
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
