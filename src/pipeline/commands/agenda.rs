//! `/today`, `/week`, `/tasks`: what lies ahead, as the services tell it. The morning briefing says the same.

use chrono::{DateTime, Days, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::view;
use crate::catalog::show::Moment;
use crate::core::pending::Pending;
use crate::core::text::{shorten, visible};
use crate::core::when::{self, Grain, local_instant};
use crate::limits::LIST_ROWS_MAX;
use crate::pipeline::{Brain, consent};
use crate::ports::{Scene, StoreError};

/// Characters of a title in a list.
const TITLE_CHARS: usize = 120;

/// A line with the moment it is about: `None` for a whole day.
struct Entry {
    day: NaiveDate,
    time: Option<NaiveTime>,
    line: String,
}

/// Today: events, tasks that are due or overdue, open cards.
pub async fn today(brain: &Brain, scene: &Scene) -> Result<String, StoreError> {
    let day = scene.now.with_timezone(&scene.zone).date_naive();
    let mut troubles = Vec::new();
    let (events, tasks) = tokio::join!(events(brain, scene, day, 1), view::open_tasks(brain, scene));
    let events = events.unwrap_or_else(|why| trouble(&mut troubles, "your calendar", &why));
    let (tasks, _) = tasks.unwrap_or_else(|why| trouble(&mut troubles, "your tasks", &why));
    let mut overdue = Vec::new();
    let mut due = Vec::new();
    for task in &tasks {
        match task_day(task, scene.zone) {
            Some((at, _)) if at < day => overdue.push(task_line(task, scene, Style::Overdue)),
            Some((at, _)) if at == day => due.push(task_line(task, scene, Style::Clock)),
            Some(_) | None => {}
        }
    }
    let open: Vec<Pending> =
        brain.open_pending(&scene.chat).await?.into_iter().filter(|pending| pending.owner == scene.owner).collect();
    let head = format!("☀️ Today, {}", day.format("%A %-d %B"));
    let mut sections = Vec::new();
    if !events.is_empty() {
        sections.push(section("📅 Agenda", events.into_iter().map(|entry| entry.line).collect()));
    }
    if !due.is_empty() {
        sections.push(section("⏰ Due today", due));
    }
    if !overdue.is_empty() {
        sections.push(section("❗ Overdue", overdue));
    }
    if !open.is_empty() {
        sections.push(format!("✋ Waiting for your yes or no\n{}", open_cards(brain, scene, &open)));
    }
    if sections.is_empty() && troubles.is_empty() {
        return Ok(format!("{head}\nNothing on today. Enjoy it, or tell me what to add.{}", undated(&tasks)));
    }
    sections.extend(troubles);
    Ok(format!("{head}\n\n{}", sections.join("\n\n")))
}

/// The seven days from today on, by day.
pub(super) async fn week(brain: &Brain, scene: &Scene) -> String {
    const DAYS: u64 = 7;
    let today = scene.now.with_timezone(&scene.zone).date_naive();
    let last = today.checked_add_days(Days::new(DAYS - 1)).unwrap_or(today);
    let mut troubles = Vec::new();
    let (events, tasks) = tokio::join!(events(brain, scene, today, DAYS), view::open_tasks(brain, scene));
    let mut entries = events.unwrap_or_else(|why| trouble(&mut troubles, "your calendar", &why));
    let (tasks, _) = tasks.unwrap_or_else(|why| trouble(&mut troubles, "your tasks", &why));
    let mut overdue = Vec::new();
    for task in &tasks {
        match task_day(task, scene.zone) {
            Some((day, _)) if day < today => overdue.push(task_line(task, scene, Style::Overdue)),
            Some((day, time)) if day <= last => {
                entries.push(Entry { day, time, line: task_line(task, scene, Style::Clock) });
            }
            Some(_) | None => {}
        }
    }
    entries.sort_by_key(|entry| (entry.day, entry.time));
    let mut sections = Vec::new();
    if !overdue.is_empty() {
        sections.push(section("❗ Overdue", overdue));
    }
    for day in today.iter_days().take(DAYS as usize) {
        let lines: Vec<String> = entries.iter().filter(|e| e.day == day).map(|e| e.line.clone()).collect();
        if !lines.is_empty() {
            sections.push(section(&day_name(day, today), lines));
        }
    }
    let head = format!("🗓 {} – {}", today.format("%a %-d %b"), last.format("%a %-d %b"));
    if sections.is_empty() && troubles.is_empty() {
        return format!("{head}\nNothing in the next seven days. A good time for plans.{}", undated(&tasks));
    }
    sections.extend(troubles);
    format!("{head}\n\n{}", sections.join("\n\n"))
}

/// Open tasks, overdue ones first.
pub(super) async fn tasks(brain: &Brain, scene: &Scene) -> String {
    let (tasks, hidden) = match view::open_tasks(brain, scene).await {
        Ok(found) => found,
        Err(why) => return format!("❗ I could not look at your tasks: {why}"),
    };
    if tasks.is_empty() {
        return "Nothing on your list. 🎉 Tell me “add milk to my tasks”, or “remind me to call mom at 5pm”."
            .to_owned();
    }
    let today = scene.now.with_timezone(&scene.zone).date_naive();
    let is_late = |task: &&Value| task_day(task, scene.zone).is_some_and(|(day, _)| day < today);
    let (late, rest): (Vec<&Value>, Vec<&Value>) = tasks.iter().partition(is_late);
    let all = tasks.len() + hidden;
    let shown_late = late.len().min(LIST_ROWS_MAX);
    let mut text = format!("📋 {all} open {}", if all == 1 { "task" } else { "tasks" });
    if !late.is_empty() {
        let lines = late.iter().take(LIST_ROWS_MAX).map(|task| task_line(task, scene, Style::Overdue));
        text.push_str(&format!("\n\n❗ Overdue\n{}", lines.collect::<Vec<_>>().join("\n")));
    }
    let shown: Vec<String> =
        rest.iter().take(LIST_ROWS_MAX - shown_late).map(|task| task_line(task, scene, Style::Day)).collect();
    if !shown.is_empty() {
        text.push_str(&format!("\n\n{}", shown.join("\n")));
    }
    let more = all - shown_late - shown.len();
    if more > 0 {
        text.push_str(&format!("\n… and {more} more."));
    }
    text
}

/// One line a card: what, until when, its id.
pub(super) fn open_cards(brain: &Brain, scene: &Scene, open: &[Pending]) -> String {
    let line = |pending: &Pending| {
        let until = pending.expires_at.with_timezone(&scene.zone).format("%a %-d %b %H:%M");
        format!("▫️ {} — until {until} · {}", consent::title(brain, pending), pending.id)
    };
    open.iter().map(line).collect::<Vec<_>>().join("\n")
}

async fn events(brain: &Brain, scene: &Scene, from: NaiveDate, days: u64) -> Result<Vec<Entry>, String> {
    let to = from.checked_add_days(Days::new(days)).unwrap_or(from);
    let midnight = |day: NaiveDate| {
        let at = local_instant(scene.zone, day.and_time(NaiveTime::MIN)).earliest();
        Moment::Instant(at).store()
    };
    let params = json!({"from": midnight(from), "to": midnight(to)});
    let result = view::read(brain, scene, "calendar", "list_events", params).await?;
    let (rows, more) = view::rows(&result, "events");
    let mut entries: Vec<Entry> = rows.iter().filter_map(|event| event_entry(event, scene, from)).collect();
    if more > 0 {
        let line = format!("… and {more} more events.");
        entries.push(Entry { day: to.pred_opt().unwrap_or(to), time: Some(NaiveTime::MIN), line });
    }
    Ok(entries)
}

/// An event on its first day that is shown: one that began before is told as going on.
fn event_entry(event: &Value, scene: &Scene, from: NaiveDate) -> Option<Entry> {
    let start = Moment::read(text(event, "start_time"), scene.zone)?;
    let end = Moment::read(text(event, "end_time"), scene.zone);
    let place = Some(text(event, "location")).filter(|place| !place.is_empty());
    let place = place.map_or_else(String::new, |place| format!(", {}", plain(place)));
    let title = format!("{}{place}", plain(text(event, "summary")));
    Some(match start {
        Moment::Day(day) if day < from => Entry { day: from, time: None, line: format!("▫️ all day: {title}") },
        Moment::Day(day) => Entry { day, time: None, line: format!("▫️ all day: {title}") },
        Moment::Instant(at) if at.date_naive() < from => {
            let until = end.map_or_else(String::new, |end| until(end.start(scene.zone), from));
            Entry { day: from, time: None, line: format!("▫️ …{until} {title}") }
        }
        Moment::Instant(at) => {
            let to = match end {
                Some(Moment::Instant(end)) if end > at => format!("–{}", until(end, at.date_naive())),
                Some(_) | None => String::new(),
            };
            let line = format!("▫️ {}{to} {title}", at.format("%H:%M"));
            Entry { day: at.date_naive(), time: Some(at.time()), line }
        }
    })
}

/// The end of something, with its day when that is another one.
fn until(end: DateTime<Tz>, day: NaiveDate) -> String {
    let format = if end.date_naive() == day { "%H:%M" } else { "%a %H:%M" };
    end.format(format).to_string()
}

/// How a task tells its time.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// Under its own day.
    Clock,
    /// In a list of many days.
    Day,
    /// In the past.
    Overdue,
}

