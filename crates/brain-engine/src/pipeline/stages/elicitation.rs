//! Relayed questions: what a server asks before it goes on with a call, asked of the person whose call it is.
//!
//! The same call goes through the gate again, which finds what has to be answered first; from there on it is a question of
//! ours like any other, with buttons. Invariants: nothing is called before all is answered, and then only what the gate
//! lets pass, on a card where it needs one. Not here: what a server may ask (its tools know), and reading the answers.

use chrono::Duration;

use super::{doubts, gate, later};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::run::SuspendedStep;
use crate::pipeline::turn::TurnFacts;
use crate::queries::offers::{Offer, Offered};
use brain_core::core::button::Button;
use brain_core::core::plan::Plan;
use brain_core::core::provenance::{Sources, UntrustedText, WrittenBy};
use brain_core::core::turn::{Path, Reply};
use brain_core::limits;
use brain_core::ports::records::Clarification;
use brain_core::ports::{Batch, Expect};
use brain_services::services::planning::outgoing::DisclosedSoFar;

/// Never mind what was asked.
const LEAVE_IT: &str = "Never mind";

/// The answer with what has to be answered before the rest is done; where several ask, the first of them does.
pub(in crate::pipeline) async fn asked(brain: &Brain, facts: &TurnFacts, mut answer: Answer) -> Answer {
    for SuspendedStep { action, request, again } in std::mem::take(&mut answer.asks) {
        if matches!(answer.clarification, Question::Open(_)) {
            break;
        }
        let own = gate::nobody_elses(brain, &action.service, &action.command, &again.params, &action.taints);
        let known = action.others_words().cloned().map(UntrustedText::from);
        let sources = Sources {
            own: own.iter().cloned().chain([facts.own_words()]).collect::<Vec<_>>().join("\n"),
            untrusted: answer.untrusted.iter().cloned().chain(known).collect(),
            written_by: WrittenBy::Planner { records: Vec::new(), completes: own.clone() },
            ..Sources::default()
        };
        let domains = [action.service.clone()];
        let plan = Plan { actions: vec![again], ..Plan::default() };
        let gated = gate::check(brain, facts, plan, &domains, &sources, &DisclosedSoFar::default()).await;
        let question = later::question(brain, facts, gated.later, &request, &domains, Plan::default());
        if let Some(mut question) = question {
            question.own.extend(own);
            open(brain, facts, &mut answer, question);
        }
    }
    answer
}

fn open(brain: &Brain, facts: &TurnFacts, answer: &mut Answer, question: Clarification) {
    answer.path = Path::Clarify;
    answer.untrusted.extend(question.taints.iter().cloned().map(Into::into));
    answer.untrusted.extend(question.quoted.iter().cloned());
    let buttons = buttons(brain, facts, &question, &mut answer.batch);
    answer.replies.push(Reply { buttons, ..Reply::text(question.question.clone()) });
    answer.clarification = Question::Open(Box::new(question));
}

/// Its choices as buttons, where there are a few; a press says one.
pub(super) fn buttons(
    brain: &Brain,
    facts: &TurnFacts,
    question: &Clarification,
    batch: &mut Batch,
) -> Vec<Vec<Button>> {
    let is_pressed = question.is_relayed && question.choices.len() <= limits::FORM_BUTTONS_MAX;
    if !is_pressed {
        return Vec::new();
    }
    let labels = question.choices.iter().map(|(_, label)| label.clone());
    let labels: Vec<String> = labels.chain([LEAVE_IT.to_owned()]).collect();
    let offer = Offer {
        id: brain.new_id(),
        owner: facts.owner().clone(),
        chat: facts.chat().clone(),
        until: facts.ctx.now + Duration::seconds(limits::CHOICE_SECS),
        what: Offered::Answers { question: question.question.clone(), labels: labels.clone() },
    };
    let buttons = doubts::buttons(&offer.id, &labels);
    match batch.put(&offer, Expect::Absent) {
        Ok(_) => buttons,
        Err(error) => {
            tracing::error!(%error, "a question has no buttons");
            Vec::new()
        }
    }
}
