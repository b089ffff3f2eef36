//! `update`: change a task, or put off what just reminded.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::offsets::{due, repeating, times};
use super::record::{NAME, Priority, Task, TaskStatus};
use super::resource::kept_here;
use super::schedule::{self, Schedule};
use super::service::TaskService;
use super::view::{TaskChanged, TaskView, or_dash};
use crate::services::contract::command::{Base, Command, Invocation, PastTimes, Receipt, Slot, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::{provenance, show};
use crate::services::helpers::described::{self, Timing};
use crate::services::helpers::items::{self, Item, label};
use crate::services::helpers::offsets::{also, durations, one_or_many, unreadable};
use crate::services::helpers::preparing;
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, Target};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, title};

/// Change a task.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateTask {
    /// The task's id or words from its title; of several their ids with commas between, or “all” and words.
    pub find_by: String,
    pub changes: TaskChanges,
}

/// What becomes of it; what is not named stays.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskChanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_before: Option<Vec<String>>,
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Vec<String>>,
    /// When to be reminded again of what just rang; the deadline stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snooze: Option<String>,
}

impl TaskChanges {
    fn schedule(&self) -> Schedule<'_> {
        Schedule {
            deadline: self.deadline.as_deref(),
            repeat: self.repeat.as_deref(),
            remind_before: self.remind_before.as_deref(),
            remind_at: self.remind_at.as_deref(),
            snooze: self.snooze.as_deref(),
        }
    }
}

impl Command for UpdateTask {
    type Output = TaskChanged;

    const NAME: &'static str = "update";
    const SUMMARY: &'static str = "change a task";
    const EXAMPLE: &'static str = "Move the report task to Friday";
    const STATUS: &'static str = "Changing your task…";
    const STAKES: Stakes = Stakes::Low;
    const LENGTHS: &'static [&'static str] = &["remind_before"];
    const NAMES: &'static [&'static str] = &["title"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let changes = &mut self.changes;
        let mut slots = repeating(&mut changes.repeat, &mut changes.deadline, Base::Target);
        slots.extend(times(&mut changes.remind_at, Base::Target));
        let snooze = changes.snooze.as_mut();
        slots.extend(snooze.map(|value| Slot::Time { param: "snooze", value, base: Base::Now, past: PastTimes::Ask }));
        slots
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        durations(self.changes.remind_before.as_deref_mut().unwrap_or_default());
    }

    fn problem(&self) -> Option<String> {
        unreadable(self.changes.remind_before.as_deref().unwrap_or_default())
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let TaskChanges { title, description, priority, deadline, repeat, remind_before, remind_at, snooze } =
            &self.changes;
        let was = subject.before::<TaskView>().map(|before| before.due(subject.reference)).unwrap_or_default();
        let becomes = due(deadline.as_deref(), repeat.as_deref(), subject.reference);
        CardBody::titled("Change this task?")
            .words("Task", label(subject.action, &self.find_by))
            .words("New title", title.clone().unwrap_or_default())
            .words("New details", description.clone().unwrap_or_default())
            .row("When", if becomes.is_empty() { String::new() } else { format!("{} → {becomes}", or_dash(&was)) })
            .row("Also", also(remind_before.as_deref(), remind_at.as_deref(), subject.reference))
            .row("Snooze", snooze.as_deref().map(|at| show::time(at, subject.reference)).unwrap_or_default())
            .row("Priority", priority.map(Priority::word).unwrap_or_default())
    }

    fn receipt(&self, output: &TaskChanged, receipt: &Receipt<'_>) -> String {
        let task = &output.task;
        if let (Some(_), Some(until)) = (&self.changes.snooze, task.snoozed.as_ref().or(task.deadline.as_ref())) {
            let until = show::time(until, receipt.reference);
            return format!("💤 I'll remind you again: {} — {until}{}", task.title, output.place_note());
        }
        format!("✏️ Changed: {}{}{}", task.line(receipt.reference), output.quiet_note(), output.place_note())
    }

    fn attempt(&self, action: &Action) -> String {
        format!("change “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &TaskChanged) -> Option<ItemRef> {
        Some(output.task.named())
    }
}

#[async_trait]
impl Edits<UpdateTask> for TaskService {
    async fn prepare(&self, ctx: &RequestContext, command: UpdateTask) -> Result<Prepared<UpdateTask>, ServiceError> {
        let words = command.find_by.clone();
        preparing::prepare::<Task, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await
    }

    async fn edits(&self, call: Invocation<'_, UpdateTask>) -> Result<PlannedEdits<Task, TaskChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (before, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        let wanted = &command.changes;
        let mut task = before.clone();
        // The gate looks at changes as one: what of them is not all the person's own is somebody else's.
        let source = provenance::source(action, "changes");
        if let Some(title) = &wanted.title {
            task.title = texts::title(title, Task::NOUN)?;
            task.others.write("title", &task.title, source.clone());
        }
        if let Some(description) = texts::filled(wanted.description.as_deref()) {
            task.others.write("description", &description, source);
            task.description = Some(description);
        }
        task.priority = wanted.priority.or(task.priority);
        let schedule = wanted.schedule();
        schedule::set(&mut task, &schedule, ctx)?;
        // Whoever wants to be reminded of what was done has it before them again.
        if before.status == TaskStatus::Done && !schedule.is_empty() {
            (task.status, task.done_at) = (TaskStatus::Open, None);
        }
        let quiet = if task.rings() == before.rings() { None } else { self.quiet_hours(&task, ctx).await? };
        let told = TaskChanged::told_beside(ctx, quiet, kept_here(&before, &task));
        Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, task)], told))
    }
}

/// A new due date, priority, title or rule for a task.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut changes = Map::new();
    let target = said.target();
    let repeats = target.as_ref().is_some_and(|(words, _)| said.repeats(words));
    if let Some((words, _)) = &target {
        let name = if repeats { "repeat" } else { "deadline" };
        changes.insert(name.into(), json!(words.text));
    }
    if let Some(level) = said.priority() {
        changes.insert("priority".into(), json!(level));
    }
    if let Some(level) = said.raw("level") {
        changes.insert("priority".into(), json!(level_of(&level)));
    }
    for name in ["title", "description"] {
        if let Some(text) = said.clean(name, &[]) {
            changes.insert(name.into(), json!(title(&text)));
        }
    }
    if changes.is_empty() {
        return Built::No;
    }
    // A thing with a new time may be an event; `item.move` tells.
    let unnamed = !said.clause_holds("tasknoun") && !said.clause_holds("deadlineword") && !repeats;
    if unnamed && changes.keys().all(|name| name == "deadline") && said.clause_starts("changeverb") {
        return Built::No;
    }
    let is_event = described::is_event(said, "what") && !said.clause_holds("tasknoun");
    let only_priority = changes.keys().all(|k| k == "priority");
    if is_event && !only_priority {
        return Built::No;
    }
    let times = Timing::Which(target.as_ref().map(|(words, _)| words));
    let Some(find_by) = described::find_by(said, "what", NAME, times) else {
        return Built::No;
    };
    let mut action = said.action(NAME, "update");
    set(&mut action, "find_by", Some(find_by));
    set(&mut action, "changes", Some(Value::Object(changes)));
    Built::Act(action)
}

fn level_of(word: &str) -> &'static str {
    match word.to_lowercase().as_str() {
        "low" | "lowest" | "niedrig" => "low",
        "medium" | "normal" | "mid" | "middle" | "mittel" => "medium",
        _ => "high",
    }
}
