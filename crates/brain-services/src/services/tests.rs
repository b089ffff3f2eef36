//! What people say for the built-in services' commands.

mod continuation;
pub(crate) mod requests;
mod routing;

use crate::services::across::filling;
use crate::testing;
use brain_language::language::requests::built_in::{SERVICES, grammar_of};
use requests::{asked_in, monday};

/// No command, but the sending of what was just written.
const NO_COMMAND: [&str; 1] = ["email.send_draft"];

#[test]
fn every_command_has_a_phrase_and_every_phrase_a_command() {
    let services = testing::registry().now();
    // The others bring their phrases along.
    let built_in = services.iter().filter(|service| service.phrases.is_none());
    let built_in: Vec<String> = built_in.map(|service| service.info.name.clone()).collect();
    assert_eq!(SERVICES.map(|(service, _)| service).to_vec(), built_in);
    let entries = services.commands(&built_in);
    let commands: Vec<String> =
        entries.iter().map(|entry| format!("{}.{}", entry.service(), entry.command())).collect();
    let grammar = grammar_of(&SERVICES).unwrap();
    let said = grammar.frames.commands();
    let without: Vec<_> = commands.iter().filter(|command| !said.contains(command.as_str())).collect();
    assert!(without.is_empty(), "nobody can ask for {without:?}");
    let own = said.into_iter().filter(|command| services.find(command.split('.').next().unwrap_or_default()).is_some());
    let unknown: Vec<_> = own.filter(|command| !commands.iter().any(|known| known == command)).collect();
    assert_eq!(unknown, NO_COMMAND, "no such command");
}

#[test]
fn every_command_that_phrases_name_has_a_builder() {
    let grammar = grammar_of(&SERVICES).unwrap();
    let said = grammar.frames.commands();
    let without: Vec<_> =
        said.iter().filter(|command| **command != "chat" && filling::builder(command).is_none()).collect();
    assert!(without.is_empty(), "nothing comes of {without:?}");
}

#[test]
fn a_new_phrase_for_a_command_is_one_line() {
    let asked = |line: &str| {
        let mut services = SERVICES;
        let (_, [english, _]) = services.iter_mut().find(|(service, _)| *service == super::task::NAME).unwrap();
        let said = english.replacen("\ncreate\n", &format!("\ncreate\n{line}"), 1);
        *english = &said;
        let grammar = grammar_of(&services).unwrap();
        asked_in(grammar, "please pester us to no end about the gutter", &monday())
    };
    let create = Some(("task.create".to_owned(), vec![("title".to_owned(), "the gutter".to_owned())]));
    assert_ne!(asked(""), create);
    assert_eq!(asked("  pester (me|us) to no end about {title}\n"), create);
}
