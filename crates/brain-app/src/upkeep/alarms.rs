//! What whoever runs this should know without asking: a stage whose model fails again and again, an action of which nobody
//! knows whether it happened, a server that is gone, a budget that is used up, a disk that is nearly full.
//!
//! Invariants: each is told once, over restarts as well, and once more only after it was over in between; counts, names
//! and what to do, no word of anybody's. Where nobody is known to run this nothing is told; the page and `doctor` say the
//! same. Accounts that wait for being reconnected are told to whose they are (`disconnected`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use rustix::fs::statvfs;
use tokio::time::sleep;

use super::aside;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::{
    ALARMS_EVERY_SECS, DISK_BYTES_LOW, MCP_WHY_CHARS_MAX, STAGE_FAILURES_MAX, WEB_ROWS_COUNTED_MAX,
};
use brain_core::ports::records::{ChatState, SpanOutcome, TurnTrace};
use brain_core::ports::{Key, RecordExt as _, Stage, StoreError};
use brain_engine::pipeline::brain::Brain;
use brain_engine::queries::{View, decisions, turns, usage};
use brain_services::services::mcp::ServerState;

/// Turns that are looked through for failures in a row.
const TURNS: usize = 200;
/// What their ids begin with, beside those of accounts.
const PREFIX: &str = "alarm:";

/// What is wrong, by id, in words for whoever runs this.
type Alarms = BTreeMap<String, String>;

/// Looks again and again. Ends when dropped.
pub(super) async fn keep_told(brain: &Brain, data_dir: &Path) {
    loop {
        sleep(Duration::from_secs(ALARMS_EVERY_SECS)).await;
        let free = statvfs(data_dir).ok().map(|about| about.f_bavail.saturating_mul(about.f_frsize));
        if let Err(error) = look(brain, free).await {
            tracing::warn!(%error, "what is wrong is not told yet");
        }
    }
}

/// One look: what is new is told to whoever runs this, what is over may be told again. `free`: bytes of the disk.
pub async fn look(brain: &Brain, free: Option<u64>) -> Result<(), StoreError> {
    let there = found(brain, &brain.view().await?, free).await?;
    for chat in aside::operators(brain, &aside::chats(brain).await?).await? {
        let state = brain.store.load::<ChatState>(&Key::of(&[chat.as_str()])).await?;
        let told = state.map(|(state, _)| state.told_disconnected).unwrap_or_default();
        let is_over = |id: &String| id.starts_with(PREFIX) && !there.contains_key(id);
        let over: BTreeSet<String> = told.into_iter().filter(is_over).collect();
        if brain.commit_disconnected(&chat, &there, &over).await? {
            brain.deliver(&chat).await;
        }
    }
    Ok(())
}

