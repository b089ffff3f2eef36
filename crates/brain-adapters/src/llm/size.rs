//! How large the model behind an endpoint is: by what `doctor` found, by its name, by what its server tells of it, else
//! by a few questions.
//!
//! A small model plans in steps, any other whole, so what is not known counts as large: a question too many is asked of
//! nobody, and a model that is hosted without its size in its name is hardly ever small. Only a server on one's own net
//! is looked at and asked, once in a run of the program, after its first answer.

use std::sync::atomic::{AtomicU8, Ordering};

use reqwest::Client;
use serde_json::{Value, json};

use super::link::{Ask, ModelLink};
use super::thoughts::SpokenWords;
use super::{default_timeout, probe};
use brain_core::limits::SMALL_MODEL_PARAMETERS_MAX;
use brain_core::ports::{AnswerSchema, Call, Patience, Stage, Usage};

/// Where servers tell it, beside `/v1`: Ollama's list.
const SIZE_PLACES: [&str; 1] = ["api/tags"];

/// What was found out about one endpoint and model.
#[derive(Debug, Default)]
pub(super) struct KnownSize(AtomicU8);

impl KnownSize {
    const UNKNOWN: u8 = 0;
    const SMALL: u8 = 1;
    const LARGE: u8 = 2;
    /// Somebody is about to find out, or nobody could.
    const ASKED: u8 = 3;

    /// By the name alone.
    pub fn of(name: &str) -> Self {
        let known = Self::default();
        if let Some(parameters) = parameters_named(name) {
            known.set(parameters);
        }
        known
    }

    fn set(&self, parameters: f64) {
        self.store(parameters <= SMALL_MODEL_PARAMETERS_MAX);
    }

    pub fn store(&self, is_small: bool) {
        self.0.store(if is_small { Self::SMALL } else { Self::LARGE }, Ordering::Relaxed);
    }

    pub fn is_small(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::SMALL
    }

    #[cfg(test)]
    pub fn is_known(&self) -> bool {
        matches!(self.0.load(Ordering::Relaxed), Self::SMALL | Self::LARGE)
    }

