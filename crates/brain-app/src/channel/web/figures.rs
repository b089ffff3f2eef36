//! Figures: what models cost by day, person, stage and model, how long turns took, what became of cards.

use std::collections::BTreeMap;

use brain_core::limits::WEB_ROWS_COUNTED_MAX;
use brain_core::ports::StoreError;
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::DailyUsage;
use brain_engine::queries::figures::ShareOf;
use brain_engine::queries::usage::dollars;
use brain_engine::queries::{View, decisions, figures, turns, usage};
use chrono::{Duration, NaiveDate};
use maud::{Markup, html};

use super::{PageAnswer, PageRequest, plot};
use brain_engine::pipeline::show::overview::{DAYS, TURNS, ms, summed, word};

/// The records of the last days, and the first of these.
async fn used(asked: &PageRequest<'_>, view: &View<'_>) -> Result<(Vec<DailyUsage>, NaiveDate), StoreError> {
    let today = view.now.with_timezone(&asked.context.brain.policy.zone).date_naive();
    let from = today - Duration::days(DAYS - 1);
    Ok((usage::of_everybody(&view.moment, from, WEB_ROWS_COUNTED_MAX).await?, from))
}

pub(super) async fn page(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let (used, from) = used(asked, &view).await?;
    let latest = turns::latest(&view, TURNS).await?;
    let paths = figures::of_paths(&latest);
    let of_turns = figures::of_turns(&view).await?;
    let compressions = figures::of_compressions(&view).await?;
    let counts = decisions::counts(&view, view.now - Duration::days(DAYS), WEB_ROWS_COUNTED_MAX).await?;
    let days = summed(&used, |one| one.day);
    let per_day = |value: fn(&UsageSum) -> f64| -> Vec<(String, f64)> {
        let row = |day: NaiveDate| (day.format("%-d %b").to_string(), days.get(&day).map(value).unwrap_or_default());
        from.iter_days().take(DAYS as usize).map(row).collect()
    };
    let body = html! {
        p.hint { "The last " (DAYS) " days; times of the last " (latest.len()) " turns." }
        h2 { "How long turns took" }
        div.scroll { table {
            thead { tr { th { "Path" } th.number { "Turns" } th.number { "Half within" } th.number { "95 of 100 within" } th.number { "Target" } th.number { "With a fallback" } } }
            tbody { @for path in &paths { tr {
                td { (word(&path.path)) }
                td.number { (path.turns) }
                td.number { (ms(path.median_ms)) }
                td.number { span class=[path.target_ms.is_some_and(|most| path.p95_ms > most).then_some("bad")] { (ms(path.p95_ms)) } }
                td.number { @if let Some(most) = path.target_ms { "< " (ms(most)) } }
                td.number { (path.fell_back) }
            } } }
        } }
        @if !of_turns.fallbacks.is_empty() {
            p { "Stages whose fallback stood in: " (listed(of_turns.fallbacks.iter().map(|(name, count)| format!("{name} {count}×")))) "." }
        }
        (share("Of messages that a model routed, code alone would have said the same of", of_turns.routed_alike))
        h2 { "What became of cards and offers" }
        (cards(&counts))
        (share("Of offers that were pressed, people took", of_turns.offers_taken))
        h2 { "What models took" }
        @if used.is_empty() { p { "No model was called." } }
        @else {
        (plot::bars("Tokens a day, in and out", &per_day(|sum| (sum.usage.tokens_in + sum.usage.tokens_out) as f64), whole))
        (plot::bars("Cost a day", &per_day(|sum| sum.usd), dollars))
        (table("By day", summed(&used, |one| one.day.to_string()).into_iter().rev()))
        (table("By person", summed(&used, |one| one.owner.to_string())))
        (table("By stage", summed(&used, |one| one.stage.to_string())))
        (table("By model", summed(&used, |one| one.model.clone())))
        }
        @if used.len() >= WEB_ROWS_COUNTED_MAX { p.hint { "There is more than this page counts." } }
        @if let Some(saved) = compressions {
            h2 { "Conversations that were shortened" }
            p { (saved.count) " times, saving " (saved.saved_percent) " % of their tokens; " (saved.failed) " failed." }
        }
        @if let Some(investigations) = &of_turns.investigations {
            h2 { "Questions over everything" }
            p { (investigations.count) " of the last turns, 95 of 100 within " (ms(investigations.p95_ms as f64)) ", " (investigations.tokens_mean) " tokens and " (dollars(investigations.usd_mean)) " each; " (investigations.failed) " had a part that failed." }
        }
        @if let Some(saved) = of_turns.repeats {
            p { (saved.count) " questions were answered from what was kept, which saved " (saved.calls_saved) " calls." }
        }
    };
    Ok(PageAnswer::Page("Figures", body))
}

fn share(what: &str, share: ShareOf) -> Markup {
    let ShareOf { part, of } = share;
    html! { @if of > 0 { p { (what) " " (part) " of " (of) " (" (part * 100 / of) " %)." } } }
}

fn cards(counts: &BTreeMap<String, usize>) -> Markup {
    let told = |what: &str| if what == "pending" { "asked".to_owned() } else { what.to_owned() };
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    let (yes, no) = (of("succeeded") + of("failed") + of("unknown"), of("denied"));
    html! {
        @if counts.is_empty() { p { "No card was made." } }
        @else {
            table { tbody { @for (what, count) in counts { tr { th { (told(what)) } td.number { (count) } } } } }
            @if yes + no > 0 { p.hint { "Of those that were decided " (no * 100 / (yes + no)) " % were denied." } }
        }
    }
}

fn table(what: &str, sums: impl IntoIterator<Item = (String, UsageSum)>) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { (what) } th.number { "Calls" } th.number { "Failed" } th.number { "Not made" } th.number { "Tokens in" } th.number { "of these kept" } th.number { "Tokens out" } th.number { "Cost" } th.number { "Time" } } }
            tbody { @for (name, sum) in sums { tr {
                td { (name) }
                td.number { (sum.usage.calls) }
                td.number { (sum.failed) }
                td.number { (sum.refused) }
                td.number { (sum.usage.tokens_in) }
                td.number { (sum.usage.tokens_cached) }
                td.number { (sum.usage.tokens_out) }
                td.number { (dollars(sum.usd)) @if sum.unpriced > 0 { " and " (sum.unpriced) " of unknown price" } }
                td.number { (ms(sum.ms as f64)) }
            } } }
        } }
    }
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

fn listed(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// The records themselves, for programs.
pub(super) async fn data(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let (used, _) = used(asked, &view).await?;
    Ok(PageAnswer::data(&used))
}
