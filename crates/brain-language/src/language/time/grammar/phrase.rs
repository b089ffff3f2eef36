//! What was said, before anybody asks what day it is.

use chrono::{NaiveDate, NaiveDateTime, Weekday};
use chrono_tz::Tz;

use super::super::defaults::PartOfDay;
use super::super::words::{DaySet, Edge, Half, Holiday, Unit};
use super::super::{Known, TimeRole};

/// One time expression. What is `None` was not said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Phrase {
    pub role: TimeRole,
    pub date: Option<Date>,
    pub clock: Option<ClockPhrase>,
    pub part: Option<&'static PartOfDay>,
    /// "Early", said before the day whose part it narrows: "early tomorrow afternoon".
    pub edge: Option<Edge>,
    /// Day and part were said in one: "this morning", which may be told of the past.
    pub day_part: bool,
    pub zone: Option<Zone>,
    /// "In 2 hours": from now; negative for "ago".
    pub offset: Option<SpanPhrase>,
    /// "A week from", "10 minutes before": from what the rest says.
    pub shift: Option<SpanPhrase>,
    /// The other end of "from … to …", or how long a rule lasts.
    pub to: Option<Box<Phrase>>,
    pub length: Option<SpanPhrase>,
    /// The day on which a rule ends whose hours have an end of their own: "every Tuesday from 6 to 7 until March".
    pub ends: Option<Box<Phrase>>,
    pub rule: Option<RepeatRule>,
    /// The day from which a rule counts.
    pub start: Option<Box<Phrase>>,
    pub now: bool,
    /// "This time tomorrow": the clock time of now.
    pub same_time: bool,
    /// Why it must not be believed.
    pub doubt: Option<TimeDoubt>,
    /// It began with "between": an "and" may join its ends.
    pub between: bool,
    /// The half of the day that the sentence suggests ("dinner").
    pub cue: Option<Half>,
}

impl Phrase {
    /// Has no component been heard yet?
    pub fn is_empty(&self) -> bool {
        self.date.is_none()
            && self.clock.is_none()
            && self.part.is_none()
            && self.offset.is_none()
            && self.length.is_none()
            && self.rule.is_none()
            && !self.now
    }

    /// May this hour be one of the part of the day that is named?
    pub fn part_holds(&self, clock: Option<ClockPhrase>) -> bool {
        self.part.zip(clock).is_some_and(|(part, clock)| clock.lies_in(part))
    }

    /// The same with what is known beside its own words.
    pub fn within(self, known: Known) -> Phrase {
        let role = if known.past && self.role == TimeRole::Plain { TimeRole::Since } else { self.role };
        Phrase { cue: self.cue.or(known.half), role, ..self }
    }

    /// A clock time, and nothing that says on which day.
    pub fn is_clock_alone(&self) -> bool {
        let day = self.date.is_some() || self.rule.is_some() || self.offset.is_some() || self.shift.is_some();
        self.clock.is_some() && !day
    }

    /// An hour or part of a day, and nothing that says on which day.
    pub fn is_time_alone(&self) -> bool {
        let day = self.date.is_some() || self.rule.is_some() || self.offset.is_some() || self.shift.is_some();
        let hours = self.to.as_ref().is_none_or(|to| to.is_clock_alone());
        (self.clock.is_some() || self.part.is_some()) && !day && hours
    }

    /// A day and an hour.
    pub fn is_appointment(&self) -> bool {
        self.clock.is_some() && self.date.as_ref().is_some_and(Date::is_one_day)
    }

    /// "An hour before": hours are counted from an hour.
    pub fn counts_exactly(&self) -> bool {
        self.shift.is_some_and(|shift| !shift.is_calendar())
    }

    /// The length, if that is all.
    pub fn only_length(&self) -> Option<SpanPhrase> {
        let bare = Phrase { length: None, ..self.clone() };
        self.length.filter(|_| bare.is_empty() && bare.shift.is_none())
    }

    /// A rule, and nothing that says when.
    pub fn is_only_rule(&self) -> bool {
        let rule = Phrase { rule: None, ..self.clone() };
        self.rule.is_some() && rule.is_empty() && self.to.is_none() && self.start.is_none()
    }

