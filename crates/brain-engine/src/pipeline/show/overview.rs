//! What an operator looks at without deciding anything, in lines: how turns went, figures, and who is served. For
//! `brain-agent turns`, `stats` and `users`, and, short, for an admin's chat; the page shows the same queries in its own
//! form. A line holds no words of anybody.

use std::collections::BTreeMap;

use chrono::Duration;
use serde::Serialize;
use serde_json::{Value, json};

use crate::pipeline::brain::Brain;
use crate::queries::people::ServedPerson;
use crate::queries::usage::dollars;
use crate::queries::{View, decisions, figures, pending, people, turns, usage};
use brain_core::core::outcome::Report;
use brain_core::core::span::ago;
use brain_core::core::turn::Done;
use brain_core::limits::WEB_ROWS_COUNTED_MAX;
use brain_core::ports::StoreError;
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::{DailyUsage, TurnTrace};

/// Days that figures look back at.
pub const DAYS: i64 = 30;
/// Turns whose times are told.
pub const TURNS: usize = 1_000;

/// What was looked at.
#[derive(Debug)]
pub struct Overview {
    /// The records, as `--json` prints them.
    pub records: Vec<Value>,
    /// The same in lines.
    pub text: String,
}

/// A command, for people.
fn named(service: &str, command: &str) -> String {
    format!("{service}: {}", command.replace('_', " "))
}

/// What a turn came to, in a few words.
pub fn outcome(done: &Done) -> String {
    let told = |report: &Report| format!("{} ({})", named(&report.service, &report.command), word(&report.status));
    let fell_back = done.fallbacks.iter().map(|stage| format!("{stage} fell back"));
    done.outcomes.iter().map(told).chain(fell_back).collect::<Vec<_>>().join(", ")
}

/// A value whose record is a word, as that word.
pub fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map(str::to_owned).unwrap_or_default()
}

/// Milliseconds, as exact as they are worth telling.
pub fn ms(ms: f64) -> String {
    if ms < 1_000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1_000.0) }
}

/// Sums of usage under the names that `of` gives.
pub fn summed<K: Ord>(used: &[DailyUsage], of: impl Fn(&DailyUsage) -> K) -> BTreeMap<K, UsageSum> {
    let mut sums: BTreeMap<K, UsageSum> = BTreeMap::new();
    for one in used {
        *sums.entry(of(one)).or_default() += one.sum;
    }
    sums
}

