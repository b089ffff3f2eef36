//! Whom the person knows, as far as the gate needs it: to find recipients by name, and to tell where an address comes
//! from that is not in the person's own words. Asked for once a plan, for those whom the plan or the person names,
//! and only when the plan names people or addresses.

use std::collections::{BTreeSet, HashSet};

use super::resolve;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::core::provenance;
use brain_core::core::provenance::{Acquaintances, KnownAddress, Standing, UntrustedText};
use brain_core::limits::{ADDRESSES_MAX, RECIPIENTS_MAX};
use brain_language::language::people;
use brain_language::language::people::{Candidate, Familiarity, NamedBy};
use brain_language::language::words::words;
use brain_services::services::helpers::address_book::{PeopleQuery, Person};

/// Those who could be meant by the names and addresses of a plan, and those whom the person's own words name; nobody
/// when the plan has neither.
pub(super) async fn meant(
    brain: &Brain,
    facts: &TurnFacts,
    planned: &[PlannedAction],
    own: &str,
) -> Result<Vec<Person>, String> {
    let mut names: Vec<String> = Vec::new();
    for planned in planned {
        let Some(entry) = brain.services.command(&planned.service, &planned.command) else { continue };
        let named = resolve::people_of(entry.as_ref(), &planned.params);
        // More than one mail may have are refused as they are.
        names.extend(named.into_iter().collect::<BTreeSet<_>>().into_iter().take(RECIPIENTS_MAX));
        // Whose address is not looked up is nobody whom the person knows: it needs a yes.
        if entry.passes_values_on() {
            names.extend(addresses_of(&planned.params));
        }
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked = PeopleQuery { names, members_max: Some(RECIPIENTS_MAX), ..PeopleQuery::default() }.and_said(own);
    brain.people.people(facts.owner(), &asked).await.map_err(|error| error.to_string())
}

/// Those whom one action names, where they could not be looked up for all of a plan: what is wrong with another action
/// stops none but that.
pub(super) async fn meant_alone(
    brain: &Brain,
    facts: &TurnFacts,
    planned: &PlannedAction,
    people: &Result<Vec<Person>, String>,
    own: &str,
) -> Option<Result<Vec<Person>, String>> {
    match people {
        Ok(_) => None,
        Err(_) => Some(meant(brain, facts, std::slice::from_ref(planned), own).await),
    }
}

/// Those who have an address that a service filled in, so that no plan named it.
pub(super) async fn filled_in(
    brain: &Brain,
    facts: &TurnFacts,
    params: &Params,
    known: &[Person],
) -> Result<Vec<Person>, String> {
    let held: HashSet<&String> = known.iter().flat_map(|person| &person.emails).collect();
    let names: Vec<String> = addresses_of(params).into_iter().filter(|address| !held.contains(address)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked = PeopleQuery { names, ..PeopleQuery::default() };
    brain.people.people(facts.owner(), &asked).await.map_err(|error| error.to_string())
}

/// The addresses in these values that are looked up: those of lists, which it goes to, before those of a long text.
fn addresses_of(params: &Params) -> Vec<String> {
    let (texts, lists): (Params, Params) = params.clone().into_iter().partition(|(_, value)| value.is_string());
    let all = provenance::addresses(&lists).into_iter().chain(provenance::addresses(&texts));
    let mut seen = HashSet::new();
    all.filter(|address| seen.insert(address.clone())).take(ADDRESSES_MAX).collect()
}

/// What speaks for their addresses; `own` are the person's words, `records` their own records in sight.
pub(super) fn acquaintances(people: &[Person], own: &str, records: &[String]) -> Acquaintances {
    let said = words(own);
    let mut known = Acquaintances { records: records.to_vec(), ..Acquaintances::default() };
    for person in people {
        let candidate = Candidate::from(person);
        // A name that somebody chose for themself, or that is kept from somebody else's words, speaks for nobody.
        let is_others = person.named_by == NamedBy::Themself || person.untrusted.iter().any(|u| u.text == person.name);
        let chosen = !is_others && person.known > Familiarity::Seen;
        let is_named = chosen && people::is_named(&candidate, &said);
        if is_named {
            known.named.push(candidate.name);
        }
        known.addresses.extend(person.emails.iter().map(|address| {
            let standing = match said_by_others(person, address) {
                Some(said) => Standing::Said(said.clone()),
                None if is_named => Standing::Named,
                None => Standing::Known,
            };
            KnownAddress { address: address.clone(), standing }
        }));
    }
    known
}

fn said_by_others<'p>(person: &'p Person, address: &str) -> Option<&'p UntrustedText> {
    person.untrusted.iter().find(|said| provenance::says_address(&said.text, address))
}
