//! A stranger's first hour in a minute: what the README says, from `setup` to the first answer out of one's own mail.

use std::time::{Duration, Instant};

use super::world::{USER, mail};
use crate::support::dovecot::Dovecot;
use crate::support::postfix::Postfix;
use crate::support::program::Program;

#[test]
fn setup_asks_tries_and_writes_doctor_is_content_and_the_next_question_is_answered() {
    let dovecot = Dovecot::setup().user(USER, "app-password").user("bob@work.example", "pass").start();
    let postfix = Postfix::setup().start(&dovecot);
    dovecot.deliver(USER, "INBOX", mail("plan", "Plan for the move", "the van comes at nine"));
    let program = Program::new();
    let began = Instant::now();
    let mut terminal = program.terminal_command(&["setup", "account", "work"]);
    let mut answers = |question: &str, answer: &str| {
        terminal.waits(question, |terminal| terminal.cursor_line().contains(question));
        terminal.says(answer);
    };
    answers("ddress", USER);
    answers("mail is read at", &format!("imap://127.0.0.1:{}", dovecot.port()));
    answers("mail goes out at", &format!("smtp://127.0.0.1:{}", postfix.port()));
    answers("Password of", "app-password");
    assert!(terminal.ended().success(), "{}", terminal.screen());
    assert!(!terminal.screen().contains("app-password"), "{}", terminal.screen());
    let doctor = program.run(&["doctor"]);
    assert!(doctor.stdout.contains("work") && !doctor.stdout.contains("app-password"), "{}", doctor.stdout);
    let asked = program.run(&["ask", "any unread mail?"]);
    assert_eq!(asked.code, 0, "{}{}", asked.stdout, asked.stderr);
    assert!(asked.stdout.contains("Plan for the move"), "{}{}", asked.stdout, asked.stderr);
    println!("from setup to the first answer: {:?}\n{}", began.elapsed(), doctor.stdout);
    assert!(began.elapsed() < Duration::from_secs(600), "ten minutes, typing left out");
}
