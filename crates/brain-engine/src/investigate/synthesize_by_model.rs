//! Synthesize with a model: an answer from summaries, with the numbers of what it rests on.
//!
//! Invariants: the model sees no body of anything, at most ten findings a part (more where all of them are asked for),
//! and always how many more there are;
//! every number in the answer stands for a finding; what could not be looked at is named, by code where the model does
//! not. Deliberately not here: the answer without a model, and what of it is sent.

use std::collections::BTreeSet;

use minijinja::{Value as Values, context};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::asker::{AskFailure, InvestigationModel};
use super::citations::CitationFilter;
use super::decompose::SynthesisOrder;
use super::finding::{Finding, NodeOutput};
use super::refine::line;
use brain_core::core::text::{head_and_tail, one_line, shorten};
use brain_core::limits;
use brain_core::ports::Stage;
use brain_core::prompts::Fixed;
use brain_language::language::terms;
use brain_language::language::time::Reference;

/// Gaps that are told one by one.
const GAPS_TOLD_MAX: usize = 6;

/// A part of an answer: what one node gave.
#[derive(Debug, Clone, Copy)]
pub struct AnswerPart<'a> {
    /// What it is, in words of code or of the graph's description.
    pub title: &'a str,
    /// What was found.
    pub output: &'a NodeOutput,
}

/// What an answer is made of.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisInput<'a> {
    /// In the person's words.
    pub question: &'a str,
    /// What the answer should be like, as the question was taken apart; empty for templates.
    pub order: &'a SynthesisOrder,
    /// In the order of the answer.
    pub parts: &'a [AnswerPart<'a>],
    /// What could not be looked at, beside the gaps of the parts: nodes that failed, times that were assumed.
    pub gaps: &'a [String],
    /// Language and tone, as the person has set them.
    pub manner: &'a str,
    /// Now, and the zone.
    pub reference: &'a Reference,
}

/// An answer in a model's words, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// Markdown, as other words of a model; ends with what could not be looked at, where the model has not said so.
    pub text: String,
    /// The findings by number, those that the answer does not name as well; the first is 1.
    pub numbered: Vec<Finding>,
    /// The numbers it names.
    pub cited: BTreeSet<usize>,
    /// What the model was given to read, as links in its words are judged by it.
    pub given: String,
}

/// Asks for an answer. `words` gets it as it comes, checked as far as that is possible; the text that is given back is
/// the whole of it.
pub async fn synthesize_by_model(
    model: &InvestigationModel<'_>,
    input: &SynthesisInput<'_>,
    words: Option<UnboundedSender<String>>,
) -> Result<ModelAnswer, AskFailure> {
    let (parts, numbered) = shown(input);
    let gaps = gaps(input);
    let now = input.reference.now.with_timezone(&input.reference.zone);
    let changing = context! {
        now => now.format("%A %Y-%m-%dT%H:%M").to_string(),
        zone => input.reference.zone.name(),
        question => head_and_tail(input.question, limits::QUESTION_CHARS_MAX),
        goal => input.order.goal.as_str(),
        order => input.order.order.as_str(),
        format => input.order.format.as_str(),
        manner => shorten(input.manner, limits::QUESTION_CHARS_MAX),
        parts,
        gaps => gaps.clone(),
    };
    let prompt = model.prompt(Stage::Synthesize, Fixed::ALWAYS, &changing)?;
    let given = prompt.user.to_string();
    let mut filter = CitationFilter::new(numbered.len());
    let most = limits::SYNTHESIS_TOKENS_MAX;
    let completion = match words {
        None => model.streamed(Stage::Synthesize, prompt, None, most, None).await?,
        Some(to) => {
            let (pieces_to, mut pieces) = unbounded_channel::<String>();
            let mut writing = std::pin::pin!(model.streamed(Stage::Synthesize, prompt, None, most, Some(pieces_to)));
            let mut show = |piece: &str| {
                let certain = filter.push(piece);
                if !certain.is_empty() {
                    // Nobody listens any more: the whole answer is given back all the same.
                    let _ = to.send(certain);
                }
            };
            let completion = loop {
                tokio::select! {
                    biased;
                    Some(piece) = pieces.recv() => show(&piece),
                    done = &mut writing => break done?,
                }
            };
            while let Ok(piece) = pieces.try_recv() {
                show(&piece);
            }
            completion
        }
    };
    let mut whole = CitationFilter::new(numbered.len());
    let mut text = whole.push(&completion.text);
    let (rest, cited) = whole.finish();
    text.push_str(&rest);
    let text = with_gaps(text.trim(), &gaps);
    Ok(ModelAnswer { text, numbered, cited, given })
}

