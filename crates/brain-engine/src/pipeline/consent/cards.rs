//! Cards: making them, replacing them, taking single actions off them.

use chrono::Duration;

use super::closed;
use super::decisions::expiry;
use super::too_late;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent;
use crate::pipeline::run::Passed;
use crate::pipeline::show;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::button::{Button, CardVerb};
use brain_core::core::card;
use brain_core::core::digest::{Digest, Scheme};
use brain_core::core::history::{ItemRef, PastAction};
use brain_core::core::ids::PendingId;
use brain_core::core::outcome::{Outcome, Status};
use brain_core::core::pending::{Decision, Means, Pending, State, Transition};
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::run::{Run, Step, StepProgress};
use brain_core::core::text::shorten;
use brain_core::core::turn::{CardPart, Path, Reply};
use brain_core::limits;
use brain_core::ports::records::{Audit, PendingOpen};
use brain_core::ports::{Expect, StoreError};
use brain_language::language::time::Reference;
use brain_services::services;
use brain_services::services::contract::rows::FoundRows;

/// What a card is made of.
#[derive(Debug)]
pub struct Asking {
    /// What executes, in order.
    pub actions: Vec<Action>,
    /// For each, the indexes of those that must succeed first.
    pub depends_on: Vec<Vec<usize>>,
    /// The person's words.
    pub request: String,
    /// The routed domains.
    pub domains: Vec<String>,
    /// The card whose place it takes.
    pub replaces: Option<PendingId>,
    /// Where the request goes on after a yes; see [`Pending::goes_on`].
    pub goes_on: Option<Vec<String>>,
}

impl Asking {
    /// The actions the gate wants a yes for; what they depended on and already ran is left out.
    pub fn of(passed: Vec<Passed>, request: String, domains: &[String]) -> Self {
        let place = |index: &usize| passed.iter().position(|p| p.index == *index);
        let depends_on = passed.iter().map(|p| p.depends_on.iter().filter_map(place).collect()).collect();
        let actions = passed.into_iter().map(|p| p.assessed.into_action()).collect();
        Self { actions, depends_on, request, domains: domains.to_vec(), replaces: None, goes_on: None }
    }

    /// The actions of a card once more, in place of it.
    pub fn again(pending: &Pending) -> Self {
        Self {
            actions: pending.actions.clone(),
            depends_on: pending.depends_on.clone(),
            request: pending.request.clone(),
            domains: pending.domains.clone(),
            replaces: Some(pending.id.clone()),
            goes_on: pending.goes_on.clone(),
        }
    }
}

/// Adds a card to the answer: the record, its indexes, its messages. Too long a card is refused in words.
pub fn ask(
    brain: &Brain,
    facts: &TurnFacts,
    asking: Asking,
    answer: &mut Answer,
) -> Result<Option<PendingId>, StoreError> {
    let waiting = facts.open.iter().filter(|open| asking.replaces.as_ref() != Some(&open.id)).count();
    if waiting >= limits::PENDING_OPEN_MAX {
        let why = format!("{waiting} things already wait for your yes or no. Please decide some first (/pending).");
        refuse(answer, &asking.actions, why);
        return Ok(None);
    }
    let mut pending = new_pending(brain, facts, asking);
    let reference = facts.ctx.reference();
    let parts = match parts(brain, &pending, &reference) {
        Ok(parts) => parts,
        Err(error) => {
            let why = format!(
                "That is too long to show you in full, so I won't ask for it: {error}. Please make it shorter."
            );
            refuse(answer, &pending.actions, why);
            return Ok(None);
        }
    };
    pending.card_parts = parts.len();
    answer.reports.extend(pending.actions.iter().map(|action| show::report(action, Status::Pending, None)));
    name_zone(brain, facts, &pending, answer);
    answer.replies.extend(parts);
    answer.batch.put(&pending, Expect::Absent)?;
    answer.batch.put(&PendingOpen::of(&pending), Expect::Absent)?;
    answer.batch.put(&expiry(&pending), Expect::Absent)?;
    answer.batch.put(&brain.audit_pending(facts.owner(), facts.ctx.now, &pending), Expect::Absent)?;
    Ok(Some(pending.id))
}

fn new_pending(brain: &Brain, facts: &TurnFacts, asking: Asking) -> Pending {
    let Asking { actions, depends_on, request, domains, replaces: _, goes_on } = asking;
    let instants = brain.clock.instants();
    let digest = Digest::of(facts.owner(), facts.chat(), crate::pipeline::brain::ACCOUNT, &actions, &depends_on);
    let ttl =
        Duration::from_std(brain.policy.pending_ttl).unwrap_or_else(|_| Duration::seconds(limits::PENDING_TTL_SECS));
    Pending {
        id: PendingId::new(brain.new_id()),
        owner: facts.owner().clone(),
        chat: facts.chat().clone(),
        account: crate::pipeline::brain::ACCOUNT.to_owned(),
        actions,
        depends_on,
        digest,
        scheme: Scheme::NOW,
        state: State::Pending,
        created_at: instants.now,
        created_monotonic: instants.monotonic,
        expires_at: instants.now + ttl,
        card_parts: 0,
        card_messages: Vec::new(),
        decision: None,
        superseded_by: None,
        request,
        domains,
        goes_on,
    }
}

