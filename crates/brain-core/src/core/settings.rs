//! Settings: how a person is spoken to, and when they are left alone.

use chrono::{DateTime, Days, LocalResult, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::notification::MORNING;

/// A person's choices; the default is what somebody gets who chose nothing. The zone is kept beside it, in
/// the person's record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The language models answer in, as a BCP 47 tag; `None`: the one the person writes in.
    pub language: Option<String>,
    /// How models phrase things.
    pub tone: Tone,
    /// When reminders wait; `None`: they never do.
    pub quiet: Option<Quiet>,
    /// The local time of the morning briefing; `None`: there is none.
    pub briefing: Option<NaiveTime>,
    /// The hour at which a day reminds, where none was said; `None`: the usual one.
    pub hour: Option<NaiveTime>,
}

impl Settings {
    /// When a day reminds of which no hour was said.
    pub fn reminding_hour(&self) -> NaiveTime {
        self.hour.unwrap_or(MORNING)
    }
}

/// How models phrase things. Receipts and cards are the same in every tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Friendly, one to three sentences.
    #[default]
    Warm,
    /// As few words as possible.
    Brief,
    /// Polite and reserved.
    Formal,
}

/// Daily hours in which the person is left alone; they may span midnight. `from` is quiet, `to` is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// The local time they begin at.
    pub from: NaiveTime,
    /// The local time they end at.
    pub to: NaiveTime,
}

impl Quiet {
    /// The end of the quiet hours that `at` lies in; `None` when it lies in none. Local hours: on the night the
    /// clocks change they are an hour shorter or longer, and an end that the clocks skip comes an hour later.
    pub fn ends(self, at: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        let local = at.with_timezone(&zone).naive_local();
        let time = local.time();
        let over_midnight = self.from > self.to;
        let inside =
            if over_midnight { time >= self.from || time < self.to } else { time >= self.from && time < self.to };
        if !inside {
            return None;
        }
        let day = if over_midnight && time >= self.from { local.date() + Days::new(1) } else { local.date() };
        let end = day.and_time(self.to);
        let end = match zone.from_local_datetime(&end) {
            LocalResult::Single(end) | LocalResult::Ambiguous(_, end) => end,
            LocalResult::None => zone.from_utc_datetime(&(end - zone_offset_before(zone, end))),
        };
        Some(end.with_timezone(&Utc)).filter(|end| *end > at)
    }
}

/// The offset that held a day before a local time.
fn zone_offset_before(zone: Tz, local: chrono::NaiveDateTime) -> chrono::TimeDelta {
    use chrono::Offset;
    let before = zone.offset_from_utc_datetime(&(local - Days::new(1)));
    chrono::TimeDelta::seconds(i64::from(before.fix().local_minus_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(from: &str, to: &str) -> Quiet {
        Quiet { from: from.parse().unwrap(), to: to.parse().unwrap() }
    }

    #[test]
    fn quiet_hours_over_midnight_end_in_the_morning_the_days_the_clocks_change_too() {
        let night = quiet("22:00:00", "07:00:00");
        let berlin = chrono_tz::Europe::Berlin;
        for (at, ends) in [
            ("2026-01-12T20:59:00Z", None),
            ("2026-01-12T21:00:00Z", Some("2026-01-13T06:00:00Z")),
            ("2026-01-13T05:59:00Z", Some("2026-01-13T06:00:00Z")),
            ("2026-01-13T06:00:00Z", None),
            ("2026-03-28T22:00:00Z", Some("2026-03-29T05:00:00Z")),
            ("2026-10-24T21:00:00Z", Some("2026-10-25T06:00:00Z")),
        ] {
            let ends = ends.map(|ends: &str| ends.parse::<DateTime<Utc>>().unwrap());
            assert_eq!(night.ends(at.parse().unwrap(), berlin), ends, "{at}");
        }
        // An end that the clocks skip: 02:30 does not exist that night.
        assert_eq!(
            quiet("23:00:00", "02:30:00").ends("2026-03-29T00:30:00Z".parse().unwrap(), berlin),
            Some("2026-03-29T01:30:00Z".parse().unwrap())
        );
        // An end that comes twice: the later one.
        assert_eq!(
            quiet("23:00:00", "02:30:00").ends("2026-10-24T23:30:00Z".parse().unwrap(), berlin),
            Some("2026-10-25T01:30:00Z".parse().unwrap())
        );
    }

    #[test]
    fn quiet_hours_within_a_day_and_empty_ones() {
        let zone = chrono_tz::UTC;
        let nap = quiet("13:00:00", "14:00:00");
        assert_eq!(nap.ends("2026-01-12T13:30:00Z".parse().unwrap(), zone), "2026-01-12T14:00:00Z".parse().ok());
        assert_eq!(nap.ends("2026-01-12T14:00:00Z".parse().unwrap(), zone), None);
        assert_eq!(quiet("13:00:00", "13:00:00").ends("2026-01-12T13:00:00Z".parse().unwrap(), zone), None);
    }
}
