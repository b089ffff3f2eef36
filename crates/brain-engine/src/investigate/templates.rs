//! The graphs of the questions that people ask most, without a model.
//!
//! | family | graph |
//! |---|---|
//! | waits for me, for others, promises, unanswered | mail → read → of that sort → by urgency |
//! | about | words (and whose it is) → read → about it, or open → by relevance |
//! | needs me | events; tasks; mail → read → waits for me |
//! | prepare | the meeting → mail with who comes → read → open with them; what is called like it |
//! | most | mail or events → read → people by how often |
//! | find | words → read → the best, with amounts |
//!
//! Not here: the phrases (data of the reader of requests), and who is meant by a name (the strategies resolve it).

mod look_ups;
mod needs_me;
mod parts;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Duration, Utc};

use self::parts::{beside, crossed, described, iso, look_ahead, look_back, of, ranked, read, sorted, told, with_told};

use super::graph::{AnswerKind, AnswerSection, EvidenceGraph};
use super::node::{
    CrossReference, EvidenceNode, FindingSort, KeywordSearch, MatchBy, MetadataFilter, RankBy, ReadField,
    SemanticAnalysis, SetOperation, Strategy,
};
use brain_core::limits::{LOOK_AHEAD_DAYS, PREPARED_THREADS_MAX};
use brain_language::language::requests::{
    FamilyQuestion, QuestionFamily, Refinement, is_earlier, is_money, span, without_meeting,
};
use brain_language::language::time::Reference;
use brain_services::services::contract::searchable::{ItemKind, ItemMark};

/// The graph of a question.
pub fn graph(question: &FamilyQuestion, reference: &Reference) -> EvidenceGraph {
    let asked = DatedQuestion { question, reference, span: question.span(reference) };
    // Of everybody's promises those that are kept would bury the others.
    let is_open = question.open || question.late || question.who.is_none();
    let (nodes, sections) = match question.family {
        // Whoever was promised something waits as well, whenever it is due.
        QuestionFamily::WaitingOnMe => asked.threads_that(&[FindingSort::WaitsForMe, FindingSort::OpenPromiseByMe]),
        QuestionFamily::WaitingOnOthers => asked.threads_that(&[FindingSort::WaitsForOthers]),
        QuestionFamily::PromisedToMe if is_open => asked.threads_that(&[FindingSort::OpenPromiseToMe]),
        QuestionFamily::PromisedToMe => asked.threads_that(&[FindingSort::PromisedToMe]),
        QuestionFamily::PromisedByMe if is_open => asked.threads_that(&[FindingSort::OpenPromiseByMe]),
        QuestionFamily::PromisedByMe => asked.threads_that(&[FindingSort::PromisedByMe]),
        QuestionFamily::Unanswered => asked.threads_that(&[FindingSort::Unanswered]),
        QuestionFamily::About => asked.about(),
        QuestionFamily::NeedsMe => asked.needs_me(),
        QuestionFamily::Prepare => asked.prepare(),
        QuestionFamily::WritesMost => asked.most(ItemKind::Thread),
        QuestionFamily::MeetsMost => asked.most(ItemKind::Event),
        QuestionFamily::FindInvoice
        | QuestionFamily::FindBooking
        | QuestionFamily::FindAttachment
        | QuestionFamily::FindAmount
        | QuestionFamily::Find => asked.find(),
    };
    let graph = EvidenceGraph { nodes, sections, answers: AnswerKind::Family(question.family), beside: None };
    let graph = match &question.then {
        Some(refinement) => refined(graph, refinement, reference),
        None => graph,
    };
    match &question.beside {
        Some(second) => beside(graph, second, self::graph(second, reference)),
        None => graph,
    }
}

/// The best search by words for a question that no template fits.
/// `score_min`: how much of the words a thing has to say, from 0 to 1.
pub fn search(words: &str, score_min: f32, reference: &Reference) -> EvidenceGraph {
    let found = KeywordSearch {
        words: vec![words.to_owned()],
        any: true,
        without: vec![ItemMark::Bulk],
        from: Some(look_back(reference.now)),
        until: Some(look_ahead(reference.now)),
        ..KeywordSearch::default()
    };
    let best = CrossReference { only_best: true, score_min, ..crossed(&["read"], RankBy::Relevance) };
    let nodes = vec![
        told(words, &found.from),
        described("search", "everything that says it", Strategy::KeywordSearch(found)),
        read("read", "search", &[ReadField::Topic], Some(words)),
        described("best", "what says most of it", Strategy::CrossReference(best)),
    ];
    EvidenceGraph { nodes, sections: with_told("best"), answers: AnswerKind::Search, beside: None }
}

