//! Offers: something that could be done, put on buttons because nobody has asked for it yet.
//!
//! What is passed on without a word (a forward, a file, a contact, a place) is content, not a request. No model
//! sees it; the person is asked once what should become of it, and the buttons say exactly what each does. A
//! press executes the stored bytes through the gate, once.
//!
//! Invariants: only low-stakes commands over the person's own data are offered, so that the worst a hostile text can
//! become is a note that says whose words it holds; the press is the person's own word for exactly this, and what it
//! did can be undone; an offer is taken once, by its owner, where it was made, in time. Not here: doing a changed
//! message again (the channel keeps those, see `telegram::edits`), and deciding cards.

use chrono::Duration;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::stages::{act, investigate};
use crate::pipeline::turn::{Referent, Turn, TurnAccount, TurnError, TurnFacts};
use crate::queries::offers::{GONE, Offer, Offered};
use brain_core::core::button::{Button, Press};
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::{Sources, WrittenBy};
use brain_core::core::text::{head_and_tail, shorten, visible};
use brain_core::core::turn::{Along, Edit, Input, NoticeKind, Part, Path, Reply};
use brain_core::limits;
use brain_core::ports::records::{OFFER_LEFT, OFFER_NODE, OFFER_TAKEN, SpanOutcome};
use brain_core::ports::{Change, Expect, RecordExt, StoreError, Table, Usage};
use brain_services::services::catalog::registry::Services;
use brain_services::services::contract::capabilities::{Content, Offerable};
use brain_services::services::contract::context::RequestContext;

/// Said when none of it was wanted.
const LEFT: &str = "Okay, I left it. Nothing was done.";

/// Asks what should become of something that was passed on without a word; `None` when there are words.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Answer>, TurnError> {
    let along: Vec<&Part> = match facts.incoming.parts.as_slice() {
        [] => return Ok(None),
        _ if !facts.words().trim().is_empty() => return Ok(None),
        _ => facts.incoming.passed_on().filter(|part| !part.text.trim().is_empty()).collect(),
    };
    let Some(first) = along.first() else { return Ok(files_alone(facts)) };
    let (question, offered) = offered(&brain.services.now(), &facts.ctx, &along, first);
    if offered.is_empty() {
        return Ok(Some(Answer::says(Path::Clarify, unusable(first)).keeping_question()));
    }
    let offer = Offer {
        id: brain.new_id(),
        owner: facts.owner().clone(),
        chat: facts.chat().clone(),
        until: facts.ctx.now + Duration::seconds(limits::OFFER_SECS),
        what: Offered::Actions {
            actions: offered.iter().map(|(_, action)| action.clone()).collect(),
            untrusted: along.iter().map(|part| part.untrusted()).collect(),
        },
    };
    let mut answer = Answer::of(Path::Clarify).keeping_question();
    answer.batch.put(&offer, Expect::Absent)?;
    let button = |(choice, (text, _)): (usize, &(&str, PlannedAction))| {
        Button::new(*text, &Press::Offer { id: offer.id.clone(), choice })
    };
    let buttons = offered.iter().enumerate().map(|choice| vec![button(choice)]).collect();
    answer.replies.push(Reply { text: question, buttons, ..Reply::default() });
    Ok(Some(answer))
}

/// What is said of files that came without a word, and hold none.
fn files_alone(facts: &TurnFacts) -> Option<Answer> {
    let files = facts.incoming.files().count();
    let asked = "Shall it go along with a mail? Then tell me in your next message to whom and what it says, for \
                 example: send an email to Anna saying here it is.";
    (files > 0).then(|| Answer::says(Path::Clarify, asked).keeping_question())
}

/// What is said of content that nothing can be made of: a calendar without events, or too large.
fn unusable(first: &Part) -> String {
    let name = match &first.along {
        Some(Along::File { name }) => visible(&head_and_tail(name, 80)),
        Some(Along::Message { .. } | Along::Contact { .. } | Along::Place { .. }) | None => "That".to_owned(),
    };
    let why = match first.text.chars().count() > limits::PARAM_CHARS_MAX {
        true => format!("is more than I take from a chat at once ({} characters)", limits::PARAM_CHARS_MAX),
        false => "is a calendar, and I find no event in it".to_owned(),
    };
    format!("{name} {why}. Nothing was done.")
}

