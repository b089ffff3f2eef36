//! `/status`: what runs, whether the model answers, what waits, what comes next; counts and failing stages for
//! admins. What it tells is counted in `queries::figures`: asking costs no model call.

use std::collections::BTreeSet;

use chrono::Duration;

use crate::metering::{Budgets, NEARLY};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::waiting::StillWaiting;
use crate::pipeline::show::changed_tools::told_of_change;
use crate::pipeline::show::{counted, overview};
use crate::pipeline::turn::TurnFacts;
use crate::queries::figures::{
    self, CallOutcome, CompressionFigures, InvestigationFigures, ModelCall, SavedFigures, SetReminder, TurnFigures,
};
use crate::queries::usage;
use brain_core::core::span::{ago, span};
use brain_core::core::text::{capital, shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits::{LIST_ROWS_MAX, MCP_CHANGES_SHOWN_MAX, MCP_WHY_CHARS_MAX, MODEL_SLOW_MS};
use brain_core::ports::StoreError;
use brain_core::ports::metering::UsageSum;
use brain_language::language::time;
use brain_language::language::time::Grain;
use brain_services::services::mcp::{ServerStanding, ServerState, asking_in_words, service_name};
use brain_wire::accounts::{AccountPerson, ListedAccount};

/// What more there is for whoever runs this.
const SHOWN_TO_ADMINS: &str = "More of everybody: /status turns, /status figures, /status people, /status cards.";

/// The answer; below it each tool that has changed and waits for whoever asks, with its button. `what` an admin wants to
/// see of everybody, if anything.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts, what: &str) -> Result<Answer, StoreError> {
    if !what.is_empty() && facts.runs_this(&brain.policy) {
        return Ok(Answer::says(Path::Command, of_everybody(brain, what).await?));
    }
    let mut answer = Answer::says(Path::Command, status(brain, facts).await?);
    if facts.runs_this(&brain.policy) {
        let changed = brain.servers.changed(brain.store.as_ref()).await?;
        answer.replies.extend(changed.iter().take(MCP_CHANGES_SHOWN_MAX).map(told_of_change));
    }
    Ok(answer)
}

/// What the command line and the page show at length.
async fn of_everybody(brain: &Brain, what: &str) -> Result<String, StoreError> {
    let view = brain.view().await?;
    Ok(match what.to_ascii_lowercase().as_str() {
        "turns" => overview::of_turns(&view, LIST_ROWS_MAX).await?.text,
        "figures" => overview::of_figures(brain, &view).await?.text,
        "people" => overview::of_people(brain, &view).await?.text,
        "cards" => overview::of_cards(&view, LIST_ROWS_MAX).await?,
        _ => SHOWN_TO_ADMINS.to_owned(),
    })
}

async fn status(brain: &Brain, facts: &TurnFacts) -> Result<String, StoreError> {
    let of_turns = figures::of_turns(&brain.view().await?).await?;
    let next = figures::next_reminder(&brain.live_view(), &facts.ctx).await?;
    let mut lines = vec![
        format!("✅ Brain Agent {} is running, for {}.", env!("CARGO_PKG_VERSION"), span(facts.ctx.now - brain.since)),
        format!("🧠 Model: {}", model(brain, facts, of_turns.last_call.as_ref())),
        match StillWaiting::of(brain, facts).await?.len() {
            0 => "✋ Nothing waits for your yes or no.".to_owned(),
            1 => "✋ 1 thing waits for your yes or no (/pending).".to_owned(),
            many => format!("✋ {many} things wait for your yes or no (/pending)."),
        },
        format!("⏰ Next reminder: {}", next.map_or_else(|| "none is set.".to_owned(), |next| reminder(facts, next))),
    ];
    if brain.model.is_some() {
        lines.insert(2, spent(brain, facts).await?);
    }
    lines.extend(accounts(brain, facts));
    if facts.user.admin || brain.policy.admins.contains(facts.owner()) {
        lines.push(String::new());
        lines.extend(for_admins(brain, &of_turns).await?);
        lines.extend(accounts_of_others(brain, facts));
    }
    if facts.runs_this(&brain.policy) {
        lines.extend(servers(brain));
    }
    Ok(lines.join("\n"))
}

