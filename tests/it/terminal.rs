//! The conversation at a real terminal: typed into, and read back from its screen.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Program, Terminal};

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const UP: &str = "\u{1b}[A";
const DEMO: [&str; 3] = ["--demo", "--now", "2026-01-12T09:00:00Z"];
const MAIL: &str = "send an email to bob.miller@example.com saying the report is late";

fn at_rest(program: &Program, args: &[&str]) -> Terminal {
    let terminal = program.terminal(args);
    terminal.waits("prompt", |terminal| terminal.cursor_line() == "›");
    terminal
}

/// A model that takes half a minute for everything.
fn slow() -> ModelServer {
    let late = ModelReply::text("Late words.").after(Duration::from_secs(30));
    ModelServer::scripted(Script::new().otherwise(late))
}

#[test]
fn the_prompt_stands_below_every_answer_and_before_the_cursor() {
    let mut terminal = at_rest(&Program::new(), &DEMO);
    for (words, told) in
        [("remind me to call mom tomorrow at 5pm", "Reminder set"), ("what do I have tomorrow?", "Standup")]
    {
        terminal.says(words);
        terminal.waits_for(told);
    }
    let lines = terminal.lines();
    let at = |begins: &str| {
        lines.iter().position(|line| line.starts_with(begins)).unwrap_or_else(|| panic!("{begins}: {lines:#?}"))
    };
    assert!(at("› remind me") < at("⏰ Reminder set") && at("⏰ Reminder set") < at("[1]"), "{lines:#?}");
    assert!(at("[1]") < at("› what do I have") && at("› what do I have") < at("📅"), "{lines:#?}");
    let prompts = lines.iter().filter(|line| *line == "›").count();
    assert_eq!((prompts, lines.last().map(String::as_str)), (1, Some("›")), "{lines:#?}");
}

#[test]
fn a_number_presses_a_button_that_says_what_it_does() {
    let mut terminal = at_rest(&Program::new(), &DEMO);
    terminal.says(MAIL);
    terminal.waits_for("[1] 📨 Send   [2] ✖️ Don't   [3] ✏️ Edit");
    terminal.says("2");
    terminal.waits_for("You said no");
    terminal.says("remind me to call mom tomorrow at 5pm");
    terminal.waits_for("[1] ↩️ Undo");
    terminal.says(":1");
    terminal.waits_for("Taken back");
}

#[test]
fn quit_exit_and_ctrl_d_leave_the_terminal_as_it_was() {
    for leaves in ["quit\r", " EXIT \r", CTRL_D, CTRL_C] {
        let mut terminal = at_rest(&Program::new(), &DEMO);
        terminal.says("what do I have tomorrow?");
        terminal.waits_for("Standup");
        assert!(terminal.ended_by(leaves, "Nothing is running any more.").success(), "{leaves:?}");
        assert!(terminal.is_as_found(), "{leaves:?}");
    }
}

#[test]
fn a_terminal_is_given_back_when_the_program_is_told_to_end() {
    let mut terminal = at_rest(&Program::new(), &DEMO);
    terminal.types("half a line");
    terminal.waits("line", |terminal| terminal.cursor_line() == "› half a line");
    assert!(!terminal.is_as_found());
    let pid = terminal.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(terminal.ended().success());
    assert!(terminal.is_as_found());
}

#[test]
fn ctrl_c_clears_a_line_and_ends_the_program_on_an_empty_one() {
    let mut terminal = at_rest(&Program::new(), &DEMO);
    terminal.types("delete every");
    terminal.waits("line", |terminal| terminal.cursor_line() == "› delete every");
    terminal.types(CTRL_C);
    terminal.waits("empty line", |terminal| terminal.cursor_line() == "›");
    terminal.types(CTRL_C);
    assert!(terminal.ended().success());
}

#[test]
fn ctrl_c_stops_what_runs_first_and_ends_the_program_second() {
    let model = slow();
    let mut terminal = at_rest(&Program::new().model(&model), &[]);
    terminal.says("tell me about the meaning of it all");
    terminal.waits("call", |_| !model.calls().is_empty());
    terminal.types(CTRL_C);
    terminal.waits_for("Stopped. Nothing more was done.");
    terminal.says("and what about tea?");
    terminal.waits("call", |_| model.calls().len() > 1);
    terminal.types(CTRL_C);
    terminal.waits("word about it", |terminal| terminal.screen().matches("Stopping.").count() > 1);
    // What it stops may have ended before the next one comes, which is then the first of its own.
    let ended = (0..2).find_map(|_| {
        terminal.types(CTRL_C);
        terminal.ended_within(Duration::from_secs(10))
    });
    assert!(ended.expect("it still runs").success());
    assert!(terminal.is_as_found());
}

#[test]
fn cancel_stops_at_once_what_takes_long() {
    let model = slow();
    let mut terminal = at_rest(&Program::new().model(&model), &[]);
    terminal.says("tell me about the meaning of it all");
    // The prompt is there while it runs, and below what is being done.
    terminal.waits_for("Thinking");
    terminal.says("/cancel");
    terminal.waits_for("Okay, stopping.");
    terminal.waits_for("Stopped. Nothing more was done.");
}

