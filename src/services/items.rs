//! What the services in the store have in common: reading a person's items, finding the one that is meant,
//! holding it to the revision the person was shown.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::search::{EXACT, PERHAPS, SURE, WordIndex, WordQuery};
use super::texts::brief;
use super::times::{self, Hint};
use crate::core::ids::UserId;
use crate::core::plan::{Action, Target};
use crate::core::provenance::UntrustedText;
use crate::limits::{CANDIDATES_MAX, ITEMS_MAX};
use crate::ports::{Key, Record, RecordExt, Scan, Store};
use crate::services::error::ServiceError;
use crate::services::service::{ItemChoice, Prepared, RequestContext};

/// A second-best item this close to the best one is a question, not a detail.
const CLOSE: f32 = 0.85;

/// Something a person owns and may refer to by describing it.
pub(super) trait Item: Record + Clone {
    /// What cards and receipts see of it.
    type View: Serialize + DeserializeOwned;

    /// How the person calls it.
    const NOUN: &'static str;

    /// Its id, unique among the owner's items.
    fn id(&self) -> &str;

    /// What it is called.
    fn title(&self) -> &str;

    /// Further words it may be known by.
    fn body(&self) -> String;

    /// Title, and whatever tells it apart from one of the same title.
    fn label(&self, ctx: &RequestContext) -> String;

    /// The shape that cards and receipts read.
    fn view(&self, ctx: &RequestContext) -> Self::View;

    /// What is looked through first (0), and inside it what is nearest to now (smallest).
    fn nearness(&self, ctx: &RequestContext) -> (u8, i64);

    /// True when it happens or is due in this span.
    fn falls_into(&self, from: DateTime<Utc>, to: DateTime<Utc>, ctx: &RequestContext) -> bool {
        let _ = (from, to, ctx);
        false
    }

    /// When it begins or is due, and when it ends, as stored: what words for a new time are relative to.
    fn times(&self, ctx: &RequestContext) -> (Option<String>, Option<String>) {
        let _ = ctx;
        (None, None)
    }

    /// Words in it that are somebody else's.
    fn untrusted(&self) -> Vec<UntrustedText> {
        Vec::new()
    }
}

/// An item and the revision it was read at.
pub(super) type Held<T> = (T, u64);

/// All items of one person.
pub(super) async fn all<T: Item>(store: &Arc<dyn Store>, owner: &UserId) -> Result<Vec<Held<T>>, ServiceError> {
    Ok(store.list::<T>(Scan::of::<T>(&[owner.as_str()], ITEMS_MAX)).await?)
}

/// Everything of one kind that a person owns, as it is stored.
pub(super) async fn export<T: Record>(store: &Arc<dyn Store>, owner: &UserId) -> Result<Vec<Value>, ServiceError> {
    let all = store.list_all::<T>(&[owner.as_str()]).await?;
    all.iter().map(|item| serde_json::to_value(item).map_err(|cause| ServiceError::Broken(cause.to_string()))).collect()
}

/// The item of this id.
pub(super) async fn by_id<T: Item>(
    store: &Arc<dyn Store>,
    owner: &UserId,
    id: &str,
) -> Result<Option<Held<T>>, ServiceError> {
    let is_id = !id.is_empty() && id.len() <= 32 && id.chars().all(|c| c.is_ascii_alphanumeric());
    if !is_id {
        return Ok(None);
    }
    Ok(store.load::<T>(&Key::of(&[owner.as_str(), id])).await?)
}

/// What a description came to.
pub(super) enum Choice<T> {
    /// Clearly this one.
    One(Held<T>),
    /// One of these; `sure` when each of them fits well.
    Several { items: Vec<T>, sure: bool },
    /// Nothing.
    None,
}

/// The item that `words` mean: an id, or a description. `allowed` narrows what may be meant at all.
pub(super) async fn find<T: Item>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    words: &str,
    allowed: impl Fn(&T) -> bool,
) -> Result<Choice<T>, ServiceError> {
    let words = words.trim();
    if let Some(held) = by_id::<T>(store, &ctx.owner, words).await? {
        return Ok(if allowed(&held.0) { Choice::One(held) } else { Choice::None });
    }
    let mut items = all::<T>(store, &ctx.owner).await?;
    items.retain(|(item, _)| allowed(item));
    Ok(choose(items, words, ctx))
}

/// Looks through the nearest items first, and further only when nothing there fits.
fn choose<T: Item>(items: Vec<Held<T>>, words: &str, ctx: &RequestContext) -> Choice<T> {
    let mut tiers: Vec<Vec<Held<T>>> = Vec::new();
    let mut sorted: Vec<_> = items.into_iter().map(|held| (held.0.nearness(ctx), held)).collect();
    sorted.sort_by_key(|(nearness, _)| *nearness);
    let mut last = None;
    for ((tier, _), held) in sorted {
        if last != Some(tier) {
            tiers.push(Vec::new());
            last = Some(tier);
        }
        if let Some(tier) = tiers.last_mut() {
            tier.push(held);
        }
    }
    let hint = times::hint(words, ctx);
    let mut perhaps = Choice::None;
    for tier in tiers {
        match choose_among(tier, words, hint.as_ref(), ctx) {
            Choice::None => {}
            Choice::Several { items, sure: false } => {
                if matches!(perhaps, Choice::None) {
                    perhaps = Choice::Several { items, sure: false };
                }
            }
            found @ (Choice::One(_) | Choice::Several { .. }) => return found,
        }
    }
    perhaps
}

