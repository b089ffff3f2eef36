//! Shadow report: what a second set of models or prompts makes of the same messages, beside what counted.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::View;
use brain_core::core::ids::UserId;
use brain_core::limits::{CONTENTS_STEP, SHADOW_REPORT_TURNS_MAX};
use brain_core::ports::records::{GateVerdict, GatedAction, PlannedTurn, ShadowTurn, TurnContents};
use brain_core::ports::{Record, RecordExt, Scan, StoreError, Usage};

/// What is compared of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedPart {
    /// Kind and services.
    Route,
    /// Which commands, how often.
    Commands,
    /// Their values, where the commands are the same.
    Parameters,
    /// What the gate said of them, where the commands are the same.
    Stakes,
    /// Whether the person was asked something.
    Asked,
}

/// Of how many turns a part is the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Turns in which it is.
    pub same: usize,
    /// Turns in which it can be compared.
    pub of: usize,
}

/// What turns took and cost, on one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ShadowCost {
    /// Half of the turns were over within so many milliseconds.
    pub median_ms: u64,
    /// 95 of 100 were.
    pub p95_ms: u64,
    /// Of all of them.
    pub usage: Usage,
    /// US dollars, of the calls whose price is known.
    pub usd: f64,
    /// Calls whose price is not.
    pub unpriced: u32,
}

/// A turn that was taken twice, and came to something else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferingTurn {
    /// Whose turn.
    pub owner: UserId,
    /// When the one that counted began.
    pub at: DateTime<Utc>,
    /// Its id.
    pub id: String,
    /// What the person wrote.
    pub message: String,
    /// What the turn that counted planned.
    pub counted: PlannedTurn,
    /// What the shadow planned.
    pub shadow: PlannedTurn,
    /// In what they differ.
    pub parts: Vec<ComparedPart>,
    /// Values that differ: the command and the parameter, what counted, what the shadow had.
    pub values: Vec<(String, Value, Value)>,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ShadowReport {
    /// Turns that were taken twice.
    pub turns: usize,
    /// Of these, long after the turn that counted.
    pub replayed: usize,
    /// Why shadows came to nothing, and how often.
    pub failed: BTreeMap<String, usize>,
    /// Turns that are the same in all that can be compared.
    pub same: usize,
    /// By part.
    pub parts: BTreeMap<ComparedPart, Agreement>,
    /// What counted. Its time is that of all of it, with what was done.
    pub counted: ShadowCost,
    /// The shadow, which ends where anything would be done.
    pub shadow: ShadowCost,
    /// Newest first.
    pub differing: Vec<DifferingTurn>,
}

/// Turns of everybody whose contents are kept and that this is true of, newest first, without what their nodes got and
/// gave.
pub async fn kept_turns(
    view: &View<'_>,
    limit: usize,
    counts: impl Fn(&TurnContents) -> bool,
) -> Result<Vec<TurnContents>, StoreError> {
    let limit = limit.min(SHADOW_REPORT_TURNS_MAX);
    let mut found: Vec<TurnContents> = Vec::new();
    let mut scan = Scan::of::<TurnContents>(&[], CONTENTS_STEP);
    // They are kept by person, so that all of them are looked through for the newest.
    loop {
        let page = view.moment.list::<TurnContents>(scan.clone()).await?;
        let is_last = page.len() < scan.limit;
        scan.after = page.last().map(|(contents, _)| contents.key());
        let counted = page.into_iter().map(|(contents, _)| contents).filter(&counts);
        found.extend(counted.map(|contents| TurnContents { nodes: Vec::new(), ..contents }));
        found.sort_by_key(|contents| Reverse(contents.at));
        found.truncate(limit);
        if is_last {
            return Ok(found);
        }
    }
}

