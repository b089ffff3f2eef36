//! A vet's mailbox, written by somebody who did not know the program, for questions that a model reads. Ailsa Garrick, a
//! partner in a mixed practice in Northumberland, treasurer of the Hexley growers, who has a barn made ready for her
//! mother, quarrels with a heating firm, and goes to Norderney in February with her German husband and their daughter.
//! Two hundred and sixty conversations of 75 days.

use super::mailbox::noise::{Kind, check_wordings};
use super::mailbox::{German, List, Mailbox, check_reading, check_sameness, world};
use super::world::World;

const VET: Mailbox = Mailbox {
    name: "vet",
    owner: "Ailsa Garrick",
    own: &["ailsa@coquetvets.example", "ailsa.garrick@example.net", "treasurer@hexleygrowers.example"],
    host: "mx.coquetvets.example",
    seed: 7_340_219,
    threads: 260,
    days: 75,
    noise: &[
        (10, Kind::Letter),
        (12, Kind::Receipt),
        (9, Kind::Notice),
        (8, Kind::List),
        (5, Kind::Copy),
        (6, Kind::Group),
        (7, Kind::German),
        (23, Kind::Talk),
        (20, Kind::Settled),
    ],
    list: List {
        name: "mixedvets",
        title: "Mixed Vets of the North",
        host: "lists.example.com",
        members: ["Oonagh Leith", "Piers Dalgety", "Farida Noor"],
        members_host: "mixedvetsnorth.example",
    },
    german: German { hello: "Moin Ailsa,", subject: "Moin aus Bremen" },
    planted: include_str!("vet/planted.txt"),
    settled: include_str!("vet/settled.txt"),
    words: include_str!("vet/words.json"),
    belongings: include_str!("vet/belongings.json"),
    questions: include_str!("vet/questions.json"),
};

/// The mailbox and all else in a data folder, with the questions about it.
pub fn vets_world() -> World {
    world(&VET)
}

#[test]
fn the_vets_mailbox_is_always_the_same() {
    check_sameness(&VET, 400);
    check_wordings(&VET, 10);
    check_reading(&VET, "260");
}
