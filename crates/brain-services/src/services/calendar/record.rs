//! An event as it is stored, and when it takes place.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::event_reminder::EventReminder;
use super::exceptions::Exception;
use super::view::EventView;
use crate::services::contract::context::RequestContext;
use crate::services::contract::provenance::Others;
use crate::services::contract::show::Moment;
use crate::services::helpers::finding::LASTING;
use crate::services::helpers::items::Item;
use crate::services::helpers::texts::brief;
use crate::services::remote::backend::{RecordOrigin, Replicated};
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::{READ_EXCEPTIONS_MAX, RECURRENCE_STEPS_MAX, REMINDERS_MAX};
use brain_core::ports::{Key, Participant, Record, Table};

/// Its name in plans.
pub const NAME: &str = "calendar";

/// Something that takes place, perhaps again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Unique among the owner's events.
    pub id: String,
    /// The person whose calendar holds it.
    pub owner: UserId,
    /// What it is called.
    pub summary: String,
    /// An RFC 3339 instant, or a date for whole days. Of a series: where it counts from.
    pub start_time: String,
    /// Where it ends, exclusive; `None`: at once, or with the day.
    pub end_time: Option<String>,
    /// Where its local times are meant.
    pub zone: Tz,
    /// Where it takes place, in words.
    pub location: Option<String>,
    /// Who else: an address each, perhaps with a name before it.
    pub attendees: Vec<String>,
    /// Words of whoever made the event.
    pub notes: Option<String>,
    /// The value of an RRULE.
    pub recurrence: Option<String>,
    /// When it takes place besides, in stored form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Occurrences that are not as the rule says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<Exception>,
    /// How long before it begins it reminds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<EventReminder>,
    /// Until when its last reminder was put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snoozed: Option<DateTime<Utc>>,
    /// It takes nobody's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_free: bool,
    /// It repeats there by a rule that cannot be followed here: only its first time is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfollowed_rule: Option<String>,
    /// The name of its zone, where nobody knows it: its times are then read by the person's clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_zone: Option<String>,
    /// What of it is somebody else's, besides the notes of an event that others take part in.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// The account that it comes from; `None`: it is kept here alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<RecordOrigin>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl Replicated for Event {
    fn name(&self) -> &str {
        &self.summary
    }

    fn others_words(&self) -> Vec<UntrustedText> {
        self.untrusted()
    }

    fn origin(&self) -> Option<&RecordOrigin> {
        self.origin.as_ref()
    }

    fn set_origin(&mut self, origin: Option<RecordOrigin>) {
        self.origin = origin;
    }
}

