//! Zones of a calendar's times: by the name of the TZID, which may be that of a zone, of Windows' or of an old program;
//! else by what its VTIMEZONE does with the clocks, which some zone that has a name does, too.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::str::FromStr as _;

use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarProperty, ICalendarValue};
use chrono::{DateTime, Datelike as _, Duration, NaiveDateTime, Offset as _, TimeZone as _, Utc, Weekday};
use chrono_tz::{TZ_VARIANTS, Tz};

use super::times::{IcalTime, times_of};
use brain_core::limits::{ICAL_DEFINED_ZONES_MAX, ICAL_OBSERVANCES_MAX, ICAL_ZONE_NAME_BYTES_MAX};

/// The zone of a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextZone {
    /// This one.
    Known(Tz),
    /// That of wherever one is.
    Floating,
    /// Nobody knows one of this name.
    Unknown(String),
}

/// The zones that a text names.
#[derive(Debug)]
pub struct Zones<'i> {
    calendar: &'i ICalendar,
    /// Taken first where several zones do the same.
    likely: Tz,
    found: RefCell<BTreeMap<String, TextZone>>,
    /// How many may still be looked for by their definitions.
    defined: Cell<usize>,
}

impl<'i> Zones<'i> {
    /// Those of this calendar; `likely` is the person's own.
    pub fn new(calendar: &'i ICalendar, likely: Tz) -> Self {
        Self { calendar, likely, found: RefCell::default(), defined: Cell::new(ICAL_DEFINED_ZONES_MAX) }
    }

    /// The zone of this name.
    pub fn of(&self, name: &str) -> TextZone {
        if name.len() > ICAL_ZONE_NAME_BYTES_MAX {
            return TextZone::Unknown(name[..name.floor_char_boundary(ICAL_ZONE_NAME_BYTES_MAX)].to_owned());
        }
        if let Some(found) = self.found.borrow().get(name) {
            return found.clone();
        }
        let found = self.look_up(name);
        self.found.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn look_up(&self, name: &str) -> TextZone {
        if let Some(zone) = named(name) {
            return TextZone::Known(zone);
        }
        let Some(left) = self.defined.get().checked_sub(1) else {
            return TextZone::Unknown(name.to_owned());
        };
        self.defined.set(left);
        let is_it = |zone: &&ICalendarComponent| text(zone, &ICalendarProperty::Tzid) == Some(name);
        let Some(definition) = self.calendar.timezones().find(is_it) else {
            return TextZone::Unknown(name.to_owned());
        };
        let by_name = definition.timezone().and_then(|(_, zone)| with_name(zone));
        let by_rules = || self.of_rules(definition);
        by_name.or_else(by_rules).map_or_else(|| TextZone::Unknown(name.to_owned()), TextZone::Known)
    }

    /// A zone whose clocks are those of the definition, in the years around what it says last and now; none does what a
    /// definition of more rules than zones have does.
    fn of_rules(&self, definition: &ICalendarComponent) -> Option<Tz> {
        if definition.component_ids.len() > ICAL_OBSERVANCES_MAX {
            return None;
        }
        let parts = definition.component_ids.iter().filter_map(|id| self.calendar.component_by_id(*id));
        let observances: Vec<Observance> = parts.filter_map(Observance::of).collect();
        let (first, last) =
            (observances.iter().map(|one| one.begins).min()?, observances.iter().map(|one| one.begins).max()?);
        let year = Utc::now().year().max(last.year());
        let from = first.max(chrono::NaiveDate::from_ymd_opt(year - 1, 1, 1)?.and_hms_opt(0, 0, 0)?);
        let sampled = (0..SAMPLES).map(|n| from + Duration::days(DAYS_BETWEEN * n));
        let clocks: Vec<(DateTime<Utc>, i32)> = sampled.filter_map(|at| clock_at(&observances, at)).collect();
        let does_the_same = |zone: &&Tz| {
            clocks
                .iter()
                .all(|(at, offset)| zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc() == *offset)
        };
        if clocks.is_empty() {
            return None;
        }
        std::iter::once(&self.likely).chain(TZ_VARIANTS.iter()).find(does_the_same).copied()
    }
}

/// The fifth Monday of February comes every 28 years, over the turn of a century after 40.
const YEARS_LOOKED_AT: usize = 42;
/// Two years, in steps that meet every change of the clocks that lasts.
const SAMPLES: i64 = 104;
const DAYS_BETWEEN: i64 = 7;

/// The zone that a name means by itself.
pub(super) fn named(name: &str) -> Option<Tz> {
    let name = name.trim().trim_matches('"');
    calcard::common::timezone::Tz::from_str(name).ok().and_then(with_name).or_else(|| {
        // Prefixes of old programs: the zone's name is what stands last.
        let parts: Vec<&str> = name.split('/').collect();
        (1..parts.len()).find_map(|at| Tz::from_str(&parts[at..].join("/")).ok())
    })
}

fn with_name(zone: calcard::common::timezone::Tz) -> Option<Tz> {
    match zone {
        calcard::common::timezone::Tz::Tz(zone) => Some(zone),
        calcard::common::timezone::Tz::Fixed(_) => zone.name().and_then(|name| Tz::from_str(&name).ok()),
        calcard::common::timezone::Tz::Floating => None,
    }
}

fn text<'c>(component: &'c ICalendarComponent, name: &ICalendarProperty) -> Option<&'c str> {
    component.property(name)?.values.first()?.as_text()
}

