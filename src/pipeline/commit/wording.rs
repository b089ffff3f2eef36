//! What a notification says. Its words depend on the moment at which it is told, so they are made then: how late it
//! is, whether quiet hours held it, how many of a series were missed.
//!
//! Up to [`APART_MAX`] notifications that are told together are messages of their own, with buttons; more are one
//! message, a line each. Several of one item are one line: the latest, and how many came before it.

use chrono::{DateTime, Duration, Utc};

use crate::core::button::{Button, Later, Press};
use crate::core::notification::{Notification, coalesced, is_late};
use crate::core::text::{shorten, visible};
use crate::core::turn::Reply;
use crate::language::time::{DateOrder, Grain, Reference, describe};
use crate::limits::{APART_MAX, NOTIFICATION_LINES_MAX};

/// Characters of the details that a notification shows.
const DETAILS_CHARS: usize = 300;
/// Characters of a title in a list of notifications.
const LINE_CHARS: usize = 100;

/// Notifications that are told together, as messages. `key` names the first of them.
pub fn notification_messages(notifications: Vec<Notification>, key: &str, now: DateTime<Utc>) -> Vec<Reply> {
    let notifications = coalesced(notifications);
    let message = |notifications: Vec<Notification>| {
        let reply = Reply { reminder: Some(key.to_owned()), notifications, ..Reply::default() };
        worded(reply, now)
    };
    if notifications.len() > APART_MAX {
        return vec![message(notifications)];
    }
    notifications.into_iter().map(|notification| message(vec![notification])).collect()
}

/// A notification in the words of this moment; any other reply as it is.
pub fn worded(mut reply: Reply, now: DateTime<Utc>) -> Reply {
    match reply.notifications.as_slice() {
        [] => {}
        [one] => {
            reply.text = line(one, now, &one.title);
            if let Some(details) = &one.details {
                reply.text.push_str(&format!("\n{}", visible(&shorten(details, DETAILS_CHARS))));
            }
            reply.buttons = buttons(one);
        }
        many => {
            reply.text = list(many, now);
            reply.buttons = Vec::new();
        }
    }
    reply
}

/// The line that tells it now.
fn line(one: &Notification, now: DateTime<Utc>, title: &str) -> String {
    let reference = Reference { now, zone: one.zone, order: DateOrder::DayFirst };
    let mut line = format!("⏰ {}", visible(title));
    if let Some(at) = one.ahead_of {
        line.push_str(&format!(" — {}", describe(at.with_timezone(&one.zone), Grain::Minute, &reference)));
    }
    match one.held_until.filter(|end| !is_late(*end, now)) {
        Some(_) => {
            let meant = one.at.with_timezone(&one.zone).format("%H:%M");
            line.push_str(&format!(", meant for {meant}, held by your quiet hours"));
        }
        None if is_late(one.at, now) => line.push_str(&format!(", late by {}", span(now - one.at))),
        None => {}
    }
    match one.missed {
        0 => {}
        1 => line.push_str("; 1 earlier one was missed"),
        n => line.push_str(&format!("; {n} earlier ones were missed")),
    }
    line
}

fn buttons(one: &Notification) -> Vec<Vec<Button>> {
    let snooze = |label: &str, until| Button::new(label, &Press::Snooze { due: one.item.clone(), until });
    vec![
        vec![snooze("💤 10 min", Later::Minutes(10)), snooze("💤 1 h", Later::Minutes(60))],
        vec![snooze("💤 Tomorrow", Later::Tomorrow), snooze("💤 Until…", Later::Ask)],
        vec![Button::new("✅ Done", &Press::Done(one.item.clone()))],
    ]
}

fn list(notifications: &[Notification], now: DateTime<Utc>) -> String {
    let held = |notification: &Notification| notification.held_until.is_some_and(|end| !is_late(end, now));
    let head = if notifications.iter().any(|notification| !held(notification) && is_late(notification.at, now)) {
        "While I was away, these fell due:"
    } else if notifications.iter().any(held) {
        "Your quiet hours are over. These waited:"
    } else {
        "These are due now:"
    };
    let mut text = head.to_owned();
    for notification in notifications.iter().take(NOTIFICATION_LINES_MAX) {
        text.push_str(&format!("\n{}", line(notification, now, &shorten(&notification.title, LINE_CHARS))));
    }
    let more = notifications.len().saturating_sub(NOTIFICATION_LINES_MAX);
    if more > 0 {
        text.push_str(&format!("\n… and {more} more: /tasks"));
    }
    text
}

/// `12 min`, `3 h`, `2 days`.
fn span(late: Duration) -> String {
    match (late.num_minutes(), late.num_hours(), late.num_days()) {
        (minutes, 0, _) => format!("{minutes} min"),
        (_, hours, 0 | 1) => format!("{hours} h"),
        (_, _, days) => format!("{days} days"),
    }
}
