//! What a word or phrase can mean to the grammar, whatever its language.

use chrono::Weekday;
use chrono_tz::Tz;

use super::super::defaults::{Part, part_named};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sense {
    Weekday(Weekday),
    /// Several days of the week, again and again: "Mondays", "weekdays".
    Weekdays(Days),
    WeekdayPart(Weekday, &'static Part),
    Workday,
    Weekend,
    Month(u32),
    /// Days from today.
    Day(i64),
    DayPart(i64, &'static Part),
    Part(&'static Part),
    Clock(u32, u32),
    Number(u32),
    /// In hundredths: "anderthalb" is 150.
    Amount(u32),
    /// In hundredths, added to a number or unit before it: "and a half".
    And(u32),
    Ordinal(i32),
    /// Minutes: "Viertelstunde".
    Length(i64),
    Unit(Unit),
    /// Only when glued to its number: "2h".
    ShortUnit(Unit),
    /// This, next, last, the one after next.
    Which(i64),
    Often(Unit, u32),
    Edge(Edge),
    EdgeOf(Unit),
    /// "Q3".
    NumberedQuarter(u32),
    Holiday(Holiday),
    Zone(Tz),
    Place(Tz),
    Cue(Half),
    Link(Link),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Workday,
    Week,
    Fortnight,
    Month,
    Quarter,
    Year,
}

/// Which half of the day a bare hour belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Am,
    Pm,
    /// After noon; from ten on there is no telling.
    Evening,
    /// There is no telling.
    Either,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Begin,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holiday {
    Fixed {
        month: u32,
        day: u32,
    },
    /// Days from Easter Sunday.
    Easter(i64),
    /// The nth weekday of a month; -1 is the last.
    Nth {
        n: i32,
        day: Weekday,
        month: u32,
        /// Days after it: "Black Friday".
        plus: i64,
    },
    /// The nth weekday before a date: the first Sunday of Advent is the 4th Sunday before Christmas.
    Before {
        n: i64,
        day: Weekday,
        month: u32,
        of_month: u32,
    },
}

/// A set of weekdays, one bit each from Monday on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Days(pub u8);

impl Days {
    pub const WORK: Days = Days(0b001_1111);
    pub const ALL: Days = Days(0b111_1111);

    pub fn with(self, day: Weekday) -> Days {
        Days(self.0 | 1 << day.num_days_from_monday())
    }

    pub fn union(self, other: Days) -> Days {
        Days(self.0 | other.0)
    }

    pub fn less(self, other: Days) -> Days {
        Days(self.0 & !other.0)
    }

    pub fn has(self, day: Weekday) -> bool {
        self.0 & 1 << day.num_days_from_monday() != 0
    }
}

macro_rules! links {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Words that join, or that change how their neighbours are read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Link { $($name),* }

        fn link_named(name: &str) -> Option<Link> {
            match name { $($text => Some(Link::$name),)* _ => None }
        }
    };
}

links! {
    At = "at", On = "on", In = "in", By = "by", Until = "until", Since = "since", From = "from",
    MovedTo = "moved_to", To = "to", Between = "between", And = "and", For = "for", Of = "of", The = "the",
    Past = "past", BeforeHour = "before_hour", Before = "before", Beforehand = "beforehand", Adverb = "adverb",
    Title = "title", Ends = "ends", Runs = "runs", ThatDay = "that_day", After = "after",
    FromAnchor = "from_anchor", Oclock = "oclock", ClockH = "clock_h", ClockHours = "clock_hours", Am = "am",
    Pm = "pm", Ago = "ago", AgoBefore = "ago_before", Hence = "hence", Now = "now", Article = "article",
    Half = "half", HalfTo = "half_to", Quarter = "quarter", ThreeQuarters = "three_quarters",
    OrdinalMark = "ordinal_mark", OrdinalDot = "ordinal_dot", Coming = "coming", AfterNext = "after_next",
    Each = "each", Other = "other", TimeWord = "time_word", TimeOf = "time_of", Mover = "mover",
    Counted = "counted",
    Label = "label", Pronoun = "pronoun", Filler = "filler", Follow = "follow", Idiom = "idiom", Own = "own",
    Or = "or", Alarm = "alarm", Timer = "timer", About = "about", Present = "present", Wish = "wish",
    Carrier = "carrier", MoveBy = "move_by", Later = "later", Sooner = "sooner", Forward = "forward",
    Pull = "pull", Ratio = "ratio", Delays = "delays", Told = "told", So = "so", Request = "request", Over = "over",
    ToldOn = "told_on", AmShort = "am_short", PmShort = "pm_short", SameTime = "same_time", Unread = "unread",
    DayName = "day_name", QuarterTo = "quarter_to", BeforeLast = "before_last", Gone = "gone",
    Hundred = "hundred", WeekNo = "week_number", Excluded = "excluded", Corrects = "corrects",
    Street = "street", Except = "except", Book = "book", Festive = "festive",
    OfItsDay = "of_its_day", ToldThing = "told_thing", LooksUp = "looks_up", Nap = "nap",
    DomainEnd = "domain_end", Lesson = "lesson",
}

impl Sense {
    /// The sense that a line of a table names, by its words before the `=`.
    pub fn parse(words: &[&str]) -> Option<Sense> {
        Some(match *words {
            ["weekday", day] => Sense::Weekday(weekday(day)?),
            ["weekdays", days] => {
                Sense::Weekdays(days.split(',').try_fold(Days::default(), |set, d| Some(set.with(weekday(d)?)))?)
            }
            ["weekdaypart", day, part] => Sense::WeekdayPart(weekday(day)?, part_named(part)?),
            ["workday"] => Sense::Workday,
            ["weekend"] => Sense::Weekend,
            ["month", n] => Sense::Month(n.parse().ok()?),
            ["day", n] => Sense::Day(n.parse().ok()?),
            ["daypart", n, part] => Sense::DayPart(n.parse().ok()?, part_named(part)?),
            ["part", part] => Sense::Part(part_named(part)?),
            ["clock", clock] => {
                let (hour, minute) = clock.split_once(':')?;
                Sense::Clock(hour.parse().ok()?, minute.parse().ok()?)
            }
            ["number", n] => Sense::Number(n.parse().ok()?),
            ["amount", n] => Sense::Amount((n.parse::<f64>().ok()? * 100.0) as u32),
            ["and", n] => Sense::And((n.parse::<f64>().ok()? * 100.0) as u32),
            ["ordinal", n] => Sense::Ordinal(n.parse().ok()?),
            ["length", n, "minute"] => Sense::Length(n.parse().ok()?),
            ["unit", name] => Sense::Unit(unit(name)?),
            ["short_unit", name] => Sense::ShortUnit(unit(name)?),
            ["which", n] => Sense::Which(n.parse().ok()?),
            ["often", name, n] => Sense::Often(unit(name)?, n.parse().ok()?),
            ["edge", name] => Sense::Edge(edge(name)?),
            ["eom", name] => Sense::EdgeOf(unit(name)?),
            ["quarter_of_year", n] => Sense::NumberedQuarter(n.parse().ok().filter(|n| (1..=4).contains(n))?),
            ["holiday", ref rest @ ..] => Sense::Holiday(holiday(rest)?),
            ["zone", name] => Sense::Zone(name.parse().ok()?),
            ["place", name] => Sense::Place(name.parse().ok()?),
            ["cue", "am"] => Sense::Cue(Half::Am),
            ["cue", "pm"] => Sense::Cue(Half::Pm),
            ["cue", "evening"] => Sense::Cue(Half::Evening),
            ["cue", "either"] => Sense::Cue(Half::Either),
            [name] => Sense::Link(link_named(name)?),
            _ => return None,
        })
    }
}

/// "1" is Monday.
pub fn weekday(number: &str) -> Option<Weekday> {
    let n: u8 = number.parse().ok()?;
    Weekday::try_from(n.checked_sub(1)?).ok()
}

fn unit(name: &str) -> Option<Unit> {
    Some(match name {
        "second" => Unit::Second,
        "minute" => Unit::Minute,
        "hour" => Unit::Hour,
        "day" => Unit::Day,
        "workday" => Unit::Workday,
        "week" => Unit::Week,
        "fortnight" => Unit::Fortnight,
        "month" => Unit::Month,
        "quarter" => Unit::Quarter,
        "year" => Unit::Year,
        _ => return None,
    })
}

fn edge(name: &str) -> Option<Edge> {
    Some(match name {
        "begin" => Edge::Begin,
        "middle" => Edge::Middle,
        "end" => Edge::End,
        _ => return None,
    })
}

fn holiday(words: &[&str]) -> Option<Holiday> {
    match *words {
        ["nth", n, day, month, ref plus @ ..] => Some(Holiday::Nth {
            n: n.parse().ok()?,
            day: weekday(day)?,
            month: month.parse().ok()?,
            plus: plus.first().map_or(Some(0), |days| days.parse().ok())?,
        }),
        ["before", n, day, date] => {
            let (month, of_month) = month_day(date)?;
            Some(Holiday::Before { n: n.parse().ok()?, day: weekday(day)?, month, of_month })
        }
        [one] => match one.strip_prefix("easter") {
            Some(days) => Some(Holiday::Easter(days.parse().ok()?)),
            None => month_day(one).map(|(month, day)| Holiday::Fixed { month, day }),
        },
        _ => None,
    }
}

/// "12-25".
fn month_day(text: &str) -> Option<(u32, u32)> {
    let (month, day) = text.split_once('-')?;
    Some((month.parse().ok()?, day.parse().ok()?))
}
