//! Tasks and reminders.
//!
//! A task reminds at its deadline, at the times set before it and beside it, and when a reminder was snoozed
//! ([`Task::rings`]). Each of these that lies ahead has an entry in the due-index, which moves, goes and comes
//! in the same batch as the task; an entry whose task no longer rings at that instant stays silent.
//!
//! When a repeating task reminds, it moves on to its next time at once, so that it reminds again whether or
//! not somebody says "done"; "done" then means the time it reminded of. A new time for a repeating task moves
//! all of its repetition, except when it has just rung and nobody answered: then that reminder is snoozed. A
//! snooze never moves the series.

mod agenda;
pub mod commands;
mod offsets;
mod record;
mod reminder;
mod schedule;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
pub use record::{Status, Task};
use serde_json::{Value, json};

use super::items::{self, Item, unknown_command};
use super::provenance;
use super::provenance::Others;
use super::texts;
use crate::core::ids::UserId;
use crate::core::plan::{Action, Params};
use crate::core::stakes::Authorized;
use crate::limits::RESULT_ROWS_MAX;
use crate::ports::records::{Due, User};
use crate::ports::{Change, Expect, Key, Record, RecordExt, Store};
use crate::services::service::{
    AgendaItem, Attempt, FallenDue, Noticed, Performed, Prepared, RequestContext, Rezoned, Service, ServiceError,
    Wanted,
};
pub use commands::{Priority, Which};

/// "Done" a second time within this is the same press twice, not the next occurrence done early.
const SAME_DONE_SECS: i64 = 120;

/// Tasks in the store.
#[derive(Debug)]
pub struct TaskService {
    store: Arc<dyn Store>,
}

