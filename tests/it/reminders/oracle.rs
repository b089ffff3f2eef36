//! When things should ring, found out the slow way: minute by minute through the year, with the clock that
//! hangs on the person's wall. Written apart from the code under test on purpose, without its rules, its
//! recurrences and its time arithmetic.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
use chrono_tz::Tz;

/// On which days something rings.
pub type Days = fn(NaiveDate) -> bool;

/// A repeating thing: its rule, and what that rule means in plain words.
#[derive(Debug, Clone, Copy)]
pub struct Series {
    pub name: &'static str,
    pub rule: &'static str,
    pub clock: (u32, u32),
    pub days: Days,
    /// The first day, given to the program together with the rule.
    pub first: (i32, u32, u32),
}

fn tuesdays_since_4_january(day: NaiveDate) -> bool {
    let since = day.signed_duration_since(NaiveDate::from_ymd_opt(2028, 1, 4).unwrap()).num_days();
    since % 14 == 0
}

fn is_last_friday(day: NaiveDate) -> bool {
    day.weekday() == Weekday::Fri && (day + Duration::days(7)).month() != day.month()
}

/// The series of the virtual year, which is 2028: it has a 29 February.
pub const SERIES: &[Series] = &[
    Series {
        name: "pills",
        rule: "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
        clock: (9, 0),
        days: |_| true,
        first: (2028, 1, 2),
    },
    // In the hour that the clocks skip in spring and repeat in autumn.
    Series { name: "backup", rule: "FREQ=DAILY", clock: (2, 30), days: |_| true, first: (2028, 1, 2) },
    Series {
        name: "standup",
        rule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=45",
        clock: (9, 45),
        days: |day| day.weekday().number_from_monday() <= 5,
        first: (2028, 1, 3),
    },
    Series {
        name: "bins",
        rule: "FREQ=WEEKLY;BYDAY=SU",
        clock: (20, 0),
        days: |day| day.weekday() == Weekday::Sun,
        first: (2028, 1, 2),
    },
    Series {
        name: "rent",
        rule: "FREQ=MONTHLY;BYMONTHDAY=31",
        clock: (12, 0),
        days: |day| day.day() == 31,
        first: (2028, 1, 31),
    },
    Series {
        name: "leap day",
        rule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
        clock: (8, 0),
        days: |day| (day.month(), day.day()) == (2, 29),
        first: (2028, 2, 29),
    },
    Series {
        name: "every other Tuesday",
        rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
        clock: (18, 15),
        days: tuesdays_since_4_january,
        first: (2028, 1, 4),
    },
    Series {
        name: "last Friday",
        rule: "FREQ=MONTHLY;BYDAY=-1FR",
        clock: (17, 0),
        days: is_last_friday,
        first: (2028, 1, 28),
    },
    Series { name: "night", rule: "FREQ=DAILY", clock: (23, 30), days: |_| true, first: (2028, 1, 2) },
];

/// Where the person lives, from when on.
pub type Zones = Vec<(DateTime<Utc>, Tz)>;

pub fn zone_at(zones: &Zones, at: DateTime<Utc>) -> Tz {
    zones.iter().rev().find(|(since, _)| *since <= at).unwrap().1
}

/// One time at which something should ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// When it is for.
    pub at: DateTime<Utc>,
    /// When that came to pass: later only if a move made it past at once.
    pub ripe: DateTime<Utc>,
}

fn minute() -> Duration {
    Duration::minutes(1)
}

fn local(zones: &Zones, at: DateTime<Utc>) -> NaiveDateTime {
    at.with_timezone(&zone_at(zones, at)).naive_local()
}

/// The occurrences of every series, in the order of [`SERIES`].
pub fn year(zones: &Zones, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<Vec<Occurrence>> {
    let mut found: Vec<Vec<Occurrence>> = vec![Vec::new(); SERIES.len()];
    let mut next: Vec<NaiveDateTime> = SERIES.iter().map(|series| following(series, None)).collect();
    let mut now = from;
    while now < to {
        let wall = local(zones, now);
        for (number, series) in SERIES.iter().enumerate() {
            while wall >= next[number] {
                let at = if zone_at(zones, now - minute()) == zone_at(zones, now) {
                    now
                } else {
                    first_minute(zone_at(zones, now), next[number], now)
                };
                found[number].push(Occurrence { at, ripe: now });
                next[number] = following(series, Some(next[number]));
            }
        }
        now += minute();
    }
    found
}

/// The next local time of a series.
fn following(series: &Series, after: Option<NaiveDateTime>) -> NaiveDateTime {
    let clock = NaiveTime::from_hms_opt(series.clock.0, series.clock.1, 0).unwrap();
    let (year, month, day) = series.first;
    let mut day = match after {
        Some(after) => after.date() + Duration::days(1),
        None => NaiveDate::from_ymd_opt(year, month, day).unwrap(),
    };
    while !(series.days)(day) {
        day += Duration::days(1);
    }
    day.and_time(clock)
}

/// The first minute at which the clock of a zone shows `wall` or more, looking back from one that does.
pub fn first_minute(zone: Tz, wall: NaiveDateTime, from: DateTime<Utc>) -> DateTime<Utc> {
    let mut first = from;
    let mut at = from;
    // Two clocks are never further apart than this.
    while from - at < Duration::hours(27) {
        if at.with_timezone(&zone).naive_local() >= wall {
            first = at;
        }
        at -= minute();
    }
    first
}
