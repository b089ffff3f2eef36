//! Grounding of times: whether a time follows from the times that were mentioned.
//!
//! A mention gives days, clocks, instants and spans. A value follows when each part that it has (a day, a clock) is one
//! of these; a day that nobody named follows from a clock alone as the day on which that clock comes next. A clock that
//! nobody named falls away from a day that somebody did.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use crate::language::reading::{Mood, Reading};
use crate::language::time::{self, Grain, Problem, Reference, TimeMention, When};
use crate::language::words::words;

/// How an instant is written out without a zone.
const INSTANT: [&str; 5] =
    ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"];
/// A bare hour may be meant in either half of the day.
const HALF_A_DAY: TimeDelta = TimeDelta::hours(12);

/// What of a time was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeGround {
    /// All of it.
    Said,
    /// Its day, and no clock: ISO 8601 of the day.
    DayOnly(String),
    /// Nothing.
    Nothing,
}

/// The times that were mentioned.
#[derive(Debug, Default)]
pub(super) struct Mentioned {
    days: Vec<NaiveDate>,
    /// First and last day of spans that are longer.
    spans: Vec<(NaiveDate, NaiveDate)>,
    clocks: Vec<NaiveTime>,
    instants: Vec<NaiveDateTime>,
    has_length: bool,
    /// A mention that names no day of its own: the day is the next on which it comes.
    has_bare_clock: bool,
    /// A mention that is understood as a time and is no usable one.
    has_doubtful: bool,
    pub repeats: bool,
    /// As they were said, each once.
    said: Vec<StatedTime>,
}

/// A time in the person's words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StatedTime {
    words: String,
    repeats: bool,
    is_past: bool,
}

impl Mentioned {
    pub fn of(mentions: &[TimeMention], text: &str, reference: &Reference) -> Mentioned {
        let mut found = Mentioned::default();
        for mention in mentions {
            let said = text.get(mention.span.clone()).unwrap_or_default();
            found.add(mention, said, reference);
        }
        found
    }

