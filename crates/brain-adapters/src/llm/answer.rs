//! From the text that came to a completion: what of it is the answer, the JSON in it, and what it cost.
//!
//! Pure. Not here: whether the value fits what a stage wants, and asking again.

use serde_json::Value;

use super::calls;
use super::failure::Failure;
use super::link::Ask;
use super::repair::{self, Ending};
use super::room::Room;
use super::structured::{Dialect, Format, FormatMemory, Lesson, has_required};
use super::thoughts;
use super::wire::AnswerPiece;
use brain_core::limits::MODEL_REPLY_BYTES_MAX;
use brain_core::ports::{Call, Completion, ToolCall, Usage};

/// Counts beyond the bytes that were sent can only be the template around them.
const TEMPLATE_TOKENS_MAX: u64 = 4_096;

/// The completion. A schema that the endpoint took and ignored is learned.
pub(super) fn completion(
    memory: &FormatMemory,
    room: &Room,
    ask: &mut Ask<'_>,
    answer: AnswerPiece,
    dialect: Dialect,
) -> Result<Completion, Failure> {
    let call = ask.call;
    count(&mut ask.usage, call, &answer);
    if let Some(read) = answer.counts.tokens_in {
        room.learn(read, call, estimate);
    }
    let is_cut = is_cut(&answer, call.tokens_max);
    let mut text = match &call.schema {
        None => thoughts::strip(&answer.content),
        // What looks like a marker may be a part of a value; words around the document are left out anyway.
        Some(_) => thoughts::after_thinking(&answer.content).unwrap_or_default().trim().to_owned(),
    };
    if text.is_empty() && call.schema.is_some() && answer.thoughts.trim_start().starts_with(['{', '`']) {
        // Some servers file a constrained answer under reasoning.
        text = answer.thoughts.trim().to_owned();
    }
    let mut made = calls::read(answer.calls);
    if text.is_empty() && call.schema.is_some() && !made.is_empty() {
        return Ok(Completion { text, json: None, calls: made, usage: ask.usage, is_substitute: false });
    }
    if text.is_empty() {
        return Err(Failure::unreadable(if is_cut {
            "it ran into its token limit before the first word"
        } else {
            "it is empty"
        }));
    }
    let ending = if is_cut { Ending::Cut } else { Ending::Stopped };
    let json = call.schema.as_ref().and_then(|schema| {
        let json = repair::find(&text, ending);
        let json = json.filter(|json| has_required(schema.value(), json) || !takes_calls(&mut made, json, &text));
        let fits = json.as_ref().is_some_and(|json| has_required(schema.value(), json));
        if !fits
            && !is_cut
            && !answer.declined
            && dialect.format == Format::JsonSchema
            && let Some(lower) = dialect.lower_format()
        {
            // The parameter was taken and ignored; from now on the prompt says it.
            memory.learn(call.stage, lower, Lesson::Schema);
        }
        json
    });
    if json.is_none() && made.is_empty() && call.schema.is_some() {
        made = calls::in_tags(&text);
    }
    if json.is_some() || call.schema.is_none() {
        made.clear();
    }
    Ok(Completion { text, json, calls: made, usage: ask.usage, is_substitute: false })
}

/// Whether the document is no answer but a call of tools; then all that the text holds are taken.
fn takes_calls(made: &mut Vec<ToolCall>, json: &Value, text: &str) -> bool {
    let tagged = calls::in_tags(text);
    let written = if tagged.is_empty() { calls::in_document(json) } else { tagged };
    let is_call = !written.is_empty();
    if is_call {
        *made = written;
    }
    is_call
}

fn is_cut(answer: &AnswerPiece, tokens_max: u32) -> bool {
    let said = answer.finish.as_deref().unwrap_or_default().to_ascii_lowercase();
    let is_full = || answer.counts.tokens_out.is_some_and(|count| count >= u64::from(tokens_max));
    said.contains("length") || said.contains("max_") || (said.is_empty() && is_full())
}

/// The endpoint's counts where they are possible, else bytes / 4.
fn count(usage: &mut Usage, call: &Call, answer: &AnswerPiece) {
    let bytes_in = sent_bytes(call);
    let called: usize = answer.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    let bytes_out = answer.content.len() + answer.thoughts.len() + called;
    let possible = |count: Option<u64>, most: u64| count.filter(|count| (1..=most).contains(count));
    usage.tokens_in +=
        possible(answer.counts.tokens_in, bytes_in as u64 + TEMPLATE_TOKENS_MAX).unwrap_or_else(|| estimate(bytes_in));
    // No more can have been kept than there was.
    let tokens_in = possible(answer.counts.tokens_in, bytes_in as u64 + TEMPLATE_TOKENS_MAX).unwrap_or(0);
    usage.tokens_cached += answer.counts.tokens_cached.unwrap_or(0).min(tokens_in);
    usage.tokens_out +=
        possible(answer.counts.tokens_out, MODEL_REPLY_BYTES_MAX as u64).unwrap_or_else(|| estimate(bytes_out));
}

/// A part of an answer that never became one.
pub(super) fn count_part(usage: &mut Usage, call: &Call, bytes_out: usize) {
    usage.tokens_in += estimate(sent_bytes(call));
    usage.tokens_out += estimate(bytes_out);
}

fn sent_bytes(call: &Call) -> usize {
    call.system.len() + call.user.len()
}

fn estimate(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
