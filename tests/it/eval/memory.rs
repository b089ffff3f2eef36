//! `brain-agent eval memory`: what a question brings back, by words, and by meaning where there is an endpoint for it.

use serde_json::{Value, json};

use super::{check, figures, on};
use crate::support::embedder::EmbeddingServer;
use crate::support::program::Program;

fn world(facts: Value, questions: Value) -> String {
    format!("{}\n", json!({"facts": facts, "questions": questions}))
}

/// One question in the words of its fact, one that shares none with it.
fn pets() -> String {
    let facts = json!([
        {"id": "pet", "text": "my rabbit is called Flo"},
        {"id": "bin", "text": "the bins go out on Tuesdays"},
        {"id": "shoe", "text": "my shoes are size 42"},
    ]);
    let questions = json!([
        {"text": "when do the bins go out?", "expect": ["bin"]},
        {"text": "who feeds our bunny?", "expect": ["pet"]},
    ]);
    world(facts, questions)
}

fn at_5(report: &Value) -> f64 {
    report["retrieval"]["recall_at_5"].as_f64().unwrap()
}

#[test]
fn what_a_question_brings_back_is_measured_beside_stems_alone() {
    let facts = json!([
        {"id": "nut", "text": "I'm allergic to peanuts"},
        {"id": "sis", "text": "my sister is called Nina"},
        {"id": "bin", "text": "the bins go out on Tuesdays", "at": "2026-02-01T09:00:00Z"},
    ]);
    let questions = json!([
        {"text": "what am I alergic to?", "expect": ["nut"]},
        {"text": "what's my sister's name?", "expect": ["sis"]},
        {"text": "who paints fences?", "expect": ["bin"]},
    ]);
    let report = check("memory", &world(facts, questions), 2, json!({"found": {"found": 2, "missed": 1}}));
    let (found, plain) = (&report["retrieval"], &report["retrieval"]["bm25"]);
    assert!((at_5(&report) - 2.0 / 3.0).abs() < 1e-9 && plain["recall_at_5"].as_f64().unwrap() > 0.0, "{report}");
    assert!(found["mean_reciprocal_rank"].as_f64().unwrap() > 0.6, "{report}");
}

#[test]
fn the_ids_of_a_file_are_names_and_nothing_else() {
    for id in ["D1:3", "D", "x y/ö@2026#1", "00000000-0000-4000-8000-000000000000-0000", "000001"] {
        let facts = json!([{"id": id, "text": "I'm allergic to peanuts"}, {"id": "0", "text": "my sister is Nina"}]);
        let questions = json!([{"text": "what am I allergic to?", "expect": [id]}]);
        let report = check("memory", &world(facts, questions), 1, json!({"found": {"found": 1}}));
        assert_eq!((at_5(&report), &report["retrieval"]["stored"]), (1.0, &json!(2)), "{id}: {report}");
    }
}

#[test]
fn a_world_that_cannot_be_asked_is_refused_with_what_to_do() {
    let fact = |id: &str, text: &str| json!({"id": id, "text": text});
    let asked = |expect: Value| json!([{"text": "who?", "expect": expect}]);
    for (facts, questions, advice) in [
        (
            json!([fact("", "my sister is Nina")]),
            asked(json!([""])),
            "“my sister is Nina” has an empty id: give it one",
        ),
        (json!([fact(" ", "my sister is Nina")]), asked(json!([" "])), "an empty id: give it one"),
        (json!([fact("D1:3", "a b"), fact("D1:3", "c d")]), asked(json!(["D1:3"])), "two facts “D1:3”: give each"),
        (json!([fact("D1:3", " ")]), asked(json!(["D1:3"])), "“D1:3” has no text: write one"),
        (json!([fact("D1:3", "a b")]), asked(json!(["d1:3"])), "“d1:3”, which is no fact of its line: add that fact"),
        (json!([fact("D1:3", "a b")]), asked(json!([])), "expects nothing: name the facts"),
        (json!([fact("D1:3", "a b")]), json!([]), "nothing is asked: add a question"),
    ] {
        let refused = on(&Program::new(), "memory", &(pets() + &world(facts, questions)), &["--json"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{advice}");
        let told = refused.stderr;
        assert!(told.contains("examples:2: ") && told.contains(advice), "{advice}: {told}");
    }
}

#[test]
fn without_an_endpoint_words_alone_are_measured_and_that_is_said() {
    let text = on(&Program::new(), "memory", &pets(), &[]).stdout;
    assert!(text.starts_with("memory: 1 of 2 right (50.0 %), by words alone"), "{text}");
    assert!(text.contains("\n3 facts stored\n"), "{text}");
    assert!(text.contains("only words were measured, not meaning: set EMBEDDINGS_BASE_URL"), "{text}");
}

#[test]
fn with_an_endpoint_words_and_meaning_stand_beside_words_alone() {
    let server = EmbeddingServer::start();
    let program = Program::new().env("EMBEDDINGS_BASE_URL", &server.url()).env("EMBEDDINGS_MODEL", "small");
    let report = figures(&on(&program, "memory", &pets(), &["--json"]));
    assert_eq!((at_5(&report), &report["by"], report.get("unmeasured")), (1.0, &json!("small"), None), "{report}");
    let beside = report["beside"].as_array().unwrap();
    assert_eq!((beside.len(), &beside[0]["by"]), (1, &json!("built-in")), "{report}");
    assert_eq!((at_5(&beside[0]), beside[0].get("unmeasured")), (0.5, None), "{report}");
    assert_eq!(server.texts().len(), 5, "each text once: {:?}", server.texts());
    let text = on(&program, "memory", &pets(), &[]).stdout;
    assert!(text.starts_with("memory: 2 of 2 right (100.0 %), by words and meaning (small)"), "{text}");
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).map(str::split_whitespace).unwrap();
    assert!(line("recall at 5").eq(["recall", "at", "5", "1.000", "0.500"]), "{text}");

    let asked = server.texts().len();
    let by_words = figures(&on(&program, "memory", &pets(), &["--json", "--built-in"]));
    assert_eq!((at_5(&by_words), by_words.get("beside"), server.texts().len()), (0.5, None, asked), "{by_words}");
}

#[test]
fn an_endpoint_that_fails_is_said_and_gives_no_figures() {
    let server = EmbeddingServer::start();
    let nowhere = format!("{}/nowhere", server.url());
    let program = Program::new().env("EMBEDDINGS_BASE_URL", &nowhere).env("EMBEDDINGS_MODEL", "small");
    let report = figures(&on(&program, "memory", &pets(), &["--json"]));
    assert_eq!((at_5(&report), &report["by"], report.get("beside")), (0.5, &json!("built-in"), None), "{report}");
    let why = report["unmeasured"].as_str().unwrap();
    assert!(why.contains("examples:1: the embedding endpoint") && why.contains("404"), "{why}");
    let text = on(&program, "memory", &pets(), &[]).stdout;
    assert!(text.contains(&format!("only words were measured, not meaning: {why}")), "{text}");
    let wrong = program.env("EMBEDDINGS_BASE_URL", &server.url());
    let text = on(&wrong, "memory", &pets(), &["--beside", &format!("EMBEDDINGS_BASE_URL={nowhere}")]).stdout;
    assert!(text.contains(": only words were measured, not meaning: "), "{text}");
}
