//! Metrics of how things go, counted from what is kept: no model is asked for them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};

use super::{View, turns};
use brain_core::core::ids::UserId;
use brain_core::core::metrics::InvestigationMetrics;
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::records::{
    ASKED_BEFORE, Aside, CompressionTrace, DUE_BY_OWNER, Due, DueKind, InboxEntry, OFFER_NODE, OFFER_TAKEN,
    PendingOpen, ROUTED_OTHERWISE, SpanOutcome, StageSpan, TurnTrace,
};
use brain_core::ports::{Reader as _, RecordExt, Scan, Stage, StoreError};
use brain_services::services::contract::context::RequestContext;

/// Turns that are looked back at.
const TRACES: usize = 300;

/// Entries that are looked through for the first reminder: what else falls due of a person is cards, and a briefing.
const DUE_LOOKED_THROUGH: usize = limits::PENDING_OPEN_MAX + 8;

/// What the last turns say of model, people and stages.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnFigures {
    /// How many turns these are of.
    pub turns: usize,
    /// The last call of a model.
    pub last_call: Option<ModelCall>,
    /// How many people wrote in the last seven days.
    pub people: usize,
    /// Stages whose fallback stood in, and how often; by name.
    pub fallbacks: BTreeMap<String, usize>,
    /// Of questions over everything, if there were any.
    pub investigations: Option<InvestigationFigures>,
    /// Of what the policy ruled out, if there was any.
    pub refusals: Option<SavedFigures>,
    /// Of questions that were asked again, if there were any.
    pub repeats: Option<SavedFigures>,
    /// Of how many messages that a model routed code alone would have said the same.
    pub routed_alike: ShareOf,
    /// Of how many offers that were pressed the person took one, and did not leave it.
    pub offers_taken: ShareOf,
}

/// A part of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareOf {
    /// The part.
    pub part: usize,
    /// The number.
    pub of: usize,
}

impl ShareOf {
    fn count<'a>(spans: impl Iterator<Item = &'a StageSpan>, is_part: impl Fn(&str) -> bool) -> Self {
        spans.fold(Self::default(), |share, span| Self {
            part: share.part + usize::from(is_part(&span.gives)),
            of: share.of + 1,
        })
    }
}

/// Messages that took fewer calls of a model than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedFigures {
    /// How many.
    pub count: usize,
    /// Model calls that they would have taken more, as the other messages did.
    pub calls_saved: u64,
}

/// A call of a model that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    /// When its turn began.
    pub at: DateTime<Utc>,
    /// How long it took.
    pub took: Duration,
    /// What came of it.
    pub outcome: CallOutcome,
}

/// What came of a call of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// An answer.
    Answered,
    /// An answer that was not what was asked for.
    Unusable,
    /// None, and why.
    Failed(String),
}

/// What questions over everything took.
#[derive(Debug, Clone, PartialEq)]
pub struct InvestigationFigures {
    /// How many there were.
    pub count: usize,
    /// The least time within which 95 of 100 were answered.
    pub p95_ms: u64,
    /// On average.
    pub tokens_mean: u64,
    /// On average.
    pub usd_mean: f64,
    /// What working side by side saved, of what one after the other would have taken.
    pub saved_percent: u64,
    /// How many had a part that failed.
    pub failed: usize,
}

/// What shortening conversations has saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompressionFigures {
    /// How often one was shortened.
    pub count: usize,
    /// Of the tokens that came into summaries.
    pub saved_percent: u64,
    /// How often one stayed as it was.
    pub failed: usize,
}

/// The same of the last ones; `None` where there were none.
pub async fn of_compressions(view: &View<'_>) -> Result<Option<CompressionFigures>, StoreError> {
    let all = turns::compressions(view, TRACES).await?;
    let done: Vec<_> = all.iter().filter(|one| one.tokens_after < one.tokens_before).collect();
    let sum = |tokens: fn(&CompressionTrace) -> u64| done.iter().map(|one| tokens(one)).sum::<u64>();
    let (before, after) = (sum(|one| one.tokens_before), sum(|one| one.tokens_after));
    let saved_percent = (before.saturating_sub(after) * 100).checked_div(before).unwrap_or(0);
    let figures = CompressionFigures { count: done.len(), saved_percent, failed: all.len() - done.len() };
    Ok((!all.is_empty()).then_some(figures))
}

/// What is kept that an admin should know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFigures {
    /// Open cards of everybody.
    pub open_cards: usize,
    /// The tables of records that could not be read, one entry a record.
    pub unreadable: Vec<String>,
    /// Messages that were given up, because the process ended each time they were handled.
    pub messages_given_up: usize,
}

