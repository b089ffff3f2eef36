//! The shadow, for whoever runs this: how its turns compare with those that counted, and turns taken again.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::Response;
use brain_core::core::text::{one_line, shorten};
use brain_core::ports::StoreError;
use brain_core::ports::records::{GatedAction, PlannedTurn, TurnContents};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::show::overview::{ms, word};
use brain_engine::queries::View;
use brain_engine::queries::shadow::{DifferingTurn, ShadowCost, ShadowReport, kept_turns, report as compare};
use brain_engine::queries::usage::dollars;

/// Of each message, and each value, that is repeated.
const CHARS_MAX: usize = 80;
/// Turns that differ, in words; `--json` has all of them.
const DIFFERING_MAX: usize = 20;
/// Said where there is none.
const NO_SHADOW: &str = "No shadow is set: BRAIN_SHADOW names a file with what is to be tried, such as LLM_MODEL.";
/// Said where there is one that has taken nothing.
const NOTHING_YET: &str =
    "No turn has been taken twice yet: a shadow takes those whose contents are kept (/trace keep).";

pub(super) async fn report(view: &View<'_>, limit: usize, is_set: bool) -> Result<Response, StoreError> {
    let report = compare(kept_turns(view, limit, |contents| contents.shadow.is_some()).await?);
    let none = if is_set { NOTHING_YET } else { NO_SHADOW };
    let text = if report.turns == 0 { none.to_owned() } else { in_words(&report) };
    Ok(Response { ok: true, text, records: vec![json!(report)] })
}

/// The kept turn that is to be taken again next.
pub(super) async fn next(
    view: &View<'_>,
    limit: usize,
    until: DateTime<Utc>,
    taken: usize,
) -> Result<Option<TurnContents>, StoreError> {
    // What an answer to a question or a card was, nobody routed.
    let may_be_taken = |contents: &TurnContents| {
        contents.at < until && !contents.message.is_empty() && !contents.planned.route.is_empty()
    };
    let kept = kept_turns(view, limit, may_be_taken).await?;
    Ok(kept.into_iter().nth(taken))
}

pub(super) async fn replay(brain: &Brain, next: Option<TurnContents>, taken: usize) -> Result<Response, StoreError> {
    let Some(shadow) = &brain.shadow else { return Ok(Response::refused(NO_SHADOW)) };
    let Some(kept) = next else {
        let text = "No turn's contents are kept that could be taken again (BRAIN_KEEP_CONTENTS).".to_owned();
        return Ok(Response { ok: true, records: Vec::new(), text });
    };
    let number = taken + 1;
    let line = |came: &str| format!("{number}. {}: {came}", of_turn(kept.at, kept.owner.as_str(), &kept.message));
    let Some(replayed) = shadow.replay(&kept).await? else {
        let text = line("not taken, as it is not kept whole");
        return Ok(Response { ok: true, records: vec![json!({"id": kept.id, "taken": false})], text });
    };
    let came = match &replayed.failed {
        Some(why) => format!("came to nothing ({why})"),
        None => {
            let both = TurnContents { shadow: Some(Box::new(replayed.clone())), ..kept.clone() };
            match compare(vec![both]).differing.first() {
                Some(differing) => format!("another {}", parts(differing)),
                None => "the same".to_owned(),
            }
        }
    };
    let record = json!({"id": kept.id, "taken": true, "shadow": replayed});
    Ok(Response { ok: true, records: vec![record], text: line(&came) })
}

fn of_turn(at: DateTime<Utc>, owner: &str, message: &str) -> String {
    format!("{}  {owner}  “{}”", at.format("%Y-%m-%d %H:%M:%S UTC"), shorten(&one_line(message), CHARS_MAX))
}

fn parts(differing: &DifferingTurn) -> String {
    differing.parts.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn in_words(report: &ShadowReport) -> String {
    let ShadowReport { turns, replayed, failed, same, parts, counted, shadow, differing } = report;
    let compared = turns - failed.values().sum::<usize>();
    let mut lines = vec![format!("{turns} turns were taken twice, {replayed} of them long afterwards.")];
    lines.extend(failed.iter().map(|(why, times)| format!("{times} came to nothing: {why}")));
    lines.push(format!("The same in all that can be compared: {same} of {compared}."));
    lines.extend(
        parts.iter().map(|(part, agreement)| format!("{}: {} of {}", word(part), agreement.same, agreement.of)),
    );
    lines.push(format!("What counted: {}", cost(counted)));
    lines.push(format!("The shadow:   {}", cost(shadow)));
    if !differing.is_empty() {
        lines.push("\nThose that differ, newest first:".to_owned());
    }
    lines.extend(differing.iter().take(DIFFERING_MAX).map(pair));
    let more = differing.len().saturating_sub(DIFFERING_MAX);
    lines.extend((more > 0).then(|| format!("{more} more; --json has all of them.")));
    lines.join("\n")
}

fn cost(cost: &ShadowCost) -> String {
    let ShadowCost { median_ms, p95_ms, usage, usd, unpriced } = cost;
    let unpriced = if *unpriced > 0 { " and what has no known price" } else { "" };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a turn")]
    let (median, p95) = (ms(*median_ms as f64), ms(*p95_ms as f64));
    format!(
        "half within {median}, 95 of 100 within {p95}, {} calls, {} tokens in, {} out, {}{unpriced}",
        usage.calls,
        usage.tokens_in,
        usage.tokens_out,
        dollars(*usd)
    )
}

fn pair(differing: &DifferingTurn) -> String {
    let DifferingTurn { owner, at, message, counted, shadow, values, .. } = differing;
    let mut lines = vec![format!("{}\n  differs in: {}", of_turn(*at, owner.as_str(), message), parts(differing))];
    lines.push(format!("  counted: {}", planned(counted)));
    lines.push(format!("  shadow:  {}", planned(shadow)));
    let value = |value: &serde_json::Value| shorten(&one_line(&value.to_string()), CHARS_MAX);
    lines.extend(values.iter().map(|(name, here, there)| format!("  {name}: {} / {}", value(here), value(there))));
    lines.join("\n")
}

fn planned(planned: &PlannedTurn) -> String {
    let PlannedTurn { route, asks, .. } = planned;
    let verdict = |action: &&GatedAction| format!("{} ({})", action.name, word(&action.verdict));
    let actions: Vec<String> = planned.decisive().iter().map(verdict).collect();
    let asked = asks.iter().map(|question| format!("asks “{}”", shorten(&one_line(question), CHARS_MAX)));
    let route = if route.is_empty() { "not routed" } else { route };
    [route.to_owned()].into_iter().chain(actions).chain(asked).collect::<Vec<_>>().join(" · ")
}
