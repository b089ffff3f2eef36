//! Person look-up: who is meant by a name, over everybody who could be.
//!
//! Invariants:
//! - An address stays itself. A name becomes an address only when exactly one person fits, and never through
//!   a spelling mistake: a near miss is offered, not taken.
//! - Saved people come first: one of them who fits exactly is meant, and one who fits in part is never passed over for
//!   somebody who was only written to; then both are asked about.
//! - A card of an address book makes nobody known: two of a name are asked about, and a card that was never written to
//!   takes the place of nobody who was, be it by a name, a nickname or an address that it says first.
//! - Somebody only seen as the sender of a mail is considered when nobody saved or written to fits, and the
//!   match says so.
//! - A name that somebody else chose, for themself or in an address book that others write, never fits exactly: it
//!   outranks nobody, and the match says so.
//! - A group is all of its members or nothing: a member without an address is named, not left out.

use std::collections::HashSet;

use super::words::{distance, fold, words};

mod fit;
mod handles;

pub use fit::may_be_called;
use fit::{NameFit, NameQuery, RELATIONS, name_words};
pub use fit::{is_relation, is_title};
pub use handles::{PeopleMatcher, handles, handles_of, name_words_of, words_meant};

/// How well the person knows somebody, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Familiarity {
    /// Only seen as the sender of a mail: their name is their own claim.
    Seen,
    /// A card of an address book has them; the person has never written there.
    Listed,
    /// The person has written to them.
    Written,
    /// Saved by the person, in words of their own.
    Saved,
}

/// Who chose a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The person: they saved it, or wrote it in front of the address.
    Person,
    /// Whoever else writes into the address book that it stands in.
    Others,
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
    /// Other names that somebody else gave them.
    pub claimed: Vec<String>,
    /// Addresses, preferred first.
    pub emails: Vec<String>,
    /// Addresses of theirs that are better known than the first: which one is meant is asked.
    pub rivals: Vec<String>,
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
    let tiers =
        [exact(&fits), those(&|known, _| known > Familiarity::Seen), those(&|known, _| known == Familiarity::Seen)];
    if let Some(found) = tiers.iter().find(|found| !found.is_empty()) {
        return decide(asked, found);
    }
    let near = people.iter().filter(|p| p.familiarity > Familiarity::Seen && query.is_near(p));
    let near = recipients(near, |person| &person.rivals);
    if near.is_empty() {
        return nobody(asked);
    }
    Match::Several { asked: asked.to_owned(), candidates: near }
}

/// Those whom the person calls exactly so, with all who are called the same and must be asked about; nobody where one
/// who is kept fits in part, and only somebody else fits exactly.
fn exact<'a>(fits: &[(&'a Candidate, NameFit)]) -> Vec<&'a Candidate> {
    use Familiarity::{Listed, Saved, Seen, Written};
    let is_exact = |known: &[Familiarity]| {
        let is_one = |(p, fit): &&(&Candidate, NameFit)| *fit == NameFit::Exact && known.contains(&p.familiarity);
        fits.iter().any(|one| is_one(&one))
    };
    let is_kept = |p: &Candidate| matches!(p.familiarity, Listed | Saved) && p.named_by == NamedBy::Person;
    let keeps_another = fits.iter().any(|(p, _)| is_kept(p)) && !is_exact(&[Listed, Saved]);
    if keeps_another || !is_exact(&[Listed, Written, Saved]) {
        return Vec::new();
    }
    let (is_saved, is_known) = (is_exact(&[Saved]), is_exact(&[Written, Saved]));
    let is_asked_about = |p: &Candidate, fit: NameFit| match (fit, p.familiarity) {
        (NameFit::Part, _) | (_, Seen) => false,
        (NameFit::Exact, Written) => !is_saved,
        (NameFit::Equal, Written) => !is_known,
        (NameFit::Exact | NameFit::Equal, Listed | Saved) => true,
    };
    fits.iter().filter(|(p, fit)| is_asked_about(p, *fit)).map(|(p, _)| *p).collect()
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
                Some(NameFit::Equal | NameFit::Part) => 2,
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

/// Whether a word of a name may be a slip of theirs: one edit, or two if it is long.
pub fn is_slip(word: &str, their: &str) -> bool {
    let slips = match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    distance(word, their, slips).is_some()
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
        .filter(|p| {
            p.groups.iter().any(|group| {
                let group = group_key(group);
                !group.is_empty() && wanted.contains(&group)
            })
        })
        .collect();
    if members.is_empty() {
        return None;
    }
    (!is_called(asked, people)).then_some(members)
}

/// Whether the words are exactly somebody's name.
pub fn is_called(asked: &str, people: &[Candidate]) -> bool {
    let query = NameQuery::new(asked);
    people.iter().any(|person| query.fit(person) == Some(NameFit::Exact))
}

/// How many belong to the group that the words name; none where they name no group, or are exactly somebody's name.
pub fn members_of(asked: &str, people: &[Candidate]) -> usize {
    if as_address(asked.trim()).is_some() { 0 } else { group(asked, people).map_or(0, |members| members.len()) }
}

fn everybody(members: &[&Candidate]) -> Match {
    match members.iter().find(|m| m.emails.is_empty()) {
        Some(member) => Match::NoAddress { name: member.name.clone() },
        None => Match::One(recipients(members.iter().copied(), |_| &[])),
    }
}

fn decide(asked: &str, found: &[&Candidate]) -> Match {
    let candidates = recipients(found.iter().copied(), |person| &person.rivals);
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

/// The preferred address of each, and before it what `also` says of them; none twice, the best known first.
fn recipients<'a>(
    people: impl Iterator<Item = &'a Candidate>,
    also: impl Fn(&'a Candidate) -> &'a [String],
) -> Vec<Recipient> {
    let mut found: Vec<Recipient> = Vec::new();
    let mut seen = HashSet::new();
    for person in people {
        let Candidate { name, named_by, .. } = person;
        let rivals = also(person).iter().map(|email| (email, Familiarity::Saved));
        let first = person.emails.first().map(|email| (email, person.familiarity));
        for (email, familiarity) in rivals.chain(first) {
            if seen.insert(email.to_ascii_lowercase()) {
                found.push(Recipient { name: name.clone(), email: email.clone(), familiarity, named_by: *named_by });
            }
        }
    }
    // Whom a card of the person's own has, comes before whoever was only written to.
    let is_kept = |r: &Recipient| r.familiarity == Familiarity::Listed && r.named_by == NamedBy::Person;
    found.sort_by_key(|r| std::cmp::Reverse(if is_kept(r) { Familiarity::Saved } else { r.familiarity }));
    found
}

#[cfg(test)]
mod tests;
