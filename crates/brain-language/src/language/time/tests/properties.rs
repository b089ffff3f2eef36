//! What holds for every instant, zone and text.

use chrono::{Datelike, Duration, NaiveDate, Timelike};
use proptest::prelude::*;

use super::*;
use crate::language::time::{Grain, LocalInstant, describe, local_instant, next_occurrence};
use brain_testing::fuzzing::ThreadClock;

const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/Santiago",
    "Africa/Casablanca",
];

/// Any minute of some decades, in any of the zones, and a reference up to two years around it.
fn instants() -> impl Strategy<Value = (DateTime<Tz>, Reference)> {
    let minutes = 946_684_800i64 / 60..2_524_608_000 / 60;
    (minutes, -1_000_000i64..1_000_000, 0..ZONES.len()).prop_map(|(minute, apart, zone)| {
        let zone: Tz = ZONES[zone].parse().unwrap();
        let at = DateTime::from_timestamp(minute * 60, 0).unwrap();
        let now = at + Duration::minutes(apart);
        (at.with_timezone(&zone), Reference { now, zone, order: DateOrder::DayFirst })
    })
}

/// The instant of an answer, a past one too.
fn instant(answer: Option<Result<When, Problem>>) -> Option<DateTime<Tz>> {
    match answer? {
        Ok(when) => when.start(),
        Err(Problem::Past { at }) => Some(at),
        Err(_) => None,
    }
}

/// How people and programs write a minute.
const FORMATS: [&str; 14] = [
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d/%m/%Y at %H:%M",
    "%-d %B %Y at %H:%M",
    "%B %-d, %Y %-I:%M %p",
    "%-I:%M%P on %-d %b %Y",
    "%A %-d %B %Y at %H:%M",
    "%a %-d %b %Y %H:%M",
    "%a, %-d %b %Y, %Hh%M",
    "at %H:%M on the %-dth of %B %Y",
    "on %B the %-dth %Y at %-I:%M %P",
    "am %-d.%-m.%Y um %H:%M Uhr",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_described_instant_is_read_back((at, reference) in instants()) {
        let text = describe(at, Grain::Minute, &reference);
        prop_assert_eq!(instant(resolve(&text, &reference)), Some(at), "{}", text);
    }

    #[test]
    fn a_described_day_week_month_and_year_are_read_back((at, reference) in instants()) {
        let local = at.naive_local().date();
        let monday = local - Duration::days(i64::from(local.weekday().num_days_from_monday()));
        let starts = [
            (Grain::Day, local),
            (Grain::Week, monday),
            (Grain::Month, local.with_day(1).unwrap()),
            (Grain::Year, NaiveDate::from_ymd_opt(local.year(), 1, 1).unwrap()),
        ];
        for (grain, date) in starts {
            let start = local_instant(at.timezone(), date.and_hms_opt(0, 0, 0).unwrap()).earliest();
            let text = describe(start, grain, &reference);
            prop_assert_eq!(instant(resolve(&text, &reference)), Some(start), "{}", text);
        }
    }

    #[test]
    fn an_instant_in_any_format_is_read_back((at, reference) in instants(), format in 0..FORMATS.len()) {
        let single = matches!(local_instant(at.timezone(), at.naive_local()), LocalInstant::Single(_));
        prop_assume!(single);
        let text = at.format(FORMATS[format]).to_string();
        prop_assert_eq!(instant(resolve(&text, &reference)), Some(at), "{}", text);
    }

    #[test]
    fn an_offset_settles_the_instant((at, reference) in instants()) {
        let text = at.to_rfc3339();
        prop_assert_eq!(instant(resolve(&text, &reference)), Some(at), "{}", text);
    }

    #[test]
    fn a_length_is_counted_exactly((_, reference) in instants(), minutes in 1..6000i64) {
        let text = format!("in {minutes} minutes");
        let expected = (reference.now + Duration::minutes(minutes)).with_timezone(&reference.zone);
        prop_assert_eq!(instant(resolve(&text, &reference)), Some(expected));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}", (_, reference) in instants()) {
        for found in find(&text, &reference) {
            prop_assert!(text.get(found.span).is_some());
        }
        let _ = resolve(&text, &reference);
    }

    #[test]
    fn no_sequence_of_words_of_time_panics(words in prop::collection::vec(word(), 1..12), (_, reference) in instants()) {
        let text = words.join(" ");
        let found = find(&text, &reference);
        let ordered = found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
        prop_assert!(ordered, "overlapping spans in {:?}", text);
        for found in &found {
            prop_assert!(text.get(found.span.clone()).is_some());
            if let Ok(When::Range { start, end, .. }) = &found.result {
                prop_assert!(start < end, "an empty range in {:?}", text);
            }
            if let Ok(When::Recurrence { first, rrule, .. }) = &found.result {
                prop_assert!(first.to_utc() > reference.now, "{:?}: {} {}", text, first, rrule);
            }
        }
        let _ = resolve(&text, &reference);
    }

    #[test]
    fn no_rule_panics(rule in "(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY|HOURLY|MINUTELY|X))?(;(INTERVAL|BYDAY|BYMONTHDAY|BYHOUR|UNTIL|COUNT)=[-0-9A-Z,]{0,9}){0,3}", (at, _) in instants()) {
        if let Some(next) = next_occurrence(&rule, at, at.to_utc()) {
            prop_assert!(next > at);
        }
        let _ = crate::language::time::describe_recurrence(&rule);
    }

    #[test]
    fn a_daily_rule_keeps_its_clock_time((at, _) in instants(), days in 0..400i64) {
        let after = at.to_utc() + Duration::days(days);
        let next = next_occurrence("FREQ=DAILY", at, after).unwrap();
        prop_assert!(next.to_utc() > after && next.to_utc() <= after + Duration::hours(50));
        let same = (next.hour(), next.minute()) == (at.hour(), at.minute());
        let zone = at.timezone();
        let wished = next.date_naive().and_time(at.time());
        prop_assert!(same || !matches!(local_instant(zone, wished), LocalInstant::Single(_)));
    }
}

