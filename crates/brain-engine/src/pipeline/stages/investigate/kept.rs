//! What an investigation found, kept for the chat: for further pages, and for what is asked of it next.
//!
//! One record a chat, replaced by the next answer of an investigation. Invariants: only its owner goes on with it; rows
//! keep their numbers for as long as it is kept; what it repeats of others' words stays theirs.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use super::investigation_reply::InvestigationReply;
use crate::investigate::graph::AnswerKind;
use crate::investigate::synthesize::AnswerRow;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::pages::{self, Continuation};
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::history::{FOUND, ItemRef, PastAction};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{NumberedSource, Path, Reply};
use brain_core::limits;
use brain_core::ports::{Expect, Key, Record, RecordExt, StoreError, Table};
use brain_language::language::terms;

const KEPT: &str = "findings";

/// An answer of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The person who asked; nobody else narrows it.
    pub owner: UserId,
    /// The chat in which it was shown.
    pub chat: ChatId,
    /// Until when it can be gone on with.
    pub until: DateTime<Utc>,
    /// What kind of question it answered.
    pub answers: AnswerKind,
    /// What it was about.
    pub topic: String,
    /// Its rows, number 1 first.
    pub rows: Vec<AnswerRow>,
    /// The number of the conversation's next message when it was given.
    pub said: u64,
    /// How it came about, a line a node.
    #[serde(default)]
    pub trace: Vec<String>,
}

impl Record for KeptAnswer {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::key_of(&self.chat)
    }
}

impl KeptAnswer {
    /// What is kept of an answer: as many rows as can be; it says how many are left out.
    fn new(facts: &TurnFacts, told: &mut InvestigationReply, mut rows: Vec<AnswerRow>) -> Self {
        let left = rows.len().saturating_sub(limits::FINDINGS_KEPT_MAX);
        if left > 0 {
            rows.truncate(limits::FINDINGS_KEPT_MAX);
            told.remarks.push(format!("({left} more are too many to list; ask for a part of them.)"));
        }
        Self {
            owner: facts.owner().clone(),
            chat: facts.chat().clone(),
            until: facts.ctx.now + Duration::seconds(limits::FINDINGS_KEPT_SECS),
            answers: told.answers,
            topic: std::mem::take(&mut told.topic),
            rows,
            said: facts.state.next_message,
            trace: std::mem::take(&mut told.trace),
        }
    }

    fn key_of(chat: &ChatId) -> Key {
        Key::of(&[KEPT, chat.as_str()])
    }

    /// Whether it was given a moment ago: a request to narrow means it, and not what was said since.
    pub fn is_fresh(&self, facts: &TurnFacts) -> bool {
        facts.state.next_message <= self.said + limits::FINDINGS_FRESH_MESSAGES
    }

    /// Whether it was given by the turn of this moment.
    pub fn is_of(&self, at: DateTime<Utc>) -> bool {
        self.until == at + Duration::seconds(limits::FINDINGS_KEPT_SECS)
    }

    /// The row of this number.
    pub fn row(&self, n: usize) -> Option<&AnswerRow> {
        self.rows.get(n.checked_sub(1)?)
    }

    /// How it came about, as a small drawing.
    pub fn drawing(&self) -> String {
        format!("🔍 How I got there\n{}", self.trace.join("\n"))
    }

    /// The one of this chat, if it can still be gone on with.
    pub async fn of(brain: &Brain, facts: &TurnFacts) -> Result<Option<Self>, StoreError> {
        let kept = brain.store.load::<Self>(&Self::key_of(facts.chat())).await?;
        Ok(kept.map(|(kept, _)| kept).filter(|kept| kept.owner == *facts.owner() && kept.until > facts.ctx.now))
    }
}

/// The answer that tells what was found, and keeps it.
pub(super) fn answer(
    brain: &Brain,
    facts: &TurnFacts,
    mut told: InvestigationReply,
    rows: Vec<AnswerRow>,
) -> Result<Answer, TurnError> {
    let kept = KeptAnswer::new(facts, &mut told, rows);
    let mut answer = page(brain, facts, &kept, 0, Some(&told.heading), &told.remarks)?;
    answer.metrics = told.metrics;
    answer.batch.put(&kept, Expect::Any)?;
    Ok(answer)
}

/// An answer in words, with the numbers of the rows that it names.
pub(super) struct Worded {
    /// A model's words, checked.
    pub text: Formatted,
    /// Numbers of rows.
    pub cited: Vec<usize>,
}

