//! `add_events`: what a calendar file holds, put on the calendar. Asked for by a button alone, under a file that was
//! passed on or an invitation that was answered: no plan may name it.
//!
//! Invariants: nobody is invited by it, whatever the file says; all its words are somebody else's; an event of the same
//! name and time that is there already is told, and not added again.

use async_trait::async_trait;
use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Event, NAME};
use super::resource;
use super::service::{CalendarService, OTHERS_SEE_IT};
use super::view::EventView;
use crate::services::contract::capabilities::{Content, Offerable};
use crate::services::contract::command::{Command, Invocation, Receipt, Subject, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::helpers::components::{Component, ParsedResource, address};
use crate::services::helpers::items::Item as _;
use crate::services::helpers::texts;
use crate::services::remote::backend::{RecordEdit, RecordOrigin};
use crate::services::remote::dav::{DavReader, ResourceName};
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::{CARD_INLINE_CHARS_MAX, LIST_ROWS_MAX, RECURRENCE_STEPS_MAX};
use brain_language::language::time::Reference;
use brain_wire::ical::Zones;

/// Put what a calendar file holds on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEvents {
    /// The text of the file.
    ics: String,
    /// What a card shows of it: made when it is prepared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    shown: Vec<String>,
}

impl AddEvents {
    fn of(ics: &str) -> PlannedAction {
        planned(NAME, &Self { ics: ics.to_owned(), shown: Vec::new() })
    }
}

/// What was added.
#[derive(Debug, Serialize, Deserialize)]
pub struct EventsAdded {
    pub added: Vec<EventView>,
    /// Those that were there already.
    pub there: Vec<EventView>,
    /// Which calendar of several it was put into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
}

/// What puts the events of a file on the calendar; `None` where it holds none.
pub(in crate::services) fn adding(ics: &str, ctx: &RequestContext) -> Option<PlannedAction> {
    (!events(ics, ctx).is_empty()).then(|| AddEvents::of(ics))
}

/// The same, offered for a file that was passed on.
pub(super) fn offered(content: &Content<'_>, ctx: &RequestContext) -> Option<Offerable> {
    if !content.is_calendar() {
        return None;
    }
    let found = events(content.text, ctx);
    let reference = ctx.reference();
    let views: Vec<EventView> = found.iter().map(|event| event.view(ctx)).collect();
    let (what, label) = match found.as_slice() {
        [] => return None,
        [_] => ("Shall I put this on your calendar?".to_owned(), "📅 Put it on my calendar"),
        many => (format!("Shall I put these {} on your calendar?", many.len()), "📅 Put them on my calendar"),
    };
    let question = format!("{what}\n{}", listed(&views, &reference));
    Some(Offerable { rank: 0, question: Some(question), label, action: AddEvents::of(content.text) })
}

fn line(event: &EventView, reference: &Reference) -> String {
    visible(&shorten(&event.line(reference), 2 * CARD_INLINE_CHARS_MAX))
}

/// A line each, as many as a message bears.
fn listed(events: &[EventView], reference: &Reference) -> String {
    let mut lines: Vec<String> = events.iter().take(LIST_ROWS_MAX).map(|event| line(event, reference)).collect();
    let more = events.len().saturating_sub(LIST_ROWS_MAX);
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}

/// The events of a text, without the people that they invite.
fn events(ics: &str, ctx: &RequestContext) -> Vec<Event> {
    let reader =
        DavReader { owner: &ctx.owner, chat: &ctx.chat, zone: ctx.zone, own: &[], is_shared: false, now: ctx.now };
    let Ok(parsed) = ParsedResource::of(ics) else { return Vec::new() };
    let zones = Zones::new(&parsed.calendar, ctx.zone);
    let all = parsed.by_uid(&ICalendarComponentType::VEvent).unwrap_or_default();
    let read = all.iter().enumerate().filter_map(|(at, one)| {
        let name = ResourceName { id: at.to_string(), origin: RecordOrigin::new("", "", "") };
        let event = resource::read_of(&parsed, one, &zones, name, &reader).ok()??;
        Some(alone(event, one.first()?))
    });
    read.collect()
}

/// An event of nobody but the person: who invites to it is told in its notes.
fn alone(event: Event, main: &Component<'_>) -> Event {
    let by = main.read.property(&ICalendarProperty::Organizer).and_then(address);
    let notes: Vec<String> = by.map(|by| format!("Invited by {by}")).into_iter().chain(event.notes).collect();
    let exceptions = event.exceptions.into_iter().map(|mut exception| {
        exception.instead.iter_mut().for_each(|instead| instead.attendees.clear());
        exception
    });
    let notes = (!notes.is_empty()).then(|| notes.join("\n\n"));
    Event { attendees: Vec::new(), origin: None, notes, exceptions: exceptions.collect(), ..event }
}

