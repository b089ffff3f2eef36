//! What calls of models came to, from the records of days: never from the last traces.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};

use brain_core::core::ids::UserId;
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::{DailyUsage, USAGE_BY_DAY};
use brain_core::ports::{Reader, RecordExt, Scan, StoreError};

/// What one person has spent, by the records.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpentUsd {
    /// On that day.
    pub today: f64,
    /// From the first of its month on.
    pub month: f64,
    /// Calls of that day that were not made for want of money.
    pub refused: u32,
}

/// The records of a person from the first of the month to this day.
pub async fn of_month<R: Reader + ?Sized>(
    reader: &R,
    owner: &UserId,
    day: NaiveDate,
) -> Result<Vec<DailyUsage>, StoreError> {
    let mut all = Vec::new();
    for date in (1..=day.day()).filter_map(|date| day.with_day(date)) {
        let scan = Scan::of::<DailyUsage>(&[owner.as_str(), &date.to_string()], usize::MAX);
        all.extend(reader.list::<DailyUsage>(scan).await?.into_iter().map(|(used, _)| used));
    }
    Ok(all)
}

/// What a person has spent by this day.
pub async fn spent<R: Reader + ?Sized>(reader: &R, owner: &UserId, day: NaiveDate) -> Result<SpentUsd, StoreError> {
    let mut spent = SpentUsd::default();
    for used in of_month(reader, owner, day).await? {
        spent.month += used.sum.usd;
        if used.day == day {
            spent.today += used.sum.usd;
            spent.refused += used.sum.refused;
        }
    }
    Ok(spent)
}

/// What everybody used on a day, by stage and model.
pub async fn of_day<R: Reader + ?Sized>(
    reader: &R,
    day: NaiveDate,
) -> Result<BTreeMap<(&'static str, String), UsageSum>, StoreError> {
    let scan = Scan::by(&USAGE_BY_DAY, &[&day.to_string()], usize::MAX);
    let mut sums: BTreeMap<(&'static str, String), UsageSum> = BTreeMap::new();
    for (used, _) in reader.list::<DailyUsage>(scan).await? {
        *sums.entry((used.stage.name(), used.model)).or_default() += used.sum;
    }
    Ok(sums)
}

/// US dollars, with as many places as it takes to see something.
pub fn dollars(usd: f64) -> String {
    if usd == 0.0 {
        return "$0".to_owned();
    }
    if usd < 0.01 { format!("${usd:.4}") } else { format!("${usd:.2}") }
}