/// The graph with what narrows its answer behind it.
pub fn refined(mut graph: EvidenceGraph, refinement: &Refinement, reference: &Reference) -> EvidenceGraph {
    let Some(last) = graph.sections.first().map(|section| section.node.clone()) else { return graph };
    match refinement {
        Refinement::Meet { when } => {
            let (from, until) = when.as_ref().and_then(|when| span(when, reference)).unwrap_or_else(|| week(reference));
            let events = MetadataFilter {
                over: vec![ItemKind::Event],
                people: vec![format!("{{{{{last}.people}}}}")],
                from: Some(iso(from.max(reference.now))),
                until: Some(iso(until)),
                ..MetadataFilter::default()
            };
            graph.nodes.push(described("met", "events with them", Strategy::MetadataFilter(events)));
            let rest = graph.sections.len() == 1;
            if rest {
                graph.sections[0].title = Some("Not answered".to_owned());
            }
            graph.sections.push(AnswerSection::added("You meet", "met"));
        }
        Refinement::Only { .. } | Refinement::StillOpen => {
            // What is kept of an answer is narrowed by code, without a graph.
        }
    }
    graph
}

/// The seven days from now on.
fn week(reference: &Reference) -> (DateTime<Utc>, DateTime<Utc>) {
    (reference.now, reference.now + Duration::days(7))
}

type MadeGraph = (Vec<EvidenceNode>, Vec<AnswerSection>);

/// A question beside the moment it is asked at.
struct DatedQuestion<'a> {
    question: &'a FamilyQuestion,
    reference: &'a Reference,
    span: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

