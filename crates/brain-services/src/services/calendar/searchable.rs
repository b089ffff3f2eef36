//! Events, for questions over everything a person has.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::Duration;

use super::occurrence::Occurrence;
use super::record::{Event, NAME};
use super::search::is_with;
use super::service::CalendarService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemMark, ItemText, Party, Searchable,
};
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::Item;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;

/// How far ahead and back events are looked for when nobody says: what is about something is rarely older.
const HORIZON: Duration = Duration::days(120);

#[async_trait]
impl Searchable for CalendarService {
    fn kind(&self) -> ItemKind {
        ItemKind::Event
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        let (from, until) = (filter.from.unwrap_or(ctx.now - HORIZON), filter.until.unwrap_or(ctx.now + HORIZON));
        let mut found = self.between(ctx, from, until).await?;
        found.retain(|(event, _)| filter.people.is_empty() || filter.people.iter().any(|who| is_with(event, who)));
        if !filter.words.is_empty() {
            let finder = Finder { store: &self.store, index: &self.index, ctx };
            let any = ItemFilter { words: filter.words.clone(), limit: usize::MAX, ..ItemFilter::default() };
            let named = finder.about(&any, |event: &Event| Some(item(event, None))).await?;
            let named: HashSet<String> = named.items.into_iter().map(|item| item.id).collect();
            found.retain(|(event, _)| named.contains(&event.id));
        }
        // Of a series the time that is next, else the first of the span.
        let mut seen = HashSet::new();
        let next = found.iter().filter(|(_, o)| o.to > ctx.now);
        let all = next.chain(found.iter().filter(|(_, o)| o.to <= ctx.now));
        let mut items: Vec<FoundItem> =
            all.filter(|(event, _)| seen.insert(event.id.clone())).map(|(event, o)| item(event, Some(o))).collect();
        items.retain(|item| filter.allows(&item.marks));
        items.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        let more = items.len().saturating_sub(filter.limit);
        items.truncate(filter.limit);
        Ok(FoundItems { items, more, gap: None })
    }

    /// Which time of a series is the next one, and what lies within the horizon, changes with the minute.
    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        let records = Freshness::of_records::<Event>(self.store.as_ref(), &ctx.owner)?;
        Some(records.and(Freshness::of([ctx.now.timestamp().unsigned_abs() / 60])))
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        let finder = Finder { store: &self.store, index: &self.index, ctx };
        finder.read(ids, |event: &Event| text(event)).await
    }
}

fn text(event: &Event) -> String {
    let parts = [Some(&event.summary), event.location.as_ref(), event.notes.as_ref()];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Somebody invited: in their own calendar the owner calls them so, unless somebody else's words were kept there.
fn party(attendee: &str, event: &Event) -> Party {
    let party = Party::read(attendee);
    let is_own = !party.name.is_empty() && !event.untrusted().iter().any(|said| said.text.contains(attendee));
    Party { known_as: is_own.then(|| party.name.clone()), ..party }
}

fn item(event: &Event, occurrence: Option<&Occurrence>) -> FoundItem {
    let is_whole_day = occurrence.is_some_and(Occurrence::is_whole_day);
    let marks = [(event.is_series(), ItemMark::Repeats), (is_whole_day, ItemMark::WholeDay)];
    let about = event.location.iter().chain(&event.notes).map(String::as_str).collect::<Vec<_>>().join(" · ");
    FoundItem {
        service: NAME.to_owned(),
        id: event.id.clone(),
        kind: ItemKind::Event,
        title: event.summary.clone(),
        at: occurrence.map(|o| o.from),
        until: occurrence.filter(|o| o.end.is_some()).map(|o| o.to),
        people: event.attendees.iter().map(|attendee| party(attendee, event)).collect(),
        snippet: shorten(&about, SNIPPET_CHARS_MAX),
        marks: marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect(),
        untrusted: event.untrusted(),
    }
}
