//! `/status`: what runs, whether the model answers, what waits, what comes next; counts and failing stages for
//! admins. Read from the traces of past turns: asking costs no model call.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};

use crate::core::metrics::InvestigationMetrics;
use crate::core::text::{shorten, visible};
use crate::language::time;
use crate::language::time::Grain;
use crate::limits::{self, ASIDE_LISTED_MAX, MODEL_SLOW_MS};
use crate::pipeline::brain::Brain;
use crate::pipeline::consent::waiting::StillWaiting;
use crate::pipeline::turn::TurnFacts;
use crate::ports::records::{Aside, DUE_BY_OWNER, Due, DueKind, InboxEntry, PendingOpen, StageSpan, TurnTrace};
use crate::ports::{RecordExt, Scan, Stage, StoreError};

/// Entries that are looked through for the first reminder: what else falls due of a person is cards, and a briefing.
const DUE_LOOKED_THROUGH: usize = limits::PENDING_OPEN_MAX + 8;

/// How the trace of a call that gave no answer begins.
const FAILED: &str = "failed: ";

/// Turns that are looked back at.
const TRACES: usize = 300;

pub(super) async fn status(brain: &Brain, facts: &TurnFacts) -> Result<String, StoreError> {
    let traces = brain.store.list::<TurnTrace>(Scan::of::<TurnTrace>(&[], TRACES).newest_first()).await?;
    let traces: Vec<TurnTrace> = traces.into_iter().map(|(trace, _)| trace).collect();
    let mut lines = vec![
        format!("✅ Brain Agent {} is running, for {}.", env!("CARGO_PKG_VERSION"), span(facts.ctx.now - brain.since)),
        format!("🧠 Model: {}", model(brain, facts, &traces)),
        match StillWaiting::of(brain, facts).await?.len() {
            0 => "✋ Nothing waits for your yes or no.".to_owned(),
            1 => "✋ 1 thing waits for your yes or no (/pending).".to_owned(),
            many => format!("✋ {many} things wait for your yes or no (/pending)."),
        },
        format!("⏰ Next reminder: {}", next_reminder(brain, facts).await?),
    ];
    if facts.user.admin || brain.policy.admins.contains(facts.owner()) {
        lines.push(String::new());
        lines.extend(for_admins(brain, facts, &traces).await?);
    }
    Ok(lines.join("\n"))
}

/// How its last call went.
fn model(brain: &Brain, facts: &TurnFacts, traces: &[TurnTrace]) -> String {
    if brain.model.is_none() {
        return "none is set up; my built-in understanding does everything.".to_owned();
    }
    let last = traces.iter().find_map(|trace| Some((trace.at, trace.spans.iter().rev().find(|span| is_call(span))?)));
    let Some((at, span)) = last else { return "set up, and not asked yet.".to_owned() };
    let when = ago(facts.ctx.now, at);
    if span.outcome == "ok" {
        let took = Duration::microseconds(i64::try_from(span.us).unwrap_or(i64::MAX));
        return if took < Duration::milliseconds(MODEL_SLOW_MS as i64) {
            format!("answered {when}.")
        } else {
            let secs = took.num_seconds();
            format!("answered {when}, but took {secs} s. What I am sure of I do without it meanwhile.")
        };
    }
    let why = span.outcome.strip_prefix(FAILED).unwrap_or("what it answered was not what I asked for");
    format!("no answer {when}: {}. My built-in understanding stands in.", visible(&shorten(why, 200)))
}

/// Whether a model was asked, rather than code: that says what it did in other words.
fn is_call(span: &StageSpan) -> bool {
    let is_stage = Stage::ALL.iter().any(|stage| stage.name() == span.name);
    is_stage && (matches!(span.outcome.as_str(), "ok" | "unusable") || span.outcome.starts_with(FAILED))
}

/// The next time of this person's in the due-index, and what it is about.
async fn next_reminder(brain: &Brain, facts: &TurnFacts) -> Result<String, StoreError> {
    let mine = Scan::by(&DUE_BY_OWNER, &[facts.owner().as_str()], DUE_LOOKED_THROUGH);
    let due = brain.store.list::<Due>(mine).await?.into_iter().map(|(due, _)| due);
    let Some(due) = due.into_iter().find(|due| matches!(due.kind, DueKind::Item { .. })) else {
        return Ok("none is set.".to_owned());
    };
    let at = time::describe(due.at.with_timezone(&facts.ctx.zone), Grain::Minute, &facts.ctx.reference());
    let DueKind::Item { service, item } = &due.kind else {
        return Ok(format!("{at}."));
    };
    let services = brain.services.now();
    let title = match services.find(service).and_then(|service| service.service.reminders()) {
        Some(reminders) => reminders.reminded(&facts.ctx, item).await.ok().flatten().map(|reminded| reminded.title),
        None => None,
    };
    Ok(title.map_or_else(|| format!("{at}."), |title| format!("{at} — {}", visible(&shorten(&title, 120)))))
}