fn refuse(answer: &mut Answer, actions: &[Action], why: String) {
    answer.reports.extend(actions.iter().map(|action| show::report(action, Status::Refused, Some(&why))));
    answer.replies.push(Reply::text(why));
}

fn name_zone(brain: &Brain, facts: &TurnFacts, pending: &Pending, answer: &mut Answer) {
    if facts.names_zone(&brain.policy) && !answer.zone_named && pending.actions.iter().any(show::shows_time) {
        answer.zone_named = true;
        answer.replies.push(Reply::text(show::zone_note(facts.ctx.zone)));
    }
}

/// The messages of a card as it stands; the last one carries the buttons.
pub fn parts(brain: &Brain, pending: &Pending, reference: &Reference) -> Result<Vec<Reply>, card::TooLong> {
    let texts = services::catalog::cards::texts(&brain.services, pending, reference)?;
    let of = texts.len();
    let approve = match pending.actions.as_slice() {
        [only] => brain.services.of(only).map_or("✅ Yes", |entry| entry.approve(only)),
        _ => "✅ Yes, all of it",
    };
    let buttons = card::buttons(&pending.id, &pending.digest, approve, pending.actions.len());
    Ok(texts
        .into_iter()
        .enumerate()
        .map(|(index, text)| Reply {
            buttons: if index + 1 == of { buttons.clone() } else { Vec::new() },
            card: Some(CardPart { pending: pending.id.clone(), part: index + 1, of }),
            ..Reply::from(text)
        })
        .collect())
}

/// Replaces `old`: it is superseded in the commit of `answer`. False when it is not open any more: the first
/// decision stands, an approved card is never withdrawn from here.
pub async fn supersede(
    brain: &Brain,
    facts: &TurnFacts,
    old: &Pending,
    answer: &mut Answer,
) -> Result<bool, StoreError> {
    let withdrawn = withdrawn(brain, facts, old).await?;
    let open = withdrawn.is_some();
    if let Some(withdrawn) = withdrawn {
        withdraw(brain, facts, withdrawn, None, answer)?;
    }
    Ok(open)
}

/// The same for an answer that holds what takes its place: what is shown of it comes first.
pub async fn superseded_with(
    brain: &Brain,
    facts: &TurnFacts,
    old: &Pending,
    answer: &mut Answer,
) -> Result<bool, StoreError> {
    let mut withdrawal = Answer::of(Path::Consent);
    if !supersede(brain, facts, old, &mut withdrawal).await? {
        return Ok(false);
    }
    answer.path = Path::Consent;
    answer.hinges_on = withdrawal.hinges_on;
    answer.batch.extend(withdrawal.batch.changes);
    answer.edits.splice(0..0, withdrawal.edits);
    answer.replies.splice(0..0, withdrawal.replies);
    Ok(true)
}

/// A card as it is once it has been withdrawn, and the revision of the open one.
struct Withdrawn(Pending, u64);

/// `None` when it is not open any more.
async fn withdrawn(brain: &Brain, facts: &TurnFacts, old: &Pending) -> Result<Option<Withdrawn>, StoreError> {
    let Some((mut pending, revision)) = brain.pending(&old.id).await? else {
        return Ok(None);
    };
    if !pending.state.is_open() || pending.apply(Transition::Supersede).is_err() {
        return Ok(None);
    }
    pending.decision = Some(Decision {
        by: facts.owner().clone(),
        means: Means::Amendment,
        at: brain.clock.now(),
        digest: pending.digest.clone(),
    });
    Ok(Some(Withdrawn(pending, revision)))
}

fn withdraw(
    brain: &Brain,
    facts: &TurnFacts,
    withdrawn: Withdrawn,
    by: Option<PendingId>,
    answer: &mut Answer,
) -> Result<(), StoreError> {
    let Withdrawn(mut pending, revision) = withdrawn;
    pending.superseded_by = by;
    answer.batch.put(&pending, Expect::Revision(revision))?;
    brain.leave_open(&pending, &mut answer.batch);
    answer.batch.put(&brain.audit_pending(facts.owner(), facts.ctx.now, &pending), Expect::Absent)?;
    answer.show(closed::view(brain, &pending, facts.ctx.zone));
    Ok(())
}