    /// True once, while nothing is known.
    pub fn is_to_be_learnt(&self) -> bool {
        self.0.compare_exchange(Self::UNKNOWN, Self::ASKED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The parameters that a model's name tells, such as `qwen2.5:1.5b-instruct-q4_K_M`, `SmolLM2-360M` or `8x7B`. Of
/// several numbers the largest counts: `30b-a3b` has thirty billion, of which three work at a time.
pub(super) fn parameters_named(name: &str) -> Option<f64> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    parts.filter_map(parameters_of).max_by(f64::total_cmp)
}

/// `1.5b`, `360M`, `8x7B`, and `e4b`, of which as much is at work; nothing of `4bit`, `q8`, `128k` or `v1.5`.
fn parameters_of(part: &str) -> Option<f64> {
    let part = part.trim_end_matches('.').to_ascii_lowercase();
    let (number, unit) = match (part.strip_suffix('b'), part.strip_suffix('m')) {
        (Some(number), _) => (number, 1e9),
        (None, Some(number)) => (number, 1e6),
        (None, None) => return None,
    };
    let number = number.strip_prefix('e').unwrap_or(number);
    let is_digit = |c: char| c.is_ascii_digit();
    let count =
        |text: &str| text.parse::<f64>().ok().filter(|_| text.starts_with(is_digit) && text.ends_with(is_digit));
    let number = match number.split_once('x') {
        Some((experts, each)) => count(experts)? * count(each)?,
        None => count(number)?,
    };
    Some(number * unit)
}

/// What an entry of a server's list tells: llama.cpp counts them, Ollama writes them, and the name of a file may.
fn parameters_told(entry: &Value) -> Option<f64> {
    let counted = entry["meta"]["n_params"].as_f64().filter(|count| *count > 0.0);
    let written = || entry["details"]["parameter_size"].as_str().and_then(parameters_named);
    let named = || ["id", "name", "model", "root"].into_iter().find_map(|key| parameters_named(entry[key].as_str()?));
    counted.or_else(written).or_else(named)
}

/// A message, and what of the commands a reader finds asked for in it.
struct ProbeQuestion {
    message: &'static str,
    expected: &'static [&'static str],
}

/// What a model of 1.5 billion parameters takes for orders, all four: what somebody else wanted, what is over, what one did.
const QUESTIONS: [ProbeQuestion; 4] = [
    ProbeQuestion {
        message: "Tom asked me to delete Anna's mail, but I said no. What did she write?",
        expected: &["search_mail"],
    },
    ProbeQuestion { message: "I was about to send Bob the contract when he called, so that's settled.", expected: &[] },
    ProbeQuestion { message: "who was it that I sent the invoice to?", expected: &["search_mail"] },
    ProbeQuestion { message: "Carla says I should move the meeting and remind her. I won't.", expected: &[] },
];

const COMMANDS: [&str; 6] = ["add_to_list", "delete_mail", "move_event", "search_mail", "send_mail", "set_reminder"];

/// As many of the questions have to be answered rightly.
const RIGHT_MIN: usize = 3;

/// Finds out how large the model is where its name does not tell. Nothing is found where the server does not answer.
pub(super) async fn learn(http: &Client, link: &ModelLink) {
    if !probe::is_on_own_net(link.url()) {
        return;
    }
    let told = probe::listed(http, link, &SIZE_PLACES).await;
    if let Some(parameters) = told.iter().find_map(parameters_told) {
        link.size.set(parameters);
        return;
    }
    if let Some(right) = answered(http, link).await {
        link.size.store(right < RIGHT_MIN);
    }
}

/// How many of the questions are answered rightly; `None` where one of them has no answer at all.
async fn answered(http: &Client, link: &ModelLink) -> Option<usize> {
    let schema = AnswerSchema::of(json!({"type": "object", "properties": {"commands": {"type": "array", "maxItems": 4,
        "items": {"type": "string", "enum": COMMANDS}}}, "required": ["commands"], "additionalProperties": false}));
    let mut right = 0;
    for question in &QUESTIONS {
        let call = Call {
            stage: Stage::Select,
            system: format!(
                "Which of these commands does the message ask for? Answer as {{\"commands\": […]}}; name only what is \
                 asked for, and nothing that is not: the list may be empty.\nCommands: {}",
                COMMANDS.join(", ")
            )
            .into(),
            user: question.message.into(),
            schema: Some(schema.clone()),
            tokens_max: 60,
            patience: Patience::default(),
            meter: Default::default(),
        };
        let (words, usage) = (SpokenWords::new(None), Usage::default());
        let mut ask = Ask { call: &call, words, usage, timeout: default_timeout(Stage::Select) };
        let json = link.ask(http, &mut ask).await.ok()?.json?;
        let mut commands: Vec<&str> = json["commands"].as_array()?.iter().filter_map(Value::as_str).collect();
        commands.sort_unstable();
        commands.dedup();
        right += usize::from(commands == question.expected);
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_how_many_parameters_a_model_has() {
        for (name, billions) in [
            ("qwen2.5:1.5b-instruct-q4_K_M", Some(1.5)),
            ("Llama-3.2-3B-Instruct", Some(3.0)),
            ("/models/qwen2.5-coder-0.5b-instruct-q4.gguf", Some(0.5)),
            ("HuggingFaceTB/SmolLM2-360M", Some(0.36)),
            ("gemma3n:e4b", Some(4.0)),
            ("qwen3-30b-a3b", Some(30.0)),
            ("mixtral-8x7B-v0.1", Some(56.0)),
            ("gpt-oss:20b", Some(20.0)),
            ("gpt-4o-mini", None),
            ("claude-sonnet-4-5", None),
            ("some-model-4bit-128k-bf16-q8_0", None),
            ("b", None),
            ("mistral-nemo-2407.b", None),
            ("model-.5b", None),
        ] {
            let told = parameters_named(name).map(|parameters| parameters / 1e9);
            assert_eq!(told, billions, "{name}");
        }
        assert!(KnownSize::of("qwen3:4b").is_small() && !KnownSize::of("qwen3:8b").is_small());
        assert!(!KnownSize::of("default").is_small() && KnownSize::of("default").is_to_be_learnt());
        assert!(!KnownSize::of("qwen3:8b").is_to_be_learnt());
    }

    #[test]
    fn a_server_tells_it_in_its_own_words() {
        for (entry, expected) in [
            (json!({"id": "m", "meta": {"n_params": 1_543_714_304_u64}}), Some(1_543_714_304.0)),
            (json!({"name": "m:latest", "details": {"parameter_size": "8.0B"}}), Some(8e9)),
            (json!({"id": "m", "root": "Qwen/Qwen2.5-3B-Instruct"}), Some(3e9)),
            (json!({"id": "m", "meta": {"n_params": 0}}), None),
            (json!("nonsense"), None),
        ] {
            assert_eq!(parameters_told(&entry), expected, "{entry}");
        }
    }

    #[test]
    fn what_is_expected_of_a_probe_is_a_sorted_list_of_commands() {
        for question in &QUESTIONS {
            assert!(question.expected.is_sorted() && question.expected.iter().all(|it| COMMANDS.contains(it)));
        }
    }
}