/// A word, number or mark that the tables know.
fn word() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = [
        include_str!("../../../../../../data/language/time/en.txt"),
        include_str!("../../../../../../data/language/time/de.txt"),
    ]
    .into_iter()
    .flat_map(str::lines)
    .filter_map(|line| line.split_once(" = "))
    .flat_map(|(_, phrases)| phrases.split(" | "))
    .collect();
    prop_oneof![
        4 => prop::sample::select(words).prop_map(|w| w.trim_end_matches(['?', '~']).to_owned()),
        1 => (0..100_000u32).prop_map(|n| n.to_string()),
        1 => (0..40u32).prop_map(|n| n.to_string()),
        1 => (0..30u32, 0..70u32).prop_map(|(h, m)| format!("{h}:{m:02}")),
        1 => prop::sample::select(vec![",", "-", ".", "(", ")", "/", "999999999999999999999", "pm", "am"]).prop_map(str::to_owned),
    ]
}

#[test]
fn what_is_counted_back_shares_no_word_with_another_time() {
    let found = find("remind me the day before 12:the wedding on 12 june to pick up the rings", &sunday_noon());
    let spans: Vec<_> = found.iter().map(|one| one.span.clone()).collect();
    assert!(spans.is_sorted_by(|one, next| one.end <= next.start), "{spans:?}");
}

/// The least processor time of this thread in three goes, at least a millisecond: less says nothing.
fn processor_time(work: impl Fn()) -> std::time::Duration {
    let once = || {
        let began = ThreadClock::now();
        work();
        began.elapsed()
    };
    let least = (0..3).map(|_| once()).min().unwrap_or_default();
    least.max(std::time::Duration::from_millis(1))
}

#[test]
fn a_text_of_four_times_the_length_is_read_in_about_four_times_the_time() {
    let reference = sunday_noon();
    for unit in [
        "at 5pm on Friday ",
        "a week before the day after ",
        "1",
        "ä",
        "from to from to ",
        "5 to ",
        "((((",
        "every other ",
    ] {
        let took = |bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            processor_time(|| {
                std::hint::black_box((find(&text, &reference), resolve(&text, &reference)));
            })
        };
        took(1_000);
        let (short, long) = (took(5_000), took(20_000));
        let times = long.as_secs_f64() / short.as_secs_f64();
        println!("{unit:?}: {short:?}, and {long:?} for four times as much");
        // What grows with the square takes sixteen times as long.
        assert!(times < 10.0, "{unit:?}: {short:?}, then {long:?}");
    }
}
