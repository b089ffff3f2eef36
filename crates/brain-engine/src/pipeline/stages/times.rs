//! Times as people say them become instants in their zone. What has passed, does not exist or could mean several
//! is asked about, never guessed.

mod repeating;

use chrono::{DateTime, Days, Duration, Months, NaiveDate, NaiveTime};
use chrono_tz::Tz;

use brain_core::core::plan::{Params, Target};
use brain_language::language::time;
use brain_language::language::time::{Grain, Half, Known, Problem, Reference, Shift, When, local_instant};
use brain_services::services::contract::command::{Base, Called, PastTimes, Slot};
use brain_services::services::contract::entry::{Entry, ParamError};
use brain_services::services::contract::show::Moment;

/// The times among these parameters as values, as far as they can be read; the rest stays in words. There is
/// no item here that a time could be relative to, so all are relative to now: for comparing plans.
pub fn settled(entry: &dyn Entry, params: Params, reference: &Reference) -> Result<Params, ParamError> {
    let nothing = Target::default();
    let half = half_of(&entry.called(&params), None);
    let mut params = params;
    for target in [None, Some(&nothing)] {
        params = entry.settle(params, &mut |slot| {
            // What cannot be read is compared as it stands.
            let _ = settle_time(slot, reference, reference, half, target);
            Ok(())
        })?;
    }
    Ok(params)
}

/// In which half of the day the thing lets a bare hour of its own lie, by its name. What is to be done may only mention
/// such a thing, and is then for either half.
pub fn half_of(called: &Called, target: Option<&Target>) -> Option<Half> {
    const ARTICLES: [&str; 8] = ["a", "an", "the", "my", "our", "der", "die", "das"];
    let title = match called {
        Called::Occasion(name) => return time::half_of(name),
        Called::Errand(title) => title,
        Called::AsTarget => &target?.label,
    };
    let mut words = title.split_whitespace();
    let head = words.find(|word| !ARTICLES.contains(&word.to_lowercase().as_str()))?;
    time::half_of(head).or_else(|| time::half_of(title).map(|_| Half::Either))
}

/// Settles a slot of time. Those relative to the target wait until there is one. `reference`: the words were
/// written then; `now`: what lies before it has passed; `half`: see [`half_of`].
pub fn settle_time(
    slot: Slot<'_>,
    reference: &Reference,
    now: &Reference,
    half: Option<Half>,
    target: Option<&Target>,
) -> Result<(), ParamError> {
    match slot {
        Slot::People { .. } => Ok(()),
        Slot::Time { param, value, base, past } => {
            let Some(clock) =
                TimeContext::of(base, reference, now, Known { half, past: past == PastTimes::Only }, target)
            else {
                return Ok(());
            };
            let moment = clock.read(param, value)?.start_moment();
            *value = check_past(param, moment, past, now)?.store();
            Ok(())
        }
        Slot::Repeat { repeat, first, end } => {
            let clock = TimeContext { reference, now, known: Known { half, past: false }, target: None, old: None };
            repeating::settle_repeat(repeat, first, end, &clock)
        }
        Slot::Span { param, start, end, repeat, base, past } => {
            let Some(clock) =
                TimeContext::of(base, reference, now, Known { half, past: past == PastTimes::Only }, target)
            else {
                return Ok(());
            };
            let old_end = target.and_then(|target| moment_of(target.ends.as_deref(), reference));
            settle_span(&clock, param, (start, end, repeat), past, old_end)
        }
    }
}

/// What the words of a time are read against.
struct TimeContext<'a> {
    reference: &'a Reference,
    /// The moment at which they are read.
    now: &'a Reference,
    known: Known,
    /// Where the item that is being changed begins.
    target: Option<DateTime<Tz>>,
    /// The old time of what is being read, if it has one: a shift counts from it.
    old: Option<Moment>,
}

/// More days than these are meant from the first to the last; a weekend is some time in it.
const WEEKEND_DAYS: i64 = 2;

