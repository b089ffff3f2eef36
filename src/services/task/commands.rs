//! Tasks and reminders. A task with a deadline reminds; a task shape is
//! `{id, title, description?, priority?, deadline?, repeat?, remind_before?, remind_at?, snoozed?, status}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::command::{Base, Command, Kind, Past, Receipt, Slot, Subject};
use super::super::entry::{Entry, entry};
use super::super::show;
use super::offsets::{also, also_of, due, durations, one_or_many, quiet, repeating, times, unreadable};
use crate::core::card::CardBody;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::language::time::Reference;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![entry::<Create>(), entry::<List>(), entry::<Update>(), entry::<Complete>(), entry::<Delete>()]
}

/// How much a task matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Whenever.
    Low,
    /// As usual.
    #[serde(alias = "normal")]
    Medium,
    /// First.
    #[serde(alias = "urgent")]
    High,
}

/// Which tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Still to do.
    #[serde(alias = "pending", alias = "todo")]
    Open,
    /// Done.
    #[serde(alias = "completed")]
    Done,
    /// Both.
    All,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Create {
    /// What to do, without the time.
    title: String,
    description: Option<String>,
    priority: Option<Priority>,
    /// When to be reminded: ISO local time or the person's own words.
    deadline: Option<String>,
    /// The person's own words, e.g. "every weekday at 9".
    repeat: Option<String>,
    /// Reminders before the deadline, e.g. "1 day".
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    remind_before: Option<Vec<String>>,
    /// Further times to be reminded at.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    remind_at: Option<Vec<String>>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    status: Option<Which>,
    due_before: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// The task's id or words from its title.
    find_by: String,
    changes: Changes,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    remind_before: Option<Vec<String>>,
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    remind_at: Option<Vec<String>>,
    /// When to be reminded again of what just rang; the deadline stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    snooze: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Complete {
    /// The task's id or words from its title.
    find_by: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The task's id or words from its title.
    find_by: String,
}

fn question(param: &str) -> &'static str {
    match param {
        "title" => "What should I put down?",
        "changes" => "What should I change about it?",
        "deadline" | "snooze" => "When?",
        "remind_at" => "When should I remind you?",
        _ => "Which task do you mean?",
    }
}

impl Command for Create {
    const SERVICE: &'static str = "task";
    const NAME: &'static str = "create";
    const SUMMARY: &'static str = "add a task or a reminder";
    const EXAMPLE: &'static str = "Remind me to call mom tomorrow at 5pm";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let mut slots = repeating(&mut self.repeat, &mut self.deadline, Base::Now);
        slots.extend(times(&mut self.remind_at, Base::Now));
        slots
    }

    fn complete(&mut self, _: Option<&Target>) {
        durations(&mut self.remind_before);
    }

    fn problem(&self) -> Option<String> {
        unreadable(self.remind_before.as_deref())
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this task?")
            .row("Task", &self.title)
            .row("Details", self.description.clone().unwrap_or_default())
            .row("When", due(self.deadline.as_deref(), self.repeat.as_deref(), subject.reference))
            .row("Also", also(self.remind_before.as_deref(), self.remind_at.as_deref(), subject.reference))
            .row("Priority", self.priority.map(priority).unwrap_or_default())
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let task = &receipt.result["task"];
        let when = due(text(task, "deadline"), text(task, "repeat"), receipt.reference);
        let title = text(task, "title").unwrap_or(&self.title);
        let also = also_of(task, receipt.reference);
        let mut told = match (when.is_empty(), also.is_empty()) {
            (true, true) => format!("📌 Added: {title}"),
            (true, false) => format!("⏰ Reminder set: {title} — {also}"),
            (false, _) => format!("⏰ Reminder set: {title} — {when}"),
        };
        if !when.is_empty() && !also.is_empty() {
            told.push_str(&format!("; also {also}"));
        }
        told + quiet(receipt.result)
    }

    fn deed(&self, _: &Action) -> String {
        format!("add “{}”", self.title)
    }
}

impl Command for List {
    const SERVICE: &'static str = "task";
    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "show tasks";
    const EXAMPLE: &'static str = "What's on my list for today?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let value = self.due_before.as_mut();
        value
            .map(|value| Slot::Time { param: "due_before", value, base: Base::Now, past: Past::Fine })
            .into_iter()
            .collect()
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Show your tasks?")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let tasks = receipt.result["tasks"].as_array().map(Vec::as_slice).unwrap_or_default();
        if tasks.is_empty() {
            return "Nothing on your list. 🎉".to_owned();
        }
        let lines = tasks.iter().map(|task| line(task, receipt.reference)).collect();
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("Your tasks:\n{}", show::list(lines, more))
    }

    fn deed(&self, _: &Action) -> String {
        "look up your tasks".to_owned()
    }
}

