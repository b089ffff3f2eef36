//! Finding items by words: what the search index offers is loaded, and decided here.
//!
//! The index knows all of a person's items and gives those that may be meant ([`Finder::named`]); only they are loaded,
//! so that a look costs the same however many there are. Which of them is meant is measured over those
//! ([`super::search`]), with what the words are worth among all.
//!
//! Invariant: a record decides, never its document: what has gone since is not found.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{Duration, TimeDelta};

use super::items::{self, Item, RevisedItem};
use super::search::{EXACT, Fit, PERHAPS, SURE, Statistics, WordQuery, WordedItem};
use super::times::{self, Hint};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use brain_core::limits::{CANDIDATES_MAX, LOOKED_AT_MAX, RESULT_ROWS_MAX, TAKING_PLACE_MAX};
use brain_core::ports::{Description, Found, Index, Needs, Query, Ranking, Store};

mod about;
mod exists;
mod order;
#[cfg(test)]
mod tests;

use order::Ordinal;

/// A second-best item this close to the best one is a question, not a detail.
const CLOSE: f32 = 0.85;
/// A document has one time, and zones lie a day apart.
const AROUND: TimeDelta = Duration::days(1);
/// The flag of what may take place at other times than its document's.
pub(in crate::services) const LASTING: &str = "lasting";

/// Where a person's items are kept, and what finds them.
#[derive(Debug, Clone, Copy)]
pub(in crate::services) struct Finder<'a> {
    pub store: &'a Arc<dyn Store>,
    pub index: &'a Arc<dyn Index>,
    pub ctx: &'a RequestContext,
}

/// Items that may be meant, and what the words looked for are worth among all there are.
#[derive(Debug)]
pub(in crate::services) struct Looked<T> {
    /// Each once.
    pub held: Vec<RevisedItem<T>>,
    pub statistics: Statistics,
    /// True when there are more that hold some of the words.
    pub is_part: bool,
}

/// What a description came to.
pub(in crate::services) enum Choice<T> {
    /// Clearly this one.
    One(RevisedItem<T>),
    /// One of these; `sure` when each of them fits well. `more` fit as well, and are not among them.
    Several { items: Vec<T>, sure: bool, more: usize },
    /// Nothing.
    None,
}

/// True for words that mean one of several by its time, as an ordinal.
pub(in crate::services) fn is_by_order(words: &str) -> bool {
    Ordinal::of(words).is_some()
}

/// What is behind a quantifier in words that mean all of several things.
pub(in crate::services) fn all_of(words: &str) -> Option<&str> {
    let words = words.trim();
    let (quantifier, rest) = words.split_once(' ').unwrap_or((words, ""));
    let is = |word: &str| quantifier.eq_ignore_ascii_case(word);
    (is("everything") || is("all") && !rest.is_empty()).then_some(rest)
}

/// The ids of several things, with commas between; `None` where it is anything else.
pub(in crate::services) fn several_of(words: &str, is_id: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let ids: Vec<String> = words.split(',').map(|id| id.trim().to_owned()).collect();
    (ids.len() > 1 && ids.iter().all(|id| is_id(id))).then_some(ids)
}

impl<T: Item> Looked<T> {
    fn none() -> Self {
        Self { held: Vec::new(), statistics: Statistics::default(), is_part: false }
    }

    fn add(&mut self, more: Vec<RevisedItem<T>>) {
        let known: HashSet<String> = self.held.iter().map(|(item, _)| item.id().to_owned()).collect();
        self.held.extend(more.into_iter().filter(|(item, _)| !known.contains(item.id())));
    }
}

