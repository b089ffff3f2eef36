//! Days on which the clocks change, and what repeats across them.

use chrono::{Duration, NaiveDate};

use super::*;
use crate::language::time::{
    Grain, LocalInstant, describe, describe_recurrence, local_instant, next_occurrence, start_of,
};

fn at(text: &str, zone: &str) -> DateTime<Tz> {
    text.parse::<DateTime<Utc>>().unwrap().with_timezone(&zone.parse().unwrap())
}

#[test]
fn a_local_time_exists_once_never_or_twice() {
    let cases = [
        ("Europe/Berlin", "2026-03-29T02:30", "gap 2026-03-29T03:00"),
        ("Europe/Berlin", "2026-03-29T01:59", "once"),
        ("Europe/Berlin", "2026-10-25T02:30", "twice"),
        ("America/New_York", "2026-03-08T02:00", "gap 2026-03-08T03:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:10", "gap 2026-10-04T02:30"),
        ("America/Santiago", "2026-09-06T00:00", "gap 2026-09-06T01:00"),
        // Samoa crossed the date line: a whole day is missing.
        ("Pacific/Apia", "2011-12-30T12:00", "gap 2011-12-31T00:00"),
        ("Asia/Kolkata", "2026-03-29T02:30", "once"),
    ];
    for (zone, local, expected) in cases {
        let local = chrono::NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").unwrap();
        let got = match local_instant(zone.parse().unwrap(), local) {
            LocalInstant::Single(_) => "once".to_owned(),
            LocalInstant::Gap { next } => format!("gap {}", show(next)),
            LocalInstant::Overlap { first, second } => {
                assert!(first < second);
                "twice".to_owned()
            }
        };
        assert_eq!(got, expected, "{zone} {local}");
    }
}

#[test]
fn a_time_inside_a_gap_is_a_problem_with_the_next_instant() {
    check(
        reference("2026-03-28T22:30", "Europe/Berlin"),
        &[
            ("tomorrow at 2:30am", "skipped 2026-03-29T03:00"),
            ("tomorrow at 3am", "2026-03-29T03:00"),
            ("in 4 hours", "2026-03-29T03:30"),
            ("in 1 day", "2026-03-29T00:00"),
            ("tomorrow at noon", "2026-03-29T12:00"),
        ],
    );
    check(
        reference("2026-03-07T12:00", "America/New_York"),
        &[
            ("tomorrow at 2:15am", "skipped 2026-03-08T03:00"),
            ("in 24 hours", "2026-03-08T13:00"),
            ("in 2 days at 2:30am", "2026-03-09T02:30"),
        ],
    );
}

#[test]
fn a_clock_time_that_comes_twice_is_a_problem_with_both_until_the_first_has_gone_by() {
    check(
        reference("2026-10-24T22:30", "Europe/Berlin"),
        &[
            ("tomorrow at 2:30am", "twice 00:30Z 01:30Z"),
            ("at 2:30am", "twice 00:30Z 01:30Z"),
            ("2026-10-25T02:30:00", "twice 00:30Z 01:30Z"),
            ("tomorrow at 1:59am", "2026-10-25T01:59"),
            ("tomorrow at 3am", "2026-10-25T03:00"),
            ("in 4 hours", "2026-10-25T02:30"),
        ],
    );
    let between = Reference { now: utc("2026-10-25T00:40:00Z"), ..reference("2026-10-24T22:30", "Europe/Berlin") };
    let got = resolve("today at 2:30am", &between).unwrap().unwrap().start().unwrap();
    assert_eq!(got.to_utc(), utc("2026-10-25T01:30:00Z"));
}

#[test]
fn each_of_two_equal_clock_times_is_described_so_that_it_is_read_back() {
    let reference = reference("2026-10-24T22:30", "Europe/Berlin");
    for (instant, expected) in [
        ("2026-10-25T00:30:00Z", "tomorrow (Sun 25 Oct) at 02:30 (UTC+02:00)"),
        ("2026-10-25T01:30:00Z", "tomorrow (Sun 25 Oct) at 02:30 (UTC+01:00)"),
    ] {
        let at = at(instant, "Europe/Berlin");
        assert_eq!(describe(at, Grain::Minute, &reference), expected);
        assert_eq!(resolve(expected, &reference).unwrap().unwrap().start(), Some(at));
    }
}

