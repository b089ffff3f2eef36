//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use super::indexes;
use super::occurrence::Occurrence;
use super::record::{Event, NAME};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{AgendaItem, Service};
use crate::services::helpers::address_book::AddressBook;
use crate::services::helpers::items;
use crate::services::helpers::texts;
use crate::services::remote::backend::{Backends, KeptPlace, RecordEdit};
use crate::services::remote::dav::{DavReplica, DavSyncWorker};
use crate::services::remote::replica::Replica;
use async_trait::async_trait;
use brain_core::core::plan::Target;
use brain_core::limits::RECURRENCE_STEPS_MAX;
use brain_core::ports::{Change, Index, RecordExt, Scan, Secondary, Store};
use chrono::{DateTime, Utc};
use std::sync::Arc;

const NOBODY_IS_TOLD: &str = "This calendar is on this machine only: the others get no message about it.";
const UNFOLLOWED: &str = "It repeats by a rule that I can't follow: this is about all of it.";
const SERVER_MAY_TELL: &str = "Your calendar's server may send the others a message about it.";
/// On a card of what others see as well.
pub(super) const OTHERS_SEE_IT: &str = "Others see this calendar, too.";

/// Events in the store.
#[derive(Debug)]
pub struct CalendarService {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
    /// Whose things are told beside events: a day holds more than those.
    pub(super) beside: Vec<Arc<dyn Service>>,
    /// Whom names mean; `None`: only what events say.
    pub(super) book: Option<Arc<dyn AddressBook>>,
    pub(super) backends: Backends<Event>,
    keeper: Option<Arc<DavSyncWorker<Event>>>,
}

impl CalendarService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index, beside: Vec::new(), book: None, backends: Backends::default(), keeper: None }
    }

    /// The same, where these write.
    #[must_use]
    pub fn written_by(self, backends: Backends<Event>) -> Self {
        Self { backends, ..self }
    }

    /// The same, where this keeps the accounts of people in step.
    #[must_use]
    pub fn kept_by(self, keeper: Option<Arc<DavSyncWorker<Event>>>) -> Self {
        Self { keeper, ..self }
    }

    /// The same; who is called as a name says is looked up here.
    #[must_use]
    pub fn knowing(self, book: Arc<dyn AddressBook>) -> Self {
        Self { book: Some(book), ..self }
    }

    /// The same; who asks what a day holds is told what these have on it, too.
    #[must_use]
    pub fn beside(self, beside: impl IntoIterator<Item = Arc<dyn Service>>) -> Self {
        Self { beside: beside.into_iter().collect(), ..self }
    }

    /// What a card has to say of where something is kept or will be: which calendar of several, who sees it, and, where
    /// it has other people in it, whether they hear of it.
    pub(super) async fn told_of_place(
        &self,
        ctx: &RequestContext,
        target: Option<&Target>,
        has_others: bool,
    ) -> Result<Vec<String>, ServiceError> {
        let held = match target {
            Some(target) => items::by_id::<Event>(&self.store, &ctx.owner, &target.id).await?,
            None => None,
        };
        let event = held.as_ref().map(|(event, _)| event);
        let mut told = Vec::new();
        told.extend(event.and_then(|event| event.unfollowed_rule.as_ref()).map(|_| UNFOLLOWED.to_owned()));
        if self.backends.acting(&ctx.owner, target).is_none() {
            told.extend(has_others.then(|| NOBODY_IS_TOLD.to_owned()));
            return Ok(told);
        }
        let KeptPlace { name, is_shared } = self.backends.kept_place(&ctx.owner, event).await?;
        told.extend(name.map(|name| format!("In the calendar “{}”.", texts::brief(&name))));
        told.extend(is_shared.then(|| OTHERS_SEE_IT.to_owned()));
        told.extend(has_others.then(|| SERVER_MAY_TELL.to_owned()));
        Ok(told)
    }

    /// What the others have in a span.
    pub(super) async fn due_between(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        let mut due = Vec::new();
        for service in &self.beside {
            due.extend(service.agenda(ctx, from, to).await?);
        }
        Ok(due)
    }

    /// What may take place in a span: events whose time lies near it, and all series.
    pub(super) async fn candidates(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Event>, ServiceError> {
        let owner = ctx.owner.as_str();
        let mut scans = indexes::scans(owner, from, to);
        scans.push(Scan::by(&indexes::BY_TIME, &[owner, indexes::REPEATING], usize::MAX));
        let mut events = Vec::new();
        for scan in scans {
            events.extend(self.store.list::<Event>(scan).await?.into_iter().map(|(event, _)| event));
        }
        Ok(events)
    }

    /// What takes place in a span, in order.
    pub(super) async fn between(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(Event, Occurrence)>, ServiceError> {
        let mut found: Vec<(Event, Occurrence)> = Vec::new();
        for event in self.candidates(ctx, from, to).await? {
            let times = event.occurrences(from, to, ctx.zone, RECURRENCE_STEPS_MAX);
            found.extend(times.into_iter().map(|o| (event.as_at(&o), o)));
        }
        found.sort_by(|(a, x), (b, y)| {
            let whole_days_first = y.is_whole_day().cmp(&x.is_whole_day());
            let day = |o: &Occurrence| o.from.with_timezone(&ctx.zone).date_naive();
            day(x)
                .cmp(&day(y))
                .then(whole_days_first)
                .then(x.from.cmp(&y.from))
                .then_with(|| (a.summary.as_str(), a.id.as_str()).cmp(&(b.summary.as_str(), b.id.as_str())))
        });
        Ok(found)
    }
}

#[async_trait]
impl Replica for CalendarService {
    type Kept = Event;

    fn service(&self) -> &'static str {
        NAME
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn backends(&self) -> &Backends<Event> {
        &self.backends
    }

    fn by_origin(&self) -> &'static Secondary {
        &indexes::BY_ORIGIN
    }

    async fn along(&self, ctx: &RequestContext, edits: &[RecordEdit<Event>]) -> Result<Vec<Change>, ServiceError> {
        self.reminders_along(ctx, edits).await
    }
}

impl DavReplica for CalendarService {
    fn keeper(&self) -> Option<&DavSyncWorker<Event>> {
        self.keeper.as_deref()
    }
}

/// The question for a missing parameter.
pub(super) fn question(param: &str) -> &'static str {
    match param {
        "summary" => "What is it called?",
        "start_time" => "When is it?",
        "changes" => "What should I change about it?",
        "scope" => "Only this one, this one and all after it, or the whole series?",
        _ => "Which event do you mean?",
    }
}