impl Finder<'_> {
    /// What is still there of these.
    async fn load<T: Item>(&self, ids: &[String]) -> Result<Vec<RevisedItem<T>>, ServiceError> {
        let mut held = Vec::new();
        for id in ids {
            held.extend(items::by_id::<T>(self.store, &self.ctx.owner, id).await?);
        }
        Ok(held)
    }

    /// A page of what a query allows, and how many there are in all.
    pub async fn page<T: Item>(&self, query: Query) -> Result<(Vec<T>, usize), ServiceError> {
        let (found, held) = self.held_page::<T>(query).await?;
        // What has gone since is none of them.
        let gone = found.hits.len() - held.len();
        Ok((held.into_iter().map(|(item, _)| item).collect(), found.total - gone))
    }

    async fn held_page<T: Item>(&self, query: Query) -> Result<(Found, Vec<RevisedItem<T>>), ServiceError> {
        let found = self.index.search(&self.ctx.owner, &Query { kinds: vec![T::KIND.to_owned()], ..query }).await?;
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.id.clone()).collect();
        let held = self.load(&ids).await?;
        Ok((found, held))
    }

    /// What may be meant by the words of a query, about `limit` of it.
    pub async fn named<T: Item>(&self, query: &WordQuery, limit: usize) -> Result<Looked<T>, ServiceError> {
        let mut looked = Looked::none();
        let description = |words: Vec<String>| Description { words, limit, ..self.description::<T>(&query.folded) };
        self.look(&mut looked, description(query.words().cloned().collect())).await?;
        if !query.strong.is_empty() && !query.vague.is_empty() {
            self.look(&mut looked, description(query.strong.clone())).await?;
        }
        Ok(looked)
    }

    /// Those that fit a query, best first, and how many there are in all. `scores` measures them, given how the query
    /// fits; `fits` says whether a score is good enough beside the best one.
    pub async fn ranked<T: Item>(
        &self,
        query: &WordQuery,
        scores: impl Fn(&Fit<'_>, &[WordedItem], &[T]) -> Vec<f32>,
        fits: impl Fn(f32, f32) -> bool,
    ) -> Result<(Vec<T>, usize), ServiceError> {
        let looked = self.named::<T>(query, RESULT_ROWS_MAX).await?;
        let mut items: Vec<T> = looked.held.into_iter().map(|(item, _)| item).collect();
        items.sort_by(|a, b| b.at().cmp(&a.at()).then_with(|| a.id().cmp(b.id())));
        let worded: Vec<WordedItem> = items.iter().map(T::worded).collect();
        let scores = scores(&Fit::new(query, &looked.statistics), &worded, &items);
        let seen = items.len();
        let mut ranked: Vec<(f32, T)> = scores.into_iter().zip(items).collect();
        // Stable: equally good ones stay in order of time.
        ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let best = ranked.first().map_or(0.0, |(score, _)| *score);
        ranked.retain(|(score, _)| fits(*score, best));
        let mut total = ranked.len();
        if looked.is_part && total == seen {
            total = self.holding_all(T::KIND, query, &looked.statistics, None).await?.max(total);
        }
        Ok((ranked.into_iter().map(|(_, item)| item).collect(), total))
    }

    fn description<T: Item>(&self, exact: &str) -> Description {
        Description {
            kind: T::KIND.to_owned(),
            exact: exact.to_owned(),
            near: Some(self.ctx.now),
            limit: LOOKED_AT_MAX,
            ..Description::default()
        }
    }

    async fn look<T: Item>(&self, looked: &mut Looked<T>, description: Description) -> Result<(), ServiceError> {
        let found = self.index.candidates(&self.ctx.owner, &description).await?;
        looked.statistics.add(&description.words, &found);
        looked.is_part |= found.more > 0;
        let held = self.load(&found.ids).await?;
        looked.add(held);
        Ok(())
    }

    /// The item that is described.
    pub async fn find<T: Item>(&self, words: &str, allowed: impl Fn(&T) -> bool) -> Result<Choice<T>, ServiceError> {
        if let Some(ordered) = Ordinal::of(words) {
            let picked = self.in_order(ordered, &allowed).await?;
            if !matches!(picked, Choice::None) {
                return Ok(picked);
            }
        }
        let sought = ItemQuery::new(words, self.ctx);
        let mut looked = Looked::none();
        self.look_for(&mut looked, &sought, T::FIRST).await?;
        if T::AHEAD {
            self.look_ahead(&mut looked, &sought.whole).await?;
        }
        if let Some(hint) = sought.hint.as_ref().filter(|_| T::TIMED) {
            self.look_then(&mut looked, hint).await?;
        }
        let mut chosen = choose(&looked, &sought, &allowed, self.ctx);
        let is_sure = matches!(chosen, Choice::One(_) | Choice::Several { sure: true, .. });
        if !is_sure && (T::FIRST.is_some() || T::AHEAD) && looked.is_part {
            self.look_for(&mut looked, &sought, None).await?;
            chosen = choose(&looked, &sought, &allowed, self.ctx);
        }
        if let Choice::Several { items, more, .. } = &mut chosen
            && looked.is_part
            && items.len() + *more >= LOOKED_AT_MAX
        {
            let first = T::FIRST.filter(|first| items.iter().all(|item| item.flags().contains(first)));
            let all = self.holding_all(T::KIND, &sought.whole, &looked.statistics, first).await?;
            *more = all.saturating_sub(items.len()).max(*more);
        }
        Ok(chosen)
    }

    async fn look_for<T: Item>(
        &self,
        looked: &mut Looked<T>,
        sought: &ItemQuery,
        first: Option<&str>,
    ) -> Result<(), ServiceError> {
        for words in sought.looks() {
            let first = first.map(str::to_owned);
            self.look(looked, Description { words, first, ..self.description::<T>(&sought.whole.folded) }).await?;
        }
        Ok(())
    }

    /// What lies ahead, however much of the same name lies nearer in the past.
    async fn look_ahead<T: Item>(&self, looked: &mut Looked<T>, query: &WordQuery) -> Result<(), ServiceError> {
        let stems: HashSet<&str> = looked.statistics.stems(query.words()).collect();
        if stems.is_empty() || !looked.is_part {
            return Ok(());
        }
        let ahead = Query {
            text: stems.into_iter().collect::<Vec<_>>().join(" "),
            needs: Needs::Any,
            from: Some(self.ctx.now - AROUND),
            limit: LOOKED_AT_MAX,
            ..Query::default()
        };
        let (_, held) = self.held_page(ahead).await?;
        looked.add(held);
        Ok(())
    }

    /// What may take place at a time that was named.
    async fn look_then<T: Item>(&self, looked: &mut Looked<T>, hint: &Hint) -> Result<(), ServiceError> {
        let (from, until) = hint.reach(self.ctx);
        let then = Query {
            from: Some(from - AROUND),
            until: Some(until + AROUND),
            ranking: Ranking::Oldest,
            limit: TAKING_PLACE_MAX,
            ..Query::default()
        };
        let lasting = Query {
            flags: vec![LASTING.to_owned()],
            ranking: Ranking::Newest,
            limit: TAKING_PLACE_MAX,
            ..Query::default()
        };
        for query in [then, lasting] {
            let (_, held) = self.held_page(query).await?;
            looked.add(held);
        }
        Ok(())
    }

    /// How many hold every word of a description that any holds.
    async fn holding_all(
        &self,
        kind: &str,
        query: &WordQuery,
        statistics: &Statistics,
        flag: Option<&str>,
    ) -> Result<usize, ServiceError> {
        let words = if query.strong.is_empty() { &query.vague } else { &query.strong };
        let stems: Vec<&str> = words.iter().filter_map(|word| statistics.best_stem(word)).collect();
        let query = Query {
            kinds: vec![kind.to_owned()],
            text: stems.join(" "),
            flags: flag.map(str::to_owned).into_iter().collect(),
            ..Query::default()
        };
        Ok(self.index.search(&self.ctx.owner, &query).await?.total)
    }
}

