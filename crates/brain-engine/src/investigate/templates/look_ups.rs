//! Questions that one search or one count answers: whom most, and where something is.

use chrono::Duration;

use super::parts::{also, crossed, described, iso, look_ahead, look_back, of, ranked, read, sorted};
use super::{DatedQuestion, MadeGraph};
use crate::investigate::graph::AnswerSection;
use crate::investigate::node::{
    CrossReference, FindingSort, KeywordSearch, MetadataFilter, RankBy, ReadField, Strategy,
};
use brain_core::limits::{LOOK_AHEAD_DAYS, PEOPLE_SHOWN_MAX};
use brain_language::language::requests::{QuestionFamily, is_bill, says_which};
use brain_language::language::words::fold;
use brain_services::services::contract::searchable::{ItemKind, ItemMark};

impl DatedQuestion<'_> {
    pub(super) fn most(&self, kind: ItemKind) -> MadeGraph {
        let (from, until) = match (self.span, kind) {
            (Some((from, until)), _) => (iso(from), iso(until)),
            (None, ItemKind::Event) => {
                (iso(self.now() - Duration::days(LOOK_AHEAD_DAYS)), iso(self.now() + Duration::days(LOOK_AHEAD_DAYS)))
            }
            (None, _) => (look_back(self.now()), look_ahead(self.now())),
        };
        let all = MetadataFilter {
            over: vec![kind],
            from: Some(from),
            until: Some(until),
            without: vec![ItemMark::Bulk],
            ..MetadataFilter::default()
        };
        let people = MetadataFilter {
            over: vec![ItemKind::Person],
            people: vec!["{{read.people}}".to_owned()],
            max_results: Some(PEOPLE_SHOWN_MAX),
            ..MetadataFilter::default()
        };
        let nodes = vec![
            described("all", "everything of that time", Strategy::MetadataFilter(all)),
            read("read", "all", &[ReadField::Waiting], None),
            described("people", "who is in most of it", Strategy::MetadataFilter(people)),
        ];
        (nodes, AnswerSection::only("people"))
    }

    pub(super) fn find(&self) -> MadeGraph {
        let asked = self.question.topic.clone().unwrap_or_default();
        let family = self.question.family;
        let (is_bill, topic) = telling(&asked);
        let nouns: &[&str] = match family {
            QuestionFamily::FindInvoice => &["invoice", "receipt", "bill", "Rechnung"],
            QuestionFamily::FindAmount if is_bill => &["invoice", "receipt", "bill", "Rechnung"],
            QuestionFamily::FindBooking => &["booking", "booked", "reservation", "reference", "ticket"],
            _ => &[],
        };
        let words = match (nouns, topic.is_empty()) {
            ([], _) => vec![topic.clone()],
            (nouns, true) => nouns.iter().map(|noun| (*noun).to_owned()).collect(),
            (nouns, false) => nouns.iter().map(|noun| format!("{noun} {topic}")).collect(),
        };
        let with = if family == QuestionFamily::FindAttachment { vec![ItemMark::Attachments] } else { Vec::new() };
        // A time to come is what the thing is about, not when it was written.
        let past = self.span.filter(|(from, _)| *from < self.now());
        let theirs = MetadataFilter {
            over: vec![ItemKind::Thread],
            people: self.question.who.clone().map_or_else(|| vec![topic.clone()], |who| vec![who]),
            from: self.back(),
            ..MetadataFilter::default()
        };
        // What nobody sends, the person may have written down.
        let over = match family {
            QuestionFamily::Find | QuestionFamily::FindAmount => vec![ItemKind::Thread, ItemKind::Note, ItemKind::Fact],
            _ => vec![ItemKind::Thread],
        };
        let found = KeywordSearch {
            words,
            any: true,
            over,
            people: self.who(),
            from: past.map_or_else(|| self.back(), |(from, _)| Some(iso(from))),
            until: past.map(|(_, until)| iso(until)),
            with,
            ..KeywordSearch::default()
        };
        let sort = if family == QuestionFamily::FindAmount { FindingSort::Amount } else { FindingSort::About };
        let fields = [ReadField::Topic, ReadField::Amounts];
        let about = Some(topic.as_str()).filter(|topic| !topic.is_empty());
        let best = CrossReference { only_best: true, ..crossed(&["kept"], RankBy::Relevance) };
        let mut nodes = vec![
            described("words", "mail that says it", Strategy::KeywordSearch(found)),
            described("theirs", "mail from somebody of that name", Strategy::MetadataFilter(theirs)),
            ranked("found", &["words", "theirs"], RankBy::Relevance),
            also("read", "found", &fields, about, nouns),
        ];
        let kept = match sort {
            FindingSort::Amount => {
                described("kept", "what names an amount", Strategy::SemanticAnalysis(of("read", sorted(&[sort]))))
            }
            _ => described("kept", "all of it", Strategy::CrossReference(crossed(&["read"], RankBy::Relevance))),
        };
        nodes.push(kept);
        nodes.push(described("best", "the best of it", Strategy::CrossReference(best)));
        (nodes, AnswerSection::only("best"))
    }
}

/// Whether words name a bill, and the words without that and without what only says which of several, where others are
/// left.
fn telling(asked: &str) -> (bool, String) {
    let says_nothing = |word: &&str| {
        let folded = fold(word);
        is_bill(&folded) || says_which(&folded)
    };
    let is_a_bill = asked.split_whitespace().any(|word| is_bill(&fold(word)));
    let rest: Vec<&str> = asked.split_whitespace().filter(|word| !says_nothing(word)).collect();
    (is_a_bill, if rest.is_empty() && !is_a_bill { asked.to_owned() } else { rest.join(" ") })
}