impl DatedQuestion<'_> {
    fn now(&self) -> DateTime<Utc> {
        self.reference.now
    }

    fn back(&self) -> Option<String> {
        Some(look_back(self.now()))
    }

    fn who(&self) -> Vec<String> {
        self.question.who.iter().cloned().collect()
    }

    /// Whether the time of the question lies ahead: then it is a day to be ready by.
    fn is_ahead(&self) -> bool {
        self.span.is_some_and(|(_, until)| until > self.now())
    }

    /// Conversations of any of these sorts.
    fn threads_that(&self, sorts: &[FindingSort]) -> MadeGraph {
        let with = if self.question.unread { vec![ItemMark::Unread] } else { Vec::new() };
        let mail = MetadataFilter {
            over: vec![ItemKind::Thread],
            people: self.who(),
            from: self.back(),
            with: with.clone(),
            without: vec![ItemMark::Bulk],
            ..MetadataFilter::default()
        };
        let said = KeywordSearch {
            words: self.who(),
            over: vec![ItemKind::Thread],
            from: self.back(),
            with,
            without: vec![ItemMark::Bulk],
            ..KeywordSearch::default()
        };
        let by = |at: DateTime<Utc>| Some(iso(at));
        let theirs = SemanticAnalysis { people: self.who(), ..sorted(sorts) };
        // Who has long been silent is to be asked again whatever the day.
        let undated = sorts == [FindingSort::WaitsForOthers];
        let sorted = match self.span {
            // Late is what should have come by yesterday: a deadline today leaves all of the day.
            _ if self.question.late => SemanticAnalysis { due_until: by(self.today().0), ..theirs },
            // Whom to chase today is everybody who owes something by now.
            Some((from, until)) if undated && from <= self.today().1 && until <= self.today().1 => theirs,
            // Whom one has not answered wrote before now: a bare period is its last occurrence.
            Some((from, until)) if self.question.family == QuestionFamily::Unanswered => {
                let back = if from > self.now() { Duration::days(7) } else { Duration::zero() };
                match self.question.when.as_deref().is_some_and(is_earlier) {
                    true => SemanticAnalysis { last_until: by(from - back), ..theirs },
                    false => SemanticAnalysis { last_from: by(from - back), last_until: by(until - back), ..theirs },
                }
            }
            Some((_, until)) if self.is_ahead() => SemanticAnalysis { due_until: by(until), undated, ..theirs },
            Some((from, until)) => SemanticAnalysis { last_from: by(from), last_until: by(until), ..theirs },
            None => theirs,
        };
        let order = match sorts {
            [FindingSort::PromisedToMe | FindingSort::PromisedByMe] => RankBy::Newest,
            _ => RankBy::Urgency,
        };
        let about = self.question.topic.as_deref().or(self.question.who.as_deref());
        let fields = [ReadField::Waiting, ReadField::Promises, ReadField::Amounts];
        let mut nodes = vec![described("mail", "conversations, newsletters aside", Strategy::MetadataFilter(mail))];
        let mut found = "mail";
        if self.question.who.is_some() {
            nodes.push(described("said", "what speaks of them", Strategy::KeywordSearch(said)));
            nodes.push(ranked("found", &["mail", "said"], RankBy::Newest));
            found = "found";
        }
        nodes.push(read("read", found, &fields, about));
        nodes.push(described("kept", "those that answer the question", Strategy::SemanticAnalysis(sorted)));
        let mut last = "kept";
        if self.question.topic.is_some() {
            let is_money = self.question.topic.as_deref().is_some_and(is_money);
            let sort = if is_money { FindingSort::Amount } else { FindingSort::About };
            let about = of("kept", SemanticAnalysis { keep: vec![sort], ..SemanticAnalysis::default() });
            nodes.push(described("about", "what of it is about that", Strategy::SemanticAnalysis(about)));
            last = "about";
        }
        nodes.push(ranked("answer", &[last], order));
        (nodes, AnswerSection::only("answer"))
    }

    fn about(&self) -> MadeGraph {
        let topic = self.question.topic.clone().unwrap_or_default();
        let (from, until) = match self.span {
            Some((from, until)) => (Some(iso(from)), Some(iso(until))),
            None => (self.back(), Some(look_ahead(self.now()))),
        };
        let said = told(&topic, &from);
        let words = KeywordSearch {
            words: vec![topic.clone()],
            any: true,
            from: from.clone(),
            until: until.clone(),
            without: vec![ItemMark::Bulk],
            ..KeywordSearch::default()
        };
        let theirs = MetadataFilter {
            over: vec![ItemKind::Thread, ItemKind::Event],
            people: vec![topic.clone()],
            from,
            until,
            without: vec![ItemMark::Bulk],
            ..MetadataFilter::default()
        };
        let about = of("read", sorted(&[FindingSort::About]));
        let mut nodes = vec![
            described("words", "everything that says it", Strategy::KeywordSearch(words)),
            described("theirs", "what somebody of that name takes part in", Strategy::MetadataFilter(theirs)),
            ranked("found", &["words", "theirs"], RankBy::Relevance),
            read("read", "found", &[ReadField::Topic, ReadField::Waiting], Some(&topic)),
            described("about", "what is about it", Strategy::SemanticAnalysis(about)),
        ];
        if self.question.open {
            let open = of("about", sorted(&[FindingSort::Open]));
            nodes.push(described("open", "what of it is open", Strategy::SemanticAnalysis(open)));
            nodes.push(ranked("answer", &["open"], RankBy::Urgency));
            return (nodes, AnswerSection::only("answer"));
        }
        nodes.extend([ranked("answer", &["about"], RankBy::Relevance), said]);
        (nodes, with_told("answer"))
    }

    fn today(&self) -> (DateTime<Utc>, DateTime<Utc>) {
        span("today", self.reference).unwrap_or((self.now(), self.now() + Duration::days(1)))
    }

    fn prepare(&self) -> MadeGraph {
        let (from, until) = self.span.unwrap_or((self.now(), self.now() + Duration::days(LOOK_AHEAD_DAYS)));
        let (from, until) = (Some(iso(from.max(self.now()))), Some(iso(until)));
        let over = vec![ItemKind::Event];
        let topic = self.question.topic.as_ref();
        let meeting =
            match topic.filter(|topic| !brain_services::services::helpers::search::WordQuery::new(topic).is_vague()) {
                Some(topic) => {
                    let words = vec![topic.clone(), without_meeting(topic)];
                    let called = KeywordSearch { words, any: true, over, from, until, ..KeywordSearch::default() };
                    Strategy::KeywordSearch(called)
                }
                None => {
                    let people = if topic.is_none() { self.who() } else { Vec::new() };
                    Strategy::MetadataFilter(MetadataFilter { over, people, from, until, ..MetadataFilter::default() })
                }
            };
        let next = CrossReference { take_top: Some(1), only_best: true, ..crossed(&["meetings"], RankBy::Soonest) };
        let mail = MetadataFilter {
            over: vec![ItemKind::Thread],
            people: vec!["{{meeting.people}}".to_owned()],
            from: self.back(),
            without: vec![ItemMark::Bulk],
            max_results: Some(PREPARED_THREADS_MAX),
            ..MetadataFilter::default()
        };
        let open = of("read", sorted(&[FindingSort::WaitsForMe, FindingSort::WaitsForOthers, FindingSort::Open]));
        let with_them = CrossReference {
            operation: SetOperation::Intersection,
            by: MatchBy::People,
            ..crossed(&["open", "meeting"], RankBy::Urgency)
        };
        // What the question calls it says more of it than what its title adds.
        let called = self.question.topic.as_deref().map(without_meeting).filter(|topic| !topic.is_empty());
        let like = KeywordSearch {
            words: called.into_iter().collect(),
            like: Some("{{meeting.items}}".to_owned()),
            over: vec![ItemKind::Thread, ItemKind::Task, ItemKind::Note],
            from: self.back(),
            without: vec![ItemMark::Bulk, ItemMark::Done],
            ..KeywordSearch::default()
        };
        let nodes = vec![
            described("meetings", "the meeting", meeting),
            described("meeting", "the next of them", Strategy::CrossReference(next)),
            described("mail", "mail with who comes", Strategy::MetadataFilter(mail)),
            read("read", "mail", &[ReadField::Waiting, ReadField::Promises], None),
            described("open", "what is open in it", Strategy::SemanticAnalysis(open)),
            described("points", "with those who come", Strategy::CrossReference(with_them)),
            described("called", "what is called like it", Strategy::KeywordSearch(like)),
            ranked("beside", &["called"], RankBy::Relevance),
        ];
        let sections = vec![
            AnswerSection::titled("The meeting", "meeting"),
            AnswerSection::titled("Open with them", "points"),
            AnswerSection::titled("About it", "beside"),
        ];
        (nodes, sections)
    }
}