/// The parts with their findings numbered through, each thing once; as many as fit, and how many more there are.
fn shown(input: &SynthesisInput<'_>) -> (Vec<Values>, Vec<Finding>) {
    let mut numbered: Vec<Finding> = Vec::new();
    let mut left = limits::SYNTHESIS_FINDINGS_BYTES;
    let mut parts = Vec::new();
    let most = if input.order.all { limits::SYNTHESIS_ALL_ITEMS_MAX } else { limits::SYNTHESIS_ITEMS_MAX };
    for part in input.parts {
        let mut lines = Vec::new();
        for finding in part.output.findings.iter().take(most) {
            let known = numbered.iter().position(|known| known.item.key() == finding.item.key());
            let number = known.unwrap_or(numbered.len()) + 1;
            let line = line(number, finding, input.reference.zone);
            let Some(rest) = left.checked_sub(line.len()) else { break };
            left = rest;
            if known.is_none() {
                numbered.push(finding.clone());
            }
            lines.push(line);
        }
        let more = part.output.findings.len() - lines.len() + part.output.more;
        let title = shorten(&one_line(part.title), limits::NODE_TEXT_CHARS_MAX);
        let title = if title.is_empty() { "Found".to_owned() } else { title };
        if lines.is_empty() && more == 0 {
            lines.push("(nothing)".to_owned());
        }
        parts.push(context! { title, lines, more });
    }
    (parts, numbered)
}

/// Everything that could not be looked at, each once.
fn gaps(input: &SynthesisInput<'_>) -> Vec<String> {
    let unread: usize = input.parts.iter().map(|part| part.output.unread).max().unwrap_or(0);
    let unread = (unread > 0).then(|| format!("{unread} less likely ones in detail"));
    let of_parts = input.parts.iter().flat_map(|part| &part.output.gaps);
    let mut gaps: Vec<String> = Vec::new();
    for gap in input.gaps.iter().chain(of_parts).cloned().chain(unread) {
        let gap = shorten(&one_line(&gap), limits::NODE_TEXT_CHARS_MAX);
        if !gap.is_empty() && !gaps.contains(&gap) {
            gaps.push(gap);
        }
    }
    let hidden = gaps.len().saturating_sub(GAPS_TOLD_MAX);
    if hidden > 0 {
        gaps.truncate(GAPS_TOLD_MAX);
        gaps.push(format!("and {hidden} more things"));
    }
    gaps
}

/// The answer, and below it what could not be looked at and is not named in it.
fn with_gaps(text: &str, gaps: &[String]) -> String {
    let said = terms::stems(&terms::fold(text));
    let unnamed: Vec<&str> = gaps.iter().filter(|gap| !is_named(gap, &said)).map(String::as_str).collect();
    if unnamed.is_empty() { text.to_owned() } else { format!("{text}\n\nNot looked at: {}.", unnamed.join("; ")) }
}

/// Whether an answer says most of the words of a gap, and all of its numbers.
fn is_named(gap: &str, said: &[String]) -> bool {
    let wanted = terms::stems(&terms::fold(gap));
    let is_said = |stem: &&String| said.contains(stem);
    let numbers = wanted.iter().filter(|stem| stem.chars().all(|c| c.is_ascii_digit()));
    let count = wanted.iter().filter(is_said).count();
    !wanted.is_empty() && numbers.clone().all(|number| said.contains(number)) && count * 3 >= wanted.len() * 2
}

#[cfg(test)]
mod tests {
    use chrono::{TimeZone, Utc};

    use super::*;
    use crate::testing::asking::{AskingWorld, ScriptedModel};
    use brain_language::language::time::DateOrder;
    use brain_services::services::contract::searchable::{FoundItem, ItemKind};

    fn finding(id: &str, summary: &str) -> Finding {
        Finding::of(FoundItem {
            service: "post".to_owned(),
            id: id.to_owned(),
            kind: ItemKind::Thread,
            title: format!("About {id}"),
            at: None,
            until: None,
            people: Vec::new(),
            snippet: summary.to_owned(),
            marks: Vec::new(),
            untrusted: Vec::new(),
        })
    }