/// The figures of the last turns of everybody.
pub async fn of_turns(view: &View<'_>) -> Result<TurnFigures, StoreError> {
    Ok(counted(&turns::latest(view, TRACES).await?, view.now))
}

/// How long turns of one path took, of the last ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathFigures {
    /// Which path.
    pub path: Path,
    /// How many there were.
    pub turns: usize,
    /// Half of them took at most so long.
    pub median_ms: f64,
    /// And 95 of 100.
    pub p95_ms: f64,
    /// How long they may take at most, where that is promised.
    pub target_ms: Option<f64>,
    /// How many of them had a stage that fell back.
    pub fell_back: usize,
}

/// What a path may take: until small talk is answered, something is done, a yes is carried out.
const TARGETS_MS: [(Path, f64); 3] = [(Path::Chat, 1_000.0), (Path::Action, 3_000.0), (Path::Consent, 1_500.0)];

/// The paths of these turns, the most frequent one first.
pub fn of_paths(traces: &[TurnTrace]) -> Vec<PathFigures> {
    let mut paths: Vec<Path> = Vec::new();
    for trace in traces {
        if !paths.contains(&trace.done.path) {
            paths.push(trace.done.path);
        }
    }
    let of_path = |path: Path| {
        let mut took: Vec<f64> =
            traces.iter().filter(|trace| trace.done.path == path).map(|trace| trace.done.ms).collect();
        took.sort_by(f64::total_cmp);
        let share = |hundredths: usize| took[(took.len() - 1) * hundredths / 100];
        let fell_back = |trace: &&TurnTrace| trace.done.path == path && !trace.done.fallbacks.is_empty();
        PathFigures {
            path,
            turns: took.len(),
            median_ms: share(50),
            p95_ms: share(95),
            target_ms: TARGETS_MS.iter().find(|(of, _)| *of == path).map(|(_, ms)| *ms),
            fell_back: traces.iter().filter(fell_back).count(),
        }
    };
    let mut figures: Vec<PathFigures> = paths.into_iter().map(of_path).collect();
    figures.sort_by_key(|path| std::cmp::Reverse(path.turns));
    figures
}

fn counted(traces: &[TurnTrace], now: DateTime<Utc>) -> TurnFigures {
    let week_ago = now - Duration::days(7);
    let people: BTreeSet<&str> = traces.iter().filter(|t| t.at > week_ago).map(|t| t.user.as_str()).collect();
    let mut fallbacks: BTreeMap<String, usize> = BTreeMap::new();
    for stage in traces.iter().flat_map(|trace| &trace.done.fallbacks) {
        *fallbacks.entry(stage.clone()).or_default() += 1;
    }
    let spans = |name: &'static str| {
        let all = traces.iter().flat_map(|trace| &trace.spans);
        all.filter(move |span| span.name == name && span.outcome == SpanOutcome::Ok && !span.gives.is_empty())
    };
    let call = |trace: &TurnTrace| trace.spans.iter().rev().find_map(|span| model_call(trace.at, span));
    TurnFigures {
        turns: traces.len(),
        last_call: traces.iter().find_map(call),
        people: people.len(),
        fallbacks,
        investigations: investigations(traces),
        refusals: saved(traces, |trace| trace.done.path == Path::Blocked && trace.done.llm_calls > 0),
        repeats: saved(traces, was_asked_before),
        routed_alike: ShareOf::count(spans("route"), |gives| !gives.ends_with(ROUTED_OTHERWISE)),
        offers_taken: ShareOf::count(spans(OFFER_NODE), |gives| gives == OFFER_TAKEN),
    }
}

/// What the others cost on average that asked a model, less what these did.
fn saved(traces: &[TurnTrace], is_of: impl Fn(&TurnTrace) -> bool) -> Option<SavedFigures> {
    let (of, others): (Vec<&TurnTrace>, Vec<&TurnTrace>) = traces.iter().partition(|trace| is_of(trace));
    let others: Vec<&TurnTrace> = others.into_iter().filter(|trace| trace.done.llm_calls > 0).collect();
    let calls = |traces: &[&TurnTrace]| traces.iter().map(|trace| u64::from(trace.done.llm_calls)).sum::<u64>();
    let usual = (calls(&others) * of.len() as u64).checked_div(others.len() as u64).unwrap_or(0);
    let calls_saved = usual.saturating_sub(calls(&of));
    (!of.is_empty()).then_some(SavedFigures { count: of.len(), calls_saved })
}

fn was_asked_before(trace: &TurnTrace) -> bool {
    let is_kept = |span: &StageSpan| matches!(&span.outcome, SpanOutcome::Other(what) if what == ASKED_BEFORE);
    trace.spans.iter().any(is_kept)
}

