use chrono_tz::America::New_York;
use chrono_tz::Europe::Berlin;
use proptest::prelude::*;

use super::*;

fn at(zone: Tz, text: &str) -> DateTime<Tz> {
    instant(zone, NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap())
}

fn first_of(zone: Tz, rule: &str, first: &str, count: usize) -> Vec<String> {
    let first = at(zone, first);
    let series = Series::new(rule, Moment::Instant(first), zone).unwrap();
    let all = series.between(first.to_utc(), first.to_utc() + Duration::days(4_000), count);
    all.into_iter().map(|m| m.start(zone).format("%Y-%m-%d %H:%M").to_string()).collect()
}

#[test]
fn rules_are_followed_on_the_local_clock() {
    for (zone, rule, first, expected) in [
        (Berlin, "FREQ=DAILY", "2026-03-28 02:30", vec!["2026-03-28 02:30", "2026-03-29 03:00", "2026-03-30 02:30"]),
        (Berlin, "FREQ=DAILY", "2026-10-24 02:30", vec!["2026-10-24 02:30", "2026-10-25 02:30", "2026-10-26 02:30"]),
        (Berlin, "FREQ=HOURLY", "2026-03-29 01:00", vec!["2026-03-29 01:00", "2026-03-29 03:00", "2026-03-29 04:00"]),
        (Berlin, "FREQ=HOURLY", "2026-10-25 02:00", vec!["2026-10-25 02:00", "2026-10-25 02:00", "2026-10-25 03:00"]),
        (
            New_York,
            "FREQ=WEEKLY;BYDAY=SU",
            "2026-03-01 09:00",
            vec!["2026-03-01 09:00", "2026-03-08 09:00", "2026-03-15 09:00"],
        ),
        (
            Berlin,
            "FREQ=MONTHLY;BYMONTHDAY=31",
            "2026-01-31 09:00",
            vec!["2026-01-31 09:00", "2026-03-31 09:00", "2026-05-31 09:00"],
        ),
        (
            Berlin,
            "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=8;BYMINUTE=15",
            "2026-01-12 08:15",
            vec!["2026-01-12 08:15", "2026-01-26 08:15", "2026-02-09 08:15"],
        ),
        (
            Berlin,
            "FREQ=DAILY;UNTIL=20260114T080000Z",
            "2026-01-12 09:00",
            vec!["2026-01-12 09:00", "2026-01-13 09:00", "2026-01-14 09:00"],
        ),
        (Berlin, "FREQ=DAILY;UNTIL=20260113", "2026-01-12 23:00", vec!["2026-01-12 23:00", "2026-01-13 23:00"]),
        (Berlin, "FREQ=DAILY;COUNT=2", "2026-01-12 09:00", vec!["2026-01-12 09:00", "2026-01-13 09:00"]),
    ] {
        assert_eq!(first_of(zone, rule, first, 3), expected, "{rule} {first}");
    }
}

#[test]
fn what_is_no_rule_or_too_fast_is_refused() {
    let first = Moment::Instant(at(Berlin, "2026-01-12 09:00"));
    for rule in [
        "",
        "daily",
        "FREQ=",
        "FREQ=DAILY;UNTIL=soon",
        "FREQ=DAILY;BYHOUR=99",
        "FREQ=DAILY\nRRULE:FREQ=DAILY",
        "\u{0}",
        "FREQ=WEEKLY;BYDAY=Tä",
        "FREQ=WEEKLY;BYDAY=MO,€",
    ] {
        assert!(matches!(Series::new(rule, first, Berlin), Err(BadRule::Unreadable(_))), "{rule:?}");
    }
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=MINUTELY;INTERVAL=4",
        "FREQ=HOURLY;BYSECOND=1,2;BYMINUTE=1,2,3,4,5,6,7",
    ] {
        assert_eq!(Series::new(rule, first, Berlin), Err(BadRule::TooOften), "{rule}");
    }
    assert!(Series::new("FREQ=MINUTELY;INTERVAL=5", first, Berlin).is_ok());
}

#[test]
fn a_rule_that_never_happens_ends_soon() {
    let first = Moment::Instant(at(Berlin, "2026-01-12 09:00"));
    for rule in [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4",
    ] {
        let series = Series::new(rule, first, Berlin).unwrap();
        assert_eq!(series.next_after(at(Berlin, "2026-01-12 09:00").to_utc()), None, "{rule}");
    }
}

