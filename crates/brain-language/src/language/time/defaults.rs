//! Every preference in reading times, in one place. `data/language/time` refers to parts of day by name.

use chrono::Weekday;

use super::words::Edge;

/// A part of the day. Minutes since local midnight; a window may reach into the next day.
#[derive(Debug, PartialEq)]
pub struct PartOfDay {
    pub name: &'static str,
    /// What the part means when no clock time is said.
    pub at: i64,
    /// Where an hour of the twelve-hour clock is looked for; past midnight it is one of the next day.
    pub from: i64,
    pub to: i64,
    /// The hours of it that are looked at: an afternoon is from noon to six.
    pub hours: (i64, i64),
    /// Is the name enough to be a time, or is it also a greeting?
    pub alone: bool,
}

const fn part(name: &'static str, at: (i64, i64), (from, to): (i64, i64), hours: (i64, i64)) -> PartOfDay {
    let hours = (hours.0 * 60, hours.1 * 60);
    PartOfDay { name, at: at.0 * 60 + at.1, from: from * 60, to: to * 60, hours, alone: false }
}

const fn alone(part: PartOfDay) -> PartOfDay {
    PartOfDay { alone: true, ..part }
}

pub const PARTS: &[PartOfDay] = &[
    part("early", (7, 0), (3, 12), (5, 9)),
    alone(part("breakfast", (8, 0), (4, 12), (6, 10))),
    part("morning", (9, 0), (1, 13), (6, 12)),
    part("mid_morning", (10, 0), (4, 13), (9, 11)),
    part("late_morning", (11, 0), (4, 13), (10, 12)),
    part("noon", (12, 0), (11, 15), (12, 13)),
    alone(part("lunch", (12, 0), (11, 15), (11, 14))),
    part("early_afternoon", (13, 0), (12, 19), (12, 15)),
    part("afternoon", (15, 0), (12, 19), (12, 18)),
    part("late_afternoon", (17, 0), (12, 20), (15, 18)),
    alone(part("close", (17, 0), (12, 24), (16, 18))),
    part("early_evening", (18, 0), (16, 24), (17, 20)),
    part("evening", (18, 0), (16, 25), (17, 24)),
    alone(part("after_work", (18, 0), (16, 24), (17, 24))),
    alone(part("dinner", (19, 0), (16, 24), (18, 22))),
    part("tonight", (20, 0), (16, 28), (17, 28)),
    part("night", (21, 0), (18, 30), (20, 30)),
    part("late_evening", (21, 0), (18, 26), (20, 26)),
    part("late", (22, 0), (18, 28), (21, 28)),
];

/// A bare hour up to this one is after noon; a later one is the next that comes, or, on a named day, before noon.
/// Twelve is always noon.
pub const AFTERNOON_UNTIL_HOUR: u32 = 6;

/// A part of today whose usual time has passed means the next full hour, if the part ends after this minute of the day;
/// an earlier part keeps its usual time.
pub const STILL_COMING_AFTER: i64 = 19 * 60;

/// The end of a week is Friday, its middle Wednesday; weeks begin on Monday.
pub const WEEK_END_DAY: i64 = 4;
pub const WEEK_MIDDLE_DAY: i64 = 2;

/// The nth such weekday of a month: year, weekday, n.
type NthWeekday = (i32, Weekday, u32);

/// Where a movable day, by its (nth, weekday, month), is kept on another date: there it is asked for.
pub const KEPT_ELSEWHEN: &[(NthWeekday, &str)] = &[
    // Mother's Day: Lent, the last or first Sunday of May, or a fixed date.
    (
        (2, Weekday::Sun, 5),
        "Europe/London Europe/Dublin Europe/Paris Europe/Stockholm Europe/Madrid Europe/Lisbon \
         Europe/Budapest Europe/Bucharest Europe/Warsaw Europe/Oslo Europe/Moscow Africa/Cairo \
         America/Argentina/Buenos_Aires America/Mexico_City Asia/Bangkok Asia/Jakarta Asia/Tehran",
    ),
    // Father's Day.
    (
        (3, Weekday::Sun, 6),
        "Europe/Berlin Europe/Vienna Europe/Zurich Europe/Rome Europe/Madrid Europe/Lisbon Europe/Warsaw \
         Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Helsinki Australia/Sydney \
         Australia/Melbourne Australia/Brisbane Australia/Perth Pacific/Auckland America/Sao_Paulo",
    ),
    // Thanksgiving in Canada is in October.
    (
        (4, Weekday::Thu, 11),
        "America/Toronto America/Vancouver America/Montreal America/Edmonton America/Winnipeg \
         America/Halifax",
    ),
];

/// Where the seasons are the other way round, by how the names of zones begin.
pub const SOUTHERN: &[&str] = &[
    "Australia/",
    "Antarctica/",
    "Pacific/Auckland",
    "Africa/Johannesburg",
    "Africa/Harare",
    "Africa/Maputo",
    "America/Argentina/",
    "America/Buenos_Aires",
    "America/Santiago",
    "America/Montevideo",
    "America/Asuncion",
    "America/Sao_Paulo",
];

/// Parts whose edges have names of their own: (part, edge, its name).
const NARROWED: &[(&str, Edge, &str)] = &[
    ("morning", Edge::Begin, "early"),
    ("morning", Edge::Middle, "mid_morning"),
    ("morning", Edge::End, "late_morning"),
    ("afternoon", Edge::Begin, "early_afternoon"),
    ("afternoon", Edge::End, "late_afternoon"),
    ("evening", Edge::Begin, "early_evening"),
    ("evening", Edge::End, "late_evening"),
    ("tonight", Edge::End, "late"),
    ("night", Edge::End, "late"),
];

impl PartOfDay {
    /// An edge of a part of the day, also with the day between the two words.
    pub fn narrowed(&'static self, edge: Option<Edge>) -> &'static PartOfDay {
        let own = NARROWED.iter().find(|(part, at, _)| *part == self.name && Some(*at) == edge);
        own.and_then(|(_, _, name)| part_named(name)).unwrap_or(self)
    }
}

pub fn part_named(name: &str) -> Option<&'static PartOfDay> {
    PARTS.iter().find(|part| part.name == name)
}
