//! `batch_thread_read` with a model: one call a thing, best first by what features tell, while the budget lasts.
//!
//! Invariants: a call sees one thing, and below it what came later from the same person; what it says counts for that one
//! thing; of machines and lists, and of what turns to the model itself, it is only a summary. Not here: which things there are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{self, StreamExt};
use minijinja::context;
use serde::Deserialize;
use serde_json::json;

use super::debts::{DayEnd, OwingSide, ReadDebt, exact, promised, waits};
use super::letters::LABEL_CHARS;
use super::order::{best_first, leave_out};
use super::{RefineContext, Refined, kind, letters_within, may_be_judged, now, question, speaks_outright};
use crate::investigate::asker::{AskFailure, InvestigationModel};
use crate::investigate::features::SenderSort;
use crate::investigate::features::letter::new_part;
use crate::investigate::finding::{Finding, NodeOutput, is_same};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField};
use crate::investigate::strategies::{EvidenceSources, conversations_with};
use brain_core::core::progress::Progress;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Model, Stage};
use brain_core::prompts::{Fixed, Prompt};
use brain_language::language::terms;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{FoundItem, ItemKind, ItemText, Party};

/// Failures after which the rest is left alone: the endpoint has troubles of its own.
const FAILURES_MAX: usize = 3;
/// What a step of urgency is worth beside how well a thing fits.
const URGENCY_STEP: f32 = 0.05;

/// How much of a node's time an endpoint's answers take.
#[derive(Debug, Clone, Copy)]
struct ReadingRoom {
    /// Things that it can read.
    things: usize,
    /// Side by side: whoever is slow is slower still with several.
    at_once: usize,
}

impl ReadingRoom {
    fn of(model: &dyn Model) -> Self {
        let (ms, at_once) = match model.is_slow(Stage::Extract) {
            true => (limits::SLOW_NODE_CALLS_MS_MAX, 1),
            false => (limits::NODE_CALLS_MS_MAX, limits::EXTRACTS_AT_ONCE),
        };
        let takes = model.takes(Stage::Extract).map_or(0, |time| time.as_millis() as u64);
        let rounds = ms.checked_div(takes).map_or(limits::EXTRACTS_MAX, |rounds| rounds as usize);
        Self { things: (rounds.max(1) * at_once).min(limits::EXTRACTS_MAX), at_once }
    }
}

/// What things say, by service and id, and what else came from whom they are.
#[derive(Debug, Default)]
pub struct ItemTexts {
    pub texts: HashMap<(String, String), ItemText>,
    pub others: HashMap<(String, String), Vec<Finding>>,
}

/// What a model says of one thing.
#[derive(Debug, Clone, Deserialize)]
struct Extract {
    summary: String,
    #[serde(default)]
    waiting: Option<OwingSide>,
    #[serde(default)]
    promised: Option<OwingSide>,
    #[serde(default)]
    about: Option<bool>,
    #[serde(default)]
    since: Option<String>,
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
            "required": ["summary", "waiting", "promised", "about", "since", "due", "urgency"],
            "properties": {
                "summary": {"type": "string"},
                "waiting": {"type": "string", "enum": ["me", "others", "both", "nobody"]},
                "promised": {"type": "string", "enum": ["me", "others", "both", "nobody"]},
                "about": {"type": "boolean"},
                "since": {"type": ["string", "null"]},
                "due": {"type": ["string", "null"]},
                "urgency": {"type": "integer", "enum": [0, 1, 2, 3]},
            },
        }))
    })
}

/// What the things say that a model would read; no others are read for it.
pub async fn texts_of(
    model: &dyn Model,
    sources: &EvidenceSources<'_>,
    params: &BatchThreadRead,
    findings: &[Finding],
) -> Result<ItemTexts, ServiceError> {
    let chosen = best_first(params, findings, sources.ctx.now, ReadingRoom::of(model).things);
    let chosen: Vec<&Finding> = chosen.into_iter().map(|at| &findings[at]).collect();
    let people: Vec<Party> = chosen.iter().filter_map(|finding| finding.item.people.first().cloned()).collect();
    let from = chosen.iter().filter_map(|finding| finding.item.at).min();
    let with = conversations_with(sources, &people, from).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what is read is read without what came later");
        Vec::new()
    });
    let beside = |finding: &&Finding| beside(finding, &with).into_iter().cloned().collect::<Vec<_>>();
    let others: HashMap<(String, String), Vec<Finding>> =
        chosen.iter().map(|finding| (key_of(finding), beside(finding))).collect();
    let wanted: Vec<&FoundItem> =
        chosen.iter().copied().chain(others.values().flatten()).map(|finding| &finding.item).collect();
    let mut texts = HashMap::new();
    for service in sources.services.iter() {
        let Some(searchable) = service.service.searchable() else { continue };
        let name = &service.info.name;
        let ids = wanted.iter().filter(|item| item.service == *name).map(|item| item.id.clone());
        let ids: Vec<String> = ids.collect::<BTreeSet<_>>().into_iter().collect();
        if !ids.is_empty() {
            let read = searchable.read_items(sources.ctx, &ids).await?;
            texts.extend(read.into_iter().map(|text| ((name.clone(), text.id.clone()), text)));
        }
    }
    Ok(ItemTexts { texts, others })
}

