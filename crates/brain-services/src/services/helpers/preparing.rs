//! The item that a command is about, by an id or a description: found, or asked for.

use std::sync::Arc;

use super::finding::{self, Choice, Finder};
use super::items::{Item, by_id, is_like_an_id};
use super::texts::brief;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{ItemChoice, Prepared};
use brain_core::core::plan::Target;
use brain_core::limits::PLAN_ACTIONS_MAX;
use brain_core::ports::{Index, Store};

/// The item that `words` mean: an id, or a description. `allowed` narrows what may be meant at all.
pub(in crate::services) async fn find<T: Item>(
    store: &Arc<dyn Store>,
    index: &Arc<dyn Index>,
    ctx: &RequestContext,
    words: &str,
    allowed: impl Fn(&T) -> bool,
) -> Result<Choice<T>, ServiceError> {
    let words = words.trim();
    if let Some(held) = by_id::<T>(store, &ctx.owner, words).await? {
        return Ok(if allowed(&held.0) { Choice::One(held) } else { Choice::None });
    }
    Finder { store, index, ctx }.find(words, allowed).await
}

/// The answer of `prepare` for a command about one item, which `words` (its parameter `param`) describe.
pub(in crate::services) async fn prepare<T: Item, C>(
    store: &Arc<dyn Store>,
    index: &Arc<dyn Index>,
    ctx: &RequestContext,
    command: C,
    param: &str,
    words: &str,
    allowed: impl Fn(&T) -> bool,
) -> Result<Prepared<C>, ServiceError> {
    if let Some(all) = all_that_fit::<T, C>(store, index, ctx, words, &allowed).await? {
        return Ok(all);
    }
    let choice = find(store, index, ctx, words, allowed).await?;
    prepared(ctx, choice, command, param, words)
}

/// The answer where `words` mean all that fit; `None` where they mean one.
pub(in crate::services) async fn all_that_fit<T: Item, C>(
    store: &Arc<dyn Store>,
    index: &Arc<dyn Index>,
    ctx: &RequestContext,
    words: &str,
    allowed: &impl Fn(&T) -> bool,
) -> Result<Option<Prepared<C>>, ServiceError> {
    let several = finding::several_of(words, is_like_an_id);
    if let Some(ids) = several.filter(|ids| ids.len() <= PLAN_ACTIONS_MAX) {
        return Ok(Some(Prepared::Every { ids }));
    }
    let Some(words) = finding::all_of(words) else { return Ok(None) };
    let found = Finder { store, index, ctx }.every::<T>(words, allowed).await?;
    Ok(Some(match found.len() {
        0 => Prepared::NotFound { what: format!("I found no {} like “{}”.", T::NOUN, brief(words)) },
        many if many > PLAN_ACTIONS_MAX => {
            let what = format!(
                "That would be {many} {}s; I take on {PLAN_ACTIONS_MAX} at once at most, so nothing was done.",
                T::NOUN
            );
            Prepared::NotFound { what }
        }
        _ => Prepared::Every { ids: found.iter().map(|(item, _)| item.id().to_owned()).collect() },
    }))
}

/// The same for what `words` were found to mean.
pub(in crate::services) fn prepared<T: Item, C>(
    ctx: &RequestContext,
    choice: Choice<T>,
    command: C,
    param: &str,
    words: &str,
) -> Result<Prepared<C>, ServiceError> {
    Ok(match choice {
        Choice::One((item, revision)) => {
            let (starts, ends) = item.times(ctx);
            Prepared::Ready {
                params: command,
                untrusted: item.untrusted(),
                target: Some(Target {
                    id: item.id().to_owned(),
                    revision: revision.to_string(),
                    label: item.title().to_owned(),
                    before: serde_json::to_value(item.view(ctx))?,
                    starts,
                    ends,
                    account: item.account().map(str::to_owned),
                    ..Target::default()
                }),
                notes: Vec::new(),
            }
        }
        Choice::Several { items, sure, more } => Prepared::Several {
            param: param.to_owned(),
            question: question::<T>(&items, sure, more),
            candidates: items.iter().map(|item| candidate(item, ctx)).collect(),
        },
        Choice::None => Prepared::NotFound { what: format!("I found no {} like “{}”.", T::NOUN, brief(words)) },
    })
}

fn question<T: Item>(items: &[T], sure: bool, more: usize) -> String {
    let mut question = match (sure, items.len()) {
        (true, _) => format!("Which {} do you mean?", T::NOUN),
        (false, 1) => format!("I found no {} of that name. Do you mean this one?", T::NOUN),
        (false, _) => format!("I found no {} of that name. Do you mean one of these?", T::NOUN),
    };
    if more > 0 {
        question.push_str(&format!(" There are {more} more that fit as well: if it is one of those, say more of it."));
    }
    question
}

fn candidate<T: Item>(item: &T, ctx: &RequestContext) -> ItemChoice {
    ItemChoice { id: item.id().to_owned(), label: item.label(ctx), untrusted: item.untrusted() }
}

/// The same answer, with another word for what was looked for.
pub(in crate::services) fn not_found_instead<C>(prepared: Prepared<C>, noun: &str, instead: &str) -> Prepared<C> {
    match prepared {
        Prepared::NotFound { what } => Prepared::NotFound { what: what.replacen(noun, instead, 1) },
        ready @ (Prepared::Ready { .. } | Prepared::Several { .. } | Prepared::Every { .. }) => ready,
    }
}
