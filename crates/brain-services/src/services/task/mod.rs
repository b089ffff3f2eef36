//! Tasks and reminders.
//!
//! A task reminds at its deadline, at the times set before it and beside it, and when a reminder was snoozed
//! ([`Task::rings`]). Each of these that lies ahead has an entry in the due-index, which moves, goes and comes in the
//! same batch as the task; an entry whose task no longer reminds at that instant stays silent.
//!
//! When a repeating task reminds, it moves on to its next time at once, so that it reminds again whether or not it is
//! marked as done; done then is the time it reminded of. A new time for a repeating task moves all of its repetition,
//! except when it has just reminded and nobody answered: then that reminder is snoozed. A snooze never moves it.

mod agenda;
mod amend;
mod complete;
mod create;
mod delete;
mod indexes;
mod list;
mod offsets;
mod open;
mod record;
mod reminder;
pub(super) mod reminder_offset;
mod resource;
mod schedule;
mod searchable;
mod service;
#[cfg(test)]
mod tests;
mod update;
mod view;

use std::sync::Arc;

use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::Imported;
use crate::services::contract::command::{Command, planned};
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Searchable;
use crate::services::contract::show::Moment;
use crate::services::helpers::described::{Timing, over_one};
use crate::services::remote::replica;
use async_trait::async_trait;
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::core::text::{shorten, visible};
use brain_language::language::requests::built::Builder;
use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use complete::CompleteTask;
use create::CreateTask;
use delete::DeleteTask;
use indexes::due_at;
use list::ListTasks;
pub use record::{Priority, Task, TaskStatus};
use serde_json::Value;
use update::{TaskChanges, UpdateTask};

use crate::services::contract::capabilities::{
    Content, FallenDue, Listing, Mirroring, Offerable, OpenItems, Reminded, ReminderAnswer, Reminders, ToDo, ToDos,
};
use crate::services::contract::circumstance::{Circumstance, Evidence};
use crate::services::contract::context::RequestContext;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::service::{
    AgendaItem, AgendaKind, ContextRequest, ContextRole, Noticed, Rezoned, Service, ServiceInfo,
};
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::texts;
use crate::services::remote::dav::DavReplica as _;
use brain_core::core::ids::UserId;
use brain_core::limits::LIST_ROWS_MAX;
use brain_core::limits::REMINDERS_MAX;
use brain_core::ports::records::Due;
use brain_core::ports::{Change, Expect, RecordExt, Scan, Secondary, Source};

pub(super) use amend::AMENDERS;
pub use record::NAME;
pub use service::TaskService;

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 5] = [
    ("create", create::built),
    ("list", list::built),
    ("complete", complete::built),
    ("delete", |said| over_one(said, NAME, "delete", Timing::Which(None))),
    ("update", update::built),
];

/// The orders by which it asks the store for tasks.
pub(super) static INDEXES: [&Secondary; 3] = [&indexes::BY_DUE, &indexes::FOLLOWING, &indexes::BY_ORIGIN];

/// Its tasks, to be found.
pub(super) const SOURCE: Source = items::source::<Task>();

/// What tasks are called in an export.
const RECORDS: &str = "tasks";

impl TaskService {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Tasks and reminders", "tasks, to-dos and reminders", "your tasks");
        Registration::of(info, self)
            .edit::<CreateTask>()
            .command::<ListTasks>()
            .edit::<UpdateTask>()
            .edit::<CompleteTask>()
            .edit::<DeleteTask>()
            .end()
    }
}

#[async_trait]
impl Service for TaskService {
    async fn mirror_anew(&self, ctx: &RequestContext) -> Result<(), ServiceError> {
        replica::mirror_anew(self, ctx).await
    }

    fn mirrors(&self, owner: &UserId) -> Vec<String> {
        self.keeper().map(|keeper| keeper.ids(owner)).unwrap_or_default()
    }

