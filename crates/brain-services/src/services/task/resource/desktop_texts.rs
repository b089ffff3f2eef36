//! What programs on desktops write, and texts of nobody's: rows like those of [`super::real_texts`].

use super::real_texts::{CHICAGO, TaskRow, row};

const OWN_ZONE: &str = "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\n\
TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\n\
TZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\n";

pub(super) fn thunderbird() -> Vec<TaskRow> {
    let stamps = "CREATED:20260101T181109Z\nLAST-MODIFIED:20260101T181112Z\nDTSTAMP:20260101T181112Z\n";
    let series = format!(
        "{stamps}SUMMARY:Plants\nRRULE:FREQ=WEEKLY\nDTSTART;TZID=Europe/Berlin:20260105T090000\nDUE;TZID=Europe/Berlin:20260105T100000"
    );
    let single = |id: &str, lines: &str| {
        format!("END:VTODO\nBEGIN:VTODO\nUID:1\nRECURRENCE-ID;TZID=Europe/Berlin:{id}\nSUMMARY:Plants\n{lines}")
    };
    vec![
        row(
            "Thunderbird: due in a zone",
            &format!("{stamps}SUMMARY:New Task\nDUE;TZID=America/Chicago:20260112T140000"),
            CHICAGO,
            "New Task; due 2026-01-12T14:00:00-06:00; in America/Chicago",
        ),
        row(
            "Thunderbird: one time ticked, beside the series",
            &format!(
                "{series}\n{}",
                single(
                    "20260105T090000",
                    "STATUS:COMPLETED\nCOMPLETED:20260105T090500Z\nPERCENT-COMPLETE:100\nDTSTART;TZID=Europe/Berlin:20260105T090000\nDUE;TZID=Europe/Berlin:20260105T100000"
                )
            ),
            "",
            "Plants; due 2026-01-12T10:00:00+01:00; rule FREQ=WEEKLY; from 2026-01-05T10:00:00+01:00; done at 2026-01-05T09:05Z",
        ),
        row(
            "Thunderbird: the next time moved",
            &format!(
                "{}\n{}",
                series.replace("0105T", "0112T"),
                single(
                    "20260112T090000",
                    "DTSTART;TZID=Europe/Berlin:20260113T150000\nDUE;TZID=Europe/Berlin:20260113T160000"
                )
            ),
            "",
            "Plants; due 2026-01-13T16:00:00+01:00; rule FREQ=WEEKLY; from 2026-01-12T10:00:00+01:00",
        ),
        row(
            "Thunderbird: a time left out",
            &format!("{}\nEXDATE;TZID=Europe/Berlin:20260112T090000", series.replace("0105T", "0112T")),
            "",
            "Plants; due 2026-01-19T10:00:00+01:00; rule FREQ=WEEKLY; from 2026-01-12T10:00:00+01:00",
        ),
        row(
            "Thunderbird: all times ticked",
            &format!(
                "{}\n{}",
                series.replace("WEEKLY", "WEEKLY;COUNT=1"),
                single("20260105T090000", "STATUS:COMPLETED\nCOMPLETED:20260105T090500Z")
            ),
            "",
            "Plants; due 2026-01-05T10:00:00+01:00; rule FREQ=WEEKLY;COUNT=1; done ; done at 2026-01-05T09:05Z",
        ),
        row(
            "Thunderbird: alarm from the start",
            &format!(
                "{stamps}SUMMARY:Report\nDTSTART;TZID=Europe/Berlin:20260112T090000\nDUE;TZID=Europe/Berlin:20260112T170000\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DURATION:-PT15M\nDESCRIPTION:Default Mozilla Description\nEND:VALARM"
            ),
            "",
            "Report; due 2026-01-12T17:00:00+01:00; before PT8H15M",
        ),
        row(
            "Thunderbird: mail as alarm",
            &format!(
                "{stamps}SUMMARY:Mail\nDUE:20260112T160000Z\nBEGIN:VALARM\nACTION:EMAIL\nTRIGGER;VALUE=DURATION:-PT20M\nATTENDEE:mailto:a@x.example\nEND:VALARM"
            ),
            "",
            "Mail; due 2026-01-12T17:00:00+01:00",
        ),
    ]
}

