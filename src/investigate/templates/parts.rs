//! The nodes that templates are made of.

use chrono::{DateTime, Utc};

use crate::investigate::node::{
    BatchThreadRead, CrossReference, EvidenceNode, FindingSort, RankBy, ReadField, SemanticAnalysis, Strategy,
};

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

pub(super) fn described(id: &str, description: &str, strategy: Strategy) -> EvidenceNode {
    EvidenceNode { description: description.to_owned(), ..EvidenceNode::new(id, strategy) }
}

/// As graphs write a time.
pub(super) fn iso(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