/// The report over these turns.
pub fn report(kept: Vec<TurnContents>) -> ShadowReport {
    let mut report = ShadowReport::default();
    let (mut counted, mut shadowed) = (Vec::new(), Vec::new());
    for contents in kept {
        let Some(shadow) = contents.shadow.as_deref() else { continue };
        report.turns += 1;
        report.replayed += usize::from(shadow.is_replay);
        if let Some(why) = &shadow.failed {
            *report.failed.entry(why.clone()).or_default() += 1;
            continue;
        }
        add(&mut report.counted, &mut counted, &contents.planned);
        add(&mut report.shadow, &mut shadowed, &shadow.planned);
        let compared = compared(&contents.planned, shadow);
        for (part, is_same) in &compared {
            let agreement = report.parts.entry(*part).or_default();
            agreement.of += 1;
            agreement.same += usize::from(*is_same);
        }
        let parts: Vec<ComparedPart> =
            compared.into_iter().filter(|(_, is_same)| !is_same).map(|(part, _)| part).collect();
        if parts.is_empty() {
            report.same += 1;
            continue;
        }
        let values = values(&contents.planned.decisive(), &shadow.planned.decisive());
        let (counted, shadow) = (contents.planned, shadow.planned.clone());
        let TurnContents { owner, at, id, message, .. } = contents;
        report.differing.push(DifferingTurn { owner, at, id, message, counted, shadow, parts, values });
    }
    for (cost, mut ms) in [(&mut report.counted, counted), (&mut report.shadow, shadowed)] {
        ms.sort_unstable();
        let at = |share: usize| ms.get((ms.len() * share).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default();
        (cost.median_ms, cost.p95_ms) = (at(50), at(95));
    }
    report
}

fn add(cost: &mut ShadowCost, ms: &mut Vec<u64>, planned: &PlannedTurn) {
    ms.push(planned.ms);
    cost.usage += planned.usage;
    cost.usd += planned.usd;
    cost.unpriced += planned.unpriced;
}

/// Which parts can be compared, and whether each is the same.
fn compared(counted: &PlannedTurn, shadow: &ShadowTurn) -> Vec<(ComparedPart, bool)> {
    let shadow = &shadow.planned;
    let mut parts = Vec::new();
    if !counted.route.is_empty() && !shadow.route.is_empty() {
        parts.push((ComparedPart::Route, counted.route == shadow.route));
    }
    // A question over everything is looked into by the one that counts alone.
    if [counted, shadow].iter().any(|planned| planned.route.starts_with("investigate")) {
        return parts;
    }
    let (here, there) = (sorted(counted.decisive()), sorted(shadow.decisive()));
    let names = |actions: &[&GatedAction]| actions.iter().map(|action| action.name.clone()).collect::<Vec<_>>();
    let is_same = names(&here) == names(&there);
    parts.push((ComparedPart::Commands, is_same));
    if is_same && !here.is_empty() {
        parts.push((ComparedPart::Parameters, values(&here, &there).is_empty()));
        let verdicts =
            |actions: &[&GatedAction]| -> Vec<GateVerdict> { actions.iter().map(|one| one.verdict).collect() };
        parts.push((ComparedPart::Stakes, verdicts(&here) == verdicts(&there)));
    }
    parts.push((ComparedPart::Asked, counted.asks.is_some() == shadow.asks.is_some() || !there.is_empty()));
    parts
}

/// By name, and those of one name by their values.
fn sorted(mut actions: Vec<&GatedAction>) -> Vec<&GatedAction> {
    let values = |action: &GatedAction| serde_json::to_string(&action.params).unwrap_or_default();
    actions.sort_by_cached_key(|action| (action.name.clone(), values(action)));
    actions
}

/// The values that differ of commands that both have.
fn values(here: &[&GatedAction], there: &[&GatedAction]) -> Vec<(String, Value, Value)> {
    let (here, there) = (sorted(here.to_vec()), sorted(there.to_vec()));
    let mut found = Vec::new();
    for (one, other) in here.iter().zip(&there).filter(|(one, other)| one.name == other.name) {
        let names = one.params.keys().chain(other.params.keys().filter(|name| !one.params.contains_key(*name)));
        for name in names {
            let value = |action: &GatedAction| action.params.get(name).cloned().unwrap_or_default();
            if value(one) != value(other) {
                found.push((format!("{}: {name}", one.name), value(one), value(other)));
            }
        }
    }
    found
}
