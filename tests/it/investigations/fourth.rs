//! A fourth mailbox, written by somebody else again who had not seen how the program recognises anything: Fergus Adair,
//! a piano tuner and restorer in Stroud, captain of the bell ringers in a village, with a daughter of sixteen and an old
//! mother far away. Two hundred and fifty conversations of 90 days.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, check_truth, world};
use super::world::World;

const FOURTH: Mailbox = Mailbox {
    name: "fourth",
    owner: "Fergus Adair",
    own: &["fergus@adairpianos.example", "fergus.adair@example.net", "tower@stlawrencebells.example"],
    host: "mx.adairpianos.example",
    seed: 4_400_118,
    threads: 250,
    days: 90,
    noise: &[
        (14, Kind::Letter),
        (13, Kind::Receipt),
        (12, Kind::Notice),
        (5, Kind::List),
        (3, Kind::Copy),
        (3, Kind::Group),
        (4, Kind::German),
        (22, Kind::Talk),
        (24, Kind::Settled),
    ],
    list: List {
        name: "tuners-west",
        title: "Tuners of the West",
        host: "lists.example.com",
        members: ["Hob Yarrow", "Celia Thring", "Dougal Mair"],
        members_host: "tunerswest.example",
    },
    german: German { hello: "Lieber Fergus,", subject: "Neues aus der Werkstatt" },
    planted: include_str!("fourth/planted.txt"),
    settled: include_str!("fourth/settled.txt"),
    words: include_str!("fourth/words.json"),
    belongings: include_str!("fourth/belongings.json"),
    questions: include_str!("fourth/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn fourth_world() -> World {
    world(&FOURTH)
}

#[test]
fn the_fourth_mailbox_is_always_the_same() {
    check_sameness(&FOURTH, 450);
}

#[test]
fn the_fourth_has_wordings_enough() {
    check_wordings(&FOURTH, 10);
}

#[test]
fn every_item_of_the_fourth_truth_is_there() {
    let tags = [("me", 19), ("reply", 13), ("others", 12), ("to-me", 8), ("by-me", 9), ("topic:leipzig", 4)];
    check_truth(&FOURTH, &tags);
}

#[test]
fn the_fourth_asks_in_many_wordings() {
    let questions = fourth_world().questions;
    assert!(questions.iter().map(|question| question.texts.len()).sum::<usize>() >= 65);
    assert!(questions.iter().filter(|question| question.texts.len() > 1).count() >= 10);
}

#[test]
fn the_program_reads_the_fourth_as_so_many_conversations() {
    check_reading(&FOURTH, "250");
}