/// A time as it was read.
enum Read {
    Moment(Moment),
    Span(DateTime<Tz>, DateTime<Tz>),
    Coarse(DateTime<Tz>, DateTime<Tz>),
    /// From a day to another one, both counted in.
    Days(NaiveDate, NaiveDate),
    Length(Duration, DateTime<Tz>),
    Repeats {
        first: DateTime<Tz>,
        rrule: String,
        grain: Grain,
        length: Option<Duration>,
    },
}

impl Read {
    fn start_moment(&self) -> Moment {
        match self {
            Self::Moment(moment) => *moment,
            Self::Span(start, _) => Moment::Instant(*start),
            Self::Coarse(start, _) => Moment::Day(start.date_naive()),
            Self::Days(first, _) => Moment::Day(*first),
            Self::Length(length, from) => Moment::Instant(*from + *length),
            Self::Repeats { first, .. } => Moment::Instant(*first),
        }
    }
}

impl<'a> TimeContext<'a> {
    fn of(
        base: Base,
        reference: &'a Reference,
        now: &'a Reference,
        known: Known,
        target: Option<&Target>,
    ) -> Option<Self> {
        match (base, target) {
            (Base::Now, None) => Some(Self { reference, now, known, target: None, old: None }),
            (Base::Target, Some(target)) => {
                let old = moment_of(target.starts.as_deref(), reference);
                let start = old.map(|moment| moment.start(reference.zone));
                Some(Self { reference, now, known, target: start, old })
            }
            // Settled before, or not yet.
            (Base::Now, Some(_)) | (Base::Target, None) => None,
        }
    }

    fn read(&self, param: &str, text: &str) -> Result<Read, ParamError> {
        if let Some(moment) = Moment::read(text, self.reference.zone) {
            return Ok(Read::Moment(moment));
        }
        if let Some((old, shift)) = self.old.zip(time::shift(text)) {
            let unclear = || ask(param, format!("“{text}”: is that earlier or later?"));
            return Ok(Read::Moment(shifted(old, &shift, self.reference.zone).ok_or_else(unclear)?));
        }
        let reference = match self.target {
            Some(target) if time::is_clock_only(text) => {
                let midnight =
                    local_instant(self.reference.zone, target.date_naive().and_time(NaiveTime::MIN)).earliest();
                Reference { now: midnight.to_utc(), ..*self.reference }
            }
            Some(_) | None => *self.reference,
        };
        match time::resolve_within(text, self.known, &reference) {
            None => Err(ask(param, format!("I can't read “{text}” as a time. When exactly?"))),
            Some(Err(problem)) => Err(asked_about(param, text, &problem, self.now)),
            Some(Ok(when)) => Ok(self.of_when(when)),
        }
    }

    /// What is moved to another day keeps its hour.
    fn at_its_hour(&self, moment: Moment) -> Moment {
        match (moment, self.old) {
            (Moment::Day(day), Some(Moment::Instant(old))) => {
                Moment::Instant(local_instant(self.reference.zone, day.and_time(old.time())).earliest())
            }
            (moment, _) => moment,
        }
    }

    fn of_when(&self, when: When) -> Read {
        match when {
            When::Point { at, grain } => match grain {
                Grain::Minute | Grain::Hour => Read::Moment(Moment::Instant(at)),
                Grain::Day => Read::Moment(Moment::Day(at.date_naive())),
                Grain::Week => Read::Coarse(at, at.checked_add_days(Days::new(7)).unwrap_or(at)),
                Grain::Month => Read::Coarse(at, at.checked_add_months(Months::new(1)).unwrap_or(at)),
                Grain::Year => Read::Coarse(at, at.checked_add_months(Months::new(12)).unwrap_or(at)),
            },
            When::Range { start, end, grain } => match grain {
                Grain::Minute | Grain::Hour => Read::Span(start, end),
                Grain::Day if end - start > Duration::days(WEEKEND_DAYS) => {
                    let last = end - Duration::minutes(1);
                    Read::Days(start.date_naive(), last.date_naive())
                }
                Grain::Day | Grain::Week | Grain::Month | Grain::Year => Read::Coarse(start, end),
            },
            When::Duration(length) => Read::Length(
                length,
                self.target.unwrap_or_else(|| self.reference.now.with_timezone(&self.reference.zone)),
            ),
            When::Recurrence { first, rrule, grain, length } => Read::Repeats { first, rrule, grain, length },
        }
    }
}

