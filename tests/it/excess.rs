//! Messages whose reading would take more than a message may: nothing of them is done, with and without a model.

use serde_json::json;

use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Program, did, done_of, path_of, text_of};

/// Hundreds of requests in one sentence.
fn absurd() -> String {
    "add milk, ".repeat(409)
}

#[test]
fn of_too_much_at_once_nothing_is_done_and_that_is_said() {
    let mut console = Program::new().console(&[]);
    let lines = console.say(&absurd());
    assert!(text_of(&lines).starts_with("That was too much at once, so nothing was done."), "{lines:#?}");
    assert_eq!((path_of(&lines), did(&lines).len()), ("clarify", 0));
    let lines = console.say("add milk to my shopping list");
    assert_eq!(did(&lines).len(), 1, "the next message is read as ever: {lines:#?}");
}

#[test]
fn a_model_is_not_asked_to_plan_what_nothing_could_be_held_against() {
    let model = ModelServer::start(|_| ModelReply::json(json!({"type": "action", "domains": ["keep"]})));
    let lines = Program::new().model(&model).console(&[]).say(&absurd());
    assert_eq!((done_of(&lines)["llm_calls"].as_u64(), path_of(&lines)), (Some(0), "clarify"));
    assert!(did(&lines).is_empty());
}
