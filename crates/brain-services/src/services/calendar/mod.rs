//! The calendar in the store.
//!
//! A series is one record. One occurrence of it that is changed or cancelled is an exception in it; one occurrence and
//! all after it are split off. Which part is meant is said or asked, and cards repeat it. Nobody is invited from here:
//! this calendar lives on this machine alone, and cards say that, too.

mod add_events;
mod amend;
mod answer;
mod as_ics;
mod create_event;
mod delete_event;
mod event_reminder;
mod exceptions;
mod find_free_time;
mod free;
mod indexes;
mod list_events;
mod occurrence;
mod occurrences;
mod record;
mod remind_of_event;
mod reminders;
mod resource;
mod search;
mod searchable;
mod service;
mod snooze_event;
#[cfg(test)]
mod tests;
mod update_event;
mod values;
mod view;

use std::sync::Arc;

use add_events::AddEvents;
use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use create_event::CreateEvent;
use delete_event::DeleteEvent;
use find_free_time::FindFreeTime;
use list_events::ListEvents;
use occurrence::Occurrence;
pub use record::Event;
use remind_of_event::RemindOfEvent;
use serde_json::Value;
use snooze_event::SnoozeEvent;
use update_event::UpdateEvent;

use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::{ArchivedFiles, Imported};
use crate::services::contract::capabilities::{Content, Mirroring, Offerable, Reminders};
use crate::services::contract::circumstance::{Circumstance, Evidence};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Searchable;
use crate::services::contract::service::{
    AgendaItem, AgendaKind, ContextRequest, ContextRole, Noticed, Rezoned, Service, ServiceInfo,
};
use crate::services::contract::show::Moment;
use crate::services::helpers::described::{Timing, over_one};
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::dav::DavReplica as _;
use crate::services::remote::replica;
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::Attachment;
use brain_core::ports::{Secondary, Source};
use brain_language::language::requests::built::Builder;

pub(super) use add_events::adding;
pub(super) use amend::AMENDERS;
pub use record::NAME;
pub(super) use remind_of_event::remind_of;
pub use service::CalendarService;

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 6] = [
    ("list_events", list_events::built),
    ("find_free_time", find_free_time::built),
    ("create_event", create_event::built),
    ("update_event", update_event::built),
    ("remind_of_event", remind_of_event::built),
    ("delete_event", |said| over_one(said, NAME, "delete_event", Timing::Which(None))),
];

/// The orders by which it asks the store for events.
pub(super) static INDEXES: [&Secondary; 2] = [&indexes::BY_TIME, &indexes::BY_ORIGIN];

/// Its events, to be found.
pub(super) const SOURCE: Source = items::source::<Event>();

/// An instant in its stored form.
fn stored(at: DateTime<Utc>, ctx: &RequestContext) -> String {
    Moment::Instant(at.with_timezone(&ctx.zone)).store()
}

/// What events are called in an export.
const RECORDS: &str = "events";

impl CalendarService {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Calendar", "events, availability, invitations", "your calendar");
        Registration::of(info, self)
            .command::<ListEvents>()
            .command::<FindFreeTime>()
            .edit::<CreateEvent>()
            .edit::<UpdateEvent>()
            .edit::<DeleteEvent>()
            .edit::<RemindOfEvent>()
            .by_button::<AddEvents>()
            .by_button::<SnoozeEvent>()
            .end()
    }
}

#[async_trait]
impl Service for CalendarService {
    async fn mirror_anew(&self, ctx: &RequestContext) -> Result<(), ServiceError> {
        replica::mirror_anew(self, ctx).await
    }

    fn mirrors(&self, owner: &UserId) -> Vec<String> {
        self.keeper().map(|keeper| keeper.ids(owner)).unwrap_or_default()
    }

