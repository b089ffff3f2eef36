//! What a model adds to what strategies have gathered: what a thing says, which fits best, of what sort each is.
//!
//! | strategy | asks | the model's word counts for | code keeps |
//! |---|---|---|---|
//! | `batch_thread_read` | `extract`, one call a thread, best first | summary, who waits, due, about: of that thread alone | order, amounts, promises |
//! | `cross_reference` | `rank`, one call | the order | which things there are; set operations; what it leaves out |
//! | `semantic_analysis` | `classify`, ten a call | which are kept, and as what | what it does not name |
//!
//! [`strategies::gather`](super::strategies::gather) comes first, and its output stands wherever the model fails.
//!
//! Invariants: nothing is added that code did not find, and nothing is looked for that was not; a call that reads a
//! text reads that one, and below it what came later from the same person; what speaks to a machine, or reads like a
//! fraud, is never told apart or ranked by a model: so a text can change what is said of its own writer's, and nothing
//! else; summaries are short. Deliberately not here: searching, lanes and budgets (the gate's).

mod classify;
mod debts;
mod extract;
mod letters;
mod order;
mod rank;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;

pub use classify::classify;
pub use extract::{extract, texts_of};
pub use letters::letters_within;
pub use rank::rank;

use self::letters::LABEL_CHARS;
use super::asker::{AskFailure, InvestigationModel};
use super::features::SenderSort;
use super::finding::{Finding, NodeOutput};
use super::node::{BatchThreadRead, CrossReference, EvidenceNode, Strategy, reference};
use super::strategies::{EarlierOutputs, EvidenceSources};
use brain_core::core::progress::Progress;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits;
use brain_core::ports::Stage;
use brain_services::services::contract::searchable::{ItemKind, ItemMark};

/// For what a node is refined.
#[derive(Debug, Clone, Copy)]
pub struct RefineContext<'a> {
    /// The question, in the person's words.
    pub question: &'a str,
    /// The moment of the turn.
    pub now: DateTime<Utc>,
    /// The person's zone.
    pub zone: Tz,
    /// What they have told, people they know, what is on their calendar, as far as the question speaks of it.
    pub known: &'a [String],
    /// What the model reads counts for more than what features tell.
    pub is_trusted: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// In any case something to go on with.
    pub output: NodeOutput,
    /// The first call that failed; what it was about is as code has it.
    pub failed: Option<AskFailure>,
}

impl Refined {
    /// As code has it.
    pub fn unchanged(output: NodeOutput) -> Self {
        Self { output, failed: None }
    }
}

/// The node to gather by before it is refined: what a model ranks, or reads best first, is not cut before. Which are
/// the best of what is to be read is known by the features of all of it; what is cut before that is cut by its age.
pub fn gathered_as(node: &EvidenceNode) -> Cow<'_, EvidenceNode> {
    match &node.strategy {
        Strategy::BatchThreadRead(read) if read.max_items.is_some() => {
            let strategy = Strategy::BatchThreadRead(BatchThreadRead { max_items: None, ..read.clone() });
            Cow::Owned(EvidenceNode { strategy, ..node.clone() })
        }
        Strategy::CrossReference(cross) if cross.criteria.is_some() => {
            let strategy = Strategy::CrossReference(CrossReference { take_top: None, ..cross.clone() });
            Cow::Owned(EvidenceNode { strategy, ..node.clone() })
        }
        Strategy::MetadataFilter(_)
        | Strategy::KeywordSearch(_)
        | Strategy::BatchThreadRead(_)
        | Strategy::CrossReference(_)
        | Strategy::SemanticAnalysis(_) => Cow::Borrowed(node),
    }
}

/// What a model is asked for in a node; nothing where it has nothing to do.
fn stage(node: &EvidenceNode) -> Option<Stage> {
    match &node.strategy {
        _ if node.is_known() => None,
        Strategy::MetadataFilter(_) | Strategy::KeywordSearch(_) => None,
        Strategy::BatchThreadRead(_) => Some(Stage::Extract),
        Strategy::CrossReference(cross) => cross.criteria.is_some().then_some(Stage::Rank),
        Strategy::SemanticAnalysis(analysis) => analysis.question.is_some().then_some(Stage::Classify),
    }
}

/// Whether a node has anything for a model to do, and so costs something.
pub fn asks_a_model(node: &EvidenceNode) -> bool {
    stage(node).is_some()
}

/// Refines what a node has gathered (see [`gathered_as`]). `told` hears how far it is.
pub async fn refine(
    model: &InvestigationModel<'_>,
    sources: &EvidenceSources<'_>,
    node: &EvidenceNode,
    given: &EarlierOutputs<'_>,
    output: NodeOutput,
    about: &RefineContext<'_>,
    told: &(dyn Fn(Progress) + Send + Sync),
) -> Refined {
    // What reads one by one reads fewer where it takes long; anything else is then nothing that a person waits for.
    if stage(node).is_none_or(|stage| stage != Stage::Extract && model.model.is_slow(stage)) {
        return Refined::unchanged(as_wanted(node, output, about.now));
    }
    match &node.strategy {
        Strategy::MetadataFilter(_) | Strategy::KeywordSearch(_) => Refined::unchanged(output),
        Strategy::BatchThreadRead(params) => match texts_of(model.model, sources, params, &output.findings).await {
            Ok(texts) => extract(model, params, output, &texts, about, told).await,
            // They were there a moment ago; the features that were read then stand.
            Err(_) => Refined::unchanged(as_wanted(node, output, about.now)),
        },
        Strategy::CrossReference(params) => rank(model, params, output, about).await,
        Strategy::SemanticAnalysis(params) => {
            let before = reference(&params.items).and_then(|from| given.get(from.node.as_str()).copied());
            let all = before.map(|output| output.findings.as_slice()).unwrap_or_default();
            classify(model, params, all, output, about).await
        }
    }
}