pub(super) fn others() -> Vec<TaskRow> {
    vec![
        row(
            "Evolution: its names of zones",
            "DTSTAMP:20260101T000000Z\nSUMMARY:Call\nDUE;TZID=/freeassociation.sourceforge.net/America/Chicago:\n 20260112T140000\nPERCENT-COMPLETE:0\nCLASS:PUBLIC\nSEQUENCE:1\nBEGIN:VALARM\nX-EVOLUTION-ALARM-UID:zzz\nACTION:DISPLAY\nDESCRIPTION:Call\nTRIGGER;VALUE=DURATION;RELATED=END:-PT30M\nEND:VALARM",
            "",
            "Call; due 2026-01-12T14:00:00-06:00; in America/Chicago; before PT30M",
        ),
        row("Evolution: cancelled", "SUMMARY:Off\nSTATUS:CANCELLED\nDUE;VALUE=DATE:20260112", "", "not shown"),
        row(
            "todoman: due in UTC",
            "CREATED:20260101T000000Z\nDTSTAMP:20260101T000000Z\nDUE:20260112T130000Z\nPERCENT-COMPLETE:0\nPRIORITY:4\nSEQUENCE:2\nSTATUS:NEEDS-ACTION\nSUMMARY:Write",
            "",
            "Write; due 2026-01-12T14:00:00+01:00; priority high",
        ),
        row(
            "todoman: ticked",
            "COMPLETED:20260105T120000Z\nDUE:20260105T130000Z\nPERCENT-COMPLETE:100\nSTATUS:COMPLETED\nSUMMARY:Write",
            "",
            "Write; due 2026-01-05T14:00:00+01:00; done ; done at 2026-01-05T12:00Z",
        ),
        row(
            "Synology: a done one, its percents under another name",
            "CREATED:20260101T085521\nLAST-MOD:20260101T085521\nDTSTAMP:20260101T085521\nSUMMARY:Date Time\nDTSTART;TZID=Europe/Prague:20260112T080000\nDUE;TZID=Europe/Prague:20260112T080000\nPRIORITY:0\nPERCENT-COMPLETE:0\nSTATUS:COMPLETED\nDESCRIPTION:\nPERCENT_COMPLETE:100",
            "",
            "Date Time; due 2026-01-12T08:00:00+01:00; in Europe/Prague; done ; done at 2026-01-10T08:00Z",
        ),
        row(
            "Outlook: a zone of its own",
            "SUMMARY:Plan\nDUE;TZID=Customized Time Zone:20260712T090000",
            OWN_ZONE,
            "Plan; due 2026-07-12T09:00:00+02:00",
        ),
        row(
            "a zone that nobody knows",
            "SUMMARY:Land\nDUE;TZID=Mars/Olympus:20260112T090000",
            "",
            "Land; due 2026-01-12T09:00:00+01:00",
        ),
        row(
            "an alarm that has passed",
            "SUMMARY:Late\nDUE;VALUE=DATE:20260120\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:20260109T080000Z\nEND:VALARM",
            "",
            "Late; due 2026-01-20",
        ),
        row(
            "a start and a length",
            "SUMMARY:Bake\nDTSTART;TZID=Europe/Berlin:20260112T090000\nDURATION:PT1H30M",
            "",
            "Bake; due 2026-01-12T10:30:00+01:00",
        ),
        row("days and a length", "SUMMARY:Trip\nDTSTART;VALUE=DATE:20260112\nDURATION:P2D", "", "Trip; due 2026-01-14"),
        row(
            "no name, done by its percents",
            "PERCENT-COMPLETE:100\nLAST-MODIFIED:20260102T000000Z",
            "",
            "(no title); done ; done at 2026-01-02T00:00Z",
        ),
        row(
            "from Monday to Friday each week",
            "SUMMARY:Sprint\nDTSTART;VALUE=DATE:20260112\nDUE;VALUE=DATE:20260116\nRRULE:FREQ=WEEKLY;BYDAY=MO",
            "",
            "Sprint; due 2026-01-16; rule FREQ=WEEKLY;BYDAY=FR",
        ),
        row(
            "starts that deadlines cannot follow",
            "SUMMARY:Shift\nDTSTART;VALUE=DATE:20260112\nDUE;VALUE=DATE:20260113\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE",
            "",
            "Shift; due 2026-01-12; rule FREQ=WEEKLY;BYDAY=MO,WE",
        ),
        row(
            "a start that its rule has not",
            "SUMMARY:Odd\nDTSTART;VALUE=DATE:20260113\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3",
            "",
            "Odd; due 2026-01-13; rule FREQ=WEEKLY;BYDAY=MO;COUNT=2",
        ),
        row(
            "a rule that is none",
            "SUMMARY:Odd\nDUE;VALUE=DATE:20260113\nRRULE:FREQ=SOMETIMES",
            "",
            "Odd; due 2026-01-13",
        ),
        row("a rule without a time", "SUMMARY:Odd\nRRULE:FREQ=DAILY", "", "Odd"),
        row(
            "a series that is over",
            "SUMMARY:Old\nDTSTART;VALUE=DATE:20251201\nDUE;VALUE=DATE:20251201\nRRULE:FREQ=DAILY;COUNT=5",
            "",
            "Old; due 2025-12-01",
        ),
        row(
            "times of other kinds",
            "SUMMARY:Odd\nDTSTART;VALUE=DATE:20260112\nDUE:20260112T160000Z\nRRULE:FREQ=DAILY",
            "",
            "Odd; due 2026-01-12T16:00:00+00:00; rule FREQ=DAILY; in UTC",
        ),
        row("a status of nobody's", "SUMMARY:Odd\nSTATUS:NEEDS-ACTIONS\nPRIORITY:high", "", "Odd"),
        row(
            "another task in the same resource",
            "SUMMARY:First\nDUE;VALUE=DATE:20260112\nEND:VTODO\nBEGIN:VTODO\nUID:2\nSUMMARY:Second",
            "",
            "First; due 2026-01-12",
        ),
        ("an event alone", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n".to_owned(), "not shown"),
        (
            "half a text",
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\n".to_owned(),
            "unreadable: its components do not end where they should",
        ),
    ]
}