/// A description, and a time in it.
pub(in crate::services) struct ItemQuery {
    whole: WordQuery,
    hint: Option<Hint>,
    /// The words around the time.
    rest: Option<WordQuery>,
}

impl ItemQuery {
    fn new(words: &str, ctx: &RequestContext) -> Self {
        let hint = times::hint(words, ctx);
        Self { whole: WordQuery::new(words), rest: hint.as_ref().map(|hint| WordQuery::new(&hint.rest)), hint }
    }

    /// The words to ask the index for: all of them, and those that say something by themselves, so that nothing is
    /// passed over for holding a time or a vague word.
    fn looks(&self) -> Vec<Vec<String>> {
        let rest = self.rest.iter();
        let mut all: Vec<String> = self.whole.words().cloned().collect();
        for word in rest.clone().flat_map(WordQuery::words) {
            if !all.contains(word) {
                all.push(word.clone());
            }
        }
        let mut looks = vec![all];
        for strong in std::iter::once(&self.whole).chain(rest).map(|query| &query.strong) {
            if !strong.is_empty() && !looks.contains(strong) {
                looks.push(strong.clone());
            }
        }
        looks
    }
}

/// Looks through the nearest items first, and further only when nothing there fits.
fn choose<T: Item>(
    looked: &Looked<T>,
    sought: &ItemQuery,
    allowed: &impl Fn(&T) -> bool,
    ctx: &RequestContext,
) -> Choice<T> {
    let nearness: HashMap<&str, (u8, i64)> =
        looked.held.iter().map(|(item, _)| (item.id(), item.nearness(ctx))).collect();
    let mut sorted: Vec<&RevisedItem<T>> = looked.held.iter().filter(|(item, _)| allowed(item)).collect();
    sorted.sort_by_key(|(item, _)| (nearness[item.id()], item.id()));
    let mut perhaps = Choice::None;
    for tier in sorted.chunk_by(|(a, _), (b, _)| nearness[a.id()].0 == nearness[b.id()].0) {
        match choose_among(tier, &looked.statistics, sought, ctx) {
            Choice::None => {}
            unsure @ Choice::Several { sure: false, .. } => {
                if matches!(perhaps, Choice::None) {
                    perhaps = unsure;
                }
            }
            found @ (Choice::One(_) | Choice::Several { .. }) => return found,
        }
    }
    perhaps
}

