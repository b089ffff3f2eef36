//! The nodes that templates are made of.

use chrono::{DateTime, Duration, NaiveTime, Utc};

use crate::investigate::graph::{AnswerSection, EvidenceGraph, SecondAnswer};
use crate::investigate::node::{
    BatchThreadRead, CrossReference, EvidenceNode, FindingSort, KeywordSearch, RankBy, ReadField, SemanticAnalysis,
    Strategy,
};
use brain_core::limits::{LOOK_AHEAD_DAYS, LOOK_BACK_DAYS, TOLD_SHOWN_MAX};
use brain_language::language::requests::FamilyQuestion;
use brain_services::services::contract::searchable::ItemKind;

/// Two graphs as one; the nodes of the second are called apart.
pub(super) fn beside(mut first: EvidenceGraph, second: &FamilyQuestion, mut graph: EvidenceGraph) -> EvidenceGraph {
    const APART: &str = "second_";
    graph.nodes.iter_mut().for_each(|node| node.rename(APART));
    graph.sections.iter_mut().for_each(|section| section.node.insert_str(0, APART));
    first.nodes.extend(graph.nodes);
    let EvidenceGraph { sections, answers, .. } = graph;
    first.beside = Some(SecondAnswer { sections, answers, topic: second.subject(), is_open: second.open });
    first
}

pub(super) fn sorted(keep: &[FindingSort]) -> SemanticAnalysis {
    of("read", SemanticAnalysis { keep: keep.to_vec(), ..SemanticAnalysis::default() })
}

pub(super) fn of(node: &str, params: SemanticAnalysis) -> SemanticAnalysis {
    SemanticAnalysis { items: format!("{{{{{node}.items}}}}"), ..params }
}

pub(super) fn crossed(sources: &[&str], rank_by: RankBy) -> CrossReference {
    let sources = sources.iter().map(|node| format!("{{{{{node}.items}}}}")).collect();
    CrossReference { sources, rank_by, ..CrossReference::default() }
}

pub(super) fn ranked(id: &str, sources: &[&str], by: RankBy) -> EvidenceNode {
    described(id, "in order", Strategy::CrossReference(crossed(sources, by)))
}

pub(super) fn read(id: &str, items: &str, fields: &[ReadField], about: Option<&str>) -> EvidenceNode {
    let params = BatchThreadRead {
        items: format!("{{{{{items}.items}}}}"),
        fields: fields.to_vec(),
        about: about.map(str::to_owned),
        ..BatchThreadRead::default()
    };
    described(id, "what they say", Strategy::BatchThreadRead(params))
}

pub(super) fn also(id: &str, items: &str, fields: &[ReadField], about: Option<&str>, also: &[&str]) -> EvidenceNode {
    let mut node = read(id, items, fields, about);
    if let Strategy::BatchThreadRead(params) = &mut node.strategy {
        params.also = also.iter().map(|word| (*word).to_owned()).collect();
        params.about.get_or_insert_default();
    }
    node
}

/// What the person told of it in the chat.
pub(super) fn told(words: &str, from: &Option<String>) -> EvidenceNode {
    let search = KeywordSearch {
        words: vec![words.to_owned()],
        over: vec![ItemKind::Talk],
        from: from.clone(),
        max_results: Some(TOLD_SHOWN_MAX),
        ..KeywordSearch::default()
    };
    described("told", "what you told me of it", Strategy::KeywordSearch(search))
}

/// A part of an answer, and behind it what the person told.
pub(super) fn with_told(node: &str) -> Vec<AnswerSection> {
    let mut sections = AnswerSection::only(node);
    sections.push(AnswerSection::titled("You told me", "told"));
    sections
}

pub(super) fn described(id: &str, description: &str, strategy: Strategy) -> EvidenceNode {
    EvidenceNode { description: description.to_owned(), ..EvidenceNode::new(id, strategy) }
}

/// From when on things are looked at where nobody says. A whole day, as is [`look_ahead`]: so that it is the same look
/// all day long, and what it found can be kept.
pub(super) fn look_back(now: DateTime<Utc>) -> String {
    iso(beginning_of_day(now) - Duration::days(LOOK_BACK_DAYS))
}

/// Until when.
pub(super) fn look_ahead(now: DateTime<Utc>) -> String {
    iso(beginning_of_day(now) + Duration::days(LOOK_AHEAD_DAYS + 1))
}

fn beginning_of_day(at: DateTime<Utc>) -> DateTime<Utc> {
    at.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// As graphs write a time.
pub(super) fn iso(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
