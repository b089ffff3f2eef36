//! The calendar. An event's shape is
//! `{id, summary, start_time, end_time?, location?, attendees?, notes?}`; a whole day has a date as its start.

use chrono::Duration;
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::command::{Base, Command, Kind, Past, Receipt, Slot, Subject};
use super::super::entry::{Entry, entry};
use super::super::show;
use super::super::show::Moment;
use super::super::task::commands::{label, or_dash, text};
use crate::core::card::CardBody;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::language::time::Reference;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![
        entry::<ListEvents>(),
        entry::<FindFreeTime>(),
        entry::<CreateEvent>(),
        entry::<UpdateEvent>(),
        entry::<DeleteEvent>(),
    ]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListEvents {
    /// A day or a span in the person's own words is enough; empty: the coming week.
    from: Option<String>,
    to: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindFreeTime {
    from: Option<String>,
    to: Option<String>,
    /// Length of the slot wanted.
    minutes: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateEvent {
    /// What it is, without time and place.
    summary: String,
    /// ISO local time or the person's own words.
    #[schemars(required)]
    start_time: Option<String>,
    /// A time, or a length such as "for 90 minutes".
    end_time: Option<String>,
    location: Option<String>,
    /// Names or addresses of people to invite.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "super::super::email::commands::one_or_many"
    )]
    attendees: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateEvent {
    /// The event's id or words from its title.
    find_by: String,
    changes: Changes,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "super::super::email::commands::one_or_many"
    )]
    attendees: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteEvent {
    /// The event's id or words from its title.
    find_by: String,
}

fn question(param: &str) -> &'static str {
    match param {
        "summary" => "What is it called?",
        "start_time" => "When is it?",
        "changes" => "What should I change about it?",
        _ => "Which event do you mean?",
    }
}

impl Command for ListEvents {
    const SERVICE: &'static str = "calendar";
    const NAME: &'static str = "list_events";
    const SUMMARY: &'static str = "show what is on the calendar";
    const EXAMPLE: &'static str = "What do I have tomorrow?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::Span { param: "from", start: &mut self.from, end: &mut self.to, base: Base::Now, past: Past::Fine }]
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look at your calendar?")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let events = receipt.result["events"].as_array().map(Vec::as_slice).unwrap_or_default();
        let from = text(receipt.result, "from").unwrap_or_default();
        let span = show::span(from, last_day(receipt.result).as_deref(), receipt.reference);
        if events.is_empty() {
            return format!("📅 Nothing on your calendar, {span}.");
        }
        let lines = events.iter().map(|event| line(event, receipt.reference)).collect();
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("📅 {}", show::list(lines, more))
    }

    fn deed(&self, _: &Action) -> String {
        "look at your calendar".to_owned()
    }
}

impl Command for FindFreeTime {
    const SERVICE: &'static str = "calendar";
    const NAME: &'static str = "find_free_time";
    const SUMMARY: &'static str = "find free slots";
    const EXAMPLE: &'static str = "When am I free on Thursday for an hour?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::Span { param: "from", start: &mut self.from, end: &mut self.to, base: Base::Now, past: Past::Fine }]
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look for free time?")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let slots = receipt.result["slots"].as_array().map(Vec::as_slice).unwrap_or_default();
        let minutes = receipt.result["minutes"].as_u64().unwrap_or(0);
        if slots.is_empty() {
            return format!("🕑 No free {minutes} minutes there.");
        }
        let lines = slots
            .iter()
            .map(|slot| {
                let start = text(slot, "start").unwrap_or_default();
                format!("▫️ {}", show::span(start, text(slot, "end"), receipt.reference))
            })
            .collect();
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("🕑 Free:\n{}", show::list(lines, more))
    }

    fn deed(&self, _: &Action) -> String {
        "look for free time".to_owned()
    }
}

impl Command for CreateEvent {
    const SERVICE: &'static str = "calendar";
    const NAME: &'static str = "create_event";
    const SUMMARY: &'static str = "put an event on the calendar";
    const EXAMPLE: &'static str = "Lunch with Sarah on Friday at noon";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        if self.attendees.is_empty() { Stakes::Low } else { Stakes::High }
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![
            Slot::Span {
                param: "start_time",
                start: &mut self.start_time,
                end: &mut self.end_time,
                base: Base::Now,
                past: Past::Ask,
            },
            Slot::People { param: "attendees", value: &mut self.attendees },
        ]
    }

    fn problem(&self) -> Option<String> {
        backwards(self.start_time.as_deref()?, self.end_time.as_deref())
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this event?")
            .row("Event", &self.summary)
            .row(
                "When",
                show::span(self.start_time.as_deref().unwrap_or_default(), self.end_time.as_deref(), subject.reference),
            )
            .row("Where", self.location.clone().unwrap_or_default())
            .row("With", show::people(&self.attendees, subject.action))
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("📅 Added: {}", line(&receipt.result["event"], receipt.reference))
    }

    fn deed(&self, _: &Action) -> String {
        format!("add “{}” to your calendar", self.summary)
    }
}

