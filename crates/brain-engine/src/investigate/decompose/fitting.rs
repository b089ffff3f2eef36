//! A node as a model wrote it, made to fit: what is nothing is left out, times are made exact, bounds are kept.
//!
//! Invariant: whatever is changed here makes a search smaller or says the same in another way; what would have to be
//! guessed is a problem, told in words. Not here: whether nodes fit to one another ([`super::checked`]).

use chrono::{DateTime, Duration, NaiveDateTime, TimeDelta, Utc};
use serde_json::Value;

use super::shape::is_list;
use crate::investigate::node::{EvidenceNode, FindingSort, KeywordSearch, MetadataFilter, Strategy};
use brain_core::core::text::shorten;
use brain_core::limits::{
    LOOK_AHEAD_DAYS, LOOK_BACK_DAYS, NODE_PEOPLE_MAX, NODE_TEXT_CHARS_MAX, SEARCH_RESULTS_DEFAULT, SEARCH_RESULTS_MAX,
    SEARCHES_MAX,
};
use brain_language::language::time;
use brain_language::language::time::{Reference, When, local_instant};
use brain_services::services::contract::searchable::ItemKind;
use brain_services::services::contract::show::Moment;

/// A node's JSON without what says nothing; one thing where a list is wanted is a list of it.
pub(super) fn tidy(node: &mut Value) {
    let Some(map) = node.as_object_mut() else { return };
    map.retain(|_, value| !value.is_null());
    map.entry("params").or_insert_with(|| Value::Object(serde_json::Map::new()));
    let Some(params) = map.get_mut("params").and_then(Value::as_object_mut) else { return };
    params.retain(|_, value| !value.is_null() && value != "");
    for (name, value) in params {
        if value.is_string() && is_list(name) {
            *value = Value::Array(vec![value.take()]);
        }
    }
}

/// Which end of a span a time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanEnd {
    From,
    /// A day, a week belongs to the span as a whole.
    Until,
}

/// Fills in what a search has to have, keeps to the bounds and makes times exact. `true`: a span of time was assumed.
pub(super) fn fit(node: &mut EvidenceNode, reference: &Reference) -> Result<bool, String> {
    node.description = shorten(node.description.trim(), NODE_TEXT_CHARS_MAX);
    let mut seen = std::collections::HashSet::new();
    node.depends_on.retain(|on| seen.insert(on.clone()));
    match &mut node.strategy {
        Strategy::MetadataFilter(MetadataFilter { over, people, from, until, max_results, .. }) => {
            people.truncate(NODE_PEOPLE_MAX);
            bound(max_results, SEARCH_RESULTS_DEFAULT, SEARCH_RESULTS_MAX);
            span(over, from, until, reference)
        }
        Strategy::KeywordSearch(KeywordSearch { words, like, over, people, from, until, max_results, .. }) => {
            words.retain(|words| !words.trim().is_empty());
            if words.is_empty() && like.is_none() {
                return Err("words is empty: which words stand in the texts?".to_owned());
            }
            words.truncate(SEARCHES_MAX);
            words.iter_mut().for_each(|words| *words = shorten(words, NODE_TEXT_CHARS_MAX));
            people.truncate(NODE_PEOPLE_MAX);
            bound(max_results, SEARCH_RESULTS_DEFAULT, SEARCH_RESULTS_MAX);
            span(over, from, until, reference)
        }
        Strategy::BatchThreadRead(read) => {
            read.about.iter_mut().for_each(|about| *about = shorten(about, NODE_TEXT_CHARS_MAX));
            bound(&mut read.max_items, SEARCH_RESULTS_DEFAULT, SEARCH_RESULTS_MAX);
            Ok(false)
        }
        Strategy::CrossReference(cross) => {
            if cross.sources.is_empty() {
                return Err("sources is empty: which nodes are put together?".to_owned());
            }
            cross.criteria.iter_mut().for_each(|criteria| *criteria = shorten(criteria, NODE_TEXT_CHARS_MAX));
            bound(&mut cross.take_top, SEARCH_RESULTS_MAX, SEARCH_RESULTS_MAX);
            Ok(false)
        }
        Strategy::SemanticAnalysis(analysis) => {
            if analysis.keep.is_empty() && analysis.question.is_some() {
                analysis.keep.push(FindingSort::About);
            }
            if analysis.keep.is_empty() {
                return Err("keep is empty: of which sorts is what is kept?".to_owned());
            }
            analysis.question.iter_mut().for_each(|question| *question = shorten(question, NODE_TEXT_CHARS_MAX));
            exact(&mut analysis.last_from, "last_from", SpanEnd::From, reference)?;
            exact(&mut analysis.last_until, "last_until", SpanEnd::Until, reference)?;
            exact(&mut analysis.due_until, "due_until", SpanEnd::Until, reference)?;
            Ok(false)
        }
    }
}

