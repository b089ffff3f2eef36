//! Exceptions of a series: occurrences that are not as it says, and which part of a series is meant.
//!
//! An exception names its occurrence by where the rule puts it, so that an occurrence that was moved is still that one.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::occurrence::Occurrence;
use super::record::Event;
use super::view::EventView;
use crate::services::contract::command;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{ItemChoice, Prepared};
use crate::services::contract::show::Moment;
use crate::services::helpers::items::{self, AT, Item, is_like_an_id};
use crate::services::helpers::preparing;
use crate::services::helpers::recurrence::{counted, ended, moved_along};
use crate::services::helpers::{finding, texts, times};
use brain_core::core::plan::Action;
use brain_core::limits::SERIES_EXCEPTIONS_MAX;
use brain_core::ports::{Index, Store};

/// An occurrence of a series that is not as the series says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exception {
    /// Where the rule puts it, in stored form.
    pub of: String,
    /// What takes place in its stead; `None`: nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
}

/// What takes place in the stead of an occurrence. Times are stored forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instead {
    pub summary: String,
    pub start_time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attendees: Vec<String>,
}

/// Which part of a series is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One occurrence.
    This,
    /// One occurrence, and all after it.
    Following,
    /// The whole series.
    All,
}

/// The exceptions of an event.
pub(super) struct Excepted<'e> {
    zone: Tz,
    times: HashMap<DateTime<Utc>, &'e Exception>,
    days: HashMap<NaiveDate, &'e Exception>,
}

impl<'e> Excepted<'e> {
    /// What is known of the occurrence that the rule puts here.
    pub(super) fn of(&self, start: Moment) -> Option<&'e Exception> {
        match start {
            Moment::Day(day) => self.days.get(&day).copied(),
            Moment::Instant(at) => self.times.get(&at.to_utc()).copied().or_else(|| {
                // What is taken away by its day is whatever begins on it.
                let day = self.days.get(&at.with_timezone(&self.zone).date_naive()).copied();
                day.filter(|exception| exception.instead.is_none())
            }),
        }
    }
}

impl Event {
    /// What is known of the occurrence that the rule puts here, if it is not as the rule says.
    pub(super) fn exception(&self, start: Moment) -> Option<&Exception> {
        self.excepted().of(start)
    }

