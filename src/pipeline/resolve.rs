//! From words to values: people become addresses, times become instants, descriptions become the one item
//! meant. All of it is done by code; what is not certain is asked, never guessed.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, Duration, Months, NaiveTime};
use chrono_tz::Tz;
use serde_json::Value;

use super::turn::Turn;
use crate::catalog::show::Moment;
use crate::catalog::{Base, Entry, ParamError, Past, Slot};
use crate::core::people::{self, Match, Recipient};
use crate::core::plan::{Action, Params, PlannedAction, Target};
use crate::core::taint::Foreign;
use crate::core::when::{self, Grain, Problem, Reference, Role, When, local_instant};
use crate::ports::{Candidate, Person, Prepared, Service, ServiceError};

/// Why a proposal is no action yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsettled {
    /// One thing must be asked first.
    Ask {
        /// What to ask.
        question: String,
        /// Where the answer goes: `param`, or `param=UNCLEAR` for one entry of a list.
        param: String,
        /// Value and label of each choice.
        choices: Vec<(String, String)>,
    },
    /// It cannot be done, and why.
    Impossible(String),
}

/// An action with values, and the texts of others it touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The action.
    pub action: Action,
    /// For taint.
    pub foreign: Vec<Foreign>,
}

/// Settles one proposal.
pub async fn settle(
    turn: &Turn<'_>,
    entry: &dyn Entry,
    service: &dyn Service,
    planned: &PlannedAction,
) -> Result<Settled, Unsettled> {
    let reference = turn.scene.reference();
    let params = entry.check(planned.params.clone())?;
    let known = if needs_people(entry, &params) { everybody(turn).await? } else { Vec::new() };

    let mut names = BTreeMap::new();
    let mut unclear = None;
    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { param, value } => settle_people(param, value, &known, &mut names).map_err(|ask| {
            unclear = Some(ask);
            ParamError::Invalid(String::new())
        }),
        other => settle_time(other, &reference, None),
    });
    if let Some(ask) = unclear {
        return Err(ask);
    }
    let params = params?;

    let prepared = prepare(turn, entry, service, params).await;
    let (params, target, notes, foreign) = match prepared.map_err(|error| Unsettled::Impossible(error.to_string()))? {
        Prepared::Ready { params, target, notes, foreign } => (params, target, notes, foreign),
        Prepared::NotFound { what } => return Err(Unsettled::Impossible(what)),
        Prepared::Several { param, question, candidates } => return Err(which(param, question, candidates)),
    };

    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { .. } => Ok(()),
        other => settle_time(other, &reference, target.as_ref()),
    })?;
    let params = entry.complete(params, target.as_ref())?;
    add_known_names(&params, &known, target.as_ref(), &mut names);
    let action = Action {
        service: entry.service().to_owned(),
        command: entry.command().to_owned(),
        params,
        target,
        notes,
        names,
        ..Action::default()
    };
    Ok(Settled { action, foreign })
}

/// Asks the service; when several items fit the description, a time the person named may tell them apart.
async fn prepare(
    turn: &Turn<'_>,
    entry: &dyn Entry,
    service: &dyn Service,
    params: Params,
) -> Result<Prepared, ServiceError> {
    let prepared = service.prepare(&turn.scene, entry.command(), params.clone()).await?;
    let description = params.get("find_by").and_then(Value::as_str);
    let (Prepared::Several { .. }, Some(description)) = (&prepared, description) else { return Ok(prepared) };
    let times: Vec<&str> = when::find(turn.words(), &turn.scene.reference())
        .into_iter()
        .filter(|found| found.role != Role::To)
        .filter_map(|found| turn.words().get(found.span))
        .collect();
    if times.is_empty() {
        return Ok(prepared);
    }
    let mut narrower = params.clone();
    narrower.insert("find_by".to_owned(), format!("{description} {}", times.join(" ")).into());
    match service.prepare(&turn.scene, entry.command(), narrower).await? {
        Prepared::Ready { params: mut found, target: Some(target), notes, foreign } => {
            found.insert("find_by".to_owned(), description.into());
            Ok(Prepared::Ready { params: found, target: Some(target), notes, foreign })
        }
        Prepared::Ready { .. } | Prepared::NotFound { .. } | Prepared::Several { .. } => Ok(prepared),
    }
}

