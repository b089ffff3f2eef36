//! Doubts: what is asked when a message was understood in part, in several ways, or not at all.
//!
//! Invariants: nothing of the message is done before its person has settled the doubt; a press runs exactly the plan
//! that was worded beside it, through the gate. Not here: what is missing from a request that was understood (a
//! parameter, which of several things), which the plan and the gate ask for.

use chrono::Duration;

use super::gate;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::queries::offers::{Offer, Offered};
use brain_core::core::button::{Button, Press};
use brain_core::core::plan::{Plan, PlannedAction, Taint};
use brain_core::core::provenance::{self, Sources, UntrustedText};
use brain_core::core::text::{capital, shorten, visible};
use brain_core::core::turn::{Path, Reply};
use brain_core::limits;
use brain_core::ports::records::Clarification;
use brain_core::ports::{Expect, StoreError};
use brain_language::language::reading::Mood;
use brain_language::language::requests::{Residue, Understood};
use brain_language::language::{nearest, requests};

pub(crate) const LEAVE_IT: &str = "Leave it";
/// Said of what only tells something.
pub(crate) const TOLD: &str =
    "I took that as something you're telling me, so nothing was done. If I should do something about it, just ask.";
/// Of each part of a message that is said back.
const PART_CHARS_MAX: usize = 120;

/// Something that has to be settled before anything is done.
#[derive(Debug, Default)]
pub struct Doubt {
    /// What is said; it ends with the question, if there is one.
    pub words: String,
    /// What each button says, and what it does.
    pub choices: Vec<(String, Plan)>,
    /// The button that does nothing.
    pub leave: &'static str,
    /// Whether nobody understood it, and it reads like something to do.
    pub is_order: bool,
    /// Whether it was a question, which may be looked into.
    pub is_question: bool,
    /// Whether it ends with a question that a yes answers.
    pub takes_yes: bool,
    /// Why no model has planned.
    pub remark: Option<&'static str>,
    /// What was asked for before that some of it is for, in the person's own words.
    pub earlier: Option<String>,
}

impl Doubt {
    /// Some of the message was not understood. What says which things are not meant cannot be left out of it.
    pub fn partly(brain: &Brain, facts: &TurnFacts, domains: &[String], plan: Plan, unread: &[Residue]) -> Doubt {
        let parts: Vec<String> = unread.iter().map(|part| part.text.clone()).collect();
        if unread.iter().any(|part| part.class.turns_around()) {
            let parts = listed(&parts.iter().map(|part| quoted(part)).collect::<Vec<_>>());
            let words = format!("I can't work with {parts} here, so nothing was done. Could you say it another way?");
            return Doubt { words, ..Doubt::default() };
        }
        Doubt::unread(brain, without(facts, domains, unread).unwrap_or(plan), &parts)
    }

    /// A plan does not say these parts of the message.
    pub fn unread(brain: &Brain, plan: Plan, parts: &[String]) -> Doubt {
        let parts: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
        let would = show::meant(&brain.services, &plan.actions);
        Doubt {
            words: format!("I'd {would}. What about {}? Nothing is done yet.", listed(&parts)),
            choices: vec![("Do it without that".to_owned(), plan)],
            leave: LEAVE_IT,
            ..Doubt::default()
        }
    }

    /// All of it depends on something that nobody can look up.
    pub fn condition(brain: &Brain, plan: Plan, said: &str, text: &str) -> Doubt {
        let would = show::meant(&brain.services, &plan.actions);
        let cannot_tell = "I can't tell whether that is so. Shall I do it anyway? Nothing is done yet.";
        let words = match said.strip_suffix(text) {
            Some(opening) if !opening.is_empty() => {
                format!("I'd {would} {} {}, but {cannot_tell}", opening.trim().to_lowercase(), quoted(text))
            }
            Some(_) | None => format!("I'd {would}. {}: {cannot_tell}", quoted(said)),
        };
        Doubt {
            words,
            choices: vec![("Do it anyway".to_owned(), plan)],
            leave: LEAVE_IT,
            takes_yes: true,
            ..Doubt::default()
        }
    }

