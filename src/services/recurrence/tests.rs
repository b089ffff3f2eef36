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
    for rule in
        ["", "daily", "FREQ=", "FREQ=DAILY;UNTIL=soon", "FREQ=DAILY;BYHOUR=99", "FREQ=DAILY\nRRULE:FREQ=DAILY", "\u{0}"]
    {
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
            .map(|at| Moment::Instant(instant(zone, at.naive_utc())))
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
