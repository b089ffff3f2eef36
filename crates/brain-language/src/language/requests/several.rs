//! Several at once: days that share the hour of the last one, and quantified sets.

use super::built::{Built, set};
use super::reading::{ClauseReading, TimeWords};
use crate::language::time::{self, Grain, When};
use crate::language::tokens::lower;
use brain_core::core::plan::PlannedAction;

/// Days one request may list.
const DAYS_MAX: usize = 7;
/// What may stand between two of them.
const JOINTS: [&str; 9] = ["and", ",", ", and", "&", "/", "und", ", und", "n", "+"];

/// All of several things are meant.
const ALL: [&str; 6] = ["all", "every", "each", "alle", "jede", "jeden"];
/// Determiners that may stand between a quantifier and its noun.
const DETERMINERS_BEFORE: usize = 3;

/// Whether all that fit a slot are meant: by a quantifier right before the slot, or as its first word.
pub fn means_all(said: &ClauseReading, slot: &str) -> bool {
    let Some(found) = said.found.slot(slot) else { return false };
    let says_all = |at: usize| ALL.contains(&lower(said.heard.typed(at)).as_str());
    let mut before = (said.found.tokens.start..found.first).rev().take(DETERMINERS_BEFORE);
    let is_reference = said.grammar.lexicon.is_phrase("it", said.ids(slot));
    !is_reference && (says_all(found.first) || before.any(says_all))
}

/// Several times of one thing.
#[derive(Debug)]
pub struct ListedParts {
    /// Each in the person's words.
    texts: Vec<String>,
    masks: Vec<usize>,
}

impl ListedParts {
    /// The list as one time, whose words are its first.
    pub fn first(&self) -> TimeWords {
        TimeWords { text: self.texts[0].clone(), masks: self.masks.clone() }
    }

    /// The same action, once for each.
    pub fn each(self, action: &PlannedAction, param: &str) -> Built {
        let on = |day: String| {
            let mut action = action.clone();
            set(&mut action, param, Some(day));
            action
        };
        Built::Acts(self.texts.into_iter().map(on).collect())
    }
}

/// The days that a clause lists; `None` when it names one, or says more of them than which they are.
pub fn days(said: &ClauseReading) -> Option<ListedParts> {
    let masks = said.moments(&[]);
    if !(2..=DAYS_MAX).contains(&masks.len()) {
        return None;
    }
    let span = |mask: usize| said.heard.masks[mask].span.clone();
    let joined = |pair: &[usize]| {
        let between = said.heard.text.get(span(pair[0]).end..span(pair[1]).start);
        between.is_some_and(|between| JOINTS.contains(&between.trim().to_lowercase().as_str()))
    };
    if !masks.windows(2).all(joined) {
        return None;
    }
    let words: Vec<String> = masks.iter().map(|mask| said.words(&[*mask]).text).collect();
    let resolved = |text: &String| time::resolve(text, said.input.reference)?.ok();
    let all: Vec<When> = words.iter().map(resolved).collect::<Option<_>>()?;
    let is_day = |when: &When| matches!(when, When::Point { grain: Grain::Day, .. });
    let dates: Vec<_> = all.iter().map(|when| when.start().map(|at| at.date_naive())).collect::<Option<_>>()?;
    let are_days = words.iter().all(|text| !time::is_clock_only(text));
    let ascend = dates.windows(2).all(|pair| pair[0] != pair[1]);
    if !are_days || !ascend {
        return None;
    }
    let hour = match all.last()? {
        When::Point { at, grain: Grain::Minute | Grain::Hour } => Some(at.format(" at %H:%M").to_string()),
        When::Range { start, end, grain: Grain::Minute | Grain::Hour } => {
            Some(format!(" from {} to {}", start.format("%H:%M"), end.format("%H:%M")))
        }
        When::Point { grain: Grain::Day, .. } => None,
        When::Point { .. } | When::Range { .. } | When::Duration(_) | When::Recurrence { .. } => return None,
    };
    let text = |(text, when): (&String, &When)| match (&hour, is_day(when)) {
        (Some(hour), true) => format!("{text}{hour}"),
        (_, _) => text.clone(),
    };
    Some(ListedParts { texts: words.iter().zip(&all).map(text).collect(), masks })
}