fn bound(most: &mut Option<usize>, default: usize, max: usize) {
    *most = Some(most.unwrap_or(default).clamp(1, max));
}

/// A search has a span of time. Where none was written it is what templates look through, in whole days, so that the
/// same question means the same all day; its end is open, or what may have no time would be left out.
fn span(
    over: &[ItemKind],
    from: &mut Option<String>,
    until: &mut Option<String>,
    reference: &Reference,
) -> Result<bool, String> {
    exact(from, "from", SpanEnd::From, reference)?;
    exact(until, "until", SpanEnd::Until, reference)?;
    let start = |text: &Option<String>| {
        let moment = Moment::read(text.as_deref()?, reference.zone)?;
        Some(moment.start(reference.zone).to_utc())
    };
    if let (Some(begins), Some(ends)) = (start(from), start(until))
        && ends <= begins
    {
        return Err("from is not before until".to_owned());
    }
    let is_assumed = from.is_none();
    if is_assumed {
        // Before the end, where only that was written.
        let begins =
            start(until).map_or(reference.now, |ends| ends.min(reference.now)) - Duration::days(LOOK_BACK_DAYS);
        *from = Some(Moment::Day(begins.with_timezone(&reference.zone).date_naive()).store());
    }
    let is_timed = |kind: &ItemKind| match kind {
        ItemKind::Thread | ItemKind::Event | ItemKind::Talk => true,
        ItemKind::Task | ItemKind::Note | ItemKind::Fact | ItemKind::Person => false,
    };
    if until.is_none() && !over.is_empty() && over.iter().all(is_timed) {
        let begins = start(from).map_or(reference.now, |begins| begins.max(reference.now));
        let ends = (begins + Duration::days(LOOK_AHEAD_DAYS)).with_timezone(&reference.zone).date_naive();
        *until = Some(SpanEnd::Until.of(Moment::Day(ends)).store());
    }
    Ok(is_assumed)
}

/// A time as strategies read it. Local ISO times get the person's zone; words for times are resolved by code.
fn exact(text: &mut Option<String>, name: &str, edge: SpanEnd, reference: &Reference) -> Result<(), String> {
    let Some(written) = text.as_deref().map(str::trim).filter(|written| !written.is_empty()) else {
        *text = None;
        return Ok(());
    };
    let unclear = || format!("{name}: {} is no ISO time", shorten(written, 40));
    let moment = match Moment::read(written, reference.zone) {
        Some(moment) => edge.of(moment),
        None => match local(written) {
            Some(local) => Moment::Instant(local_instant(reference.zone, local).earliest()),
            None => worded(written, edge, reference).ok_or_else(unclear)?,
        },
    };
    *text = Some(moment.store());
    Ok(())
}

fn local(written: &str) -> Option<NaiveDateTime> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"];
    formats.iter().find_map(|format| NaiveDateTime::parse_from_str(written, format).ok())
}

fn worded(written: &str, edge: SpanEnd, reference: &Reference) -> Option<Moment> {
    let when = time::resolve(written, reference)?.ok()?;
    let moment = match (edge, when) {
        (SpanEnd::From, when) => when.start()?.to_utc(),
        (SpanEnd::Until, When::Point { at, grain }) => time::end_of(at, grain),
        (SpanEnd::Until, When::Range { end, .. }) => end.to_utc(),
        (SpanEnd::Until, When::Duration(length)) => reference.now + length,
        (SpanEnd::Until, When::Recurrence { .. }) => return None,
    };
    Some(instant(moment, reference))
}

fn instant(at: DateTime<Utc>, reference: &Reference) -> Moment {
    Moment::Instant(at.with_timezone(&reference.zone))
}

impl SpanEnd {
    fn of(self, moment: Moment) -> Moment {
        match (self, moment) {
            (Self::Until, Moment::Day(day)) => Moment::Day(day.checked_add_signed(TimeDelta::days(1)).unwrap_or(day)),
            (Self::From, moment) | (Self::Until, moment @ Moment::Instant(_)) => moment,
        }
    }
}
