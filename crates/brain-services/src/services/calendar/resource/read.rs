//! From the text of a resource to the event.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty, ICalendarStatus, ICalendarTransparency};
use chrono_tz::Tz;

use super::alarms;
use crate::services::calendar::exceptions::{Exception, Instead};
use crate::services::calendar::record::Event;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{
    Component, ParsedResource, UnreadableResource, address, end_of, excluded_of, moment, occurrence_of, organizer,
    person,
};
use crate::services::helpers::recurrence::{Series, pinned};
use crate::services::remote::dav::{DavReader, ResourceName};
use brain_core::limits::{READ_EXCEPTIONS_MAX, RECIPIENTS_MAX, SERIES_EXCEPTIONS_MAX, TITLE_CHARS_MAX};
use brain_wire::ical::{IcalTime, Malformed, TextZone, Zones};

/// Why a resource is not shown as an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableEvent {
    /// Its text.
    #[error("{0}")]
    Malformed(Malformed),
    /// It holds something else.
    #[error("there is no event in it")]
    NoEvent,
    /// An event that never begins.
    #[error("it does not say when it begins")]
    NoStart,
    /// More exceptions than are followed.
    #[error("more of it are on their own than I can follow")]
    TooMany,
}

impl From<UnreadableResource> for UnreadableEvent {
    fn from(why: UnreadableResource) -> Self {
        match why {
            UnreadableResource::Malformed(why) => Self::Malformed(why),
            UnreadableResource::Nothing => Self::NoEvent,
        }
    }
}

/// The event of a resource; `None`: it was cancelled, or there is none.
pub fn read(text: &str, name: ResourceName, reader: &DavReader<'_>) -> Result<Option<Event>, UnreadableEvent> {
    let parsed = ParsedResource::of(text)?;
    if !parsed.holds(&ICalendarComponentType::VEvent) {
        return Ok(None);
    }
    let components = parsed.components(&ICalendarComponentType::VEvent)?;
    read_of(&parsed, &components, &Zones::new(&parsed.calendar, reader.zone), name, reader)
}

/// The event that these components of a text are, the series or single one first; `None`: it was cancelled.
pub fn read_of(
    parsed: &ParsedResource,
    components: &[Component<'_>],
    zones: &Zones<'_>,
    name: ResourceName,
    reader: &DavReader<'_>,
) -> Result<Option<Event>, UnreadableEvent> {
    let Some((main, overrides)) = components.split_first() else { return Err(UnreadableEvent::NoEvent) };
    if is_cancelled(main) {
        return Ok(None);
    }
    let ReadTimes { start, end, zone, unknown } = times(main, zones, reader)?;
    let exceptions = exceptions((main, overrides), start, zones, zone, reader)?;
    let (rule, unfollowed_rule) = rule(main, start, zone);
    let at = |time: &IcalTime| occurrence_of(moment(time, zones, zone), start, zone);
    let also =
        main.times(&ICalendarProperty::Rdate).into_iter().map(|time| at(&time).store()).take(SERIES_EXCEPTIONS_MAX);
    let organizer = organizer(main, reader.own);
    let created_at = main.time(&ICalendarProperty::Created);
    let mut event = Event {
        end_time: end.map(Moment::store),
        location: words(main, &ICalendarProperty::Location),
        attendees: attendees(main, reader, organizer.as_deref()),
        notes: main.text(&ICalendarProperty::Description).map(str::to_owned),
        recurrence: rule,
        also: also.collect(),
        exceptions,
        reminders: alarms::reminders(parsed, main, (start, end)),
        keeps_free: keeps_free(main),
        unfollowed_rule,
        unknown_zone: unknown,
        origin: Some(name.origin),
        created_at: created_at.map_or(reader.now, |at| moment(&at, zones, zone).start(zone).to_utc()),
        ..Event::new(name.id, reader.owner.clone(), title(main), start, zone)
    };
    let source = organizer.map(|from| format!("an invitation from {from}"));
    let source = source.or_else(|| reader.is_shared.then(|| "a calendar that others write into, too".to_owned()));
    mark(&mut event, source);
    Ok(Some(event))
}

/// What in an event of somebody else's are their words. A description is nobody's for sure.
pub fn mark(event: &mut Event, source: Option<String>) {
    let described = source.clone().unwrap_or_else(|| "the description of an event".to_owned());
    if let Some(notes) = event.notes.clone() {
        event.others.write("notes", &notes, Some(described));
    }
    let words = [
        ("summary", Some(event.summary.clone())),
        ("location", event.location.clone()),
        ("attendees", Some(event.attendees.join("\n"))),
    ];
    for (field, text) in words {
        event.others.write(field, &text.unwrap_or_default(), source.clone());
    }
    let instead: Vec<String> =
        event.exceptions.iter().filter_map(|e| e.instead.as_ref()).map(|i| i.summary.clone()).collect();
    event.others.write("exceptions", &instead.join("\n"), source);
}

/// The rule that it repeats by, as far as one can be followed; else the one that is there. One that gives nothing behind
/// the start is none: looking for what never comes costs much, each time.
fn rule(main: &Component<'_>, start: Moment, zone: Tz) -> (Option<String>, Option<String>) {
    let Some(rule) = main.block.line("RRULE").map(|line| line.value().trim()).filter(|rule| !rule.is_empty()) else {
        return (None, None);
    };
    let local = match main.time(&ICalendarProperty::Dtstart) {
        Some(IcalTime::Local { at, .. }) => Some(at.time()),
        _ => None,
    };
    // A start inside of a gap of the clocks: the rule goes by the time that is written.
    let is_moved = |local: &chrono::NaiveTime| start.start(zone).time() != *local;
    let rule = match local.filter(is_moved) {
        Some(local) if !rule.contains("HOURLY") && !rule.contains("MINUTELY") => pinned(rule, local),
        _ => rule.to_owned(),
    };
    match Series::new(&rule, start, zone).map(Series::with_start) {
        Ok(series) if series.next_after(start.start(zone).to_utc()).is_some() => (Some(rule), None),
        Ok(_) => (None, None),
        Err(_) => (None, Some(rule)),
    }
}

/// When an event is.
struct ReadTimes {
    start: Moment,
    end: Option<Moment>,
    zone: Tz,
    /// The name of its zone, where nobody knows it: it is read by the person's clocks.
    unknown: Option<String>,
}

fn times(one: &Component<'_>, zones: &Zones<'_>, reader: &DavReader<'_>) -> Result<ReadTimes, UnreadableEvent> {
    let starts = one.time(&ICalendarProperty::Dtstart).ok_or(UnreadableEvent::NoStart)?;
    let (zone, unknown) = match starts.zone(zones) {
        // A single event in UTC is shown by the person's clocks anyway; a series goes by its own.
        TextZone::Known(Tz::UTC) if one.block.line("RRULE").is_none() => (reader.zone, None),
        TextZone::Known(zone) => (zone, None),
        TextZone::Floating => (reader.zone, None),
        TextZone::Unknown(name) => (reader.zone, Some(name)),
    };
    let start = moment(&starts, zones, reader.zone).in_zone(zone);
    let end = end_of(one, start, zones, (zone, reader.zone));
    Ok(ReadTimes { start, end, zone, unknown })
}

fn exceptions(
    (main, overrides): (&Component<'_>, &[Component<'_>]),
    start: Moment,
    zones: &Zones<'_>,
    zone: Tz,
    reader: &DavReader<'_>,
) -> Result<Vec<Exception>, UnreadableEvent> {
    let of = |time: &IcalTime| occurrence_of(moment(time, zones, zone), start, zone).store();
    let excluded = |time: &IcalTime| excluded_of(moment(time, zones, zone), start, zone).store();
    let gone = main.times(&ICalendarProperty::Exdate);
    if gone.len().max(overrides.len()) > READ_EXCEPTIONS_MAX {
        return Err(UnreadableEvent::TooMany);
    }
    let mut found: Vec<Exception> = gone.iter().map(|time| Exception { of: excluded(time), instead: None }).collect();
    for one in overrides {
        let Some(at) = one.time(&ICalendarProperty::RecurrenceId) else { continue };
        let of = of(&at);
        found.retain(|exception| exception.of != of);
        let instead = if is_cancelled(one) { None } else { instead(one, main, &at, zones, zone, reader)? };
        found.push(Exception { of, instead });
    }
    if found.len() > READ_EXCEPTIONS_MAX {
        return Err(UnreadableEvent::TooMany);
    }
    Ok(found)
}

