//! Person look-up: who is meant by a name, over everybody who could be.
//!
//! Invariants:
//! - An address stays itself. A name becomes an address only when exactly one person fits, and never through
//!   a spelling mistake: a near miss is offered, not taken.
//! - Saved people come first: one of them who fits exactly is meant, and one who fits in part is never passed over for
//!   somebody who was only written to; then both are asked about.
//! - Somebody only seen as the sender of a mail is considered when nobody saved or written to fits, and the
//!   match says so.
//! - A name that somebody chose for themself never fits exactly: it outranks nobody, and the match says so.
//! - A group is all of its members or nothing: a member without an address is named, not left out.

use super::words::{distance, fold, words};

mod handles;

pub use handles::{handles, handles_of, may_mean, name_words_of, words_meant};

/// How well the person knows somebody, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Familiarity {
    /// Only seen as the sender of a mail: their name is their own claim.
    Seen,
    /// The person has written to them.
    Written,
    /// Saved by the person.
    Saved,
}

/// Who chose a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The person: they saved it, or wrote it in front of the address.
    Person,
    /// Whoever is called so: it stands in their mails.
    Themself,
}

/// Somebody who can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// As saved or seen.
    pub name: String,
    /// Other names: nicknames, what they are to the person.
    pub nicknames: Vec<String>,
    /// Addresses, preferred first.
    pub emails: Vec<String>,
    /// Groups they belong to.
    pub groups: Vec<String>,
    /// How well.
    pub familiarity: Familiarity,
    /// Who chose the name.
    pub named_by: NamedBy,
}

/// An address, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Their name; the address itself when nobody knows it.
    pub name: String,
    /// Where to write.
    pub email: String,
    /// How well they are known; `Seen` also for an address nobody knows.
    pub familiarity: Familiarity,
    /// Who chose the name.
    pub named_by: NamedBy,
}

/// What a name came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// Exactly this person, or everybody in this group.
    One(Vec<Recipient>),
    /// Ask which one; with a single candidate: ask whether they are meant.
    Several {
        /// The name as it was asked for.
        asked: String,
        /// Best first.
        candidates: Vec<Recipient>,
    },
    /// Nobody has this name.
    Nobody {
        /// The name as it was asked for.
        asked: String,
    },
    /// They are known, but not where to write.
    NoAddress {
        /// Their name.
        name: String,
    },
}

/// Who is meant by `asked`.
pub fn resolve(asked: &str, people: &[Candidate]) -> Match {
    let asked = asked.trim();
    if let Some(address) = as_address(asked) {
        return Match::One(vec![recipient_of(&address, people)]);
    }
    if let Some(members) = group(asked, people) {
        return everybody(&members);
    }
    let query = NameQuery::new(asked);
    if query.words.is_empty() {
        return nobody(asked);
    }
    let fits: Vec<(&Candidate, NameFit)> = people.iter().filter_map(|p| Some((p, query.fit(p)?))).collect();
    let those = |are: &dyn Fn(Familiarity, NameFit) -> bool| -> Vec<&Candidate> {
        fits.iter().filter(|(p, fit)| are(p.familiarity, *fit)).map(|(p, _)| *p).collect()
    };
    let saved_fits = fits.iter().any(|(p, _)| p.familiarity == Familiarity::Saved);
    let best = if saved_fits { Familiarity::Saved } else { Familiarity::Written };
    let tiers = [
        those(&|known, fit| known == best && fit == NameFit::Exact),
        those(&|known, _| known > Familiarity::Seen),
        those(&|known, _| known == Familiarity::Seen),
    ];
    if let Some(found) = tiers.iter().find(|found| !found.is_empty()) {
        return decide(asked, found);
    }
    let near = recipients(people.iter().filter(|p| p.familiarity > Familiarity::Seen && query.is_near(p)));
    if near.is_empty() {
        return nobody(asked);
    }
    Match::Several { asked: asked.to_owned(), candidates: near }
}

