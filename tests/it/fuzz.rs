//! Mutated messages against the two readers that decide without a model: consent and times.
//!
//! Seeded from the evaluation files; as many rounds on every machine. `FUZZ_SEED` chooses other messages (it is
//! printed, and every failure names it), `FUZZ_ROUNDS` makes a longer search of it, which `FUZZ_SECONDS` ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use brain_agent::language::consent;
use brain_agent::language::consent::Consent;
use brain_agent::language::time;
use brain_agent::language::time::{DateOrder, Grain, Reference, When};
use serde_json::Value;

/// Rarely a message becomes very long; more often it stays what a phone sends.
const CHARS_MAX: usize = 400;
const CHARS_MAX_HUGE: usize = 100_000;

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A place between two characters.
    fn border(&mut self, text: &str) -> usize {
        let nth = self.below(text.chars().count() + 1);
        text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at)
    }
}

const STRANGE: &[&str] = &[
    "\u{200b}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{202e}",
    "\u{0}",
    "\u{301}",
    "\u{feff}",
    "👍",
    "👍🏽",
    "🙅\u{200d}♂️",
    "❌",
    "0",
    "7",
    "31",
    "99999999999999999999",
    "12:",
    ":30",
    "/",
    "-",
    ".",
    "..",
    "?",
    "!",
    ",",
    "'",
    "\"",
    "¡",
    "،",
    "।",
    "\n",
    "\t",
    " ",
    "\u{a0}",
    "pm",
    "not",
    "no",
    "yes",
    "да",
    "ß",
    "İ",
    "ı",
    "ﬁ",
    "K",
    "𝐲𝐞𝐬",
    "e\u{301}",
    "-1",
    "+",
    "UTC",
    "Feb 30",
    "25:61",
    "every",
    "next",
    "between",
    "and",
];

fn mutated(dice: &mut Dice, seeds: &[String]) -> String {
    let mut text = dice.pick(seeds).clone();
    for _ in 0..=dice.below(3) {
        let (from, to) = (dice.border(&text), dice.border(&text));
        let (from, to) = (from.min(to), from.max(to));
        match dice.below(8) {
            0 => text.insert_str(from, dice.pick::<&str>(STRANGE)),
            1 => text.truncate(from),
            2 => text.replace_range(from..to, ""),
            3 => text = [&text[..to], &text[from..]].concat(),
            4 => {
                let other = dice.pick(seeds);
                let at = dice.border(other);
                text.replace_range(from.., &other[at..]);
            }
            5 => text.replace_range(from..to, dice.pick::<&str>(STRANGE)),
            6 => text = if dice.below(2) == 0 { text.to_uppercase() } else { text.to_lowercase() },
            _ => {
                let huge = dice.below(200) == 0;
                let max = if huge { CHARS_MAX_HUGE } else { CHARS_MAX };
                let piece = text[from..to].to_owned();
                let times = max / piece.chars().count().max(1);
                text.insert_str(to, &piece.repeat(dice.below(times.max(1))));
            }
        }
    }
    text
}

fn from_env(key: &str, otherwise: u64) -> u64 {
    std::env::var(key).ok().map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{key} is no number")))
}

/// Runs `claim` on mutated messages and reports the first that breaks it, with what is needed to see it again.
fn fuzz(name: &str, rounds: u64, seeds: &[String], mut claim: impl FnMut(&str, &mut Dice)) {
    assert!(seeds.len() > 100, "seeds of {name}");
    let seed = from_env("FUZZ_SEED", 20_260_111);
    let rounds = from_env("FUZZ_ROUNDS", rounds);
    let limit = Duration::from_secs(from_env("FUZZ_SECONDS", u64::MAX));
    println!("{name}: FUZZ_SEED={seed}");
    let (mut dice, begun) = (Dice(seed), Instant::now());
    let (mut done, mut slowest) = (0, (Duration::ZERO, 0));
    while done < rounds && begun.elapsed() < limit {
        let text = mutated(&mut dice, seeds);
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| claim(&text, &mut dice)));
        let shown: String = text.chars().take(300).collect();
        assert!(result.is_ok(), "{name}: FUZZ_SEED={seed}, round {done}, {} bytes: {shown:?}", text.len());
        slowest = slowest.max((started.elapsed(), text.len()));
        done += 1;
    }
    println!("{name}: {done} messages in {:?}; slowest {:?} for {} bytes", begun.elapsed(), slowest.0, slowest.1);
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