fn task_line(task: &Value, scene: &Scene, style: Style) -> String {
    let urgent = if text(task, "priority") == "high" { "❗ " } else { "" };
    let repeats = if text(task, "repeat").is_empty() { "" } else { " 🔁" };
    let title = format!("{urgent}{}{repeats}", plain(text(task, "title")));
    let reference = scene.reference();
    match (task_day(task, scene.zone), style) {
        (Some((_, Some(time))), Style::Clock) => format!("▫️ {} {title}", time.format("%H:%M")),
        (Some((_, None)), Style::Clock) | (None, _) => format!("▫️ {title}"),
        (Some((day, time)), Style::Day | Style::Overdue) => {
            let at = local_instant(scene.zone, day.and_time(time.unwrap_or_default())).earliest();
            let grain = if time.is_some() { Grain::Minute } else { Grain::Day };
            let since = if matches!(style, Style::Overdue) { "was due " } else { "" };
            format!("▫️ {title} — {since}{}", when::describe(at, grain, &reference))
        }
    }
}

/// The day a task is due in the person's zone, and its time if it has one.
fn task_day(task: &Value, zone: Tz) -> Option<(NaiveDate, Option<NaiveTime>)> {
    match Moment::read(text(task, "deadline"), zone)? {
        Moment::Instant(at) => Some((at.date_naive(), Some(at.time()))),
        Moment::Day(day) => Some((day, None)),
    }
}

