//! Series that are ticked time by time, and texts that are broken.

use chrono::{Duration, Utc};
use chrono_tz::Tz;

use super::real_texts::texts;
use super::tests::{changed_with, complete, reader_with, reads_at};
use super::when::shifted;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::Series;
use crate::services::task::record::{Task, TaskStatus};

const RULES: [&str; 18] = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;COUNT=7",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=9",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=5",
    "FREQ=MONTHLY;BYDAY=2TU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;INTERVAL=2;UNTIL=20270101T000000Z",
    "FREQ=YEARLY",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;COUNT=4",
    "FREQ=DAILY;UNTIL=20260402",
    "FREQ=HOURLY;INTERVAL=8;COUNT=12",
    "FREQ=DAILY;BYDAY=SA,SU",
];
const ZONES: [Tz; 3] = [Tz::Europe__Berlin, Tz::America__New_York, Tz::Australia__Lord_Howe];
/// DTSTART, DUE.
const TIMES: [(&str, &str); 8] = [
    ("", ";TZID={zone}:20260326T023000"),
    (";TZID={zone}:20260326T023000", ";TZID={zone}:20260326T023000"),
    (";TZID={zone}:20260326T090000", ";TZID={zone}:20260326T170000"),
    (";TZID={zone}:20260330T090000", ";TZID={zone}:20260331T080000"),
    (";VALUE=DATE:20260131", ";VALUE=DATE:20260131"),
    (";VALUE=DATE:20260330", ";VALUE=DATE:20260403"),
    (":20260326T090000Z", ":20260326T100000Z"),
    (";TZID={zone}:20260331T233000", ""),
];

/// Ticked one after the other, each before it is due: the same times as the series has them that was written first.
fn ticked(rule: &str, zone: Tz, times: (&str, &str)) -> usize {
    let line = |name: &str, value: &str| match value {
        "" => String::new(),
        value => format!("{name}{}\r\n", value.replace("{zone}", zone.name())),
    };
    let (start, due) = (line("DTSTART", times.0), line("DUE", times.1));
    let mut text = format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\n{start}{due}RRULE:{rule}\r\nX-OWN:stays\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    );
    let name = format!("{rule} {zone} {times:?}");
    let first = "2026-01-01T08:00:00Z";
    let mut held = reads_at(&text, None, first).unwrap().unwrap();
    // By its starts, moved as its first deadline is.
    let at = |value: &str| {
        let value = value.replace("{zone}", zone.name());
        let digits = value.rsplit(':').next().unwrap_or_default().to_owned();
        moment(&digits, zone)
    };
    let deadline = held.due_moment().unwrap();
    let starts = if times.0.is_empty() { deadline } else { at(times.0) };
    let zone = held.zone;
    let series = Series::new(rule, in_zone(starts, zone), zone).unwrap().with_start();
    let begin = starts.start(zone).to_utc();
    let all = series.between(begin, chrono::DateTime::<Utc>::MAX_UTC, 14);
    let behind = |of: Moment| match of {
        Moment::Instant(at) if series.is_elapsed() => Moment::Instant(at + (deadline.start(zone) - starts.start(zone))),
        of => shifted(of, starts, deadline, zone),
    };
    let wanted: Vec<String> = all.iter().map(|of| behind(*of).store()).collect();
    let mut found = Vec::new();
    for _ in 0..wanted.len() {
        found.push(held.deadline.clone().unwrap());
        let now = (held.due_moment().unwrap().start(zone) - Duration::hours(30)).to_utc().max(first.parse().unwrap());
        let writer = reader_with_now(now);
        let mut after = held.clone();
        complete(&mut after, now);
        text = changed_with(&text, (&held, &after), &writer).unwrap();
        let again = reads_at(&text, Some(&after), &now.to_rfc3339()).unwrap().unwrap();
        assert_eq!((&again.deadline, again.status), (&after.deadline, after.status), "{name}\n{text}");
        // And by somebody who knows only the text.
        let anew = reads_at(&text, None, &now.to_rfc3339()).unwrap().unwrap();
        assert_eq!((&anew.deadline, anew.status), (&again.deadline, again.status), "{name}\n{text}");
        held = again;
        if held.status == TaskStatus::Done {
            break;
        }
    }
    assert_eq!(found, wanted, "{name}\n{text}");
    if all.len() < 14 {
        assert_eq!(held.status, TaskStatus::Done, "{name}\n{text}");
    }
    assert!(text.contains("X-OWN:stays\r\n") && text.contains("RRULE:"), "{name}\n{text}");
    found.len()
}

