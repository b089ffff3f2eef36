//! Calendars that are made to cost much: each is read, or refused, in time that grows with its length, and looked at
//! afterwards as cheaply as any other.

use std::time::Duration;

use chrono::Utc;
use chrono_tz::Tz;

use super::super::oddities::{calendar, event_of, told};
use crate::services::calendar::record::Event;
use brain_core::limits::{ICAL_OBSERVANCES_MAX, READ_EXCEPTIONS_MAX, TITLE_CHARS_MAX};
use brain_testing::fuzzing::{ThreadClock, fuzz};

/// What an unoptimised build may take for a megabyte.
const PATIENCE: Duration = Duration::from_secs(8);

/// Read, and looked at as lists and reminders do, in the two years from then on.
fn looked_at(text: &str) -> Option<Event> {
    let event = event_of(text).ok().flatten()?;
    let from = "2026-01-10T08:00:00Z".parse().unwrap();
    event.occurrences(from, from + chrono::Duration::days(730), Tz::Europe__Berlin, 1_000);
    event.current(from, Tz::Europe__Berlin);
    event.next_after(from, Tz::Europe__Berlin);
    Some(event)
}

fn zone(name: &str, rules: usize) -> String {
    let rule = |at: usize| {
        let (kind, month, from, to) = [("STANDARD", 10, "0200", "0100"), ("DAYLIGHT", 3, "0100", "0200")][at % 2];
        let year = 1900 + at % 120;
        format!(
            "BEGIN:{kind}\nDTSTART:{year}{month:02}01T020000\nTZOFFSETFROM:+{from}\nTZOFFSETTO:+{to}\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH={month}\nEND:{kind}\n"
        )
    };
    format!("BEGIN:VTIMEZONE\nTZID:{name}\n{}END:VTIMEZONE\n", (0..rules).map(rule).collect::<String>())
}

const NINE: &str = "DTSTART;TZID=Mine:20260112T090000\nSUMMARY:A";

