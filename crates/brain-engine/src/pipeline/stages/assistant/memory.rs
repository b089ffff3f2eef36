//! `/memory` and `/forget`: what is remembered about the person, what it was before, and a card that erases it.

use std::collections::BTreeMap;

use super::intended::Intended;
use super::lists::List;
use super::pages;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::TurnFacts;
use crate::queries;
use brain_core::core::text::{capital, shorten, visible};
use brain_core::core::turn::{Path, Reply};
use brain_core::limits::PLAN_ACTIONS_MAX;
use brain_core::ports::StoreError;
use brain_language::language::words::fold;
use brain_services::services::contract::capabilities::{Fact, Listing};
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::show::{self, Moment};

const HOW: &str = "To see what one was before: /memory and a word of it. To erase one: /forget and a word of it, for example “/forget coffee”. To correct it, just tell me.";
/// Characters of a fact in the list.
const VALUE_CHARS: usize = 300;

/// Everything remembered, by category.
pub(in crate::pipeline) async fn show(
    brain: &Brain,
    facts: &TurnFacts,
    behind: Option<&str>,
) -> Result<Answer, StoreError> {
    let says = |text: String| Ok(Answer::says(Path::Command, text));
    let Listing { rows: remembered, more, next, untrusted } =
        match queries::services::all_facts(&brain.services, &facts.ctx, behind).await {
            Ok(found) => found,
            Err(why) => return Ok(could_not_look(&why)),
        };
    if remembered.is_empty() && behind.is_none() {
        let nothing =
            "🧠 I remember nothing about you yet. Tell me, for example: “remember that I prefer window seats”.";
        return says(nothing.to_owned());
    }
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for fact in &remembered {
        groups.entry(capital(&plain(&fact.category))).or_default().push(line_of(fact));
    }
    let mut sections: Vec<String> =
        groups.into_iter().map(|(name, lines)| format!("{name}\n{}", lines.join("\n"))).collect();
    sections.push(show::Paging { after: behind, next: next.as_deref(), more }.end());
    if behind.is_none() {
        sections.insert(0, "🧠 What I remember about you".to_owned());
        sections.push(HOW.to_owned());
    }
    sections.retain(|section| !section.is_empty());
    Ok(pages::list(brain, facts, sections.join("\n\n"), List::Memory.name(), next, more)?.holding(untrusted))
}

/// What is remembered of something, since when, and what it was before.
pub(in crate::pipeline) async fn about(brain: &Brain, facts: &TurnFacts, what: &str) -> Answer {
    let found = match queries::services::facts(&brain.services, &facts.ctx, what).await {
        Ok(found) => found,
        Err(why) => return could_not_look(&why),
    };
    let Listing { rows, more, untrusted, .. } = found;
    if rows.is_empty() {
        return nothing_about(what);
    }
    let reference = facts.ctx.reference();
    let line = |fact: &Fact| {
        let day = Moment::Day(fact.since.with_timezone(&reference.zone).date_naive()).show(&reference);
        let former: Vec<String> = fact.former.iter().rev().map(|value| format!("“{}”", plain(value))).collect();
        let former = if former.is_empty() { String::new() } else { format!("\n   before: {}", former.join(", ")) };
        format!("{}, since {day}{former}", line_of(fact))
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.insert(0, format!("🧠 What I remember of “{}”", plain(what)));
    lines.extend((more > 0).then(|| format!("… and {more} more; another word of it finds them.")));
    Answer::says(Path::Command, lines.join("\n")).holding(untrusted)
}

fn line_of(fact: &Fact) -> String {
    let from = fact.from.as_deref().map(|from| visible(&show::from(from))).unwrap_or_default();
    format!("▫️ {}: {}{from}", plain(&fact.key), plain(&fact.value))
}

fn could_not_look(why: &ServiceError) -> Answer {
    Answer::says(Path::Command, format!("❗ I could not look: {why}"))
}

fn nothing_about(what: &str) -> Answer {
    let what = visible(&shorten(what, 60));
    Answer::says(Path::Command, format!("🧠 I remember nothing about “{what}”. /memory shows what there is."))
}

/// A card that erases whatever matches, each fact shown in full.
pub(in crate::pipeline) async fn forget(brain: &Brain, facts: &TurnFacts, what: &str) -> Result<Intended, StoreError> {
    if what.is_empty() {
        return Ok(Answer::says(
            Path::Command,
            "What shall I forget? Write for example “/forget coffee”. /memory shows what there is.",
        )
        .into());
    }
    let Listing { rows: remembered, more, untrusted, .. } =
        match queries::services::facts(&brain.services, &facts.ctx, what).await {
            Ok(found) => found,
            Err(why) => return Ok(could_not_look(&why).into()),
        };
    let remembered = best(remembered, what);
    if remembered.is_empty() {
        return Ok(nothing_about(what).into());
    }
    let left = remembered.len().saturating_sub(PLAN_ACTIONS_MAX) + more;
    let services = brain.services.now();
    let forget = |fact: &Fact| {
        let keeper = services.iter().find_map(|service| service.service.facts());
        keeper.map(|keeper| keeper.forgetting(&fact.id))
    };
    let forgetting = remembered.iter().take(PLAN_ACTIONS_MAX).filter_map(forget).collect();
    Ok(Intended::actions(facts, forgetting).then(move |mut answer| {
        answer.path = Path::Command;
        answer.untrusted.extend(untrusted);
        if left > 0 {
            // Above the card: a card stays the last message.
            let words =
                format!("{left} more match; a card holds {PLAN_ACTIONS_MAX}. Write it again afterwards for the rest.");
            answer.replies.insert(0, Reply::text(words));
        }
        answer
    }))
}

/// Facts that hold the very words, when there are any: erasing is not the place for a generous search.
fn best(remembered: Vec<Fact>, what: &str) -> Vec<Fact> {
    let wanted = fold(what);
    let holds = |fact: &Fact| [&fact.key, &fact.value, &fact.category].iter().any(|text| fold(text).contains(&wanted));
    if remembered.iter().any(holds) { remembered.into_iter().filter(holds).collect() } else { remembered }
}

fn plain(text: &str) -> String {
    visible(&shorten(text, VALUE_CHARS))
}