#[test]
fn no_mutated_message_confuses_the_reader_of_consent() {
    let tables =
        [include_str!("../../data/eval/consent_test.tsv"), include_str!("../../data/eval/consent_regression.tsv")];
    let seeds: Vec<String> =
        tables.iter().flat_map(|table| lines(table)).map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    let mut decided = 0;
    fuzz("consent", 5_000, &seeds, |text, dice| {
        let read = consent::read(text);
        assert_eq!(read, consent::read(text), "the same message, the same reading");
        let amends = consent::amends(text);
        assert_eq!(read, consent::read(&text.to_ascii_uppercase()), "case means nothing");
        assert_eq!(read, consent::read(&text.to_ascii_lowercase()), "case means nothing");
        if read == Consent::Other {
            return;
        }
        decided += 1;
        assert!(!amends, "a decision is no change");
        // A decision covers its whole text: a word or sign that no answer has, anywhere, undoes it.
        for alien in ["xqzw ", " xqzw"] {
            for whole in [format!("{alien}{text}"), format!("{text}{alien}")] {
                assert_eq!(consent::read(&whole), Consent::Other, "{whole:?}");
            }
        }
        for alien in ["5", "?", "\"", "\u{200b}", "\u{202e}", "…", "@"] {
            let mut whole = text.to_owned();
            whole.insert_str(dice.border(text), alien);
            // Words that trail off decide nothing, but may put off.
            let begun = whole.trim_end_matches(['.', '…', ' ']);
            let puts_off = alien == "…" && begun.len() < whole.len() && consent::read(begun) == Consent::Wait;
            let expected = if puts_off { Consent::Wait } else { Consent::Other };
            assert_eq!(consent::read(&whole), expected, "{whole:?}");
        }
    });
    assert!(decided > 100, "only {decided} mutated messages were still answers");
}

/// Ordinary days, and those on which clocks or calendars jump.
fn references() -> Vec<Reference> {
    let rows = [
        ("2026-01-11T11:00:00Z", "Europe/Berlin"),
        ("2026-03-29T00:59:59Z", "Europe/Berlin"),
        ("2026-10-25T00:30:00Z", "Europe/Dublin"),
        ("2026-11-01T05:30:00Z", "America/New_York"),
        ("2024-02-29T23:59:00Z", "Pacific/Kiritimati"),
        ("2026-04-04T15:10:00Z", "Australia/Lord_Howe"),
        ("2011-12-29T20:00:00Z", "Pacific/Apia"),
        ("2026-12-31T18:14:00Z", "Asia/Kathmandu"),
        ("1970-01-01T00:00:00Z", "UTC"),
    ];
    rows.into_iter()
        .map(|(now, zone)| {
            let zone = zone.parse().unwrap();
            Reference { now: now.parse().unwrap(), zone, order: DateOrder::usual_in(zone) }
        })
        .collect()
}

#[test]
fn no_mutated_message_confuses_the_reader_of_times() {
    let tables =
        [include_str!("../../data/eval/when_test.jsonl"), include_str!("../../data/eval/when_regression.jsonl")];
    let input = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        row["input"].as_str().unwrap().to_owned()
    };
    let seeds: Vec<String> = tables.iter().flat_map(|table| lines(table)).map(input).collect();
    let references = references();
    let mut understood = 0;
    fuzz("times", 2_000, &seeds, |text, dice| {
        let reference = dice.pick(&references);
        let found = time::find(text, reference);
        assert_eq!(found, time::find(text, reference), "the same text, the same times");
        let mut last = 0;
        for one in &found {
            assert!(last <= one.span.start && one.span.start < one.span.end, "{:?} after {last}", one.span);
            let words = text.get(one.span.clone()).expect("a span on character borders");
            assert!(!words.trim().is_empty(), "an expression has words");
            last = one.span.end;
            if let Ok(when) = &one.result {
                understood += 1;
                check_meaning(when, reference);
            }
        }
        let start = time::start_of(&found);
        assert!(start.is_none() || !found.is_empty(), "no time without words");
        if let Some(at) = start {
            assert!(!time::describe(at, Grain::Minute, reference).is_empty());
        }
        let _ = (time::resolve(text, reference), time::start_in(text, reference), time::is_clock_only(text));
    });
    assert!(understood > 100, "only {understood} times were still understood");
}

fn check_meaning(when: &When, reference: &Reference) {
    if let Some(start) = when.start() {
        assert_eq!(start.timezone(), reference.zone, "local times are the person's");
    }
    match when {
        When::Range { start, end, .. } => assert!(start <= end, "a span that ends before it begins: {start} – {end}"),
        When::Recurrence { rrule, .. } => assert!(rrule.contains("FREQ="), "{rrule}"),
        When::Point { .. } | When::Duration(_) => {}
    }
}