impl Command for AddEvents {
    type Output = EventsAdded;

    const NAME: &'static str = "add_events";
    const SUMMARY: &'static str = "put the events of a file on the calendar";
    const EXAMPLE: &'static str = "Put it on my calendar";
    const STATUS: &'static str = "Putting it on your calendar…";
    const STAKES: Stakes = Stakes::Low;

    fn stakes(&self, action: &Action) -> Stakes {
        let others_see_it = action.notes.iter().any(|note| note == OTHERS_SEE_IT);
        if others_see_it { Stakes::High } else { Self::STAKES }
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Put this on your calendar?").lines("Events", self.shown.clone())
    }

    fn receipt(&self, output: &EventsAdded, receipt: &Receipt<'_>) -> String {
        let calendar = output.calendar.as_ref().map(|name| format!(" (in “{}”)", texts::brief(name)));
        let calendar = calendar.unwrap_or_default();
        let told = |head: &str, events: &[EventView], tail: &str| match events {
            [] => None,
            [one] => Some(format!("📅 {head}: {}{tail}", line(one, receipt.reference))),
            many => Some(format!("📅 {head}{tail}:\n{}", listed(many, receipt.reference))),
        };
        let parts = [told("Added", &output.added, &calendar), told("There already", &output.there, "")];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    fn attempt(&self, _: &Action) -> String {
        "put what the file holds on your calendar".to_owned()
    }

    fn made(&self, output: &EventsAdded) -> Option<ItemRef> {
        output.added.first().map(EventView::named)
    }
}

#[async_trait]
impl Edits<AddEvents> for CalendarService {
    async fn prepare(&self, ctx: &RequestContext, command: AddEvents) -> Result<Prepared<AddEvents>, ServiceError> {
        let told = self.told_of_place(ctx, None, false).await?;
        let asks = told.iter().any(|note| note == OTHERS_SEE_IT);
        let notes = told.into_iter().filter(|_| asks).collect();
        let reference = ctx.reference();
        let shown = events(&command.ics, ctx).iter().map(|event| line(&event.view(ctx), &reference)).collect();
        let command = AddEvents { shown, ..command };
        Ok(Prepared::Ready { params: command, target: None, notes, untrusted: Vec::new() })
    }

    async fn edits(&self, call: Invocation<'_, AddEvents>) -> Result<PlannedEdits<Event, EventsAdded>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let source = provenance::source(action, "ics").or_else(|| Some("a calendar file".to_owned()));
        let (mut edits, mut added, mut there) = (Vec::new(), Vec::new(), Vec::new());
        for (at, event) in events(&command.ics, ctx).into_iter().enumerate() {
            let mut event = Event { id: format!("{}{at}", texts::new_id(attempt)), created_at: ctx.now, ..event };
            resource::mark(&mut event, source.clone());
            let view = event.view(ctx);
            match self.has_alike(ctx, &event).await? {
                true => there.push(view),
                false => {
                    added.push(view);
                    edits.push(RecordEdit::create(event));
                }
            }
        }
        if edits.is_empty() {
            let what = if there.is_empty() { "There is no event in it any more" } else { "It is there already" };
            return Err(ServiceError::Refused(format!("{what}; nothing was added.")));
        }
        let calendar = self.backends.kept_place(&ctx.owner, None).await?.name;
        Ok(PlannedEdits::new(edits, move |_: &Event| EventsAdded { added, there, calendar }))
    }
}

impl CalendarService {
    /// Whether an event of this name begins when this one does.
    async fn has_alike(&self, ctx: &RequestContext, event: &Event) -> Result<bool, ServiceError> {
        let Some((from, length)) = event.begins() else { return Ok(false) };
        let to = from.checked_add_signed(length).unwrap_or(from) + chrono::Duration::seconds(1);
        let near = self.candidates(ctx, from, to).await?;
        let begins_then = |known: &Event| {
            let times = known.occurrences(from, to, ctx.zone, RECURRENCE_STEPS_MAX);
            times.iter().any(|o| o.from == from || o.start.store() == event.start_time)
        };
        Ok(near.iter().any(|known| known.summary.trim() == event.summary.trim() && begins_then(known)))
    }
}