type Choices = Vec<(&'static str, PlannedAction)>;

/// The question, and what each button does.
fn offered(services: &Services, ctx: &RequestContext, along: &[&Part], first: &Part) -> (String, Choices) {
    let text = along.iter().map(|part| part.text.trim()).collect::<Vec<_>>().join("\n\n");
    let only = first.along.as_ref().filter(|_| along.len() == 1);
    let title = match &first.along {
        Some(Along::File { name }) => name.clone(),
        Some(Along::Message { .. } | Along::Contact { .. } | Along::Place { .. }) | None => heading(&text),
    };
    let cut: String = text.chars().take(limits::PARAM_CHARS_MAX).collect();
    let content = Content { along: only, title: &title, text: &cut };
    let mut offers: Vec<Offerable> =
        services.iter().flat_map(|service| service.service.offers(&content, ctx)).collect();
    offers.sort_by_key(|offer| offer.rank);
    let choices = offers.iter().map(|offer| (offer.label, offer.action.clone())).collect();
    if let [Offerable { question: Some(question), .. }] = offers.as_slice() {
        return (question.clone(), choices);
    }
    let what = match &first.along {
        Some(Along::File { name }) => format!("I have read {}.", visible(&head_and_tail(name, 80))),
        Some(Along::Message { .. } | Along::Contact { .. } | Along::Place { .. }) | None => {
            "You passed something on.".to_owned()
        }
    };
    let cut = if cut.len() < text.len() {
        format!(" I can keep its first {} characters.", limits::PARAM_CHARS_MAX)
    } else {
        String::new()
    };
    (format!("{what}{cut} What should I do with it?"), choices)
}

/// The first line, short enough for a title.
fn heading(text: &str) -> String {
    shorten(text.lines().next().unwrap_or_default().trim(), 80)
}

fn gone(facts: &TurnFacts) -> Answer {
    Answer::says(Path::Button, GONE).noticed(&facts.incoming, NoticeKind::Toast).keeping_question()
}

/// Takes an offer.
pub async fn take(turn: &Turn<'_>, id: &str, choice: usize) -> Result<Answer, StoreError> {
    let stored = turn.brain.store.load::<Offer>(&Offer::key_of(id)).await?;
    let open = stored.filter(|(offer, _)| offer.is_open_to(turn.facts.owner(), turn.facts.chat(), turn.facts.ctx.now));
    let Some((offer, revision)) = open else {
        return Ok(gone(&turn.facts));
    };
    // Taken in the commit in which it is done: a second press finds nothing.
    let taken = Change::delete(Table::Meta, Offer::key_of(id), Expect::Revision(revision));
    let is_left = matches!(&offer.what, Offered::Readings { plans, .. } if choice >= plans.len());
    pressed(turn.account, is_left);
    let mut answer = match offer.what {
        Offered::Actions { actions, untrusted } => {
            let Some(action) = actions.into_iter().nth(choice) else {
                return Ok(gone(&turn.facts));
            };
            let sources = Sources { own: turn.facts.own_words(), passed_on: untrusted, ..Sources::default() };
            act::given(turn, vec![action], sources, vec![taken]).await?.keeping_question()
        }
        Offered::Readings { mut plans, request, at, untrusted } => {
            let mut answer = if choice < plans.len() {
                let then = turn.said_at(at);
                let written_by = WrittenBy::Planner { records: Vec::new(), completes: vec![request.clone()] };
                let own = [turn.facts.own_words(), request.clone()].join("\n");
                let sources = Sources { own, untrusted, written_by, ..Sources::default() };
                act::as_planned(&then, plans.swap_remove(choice), &request, sources, vec![taken]).await?
            } else {
                let mut left = Answer::says(Path::Button, LEFT);
                left.batch.extend([taken]);
                left
            };
            others_stay_open(&turn.facts, id, &mut answer);
            answer
        }
        Offered::Investigation { question, graph, order, at } => {
            let mut then = turn.said_at(at);
            then.points_at(Referent::words(question)).await;
            let decided = Box::pin(investigate::decided(&then, choice, graph, order)).await;
            let mut answer = match decided {
                Ok(answer) => answer,
                Err(TurnError::Store(error)) => return Err(error),
                Err(TurnError::Cancelled) => Answer::says(Path::Command, "Stopped. Nothing was looked into."),
            };
            answer.batch.extend([taken]);
            others_stay_open(&turn.facts, id, &mut answer);
            answer
        }
        Offered::Answers { .. } | Offered::Redo { .. } => return Ok(gone(&turn.facts)),
    };
    is_taken(&turn.facts, &mut answer);
    Ok(answer)
}

/// For the figures: how often what is offered is what was meant.
fn pressed(account: &TurnAccount, is_left: bool) {
    account.traced(OFFER_NODE, account.elapsed_us(), 0, Usage::default(), SpanOutcome::Ok);
    account.came_to(&[OFFER_NODE], if is_left { OFFER_LEFT } else { OFFER_TAKEN }.to_owned());
}

/// What a press says in answer to the question that is open, and that it is taken; `None` where it is no such press.
pub(super) async fn spoken(
    brain: &Brain,
    facts: &TurnFacts,
    id: &str,
    choice: usize,
) -> Result<Option<(String, Change)>, StoreError> {
    let stored = brain.store.load::<Offer>(&Offer::key_of(id)).await?;
    let open = stored.filter(|(offer, _)| offer.is_open_to(facts.owner(), facts.chat(), facts.ctx.now));
    let Some((Offer { what: Offered::Answers { question, labels }, .. }, revision)) = open else { return Ok(None) };
    let is_open = facts.open_question().is_some_and(|open| open.question == question);
    let label = labels.into_iter().nth(choice).filter(|_| is_open);
    Ok(label.map(|label| (label, Change::delete(Table::Meta, Offer::key_of(id), Expect::Revision(revision)))))
}

/// What came of such a press.
pub(super) fn answered(
    facts: &TurnFacts,
    answer: Result<Option<Answer>, TurnError>,
    taken: Change,
) -> Result<Answer, StoreError> {
    let mut answer = match answer {
        Ok(Some(answer)) => answer,
        Ok(None) => return Ok(gone(facts)),
        Err(TurnError::Store(error)) => return Err(error),
        Err(TurnError::Cancelled) => Answer::says(Path::Command, "Stopped. Nothing was done."),
    };
    answer.batch.extend([taken]);
    is_taken(facts, &mut answer);
    Ok(answer)
}

/// A question of ours that is not the one of this offer stays open.
fn others_stay_open(facts: &TurnFacts, id: &str, answer: &mut Answer) {
    let is_open = facts.open_question().is_some_and(|question| question.offer.as_deref() == Some(id));
    if !is_open && answer.clarification == Question::Settled {
        answer.clarification = Question::Keep;
    }
}

/// Takes the buttons off an offer that was taken.
pub fn is_taken(facts: &TurnFacts, answer: &mut Answer) {
    if let Input::Press { message: Some(message), .. } = &facts.incoming.input {
        answer.edits.push(Edit::buttons(*message, Vec::new()));
    }
}
