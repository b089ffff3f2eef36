//! A third mailbox, written by somebody who had not seen how the program recognises anything: Nuala Brandt, a
//! physiotherapist in Leeds with two children, who chairs a canoe club. Four hundred conversations of 100 days, half of
//! the noise between people and settled.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, check_truth, world};
use super::world::World;

const THIRD: Mailbox = Mailbox {
    name: "third",
    owner: "Nuala Brandt",
    own: &["nuala@brandtphysio.example", "nuala.brandt@example.net", "chair@airevalleypaddlers.example"],
    host: "post.brandtphysio.example",
    seed: 7_700_902,
    threads: 400,
    days: 100,
    noise: &[
        (15, Kind::Letter),
        (15, Kind::Receipt),
        (14, Kind::Notice),
        (5, Kind::List),
        (3, Kind::Copy),
        (3, Kind::Group),
        (4, Kind::German),
        (13, Kind::Talk),
        (28, Kind::Settled),
    ],
    list: List {
        name: "northern-paddlers",
        title: "Northern Paddlers",
        host: "lists.example.net",
        members: ["Hattie Lund", "Moss Turner", "Raj Bains"],
        members_host: "paddlers.example",
    },
    german: German { hello: "Hallo Nuala,", subject: "Grüße aus Münster" },
    planted: include_str!("third/planted.txt"),
    settled: include_str!("third/settled.txt"),
    words: include_str!("third/words.json"),
    belongings: include_str!("third/belongings.json"),
    questions: include_str!("third/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn third_world() -> World {
    world(&THIRD)
}

#[test]
fn the_third_mailbox_is_always_the_same() {
    check_sameness(&THIRD, 750);
}

#[test]
fn the_third_has_wordings_enough() {
    check_wordings(&THIRD, 10);
}

#[test]
fn every_item_of_the_third_truth_is_there() {
    let tags = [("me", 25), ("others", 15), ("to-me", 12), ("by-me", 10), ("topic:luenen", 9), ("topic:roof", 5)];
    check_truth(&THIRD, &tags);
}

#[test]
fn the_program_reads_the_third_as_so_many_conversations() {
    check_reading(&THIRD, "400");
}
