//! A turn's trace as spans: one id a turn, the same that its log carries, folded to the bytes of a trace id.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use brain_core::core::turn::Path;
use brain_core::ports::Stage;
use brain_core::ports::records::{SpanOutcome, StageSpan, TurnTrace};
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use sha2::{Digest as _, Sha256};

/// All endpoints speak that API; whose they are nobody is told.
const PROVIDER: &str = "openai";

/// The spans of these turns.
pub(super) fn of_turns(turns: &[TurnTrace], models: &BTreeMap<Stage, String>) -> Vec<SpanData> {
    turns.iter().flat_map(|turn| of_turn(turn, models)).collect()
}

fn of_turn(turn: &TurnTrace, models: &BTreeMap<Stage, String>) -> Vec<SpanData> {
    let began = SystemTime::from(turn.at);
    let context = |span: usize| {
        let trace: [u8; 32] = Sha256::digest(turn.id.as_bytes()).into();
        let own: [u8; 32] = Sha256::digest(format!("{}/{span}", turn.id).as_bytes()).into();
        let trace = TraceId::from(u128::from_be_bytes(std::array::from_fn(|at| trace[at])));
        let own = SpanId::from(u64::from_be_bytes(std::array::from_fn(|at| own[at])));
        SpanContext::new(trace, own, TraceFlags::SAMPLED, false, TraceState::NONE)
    };
    let root = context(0);
    let whole = SpanData {
        span_context: root.clone(),
        parent_span_id: SpanId::INVALID,
        parent_span_is_remote: false,
        span_kind: SpanKind::Internal,
        name: "invoke_agent brain-agent".into(),
        start_time: began,
        end_time: began + Duration::from_secs_f64((turn.done.ms / 1_000.0).max(0.0)),
        attributes: of_whole(turn),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links: SpanLinks::default(),
        status: if turn.done.path == Path::Error { Status::error("") } else { Status::Unset },
        instrumentation_scope: InstrumentationScope::builder("brain-agent").build(),
    };
    let nodes = turn.spans.iter().enumerate().map(|(at, span)| {
        let NodeSpan { name, kind, attributes } = node(span, models);
        SpanData {
            span_context: context(at + 1),
            parent_span_id: root.span_id(),
            span_kind: kind,
            name: name.into(),
            start_time: began + Duration::from_micros(span.start_us),
            end_time: began + Duration::from_micros(span.start_us.saturating_add(span.us)),
            attributes,
            status: if went_wrong(span).is_some() { Status::error("") } else { Status::Unset },
            ..whole.clone()
        }
    });
    std::iter::once(whole.clone()).chain(nodes).collect()
}

fn of_whole(turn: &TurnTrace) -> Vec<KeyValue> {
    let path = serde_json::to_value(turn.done.path).unwrap_or_default().as_str().unwrap_or_default().to_owned();
    let mut attributes = vec![
        KeyValue::new("gen_ai.operation.name", "invoke_agent"),
        KeyValue::new("gen_ai.agent.name", "brain-agent"),
        KeyValue::new("gen_ai.usage.input_tokens", count(turn.done.tokens_in)),
        KeyValue::new("gen_ai.usage.output_tokens", count(turn.done.tokens_out)),
        KeyValue::new("brain.turn.id", turn.id.clone()),
        KeyValue::new("brain.turn.path", path.clone()),
        KeyValue::new("brain.turn.model_calls", i64::from(turn.done.llm_calls)),
        KeyValue::new("brain.turn.fallbacks", count(turn.done.fallbacks.len() as u64)),
    ];
    attributes.extend((turn.done.path == Path::Error).then(|| KeyValue::new("error.type", path)));
    attributes
}

struct NodeSpan {
    name: String,
    kind: SpanKind,
    attributes: Vec<KeyValue>,
}

/// A call of a model, a command, or a node of another kind. Names of the nodes of a question are a model's own and stay.
fn node(span: &StageSpan, models: &BTreeMap<Stage, String>) -> NodeSpan {
    let stage = Stage::ALL.into_iter().find(|stage| stage.name() == span.name && span.tokens != (0, 0));
    let mut node = match stage {
        Some(stage) => {
            let model = models.get(&stage).cloned().unwrap_or_default();
            let attributes = vec![
                KeyValue::new("gen_ai.operation.name", "chat"),
                KeyValue::new("gen_ai.provider.name", PROVIDER),
                KeyValue::new("gen_ai.request.model", model.clone()),
                KeyValue::new("gen_ai.usage.input_tokens", count(span.tokens.0)),
                KeyValue::new("gen_ai.usage.output_tokens", count(span.tokens.1)),
                KeyValue::new("gen_ai.usage.cache_read.input_tokens", count(span.tokens_cached)),
                KeyValue::new("brain.stage", stage.name()),
            ];
            NodeSpan { name: format!("chat {model}").trim_end().to_owned(), kind: SpanKind::Client, attributes }
        }
        None if span.name.starts_with("node ") => {
            NodeSpan { name: "node".to_owned(), kind: SpanKind::Internal, attributes: Vec::new() }
        }
        None if span.name.contains('.') => NodeSpan {
            name: format!("execute_tool {}", span.name),
            kind: SpanKind::Internal,
            attributes: vec![
                KeyValue::new("gen_ai.operation.name", "execute_tool"),
                KeyValue::new("gen_ai.tool.name", span.name.clone()),
            ],
        },
        None => NodeSpan { name: span.name.clone(), kind: SpanKind::Internal, attributes: Vec::new() },
    };
    node.attributes.extend(went_wrong(span).map(|kind| KeyValue::new("error.type", kind)));
    node
}

/// In what way, never in whose words.
fn went_wrong(span: &StageSpan) -> Option<&'static str> {
    match span.outcome {
        SpanOutcome::Failed(_) => Some("failed"),
        SpanOutcome::Unusable => Some("unusable"),
        SpanOutcome::Ok | SpanOutcome::Other(_) => None,
    }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
