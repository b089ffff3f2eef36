//! `find`: look up a person or a group.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lookup::People;
use super::person::{PersonView, is_candidate};
use super::record::NAME;
use super::service::Contacts;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::show;
use crate::services::helpers::address_book::PeopleQuery;
use brain_core::core::card::CardBody;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::limits::LIST_ROWS_MAX;
use brain_language::language::grounding::listed;
use brain_language::language::people;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};

/// Look up a person or a group.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindPerson {
    /// A name, a group, or an address.
    query: String,
}

/// People a query fits, best first.
#[derive(Debug, Serialize, Deserialize)]
pub struct PeopleFound {
    people: Vec<PersonView>,
    /// How many more there are.
    more: usize,
}

impl Command for FindPerson {
    type Output = PeopleFound;

    const NAME: &'static str = "find";
    const SUMMARY: &'static str = "look up a person or a group";
    const EXAMPLE: &'static str = "What's Anna's number?";
    const STATUS: &'static str = "Looking up people…";
    const STAKES: Stakes = Stakes::Low;

    fn question(_: &str) -> &'static str {
        "Who are you looking for?"
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up this person?").words("Who", &self.query)
    }

    fn receipt(&self, output: &PeopleFound, _: &Receipt<'_>) -> String {
        if output.people.is_empty() {
            return format!("👤 I know nobody called “{}”.", self.query);
        }
        format!("👤 {}", show::list(output.people.iter().map(PersonView::line).collect(), output.more))
    }

    fn attempt(&self, _: &Action) -> String {
        format!("look up “{}”", self.query)
    }
}

#[async_trait]
impl Handle<FindPerson> for Contacts {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, FindPerson>) -> Result<Completed<PeopleFound>, ServiceError> {
        let asked = PeopleQuery::names([call.command.query.as_str()]);
        let People { people, more: beyond, .. } = self.look_up(&call.ctx.owner, &asked).await?;
        let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
        let found = people::look_up(&call.command.query, &candidates);
        let mut untrusted = Vec::new();
        let mut rows = Vec::new();
        for candidate in found.iter().take(LIST_ROWS_MAX) {
            let Some(person) = people.iter().find(|person| is_candidate(person, candidate)) else { continue };
            untrusted.extend(person.untrusted.iter().cloned());
            rows.push(PersonView::found(person));
        }
        let more = found.len() - rows.len() + beyond;
        Ok(Completed::read(PeopleFound { people: rows, more }).holding(untrusted))
    }
}

/// A look-up of somebody's details from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let Some(query) = said.raw("query") else {
        return Built::No;
    };
    let query = owner_of(said, without_determiner(&query)).to_owned();
    let look_up = |query: &str| {
        let mut action = said.action(NAME, "find");
        set(&mut action, "query", Some(query.to_owned()));
        action
    };
    let people: Vec<&str> = listed(&query).into_iter().map(owner).collect();
    // People who are named side by side are looked up one by one.
    let are_names = |name: &&str| name.starts_with(char::is_uppercase) && name.split(' ').count() <= NAME_WORDS_MAX;
    match people.len() > 1 && people.iter().all(are_names) {
        true => Built::Acts(people.into_iter().map(look_up).collect()),
        false => Built::Act(look_up(&query)),
    }
}

/// Words of somebody's name.
const NAME_WORDS_MAX: usize = 3;

/// The owner in a possessive with an apostrophe.
fn owner(name: &str) -> &str {
    let name = name.trim();
    let bare = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).or_else(|| name.strip_suffix('\''));
    bare.unwrap_or(name)
}

/// The owner in a possessive; on a phone also without its apostrophe, unless that is a name of its own.
pub(super) fn owner_of<'t>(said: &ClauseReading, name: &'t str) -> &'t str {
    let bare = owner(name);
    let is_phone_typing =
        bare.len() == name.trim().len() && bare.len() > 3 && !bare.contains(' ') && number_follows(said);
    let ends_so = ["ss", "us", "as", "is", "es", "ns", "rs"].iter().any(|end| bare.ends_with(end))
        && !bare.ends_with("nas")
        && !bare.ends_with("ras");
    match bare.strip_suffix('s') {
        Some(one) if is_phone_typing && !ends_so => one,
        Some(_) | None => bare,
    }
}

/// Whether the detail that is asked for stands right behind the name.
fn number_follows(said: &ClauseReading) -> bool {
    let slot = said.found.slots.iter().find(|s| s.name == "query" || s.name == "name");
    slot.is_some_and(|slot| {
        let ids = said.heard.ids(slot.last + 1..said.found.tokens.end);
        said.grammar.lexicon.starts("number", ids).is_some()
    })
}
