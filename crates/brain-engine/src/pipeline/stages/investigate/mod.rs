//! Investigate: a question over everything a person has, from its graph to its answer.
//!
//! ```text
//! question ─► template, or a search by words ─► graph, checked ─► run ─► rows, numbered ─► kept for what is asked next
//! ```
//!
//! Invariants: it reads and never writes; what it found is somebody else's words for whatever is asked next; an answer
//! says what could not be looked at. Not here: how evidence is gathered ([`crate::investigate`]).

mod by_model;
mod costly;
mod investigation_reply;
mod kept;
mod looking;
mod narrowed;

pub use costly::{LEAVE, ask_again, asks_again, decided};
pub use kept::{KeptAnswer, further, one_row};
pub use narrowed::{met, only, still_open};

use chrono::{DateTime, Utc};

use self::by_model::{ByModel, QuestionScope};
use self::investigation_reply::{InvestigationReply, InvestigationRun, distinct, drawing, remarks};
use self::looking::Looking;
use super::guessed::question;
use crate::investigate::decompose::SynthesisOrder;
use crate::investigate::finding::NodeOutput;
use crate::investigate::graph::{AnswerKind, AnswerSection, EvidenceGraph, SecondAnswer, check};
use crate::investigate::run::{run, whole};
use crate::investigate::synthesize::{self, AnswerRow, heading};
use crate::investigate::templates;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::waiting::StillWaiting;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::graph::GraphLimits;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::ports::{Model, Planning, Stage, StoreError};
use brain_language::language::grounding::telling_stems;
use brain_language::language::requests::{self, FamilyQuestion, QuestionFamily};

/// What questions may lean to that are about anything: only what is found tells that they were meant.
const LOOSE: [QuestionFamily; 2] = [QuestionFamily::About, QuestionFamily::Prepare];

/// How much of the words a thing has to say that is told for a question about one's own things.
const SOME: f32 = 0.3;
/// The same for a question that may be about anything: nearly all of them.
const MOST: f32 = 0.6;

/// Answers a message that asks over things; `None` where a command does, or nothing of it asks.
pub async fn investigate(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    turn.account.ends_shadow()?;
    let asked = question(turn.brain, &turn.facts);
    if let Some(model) = turn.brain.model.as_deref() {
        let is_slow = model.is_slow(Stage::Decompose);
        // A capable one reads what a template only guesses at.
        let is_capable = turn.brain.converses() && !is_slow;
        // Nothing has to be taken apart for what a single search answers, or what is read exactly.
        let is_read = |question: &&FamilyQuestion| question.family.is_direct() || turn.brain.policy.skip_planner;
        if let Some(question) = asked.as_ref().filter(|question| !is_capable && is_read(question)) {
            return by_template(turn, model, question).await.map(Some);
        }
        if is_slow {
            show_meanwhile(turn, asked.as_ref()).await?;
        }
        let names_first = is_slow || turn.brain.planning() == Planning::Steps;
        if names_first && let Some(answer) = by_named_template(turn, model).await? {
            return Ok(Some(answer));
        }
        let known = asked.as_ref().filter(|_| is_capable);
        let meanwhile = async { if known.is_some() { show_meanwhile(turn, known).await } else { Ok(()) } };
        let by_model = Box::pin(by_model::answer(turn, model, known, QuestionScope::default()));
        let (by_model, ()) = futures::future::try_join(by_model, Box::pin(meanwhile)).await?;
        match by_model {
            ByModel::Answered(answer) => {
                return Ok(Some(also_waiting(
                    turn.brain,
                    &turn.facts,
                    needing_a_yes(turn.brain, &turn.facts, asked.as_ref()).await?,
                    *answer,
                )));
            }
            ByModel::ToDo => return Ok(None),
            ByModel::Unusable if asked.is_none() && !names_first => {
                if let Some(answer) = by_named_template(turn, model).await? {
                    return Ok(Some(answer));
                }
            }
            ByModel::Unusable | ByModel::Silent => {}
        }
    }
    if let Some(question) = asked {
        return answer(turn, &question).await.map(Some);
    }
    if turn.brain.model.is_some() {
        return search(turn, SOME).await.map(Some);
    }
    // Of what no single look can tell, built-in understanding takes what is nearest, else it can only search.
    if turn.brain.model.is_none() && turn.facts.intents().investigates() {
        return match turn.facts.leaning() {
            Some(question) => answer(turn, question).await.map(Some),
            None => search(turn, SOME).await.map(Some),
        };
    }
    Ok(None)
}