#[test]
fn a_description_is_short_and_clear() {
    let reference = sunday_noon();
    let zone = "Europe/Berlin";
    let cases = [
        ("2026-01-12T16:00:00Z", Grain::Minute, "tomorrow (Mon 12 Jan) at 17:00"),
        ("2026-01-11T16:00:00Z", Grain::Hour, "today (Sun 11 Jan) at 17:00"),
        ("2026-01-10T16:00:00Z", Grain::Minute, "yesterday (Sat 10 Jan 2026) at 17:00"),
        ("2026-01-19T16:05:00Z", Grain::Minute, "Mon 19 Jan at 17:05"),
        ("2027-01-19T16:05:00Z", Grain::Minute, "Tue 19 Jan 2027 at 17:05"),
        ("2026-01-18T23:00:00Z", Grain::Day, "Mon 19 Jan"),
        ("2026-01-18T23:00:00Z", Grain::Week, "the week of Mon 19 Jan"),
        ("2026-02-10T23:00:00Z", Grain::Month, "February 2026"),
        ("2026-02-10T23:00:00Z", Grain::Year, "the year 2026"),
    ];
    for (instant, grain, expected) in cases {
        assert_eq!(describe(at(instant, zone), grain, &reference), expected);
    }
}

#[test]
fn a_rule_keeps_its_clock_time_when_the_clocks_change() {
    let zone = "Europe/Berlin";
    let rows = [
        // Rule, first, after, next.
        ("FREQ=DAILY", "2026-03-27T08:00:00Z", "2026-03-28T09:00:00Z", "2026-03-29T07:00:00Z"),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-10-19T07:00:00Z", "2026-10-20T00:00:00Z", "2026-10-26T08:00:00Z"),
        // 2:30 does not exist on 29 March: that day it is 3:00.
        ("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-28T01:30:00Z", "2026-03-28T02:00:00Z", "2026-03-29T01:00:00Z"),
        ("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"),
        // Hours are exact: eight of them, not eight on the clock.
        ("FREQ=HOURLY;INTERVAL=8", "2026-03-28T20:00:00Z", "2026-03-28T20:00:00Z", "2026-03-29T04:00:00Z"),
        ("FREQ=MINUTELY;INTERVAL=90", "2026-03-28T23:00:00Z", "2026-03-29T00:29:00Z", "2026-03-29T00:30:00Z"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-01-31T08:00:00Z", "2026-02-01T00:00:00Z", "2026-03-31T07:00:00Z"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-01-30T08:00:00Z", "2026-01-30T08:00:00Z", "2026-02-27T08:00:00Z"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2024-02-29T08:00:00Z", "2024-03-01T00:00:00Z", "2028-02-29T08:00:00Z"),
    ];
    for (rule, first, after, next) in rows {
        let got = next_occurrence(rule, at(first, zone), utc(after)).map(|at| at.to_utc());
        assert_eq!(got, Some(utc(next)), "{rule} after {after}");
    }
}

/// Samoa left out 30 December 2011.
#[test]
fn on_a_day_that_does_not_exist_nothing_is_due() {
    let first = at("2011-12-01T10:01:00Z", "Pacific/Apia");
    let next = next_occurrence("FREQ=DAILY", first, utc("2011-12-29T22:00:00Z")).unwrap();
    assert_eq!(show(next), "2011-12-31T00:01");
}

#[test]
fn a_rule_ends() {
    let first = at("2026-01-12T08:00:00Z", "Europe/Berlin");
    let next = |rule: &str, after: &str| next_occurrence(rule, first, utc(after)).map(show);
    assert_eq!(next("FREQ=DAILY;COUNT=2", "2026-01-12T09:00:00Z").as_deref(), Some("2026-01-13T09:00"));
    assert_eq!(next("FREQ=DAILY;COUNT=2", "2026-01-13T09:00:00Z"), None);
    assert_eq!(next("FREQ=HOURLY;COUNT=3", "2026-01-12T10:00:00Z"), None);
    assert_eq!(next("FREQ=DAILY;UNTIL=20260113T075959Z", "2026-01-12T09:00:00Z"), None);
    assert_eq!(next("FREQ=DAILY;UNTIL=20260113T080000Z", "2026-01-12T09:00:00Z").as_deref(), Some("2026-01-13T09:00"));
    for broken in ["", "FREQ=SOMETIMES", "FREQ=HOURLY;INTERVAL=0", "nonsense", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"] {
        assert_eq!(next(broken, "2026-01-12T09:00:00Z"), None, "{broken}");
    }
}

#[test]
fn a_rule_of_years_ago_is_answered_quickly() {
    let first = at("1990-01-01T08:00:00Z", "Europe/Berlin");
    let start = std::time::Instant::now();
    let next = next_occurrence("FREQ=DAILY", first, utc("2026-06-01T12:00:00Z")).unwrap();
    println!("36 years of days: {:?}", start.elapsed());
    assert_eq!(show(next), "2026-06-02T09:00");
}

#[test]
fn a_rule_is_told_in_words() {
    let rows = [
        ("every weekday at 9", "every weekday at 9:00"),
        ("every other Tuesday", "every other Tuesday"),
        ("every Monday and Thursday at 6pm", "every Monday and Thursday at 18:00"),
        ("on the 15th of each month", "on the 15th of every month"),
        ("last day of every month", "on the last day of every month"),
        ("every last Friday of the month", "on the last Friday of every month"),
        ("every penultimate Friday of the month", "on the 2nd to last Friday of every month"),
        ("every last working day of the month", "on the last working day of every month"),
        ("every 3 hours", "every 3 hours"),
        ("daily at 8:15", "every day at 8:15"),
        ("every year on 3 May", "every year on 3 May"),
        ("every thanksgiving", "on the 4th Thursday of November every year"),
    ];
    for (text, expected) in rows {
        match resolve(text, &sunday_noon()) {
            Some(Ok(When::Recurrence { rrule, .. })) => {
                assert_eq!(describe_recurrence(&rrule), expected, "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(describe_recurrence("FREQ=DAILY;BYSETPOS=1"), "FREQ=DAILY;BYSETPOS=1");
}

#[test]
fn what_a_sentence_is_about_is_its_first_time_or_where_it_moves_to() {
    let reference = sunday_noon();
    let start = |text: &str| start_of(&find(text, &reference)).map(show);
    assert_eq!(start("move it from Monday to Tuesday at 3").as_deref(), Some("2026-01-13T15:00"));
    assert_eq!(start("lunch tomorrow with Ana at 1").as_deref(), Some("2026-01-12T13:00"));
    assert_eq!(start("on 31 April or on 2 May"), None);
    assert_eq!(start("for 2 hours"), None);
}

#[test]
fn business_days_leave_weekends_out() {
    for (day, expected) in [(9, "2026-01-14"), (10, "2026-01-14"), (11, "2026-01-14"), (12, "2026-01-15")] {
        let noon = NaiveDate::from_ymd_opt(2026, 1, day).unwrap().and_hms_opt(12, 0, 0).unwrap().and_utc();
        let reference = Reference { now: noon, zone: Tz::UTC, order: DateOrder::DayFirst };
        let got = resolve("in 3 business days", &reference).unwrap().unwrap().start().unwrap();
        assert_eq!(got.date_naive().to_string(), expected, "from {noon}");
        let week = resolve("in 5 business days", &reference).unwrap().unwrap().start().unwrap();
        assert!(week - noon.with_timezone(&Tz::UTC) < Duration::days(8));
    }
}

#[test]
fn today_written_out_leaves_no_half_of_it_open() {
    check(
        reference("2026-04-30T11:00", "Europe/London"),
        &[
            ("today (Thu 30 Apr) at 10:00", "past 2026-04-30T10:00"),
            ("30.4.2026 10:00", "past 2026-04-30T10:00"),
            ("today at 10:00", "2026-04-30T22:00"),
        ],
    );
}
