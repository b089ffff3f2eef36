//! `batch_thread_read` with a model: one call a thing, best first by what features tell, while the budget lasts.
//!
//! Invariants: a call sees one thing, and what it says counts for that one; of machines and lists, and of what turns to
//! the model itself, it is only a summary. Not here: which things there are.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Duration, Utc};
use futures::stream::{self, StreamExt};
use minijinja::context;
use serde::Deserialize;
use serde_json::json;

use super::letters::LABEL_CHARS;
use super::order::{best_first, leave_out};
use super::{RefineContext, Refined, kind, letters_within, may_be_judged, now, question, speaks_outright};
use crate::investigate::asker::{AskFailure, InvestigationModel};
use crate::investigate::features::{Debt, DebtKind, SenderSort};
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField};
use crate::investigate::strategies::EvidenceSources;
use brain_core::core::progress::Progress;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Stage};
use brain_core::prompts::{Fixed, Prompt};
use brain_services::services::error::ServiceError;
use brain_services::services::searchable::{ItemKind, ItemText};
use brain_services::services::show::Moment;

/// Failures after which the rest is left alone: the endpoint has troubles of its own.
const FAILURES_MAX: usize = 3;
/// A day that lies farther away than this was made up.
const DUE_WITHIN: Duration = Duration::days(2 * 366);
/// What a step of urgency is worth beside how well a thing fits.
const URGENCY_STEP: f32 = 0.05;

/// Texts by service and id.
pub type ItemTexts = HashMap<(String, String), ItemText>;

/// Who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WaitingSide {
    Me,
    Others,
    Nobody,
}

/// What a model says of one thing.
#[derive(Debug, Clone, Deserialize)]
struct Extract {
    summary: String,
    #[serde(default)]
    waiting: Option<WaitingSide>,
    #[serde(default)]
    about: Option<bool>,
    #[serde(default)]
    due: Option<String>,
    #[serde(default)]
    urgency: u8,
}

fn extract_schema() -> &'static AnswerSchema {
    static SCHEMA: OnceLock<AnswerSchema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        AnswerSchema::of(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["summary", "waiting", "about", "due", "urgency"],
            "properties": {
                "summary": {"type": "string"},
                "waiting": {"type": "string", "enum": ["me", "others", "nobody"]},
                "about": {"type": "boolean"},
                "due": {"type": ["string", "null"]},
                "urgency": {"type": "integer", "enum": [0, 1, 2, 3]},
            },
        }))
    })
}

/// What the things say that a model would read; no others are read for it.
pub async fn texts_of(
    sources: &EvidenceSources<'_>,
    params: &BatchThreadRead,
    findings: &[Finding],
) -> Result<ItemTexts, ServiceError> {
    let mut texts = ItemTexts::new();
    let chosen = best_first(params, findings, sources.ctx.now);
    for service in sources.services.iter() {
        let Some(searchable) = service.service.searchable() else { continue };
        let name = &service.info.name;
        let ids = chosen.iter().map(|&at| &findings[at].item).filter(|item| item.service == *name);
        let ids: Vec<String> = ids.map(|item| item.id.clone()).collect();
        if !ids.is_empty() {
            let read = searchable.read_items(sources.ctx, &ids).await?;
            texts.extend(read.into_iter().map(|text| ((name.clone(), text.id.clone()), text)));
        }
    }
    Ok(texts)
}