fn choose_among<T: Item>(items: Vec<Held<T>>, words: &str, hint: Option<&Hint>, ctx: &RequestContext) -> Choice<T> {
    let scores = scores(&items, words, hint, ctx);
    let mut ranked: Vec<(f32, Held<T>)> =
        scores.into_iter().zip(items).filter(|(score, _)| *score >= PERHAPS).collect();
    // Stable: equally good ones stay in order of nearness.
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let Some(best) = ranked.first().map(|(score, _)| *score) else {
        return Choice::None;
    };
    let sure = best >= SURE;
    ranked.retain(|(score, _)| *score >= best * CLOSE && (*score >= EXACT || best < EXACT));
    if sure && ranked.len() == 1 {
        return ranked.pop().map_or(Choice::None, |(_, held)| Choice::One(held));
    }
    let items = ranked.into_iter().take(CANDIDATES_MAX).map(|(_, (item, _))| item).collect();
    Choice::Several { items, sure }
}

/// How well each item fits. A time in the words ("the 3pm meeting") narrows them to what happens then, if
/// anything does; it may as well belong to a title ("Sunday paper"), so the whole of the words counts too.
fn scores<T: Item>(items: &[Held<T>], words: &str, hint: Option<&Hint>, ctx: &RequestContext) -> Vec<f32> {
    let bodies: Vec<String> = items.iter().map(|(item, _)| item.body()).collect();
    let index = WordIndex::new(items.iter().zip(&bodies).map(|((item, _), body)| (item.title(), body.as_str())));
    let whole = index.covered(&WordQuery::new(words));
    let Some(hint) = hint else {
        return whole;
    };
    let query = WordQuery::new(&hint.rest);
    let rest = if query.is_vague() { vec![1.0; items.len()] } else { index.covered(&query) };
    let then: Vec<bool> = hint.select(items.iter().map(|(item, _)| item), ctx);
    let any = then.iter().zip(&rest).any(|(then, rest)| *then && *rest >= PERHAPS);
    let timed = |index: usize| match (any, then[index]) {
        (true, true) => rest[index].min(1.0),
        (true, false) => 0.0,
        // Nothing happens then: the words alone decide, and less surely.
        (false, _) if query.is_vague() => 0.0,
        (false, _) => rest[index].min(1.0) * 0.95,
    };
    whole.iter().enumerate().map(|(index, whole)| whole.max(timed(index))).collect()
}

/// The answer of `prepare` for a command about one item, which `words` (its parameter `param`) describe.
pub(super) async fn prepare<T: Item, C>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    command: C,
    param: &str,
    words: &str,
    allowed: impl Fn(&T) -> bool,
) -> Result<Prepared<C>, ServiceError> {
    Ok(match find(store, ctx, words, allowed).await? {
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
                    ..Target::default()
                }),
                notes: Vec::new(),
            }
        }
        Choice::Several { items, sure } => Prepared::Several {
            param: param.to_owned(),
            question: question::<T>(&items, sure),
            candidates: items.iter().map(|item| candidate(item, ctx)).collect(),
        },
        Choice::None => Prepared::NotFound { what: format!("I found no {} like “{}”.", T::NOUN, brief(words)) },
    })
}

/// What the target is called, or the words it was looked for by.
pub(super) fn label(action: &Action, find_by: &str) -> String {
    action.target.as_ref().map_or_else(|| find_by.to_owned(), |target| target.label.clone())
}

fn question<T: Item>(items: &[T], sure: bool) -> String {
    match (sure, items.len()) {
        (true, _) => format!("Which {} do you mean?", T::NOUN),
        (false, 1) => format!("I found no {} of that name. Do you mean this one?", T::NOUN),
        (false, _) => format!("I found no {} of that name. Do you mean one of these?", T::NOUN),
    }
}

fn candidate<T: Item>(item: &T, ctx: &RequestContext) -> ItemChoice {
    ItemChoice { id: item.id().to_owned(), label: item.label(ctx), untrusted: item.untrusted() }
}

/// The item an action is about, still as the person was shown it.
pub(super) async fn held<T: Item>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    action: &Action,
) -> Result<Held<T>, ServiceError> {
    let (item, revision) = current::<T>(store, ctx, action).await?;
    let shown = action.target.as_ref().map(|target| target.revision.as_str());
    if shown == Some(revision.to_string().as_str()) {
        return Ok((item, revision));
    }
    Err(ServiceError::Conflict { label: brief(item.title()) })
}

/// The item an action is about, as it is now.
pub(super) async fn current<T: Item>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    action: &Action,
) -> Result<Held<T>, ServiceError> {
    let target = action.target.as_ref().ok_or(ServiceError::Several { noun: T::NOUN })?;
    let held = by_id(store, &ctx.owner, &target.id).await?;
    held.ok_or_else(|| ServiceError::NotFound { noun: T::NOUN, label: brief(&target.label) })
}

/// Words in these items that are somebody else's, each once.
pub(super) fn untrusted<'a, T: Item + 'a>(items: impl IntoIterator<Item = &'a T>) -> Vec<UntrustedText> {
    let mut untrusted: Vec<UntrustedText> = Vec::new();
    for one in items.into_iter().flat_map(T::untrusted) {
        if !untrusted.contains(&one) {
            untrusted.push(one);
        }
    }
    untrusted
}

/// The same answer, with another word for what was looked for.
pub(super) fn not_found_instead<C>(prepared: Prepared<C>, noun: &str, instead: &str) -> Prepared<C> {
    match prepared {
        Prepared::NotFound { what } => Prepared::NotFound { what: what.replacen(noun, instead, 1) },
        ready @ (Prepared::Ready { .. } | Prepared::Several { .. }) => ready,
    }
}