/// Answers a question of a family by its template; a model words what was found where it is quick enough.
async fn by_template(turn: &Turn<'_>, model: &dyn Model, question: &FamilyQuestion) -> Result<Answer, TurnError> {
    if model.is_slow(Stage::Synthesize) {
        return answer(turn, question).await;
    }
    let is_direct = question.family.is_direct();
    // One look has no second one to fall back on: whose a paper is only ranks it.
    let wider = question.widened().filter(|_| is_direct);
    let graph = templates::graph(wider.as_ref().unwrap_or(question), &turn.facts.reference());
    let worded = by_model::run_known(turn, model, graph, SynthesisOrder::default(), None).await?;
    if !is_direct && !has_sources(&worded) {
        return answer(turn, question).await;
    }
    Ok(also_waiting(turn.brain, &turn.facts, needing_a_yes(turn.brain, &turn.facts, Some(question)).await?, worded))
}

/// The same with the template that a model names; `None` where that finds nothing.
async fn by_named_template(turn: &Turn<'_>, model: &dyn Model) -> Result<Option<Answer>, TurnError> {
    let Some(question) = by_model::named_template(turn, model).await else { return Ok(None) };
    Ok(Some(by_template(turn, model, &question).await?).filter(has_sources))
}

/// Shows what code finds by itself while a slow model works out more.
async fn show_meanwhile(turn: &Turn<'_>, asked: Option<&FamilyQuestion>) -> Result<(), TurnError> {
    let found = match asked {
        Some(question) => answer(turn, question).await?,
        None => search(turn, SOME).await?,
    };
    if has_sources(&found) {
        let found = found.replies.iter().map(|reply| reply.text.as_str()).collect::<Vec<_>>().join("\n\n");
        turn.account.knows(&[format!("Found so far:\n{found}")]);
    }
    Ok(())
}

/// A question that nobody understood, answered by what it leans to or by a search; where that finds nothing, by what
/// else there is to say, which then names the search unless it is talk. What neither asks nor names what is to be found
/// is searched for nowhere.
pub async fn or_searched(
    turn: &Turn<'_>,
    else_say: impl Future<Output = Result<Answer, TurnError>>,
) -> Result<Answer, TurnError> {
    if !turn.facts.origin().is_own_words() {
        return else_say.await;
    }
    let is_question = requests::is_question(turn.facts.words());
    if let Some(question) = turn.facts.leaning() {
        let answer = answer(turn, question).await?;
        let is_sure = is_question && !question.family.is_direct() && !LOOSE.contains(&question.family);
        if is_sure || has_sources(&answer) {
            return Ok(answer);
        }
    }
    if !is_question {
        return else_say.await;
    }
    let searched = search(turn, MOST).await?;
    if has_sources(&searched) {
        return Ok(searched);
    }
    let mut answer = else_say.await?;
    let words = visible(&shorten(&sought(&turn.facts), 80));
    let is_told = !telling_stems(&words).is_empty() && answer.path != Path::Chat;
    if let Some(reply) = answer.replies.last_mut().filter(|_| is_told) {
        reply.text.push_str(&format!("\n\n🔎 I also searched your things for “{words}” and found nothing."));
    }
    Ok(answer)
}

fn has_sources(answer: &Answer) -> bool {
    answer.replies.iter().any(|reply| !reply.sources.is_empty())
}

