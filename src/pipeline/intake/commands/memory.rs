//! `/memory` and `/forget`: what is remembered about the person, and a card that erases it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::view::{self, Listed};
use crate::core::plan::{Params, PlannedAction};
use crate::core::text::{capital, shorten, visible};
use crate::core::turn::Path;
use crate::language::words::fold;
use crate::limits::PLAN_ACTIONS_MAX;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::answer::Answer;
use crate::pipeline::stages::act;
use crate::pipeline::turn::Turn;
use crate::ports::StoreError;
use crate::services::service::RequestContext;
use crate::services::show;

const HOW: &str =
    "To erase something: /forget and a word of it, for example “/forget coffee”. To correct it, just tell me.";
/// Characters of a fact in the list.
const VALUE_CHARS: usize = 300;

/// Everything remembered, by category.
pub(super) async fn show(brain: &Brain, ctx: &RequestContext) -> Answer {
    let says = |text: String| Answer::says(Path::Command, text);
    let Listed { rows: facts, more, untrusted } = match recall(brain, ctx, "everything").await {
        Ok(found) => found,
        Err(why) => return says(format!("❗ I could not look: {why}")),
    };
    if facts.is_empty() {
        let nothing =
            "🧠 I remember nothing about you yet. Tell me, for example: “remember that I prefer window seats”.";
        return says(nothing.to_owned());
    }
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for fact in &facts {
        let from = show::from(fact).map(|from| visible(&from)).unwrap_or_default();
        let line = format!("▫️ {}: {}{from}", plain(fact, "key"), plain(fact, "value"));
        groups.entry(capital(&plain(fact, "category"))).or_default().push(line);
    }
    let groups: Vec<String> = groups.into_iter().map(|(name, lines)| format!("{name}\n{}", lines.join("\n"))).collect();
    let more = if more > 0 { format!("\n\n… and {more} more; /export has all of it.") } else { String::new() };
    says(format!("🧠 What I remember about you\n\n{}{more}\n\n{HOW}", groups.join("\n\n"))).holding(untrusted)
}

/// A card that erases whatever matches, each fact shown in full.
pub(super) async fn forget(turn: &Turn<'_>, what: &str) -> Result<Answer, StoreError> {
    if what.is_empty() {
        return Ok(Answer::says(
            Path::Command,
            "What shall I forget? Write for example “/forget coffee”. /memory shows what there is.",
        ));
    }
    let Listed { rows: facts, more, untrusted } = match recall(turn.brain, &turn.ctx, what).await {
        Ok(found) => found,
        Err(why) => return Ok(Answer::says(Path::Command, format!("❗ I could not look: {why}"))),
    };
    let facts = best(facts, what);
    if facts.is_empty() {
        let what = visible(&shorten(what, 60));
        return Ok(Answer::says(
            Path::Command,
            format!("🧠 I remember nothing about “{what}”. /memory shows what there is."),
        ));
    }
    let left = facts.len().saturating_sub(PLAN_ACTIONS_MAX) + more;
    let forget = |fact: &Value| PlannedAction {
        service: "memory".to_owned(),
        command: "forget".to_owned(),
        params: Params::from_iter([("find_by".to_owned(), fact["id"].clone())]),
        ..PlannedAction::default()
    };
    let mut answer = act::given_actions(turn, facts.iter().take(PLAN_ACTIONS_MAX).map(forget).collect()).await?;
    answer.path = Path::Command;
    answer.untrusted.extend(untrusted);
    if left > 0 {
        // Above the card: a card stays the last message.
        let words =
            format!("{left} more match; a card holds {PLAN_ACTIONS_MAX}. Write it again afterwards for the rest.");
        answer.replies.insert(0, crate::core::turn::Reply::text(words));
    }
    Ok(answer)
}

async fn recall(brain: &Brain, ctx: &RequestContext, query: &str) -> Result<Listed, String> {
    view::list(brain, ctx, ("memory", "recall"), json!({"query": query}), "memories").await
}

/// Facts that hold the very words, when there are any: erasing is not the place for a generous search.
fn best(facts: Vec<Value>, what: &str) -> Vec<Value> {
    let wanted = fold(what);
    let text = |fact: &Value, name: &str| fold(fact[name].as_str().unwrap_or_default());
    let holds = |fact: &Value| ["key", "value", "category"].iter().any(|name| text(fact, name).contains(&wanted));
    if facts.iter().any(holds) { facts.into_iter().filter(holds).collect() } else { facts }
}

fn plain(fact: &Value, name: &str) -> String {
    visible(&shorten(fact[name].as_str().unwrap_or_default(), VALUE_CHARS))
}
