//! The evaluation files: how many everyday sentences are read right, and how fast.

use std::time::Instant;

use serde::Deserialize;

use super::*;
use crate::language::time::start_in;

#[derive(Deserialize)]
struct Row {
    input: String,
    reference: DateTime<chrono::FixedOffset>,
    tz: Option<String>,
    expected_start: Option<DateTime<chrono::FixedOffset>>,
    grain: String,
    /// An expression that most people never write: it may be asked about, but must not be mistaken.
    #[serde(default)]
    uncommon: bool,
}

impl Row {
    fn reference(&self) -> Reference {
        let zone: Tz = self.tz.as_deref().unwrap_or("UTC").parse().unwrap();
        Reference { now: self.reference.to_utc(), zone, order: DateOrder::usual_in(zone) }
    }

    /// An instant, cut down to the grain of the row.
    fn cut(&self, at: DateTime<Tz>) -> String {
        let week = |at: DateTime<Tz>| at.format("%G-W%V").to_string();
        match self.grain.as_str() {
            "minute" => show(at),
            "hour" => at.format("%Y-%m-%dT%H").to_string(),
            "day" => at.format("%Y-%m-%d").to_string(),
            "week" => week(at),
            "month" => at.format("%Y-%m").to_string(),
            _ => at.format("%Y").to_string(),
        }
    }
}

fn rows(name: &str) -> Vec<Row> {
    let path = format!("{}/../../data/eval/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Right rows, wrong instants, refusals.
struct Measured {
    right: u32,
    wrong: u32,
    refused: u32,
}

impl Measured {
    fn share(&self) -> f64 {
        f64::from(self.right) / f64::from(self.right + self.wrong + self.refused)
    }
}

/// Misses are printed, a wrong instant apart from a refusal.
fn measure(name: &str, rows: &[Row]) -> Measured {
    let (mut right, mut wrong, mut refused) = (0, 0, 0);
    let start = Instant::now();
    let answers: Vec<_> = rows.iter().map(|r| start_in(&r.input, &r.reference())).collect();
    let each = start.elapsed() / rows.len() as u32;
    for (row, got) in rows.iter().zip(answers) {
        let zone = row.reference().zone;
        let expected = row.expected_start.map(|at| row.cut(at.with_timezone(&zone)));
        let got = got.map(|at| row.cut(at));
        if expected == got {
            right += 1;
            continue;
        }
        *if got.is_none() { &mut refused } else { &mut wrong } += 1;
        println!("{:?}: {got:?}, not {expected:?}", row.input);
    }
    println!("{name}: {right} of {} right, {wrong} wrong, {refused} refused, {each:?} each", rows.len());
    Measured { right, wrong, refused }
}

#[test]
fn common_sentences_are_read_and_of_the_misses_on_uncommon_ones_four_in_five_are_refusals() {
    let (uncommon, common): (Vec<Row>, Vec<Row>) = rows("when_regression.jsonl").into_iter().partition(|r| r.uncommon);
    assert!(measure("common", &common).share() >= 0.97);
    let Measured { wrong, refused, .. } = measure("uncommon", &uncommon);
    assert!(refused >= 4 * wrong, "{wrong} wrong, {refused} refused");
}

#[test]
fn the_test_sentences_are_read_and_four_in_five_misses_are_refusals() {
    let measured = measure("test", &rows("when_test.jsonl"));
    assert!(measured.share() >= 0.95);
    let Measured { wrong, refused, .. } = measured;
    assert!(refused >= 4 * wrong, "{wrong} wrong, {refused} refused");
}

/// Figures to read, not to assert: they depend on the machine and on the build.
#[test]
fn the_time_a_message_takes_is_printed() {
    let reference = sunday_noon();
    for text in [
        "hi, how are you?",
        "remind me to call mom tomorrow at 5pm",
        "verschieb das Treffen von Montag auf Dienstag um 3",
        "every weekday at 9",
    ] {
        let rounds = 200;
        let start = Instant::now();
        for _ in 0..rounds {
            let _ = find(text, &reference);
        }
        println!("{text:?}: {:?}", start.elapsed() / rounds);
    }
}