impl Command for UpdateEvent {
    const SERVICE: &'static str = "calendar";
    const NAME: &'static str = "update_event";
    const SUMMARY: &'static str = "move or change an event";
    const EXAMPLE: &'static str = "Move the dentist to 4pm";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let Changes { start_time, end_time, attendees, .. } = &mut self.changes;
        vec![
            Slot::Span { param: "start_time", start: start_time, end: end_time, base: Base::Target, past: Past::Ask },
            Slot::People { param: "attendees", value: attendees },
        ]
    }

    /// An event that is moved keeps its length.
    fn complete(&mut self, target: Option<&Target>) {
        let (Some(start), None, Some(target)) = (&self.changes.start_time, &self.changes.end_time, target) else {
            return;
        };
        let instant = |text: Option<&str>| match text.and_then(|text| Moment::read(text, Tz::UTC)) {
            Some(Moment::Instant(at)) => Some(at),
            Some(Moment::Day(_)) | None => None,
        };
        let (was_start, was_end) = (text(&target.before, "start_time"), text(&target.before, "end_time"));
        if let (Some(from), Some(to), Ok(new)) =
            (instant(was_start), instant(was_end), chrono::DateTime::parse_from_rfc3339(start))
        {
            let length: Duration = to - from;
            self.changes.end_time = Some((new + length).to_rfc3339_opts(chrono::SecondsFormat::Secs, false));
        }
    }

    fn problem(&self) -> Option<String> {
        backwards(self.changes.start_time.as_deref()?, self.changes.end_time.as_deref())
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().map(|t| t.before.clone()).unwrap_or_default();
        let old = |name: &str| text(&before, name).unwrap_or_default().to_owned();
        let change = |old: String, new: &Option<String>| match new {
            Some(new) => format!("{} → {new}", or_dash(&old)),
            None => String::new(),
        };
        let was = show::span(&old("start_time"), text(&before, "end_time"), subject.reference);
        let when = match (&self.changes.start_time, &self.changes.end_time) {
            (Some(start), end) => format!("{was} → {}", show::span(start, end.as_deref(), subject.reference)),
            (None, Some(end)) => format!("{was} → until {}", show::time(end, subject.reference)),
            (None, None) => was,
        };
        CardBody::titled("Change this event?")
            .row("Event", label(subject.action, &self.find_by))
            .row("New title", self.changes.summary.clone().unwrap_or_default())
            .row("When", when)
            .row("Where", change(old("location"), &self.changes.location))
            .row("With", show::people(&self.changes.attendees, subject.action))
            .row("Told about it", told(&before))
    }

    fn approve(&self) -> &'static str {
        "✅ Change"
    }

    fn done(&self) -> &'static str {
        "Changed"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("📅 Changed: {}", line(&receipt.result["event"], receipt.reference))
    }

    fn deed(&self, action: &Action) -> String {
        format!("change “{}”", label(action, &self.find_by))
    }
}

impl Command for DeleteEvent {
    const SERVICE: &'static str = "calendar";
    const NAME: &'static str = "delete_event";
    const SUMMARY: &'static str = "cancel an event";
    const EXAMPLE: &'static str = "Cancel my 3pm with Sarah";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().map(|t| t.before.clone()).unwrap_or_default();
        CardBody::titled("Cancel this event?")
            .row("Event", label(subject.action, &self.find_by))
            .row(
                "When",
                show::span(
                    text(&before, "start_time").unwrap_or_default(),
                    text(&before, "end_time"),
                    subject.reference,
                ),
            )
            .row("Where", text(&before, "location").unwrap_or_default())
            .row("Repeats", if text(&before, "recurrence").is_some() { "the whole series goes" } else { "" })
            .row("Told about it", told(&before))
    }

    fn approve(&self) -> &'static str {
        "🗑 Cancel the event"
    }

    fn done(&self) -> &'static str {
        "Cancelled"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🗑 Cancelled: {}", label(receipt.action, &self.find_by))
    }

    fn deed(&self, action: &Action) -> String {
        format!("cancel “{}”", label(action, &self.find_by))
    }
}

fn backwards(start: &str, end: Option<&str>) -> Option<String> {
    let start = chrono::DateTime::parse_from_rfc3339(start).ok()?;
    let end = chrono::DateTime::parse_from_rfc3339(end?).ok()?;
    (end <= start).then(|| "it would end before it starts".to_owned())
}

/// Who else would see the change.
fn told(event: &Value) -> String {
    let attendees = event["attendees"].as_array().map(Vec::as_slice).unwrap_or_default();
    attendees.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// The end of a span is exclusive; people name its last day.
fn last_day(result: &Value) -> Option<String> {
    let end = chrono::DateTime::parse_from_rfc3339(text(result, "to")?).ok()?;
    Some((end - Duration::seconds(1)).to_rfc3339())
}

/// One event in a list.
pub(crate) fn line(event: &Value, reference: &Reference) -> String {
    let start = text(event, "start_time").unwrap_or_default();
    let place = text(event, "location").map(|place| format!(", {place}")).unwrap_or_default();
    format!(
        "{} — {}{place}",
        show::span(start, text(event, "end_time"), reference),
        text(event, "summary").unwrap_or("(no title)"),
    )
}
