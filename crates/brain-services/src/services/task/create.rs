//! `create`: add a task or a reminder. A task with a deadline reminds.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::offsets::{due, repeating, times};
use super::record::{NAME, Priority, Task, TaskStatus};
use super::schedule::{self, Schedule};
use super::service::TaskService;
use super::view::{TaskChanged, TaskView};
use crate::services::contract::command::{Base, Called, Command, Invocation, Receipt, Slot, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance::{self, Others};
use crate::services::helpers::items::Item;
use crate::services::helpers::offsets::{also, durations, one_or_many, unreadable};
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, Target};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, TimeWords, tidy, title};
use brain_language::language::time;
use brain_language::language::time::When;

/// Add a task or a reminder.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTask {
    /// What to do, without the time.
    pub title: String,
    pub description: Option<String>,
    pub priority: Option<Priority>,
    /// When to be reminded: ISO local time or the person's own words.
    pub deadline: Option<String>,
    /// How often, in the person's own words; only where they say that it repeats.
    pub repeat: Option<String>,
    /// Reminders before the deadline, each a length of time.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_before: Option<Vec<String>>,
    /// Further times to be reminded at.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Vec<String>>,
}

impl CreateTask {
    fn schedule(&self) -> Schedule<'_> {
        Schedule {
            deadline: self.deadline.as_deref(),
            repeat: self.repeat.as_deref(),
            remind_before: self.remind_before.as_deref(),
            remind_at: self.remind_at.as_deref(),
            snooze: None,
        }
    }
}

impl Command for CreateTask {
    type Output = TaskChanged;

    const NAME: &'static str = "create";
    const SUMMARY: &'static str = "add a task or a reminder";
    const EXAMPLE: &'static str = "Remind me to call mom tomorrow at 5pm";
    const STATUS: &'static str = "Noting that down…";
    const STAKES: Stakes = Stakes::Low;
    const LENGTHS: &'static [&'static str] = &["remind_before"];
    const NAMES: &'static [&'static str] = &["title"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let mut slots = repeating(&mut self.repeat, &mut self.deadline, Base::Now);
        slots.extend(times(&mut self.remind_at, Base::Now));
        slots
    }

    fn called(&self) -> Called {
        Called::Errand(self.title.clone())
    }

    fn complete(&mut self, _: Option<&Target>) {
        durations(self.remind_before.as_deref_mut().unwrap_or_default());
    }

    fn problem(&self) -> Option<String> {
        unreadable(self.remind_before.as_deref().unwrap_or_default())
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this task?")
            .words("Task", &self.title)
            .words("Details", self.description.clone().unwrap_or_default())
            .row("When", due(self.deadline.as_deref(), self.repeat.as_deref(), subject.reference))
            .row("Also", also(self.remind_before.as_deref(), self.remind_at.as_deref(), subject.reference))
            .row("Priority", self.priority.map(Priority::word).unwrap_or_default())
    }

    fn receipt(&self, output: &TaskChanged, receipt: &Receipt<'_>) -> String {
        let TaskView { title, .. } = &output.task;
        let when = output.task.due(receipt.reference);
        let also = output.task.also(receipt.reference);
        let mut told = match (when.is_empty(), also.is_empty()) {
            (true, true) => format!("📌 Added: {title}"),
            (true, false) => format!("⏰ Reminder set: {title} — {also}"),
            (false, _) => format!("⏰ Reminder set: {title} — {when}{}", output.task.hour_taken(receipt.reference)),
        };
        if !when.is_empty() && !also.is_empty() {
            told.push_str(&format!("; also {also}"));
        }
        told + output.quiet_note()
    }

    fn attempt(&self, _: &Action) -> String {
        format!("add “{}”", self.title)
    }

    fn made(&self, output: &TaskChanged) -> Option<ItemRef> {
        Some(output.task.named())
    }
}

#[async_trait]
impl Edits<CreateTask> for TaskService {
    async fn edits(&self, call: Invocation<'_, CreateTask>) -> Result<PlannedEdits<Task, TaskChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let mut task = Task {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            chat: ctx.chat.clone(),
            title: texts::title(&command.title, Task::NOUN)?,
            description: texts::filled(command.description.as_deref()),
            priority: command.priority,
            deadline: None,
            zone: ctx.zone,
            repeat: None,
            anchor: None,
            status: TaskStatus::Open,
            created_at: ctx.now,
            done_at: None,
            reminded_at: None,
            before: Vec::new(),
            also: Vec::new(),
            snoozed: None,
            hour: None,
            others: Others::default(),
            origin: None,
        };
        task.others.write("title", &task.title, provenance::source(action, "title"));
        let description = task.description.as_deref().unwrap_or_default();
        task.others.write("description", description, provenance::source(action, "description"));
        schedule::set(&mut task, &command.schedule(), ctx)?;
        let quiet = self.quiet_hours(&task, ctx).await?;
        Ok(PlannedEdits::new(vec![RecordEdit::create(task)], TaskChanged::told(ctx, quiet)))
    }
}

