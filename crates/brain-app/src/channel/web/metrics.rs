//! What programs that watch want to know: whether it works, and its figures in the format of Prometheus.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Response, StatusCode};
use brain_core::limits::WEB_ROWS_COUNTED_MAX;
use brain_core::ports::StoreError;
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::DailyUsage;
use brain_engine::queries::figures::PathFigures;
use brain_engine::queries::{decisions, figures, turns, usage};
use brain_services::services::mcp::ServerState;

use super::{PageAnswer, PageRequest, WebContext, plain};
use brain_engine::pipeline::show::overview::{TURNS, word};

/// Whether the store can be read: no word of anything else, as whoever asks need not know the token.
pub(super) async fn health(context: &Arc<WebContext>) -> Response<Body> {
    let read = async { turns::latest(&context.brain.view().await?, 1).await };
    match read.await {
        Ok(_) => plain(StatusCode::OK, "ok"),
        Err(error) => {
            tracing::error!(%error, "unhealthy");
            plain(StatusCode::SERVICE_UNAVAILABLE, "the store cannot be read")
        }
    }
}

/// A metric with its values: labels and number.
struct Metric {
    name: &'static str,
    help: &'static str,
    kind: &'static str,
    values: Vec<(String, f64)>,
}

impl Metric {
    fn gauge(name: &'static str, help: &'static str, values: Vec<(String, f64)>) -> Self {
        Self { name, help, kind: "gauge", values }
    }

    fn write(&self, out: &mut String) {
        let Self { name, help, kind, values } = self;
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    }
}

/// Labels as the format wants them.
fn labels(pairs: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

pub(super) async fn page(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let store = figures::of_store(&view).await?;
    let today = view.now.with_timezone(&brain.policy.zone).date_naive();
    let used = usage::of_everybody(&view.moment, today, WEB_ROWS_COUNTED_MAX).await?;
    let paths = figures::of_paths(&turns::latest(&view, TURNS).await?);
    let counts = decisions::counts(&view, view.now - chrono::Duration::days(1), WEB_ROWS_COUNTED_MAX).await?;
    let alone = |value: f64| vec![(String::new(), value)];
    let is_up = |state: &ServerState| f64::from(u8::from(*state == ServerState::Up));
    let servers = brain.servers.standing();
    let accounts = brain.accounts.listed.iter().map(|account| {
        let is_there = brain.accounts.states.of(&account.id).disconnected.is_none();
        (labels(&[("account", &account.id)]), f64::from(u8::from(is_there)))
    });
    let of_process = [
        Metric::gauge(
            "brain_up_since_seconds",
            "When this process began, in Unix time.",
            alone(brain.since.timestamp() as f64),
        ),
        Metric::gauge("brain_pending_open", "Cards that wait for a yes or a no.", alone(store.open_cards as f64)),
        Metric::gauge(
            "brain_records_unreadable",
            "Records that could not be read and were set aside.",
            alone(store.unreadable.len() as f64),
        ),
        Metric::gauge("brain_messages_given_up", "Messages that were given up.", alone(store.messages_given_up as f64)),
        Metric::gauge(
            "brain_decisions_last_day",
            "Transitions of cards in the last 24 hours.",
            counts.iter().map(|(what, count)| (labels(&[("what", what)]), *count as f64)).collect(),
        ),
        Metric::gauge("brain_account_connected", "Whether an account can be reached.", accounts.collect()),
        Metric::gauge(
            "brain_server_up",
            "Whether a server that brings tools is there.",
            servers.iter().map(|server| (labels(&[("server", &server.name)]), is_up(&server.state))).collect(),
        ),
    ];
    let metrics = of_process.into_iter().chain(of_turns(&paths)).chain(of_models(&used));
    let mut out = String::new();
    metrics.filter(|metric| !metric.values.is_empty()).for_each(|metric| metric.write(&mut out));
    Ok(PageAnswer::Plain(out))
}

/// How long turns took, by path.
fn of_turns(paths: &[PathFigures]) -> Vec<Metric> {
    let of_paths = |value: fn(&PathFigures) -> f64| -> Vec<(String, f64)> {
        paths.iter().map(|path| (labels(&[("path", &word(&path.path))]), value(path))).collect()
    };
    vec![
        Metric::gauge("brain_turns_recent", "Turns among the last 1,000, by path.", of_paths(|path| path.turns as f64)),
        Metric::gauge(
            "brain_turn_median_ms",
            "Half of the last turns took at most so long.",
            of_paths(|path| path.median_ms),
        ),
        Metric::gauge(
            "brain_turn_p95_ms",
            "95 of 100 of the last turns took at most so long.",
            of_paths(|path| path.p95_ms),
        ),
    ]
}

/// What today's calls of models came to, by person, stage and model.
fn of_models(used: &[DailyUsage]) -> Vec<Metric> {
    let of_used = |value: fn(&UsageSum) -> f64| -> Vec<(String, f64)> {
        let label = |one: &DailyUsage| {
            labels(&[("user", one.owner.as_str()), ("stage", one.stage.name()), ("model", &one.model)])
        };
        used.iter().map(|one| (label(one), value(&one.sum))).collect()
    };
    vec![
        Metric::gauge("brain_model_calls_today", "Calls of models today.", of_used(|sum| f64::from(sum.usage.calls))),
        Metric::gauge(
            "brain_model_failed_today",
            "Calls of models today that gave no answer.",
            of_used(|sum| f64::from(sum.failed)),
        ),
        Metric::gauge(
            "brain_model_refused_today",
            "Calls of models today that a budget did not hold.",
            of_used(|sum| f64::from(sum.refused)),
        ),
        Metric::gauge("brain_model_tokens_in_today", "Tokens sent today.", of_used(|sum| sum.usage.tokens_in as f64)),
        Metric::gauge(
            "brain_model_tokens_out_today",
            "Tokens received today.",
            of_used(|sum| sum.usage.tokens_out as f64),
        ),
        Metric::gauge(
            "brain_model_usd_today",
            "US dollars of today's calls whose price is known.",
            of_used(|sum| sum.usd),
        ),
    ]
}