fn day_name(day: NaiveDate, today: NaiveDate) -> String {
    let plain = day.format("%A %-d %b");
    match (day - today).num_days() {
        0 => format!("Today, {plain}"),
        1 => format!("Tomorrow, {plain}"),
        _ => plain.to_string(),
    }
}

fn section(head: &str, lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(LIST_ROWS_MAX);
    let mut text = format!("{head}\n{}", lines.into_iter().take(LIST_ROWS_MAX).collect::<Vec<_>>().join("\n"));
    if more > 0 {
        text.push_str(&format!("\n… and {more} more."));
    }
    text
}

/// Tasks without a day are on no day's list.
fn undated(tasks: &[Value]) -> String {
    match tasks.iter().filter(|task| text(task, "deadline").is_empty()).count() {
        0 => String::new(),
        1 => " (1 task without a day is in /tasks.)".to_owned(),
        many => format!(" ({many} tasks without a day are in /tasks.)"),
    }
}

/// A part that could not be looked up is told, not left out.
fn trouble<T: Default>(troubles: &mut Vec<String>, what: &str, why: &str) -> T {
    troubles.push(format!("❗ I could not look at {what}: {why}"));
    T::default()
}

fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn plain(words: &str) -> String {
    visible(&shorten(words, TITLE_CHARS))
}