async fn found(brain: &Brain, view: &View<'_>, free: Option<u64>) -> Result<Alarms, StoreError> {
    let mut alarms = Alarms::new();
    let mut add = |id: String, words: String| alarms.insert(format!("{PREFIX}{id}"), words);
    if let Some(free) = free.filter(|free| *free < DISK_BYTES_LOW) {
        let mb = free / 1_000_000;
        add(
            "disk".to_owned(),
            format!(
                "💽 Only {mb} MB are free where everything is kept. Free some space: when it is full, nothing more can be kept."
            ),
        );
    }
    for (stage, why) in failing(&turns::latest(view, TURNS).await?) {
        let why = visible(&shorten(&why, MCP_WHY_CHARS_MAX));
        add(
            format!("stage:{stage}"),
            format!(
                "🧠 The language model has failed {STAGE_FAILURES_MAX} times in a row at “{stage}”: {why}. Meanwhile built-in understanding stands in. “brain-agent doctor” tries the endpoint and says what to do."
            ),
        );
    }
    for server in brain.servers.standing() {
        if let ServerState::Down(why) = &server.state {
            let why = visible(&shorten(&why.to_string(), MCP_WHY_CHARS_MAX));
            add(
                format!("server:{}", server.name),
                format!(
                    "🧰 The server “{}” is not there: {why}. “brain-agent mcp tools {}” tries it.",
                    server.name, server.name
                ),
            );
        }
    }
    let today = view.now.with_timezone(&view.zone).date_naive();
    for used in usage::of_everybody(&view.moment, today, WEB_ROWS_COUNTED_MAX).await? {
        if used.sum.refused > 0 {
            let owner = used.owner;
            add(
                format!("budget:{owner}"),
                format!(
                    "💶 What the language model may cost is used up for {owner}: calls are no longer made. BRAIN_DAILY_BUDGET_USD and BRAIN_MONTHLY_BUDGET_USD set how much that is; /status shows what was used."
                ),
            );
        }
    }
    let day = view.now - chrono::Duration::days(1);
    if decisions::counts(view, day, WEB_ROWS_COUNTED_MAX).await?.contains_key("unknown") {
        add("unknown".to_owned(), "❓ Of an action that was agreed to nobody knows whether it happened. Whoever it belongs to was told; “brain-agent turns” and the page show it. It is looked for again, and nothing is done twice.".to_owned());
    }
    Ok(alarms)
}

/// The stages whose model has failed at each of its last calls, and why the last one did; newest turns first.
fn failing(traces: &[TurnTrace]) -> BTreeMap<&'static str, String> {
    let mut failing = BTreeMap::new();
    for stage in Stage::ALL {
        let spans = traces.iter().flat_map(|trace| trace.spans.iter().rev()).filter(|span| span.name == stage.name());
        // What was not asked of a model says nothing of it.
        let asked = spans.filter(|span| span.tokens.1 > 0 || matches!(span.outcome, SpanOutcome::Failed(_)));
        let last: Vec<_> = asked.take(STAGE_FAILURES_MAX).map(|span| &span.outcome).collect();
        let all_failed = last.iter().all(|outcome| matches!(outcome, SpanOutcome::Failed(_)));
        if let (true, STAGE_FAILURES_MAX, Some(SpanOutcome::Failed(why))) = (all_failed, last.len(), last.first()) {
            failing.insert(stage.name(), why.clone());
        }
    }
    failing
}

#[cfg(test)]
mod tests {
    use brain_core::core::ids::{ChatId, UserId};
    use brain_core::core::turn::{Done, Path as TurnPath};
    use brain_core::ports::records::StageSpan;

    use super::*;

    fn turn(outcome: &str, tokens: u64) -> TurnTrace {
        let span = StageSpan {
            name: "plan".to_owned(),
            start_us: 0,
            us: 1,
            input_bytes: 0,
            tokens: (tokens, tokens),
            tokens_cached: 0,
            outcome: outcome.into(),
            gives: String::new(),
        };
        TurnTrace {
            id: String::new(),
            user: UserId::new("me"),
            chat: ChatId::new("console:me"),
            at: chrono::DateTime::UNIX_EPOCH,
            done: Done::quiet(TurnPath::Action),
            spans: vec![span],
            investigation: None,
        }
    }

    #[test]
    fn a_stage_fails_when_each_of_its_last_calls_did() {
        let failed = || turn("failed: nobody answers", 0);
        let all: Vec<TurnTrace> = (0..STAGE_FAILURES_MAX).map(|_| failed()).collect();
        assert_eq!(failing(&all).get("plan").map(String::as_str), Some("nobody answers"));
        assert_eq!(failing(&all[1..]), BTreeMap::new(), "too few to tell");
        let beside: Vec<TurnTrace> = [turn("built in", 0)].into_iter().chain(all.clone()).collect();
        assert_eq!(failing(&beside).len(), 1, "what asked no model says nothing");
        let mended: Vec<TurnTrace> = [turn("ok", 5)].into_iter().chain(all).collect();
        assert_eq!(failing(&mended), BTreeMap::new());
    }
}