fn moment_of(stored: Option<&str>, reference: &Reference) -> Option<Moment> {
    Moment::read(stored?, reference.zone)
}

/// A day moved by days is a day.
fn shifted(old: Moment, shift: &Shift, zone: Tz) -> Option<Moment> {
    let new = shift.from(old.start(zone))?;
    Some(match old {
        Moment::Day(_) if shift.is_of_days() => Moment::Day(new.date_naive()),
        Moment::Day(_) | Moment::Instant(_) => Moment::Instant(new),
    })
}

/// `old_end`: where the item ended so far.
fn settle_span(
    clock: &TimeContext<'_>,
    param: &str,
    (start, end, repeat): (&mut Option<String>, &mut Option<String>, Option<&mut Option<String>>),
    past: PastTimes,
    old_end: Option<Moment>,
) -> Result<(), ParamError> {
    let looks = param == "from";
    let zone = clock.reference.zone;
    let window = start.as_deref().filter(|_| looks).and_then(|words| time::window(words, clock.reference));
    let (from, mut until) = match (window, start.as_deref()) {
        (Some((first, last)), _) => (Some(Moment::Instant(first)), Some(Moment::Instant(last))),
        (None, Some(words)) => beginning(clock, param, words, repeat)?,
        (None, None) => (None, None),
    };
    if let Some(words) = end.as_deref() {
        let begins = from.map(|moment| moment.start(zone)).or(clock.target);
        let after = TimeContext { target: begins, old: old_end, ..*clock };
        until = Some(match after.read("end_time", words)? {
            Read::Moment(Moment::Day(day)) if looks => {
                Moment::Instant(Moment::Day(day.succ_opt().unwrap_or(day)).start(zone))
            }
            Read::Coarse(_, last) | Read::Span(_, last) => Moment::Instant(last),
            Read::Days(_, last) => Moment::Day(last),
            other @ (Read::Moment(_) | Read::Length(..) | Read::Repeats { .. }) => other.start_moment(),
        });
    }
    if let Some(from) = from {
        *start = Some(check_past(param, from, past, clock.now)?.store());
    }
    if let Some(until) = until {
        let begins = from.or(clock.target.map(Moment::Instant)).filter(|_| !looks);
        begins.map_or(Ok(()), |begins| check_order(begins, until, clock.reference))?;
        *end = Some(until.store());
    }
    Ok(())
}

/// When a span begins, and ends where its beginning says that; a rule goes into `repeat`.
fn beginning(
    clock: &TimeContext<'_>,
    param: &str,
    words: &str,
    repeat: Option<&mut Option<String>>,
) -> Result<(Option<Moment>, Option<Moment>), ParamError> {
    let (looks, zone) = (param == "from", clock.reference.zone);
    let from;
    let mut until = None;
    match clock.read(param, words)? {
        Read::Moment(Moment::Day(day)) if looks => {
            from = Some(Moment::Instant(Moment::Day(day).start(zone)));
            until = day.succ_opt().map(|next| Moment::Instant(Moment::Day(next).start(zone)));
        }
        Read::Coarse(first, last) if looks => {
            from = Some(Moment::Instant(first));
            until = Some(Moment::Instant(last));
        }
        Read::Days(first, last) => {
            let after = last.succ_opt().filter(|_| looks).unwrap_or(last);
            from = Some(Moment::Day(first)).map(|day| if looks { Moment::Instant(day.start(zone)) } else { day });
            let until_day = Moment::Day(after);
            until = Some(if looks { Moment::Instant(until_day.start(zone)) } else { until_day });
        }
        Read::Span(first, last) => {
            from = Some(Moment::Instant(first));
            until = Some(Moment::Instant(last));
        }
        Read::Length(length, now) if looks => {
            from = Some(Moment::Instant(now));
            until = Some(Moment::Instant(now + length));
        }
        Read::Repeats { first, rrule, grain, length } if !looks => {
            let Some(repeat) = repeat else {
                return Err(ask(
                    param,
                    format!("I can't change how often it repeats. When is it, instead of “{words}”?"),
                ));
            };
            *repeat = Some(rrule);
            from = Some(if grain >= Grain::Day { Moment::Day(first.date_naive()) } else { Moment::Instant(first) });
            until = length.map(|length| Moment::Instant(first + length));
        }
        other @ (Read::Moment(_) | Read::Coarse(..) | Read::Length(..) | Read::Repeats { .. }) => {
            from = Some(clock.at_its_hour(other.start_moment()));
        }
    }
    Ok((from, until))
}

