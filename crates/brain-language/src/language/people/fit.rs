//! How a name fits a person: whose word it is that they are called so.
//!
//! Invariant: only a name that the person chose fits exactly. One that somebody else gave, be it themself or whoever
//! else writes into an address book, can be equal and no more, and what is nobody's name
//! (`data/language/people/nobody.txt`) fits nobody whom the person does not call so.

use std::sync::LazyLock;

use super::{Candidate, NamedBy, is_slip, local_part};
use crate::language::word_classes::class_names;
use crate::language::words::words;
use brain_core::core::text::without_hidden;

class_names! {
    /// Words that others cannot make anybody's name.
    NobodysWords {
        oneself,
        everybody,
        group,
        standing,
    }
}

static NOBODYS: LazyLock<NobodysWords> =
    LazyLock::new(|| NobodysWords::read(&[include_str!("../../../../../data/language/people/nobody.txt")]));

/// How a name fits, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameFit {
    Part,
    /// All of it, as somebody else calls them.
    Equal,
    /// All of it, as the person calls them.
    Exact,
}

/// A name as it is looked for.
#[derive(Debug)]
pub(super) struct NameQuery {
    pub words: Vec<String>,
}

/// What people put before a name that is no part of it.
const OWN: [&str; 15] =
    ["my", "our", "the", "mein", "meine", "meiner", "der", "die", "das", "ma", "mon", "la", "le", "mi", "моя"];
/// Titles: they neither help nor hinder.
const TITLES: [&str; 9] = ["dr", "mr", "mrs", "ms", "miss", "prof", "herr", "frau", "mx"];
/// Words for the same relation.
pub(super) const RELATIONS: [&[&str]; 4] = [
    &["mum", "mom", "mother", "mummy", "mommy", "mama", "mamma", "mutti", "mutter", "maman", "мама"],
    &["dad", "father", "daddy", "papa", "pa", "vati", "vater", "папа"],
    &["grandma", "granny", "gran", "nan", "grandmother", "oma", "grandmere", "abuela"],
    &["grandpa", "granddad", "grandad", "grandfather", "opa", "abuelo"],
];

/// Whether a folded word is what somebody is to the person, and called so: a kinship.
pub fn is_relation(word: &str) -> bool {
    RELATIONS.iter().any(|same| same.contains(&word))
}

/// Whether a folded word stands before a name and is none.
pub fn is_title(word: &str) -> bool {
    TITLES.contains(&word.trim_matches('.'))
}

/// Whether these words name nobody whom somebody else calls so.
pub(super) fn is_nobodys(name: &[String]) -> bool {
    let NobodysWords { oneself, everybody, group, standing } = &*NOBODYS;
    let is_nobodys = |word: &String| {
        OWN.contains(&word.as_str())
            || is_relation(word)
            || [oneself, everybody, group, standing].iter().any(|class| class.holds(word))
    };
    name.iter().all(is_nobodys)
}

/// Whether what somebody else calls somebody, or a group, is a name at all.
pub fn may_be_called(name: &str) -> bool {
    !name.contains('@') && !is_nobodys(&name_words(name))
}

impl NameQuery {
    pub fn new(asked: &str) -> Self {
        let mut words = name_words(asked);
        if words.len() > 1 && words.first().is_some_and(|w| OWN.contains(&w.as_str())) {
            words.remove(0);
        }
        Self { words }
    }

    pub fn fit(&self, person: &Candidate) -> Option<NameFit> {
        if self.words.is_empty() {
            return None;
        }
        let (own, others) = names_of(person);
        if own.iter().any(|name| self.is_same(name)) {
            return Some(NameFit::Exact);
        }
        if others.iter().any(|name| self.is_same(name)) {
            return Some(NameFit::Equal);
        }
        let local_parts = person.emails.iter().map(|email| name_words(&local_part(email)));
        let all_in = |name: &Vec<String>| self.words.iter().all(|word| name.contains(word));
        let is_sought = !is_nobodys(&self.words);
        let part = own.iter().any(all_in)
            || is_sought && (others.iter().any(all_in) || local_parts.into_iter().any(|name| all_in(&name)));
        part.then_some(NameFit::Part)
    }

    fn is_same(&self, name: &[String]) -> bool {
        if self.words == name {
            return true;
        }
        let ([asked], [has]) = (self.words.as_slice(), name) else {
            return false;
        };
        RELATIONS.iter().any(|same| same.contains(&asked.as_str()) && same.contains(&has.as_str()))
    }

    /// Every word of the name is one or, if long, two slips away from a word of theirs.
    pub fn is_near(&self, person: &Candidate) -> bool {
        let (own, others) = names_of(person);
        let theirs: Vec<String> = own.into_iter().chain(others).flatten().collect();
        let near = |word: &String| theirs.iter().any(|their| is_slip(word, their));
        !self.words.is_empty() && self.words.iter().all(near)
    }
}

/// The names that the person gave somebody, and those that others did.
fn names_of(person: &Candidate) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let words = |names: &[String]| names.iter().map(|name| name_words(name)).collect::<Vec<_>>();
    let (mut own, mut others) = (words(&person.nicknames), words(&person.claimed));
    match person.named_by {
        NamedBy::Person => own.insert(0, name_words(&person.name)),
        NamedBy::Others | NamedBy::Themself => others.insert(0, name_words(&person.name)),
    }
    others.retain(|name| !is_nobodys(name));
    (own, others)
}

/// The words of a name without titles and without what cannot be seen; a name that is nothing but a title keeps it.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let all: Vec<String> = words(&without_hidden(name)).iter().map(|word| word.trim_matches('.').to_owned()).collect();
    let bare: Vec<String> = all.iter().filter(|word| !TITLES.contains(&word.as_str())).cloned().collect();
    if bare.is_empty() { all } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_what_is_nobodys_name_has_words() {
        assert_eq!(NOBODYS.empty(), Vec::<&str>::new());
        for (name, expected) in [("The team", false), ("my Boss", false), ("Anna", true), ("Team Berlin", true)] {
            assert_eq!(may_be_called(name), expected, "{name}");
        }
    }
}
