//! `/today`, `/week`, `/tasks`: what lies ahead. The lines of days are those of the morning briefing.

use chrono::{Days, NaiveDate};

use super::view;
use crate::core::pending::Pending;
use crate::core::text::{shorten, visible};
use crate::core::turn::Path;
use crate::limits::LIST_ROWS_MAX;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent;
use crate::pipeline::intake::agenda::{Agenda, agenda};
use crate::ports::StoreError;
use crate::services::service::{Listing, RequestContext, ToDo};
use crate::services::show::Moment;

/// Characters of a title in a list.
const TITLE_CHARS: usize = 120;

fn says(text: String) -> Answer {
    Answer::says(Path::Command, text)
}

/// Today: what lies in it, what is overdue, open cards.
pub(super) async fn today(brain: &Brain, ctx: &RequestContext) -> Result<Answer, StoreError> {
    let day = ctx.now.with_timezone(&ctx.zone).date_naive();
    let Agenda { lines, untrusted } = agenda(brain, ctx, day, after(day, 1)).await;
    let open: Vec<Pending> =
        brain.open_pending(&ctx.chat).await?.into_iter().filter(|pending| pending.owner == ctx.owner).collect();
    let head = format!("☀️ Today, {}", day.format("%A %-d %B"));
    if lines.is_empty() && open.is_empty() {
        let undated = undated(brain, ctx).await;
        return Ok(says(format!("{head}\nNothing on today. Enjoy it, or tell me what to add.{undated}")));
    }
    let mut sections = vec![head];
    if !lines.is_empty() {
        sections.push(lines.join("\n"));
    }
    if !open.is_empty() {
        sections.push(format!("✋ Waiting for your yes or no\n{}", open_cards(brain, ctx, &open)));
    }
    Ok(says(sections.join("\n\n")).holding(untrusted))
}

/// The seven days from today on, by day.
pub(super) async fn week(brain: &Brain, ctx: &RequestContext) -> Answer {
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let end = after(today, 7);
    let last = end.pred_opt().unwrap_or(end);
    let Agenda { lines, untrusted } = agenda(brain, ctx, today, end).await;
    let head = format!("🗓 {} – {}", today.format("%a %-d %b"), last.format("%a %-d %b"));
    if lines.is_empty() {
        let undated = undated(brain, ctx).await;
        return says(format!("{head}\nNothing in the next seven days. A good time for plans.{undated}"));
    }
    says(format!("{head}\n\n{}", lines.join("\n"))).holding(untrusted)
}

fn after(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

/// Open tasks, overdue ones first.
pub(super) async fn tasks(brain: &Brain, ctx: &RequestContext) -> Answer {
    let Listing { rows: tasks, more: hidden, untrusted, .. } = match view::to_dos(brain, ctx, None).await {
        Ok(found) => found,
        Err(why) => return says(format!("❗ I could not look at your tasks: {why}")),
    };
    if tasks.is_empty() {
        let nothing = "Nothing on your list. 🎉 Tell me “add milk to my tasks”, or “remind me to call mom at 5pm”.";
        return says(nothing.to_owned());
    }
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let is_late = |task: &&ToDo| task.due.is_some_and(|due| day_of(due) < today);
    let (late, rest): (Vec<&ToDo>, Vec<&ToDo>) = tasks.iter().partition(is_late);
    let all = tasks.len() + hidden;
    let shown_late = late.len().min(LIST_ROWS_MAX);
    let mut text = format!("📋 {all} open task{}", if all == 1 { "" } else { "s" });
    if !late.is_empty() {
        let lines = late.iter().take(LIST_ROWS_MAX).map(|task| task_line(task, ctx, Style::Overdue));
        text.push_str(&format!("\n\n❗ Overdue\n{}", lines.collect::<Vec<_>>().join("\n")));
    }
    let shown: Vec<String> =
        rest.iter().take(LIST_ROWS_MAX - shown_late).map(|task| task_line(task, ctx, Style::Day)).collect();
    if !shown.is_empty() {
        text.push_str(&format!("\n\n{}", shown.join("\n")));
    }
    let more = all - shown_late - shown.len();
    if more > 0 {
        text.push_str(&format!("\n… and {more} more."));
    }
    says(text).holding(untrusted)
}

/// One line a card: what, until when, its id.
pub(super) fn open_cards(brain: &Brain, ctx: &RequestContext, open: &[Pending]) -> String {
    let line = |pending: &Pending| {
        let until = pending.expires_at.with_timezone(&ctx.zone).format("%a %-d %b %H:%M");
        format!("▫️ {} — until {until} · {}", consent::title(brain, pending), pending.id)
    };
    open.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// How a task tells its time.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// In a list of many days.
    Day,
    /// In the past.
    Overdue,
}

fn task_line(task: &ToDo, ctx: &RequestContext, style: Style) -> String {
    let urgent = if task.urgent { "❗ " } else { "" };
    let repeats = if task.repeats { " 🔁" } else { "" };
    let title = format!("{urgent}{}{repeats}", visible(&shorten(&task.title, TITLE_CHARS)));
    match (task.due, style) {
        (None, _) => format!("▫️ {title}"),
        (Some(due), Style::Day) => format!("▫️ {title} — {}", due.show(&ctx.reference())),
        (Some(due), Style::Overdue) => format!("▫️ {title} — was due {}", due.show(&ctx.reference())),
    }
}

/// The day of it in the person's zone.
fn day_of(due: Moment) -> NaiveDate {
    match due {
        Moment::Instant(at) => at.date_naive(),
        Moment::Day(day) => day,
    }
}

/// Tasks without a day are on no day's list.
async fn undated(brain: &Brain, ctx: &RequestContext) -> String {
    // A list that cannot be read was named already, among the lines.
    match view::undated(brain, ctx).await.unwrap_or_default() {
        0 => String::new(),
        1 => " (1 task without a day is in /tasks.)".to_owned(),
        many => format!(" ({many} tasks without a day are in /tasks.)"),
    }
}