impl Event {
    /// A single event without an end, kept here alone.
    pub fn new(id: impl Into<String>, owner: UserId, summary: impl Into<String>, start: Moment, zone: Tz) -> Self {
        Self {
            id: id.into(),
            owner,
            summary: summary.into(),
            start_time: start.store(),
            end_time: None,
            zone,
            location: None,
            attendees: Vec::new(),
            notes: None,
            recurrence: None,
            also: Vec::new(),
            exceptions: Vec::new(),
            reminders: Vec::new(),
            snoozed: None,
            keeps_free: false,
            unfollowed_rule: None,
            unknown_zone: None,
            others: Others::default(),
            origin: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    /// The same, as it was read anew, with what is known here alone: since when, and whose words it holds where it says
    /// the same as it did.
    pub(super) fn known_as(mut self, held: &Self) -> Self {
        self.created_at = held.created_at;
        self.snoozed = held.snoozed;
        let same = [
            ("summary", self.summary == held.summary),
            ("location", self.location == held.location),
            ("attendees", self.attendees == held.attendees),
            ("notes", self.notes == held.notes),
        ];
        for (field, _) in same.iter().filter(|(_, same)| *same) {
            self.others.same_as(field, &held.others);
        }
        self
    }

    /// What whoever made it wrote about it, when others take part in it.
    pub(super) fn makers_words(&self) -> Option<UntrustedText> {
        let notes = self.notes.clone().filter(|_| !self.attendees.is_empty())?;
        Some(UntrustedText::new(format!("the event “{}”", self.summary), notes))
    }
}

/// What of an event that comes from an archive cannot be kept. An end that is no later than the start is none.
pub(super) fn mend(event: &mut Event) -> Result<(), String> {
    if event.ends().is_none() {
        event.end_time = None;
    }
    let zone = event.zone;
    for instead in event.exceptions.iter_mut().filter_map(|exception| exception.instead.as_mut()) {
        let read = |text: &str| Some(Moment::read(text, zone)?.start(zone));
        let start = read(&instead.start_time);
        instead.end_time = instead.end_time.take().filter(|end| read(end) > start);
    }
    let several = event.exceptions.len().max(event.also.len()) > READ_EXCEPTIONS_MAX;
    match event.summary.trim() {
        "" => Err("it has no name".to_owned()),
        _ if event.first().is_none() => Err("it is at no time that I can read".to_owned()),
        _ if event.reminders.len() > REMINDERS_MAX => Err("it reminds too often".to_owned()),
        _ if several => Err("more of its times are on their own than I keep".to_owned()),
        _ => Ok(()),
    }
}

impl Record for Event {
    const TABLE: Table = Table::Events;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Event {
    type View = EventView;

    const NOUN: &'static str = "event";
    const KIND: &'static str = NAME;
    const AHEAD: bool = true;
    const TIMED: bool = true;

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.summary
    }

    fn body(&self) -> String {
        let mut body = self.attendees.join(" ");
        for more in [&self.location, &self.notes].into_iter().flatten() {
            body.push(' ');
            body.push_str(more);
        }
        body
    }

    fn people(&self) -> Vec<Participant> {
        let participant = |attendee: &String| {
            let (name, address) = match attendee.rsplit_once('<') {
                Some((name, address)) => (name.trim(), address.trim_end_matches('>')),
                None => ("", attendee.as_str()),
            };
            Participant { role: "with".to_owned(), name: name.to_owned(), address: address.to_owned() }
        };
        self.attendees.iter().map(participant).collect()
    }

    fn at(&self) -> DateTime<Utc> {
        self.first().map_or(self.created_at, |first| first.start(self.zone).to_utc())
    }

    fn flags(&self) -> Vec<&'static str> {
        let lasts = self.first().is_some_and(|first| self.length(first) > Duration::days(1));
        if lasts || self.is_series() { vec![LASTING] } else { Vec::new() }
    }

    fn label(&self, ctx: &RequestContext) -> String {
        let Some(o) = self.current(ctx.now, ctx.zone) else {
            return brief(&self.summary);
        };
        let when = o.when(&ctx.reference());
        let repeats = if self.is_series() { ", repeating" } else { "" };
        format!("{} — {when}{repeats}", brief(&self.summary))
    }

    fn view(&self, ctx: &RequestContext) -> EventView {
        EventView::of(self, self.current(ctx.now, ctx.zone).as_ref())
    }

    /// Upcoming and running ones first, then past ones.
    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        match self.current(ctx.now, ctx.zone) {
            Some(o) => {
                let tier = u8::from(o.to <= ctx.now && o.from < ctx.now);
                (tier, (o.from - ctx.now).num_seconds().abs())
            }
            None => (2, 0),
        }
    }

    fn falls_into(&self, from: DateTime<Utc>, to: DateTime<Utc>, ctx: &RequestContext) -> bool {
        let occurrences = self.occurrences(from, to, ctx.zone, 8);
        // A clock time is when it begins; a day is where it lies.
        let exact = to - from <= Duration::hours(1);
        occurrences.iter().any(|o| !exact || (o.from >= from && !o.is_whole_day()))
    }

    /// A whole day is never the next meeting.
    fn occurs(
        &self,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        ctx: &RequestContext,
        last: bool,
    ) -> Option<DateTime<Utc>> {
        let occurrences = self.occurrences(from, to, ctx.zone, RECURRENCE_STEPS_MAX);
        let mut starts =
            occurrences.iter().filter(|o| !o.is_whole_day() && (from..to).contains(&o.from)).map(|o| o.from);
        if last { starts.next_back() } else { starts.next() }
    }

    fn times(&self, ctx: &RequestContext) -> (Option<String>, Option<String>) {
        let (starts, ends) = self.times_of(self.current(ctx.now, ctx.zone).as_ref());
        (Some(starts), ends)
    }

    fn account(&self) -> Option<&str> {
        self.origin.as_ref().map(|origin| origin.account.as_str())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("an event").into_iter().chain(self.makers_words()).collect()
    }
}