    fn mirroring(&self) -> Option<&dyn Mirroring> {
        Some(self)
    }

    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<Event>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        let (mut imported, new) = items::import::<Event>(self.store.as_ref(), ctx, records, record::mend).await?;
        let edits: Vec<_> = new.into_iter().map(RecordEdit::create).collect();
        imported.changes.extend(self.reminders_along(ctx, &edits).await?);
        Ok(Some(imported))
    }

    async fn archived(&self, ctx: &RequestContext) -> Result<ArchivedFiles, ServiceError> {
        self.for_archive(ctx).await
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        let to = ctx.now + Duration::days(values::DAYS);
        let found = self.between(ctx, ctx.now, to).await?;
        Ok(found.iter().take(wanted.limit).map(|(event, o)| noticed(event, o, ctx)).collect())
    }

    async fn holds(&self, ctx: &RequestContext, what: &Circumstance) -> Result<Option<Evidence>, ServiceError> {
        match what {
            Circumstance::Free { from, to } => {
                let found = self.between(ctx, *from, *to).await?;
                let taken = found.iter().find(|(event, o)| event.takes_time(o));
                // A whole day keeps nobody busy, and is told: it may be a holiday.
                let shown = taken.or(found.iter().find(|(_, o)| o.is_whole_day()));
                let is_unsure = taken.is_some() && Circumstance::is_daylong(*from, *to);
                let told = shown.map(|(event, o)| told(event, o, ctx));
                let (shown, untrusted) = told.map_or((None, Vec::new()), |(shown, others)| (Some(shown), others));
                Ok((!is_unsure).then_some(Evidence { holds: taken.is_none(), shown, untrusted }))
            }
            Circumstance::Exists { words } => {
                let finder = Finder { store: &self.store, index: &self.index, ctx };
                let ahead = |event: &Event| event.current(ctx.now, ctx.zone).is_some_and(|o| o.to >= ctx.now);
                let shown = |event: &Event, ctx: &RequestContext| match event.current(ctx.now, ctx.zone) {
                    Some(o) => told(event, &o, ctx),
                    None => (texts::brief(&event.summary), event.untrusted()),
                };
                finder.exists(words, ahead, shown).await
            }
        }
    }

    async fn file(&self, ctx: &RequestContext, words: &str) -> Result<Option<(Attachment, usize)>, ServiceError> {
        self.as_file(ctx, words).await
    }

    fn offers(&self, content: &Content<'_>, ctx: &RequestContext) -> Vec<Offerable> {
        add_events::offered(content, ctx).into_iter().collect()
    }

    fn reminders(&self) -> Option<&dyn Reminders> {
        Some(self)
    }

    async fn rezone(&self, ctx: &RequestContext, to: Tz) -> Result<Rezoned, ServiceError> {
        Ok(Rezoned { changes: self.rezoned(ctx, to).await?, ..Rezoned::default() })
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    async fn agenda(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        Ok(self.between(ctx, from, to).await?.iter().map(|(event, o)| agenda_item(event, o)).collect())
    }
}

fn agenda_item(event: &Event, o: &Occurrence) -> AgendaItem {
    AgendaItem {
        id: event.id.clone(),
        kind: AgendaKind::Event,
        at: o.from,
        until: o.end.map(|_| o.to),
        whole_day: o.is_whole_day(),
        untrusted: event.untrusted(),
        title: event.summary.clone(),
        place: event.location.clone(),
    }
}

/// What it is called and when it is, for the person.
fn told(event: &Event, o: &Occurrence, ctx: &RequestContext) -> (String, Vec<UntrustedText>) {
    let when = o.when(&ctx.reference());
    (format!("{} ({when})", texts::brief(&event.summary)), event.untrusted())
}

/// One line of context: when, what, where, and what its maker wrote about it.
fn noticed(event: &Event, o: &Occurrence, ctx: &RequestContext) -> Noticed {
    let mut line = texts::stamp(o.start, ctx);
    if let Some(Moment::Instant(end)) = o.end {
        line.push_str(&end.with_timezone(&ctx.zone).format("–%H:%M").to_string());
    }
    line.push_str(&format!(" {}", texts::brief(&event.summary)));
    if let Some(place) = &event.location {
        line.push_str(&format!(", {}", texts::brief(place)));
    }
    let mut untrusted = event.others.untrusted("an event");
    if let Some(words) = event.makers_words() {
        line.push_str(&format!(" ({})", texts::brief(&words.text)));
        untrusted.push(words.worded(&line));
    }
    Noticed { id: Some(event.id.clone()), line, untrusted }
}