/// The last turns, a line each.
pub async fn of_turns(view: &View<'_>, limit: usize) -> Result<Overview, StoreError> {
    let latest = turns::latest(view, limit).await?;
    let line = |trace: &TurnTrace| {
        let TurnTrace { at, user, done, .. } = trace;
        let (at, tokens) = (at.format("%Y-%m-%d %H:%M:%S UTC"), done.tokens_in + done.tokens_out);
        let (path, took, what) = (word(&done.path), ms(done.ms), outcome(done));
        format!("{at}  {user}  {path}  {took}  {} calls, {tokens} tokens  {what}", done.llm_calls).trim_end().to_owned()
    };
    let text = match latest.as_slice() {
        [] => "No turn is kept here.".to_owned(),
        latest => latest.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    Ok(Overview { records: latest.iter().map(|trace| json!(trace)).collect(), text })
}

/// How fast turns were, what became of cards, and what models cost.
pub async fn of_figures(brain: &Brain, view: &View<'_>) -> Result<Overview, StoreError> {
    let today = view.now.with_timezone(&brain.policy.zone).date_naive();
    let from = today - Duration::days(DAYS - 1);
    let used = usage::of_everybody(&view.moment, from, WEB_ROWS_COUNTED_MAX).await?;
    let paths = figures::of_paths(&turns::latest(view, TURNS).await?);
    let cards = decisions::counts(view, view.now - Duration::days(DAYS), WEB_ROWS_COUNTED_MAX).await?;
    let mut lines = vec![format!("The last {DAYS} days; times of the last {TURNS} turns.")];
    for path in &paths {
        let target = path.target_ms.map(|most| format!(", promised within {}", ms(most))).unwrap_or_default();
        let (name, half, most) = (word(&path.path), ms(path.median_ms), ms(path.p95_ms));
        lines.push(format!("{name}: {} turns, half within {half}, 95 of 100 within {most}{target}", path.turns));
    }
    let told: Vec<String> = cards.iter().map(|(what, count)| format!("{count} {what}")).collect();
    lines.extend((!told.is_empty()).then(|| format!("cards: {}", told.join(", "))));
    for (model, sum) in summed(&used, |one| one.model.clone()) {
        lines.push(format!("{model}: {}", in_words(&sum)));
    }
    let days = summed(&used, |one| one.day);
    lines.extend(days.get(&today).map(|sum| format!("today: {}", in_words(sum))));
    let paths: Vec<_> = paths
        .iter()
        .map(|path| json!({"path": path.path, "turns": path.turns, "median_ms": path.median_ms, "p95_ms": path.p95_ms, "target_ms": path.target_ms}))
        .collect();
    let record = json!({"paths": paths, "cards": cards, "usage": used});
    Ok(Overview { records: vec![record], text: lines.join("\n") })
}

fn in_words(sum: &UsageSum) -> String {
    let failed = if sum.failed > 0 { format!(" ({} failed)", sum.failed) } else { String::new() };
    let unpriced = if sum.unpriced > 0 { " and what has no known price" } else { "" };
    let (sent, received) = (sum.usage.tokens_in, sum.usage.tokens_out);
    format!("{} calls{failed}, {sent} tokens in, {received} out, {}{unpriced}", sum.usage.calls, dollars(sum.usd))
}

/// Who is served, a line each.
pub async fn of_people(brain: &Brain, view: &View<'_>) -> Result<Overview, StoreError> {
    let people = people::served(view, &brain.policy.admins, WEB_ROWS_COUNTED_MAX).await?;
    let today = view.now.with_timezone(&brain.policy.zone).date_naive();
    let spent = summed(&usage::of_everybody(&view.moment, today, WEB_ROWS_COUNTED_MAX).await?, |one| one.owner.clone());
    let (mut lines, mut records) = (Vec::new(), Vec::new());
    for (id, person) in &people {
        let sum = spent.get(id).copied().unwrap_or_default();
        let zone = person.zone.map_or("no zone chosen", |zone| zone.name());
        let admin = if person.admin { "  admin" } else { "" };
        let since = person.since.map(|since| since.format("  since %Y-%m-%d").to_string()).unwrap_or_default();
        lines.push(format!("{id}{since}  {zone}{admin}  today: {}", in_words(&sum)));
        let ServedPerson { since, zone, language, admin, last_turn } = person;
        records.push(
            json!({"id": id, "since": since, "zone": zone, "language": language, "admin": admin, "last_turn": last_turn, "today": sum}),
        );
    }
    let text = if lines.is_empty() { "Nobody is served yet.".to_owned() } else { lines.join("\n") };
    Ok(Overview { records, text })
}

/// The cards of everybody that wait, oldest first in each chat, at most so many: whose each is, and what it would do.
pub async fn of_cards(view: &View<'_>, limit: usize) -> Result<String, StoreError> {
    let page = pending::open_page(view, None, None, limit).await?;
    let mut lines = Vec::new();
    for entry in &page.entries {
        let Some((card, _)) = pending::readable(&view.moment, &entry.id).await? else { continue };
        let does: Vec<String> = card.actions.iter().map(|action| named(&action.service, &action.command)).collect();
        lines.push(format!("{}  {}  {}  {}", card.id, card.owner, ago(view.now, card.created_at), does.join(", ")));
    }
    if page.next.is_some() {
        lines.push(format!("{} more", pending::open_behind(view, None, page.next).await?));
    }
    Ok(if lines.is_empty() { "Nothing is pending.".to_owned() } else { lines.join("\n") })
}