/// One way in which the clocks go, and since when.
#[derive(Debug)]
struct Observance {
    begins: NaiveDateTime,
    /// Seconds east, while it lasts.
    offset: i32,
    /// Seconds east, right before it.
    before: i32,
    /// On this weekday of this month every year, the how manieth (negative: from the end); `None`: once.
    yearly: Option<(u32, i64, Weekday)>,
    until: Option<NaiveDateTime>,
}

impl Observance {
    fn of(part: &ICalendarComponent) -> Option<Self> {
        let IcalTime::Local { at: begins, .. } =
            times_of(part.property(&ICalendarProperty::Dtstart)?).into_iter().next()?
        else {
            return None;
        };
        let rule = part.property(&ICalendarProperty::Rrule).and_then(|rule| match rule.values.first() {
            Some(ICalendarValue::RecurrenceRule(rule)) => Some(rule),
            _ => None,
        });
        let yearly = match rule {
            None => None,
            Some(rule) => {
                let month = rule.bymonth.first().map_or(begins.month(), |month| u32::from(month.month()));
                let day = rule.byday.first()?;
                let weekday: Weekday = day.weekday.into();
                // The Sunday on or after a day is written with the days it may be.
                let by_days = rule.bymonthday.iter().min().map(|first| (i64::from(*first) - 1) / 7 + 1);
                Some((month, day.ordwk.map(i64::from).or(by_days)?, weekday))
            }
        };
        let until = rule.and_then(|rule| rule.until.as_ref()?.to_date_time()).map(|until| until.date_time);
        let [before, offset] =
            [ICalendarProperty::Tzoffsetfrom, ICalendarProperty::Tzoffsetto].map(|name| offset_of(part, &name));
        Some(Self { begins, offset: offset?, before: before?, yearly, until })
    }

    /// When it last began by an instant: in local time of before it.
    fn last_before(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let instant = |local: NaiveDateTime| (local - Duration::seconds(i64::from(self.before))).and_utc();
        let Some((month, nth, weekday)) = self.yearly else {
            return Some(instant(self.begins)).filter(|began| *began <= at);
        };
        let in_year = |year: i32| Some(nth_weekday(year, month, nth, weekday)?.and_time(self.begins.time()));
        let counts = |local: &NaiveDateTime| {
            *local >= self.begins && self.until.is_none_or(|until| *local <= until + Duration::days(1))
        };
        // Behind its end it has none.
        let last = self.until.map_or(at.year(), |until| until.year().min(at.year()));
        let years = (self.begins.year()..=last + 1).rev().take(YEARS_LOOKED_AT);
        years.filter_map(in_year).filter(counts).map(instant).find(|began| *began <= at)
    }
}

fn offset_of(part: &ICalendarComponent, name: &ICalendarProperty) -> Option<i32> {
    match part.property(name)?.values.first()? {
        ICalendarValue::PartialDateTime(at) => {
            let seconds = i32::from(at.tz_hour?) * 3600 + i32::from(at.tz_minute.unwrap_or(0)) * 60;
            Some(if at.tz_minus { -seconds } else { seconds })
        }
        other => offset_in_words(other.as_text()?),
    }
}

fn offset_in_words(text: &str) -> Option<i32> {
    let (sign, digits) = match text.trim().split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        ("+", digits) => (1, digits),
        _ => (1, text.trim()),
    };
    let number = |at: std::ops::Range<usize>| digits.get(at)?.parse::<i32>().ok();
    Some(sign * (number(0..2)? * 3600 + number(2..4)? * 60))
}

fn nth_weekday(year: i32, month: u32, nth: i64, weekday: Weekday) -> Option<chrono::NaiveDate> {
    if nth > 0 {
        return chrono::NaiveDate::from_weekday_of_month_opt(year, month, weekday, u8::try_from(nth).ok()?);
    }
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let last = chrono::NaiveDate::from_ymd_opt(next.0, next.1, 1)?.pred_opt()?;
    let back = i64::from((7 + last.weekday().num_days_from_monday() - weekday.num_days_from_monday()) % 7);
    last.checked_sub_signed(Duration::days(back + 7 * (-nth - 1)))
}