proptest! {
    #[test]
    fn the_next_occurrence_is_later_and_the_first_of_those(
        rule in prop::sample::select(vec!["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=HOURLY;INTERVAL=5", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=30"]),
        minutes in 0i64..1_000_000,
    ) {
        let first = at(Berlin, "2026-01-12 09:00");
        let series = Series::new(rule, Moment::Instant(first), Berlin).unwrap();
        let after = first.to_utc() + Duration::minutes(minutes);
        let next = series.next_after(after).unwrap().start(Berlin).to_utc();
        prop_assert!(next > after);
        let between = series.between(after + Duration::seconds(1), next, 10);
        prop_assert!(between.is_empty());
    }
}

/// The same occurrences as an unbounded walk from the start gives, wherever one looks.
#[test]
fn a_series_that_began_decades_ago_is_followed_from_nearby() {
    let zone = Berlin;
    for rule in [
        "FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=3",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=28",
        "FREQ=WEEKLY",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH",
        "FREQ=WEEKLY;INTERVAL=5;BYDAY=SU;WKST=SU",
        "FREQ=HOURLY;INTERVAL=7;BYDAY=MO",
        "FREQ=HOURLY;BYHOUR=9,17",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=MONTHLY;BYMONTHDAY=31",
        "FREQ=YEARLY",
    ] {
        let late = Series::new(rule, Moment::Instant(at(zone, "1960-01-04 09:00")), zone).unwrap();
        let (from, to) = (at(zone, "2026-03-20 00:00").to_utc(), at(zone, "2026-06-20 00:00").to_utc());
        let expected: Vec<Moment> = late
            .dates_from(late.local_first())
            .unwrap()
            .map(|local| Moment::Instant(wall_instant(zone, local)))
            .take_while(|at| at.start(zone) < to)
            .collect();
        let inside: Vec<Moment> = expected.iter().filter(|at| at.start(zone) >= from).copied().collect();
        assert_eq!(late.between(from, to, 10_000), inside, "{rule}");
        assert_eq!(
            late.next_after(from),
            expected.iter().find(|at| at.start(zone) > from).copied().or(late.next_after(to)),
            "{rule}"
        );
        assert_eq!(late.last_before(to), expected.last().copied(), "{rule}");
    }
}

#[test]
fn a_rule_that_has_ended_has_its_last_time_before_its_end() {
    let series =
        Series::new("FREQ=DAILY;UNTIL=20100301", Moment::Instant(at(Berlin, "1950-01-01 09:00")), Berlin).unwrap();
    let now = at(Berlin, "2026-03-20 00:00").to_utc();
    assert_eq!(series.next_after(now), None);
    assert_eq!(series.last_before(now), Some(Moment::Instant(at(Berlin, "2010-03-01 09:00"))));
}

#[test]
fn the_time_before_one_of_elapsed_hours_is_the_one_before() {
    let series =
        Series::new("FREQ=HOURLY;INTERVAL=6", Moment::Instant(at(Berlin, "2026-01-12 06:00")), Berlin).unwrap();
    let third = at(Berlin, "2026-01-12 18:00");
    assert_eq!(series.last_before(third.to_utc()), Some(Moment::Instant(at(Berlin, "2026-01-12 12:00"))));
}

fn in_calendar(rule: &str, first: Moment, zone: Tz) -> Vec<String> {
    let series = Series::new(rule, first, zone).unwrap().with_start();
    let start = first.start(zone).to_utc();
    let all = series.between(start - Duration::days(3), start + Duration::days(400), 6);
    all.into_iter().map(|at| at.start(zone).format("%Y-%m-%d %H:%M").to_string()).collect()
}

#[test]
fn in_calendars_the_start_is_the_first_occurrence() {
    let wednesday = Moment::Instant(at(Berlin, "2026-01-14 09:00"));
    for (rule, expected) in [
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=3", vec!["2026-01-14 09:00", "2026-01-19 09:00", "2026-01-26 09:00"]),
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=1", vec!["2026-01-14 09:00"]),
        ("FREQ=WEEKLY;BYDAY=WE;COUNT=2", vec!["2026-01-14 09:00", "2026-01-21 09:00"]),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20260119T080000Z", vec!["2026-01-14 09:00", "2026-01-19 09:00"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", vec!["2026-01-14 09:00"]),
        ("FREQ=DAILY;UNTIL=20260113T080000Z", vec![]),
    ] {
        assert_eq!(in_calendar(rule, wednesday, Berlin), expected, "{rule}");
    }
    let series = Series::new("FREQ=WEEKLY;BYDAY=MO", wednesday, Berlin).unwrap();
    assert_eq!(
        series.next_after(at(Berlin, "2026-01-01 00:00").to_utc()),
        Some(Moment::Instant(at(Berlin, "2026-01-19 09:00")))
    );
    let last = series.with_start().last_before(at(Berlin, "2026-01-18 00:00").to_utc());
    assert_eq!(last, Some(wednesday));
}

#[test]
fn every_form_of_an_end_is_read() {
    let time = Moment::Instant(at(New_York, "2026-01-12 21:00"));
    let day = Moment::Day(NaiveDate::from_ymd_opt(2026, 1, 12).unwrap());
    for (first, until, expected) in [
        (time, "20260114T020000Z", 2),
        (time, "20260114T015959Z", 1),
        (time, "20260113", 2),
        (time, "20260113T210000", 2),
        (time, "20260113T205959", 1),
        (day, "20260114", 3),
        (day, "20260114T230000Z", 3),
        (day, "20260114T000000", 3),
    ] {
        let rule = format!("FREQ=DAILY;UNTIL={until}");
        assert_eq!(in_calendar(&rule, first, New_York).len(), expected, "{rule}");
    }
}

/// 02:15 and 02:45 lie in the gap and are 03:15 and 03:45; the others are there already, and in order.
#[test]
fn times_in_a_gap_come_in_order_and_once() {
    let first = Moment::Instant(at(Berlin, "2026-03-29 01:45"));
    let rule = "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=15,45;COUNT=6";
    let expected = ["2026-03-29 01:45", "2026-03-29 03:15", "2026-03-29 03:45", "2026-03-30 01:15"];
    assert_eq!(in_calendar(rule, first, Berlin), expected);
}

/// The second 02:30 of the night, as an end, includes what begins at the first 02:45.
#[test]
fn an_end_in_an_overlap_is_an_instant() {
    let first = Moment::Instant(at(Berlin, "2026-10-24 02:45"));
    let rule = "FREQ=DAILY;UNTIL=20261025T013000Z";
    assert_eq!(in_calendar(rule, first, Berlin), ["2026-10-24 02:45", "2026-10-25 02:45"]);
}

/// Counted from nearby, as from the start.
#[test]
fn a_count_is_the_same_wherever_one_looks() {
    let first = Moment::Instant(at(New_York, "2001-03-07 09:00"));
    for rule in [
        "FREQ=DAILY;COUNT=5000",
        "FREQ=DAILY;INTERVAL=3;COUNT=777",
        "FREQ=WEEKLY;COUNT=300",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA,WE;WKST=SU;COUNT=1001",
        "FREQ=WEEKLY;BYDAY=MO,MO,TU;COUNT=401",
        "FREQ=DAILY;BYDAY=MO;COUNT=401",
        "FREQ=MONTHLY;COUNT=150",
    ] {
        let series = Series::new(rule, first, New_York).unwrap();
        let all: Vec<Moment> = series.walk(DateTime::<Utc>::MIN_UTC).collect();
        assert_eq!(all.len(), series.rule.get_count().unwrap() as usize, "{rule}");
        for (n, moment) in all.iter().enumerate().step_by(29) {
            let start = moment.start(New_York).to_utc();
            assert_eq!(series.next_after(start), all.get(n + 1).copied(), "{rule} after {n}");
            assert_eq!(series.last_before(start), n.checked_sub(1).map(|n| all[n]), "{rule} before {n}");
        }
        assert_eq!(series.last_before(DateTime::<Utc>::MAX_UTC), all.last().copied(), "{rule}");
        assert_eq!(series.count(*all.last().unwrap()), all.len() - 1, "{rule}");
    }
}

#[test]
fn a_rule_of_minutes_that_the_engine_miscounts_is_not_followed() {
    let first = Moment::Instant(at(Berlin, "2026-01-12 09:00"));
    let miscounted = Series::new("FREQ=MINUTELY;INTERVAL=90;BYHOUR=9,12", first, Berlin);
    assert!(matches!(miscounted, Err(BadRule::Unreadable(_))));
    assert!(Series::new("FREQ=MINUTELY;INTERVAL=90", first, Berlin).is_ok());
    assert!(Series::new("FREQ=MINUTELY;INTERVAL=30;BYHOUR=9,12", first, Berlin).is_ok());
}

/// An hour of a day of the year is no condition that elapsed time could leave out.
#[test]
fn hours_of_days_of_the_year_are_on_these_days() {
    let first = Moment::Instant(at(Berlin, "2026-01-12 09:00"));
    let series = Series::new("FREQ=HOURLY;BYYEARDAY=100", first, Berlin).unwrap();
    assert!(!series.is_elapsed());
    let next = series.next_after(at(Berlin, "2026-01-12 09:00").to_utc());
    assert_eq!(next, Some(Moment::Instant(at(Berlin, "2026-04-10 00:00"))));
}

proptest! {
    /// Whatever a calendar holds is read or refused, and looked at without a panic.
    #[test]
    fn no_rule_does_harm(
        freq in prop::sample::select(vec!["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"]),
        interval in prop::sample::select(vec![1u32, 2, 53, 99, 4_000, 65_535, 70_000]),
        part in prop::sample::select(vec!["", ";BYDAY=5MO", ";BYMONTHDAY=-31", ";BYHOUR=3", ";COUNT=0", ";COUNT=4294967295", ";UNTIL=99991231", ";UNTIL=00010101", ";BYWEEKNO=53", ";BYYEARDAY=366", ";BYSETPOS=-1"]),
        year in prop::sample::select(vec![1i32, 425, 1969, 2012, 2026, 8_999, 9_998]),
        zone in prop::sample::select(vec![Berlin, New_York, chrono_tz::Pacific::Apia]),
    ) {
        let first = instant(zone, NaiveDate::from_ymd_opt(year, 12, 30).unwrap().and_hms_opt(2, 30, 0).unwrap());
        let rule = format!("FREQ={freq};INTERVAL={interval}{part}");
        if let Ok(series) = Series::new(&rule, Moment::Instant(first), zone) {
            let series = series.with_start();
            series.next_after(first.to_utc() + Duration::days(9_000));
            series.last_before(first.to_utc() + Duration::days(9_000));
            series.next_after(DateTime::<Utc>::MIN_UTC);
            series.last_before(DateTime::<Utc>::MAX_UTC);
        }
    }
}
