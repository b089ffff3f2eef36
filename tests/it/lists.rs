//! Single entries of lists, and what a person says is done: conversations with the real program, without a model.

use crate::support::program::{Console, Program, buttons_of, did, text_of};

const NOW: &str = "2026-01-12T09:00:00Z";

fn open(program: &Program) -> Console {
    program.at(NOW)
}

/// Says each line; what came of it and its answer hold all that stands behind it, and nothing that begins with `!`.
fn talk(console: &mut Console, lines: &[(&str, &[&str])]) {
    for (said, expected) in lines {
        let lines = console.say(said);
        let told = format!("{}\n{}", did(&lines).join("\n"), text_of(&lines));
        for words in *expected {
            match words.strip_prefix('!') {
                Some(words) => assert!(!told.contains(words), "{said}: {told}"),
                None => assert!(told.contains(words), "{said}: no “{words}” in: {told}"),
            }
        }
    }
}

/// A conversation from its beginning.
fn conversation(lines: &[(&str, &[&str])]) {
    let program = Program::new();
    talk(&mut open(&program), lines);
}

const MAKE: (&str, &[&str]) = ("make a shopping list with milk, eggs, oat cakes and butter", &["• eggs"]);

#[test]
fn an_entry_is_ticked_stays_on_the_list_and_is_taken_back() {
    conversation(&[
        MAKE,
        ("tick eggs off the shopping list", &["keep.tick succeeded", "Shopping list: eggs (3 left)"]),
        ("what's on the shopping list?", &["• milk", "☑ eggs", "• butter"]),
        ("undo", &["Taken back: tick eggs off Shopping list"]),
        ("is milk on the list?", &["• milk", "• eggs"]),
        ("cross the milk and butter off my shopping list", &["milk, butter (2 left)"]),
        ("tick milk off the shopping list", &["“milk” is ticked already on Shopping list", "it has: eggs, oat cakes"]),
    ]);
}

#[test]
fn an_entry_is_unticked_and_one_that_is_gone_is_put_back() {
    conversation(&[
        MAKE,
        ("check butter off the shopping list", &["butter (3 left)"]),
        ("put butter back on the list", &["keep.untick succeeded", "Shopping list: butter"]),
        ("what's on the shopping list?", &["• butter", "!☑"]),
        ("tick milk off the shopping list", &["milk"]),
        ("untick milk", &["keep.untick succeeded", "Shopping list: milk"]),
        ("undo", &["Taken back: put milk back on Shopping list"]),
        ("untick the oat cakes", &["!🗒"]),
        ("what's on the shopping list?", &["☑ milk"]),
        ("take butter off the shopping list", &["keep.remove succeeded", "Shopping list: butter"]),
        ("put the butter back on the shopping list", &["keep.untick succeeded", "Shopping list: butter"]),
        ("untick eggs on the shopping list", &["“eggs” is not ticked on Shopping list"]),
    ]);
}

#[test]
fn an_entry_is_taken_off_and_brought_back() {
    conversation(&[
        MAKE,
        ("take milk off the shopping list", &["keep.remove succeeded", "Shopping list: milk"]),
        ("what's on the shopping list?", &["!milk", "• eggs", "• oat cakes", "• butter"]),
        ("undo", &["Taken back: take milk off Shopping list"]),
        ("remove the Milk and egg from my shopping list", &["keep.remove succeeded", "Shopping list: milk, eggs"]),
        ("undo", &["Taken back"]),
        ("what's on the shopping list?", &["• milk\n• eggs\n• oat cakes\n• butter"]),
    ]);
}

#[test]
fn what_is_not_there_is_said_and_the_rest_is_done() {
    conversation(&[
        MAKE,
        (
            "tick bread off the shopping list",
            &["“bread” is not on Shopping list; it has: milk, eggs, oat cakes, butter."],
        ),
        ("remove jam from the shopping list", &["“jam” is not on Shopping list; it has: milk"]),
        ("tick eggs and bread off the shopping list", &["eggs (3 left)", "“bread” is not on Shopping list"]),
        ("remove milk from the hardware list", &["I found no list like “hardware list”"]),
    ]);
}

#[test]
fn a_slip_is_asked_about_and_so_are_several() {
    conversation(&[
        ("make a wine list with red wine, white wine and port", &["• port"]),
        ("tick prot off the wine list", &["“prot” is not on Wine list. Do you mean port?"]),
        ("yes", &["keep.tick succeeded", "Wine list: port (2 left)"]),
        ("tick wine off the wine list", &["Several on Wine list fit “wine”", "red wine", "white wine"]),
        ("the red one", &["keep.tick succeeded", "Wine list: red wine (1 left)"]),
        ("take wine off the wine list", &["Several on Wine list"]),
        ("2", &["keep.remove succeeded", "Wine list: white wine"]),
    ]);
}

#[test]
fn where_no_list_is_named_it_is_the_last_one_or_the_only_one_that_has_it() {
    conversation(&[
        ("make a packing list with socks, soap and milk", &["• socks"]),
        MAKE,
        ("cross milk off the list", &["keep.tick succeeded", "Shopping list: milk"]),
        ("cross off the soap", &["keep.tick succeeded", "Packing list: soap (2 left)"]),
        ("remove milk from the list", &["keep.remove succeeded", "Packing list: milk"]),
        ("remove chalk from the list", &["“chalk” is not on Packing list; it has: socks, soap."]),
    ]);
    conversation(&[
        ("make a packing list with socks, soap and milk", &["• socks"]),
        MAKE,
        ("make a party list with balloons", &["• balloons"]),
        ("take milk off the list", &["Which note do you mean?", "Shopping list", "Packing list"]),
        ("packing", &["keep.remove succeeded", "Packing list: milk"]),
    ]);
}

