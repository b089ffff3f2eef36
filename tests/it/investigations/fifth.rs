//! A fifth mailbox, written by somebody else again who had not seen how the program recognises anything: Yasmin Holt, a
//! vet with a small practice in Kendal, secretary of an allotment association, with a son of nine, a husband from
//! Bremen and a father about to be seventy. Two hundred and twenty conversations of 80 days.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, check_truth, world};
use super::world::World;

const FIFTH: Mailbox = Mailbox {
    name: "fifth",
    owner: "Yasmin Holt",
    own: &["yasmin@beckfootvets.example", "yasmin.holt@example.net", "secretary@quarrylaneplots.example"],
    host: "mx.beckfootvets.example",
    seed: 5_170_927,
    threads: 220,
    days: 80,
    noise: &[
        (12, Kind::Letter),
        (11, Kind::Receipt),
        (12, Kind::Notice),
        (6, Kind::List),
        (4, Kind::Copy),
        (4, Kind::Group),
        (5, Kind::German),
        (23, Kind::Talk),
        (23, Kind::Settled),
    ],
    list: List {
        name: "smallvets",
        title: "Small Vets of the North",
        host: "lists.example.com",
        members: ["Grizel Hume", "Baptiste Orme", "Lalita Deane"],
        members_host: "smallvetsnorth.example",
    },
    german: German { hello: "Liebe Yasmin,", subject: "Moin aus Bremen" },
    planted: include_str!("fifth/planted.txt"),
    settled: include_str!("fifth/settled.txt"),
    words: include_str!("fifth/words.json"),
    belongings: include_str!("fifth/belongings.json"),
    questions: include_str!("fifth/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn fifth_world() -> World {
    world(&FIFTH)
}

#[test]
fn the_fifth_mailbox_is_always_the_same() {
    check_sameness(&FIFTH, 400);
}

#[test]
fn the_fifth_has_wordings_enough() {
    check_wordings(&FIFTH, 10);
}

#[test]
fn every_item_of_the_fifth_truth_is_there() {
    let tags = [("me", 26), ("reply", 18), ("others", 12), ("to-me", 9), ("by-me", 10), ("topic:xray", 8)];
    check_truth(&FIFTH, &tags);
}

#[test]
fn the_fifth_asks_in_many_wordings() {
    let questions = fifth_world().questions;
    assert!(questions.iter().map(|question| question.texts.len()).sum::<usize>() >= 75);
    assert!(questions.iter().filter(|question| question.texts.len() > 1).count() >= 10);
}

#[test]
fn the_program_reads_the_fifth_as_so_many_conversations() {
    check_reading(&FIFTH, "220");
}
