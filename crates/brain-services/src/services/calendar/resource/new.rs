//! A new event as a resource.

use super::alarms;
use super::read::bare;
use crate::services::calendar::record::Event;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{WrittenTimes, clocks, stamp};
use crate::services::remote::dav::DavReader;
use brain_wire::ical::{folded, text_value};

const BREAK: &str = "\r\n";

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
    let mut times = WrittenTimes::new(None, event.zone, event.zone);
    let start = event.first().map(|start| times.time(start, None));
    let end = event.end_time.as_deref().and_then(|end| Moment::read(end, event.zone)).map(|end| times.time(end, None));
    lines.extend(start.map(|start| start.line("DTSTART")));
    lines.extend(end.map(|end| end.line("DTEND")));
    lines.extend(event.recurrence.as_ref().map(|rule| format!("RRULE:{rule}")));
    lines.extend(event.location.as_ref().map(|place| format!("LOCATION:{}", text_value(place))));
    lines.extend(event.notes.as_ref().map(|notes| format!("DESCRIPTION:{}", text_value(notes))));
    if !event.attendees.is_empty() {
        lines.extend(reader.own.first().map(|address| format!("ORGANIZER:mailto:{address}")));
        lines.extend(event.attendees.iter().map(|person| attendee(person)));
    }
    let mut text: String = lines.iter().map(|line| folded(line, BREAK)).collect();
    let broken = |line: &str| folded(line, BREAK);
    text.extend(event.reminders.iter().map(|reminder| alarms::made(*reminder, event, broken)));
    text.extend(["END:VEVENT", "END:VCALENDAR"].map(broken));
    if let Some(at) = text.find("BEGIN:VEVENT").filter(|_| times.names_zone) {
        text.insert_str(at, &clocks(event.zone, event.first().map_or(now, |start| start.start(event.zone).to_utc())));
    }
    text
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
