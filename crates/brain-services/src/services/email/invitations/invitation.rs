//! An invitation that came by mail (iTIP, RFC 5546; iMIP, RFC 6047): what it says, and the text of an answer to it.
//!
//! All of it is somebody else's text. An answer repeats of it which invitation it answers, and nothing more.
//! Not here: who may answer it, and where the answer goes.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::services::contract::show::Moment;
use crate::services::email::message::mime_attachments::MimeAttachments;
use crate::services::helpers::components::{Component, ParsedResource, address, end_of, moment, organizer, stamp};
use brain_core::core::text::one_line;
use brain_core::limits::{ICAL_OBSERVANCES_MAX, TITLE_CHARS_MAX};
use brain_wire::ical::{Block, ContentLine, Zones, folded, text_value};

const BREAK: &str = "\r\n";

/// What the person says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InvitationAnswer {
    /// They come.
    #[serde(alias = "accept", alias = "yes")]
    Accepted,
    /// They do not know yet.
    #[serde(alias = "tentative")]
    Maybe,
    /// They do not come.
    #[serde(alias = "decline", alias = "no")]
    Declined,
}

impl InvitationAnswer {
    /// The value of PARTSTAT.
    fn status(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Maybe => "TENTATIVE",
            Self::Declined => "DECLINED",
        }
    }

    /// In front of a subject.
    pub(in crate::services::email) fn word(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Maybe => "Maybe",
            Self::Declined => "Declined",
        }
    }
}

/// What a text for calendars asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::email) enum InvitationAsks {
    /// An answer.
    Answer,
    /// Nothing: it was called off.
    Nothing,
    /// Something else: it answers, or tells.
    Else,
}

/// An invitation, as a card shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::services::email) struct Invitation {
    /// On one line.
    pub title: String,
    /// See [`Moment::store`].
    pub start: Option<String>,
    pub end: Option<String>,
    pub repeats: bool,
    pub place: Option<String>,
    /// `Name <address>`, or an address.
    pub organizer: String,
    /// Whom the answer goes to.
    pub answers_to: String,
    /// Addresses of everybody who is invited.
    #[serde(skip)]
    pub invited: Vec<String>,
}