fn key_of(finding: &Finding) -> (String, String) {
    (finding.item.service.clone(), finding.item.id.clone())
}

/// What came since from whom a thing is, first what shares most words with it, then the newest: it may say that the matter
/// is settled.
fn beside<'f>(finding: &Finding, all: &'f [Finding]) -> Vec<&'f Finding> {
    let from = |finding: &Finding| finding.item.people.first().cloned();
    let Some(who) = from(finding) else { return Vec::new() };
    let is_theirs = |other: &&Finding| {
        // A name that anybody may write says nothing.
        let is_named = |party: &Party| who.known_as.is_some() && who.known_as == party.known_as;
        let is_them = from(other).is_some_and(|party| is_same(&who, &party) || is_named(&party));
        is_them && other.item.key() != finding.item.key() && other.item.at >= finding.item.at
    };
    let mut others: Vec<&Finding> = all.iter().filter(is_theirs).collect();
    let words = |item: &FoundItem| terms::stems(&terms::fold(&format!("{} {}", item.title, item.snippet)));
    let own: HashSet<String> = words(&finding.item).into_iter().collect();
    let shared = |other: &Finding| words(&other.item).into_iter().filter(|word| own.contains(word)).count();
    others.sort_by_cached_key(|other| std::cmp::Reverse((shared(other), other.item.at)));
    others.truncate(limits::BESIDE_LINES_MAX);
    others
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
    let reading = ExtractCall { model, params, about, texts, failures: AtomicUsize::new(0), done: AtomicUsize::new(0) };
    let room = ReadingRoom::of(model.model);
    let chosen: Vec<(usize, &Finding, &ItemText)> = best_first(params, &output.findings, about.now, room.things)
        .into_iter()
        .filter_map(|at| {
            let finding = &output.findings[at];
            Some((at, finding, texts.texts.get(&key_of(finding))?))
        })
        .collect();
    let of = chosen.len();
    let calls: Vec<_> =
        chosen.into_iter().map(|(at, finding, text)| reading.one(at, finding, text, of, told)).collect();
    // Begun in this order, so what the budget does not allow is the worst of them.
    let answers: Vec<(usize, Result<Option<Extract>, AskFailure>)> =
        stream::iter(calls).buffer_unordered(room.at_once).collect().await;
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
    texts: &'a ItemTexts,
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
        let only_summary = |extract| Extract {
            waiting: None,
            promised: None,
            about: None,
            since: None,
            due: None,
            urgency: 0,
            ..extract
        };
        let speaks = || text.said.iter().any(|written| speaks_outright(&written.text));
        (at, answer.map(|extract| Some(if speaks() { only_summary(extract) } else { extract })))
    }

    /// A line for each of what came since from whom the thing is.
    fn beside(&self, finding: &Finding) -> Vec<String> {
        const SAID_CHARS: usize = 240;
        let line = |other: &Finding| {
            let last = self.texts.texts.get(&key_of(other)).and_then(|text| Some(new_part(&text.said.last()?.text)));
            let said = shorten(&one_line(last.as_deref().unwrap_or(&other.item.snippet)), SAID_CHARS);
            if speaks_outright(&said) || !may_be_judged(other) {
                return None;
            }
            let day = other.item.at.map(|at| at.with_timezone(&self.about.zone).format("%Y-%m-%d ").to_string());
            Some(format!("{}{}: {said}", day.unwrap_or_default(), shorten(&one_line(&other.item.title), LABEL_CHARS)))
        };
        self.texts.others.get(&key_of(finding)).into_iter().flatten().filter_map(line).collect()
    }

    /// Within its bound, whatever the thing is: what is left beside everything else is the text's.
    fn prompt(&self, finding: &Finding, text: &ItemText) -> Result<Prompt, AskFailure> {
        let flat = |text: &str, max: usize| shorten(&one_line(text), max);
        let beside = self.beside(finding);
        let with = |letters: &str| {
            let people: Vec<String> =
                finding.item.people.iter().take(5).map(|party| flat(&party.label(), LABEL_CHARS)).collect();
            let changing = context! {
                now => now(self.about),
                zone => self.about.zone.name(),
                question => question(self.about),
                about => self.params.about.clone(),
                fields => fields(&self.params.fields),
                kind => kind(finding.item.kind),
                known => self.about.known.to_vec(),
                beside => beside.clone(),
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
    finding.is_read = true;
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
    // Whoever promised something is waited for.
    if params.fields.iter().any(|field| matches!(field, ReadField::Waiting | ReadField::Promises)) {
        let says = ReadDebt {
            since: extract.since.as_deref().and_then(|since| exact(since, DayEnd::Start, about)),
            due: extract.due.as_deref().and_then(|due| exact(due, DayEnd::End, about)),
            is_trusted: about.is_trusted,
            summary,
        };
        waits(finding, extract.waiting, &says);
        promised(finding, extract.promised, &says);
    }
}
