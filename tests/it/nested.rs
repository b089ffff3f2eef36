//! A hundred thousand levels against the parsers of what others send that have no test of their own for it: each is told
//! that it is too much, or read without going down, on a stack smaller than a worker's, and soon. The table of all of them
//! is in `docs/parsers.md`.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono_tz::Tz;
use serde_json::Value;
use serde_json::value::RawValue;

use brain_agent::accounts::{AccountsPlace, PlaceChosenBy, parse_accounts};
use brain_agent::custom_commands::read_services;
use brain_agent::ical::{Malformed, blocks};
use brain_agent::language::time::{describe_recurrence, next_occurrence};
use brain_agent::limits::PROMPT_FILE_BYTES_MAX;
use brain_agent::prompts::{PromptError, Prompts};
use brain_testing::fuzzing::ThreadClock;

const LEVELS: usize = 100_000;

/// What it comes to on a small stack, and soon.
fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let timed = || {
        let began = ThreadClock::now();
        (work(), began.elapsed())
    };
    let (done, took) = std::thread::Builder::new().stack_size(1024 * 1024).spawn(timed).unwrap().join().unwrap();
    assert!(took < Duration::from_secs(30), "{took:?}");
    done
}

fn nested(open: &str, core: &str, close: &str) -> String {
    nested_to(LEVELS, open, core, close)
}

fn nested_to(levels: usize, open: &str, core: &str, close: &str) -> String {
    format!("{}{core}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_hundred_thousand_levels_of_json_are_no_value() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":[", "]}]")] {
        for text in [nested(open, "1", close), open.repeat(LEVELS)] {
            assert!(soon(move || serde_json::from_str::<Value>(&text)).is_err(), "{open}");
        }
        // What is passed over or kept as it came is walked through without going down, and no value either when it is read.
        let text = nested(open, "1", close);
        let raw = soon(move || serde_json::from_str::<Box<RawValue>>(&text)).unwrap();
        assert!(soon(move || serde_json::from_str::<Value>(raw.get())).is_err(), "{open}");
    }
}

#[test]
fn a_hundred_thousand_levels_in_a_file_of_accounts_or_services_are_told() {
    let place = || AccountsPlace { path: "accounts.toml".into(), chosen_by: PlaceChosenBy::Folder };
    for text in [
        format!("a = {}", nested("[", "", "]")),
        format!("a = {}", nested("{a=", "1", "}")),
        format!("a = {}", "[".repeat(LEVELS)),
        format!("{} = 1", ["a"; LEVELS].join(".")),
        format!("[{}]", ["a"; LEVELS].join(".")),
        format!("[[{}]]", ["a"; LEVELS].join(".")),
        "[".repeat(LEVELS),
    ] {
        let shown: String = text.chars().take(12).collect();
        let again = text.clone();
        let accounts = soon(move || parse_accounts(&text, &place()));
        assert!(accounts.is_err(), "{shown}");
        let services = soon(move || read_services(&again, &|_| None));
        assert!(services.is_err(), "{shown}");
    }
}

#[test]
fn a_hundred_thousand_components_in_each_other_are_too_deep() {
    for text in [nested("BEGIN:A\r\n", "", "END:A\r\n"), "BEGIN:VCALENDAR\r\n".repeat(LEVELS)] {
        assert_eq!(soon(move || blocks(&text)), Err(Malformed::TooLarge));
    }
}

#[test]
fn a_hundred_thousand_parts_of_a_rule_repeat_nothing_for_long() {
    let first = chrono::DateTime::UNIX_EPOCH.with_timezone(&Tz::UTC);
    for rule in [
        format!("FREQ=DAILY{}", ";INTERVAL=2".repeat(LEVELS)),
        format!("FREQ=DAILY;BYDAY=MO{}", ",MO".repeat(LEVELS)),
        format!("FREQ=YEARLY;BYYEARDAY=1{}", ",1".repeat(LEVELS)),
        format!("FREQ=DAILY;BYHOUR=1{};BYMINUTE=1{}", ",1".repeat(LEVELS), ",1".repeat(LEVELS)),
        format!("FREQ=DAILY;INTERVAL={}", "9".repeat(LEVELS)),
        format!("FREQ={}", "(".repeat(LEVELS)),
    ] {
        soon(move || {
            let _ = next_occurrence(&rule, first, chrono::DateTime::UNIX_EPOCH);
            describe_recurrence(&rule)
        });
    }
}

#[test]
fn a_hundred_thousand_levels_in_a_prompt_are_too_long_and_fewer_are_told() {
    for (open, close) in [("{% if a %}", "{% endif %}"), ("{{ (", ") }}"), ("{{ [", "] }}"), ("{{ not ", "a }}")] {
        for levels in [LEVELS / 10, LEVELS] {
            let system = nested_to(levels, open, "", close);
            let is_too_long = system.len() as u64 > PROMPT_FILE_BYTES_MAX;
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("chat.md"), format!("{system}\n---\nx")).unwrap();
            let loaded = soon(move || Prompts::load(Some(folder.path())).map(drop));
            match is_too_long {
                true => assert!(matches!(loaded, Err(PromptError::Unreadable { .. })), "{open}"),
                false => assert!(matches!(loaded, Err(PromptError::Unusable { .. })), "{open}"),
            }
        }
    }
}

#[test]
fn a_hundred_thousand_labels_and_steps_of_an_address_are_read_without_going_down() {
    let labels =
        [nested("a.", "a", ""), nested("xn--", "a", ""), nested("\u{4e2d}.", "a", ""), nested("[", "::1", "]")];
    for host in labels {
        soon(move || {
            let _ = idna::domain_to_unicode(&host);
            let _ = idna::domain_to_ascii(&host);
            reqwest::Url::parse(&format!("https://{host}/")).is_ok()
        });
    }
    for path in [nested("../", "", ""), nested("a/", "", "../"), nested("%25", "", ""), nested("?", "", "#")] {
        assert!(soon(move || reqwest::Url::parse(&format!("https://a.example/{path}"))).is_ok());
    }
}

#[test]
fn a_hundred_thousand_values_within_values_of_an_env_file_are_read_without_going_down() {
    for line in [nested("${A", "", "}"), nested("$A", "", ""), nested("\\", "", ""), nested("'\"", "", "\"'")] {
        let read: BTreeMap<String, bool> = soon(move || {
            let text = format!("A={line}\nB=1\n");
            dotenvy::from_read_iter(text.as_bytes())
                .map(|one| (format!("{:?}", one.as_ref().err()), one.is_ok()))
                .collect()
        });
        assert!(!read.is_empty());
    }
}