/// Has a model read the best of what was gathered, each by itself. What it did not read stays as features tell it,
/// where they tell anything or the graph wants so many, and is counted as unread.
pub async fn extract(
    model: &InvestigationModel<'_>,
    params: &BatchThreadRead,
    mut output: NodeOutput,
    texts: &ItemTexts,
    about: &RefineContext<'_>,
    told: &(dyn Fn(Progress) + Send + Sync),
) -> Refined {
    let readable = output.findings.iter().filter(|finding| finding.item.kind != ItemKind::Person).count();
    leave_out(params, &mut output, about.now);
    let reading = ExtractCall { model, params, about, failures: AtomicUsize::new(0), done: AtomicUsize::new(0) };
    let chosen: Vec<(usize, &Finding, &ItemText)> = best_first(params, &output.findings, about.now)
        .into_iter()
        .filter_map(|at| {
            let finding = &output.findings[at];
            let key = (finding.item.service.clone(), finding.item.id.clone());
            Some((at, finding, texts.get(&key)?))
        })
        .collect();
    let of = chosen.len();
    let calls: Vec<_> =
        chosen.into_iter().map(|(at, finding, text)| reading.one(at, finding, text, of, told)).collect();
    // Begun in this order, so what the budget does not allow is the worst of them.
    let answers: Vec<(usize, Result<Option<Extract>, AskFailure>)> =
        stream::iter(calls).buffer_unordered(limits::EXTRACTS_AT_ONCE).collect().await;
    let (mut read, mut failed, mut troubles) = (0, None, 0);
    for (at, answer) in answers {
        match answer {
            Ok(Some(extract)) => {
                apply(&mut output.findings[at], extract, params, about);
                read += 1;
            }
            Ok(None) => {}
            Err(failure) => {
                troubles += usize::from(!matches!(failure, AskFailure::OutOfBudget(_)));
                failed = failed.or(Some(failure));
            }
        }
    }
    output.unread += readable - read;
    if troubles > 0 {
        output.gaps.push(format!("{} of {of} could not be read closely, as the model had trouble", of - read));
    }
    Refined { output, failed }
}

/// What all calls of a node have in common.
struct ExtractCall<'a> {
    model: &'a InvestigationModel<'a>,
    params: &'a BatchThreadRead,
    about: &'a RefineContext<'a>,
    failures: AtomicUsize,
    done: AtomicUsize,
}

impl ExtractCall<'_> {
    /// Reads one thing; nothing once there is no use in going on.
    async fn one(
        &self,
        at: usize,
        finding: &Finding,
        text: &ItemText,
        of: usize,
        told: &(dyn Fn(Progress) + Send + Sync),
    ) -> (usize, Result<Option<Extract>, AskFailure>) {
        if self.failures.load(Ordering::Relaxed) >= FAILURES_MAX {
            return (at, Ok(None));
        }
        let answer = match self.prompt(finding, text) {
            Ok(prompt) => {
                let most = limits::EXTRACT_TOKENS_OUT_MAX;
                self.model.typed::<Extract>(Stage::Extract, prompt, extract_schema(), most).await
            }
            Err(failure) => Err(failure),
        };
        match &answer {
            Ok(_) | Err(AskFailure::Unusable { .. }) => {}
            Err(AskFailure::OutOfBudget(_)) => self.failures.store(FAILURES_MAX, Ordering::Relaxed),
            Err(AskFailure::Model(_) | AskFailure::Resting { .. }) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        told(Progress::of(format!("Reading {of} things…")).counting(done, of));
        let only_summary = |extract| Extract { waiting: None, about: None, due: None, urgency: 0, ..extract };
        let speaks = || text.said.iter().any(|written| speaks_outright(&written.text));
        (at, answer.map(|extract| Some(if speaks() { only_summary(extract) } else { extract })))
    }

    /// Within its bound, whatever the thing is: what is left beside everything else is the text's.
    fn prompt(&self, finding: &Finding, text: &ItemText) -> Result<Prompt, AskFailure> {
        let with = |letters: &str| {
            let flat = |text: &str, max: usize| shorten(&one_line(text), max);
            let people: Vec<String> =
                finding.item.people.iter().take(5).map(|party| flat(&party.label(), LABEL_CHARS)).collect();
            let changing = context! {
                now => now(self.about),
                zone => self.about.zone.name(),
                question => question(self.about),
                about => self.params.about.clone(),
                fields => fields(&self.params.fields),
                kind => kind(finding.item.kind),
                title => flat(&finding.item.title, limits::NODE_TEXT_CHARS_MAX),
                people => people.join(", "),
                at => finding.item.at.map(|at| at.with_timezone(&self.about.zone).format("%Y-%m-%d %H:%M").to_string()),
                text => letters,
            };
            let values = || context! { summary_chars => limits::SNIPPET_CHARS_MAX };
            self.model.prompt(Stage::Extract, Fixed { of: None, values }, &changing)
        };
        let bare = with("")?;
        let most = limits::EXTRACT_TOKENS_IN_MAX * 4;
        let left = most.saturating_sub(bare.system.len() + bare.user.len() + extract_schema().as_str().len());
        with(&letters_within(text, self.about.zone, left))
    }
}

