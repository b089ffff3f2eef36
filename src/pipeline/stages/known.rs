//! Whom the person knows, as far as the gate needs it: to find recipients by name, and to tell where an address comes
//! from that is not in the person's own words. Asked for once a plan, for those whom the plan or the person names,
//! and only when the plan names people or addresses.

use super::resolve;
use crate::core::plan::{Params, Plan};
use crate::core::provenance;
use crate::core::provenance::{Acquaintances, KnownAddress, Standing, UntrustedText};
use crate::language::people;
use crate::language::people::{Candidate, Familiarity, NamedBy};
use crate::language::words::words;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use crate::services::address_book::{PeopleQuery, Person};

/// Those who could be meant by the names and addresses of a plan, and those whom the person's own words name; nobody
/// when the plan has neither.
pub(super) async fn meant(brain: &Brain, facts: &TurnFacts, plan: &Plan, own: &str) -> Result<Vec<Person>, String> {
    let mut names: Vec<String> = Vec::new();
    for planned in &plan.actions {
        let Some(entry) = brain.services.command(&planned.service, &planned.command) else { continue };
        if entry.passes_values_on() {
            names.extend(provenance::addresses(&planned.params));
        }
        names.extend(resolve::people_of(entry.as_ref(), &planned.params));
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked = PeopleQuery { names, ..PeopleQuery::default() }.and_said(own);
    brain.people.people(facts.owner(), &asked).await.map_err(|error| error.to_string())
}

/// Those who have an address that a service filled in, so that no plan named it.
pub(super) async fn filled_in(
    brain: &Brain,
    facts: &TurnFacts,
    params: &Params,
    known: &[Person],
) -> Result<Vec<Person>, String> {
    let is_known = |address: &String| known.iter().any(|person| person.emails.contains(address));
    let names: Vec<String> = provenance::addresses(params).into_iter().filter(|address| !is_known(address)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked = PeopleQuery { names, ..PeopleQuery::default() };
    brain.people.people(facts.owner(), &asked).await.map_err(|error| error.to_string())
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
