//! What needs the person: what takes place, what is due, and who waits for an answer.

use chrono::{DateTime, Duration, Utc};

use super::parts::{described, iso, of, ranked, read, sorted};
use super::{DatedQuestion, MadeGraph};
use crate::investigate::graph::AnswerSection;
use crate::investigate::node::{FindingSort, MetadataFilter, RankBy, ReadField, SemanticAnalysis, Strategy};
use brain_language::language::requests::{is_until, span};
use brain_language::language::time::Reference;
use brain_services::services::contract::searchable::{ItemKind, ItemMark};

impl DatedQuestion<'_> {
    pub(super) fn needs_me(&self) -> MadeGraph {
        let (from, until) = self.span.unwrap_or_else(|| self.today());
        // A deadline spans from now until then.
        let is_until = self.question.when.as_deref().is_some_and(|when| is_until(when, self.reference));
        let from = if is_until { self.now() } else { from };
        // What is due some day is due at its end, also where a part of that day is asked about.
        let until = if self.question.late { self.today().0 } else { self.end_of_day(until) };
        let filter = |kind, with: &[ItemMark]| MetadataFilter {
            over: vec![kind],
            until: Some(iso(until)),
            with: with.to_vec(),
            ..MetadataFilter::default()
        };
        let events = MetadataFilter { from: Some(iso(from.max(self.now()))), ..filter(ItemKind::Event, &[]) };
        let tasks = filter(ItemKind::Task, &[ItemMark::Open]);
        let mail = MetadataFilter {
            over: vec![ItemKind::Thread],
            from: self.back(),
            without: vec![ItemMark::Bulk],
            ..MetadataFilter::default()
        };
        // What waits for no day needs the person now; it is no part of a day to come, and never late.
        let undated = !self.question.late && from < self.today().1;
        let waits =
            SemanticAnalysis { due_until: Some(iso(until)), undated, ..of("read", sorted(&[FindingSort::WaitsForMe])) };
        let nodes = vec![
            described("events", "what takes place then", Strategy::MetadataFilter(events)),
            described("tasks", "what is due by then", Strategy::MetadataFilter(tasks)),
            described("mail", "conversations, newsletters aside", Strategy::MetadataFilter(mail)),
            read("read", "mail", &[ReadField::Waiting], None),
            described("waits", "who waits for an answer", Strategy::SemanticAnalysis(waits)),
            ranked("agenda", &["events"], RankBy::Soonest),
            ranked("to_do", &["tasks"], RankBy::Soonest),
            ranked("answers", &["waits"], RankBy::Urgency),
        ];
        let sections = vec![
            AnswerSection::titled("On your calendar", "agenda"),
            AnswerSection::titled("Mail to answer", "answers"),
            AnswerSection::titled("To do", "to_do"),
        ];
        (nodes, sections)
    }

    /// The end of the day that a span ends on.
    fn end_of_day(&self, until: DateTime<Utc>) -> DateTime<Utc> {
        let last = Reference { now: until - Duration::seconds(1), ..*self.reference };
        span("today", &last).map_or(until, |(_, end)| end)
    }
}
