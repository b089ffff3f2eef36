//! A second mailbox: Ines Calder, production manager of a small theatre. Two thousand conversations of 120 days, most of
//! them noise. Unseen in its first run only; two rounds of mending classes followed.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, check_truth, world};
use super::world::World;

const SECOND: Mailbox = Mailbox {
    name: "second",
    owner: "Ines Calder",
    own: &["ines.calder@tidewater-playhouse.example", "ines.calder@example.net"],
    host: "mail.tidewater-playhouse.example",
    seed: 20_260_112,
    threads: 2_000,
    days: 120,
    noise: &[
        (23, Kind::Letter),
        (17, Kind::Receipt),
        (11, Kind::Notice),
        (5, Kind::List),
        (4, Kind::Copy),
        (4, Kind::Group),
        (5, Kind::German),
        (31, Kind::Talk),
    ],
    list: List {
        name: "stage-managers",
        title: "Stage managers",
        host: "lists.example.org",
        members: ["Una Birch", "Olaf Stein", "Peg Rudd"],
        members_host: "stagehands.example",
    },
    german: German { hello: "Liebe Ines,", subject: "Gruß aus dem Norden" },
    planted: include_str!("second/planted.txt"),
    settled: "",
    words: include_str!("second/words.json"),
    belongings: include_str!("second/belongings.json"),
    questions: include_str!("second/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn second_world() -> World {
    world(&SECOND)
}

#[test]
fn the_second_mailbox_is_large_and_always_the_same() {
    check_sameness(&SECOND, 3_000);
}

#[test]
fn there_are_many_wordings_of_everything() {
    check_wordings(&SECOND, 25);
}

#[test]
fn every_item_of_the_second_truth_is_there() {
    let tags = [("me", 14), ("others", 9), ("to-me", 8), ("by-me", 8), ("topic:luebeck", 6), ("topic:shed", 6)];
    check_truth(&SECOND, &tags);
}

#[test]
fn the_program_reads_them_as_so_many_conversations() {
    check_reading(&SECOND, "2,000");
}