async fn for_admins(brain: &Brain, facts: &TurnFacts, traces: &[TurnTrace]) -> Result<Vec<String>, StoreError> {
    let week_ago = facts.ctx.now - Duration::days(7);
    let people: BTreeSet<&str> = traces.iter().filter(|t| t.at > week_ago).map(|t| t.user.as_str()).collect();
    let open = brain.store.count(Scan::of::<PendingOpen>(&[], usize::MAX)).await?;
    let mut failing: BTreeMap<&str, usize> = BTreeMap::new();
    for stage in traces.iter().flat_map(|trace| &trace.done.fallbacks) {
        *failing.entry(stage.as_str()).or_default() += 1;
    }
    let failing: Vec<String> = failing.iter().map(|(stage, times)| format!("{stage} ×{times}")).collect();
    let failing = if failing.is_empty() { "none".to_owned() } else { failing.join(", ") };
    let inbox = brain.store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[], usize::MAX)).await?;
    let aside = inbox.iter().filter(|(entry, _)| entry.done && entry.resumptions > 0).count();
    let mut lines = vec![
        "For admins".to_owned(),
        format!("👥 People in the last {} turns of this week: {}", traces.len(), people.len()),
        format!("🗂 Open cards of everybody: {open}"),
        format!("🩺 Stages that fell back in those turns: {failing}"),
    ];
    lines.extend(investigations(traces));
    let unreadable = brain.store.list::<Aside>(Scan::of::<Aside>(&[], ASIDE_LISTED_MAX)).await?;
    if !unreadable.is_empty() {
        let tables: BTreeSet<&str> = unreadable.iter().map(|(record, _)| record.table.as_str()).collect();
        let tables = tables.into_iter().collect::<Vec<_>>().join(", ");
        lines.push(format!("⚠️ Records that could not be read and were set aside: {} ({tables})", unreadable.len()));
    }
    if aside > 0 {
        lines
            .push(format!("⚠️ Messages set aside, because I ended each time they were handled (see the log): {aside}"));
    }
    Ok(lines)
}

/// What questions over everything took, if there were any.
fn investigations(traces: &[TurnTrace]) -> Option<String> {
    let all: Vec<InvestigationMetrics> = traces.iter().filter_map(|trace| trace.investigation).collect();
    let many = all.len();
    let mut ms: Vec<u64> = all.iter().map(|one| one.ms).collect();
    ms.sort_unstable();
    // The least time within which 95 of 100 were answered.
    let p95 = ms.get((many * 95).div_ceil(100).checked_sub(1)?)?;
    let tokens = all.iter().map(InvestigationMetrics::tokens).sum::<u64>() / many as u64;
    let usd = all.iter().map(|one| one.actual_usd).sum::<f64>() / many as f64;
    let failed = all.iter().filter(|one| one.failed > 0).count();
    let run: u64 = all.iter().map(|one| one.run.ms).sum();
    let one_by_one: u64 = all.iter().map(|one| one.one_by_one_ms).sum();
    let side_by_side = (one_by_one.saturating_sub(run) * 100).checked_div(one_by_one).unwrap_or(0);
    Some(format!(
        "🔎 Questions over everything in those turns: {many}; 95 % within {p95} ms; on average {tokens} tokens, \
         ${usd:.4}; {side_by_side} % saved side by side; {failed} with a part that failed"
    ))
}

fn ago(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let past = now - at;
    if past < Duration::minutes(1) { "just now".to_owned() } else { format!("{} ago", span(past)) }
}

/// "2 days 3 h", "3 h 5 min", "5 min", "less than a minute".
fn span(length: Duration) -> String {
    let (days, hours, minutes) = (length.num_days(), length.num_hours() % 24, length.num_minutes() % 60);
    match (days, hours, minutes) {
        (..=0, ..=0, ..=0) => "less than a minute".to_owned(),
        (..=0, ..=0, minutes) => format!("{minutes} min"),
        (..=0, hours, minutes) => format!("{hours} h {minutes} min"),
        (1, hours, _) => format!("1 day {hours} h"),
        (days, hours, _) => format!("{days} days {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{ChatId, UserId};
    use crate::core::metrics::LayerMetrics;
    use crate::core::turn::{Done, Path};

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
        let traces = [trace(Some(took(2_000))), trace(None), trace(Some(took(500)))];
        let told = investigations(&traces).unwrap();
        for said in ["turns: 2;", "within 2000 ms", "3000 tokens, $0.0100", "75 % saved", "1 with a part"] {
            assert!(told.contains(said), "{told}");
        }
    }
}
