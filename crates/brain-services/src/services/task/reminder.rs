//! What notifications when a task falls due, and what becomes of the task.

use super::record::Task;
use crate::services::contract::context::RequestContext;
use crate::services::helpers::items::Item;
use brain_core::core::notification::{Notification, Urgency};
use brain_core::ports::records::Due;

/// The reminder, if it still matters, and the task as it is afterwards, if that differs.
pub(super) fn remind(task: &Task, due: &Due, ctx: &RequestContext) -> Option<(Notification, Option<Task>)> {
    let meant = due.meant();
    if !task.rings().contains(&meant) {
        return None;
    }
    let deadline = task.reminds_at();
    let notification = Notification {
        service: super::record::NAME.to_owned(),
        item: task.id.clone(),
        title: task.title.clone(),
        details: task.description.clone(),
        at: meant,
        owner: Some(task.owner.clone()),
        zone: ctx.zone,
        // A series that was snoozed notifications for the time before, not for the next one.
        ahead_of: deadline.filter(|at| *at > meant && (task.repeat.is_none() || task.snoozed != Some(meant))),
        missed: 0,
        held_until: None,
        urgency: if task.is_named(meant) { Urgency::Named } else { Urgency::Usual },
        quiet: None,
        is_told_only: false,
        untrusted: task.untrusted(),
    };
    if deadline != Some(meant) || task.repeat.is_none() {
        return Some((notification, None));
    }
    Some(moved_on(task, notification, ctx))
}

/// A series tells its latest time that has come, and how many it missed before that one.
fn moved_on(task: &Task, mut notification: Notification, ctx: &RequestContext) -> (Notification, Option<Task>) {
    let came = task.came(notification.at, ctx.now);
    if let Some(last) = came.last() {
        notification.missed = u32::try_from(came.len()).unwrap_or(u32::MAX).saturating_sub(1);
        notification.at = *last;
    }
    let mut next = task.clone();
    next.reminded_at = Some(ctx.now);
    // What was told long ago need not be kept.
    next.also.retain(|at| ctx.now - *at < chrono::Duration::days(7));
    next.advance(notification.at.max(ctx.now));
    (notification, Some(next))
}