/// Everybody a look-up should show, best first: the members of a group, then names that fit, then near ones.
pub fn look_up<'a>(asked: &str, people: &'a [Candidate]) -> Vec<&'a Candidate> {
    let asked = asked.trim();
    if let Some(members) = group(asked, people) {
        return members;
    }
    let query = NameQuery::new(asked);
    let address = as_address(asked).map(|a| fold(&a));
    let mut found: Vec<(u8, &Candidate)> = people
        .iter()
        .filter_map(|person| {
            let has_it = |a: &String| person.emails.iter().any(|email| &fold(email) == a);
            let rank = match query.fit(person) {
                _ if address.as_ref().is_some_and(has_it) => 0,
                Some(NameFit::Exact) => 1,
                Some(NameFit::Part) => 2,
                None if query.is_near(person) => 3,
                None => return None,
            };
            let strangers = 4 * u8::from(person.familiarity == Familiarity::Seen);
            Some((rank + strangers, person))
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    // A near miss is shown only when nothing better is there.
    let exact = found.iter().any(|(rank, _)| rank % 4 < 3);
    found.retain(|(rank, _)| !exact || rank % 4 < 3);
    found.into_iter().map(|(_, person)| person).collect()
}

/// Words of a name that everybody uses all the time.
const COMMON: [&str; 8] = ["the", "and", "from", "for", "of", "at", "to", "in"];

/// Whether a word of a message may be one of a name at all.
pub fn may_name(word: &str) -> bool {
    word.chars().count() >= 2 && !COMMON.contains(&word)
}

/// True when a message, in folded words, holds one of their names or groups. Strangers choose their own names, so
/// theirs must be longer to count.
pub fn is_named(person: &Candidate, said: &[String]) -> bool {
    let shortest = if person.familiarity == Familiarity::Seen { 4 } else { 2 };
    std::iter::once(&person.name)
        .chain(&person.nicknames)
        .flat_map(|name| words(name))
        .chain(person.groups.iter().cloned())
        .filter(|word| word.chars().count() >= shortest && !COMMON.contains(&word.as_str()))
        .any(|word| said.contains(&word))
}

/// How a name fits, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameFit {
    Part,
    Exact,
}

/// A name as it is looked for.
struct NameQuery {
    words: Vec<String>,
}

/// What people put before a name that is no part of it.
const OWN: [&str; 15] =
    ["my", "our", "the", "mein", "meine", "meiner", "der", "die", "das", "ma", "mon", "la", "le", "mi", "моя"];
/// Titles: they neither help nor hinder.
const TITLES: [&str; 9] = ["dr", "mr", "mrs", "ms", "miss", "prof", "herr", "frau", "mx"];
/// Words for the same relation.
const RELATIONS: [&[&str]; 4] = [
    &["mum", "mom", "mother", "mummy", "mommy", "mama", "mamma", "mutti", "mutter", "maman", "мама"],
    &["dad", "father", "daddy", "papa", "pa", "vati", "vater", "папа"],
    &["grandma", "granny", "gran", "nan", "grandmother", "oma", "grandmere", "abuela"],
    &["grandpa", "granddad", "grandad", "grandfather", "opa", "abuelo"],
];

/// Whether a folded word is what somebody is to the person, and called so: a kinship.
pub(crate) fn is_relation(word: &str) -> bool {
    RELATIONS.iter().any(|same| same.contains(&word))
}

/// Whether a folded word stands before a name and is none.
pub(crate) fn is_title(word: &str) -> bool {
    TITLES.contains(&word.trim_matches('.'))
}

impl NameQuery {
    fn new(asked: &str) -> Self {
        let mut words = name_words(asked);
        if words.len() > 1 && words.first().is_some_and(|w| OWN.contains(&w.as_str())) {
            words.remove(0);
        }
        Self { words }
    }

