//! Built-in understanding: time per message over the evaluation files, and what its first use costs.

use std::time::Instant;

use brain_agent::language::consent;
use brain_agent::language::requests::ParseInput;
use brain_agent::language::time;
use brain_agent::language::time::{DateOrder, Reference};
use brain_agent::language::{requests, routing};
use brain_agent::services::across::filling::BUILDERS;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::Effort;
use crate::report::{Report, Row, median, quantile, us};

/// Twenty words each: several requests, remarks and conditions.
const LONG: [&str; 4] = [
    "hey, could you remind me to call mom tomorrow at 5pm and put lunch with Tom on friday at noon please",
    "i'm shattered, so please move the dentist to thursday at 4 and email Bob that i'm running a little late today",
    "if it rains tomorrow morning, cancel the picnic with Anna and remind me at noon to bring the garden chairs back in",
    "add milk, eggs, bread and two packs of butter to the shopping list unless they are on the list already, thanks mate",
];
const LONG_ROUNDS: usize = 50;
/// For the first use of each part.
const REQUEST: &str = "remind me to call mom tomorrow at 5pm";

pub fn measure(report: &mut Report, effort: Effort) {
    let reference = reference();
    let consent: &dyn Fn(&str) = &|text| _ = std::hint::black_box(consent::read(text));
    let find: &dyn Fn(&str) = &|text| _ = std::hint::black_box(time::find(text, &reference));
    let route: &dyn Fn(&str) = &|text| _ = std::hint::black_box(routing::route(&hearing(text, &reference)));
    let plan: &dyn Fn(&str) = &|text| _ = std::hint::black_box(requests::plan(&hearing(text, &reference), &[]));
    let parts = [
        ("consent", "yes", tsv("consent_test.tsv"), consent),
        ("when", REQUEST, json_lines("when_test.jsonl", "input"), find),
        ("route", REQUEST, tsv("route_test.tsv"), route),
        ("plan", REQUEST, json_lines("plan_test.jsonl", "text"), plan),
        ("plan of twenty words", REQUEST, LONG.repeat(LONG_ROUNDS).into_iter().map(str::to_owned).collect(), plan),
    ];
    let mut first = Vec::new();
    for (name, request, messages, understand) in parts {
        let began = Instant::now();
        understand(request);
        first.push(format!("{name} {:.1}", began.elapsed().as_secs_f64() * 1e3));
        let mut samples = Vec::new();
        for _ in 0..effort.of(1, 5) {
            for message in &messages {
                let began = Instant::now();
                understand(message);
                samples.push(began.elapsed().as_secs_f64() * 1e6);
            }
        }
        let figure = format!("{} / {}", us(median(&samples)), us(quantile(&samples, 0.99)));
        report.add(Row::new(format!("built-in {name}, {} messages, p50 / p99", messages.len()), figure));
    }
    report.add(Row::new("built-in understanding, first use in a process", format!("{} ms", first.join(", "))));
}

fn hearing<'a>(text: &'a str, reference: &'a Reference) -> ParseInput<'a> {
    ParseInput::new(text, reference, BUILDERS)
}

fn reference() -> Reference {
    let now: DateTime<Utc> = "2026-01-12T09:00:00Z".parse().expect("a time");
    Reference { now, zone: chrono_tz::UTC, order: DateOrder::DayFirst }
}

fn read(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/eval").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tsv(file: &str) -> Vec<String> {
    let text = read(file);
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect()
}

fn json_lines(file: &str, field: &str) -> Vec<String> {
    let text = read(file);
    let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.filter_map(|value| Some(value[field].as_str()?.to_owned())).collect()
}
