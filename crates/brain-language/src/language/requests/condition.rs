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
use super::text::{TokenMark, own_words};
use crate::language::time::Reference;
use brain_core::core::plan::PlannedAction;

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
/// Parameters that say which thing is meant, or what becomes of it.
const WHICH: [&str; 2] = ["find_by", "changes"];
/// Words of a condition that stand together where something says it.
const OPENING_WORDS: usize = 3;
/// Of a clause that begins; behind so many tokens no verb belongs to a subject.
const CLAUSE_TOKENS_SEEN: usize = 12;
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

/// What a message depends on that some actions do not hold in their own words: nothing else of it may be done.
pub fn unheeded_conditions(text: &str, reference: &Reference, actions: &[PlannedAction]) -> Vec<Condition> {
    let spoken = Spoken::find(text, reference);
    let carried = CarriedValues::by(actions);
    let is_simple = spoken.is_simple && spoken.asking.is_empty() || spoken.asking.len() == 1 && spoken.spans.is_empty();
    let read = |span: &Range<usize>| Condition { said: tidy(&spoken.text[span.clone()]), is_all: is_simple };
    let (set, asking) = (spoken.spans.iter().map(read), spoken.asking.iter().map(read));
    let set = set.filter(|condition| !is_told(&carried, &condition.said, true));
    set.chain(asking.filter(|condition| !is_told(&carried, &condition.said, false))).collect()
}

/// Whether a title, or a letter, says a condition itself.
fn is_told(carried: &CarriedValues, said: &str, needs_opening: bool) -> bool {
    let mut words = said.split_whitespace();
    let opens = words.next().is_none_or(|first| !needs_opening || carried.holds(first));
    let behind: Vec<&str> = words.take(SHOWING_WORDS).collect();
    opens && behind.iter().filter(|word| carried.holds(word)).count() * 2 >= behind.len()
}

/// Whether a conjunction of time begins a clause, and no phrase that says when: by a verb behind its subject, where the
/// conjunction may begin either. A verb before its subject sets a condition where the sentence begins with it.
fn is_clause(heard: &AnnotatedText, ids: &[WordId], at: usize, is_first: bool) -> bool {
    let lexicon = GRAMMAR.lexicon;
    let starts = |class: &str| lexicon.starts(class, &ids[at..]);
    let (opener, needs_verb) = match (starts("clauseopener"), starts("clauseorphrase"), starts("clauseinverted")) {
        (Some(len), other, _) if other.is_none_or(|other| other <= len) => (len, false),
        (_, Some(len), _) => (len, true),
        (_, None, Some(len)) if is_first => (len, false),
        (_, None, _) => return false,
    };
    // A time is when it is to be done.
    if heard.hidden_by(at).is_some_and(|mask| heard.time(mask).is_some()) {
        return false;
    }
    let ends = |at: &usize| heard.tokens[*at].mark == TokenMark::Stop || heard.typed(*at) == ",";
    let near = ids.len().min(at + opener + CLAUSE_TOKENS_SEEN);
    let end = (at..near).find(ends).unwrap_or(near);
    let rest = heard.ids(at + opener..end.max(at + opener));
    let is = |class: &str, word: &WordId| lexicon.is_phrase(class, std::slice::from_ref(word));
    let has_verb =
        || rest.iter().skip(1).take_while(|word| !is("clausebreak", word)).any(|word| is("clauseverb", word));
    let is_inverted = starts("clauseinverted") == Some(opener);
    let asks = lexicon.starts("noclause", rest).is_some() || is_inverted && ids.get(end).is_none_or(|_| !ends(&end));
    let is_sought = (1..=2).any(|n| n <= at && lexicon.is_phrase("asksbefore", &ids[at - n..at]));
    !asks && !is_sought && rest.len() > 1 && (!needs_verb || has_verb())
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
        let (ids, quoted) = (&heard.words, &heard.quoted);
        let is_mark = |at: usize| heard.tokens[at].mark == TokenMark::Stop || heard.typed(at) == ",";
        let starts = |class: &str, at: usize| !quoted[at] && lexicon.starts(class, &ids[at..]).is_some();
        let mut spoken = Spoken { text: text.clone(), spans: Vec::new(), asking: Vec::new(), is_simple: true };
        let (mut at, mut asks, mut conditions) = (0, false, 0);
        while at < ids.len() {
            asks = (asks && heard.tokens[at].mark != TokenMark::Stop) || lexicon.is_phrase("whether", &ids[at..=at]);
            let is_otherwise = at > 0 && starts("otherwise", at);
            let opens = || !quoted[at] && is_clause(&heard, ids, at, at == 0 || is_mark(at - 1));
            if !is_otherwise && !starts("dearcondition", at) && !opens() {
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

    /// What of it no action says itself: in a text that is kept, said or called so, as it was said. What finds or
    /// changes something says nothing of when.
    pub fn dropped(&self, account: &PartAccount, actions: &[PlannedAction]) -> Option<Range<usize>> {
        let mut actions = actions.to_vec();
        actions.iter_mut().for_each(|action| action.params.retain(|name, _| !WHICH.contains(&name.as_str())));
        let carried = CarriedValues::by(&actions);
        let is_heeded = |span: &Range<usize>| {
            let said = tidy(&self.text[span.clone()]);
            let opening: Vec<&str> = said.split_whitespace().take(OPENING_WORDS).collect();
            let part = account.parts.iter().find(|part| part.span.contains(&span.start) && account.text == self.text);
            let role = part.map(|part| &part.role);
            // A letter is worded anew.
            let is_said = || role.is_some_and(SpanRole::is_letter) || carried.holds_all(&opening.join(" "));
            role == Some(&SpanRole::Time) || is_told(&carried, &said, true) && is_said()
        };
        self.spans.iter().find(|span| !is_heeded(span)).cloned()
    }

    /// Whether the message begins with a condition.
    pub fn begins(&self) -> Option<Range<usize>> {
        self.spans.first().filter(|span| self.text[..span.start].trim().is_empty()).cloned()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::language::testing::monday;
    use brain_core::core::plan::PlannedAction;

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
