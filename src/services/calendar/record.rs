//! An event as it is stored, and when it takes place.

use chrono::{DateTime, Days, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::exceptions::Exception;
use super::view::EventView;
use crate::core::ids::UserId;
use crate::core::provenance::UntrustedText;
use crate::limits::RECURRENCE_STEPS_MAX;
use crate::ports::{Key, Participant, Record, Table};
use crate::services::backend::{RecordOrigin, Replicated};
use crate::services::context::RequestContext;
use crate::services::finding::LASTING;
use crate::services::items::Item;
use crate::services::provenance::Others;
use crate::services::recurrence::Series;
use crate::services::show;
use crate::services::show::Moment;
use crate::services::texts::brief;

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

/// One time at which an event takes place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Occurrence {
    /// When it begins.
    pub start: Moment,
    /// When it ends, as told to people.
    pub end: Option<Moment>,
    /// Its first instant.
    pub from: DateTime<Utc>,
    /// The first instant after it.
    pub to: DateTime<Utc>,
    /// Where the rule of its series puts it, even if it was moved from there.
    pub of: Moment,
}

impl Occurrence {
    /// True when some of it lies in `from..to`; something without length lies where it begins.
    pub fn overlaps(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        self.from < to && (self.to > from || self.from >= from)
    }

    /// True when it takes whole days.
    pub fn is_whole_day(&self) -> bool {
        matches!(self.start, Moment::Day(_))
    }
}

impl Event {
    pub(super) fn first(&self) -> Option<Moment> {
        Moment::read(&self.start_time, self.zone)
    }

    /// From start to end; whole days take at least one.
    fn length(&self, first: Moment) -> Duration {
        self.length_until(first, self.end_time.as_deref())
    }

    pub(super) fn length_until(&self, first: Moment, end: Option<&str>) -> Duration {
        let end = end.and_then(|end| Moment::read(end, self.zone));
        match (first, end) {
            (Moment::Instant(start), Some(end)) => (end.start(self.zone) - start).max(Duration::zero()),
            (Moment::Day(start), Some(Moment::Day(end))) => (end - start).max(Duration::days(1)),
            (Moment::Instant(_), None) => Duration::zero(),
            (Moment::Day(_), Some(Moment::Instant(_)) | None) => Duration::days(1),
        }
    }

    /// When it begins, in its own zone, and how long it lasts.
    pub(super) fn begins(&self) -> Option<(DateTime<Utc>, Duration)> {
        let first = self.first()?;
        Some((first.start(self.zone).to_utc(), self.length(first)))
    }

    /// The occurrence that begins at `start`. Whole days are days of the person's zone, wherever they are.
    pub(super) fn occurrence(&self, start: Moment, length: Duration, zone: Tz) -> Occurrence {
        let day_end = |start: chrono::NaiveDate| {
            start.checked_add_days(Days::new(length.num_days().unsigned_abs())).map(Moment::Day)
        };
        let end = match start {
            Moment::Instant(at) => {
                (length > Duration::zero()).then(|| at.checked_add_signed(length).map(Moment::Instant)).flatten()
            }
            Moment::Day(day) => day_end(day),
        };
        let from = start.start(zone).to_utc();
        let to = end.map_or(from, |end| end.start(zone).to_utc());
        // A whole day's end is told only when it is not the same day's.
        let told = end.filter(|_| !matches!(start, Moment::Day(_)) || length > Duration::days(1));
        Occurrence { start, end: told, from, to, of: start }
    }

    /// When it takes place in `from..to`, in order, at most `max` times.
    pub(super) fn occurrences(&self, from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz, max: usize) -> Vec<Occurrence> {
        let Some(first) = self.first() else {
            return Vec::new();
        };
        let length = self.length(first);
        let mut starts = match self.series(first) {
            Some(series) => {
                // One that began before the span may reach into it.
                let early = from.checked_sub_signed(length).unwrap_or(from) - Duration::days(1);
                series.between(early, to, max.saturating_add(EARLY_MAX))
            }
            None => vec![first],
        };
        starts.extend(self.besides().filter(|at| !starts.contains(at)).collect::<Vec<_>>());
        let regular = starts.into_iter().filter(|start| self.exception(*start).is_none());
        let regular = regular.map(|start| self.occurrence(start, length, zone));
        let mut occurrences: Vec<Occurrence> =
            regular.chain(self.moved(zone)).filter(|o| o.overlaps(from, to)).collect();
        occurrences.sort_by_key(|o| o.from);
        occurrences.truncate(max);
        occurrences
    }

    /// The one that is going on or comes next, else the last one there was.
    pub(super) fn current(&self, now: DateTime<Utc>, zone: Tz) -> Option<Occurrence> {
        let first = self.first()?;
        let length = self.length(first);
        let regular = |start: Moment| self.occurrence(start, length, zone);
        if !self.is_series() {
            return Some(regular(first));
        }
        let series = self.series(first);
        let single = self.besides().chain(series.is_none().then_some(first));
        let single = single.filter(|at| self.exception(*at).is_none()).map(regular).chain(self.moved(zone));
        let single: Vec<Occurrence> = single.collect();
        let after = now.checked_sub_signed(length)?;
        let next = series.as_ref().and_then(|series| self.kept(after, |at| series.next_after(at))).map(regular);
        let ahead = next.into_iter().chain(single.iter().filter(|o| o.to > now).cloned()).min_by_key(|o| o.from);
        ahead
            .or_else(|| {
                let last = series.as_ref().and_then(|series| self.kept(now, |at| series.last_before(at))).map(regular);
                last.into_iter().chain(single).max_by_key(|o| o.from)
            })
            .or_else(|| self.exceptions.is_empty().then(|| regular(first)))
    }

    /// The same, as it was read anew, with what is known here alone: since when, and whose words it holds where it says
    /// the same as it did.
    pub(super) fn known_as(mut self, held: &Self) -> Self {
        self.created_at = held.created_at;
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

    /// When it takes place besides what its rule says.
    fn besides(&self) -> impl Iterator<Item = Moment> + '_ {
        self.also.iter().filter_map(|at| Moment::read(at, self.zone))
    }

    /// Whether it takes some of a day at this time: a whole day keeps nobody busy.
    pub(super) fn takes_time(&self, o: &Occurrence) -> bool {
        !self.keeps_free && !o.is_whole_day() && o.from < o.to
    }

    /// Whether it takes place more than once.
    pub(super) fn is_series(&self) -> bool {
        self.recurrence.is_some() || !self.also.is_empty() || !self.exceptions.is_empty()
    }

    pub(super) fn series(&self, first: Moment) -> Option<Series> {
        let series = Series::new(self.recurrence.as_deref()?, first, self.zone).ok()?;
        // What was made from words here begins where its rule does; a calendar elsewhere shows its start as it is.
        Some(if self.origin.is_some() { series.with_start() } else { series })
    }

    /// When it begins and ends, in stored form, at one occurrence of it.
    pub(super) fn times_of(&self, occurrence: Option<&Occurrence>) -> (String, Option<String>) {
        match occurrence {
            Some(o) => (o.start.store(), o.end.map(Moment::store)),
            None => (self.start_time.clone(), self.end_time.clone()),
        }
    }
}

/// Occurrences that may have to be looked at before the first that reaches into a span.
const EARLY_MAX: usize = 64;

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
        let end = o.end.map(Moment::store);
        let when = show::span(&o.start.store(), end.as_deref(), &ctx.reference());
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