/// The first text for calendars among the files of a mail.
pub(in crate::services::email) fn text_of(files: &[MimeAttachments]) -> Option<String> {
    let is_calendar = |file: &&MimeAttachments| {
        matches!(file.kind(), "text/calendar" | "text/x-vcalendar" | "application/ics") || file.name().ends_with(".ics")
    };
    let bytes = files.iter().find(is_calendar)?.bytes();
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// What it asks for, and what it says; `None`: it is no event that somebody has made.
pub(in crate::services::email) fn read(text: &str, zone: Tz) -> Option<(InvitationAsks, Invitation)> {
    let parsed = ParsedResource::of(text).ok()?;
    let components = parsed.components(&ICalendarComponentType::VEvent).ok()?;
    let main = components.first()?;
    let zones = Zones::new(&parsed.calendar, zone);
    let start = main.time(&ICalendarProperty::Dtstart).map(|time| moment(&time, &zones, zone));
    let end = start.and_then(|start| match start {
        Moment::Instant(at) => end_of(main, start, &zones, (at.timezone(), zone)),
        Moment::Day(_) => end_of(main, start, &zones, (zone, zone)),
    });
    let words = |name: ICalendarProperty| {
        main.text(&name).map(|text| one_line(text).chars().take(TITLE_CHARS_MAX).collect::<String>())
    };
    let invited = main.read.properties(&ICalendarProperty::Attendee).filter_map(address);
    let invitation = Invitation {
        title: words(ICalendarProperty::Summary).unwrap_or_else(|| "(no title)".to_owned()),
        start: start.map(Moment::store),
        end: end.map(Moment::store),
        repeats: main.block.line("RRULE").is_some(),
        place: words(ICalendarProperty::Location),
        organizer: organizer(main, &[])?,
        answers_to: address(main.read.property(&ICalendarProperty::Organizer)?)?,
        invited: invited.collect(),
    };
    let method = parsed.block.line("METHOD").map(|line| line.value().trim().to_ascii_uppercase());
    let asks = match method.as_deref() {
        Some("REQUEST") | None => InvitationAsks::Answer,
        Some("CANCEL") => InvitationAsks::Nothing,
        Some(_) => InvitationAsks::Else,
    };
    Some((asks, invitation))
}

/// The text of an answer to it by somebody who is invited.
pub(in crate::services::email) fn reply(
    text: &str,
    own: &str,
    (answer, comment): (InvitationAnswer, Option<&str>),
    now: DateTime<Utc>,
) -> Option<String> {
    let parsed = ParsedResource::of(text).ok()?;
    let components = parsed.components(&ICalendarComponentType::VEvent).ok()?;
    let main = components.first()?;
    let mut lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Brain Agent//EN", "METHOD:REPLY"].join(BREAK);
    lines.push_str(BREAK);
    for zone in parsed.block.inner("VTIMEZONE").filter(|zone| is_named(zone, main)) {
        lines.push_str(ended(&text[zone.span.clone()]).as_str());
    }
    lines.push_str(&folded("BEGIN:VEVENT", BREAK));
    lines.push_str(&repeated(text, main));
    lines.push_str(&folded(&format!("DTSTAMP:{}", stamp(now)), BREAK));
    lines.push_str(&folded(&format!("ATTENDEE;PARTSTAT={}:mailto:{own}", answer.status()), BREAK));
    if let Some(comment) = comment {
        lines.push_str(&folded(&format!("COMMENT:{}", text_value(comment)), BREAK));
    }
    lines.push_str(&folded("END:VEVENT", BREAK));
    lines.push_str(&folded("END:VCALENDAR", BREAK));
    Some(lines)
}

/// What of an invitation its answer repeats.
const REPEATED: [&str; 8] =
    ["UID", "ORGANIZER", "SEQUENCE", "RECURRENCE-ID", "DTSTART", "DTEND", "DURATION", "SUMMARY"];

/// Whether what is repeated of an event goes by this zone, and the zone is one.
fn is_named(zone: &Block, main: &Component<'_>) -> bool {
    let name = zone.line("TZID").map(ContentLine::value);
    let mut lines = REPEATED.iter().filter_map(|name| main.block.line(name));
    zone.blocks.len() <= ICAL_OBSERVANCES_MAX && name.is_some() && lines.any(|line| line.param("TZID") == name)
}

/// The lines by which the organizer's program knows it.
fn repeated(text: &str, main: &Component<'_>) -> String {
    let lines = REPEATED.iter().filter_map(|name| main.block.line(name));
    lines.map(|line| ended(&text[line.span.clone()])).collect()
}

/// With a line end of mail.
fn ended(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end_matches('\n').replace('\n', BREAK) + BREAK
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFSITE: &str = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:offsite@work.example\nSEQUENCE:2\n\
        DTSTART:20300115T140000Z\nDURATION:PT1H\nSUMMARY:Offsite\\, with\n  cake\nLOCATION:Room 4\n\
        ORGANIZER;CN=Anna Meier:mailto:anna@work.example\nATTENDEE;PARTSTAT=ACCEPTED:mailto:anna@work.example\n\
        ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:MAILTO:Me@x.example\nATTENDEE:mailto:tom@x.example\n\
        DESCRIPTION:Do not repeat this\nEND:VEVENT\nEND:VCALENDAR\n";

    #[test]
    fn an_invitation_is_read_as_it_says() {
        let (asks, read) = read(OFFSITE, Tz::Europe__Berlin).unwrap();
        assert_eq!(asks, InvitationAsks::Answer);
        assert_eq!(read.title, "Offsite, with cake");
        assert_eq!(read.start.as_deref(), Some("2030-01-15T14:00:00+00:00"));
        assert_eq!(read.end.as_deref(), Some("2030-01-15T15:00:00+00:00"));
        assert_eq!(
            (read.organizer.as_str(), read.answers_to.as_str()),
            ("Anna Meier <anna@work.example>", "anna@work.example")
        );
        assert_eq!(read.invited, ["anna@work.example", "Me@x.example", "tom@x.example"]);
        for (method, asks) in
            [("CANCEL", InvitationAsks::Nothing), ("REPLY", InvitationAsks::Else), ("PUBLISH", InvitationAsks::Else)]
        {
            assert_eq!(super::read(&OFFSITE.replace("REQUEST", method), Tz::UTC).unwrap().0, asks, "{method}");
        }
    }

    #[test]
    fn an_end_before_the_start_is_not_shown() {
        for end in ["DTEND:20300115T130000Z", "DTEND:20300115T140000Z", "DURATION:-PT1H"] {
            let (_, read) = read(&OFFSITE.replace("DURATION:PT1H", end), Tz::Europe__Berlin).unwrap();
            assert_eq!((read.start.as_deref(), read.end), (Some("2030-01-15T14:00:00+00:00"), None), "{end}");
        }
    }

    #[test]
    fn an_answer_repeats_the_zone_it_names_and_no_other() {
        let zone = |name: &str, rules: usize| {
            format!("BEGIN:VTIMEZONE\nTZID:{name}\n{}END:VTIMEZONE\n", "BEGIN:STANDARD\nEND:STANDARD\n".repeat(rules))
        };
        let text = |zones: &str| {
            let named = OFFSITE.replace("DTSTART:20300115T140000Z", "DTSTART;TZID=\"Mine\":20300115T140000");
            named.replace("METHOD:REQUEST\n", &format!("METHOD:REQUEST\n{zones}"))
        };
        let answered = |text: &str| {
            let now = "2030-01-02T03:04:05Z".parse().unwrap();
            reply(text, "me@x.example", (InvitationAnswer::Accepted, None), now).unwrap()
        };
        let answer = answered(&text(&(zone("Mine", 2) + &zone("Other", 2))));
        assert!(answer.contains("TZID:Mine\r\n") && !answer.contains("TZID:Other"), "{answer}");
        let answer = answered(&text(&zone("Mine", 6_000)));
        assert!(!answer.contains("VTIMEZONE") && answer.contains("TZID=\"Mine\""), "{answer}");
    }

    #[test]
    fn what_nobody_has_made_is_no_invitation() {
        for text in ["", "hello", "BEGIN:VCALENDAR\nEND:VCALENDAR\n", &OFFSITE.replace("ORGANIZER", "X-ORGANIZER")] {
            assert_eq!(read(text, Tz::UTC), None, "{text}");
        }
    }

    #[test]
    fn an_answer_says_which_invitation_it_answers_and_nothing_of_the_others() {
        let answer = (InvitationAnswer::Declined, Some("Sorry,\nI'm away"));
        let text = reply(OFFSITE, "me@x.example", answer, "2030-01-02T03:04:05Z".parse().unwrap()).unwrap();
        assert!(text.lines().all(|line| text.contains(&format!("{line}\r\n"))), "{text}");
        for line in [
            "METHOD:REPLY",
            "UID:offsite@work.example",
            "SEQUENCE:2",
            "ORGANIZER;CN=Anna Meier:mailto:anna@work.example",
            "ATTENDEE;PARTSTAT=DECLINED:mailto:me@x.example",
            "COMMENT:Sorry\\,\\nI'm away",
            "DTSTAMP:20300102T030405Z",
        ] {
            assert!(text.lines().any(|there| there == line), "{line}: {text}");
        }
        assert!(!text.contains("tom@") && !text.contains("Do not repeat this"), "{text}");
        assert!(ParsedResource::of(&text).is_ok(), "{text}");
    }
}
