//! People, for questions over everything a person has.

use async_trait::async_trait;

use super::record::NAME;
use super::service::Contacts;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemText, Searchable, WrittenText,
};
use crate::services::helpers::address_book::{AddressBook, PeopleQuery, Person};

#[async_trait]
impl Searchable for Contacts {
    fn kind(&self) -> ItemKind {
        ItemKind::Person
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        let names = filter.people.iter().chain(Some(&filter.words).filter(|words| !words.is_empty()));
        let asked = PeopleQuery { names: names.cloned().collect(), ..PeopleQuery::default() };
        if asked.names.is_empty() {
            return Ok(FoundItems::default());
        }
        let people = self.people(&ctx.owner, &asked).await?;
        let mut items: Vec<FoundItem> = people.iter().filter_map(item).collect();
        let more = items.len().saturating_sub(filter.limit);
        items.truncate(filter.limit);
        Ok(FoundItems { items, more, gap: None })
    }

    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        AddressBook::freshness(self, &ctx.owner).await
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        let asked = PeopleQuery::addresses(ids.iter().map(String::as_str));
        let people = self.people(&ctx.owner, &asked).await?;
        let text = |id: &String| {
            let person = people.iter().find(|person| person.emails.contains(id))?;
            let text = [person.emails.join(", "), person.phones.join(", ")].join("\n");
            let said = vec![WrittenText { is_own: true, text, ..WrittenText::default() }];
            Some(ItemText { id: id.clone(), said, left_out: 0 })
        };
        Ok(ids.iter().filter_map(text).collect())
    }
}

fn item(person: &Person) -> Option<FoundItem> {
    let address = person.emails.first()?;
    Some(FoundItem {
        service: NAME.to_owned(),
        id: address.clone(),
        kind: ItemKind::Person,
        title: person.party().label(),
        at: None,
        until: None,
        people: vec![person.party()],
        snippet: person.emails.join(", "),
        marks: Vec::new(),
        untrusted: person.untrusted.clone(),
    })
}