/// An end that is no later than its beginning is asked about; a day may end on itself.
fn check_order(from: Moment, until: Moment, reference: &Reference) -> Result<(), ParamError> {
    let is_later = match (from, until) {
        (Moment::Instant(from), Moment::Instant(until)) => until > from,
        (Moment::Day(_), _) | (_, Moment::Day(_)) => {
            let [from, until] = [from, until].map(|moment| moment.start(reference.zone).date_naive());
            until >= from
        }
    };
    if is_later {
        return Ok(());
    }
    let until = until.show(reference);
    Err(ask("end_time", format!("It would end {until}, and that is not after it begins. When does it end?")))
}

/// A time that has passed is asked about, unless looking back is fine.
fn check_past(param: &str, moment: Moment, past: PastTimes, reference: &Reference) -> Result<Moment, ParamError> {
    let today = reference.now.with_timezone(&reference.zone).date_naive();
    let over = match moment {
        Moment::Instant(at) => at.to_utc() < reference.now - Duration::minutes(1),
        Moment::Day(day) => day < today,
    };
    match past {
        PastTimes::Ask if over => {
            Err(ask(param, format!("{} has already passed. Which time do you mean?", moment.show(reference))))
        }
        PastTimes::Ask | PastTimes::Fine | PastTimes::Only => Ok(moment),
    }
}

fn ask(param: &str, question: String) -> ParamError {
    ParamError::Missing { param: param.to_owned(), question, choices: Vec::new() }
}

/// A question about a time that was understood but cannot be used.
fn asked_about(param: &str, text: &str, problem: &Problem, reference: &Reference) -> ParamError {
    let show = |at: &DateTime<Tz>| time::describe(*at, Grain::Minute, reference);
    let question = match problem {
        Problem::Past { at } => format!("{} has already passed. Which time do you mean?", show(at)),
        Problem::Impossible { why } => {
            format!("“{text}” does not exist ({why}). Which time do you mean?")
        }
        Problem::Ambiguous { candidates, why } if candidates.len() > 1 => {
            let moment = |at: &DateTime<Tz>| {
                if at.time() == NaiveTime::MIN { Moment::Day(at.date_naive()) } else { Moment::Instant(*at) }
            };
            let choices = candidates.iter().map(moment).map(|m| (m.store(), m.show(reference))).collect();
            let question = format!("“{text}” can mean more than one time ({why}). Which one?");
            return ParamError::Missing { param: param.to_owned(), question, choices };
        }
        Problem::Ambiguous { why, .. } => format!("“{text}” could mean several times ({why}). Which one?"),
        Problem::Unclear { words } => format!("I don't know when “{words}” is. When exactly do you mean?"),
        Problem::SkippedByClockChange { next, .. } => {
            let question = format!(
                "The clocks go forward then, so “{text}” does not exist that day. Is {} fine, or another time?",
                show(next)
            );
            let choices = vec![(Moment::Instant(*next).store(), show(next))];
            return ParamError::Missing { param: param.to_owned(), question, choices };
        }
        Problem::RepeatedByClockChange { first, second } => {
            let choice = |at: &DateTime<Tz>, which: &str| {
                (Moment::Instant(*at).store(), format!("{which} the clocks go back: {}", show(at)))
            };
            let choices = vec![choice(first, "before"), choice(second, "after")];
            let question = format!("The clocks go back then, so “{text}” comes twice. Which one?");
            return ParamError::Missing { param: param.to_owned(), question, choices };
        }
    };
    ask(param, question)
}