/// The times among these parameters as values, as far as they can be read; the rest stays in words. There is
/// no item here that a time could be relative to, so all are relative to now: for comparing plans.
pub(crate) fn times(entry: &dyn Entry, params: Params, reference: &Reference) -> Result<Params, ParamError> {
    let nothing = Target { id: String::new(), revision: String::new(), label: String::new(), before: Value::Null };
    let mut params = params;
    for target in [None, Some(&nothing)] {
        params = entry.settle(params, &mut |slot| {
            // What cannot be read is compared as it stands.
            let _ = settle_time(slot, reference, target);
            Ok(())
        })?;
    }
    Ok(params)
}

impl From<ParamError> for Unsettled {
    fn from(error: ParamError) -> Self {
        match error {
            ParamError::Missing { param, question } => Self::Ask { question, param, choices: Vec::new() },
            ParamError::Invalid(why) => Self::Impossible(why),
        }
    }
}

fn needs_people(entry: &dyn Entry, params: &Params) -> bool {
    let mut needed = false;
    // Looking only: nothing is changed here, and what is wrong with the values shows later.
    let _ = entry.settle(params.clone(), &mut |slot| {
        if let Slot::People { value, .. } = slot {
            needed |= !value.is_empty();
        }
        Ok(())
    });
    needed
}

async fn everybody(turn: &Turn<'_>) -> Result<Vec<Person>, Unsettled> {
    turn.brain.people.people(turn.owner()).await.map_err(|error| Unsettled::Impossible(error.to_string()))
}

/// Names and groups become addresses; the names are kept for the card.
fn settle_people(
    param: &str,
    value: &mut Vec<String>,
    known: &[Person],
    names: &mut BTreeMap<String, String>,
) -> Result<(), Unsettled> {
    let candidates: Vec<people::Candidate> = known.iter().map(Into::into).collect();
    let mut addresses: Vec<String> = Vec::new();
    for asked in value.iter() {
        let at = || format!("{param}={asked}");
        match people::resolve(asked, &candidates) {
            Match::One(found) => {
                for Recipient { name, email, .. } in found {
                    if !addresses.contains(&email) {
                        addresses.push(email.clone());
                    }
                    if name != email {
                        names.insert(email, name);
                    }
                }
            }
            Match::Several { asked, candidates } => {
                let choices =
                    candidates.into_iter().map(|r| (r.email.clone(), format!("{} <{}>", r.name, r.email))).collect();
                return Err(Unsettled::Ask { question: format!("Which {asked} do you mean?"), param: at(), choices });
            }
            Match::Nobody { asked } => {
                let question = format!("I don't know “{asked}”. Which mail address should I use?");
                return Err(Unsettled::Ask { question, param: at(), choices: Vec::new() });
            }
            Match::NoAddress { name } => {
                let question = format!("I have no mail address for {name}. Which one should I use?");
                return Err(Unsettled::Ask { question, param: at(), choices: Vec::new() });
            }
        }
    }
    *value = addresses;
    Ok(())
}

/// Names for addresses that a service filled in.
fn add_known_names(params: &Params, known: &[Person], target: Option<&Target>, names: &mut BTreeMap<String, String>) {
    let given = target.and_then(|target| target.before.get("names")).and_then(Value::as_object);
    for (address, name) in given.into_iter().flatten() {
        if let Some(name) = name.as_str() {
            names.entry(address.clone()).or_insert_with(|| name.to_owned());
        }
    }
    let lists = params.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    for address in lists {
        let has_it = |person: &&Person| person.emails.iter().any(|email| email.eq_ignore_ascii_case(address));
        if let Some(person) = known.iter().find(has_it) {
            names.entry(address.to_owned()).or_insert_with(|| person.name.clone());
        }
    }
}

fn which(param: String, question: String, candidates: Vec<Candidate>) -> Unsettled {
    Unsettled::Ask { question, param, choices: candidates.into_iter().map(|c| (c.id, c.label)).collect() }
}