/// The answer in words: below them the rows that they rest on; all of them are kept.
pub(super) fn worded(
    brain: &Brain,
    facts: &TurnFacts,
    mut told: InvestigationReply,
    rows: Vec<AnswerRow>,
    words: Worded,
) -> Result<Answer, TurnError> {
    let kept = KeptAnswer::new(facts, &mut told, rows);
    let reference = facts.reference();
    let cited: Vec<(usize, &AnswerRow)> = match words.cited.is_empty() {
        true => kept.rows.iter().enumerate().take(limits::FINDINGS_SHOWN_MAX).collect(),
        false => words.cited.iter().filter_map(|n| Some((n.checked_sub(1)?, kept.row(*n)?))).collect(),
    };
    // What the words tell already is only named below them.
    let shown = |row: &AnswerRow| match terms::fold(&words.text.text).contains(&terms::fold(row.item.title.trim())) {
        true => row.name(&reference),
        false => row.line(kept.answers, &reference),
    };
    let lines: Vec<String> = cited.iter().map(|(at, row)| format!("{}. {}", at + 1, shown(row))).collect();
    // Those behind a row of numbers without a gap, else all of them.
    let is_first = cited.iter().enumerate().all(|(place, (at, _))| place == *at);
    let (after, rest) = (if is_first { cited.len() } else { 0 }, kept.rows.len() - cited.len());
    let mut text = words.text;
    let lines: Vec<String> = lines.into_iter().chain(told.remarks.iter().cloned()).collect();
    if !lines.is_empty() {
        text.push(&format!("\n\n{}", lines.join("\n")));
    }
    let mut reply = Reply::from(text);
    reply.sources = cited.iter().map(|(at, row)| source(at + 1, row)).collect();
    let mut answer = Answer::of(Path::Investigate);
    answer.metrics = told.metrics;
    if rest > 0 {
        let what = Continuation::Findings { after };
        reply.buttons.push(vec![pages::button(brain, facts, what, kept.rows.len() - after, &mut answer.batch)?]);
    }
    answer.replies.push(reply);
    answer.untrusted = kept.rows.iter().flat_map(|row| row.item.untrusted.iter().cloned()).collect();
    if let [only] = kept.rows.as_slice() {
        answer.actions.push(past(only));
    }
    answer.batch.put(&kept, Expect::Any)?;
    Ok(answer)
}

/// The rows behind the first `after` of what is kept; `None` when nothing is.
pub async fn further(brain: &Brain, facts: &TurnFacts, after: usize) -> Result<Option<Answer>, StoreError> {
    let Some(kept) = KeptAnswer::of(brain, facts).await? else { return Ok(None) };
    page(brain, facts, &kept, after, None, &[]).map(Some)
}

/// One row, with all that is kept of it.
pub fn one_row(brain: &Brain, facts: &TurnFacts, kept: &KeptAnswer, n: usize) -> Result<Answer, StoreError> {
    let mut answer = page(
        brain,
        facts,
        &KeptAnswer { rows: kept.rows[..n.min(kept.rows.len())].to_vec(), ..kept.clone() },
        n - 1,
        None,
        &[],
    )?;
    if let (Some(reply), Some(row)) = (answer.replies.first_mut(), kept.row(n)) {
        reply.text.push_str(&format!("\n{}", brain_core::core::text::visible(&row.item.snippet)));
    }
    Ok(answer.keeping_question())
}

/// A page of rows, with their numbers.
fn page(
    brain: &Brain,
    facts: &TurnFacts,
    kept: &KeptAnswer,
    after: usize,
    heading: Option<&str>,
    remarks: &[String],
) -> Result<Answer, StoreError> {
    let reference = facts.reference();
    let shown = if after == 0 { limits::FINDINGS_SHOWN_MAX } else { limits::LIST_ROWS_MAX };
    let rows: Vec<(usize, &AnswerRow)> = kept.rows.iter().enumerate().skip(after).take(shown).collect();
    let mut lines: Vec<String> = heading.map(str::to_owned).into_iter().collect();
    let mut section = if after == 0 { None } else { kept.rows.get(after - 1).and_then(|row| row.section.clone()) };
    for (at, row) in &rows {
        if row.section != section {
            section.clone_from(&row.section);
            lines.extend(section.as_ref().map(|title| format!("\n{title}")));
        }
        lines.push(format!("{}. {}", at + 1, row.line(kept.answers, &reference)));
    }
    let behind = kept.rows.len().saturating_sub(after + rows.len());
    if behind > 0 {
        lines.push(format!("… and {behind} more."));
    }
    lines.extend(remarks.iter().cloned());
    let mut reply = Reply::text(lines.join("\n"));
    reply.sources = rows.iter().map(|(at, row)| source(at + 1, row)).collect();
    let mut answer = Answer::of(Path::Investigate);
    if behind > 0 {
        let what = Continuation::Findings { after: after + rows.len() };
        reply.buttons.push(vec![pages::button(brain, facts, what, behind, &mut answer.batch)?]);
    }
    answer.replies.push(reply);
    answer.untrusted = rows.iter().flat_map(|(_, row)| row.item.untrusted.iter().cloned()).collect();
    if let [(_, only)] = rows.as_slice() {
        answer.actions.push(past(only));
    }
    Ok(answer)
}

fn source(n: usize, row: &AnswerRow) -> NumberedSource {
    NumberedSource { n, service: row.item.service.clone(), id: row.item.id.clone(), title: row.item.title.clone() }
}

/// A pronoun in the next message means what was found alone.
fn past(row: &AnswerRow) -> PastAction {
    let item = Some(ItemRef { id: row.item.id.clone(), label: row.item.title.clone() });
    PastAction { service: row.item.service.clone(), command: FOUND.to_owned(), item, ..PastAction::default() }
}
