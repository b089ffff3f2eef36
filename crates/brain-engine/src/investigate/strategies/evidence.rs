//! What strategies read from, and how names, times and things are found there.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::investigate::features::KeptFeatures;
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::reference;
use brain_core::limits::GROUP_EVENTS_MAX;
use brain_core::ports::{CpuPool, Index};
use brain_language::language::people::{Candidate, look_up};
use brain_language::language::requests::{circle_elsewhere, is_joining};
use brain_language::language::terms;
use brain_services::services::catalog::registry::{Registration, Services};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{FoundItem, FoundItems, ItemFilter, ItemKind, Party, Searchable};
use brain_services::services::contract::show::Moment;
use brain_services::services::helpers::address_book::{AddressBook, PeopleQuery};
use brain_services::services::helpers::search::WordQuery;

/// Names that are looked up of what the person told of somebody.
const NAMES_MAX: usize = 4;

/// What strategies read from.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceSources<'a> {
    /// The services of this turn.
    pub services: &'a Services,
    /// Who may be meant by a name.
    pub people: &'a dyn AddressBook,
    /// What was said in the chat can be found here.
    pub index: &'a dyn Index,
    /// For whom, when and where.
    pub ctx: &'a RequestContext,
    /// Where what takes the processor is done.
    pub pool: &'a CpuPool,
    /// What was read of conversations before.
    pub features: &'a Arc<KeptFeatures>,
    /// What came before is not looked at, whatever a graph says.
    pub since: Option<DateTime<Utc>>,
}

/// What a node has to work with: outputs of others, by their ids.
pub type EarlierOutputs<'a> = HashMap<&'a str, &'a NodeOutput>;

/// A service that is on, and what it finds things by.
pub(super) type SearchedService<'a> = (&'a Arc<Registration>, &'a dyn Searchable);

impl<'a> EvidenceSources<'a> {
    /// The services that keep things of these kinds; of all kinds where none is named.
    pub(super) fn of(&self, over: &[ItemKind]) -> Vec<SearchedService<'a>> {
        let all = self.services.iter().filter_map(|service| Some((service, service.service.searchable()?)));
        all.filter(|(_, found)| match over {
            [] => found.kind() != ItemKind::Person,
            over => over.contains(&found.kind()),
        })
        .collect()
    }

    /// The same, and what names among these people are looked up in beside the address book; whether there are any.
    pub(super) fn of_named(&self, over: &[ItemKind], people: &[String]) -> (Vec<SearchedService<'a>>, bool) {
        let has_names = people.iter().any(|who| reference(who).is_none() && !who.contains('@'));
        // Who is not known by a name may have been told of, or come to what is called so.
        let groups = if has_names { self.of(&[ItemKind::Fact, ItemKind::Event]) } else { Vec::new() };
        (self.of(over).into_iter().chain(groups).collect(), has_names)
    }

    /// A time as a graph writes it.
    pub(super) fn moment(&self, text: Option<&str>) -> Option<DateTime<Utc>> {
        Some(Moment::read(text?.trim(), self.ctx.zone)?.start(self.ctx.zone).to_utc())
    }

    /// From when on, as a graph writes it, and no earlier than is to be looked at.
    pub(super) fn beginning(&self, text: Option<&str>) -> Option<DateTime<Utc>> {
        self.moment(text).max(self.since)
    }

    /// The people of a param: references resolved, names as addresses where they are known.
    pub(super) async fn resolved(
        &self,
        who: &[String],
        given: &EarlierOutputs<'_>,
    ) -> Result<Vec<Party>, ServiceError> {
        let mut parties: Vec<Party> = Vec::new();
        for who in who {
            if let Some(from) = reference(who) {
                let people = given.get(from.node.as_str()).into_iter().flat_map(|output| &output.people);
                parties.extend(people.map(|counted| counted.party.clone()));
            } else if who.contains('@') {
                parties.push(Party::read(who));
            } else {
                parties.extend(self.called(who).await?);
            }
        }
        Ok(parties)
    }

    /// Everybody a name means: who is known by it, else whom the person told to be that (a kinship, a role), else who
    /// comes to what is called so (a place, a circle); the bare name in any case.
    pub async fn called(&self, name: &str) -> Result<Vec<Party>, ServiceError> {
        let mut parties = self.known_as(name).await?;
        if parties.is_empty() {
            parties.extend(self.told_to_be(name).await?);
        }
        if parties.is_empty() {
            parties.extend(self.group(name).await?);
            if let Some(elsewhere) = circle_elsewhere(name).filter(|_| parties.is_empty()) {
                parties.extend(self.group(elsewhere).await?);
            }
        }
        // Others may be called so who are not known: a firm, by its domain.
        parties.push(Party::called(name));
        Ok(parties)
    }
}