/// Answers a question of a family. Where nothing is about what it names, says so and answers it without that, if there
/// is more then: what it is called in the mail may be another word.
pub async fn answer(turn: &Turn<'_>, question: &FamilyQuestion) -> Result<Answer, TurnError> {
    let narrow = answer_below(turn, question, "").await?;
    // A kinship may be somebody, or what a conversation is about.
    if let Some(of_somebody) = question.of_somebody().filter(|_| !has_sources(&narrow)) {
        let theirs = answer_below(turn, &of_somebody, "").await?;
        if has_sources(&theirs) {
            return Ok(theirs);
        }
    }
    let Some(wider) = question.widened().filter(|_| !has_sources(&narrow)) else { return Ok(narrow) };
    let none = heading(AnswerKind::Family(question.family), 0, &question.subject(), question.open);
    let wide = answer_below(turn, &wider, &format!("{none}\n")).await?;
    Ok(if has_sources(&wide) { wide } else { narrow })
}

/// Answers a question of a family, below something that is said first.
async fn answer_below(turn: &Turn<'_>, question: &FamilyQuestion, above: &str) -> Result<Answer, TurnError> {
    let graph = templates::graph(question, &turn.facts.reference());
    let topic = question.subject();
    let waiting = needing_a_yes(turn.brain, &turn.facts, Some(question)).await?;
    let answers = graph.answers;
    let is_first = question.family == QuestionFamily::NeedsMe;
    let count = waiting.as_ref().filter(|_| is_first).map_or(0, StillWaiting::len);
    // Nothing at some time is not nothing at all.
    let only_then = question.when.as_deref().map(|when| format!(" (Asked for: {}.)", visible(&shorten(when, 40))));
    // Where words of the question were not understood, nothing that was found is no answer to it.
    let is_understood = turn.facts.question().is_some() || turn.brain.model.is_some();
    let heading = |found: usize| {
        if found + count == 0 && !is_understood {
            return format!("{above}🔎 I found nothing that answers that, as far as I understood it.");
        }
        let none = only_then.as_deref().filter(|_| found + count == 0).unwrap_or_default();
        format!("{above}{}{none}", heading(answers, found + count, &topic, question.open))
    };
    let answer = investigated_as(turn, graph, &topic, None, &heading).await?;
    Ok(also_waiting(turn.brain, &turn.facts, waiting, answer))
}

/// What waits for the person's yes, where they ask what needs them: that does, whenever it is.
async fn needing_a_yes(
    brain: &Brain,
    facts: &TurnFacts,
    question: Option<&FamilyQuestion>,
) -> Result<Option<StillWaiting>, StoreError> {
    let needs_me = |question: &FamilyQuestion| question.family == QuestionFamily::NeedsMe;
    if !question.is_some_and(|question| needs_me(question) || question.beside.as_deref().is_some_and(needs_me)) {
        return Ok(None);
    }
    StillWaiting::of(brain, facts).await.map(Some)
}

/// An answer, and below it what waits.
fn also_waiting(brain: &Brain, facts: &TurnFacts, waiting: Option<StillWaiting>, mut answer: Answer) -> Answer {
    let Some(waiting) = waiting.filter(|_| answer.path == Path::Investigate) else { return answer };
    let section = waiting.section(brain, facts.ctx.zone);
    if let (Some(section), Some(last)) = (section, answer.replies.last_mut()) {
        last.text.push_str(&format!("\n\n{section}\nTo decide: /pending"));
        answer.untrusted.extend(waiting.untrusted());
        answer.tells_waiting = true;
    }
    answer
}

