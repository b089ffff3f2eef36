//! Graph cache: a question that is asked again keeps its graph for as long as the same words mean the same.
//!
//! Words that speak of what was said before, and graphs that name a time of day, mean something else the next time.
//! Deliberately not here: whether a graph was of use (whoever ran it knows).

use super::{DecomposeInput, Decomposition};
use crate::investigate::asker::InvestigationModel;
use crate::investigate::cache::MadeFrom;
use crate::investigate::node::{EvidenceNode, KeywordSearch, MetadataFilter, SemanticAnalysis, Strategy};
use brain_language::language::continuation;
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::contract::show::Moment;

/// The graph that the same question had a while ago.
pub fn known_graph(model: &InvestigationModel<'_>, input: &DecomposeInput<'_>) -> Option<Decomposition> {
    let kept = model.cache?.graph(made_from(input)?)?;
    Some(Decomposition { is_streamed: false, ..Decomposition::clone(&kept) })
}

/// Keeps a graph that was of use.
pub fn keep_graph(model: &InvestigationModel<'_>, input: &DecomposeInput<'_>, graph: &Decomposition) {
    let cache = model.cache.filter(|_| graph.graph.nodes.iter().all(|node| is_of_whole_days(node, input)));
    if let Some((cache, made_from)) = cache.zip(made_from(input)) {
        cache.keep_graph(made_from, graph);
    }
}

/// All that a graph depends on, but for the conversation and the time of day.
fn made_from(input: &DecomposeInput<'_>) -> Option<MadeFrom> {
    if continuation::speaks_back(input.question, BUILDERS) {
        return None;
    }
    let DecomposeInput { question, things, dates, reference, known, .. } = input;
    let known = known.map(|known| &known.lines);
    let day = reference.now.with_timezone(&reference.zone).date_naive();
    MadeFrom::of(&("graph", question.trim().to_lowercase(), things, dates, day, reference.zone, reference.order, known))
}

fn is_of_whole_days(node: &EvidenceNode, input: &DecomposeInput<'_>) -> bool {
    let times: [&Option<String>; 3] = match &node.strategy {
        Strategy::MetadataFilter(MetadataFilter { from, until, .. })
        | Strategy::KeywordSearch(KeywordSearch { from, until, .. }) => [from, until, &None],
        Strategy::SemanticAnalysis(SemanticAnalysis { last_from, last_until, due_until, .. }) => {
            [last_from, last_until, due_until]
        }
        Strategy::BatchThreadRead(_) | Strategy::CrossReference(_) => return true,
    };
    let zone = input.reference.zone;
    let is_day = |moment: Moment| match moment {
        Moment::Day(_) => true,
        Moment::Instant(at) => at.with_timezone(&zone).time() == chrono::NaiveTime::MIN,
    };
    times.into_iter().flatten().all(|time| Moment::read(time, zone).is_some_and(is_day))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeZone, Utc};
    use serde_json::{Value, json};

    use super::*;
    use crate::investigate::cache::EvidenceCache;
    use crate::investigate::decompose::{Decomposed, decompose};
    use crate::testing::asking::{AskingWorld, ScriptedModel};
    use brain_language::language::time::{DateOrder, Reference};

    fn graph(params: Value) -> String {
        let node = json!({"id": "mail", "strategy": "metadata_filter", "params": params});
        json!({"classification": {"type": "investigative"}, "nodes": [node], "synthesis": {}}).to_string()
    }

    fn at(hour: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 3, 10, hour, 0, 0).unwrap()
    }

    /// Whether a question finds the graph that another one had at nine.
    async fn is_known(params: Value, first: &str, then: &str, now: DateTime<Utc>, things: &[String]) -> bool {
        let mut world = AskingWorld::of(ScriptedModel::of(&[&graph(params)]));
        world.cache = Some(EvidenceCache::default());
        let reference = |now| Reference { now, zone: chrono_tz::Europe::Berlin, order: DateOrder::DayFirst };
        let (morning, later) = (reference(at(9)), reference(now));
        let input = DecomposeInput {
            question: first,
            history: &[],
            things: &[],
            dates: &[],
            reference: &morning,
            known: None,
            beside: &[],
        };
        let again = DecomposeInput { question: then, things, reference: &later, ..input };
        world
            .with(async |model| {
                let Ok(Decomposed::Graph(decomposition)) = decompose(model, &input, None).await else {
                    panic!("a graph")
                };
                assert!(known_graph(model, &input).is_none(), "nobody has kept it yet");
                keep_graph(model, &input, &decomposition);
                known_graph(model, &again).inspect(|known| assert_eq!(known.graph, decomposition.graph)).is_some()
            })
            .await
    }

    #[tokio::test]
    async fn the_same_words_find_their_graph_while_they_mean_the_same() {
        let plain = || json!({"over": ["thread"]});
        let (who, bare) = ("who waits for the invoice?", &[][..]);
        let other = ["email: thread".to_owned()];
        for (params, first, then, now, things, expected) in [
            (plain(), who, who, at(9), bare, true),
            (plain(), who, " Who waits for the invoice? ", at(20), bare, true),
            (json!({"from": "2026-03-01", "until": "2026-03-09"}), who, who, at(10), bare, true),
            (plain(), who, "who waits for the receipt?", at(9), bare, false),
            (plain(), who, who, at(23) + chrono::Duration::hours(1), bare, false),
            (plain(), who, who, at(9), &other, false),
            (json!({"from": "2026-03-10T08:00"}), who, who, at(9), bare, false),
            (plain(), "and who waits for it?", "and who waits for it?", at(9), bare, false),
        ] {
            let said = format!("{params} {first} {then} {now}");
            assert_eq!(is_known(params, first, then, now, things).await, expected, "{said}");
        }
    }
}