    fn mirroring(&self) -> Option<&dyn Mirroring> {
        Some(self)
    }

    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<Task>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        let mend = |task: &mut Task| match task.title.trim() {
            "" => Err("it has no title".to_owned()),
            _ if task.before.len() + task.also.len() > REMINDERS_MAX => Err("it reminds too often".to_owned()),
            _ => Ok(()),
        };
        let (mut imported, new) = items::import::<Task>(self.store.as_ref(), ctx, records, mend).await?;
        for task in &new {
            imported.changes.extend(self.due_changes(None, Some(task), ctx.now).await?);
        }
        Ok(Some(imported))
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        let open = Scan::by(&indexes::BY_DUE, &[ctx.owner.as_str(), indexes::OPEN], wanted.limit);
        let tasks = self.store.list::<Task>(open).await?;
        let noticed = |task: &Task| Noticed {
            id: Some(task.id.clone()),
            line: match task.due_moment() {
                Some(due) => format!("{} (due {})", texts::brief(&task.title), texts::stamp(due, ctx)),
                None => texts::brief(&task.title),
            },
            untrusted: task.untrusted(),
        };
        Ok(tasks.iter().map(|(task, _)| noticed(task)).collect())
    }

    async fn holds(&self, ctx: &RequestContext, what: &Circumstance) -> Result<Option<Evidence>, ServiceError> {
        let Circumstance::Exists { words } = what else { return Ok(None) };
        let finder = Finder { store: &self.store, index: &self.index, ctx };
        let open = |task: &Task| task.status == TaskStatus::Open;
        finder.exists(words, open, |task: &Task, _| (texts::brief(&task.title), task.untrusted())).await
    }

    fn offers(&self, content: &Content<'_>, _: &RequestContext) -> Vec<Offerable> {
        if content.is_of_a_kind() {
            return Vec::new();
        }
        let (title, description) = (content.title.to_owned(), Some(content.text.to_owned()));
        let action = planned(NAME, &CreateTask { title, description, ..Default::default() });
        vec![Offerable { rank: 0, question: None, label: "✅ Make it a task", action }]
    }

    fn keeps_order(&self, order: &str) -> Option<Offerable> {
        let question = Some(format!("Shall I note it as a task: “{}”?", visible(&shorten(order, 80))));
        let action = planned(NAME, &CreateTask { title: order.to_owned(), ..Default::default() });
        Some(Offerable { rank: 0, question, label: "✅ Note it as a task", action })
    }

    fn reminders(&self) -> Option<&dyn Reminders> {
        Some(self)
    }

    fn to_dos(&self) -> Option<&dyn ToDos> {
        Some(self)
    }

    fn open_items(&self) -> Option<&dyn OpenItems> {
        Some(self)
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    async fn overdue(&self, ctx: &RequestContext, before: DateTime<Utc>) -> Result<Listing<AgendaItem>, ServiceError> {
        let owner = ctx.owner.as_str();
        let late =
            |limit| Scan::by(&indexes::BY_DUE, &[owner, indexes::OPEN], limit).before(due_at(owner, Some(before)));
        // What repeats moves on by itself: it is no arrears. There is little of it.
        let repeating = self.repeating(ctx).await?;
        let is_late = |task: &&Task| task.due_moment().is_some_and(|due| due.start(task.zone) < before);
        let apart = repeating.iter().filter(is_late).count();
        let rows = self.store.list::<Task>(late(LIST_ROWS_MAX + apart)).await?;
        let once = rows.iter().map(|(task, _)| task).filter(|task| task.repeat.is_none());
        let tasks: Vec<Task> = once.take(LIST_ROWS_MAX).cloned().collect();
        let more = self.store.count(late(usize::MAX)).await?.saturating_sub(apart + tasks.len());
        let rows = tasks.iter().filter_map(|task| agenda::item(AgendaKind::Overdue, task)).collect();
        Ok(Listing { rows, more, next: None, untrusted: items::untrusted(&tasks) })
    }

    async fn agenda(
        &self,
        ctx: &RequestContext,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        let owner = ctx.owner.as_str();
        let inside = Scan::by(&indexes::BY_DUE, &[owner, indexes::OPEN], usize::MAX);
        let inside = inside.after(due_at(owner, Some(from))).before(due_at(owner, Some(to)));
        let tasks = self.store.list::<Task>(inside).await?;
        let once = tasks.iter().map(|(task, _)| task).filter(|task| task.repeat.is_none());
        let mut items: Vec<AgendaItem> = once.filter_map(|task| agenda::item(AgendaKind::Task, task)).collect();
        items.extend(self.repeating(ctx).await?.iter().flat_map(|task| agenda::items_of_series(task, from, to)));
        Ok(items)
    }

    async fn rezone(&self, ctx: &RequestContext, to: Tz) -> Result<Rezoned, ServiceError> {
        let mut rezoned = Rezoned::default();
        let following = Scan::by(&indexes::FOLLOWING, &[ctx.owner.as_str()], usize::MAX);
        for (task, revision) in self.store.list::<Task>(following).await? {
            let Some(there) = agenda::rezoned(&task, to, ctx.now) else { continue };
            rezoned.moved += usize::from(there.reminds_at() != task.reminds_at());
            rezoned.changes.push(Change::put(&there, Expect::Revision(revision))?);
            rezoned.changes.extend(self.due_changes(Some(&task), Some(&there), ctx.now).await?);
            // What has come without an entry of its own gets one: only the first of several is held.
            let had = task.rings();
            for at in there.also.iter().filter(|at| **at <= ctx.now && !had.contains(at)) {
                rezoned.changes.push(items::armed(self.store.as_ref(), &there.due_at(*at)).await?);
            }
        }
        Ok(rezoned)
    }
}