#[test]
fn the_shopping_list_is_the_one_of_groceries_where_there_is_one() {
    let program = Program::new();
    let mut console = program.demo();
    talk(
        &mut console,
        &[
            ("what's on the shopping list?", &["🗒 Groceries\n", "☑ Dishwasher tablets"]),
            ("take milk off the shopping list", &["keep.remove succeeded", "Groceries: Milk"]),
            ("add butter to the shopping list", &["keep.append succeeded", "Groceries: butter"]),
            ("make a shopping list with nails", &["• nails"]),
            ("add screws to the shopping list", &["keep.append succeeded", "Shopping list: screws"]),
        ],
    );
}

#[test]
fn what_is_reported_completes_the_one_thing_that_is_meant() {
    conversation(&[
        ("remind me to put the bins out tomorrow at 8pm", &["Put the bins out"]),
        ("add a task: pay the rent", &["Pay the rent"]),
        ("add a task: call mom", &["Call mom"]),
        MAKE,
        ("bins are out", &["task.complete succeeded", "Put the bins out"]),
        ("undo", &["Taken back: mark “Put the bins out” as done"]),
        ("the bins are out!", &["task.complete succeeded", "Put the bins out"]),
        ("rent is paid", &["task.complete succeeded", "Pay the rent"]),
        ("I just called mom", &["task.complete succeeded", "Call mom"]),
        ("got the eggs", &["keep.tick succeeded", "Shopping list: eggs (3 left)"]),
        ("undo", &["Taken back: tick eggs off Shopping list"]),
        ("I've got the eggs, cross them off", &["eggs (3 left)"]),
        ("check off butter", &["keep.tick succeeded", "Shopping list: butter"]),
        ("ich habe milk gekauft", &["milk (1 left)"]),
    ]);
}

#[test]
fn several_or_a_doubtful_fit_is_asked_about() {
    let program = Program::new();
    let mut console = open(&program);
    talk(
        &mut console,
        &[("add a task: buy milk", &["Buy milk"]), MAKE, ("add a task: call the dentist", &["Call the dentist"])],
    );
    let asked = console.say("got the milk");
    let labels: Vec<_> = buttons_of(&asked).iter().map(|button| button["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(labels, ["Mark “Buy milk” as done", "Tick off “milk” on Shopping list", "Both", "Leave it"]);
    assert!(did(&asked).is_empty(), "{asked:#?}");
    talk(
        &mut console,
        &[
            ("both", &["task.complete succeeded", "Buy milk", "keep.tick succeeded", "Shopping list: milk"]),
            ("dentist is booked", &["Mark “Call the dentist” as done?"]),
            ("no", &["!succeeded"]),
            ("the dentist is booked", &["Mark “Call the dentist” as done?"]),
            ("yes", &["task.complete succeeded", "Call the dentist"]),
            ("got buter", &["Tick off “butter” on Shopping list?"]),
            ("leave it", &["!succeeded"]),
        ],
    );
}

#[test]
fn of_several_that_are_reported_each_is_ticked_and_what_is_nowhere_is_said() {
    conversation(&[
        MAKE,
        ("got milk and eggs", &["milk, eggs (2 left)"]),
        ("got the oat cakes, rest is on ahmed", &["oat cakes (1 left)", "“rest is on ahmed”"]),
        ("undo", &["Taken back"]),
        ("got the oat cakes. took me an hour", &["oat cakes (1 left)", "I took “took me an hour” as a remark."]),
        ("undo", &["Taken back"]),
        ("got butter and bread", &["butter (1 left)", "Nothing else that is open fits “bread”."]),
    ]);
}

#[test]
fn the_list_last_spoken_of_is_the_one_that_is_ticked() {
    conversation(&[
        ("add a task: milk", &["Milk"]),
        MAKE,
        ("check off milk", &["keep.tick succeeded", "Shopping list: milk"]),
    ]);
}

#[test]
fn a_report_that_fits_nothing_makes_nothing() {
    let program = Program::new();
    let mut console = open(&program);
    talk(&mut console, &[("add a task: pay the rent", &["Pay the rent"]), MAKE]);
    for said in [
        "the cat is fed",
        "I'm done",
        "got it",
        "that's out of the question",
        "is the rent paid?",
        "the rent is not paid",
        "I haven't got the eggs",
        "I got the job!",
        "the milk is off",
    ] {
        let lines = console.say(said);
        assert!(did(&lines).is_empty(), "{said}: {lines:#?}");
    }
    talk(&mut console, &[("show my tasks", &["Pay the rent"]), ("what's on the shopping list?", &["!☑", "• eggs"])]);
}

#[test]
fn an_open_question_and_a_request_come_before_a_report() {
    conversation(&[
        ("add a task: pay the rent", &["Pay the rent"]),
        ("make a note called flat", &["Flat"]),
        ("take a note", &["What should the note say?"]),
        ("rent is paid", &["!Done", "Rent is paid"]),
        ("remind me to check that the rent is paid tomorrow at 9am", &["!Done", "tomorrow"]),
    ]);
}
