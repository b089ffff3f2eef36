//! What lies ahead of a person: the days of a period, a page at a time, and what is overdue.
//!
//! Read through the services, without a model. A service that does not answer is named: an agenda with a hole must not
//! look like a free day.

use chrono::{NaiveDate, NaiveTime};

use brain_core::core::provenance::UntrustedText;
use brain_core::limits::AGENDA_ROWS_MAX;
use brain_language::language::time::local_instant;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::contract::capabilities::Listing;
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::service::AgendaItem;

/// A page of what lies ahead.
#[derive(Debug, Default)]
pub struct AgendaPage {
    /// Where services that did not answer keep their things, and why they did not.
    pub silent: Vec<(String, ServiceError)>,
    /// What is overdue, first of all; on the first page only.
    pub overdue: Listing<AgendaItem>,
    /// In order, each with the day on which it is shown: what began before is shown on the first.
    pub items: Vec<(NaiveDate, AgendaItem)>,
    /// How many more there are, of what is not overdue.
    pub more: usize,
    /// What the next page goes on after.
    pub next: Option<String>,
}

impl AgendaPage {
    /// What it holds of others' words.
    pub fn untrusted(&self) -> Vec<UntrustedText> {
        let all = self.items.iter().flat_map(|(_, item)| item.untrusted.iter());
        all.chain(&self.overdue.untrusted).cloned().collect()
    }
}

/// A page of the days `from..to` in the person's zone; `to` is not among them.
pub async fn page(
    services: &Registry,
    ctx: &RequestContext,
    from: NaiveDate,
    to: NaiveDate,
    behind: Option<&str>,
) -> AgendaPage {
    let start = |day: NaiveDate| local_instant(ctx.zone, day.and_time(NaiveTime::MIN)).earliest().to_utc();
    let mut page = AgendaPage::default();
    let mut items: Vec<AgendaItem> = Vec::new();
    for service in services.now().iter() {
        let found = match service.service.agenda(ctx, start(from), start(to)).await {
            Ok(found) if behind.is_some() => Ok((found, Listing::default())),
            Ok(found) => service.service.overdue(ctx, start(from)).await.map(|late| (found, late)),
            Err(error) => Err(error),
        };
        match found {
            Ok((found, late)) => {
                items.extend(found);
                page.overdue.add(late);
            }
            Err(error) => page.silent.push((service.info.place.clone(), error)),
        }
    }
    page.overdue.rows.sort_by_cached_key(|item| item.place(ctx.zone));
    let first = |item: &AgendaItem| item.at.with_timezone(&ctx.zone).date_naive().max(from);
    let placed = |item: AgendaItem| (format!("{} {}", first(&item), item.place(ctx.zone)), first(&item), item);
    let mut items: Vec<(String, NaiveDate, AgendaItem)> = items.into_iter().map(placed).collect();
    items.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    items.retain(|(place, ..)| behind.is_none_or(|behind| place.as_str() > behind));
    page.more = items.len().saturating_sub(AGENDA_ROWS_MAX);
    items.truncate(AGENDA_ROWS_MAX);
    page.next = items.last().filter(|_| page.more > 0).map(|(place, ..)| place.clone());
    page.items = items.into_iter().map(|(_, day, item)| (day, item)).collect();
    page
}