/// Seconds east at a local time of the definition, as an instant; `None` before it begins.
fn clock_at(observances: &[Observance], at: NaiveDateTime) -> Option<(DateTime<Utc>, i32)> {
    let at = at.and_utc();
    let latest = observances
        .iter()
        .filter_map(|one| Some((one.last_before(at)?, one.offset)))
        .max_by_key(|(began, _)| *began)?;
    Some((at, latest.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calendar(text: &str) -> ICalendar {
        match calcard::Parser::new(text).entry() {
            calcard::Entry::ICalendar(calendar) => calendar,
            other => panic!("{other:?}"),
        }
    }

    fn definition(name: &str, standard: &str, daylight: &str) -> String {
        format!(
            "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:{name}\nBEGIN:STANDARD\n{standard}\nEND:STANDARD\n{}END:VTIMEZONE\nEND:VCALENDAR\n",
            if daylight.is_empty() { String::new() } else { format!("BEGIN:DAYLIGHT\n{daylight}\nEND:DAYLIGHT\n") }
        )
    }

    #[test]
    fn names_of_every_kind_mean_a_zone() {
        for (name, zone) in [
            ("Europe/Berlin", Tz::Europe__Berlin),
            ("\"America/New_York\"", Tz::America__New_York),
            ("W. Europe Standard Time", Tz::Europe__Berlin),
            ("Pacific Standard Time", Tz::America__Los_Angeles),
            ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", Tz::Europe__Berlin),
            ("/freeassociation.sourceforge.net/Europe/London", Tz::Europe__London),
            ("/softwarestudio.org/Olson_20011030_5/America/Chicago", Tz::America__Chicago),
            ("/freeassociation.sourceforge.net/Tzfile/Asia/Tokyo", Tz::Asia__Tokyo),
            ("UTC", Tz::UTC),
            ("Etc/GMT-3", Tz::Etc__GMTMinus3),
        ] {
            assert_eq!(named(name), Some(zone), "{name}");
        }
        assert_eq!(named("My Own Zone"), None);
        assert_eq!(named(""), None);
    }

    #[test]
    fn a_definition_without_a_known_name_is_that_of_a_zone_that_does_the_same() {
        let berlin = definition(
            "Mine",
            "DTSTART:19961027T030000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100",
            "DTSTART:19810329T020000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200",
        );
        let calendar_ = calendar(&berlin);
        assert_eq!(Zones::new(&calendar_, Tz::Europe__Berlin).of("Mine"), TextZone::Known(Tz::Europe__Berlin));
        let TextZone::Known(found) = Zones::new(&calendar_, Tz::America__New_York).of("Mine") else { panic!() };
        let at = |zone: Tz, month| zone.with_ymd_and_hms(2026, month, 1, 9, 0, 0).unwrap().to_utc();
        assert_eq!((at(found, 1), at(found, 7)), (at(Tz::Europe__Berlin, 1), at(Tz::Europe__Berlin, 7)));
        let chicago = definition(
            "Customized Time Zone",
            "DTSTART:16010101T020000\nRRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11\nTZOFFSETFROM:-0500\nTZOFFSETTO:-0600",
            "DTSTART:16010101T020000\nRRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3\nTZOFFSETFROM:-0600\nTZOFFSETTO:-0500",
        );
        let calendar_ = calendar(&chicago);
        let TextZone::Known(found) = Zones::new(&calendar_, Tz::UTC).of("Customized Time Zone") else { panic!() };
        assert_eq!((at(found, 1), at(found, 7)), (at(Tz::America__Chicago, 1), at(Tz::America__Chicago, 7)));
        let fixed = definition("Delhi", "DTSTART:19700101T000000\nTZOFFSETFROM:+0530\nTZOFFSETTO:+0530", "");
        let calendar_ = calendar(&fixed);
        let TextZone::Known(found) = Zones::new(&calendar_, Tz::UTC).of("Delhi") else { panic!() };
        assert_eq!(at(found, 1), at(Tz::Asia__Kolkata, 1));
        let nobodys = definition("Odd", "DTSTART:19700101T000000\nTZOFFSETFROM:+0017\nTZOFFSETTO:+0017", "");
        let calendar_ = calendar(&nobodys);
        assert_eq!(Zones::new(&calendar_, Tz::UTC).of("Odd"), TextZone::Unknown("Odd".to_owned()));
        assert_eq!(Zones::new(&calendar_, Tz::UTC).of("Nowhere"), TextZone::Unknown("Nowhere".to_owned()));
    }
}
