//! When generated calendars take place, beside what Python's `recurring-ical-events` says of them: as resources are read
//! and series followed, from the text to the times.
//!
//! `tests/nightly.sh` takes more: `ORACLE_CALENDARS=10000 cargo test --workspace --lib oracle`; `ORACLE_SEED` others.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::read::read;
use crate::services::calendar::occurrence::Occurrence;
use crate::services::contract::show::Moment;
use crate::services::remote::backend::RecordOrigin;
use crate::services::remote::dav::{DavReader, ResourceName};
use brain_core::core::ids::{ChatId, UserId};

/// On every change; the generator takes some seconds for them.
const CALENDARS: &str = "300";
/// Of which at most one in twelve may be left out, each with a reason.
const LEFT_OUT_MAX: usize = 12;

fn instant(text: &str) -> DateTime<Utc> {
    NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%SZ").unwrap().and_utc()
}

/// Start and end as the oracle writes them.
fn told(o: &Occurrence, zone: Tz) -> [String; 2] {
    match o.start {
        Moment::Instant(_) => [o.from, o.to].map(|at| at.format("%Y%m%dT%H%M%SZ").to_string()),
        Moment::Day(day) => [day.to_string(), o.to.with_timezone(&zone).date_naive().to_string()],
    }
}

fn ours(row: &Value) -> Result<Vec<[String; 2]>, String> {
    let zone: Tz = row["zone"].as_str().unwrap().parse().unwrap();
    let (from, to) = (instant(row["from"].as_str().unwrap()), instant(row["to"].as_str().unwrap()));
    let owner = UserId::new("tg:1");
    let reader = DavReader { owner: &owner, chat: &ChatId::new("1"), zone, own: &[], is_shared: false, now: from };
    let name = ResourceName { id: "e".to_owned(), origin: RecordOrigin::new("a", "/e.ics", "1") };
    let event = read(row["ics"].as_str().unwrap(), name, &reader).map_err(|error| error.to_string())?;
    let event = event.ok_or("it was cancelled")?;
    if let Some(rule) = &event.unfollowed_rule {
        return Err(format!("not followed: {rule}"));
    }
    let mut found: Vec<[String; 2]> =
        event.occurrences(from, to, zone, 200_000).iter().map(|o| told(o, zone)).collect();
    found.sort();
    Ok(found)
}

#[test]
fn generated_calendars_take_place_when_another_program_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = Command::new(root.join("tests/servers/install.sh")).arg("--python").output().unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    assert!(Path::new(python.trim()).exists(), "tests/servers/install.sh installs it");
    let setting = |key: &str, usual: &str| std::env::var(key).unwrap_or_else(|_| usual.to_owned());
    let mut oracle = Command::new(python.trim());
    oracle.arg(root.join("tests/servers/recurrences.py"));
    oracle.args(["--seed", &setting("ORACLE_SEED", "11"), "--count", &setting("ORACLE_CALENDARS", CALENDARS)]);
    oracle.args(["--tzdata", chrono_tz::IANA_TZDB_VERSION]);
    let mut oracle = oracle.stdout(Stdio::piped()).spawn().unwrap();
    let (mut rows, mut left_out, mut different) = (0_usize, 0_usize, Vec::new());
    for line in BufReader::new(oracle.stdout.take().unwrap()).lines() {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        rows += 1;
        if row.get("skip").is_some() {
            left_out += 1;
            continue;
        }
        let expected: Vec<[String; 2]> = serde_json::from_value(row["occurrences"].clone()).unwrap();
        let found = ours(&row);
        if found.as_ref() != Ok(&expected) {
            let of = |all: &[[String; 2]]| format!("{} of {}", all.first().map_or("-", |one| &one[0]), all.len());
            let found = found.as_ref().map_or_else(Clone::clone, |found| of(found));
            different.push(format!("{}\nhere {found}, there {}", row["ics"].as_str().unwrap(), of(&expected)));
        }
    }
    assert!(oracle.wait().unwrap().success() && rows > 100, "{rows} rows");
    assert!(left_out * LEFT_OUT_MAX < rows, "{left_out} of {rows} were left out");
    assert!(
        different.is_empty(),
        "{} of {rows} differ:\n{}",
        different.len(),
        different[..different.len().min(20)].join("\n\n")
    );
}
