//! A new event as a resource.

use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarComponentType};
use chrono::{DateTime, Datelike as _, Utc};
use chrono_tz::Tz;

use super::read::bare;
use crate::ical::{IcalTime, folded, text_value};
use crate::services::calendar::record::Event;
use crate::services::dav::DavReader;
use crate::services::show::Moment;

const BREAK: &str = "\r\n";
/// Years that the clocks of a zone are written down for.
const CLOCK_YEARS: i32 = 6;

/// The text of a new resource.
pub(super) fn made(event: &Event, uid: &str, reader: &DavReader<'_>) -> String {
    let now = reader.now;
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Brain Agent//EN".to_owned(),
        "CALSCALE:GREGORIAN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", text_value(uid)),
        format!("DTSTAMP:{}", stamp(now)),
        format!("CREATED:{}", stamp(event.created_at)),
        format!("SUMMARY:{}", text_value(&event.summary)),
    ];
    let start = event.first().map(|start| time(start, None, event.zone));
    let end =
        event.end_time.as_deref().and_then(|end| Moment::read(end, event.zone)).map(|end| time(end, None, event.zone));
    lines.extend(start.map(|start| start.line("DTSTART")));
    lines.extend(end.map(|end| end.line("DTEND")));
    lines.extend(event.recurrence.as_ref().map(|rule| format!("RRULE:{rule}")));
    lines.extend(event.location.as_ref().map(|place| format!("LOCATION:{}", text_value(place))));
    lines.extend(event.notes.as_ref().map(|notes| format!("DESCRIPTION:{}", text_value(notes))));
    if !event.attendees.is_empty() {
        lines.extend(reader.own.first().map(|address| format!("ORGANIZER:mailto:{address}")));
        lines.extend(event.attendees.iter().map(|person| attendee(person)));
    }
    lines.extend(["END:VEVENT", "END:VCALENDAR"].map(str::to_owned));
    let mut text: String = lines.iter().map(|line| folded(line, BREAK)).collect();
    let in_zone = event.first().is_some_and(|start| matches!(start, Moment::Instant(_))) && event.zone != Tz::UTC;
    if let Some(at) = text.find("BEGIN:VEVENT").filter(|_| in_zone) {
        text.insert_str(at, &clocks(event.zone, event.first().map_or(now, |start| start.start(event.zone).to_utc())));
    }
    text
}

/// The definition of a zone: how its clocks go from then on.
pub(super) fn clocks(zone: Tz, from: DateTime<Utc>) -> String {
    let mut calendar = ICalendar { components: vec![ICalendarComponent::new(ICalendarComponentType::VCalendar)] };
    let until = from.with_year(from.year() + CLOCK_YEARS).unwrap_or(from);
    calendar.add_timezone(zone.name(), from.timestamp() - 366 * 86_400, until.timestamp());
    let text = calendar.to_string();
    let begin = text.find("BEGIN:VTIMEZONE").unwrap_or(text.len());
    let end = text.rfind("END:VCALENDAR").unwrap_or(begin);
    text.get(begin..end).unwrap_or_default().to_owned()
}

/// A moment in the form of what stood there: by the clocks of the same zone, as an instant, or floating.
pub(super) fn time(moment: Moment, like: Option<(&IcalTime, Tz)>, zone: Tz) -> IcalTime {
    match (moment, like) {
        (Moment::Day(day), _) => IcalTime::Day(day),
        (Moment::Instant(at), Some((IcalTime::Local { zone: name, .. }, there))) => {
            IcalTime::Local { at: at.with_timezone(&there).naive_local(), zone: name.clone() }
        }
        (Moment::Instant(at), Some((IcalTime::Instant(_), _))) => IcalTime::Instant(at.fixed_offset()),
        (Moment::Instant(at), _) if zone == Tz::UTC => IcalTime::Instant(at.fixed_offset()),
        (Moment::Instant(at), _) => {
            IcalTime::Local { at: at.with_timezone(&zone).naive_local(), zone: Some(zone.name().to_owned()) }
        }
    }
}

/// Somebody who is invited: `Name <address>`, or an address.
pub(super) fn attendee(person: &str) -> String {
    let address = bare(person);
    let name: String = match person.rsplit_once('<') {
        Some((name, _)) => name.trim().chars().filter(|c| *c != '"' && !c.is_control()).collect(),
        None => String::new(),
    };
    let name = if name.is_empty() { String::new() } else { format!(";CN=\"{name}\"") };
    format!("ATTENDEE{name};ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{address}")
}

pub(super) fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}
