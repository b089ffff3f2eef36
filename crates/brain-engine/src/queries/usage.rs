//! What calls of models came to, from the records of days: never from the last traces.

use chrono::{Datelike, NaiveDate};

use brain_core::core::ids::UserId;
use brain_core::ports::records::DailyUsage;
use brain_core::ports::{Key, Reader, RecordExt, Scan, StoreError};

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
    let first = day.with_day(1).unwrap_or(day).to_string();
    let mine = Scan::of::<DailyUsage>(&[owner.as_str()], usize::MAX);
    let scan = Scan { after: Some(Key::of(&[owner.as_str(), &first])), ..mine };
    let month = reader.list::<DailyUsage>(scan).await?.into_iter().map(|(used, _)| used);
    Ok(month.filter(|used| used.day <= day).collect())
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

/// The records of everybody from a day on, at most so many of each person; older days are not read.
pub async fn of_everybody<R: Reader + ?Sized>(
    reader: &R,
    from: NaiveDate,
    limit: usize,
) -> Result<Vec<DailyUsage>, StoreError> {
    // Behind every day of a person.
    const LAST: &str = "~";
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let first = reader.list::<DailyUsage>(Scan { after, ..Scan::of::<DailyUsage>(&[], 1) }).await?;
        let Some((DailyUsage { owner, .. }, _)) = first.into_iter().next() else { return Ok(all) };
        let since = Some(Key::of(&[owner.as_str(), &from.to_string()]));
        let theirs = Scan { after: since, ..Scan::of::<DailyUsage>(&[owner.as_str()], limit) };
        all.extend(reader.list::<DailyUsage>(theirs).await?.into_iter().map(|(used, _)| used));
        after = Some(Key::of(&[owner.as_str(), LAST]));
    }
}

/// US dollars, with as many places as it takes to see something.
pub fn dollars(usd: f64) -> String {
    if usd == 0.0 {
        return "$0".to_owned();
    }
    if usd < 0.01 { format!("${usd:.4}") } else { format!("${usd:.2}") }
}