fn fields(fields: &[ReadField]) -> String {
    let said = |field: &ReadField| match field {
        ReadField::Waiting => "who waits for whom",
        ReadField::Promises => "what was promised",
        ReadField::Amounts => "amounts of money",
        ReadField::Topic => "what it is about",
    };
    let all: Vec<&str> = fields.iter().map(said).collect();
    if all.is_empty() { "what matters".to_owned() } else { all.join(", ") }
}

/// What a model says of a finding, as far as it may.
fn apply(finding: &mut Finding, extract: Extract, params: &BatchThreadRead, about: &RefineContext<'_>) {
    let may_be_judged = may_be_judged(finding);
    let summary = shorten(&one_line(&extract.summary), limits::SNIPPET_CHARS_MAX);
    if !summary.is_empty() {
        finding.summary.clone_from(&summary);
    }
    if !may_be_judged || finding.sender() != SenderSort::Person {
        return;
    }
    if params.about.is_some()
        && let Some(is_about) = extract.about
    {
        finding.sorts.retain(|sort| *sort != FindingSort::About);
        finding.sorts.extend(is_about.then_some(FindingSort::About));
    }
    finding.score += URGENCY_STEP * f32::from(extract.urgency.min(3));
    if params.fields.contains(&ReadField::Waiting) {
        let due = extract.due.as_deref().and_then(|due| exact(due, about));
        waits(finding, extract.waiting, &summary, due);
    }
}

/// Who owes whom, as the model reads it. What features know of since when and by when stays.
fn waits(finding: &mut Finding, waiting: Option<WaitingSide>, summary: &str, due: Option<DateTime<Utc>>) {
    let (Some(features), Some(waiting), Some(at)) = (finding.features.as_mut(), waiting, finding.item.at) else {
        return;
    };
    let with = finding.item.people.first().cloned().unwrap_or_default();
    let owed = |known: Option<Debt>| {
        let mut debt = known.unwrap_or(Debt {
            kind: DebtKind::Asked,
            sentence: String::new(),
            with: with.clone(),
            since: at,
            last: at,
            due: None,
            missed: None,
        });
        if !summary.is_empty() {
            debt.sentence = summary.to_owned();
        }
        debt.due = debt.due.or(due);
        Some(debt)
    };
    match waiting {
        WaitingSide::Me => (features.i_owe, features.they_owe) = (owed(features.i_owe.take()), None),
        WaitingSide::Others => (features.i_owe, features.they_owe) = (None, owed(features.they_owe.take())),
        WaitingSide::Nobody => (features.i_owe, features.they_owe) = (None, None),
    }
}

/// A day or time as the model gives it; nothing for what is none, or far away.
fn exact(due: &str, about: &RefineContext<'_>) -> Option<DateTime<Utc>> {
    let local = |text: &str| {
        let formats = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];
        let naive = formats.iter().find_map(|format| chrono::NaiveDateTime::parse_from_str(text, format).ok())?;
        Some(brain_language::language::time::local_instant(about.zone, naive).earliest().to_utc())
    };
    let due = due.trim();
    let at = Moment::read(due, about.zone).map(|moment| moment.start(about.zone).to_utc()).or_else(|| local(due))?;
    ((at - about.now).abs() <= DUE_WITHIN).then_some(at)
}
