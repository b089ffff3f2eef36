//! By what people can be looked up without looking at everybody.

use std::collections::HashSet;

use super::{Candidate, NameQuery, RELATIONS, as_address, group_key, group_keys, local_part, name_words};
use crate::language::words::{distance, fold, words};

/// Names, groups and addresses that are looked for, made comparable once for everybody who is held against them.
#[derive(Debug, Default)]
pub struct PeopleMatcher {
    /// Folded.
    addresses: Vec<String>,
    local_parts: HashSet<String>,
    groups: HashSet<String>,
    names: Vec<NameQuery>,
}

impl PeopleMatcher {
    /// By these names, groups and addresses.
    pub fn of<'a>(asked: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for asked in asked.into_iter().map(str::trim) {
            if let Some(address) = as_address(asked) {
                let address = fold(&address);
                all.local_parts.insert(local_part(&address));
                all.addresses.push(address);
            } else {
                all.groups.extend(group_keys(asked));
                all.names.push(NameQuery::new(asked));
            }
        }
        all
    }

    /// Whether any of them may mean this person: exactly, in part, or by a slip. Of an address: whether they have it, or
    /// one that looks like it.
    pub fn may_mean(&self, person: &Candidate) -> bool {
        let is_near = |email: &str| self.addresses.iter().any(|address| distance(email, address, 2).is_some());
        let is_like = |email: &String| {
            let email = fold(email);
            self.local_parts.contains(&local_part(&email)) || is_near(&email)
        };
        let is_address = !self.addresses.is_empty() && person.emails.iter().any(is_like);
        is_address
            || !self.groups.is_empty() && person.groups.iter().any(|group| self.groups.contains(&group_key(group)))
            || self.names.iter().any(|name| name.fit(person).is_some() || name.is_near(person))
    }
}

/// The words that somebody meant by `asked` is known by: those of a name, or others for the same relation; those of an
/// address.
pub fn words_meant(asked: &str) -> Vec<String> {
    if let Some(address) = as_address(asked.trim()) {
        let (_, host) = address.rsplit_once('@').unwrap_or_default();
        return name_words(&local_part(&address)).into_iter().chain([fold(host)]).collect();
    }
    let mut meant = name_words_of(asked);
    let others: Vec<String> = RELATIONS
        .iter()
        .filter(|same| meant.iter().any(|word| same.contains(&word.as_str())))
        .flat_map(|same| same.iter().map(|word| (*word).to_owned()))
        .collect();
    for other in others {
        if !meant.contains(&other) {
            meant.push(other);
        }
    }
    meant
}

/// The words of a name that is looked for.
pub fn name_words_of(asked: &str) -> Vec<String> {
    NameQuery::new(asked.trim()).words
}

/// Everything that [`handles_of`] a name, a group or an address can find somebody by.
pub fn handles(person: &Candidate) -> Vec<String> {
    let names = std::iter::once(&person.name).chain(&person.nicknames).chain(&person.claimed);
    let mut handles: Vec<String> = names.flat_map(|name| words(name).into_iter().chain(name_words(name))).collect();
    for email in &person.emails {
        handles.extend(name_words(&local_part(email)));
        handles.push(fold(email));
    }
    for group in &person.groups {
        handles.extend([group.clone(), group_key(group)]);
    }
    handles.sort();
    handles.dedup();
    handles
}

/// What those who are meant by `asked` may be found by; the rest are slips ([`is_slip`]).
pub fn handles_of(asked: &str) -> Vec<String> {
    let address = as_address(asked.trim()).map(|address| fold(&address));
    words_meant(asked).into_iter().chain(address).chain(group_keys(asked)).collect()
}
