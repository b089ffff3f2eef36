//! What a turn's calls of models came to: kept with its commit, and told once where a budget comes to its end.

use chrono::NaiveDate;

use crate::metering::{Budgets, NEARLY};
use crate::queries::usage::{self, SpentUsd};
use brain_core::core::ids::UserId;
use brain_core::ports::metering::MeteredUsage;
use brain_core::ports::records::DailyUsage;
use brain_core::ports::{Batch, Expect, Meter, RecordExt, Store, StoreError, Table, optimistic};

/// Adds what a meter reads to the records of its day; what its person has to be told of that.
pub(in crate::pipeline) async fn keep(
    store: &dyn Store,
    budgets: &Budgets,
    meter: &Meter,
    batch: &mut Batch,
) -> Result<Option<String>, StoreError> {
    let (Some((owner, day)), used) = (meter.owner(), meter.reading()) else { return Ok(None) };
    if used.is_empty() {
        return Ok(None);
    }
    for ((stage, model), sum) in &used {
        let key = DailyUsage::key_of(owner, day, *stage, model);
        let fresh =
            || DailyUsage { owner: owner.clone(), day, stage: *stage, model: model.clone(), sum: Default::default() };
        let (mut record, expect) = match store.load::<DailyUsage>(&key).await {
            Ok(Some((record, revision))) => (record, Expect::Revision(revision)),
            Ok(None) => (fresh(), Expect::Absent),
            // A count that cannot be read stops no turn.
            Err(error) if error.is_of_one_record() => (fresh(), Expect::Any),
            Err(error) => return Err(error),
        };
        record.sum += *sum;
        batch.put(&record, expect)?;
    }
    told(store, budgets, owner, day, &used).await
}

/// The same in a commit of its own: of calls that no turn's answer commits.
pub async fn keep_alone(store: &dyn Store, budgets: &Budgets, meter: &Meter) -> Result<(), StoreError> {
    optimistic(&[Table::Usage], || async move {
        let mut batch = Batch::default();
        keep(store, budgets, meter, &mut batch).await?;
        if batch.changes.is_empty() { Ok(()) } else { store.commit(batch).await.map(|_| ()) }
    })
    .await
}

/// Which border of a budget these calls have crossed, in words.
async fn told(
    store: &dyn Store,
    budgets: &Budgets,
    owner: &UserId,
    day: NaiveDate,
    used: &MeteredUsage,
) -> Result<Option<String>, StoreError> {
    let Budgets { daily, monthly, .. } = *budgets;
    if budgets.is_unlimited() {
        return Ok(None);
    }
    let before = usage::spent(store, owner, day).await?;
    let now: f64 = used.values().map(|sum| sum.usd).sum();
    if before.refused == 0 && used.values().any(|sum| sum.refused > 0) {
        return Ok(Some(USED_UP.to_owned()));
    }
    let crosses = |budget: Option<f64>, before: f64| {
        budget.filter(|budget| before < budget * NEARLY && before + now >= budget * NEARLY)
    };
    let SpentUsd { today, month, .. } = before;
    let nearly = |when: &str, budget, used| {
        let (used, budget) = (usage::dollars(used), usage::dollars(budget));
        format!("ℹ️ More than 80 % of {when} budget for the language model is used: {used} of {budget}.")
    };
    let today = crosses(daily, today).map(|budget| nearly("today's", budget, today + now));
    Ok(today.or_else(|| crosses(monthly, month).map(|budget| nearly("this month's", budget, month + now))))
}

const USED_UP: &str = "ℹ️ What the language model may cost is used up for now. Until there is more, I go on with what costs nothing: my built-in understanding. /status says how much there was, and until when.";