#[async_trait]
impl Reminders for TaskService {
    async fn fall_due(&self, ctx: &RequestContext, due: &Due) -> Result<FallenDue, ServiceError> {
        let brain_core::ports::records::DueKind::Item { item, .. } = &due.kind else {
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
                changes.push(items::armed(self.store.as_ref(), &due).await?);
            }
        }
        Ok(FallenDue { notification: Some(notification), changes })
    }

    async fn reminded(&self, ctx: &RequestContext, item: &str) -> Result<Option<Reminded>, ServiceError> {
        let held = items::by_id::<Task>(&self.store, &ctx.owner, item).await?;
        Ok(held.map(|(task, _)| Reminded { done: task.status == TaskStatus::Done, title: task.title }))
    }

    fn answered(&self, item: &str, with: ReminderAnswer) -> Option<PlannedAction> {
        let find_by = item.to_owned();
        Some(match with {
            ReminderAnswer::Done => planned(NAME, &CompleteTask { find_by }),
            ReminderAnswer::Snooze(at) => {
                let snooze = Some(at.to_rfc3339_opts(SecondsFormat::Secs, false));
                let changes = TaskChanges { snooze, ..Default::default() };
                planned(NAME, &UpdateTask { find_by, changes })
            }
        })
    }

    fn answer_of(&self, command: &str, params: &Params) -> Option<ReminderAnswer> {
        if command == CompleteTask::NAME {
            return Some(ReminderAnswer::Done);
        }
        let update: UpdateTask = serde_json::from_value(Value::Object(params.clone())).ok()?;
        let until = DateTime::parse_from_rfc3339(update.changes.snooze.as_deref()?).ok()?;
        (command == UpdateTask::NAME).then_some(ReminderAnswer::Snooze(until))
    }
}

#[async_trait]
impl ToDos for TaskService {
    async fn open(&self, ctx: &RequestContext, after: Option<&str>) -> Result<Listing<ToDo>, ServiceError> {
        let scan = Scan::by(&indexes::BY_DUE, &[ctx.owner.as_str(), indexes::OPEN], usize::MAX);
        let Page { rows: mut tasks, more, next } =
            pages::page::<Task>(&self.store, vec![scan], after, LIST_ROWS_MAX).await?;
        let more = more + tasks.len().saturating_sub(LIST_ROWS_MAX);
        tasks.truncate(LIST_ROWS_MAX);
        let row = |task: &Task| ToDo {
            title: task.title.clone(),
            urgent: task.priority == Some(Priority::High),
            repeats: task.repeat.is_some(),
            due: task.deadline.as_deref().and_then(|deadline| Moment::read(deadline, ctx.zone)),
        };
        Ok(Listing { rows: tasks.iter().map(row).collect(), more, next, untrusted: items::untrusted(&tasks) })
    }

    async fn undated(&self, ctx: &RequestContext) -> Result<usize, ServiceError> {
        let owner = ctx.owner.as_str();
        let open = Scan::by(&indexes::BY_DUE, &[owner, indexes::OPEN], usize::MAX);
        Ok(self.store.count(open.after(due_at(owner, None))).await?)
    }
}
