//! The transcript in the README is what the program says: played at a real terminal, compared line by line.

use crate::support::program::{Program, Terminal};

const README: &str = include_str!("../../README.md");
/// So wide that no line is broken.
const COLUMNS: u16 = 400;
const PROMPT: &str = "› ";

/// The first block that shows what somebody types.
fn transcript() -> Vec<&'static str> {
    let block = README.split("```").find(|block| block.contains(&format!("\n{PROMPT}"))).unwrap();
    block.trim().lines().collect()
}

/// Ids of cards are new every time.
fn normalised(line: &str) -> String {
    match line.split_once(" · ") {
        Some((waits, _)) if waits.starts_with("Waits until ") => waits.to_owned(),
        _ => line.trim_end().to_owned(),
    }
}

/// What stands on the screen from the first line that was typed to the last of the last answer.
fn shown(terminal: &Terminal) -> Vec<String> {
    let lines = terminal.lines();
    let from = lines.iter().position(|line| line.starts_with(PROMPT) && line.len() > PROMPT.len()).unwrap();
    let is_told = |line: &String| !line.is_empty() && line != PROMPT.trim_end();
    lines[from..].iter().map(|line| normalised(line)).filter(is_told).collect()
}

#[test]
fn the_transcript_of_the_readme_is_the_programs() {
    let program = Program::new();
    let mut terminal =
        program.terminal_of(COLUMNS, &["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"]);
    terminal.waits("prompt", |terminal| terminal.cursor_line() == "›");
    for said in transcript().iter().filter_map(|line| line.strip_prefix(PROMPT)) {
        terminal.says(said);
        // The answer stands below what was typed, and the prompt below the answer.
        let is_answered = |lines: &[String]| {
            let typed = lines.iter().rposition(|line| line == &format!("{PROMPT}{said}"));
            typed.is_some_and(|at| lines[at + 1..].iter().any(|line| !line.is_empty() && line != "›"))
        };
        terminal.waits("the answer", |terminal| terminal.cursor_line() == "›" && is_answered(&terminal.lines()));
    }
    let shown = shown(&terminal);
    let written: Vec<String> = transcript().into_iter().map(normalised).filter(|line| !line.is_empty()).collect();
    assert_eq!(written, shown, "the README should read:\n{}\n", shown.join("\n"));
}
