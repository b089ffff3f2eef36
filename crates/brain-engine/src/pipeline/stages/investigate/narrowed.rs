//! An answer that is narrowed: from the rows that are kept, without starting over.

use super::investigated_as;
use super::investigation_reply::InvestigationReply;
use super::kept::{self, KeptAnswer};
use super::looking::sources;
use crate::investigate::finding::is_same;
use crate::investigate::graph::{AnswerKind, AnswerSection, EvidenceGraph};
use crate::investigate::node::{EvidenceNode, MetadataFilter, Strategy};
use crate::investigate::synthesize::AnswerRow;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::turn::Path;
use brain_core::limits::PEOPLE_ASKED_MAX;
use brain_language::language::requests::span;
use brain_language::language::terms;
use brain_services::services::contract::searchable::{ItemKind, Party};

/// Narrowed to meetings: what takes place with those whom the rows are about.
pub async fn met(turn: &Turn<'_>, kept: &KeptAnswer, when: Option<&str>) -> Result<Answer, TurnError> {
    let reference = turn.facts.reference();
    let week = (reference.now, reference.now + chrono::Duration::days(7));
    let (from, until) = when.and_then(|when| span(when, &reference)).unwrap_or(week);
    let mut people: Vec<String> = Vec::new();
    for party in kept.rows.iter().flat_map(about) {
        let name = if party.address.is_empty() { party.name.clone() } else { party.address.clone() };
        if !name.is_empty() && !people.contains(&name) {
            people.push(name);
        }
    }
    people.truncate(PEOPLE_ASKED_MAX);
    if people.is_empty() {
        return Ok(Answer::says(Path::Investigate, "📅 There is nobody among those whom you could meet."));
    }
    let iso = |at: chrono::DateTime<chrono::Utc>| Some(at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    let events = MetadataFilter {
        over: vec![ItemKind::Event],
        people,
        from: iso(from.max(reference.now)),
        until: iso(until),
        ..MetadataFilter::default()
    };
    let graph = EvidenceGraph {
        nodes: vec![EvidenceNode::new("met", Strategy::MetadataFilter(events))],
        sections: AnswerSection::only("met"),
        answers: AnswerKind::Model,
        beside: None,
    };
    let heading = |found: usize| match found {
        0 => "📅 You meet none of them then.".to_owned(),
        1 => "📅 You meet some of them at 1 event:".to_owned(),
        found => format!("📅 You meet some of them at {found} events:"),
    };
    investigated_as(turn, graph, &kept.topic, None, &heading).await
}

/// Whom a row is about: whoever waits or is waited for, else all who take part.
fn about(row: &AnswerRow) -> Vec<Party> {
    match (&row.with, row.since) {
        (Some(with), Some(_)) => vec![with.clone()],
        (Some(_) | None, _) => row.item.people.clone(),
    }
}

/// Narrowed to a person, a topic or a time.
pub async fn only(
    brain: &Brain,
    facts: &TurnFacts,
    kept: &KeptAnswer,
    who: Option<&str>,
    topic: Option<&str>,
    when: Option<&str>,
) -> Result<Answer, TurnError> {
    let parties = match who {
        Some(who) => called(brain, facts, who).await,
        None => Vec::new(),
    };
    let window = when.and_then(|when| span(when, &facts.reference()));
    let stems = |text: &str| terms::stems(&terms::fold(text));
    let wanted = stems(topic.unwrap_or_default());
    let fits = |row: &&AnswerRow| {
        let is_theirs = who.is_none() || about(row).iter().any(|party| parties.iter().any(|asked| means(asked, party)));
        let said = stems(&format!("{} {} {}", row.item.title, row.summary, row.item.snippet));
        let is_about = wanted.iter().all(|stem| said.contains(stem));
        let at = row.since.or(row.item.at);
        let is_then = window.is_none_or(|(from, until)| at.is_some_and(|at| (from..until).contains(&at)));
        is_theirs && is_about && is_then
    };
    let rows: Vec<AnswerRow> = kept.rows.iter().filter(fits).cloned().collect();
    let by = [
        who.map(|who| format!(" from {who}")),
        topic.map(|topic| format!(" about {topic}")),
        when.map(|when| format!(", {when}")),
    ];
    told(brain, facts, kept, rows, &by.into_iter().flatten().collect::<String>())
}

/// Narrowed to what is still open.
pub fn still_open(brain: &Brain, facts: &TurnFacts, kept: &KeptAnswer) -> Result<Answer, TurnError> {
    let rows: Vec<AnswerRow> = kept.rows.iter().filter(|row| row.is_open).cloned().collect();
    told(brain, facts, kept, rows, " that are open")
}

fn told(
    brain: &Brain,
    facts: &TurnFacts,
    kept: &KeptAnswer,
    rows: Vec<AnswerRow>,
    by: &str,
) -> Result<Answer, TurnError> {
    let by = brain_core::core::text::visible(&brain_core::core::text::shorten(by, 80));
    let heading = match rows.len() {
        0 => format!("🔎 Of those {}, there are none{by}.", kept.rows.len()),
        found => format!("🔎 {found} of {}{by}:", kept.rows.len()),
    };
    // Where nothing is left, what was there stays what is asked about next.
    if rows.is_empty() {
        return Ok(Answer::says(Path::Investigate, heading).keeping_question());
    }
    let told = InvestigationReply {
        heading,
        remarks: Vec::new(),
        answers: kept.answers,
        topic: kept.topic.clone(),
        trace: kept.trace.clone(),
        metrics: None,
    };
    kept::answer(brain, facts, told, rows)
}

async fn called(brain: &Brain, facts: &TurnFacts, who: &str) -> Vec<Party> {
    let (services, ctx) = (brain.services.now(), facts.as_written());
    sources(brain, &services, &ctx, None).called(who).await.unwrap_or_else(|_| vec![Party::read(who)])
}

/// Whether a name or an address means somebody.
fn means(asked: &Party, party: &Party) -> bool {
    let words = |text: &str| terms::words_of(&terms::fold(text)).map(str::to_owned).collect::<Vec<_>>();
    let named = words(&party.name);
    is_same(asked, party)
        || (asked.address.is_empty()
            && !asked.name.is_empty()
            && words(&asked.name).iter().all(|word| named.contains(word)))
}
