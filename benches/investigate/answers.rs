//! What the simulated model says of a mailbox: the graphs that it writes, and what it reads in letters.
//!
//! It knows which conversations wait ([`mailbox::waits`]) and makes no mistake about one that it is shown. So the figures
//! say what a question costs and what of the mailbox a model gets to see, and nothing about how well one reads.

use serde_json::{Value, json};

use crate::endpoint;
use crate::mailbox::waits;
use crate::support::model_server::{ModelReply, ModelRequest};

/// Answered by a graph that looks at all of the mailbox.
pub const ALL: &str = "Whom am I keeping waiting, in all of my mail?";
/// The same, and a model tells apart what is kept.
pub const TOLD_APART: &str = "Whom am I keeping waiting, and is it really my turn?";
/// By the graph that stands in the prompt as an example.
pub const EXAMPLE: &str = "What am I blocking people on?";

/// Characters of a summary: somewhat below what is asked for.
const SUMMARY_CHARS: usize = 160;

pub fn answer(request: &ModelRequest) -> ModelReply {
    let prompt = request.said_by("user");
    match request.stage.as_str() {
        "decompose" => ModelReply::json(graph(&prompt)),
        "extract" => ModelReply::json(extract(&prompt)),
        "classify" => ModelReply::json(labels(&prompt)),
        "synthesize" => ModelReply::text(words(&prompt)),
        _ => endpoint::answer(request),
    }
}

/// The nodes as the prompt's example has them.
fn graph(prompt: &str) -> Value {
    let asked = |question: &str| prompt.contains(&format!("Question: {question}"));
    let mut mail = json!({"over": ["thread"], "from": "2025-10-01", "until": "2026-01-12", "max_results": 400});
    let mut waiting = json!({"items": "{{read.items}}", "keep": ["waits_for_me"]});
    if asked(EXAMPLE) {
        mail["max_results"] = json!(200);
        mail["without"] = json!(["bulk"]);
    }
    if asked(TOLD_APART) {
        waiting["question"] = json!("Is it the person's turn to answer or to do something?");
    }
    json!({
        "classification": {"type": "investigative", "complexity": "moderate", "domains": ["email"],
            "why": "threads must be read"},
        "nodes": [
            {"id": "mail", "description": "mail of the last months", "strategy": "metadata_filter",
                "params": mail, "depends_on": []},
            {"id": "read", "description": "what they ask", "strategy": "batch_thread_read", "depends_on": [],
                "params": {"items": "{{mail.items}}", "fields": ["waiting"], "max_items": 20}},
            {"id": "waiting", "description": "who waits for you", "strategy": "semantic_analysis",
                "params": waiting, "depends_on": []},
            {"id": "first", "description": "most urgent first", "strategy": "cross_reference", "depends_on": [],
                "params": {"sources": ["{{waiting.items}}"], "operation": "union", "rank_by": "urgency",
                    "take_top": 10}},
        ],
        "synthesis": {"goal": "who waits for what, and since when", "order": "most urgent first", "format": "list"},
    })
}

/// What the conversation in a prompt is called.
pub fn title(prompt: &str) -> &str {
    let line = prompt.lines().filter_map(|line| line.strip_prefix("The thing (mail): ")).next_back();
    line.unwrap_or_default()
}

fn extract(prompt: &str) -> Value {
    let is_open = waits(title(prompt));
    let said: String = prompt.lines().rev().find(|line| line.len() > 80).unwrap_or(prompt).to_owned();
    let summary: String = said.chars().take(SUMMARY_CHARS).collect();
    let waiting = if is_open { "me" } else { "nobody" };
    json!({"summary": summary, "waiting": waiting, "about": is_open, "due": null, "urgency": u8::from(is_open)})
}

/// The numbered lines of a prompt, with what each is called.
fn numbered(prompt: &str) -> impl Iterator<Item = (u32, &str)> {
    prompt.lines().filter_map(|line| {
        let (number, rest) = line.split_once(". [mail] ")?;
        Some((number.parse().ok()?, rest.split("; ").next()?))
    })
}

fn labels(prompt: &str) -> Value {
    let label = |title: &str| if waits(title) { "waits_for_me" } else { "none" };
    let labels: Vec<Value> =
        numbered(prompt).map(|(number, title)| json!({"id": number, "label": label(title)})).collect();
    json!({"labels": labels})
}

/// An answer that names all it is shown, and forgets what was not read: that is left to code.
fn words(prompt: &str) -> String {
    let lines: Vec<String> = numbered(prompt)
        .map(|(number, title)| format!("- {title}: they wait for your answer, it is your turn now. [{number}]"))
        .collect();
    format!("These people wait for you, the most urgent first:\n{}", lines.join("\n"))
}
