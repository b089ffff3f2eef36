//! A change of what was settled before: of what was planned again, what differs and was said now.
//!
//! Invariants: a value that differs without a word for it is as it was; nobody is added whom the message does not name,
//! and nobody falls away unsaid from what would then need no yes. What a planner words itself may differ freely, since
//! it is shown. Pure. Not here: what stands beside the change, which is held against the message like any other plan.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDateTime, TimeDelta};
use chrono_tz::Tz;
use serde_json::Value;

use super::{Judge, is_low_write};
use crate::services::contract::entry::Entry;
use crate::services::planning::amending::new_time;
use crate::services::planning::values::{TypedValue, put_in, take_out, typed_values};
use brain_core::core::plan::{Params, PlannedAction};
use brain_language::language::grounding::{Ground, TimeGround, ValueKind};
use brain_language::language::time::{self, Reference, When};
use brain_language::language::words::words;

/// How a planner may write an instant without a zone.
const LOCAL: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// What is changed: an action that was settled.
#[derive(Debug, Clone, Copy)]
pub struct SettledAction<'a> {
    /// With the ids that it was settled to.
    pub action: &'a PlannedAction,
    /// With the words that a planner was shown in their place.
    pub shown: &'a PlannedAction,
    /// The message together with the values that were settled.
    pub with_values: &'a Ground<'a>,
}

/// What of a change was not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsaid {
    /// Nothing.
    Nothing,
    /// Values, which are as they were.
    Values,
    /// Somebody whom it would have gone to, or not any more.
    People,
}

/// For each planned action, the place of the settled one that it is again; `None` for what is new beside them.
pub fn planned_again(settled: &[PlannedAction], planned: &[PlannedAction]) -> Vec<Option<usize>> {
    let alike = |before: &PlannedAction, now: &PlannedAction| {
        now.params.iter().filter(|(name, value)| before.params.get(*name) == Some(value)).count()
    };
    let mut pairs: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (at, now) in planned.iter().enumerate() {
        let same = settled.iter().enumerate().filter(|(_, before)| before.name() == now.name());
        pairs.extend(same.map(|(on, before)| (usize::MAX - alike(before, now), at.abs_diff(on), at, on)));
    }
    pairs.sort_unstable();
    let mut again = vec![None; planned.len()];
    for (_, _, at, on) in pairs {
        if again[at].is_none() && !again.contains(&Some(on)) {
            again[at] = Some(on);
        }
    }
    again
}

impl Judge<'_> {
    /// Puts back what differs in an action that was planned again, where the message does not say so. The ground is
    /// this message alone; `about`: the label of what the action is about now.
    pub fn changed(
        &self,
        entry: &dyn Entry,
        settled: &SettledAction<'_>,
        about: &str,
        planned: &mut PlannedAction,
    ) -> Unsaid {
        // What does not fit its command is the gate's to ask about.
        let Ok(params) = entry.check(planned.params.clone()) else { return Unsaid::Nothing };
        planned.params = params;
        let values = |action: &PlannedAction| typed_values(entry, &action.params);
        let change = ActionChange {
            judge: self,
            settled,
            about,
            before: values(settled.action),
            shown: values(settled.shown),
            now: values(planned),
        };
        let moved = change.moved();
        let mut unsaid = Unsaid::Nothing;
        for value in change.now.iter().filter(|value| value.place.is_none()) {
            if change.put_back(value, &moved, &mut planned.params) {
                unsaid = Unsaid::Values;
            }
        }
        let is_low = is_low_write(entry, planned);
        let lists = change.now.iter().chain(&change.before).filter(|value| value.place.is_some());
        let lists: BTreeMap<&[String], &TypedValue> = lists.map(|value| (value.path.as_slice(), value)).collect();
        for list in lists.into_values() {
            if change.put_list_back(list, is_low, &mut planned.params) {
                unsaid = if list.kind == ValueKind::Person { Unsaid::People } else { unsaid };
            }
        }
        unsaid
    }
}

/// A change that is looked at.
struct ActionChange<'a> {
    judge: &'a Judge<'a>,
    settled: &'a SettledAction<'a>,
    about: &'a str,
    before: Vec<TypedValue>,
    shown: Vec<TypedValue>,
    now: Vec<TypedValue>,
}

