//! How long ahead an event is told, as values. Not here: when it rings next (`reminders`).

use chrono::{DateTime, Duration, NaiveDateTime, NaiveTime, Timelike as _, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::wall_instant;
use brain_core::limits::{LEAD_DAYS_MAX, REMINDERS_MAX};
use brain_language::language::offset::ReminderOffset;

/// Minutes of a day by the clocks.
pub(super) const DAY_MINUTES: i64 = 24 * 60;

/// How long before an event begins it is told; behind its beginning the numbers are negative. Of whole days both count
/// back from midnight by the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventReminder {
    /// Days of the calendar.
    pub days: i64,
    /// Minutes that pass.
    pub minutes: i64,
}

impl EventReminder {
    /// `None`: longer ahead than anything reminds, or more than a day behind the beginning.
    pub fn new(days: i64, minutes: i64) -> Option<Self> {
        let ahead = days.checked_mul(DAY_MINUTES)?.checked_add(minutes)?;
        let fits = (-DAY_MINUTES..=i64::from(LEAD_DAYS_MAX) * DAY_MINUTES).contains(&ahead);
        fits.then_some(Self { days, minutes })
    }

    /// So long before something that begins like this; whole days before a day mean its hour.
    pub fn before(lead: ReminderOffset, start: Moment, hour: NaiveTime) -> Option<Self> {
        let (days, minutes) = lead.parts();
        let (days, minutes) = (i64::from(days), i64::from(minutes));
        match start {
            Moment::Instant(_) => Self::new(days, minutes),
            Moment::Day(_) => Self::new(0, days * DAY_MINUTES + minutes - hour_minutes(hour)),
        }
    }

    /// As if every day had 24 hours.
    pub fn length(self) -> Duration {
        Duration::minutes(self.days * DAY_MINUTES + self.minutes)
    }

    /// When that is before something that begins then.
    pub fn rings_at(self, start: Moment, zone: Tz) -> Option<DateTime<Utc>> {
        match start {
            Moment::Day(day) => {
                let local: NaiveDateTime = day.and_time(NaiveTime::MIN).checked_sub_signed(self.length())?;
                Some(wall_instant(zone, local).to_utc())
            }
            Moment::Instant(at) => {
                let local = at.naive_local().checked_sub_signed(Duration::days(self.days))?;
                let day = if self.days == 0 { at } else { wall_instant(at.timezone(), local) };
                day.to_utc().checked_sub_signed(Duration::minutes(self.minutes))
            }
        }
    }

    /// `30 min before`, `at 09:00 the day before`, `when it begins`.
    pub fn words(self, start: Moment) -> String {
        let all = self.length().num_minutes();
        let lead = |days: i64, minutes: i64| {
            let of = |n: i64| u32::try_from(n).ok();
            of(days).zip(of(minutes)).and_then(|(days, minutes)| ReminderOffset::of(days, minutes))
        };
        match start {
            Moment::Day(_) => {
                let days_ahead = (all + DAY_MINUTES - 1).div_euclid(DAY_MINUTES);
                let clock = days_ahead * DAY_MINUTES - all;
                let day = match days_ahead {
                    0 => "that day".to_owned(),
                    1 => "the day before".to_owned(),
                    days => format!("{days} days before"),
                };
                format!("at {:02}:{:02} {day}", clock / 60, clock % 60)
            }
            Moment::Instant(_) if all == 0 => "when it begins".to_owned(),
            Moment::Instant(_) => match lead(self.days, self.minutes) {
                Some(lead) => lead.words(),
                None => format!("{} min after it began", -all),
            },
        }
    }
}

/// Minutes from midnight.
pub(super) fn hour_minutes(hour: NaiveTime) -> i64 {
    i64::from(hour.num_seconds_from_midnight()) / 60
}

/// From lengths of time as commands give them.
pub(super) fn reminders_of(
    lengths: &[String],
    start: Moment,
    ctx: &RequestContext,
) -> Result<Vec<EventReminder>, ServiceError> {
    let refused = |why: String| ServiceError::Refused(format!("{why} Nothing was written."));
    let mut reminders = Vec::new();
    for length in lengths.iter().filter(|length| !length.trim().eq_ignore_ascii_case("none")) {
        let lead: ReminderOffset = length.parse().map_err(|bad| refused(format!("{bad}")))?;
        let reminder = EventReminder::before(lead, start, ctx.hour);
        reminders.push(reminder.ok_or_else(|| refused(format!("“{}” is too long ahead.", lead.words())))?);
    }
    reminders.sort();
    reminders.dedup();
    if reminders.len() > REMINDERS_MAX {
        return Err(refused(format!("One event can have {REMINDERS_MAX} reminders at most.")));
    }
    Ok(reminders)
}
