//! `/help` shows an example a command; each of them works when it is said: without a model, on the demo's data.

use crate::support::program::{Program, buttons_of, done_of, outcomes_of, text_of};

const DEMO: [&str; 5] = ["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];
/// What is said where nothing came of it.
const IN_VAIN: [&str; 5] =
    ["didn't understand", "nothing was done", "can't do that", "no such", "no note of that name"];

#[test]
fn every_example_of_help_works_on_the_data_of_the_demo() {
    let help = text_of(&Program::new().console(&DEMO).say("/help"));
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("• ")).collect();
    assert!(examples.len() >= 20, "{help}");
    for example in examples {
        let lines = Program::new().console(&DEMO).say(example);
        let said = text_of(&lines);
        assert!(!IN_VAIN.iter().any(|words| said.contains(words)), "{example}: {said}");
        // It was done, a card asks for a yes, or a question says which one it found.
        let did = outcomes_of(&lines).iter().any(|outcome| outcome["status"] == "succeeded");
        let asks = !buttons_of(&lines).is_empty() || said.contains('?');
        assert!(did || asks, "{example}: {said}\n{:#?}", done_of(&lines));
    }
}
