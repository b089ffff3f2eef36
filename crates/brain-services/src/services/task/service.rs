//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use super::indexes;
use super::record::{NAME, Task};
use super::view::QuietHours;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items;
use crate::services::remote::backend::{Backends, RecordEdit};
use crate::services::remote::dav::{DavReplica, DavSyncWorker};
use crate::services::remote::replica::Replica;
use async_trait::async_trait;
use brain_core::ports::records::User;
use brain_core::ports::{Change, Index, Key, RecordExt, Scan, Secondary, Store};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Tasks in the store.
#[derive(Debug)]
pub struct TaskService {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
    pub(super) backends: Backends<Task>,
    keeper: Option<Arc<DavSyncWorker<Task>>>,
}

impl TaskService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index, backends: Backends::default(), keeper: None }
    }

    /// The same, where these write.
    #[must_use]
    pub fn written_by(self, backends: Backends<Task>) -> Self {
        Self { backends, ..self }
    }

    /// The same, where this keeps the accounts of people in step.
    #[must_use]
    pub fn kept_by(self, keeper: Option<Arc<DavSyncWorker<Task>>>) -> Self {
        Self { keeper, ..self }
    }

    /// What becomes of reminders that lie in the person's quiet hours.
    pub(super) async fn quiet_hours(
        &self,
        task: &Task,
        ctx: &RequestContext,
    ) -> Result<Option<QuietHours>, ServiceError> {
        let user = self.store.load::<User>(&Key::of(&[ctx.owner.as_str()])).await?;
        let quiet = user.and_then(|(user, _)| user.settings.quiet);
        let is_quiet = |at: &DateTime<Utc>| quiet.is_some_and(|quiet| quiet.ends(*at, ctx.zone).is_some());
        let rings: Vec<_> = task.rings().into_iter().filter(|at| *at > ctx.now && is_quiet(at)).collect();
        Ok(match rings.iter().any(|at| task.is_named(*at)) {
            true => Some(QuietHours::Rings),
            false => (!rings.is_empty()).then_some(QuietHours::Waits),
        })
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
            changes.extend(items::disarmed(self.store.as_ref(), &due).await?);
        }
        for due in new.map(|new| new.new_dues(old, now)).unwrap_or_default() {
            changes.push(items::armed(self.store.as_ref(), &due).await?);
        }
        Ok(changes)
    }
}

#[async_trait]
impl Replica for TaskService {
    type Kept = Task;

    fn service(&self) -> &'static str {
        NAME
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn backends(&self) -> &Backends<Task> {
        &self.backends
    }

    fn by_origin(&self) -> &'static Secondary {
        &indexes::BY_ORIGIN
    }

    async fn along(&self, ctx: &RequestContext, edits: &[RecordEdit<Task>]) -> Result<Vec<Change>, ServiceError> {
        let mut changes = Vec::new();
        for RecordEdit { before, after } in edits {
            let before = before.as_ref().map(|(before, _)| before);
            changes.extend(self.due_changes(before, after.as_ref(), ctx.now).await?);
        }
        Ok(changes)
    }
}

impl DavReplica for TaskService {
    fn keeper(&self) -> Option<&DavSyncWorker<Task>> {
        self.keeper.as_deref()
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
