//! What people say for the built-in services' commands.

use super::{filling, phrases, task, testing};
use crate::language::requests::compile::built_in::compiled;
use crate::language::requests::tests::monday;

/// "Send it": no command, but the sending of what was just written.
const NO_COMMAND: [&str; 1] = ["email.send_draft"];

#[test]
fn the_grammar_in_use_follows_from_the_services_phrases_and_these_hold_no_mistake() {
    compiled(&phrases()).check();
}

#[test]
fn every_command_has_a_phrase_and_every_phrase_a_command() {
    let services = testing::registry().now();
    assert_eq!(phrases().map(|(service, _)| service).to_vec(), services.names());
    let entries = services.commands(&services.names());
    let commands: Vec<String> =
        entries.iter().map(|entry| format!("{}.{}", entry.service(), entry.command())).collect();
    let said = compiled(&phrases()).commands;
    let without: Vec<_> = commands.iter().filter(|command| !said.contains(*command)).collect();
    assert!(without.is_empty(), "nobody can ask for {without:?}");
    let own = said.iter().filter(|command| services.find(command.split('.').next().unwrap_or_default()).is_some());
    let unknown: Vec<_> = own.filter(|command| !commands.contains(command)).collect();
    assert_eq!(unknown, NO_COMMAND, "no such command");
}

#[test]
fn every_command_that_phrases_name_has_a_builder() {
    let said = compiled(&phrases()).commands;
    let without: Vec<_> =
        said.iter().filter(|command| *command != "chat" && filling::builder(command).is_none()).collect();
    assert!(without.is_empty(), "nothing comes of {without:?}");
}

#[test]
fn a_new_phrase_for_a_command_is_one_line() {
    let asked = |line: &str| {
        let said = task::PHRASES[0].replacen("\ncreate\n", &format!("\ncreate\n{line}"), 1);
        let texts = [&said, task::PHRASES[1]];
        let mut services: [(&str, &[&str]); 6] = phrases();
        services.iter_mut().filter(|(service, _)| *service == task::NAME).for_each(|(_, said)| *said = &texts);
        compiled(&services).asked("please pester us to no end about the gutter", &monday())
    };
    let create = Some(("task.create".to_owned(), vec![("title".to_owned(), "the gutter".to_owned())]));
    assert_ne!(asked(""), create);
    assert_eq!(asked("  pester (me|us) to no end about {title}\n"), create);
}