    /// Its exceptions, by where the rule puts them: read once for all occurrences that are looked at.
    pub(super) fn excepted(&self) -> Excepted<'_> {
        let mut excepted = Excepted { zone: self.zone, times: HashMap::new(), days: HashMap::new() };
        for exception in &self.exceptions {
            match Moment::read(&exception.of, self.zone) {
                Some(Moment::Instant(at)) => drop(excepted.times.entry(at.to_utc()).or_insert(exception)),
                Some(Moment::Day(day)) => drop(excepted.days.entry(day).or_insert(exception)),
                None => {}
            }
        }
        excepted
    }

    /// Occurrences that take place at another time than the rule says, in no order.
    pub(super) fn moved(&self, zone: Tz) -> impl Iterator<Item = Occurrence> + '_ {
        self.exceptions.iter().filter_map(move |exception| {
            let instead = exception.instead.as_ref()?;
            let start = Moment::read(&instead.start_time, self.zone)?;
            let length = self.length_until(start, instead.end_time.as_deref());
            let of = Moment::read(&exception.of, self.zone)?;
            Some(Occurrence { of, ..self.occurrence(start, length, zone) })
        })
    }

    /// The event as it is at this occurrence.
    pub(super) fn as_at(&self, occurrence: &Occurrence) -> Event {
        let mut event = self.clone();
        if let Some(instead) = self.exception(occurrence.of).and_then(|exception| exception.instead.clone()) {
            event.summary = instead.summary;
            event.location = instead.location;
            event.attendees = instead.attendees;
        }
        event
    }

    /// The occurrence that the rule puts here.
    pub(super) fn occurrence_of(&self, of: Moment, zone: Tz) -> Option<Occurrence> {
        match self.exception(of) {
            Some(_) => self.moved(zone).find(|o| o.of == of),
            None => Some(self.occurrence(of, self.length_until(self.first()?, self.end_time.as_deref()), zone)),
        }
    }

    /// Makes one occurrence another, or none.
    pub(super) fn except(&mut self, of: Moment, instead: Option<Instead>) -> Result<(), ServiceError> {
        self.exceptions.retain(|exception| Moment::read(&exception.of, self.zone) != Some(of));
        if self.exceptions.len() >= SERIES_EXCEPTIONS_MAX {
            return Err(ServiceError::Refused(format!(
                "{SERIES_EXCEPTIONS_MAX} of this series are on their own already; nothing was changed."
            )));
        }
        self.exceptions.push(Exception { of: of.store(), instead });
        Ok(())
    }

    /// Ends the series before this occurrence; gives what goes on from there, as an event of this id. `None` when
    /// nothing lies before it.
    pub(super) fn split(&mut self, of: Moment, id: String, now: DateTime<Utc>) -> Option<Event> {
        let first = self.first()?;
        let start = of.start(self.zone);
        let is_later = |at: &String| Moment::read(at, self.zone).is_some_and(|at| at.start(self.zone) >= start);
        let (mut also_later, also_earlier): (Vec<String>, Vec<String>) = self.also.iter().cloned().partition(is_later);
        let by_rule = match self.series(first) {
            Some(series) => series.count(of),
            None => usize::from(first.start(self.zone) < start),
        };
        if by_rule + also_earlier.len() == 0 {
            return None;
        }
        let (later, earlier) =
            self.exceptions.iter().cloned().partition(|exception: &Exception| is_later(&exception.of));
        also_later.retain(|at| Moment::read(at, self.zone) != Some(of));
        let end_time = self.occurrence(of, self.length_until(first, self.end_time.as_deref()), self.zone).end;
        let rest = Event {
            id,
            start_time: of.store(),
            end_time: end_time.map(Moment::store),
            recurrence: self.recurrence.as_ref().map(|rule| counted(rule, by_rule)),
            also: also_later,
            exceptions: later,
            origin: None,
            created_at: now,
            ..self.clone()
        };
        self.recurrence = self.recurrence.as_ref().map(|rule| ended(rule, of));
        self.exceptions = earlier;
        self.also = also_earlier;
        Some(rest)
    }

    /// The series was moved as its occurrence was: what is known of single ones is of these, where they are now.
    pub(super) fn exceptions_moved(&mut self, was: Moment, becomes: Moment) {
        let zone = self.zone;
        for exception in &mut self.exceptions {
            if let Some(of) = Moment::read(&exception.of, zone) {
                exception.of = moved_along(of, was, becomes, zone).store();
            }
        }
    }
}

/// The occurrence an action is about, where its series puts it.
pub(super) fn of(action: &Action, event: &Event) -> Option<Moment> {
    Moment::read(command::before::<EventView>(action)?.of.as_deref()?, event.zone)
}

/// What a command that changes events says of the part of a series it means.
pub(super) trait Scoped {
    fn words(&self) -> String;
    fn scope(&mut self) -> &mut Option<Scope>;
}

