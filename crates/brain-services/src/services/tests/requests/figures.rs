//! The reader of requests on the evaluation files, and on the examples that routing learns from.

use std::sync::OnceLock;

use super::*;

const PLAN_TEST: &str = include_str!("../../../../../../data/eval/plan_test.jsonl");
const PLAN_REGRESSION: &str = include_str!("../../../../../../data/eval/plan_regression.jsonl");
pub(crate) const ROUTE_TEST: &str = include_str!("../../../../../../data/eval/route_test.tsv");
/// None of it teaches.
pub(crate) const ROUTE_REGRESSION: &str = include_str!("../../../../../../data/eval/route_regression.tsv");
/// Teaches.
pub(crate) const ROUTE_TUNE: &str = include_str!("../../../../../../data/language/routing/tune.tsv");

pub(super) fn fold(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_time(name: &str) -> bool {
    matches!(
        name,
        "start_time" | "end_time" | "deadline" | "from" | "to" | "since" | "before" | "due_before" | "repeat"
    )
}

/// As `brain-agent eval plan` compares: times as instants, lists as sets, strings folded.
fn same(name: &str, got: &Value, wanted: &Value, reference: &Reference) -> bool {
    match (got, wanted) {
        (Value::Object(got), Value::Object(wanted)) => {
            wanted.iter().all(|(k, v)| got.get(k).is_some_and(|g| same(k, g, v, reference)))
        }
        (Value::Array(got), Value::Array(wanted)) => {
            let set = |list: &[Value]| {
                let mut set: Vec<String> = list.iter().filter_map(Value::as_str).map(fold).collect();
                set.sort();
                set
            };
            set(got) == set(wanted)
        }
        (Value::String(got), Value::String(wanted)) => {
            let at = |text: &str| match time::resolve(text, reference) {
                Some(Ok(when)) => when.start(),
                Some(Err(_)) | None => None,
            };
            fold(got) == fold(wanted) || (is_time(name) && at(got).is_some() && at(got) == at(wanted))
        }
        (got, wanted) => got == wanted,
    }
}

fn plan_accuracy(rows: &str) -> (usize, usize) {
    let mut right = 0;
    let rows = rows.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Value> = rows.map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let reference = reference(row["now"].as_str().unwrap(), row["tz"].as_str().unwrap());
        let understood = plan(&alone(text, &reference), &[]);
        let asked = matches!(understood, Understood::Ask { .. });
        let got = actions(understood);
        got.iter().for_each(|action| assert_in_catalog(action, text));
        let wanted = row["expect"].as_array().unwrap();
        let fits = |(got, wanted): (&PlannedAction, &Value)| {
            wanted["service"] == json!(got.service)
                && wanted["command"] == json!(got.command)
                && same("", &Value::Object(got.params.clone()), &wanted["params"], &reference)
        };
        let is_right = got.len() == wanted.len() && got.iter().zip(wanted).all(fits);
        right += usize::from(is_right && (!asked || wanted.is_empty()));
    }
    (right, rows.len())
}

/// Messages, and the domains that each may be routed to, sorted; talk is none.
fn routed(rows: &str) -> impl Iterator<Item = (&str, Vec<Vec<&str>>)> {
    let sorted = |alternative| {
        let mut domains: Vec<&str> = str::split(alternative, '+').filter(|domain| *domain != "chat").collect();
        domains.sort_unstable();
        domains
    };
    let rows = rows.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    rows.map(move |(text, alternatives)| (text, alternatives.split('|').map(sorted).collect()))
}

/// How one row was routed.
struct Routed {
    right: bool,
    /// It is small talk, and was sent to a tool.
    astray: bool,
    chat: bool,
    /// How many it was routed to.
    domains: usize,
    confidence: f32,
}

/// Every row of a file, routed once for all tests.
fn judged(rows: &'static str) -> &'static [Routed] {
    static FILES: [(&str, OnceLock<Vec<Routed>>); 3] =
        [(ROUTE_TUNE, OnceLock::new()), (ROUTE_TEST, OnceLock::new()), (ROUTE_REGRESSION, OnceLock::new())];
    let judge = |(text, alternatives): (&str, Vec<Vec<&str>>)| {
        let mut guess = route(&alone(text, &monday()));
        guess.domains.sort();
        assert!((0.0..=1.0).contains(&guess.confidence));
        let chat = alternatives.iter().all(Vec::is_empty);
        Routed {
            right: alternatives.iter().any(|wanted| *wanted == guess.domains),
            astray: chat && !guess.domains.is_empty(),
            chat,
            domains: guess.domains.len(),
            confidence: guess.confidence,
        }
    };
    let (_, file) = FILES.iter().find(|(file, _)| *file == rows).expect("one of the three");
    file.get_or_init(|| routed(rows).map(judge).collect())
}

/// Compared more strictly here than by the command.
#[test]
fn everyday_plans_reach_their_figure_on_both_files() {
    for (name, rows, least) in [("test", PLAN_TEST, 80), ("regression", PLAN_REGRESSION, 78)] {
        let (right, all) = plan_accuracy(rows);
        println!("plans, {name}: {right}/{all}");
        assert!(all >= 250 && right * 100 >= all * least, "{name}: {right}/{all}");
    }
}

#[test]
fn routing_reaches_its_figure_on_every_file() {
    for (rows, name, all_min) in
        [(ROUTE_TUNE, "tune", 800), (ROUTE_TEST, "test", 400), (ROUTE_REGRESSION, "regression", 5_000)]
    {
        let judged = judged(rows);
        let count = |what: fn(&Routed) -> bool| judged.iter().filter(|row| what(row)).count();
        let (right, all, astray, chat) = (count(|r| r.right), judged.len(), count(|r| r.astray), count(|r| r.chat));
        println!("route {name}: {right}/{all}, chat sent to a tool {astray}/{chat}");
        assert!(all >= all_min);
        assert!(right * 100 >= all * 90, "{right}/{all}");
        assert!(astray * 100 <= chat * 3, "{astray}/{chat}");
    }
}

#[test]
fn confidence_tells_how_often_a_guess_is_right() {
    let rows = [ROUTE_TEST, ROUTE_REGRESSION].into_iter().flat_map(judged);
    let sure: Vec<&Routed> = rows.filter(|row| row.confidence >= 0.9).collect();
    let right = sure.iter().filter(|row| row.right).count();
    println!("{right} of {}", sure.len());
    assert!(sure.len() > 200 && right * 100 >= sure.len() * 98, "{right} of {}", sure.len());
}

#[test]
fn what_teaches_routing_is_planned_as_well() {
    let texts = routed(ROUTE_TUNE).map(|(text, _)| text);
    let reference = monday();
    let hear = |text| alone(text, &reference);
    let planned: usize = texts.map(|text| actions(plan(&hear(text), &[])).len()).sum();
    let domains: usize = judged(ROUTE_TUNE).iter().map(|row| row.domains).sum();
    assert!(domains > 200 && planned > 200, "{domains} domains, {planned} actions");
}
