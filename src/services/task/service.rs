//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use super::indexes;
use super::record::Task;
use super::view::{QuietHours, TaskChanged};
use crate::ports::records::{Due, User};
use crate::ports::{Change, Expect, Index, Key, Record, RecordExt, Scan, Store};
use crate::services::command::Completed;
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::service::RequestContext;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Its name in plans.
pub const NAME: &str = "task";

/// Tasks in the store.
#[derive(Debug)]
pub struct TaskService {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
}

impl TaskService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index }
    }

    /// Says what becomes of reminders that lie in the person's quiet hours.
    pub(super) async fn changed_with_quiet(
        &self,
        task: &Task,
        ctx: &RequestContext,
        changes: Vec<Change>,
    ) -> Result<Completed<TaskChanged>, ServiceError> {
        let user = self.store.load::<User>(&Key::of(&[ctx.owner.as_str()])).await?;
        let quiet = user.and_then(|(user, _)| user.settings.quiet);
        let is_quiet = |at: &DateTime<Utc>| quiet.is_some_and(|quiet| quiet.ends(*at, ctx.zone).is_some());
        let rings: Vec<_> = task.rings().into_iter().filter(|at| *at > ctx.now && is_quiet(at)).collect();
        let quiet = match rings.iter().any(|at| task.is_named(*at)) {
            true => Some(QuietHours::Rings),
            false => (!rings.is_empty()).then_some(QuietHours::Waits),
        };
        Ok(TaskChanged { task: task.view(ctx), quiet }.ended(task, changes))
    }

    /// Open tasks that repeat.
    pub(super) async fn repeating(&self, ctx: &RequestContext) -> Result<Vec<Task>, ServiceError> {
        let scan = Scan::by(&indexes::FOLLOWING, &[ctx.owner.as_str(), indexes::REPEATING], usize::MAX);
        Ok(self.store.list::<Task>(scan).await?.into_iter().map(|(task, _)| task).collect())
    }

    /// What makes the due-index hold the reminders of `new` in place of those of `old`.
    pub(super) async fn due_changes(
        &self,
        old: Option<&Task>,
        new: Option<&Task>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Change>, ServiceError> {
        let gone = match (old, new) {
            (Some(old), Some(new)) => new.old_dues(old),
            (Some(old), None) => old.rings().into_iter().map(|at| old.due_at(at)).collect(),
            (None, _) => Vec::new(),
        };
        let mut changes = Vec::new();
        for due in gone {
            if let Some((_, revision)) = self.store.load::<Due>(&due.key()).await? {
                changes.push(Change::delete(Due::TABLE, due.key(), Expect::Revision(revision)));
            }
        }
        for due in new.map(|new| new.new_dues(old, now)).unwrap_or_default() {
            changes.push(self.armed(&due).await?);
        }
        Ok(changes)
    }

    /// The entry in the index, whether or not there was one.
    pub(super) async fn armed(&self, due: &Due) -> Result<Change, ServiceError> {
        let there = self.store.load::<Due>(&due.key()).await?;
        let expect = there.map_or(Expect::Absent, |(_, revision)| Expect::Revision(revision));
        Ok(Change::put(due, expect)?)
    }
}

/// The question for a missing parameter.
pub(super) fn question(param: &str) -> &'static str {
    match param {
        "title" => "What should I put down?",
        "changes" => "What should I change about it?",
        "deadline" | "snooze" => "When?",
        "remind_at" => "When should I remind you?",
        _ => "Which task do you mean?",
    }
}