/// How the person's own accounts are, a line each.
fn accounts(brain: &Brain, facts: &TurnFacts) -> Vec<String> {
    let line = |account: &ListedAccount| {
        let state = brain.accounts.state_in_words(account, facts.ctx.now, facts.ctx.zone);
        format!("📫 {}: {state}", account.shown())
    };
    listed(brain.accounts_of(facts.owner()).map(line).collect(), "accounts")
}

/// How those of everybody else are: whose, and what it is called, without an address.
fn accounts_of_others(brain: &Brain, facts: &TurnFacts) -> Vec<String> {
    let own: Vec<&ListedAccount> = brain.accounts_of(facts.owner()).collect();
    let line = |account: &ListedAccount| {
        let whose = match &account.person {
            AccountPerson::First => "the first admin",
            AccountPerson::Id(id) => id,
        };
        let state = brain.accounts.state_in_words(account, facts.ctx.now, facts.ctx.zone);
        format!("📫 {}, {}: {state}", visible(whose), visible(&shorten(&account.name, 60)))
    };
    listed(brain.accounts.listed.iter().filter(|account| !own.contains(account)).map(line).collect(), "accounts")
}

fn listed(mut lines: Vec<String>, what: &str) -> Vec<String> {
    let more = lines.len().saturating_sub(LIST_ROWS_MAX);
    lines.truncate(LIST_ROWS_MAX);
    lines.extend((more > 0).then(|| format!("… and {more} more {what}")));
    lines
}

/// How the servers are that bring tools, a line each.
fn servers(brain: &Brain) -> Vec<String> {
    let standing = brain.servers.standing();
    let line = |server: &ServerStanding| {
        let name = capital(&server.name);
        let state = match &server.state {
            ServerState::Starting => "starting".to_owned(),
            ServerState::Up => {
                let tools =
                    brain.services.now().find(&service_name(&server.name)).map_or(0, |of| of.commands().count());
                counted("tools", tools)
            }
            ServerState::Down(why) => format!("not there: {}", visible(&shorten(&why.to_string(), MCP_WHY_CHARS_MAX))),
        };
        let waits = match server.withheld.len() {
            0 => String::new(),
            many => format!(", {many} changed and not used until you take the new definition"),
        };
        let left_out = match server.left_out.len() {
            0 => String::new(),
            many => format!(", {many} cannot be used (brain-agent mcp tools {})", server.name),
        };
        let asks = asking_in_words(&server.asks).map(|words| format!(", {words}")).unwrap_or_default();
        format!("🧰 {name}: {state}{waits}{left_out}{asks}")
    };
    listed(standing.iter().map(line).collect(), "servers")
}

/// What the person's calls of it cost today, and what they may.
async fn spent(brain: &Brain, facts: &TurnFacts) -> Result<String, StoreError> {
    let day = facts.ctx.now.with_timezone(&facts.ctx.zone).date_naive();
    let used = usage::of_month(brain.store.as_ref(), facts.owner(), day).await?;
    let mut today = UsageSum::default();
    used.iter().filter(|used| used.day == day).for_each(|used| today += used.sum);
    let month: f64 = used.iter().map(|used| used.sum.usd).sum();
    let Budgets { daily, monthly, .. } = brain.policy.budgets;
    let of = |usd: f64, budget: Option<f64>| match budget {
        Some(budget) => format!("{} of {}", usage::dollars(usd), usage::dollars(budget)),
        None => usage::dollars(usd),
    };
    let calls = match today.usage.calls {
        0 => "no call".to_owned(),
        1 => "1 call".to_owned(),
        many => format!("{many} calls"),
    };
    let unpriced = match today.unpriced {
        0 => String::new(),
        many => format!(" (and {many} at a price that nobody told me: LLM_PRICE_IN, LLM_PRICE_OUT)"),
    };
    let is_month_used = monthly.is_some_and(|budget| month >= budget * NEARLY);
    let refused = match today.refused {
        0 => "",
        _ if is_month_used => " What it may cost this month is used up; next month it goes on.",
        _ => " What it may cost today is used up; tomorrow it goes on.",
    };
    Ok(format!(
        "💰 Your use of it: {calls} today for {}, {} this month{unpriced}.{refused}",
        of(today.usd, daily),
        of(month, monthly)
    ))
}