fn reader_with_now(now: chrono::DateTime<Utc>) -> crate::services::remote::dav::DavReader<'static> {
    crate::services::remote::dav::DavReader { now, ..reader_with("2026-01-01T00:00:00Z") }
}

fn in_zone(moment: Moment, zone: Tz) -> Moment {
    match moment {
        Moment::Instant(at) => Moment::Instant(at.with_timezone(&zone)),
        Moment::Day(_) => moment,
    }
}

fn moment(digits: &str, zone: Tz) -> Moment {
    use chrono::{NaiveDate, NaiveDateTime, TimeZone as _};
    if let Ok(day) = NaiveDate::parse_from_str(digits, "%Y%m%d") {
        return Moment::Day(day);
    }
    let local = NaiveDateTime::parse_from_str(digits.trim_end_matches('Z'), "%Y%m%dT%H%M%S").unwrap();
    let zone = if digits.ends_with('Z') { Tz::UTC } else { zone };
    Moment::Instant(zone.from_local_datetime(&local).earliest().unwrap())
}

#[test]
fn every_series_that_is_ticked_time_by_time_has_the_times_it_had() {
    let mut ticks = 0;
    for rule in RULES {
        for zone in ZONES {
            for times in TIMES {
                let is_timed = !times.0.contains("DATE") && !times.1.contains("DATE");
                if rule.contains("HOURLY") && !is_timed {
                    continue;
                }
                ticks += ticked(rule, zone, times);
            }
        }
    }
    assert!(ticks > 3_000, "{ticks}");
}

/// Lines that are gone, doubled, cut, or another text's: nothing falls over, and what is read is written.
#[test]
fn broken_texts_are_an_error_or_a_task_and_never_more() {
    let texts = texts();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % 0xFFFF_FFFF).unwrap() % below.max(1)
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..6_000 {
        let mut lines: Vec<String> = texts[random(texts.len())].split("\r\n").map(str::to_owned).collect();
        for _ in 0..=random(3) {
            let at = random(lines.len());
            let other: Vec<&str> = texts[random(texts.len())].split("\r\n").collect();
            match random(5) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines[at] = other[random(other.len())].to_owned(),
                3 => {
                    let cut = random(lines[at].len());
                    lines[at] = lines[at].chars().take(cut).collect();
                }
                _ => lines[at] = lines[at].replace(['0', '1'], ["9", "-", "99999999999", "\u{1F600}"][random(4)]),
            }
            if lines.is_empty() {
                lines.push(String::new());
            }
        }
        let text = lines.join("\r\n");
        let now = "2026-01-10T08:00:00Z";
        let Ok(Some(before)) = reads_at(&text, None, now) else {
            refused += 1;
            continue;
        };
        read += 1;
        assert_eq!(changed_with(&text, (&before, &before), &reader_with(now)).as_deref(), Ok(text.as_str()));
        assert_eq!(reads_at(&text, Some(&before), now).unwrap(), Some(before.clone()), "{text}");
        let mut after = Task {
            title: "Another".to_owned(),
            deadline: Some("2026-05-01T10:00:00+02:00".to_owned()),
            ..before.clone()
        };
        if random(2) == 0 {
            after = before.clone();
            complete(&mut after, now.parse().unwrap());
        }
        if let Ok(changed) = changed_with(&text, (&before, &after), &reader_with(now)) {
            let again = reads_at(&changed, Some(&after), now);
            assert!(matches!(again, Ok(Some(_))), "{again:?}\n{text}\n{changed}");
        }
    }
    assert!(read > 1_000 && refused > 500, "{read} {refused}");
}