impl ActionChange<'_> {
    /// How far the times that were said are from those that they were.
    fn moved(&self) -> Vec<TimeDelta> {
        let times = self.now.iter().filter(|value| value.kind == ValueKind::Time && self.is_said(value));
        times.filter_map(|value| self.distance(value)).filter(|distance| !distance.is_zero()).collect()
    }

    fn distance(&self, value: &TypedValue) -> Option<TimeDelta> {
        let before = self.at(&self.before, &value.path)?;
        Some(self.instant(&value.text)? - self.instant(&before.text)?)
    }

    fn at<'v>(&self, values: &'v [TypedValue], path: &[String]) -> Option<&'v TypedValue> {
        values.iter().find(|value| value.path == path)
    }

    /// Puts a single value back, if it differs and was not said; whether it was put back for that.
    fn put_back(&self, value: &TypedValue, moved: &[TimeDelta], params: &mut Params) -> bool {
        let before = self.at(&self.before, &value.path);
        if before.is_some_and(|before| self.is_same(value, before)) {
            return false;
        }
        if self.at(&self.shown, &value.path).is_some_and(|shown| self.is_same(value, shown)) {
            before.iter().for_each(|before| put_in(params, &value.path, before.text.clone().into()));
            return false;
        }
        // What ends with what was moved moves along.
        let is_moved_along = || self.distance(value).is_some_and(|distance| moved.contains(&distance));
        if self.is_said(value) || value.kind == ValueKind::Time && is_moved_along() {
            return false;
        }
        match before {
            // An end of before would be that of another span.
            Some(_) if value.ends && !moved.is_empty() => take_out(params, &value.path),
            Some(before) => put_in(params, &value.path, before.text.clone().into()),
            None => take_out(params, &value.path),
        }
        true
    }

    /// Puts back what differs in a list and was not said; whether anything was. `is_low`: it would need no yes now.
    fn put_list_back(&self, list: &TypedValue, is_low: bool, params: &mut Params) -> bool {
        let of = |values: &[TypedValue]| -> Vec<TypedValue> {
            values.iter().filter(|value| value.path == list.path && value.place.is_some()).cloned().collect()
        };
        let (before, now) = (of(&self.before), of(&self.now));
        let mut kept: Vec<String> = Vec::new();
        for value in &now {
            let same = before.iter().find(|other| self.is_same(value, other));
            let text = same.map(|same| &same.text).or_else(|| self.is_said(value).then_some(&value.text));
            kept.extend(text.filter(|text| !kept.contains(text)).cloned());
        }
        let is_put_back = kept.len() < now.len();
        let adds = kept.iter().any(|one| before.iter().all(|other| other.text != *one));
        let mut gone = before.iter().filter(|other| !kept.contains(&other.text)).peekable();
        let is_gone = gone.peek().is_some();
        let is_said = adds || gone.any(|other| self.is_said(other));
        let is_unsaid = list.kind == ValueKind::Person && is_gone && !is_said && (is_low || kept.is_empty());
        if is_unsaid {
            kept = before.iter().map(|other| other.text.clone()).collect();
        }
        match kept.is_empty() {
            true => take_out(params, &list.path),
            false => put_in(params, &list.path, Value::from(kept)),
        }
        is_put_back || is_unsaid
    }

    fn is_same(&self, value: &TypedValue, other: &TypedValue) -> bool {
        let (text, was) = (value.text.trim(), other.text.trim());
        if text.eq_ignore_ascii_case(was) {
            return true;
        }
        match value.kind {
            ValueKind::Time => self.instant(text).is_some_and(|at| self.instant(was) == Some(at)),
            // A planner may name whom it was shown an address of.
            ValueKind::Person => {
                let whose = self.judge.people.iter().filter(|person| person.emails.iter().any(|email| email == was));
                let names = whose.flat_map(|person| person.nicknames.iter().chain([&person.name]));
                let own = was.split('@').next().unwrap_or_default();
                let said = words(text.split('@').next().unwrap_or_default());
                let has_all = |name: &str| {
                    let name = words(name);
                    !said.is_empty() && said.iter().all(|word| name.contains(word))
                };
                !text.contains('@') && names.map(String::as_str).chain([own]).any(has_all)
                    || text.contains(&format!("<{was}>"))
            }
            ValueKind::Repetition
            | ValueKind::Length
            | ValueKind::Choice
            | ValueKind::Reference
            | ValueKind::Name
            | ValueKind::Entries
            | ValueKind::Text
            | ValueKind::Composed
            | ValueKind::Plain => false,
        }
    }

    /// Whether this message says a value.
    fn is_said(&self, value: &TypedValue) -> bool {
        let (ground, text) = (self.judge.ground, value.text.as_str());
        match value.kind {
            ValueKind::Time => self.says_time(value),
            ValueKind::Repetition => ground.has_repetition(),
            ValueKind::Length => ground.has_length_ahead(),
            ValueKind::Choice => ground.has_choice(text),
            ValueKind::Person => {
                let known = self.judge.people.iter().filter(|person| person.emails.iter().any(|email| email == text));
                let names = known.map(|person| person.name.as_str());
                // Of an address all of it has to be said: anybody may have one that holds a word of the message.
                let is_name = !text.contains('@');
                ground.has_person(names.chain(Some(text).filter(|_| is_name))) || !is_name && ground.has_text(text)
            }
            ValueKind::Reference => ground.shares_a_word(text) || ground.shares_a_word(self.about),
            ValueKind::Name | ValueKind::Entries | ValueKind::Text => self.settled.with_values.has_text(text),
            ValueKind::Composed | ValueKind::Plain => true,
        }
    }

    /// Whether a time follows from one that this message names, on the day that it was on or by as much as is said.
    fn says_time(&self, value: &TypedValue) -> bool {
        let (reading, reference) = (self.judge.ground.reading, self.judge.reference);
        let was = self.at(&self.before, &value.path).and_then(|before| self.instant(&before.text));
        let computed = new_time(&reading.text, was, reference);
        let now = self.instant(&value.text);
        let is_computed = computed.is_some_and(|(start, end)| now == Some(start) || now.is_some() && now == end);
        let names_one = !reading.mentions.is_empty() || time::offset_in(&reading.text).is_some();
        // A day that is named leaves the hour as it was.
        let has_its_hour = || now.zip(was).is_some_and(|(now, was)| now.time() == was.time());
        let is_named = || match self.settled.with_values.time(&value.text, reference) {
            TimeGround::Said => true,
            TimeGround::DayOnly(_) => has_its_hour(),
            TimeGround::Nothing => false,
        };
        is_computed || names_one && is_named()
    }

    fn instant(&self, text: &str) -> Option<DateTime<Tz>> {
        instant(text.trim(), self.judge.reference)
    }
}

fn instant(text: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.with_timezone(&reference.zone));
    }
    if let Some(local) = LOCAL.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()) {
        return Some(time::local_instant(reference.zone, local).earliest());
    }
    time::resolve(text, reference)?.ok().as_ref().and_then(When::start)
}
