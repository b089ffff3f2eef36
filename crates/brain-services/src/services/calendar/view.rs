//! An event as cards, receipts and lists see it.

use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::event_reminder::EventReminder;
use super::exceptions::Scope;
use super::occurrence::Occurrence;
use super::record::Event;
use crate::services::contract::context::RequestContext;
use crate::services::contract::service::AgendaItem;
use crate::services::contract::show::{self, Moment};
use crate::services::helpers::items::Item;
use crate::services::helpers::texts::brief;
use brain_core::core::history::ItemRef;
use brain_language::language::time::Reference;

/// An event, or one occurrence of it. Times are stored forms (see [`show::Moment::store`]); a whole day has a date as
/// its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventView {
    /// What `find_by` must hold to mean it.
    pub id: String,
    pub summary: String,
    pub start_time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The value of an RRULE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// Where the rule puts this occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// It takes nobody's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_free: bool,
    /// It repeats by a rule that cannot be followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unfollowed: bool,
    /// The name of its zone, where nobody knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_zone: Option<String>,
    /// How long ahead it is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<EventReminder>,
    /// Addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attendees: Vec<String>,
}

impl EventView {
    /// The event at this occurrence of it.
    pub(super) fn of(event: &Event, occurrence: Option<&Occurrence>) -> Self {
        let (start_time, end_time) = event.times_of(occurrence);
        Self {
            id: event.id.clone(),
            summary: event.summary.clone(),
            start_time,
            end_time,
            location: event.location.clone(),
            notes: event.notes.clone(),
            recurrence: event.recurrence.clone(),
            of: occurrence.filter(|_| event.is_series()).map(|o| o.of.store()),
            keeps_free: event.keeps_free,
            is_unfollowed: event.unfollowed_rule.is_some(),
            unknown_zone: event.unknown_zone.clone(),
            reminders: event.reminders.clone(),
            attendees: event.attendees.clone(),
        }
    }

    /// When it takes place, as a person reads it.
    pub(super) fn when(&self, reference: &Reference) -> String {
        let mut when = show::span(&self.start_time, self.end_time.as_deref(), reference);
        if let Some(zone) = &self.unknown_zone {
            when.push_str(&format!(" (by your clocks: I don't know its time zone “{}”)", brief(zone)));
        }
        if self.is_unfollowed {
            when.push_str(" (and again, by a rule that I can't follow)");
        }
        when
    }

    /// True when it takes some of a day; a whole day keeps nobody busy.
    pub(super) fn takes_time(&self) -> bool {
        !self.keeps_free
            && self.start_time.contains('T')
            && self.end_time.as_ref().is_some_and(|end| *end != self.start_time)
    }

    /// When it reminds, if it does.
    pub(super) fn reminders_told(&self) -> Option<String> {
        let start = Moment::read(&self.start_time, Tz::UTC)?;
        let told: Vec<String> = self.reminders.iter().rev().map(|one| one.words(start)).collect();
        (!told.is_empty()).then(|| told.join(" and "))
    }

    /// As one line of a list.
    pub(super) fn line(&self, reference: &Reference) -> String {
        let place = self.location.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        format!("{} — {}{place}", self.when(reference), self.summary)
    }

    /// As conversation refers to it.
    pub(super) fn named(&self) -> ItemRef {
        ItemRef { id: self.id.clone(), label: self.summary.clone() }
    }
}

/// Something to be done.
#[derive(Debug, Serialize, Deserialize)]
pub struct DueThen {
    /// What its service knows it by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub title: String,
    /// In its stored form, see [`Moment::store`].
    pub at: String,
}

impl DueThen {
    pub(super) fn of(item: &AgendaItem, ctx: &RequestContext) -> Self {
        let at = item.at.with_timezone(&ctx.zone);
        let moment = if item.whole_day { Moment::Day(at.date_naive()) } else { Moment::Instant(at) };
        Self { id: item.id.clone(), title: item.title.clone(), at: moment.store() }
    }

    pub(super) fn line(&self, reference: &Reference) -> String {
        format!("⏰ {} — {}", show::time(&self.at, reference), self.title)
    }
}

/// An event that was made or changed, or was there before it was deleted.
#[derive(Debug, Serialize, Deserialize)]
pub struct EventChanged {
    pub event: EventView,
    /// What of a series it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Which calendar of several it was put into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
}

impl EventChanged {
    /// What is told of an event that was changed.
    pub(super) fn told(ctx: &RequestContext, scope: Option<Scope>) -> impl FnOnce(&Event) -> Self + Send + 'static {
        let ctx = ctx.clone();
        move |event| Self { event: event.view(&ctx), scope, calendar: None }
    }

    /// What is said of a series behind the event.
    pub(super) fn told_of_series(&self) -> &'static str {
        self.scope.map_or("", Scope::told)
    }
}

/// What is wrong with an end before its start; a day may end on itself.
pub(super) fn backwards(start: &str, end: Option<&str>) -> Option<String> {
    let end = end?;
    let day = |text: &str| text.get(..10)?.parse::<NaiveDate>().ok();
    let is_backwards = match [start, end].map(DateTime::parse_from_rfc3339) {
        [Ok(start), Ok(end)] => end <= start,
        [_, _] => day(end)? < day(start)?,
    };
    is_backwards.then(|| "it would end before it starts".to_owned())
}
