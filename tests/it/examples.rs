//! `/help all` shows an example a command; each of them works when it is said: without a model, on the demo's data.

use crate::support::program::{Program, buttons_of, done_of, outcomes_of, path_of, pending_ids, text_of};

const DEMO: [&str; 5] = ["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];
/// What is said where nothing came of it.
const IN_VAIN: [&str; 5] =
    ["didn't understand", "nothing was done", "can't do that", "no such", "no note of that name"];

/// Asked of the assistant itself, where nothing was done before.
const TOLD: [&str; 6] = [
    "My time zone is Lisbon",
    "Show more",
    "Show my settings",
    "Undo that",
    "What did you just do?",
    "What is waiting for my yes?",
];

#[test]
fn every_example_of_help_works_on_the_data_of_the_demo() {
    let help = text_of(&Program::new().console(&DEMO).say("/help all"));
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("• ")).collect();
    assert!(examples.len() >= 20, "{help}");
    for example in examples {
        let lines = Program::new().console(&DEMO).say(example);
        let said = text_of(&lines);
        assert!(!IN_VAIN.iter().any(|words| said.contains(words)), "{example}: {said}");
        // The demo's people stand in an address book that is only read: that is said.
        if said.contains("an address book that I only read") {
            assert_eq!(example, "Delete Tom from my contacts");
            continue;
        }
        // It was done, a card asks for a yes, or a question says which one it found.
        let did = outcomes_of(&lines).iter().any(|outcome| outcome["status"] == "succeeded");
        let asks = !buttons_of(&lines).is_empty() || said.contains('?');
        // What code tells of itself is done once it is told.
        let is_told = TOLD.contains(&example) && done_of(&lines)["path"] == "command";
        assert!(did || asks || is_told, "{example}: {said}\n{:#?}", done_of(&lines));
    }
}

/// The rows of the quick start's first table: what it is about, and what is said there one after the other, each with its
/// remark.
fn quick_start() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let page = include_str!("../../docs/quick-start.md");
    let rows = page.split("| topic | what to say |").nth(1).unwrap().lines().skip(2);
    let cells = rows.map_while(|row| row.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let examples = |cell: &'static str| {
        let mut parts = cell.split('"').skip(1);
        std::iter::from_fn(move || Some((parts.next()?, parts.next().unwrap_or_default()))).collect()
    };
    cells.map(|(topic, cell)| (topic, examples(cell))).collect()
}

#[test]
fn what_the_quick_start_says_works_on_the_data_of_the_demo() {
    let rows = quick_start();
    assert!(rows.len() == 10 && rows.iter().all(|(_, examples)| examples.len() >= 3), "{rows:?}");
    for (topic, examples) in rows {
        let mut console = Program::new().console(&DEMO);
        for (example, remark) in examples {
            let lines = console.say(example);
            let said = text_of(&lines);
            assert!(!IN_VAIN.iter().any(|words| said.contains(words)), "{topic}: {example}: {said}");
            let path = path_of(&lines);
            assert!(!["clarify", "error", "blocked"].contains(&path), "{topic}: {example}: {path}: {said}");
            let failed = outcomes_of(&lines)
                .iter()
                .any(|outcome| !["succeeded", "pending"].contains(&outcome["status"].as_str().unwrap()));
            assert!(!failed, "{topic}: {example}: {said}");
            assert_eq!(!pending_ids(&lines).is_empty(), remark.contains("a card"), "{topic}: {example}: {said}");
        }
    }
}

#[test]
fn help_is_a_dozen_lines_and_each_part_a_page_that_is_found_by_any_name() {
    let mut console = Program::new().console(&DEMO);
    let first = text_of(&console.say("/help"));
    assert!(first.lines().count() <= 16 && first.contains("• Mail: ") && first.contains("/undo"), "{first}");
    for (asked, title, example) in [
        ("/help mail", "\nMail\n", "• Archive the last mail from Anna"),
        ("/help e-mails", "\nMail\n", "• Archive the last mail from Anna"),
        ("/help calender", "\nCalendar\n", "• Lunch with Sarah on Friday at noon"),
        ("/help reminders", "\nTasks and reminders\n", "• Remind me to call mom tomorrow at 5pm"),
        ("/help phone numbers", "\nPeople\n", "• What's Anna's number?"),
        ("/help Commands", "Commands\n", "/undo: "),
    ] {
        let page = text_of(&console.say(asked));
        assert!(page.contains(title) && page.contains(example), "{asked}: {page}");
    }
    assert!(text_of(&console.say("/help flurb")).contains("There are: "));
}