impl EvidenceSources<'_> {
    /// Who is known by a name.
    async fn known_as(&self, name: &str) -> Result<Vec<Party>, ServiceError> {
        let asked = PeopleQuery::names([name]);
        let known = self.people.people(&self.ctx.owner, &asked).await?;
        let candidates: Vec<Candidate> = known.iter().map(Into::into).collect();
        let of = |person: &Candidate| -> Vec<Party> {
            let party = |address: &String| Party {
                name: person.name.clone(),
                address: address.to_lowercase(),
                ..Party::default()
            };
            person.emails.iter().map(party).collect()
        };
        Ok(look_up(name, &candidates).into_iter().flat_map(of).collect())
    }

    /// Whom the person told to be somebody, by a kept statement of theirs. What others told says nothing here.
    async fn told_to_be(&self, name: &str) -> Result<Vec<Party>, ServiceError> {
        let filter = ItemFilter { words: name.to_owned(), limit: GROUP_EVENTS_MAX, ..ItemFilter::default() };
        let (found, _) = find_in(self, &self.of(&[ItemKind::Fact]), &filter).await?;
        let wanted = stems(name);
        let is_of_them =
            |item: &&FoundItem| item.untrusted.is_empty() && !wanted.is_empty() && stems(&item.title) == wanted;
        for item in found.iter().flat_map(|items| &items.items).filter(is_of_them) {
            for named in names_in(&item.snippet) {
                let parties = self.known_as(&named).await?;
                if !parties.is_empty() {
                    return Ok(parties);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Who comes to events that are called so.
    async fn group(&self, name: &str) -> Result<Vec<Party>, ServiceError> {
        let filter = ItemFilter { words: name.to_owned(), limit: GROUP_EVENTS_MAX, ..ItemFilter::default() };
        let (found, _) = find_in(self, &self.of(&[ItemKind::Event]), &filter).await?;
        let wanted = stems(name);
        let is_called = |item: &&FoundItem| {
            let title = terms::stems(&terms::fold(&item.title));
            !wanted.is_empty() && wanted.iter().all(|stem| title.contains(stem))
        };
        let events = found.iter().flat_map(|items| &items.items).filter(is_called);
        Ok(events.flat_map(|item| item.people.clone()).filter(|party| !party.address.is_empty()).collect())
    }
}

/// Words in a row that are written large: names, for the most part.
fn names_in(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let rows = words.split(|word| !word.starts_with(char::is_uppercase));
    let bare = |row: &[&str]| row.join(" ").trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_name = |name: &String| !WordQuery::new(name).is_vague();
    rows.filter(|row| !row.is_empty()).map(bare).filter(is_name).take(NAMES_MAX).collect()
}

/// The findings that a reference means.
pub(super) fn findings<'g>(text: &str, given: &EarlierOutputs<'g>) -> &'g [Finding] {
    let output = reference(text).and_then(|from| given.get(from.node.as_str()));
    output.map(|output| output.findings.as_slice()).unwrap_or_default()
}

/// Looks into each of these services; what one of them cannot say is a gap, unless none can.
pub(super) async fn find_in(
    sources: &EvidenceSources<'_>,
    services: &[(&Arc<Registration>, &dyn Searchable)],
    filter: &ItemFilter,
) -> Result<(Vec<FoundItems>, Vec<String>), ServiceError> {
    let looks = services.iter().map(|(_, service)| service.find_items(sources.ctx, filter));
    let looked = futures::future::join_all(looks).await;
    let (mut found, mut gaps, mut last) = (Vec::new(), Vec::new(), None);
    for (result, (service, _)) in looked.into_iter().zip(services) {
        match result {
            Ok(items) => {
                gaps.extend(items.gap.clone());
                found.push(items);
            }
            Err(error) => {
                gaps.push(format!("I couldn't look into {}: {error}", service.info.place));
                last = Some(error);
            }
        }
    }
    match last {
        Some(error) if found.is_empty() => Err(error),
        Some(_) | None => Ok((found, gaps)),
    }
}

/// The stems of the words that tell things apart.
pub(super) fn stems(words: &str) -> Vec<String> {
    let query = WordQuery::new(words);
    let telling = if query.strong.is_empty() { &query.vague } else { &query.strong };
    telling.iter().filter(|word| !is_joining(word)).map(|word| terms::stem(word)).collect()
}