impl Command for Update {
    const SERVICE: &'static str = "task";
    const NAME: &'static str = "update";
    const SUMMARY: &'static str = "change a task";
    const EXAMPLE: &'static str = "Move the report task to Friday";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let changes = &mut self.changes;
        let mut slots = repeating(&mut changes.repeat, &mut changes.deadline, Base::Target);
        slots.extend(times(&mut changes.remind_at, Base::Target));
        let snooze = changes.snooze.as_mut();
        slots.extend(snooze.map(|value| Slot::Time { param: "snooze", value, base: Base::Now, past: Past::Ask }));
        slots
    }

    fn complete(&mut self, _: Option<&Target>) {
        durations(&mut self.changes.remind_before);
    }

    fn problem(&self) -> Option<String> {
        unreadable(self.changes.remind_before.as_deref())
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().map(|t| t.before.clone()).unwrap_or_default();
        let was = due(text(&before, "deadline"), text(&before, "repeat"), subject.reference);
        let becomes = due(self.changes.deadline.as_deref(), self.changes.repeat.as_deref(), subject.reference);
        CardBody::titled("Change this task?")
            .row("Task", label(subject.action, &self.find_by))
            .row("New title", self.changes.title.clone().unwrap_or_default())
            .row("New details", self.changes.description.clone().unwrap_or_default())
            .row("When", if becomes.is_empty() { String::new() } else { format!("{} → {becomes}", or_dash(&was)) })
            .row(
                "Also",
                also(self.changes.remind_before.as_deref(), self.changes.remind_at.as_deref(), subject.reference),
            )
            .row(
                "Snooze",
                self.changes.snooze.as_deref().map(|at| show::time(at, subject.reference)).unwrap_or_default(),
            )
            .row("Priority", self.changes.priority.map(priority).unwrap_or_default())
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let task = &receipt.result["task"];
        if let (Some(_), Some(until)) = (&self.changes.snooze, text(task, "snoozed").or(text(task, "deadline"))) {
            let title = text(task, "title").unwrap_or(&self.find_by);
            return format!("💤 I'll remind you again: {title} — {}", show::time(until, receipt.reference));
        }
        let changed = format!("✏️ Changed: {}", line(task, receipt.reference));
        changed + quiet(receipt.result)
    }

    fn deed(&self, action: &Action) -> String {
        format!("change “{}”", label(action, &self.find_by))
    }
}

impl Command for Complete {
    const SERVICE: &'static str = "task";
    const NAME: &'static str = "complete";
    const SUMMARY: &'static str = "mark a task as done";
    const EXAMPLE: &'static str = "I'm done with the report";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Mark this task as done?").row("Task", label(subject.action, &self.find_by))
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let task = &receipt.result["task"];
        let title = text(task, "title").unwrap_or(&self.find_by);
        match text(task, "deadline").filter(|_| text(task, "status") == Some("open")) {
            Some(next) => format!("✅ Done: {title} — next {}", show::time(next, receipt.reference)),
            None => format!("✅ Done: {title}"),
        }
    }

    fn deed(&self, action: &Action) -> String {
        format!("mark “{}” as done", label(action, &self.find_by))
    }
}

impl Command for Delete {
    const SERVICE: &'static str = "task";
    const NAME: &'static str = "delete";
    const SUMMARY: &'static str = "delete a task for good";
    const EXAMPLE: &'static str = "Delete the dentist task";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().map(|t| t.before.clone()).unwrap_or_default();
        CardBody::titled("Delete this task?")
            .row("Task", label(subject.action, &self.find_by))
            .row("Details", text(&before, "description").unwrap_or_default())
            .row("When", due(text(&before, "deadline"), text(&before, "repeat"), subject.reference))
    }

    fn approve(&self) -> &'static str {
        "🗑 Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🗑 Deleted: {}", label(receipt.action, &self.find_by))
    }

    fn deed(&self, action: &Action) -> String {
        format!("delete “{}”", label(action, &self.find_by))
    }
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Medium => "medium",
        Priority::High => "high",
    }
}

/// One task in a list.
pub(crate) fn line(task: &Value, reference: &Reference) -> String {
    let mark = if text(task, "status") == Some("done") { "✅" } else { "▫️" };
    let urgent = if text(task, "priority") == Some("high") { "❗ " } else { "" };
    let when = due(text(task, "deadline"), text(task, "repeat"), reference);
    let when = if when.is_empty() { when } else { format!(" — {when}") };
    let again = text(task, "snoozed").map(|at| format!(" (again {})", show::time(at, reference))).unwrap_or_default();
    let also = Some(also_of(task, reference)).filter(|also| !also.is_empty());
    let also = also.map(|also| format!(" (also {also})")).unwrap_or_default();
    format!("{mark} {urgent}{}{when}{also}{again}", text(task, "title").unwrap_or("(no title)"))
}

pub(crate) fn text<'a>(item: &'a Value, name: &str) -> Option<&'a str> {
    item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// What the target is called, or the words it was looked for by.
pub(crate) fn label(action: &Action, find_by: &str) -> String {
    action.target.as_ref().map_or_else(|| find_by.to_owned(), |Target { label, .. }| label.clone())
}

pub(crate) fn or_dash(text: &str) -> &str {
    if text.is_empty() { "no time" } else { text }
}