fn instead(
    one: &Component<'_>,
    main: &Component<'_>,
    at: &IcalTime,
    zones: &Zones<'_>,
    zone: Tz,
    reader: &DavReader<'_>,
) -> Result<Option<Instead>, UnreadableEvent> {
    let there = match times(one, zones, &DavReader { zone, ..*reader }) {
        Ok(there) => (there.start, there.end),
        // It stays where it was.
        Err(UnreadableEvent::NoStart) => (moment(at, zones, zone), None),
        Err(error) => return Err(error),
    };
    let in_zone = |moment: Moment| moment.in_zone(zone).store();
    let organizer = organizer(one, reader.own).or_else(|| organizer(main, reader.own));
    Ok(Some(Instead {
        summary: title(one),
        start_time: in_zone(there.0),
        end_time: there.1.map(in_zone),
        location: words(one, &ICalendarProperty::Location),
        attendees: attendees(one, reader, organizer.as_deref()),
    }))
}

fn title(one: &Component<'_>) -> String {
    words(one, &ICalendarProperty::Summary).unwrap_or_else(|| "(no title)".to_owned())
}

/// As long as those that are made here: lists and cards repeat them.
fn words(one: &Component<'_>, name: &ICalendarProperty) -> Option<String> {
    Some(one.text(name)?.chars().take(TITLE_CHARS_MAX).collect())
}

fn is_cancelled(one: &Component<'_>) -> bool {
    one.read.status() == Some(&ICalendarStatus::Cancelled)
}

fn keeps_free(one: &Component<'_>) -> bool {
    one.read.transparency() == Some(&ICalendarTransparency::Transparent)
}

/// Everybody else who takes part, whoever made it among them.
fn attendees(one: &Component<'_>, reader: &DavReader<'_>, organizer: Option<&str>) -> Vec<String> {
    let entries = one.read.properties(&ICalendarProperty::Attendee);
    let others = entries.filter_map(|entry| {
        let address = address(entry)?;
        (!reader.own.contains(&address.to_lowercase())).then(|| person(entry, &address))
    });
    let mut all: Vec<String> = organizer.map(str::to_owned).into_iter().collect();
    for one in others {
        let same = |known: &String| bare(known).eq_ignore_ascii_case(bare(&one));
        if !all.iter().any(same) && all.len() < RECIPIENTS_MAX {
            all.push(one);
        }
    }
    all
}

/// The address of `Name <address>`.
pub(super) fn bare(person: &str) -> &str {
    person.rsplit_once('<').map_or(person, |(_, address)| address.trim_end_matches('>')).trim()
}
