//! Windows: a part of a day, or a season, as a span of time.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveTime};
use chrono_tz::Tz;

use super::defaults::SOUTHERN;
use super::resolve::months_moved;
use super::zone::local_instant;
use super::{Grain, Reference, TimeMention, TimeRole, When, grammar, resolve};

/// The bounds of a named part of a day; its end is exclusive. `None` for what names no part of a day, or a clock time
/// beside it.
pub fn window(text: &str, reference: &Reference) -> Option<(DateTime<Tz>, DateTime<Tz>)> {
    let phrase = grammar::read_whole(text, reference.order)?;
    let part = phrase.part.filter(|_| phrase.clock.is_none())?;
    let When::Point { at, grain: Grain::Hour } = resolve::resolve(&phrase, reference).ok()? else {
        return None;
    };
    let midnight = at.date_naive().and_time(NaiveTime::MIN);
    let edge = |minutes: i64| {
        let local = midnight.checked_add_signed(Duration::minutes(minutes))?;
        Some(local_instant(reference.zone, local).earliest())
    };
    Some((edge(part.hours.0)?, edge(part.hours.1)?))
}

/// Of a season.
const MONTHS: i64 = 3;

/// The first season that a text names: three whole months, in the half of the earth in which a person lives. Without more it is the one that runs or comes next.
pub fn season(text: &str, reference: &Reference) -> Option<TimeMention> {
    let named = grammar::season_in(text)?;
    let zone = reference.zone;
    let today = reference.now.with_timezone(&zone).date_naive();
    let is_southern = SOUTHERN.iter().any(|lands| zone.name().starts_with(lands));
    let of_year = |year: i32| {
        let first = NaiveDate::from_ymd_opt(year, named.month, 1)?;
        let first = if is_southern { months_moved(first, 6)? } else { first };
        Some((first, months_moved(first, MONTHS)?))
    };
    let mut around = (-2..=2).filter_map(|years| of_year(today.year() + years));
    let (first, end) = match (named.year, named.which) {
        (Some(year), _) => of_year(year)?,
        (None, Some(0)) => of_year(today.year())?,
        (None, Some(which)) if which < 0 => around.rfind(|(_, end)| *end <= today)?,
        (None, Some(_)) => around.find(|(first, _)| *first > today)?,
        (None, None) => around.find(|(_, end)| *end > today)?,
    };
    let instant = |day: NaiveDate| local_instant(zone, day.and_time(NaiveTime::MIN)).earliest();
    let when = When::Range { start: instant(first), end: instant(end), grain: Grain::Month };
    Some(TimeMention { span: named.span, role: TimeRole::Plain, result: Ok(when) })
}

#[cfg(test)]
mod tests {
    use chrono_tz::UTC;

    use super::*;
    use crate::language::time::DateOrder;

    #[test]
    fn a_part_of_a_day_has_an_end() {
        let now = "2026-01-12T09:00:00Z".parse().expect("a time");
        let reference = Reference { now, zone: UTC, order: DateOrder::DayFirst };
        for (words, span) in [
            ("tomorrow afternoon", Some(("2026-01-13T12:00", "2026-01-13T18:00"))),
            ("on friday morning", Some(("2026-01-16T06:00", "2026-01-16T12:00"))),
            ("tonight", Some(("2026-01-12T17:00", "2026-01-13T04:00"))),
            ("this evening", Some(("2026-01-12T17:00", "2026-01-13T00:00"))),
            ("tomorrow afternoon at 3", None),
            ("tomorrow", None),
            ("lots of things", None),
            ("", None),
        ] {
            let found = window(words, &reference);
            let shown = found.map(|(from, to)| [from, to].map(|at| at.format("%Y-%m-%dT%H:%M").to_string()));
            assert_eq!(shown, span.map(|(from, to)| [from.to_owned(), to.to_owned()]), "{words}");
        }
    }

    #[test]
    fn a_season_is_three_months_of_ones_own_half_of_the_earth() {
        let berlin = chrono_tz::Europe::Berlin;
        for (text, zone, span) in [
            ("the boiler in spring", berlin, Some(("2027-03-01", "2027-06-01"))),
            ("what did we say last summer about it?", berlin, Some(("2026-06-01", "2026-09-01"))),
            ("the trip this spring", berlin, Some(("2026-03-01", "2026-06-01"))),
            ("in the autumn of 2024", berlin, Some(("2024-09-01", "2024-12-01"))),
            ("next autumn", berlin, Some(("2027-09-01", "2027-12-01"))),
            ("der Urlaub im Winter", berlin, Some(("2026-12-01", "2027-03-01"))),
            ("letzten Herbst", berlin, Some(("2025-09-01", "2025-12-01"))),
            ("in spring", chrono_tz::Australia::Sydney, Some(("2026-09-01", "2026-12-01"))),
            ("last summer", chrono_tz::Australia::Sydney, Some(("2025-12-01", "2026-03-01"))),
            ("spring cleaning", berlin, None),
            ("Mrs Winter", berlin, None),
            ("", berlin, None),
        ] {
            let now = "2026-11-28T09:00:00Z".parse().expect("a time");
            let found = season(text, &Reference { now, zone, order: DateOrder::DayFirst });
            let days = found.map(|found| match found.result {
                Ok(When::Range { start, end, .. }) => (start.date_naive().to_string(), end.date_naive().to_string()),
                other => panic!("{other:?}"),
            });
            assert_eq!(days, span.map(|(from, until)| (from.to_owned(), until.to_owned())), "{text}");
        }
    }
}