    fn fit(&self, person: &Candidate) -> Option<NameFit> {
        if self.words.is_empty() {
            return None;
        }
        let names: Vec<Vec<String>> =
            std::iter::once(&person.name).chain(&person.nicknames).map(|name| name_words(name)).collect();
        if names.iter().any(|name| self.is_same(name)) {
            return Some(match person.named_by {
                NamedBy::Person => NameFit::Exact,
                NamedBy::Themself => NameFit::Part,
            });
        }
        let local_parts = person.emails.iter().map(|email| name_words(&local_part(email)));
        let all_in = |name: &Vec<String>| self.words.iter().all(|word| name.contains(word));
        let part = names.iter().any(all_in) || local_parts.into_iter().any(|name| all_in(&name));
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
    fn is_near(&self, person: &Candidate) -> bool {
        let theirs: Vec<String> =
            std::iter::once(&person.name).chain(&person.nicknames).flat_map(|name| name_words(name)).collect();
        let near = |word: &String| theirs.iter().any(|their| is_slip(word, their));
        !self.words.is_empty() && self.words.iter().all(near)
    }
}

/// Whether a word of a name may be a slip of theirs: one edit, or two if it is long.
pub fn is_slip(word: &str, their: &str) -> bool {
    let slips = match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    distance(word, their, slips).is_some()
}

/// The words of a name without titles; a name that is nothing but a title keeps it.
fn name_words(name: &str) -> Vec<String> {
    let all: Vec<String> = words(name).iter().map(|word| word.trim_matches('.').to_owned()).collect();
    let bare: Vec<String> = all.iter().filter(|word| !TITLES.contains(&word.as_str())).cloned().collect();
    if bare.is_empty() { all } else { bare }
}

/// What stands before the @ of an address, as words.
pub fn local_part(address: &str) -> String {
    address.split('@').next().unwrap_or_default().replace(['.', '_', '-', '+'], " ")
}

/// What somebody is written to at: the address of `Bob <bob@example.com>`, else the words as they are.
pub fn mailbox_of(asked: &str) -> String {
    as_address(asked.trim()).unwrap_or_else(|| asked.trim().to_owned())
}

/// `bob@example.com`, also out of `Bob <bob@example.com>`.
fn as_address(asked: &str) -> Option<String> {
    let inner = match (asked.rfind('<'), asked.strip_suffix('>')) {
        (Some(open), Some(rest)) => rest.get(open + 1..)?,
        _ => asked.strip_prefix("mailto:").unwrap_or(asked),
    };
    let (user, host) = inner.rsplit_once('@')?;
    let fine = !user.is_empty() && !host.is_empty() && !inner.contains(char::is_whitespace);
    fine.then(|| inner.to_owned())
}

fn recipient_of(address: &str, people: &[Candidate]) -> Recipient {
    let owner = people
        .iter()
        .filter(|p| p.emails.iter().any(|e| e.eq_ignore_ascii_case(address)))
        .max_by_key(|p| p.familiarity);
    Recipient {
        name: owner.map_or(address, |p| p.name.as_str()).to_owned(),
        email: address.to_owned(),
        familiarity: owner.map_or(Familiarity::Seen, |p| p.familiarity),
        named_by: owner.map_or(NamedBy::Person, |p| p.named_by),
    }
}

/// Words around the name of a group.
const AROUND_GROUPS: &str = "the whole entire all of everyone everybody in on from at my our group people members \
    folks das die der ganze gesamte alle le la les toute tout el todo toda s to";

/// The name of a group as it is compared: folded, without spaces.
pub fn group_key(group: &str) -> String {
    joined(&words(group))
}

fn joined(words: &[String]) -> String {
    words.concat().replace(|c: char| !c.is_alphanumeric(), "")
}

/// The groups that these words may name, as they are compared.
pub fn group_keys(asked: &str) -> [String; 2] {
    let all = words(asked);
    let is_around = |word: &String| AROUND_GROUPS.split(' ').any(|around| around == word);
    let core: Vec<String> = all.iter().filter(|word| !is_around(word)).cloned().collect();
    [joined(&core), joined(&all)]
}

/// The members when the words name a group, and nobody has exactly that name.
fn group<'a>(asked: &str, people: &'a [Candidate]) -> Option<Vec<&'a Candidate>> {
    let wanted = group_keys(asked);
    let members: Vec<&Candidate> = people
        .iter()
        .filter(|p| p.familiarity == Familiarity::Saved)
        .filter(|p| {
            p.groups.iter().any(|group| {
                let group = group_key(group);
                !group.is_empty() && wanted.contains(&group)
            })
        })
        .collect();
    let query = NameQuery::new(asked);
    let is_somebody = people.iter().any(|p| query.fit(p) == Some(NameFit::Exact));
    (!members.is_empty() && !is_somebody).then_some(members)
}

fn everybody(members: &[&Candidate]) -> Match {
    match members.iter().find(|m| m.emails.is_empty()) {
        Some(member) => Match::NoAddress { name: member.name.clone() },
        None => Match::One(recipients(members.iter().copied())),
    }
}

fn decide(asked: &str, found: &[&Candidate]) -> Match {
    let candidates = recipients(found.iter().copied());
    match (candidates.as_slice(), found) {
        ([], [first, ..]) => Match::NoAddress { name: first.name.clone() },
        // One of several people has an address: still not known who is meant.
        ([_], [_]) => Match::One(candidates),
        ([only], _) if found.iter().all(|p| p.emails.contains(&only.email)) => Match::One(candidates),
        _ => Match::Several { asked: asked.to_owned(), candidates },
    }
}

fn nobody(asked: &str) -> Match {
    Match::Nobody { asked: asked.to_owned() }
}

/// The preferred address of each, none twice.
fn recipients<'a>(people: impl Iterator<Item = &'a Candidate>) -> Vec<Recipient> {
    let mut found: Vec<Recipient> = Vec::new();
    for person in people {
        let Some(email) = person.emails.first() else {
            continue;
        };
        if !found.iter().any(|r| r.email.eq_ignore_ascii_case(email)) {
            let Candidate { name, familiarity, named_by, .. } = person;
            found.push(Recipient {
                name: name.clone(),
                email: email.clone(),
                familiarity: *familiarity,
                named_by: *named_by,
            });
        }
    }
    found.sort_by_key(|r| std::cmp::Reverse(r.familiarity));
    found
}

#[cfg(test)]
mod tests;