    /// It may be meant in several ways.
    pub fn which(brain: &Brain, readings: Vec<Plan>) -> Doubt {
        let readings = readings.into_iter().take(limits::READINGS_MAX);
        let label = |plan: &Plan| visible(&capital(&show::meant(&brain.services, &plan.actions)));
        Doubt {
            words: "Which did you mean? Nothing is done yet.".to_owned(),
            choices: readings.map(|plan| (label(&plan), plan)).collect(),
            leave: "None of these",
            ..Doubt::default()
        }
    }

    /// Nobody understood it. What it orders is offered to be kept as something to do.
    pub fn nothing(brain: &Brain, facts: &TurnFacts) -> Doubt {
        let reading = facts.reading();
        if is_talk(facts) {
            return Doubt { words: requests::chat(facts.words()), ..Doubt::default() };
        }
        let only_tells = !reading.clauses.is_empty() && reading.clauses.iter().all(|clause| clause.mood.tells());
        if facts.origin().is_own_words() && only_tells {
            return Doubt { words: TOLD.to_owned(), ..Doubt::default() };
        }
        let services = brain.services.now();
        let may_ask = facts.origin().is_own_words() && reading.clauses.iter().all(|clause| clause.mood.is_request());
        let order = may_ask.then(|| requests::order(facts.words(), &facts.reference())).flatten();
        let kept = order.and_then(|order| services.iter().find_map(|service| service.service.keeps_order(&order)));
        let Some((offered, question)) = kept.and_then(|kept| Some((kept.clone(), kept.question?))) else {
            return Doubt { words: not_understood(brain, facts), ..Doubt::default() };
        };
        Doubt {
            words: format!("I can't do that myself, so nothing was done. {question}"),
            is_order: true,
            choices: vec![(offered.label.to_owned(), Plan { actions: vec![offered.action], ..Plan::default() })],
            leave: LEAVE_IT,
            takes_yes: true,
            ..Doubt::default()
        }
    }

    /// The answer that asks.
    pub fn ask(
        self,
        brain: &Brain,
        facts: &TurnFacts,
        domains: &[String],
        sources: &Sources,
        own: Vec<String>,
    ) -> Result<Answer, StoreError> {
        let words = match self.remark {
            Some(remark) => format!("{remark}\n{}", self.words),
            None => self.words,
        };
        let mut answer = Answer::of(Path::Clarify);
        if self.choices.is_empty() {
            answer.replies.push(Reply::text(words));
            return Ok(answer);
        }
        let (labels, plans): (Vec<String>, Vec<Plan>) = self.choices.into_iter().unzip();
        let in_sight = sources.untrusted.iter().cloned();
        let holding = plans.iter().flat_map(|plan| &plan.actions).map(|action| format!("{:?}", action.params));
        let mut untrusted = provenance::repeated(&holding.collect::<Vec<_>>().join("\n"), in_sight);
        let taints = gate::others_in(brain, facts, &plans, sources);
        let named: Vec<String> = taints.iter().map(Taint::warning).collect();
        let words = [words].into_iter().chain(named).collect::<Vec<_>>().join("\n⚠️ ");
        untrusted.extend(taints.into_iter().map(UntrustedText::from));
        let mut offers: Vec<String> = plans.iter().flat_map(|plan| &plan.actions).map(PlannedAction::name).collect();
        offers.dedup();
        let own = self.earlier.iter().cloned().chain(own).collect();
        let request: Vec<&str> = self.earlier.as_deref().into_iter().chain([facts.words()]).collect();
        let request = request.join("\n");
        let offer = Offer {
            id: brain.new_id(),
            owner: facts.owner().clone(),
            chat: facts.chat().clone(),
            until: facts.ctx.now + Duration::seconds(limits::CHOICE_SECS),
            what: Offered::Readings {
                plans,
                request: request.clone(),
                at: facts.as_written().now,
                untrusted: untrusted.clone(),
            },
        };
        let labels: Vec<String> = labels.into_iter().chain([self.leave.to_owned()]).collect();
        answer.replies.push(Reply { buttons: buttons(&offer.id, &labels), ..Reply::text(words.clone()) });
        answer.batch.put(&offer, Expect::Absent)?;
        answer.untrusted.extend(untrusted.iter().cloned());
        let choices = labels.into_iter().enumerate().map(|(choice, label)| (choice.to_string(), label));
        answer.clarification = Question::Open(Box::new(Clarification {
            choices: choices.collect(),
            offers,
            offer: Some(offer.id),
            takes_yes: self.takes_yes,
            own,
            quoted: untrusted,
            ..Clarification::asks(request, words, domains, facts.ctx.now)
        }));
        Ok(answer)
    }
}