/// The words of a question that something can be found by.
fn sought(facts: &TurnFacts) -> String {
    let words = requests::asked_for(facts.words());
    words.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Answers a question that no template fits with the best search by words.
async fn search(turn: &Turn<'_>, score_min: f32) -> Result<Answer, TurnError> {
    let words = sought(&turn.facts);
    let graph = templates::search(&words, score_min, &turn.facts.reference());
    investigated(turn, graph, &words, false, None).await
}

/// Runs a graph and tells what it found.
async fn investigated(
    turn: &Turn<'_>,
    graph: EvidenceGraph,
    topic: &str,
    is_open: bool,
    since: Option<DateTime<Utc>>,
) -> Result<Answer, TurnError> {
    let answers = graph.answers;
    investigated_as(turn, graph, topic, since, &|found| heading(answers, found, topic, is_open)).await
}

/// The same, with a sentence of one's own above so many rows.
async fn investigated_as(
    turn: &Turn<'_>,
    graph: EvidenceGraph,
    topic: &str,
    since: Option<DateTime<Utc>>,
    heading: &(dyn Fn(usize) -> String + Sync),
) -> Result<Answer, TurnError> {
    turn.account.agreed();
    if let Err(errors) = check(&graph.nodes, GraphLimits::default()) {
        tracing::error!(?errors, "a graph of ours does not hold together");
        return Ok(Answer::says(Path::Investigate, "🔎 I could not look into that; nothing was changed."));
    }
    let looking = Looking::at(turn, since);
    let (worker, watch) = (looking.worker(), |progress| looking.says(progress));
    let ran = Box::pin(run(&worker, whole(graph.nodes.clone()), &looking.with(&watch))).await;
    looking.ran(&ran);
    let metrics = looking.metrics(&ran, None);
    let shown = graph.all_sections().filter_map(|section| ran.node(&section.node)?.output());
    let mut remarks = remarks(&ran, shown);
    let (mut rows, counted) = rows_of(&ran, &graph.sections, topic);
    if let Some(SecondAnswer { sections, answers, topic, is_open }) = &graph.beside {
        let (mut second, counted) = rows_of(&ran, sections, topic);
        let heading = synthesize::heading(*answers, counted, topic, *is_open);
        match second.is_empty() {
            true => remarks.insert(0, heading),
            false => entitle(&mut second, &heading),
        }
        rows.extend(second);
    }
    // What was not found out is not nothing.
    let is_short = |section: &AnswerSection| output_of(&ran, section).is_none_or(|output| output.unread > 0);
    let is_lost = rows.is_empty() && graph.sections.iter().any(is_short);
    let told = InvestigationReply {
        heading: if is_lost {
            "🔎 I found nothing, and could not look at everything.".to_owned()
        } else {
            heading(counted)
        },
        remarks,
        trace: drawing(&graph, &ran, &metrics),
        answers: graph.answers,
        topic: topic.to_owned(),
        metrics: Some(metrics),
    };
    kept::answer(turn.brain, &turn.facts, told, rows)
}

fn output_of<'r>(ran: &'r InvestigationRun, section: &AnswerSection) -> Option<&'r NodeOutput> {
    ran.node(&section.node)?.output()
}

/// The rows of an answer, each thing once, and how many of them its heading counts.
fn rows_of(ran: &InvestigationRun, sections: &[AnswerSection], topic: &str) -> (Vec<AnswerRow>, usize) {
    let found = |section: &AnswerSection| Some(output_of(ran, section)?.findings.as_slice());
    let rows = distinct(sections.iter().flat_map(|section| {
        let of = |finding| AnswerRow::of(finding, section.title.as_deref(), Some(topic));
        found(section).unwrap_or_default().iter().map(of)
    }));
    let is_added =
        |row: &&AnswerRow| sections.iter().any(|section| section.is_addition && section.title == row.section);
    let added = rows.iter().filter(is_added).count();
    let counted = rows.len() - added;
    (rows, counted)
}

/// Puts a heading above rows that stand behind others.
fn entitle(rows: &mut [AnswerRow], heading: &str) {
    let first = rows.first().and_then(|row| row.section.clone());
    let title = first.as_ref().map_or_else(|| heading.to_owned(), |title| format!("{heading}\n{title}"));
    for row in rows.iter_mut().take_while(|row| row.section == first) {
        row.section = Some(title.clone());
    }
}