#[test]
fn a_zone_of_more_rules_than_zones_have_is_told_as_one_that_nobody_knows() {
    let began = ThreadClock::now();
    let known = told(&calendar(NINE, &zone("Mine", ICAL_OBSERVANCES_MAX)));
    assert_eq!(known, "2026-01-12T09:00:00+01:00 – -, Europe/Berlin: A");
    for rules in [ICAL_OBSERVANCES_MAX + 1, 1_500, 6_000] {
        assert_eq!(told(&calendar(NINE, &zone("Mine", rules))), format!("{known}; unknown zone Mine"), "{rules}");
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn zones_of_a_text_are_looked_for_a_bounded_number_of_times() {
    let began = ThreadClock::now();
    let names = |at: usize| format!("Z{at:05}");
    let defined: String = (0..3_000).map(|at| zone(&names(at), 1)).collect();
    let used: String = (0..1_400).map(|at| format!("EXDATE;TZID={}:20260113T090000\n", names(at))).collect();
    let event = looked_at(&calendar(&format!("{NINE}\nRRULE:FREQ=DAILY\n{}", used.trim_end()), &defined)).unwrap();
    assert_eq!(event.exceptions.len(), 1_400);
    // A name of many parts, each of which could begin that of a zone.
    let long = "a/".repeat(100_000);
    let event = looked_at(&calendar(&format!("DTSTART;TZID={long}:20260112T090000\nSUMMARY:A"), "")).unwrap();
    assert!(event.unknown_zone.is_some_and(|name| name.len() < 300));
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn exceptions_are_bounded_and_looked_at_once() {
    let began = ThreadClock::now();
    let series = "DTSTART;TZID=Europe/Berlin:20260112T090000\nSUMMARY:A\nRRULE:FREQ=DAILY";
    let day = |at: usize| {
        (chrono::NaiveDate::from_ymd_opt(2026, 1, 12).unwrap() + chrono::Days::new(at as u64)).format("%Y%m%d")
    };
    let dates = |count: usize| (0..count).map(|at| format!("{}T090000", day(at))).collect::<Vec<_>>().join(",");
    let gone = |count: usize| format!("{series}\nEXDATE;TZID=Europe/Berlin:{}", dates(count));
    let event = looked_at(&calendar(&gone(READ_EXCEPTIONS_MAX), "")).unwrap();
    let next = event.current("2026-01-12T00:00:00Z".parse().unwrap(), Tz::Europe__Berlin).unwrap();
    assert_eq!(next.from.date_naive().to_string(), "2030-01-15");
    assert!(told(&calendar(&gone(READ_EXCEPTIONS_MAX + 1), "")).contains("more of it are on their own"));
    // Many of both kinds, which would be compared each with each.
    let both = calendar(&gone(40_000), "");
    let overrides: String = (0..9_000)
        .map(|at| format!("BEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID;VALUE=DATE:{}\r\nEND:VEVENT\r\n", day(at)))
        .collect();
    assert!(told(&both.replace("END:VCALENDAR", &format!("{overrides}END:VCALENDAR"))).starts_with("unreadable"));
    // Times besides.
    let also = format!("{series}\nRDATE;TZID=Europe/Berlin:{}", dates(50_000));
    assert_eq!(looked_at(&calendar(&also, "")).unwrap().also.len(), 366);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn rules_are_followed_within_their_bounds() {
    let numbers = |from: i32, to: i32| (from..=to).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    for rule in [
        format!("FREQ=SECONDLY;BYSECOND={}", numbers(0, 59)),
        format!("FREQ=YEARLY;BYHOUR={};BYMINUTE={};BYSECOND={}", numbers(0, 23), numbers(0, 59), numbers(0, 59)),
        format!("FREQ=YEARLY;BYHOUR={};BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55", numbers(0, 23)),
        format!("FREQ=YEARLY;BYYEARDAY={};BYHOUR={}", numbers(1, 366), numbers(0, 23)),
        format!("FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS={}", numbers(1, 366)),
        format!("FREQ=DAILY;BYMONTHDAY={}", "1,".repeat(200_000) + "1"),
        format!("FREQ=MONTHLY;BYDAY={}", "MO,".repeat(200_000) + "MO"),
        "FREQ=MINUTELY;INTERVAL=5;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=SECONDLY;INTERVAL=300;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;COUNT=4000000000".to_owned(),
        "FREQ=HOURLY;BYHOUR=1;COUNT=4000000000".to_owned(),
        "FREQ=MONTHLY;COUNT=4000000000".to_owned(),
        "FREQ=YEARLY;COUNT=4000000".to_owned(),
        "FREQ=YEARLY;INTERVAL=65535".to_owned(),
        "FREQ=DAILY;INTERVAL=65535;COUNT=4000000".to_owned(),
    ] {
        for start in ["20260112T090000", "19000101T000000", "00010101T000000"] {
            let began = ThreadClock::now();
            looked_at(&calendar(&format!("DTSTART;TZID=Europe/Berlin:{start}\nRRULE:{rule}\nSUMMARY:A"), ""));
            assert!(began.elapsed() < Duration::from_secs(4), "{start} {:.80}: {:?}", rule, began.elapsed());
        }
    }
}

#[test]
fn lines_of_every_kind_cost_their_length() {
    let began = ThreadClock::now();
    for piece in [
        "BEGIN:VALARM\nTRIGGER:-PT5M\nACTION:DISPLAY\nEND:VALARM\n",
        "BEGIN:VALARM\nEND:VALARM\n",
        "ATTENDEE;CN=\"A\":mailto:a@x.example\n",
        "ATTENDEE:mailto:me@x.example\n",
        "X-A;B=\"c:d\";E=f:g\n",
        "DTSTART:20260112T090000\n",
        "DTEND:20260112T080000\n",
        "RRULE:FREQ=DAILY\n",
        "UID:1\n",
        "DESCRIPTION:a\n",
        "CATEGORIES:a,b,c\n",
    ] {
        let lines = format!("DTSTART:20260112T090000\nSUMMARY:A\n{}", piece.repeat(400_000 / piece.len()));
        assert!(looked_at(&calendar(lines.trim_end(), "")).is_some() || piece.len() < 30, "{piece}");
    }
    for (name, part) in
        [("SUMMARY", "\n a"), ("X-A;B=c", ";B=c"), ("ATTENDEE", ";CN=\"a\""), ("EXDATE", "\n ,20260112")]
    {
        looked_at(&calendar(&format!("DTSTART:20260112T090000\n{name}{}:x", part.repeat(400_000 / part.len())), ""));
    }
    let long = "x".repeat(300_000);
    let event = looked_at(&calendar(&format!("DTSTART:20260112T090000\nSUMMARY:{long}\nLOCATION:{long}"), "")).unwrap();
    assert_eq!(
        (event.summary.len(), event.location.map(|place| place.len())),
        (TITLE_CHARS_MAX, Some(TITLE_CHARS_MAX))
    );
    assert!(began.elapsed() < 3 * PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn a_hundred_thousand_components_in_each_other_are_refused_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let read = small.spawn(|| {
        for name in ["VEVENT", "VALARM", "VTIMEZONE", "X-A", "VCALENDAR"] {
            let nested = format!("BEGIN:{name}\r\n").repeat(100_000);
            let all = [nested.clone(), format!("{nested}{}", format!("END:{name}\r\n").repeat(100_000))];
            for inside in all {
                assert!(
                    told(&calendar("DTSTART:20260112T090000\nSUMMARY:A", &inside)).starts_with("unreadable"),
                    "{name}"
                );
            }
        }
    });
    read.unwrap().join().unwrap();
}

#[test]
fn an_end_before_its_start_is_shown_nowhere() {
    for end in ["DTEND:20260112T080000", "DURATION:-PT1H", "DTEND;VALUE=DATE:20260111", "DURATION:-P400000000W"] {
        let event = looked_at(&calendar(&format!("DTSTART:20260112T090000\n{end}\nSUMMARY:A"), "")).unwrap();
        assert_eq!(event.end_time, None, "{end}");
        let series = format!("DTSTART:20260112T090000\n{end}\nRRULE:FREQ=DAILY\nSUMMARY:A");
        let moved =
            format!("BEGIN:VEVENT\nUID:1\nRECURRENCE-ID:20260113T090000\nDTSTART:20260113T090000\n{end}\nEND:VEVENT\n");
        let event = looked_at(&calendar(&series, &moved)).unwrap();
        let ends = event.exceptions.iter().filter_map(|one| one.instead.as_ref()?.end_time.as_ref()).count();
        assert_eq!((event.end_time, ends), (None, 0), "{end}");
    }
    // One that is in a record, however it came there.
    let mut event = looked_at(&calendar("DTSTART:20260112T090000\nSUMMARY:A", "")).unwrap();
    event.end_time = Some("2026-01-12T08:00:00+01:00".to_owned());
    assert_eq!(event.times_of(None).1, None);
    assert_eq!(event.current(Utc::now(), Tz::Europe__Berlin).unwrap().end, None);
    crate::services::calendar::record::mend(&mut event).unwrap();
    assert_eq!(event.end_time, None);
}

#[test]
fn fuzzed_ical() {
    let series = calendar(
        "DTSTART;TZID=Mine:20260112T090000\nDTEND;TZID=Mine:20260112T100000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=90\n\
         EXDATE;TZID=Mine:20260119T090000,20260126T090000\nRDATE;VALUE=PERIOD:20260120T090000Z/PT1H\nSUMMARY:A\\, b\nATTENDEE;CN=\"B: c\":mailto:b@x.example\n\
         BEGIN:VALARM\nTRIGGER;RELATED=END:-P1DT2H\nACTION:DISPLAY\nEND:VALARM",
        &zone("Mine", 2),
    );
    let single = calendar(
        "DTSTART;VALUE=DATE:20260112\nDURATION:P1W\nSUMMARY;LANGUAGE=de:A\n b\nORGANIZER:mailto:o@x.example",
        "",
    );
    let moved = series.replace(
        "END:VCALENDAR",
        "BEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID;TZID=Mine:20260115T090000\r\nDTSTART:20260116T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR",
    );
    let tokens = [
        "BEGIN:VEVENT\r\n",
        "END:VEVENT\r\n",
        "BEGIN:VALARM\r\n",
        "BEGIN:VTIMEZONE\r\n",
        "BEGIN:X-A\r\n",
        "END:X-A\r\n",
        "\r\n ",
        "\n\t",
        ";",
        ":",
        ",",
        "\"",
        "=",
        "\\",
        "^n",
        ";TZID=Mine",
        ";VALUE=DATE",
        ";ENCODING=BASE64",
        "RRULE:FREQ=HOURLY\r\n",
        "EXDATE:20260113T080000Z\r\n",
        "RDATE:20260113\r\n",
        "99999999",
        "00000000",
        "-PT1H",
        "P999999999W",
        "UNTIL=99991231",
        "COUNT=0",
        "FREQ=YEARLY",
        "FREQ=MINUTELY;INTERVAL=5",
        ";BYSETPOS=-1",
        ";BYMONTHDAY=30;BYMONTH=2",
        ";BYDAY=53MO",
        ";BYWEEKNO=53",
        ";BYHOUR=1,2,3",
        "RECURRENCE-ID:20260119T080000Z\r\n",
        "DTSTART:99991231T235959Z\r\n",
        "DTSTART:00010101\r\n",
        "\u{0}",
        "\u{feff}",
        "é",
    ];
    fuzz("ical", &[&series, &single, &moved], &tokens, |bytes| {
        looked_at(&String::from_utf8_lossy(bytes));
    });
}
