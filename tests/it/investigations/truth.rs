//! How right the answers are, without a model, by family of questions.
//!
//! `TRUTH_ERRORS=1` lists what was missed and what was wrong; `TRUTH_FAMILY=find` asks only one family;
//! `TRUTH_KEEP=1` leaves the data folder for a console of one's own (`BRAIN_DATA_DIR`). The floors are to be raised,
//! never to be reached by changing the truth.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::ask::{ask, warm_up};
use super::fifth::fifth_world;
use super::fourth::fourth_world;
use super::judge::{Question, Score, judge};
use super::second::second_world;
use super::sixth::sixth_world;
use super::third::third_world;
use super::world::{World, demo_world};

/// Percent of precision, recall and of the strings to be said that every family has to reach.
const FLOORS: &[(&str, &str, [usize; 3])] = &[
    ("demo", "waiting_on_me", [92, 95, 97]),
    ("demo", "waiting_on_others", [92, 97, 97]),
    ("demo", "promised_to_me", [97, 97, 97]),
    ("demo", "promised_by_me", [97, 97, 97]),
    ("demo", "about", [97, 84, 97]),
    ("demo", "needs_me", [97, 97, 97]),
    ("demo", "prepare", [97, 95, 97]),
    ("demo", "unanswered", [86, 97, 97]),
    ("demo", "most", [97, 97, 97]),
    ("demo", "find", [73, 81, 88]),
    ("second", "waiting_on_me", [95, 93, 97]),
    ("second", "waiting_on_others", [95, 97, 97]),
    ("second", "promised_to_me", [97, 97, 97]),
    ("second", "promised_by_me", [92, 97, 97]),
    ("second", "about", [94, 92, 97]),
    ("second", "needs_me", [97, 97, 97]),
    ("second", "prepare", [97, 81, 97]),
    ("second", "unanswered", [97, 97, 97]),
    ("second", "most", [97, 97, 97]),
    ("second", "find", [97, 91, 87]),
    // Its first run, unseen, gave 44 % and 48 %, one round of mending classes 78 and 71; these are of the second and last.
    ("third", "waiting_on_me", [97, 97, 97]),
    ("third", "waiting_on_others", [81, 97, 97]),
    ("third", "promised_to_me", [90, 97, 97]),
    ("third", "promised_by_me", [97, 97, 97]),
    ("third", "about", [97, 68, 97]),
    ("third", "needs_me", [92, 95, 97]),
    ("third", "prepare", [88, 86, 97]),
    ("third", "unanswered", [93, 95, 97]),
    ("third", "most", [97, 97, 97]),
    ("third", "find", [87, 72, 78]),
    // Its first run, unseen, gave 67 % and 54 %; these are of one round of mending classes.
    ("fourth", "waiting_on_me", [97, 91, 97]),
    ("fourth", "waiting_on_others", [97, 89, 97]),
    ("fourth", "promised_to_me", [93, 93, 0]),
    ("fourth", "promised_by_me", [92, 81, 97]),
    ("fourth", "about", [88, 61, 97]),
    ("fourth", "needs_me", [94, 90, 97]),
    ("fourth", "prepare", [72, 87, 97]),
    ("fourth", "unanswered", [94, 85, 97]),
    ("fourth", "most", [97, 97, 97]),
    ("fourth", "find", [97, 97, 82]),
    // Its first run, unseen, gave 63 % and 37 %; these are of one round as well.
    ("fifth", "waiting_on_me", [93, 93, 97]),
    ("fifth", "waiting_on_others", [94, 94, 97]),
    ("fifth", "promised_to_me", [71, 97, 47]),
    ("fifth", "promised_by_me", [92, 55, 97]),
    ("fifth", "about", [86, 37, 97]),
    ("fifth", "needs_me", [88, 61, 97]),
    ("fifth", "prepare", [65, 61, 97]),
    ("fifth", "unanswered", [72, 84, 97]),
    ("fifth", "most", [97, 97, 97]),
    ("fifth", "find", [73, 87, 67]),
    // Its first run, unseen, gave 42 % and 28 %; these are of a few classes mended since.
    ("sixth", "waiting_on_me", [89, 56, 97]),
    ("sixth", "waiting_on_others", [37, 37, 97]),
    ("sixth", "promised_to_me", [36, 44, 0]),
    ("sixth", "promised_by_me", [28, 33, 0]),
    ("sixth", "about", [97, 17, 97]),
    ("sixth", "needs_me", [77, 20, 97]),
    ("sixth", "prepare", [28, 24, 97]),
    ("sixth", "unanswered", [40, 53, 97]),
    ("sixth", "most", [97, 63, 97]),
    ("sixth", "find", [24, 34, 34]),
];

