//! How the router's weights come to be: learnt from the examples of `data/language/routing`, outside the program.
//!
//! `examples.tsv` was written for this, `tune.tsv` holds messages with their services. Each example is learnt with and
//! without its frames, so that words carry weight where no frame fits. Deterministic to the last bit: fixed order, no
//! randomness, plain arithmetic. A test compares what is learnt with `weights.tsv`; after a change of examples, frames
//! or features write them anew, before anything is measured with them:
//!
//! ```sh
//! WRITE_WEIGHTS=1 cargo test --workspace --lib -- the_weights_in_use
//! ```

use std::fmt::Write as _;
use std::sync::LazyLock;

use chrono::DateTime;

use crate::services::tests::requests::alone;
use brain_language::language::requests::annotated::AnnotatedText;
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::lexicon::is_data;
use brain_language::language::requests::parser::Parser;
use brain_language::language::routing::features::{BUCKETS, Features, features};
use brain_language::language::routing::model::{UNITS_MAX, logistic};
use brain_language::language::time::{DateOrder, Reference};
use brain_language::language::work::Work;

const HEAD: &str = "# Fitted to examples.tsv and tune.tsv; see crates/brain-language/src/language/routing/model.rs for what a line says.\n";
/// Of the largest weight of a unit. With a quarter of them the table is a third shorter, and one sure guess in fifty is
/// none any more.
const STEPS: f32 = 127.0;
const EPOCHS: usize = 8;
const RATE: f32 = 0.35;
/// Pulls weights to zero, so that no single word decides.
const DECAY: f32 = 2e-5;
/// Expansions of one line of examples.
const EXPANSIONS_MAX: usize = 14;

const EXAMPLES: &str = include_str!("../../../../../../data/language/routing/examples.tsv");
const TUNING: &str = include_str!("../../../../../../data/language/routing/tune.tsv");

/// The services, in the order of their units: the examples begin with them.
static DOMAINS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let line = data_lines(EXAMPLES).next().and_then(|line| line.strip_prefix("services: "));
    line.expect("the line of the services").split(' ').collect()
});

fn data_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| is_data(line))
}

/// All lessons, in the order of their lines.
pub(super) static LESSONS: LazyLock<Vec<Lesson>> = LazyLock::new(|| {
    let lines = data_lines(EXAMPLES).skip(1).chain(data_lines(TUNING));
    lines.filter_map(Lesson::of).collect()
});

/// A line that teaches.
pub(super) struct Lesson {
    pub(super) line: &'static str,
    wanted: Scores,
    /// With frames and without, of each of its expansions.
    seen: Vec<Features>,
}

type Scores = [f32; UNITS_MAX];

impl Lesson {
    /// Rows with alternatives teach nothing.
    fn of(line: &'static str) -> Option<Lesson> {
        let (labels, text) = labelled(line)?;
        let reference = Reference { now: DateTime::UNIX_EPOCH, zone: chrono_tz::UTC, order: DateOrder::DayFirst };
        let seen = expansions(text).into_iter().flat_map(|message| {
            let heard = AnnotatedText::new(&message, &reference, GRAMMAR.lexicon).without_timeish(GRAMMAR.lexicon);
            let intents = Parser::new(&alone(&message, &reference), &heard, &[], &Work::default()).intents();
            [features(&heard, &intents), features(&heard, &[])]
        });
        Some(Lesson { line, wanted: wanted(labels), seen: seen.collect() })
    }
}

/// A model while it learns.
struct Pupil {
    weights: Vec<Scores>,
    bias: Scores,
}

/// The text of a model that has learnt these lessons.
pub(super) fn train<'l>(lessons: impl Iterator<Item = &'l Lesson>) -> String {
    let examples: Vec<(&Features, &Scores)> =
        lessons.flat_map(|lesson| lesson.seen.iter().map(|seen| (seen, &lesson.wanted))).collect();
    let mut pupil = Pupil { weights: vec![[0.0; UNITS_MAX]; BUCKETS], bias: [-1.0; UNITS_MAX] };
    for epoch in 0..EPOCHS {
        let rate = RATE / (1.0 + epoch as f32);
        for at in shuffled(examples.len()) {
            let (Features(features), wanted) = examples[at];
            pupil.learn(features, wanted, rate);
        }
    }
    pupil.text()
}

impl Pupil {
    fn learn(&mut self, features: &[(u32, f32)], wanted: &Scores, rate: f32) {
        let mut scores = self.bias;
        for &(bucket, share) in features {
            let weights = &self.weights[bucket as usize];
            for unit in 0..=DOMAINS.len() {
                scores[unit] += share * weights[unit];
            }
        }
        let mut error = [0.0; UNITS_MAX];
        for unit in 0..=DOMAINS.len() {
            error[unit] = wanted[unit] - logistic(scores[unit]);
            self.bias[unit] += 0.1 * rate * error[unit];
        }
        for &(bucket, share) in features {
            let weights = &mut self.weights[bucket as usize];
            for unit in 0..=DOMAINS.len() {
                weights[unit] += rate * (error[unit] * share - DECAY * weights[unit]);
            }
        }
    }

