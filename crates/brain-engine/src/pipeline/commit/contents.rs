//! What the nodes of a turn got and gave: kept with the turn's commit where that was collected, of a person's last turns.
//!
//! Invariants: who takes back that it is kept has nothing kept from that commit on, and a turn that began before it, or
//! before something was forgotten, leaves nothing either; each commit looks through a bounded part of what is there, but
//! for one that takes all of it away. Not here: whose turns are collected ([`crate::pipeline::turn::TurnFacts`]), and how
//! long they are kept at most (they go with the traces).

use super::answer::{Answer, Question};
use super::user::UserChange;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::{TurnAccount, TurnFacts};
use brain_core::core::ids::UserId;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::Params;
use brain_core::core::turn::{Input, Path};
use brain_core::limits;
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::{ContentsChoice, Erasure, NodeContents, PlannedTurn, Tombstone, TurnContents};
use brain_core::ports::{Batch, Expect, Key, RecordExt, Scan, StoreError, Table};

/// Stands in place of the id of something forgotten.
const ERASED_ITEM: &str = "contents of turns";

/// A node's name and what it got, of an action.
pub(in crate::pipeline) fn of_action(service: &str, command: &str, params: &Params, gave: &str) -> NodeContents {
    let got = serde_json::to_string_pretty(params).unwrap_or_default();
    NodeContents::of(&format!("{service}.{command}"), &got, gave)
}

/// What was collected of a turn; `None` where nothing was, and of slash commands, which ask nobody.
pub(in crate::pipeline) fn of(facts: &TurnFacts, account: &TurnAccount, answer: &Answer) -> Option<TurnContents> {
    let collected = account.meter().collected().filter(|_| answer.path != Path::Command)?;
    let mut nodes = collected.nodes;
    for report in &answer.reports {
        let node = reported(report, account.elapsed_us());
        // What ran in this turn was noted as it ended.
        if !nodes.iter().any(|noted| (&noted.name, &noted.got) == (&node.name, &node.got)) {
            nodes.push(node);
        }
    }
    nodes.sort_by_key(|node| node.start_us);
    let is_press = matches!(facts.incoming.input, Input::Press { .. });
    if is_press && nodes.is_empty() {
        return None;
    }
    let replies: Vec<&str> = answer.replies.iter().map(|reply| reply.text.as_str()).collect();
    let contents = TurnContents {
        owner: facts.owner().clone(),
        chat: facts.chat().clone(),
        id: facts.incoming.turn.as_str().to_owned(),
        at: facts.ctx.now,
        message: facts.words().to_owned(),
        nodes,
        nodes_left_out: collected.left_out,
        answer: replies.join("\n\n"),
        planned: planned(account, answer),
        shadow: None,
        is_cut: false,
    };
    Some(contents.bounded())
}

fn planned(account: &TurnAccount, answer: &Answer) -> PlannedTurn {
    let asks = match &answer.clarification {
        Question::Open(question) => Some(question.question.clone()),
        Question::Keep | Question::Beside | Question::Settled => None,
    };
    let mut sum = UsageSum::default();
    account.meter().reading().into_values().for_each(|one| sum += one);
    let UsageSum { usage, usd, unpriced, .. } = sum;
    PlannedTurn { asks, usage, usd, unpriced, ..account.planned() }
}

fn reported(report: &Report, now_us: u64) -> NodeContents {
    let stands = match report.status {
        Status::Succeeded => "done",
        Status::Failed => "failed",
        Status::Unknown => "nobody can tell whether it was done",
        Status::Pending => "waits for a yes",
        Status::Denied => "the person said no",
        Status::Refused => "refused",
        Status::Expired => "nobody decided in time",
        Status::Superseded => "replaced by a newer card",
    };
    let (why, result) = (report.error.as_deref(), report.result.as_deref());
    let gave = match (why, result) {
        (Some(why), _) => format!("{stands}: {why}"),
        (None, Some(result)) => format!("{result:#}"),
        (None, None) => stands.to_owned(),
    };
    let node = of_action(&report.service, &report.command, &report.params, &gave);
    let node = NodeContents { start_us: now_us, ..node };
    match (report.status, why) {
        (Status::Failed | Status::Unknown | Status::Refused, Some(why)) => node.failing(why),
        (_, _) => node,
    }
}

/// Adds it to the turn's batch, in place of the oldest beyond those that are kept; takes all away where this turn says so.
pub(super) async fn keep(
    brain: &Brain,
    facts: &TurnFacts,
    contents: Option<&TurnContents>,
    changes: &[UserChange],
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let owner = facts.owner();
    if changes.contains(&UserChange::Contents(ContentsChoice::Stop)) {
        return take_away(brain, facts, batch).await;
    }
    let Some(contents) = contents else { return Ok(()) };
    if !is_still_kept(brain, facts).await? {
        return Ok(());
    }
    let all = Scan::of::<TurnContents>(&[owner.as_str()], limits::CONTENTS_TURNS_MAX + limits::CONTENTS_STEP);
    let left = brain.policy.contents_kept.saturating_sub(1);
    let beyond = brain.store.count(all).await?.saturating_sub(left).min(limits::CONTENTS_STEP);
    if beyond > 0 {
        // Oldest first, whether or not they can be read.
        let oldest = brain.store.scan(Scan::of::<TurnContents>(&[owner.as_str()], beyond)).await?;
        oldest.into_iter().for_each(|(key, _)| {
            batch.delete(Table::Contents, key, Expect::Any);
        });
    }
    batch.put(contents, Expect::Any)?;
    Ok(())
}

/// Whether the person has neither taken it back nor had something forgotten since the turn began.
async fn is_still_kept(brain: &Brain, facts: &TurnFacts) -> Result<bool, StoreError> {
    let (user, _) = brain.user_at(facts.owner(), facts.chat()).await?;
    if user.contents != facts.user.contents {
        return Ok(false);
    }
    let forgotten = Scan::of::<Tombstone>(&[facts.owner().as_str()], usize::MAX);
    let forgotten = brain.store.list::<Tombstone>(forgotten).await?;
    Ok(forgotten.iter().all(|(forgotten, _)| forgotten.at < facts.ctx.now))
}

/// All that is kept of a person, and its bytes in the store.
async fn take_away(brain: &Brain, facts: &TurnFacts, batch: &mut Batch) -> Result<(), StoreError> {
    let keys = keys_of(brain, facts.owner()).await?;
    if keys.is_empty() {
        return Ok(());
    }
    for key in keys {
        batch.delete(Table::Contents, key, Expect::Any);
    }
    let erasure = Erasure::of_bytes(facts.owner(), facts.chat(), ERASED_ITEM, facts.ctx.now);
    batch.put(&erasure, Expect::Any)?;
    Ok(())
}

async fn keys_of(brain: &Brain, owner: &UserId) -> Result<Vec<Key>, StoreError> {
    let mut keys: Vec<Key> = Vec::new();
    let mut scan = Scan::of::<TurnContents>(&[owner.as_str()], limits::CONTENTS_STEP);
    loop {
        let page = brain.store.scan(scan.clone()).await?;
        let is_last = page.len() < scan.limit;
        keys.extend(page.into_iter().map(|(key, _)| key));
        if is_last {
            return Ok(keys);
        }
        scan.after = keys.last().cloned();
    }
}