impl TaskService {
    /// Over this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    async fn create(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let params = &action.params;
        let mut task = Task {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            chat: ctx.chat.clone(),
            title: texts::title(action.text("title"), Task::NOUN)?,
            description: texts::given(params, "description"),
            priority: priority(params)?,
            deadline: None,
            zone: ctx.zone,
            repeat: None,
            anchor: None,
            status: Status::Open,
            created_at: ctx.now,
            done_at: None,
            reminded_at: None,
            before: Vec::new(),
            also: Vec::new(),
            snoozed: None,
            others: Others::default(),
        };
        task.others.write("title", &task.title, provenance::source(action, "title"));
        let description = task.description.as_deref().unwrap_or_default();
        task.others.write("description", description, provenance::source(action, "description"));
        schedule::set(&mut task, params, ctx)?;
        let mut changes = vec![Change::put(&task, Expect::Absent)?];
        changes.extend(self.due_changes(None, Some(&task), ctx.now).await?);
        self.told_with_quiet(&task, ctx, changes).await
    }

    async fn update(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (before, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        let changes = texts::changes(&action.params);
        let mut task = before.clone();
        // The gate looks at changes as one: what of them is not all the person's own is somebody else's.
        let source = provenance::source(action, "changes");
        if changes.contains_key("title") {
            task.title = texts::title(&texts::given(&changes, "title").unwrap_or_default(), Task::NOUN)?;
            task.others.write("title", &task.title, source.clone());
        }
        if let Some(description) = texts::given(&changes, "description") {
            task.others.write("description", &description, source);
            task.description = Some(description);
        }
        if let Some(priority) = priority(&changes)? {
            task.priority = Some(priority);
        }
        schedule::set(&mut task, &changes, ctx)?;
        // Whoever wants to be reminded of what was done has it before them again.
        if before.status == Status::Done && schedule::is_set_by(&changes) {
            (task.status, task.done_at) = (Status::Open, None);
        }
        let mut changes = vec![Change::put(&task, Expect::Revision(revision))?];
        changes.extend(self.due_changes(Some(&before), Some(&task), ctx.now).await?);
        if task.rings() == before.rings() {
            return Ok(told(&task, ctx, changes));
        }
        self.told_with_quiet(&task, ctx, changes).await
    }

    async fn complete(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (before, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        if before.status == Status::Done {
            return Err(ServiceError(format!("“{}” is done already.", before.title)));
        }
        let again = before.done_at.is_some_and(|at| ctx.now - at < Duration::seconds(SAME_DONE_SECS));
        if again {
            return Ok(told(&before, ctx, Vec::new()));
        }
        let mut task = before.clone();
        task.done_at = Some(ctx.now);
        task.snoozed = None;
        // "Done" is the time that was reminded of, which the series has left behind; else the coming one, done
        // early.
        let goes_on = match before.due_moment().filter(|_| before.repeat.is_some()) {
            Some(_) if before.is_unanswered() => true,
            Some(due) => task.advance(task.instant_of(due).max(ctx.now)),
            None => false,
        };
        if !goes_on {
            task.status = Status::Done;
        }
        let mut changes = vec![Change::put(&task, Expect::Revision(revision))?];
        changes.extend(self.due_changes(Some(&before), Some(&task), ctx.now).await?);
        Ok(told(&task, ctx, changes))
    }

    async fn delete(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (task, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        let mut changes = vec![Change::delete(Task::TABLE, task.key(), Expect::Revision(revision))];
        changes.extend(self.due_changes(Some(&task), None, ctx.now).await?);
        Ok(told(&task, ctx, changes))
    }

    async fn list(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let which = match action.params.get("status") {
            Some(status) if !status.is_null() => serde_json::from_value(status.clone())
                .map_err(|_| ServiceError("I can list tasks that are open, done, or all.".to_owned()))?,
            Some(_) | None => Which::Open,
        };
        let bound = match texts::given(&action.params, "due_before") {
            Some(text) => Some(schedule::moment(&text, ctx)?),
            None => None,
        };
        let mut tasks: Vec<Task> = items::all::<Task>(&self.store, &ctx.owner)
            .await?
            .into_iter()
            .map(|(task, _)| task)
            .filter(|task| match which {
                Which::Open => task.status == Status::Open,
                Which::Done => task.status == Status::Done,
                Which::All => true,
            })
            .filter(|task| bound.is_none_or(|bound| task.is_due_by(bound)))
            .collect();
        sort(&mut tasks);
        let more = tasks.len().saturating_sub(RESULT_ROWS_MAX);
        tasks.truncate(RESULT_ROWS_MAX);
        let rows: Vec<Value> = tasks.iter().map(|task| task.view(ctx)).collect();
        Ok(Performed::result(json!({"tasks": rows, "more": more})).holding(items::untrusted(&tasks)))
    }

    /// Says what becomes of reminders that lie in the person's quiet hours.
    async fn told_with_quiet(
        &self,
        task: &Task,
        ctx: &RequestContext,
        changes: Vec<Change>,
    ) -> Result<Performed, ServiceError> {
        let user = self.store.load::<User>(&Key::of(&[ctx.owner.as_str()])).await?;
        let quiet = user.and_then(|(user, _)| user.settings.quiet);
        let is_quiet = |at: &DateTime<Utc>| quiet.is_some_and(|quiet| quiet.ends(*at, ctx.zone).is_some());
        let rings: Vec<_> = task.rings().into_iter().filter(|at| *at > ctx.now && is_quiet(at)).collect();
        let note = match rings.iter().any(|at| task.is_named(*at)) {
            true => Some("rings"),
            false if !rings.is_empty() => Some("waits"),
            false => None,
        };
        let result = match note {
            Some(note) => json!({"task": task.view(ctx), "quiet": note}),
            None => json!({"task": task.view(ctx)}),
        };
        Ok(Performed::changed(result, changes).holding(task.untrusted()))
    }

    /// What makes the due-index hold the reminders of `new` in place of those of `old`.
    async fn due_changes(
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
    async fn armed(&self, due: &Due) -> Result<Change, ServiceError> {
        let there = self.store.load::<Due>(&due.key()).await?;
        let expect = there.map_or(Expect::Absent, |(_, revision)| Expect::Revision(revision));
        Ok(Change::put(due, expect)?)
    }
}

fn told(task: &Task, ctx: &RequestContext, changes: Vec<Change>) -> Performed {
    Performed::changed(json!({"task": task.view(ctx)}), changes).holding(task.untrusted())
}

fn priority(params: &Params) -> Result<Option<Priority>, ServiceError> {
    match params.get("priority") {
        Some(value) if !value.is_null() => serde_json::from_value(value.clone())
            .map(Some)
            .map_err(|_| ServiceError("A priority is low, medium or high; nothing was written.".to_owned())),
        Some(_) | None => Ok(None),
    }
}

/// By deadline, those without one last; then by age.
fn sort(tasks: &mut [Task]) {
    tasks.sort_by_cached_key(|task| {
        let due = task.due_moment().map(|due| due.start(task.zone).to_utc());
        (due.is_none(), due, task.created_at, task.id.clone())
    });
}

#[async_trait]
impl Service for TaskService {
    fn name(&self) -> &'static str {
        "task"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "create" | "list" => Ok(Prepared::as_is(params)),
            "update" | "delete" => items::prepare::<Task>(&self.store, ctx, params, "find_by", |_| true).await,
            "complete" => {
                let open = |task: &Task| task.status == Status::Open;
                let prepared = items::prepare(&self.store, ctx, params, "find_by", open).await?;
                Ok(items::not_found_instead(prepared, "task", "open task"))
            }
            _ => Err(unknown_command("task", command)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "create" => self.create(ctx, action, attempt).await,
            "list" => self.list(ctx, action).await,
            "update" => self.update(ctx, action).await,
            "complete" => self.complete(ctx, action).await,
            "delete" => self.delete(ctx, action).await,
            other => Err(unknown_command("task", other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("tasks", items::export::<Task>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let mut tasks: Vec<Task> = items::all::<Task>(&self.store, &ctx.owner)
            .await?
            .into_iter()
            .map(|(task, _)| task)
            .filter(|task| task.status == Status::Open)
            .collect();
        sort(&mut tasks);
        let noticed = |task: &Task| Noticed {
            id: task.id.clone(),
            line: match task.due_moment() {
                Some(due) => format!("{} (due {})", texts::brief(&task.title), texts::stamp(due, ctx)),
                None => texts::brief(&task.title),
            },
            untrusted: task.untrusted(),
        };
        Ok(tasks.iter().take(wanted.limit).map(noticed).collect())
    }

    async fn fall_due(&self, ctx: &RequestContext, due: &Due) -> Result<FallenDue, ServiceError> {
        let crate::ports::records::DueKind::Item { item, .. } = &due.kind else {
            return Ok(FallenDue::default());
        };
        let Some((task, revision)) = items::by_id::<Task>(&self.store, &due.owner, item).await? else {
            return Ok(FallenDue::default());
        };
        let Some((notification, next)) = reminder::remind(&task, due, ctx) else {
            return Ok(FallenDue::default());
        };
        let mut changes = Vec::new();
        if let Some(next) = next {
            changes.push(Change::put(&next, Expect::Revision(revision))?);
            // What the old state had has fallen due, too, and goes with its own entry.
            for due in next.new_dues(Some(&task), due.meant()) {
                changes.push(self.armed(&due).await?);
            }
        }
        Ok(FallenDue { notification: Some(notification), changes })
    }

    async fn agenda(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        let tasks = items::all::<Task>(&self.store, &ctx.owner).await?;
        Ok(tasks.iter().flat_map(|(task, _)| agenda::items(task, from, to)).collect())
    }

    async fn rezone(&self, ctx: &RequestContext, to: Tz) -> Result<Rezoned, ServiceError> {
        let mut rezoned = Rezoned::default();
        for (task, revision) in items::all::<Task>(&self.store, &ctx.owner).await? {
            let Some(there) = agenda::rezoned(&task, to, ctx.now) else { continue };
            rezoned.moved += usize::from(there.reminds_at() != task.reminds_at());
            rezoned.changes.push(Change::put(&there, Expect::Revision(revision))?);
            rezoned.changes.extend(self.due_changes(Some(&task), Some(&there), ctx.now).await?);
            // What has come without an entry of its own gets one: only the first of several is held.
            let had = task.rings();
            for at in there.also.iter().filter(|at| **at <= ctx.now && !had.contains(at)) {
                rezoned.changes.push(self.armed(&there.due_at(*at)).await?);
            }
        }
        Ok(rezoned)
    }

    async fn happened(&self, ctx: &RequestContext, command: &str, attempt: &Attempt) -> Option<bool> {
        if command != "create" {
            return None;
        }
        let key = Key::of(&[ctx.owner.as_str(), &texts::new_id(attempt)]);
        self.store.get(Task::TABLE, &key).await.ok().map(|stored| stored.is_some())
    }
}
