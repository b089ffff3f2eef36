//! What code finds by itself for a question of a family: the nodes before those that a model writes.
//!
//! A template's graph runs at once, without a model, while the model takes the question apart. It may refer to what that
//! finds, read it, leave it out and look for more; only what it names of it becomes part of the answer. Not here: which
//! graph a family has ([`templates`]).

use super::graph::{AnswerSection, EvidenceGraph};
use super::node::{EvidenceNode, KNOWN};
use super::templates;
use brain_language::language::requests::{FamilyQuestion, QuestionFamily};
use brain_language::language::time::Reference;

/// See the module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownLook {
    /// Nodes of code, called apart from any that a model may write.
    pub nodes: Vec<EvidenceNode>,
    /// What of them answers the question, as far as code can tell.
    pub sections: Vec<AnswerSection>,
    /// What a model is told of each.
    pub lines: Vec<String>,
}

impl KnownLook {
    /// What the question's template looks at.
    pub fn of(question: &FamilyQuestion, reference: &Reference) -> Self {
        // A second question in the same message is the model's to take apart.
        let question = &FamilyQuestion { beside: None, ..question.clone() };
        let EvidenceGraph { mut nodes, mut sections, .. } = templates::graph(question, reference);
        nodes.iter_mut().for_each(|node| node.rename(KNOWN));
        sections.iter_mut().for_each(|section| section.node.insert_str(0, KNOWN));
        let what = says(question.family);
        let lines = sections.iter().map(|section| match &section.title {
            Some(title) => format!("{{{{{}.items}}}}: {what}: {title}", section.node),
            None => format!("{{{{{}.items}}}}: {what}", section.node),
        });
        Self { lines: lines.collect(), nodes, sections }
    }
}

/// What the things of a family are, for whoever reads them.
fn says(family: QuestionFamily) -> &'static str {
    match family {
        QuestionFamily::WaitingOnMe => "mail in which somebody waits for the person",
        QuestionFamily::WaitingOnOthers => "mail in which the person waits for somebody",
        QuestionFamily::PromisedToMe => "mail in which the person was promised something",
        QuestionFamily::PromisedByMe => "mail in which the person promised something",
        QuestionFamily::About => "what speaks of it",
        QuestionFamily::NeedsMe => "what needs the person then",
        QuestionFamily::Prepare => "for the meeting",
        QuestionFamily::Unanswered => "mail that the person has not answered",
        QuestionFamily::WritesMost => "people, by how much mail",
        QuestionFamily::MeetsMost => "people, by how many meetings",
        QuestionFamily::FindInvoice
        | QuestionFamily::FindBooking
        | QuestionFamily::FindAttachment
        | QuestionFamily::FindAmount
        | QuestionFamily::Find => "what fits its words best",
    }
}