/// Programs that run at once.
const WIDTH: usize = 2;

#[test]
fn the_demos_questions_are_answered_by_what_is_true() {
    measured(demo_world());
}

#[test]
fn a_strangers_questions_are_answered_by_what_is_true() {
    measured(second_world());
}

#[test]
fn another_strangers_questions_are_answered_by_what_is_true() {
    measured(third_world());
}

#[test]
fn a_fourth_strangers_questions_are_answered_by_what_is_true() {
    measured(fourth_world());
}

#[test]
fn a_fifth_strangers_questions_are_answered_by_what_is_true() {
    measured(fifth_world());
}

#[test]
fn a_sixth_strangers_questions_are_answered_by_what_is_true() {
    measured(sixth_world());
}

fn measured(world: World) {
    let scores = scored(&world);
    if std::env::var_os("TRUTH_KEEP").is_some() {
        println!("{} is in {}", world.name, world.folder.keep().join("state").display());
    }
    for (family, score) in &scores {
        let floor = FLOORS.iter().find(|(of, name, _)| *of == world.name && name == family);
        let (_, _, [precision, recall, says]) = floor.unwrap_or_else(|| panic!("no floor for {family}"));
        let reached = (score.precision(), score.recall(), score.says());
        assert!(
            reached.0 >= *precision && reached.1 >= *recall && reached.2 >= *says,
            "{} {family}: {reached:?}, below {precision}, {recall}, {says}",
            world.name
        );
    }
}

/// Asks everything, prints the figures, and gives them by family.
fn scored(world: &World) -> BTreeMap<String, Score> {
    warm_up(world);
    let only = std::env::var("TRUTH_FAMILY").ok();
    let chosen = |question: &&Question| only.as_ref().is_none_or(|family| *family == question.family);
    let asked: Vec<(&Question, &String)> = world
        .questions
        .iter()
        .filter(chosen)
        .flat_map(|question| question.texts.iter().map(move |text| (question, text)))
        .collect();
    let scores = Mutex::new(BTreeMap::<String, Score>::new());
    let misses = Mutex::new(Vec::new());
    let width = asked.len().div_ceil(WIDTH).max(1);
    std::thread::scope(|scope| {
        for part in asked.chunks(width) {
            let (scores, misses) = (&scores, &misses);
            scope.spawn(move || {
                for (question, text) in part {
                    let given = ask(world, text);
                    let verdict = judge(question, &given, &world.titles.persons);
                    scores.lock().unwrap().entry(question.family.clone()).or_default().add(verdict.score);
                    if !verdict.is_perfect() {
                        misses.lock().unwrap().push(format!(
                            "{} [{}] {text}\n    missed {:?}\n    wrong  {:?}\n    unsaid {:?}",
                            question.family, given.path, verdict.missed, verdict.wrong, verdict.unsaid
                        ));
                    }
                }
            });
        }
    });
    let scores = scores.into_inner().unwrap();
    println!("{}", table(world.name, &scores));
    if std::env::var_os("TRUTH_ERRORS").is_some() {
        let mut misses = misses.into_inner().unwrap();
        misses.sort();
        println!("{}", misses.join("\n"));
    }
    scores
}

fn table(world: &str, scores: &BTreeMap<String, Score>) -> String {
    let mut all = Score::default();
    let row = |family: &str, score: &Score| {
        let ok = [score.precision(), score.recall(), score.says()].map(|figure| format!("{figure:>5} %"));
        let sums = format!("{:>5}/{:<5}{:>5}", score.right, score.given, score.expected);
        format!("{family:<18}{:>5}{:>5}  {}  {sums}", score.asked, score.investigated, ok.join(" "))
    };
    let mut lines = vec![format!(
        "{world:<18}{:>5}{:>5}  {:>7} {:>7} {:>7}  {:>16}",
        "asked", "inv", "prec", "recall", "says", "right/given exp"
    )];
    for (family, score) in scores {
        all.add(*score);
        lines.push(row(family, score));
    }
    lines.push(row("all", &all));
    lines.join("\n")
}
