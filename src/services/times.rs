//! Times that a description names: "the 3pm meeting", "standup tomorrow".

use chrono::{DateTime, Duration, NaiveTime, Utc};

use super::items::Item;
use crate::ports::Scene;

/// A time in a description, and the words around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hint {
    /// The words without the time.
    pub rest: String,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    /// Set when only a time of day was said: it may be on any day.
    clock: Option<NaiveTime>,
}

/// The first time that is named in these words.
pub(super) fn hint(words: &str, scene: &Scene) -> Option<Hint> {
    let _ = (words, scene);
    None
}

impl Hint {
    /// Which of the items happen then. A time of day alone means the nearest day on which something does.
    pub fn select<'a, T: Item + 'a>(&self, items: impl Iterator<Item = &'a T>, scene: &Scene) -> Vec<bool> {
        let items: Vec<&T> = items.collect();
        let at = |from, to| -> Vec<bool> {
            items.iter().map(|item| item.falls_into(from, to, scene)).collect()
        };
        let then = at(self.from, self.to);
        let Some(clock) = self.clock.filter(|_| !then.contains(&true)) else {
            return then;
        };
        let today = scene.now.with_timezone(&scene.zone).date_naive();
        for days in 0..CLOCK_DAYS {
            let local = (today + Duration::days(days)).and_time(clock);
            let from = super::recurrence::instant(scene.zone, local).with_timezone(&Utc);
            let then = at(from, from + (self.to - self.from));
            if then.contains(&true) {
                return then;
            }
        }
        then
    }
}

/// How far ahead a time of day alone is looked for.
const CLOCK_DAYS: i64 = 14;