/// Settles a slot of time. Those relative to the target wait until there is one.
fn settle_time(slot: Slot<'_>, reference: &Reference, target: Option<&Target>) -> Result<(), ParamError> {
    match slot {
        Slot::People { .. } => Ok(()),
        Slot::Time { param, value, base, past } => {
            let Some(clock) = Clock::of(base, reference, target) else {
                return Ok(());
            };
            let moment = clock.read(param, value)?.start_moment();
            *value = check_past(param, moment, past, reference)?.store();
            Ok(())
        }
        Slot::Repeat { repeat, first } => settle_repeat(repeat, first, reference),
        Slot::Span { param, start, end, base, past } => {
            let Some(clock) = Clock::of(base, reference, target) else {
                return Ok(());
            };
            settle_span(&clock, param, start, end, past)
        }
    }
}

/// What the words of a time are read against.
struct Clock<'a> {
    reference: &'a Reference,
    /// The day of the item that is being changed.
    target: Option<DateTime<Tz>>,
}

/// A time as it was read.
enum Read {
    Moment(Moment),
    Span(DateTime<Tz>, DateTime<Tz>),
    Coarse(DateTime<Tz>, DateTime<Tz>),
    Length(Duration, DateTime<Tz>),
    Repeats { first: DateTime<Tz>, rrule: String },
}

impl Read {
    fn start_moment(&self) -> Moment {
        match self {
            Self::Moment(moment) => *moment,
            Self::Span(start, _) => Moment::Instant(*start),
            Self::Coarse(start, _) => Moment::Day(start.date_naive()),
            Self::Length(length, from) => Moment::Instant(*from + *length),
            Self::Repeats { first, .. } => Moment::Instant(*first),
        }
    }
}

impl<'a> Clock<'a> {
    fn of(base: Base, reference: &'a Reference, target: Option<&Target>) -> Option<Self> {
        match (base, target) {
            (Base::Now, None) => Some(Self { reference, target: None }),
            (Base::Target, Some(target)) => {
                let start =
                    ["start_time", "deadline"].iter().find_map(|name| target.before.get(name).and_then(Value::as_str));
                let start = start
                    .and_then(|text| Moment::read(text, reference.zone))
                    .map(|moment| moment.start(reference.zone));
                Some(Self { reference, target: start })
            }
            // Settled before, or not yet.
            (Base::Now, Some(_)) | (Base::Target, None) => None,
        }
    }

    fn read(&self, param: &str, text: &str) -> Result<Read, ParamError> {
        if let Some(moment) = Moment::read(text, self.reference.zone) {
            return Ok(Read::Moment(moment));
        }
        let reference = match self.target {
            Some(target) if when::is_clock_only(text) => {
                let midnight =
                    local_instant(self.reference.zone, target.date_naive().and_time(NaiveTime::MIN)).earliest();
                Reference { now: midnight.to_utc(), ..*self.reference }
            }
            Some(_) | None => *self.reference,
        };
        let ask = |question: String| ParamError::Missing { param: param.to_owned(), question };
        match when::resolve(text, &reference) {
            None => Err(ask(format!("I can't read “{text}” as a time. When exactly?"))),
            Some(Err(problem)) => Err(ask(trouble(text, &problem, self.reference))),
            Some(Ok(when)) => Ok(self.of_when(when)),
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
                Grain::Day | Grain::Week | Grain::Month | Grain::Year => Read::Coarse(start, end),
            },
            When::Duration(length) => Read::Length(
                length,
                self.target.unwrap_or_else(|| self.reference.now.with_timezone(&self.reference.zone)),
            ),
            When::Recurrence { first, rrule, .. } => Read::Repeats { first, rrule },
        }
    }
}