/// The same card without one action (and what depends on it): a new digest, a new view, a new card.
pub async fn drop_action(turn: &Turn<'_>, pending: Pending, index: usize) -> Result<Answer, StoreError> {
    let mut answer = Answer::of(Path::Consent);
    if index >= pending.actions.len() || pending.actions.len() == 1 {
        return Ok(
            Answer::says(Path::Consent, "There is no such part on that card. Nothing was changed.").keeping_question()
        );
    }
    // No part of the digest, so looked at with care.
    let needs = |at: usize| pending.depends_on.get(at).cloned().unwrap_or_default();
    let mut dropped = vec![false; pending.actions.len()];
    for at in index..pending.actions.len() {
        dropped[at] = at == index || needs(at).iter().any(|&on| dropped.get(on) == Some(&true));
    }
    let kept: Vec<usize> = (0..pending.actions.len()).filter(|&at| !dropped[at]).collect();
    if kept.is_empty() {
        // Nothing is left of it: a no.
        return Box::pin(consent::decide(turn, &pending.id, CardVerb::Cancel, None, Means::Button)).await;
    }
    let Some(withdrawn) = withdrawn(turn.brain, &turn.facts, &pending).await? else {
        return too_late(turn.brain, &turn.facts, &pending.id).await;
    };
    // Somebody else may decide it before this is committed.
    answer.hinges_on = Some(pending.id.clone());
    let place = |on: &usize| kept.iter().position(|k| k == on);
    let asking = Asking {
        actions: kept.iter().map(|&at| pending.actions[at].clone()).collect(),
        depends_on: kept.iter().map(|&at| needs(at).iter().filter_map(place).collect()).collect(),
        ..Asking::again(&pending)
    };
    let Some(newer) = ask(turn.brain, &turn.facts, asking, &mut answer)? else {
        // Refused, in words: the card stays as it is.
        return Ok(answer);
    };
    withdraw(turn.brain, &turn.facts, withdrawn, Some(newer), &mut answer)?;
    let reports = pending.actions.iter().zip(&dropped).filter(|(_, dropped)| **dropped);
    let reports = reports.map(|(action, _)| show::report(action, Status::Denied, None)).collect::<Vec<_>>();
    answer.reports.splice(0..0, reports);
    Ok(answer)
}

/// What can be done next with what a run made.
pub fn next_buttons(brain: &Brain, run: &Run) -> Vec<Vec<Button>> {
    let next = run.steps.iter().filter_map(|step| match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => {
            Some(brain.services.of(&step.action)?.next(&step.action, result))
        }
        StepProgress::Done { .. } | StepProgress::Planned | StepProgress::Started => None,
    });
    next.flatten().map(|button| vec![button]).collect()
}

/// How the lists of a run go on: how many more there are, and what shows them.
pub fn next_pages(brain: &Brain, run: &Run) -> Vec<(usize, PlannedAction)> {
    let next = run.steps.iter().filter_map(|step| match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => {
            brain.services.of(&step.action)?.next_page(&step.action, result)
        }
        StepProgress::Done { .. } | StepProgress::Planned | StepProgress::Started => None,
    });
    next.collect()
}

/// What a run did, for later pronouns.
pub fn past_actions(brain: &Brain, run: &Run) -> Vec<PastAction> {
    run.steps
        .iter()
        .filter(|step| {
            matches!(step.progress, StepProgress::Done { outcome: Outcome::Succeeded { .. } | Outcome::Unknown { .. } })
        })
        .map(|step| {
            let rows = listed(brain, step);
            PastAction {
                service: step.action.service.clone(),
                command: step.action.command.clone(),
                params: step.action.params.clone(),
                item: item(brain, step),
                details: details(step, &rows),
                rows,
            }
        })
        .collect()
}

/// The item a step made or touched: what its output names, else its target.
fn item(brain: &Brain, step: &Step) -> Option<ItemRef> {
    let made = match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => {
            brain.services.of(&step.action).and_then(|entry| entry.made(&step.action, result))
        }
        StepProgress::Done { .. } | StepProgress::Planned | StepProgress::Started => None,
    };
    let target =
        || step.action.target.as_ref().map(|target| ItemRef { id: target.id.clone(), label: target.label.clone() });
    made.or_else(target)
}

fn listed(brain: &Brain, step: &Step) -> Vec<ItemRef> {
    match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => {
            brain.services.of(&step.action).map(|entry| entry.listed(&step.action, result)).unwrap_or_default()
        }
        StepProgress::Done { .. } | StepProgress::Planned | StepProgress::Started => Vec::new(),
    }
}

/// What the result says of each of these rows, beside what it is called.
fn details(step: &Step, rows: &[ItemRef]) -> Vec<String> {
    let StepProgress::Done { outcome: Outcome::Succeeded { result } } = &step.progress else { return Vec::new() };
    let found = FoundRows::of(result).rows;
    let detail = |row: &ItemRef| {
        let of = found.iter().find(|of| !row.id.is_empty() && of.id == row.id);
        of.map(|of| shorten(&of.beside(&row.label), limits::ROW_DETAIL_CHARS)).unwrap_or_default()
    };
    rows.iter().map(detail).collect()
}

impl Brain {
    /// An audit row about a pending action: ids, digests and times, never contents.
    pub fn audit_pending(
        &self,
        by: &brain_core::core::ids::UserId,
        at: chrono::DateTime<chrono::Utc>,
        pending: &Pending,
    ) -> Audit {
        Audit {
            at,
            id: self.new_id(),
            by: by.clone(),
            what: pending.state.to_string(),
            pending: Some(pending.id.clone()),
            state: Some(pending.state),
            digest: Some(pending.digest.as_str().to_owned()),
            actions: pending.actions.iter().map(Action::name).collect(),
        }
    }
}
