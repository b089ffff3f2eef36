//! What a reminder says. Its words depend on the moment at which it is told, so they are made then: how late
//! it is, whether quiet hours held it, how many of a series were missed.
//!
//! Up to [`APART_MAX`] reminders that are told together are messages of their own, with buttons; more are one
//! message, a line each. Several of one item are one line: the latest, and how many came before it.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::button::{Button, Later, Press};
use super::ids::UserId;
use super::provenance::UntrustedText;
use super::settings::Quiet;
use super::text::{shorten, visible};
use super::turn::Reply;
use crate::language::time::{DateOrder, Grain, Reference, describe};
use crate::limits::{APART_MAX, LATE_SECS, RING_LINES_MAX};

/// Characters of the details that a reminder shows.
const DETAILS_CHARS: usize = 300;
/// Characters of a title in a list of reminders.
const LINE_CHARS: usize = 100;

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

/// One reminder, without words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
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
    /// The person's zone when they were last looked at: at delivery, not when it rang.
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
    /// Words in it that are not the person's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedText>,
}

impl Ring {
    /// The end of the quiet hours it has to wait for. One that is on time and was asked for at this very time
    /// does not wait.
    pub fn waits_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let end = self.quiet?.ends(now, self.zone)?;
        match self.urgency {
            Urgency::Named if !is_late(self.at, now) => None,
            Urgency::Named | Urgency::Usual => Some(end),
        }
    }

    /// The line that tells it now.
    fn line(&self, now: DateTime<Utc>, title: &str) -> String {
        let reference = Reference { now, zone: self.zone, order: DateOrder::DayFirst };
        let mut line = format!("⏰ {}", visible(title));
        if let Some(at) = self.ahead_of {
            line.push_str(&format!(" — {}", describe(at.with_timezone(&self.zone), Grain::Minute, &reference)));
        }
        match self.held_until.filter(|end| !is_late(*end, now)) {
            Some(_) => {
                let meant = self.at.with_timezone(&self.zone).format("%H:%M");
                line.push_str(&format!(", meant for {meant}, held by your quiet hours"));
            }
            None if is_late(self.at, now) => line.push_str(&format!(", late by {}", span(now - self.at))),
            None => {}
        }
        match self.missed {
            0 => {}
            1 => line.push_str("; 1 earlier one was missed"),
            n => line.push_str(&format!("; {n} earlier ones were missed")),
        }
        line
    }

    fn buttons(&self) -> Vec<Vec<Button>> {
        let snooze = |label: &str, until| Button::new(label, &Press::Snooze { due: self.item.clone(), until });
        vec![
            vec![snooze("💤 10 min", Later::Minutes(10)), snooze("💤 1 h", Later::Minutes(60))],
            vec![snooze("💤 Tomorrow", Later::Tomorrow), snooze("💤 Until…", Later::Ask)],
            vec![Button::new("✅ Done", &Press::Done(self.item.clone()))],
        ]
    }
}

/// True when something meant for `at` has to say that it is late.
pub fn is_late(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now - at > Duration::seconds(LATE_SECS)
}

/// Reminders that are told together, as messages. `key` names the first of them.
pub fn messages(rings: Vec<Ring>, key: &str, now: DateTime<Utc>) -> Vec<Reply> {
    let rings = gathered(rings);
    let message = |rings: Vec<Ring>| {
        let reply = Reply { reminder: Some(key.to_owned()), rings, ..Reply::default() };
        said(reply, now)
    };
    if rings.len() > APART_MAX {
        return vec![message(rings)];
    }
    rings.into_iter().map(|ring| message(vec![ring])).collect()
}

/// A reminder in the words of this moment; any other reply as it is.
pub fn said(mut reply: Reply, now: DateTime<Utc>) -> Reply {
    match reply.rings.as_slice() {
        [] => {}
        [one] => {
            reply.text = one.line(now, &one.title);
            if let Some(details) = &one.details {
                reply.text.push_str(&format!("\n{}", visible(&shorten(details, DETAILS_CHARS))));
            }
            reply.buttons = one.buttons();
        }
        many => {
            reply.text = list(many, now);
            reply.buttons = Vec::new();
        }
    }
    reply
}

/// Until when a reminder has to wait, if all of it does.
pub fn waits_until(reply: &Reply, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let ends: Option<Vec<DateTime<Utc>>> = reply.rings.iter().map(|ring| ring.waits_until(now)).collect();
    ends?.into_iter().max()
}

fn list(rings: &[Ring], now: DateTime<Utc>) -> String {
    let held = |ring: &Ring| ring.held_until.is_some_and(|end| !is_late(end, now));
    let head = if rings.iter().any(|ring| !held(ring) && is_late(ring.at, now)) {
        "While I was away, these fell due:"
    } else if rings.iter().any(held) {
        "Your quiet hours are over. These waited:"
    } else {
        "These are due now:"
    };
    let mut text = head.to_owned();
    for ring in rings.iter().take(RING_LINES_MAX) {
        text.push_str(&format!("\n{}", ring.line(now, &shorten(&ring.title, LINE_CHARS))));
    }
    let more = rings.len().saturating_sub(RING_LINES_MAX);
    if more > 0 {
        text.push_str(&format!("\n… and {more} more: /tasks"));
    }
    text
}

/// One ring an item, the latest; in order of time.
pub fn gathered(rings: Vec<Ring>) -> Vec<Ring> {
    let mut kept: Vec<Ring> = Vec::new();
    for ring in rings {
        match kept.iter_mut().find(|other| other.item == ring.item) {
            Some(other) => {
                let missed = other.missed + ring.missed + 1;
                if ring.at >= other.at {
                    *other = ring;
                }
                other.missed = missed;
            }
            None => kept.push(ring),
        }
    }
    kept.sort_by(|a, b| (a.at, &a.item).cmp(&(b.at, &b.item)));
    kept
}

/// `12 min`, `3 h`, `2 days`.
fn span(late: Duration) -> String {
    match (late.num_minutes(), late.num_hours(), late.num_days()) {
        (minutes, 0, _) => format!("{minutes} min"),
        (_, hours, 0 | 1) => format!("{hours} h"),
        (_, _, days) => format!("{days} days"),
    }
}