/// What a node that no model refines gives of what was gathered for one: no more than it wants, best first.
fn as_wanted(node: &EvidenceNode, mut output: NodeOutput, now: DateTime<Utc>) -> NodeOutput {
    if let Strategy::BatchThreadRead(params) = &node.strategy {
        output.unread += order::leave_out(params, &mut output, now);
    }
    output
}

/// Words with which a text turns to whoever reads it by machine. What says one of them is judged by code alone.
const TO_MACHINES: [&str; 16] = [
    "assistant",
    "assistent",
    "language model",
    "chatbot",
    "ai model",
    "instruction",
    "anweisung",
    "ignore all",
    "ignore previous",
    "ignore the",
    "ignoriere",
    "system prompt",
    "system:",
    "classif",
    "label",
    "rank this",
];

/// The same inside a letter, where more of the words are ordinary ones and need more around them.
const OUTRIGHT: [&str; 14] = [
    "assistant:",
    "assistant,",
    "ai assistant",
    "language model",
    "as an ai",
    "ignore all",
    "ignore previous",
    "ignore the above",
    "system prompt",
    "system:",
    "mark this",
    "prompt:",
    "ignoriere alle",
    "sprachmodell",
];

/// Whether a letter turns to whoever reads it by machine. Of it a model tells no more than a summary.
fn speaks_outright(letters: &str) -> bool {
    let letters = letters.to_lowercase();
    OUTRIGHT.iter().any(|words| letters.contains(words))
}

/// Whether a model may judge a finding beside others: not what reads like a fraud, nor what speaks to machines.
fn may_be_judged(finding: &Finding) -> bool {
    let names = finding.item.people.iter().flat_map(|party| [party.name.as_str(), party.address.as_str()]);
    let shown = [finding.item.title.as_str(), finding.summary.as_str()].into_iter().chain(names);
    let speaks = shown.map(str::to_lowercase).any(|text| TO_MACHINES.iter().any(|words| text.contains(words)));
    finding.sender() != SenderSort::Suspect && !speaks
}

/// A finding on one line, with its number, as prompts show it.
pub(super) fn line(number: usize, finding: &Finding, zone: Tz) -> String {
    format!("{number}. {}", described(finding, zone))
}

/// The same without a number.
pub fn described(finding: &Finding, zone: Tz) -> String {
    const TITLE_CHARS: usize = 80;
    const PEOPLE_MAX: usize = 8;
    let day = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
    let flat = |text: &str, max: usize| shorten(&one_line(text), max);
    let mut parts = vec![format!("[{}] {}", kind(finding.item.kind), flat(&finding.item.title, TITLE_CHARS))];
    let people = match finding.with.as_ref().filter(|_| finding.item.kind != ItemKind::Event) {
        Some(with) => std::slice::from_ref(with),
        None => finding.item.people.as_slice(),
    };
    let names = people.iter().map(|party| flat(&party.label(), LABEL_CHARS)).filter(|name| !name.is_empty());
    let names: Vec<String> = names.collect();
    let (shown, more) = names.split_at(names.len().min(PEOPLE_MAX));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    parts.extend((!shown.is_empty()).then(|| format!("with {}{more}", shown.join(", "))));
    parts.extend(finding.item.at.map(|at| match finding.item.until {
        Some(until) if finding.item.kind == ItemKind::Event => format!("{} to {}", day(at), day(until)),
        _ => day(at),
    }));
    parts.extend(finding.since.map(|since| match owed(finding) {
        Some(who) => format!("{who} since {}", day(since)),
        None => format!("since {}", day(since)),
    }));
    parts.extend(finding.due.map(|due| format!("due {}", by_when(due, zone))));
    if finding.item.is(ItemMark::Done) {
        parts.push("done".to_owned());
    }
    let amounts: Vec<String> = finding.amounts.iter().take(3).map(|amount| flat(&amount.text, 20)).collect();
    parts.extend(Some(amounts.join(", ")).filter(|amounts| !amounts.is_empty()));
    parts.extend(Some(flat(&finding.summary, limits::SNIPPET_CHARS_MAX)).filter(|summary| !summary.is_empty()));
    if finding.item.kind == ItemKind::Thread && !finding.is_read {
        parts.push("(not read closely)".to_owned());
    }
    parts.join("; ")
}

/// Who waits for whom.
fn owed(finding: &Finding) -> Option<&'static str> {
    let features = finding.features.as_ref()?;
    match (&features.i_owe, &features.they_owe) {
        (Some(_), _) => Some("they wait for the person"),
        (None, Some(_)) => Some("the person waits for them"),
        (None, None) => None,
    }
}

/// By when: the end of a day is that day.
fn by_when(due: DateTime<Utc>, zone: Tz) -> String {
    let local = due.with_timezone(&zone);
    match local.time() == NaiveTime::MIN {
        true => (local - Duration::seconds(1)).format("%A %Y-%m-%d").to_string(),
        false => local.format("%A %Y-%m-%d %H:%M").to_string(),
    }
}

fn kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Thread => "mail",
        ItemKind::Event => "event",
        ItemKind::Task => "to do",
        ItemKind::Note => "note",
        ItemKind::Fact => "known",
        ItemKind::Talk => "said",
        ItemKind::Person => "person",
    }
}

/// To the hour: what is said of a text is kept for a question that is asked again.
fn now(about: &RefineContext<'_>) -> String {
    about.now.with_timezone(&about.zone).format("%A %Y-%m-%d, after %H:00").to_string()
}

fn question(about: &RefineContext<'_>) -> String {
    shorten(&one_line(about.question), 300)
}