fn choose_among<T: Item>(
    items: &[&RevisedItem<T>],
    statistics: &Statistics,
    sought: &ItemQuery,
    ctx: &RequestContext,
) -> Choice<T> {
    let scores = scores(items, statistics, sought, ctx);
    let mut ranked: Vec<(f32, &RevisedItem<T>)> =
        scores.into_iter().zip(items.iter().copied()).filter(|(score, _)| *score >= PERHAPS).collect();
    // Stable: equally good ones stay in order of nearness.
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let Some(best) = ranked.first().map(|(score, _)| *score) else {
        return Choice::None;
    };
    let sure = best >= SURE;
    ranked.retain(|(score, _)| *score >= best * CLOSE && (*score >= EXACT || best < EXACT));
    if let ([(_, only)], true) = (ranked.as_slice(), sure) {
        return Choice::One((*only).clone());
    }
    let items: Vec<T> = ranked.iter().take(CANDIDATES_MAX).map(|(_, (item, _))| item.clone()).collect();
    Choice::Several { more: ranked.len() - items.len(), items, sure }
}

/// How well each item fits. A time in the words narrows them to what happens then, if anything does; it may as well
/// belong to a title, so the whole of the words counts too.
fn scores<T: Item>(
    items: &[&RevisedItem<T>],
    statistics: &Statistics,
    sought: &ItemQuery,
    ctx: &RequestContext,
) -> Vec<f32> {
    let worded: Vec<WordedItem> = items.iter().map(|(item, _)| item.worded()).collect();
    let covered = |query: &WordQuery| -> Vec<f32> {
        let fit = Fit::new(query, statistics);
        worded.iter().map(|item| fit.covered(item)).collect()
    };
    let whole = covered(&sought.whole);
    let (Some(hint), Some(query)) = (&sought.hint, &sought.rest) else {
        return whole;
    };
    let rest = if query.is_vague() { vec![1.0; items.len()] } else { covered(query) };
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
