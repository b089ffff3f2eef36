//! Pronouns of the third person: a word that stands for somebody who was named before.

use std::ops::Range;

use super::choices;
use crate::language::words::{spaced, words};

/// A word that stands for one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonPronoun {
    span: Range<usize>,
    /// It says whose something is, as a determiner.
    is_possessive: bool,
}

impl PersonPronoun {
    /// The only one in a text, before what is dictated behind a colon.
    pub fn only_one(text: &str) -> Option<Self> {
        let said = text.split_once(": ").map_or(text, |(before, _)| before);
        let tokens: Vec<(Range<usize>, String)> = spaced(said);
        let mut all = tokens.iter().enumerate().filter_map(|(at, (span, word))| {
            let is_theirs = choices::stands_for_somebody(word)?;
            let next = tokens.get(at + 1).map(|(_, word)| word.as_str());
            let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map(|(_, word)| word.as_str());
            let owns = next.is_some_and(|next| !choices::is_light(next))
                && before.is_none_or(|before| !choices::stands_before_somebody(before));
            Some(Self { span: span.clone(), is_possessive: is_theirs || owns })
        });
        all.next().filter(|_| all.next().is_none())
    }

    /// The text with a name in its place.
    pub fn named(&self, text: &str, name: &str) -> String {
        let (before, behind) = (&text[..self.span.start], &text[self.span.end..]);
        let s = if self.is_possessive { "'s" } else { "" };
        format!("{before}{name}{s}{behind}")
    }
}

/// The one name in a text that is made of words of which this is true; `None` where there are several.
pub fn only_name(text: &str, names_somebody: impl Fn(&str) -> bool) -> Option<&str> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (span, word) in spaced(text) {
        // A possessive form is folded to words of which the first is the name.
        if !words(&word).first().is_some_and(|word| names_somebody(word)) {
            continue;
        }
        match spans.last_mut() {
            Some(last) if text[last.end..span.start].trim().is_empty() => last.end = span.end,
            Some(_) | None => spans.push(span),
        }
    }
    let [only] = spans.as_slice() else { return None };
    let name = &text[only.clone()];
    Some(name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_where_the_pronoun_stood() {
        for (text, again) in [
            ("answer her: yes, she can come", Some("answer Sarah: yes, she can come")),
            ("what's her number?", Some("what's Sarah's number?")),
            ("when do I meet her?", Some("when do I meet Sarah?")),
            ("write her that I'll be late", Some("write Sarah that I'll be late")),
            ("is it his birthday?", Some("is it Sarah's birthday?")),
            ("email her tomorrow's plan", Some("email Sarah tomorrow's plan")),
            ("tell him that she called", None),
            ("water the ferns", None),
        ] {
            let pronoun = PersonPronoun::only_one(text);
            assert_eq!(pronoun.map(|it| it.named(text, "Sarah")).as_deref(), again, "{text}");
        }
    }

    #[test]
    fn one_name_is_taken_as_it_was_said() {
        let known = |word: &str| ["sarah", "lindqvist", "tom"].contains(&word);
        assert_eq!(only_name("who is Sarah Lindqvist?", known), Some("Sarah Lindqvist"));
        assert_eq!(only_name("what was Sarah's idea", known), Some("Sarah"));
        assert_eq!(only_name("lunch with Sarah and Tom", known), None);
        assert_eq!(only_name("buy milk", known), None);
    }
}