/// The plan of the message without those parts.
fn without(facts: &TurnFacts, domains: &[String], unread: &[Residue]) -> Option<Plan> {
    let text = unread.iter().fold(facts.words().to_owned(), |text, part| text.replacen(&part.text, "", 1));
    match facts.understood_as(&text, domains) {
        Understood::Plan { plan, condition: None, .. } => Some(plan),
        Understood::Plan { .. }
        | Understood::Ask { .. }
        | Understood::Which { .. }
        | Understood::Partly { .. }
        | Understood::NotUnderstood { .. }
        | Understood::SmallTalk
        | Understood::TooMuch => None,
    }
}

/// One for each choice of an offer.
pub(crate) fn buttons(offer: &str, labels: &[String]) -> Vec<Vec<Button>> {
    let press = |choice| Press::Offer { id: offer.to_owned(), choice };
    labels.iter().enumerate().map(|(choice, label)| vec![Button::new(label, &press(choice))]).collect()
}

/// Whether a message is talk, and nothing else; a picture without a word is.
pub(crate) fn is_talk(facts: &TurnFacts) -> bool {
    !facts.words().contains(char::is_alphanumeric) || facts.understood(&[]) == Understood::SmallTalk
}

/// What kind of thing was not understood, that nothing was done, and the nearest of what can be said of its kind, if
/// anything is near.
pub(crate) fn not_understood(brain: &Brain, facts: &TurnFacts) -> String {
    let services = brain.services.open_to(facts.owner());
    let asks = facts.reading().has(&[Mood::Question]);
    let about = match facts.guess().domains.as_slice() {
        [only] => services.find(only),
        [] | [..] => None,
    };
    let what = match (about.as_ref().map(|service| &service.info.place), asks) {
        (Some(place), true) => format!("I took that as a question about {place}, and couldn't work it out"),
        (Some(place), false) => format!("I took that to be about {place}, and couldn't work out what to do"),
        (None, true) => "I couldn't work out that question".to_owned(),
        (None, false) => "I couldn't work out what you mean".to_owned(),
    };
    let is_near = |service: &str| about.as_ref().is_none_or(|about| about.info.name == service);
    let near = services.iter().filter(|service| is_near(&service.info.name));
    let entries = near.flat_map(|service| service.commands().map(|entry| entry.example()).enumerate());
    // One of each service comes first.
    let mut ranked: Vec<(usize, &str)> = entries.filter(|(_, example)| !example.is_empty()).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut examples: Vec<&str> = ranked.into_iter().map(|(_, example)| example).collect();
    if asks && examples.iter().any(|example| example.ends_with('?')) {
        examples.retain(|example| example.ends_with('?'));
    }
    // A question that is about nothing that is kept here shares its question word with any.
    let is_ours = about.is_some() || !asks;
    let near = nearest::by_words(facts.words(), &examples).first().copied().filter(|_| is_ours);
    let example = near.or(about.map(|_| 0)).and_then(|at| examples.get(at));
    let told = requests::not_understood(facts.words()).replace("{what}", &what);
    match (example, told.split_once(". ")) {
        (Some(example), _) => format!("{told} “{example}”."),
        (None, Some((told, _))) => format!("{told}."),
        (None, None) => told,
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", visible(&shorten(text.trim(), PART_CHARS_MAX)))
}

fn listed(parts: &[String]) -> String {
    match parts {
        [several @ .., last] if !several.is_empty() => format!("{} and {last}", several.join(", ")),
        parts => parts.concat(),
    }
}
