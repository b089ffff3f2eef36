//! Windows: a part of a day as a span of time.

use chrono::{DateTime, Duration, NaiveTime};
use chrono_tz::Tz;

use super::zone::local_instant;
use super::{Grain, Reference, When, grammar, resolve};

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
}
