//! Whom the person knows, as far as the gate needs it: to find recipients by name, and to tell where an address comes
//! from that is not in the person's own words. Read once a plan, and only when the plan names people or addresses.

use super::resolve;
use crate::core::plan::Plan;
use crate::core::provenance;
use crate::core::provenance::{Acquaintances, KnownAddress, Standing, UntrustedText};
use crate::language::people;
use crate::language::people::{Candidate, Familiarity, NamedBy};
use crate::language::words::words;
use crate::pipeline::turn::Turn;
use crate::services::service::Person;

/// Everybody who could be meant; nobody when the plan asks for none.
pub(super) async fn everybody(turn: &Turn<'_>, plan: &Plan) -> Result<Vec<Person>, String> {
    let needed = plan.actions.iter().any(|planned| {
        let entry = turn.brain.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| {
            let written = entry.effect().passes_values_on() && provenance::holds_address(&planned.params);
            written || resolve::needs_people(entry.as_ref(), &planned.params)
        })
    });
    if !needed {
        return Ok(Vec::new());
    }
    turn.brain.people.people(turn.owner()).await.map_err(|error| error.to_string())
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
