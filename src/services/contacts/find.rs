//! `find`: look up a person or a group.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Contacts;
use super::lookup::People;
use super::person::{PersonView, is_candidate};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::language::people;
use crate::limits::LIST_ROWS_MAX;
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::error::ServiceError;
use crate::services::service::PeopleQuery;
use crate::services::show;

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
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, FindPerson>) -> Result<Completed<PeopleFound>, ServiceError> {
        let asked = PeopleQuery::names([call.command.query.as_str()]);
        let People { people, more: beyond } = self.look_up(&call.ctx.owner, &asked).await?;
        let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
        let found = people::look_up(&call.command.query, &candidates);
        let mut untrusted = Vec::new();
        let mut rows = Vec::new();
        for candidate in found.iter().take(LIST_ROWS_MAX) {
            let person = people.iter().find(|person| is_candidate(person, candidate));
            untrusted.extend(person.iter().flat_map(|person| person.untrusted.iter().cloned()));
            rows.push(PersonView::found(candidate, person.map(|p| p.phones.as_slice()).unwrap_or_default()));
        }
        let more = found.len() - rows.len() + beyond;
        Ok(Completed::read(PeopleFound { people: rows, more }).holding(untrusted))
    }
}
