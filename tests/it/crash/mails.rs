//! A mail that ends the process whenever it is read.

use serde_json::json;

use super::{NOW, World, told, told_at_start};
use crate::support::smtp_server::Mode;

const ASKS: &str = "show my unread emails";

#[test]
fn a_mail_that_ends_the_process_each_time_it_is_read_is_set_aside_and_the_others_are_listed() {
    let world = World::new(Mode::Accept);
    for number in 1..=3 {
        let mail = format!(
            "From: Bob <bob@example.com>\nSubject: Letter {number}\nDate: Sat, 10 Jan 2026 0{number}:00:00 +0000\n\nHello\n"
        );
        world.program.receives(&format!("176800000{number}.mail"), mail);
    }
    // Newest first: the second that is read is the second letter, in every life.
    for _death in 0..4 {
        world.dies_at("mail-read:2", NOW, &json!({"text": ASKS}));
    }
    let mut last = world.lives();
    for _asked in 0..2 {
        let listed = told(&last.say(ASKS));
        assert!(listed.contains("Letter 1") && listed.contains("Letter 3"), "{listed}");
        assert!(listed.contains("A mail that I set aside") && !listed.contains("Letter 2"), "{listed}");
    }
}

#[test]
fn a_kill_while_mails_are_read_sets_nothing_aside() {
    let world = World::new(Mode::Accept);
    world.program.receives("1768000001.mail", "From: Bob <bob@example.com>\nSubject: Letter\n\nHello\n");
    for _death in 0..2 {
        world.dies_at("mail-read", NOW, &json!({"text": ASKS}));
    }
    assert!(told(&world.lives().say(ASKS)).contains("Letter"));
}

#[test]
fn while_a_mail_is_being_read_its_owner_is_told_so_and_anybody_else_is_answered() {
    let world = World::new(Mode::Accept);
    world.program.receives("1768000001.mail", "From: Bob <bob@example.com>\nSubject: Letter\n\nHello\n");
    // Reading stops in the middle, and so does its thread.
    let program = world.program.clone().fail_at("mail-read");
    let mut console = program.at(NOW);
    let asked = told(&console.say(ASKS));
    assert!(asked.contains("I've read 0 of your 1 mails so far, newest first."), "{asked}");
    let other = told(&console.send(json!({"user": "ben", "text": "/pending"})));
    assert!(other.contains("Nothing"), "{other}");
}

#[test]
fn a_mail_that_was_being_archived_or_deleted_when_the_process_died_is_told_as_it_lies() {
    for (border, told_of) in [("effect-started", "could not"), ("effect-done", "Archived: Letter")] {
        let world = World::new(Mode::Accept);
        world.program.receives("1768000001.mail", "From: Bob <bob@example.com>\nSubject: Letter\n\nHello\n");
        world.dies_at(border, NOW, &json!({"text": "archive the mail from Bob"}));
        let mut next = world.lives();
        let told = told(&told_at_start(&mut next));
        assert!(told.contains(told_of), "{border}: {told}");
        let archived = world.program.data_dir().join("mail/me/.Archive/cur/1768000001.mail:2,").exists();
        assert_eq!(archived, border == "effect-done", "{border}");
    }
}
