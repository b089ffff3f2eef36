//! Senses: what a word or phrase can mean to the grammar, whatever its language.

use chrono::Weekday;
use chrono_tz::Tz;

use super::super::defaults::{PARTS, PartOfDay};
use crate::language::lexicon::Words;
use crate::language::tables::Numbers;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sense {
    Weekday(Weekday),
    /// Several days of the week, again and again.
    Weekdays(DaySet),
    WeekdayPart(Weekday, &'static PartOfDay),
    Workday,
    Weekend,
    Month(u32),
    /// Days from today.
    Day(i64),
    DayPart(i64, &'static PartOfDay),
    Part(&'static PartOfDay),
    Clock(u32, u32),
    Number(u32),
    /// In hundredths: "anderthalb" is 150.
    Amount(u32),
    /// In hundredths, added to a number or unit before it.
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
    /// By the month in which it begins in the north.
    Season(u32),
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
        /// Days from that weekday to the one that is meant.
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
pub struct DaySet(pub u8);

impl DaySet {
    pub const WORK: DaySet = DaySet(0b001_1111);
    pub const ALL: DaySet = DaySet(0b111_1111);

    pub fn with(self, day: Weekday) -> DaySet {
        DaySet(self.0 | 1 << day.num_days_from_monday())
    }

    pub fn union(self, other: DaySet) -> DaySet {
        DaySet(self.0 | other.0)
    }

    pub fn less(self, other: DaySet) -> DaySet {
        DaySet(self.0 & !other.0)
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

        /// The links by their names in the tables; a link's number is its place.
        pub const LINKS: &[(&str, Link)] = &[$(($text, Link::$name)),*];
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
    ToldOn = "told_on", AmShort = "am_short", PmShort = "pm_short", SameTime = "same_time", Residue = "residue",
    DayName = "day_name", QuarterTo = "quarter_to", BeforeLast = "before_last", Gone = "gone",
    Hundred = "hundred", WeekNo = "week_number", Excluded = "excluded", Corrects = "corrects",
    Street = "street", Except = "except", Book = "book", Festive = "festive",
    OfItsDay = "of_its_day", ToldThing = "told_thing", LooksUp = "looks_up", Nap = "nap",
    DomainEnd = "domain_end", Lesson = "lesson",
}

/// The units by their names in the tables.
pub const UNITS: [(&str, Unit); 10] = [
    ("second", Unit::Second),
    ("minute", Unit::Minute),
    ("hour", Unit::Hour),
    ("day", Unit::Day),
    ("workday", Unit::Workday),
    ("week", Unit::Week),
    ("fortnight", Unit::Fortnight),
    ("month", Unit::Month),
    ("quarter", Unit::Quarter),
    ("year", Unit::Year),
];

pub const EDGES: [(&str, Edge); 3] = [("begin", Edge::Begin), ("middle", Edge::Middle), ("end", Edge::End)];

pub const HALVES: [(&str, Half); 4] =
    [("am", Half::Am), ("pm", Half::Pm), ("evening", Half::Evening), ("either", Half::Either)];

impl Sense {
    /// The sense of a row of numbers; the names are those of zones. `code_of` in `compile` writes the row.
    pub fn read(row: Numbers, names: Words) -> Option<Sense> {
        let at = |place: usize| row.get(place);
        let signed = |place: usize| row.get(place).and_then(|n| u16::try_from(n).ok()).map(u16::cast_signed);
        let small = |place: usize| row.get(place).and_then(|n| u32::try_from(n).ok());
        let day = |place: usize| Weekday::try_from(u8::try_from(row.get(place)?).ok()?).ok();
        let part = |place: usize| PARTS.get(row.get(place)?);
        let unit = |place: usize| UNITS.get(row.get(place)?).map(|(_, unit)| *unit);
        Some(match at(0)? {
            0 => Sense::Weekday(day(1)?),
            1 => Sense::Weekdays(DaySet(u8::try_from(at(1)?).ok()?)),
            2 => Sense::WeekdayPart(day(1)?, part(2)?),
            3 => Sense::Workday,
            4 => Sense::Weekend,
            5 => Sense::Month(small(1)?),
            6 => Sense::Day(signed(1)?.into()),
            7 => Sense::DayPart(signed(1)?.into(), part(2)?),
            8 => Sense::Part(part(1)?),
            9 => Sense::Clock(small(1)?, small(2)?),
            10 => Sense::Number(small(1)?),
            11 => Sense::Amount(small(1)?),
            12 => Sense::And(small(1)?),
            13 => Sense::Ordinal(signed(1)?.into()),
            14 => Sense::Length(signed(1)?.into()),
            15 => Sense::Unit(unit(1)?),
            16 => Sense::ShortUnit(unit(1)?),
            17 => Sense::Which(signed(1)?.into()),
            18 => Sense::Often(unit(1)?, small(2)?),
            19 => Sense::Edge(EDGES.get(at(1)?)?.1),
            20 => Sense::EdgeOf(unit(1)?),
            21 => Sense::NumberedQuarter(small(1)?),
            22 => Sense::Holiday(Holiday::Fixed { month: small(1)?, day: small(2)? }),
            23 => Sense::Holiday(Holiday::Easter(signed(1)?.into())),
            24 => Sense::Holiday(Holiday::Nth {
                n: signed(1)?.into(),
                day: day(2)?,
                month: small(3)?,
                plus: signed(4)?.into(),
            }),
            25 => Sense::Holiday(Holiday::Before {
                n: signed(1)?.into(),
                day: day(2)?,
                month: small(3)?,
                of_month: small(4)?,
            }),
            26 => Sense::Zone(names.word(at(1)?).parse().ok()?),
            27 => Sense::Place(names.word(at(1)?).parse().ok()?),
            28 => Sense::Cue(HALVES.get(at(1)?)?.1),
            29 => Sense::Link(LINKS.get(at(1)?)?.1),
            30 => Sense::Season(small(1)?),
            _ => return None,
        })
    }
}
