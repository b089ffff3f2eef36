//! A bridge inspector's mailbox, written by somebody who did not know the program, for questions that a model reads: kept
//! for one run. Imogen Tarrant, with a small firm of engineers in Hexham, captain of a bell tower, married with two
//! children, a father before a hip operation, an aunt and a cousin in Lübeck; a cargo bike that cuts out, a porch before
//! the planners, a child's passport. Two hundred and forty conversations of 75 days.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, world};
use super::world::World;

const INSPECTOR: Mailbox = Mailbox {
    name: "inspector",
    owner: "Imogen Tarrant",
    own: &["imogen.tarrant@corbelengineers.example", "imogen.tarrant@example.net", "tower@stoswinsbells.example"],
    host: "mx.corbelengineers.example",
    seed: 4_730_219,
    threads: 240,
    days: 75,
    noise: &[
        (9, Kind::Letter),
        (12, Kind::Receipt),
        (10, Kind::Notice),
        (6, Kind::List),
        (5, Kind::Copy),
        (5, Kind::Group),
        (6, Kind::German),
        (22, Kind::Talk),
        (25, Kind::Settled),
    ],
    list: List {
        name: "oldspans",
        title: "Old Spans Society",
        host: "lists.example.com",
        members: ["Cuthbert Lyle", "Nia Prosser", "Ishaan Varma"],
        members_host: "oldspans.example",
    },
    german: German { hello: "Moin Imogen,", subject: "Grüße aus dem Norden" },
    planted: include_str!("inspector/planted.txt"),
    settled: include_str!("inspector/settled.txt"),
    words: include_str!("inspector/words.json"),
    belongings: include_str!("inspector/belongings.json"),
    questions: include_str!("inspector/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn inspectors_world() -> World {
    world(&INSPECTOR)
}

#[test]
fn the_inspectors_mailbox_is_always_the_same() {
    check_sameness(&INSPECTOR, 400);
    check_wordings(&INSPECTOR, 10);
    check_reading(&INSPECTOR, "240");
}