    pub fn add_text(&mut self, text: &str, reference: &Reference) {
        for mention in time::find(text, reference) {
            let said = text.get(mention.span.clone()).unwrap_or_default().to_owned();
            self.add(&mention, &said, reference);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
            && self.spans.is_empty()
            && self.clocks.is_empty()
            && !self.has_length
            && !self.repeats
            && !self.has_doubtful
    }

    /// The words of those that repeat, or of those that do not.
    pub fn words(&self, repeating: bool) -> Vec<&str> {
        self.said.iter().filter(|said| said.repeats == repeating).map(|said| said.words.as_str()).collect()
    }

    /// The only one of them, if it is still to come.
    pub fn only_one(&self, repeating: bool) -> Option<&str> {
        let mut wanted = self.said.iter().filter(|said| said.repeats == repeating);
        match (wanted.next(), wanted.next()) {
            (Some(only), None) if !only.is_past => Some(&only.words),
            (_, _) => None,
        }
    }

    fn add(&mut self, mention: &TimeMention, said: &str, reference: &Reference) {
        let start = mention.result.as_ref().ok().and_then(When::start);
        let kept = StatedTime {
            words: said.trim().to_owned(),
            repeats: matches!(mention.result, Ok(When::Recurrence { .. })),
            is_past: start.is_some_and(|start| start < reference.now)
                || matches!(mention.result, Err(Problem::Past { .. })),
        };
        if !self.said.contains(&kept) {
            self.said.push(kept);
        }
        self.has_bare_clock |= time::is_clock_only(said);
        match &mention.result {
            Ok(When::Point { at, grain: Grain::Minute | Grain::Hour }) => self.add_instant(at.naive_local()),
            Ok(When::Point { at, grain: Grain::Day }) => self.days.push(at.date_naive()),
            Ok(When::Point { at, grain }) => {
                let last = time::end_of(*at, *grain).with_timezone(&reference.zone).date_naive();
                self.spans.push((at.date_naive(), last));
            }
            Ok(When::Range { start, end, grain }) => {
                self.spans.push((start.date_naive(), end.date_naive()));
                if *grain <= Grain::Hour {
                    self.add_instant(start.naive_local());
                    self.add_instant(end.naive_local());
                }
            }
            Ok(When::Duration(length)) => {
                self.has_length = true;
                let at = reference.now.with_timezone(&reference.zone).naive_local() + *length;
                self.add_instant(at);
            }
            Ok(When::Recurrence { first, grain, length, .. }) => {
                self.repeats = true;
                self.days.push(first.date_naive());
                if *grain <= Grain::Hour {
                    self.add_instant(first.naive_local());
                    length.iter().for_each(|length| self.add_instant(first.naive_local() + *length));
                }
            }
            Err(problem) => self.add_doubtful(problem),
        }
    }

    fn add_doubtful(&mut self, problem: &Problem) {
        self.has_doubtful = true;
        match problem {
            Problem::Past { at } => self.add_instant(at.naive_local()),
            Problem::Ambiguous { candidates, .. } => {
                candidates.iter().for_each(|at| self.add_instant(at.naive_local()));
            }
            Problem::SkippedByClockChange { at_local, .. } => self.add_instant(*at_local),
            Problem::RepeatedByClockChange { first, .. } => self.add_instant(first.naive_local()),
            Problem::Impossible { .. } | Problem::Unclear { .. } => {}
        }
    }

    /// Mentions of a time to come in what was asked for or told that no value has, and ends of spans that none has.
    pub fn unused(&self, reading: &Reading, values: &[String], reference: &Reference) -> usize {
        let mut used = Mentioned::default();
        for value in values {
            match written(value, reference) {
                Some((day, clock)) => {
                    used.days.push(day);
                    clock.iter().for_each(|clock| used.add_instant(day.and_time(*clock)));
                }
                None => used.add_text(value, reference),
            }
        }
        let folded: Vec<String> = values.iter().map(|value| format!(" {} ", words(value).join(" "))).collect();
        let is_said = |said: &str| {
            let said = words(said);
            said.iter().all(|word| folded.iter().any(|value| value.contains(&format!(" {word} "))))
        };
        let in_question = |mention: &TimeMention| {
            let clause = reading.clauses.iter().find(|clause| clause.span.contains(&mention.span.start));
            let may_ask = |mood: Mood| mood.is_request() || matches!(mood, Mood::Statement | Mood::Arrangement);
            clause.is_none_or(|clause| !may_ask(clause.mood))
        };
        let is_unused = |mention: &&TimeMention| {
            let said = reading.text.get(mention.span.clone()).unwrap_or_default();
            !in_question(mention) && !is_said(said) && !used.has(mention, reference)
        };
        reading.mentions.iter().filter(is_unused).count()
    }

    /// Whether a mention is among these; one of the past needs no place.
    fn has(&self, mention: &TimeMention, reference: &Reference) -> bool {
        let now = reference.now.with_timezone(&reference.zone).naive_local();
        let near = |at: NaiveDateTime| {
            self.instants.iter().any(|known| {
                let apart = (*known - at).abs();
                apart < TimeDelta::minutes(1) || apart == HALF_A_DAY
            })
        };
        let covers =
            |day: NaiveDate| self.days.contains(&day) || self.spans.iter().any(|(a, b)| *a <= day && day <= *b);
        match &mention.result {
            Ok(When::Point { at, grain: Grain::Minute | Grain::Hour }) => {
                let at = at.naive_local();
                at < now || near(at) || self.clocks.contains(&at.time()) || self.repeats && covers(at.date())
            }
            Ok(When::Point { at, .. }) => at.naive_local() + TimeDelta::days(1) < now || covers(at.date_naive()),
            Ok(When::Range { start, end, grain: Grain::Minute | Grain::Hour }) => {
                end.naive_local() < now || near(start.naive_local()) || near(end.naive_local())
            }
            // Of days from one to another both ends are meant.
            Ok(When::Range { start, end, .. }) => {
                let last = end.naive_local() - TimeDelta::minutes(1);
                let is_long = last.date() > start.date_naive() + TimeDelta::days(1);
                last < now || covers(start.date_naive()) && (!is_long || self.spans_to(last.date()))
            }
            Ok(When::Duration(_)) | Err(_) => true,
            Ok(When::Recurrence { .. }) => self.repeats,
        }
    }

    fn spans_to(&self, last: NaiveDate) -> bool {
        let near = |day: NaiveDate| (day - last).num_days().abs() <= 1;
        self.days.iter().any(|day| near(*day)) || self.spans.iter().any(|(_, end)| near(*end))
    }

    fn add_instant(&mut self, at: NaiveDateTime) {
        self.days.push(at.date());
        self.clocks.push(at.time());
        self.instants.push(at);
    }

    /// `folded`: the person's words, with spaces around them.
    pub fn ground(&self, value: &str, folded: &str, reference: &Reference) -> TimeGround {
        let (day, clock) = match written(value, reference) {
            Some(parts) => parts,
            None => return self.of_words(value, folded, reference),
        };
        self.of_parts(day, clock)
    }

    /// A value in words has its ground where the words were said; else as what they mean.
    fn of_words(&self, value: &str, folded: &str, reference: &Reference) -> TimeGround {
        let said = words(value).iter().all(|word| folded.contains(&format!(" {word} ")));
        if said {
            return TimeGround::Said;
        }
        match time::resolve(value, reference) {
            Some(Ok(When::Point { at, grain: Grain::Minute | Grain::Hour })) => {
                let local = at.naive_local();
                self.of_parts(local.date(), Some(local.time()))
            }
            Some(Ok(When::Point { at, .. })) => self.of_parts(at.date_naive(), None),
            Some(Ok(When::Range { start, .. })) => self.of_parts(start.date_naive(), None),
            Some(Ok(When::Duration(_))) if self.has_length => TimeGround::Said,
            Some(Ok(When::Recurrence { .. })) if self.repeats => TimeGround::Said,
            Some(Ok(When::Duration(_) | When::Recurrence { .. })) => TimeGround::Nothing,
            // What nobody can read is asked about as a time, not here.
            Some(Err(_)) | None if !self.is_empty() => TimeGround::Said,
            Some(Err(_)) | None => TimeGround::Nothing,
        }
    }

    fn of_parts(&self, day: NaiveDate, clock: Option<NaiveTime>) -> TimeGround {
        let in_spans = self.spans.iter().any(|(first, last)| *first <= day && day <= *last);
        let day_said = in_spans || self.days.contains(&day);
        let Some(clock) = clock else {
            return if day_said { TimeGround::Said } else { TimeGround::Nothing };
        };
        let at = day.and_time(clock);
        let near = |known: &NaiveDateTime| {
            let apart = (*known - at).abs();
            apart < TimeDelta::minutes(1) || apart == HALF_A_DAY
        };
        if self.instants.iter().any(near) {
            return TimeGround::Said;
        }
        let clock_said = self.clocks.iter().any(|known| {
            let apart = (*known - clock).abs();
            apart < TimeDelta::minutes(1) || apart == HALF_A_DAY
        });
        // The day may be that of what is changed, or of another mention.
        if clock_said && (day_said || self.has_bare_clock) || self.has_length && day_said {
            return TimeGround::Said;
        }
        let midnight = clock == NaiveTime::MIN;
        match day_said {
            true if midnight || in_spans && self.clocks.is_empty() => TimeGround::Said,
            true => TimeGround::DayOnly(day.to_string()),
            false => TimeGround::Nothing,
        }
    }
}

/// Day and clock of a value that is written out as ISO 8601; the end of a day is the day itself.
fn written(value: &str, reference: &Reference) -> Option<(NaiveDate, Option<NaiveTime>)> {
    let value = value.trim();
    if let Ok(day) = value.parse::<NaiveDate>() {
        return Some((day, None));
    }
    let local = DateTime::parse_from_rfc3339(value).ok().map(|at| at.with_timezone(&reference.zone).naive_local());
    let at = local.or_else(|| INSTANT.iter().find_map(|form| NaiveDateTime::parse_from_str(value, form).ok()))?;
    // The last minute of a day stands for all of it.
    let is_end = NaiveTime::from_hms_opt(23, 59, 0).is_some_and(|last| at.time() >= last);
    Some((at.date(), Some(at.time()).filter(|_| !is_end)))
}
