//! Calendar search: events that words and people single out.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::occurrence::Occurrence;
use super::record::Event;
use super::service::CalendarService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::Item;
use crate::services::helpers::search::{EXACT, SURE, WordQuery};
use brain_language::language::terms;

/// How far ahead and back events are looked for when no span was said: a year, and what is planned a little beyond.
const HORIZON: Duration = Duration::days(400);
/// What fits worse than the best by this is something else.
const BESIDE: f32 = 0.85;

/// Which of several events is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhichEvent {
    /// The first of a span; without one, the next to come.
    First,
    /// The last of a span; without one, the last that was.
    Last,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventQuery<'a> {
    pub text: Option<&'a str>,
    pub with: Option<&'a str>,
    /// Addresses of those whom the person calls as `with` says.
    pub called: &'a [String],
    pub which: Option<WhichEvent>,
    /// Where; anywhere near when `None`.
    pub span: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// What was found, in order, and the span that was looked through.
#[derive(Debug)]
pub(super) struct FoundEvents {
    pub found: Vec<(Event, Occurrence)>,
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
}

impl CalendarService {
    /// Events that fit. Without a span: what is to come, each series once; if nothing is, what was last.
    pub(super) async fn matching(
        &self,
        ctx: &RequestContext,
        wanted: EventQuery<'_>,
    ) -> Result<FoundEvents, ServiceError> {
        let named = match wanted.text {
            Some(text) => Some(self.named(ctx, text).await?),
            None => None,
        };
        let fits = |event: &Event, o: &Occurrence| {
            named.as_ref().is_none_or(|ids| ids.contains(&event.id))
                && wanted.with.is_none_or(|with| is_with(event, with) || takes_part(event, wanted.called))
                // The next meeting is at some hour.
                && (wanted.text.is_some() || wanted.which.is_none() || !o.is_whole_day())
        };
        let ahead = wanted.span.unwrap_or((ctx.now, ctx.now + HORIZON));
        let back = (ctx.now - HORIZON, ctx.now);
        let is_last = wanted.which == Some(WhichEvent::Last);
        let spans = match wanted.span {
            Some(span) => vec![span],
            None if is_last => vec![back],
            None if wanted.which.is_some() => vec![ahead],
            None => vec![ahead, back],
        };
        let mut looked = FoundEvents { found: Vec::new(), from: ahead.0, to: ahead.1 };
        for (from, to) in spans {
            let mut found = self.between(ctx, from, to).await?;
            let is_open = wanted.span.is_none();
            let is_past = to <= ctx.now;
            found.retain(|(event, o)| fits(event, o) && (!is_open || is_past || o.to > ctx.now || o.from >= ctx.now));
            if is_open && wanted.which == Some(WhichEvent::First) {
                found.retain(|(_, o)| o.from > ctx.now);
            }
            if is_open && is_past {
                found.retain(|(_, o)| o.to <= ctx.now);
            }
            if is_open {
                once(&mut found, is_past);
            }
            looked = FoundEvents { found, from, to };
            if !looked.found.is_empty() {
                break;
            }
        }
        if let Some(which) = wanted.which {
            let timed = |(_, o): &(Event, Occurrence)| o.from;
            let one = match which {
                WhichEvent::First => looked.found.into_iter().min_by_key(timed),
                WhichEvent::Last => looked.found.into_iter().max_by_key(timed),
            };
            looked.found = one.into_iter().collect();
        }
        Ok(looked)
    }

    /// The ids of events that are called so.
    async fn named(&self, ctx: &RequestContext, text: &str) -> Result<HashSet<String>, ServiceError> {
        let finder = Finder { store: &self.store, index: &self.index, ctx };
        let query = WordQuery::new(text);
        let scores = |fit: &crate::services::helpers::search::Fit<'_>, items: &[_], _: &[Event]| {
            items.iter().map(|item| fit.covered(item)).collect()
        };
        let fits = |score: f32, best: f32| score >= SURE && (score >= best.min(EXACT) * BESIDE);
        let (events, _) = finder.ranked::<Event>(&query, scores, fits).await?;
        Ok(events.into_iter().map(|event| event.id).collect())
    }
}

/// Whether somebody with one of these addresses takes part.
fn takes_part(event: &Event, addresses: &[String]) -> bool {
    let has = |address: &String| addresses.iter().any(|one| one.eq_ignore_ascii_case(address));
    event.people().iter().any(|person| has(&person.address))
}

/// Of each series the occurrence that is nearest: the first ahead, the last in the past.
fn once(found: &mut Vec<(Event, Occurrence)>, is_past: bool) {
    let mut seen = HashSet::new();
    if is_past {
        found.reverse();
    }
    found.retain(|(event, _)| seen.insert(event.id.clone()));
    if is_past {
        found.reverse();
    }
}

/// Whether a name is of somebody who takes part, or stands in the title. Of an address each part is a name: it is all
/// that is known of many.
pub(super) fn is_with(event: &Event, name: &str) -> bool {
    let folded = terms::fold(&format!("{} {}", event.summary, event.attendees.join(" ")));
    let parts = folded.split(|c: char| !c.is_alphanumeric());
    let words: HashSet<&str> = terms::words_of(&folded).chain(parts).collect();
    let name = terms::fold(name);
    let mut names = terms::words_of(&name).peekable();
    names.peek().is_some() && names.all(|word| words.contains(word))
}