/// A task from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "create");
    let twice = two_times(said);
    if let Some((_, second)) = &twice {
        action.params.insert("remind_at".to_owned(), json!([second]));
    }
    let is_twice = twice.is_some();
    let when = twice.map(|(both, _)| both).or_else(|| said.moment("title", &[])).or_else(|| of_another_timer(said));
    let used = when.as_ref().map(|w| w.masks.clone()).unwrap_or_default();
    if let Some(when) = &when {
        let name = if said.repeats(when) { "repeat" } else { "deadline" };
        set(&mut action, name, Some(when.text.as_str()));
    }
    set(&mut action, "priority", said.priority());
    let Some(whole) = said.clean("title", &used) else {
        if action.params.contains_key("title") {
            let question = "When should it ring?";
            return if when.is_some() {
                Built::Act(action)
            } else {
                Built::Ask { question, partial: action, param: "deadline" }
            };
        }
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    };
    if let Some(what) = without_pointer(said, &whole).filter(|_| when.is_none()) {
        set(&mut action, "title", Some(title(&what)).filter(|title| !title.is_empty()));
        return Built::Ask { question: "When exactly is that?", partial: action, param: "deadline" };
    }
    if said.grammar.lexicon.is_phrase("it", said.ids("title")) {
        return about_it(said, action);
    }
    // A quantifier alone names nothing that could be told then.
    if said.grammar.lexicon.is_phrase("vague", said.ids("title")) {
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    }
    // A condition that is waited for is nothing to do.
    let is_awaited = ["watchanswer", "watchanswers", "watchanswered"].iter().any(|class| said.holds("title", class));
    if is_awaited && said.grammar.lexicon.starts("isornot", said.ids("title")).is_some() {
        return Built::No;
    }
    let (what, why) = reason(if is_twice { without_and(&whole) } else { &whole });
    set(&mut action, "title", Some(title(&what)));
    set(&mut action, "description", why.map(|w| title(&w)));
    Built::Act(action)
}

/// Behind a first timer, another one with its own length.
fn of_another_timer(said: &ClauseReading) -> Option<TimeWords> {
    let mask = *said.lengths(&[]).first().filter(|_| said.clause_starts("anew"))?;
    let length = said.words(&[mask]);
    Some(TimeWords { text: format!("in {}", length.text.trim_start_matches("of ")), ..length })
}

/// What is to be done, where the time is told by something that was not said.
fn without_pointer(said: &ClauseReading, text: &str) -> Option<String> {
    let words = said.grammar.lexicon.starts("pointer", said.ids("title"))?;
    let rest = text.split_whitespace().skip(words).collect::<Vec<_>>().join(" ");
    Some(tidy(rest.strip_prefix("to ").unwrap_or(&rest)))
}

/// The first of two times that are joined, with the masks of both, and the second, on the day of the first where it has
/// none of its own.
fn two_times(said: &ClauseReading) -> Option<(TimeWords, String)> {
    let [first, second] = said.moments(&[])[..] else { return None };
    let span = |mask: usize| said.heard.masks[mask].span.clone();
    let between = said.heard.text.get(span(first).end..span(second).start)?.trim().to_lowercase();
    let point = |mask: usize| match said.heard.time(mask)?.result {
        Ok(When::Point { at, .. }) => Some(at),
        Ok(When::Range { .. } | When::Duration(_) | When::Recurrence { .. }) | Err(_) => None,
    };
    let (one, two) = (point(first)?, point(second)?);
    if !AND.contains(&between.as_str()) {
        return None;
    }
    let words = said.words(&[second]).text;
    let also = if time::is_clock_only(&words) {
        one.date_naive().and_time(two.time()).format("%Y-%m-%dT%H:%M").to_string()
    } else {
        words
    };
    Some((TimeWords { masks: vec![first, second], ..said.words(&[first]) }, also))
}

const AND: [&str; 3] = ["and", "und", "&"];

/// What stood between the two times, at the end of what they were cut out of.
fn without_and(text: &str) -> &str {
    let ended = AND.iter().find_map(|and| text.strip_suffix(and)?.strip_suffix(' '));
    ended.unwrap_or(text).trim_end()
}

/// A reminder of a pronoun: the item talked about last.
fn about_it(said: &ClauseReading, mut action: brain_core::core::plan::PlannedAction) -> Built {
    let Some(past) = history::latest(said.input.history, |_| true) else {
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    };
    set(&mut action, "title", Some(title(&history::label(past))));
    Built::Act(action)
}

/// What to do, and why, as a clause behind a comma tells.
fn reason(text: &str) -> (String, Option<String>) {
    const WHY: [&str; 7] = [", it's ", ", its ", ", it is ", ", she's ", ", he's ", ", because ", ", they "];
    let at = WHY.iter().filter_map(|why| text.find(why)).min();
    match at {
        Some(at) => (tidy(&text[..at]), Some(tidy(&text[at..]))),
        None => (text.to_owned(), None),
    }
}
