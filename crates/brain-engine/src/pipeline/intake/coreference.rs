//! Salience: whoever was spoken of last, where a message means them by a pronoun.
//!
//! Invariant: a pronoun stands for a name that the person said themself, so that nothing of somebody else's becomes the
//! person's own words. The message goes on, read as if it named them. Not here: places of rows ([`super::rows`]), and
//! pronouns for things (`language::requests`).

use super::Taken;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::{Referent, TurnError, TurnFacts};
use brain_language::language::grounding::{PersonPronoun, only_name};
use brain_language::language::people::{self, Candidate, Familiarity, NamedBy};
use brain_services::services::helpers::address_book::PeopleQuery;

/// Own messages back in which somebody may have been named.
const NAMED_BACK_MAX: usize = 3;

/// Reads a message as if it named whom it means.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Taken>, TurnError> {
    if !facts.origin().is_own_words() || facts.pointed_at().is_some() {
        return Ok(None);
    }
    Ok(with_name(brain, facts).await.map(|text| Taken::ReadAs(Referent::words(text))))
}

/// The message with a name in place of the pronoun: the only one that the person named lately.
async fn with_name(brain: &Brain, facts: &TurnFacts) -> Option<String> {
    let pronoun = PersonPronoun::only_one(facts.words())?;
    let earlier: Vec<&str> = facts.conversation().own_words().rev().take(NAMED_BACK_MAX).collect();
    let said = std::iter::once(facts.words()).chain(earlier.iter().copied()).collect::<Vec<_>>().join("\n");
    let asked = PeopleQuery::default().and_said(&said);
    let known = brain.people.people(facts.owner(), &asked).await;
    let known = known.inspect_err(|error| tracing::warn!(%error, "nobody can tell who is meant")).ok()?;
    let known: Vec<Candidate> = known
        .iter()
        .filter(|person| person.named_by == NamedBy::Person && person.known > Familiarity::Seen)
        .map(Candidate::from)
        .collect();
    let names_somebody = |word: &str| known.iter().any(|person| people::is_named(person, &[word.to_owned()]));
    // Whoever is named in the message itself may be meant.
    let says_who = facts.words().split(|c: char| !c.is_alphanumeric()).any(|word| names_somebody(&word.to_lowercase()));
    let name = earlier.into_iter().find_map(|text| only_name(text, names_somebody)).filter(|_| !says_who)?;
    Some(pronoun.named(facts.words(), name))
}
