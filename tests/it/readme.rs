//! The transcript in the README is what the program says: played at a real terminal, compared line by line.

use crate::support::program::{Program, Terminal};

const README: &str = include_str!("../../README.md");
/// So wide that no line is broken.
const COLUMNS: u16 = 400;
const PROMPT: &str = "› ";

/// The first block that shows what somebody types: its lines as they are compared.
fn transcript() -> Vec<String> {
    let block = README.split("```").find(|block| block.contains(&format!("\n{PROMPT}"))).unwrap();
    block.trim().lines().map(normalised).filter(|line| !line.is_empty()).collect()
}

/// Ids of cards are new every time.
fn normalised(line: &str) -> String {
    match line.split_once(" · ") {
        Some((waits, _)) if waits.starts_with("Waits until ") => waits.to_owned(),
        _ => line.trim_end().to_owned(),
    }
}

/// Every line of progress, and no answer of the transcript: a busy machine shows any of them.
fn is_progress(line: &str) -> bool {
    let amount = |rest: &str| rest.split(" of ").all(|number| number.trim().replace(',', "").parse::<u64>().is_ok());
    line.split_once('…').is_some_and(|(_, rest)| rest.is_empty() || amount(rest))
}

/// What stands on the screen from the first line that was typed to the last of the last answer, without the progress
/// that is told of what takes long.
fn shown(terminal: &Terminal) -> Vec<String> {
    let lines = terminal.lines();
    let typed = lines.iter().position(|line| line.starts_with(PROMPT) && line.len() > PROMPT.len());
    let is_told = |line: &String| !line.is_empty() && line != PROMPT.trim_end() && !is_progress(line);
    lines[typed.unwrap_or(lines.len())..].iter().map(|line| normalised(line)).filter(is_told).collect()
}

#[test]
fn the_transcript_of_the_readme_is_the_programs() {
    let program = Program::new();
    let mut terminal =
        program.terminal_of(COLUMNS, &["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"]);
    terminal.waits("prompt", |terminal| terminal.cursor_line() == "›");
    let written = transcript();
    for (at, said) in written.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix(PROMPT)?))) {
        terminal.says(said);
        // The whole answer, and the prompt below it; what is typed earlier is taken for nothing.
        let next = written[at + 1..].iter().position(|line| line.starts_with(PROMPT));
        let end = next.map_or(written.len(), |next| at + 1 + next);
        terminal.waits("answer as the README has it", |terminal| {
            terminal.cursor_line() == "›" && shown(terminal) == written[..end]
        });
    }
}
