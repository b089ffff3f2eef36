//! A template in place of a graph, chosen by a model: what a small one cannot write as a graph it can name.
//!
//! Invariants: who and what a question is about are words of it, and its time is one of those that it names; what the
//! model adds to them is left out. Not here: which graph a template is ([`templates`](crate::investigate::templates)).

use std::collections::HashSet;

use minijinja::context;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::investigate::asker::{AskFailure, InvestigationModel};
use brain_core::core::text::head_and_tail;
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Stage};
use brain_core::prompts::Fixed;
use brain_language::language::requests::{FamilyQuestion, QuestionFamily};
use brain_language::language::time::{self, Reference};
use brain_language::language::words::{fold, words};

/// Every family, as a model names them.
const FAMILIES: [QuestionFamily; 15] = [
    QuestionFamily::WaitingOnMe,
    QuestionFamily::WaitingOnOthers,
    QuestionFamily::PromisedToMe,
    QuestionFamily::PromisedByMe,
    QuestionFamily::About,
    QuestionFamily::NeedsMe,
    QuestionFamily::Prepare,
    QuestionFamily::Unanswered,
    QuestionFamily::WritesMost,
    QuestionFamily::MeetsMost,
    QuestionFamily::FindInvoice,
    QuestionFamily::FindBooking,
    QuestionFamily::FindAttachment,
    QuestionFamily::FindAmount,
    QuestionFamily::Find,
];

#[derive(Debug, Deserialize)]
struct Chosen {
    /// Absent where it is none of them.
    kind: Option<QuestionFamily>,
    #[serde(default)]
    who: Option<String>,
    #[serde(default)]
    topic: Option<String>,
    #[serde(default)]
    when: Option<String>,
    #[serde(default)]
    only: Only,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Only {
    #[default]
    All,
    Open,
    Late,
    Unread,
}

/// The question of a family that a model takes the words for; `None` where it takes them for none.
pub async fn choose_template(
    model: &InvestigationModel<'_>,
    question: &str,
    reference: &Reference,
) -> Result<Option<FamilyQuestion>, AskFailure> {
    let times: Vec<&str> =
        time::find(question, reference).into_iter().filter_map(|mention| question.get(mention.span)).collect();
    let changing = context! { question => head_and_tail(question, limits::QUESTION_CHARS_MAX) };
    let prompt = model.prompt(Stage::Template, Fixed::ALWAYS, &changing)?;
    let answer: Value =
        model.typed(Stage::Template, prompt, &AnswerSchema::of(shape(&times)), limits::TEMPLATE_TOKENS_MAX).await?;
    Ok(Chosen::deserialize(&answer).ok().and_then(|chosen| grounded(chosen, question, &times)))
}

fn shape(times: &[&str]) -> Value {
    let families = FAMILIES.iter().map(|family| json!(family)).chain([json!("none")]);
    let when: Vec<Value> = times.iter().map(|time| json!(time)).chain([Value::Null]).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["kind", "who", "topic", "when", "only"],
        "properties": {
            "kind": {"enum": families.collect::<Vec<_>>()},
            "who": {"type": ["string", "null"]},
            "topic": {"type": ["string", "null"]},
            "when": {"enum": when},
            "only": {"enum": ["all", "open", "late", "unread"]},
        },
    })
}

/// The choice, held against the words of the question.
fn grounded(chosen: Chosen, question: &str, times: &[&str]) -> Option<FamilyQuestion> {
    let said: HashSet<String> = words(question).iter().map(|word| fold(word)).collect();
    let as_said = |named: Option<String>| {
        named.filter(|named| {
            let named = words(named);
            !named.is_empty() && named.iter().all(|word| said.contains(&fold(word)))
        })
    };
    let question = FamilyQuestion {
        family: chosen.kind?,
        who: as_said(chosen.who),
        topic: as_said(chosen.topic),
        when: chosen.when.filter(|when| times.contains(&when.as_str())),
        open: chosen.only == Only::Open,
        late: chosen.only == Only::Late,
        unread: chosen.only == Only::Unread,
        then: None,
        beside: None,
    };
    let names_something = question.who.is_some() || question.topic.is_some();
    let needs_a_name = question.family.is_direct() || question.family == QuestionFamily::About;
    (names_something || !needs_a_name).then_some(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(answer: Value, question: &str, times: &[&str]) -> Option<FamilyQuestion> {
        grounded(Chosen::deserialize(answer).ok()?, question, times)
    }

    #[test]
    fn what_the_question_does_not_say_is_left_out() {
        let asked = "whom am I holding up on the merger this week, Anna or the bank?";
        let answer = |who: &str, when: &str| json!({"kind": "waiting_on_me", "who": who, "topic": "the merger", "when": when, "only": "open"});
        let question = chosen(answer("Anna", "this week"), asked, &["this week"]).unwrap();
        assert_eq!(question.family, QuestionFamily::WaitingOnMe);
        assert_eq!(question.who.as_deref(), Some("Anna"));
        assert_eq!(question.topic.as_deref(), Some("the merger"));
        assert_eq!(question.when.as_deref(), Some("this week"));
        assert!(question.open && !question.late);
        let invented = chosen(answer("Mr Smith", "Tuesdays at 18:00"), asked, &["this week"]).unwrap();
        assert_eq!((invented.who, invented.when), (None, None));
    }

    #[test]
    fn what_is_none_of_them_or_names_nothing_to_look_for_is_no_question() {
        assert_eq!(chosen(json!({"kind": "none"}), "is it so?", &[]), None);
        assert_eq!(chosen(json!({"kind": "find", "who": null, "topic": "a dragon"}), "where is it?", &[]), None);
    }

    #[test]
    fn a_model_may_name_every_family() {
        let shape = shape(&[]);
        let names = shape["properties"]["kind"]["enum"].as_array().unwrap();
        assert_eq!(names.len(), FAMILIES.len() + 1);
        let prompt = include_str!("../../../../../prompts/template.md");
        assert!(names.iter().all(|name| prompt.contains(name.as_str().unwrap())), "{names:?}");
    }
}