#[test]
fn a_yes_that_was_typed_before_the_card_was_shown_decides_nothing() {
    let late = |value| ModelReply::json(value).held();
    let letter = serde_json::json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."});
    let script = Script::new()
        .always("route", ModelReply::json(serde_json::json!({"type": "action", "domains": ["email"], "is_followup": false})))
        .always("plan", late(serde_json::json!({"actions": [{"service": "email", "command": "send_email", "params": letter, "reasoning": "", "depends_on": []}]})));
    let model = ModelServer::scripted(script.otherwise(ModelReply::text("Fine.")));
    let mut terminal = at_rest(&Program::new().model(&model), &[]);
    terminal.says("send zoe@example.com a mail saying it is late");
    terminal.waits("call", |_| !model.calls_of("plan").is_empty());
    // The prompt is back before anything is typed at it, and what is typed is taken before the card comes.
    terminal.waits("prompt", |terminal| terminal.cursor_line() == "›");
    terminal.says("yes");
    terminal.waits_for("› yes");
    model.release();
    terminal.waits_for("so I took that for nothing");
    terminal.waits_for("[1] 📨 Send");
    terminal.types("2");
    terminal.types("\r");
    terminal.waits_for("You said no");
}

#[test]
fn a_yes_that_was_typed_before_the_prompt_was_back_decides_nothing() {
    let letter = serde_json::json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."});
    let plan = serde_json::json!({"actions": [{"service": "email", "command": "send_email", "params": letter, "reasoning": "", "depends_on": []}]});
    let script = Script::new()
        .always(
            "route",
            ModelReply::json(serde_json::json!({"type": "action", "domains": ["email"], "is_followup": false})),
        )
        .always("plan", ModelReply::json(plan).held());
    let model = ModelServer::scripted(script.otherwise(ModelReply::text("Fine.")));
    let mut terminal = at_rest(&Program::new().model(&model), &[]);
    terminal.types("send zoe@example.com a mail saying it is late\r");
    terminal.waits("call", |_| !model.calls_of("plan").is_empty());
    // No prompt was waited for: it is shown a quarter of a second after the line, or right below a quick answer.
    terminal.types("yes\r");
    model.release();
    terminal.waits_for("[1] 📨 Send");
    terminal.waits_for("for nothing");
    terminal.says("2");
    terminal.waits_for("You said no");
}

#[test]
fn a_yes_that_was_typed_before_a_card_decides_nothing_however_late_it_is_read() {
    let program = Program::new().fail_at("line-handed-on").env("FAIL_AS", "hold");
    let mut terminal = at_rest(&program, &[]);
    terminal.says("send an email to zoe@example.com saying the report is late");
    terminal.waits("line that is handed on", |_| program.reached_file().exists());
    // Nobody reads it before the card is there.
    terminal.types("yes\r");
    terminal.waits("card", |terminal| terminal.screen().contains("[1] 📨 Send"));
    std::fs::remove_file(program.reached_file()).unwrap();
    terminal.waits_for("for nothing");
    terminal.says("2");
    terminal.waits_for("You said no");
}

#[test]
fn a_yes_to_a_card_that_stands_there_waits_for_the_end_of_the_turn_that_asked() {
    let program = Program::new().fail_at("answer-shown").env("FAIL_AS", "hold");
    let mut terminal = at_rest(&program, &[]);
    terminal.says("send an email to zoe@example.com saying the report is late");
    // The turn is not over, and longer so than the prompt waits for it.
    terminal.waits_for("[1] 📨 Send");
    terminal.says("yes");
    terminal.waits("what was typed", |terminal| terminal.screen().contains("› yes"));
    std::thread::sleep(Duration::from_millis(500));
    std::fs::remove_file(program.reached_file()).unwrap();
    terminal.waits_for("you said yes");
}

#[test]
fn what_was_said_comes_back_with_the_arrow_keys_in_a_later_life_as_well() {
    let program = Program::new();
    let mut terminal = at_rest(&program, &[]);
    terminal.says("remember that I take my coffee black");
    terminal.waits_for("coffee");
    terminal.says("/forget the secret place");
    terminal.waits_for("› /forget the secret place");
    terminal.types(CTRL_D);
    terminal.ended();
    let kept = program.data_dir().join("terminal-history.me");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(&kept).unwrap().contains("secret"));

    let mut terminal = at_rest(&program, &[]);
    terminal.types(UP);
    terminal.waits("line", |terminal| terminal.cursor_line() == "› remember that I take my coffee black");
}

#[test]
fn tab_completes_a_command() {
    let mut terminal = at_rest(&Program::new(), &DEMO);
    terminal.types("/pen\t");
    terminal.waits("command", |terminal| terminal.cursor_line() == "› /pending");
    terminal.types("\r");
    terminal.waits_for("Nothing is waiting");
    terminal.types("/st\t\t");
    terminal.waits("choices", |terminal| terminal.screen().contains("/start") && terminal.screen().contains("/status"));
}

#[test]
fn logs_go_to_a_file_and_not_onto_the_screen() {
    let model = ModelServer::scripted(Script::new().otherwise(ModelReply::status(500)));
    let program = Program::new().model(&model).env("RUST_LOG", "debug");
    let mut terminal = at_rest(&program, &[]);
    terminal.says("remind me to call mom tomorrow at 5pm");
    terminal.waits_for("Reminder set");
    let screen = terminal.screen();
    assert!(!screen.contains("WARN") && !screen.contains("DEBUG") && !screen.contains("INFO"), "{screen}");
    let log = std::fs::read_to_string(program.data_dir().join("brain-agent.log")).unwrap();
    assert!(log.contains("fell back"), "{log}");
}

#[test]
fn a_terminal_beside_a_running_one_talks_through_it() {
    let model = slow();
    let program = Program::new().model(&model);
    let _first = at_rest(&program, &["--user", "ann"]);
    let mut second = at_rest(&program, &[]);
    second.says("/pending");
    second.waits_for("Nothing is waiting");
    second.says("tell me about the meaning of it all");
    second.waits("call", |_| !model.calls().is_empty());
    second.types(CTRL_C);
    second.waits_for("Stopped. Nothing more was done.");
    second.says("quit");
    assert!(second.ended().success() && second.is_as_found());
}
