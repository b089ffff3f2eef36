//! A stranger's mailbox, written by somebody who had not seen how the program recognises things, but for some twenty
//! lines of an edit to it, met by accident. Of six such mailboxes it is the one that was worked on least; what the others
//! came to is in `docs/measured.md`. Rhys Penhallow, a freelance graphic designer in Bristol with two
//! clients, coach of an under-nines football team, who does up a flat while he rents another, with a father in Swansea,
//! a mother married again in Graz and a sister about to be married. A hundred and eighty conversations of 70 days.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, check_truth, world};
use super::world::World;

const STRANGER: Mailbox = Mailbox {
    name: "stranger",
    owner: "Rhys Penhallow",
    own: &["rhys@penhallowdesign.example", "rhys.penhallow@example.net", "coach@totterdowntigers.example"],
    host: "mx.penhallowdesign.example",
    seed: 6_118_373,
    threads: 180,
    days: 70,
    noise: &[
        (10, Kind::Letter),
        (13, Kind::Receipt),
        (9, Kind::Notice),
        (8, Kind::List),
        (5, Kind::Copy),
        (6, Kind::Group),
        (6, Kind::German),
        (24, Kind::Talk),
        (19, Kind::Settled),
    ],
    list: List {
        name: "inkpots",
        title: "Ink Pots of the West",
        host: "lists.example.com",
        members: ["Delyth Farr", "Quentin Sorrel", "Amina Bashir"],
        members_host: "inkpotswest.example",
    },
    german: German { hello: "Servus Rhys,", subject: "Grüße aus Graz" },
    planted: include_str!("stranger/planted.txt"),
    settled: include_str!("stranger/settled.txt"),
    words: include_str!("stranger/words.json"),
    belongings: include_str!("stranger/belongings.json"),
    questions: include_str!("stranger/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn strangers_world() -> World {
    world(&STRANGER)
}

#[test]
fn the_strangers_mailbox_is_always_the_same() {
    check_sameness(&STRANGER, 320);
}

#[test]
fn there_are_many_wordings_of_everything() {
    check_wordings(&STRANGER, 10);
}

#[test]
fn every_item_of_the_strangers_truth_is_there() {
    let tags = [("me", 19), ("reply", 14), ("others", 10), ("to-me", 8), ("by-me", 7), ("topic:flat", 7)];
    check_truth(&STRANGER, &tags);
}

#[test]
fn the_stranger_asks_in_many_wordings() {
    let questions = strangers_world().questions;
    assert!(questions.iter().map(|question| question.texts.len()).sum::<usize>() >= 62);
    assert!(questions.iter().filter(|question| question.texts.len() > 1).count() >= 10);
}

#[test]
fn the_program_reads_them_as_so_many_conversations() {
    check_reading(&STRANGER, "180");
}