    async fn answered(
        world: &AskingWorld,
        outputs: &[NodeOutput],
        gaps: &[&str],
        words: Option<UnboundedSender<String>>,
    ) -> Result<ModelAnswer, AskFailure> {
        let reference = Reference {
            now: Utc.with_ymd_and_hms(2026, 3, 10, 9, 0, 0).unwrap(),
            zone: chrono_tz::Europe::Berlin,
            order: DateOrder::DayFirst,
        };
        let order = SynthesisOrder { goal: "who waits".to_owned(), ..SynthesisOrder::default() };
        let gaps: Vec<String> = gaps.iter().map(|gap| (*gap).to_owned()).collect();
        let parts: Vec<AnswerPart<'_>> =
            outputs.iter().map(|output| AnswerPart { title: "mail that waits", output }).collect();
        let input = SynthesisInput {
            question: "who waits for me?",
            order: &order,
            parts: &parts,
            gaps: &gaps,
            manner: "Their tone: as few words as possible.",
            reference: &reference,
        };
        world.with(async |model| synthesize_by_model(model, &input, words).await).await
    }

    #[tokio::test]
    async fn an_answer_names_findings_that_are_there() {
        let world = AskingWorld::of(ScriptedModel::of(&["Ann waits [1], Bob too [2, 7]. Eve [3] does not."]));
        let output = NodeOutput::of(vec![finding("ann", "wants figures"), finding("bob", "wants a call")]);
        let answer = answered(&world, &[output.clone(), output], &[], None).await.unwrap();
        assert_eq!(answer.text, "Ann waits [1], Bob too [2]. Eve does not.");
        assert_eq!((answer.numbered.len(), answer.cited.into_iter().collect::<Vec<_>>()), (2, vec![1, 2]));
        let call = &world.script.asked()[0];
        assert!(call.user.contains("1. [mail] About ann; wants figures") && call.user.contains("as few words"));
        assert!(call.tokens_max == 2_000 && call.schema.is_none());
    }

    #[tokio::test]
    async fn it_sees_ten_of_a_part_and_how_many_more_there_are() {
        let world = AskingWorld::of(ScriptedModel::of(&["So."]));
        let many = (0..25).map(|at| finding(&format!("f{at}"), &"ü".repeat(5_000))).collect();
        let output = NodeOutput { more: 100, ..NodeOutput::of(many) };
        answered(&world, &[output], &[], None).await.unwrap();
        let user = &world.script.asked()[0].user;
        assert!(user.contains("10. ") && !user.contains("11. ") && user.contains("… and 115 more"), "{user}");
        let parts: Vec<NodeOutput> = (0..40)
            .map(|part| NodeOutput::of((0..10).map(|at| finding(&format!("p{part}-{at}"), &"ü".repeat(300))).collect()))
            .collect();
        let world = AskingWorld::of(ScriptedModel::of(&["So."]));
        answered(&world, &parts, &[], None).await.unwrap();
        let bytes = world.script.asked()[0].user.len();
        assert!(bytes < limits::SYNTHESIS_FINDINGS_BYTES + 4_000, "{bytes}");
    }

    #[tokio::test]
    async fn gaps_are_named_by_code_where_the_model_does_not() {
        let output =
            NodeOutput { unread: 12, gaps: vec!["the calendar did not answer".to_owned()], ..NodeOutput::default() };
        let rows = [
            ("Nobody.", "Nobody.\n\nNot looked at: the calendar did not answer; 12 less likely ones in detail."),
            (
                "Nobody, though the calendar didn't answer, and 12 less likely ones not in detail.",
                "Nobody, though the calendar didn't answer, and 12 less likely ones not in detail.",
            ),
        ];
        for (said, shown) in rows {
            let world = AskingWorld::of(ScriptedModel::of(&[said]));
            assert_eq!(answered(&world, std::slice::from_ref(&output), &[], None).await.unwrap().text, shown);
            assert!(world.script.asked()[0].user.contains("- the calendar did not answer"));
        }
    }

    #[tokio::test]
    async fn words_are_checked_as_they_come_and_say_the_same() {
        let world = AskingWorld::of(ScriptedModel::of(&["Ann waits [1] and nobody else [55], I think."]));
        let (to, mut from) = unbounded_channel();
        let output = NodeOutput::of(vec![finding("ann", "wants figures")]);
        let answer = answered(&world, &[output], &[], Some(to)).await.unwrap();
        let streamed: String = std::iter::from_fn(|| from.try_recv().ok()).collect();
        assert_eq!(streamed, "Ann waits [1] and nobody else, I think.");
        assert_eq!(answer.text, streamed);
    }

    #[tokio::test]
    async fn a_model_that_is_away_leaves_the_answer_to_code() {
        let world = AskingWorld::of(ScriptedModel::of(&[]));
        assert!(matches!(answered(&world, &[], &[], None).await, Err(AskFailure::Model(_))));
    }
}