    /// "In 2 hours" leaves no room for a clock time; "in 3 days" does.
    pub fn has_exact_offset(&self) -> bool {
        self.offset.is_some_and(|offset| !offset.is_calendar())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TimeDoubt {
    /// It is one of several readings: "Monday or Tuesday".
    OneOfSeveral,
    /// The figure of its clock time may as well be this date: "15.10".
    OrDate(Date),
    /// More was said about time than was understood; the words that were not.
    Unread(String),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Zone {
    Named(Tz),
    /// Minutes east of UTC.
    Fixed(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockPhrase {
    pub hour: u32,
    pub minute: u32,
    pub dial: Dial,
}

impl ClockPhrase {
    /// The first hour of a range, read by the second: in "2 to 4pm" it is 14:00, in "11 to 1pm" 11:00.
    pub fn on_the_dial_of(self, second: ClockPhrase) -> ClockPhrase {
        if self.dial != Dial::Half || second.dial != Dial::Full {
            return self;
        }
        let on_dial = self.hour % 12;
        let end = (second.hour, second.minute);
        let readings = [on_dial + 12, on_dial];
        let hour = readings.into_iter().find(|h| (*h, self.minute) < end).unwrap_or(on_dial + 12);
        ClockPhrase { hour, dial: Dial::Full, ..self }
    }
}

impl ClockPhrase {
    /// May it be an hour of this part of the day?
    fn lies_in(self, part: &PartOfDay) -> bool {
        let minutes = i64::from(self.hour * 60 + self.minute);
        let readings = if self.dial == Dial::Half { vec![minutes % 720, minutes % 720 + 720] } else { vec![minutes] };
        readings.into_iter().any(|m| (part.from..part.to).contains(&m))
    }
}

/// On which dial an hour was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dial {
    /// Of 24 hours, or with am/pm.
    Full,
    /// Of 12, and the half of the day was not said.
    Half,
    /// The word "midnight": it belongs to two days.
    Midnight,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Date {
    /// Days from today.
    Day(i64),
    /// "Friday": the next to come. `weeks` later for "Friday week".
    Weekday {
        day: Weekday,
        which: Option<i64>,
        weeks: i64,
    },
    /// "Friday next week".
    WeekdayOfWeek {
        day: Weekday,
        week: i64,
    },
    Numbered {
        day: u32,
        month: Option<MonthOf>,
        weekday: Option<Weekday>,
    },
    /// "First Monday of January", "last working day of the month"; -1 is the last. `days` are counted.
    Nth {
        n: i32,
        days: DaySet,
        of: Period,
    },
    Period(Period),
    Edge(Edge, Period),
    Holiday {
        holiday: Holiday,
        year: Option<i32>,
        which: Option<i64>,
    },
    /// "The next 3 days", "the last 2 weeks".
    Window(SpanPhrase),
    Exact(NaiveDate),
    /// Written out, but there is no such day or time; says why.
    Missing(String),
    /// ISO 8601 with a clock.
    Local(NaiveDateTime),
    /// "3 May next year".
    InYear {
        day: u32,
        month: u32,
        weekday: Option<Weekday>,
        year: i64,
    },
    /// "The week of 12 January".
    WeekOf(Box<Date>),
    /// "The Friday after Thanksgiving".
    Beside {
        day: Weekday,
        before: bool,
        anchor: Box<Date>,
    },
    /// Said twice: "tomorrow, 12 January". Both must agree.
    Both(Box<Date>, Box<Date>),
}

impl Date {
    /// Does it name a single day, on which a clock time can be?
    pub fn is_one_day(&self) -> bool {
        match self {
            Date::Day(_) | Date::Weekday { .. } | Date::WeekdayOfWeek { .. } | Date::Numbered { .. } => true,
            Date::Nth { .. } | Date::Edge(..) | Date::Holiday { .. } | Date::Exact(_) => true,
            Date::InYear { .. } | Date::Both(..) | Date::Beside { .. } => true,
            Date::Period(_) | Date::WeekOf(_) | Date::Window(_) | Date::Missing(_) | Date::Local(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Period {
    /// Weeks, weekends, quarters and years from this one.
    Week(i64),
    Weekend(i64),
    /// Of ISO 8601: the one that runs or comes next.
    WeekNumbered(u32),
    Month(MonthOf),
    Quarter(i64),
    /// "Q3": the one that runs or comes next.
    QuarterNumbered {
        quarter: u32,
        year: Option<i32>,
    },
    /// "May next year".
    MonthOfYear {
        month: u32,
        year: i64,
    },
    Year(i64),
    YearNumbered(i32),
    Today,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MonthOf {
    /// Months from this one.
    From(i64),
    Named {
        month: u32,
        year: Option<i32>,
        which: Option<i64>,
    },
}

/// A length of time. Calendar parts are kept apart from exact ones: a day may have 23 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanPhrase {
    pub months: i64,
    pub days: i64,
    pub workdays: i64,
    pub seconds: i64,
}

impl SpanPhrase {
    /// `hundredths` of a unit.
    pub fn of(unit: Unit, hundredths: i64) -> SpanPhrase {
        let days = |days: i64| SpanPhrase {
            days: days * hundredths / 100,
            seconds: (days * hundredths % 100) * 864,
            ..SpanPhrase::default()
        };
        let months = |months: i64| SpanPhrase { months: months * hundredths / 100, ..SpanPhrase::default() };
        let seconds = |s: i64| SpanPhrase { seconds: s * hundredths / 100, ..SpanPhrase::default() };
        match unit {
            Unit::Second => seconds(1),
            Unit::Minute => seconds(60),
            Unit::Hour => seconds(3600),
            Unit::Day => days(1),
            Unit::Workday => SpanPhrase { workdays: hundredths / 100, ..SpanPhrase::default() },
            Unit::Week => days(7),
            Unit::Fortnight => days(14),
            Unit::Month => months(1),
            Unit::Quarter => months(3),
            Unit::Year => months(12),
        }
    }

    pub fn plus(self, other: SpanPhrase) -> SpanPhrase {
        SpanPhrase {
            months: self.months + other.months,
            days: self.days + other.days,
            workdays: self.workdays + other.workdays,
            seconds: self.seconds + other.seconds,
        }
    }

    pub fn back(self) -> SpanPhrase {
        SpanPhrase { months: -self.months, days: -self.days, workdays: -self.workdays, seconds: -self.seconds }
    }

    /// Only days and more: it leads to a day, not to a minute.
    pub fn is_calendar(self) -> bool {
        self.seconds == 0
    }
}

/// "Every …". A date beside it in the phrase says on which day of the month or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatRule {
    pub every: u32,
    pub unit: Unit,
    pub days: DaySet,
    /// One word ("weekly") that may as well describe a thing.
    pub adjective: bool,
}

impl RepeatRule {
    pub fn says_how_often_only(self) -> bool {
        self.adjective && self.days == DaySet::default()
    }
}
