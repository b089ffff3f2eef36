//! What a person is reminded of, as data: which item, for when, and which quiet hours hold it. Not here: its words,
//! which depend on the moment it is told at and are made at delivery.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::ids::UserId;
use super::provenance::UntrustedText;
use super::settings::Quiet;
use super::turn::Reply;
use crate::limits::LATE_SECS;

/// What a time that belongs to the morning means.
pub const MORNING: NaiveTime = match NaiveTime::from_hms_opt(9, 0, 0) {
    Some(time) => time,
    None => NaiveTime::MIN,
};

/// Whether a reminder may break quiet hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// The person named this very time.
    Named,
    /// It follows from a rule, or from a habit of ours.
    Usual,
}

/// One reminder, without its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// The service that keeps what it is of; empty in what an older version left in an outbox.
    #[serde(default)]
    pub service: String,
    /// What it is of; short enough for a button.
    pub item: String,
    /// What that is called.
    pub title: String,
    /// More about it.
    pub details: Option<String>,
    /// When it was meant.
    pub at: DateTime<Utc>,
    /// Whose; `None` in what an older version left in an outbox.
    #[serde(default)]
    pub owner: Option<UserId>,
    /// The person's zone when it was looked at last: at delivery, not when it fell due.
    pub zone: Tz,
    /// What it comes ahead of.
    pub ahead_of: Option<DateTime<Utc>>,
    /// How many earlier ones of the same item were missed.
    pub missed: u32,
    /// The end of the quiet hours that held it.
    pub held_until: Option<DateTime<Utc>>,
    /// Whether it may break quiet hours.
    pub urgency: Urgency,
    /// The person's quiet hours, likewise.
    pub quiet: Option<Quiet>,
    /// It is not about something that gets done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_told_only: bool,
    /// Words in it that are not the person's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedText>,
}

impl Notification {
    /// The end of the quiet hours it has to wait for. One that is on time and was asked for at this very time
    /// does not wait.
    pub fn waits_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let end = self.quiet?.ends(now, self.zone)?;
        match self.urgency {
            Urgency::Named if !is_late(self.at, now) => None,
            Urgency::Named | Urgency::Usual => Some(end),
        }
    }
}

/// True when something meant for `at` has to say that it is late.
pub fn is_late(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now - at > Duration::seconds(LATE_SECS)
}

/// How late something meant for `at` is, where it has to say so: `late by 12 min`, `late by 3 h`, `late by 2 days`.
pub fn late_by(at: DateTime<Utc>, now: DateTime<Utc>) -> Option<String> {
    let late = now - at;
    let span = match (late.num_minutes(), late.num_hours(), late.num_days()) {
        (minutes, 0, _) => format!("{minutes} min"),
        (_, hours, 0 | 1) => format!("{hours} h"),
        (_, _, days) => format!("{days} days"),
    };
    is_late(at, now).then(|| format!("late by {span}"))
}

/// Until when a reminder has to wait, if all of it does.
pub fn waits_until(reply: &Reply, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let ends: Option<Vec<DateTime<Utc>>> =
        reply.notifications.iter().map(|notification| notification.waits_until(now)).collect();
    ends?.into_iter().max()
}

/// One notification an item, the latest; in order of time.
pub fn coalesced(notifications: Vec<Notification>) -> Vec<Notification> {
    let mut kept: Vec<Notification> = Vec::new();
    for notification in notifications {
        match kept.iter_mut().find(|other| other.item == notification.item) {
            Some(other) => {
                let missed = other.missed + notification.missed + 1;
                if notification.at >= other.at {
                    *other = notification;
                }
                other.missed = missed;
            }
            None => kept.push(notification),
        }
    }
    kept.sort_by(|a, b| (a.at, &a.item).cmp(&(b.at, &b.item)));
    kept
}