fn settle_span(
    clock: &Clock<'_>,
    param: &'static str,
    start: &mut Option<String>,
    end: &mut Option<String>,
    past: Past,
) -> Result<(), ParamError> {
    let looks = param == "from";
    let zone = clock.reference.zone;
    let (mut from, mut until) = (None, None);
    if let Some(words) = start.as_deref() {
        match clock.read(param, words)? {
            Read::Moment(Moment::Day(day)) if looks => {
                from = Some(Moment::Instant(Moment::Day(day).start(zone)));
                until = day.succ_opt().map(|next| Moment::Instant(Moment::Day(next).start(zone)));
            }
            Read::Coarse(first, last) if looks => {
                from = Some(Moment::Instant(first));
                until = Some(Moment::Instant(last));
            }
            Read::Span(first, last) => {
                from = Some(Moment::Instant(first));
                until = Some(Moment::Instant(last));
            }
            Read::Length(length, now) if looks => {
                from = Some(Moment::Instant(now));
                until = Some(Moment::Instant(now + length));
            }
            other @ (Read::Moment(_) | Read::Coarse(..) | Read::Length(..) | Read::Repeats { .. }) => {
                from = Some(other.start_moment());
            }
        }
    }
    if let Some(words) = end.as_deref() {
        let begins = from.map(|moment| moment.start(zone)).or(clock.target);
        let after = Clock { reference: clock.reference, target: begins };
        until = Some(match after.read("end_time", words)? {
            Read::Moment(Moment::Day(day)) if looks => {
                Moment::Instant(Moment::Day(day.succ_opt().unwrap_or(day)).start(zone))
            }
            Read::Coarse(_, last) | Read::Span(_, last) => Moment::Instant(last),
            other @ (Read::Moment(_) | Read::Length(..) | Read::Repeats { .. }) => other.start_moment(),
        });
    }
    if let Some(from) = from {
        *start = Some(check_past(param, from, past, clock.reference)?.store());
    }
    if let Some(until) = until {
        *end = Some(until.store());
    }
    Ok(())
}

fn settle_repeat(
    repeat: &mut Option<String>,
    first: &mut Option<String>,
    reference: &Reference,
) -> Result<(), ParamError> {
    let Some(words) = repeat.clone() else {
        return Ok(());
    };
    let clock = Clock { reference, target: None };
    let begin = match first.as_deref() {
        Some(text) => Some(clock.read("deadline", text)?.start_moment()),
        None => None,
    };
    if words.contains("FREQ=") {
        *first = begin.map(Moment::store);
        return Ok(());
    }
    // "at 9" in one parameter and "every weekday" in the other belong together.
    let joined = first.as_deref().filter(|_| begin.is_some()).map(|time| format!("{words} {time}"));
    let read =
        joined.and_then(|text| clock.read("repeat", &text).ok()).map_or_else(|| clock.read("repeat", &words), Ok)?;
    match read {
        Read::Repeats { first: at, rrule } => {
            *repeat = Some(rrule);
            *first = Some(Moment::Instant(at).store());
            Ok(())
        }
        Read::Moment(_) | Read::Span(..) | Read::Coarse(..) | Read::Length(..) => Err(ParamError::Missing {
            param: "repeat".to_owned(),
            question: format!("I can't read “{words}” as something that repeats. How often?"),
        }),
    }
}

/// A time that has passed is asked about, unless looking back is fine.
fn check_past(param: &str, moment: Moment, past: Past, reference: &Reference) -> Result<Moment, ParamError> {
    let today = reference.now.with_timezone(&reference.zone).date_naive();
    let over = match moment {
        Moment::Instant(at) => at.to_utc() < reference.now - Duration::minutes(1),
        Moment::Day(day) => day < today,
    };
    match past {
        Past::Ask if over => Err(ParamError::Missing {
            param: param.to_owned(),
            question: format!("{} has already passed. Which time do you mean?", moment.show(reference)),
        }),
        Past::Ask | Past::Fine => Ok(moment),
    }
}

/// A question about a time that was understood but cannot be used.
fn trouble(text: &str, problem: &Problem, reference: &Reference) -> String {
    let show = |at: &DateTime<Tz>| when::describe(*at, Grain::Minute, reference);
    match problem {
        Problem::Past { at } => format!("{} has already passed. Which time do you mean?", show(at)),
        Problem::Impossible { why } => {
            format!("“{text}” does not exist ({why}). Which time do you mean?")
        }
        Problem::Ambiguous { candidates, why } if candidates.is_empty() => {
            format!("“{text}” could mean several times ({why}). Which one?")
        }
        Problem::Ambiguous { candidates, .. } => {
            let list: Vec<String> = candidates.iter().map(show).collect();
            format!("“{text}” could be {}. Which one?", list.join(" or "))
        }
        Problem::SkippedByClockChange { next, .. } => {
            format!(
                "The clocks go forward then, so “{text}” does not exist that day. Is {} fine, or another time?",
                show(next)
            )
        }
    }
}