    /// As `model` reads them.
    fn text(&self) -> String {
        let units = DOMAINS.len() + 1;
        assert!(units <= UNITS_MAX);
        let largest =
            |unit: usize| self.weights.iter().map(|weights| weights[unit].abs()).fold(f32::MIN_POSITIVE, f32::max);
        let scales: Vec<f32> = (0..units).map(|unit| largest(unit) / STEPS).collect();
        let joined = |numbers: &[f32]| numbers.iter().map(f32::to_string).collect::<Vec<_>>().join("\t");
        let mut out = format!("{HEAD}bucket\t{}\tinvestigates\n", DOMAINS.join("\t"));
        let _ = writeln!(out, "bias\t{}\nscale\t{}", joined(&self.bias[..units]), joined(&scales));
        for (bucket, weights) in self.weights.iter().enumerate() {
            let steps = weights.iter().zip(&scales).map(|(weight, scale)| (weight / scale).round() as i8);
            let shown = steps.map(|steps| if steps == 0 { String::new() } else { steps.to_string() });
            let row = shown.collect::<Vec<_>>().join("\t");
            if !row.trim_end().is_empty() {
                let _ = writeln!(out, "{bucket}\t{}", row.trim_end());
            }
        }
        out
    }
}

/// Labels and text, whichever column holds which.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once('\t')?;
    let are_labels = |text: &str| text.trim_start_matches('?').split('+').all(|l| l == "chat" || DOMAINS.contains(&l));
    match (are_labels(left), are_labels(right)) {
        (true, _) => Some((left, right)),
        (false, true) => Some((right, left)),
        (false, false) => None,
    }
}

fn wanted(labels: &str) -> Scores {
    let mut wanted = [0.0; UNITS_MAX];
    for label in labels.trim_start_matches('?').split('+') {
        if let Some(unit) = DOMAINS.iter().position(|d| *d == label) {
            wanted[unit] = 1.0;
        }
    }
    wanted[DOMAINS.len()] = if labels.starts_with('?') { 1.0 } else { 0.0 };
    wanted
}

/// A fixed order in which neighbours are far apart.
fn shuffled(len: usize) -> impl Iterator<Item = usize> {
    let stride = (len * 5 / 8..).find(|s| gcd(*s, len) == 1).unwrap_or(1);
    (0..len).map(move |i| i * stride % len)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All readings of "(a|b) c", at most [`EXPANSIONS_MAX`], spread evenly.
fn expansions(line: &str) -> Vec<String> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    for (i, piece) in line.split('(').enumerate() {
        match piece.split_once(')').filter(|_| i > 0) {
            Some((ways, rest)) => parts.extend([ways.split('|').collect(), vec![rest]]),
            None => parts.push(vec![piece]),
        }
    }
    let total = parts.iter().map(Vec::len).product::<usize>().max(1);
    let wanted = total.min(EXPANSIONS_MAX);
    let pick = |nth: usize| {
        let mut index = nth * total / wanted + nth % total.div_ceil(wanted);
        let mut out = String::new();
        for ways in &parts {
            out.push_str(ways[index % ways.len()]);
            index /= ways.len();
        }
        out
    };
    (0..wanted).map(pick).collect()
}

#[test]
fn alternatives_are_written_out() {
    assert_eq!(expansions("(a|b) c"), ["a c", "b c"]);
    assert_eq!(expansions("plain"), ["plain"]);
    assert_eq!(expansions("(1|2|3|4) (1|2|3|4) (1|2|3|4)").len(), EXPANSIONS_MAX);
}

#[test]
fn every_line_of_examples_names_known_services() {
    for line in data_lines(EXAMPLES).skip(1) {
        let (labels, text) = line.split_once('\t').unwrap();
        assert!(!text.is_empty());
        for label in labels.trim_start_matches('?').split('+') {
            assert!(label == "chat" || DOMAINS.contains(&label), "{line}");
        }
    }
}

#[test]
fn the_weights_in_use_are_what_is_learnt_from_the_examples() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/language/routing/weights.tsv");
    let learnt = train(LESSONS.iter());
    if std::env::var_os("WRITE_WEIGHTS").is_some() {
        std::fs::write(&path, &learnt).unwrap();
    }
    assert!(learnt == std::fs::read_to_string(&path).unwrap(), "other examples give other weights");
}