/// `None` where code did the work of a stage, which says so in other words.
fn model_call(at: DateTime<Utc>, span: &StageSpan) -> Option<ModelCall> {
    if !Stage::ALL.iter().any(|stage| stage.name() == span.name) {
        return None;
    }
    let outcome = match &span.outcome {
        SpanOutcome::Ok => CallOutcome::Answered,
        SpanOutcome::Unusable => CallOutcome::Unusable,
        SpanOutcome::Failed(why) => CallOutcome::Failed(why.clone()),
        SpanOutcome::Other(_) => return None,
    };
    Some(ModelCall { at, took: Duration::microseconds(i64::try_from(span.us).unwrap_or(i64::MAX)), outcome })
}

fn investigations(traces: &[TurnTrace]) -> Option<InvestigationFigures> {
    let all: Vec<&InvestigationMetrics> = traces.iter().filter_map(|trace| trace.investigation.as_ref()).collect();
    let count = all.len();
    let mut ms: Vec<u64> = all.iter().map(|one| one.ms).collect();
    ms.sort_unstable();
    let run: u64 = all.iter().map(|one| one.run.ms).sum();
    let one_by_one: u64 = all.iter().map(|one| one.one_by_one_ms).sum();
    Some(InvestigationFigures {
        count,
        p95_ms: *ms.get((count * 95).div_ceil(100).checked_sub(1)?)?,
        tokens_mean: all.iter().map(|one| one.tokens()).sum::<u64>() / count as u64,
        usd_mean: all.iter().map(|one| one.actual_usd).sum::<f64>() / count as f64,
        saved_percent: (one_by_one.saturating_sub(run) * 100).checked_div(one_by_one).unwrap_or(0),
        failed: all.iter().filter(|one| one.failed > 0).count(),
    })
}

/// The figures of what is kept.
pub async fn of_store(view: &View<'_>) -> Result<StoreFigures, StoreError> {
    let open_cards = view.moment.count(Scan::of::<PendingOpen>(&[], usize::MAX)).await?;
    let inbox = view.moment.list::<InboxEntry>(Scan::of::<InboxEntry>(&[], usize::MAX)).await?;
    let unreadable = view.moment.list::<Aside>(Scan::of::<Aside>(&[], limits::ASIDE_LISTED_MAX)).await?;
    Ok(StoreFigures {
        open_cards,
        unreadable: unreadable.into_iter().map(|(record, _)| record.table).collect(),
        messages_given_up: inbox.iter().filter(|(entry, _)| entry.done && entry.resumptions > 0).count(),
    })
}

/// A reminder that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetReminder {
    /// When it falls due.
    pub at: DateTime<Utc>,
    /// What it is about, where its service still knows it.
    pub title: Option<String>,
}

/// The next reminder of a person.
pub async fn next_reminder(view: &View<'_>, ctx: &RequestContext) -> Result<Option<SetReminder>, StoreError> {
    let owner: &UserId = &ctx.owner;
    let mine = Scan::by(&DUE_BY_OWNER, &[owner.as_str()], DUE_LOOKED_THROUGH);
    let due = view.moment.list::<Due>(mine).await?.into_iter().map(|(due, _)| due);
    for Due { at, kind, .. } in due {
        let DueKind::Item { service, item } = &kind else { continue };
        let services = view.services.now();
        let title = match services.find(service).and_then(|service| service.service.reminders()) {
            Some(reminders) => reminders.reminded(ctx, item).await.ok().flatten().map(|reminded| reminded.title),
            None => None,
        };
        return Ok(Some(SetReminder { at, title }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::ids::ChatId;
    use brain_core::core::metrics::LayerMetrics;
    use brain_core::core::turn::{Done, Path};

    #[test]
    fn questions_over_everything_are_summed_up_where_there_are_any() {
        let trace = |investigation| TurnTrace {
            id: "t".to_owned(),
            user: UserId::new("ann"),
            chat: ChatId::new("c"),
            at: DateTime::UNIX_EPOCH,
            done: Done::quiet(Path::Investigate),
            spans: Vec::new(),
            investigation,
        };
        assert_eq!(investigations(&[trace(None)]), None);
        let took = |ms| InvestigationMetrics {
            ms,
            run: LayerMetrics { ms: 100, tokens: 3_000, calls: 2 },
            one_by_one_ms: 400,
            failed: usize::from(ms > 1_000),
            actual_usd: 0.01,
            ..InvestigationMetrics::default()
        };
        let figures = investigations(&[trace(Some(took(2_000))), trace(None), trace(Some(took(500)))]).unwrap();
        let expected = InvestigationFigures {
            count: 2,
            p95_ms: 2_000,
            tokens_mean: 3_000,
            usd_mean: 0.01,
            saved_percent: 75,
            failed: 1,
        };
        assert_eq!(figures, expected);
    }
}