/// As [`preparing::prepare`], for one occurrence of a series, it and all after it, or all of it. A day in the words
/// says which occurrence is meant, and that it is that one alone; else the part is asked for.
pub(super) async fn prepare<C: Scoped>(
    (store, index): (&Arc<dyn Store>, &Arc<dyn Index>),
    ctx: &RequestContext,
    command: C,
) -> Result<Prepared<C>, ServiceError> {
    let words = command.words();
    // A day behind an id says which of its series.
    let id = words.split_once(' ').map(|(id, _)| id).filter(|id| is_like_an_id(id));
    let finds = id.unwrap_or(&words);
    let mut prepared = preparing::prepare::<Event, _>(store, index, ctx, command, "find_by", finds, |_| true).await?;
    if let Prepared::Every { ids } = &mut prepared {
        let day = times::hint(&words, ctx).and_then(|hint| hint.days());
        for id in ids.iter_mut() {
            name_occurrence(store, ctx, id, day).await?;
        }
    }
    let Prepared::Ready { params, target: Some(target), notes, .. } = &mut prepared else {
        return Ok(prepared);
    };
    let Some((event, _)) = items::by_id::<Event>(store, &ctx.owner, &target.id).await? else {
        return Ok(prepared);
    };
    if !event.is_series() {
        *params.scope() = None;
        return Ok(prepared);
    }
    let day = times::hint(&words, ctx).and_then(|hint| hint.days());
    let named = day.and_then(|(from, to)| event.occurrences(from, to, ctx.zone, 1).into_iter().next());
    let at = words.split_once(AT).and_then(|(_, at)| event.occurrence_of(Moment::read(at, event.zone)?, ctx.zone));
    let named = at.or(named);
    // An ordinal means one of them, too.
    let named = named.or_else(|| event.current(ctx.now, ctx.zone).filter(|_| finding::is_by_order(&words)));
    let Some(meant) = named.clone().or_else(|| event.current(ctx.now, ctx.zone)) else {
        return Ok(prepared);
    };
    let scope = match (*params.scope(), named) {
        (Some(scope), _) => scope,
        (None, Some(_)) => Scope::This,
        (None, None) => return Ok(asked(&event, &meant, ctx)),
    };
    *params.scope() = Some(scope);
    let (starts, ends) = event.times_of(Some(&meant));
    target.before = serde_json::to_value(EventView::of(&event.as_at(&meant), Some(&meant)))?;
    (target.starts, target.ends) = (Some(starts), ends);
    notes.extend(scope.note());
    Ok(prepared)
}

/// Of all events of a day, one that repeats is meant on that day alone.
async fn name_occurrence(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    id: &mut String,
    day: Option<(DateTime<Utc>, DateTime<Utc>)>,
) -> Result<(), ServiceError> {
    let Some((from, to)) = day else { return Ok(()) };
    let Some((event, _)) = items::by_id::<Event>(store, &ctx.owner, id).await? else { return Ok(()) };
    if event.is_series()
        && let Some(one) = event.occurrences(from, to, ctx.zone, 1).first()
    {
        id.push(AT);
        id.push_str(&one.of.store());
    }
    Ok(())
}

impl Scope {
    /// What a card says of a series beside the occurrence that it shows.
    fn note(self) -> Option<String> {
        let note = match self {
            Scope::This => "It repeats: the others stay as they are.",
            Scope::Following => "It repeats: all after this one change with it, those before it stay.",
            Scope::All => "It repeats: all of the series changes.",
        };
        Some(note.to_owned())
    }

    /// What a receipt adds.
    pub(super) fn told(self) -> &'static str {
        match self {
            Scope::This => "; the others stay",
            Scope::Following => " and all after it; those before it stay",
            Scope::All => "; all of the series",
        }
    }
}

fn asked<C>(event: &Event, meant: &Occurrence, ctx: &RequestContext) -> Prepared<C> {
    let at = event.as_at(meant);
    let when = meant.when(&ctx.reference());
    let choice = |id: &str, label: String| ItemChoice { id: id.to_owned(), label, untrusted: Vec::new() };
    Prepared::Several {
        param: "scope".to_owned(),
        question: format!("“{}” repeats. Which of it do you mean?", texts::brief(&at.summary)),
        candidates: vec![
            ItemChoice { untrusted: at.untrusted(), ..choice("this", format!("Only {when}")) },
            choice("following", format!("{when} and all after it")),
            choice("all", "The whole series".to_owned()),
        ],
    }
}
