//! Built-in language understanding, without a model.
use crate::core::plan::{Params, Plan, PlannedAction};
use crate::core::when::Reference;
#[derive(Debug, Clone, Copy)]
pub struct Hearing<'a> {
    pub text: &'a str,
    pub reference: &'a Reference,
    pub history: &'a [Past],
}
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub said: String,
    pub actions: Vec<PastAction>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct PastAction {
    pub service: String,
    pub command: String,
    pub params: Params,
    pub item: Option<Item>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: String,
    pub label: String,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Chat,
    Action,
    Investigate,
    Followup,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    pub kind: Kind,
    pub domains: Vec<String>,
    pub confidence: f32,
}
pub fn route(_hearing: &Hearing<'_>) -> Guess {
    Guess {
        kind: Kind::Chat,
        domains: vec![],
        confidence: 0.0,
    }
}
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    Plan(Plan),
    Ask {
        question: String,
        partial: PlannedAction,
        param: String,
    },
    NotUnderstood,
}
pub fn plan(_hearing: &Hearing<'_>, _domains: &[String]) -> Understood {
    Understood::NotUnderstood
}
pub fn complete(
    _partial: &PlannedAction,
    _param: &str,
    _answer: &str,
    _reference: &Reference,
) -> Option<PlannedAction> {
    None
}
pub fn chat(_text: &str) -> String {
    String::new()
}
pub fn cannot(_text: &str) -> String {
    String::new()
}
