//! What a notification says. Its words depend on the moment at which it is told, so they are made then: how late it
//! is, whether quiet hours held it, how many of a series were missed.
//!
//! Up to [`APART_MAX`] notifications told together are messages of their own; more are one message, a numbered line and
//! two buttons each. What quiet hours held is told so, and is not late. Of one item the latest is told, with a count.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use brain_core::core::button::{Button, Later, Press};
use brain_core::core::notification::{Notification, coalesced, is_late, late_by};
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Reply;
use brain_core::limits::{APART_MAX, NOTIFICATION_LINES_MAX};
use brain_language::language::time::{DateOrder, Grain, Reference, describe};

/// Characters of the details that a notification shows.
const DETAILS_CHARS: usize = 300;
/// Characters of a title in a list of notifications.
const LINE_CHARS: usize = 100;
/// Telegram takes eight buttons a row; more than five are too small for a thumb.
const BUTTONS_IN_ROW: usize = 5;
/// A late hour, told in the morning, is that of the night before.
const HALF_A_DAY_HOURS: i64 = 12;

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
            reply.text = line(one, now, &one.title, None);
            if let Some(details) = &one.details {
                reply.text.push_str(&format!("\n{}", visible(&shorten(details, DETAILS_CHARS))));
            }
            reply.buttons = buttons(one);
        }
        many => {
            reply.text = list(many, now);
            reply.buttons = numbered_buttons(many);
        }
    }
    reply
}

/// The line that tells it now; one of several has a number, and says when it was due.
fn line(one: &Notification, now: DateTime<Utc>, title: &str, number: Option<usize>) -> String {
    let reference = Reference { now, zone: one.zone, order: DateOrder::DayFirst };
    let mut line = number.map(|number| format!("{number}. ")).unwrap_or_default();
    line.push_str(&format!("⏰ {}", visible(title)));
    if let Some(at) = one.ahead_of {
        line.push_str(&format!(" — {}", describe(at.with_timezone(&one.zone), Grain::Minute, &reference)));
    }
    match one.held_until {
        Some(end) => {
            line.push_str(&format!(", meant for {}, held by your quiet hours", clock(one.at, end, one.zone)));
            if is_late(end, now) {
                line.push_str(&format!(" until {}", clock(end, now, one.zone)));
            }
        }
        None => {
            if number.is_some() {
                line.push_str(&format!(", due {}", clock(one.at, now, one.zone)));
            }
            if let Some(late) = late_by(one.at, now) {
                line.push_str(&format!(", {late}"));
            }
        }
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
    let mut rows = vec![
        vec![snooze("💤 10 min", Later::Minutes(10)), snooze("💤 1 h", Later::Minutes(60))],
        vec![snooze("💤 Tomorrow", Later::Tomorrow), snooze("💤 Until…", Later::Ask)],
    ];
    if !one.is_told_only {
        rows.push(vec![Button::new("✅ Done", &Press::Done(one.item.clone()))]);
    }
    rows
}

/// Two buttons for each of the lines, by their numbers.
fn numbered_buttons(notifications: &[Notification]) -> Vec<Vec<Button>> {
    let lines: Vec<(usize, &Notification)> = (1..).zip(notifications).take(NOTIFICATION_LINES_MAX).collect();
    let done =
        |(number, one): &(usize, &Notification)| Button::new(format!("✅ {number}"), &Press::Done(one.item.clone()));
    let snooze = |(number, one): &(usize, &Notification)| {
        Button::new(format!("💤 {number}"), &Press::Snooze { due: one.item.clone(), until: Later::Ask })
    };
    let rows = lines.chunks(BUTTONS_IN_ROW);
    let rows = rows.flat_map(|row| {
        let gets_done = row.iter().filter(|(_, one)| !one.is_told_only);
        [gets_done.map(done).collect(), row.iter().map(snooze).collect()]
    });
    rows.filter(|row: &Vec<Button>| !row.is_empty()).collect()
}

fn list(notifications: &[Notification], now: DateTime<Utc>) -> String {
    let is_held = |notification: &&Notification| notification.held_until.is_some();
    let held = notifications.iter().filter(is_held).count();
    let is_any_late = notifications.iter().any(|one| one.held_until.is_none() && is_late(one.at, now));
    let head = match (held, is_any_late) {
        (0, true) => "While I was away, these fell due:",
        (0, false) => "These are due now:",
        (_, false) => "Your quiet hours are over. These waited:",
        (_, true) => "These waited for you:",
    };
    let mut text = head.to_owned();
    for (number, one) in (1..).zip(notifications).take(NOTIFICATION_LINES_MAX) {
        text.push_str(&format!("\n{}", line(one, now, &shorten(&one.title, LINE_CHARS), Some(number))));
    }
    let more = notifications.len().saturating_sub(NOTIFICATION_LINES_MAX);
    if more > 0 {
        text.push_str(&format!("\n… and {more} more: /tasks"));
    }
    text
}

/// `17:00`, with the day where it is not that of `beside`.
fn clock(at: DateTime<Utc>, beside: DateTime<Utc>, zone: Tz) -> String {
    let (at, beside) = (at.with_timezone(&zone), beside.with_timezone(&zone));
    let is_near = at.date_naive() == beside.date_naive() || (beside - at) < Duration::hours(HALF_A_DAY_HOURS);
    at.format(if is_near { "%H:%M" } else { "%a %-d %b %H:%M" }).to_string()
}
