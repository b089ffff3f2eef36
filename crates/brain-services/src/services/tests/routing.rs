//! When the router may be trusted alone: measured on messages it has not learnt.

mod train;

use crate::services::tests::requests::figures::{ROUTE_REGRESSION, ROUTE_TEST, ROUTE_TUNE};
use crate::services::tests::requests::{alone, meeting_with_sarah, monday};
use brain_language::language::requests::{ParseInput, Past};
use brain_language::language::routing::model::{MODEL, RoutingWeights};
use brain_language::language::routing::{Guess, Kind, SURE_ENOUGH, route, route_by};
use brain_language::language::work::Work;
use train::{LESSONS, train};

/// Parts of the tuning file; each is judged by a model that has learnt the others.
const FOLDS: usize = 5;

struct Judged {
    guess: Guess,
    is_right: bool,
}

fn judged(model: &RoutingWeights, text: &str, alternatives: &str) -> Judged {
    let guess = route_by(model, &alone(text, &monday()), &Work::default());
    let mut got = guess.domains.clone();
    got.sort();
    let is_right = alternatives.split('|').any(|alternative| {
        let mut wanted: Vec<&str> = alternative.split('+').filter(|d| *d != "chat").collect();
        wanted.sort_unstable();
        wanted == got
    });
    Judged { guess, is_right }
}

fn rows(text: &'static str) -> Vec<&'static str> {
    text.lines().filter(|line| !line.starts_with('#') && line.contains('\t')).collect()
}

fn on_unlearnt(model: &RoutingWeights, rows: &[&str]) -> Vec<Judged> {
    rows.iter().filter_map(|row| row.split_once('\t')).map(|(text, wanted)| judged(model, text, wanted)).collect()
}

fn on_folds() -> Vec<Judged> {
    let rows = rows(ROUTE_TUNE);
    let fold = |nth: usize| {
        let held: Vec<&str> = rows.iter().copied().skip(nth).step_by(FOLDS).collect();
        let weights = train(LESSONS.iter().filter(|lesson| !held.contains(&lesson.line)));
        on_unlearnt(&RoutingWeights::read(weights.leak()).unwrap(), &held)
    };
    (0..FOLDS).flat_map(fold).collect()
}

fn print_table(name: &str, judged: &[Judged], is_of_kind: impl Fn(Kind) -> bool) {
    let all: Vec<&Judged> = judged.iter().filter(|j| is_of_kind(j.guess.kind)).collect();
    for least in [0.0, 0.5, 0.8, 0.9, 0.95, SURE_ENOUGH, 0.99] {
        let above: Vec<&&Judged> = all.iter().filter(|j| j.guess.confidence >= least).collect();
        let wrong = above.iter().filter(|j| !j.is_right).count();
        let (share, errors) = (above.len() as f32 / all.len() as f32, wrong as f32 / above.len().max(1) as f32);
        println!(
            "{name:18} >= {least:.2}: {:4} of {} ({:5.1} %), {wrong:3} wrong ({:5.2} %)",
            above.len(),
            all.len(),
            100.0 * share,
            100.0 * errors
        );
    }
}

/// How many are sure, of how many, and how many of those are wrong.
fn sure(name: &str, judged: &[Judged]) -> [usize; 3] {
    print_table(&format!("{name}, chat"), judged, |kind| kind == Kind::Chat);
    print_table(&format!("{name}, action"), judged, |kind| kind == Kind::Action);
    let sure: Vec<&Judged> = judged.iter().filter(|j| j.guess.is_sure()).collect();
    let wrong = sure.iter().filter(|j| !j.is_right).count();
    println!("{name}: {} sure of {}, {wrong} wrong", sure.len(), judged.len());
    [sure.len(), judged.len(), wrong]
}

#[test]
fn a_sure_guess_is_wrong_less_than_once_in_two_hundred() {
    let figures = [
        sure("test", &on_unlearnt(&MODEL, &rows(ROUTE_TEST))),
        sure("tune in folds", &on_folds()),
        sure("regression", &on_unlearnt(&MODEL, &rows(ROUTE_REGRESSION))),
    ];
    let mut together = (0, 0);
    // Fresh messages are longer than the tests, and much of the tuning file is there because it misleads.
    for ([sure, all, wrong], share) in figures.into_iter().zip([2, 3, 3]) {
        // In a small file one is no evidence.
        assert!(sure * share >= all && wrong.saturating_sub(1) * 200 < sure, "{figures:?}");
        together = (together.0 + sure, together.1 + wrong);
    }
    assert!(together.0 >= 800 && together.1 * 200 < together.0, "{together:?}");
}

#[test]
fn what_leans_on_earlier_words_or_is_not_read_whole_is_never_sure() {
    let history = meeting_with_sarah();
    let sure = |text: &str, history: &[Past]| route(&ParseInput { history, ..alone(text, &monday()) }).is_sure();
    assert!(sure("remind me to call mom tomorrow at 5pm", &history));
    assert!(sure("hello how are you", &history));
    for text in
        ["what about anna", "that's the one", "do that again", "yes do it", "cancel it", "ok thanks, same for tom"]
    {
        assert!(!sure(text, &history), "{text}");
    }
    let long = format!("remind me to call mom tomorrow at 5pm. {}", "I was there the other day. ".repeat(40));
    assert!(!sure(&long, &[]));
}
