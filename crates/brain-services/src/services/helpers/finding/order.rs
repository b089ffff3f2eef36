//! Ordinals: one of several, picked by its time.

use chrono::{DateTime, Duration, Utc};

use super::{Choice, Finder, ItemQuery, LASTING, Looked, scores};
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items::{Item, RevisedItem};
use crate::services::helpers::search::SURE;
use brain_core::limits::{LOOKED_AT_MAX, TAKING_PLACE_MAX};
use brain_core::ports::{Query, Ranking};

/// How far ahead and back something that takes place is looked for when no time was said.
const HORIZON: Duration = Duration::days(400);

/// Which of several is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordinal {
    First,
    Last,
}

impl Ordinal {
    /// The order that words begin with, and the words behind it.
    pub fn of(words: &str) -> Option<(Ordinal, &str)> {
        const DETERMINERS: [&str; 6] = ["the", "my", "our", "that", "der", "die"];
        const FIRST: [&str; 6] = ["next", "first", "earliest", "upcoming", "nächste", "erste"];
        const LAST: [&str; 7] = ["last", "latest", "newest", "previous", "recent", "letzte", "neueste"];
        let mut rest = words.trim_start();
        loop {
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            let folded = word.to_lowercase();
            let is = |known: &[&str]| known.contains(&folded.as_str());
            match () {
                () if is(&FIRST) => return Some((Ordinal::First, behind)),
                () if is(&LAST) => return Some((Ordinal::Last, behind)),
                () if is(&DETERMINERS) || folded == "most" => rest = behind,
                () => return None,
            }
        }
    }

    /// Where it is looked for.
    fn span<T: Item>(self, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        match (T::AHEAD, self) {
            (true, Ordinal::First) => (now, now + HORIZON),
            (true, Ordinal::Last) => (now - HORIZON, now),
            (false, _) => (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC),
        }
    }
}

impl Finder<'_> {
    /// The first or last of those that are described.
    pub(super) async fn in_order<T: Item>(
        &self,
        (order, words): (Ordinal, &str),
        allowed: impl Fn(&T) -> bool,
    ) -> Result<Choice<T>, ServiceError> {
        let sought = ItemQuery::new(words, self.ctx);
        let mut looked = Looked::none();
        let hint = sought.hint.as_ref().filter(|_| T::TIMED);
        let names_some = !sought.rest.as_ref().unwrap_or(&sought.whole).is_vague();
        match hint {
            Some(hint) => self.look_then(&mut looked, hint).await?,
            None if names_some => {}
            None => self.look_around(&mut looked, order).await?,
        }
        if names_some {
            self.look_for(&mut looked, &sought, None).await?;
        }
        let span = hint.and_then(|hint| hint.days()).unwrap_or_else(|| order.span::<T>(self.ctx.now));
        let held: Vec<_> = looked.held.iter().filter(|(item, _)| allowed(item)).collect();
        let scores =
            if names_some { scores(&held, &looked.statistics, &sought, self.ctx) } else { vec![SURE; held.len()] };
        let named = held.into_iter().zip(scores).filter(|(_, score)| *score >= SURE);
        let timed = named.filter_map(|(held, _)| Some((held.0.occurs(span, self.ctx, order == Ordinal::Last)?, held)));
        let picked = match order {
            Ordinal::First => timed.min_by_key(|(at, _)| *at),
            Ordinal::Last => timed.max_by_key(|(at, _)| *at),
        };
        Ok(picked.map_or(Choice::None, |(_, held)| Choice::One(held.clone())))
    }

    /// All that are described: of what takes place, all that is to come, or all of the time that is named.
    pub(in crate::services) async fn every<T: Item>(
        &self,
        words: &str,
        allowed: impl Fn(&T) -> bool,
    ) -> Result<Vec<RevisedItem<T>>, ServiceError> {
        let sought = ItemQuery::new(words, self.ctx);
        let mut looked = Looked::none();
        let hint = sought.hint.as_ref().filter(|_| T::TIMED);
        let names_some = !sought.rest.as_ref().unwrap_or(&sought.whole).is_vague();
        match hint {
            Some(hint) => self.look_then(&mut looked, hint).await?,
            None if names_some => {}
            None => self.look_around(&mut looked, Ordinal::First).await?,
        }
        if names_some {
            self.look_for(&mut looked, &sought, None).await?;
        }
        let span = hint.and_then(|hint| hint.days()).unwrap_or_else(|| Ordinal::First.span::<T>(self.ctx.now));
        let held: Vec<_> = looked.held.iter().filter(|(item, _)| allowed(item)).collect();
        let scores =
            if names_some { scores(&held, &looked.statistics, &sought, self.ctx) } else { vec![SURE; held.len()] };
        let named = held.into_iter().zip(scores).filter(|(_, score)| *score >= SURE).map(|(held, _)| held);
        let mut then: Vec<_> =
            named.filter_map(|held| Some((held.0.occurs(span, self.ctx, false)?, held.clone()))).collect();
        then.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.0.id().cmp(y.0.id())));
        Ok(then.into_iter().map(|(_, held)| held).collect())
    }

    /// What is nearest in time, whatever it is called.
    async fn look_around<T: Item>(&self, looked: &mut Looked<T>, order: Ordinal) -> Result<(), ServiceError> {
        let (from, until) = order.span::<T>(self.ctx.now);
        let bound = |at: DateTime<Utc>| T::AHEAD.then_some(at);
        let ranking = match (T::AHEAD, order) {
            (true, Ordinal::First) | (false, Ordinal::First) => Ranking::Oldest,
            (_, Ordinal::Last) => Ranking::Newest,
        };
        let first = T::FIRST.map(str::to_owned).into_iter().collect();
        let near = Query {
            from: bound(from).map(|from| from - super::AROUND),
            until: bound(until).map(|until| until + super::AROUND),
            flags: first,
            ranking,
            limit: LOOKED_AT_MAX,
            ..Query::default()
        };
        let (_, held) = self.held_page(near).await?;
        looked.add(held);
        if T::AHEAD {
            let flags = vec![LASTING.to_owned()];
            let lasting = Query { flags, ranking: Ranking::Newest, limit: TAKING_PLACE_MAX, ..Query::default() };
            let (_, held) = self.held_page(lasting).await?;
            looked.add(held);
        }
        Ok(())
    }
}