/// How its last call went.
fn model(brain: &Brain, facts: &TurnFacts, last: Option<&ModelCall>) -> String {
    if brain.model.is_none() {
        return "none is set up; my built-in understanding does everything.".to_owned();
    }
    let Some(ModelCall { at, took, outcome }) = last else { return "set up, and not asked yet.".to_owned() };
    let when = ago(facts.ctx.now, *at);
    let why = match outcome {
        CallOutcome::Answered if *took < Duration::milliseconds(MODEL_SLOW_MS as i64) => {
            return format!("answered {when}.");
        }
        CallOutcome::Answered => {
            let secs = took.num_seconds();
            return format!("answered {when}, but took {secs} s. What I am sure of I do without it meanwhile.");
        }
        CallOutcome::Unusable => "what it answered was not what I asked for",
        CallOutcome::Failed(why) => why,
    };
    format!("no answer {when}: {}. My built-in understanding stands in.", visible(&shorten(why, 200)))
}

/// When, and what it is about.
fn reminder(facts: &TurnFacts, SetReminder { at, title }: SetReminder) -> String {
    let at = time::describe(at.with_timezone(&facts.ctx.zone), Grain::Minute, &facts.ctx.reference());
    title.map_or_else(|| format!("{at}."), |title| format!("{at} — {}", visible(&shorten(&title, 120))))
}

async fn for_admins(brain: &Brain, of_turns: &TurnFigures) -> Result<Vec<String>, StoreError> {
    let of_store = figures::of_store(&brain.view().await?).await?;
    let failing: Vec<String> = of_turns.fallbacks.iter().map(|(stage, times)| format!("{stage} ×{times}")).collect();
    let failing = if failing.is_empty() { "none".to_owned() } else { failing.join(", ") };
    let mut lines = vec![
        "For admins".to_owned(),
        format!("👥 People in the last {} turns of this week: {}", of_turns.turns, of_turns.people),
        format!("🗂 Open cards of everybody: {}", of_store.open_cards),
        format!("🩺 Stages that fell back in those turns: {failing}"),
    ];
    lines.extend(of_turns.investigations.as_ref().map(investigations));
    lines.extend(of_turns.refusals.as_ref().map(|SavedFigures { count, calls_saved }| {
        format!("🚧 Outside the policy in those turns: {count}, refused before anything was planned; about {calls_saved} model calls saved")
    }));
    lines.extend(of_turns.repeats.as_ref().map(|SavedFigures { count, calls_saved }| {
        format!(
            "♻️ Questions asked again in those turns: {count}, looked up anew; about {calls_saved} model calls saved"
        )
    }));
    lines.extend(figures::of_compressions(&brain.view().await?).await?.map(compressions));
    if !of_store.unreadable.is_empty() {
        let tables: BTreeSet<&str> = of_store.unreadable.iter().map(String::as_str).collect();
        let tables = tables.into_iter().collect::<Vec<_>>().join(", ");
        let count = of_store.unreadable.len();
        lines.push(format!("⚠️ Records that could not be read and were set aside: {count} ({tables})"));
    }
    let given_up = of_store.messages_given_up;
    if given_up > 0 {
        lines.push(format!(
            "⚠️ Messages set aside, because I ended each time they were handled (see the log): {given_up}"
        ));
    }
    lines.push(SHOWN_TO_ADMINS.to_owned());
    Ok(lines)
}

/// What questions over everything took.
fn investigations(figures: &InvestigationFigures) -> String {
    let InvestigationFigures { count, p95_ms, tokens_mean, usd_mean, saved_percent, failed } = figures;
    format!(
        "🔎 Questions over everything in those turns: {count}; 95 % within {p95_ms} ms; on average {tokens_mean} tokens, \
         ${usd_mean:.4}; {saved_percent} % saved side by side; {failed} with a part that failed"
    )
}

/// What shortening conversations has saved.
fn compressions(figures: CompressionFigures) -> String {
    let CompressionFigures { count, saved_percent, failed } = figures;
    format!("🗜 Conversations shortened lately: {count}, by {saved_percent} %; {failed} stayed as they were for now")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_over_everything_are_told_in_a_line() {
        let figures = InvestigationFigures {
            count: 2,
            p95_ms: 2_000,
            tokens_mean: 3_000,
            usd_mean: 0.01,
            saved_percent: 75,
            failed: 1,
        };
        let told = investigations(&figures);
        for said in ["turns: 2;", "within 2000 ms", "3000 tokens, $0.0100", "75 % saved", "1 with a part"] {
            assert!(told.contains(said), "{told}");
        }
    }
}
