//! `/today`, `/week`, `/tasks`, `/pending`: what lies ahead, as in the morning briefing, and what waits.

use chrono::{Days, NaiveDate};

use super::agenda::{Agenda, agenda};
use super::{memory, pages};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::listed;
use crate::pipeline::consent::waiting::{StillWaiting, card_line};
use crate::pipeline::stages::investigate;
use crate::pipeline::turn::TurnFacts;
use crate::queries;
use crate::queries::pending::OpenPage;
use crate::queries::services;
use brain_core::core::pending::Pending;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits::LIST_ROWS_MAX;
use brain_core::ports::records::millis;
use brain_core::ports::{Key, Record as _, StoreError};
use brain_services::services::contract::capabilities::{Listing, ToDo};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::show::{Moment, Paging};

/// Characters of a title in a list.
const TITLE_CHARS: usize = 120;

/// A list of ours that goes on in pages.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) enum List {
    Today,
    Week,
    Tasks,
    Pending,
    Memory,
}

impl List {
    /// What pages are kept under.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Week => "week",
            Self::Tasks => "tasks",
            Self::Pending => "pending",
            Self::Memory => "remembered",
        }
    }
}

/// The list of this name behind that place; `None` when there is none.
pub(super) async fn next_page(
    brain: &Brain,
    facts: &TurnFacts,
    name: &str,
    after: &str,
) -> Result<Option<Answer>, StoreError> {
    let all = [List::Today, List::Week, List::Tasks, List::Pending, List::Memory];
    let Some(list) = all.into_iter().find(|list| list.name() == name) else { return Ok(None) };
    shown(brain, facts, list, Some(after)).await.map(Some)
}

/// A list from its beginning, or behind a place in it.
pub(in crate::pipeline) async fn shown(
    brain: &Brain,
    facts: &TurnFacts,
    list: List,
    after: Option<&str>,
) -> Result<Answer, StoreError> {
    match list {
        List::Today => today(brain, facts, after).await,
        List::Week => week(brain, facts, after).await,
        List::Tasks => tasks(brain, facts, after).await,
        List::Pending => pending(brain, facts, after).await,
        List::Memory => memory::show(brain, facts, after).await,
    }
}

fn says(text: String) -> Answer {
    Answer::says(Path::Command, text)
}

/// Today: what lies in it, what is overdue, open cards.
async fn today(brain: &Brain, facts: &TurnFacts, behind: Option<&str>) -> Result<Answer, StoreError> {
    let ctx = &facts.ctx;
    let day = ctx.now.with_timezone(&ctx.zone).date_naive();
    let Agenda { lines, more, next, mut untrusted } = agenda(brain, ctx, day, after(day, 1), behind).await;
    if behind.is_some() {
        return Ok(pages::list(brain, facts, lines.join("\n"), List::Today.name(), next, more)?.holding(untrusted));
    }
    let head = format!("☀️ Today, {}", day.format("%A %-d %B"));
    let waiting = StillWaiting::of(brain, facts).await?;
    if lines.is_empty() && waiting.is_empty() {
        let undated = undated(brain, ctx).await;
        return Ok(says(format!("{head}\nNothing on today. Enjoy it, or tell me what to add.{undated}")));
    }
    let mut sections = vec![head];
    if !lines.is_empty() {
        sections.push(lines.join("\n"));
    }
    sections.extend(waiting.section(brain, ctx.zone));
    untrusted.extend(waiting.untrusted());
    Ok(pages::list(brain, facts, sections.join("\n\n"), List::Today.name(), next, more)?.holding(untrusted))
}

/// The seven days from today on, by day.
async fn week(brain: &Brain, facts: &TurnFacts, behind: Option<&str>) -> Result<Answer, StoreError> {
    let ctx = &facts.ctx;
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let end = after(today, 7);
    let last = end.pred_opt().unwrap_or(end);
    let Agenda { lines, more, next, untrusted } = agenda(brain, ctx, today, end, behind).await;
    let head = format!("🗓 {} – {}", today.format("%a %-d %b"), last.format("%a %-d %b"));
    let text = match (behind, lines.is_empty()) {
        (Some(_), _) => lines.join("\n"),
        (None, false) => format!("{head}\n\n{}", lines.join("\n")),
        (None, true) => {
            let undated = undated(brain, ctx).await;
            format!("{head}\nNothing in the next seven days. A good time for plans.{undated}")
        }
    };
    Ok(pages::list(brain, facts, text, List::Week.name(), next, more)?.holding(untrusted))
}

fn after(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

/// Open tasks, overdue ones first.
async fn tasks(brain: &Brain, facts: &TurnFacts, behind: Option<&str>) -> Result<Answer, StoreError> {
    let ctx = &facts.ctx;
    let Listing { rows: tasks, more, next, untrusted } = match services::to_dos(&brain.services, ctx, behind).await {
        Ok(found) => found,
        Err(why) => return Ok(says(format!("❗ I could not look at your tasks: {why}"))),
    };
    if tasks.is_empty() && behind.is_none() {
        let nothing = "Nothing on your list. 🎉 Tell me “add milk to my tasks”, or “remind me to call mom at 5pm”.";
        return Ok(says(nothing.to_owned()));
    }
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let is_late = |task: &&ToDo| task.due.is_some_and(|due| day_of(due) < today);
    let (late, rest): (Vec<&ToDo>, Vec<&ToDo>) = tasks.iter().partition(is_late);
    let mut sections = Vec::new();
    if behind.is_none() {
        let all = tasks.len() + more;
        sections.push(format!("📋 {all} open task{}", if all == 1 { "" } else { "s" }));
    }
    if !late.is_empty() {
        let lines = late.iter().map(|task| task_line(task, ctx, DueStyle::Overdue));
        sections.push(format!("❗ Overdue\n{}", lines.collect::<Vec<_>>().join("\n")));
    }
    let mut shown: Vec<String> = rest.iter().map(|task| task_line(task, ctx, DueStyle::Day)).collect();
    let end = Paging { after: behind, next: next.as_deref(), more }.end();
    shown.extend(Some(end).filter(|end| !end.is_empty()));
    if !shown.is_empty() {
        sections.push(shown.join("\n"));
    }
    Ok(pages::list(brain, facts, sections.join("\n\n"), List::Tasks.name(), next, more)?.holding(untrusted))
}

/// What waits for a yes or no here: cards, oldest first, then costly questions.
pub(in crate::pipeline) async fn pending(
    brain: &Brain,
    facts: &TurnFacts,
    behind: Option<&str>,
) -> Result<Answer, StoreError> {
    let ctx = &facts.ctx;
    let StillWaiting { mut questions, .. } = StillWaiting::of(brain, facts).await?;
    if facts.open.is_empty() && questions.is_empty() && behind.is_none() {
        return Ok(says("Nothing is waiting for your yes or no.".to_owned()));
    }
    let (open, more, next) = if facts.open.len() <= LIST_ROWS_MAX && behind.is_none() {
        (facts.open.clone(), 0, None)
    } else {
        cards_behind(brain, facts, behind).await?
    };
    // Below the last of the cards.
    let hidden =
        if more > 0 { std::mem::take(&mut questions).len() } else { questions.len().saturating_sub(LIST_ROWS_MAX) };
    questions.truncate(LIST_ROWS_MAX);
    let rows = open.iter().map(|card| card_line(brain, ctx.zone, card));
    let rows = rows.chain(questions.iter().map(|question| question.line(ctx.zone)));
    let numbered = rows.enumerate().map(|(row, line)| format!("{}. {line}", row + 1));
    let mut lines = vec![numbered.collect::<Vec<_>>().join("\n")];
    let mut buttons = listed::buttons(brain, &open, None);
    buttons.extend(listed::question_buttons(&questions, open.len()));
    lines.push(Paging { after: behind, next: next.as_deref(), more }.end());
    if hidden > 0 && more == 0 {
        lines.push(format!("… and {hidden} more questions."));
    }
    if behind.is_none() {
        lines.insert(0, "Waiting for your yes or no:".to_owned());
        lines.push(
            "Say a number to see that one again, “yes 1” or “no to 1” to decide it, or use its buttons.".to_owned(),
        );
    }
    lines.retain(|line| !line.is_empty());
    let mut answer = pages::list(brain, facts, lines.join("\n"), List::Pending.name(), next, more)?;
    answer.replies.iter_mut().for_each(|reply| reply.buttons.splice(0..0, buttons.clone()).for_each(drop));
    // A plain yes or no is for the only thing that waits, unless something else was asked.
    if let ([], [only], None) = (open.as_slice(), questions.as_slice(), facts.open_question()) {
        answer.clarification = investigate::asks_again(facts, only);
    }
    Ok(answer)
}

/// A page of the cards that wait here, how many more there are, and where the next page begins.
async fn cards_behind(
    brain: &Brain,
    facts: &TurnFacts,
    behind: Option<&str>,
) -> Result<(Vec<Pending>, usize, Option<String>), StoreError> {
    let chat = facts.chat();
    let behind = behind.and_then(|behind| behind.split_once(' '));
    let after = behind.map(|(at, id)| Key::of(&[chat.as_str(), at, id]));
    let view = brain.view().await?;
    let OpenPage { entries, .. } = queries::pending::open_page(&view, Some(chat), after, LIST_ROWS_MAX).await?;
    let mut open = Vec::new();
    for entry in &entries {
        let card = queries::pending::pending(&view.moment, &entry.id).await?.map(|(card, _)| card);
        open.extend(card.filter(|card| card.state.is_open() && card.owner == *facts.owner()));
    }
    let Some(last) = entries.last() else { return Ok((open, 0, None)) };
    let more = queries::pending::open_behind(&view, Some(chat), Some(last.key())).await?;
    let next = (more > 0).then(|| format!("{} {}", millis(last.created_at), last.id));
    Ok((open, more, next))
}

/// How a task tells its time.
#[derive(Debug, Clone, Copy)]
enum DueStyle {
    /// In a list of many days.
    Day,
    /// In the past.
    Overdue,
}

fn task_line(task: &ToDo, ctx: &RequestContext, style: DueStyle) -> String {
    let urgent = if task.urgent { "❗ " } else { "" };
    let repeats = if task.repeats { " 🔁" } else { "" };
    let title = format!("{urgent}{}{repeats}", visible(&shorten(&task.title, TITLE_CHARS)));
    match (task.due, style) {
        (None, _) => format!("▫️ {title}"),
        (Some(due), DueStyle::Day) => format!("▫️ {title} — {}", due.show(&ctx.reference())),
        (Some(due), DueStyle::Overdue) => format!("▫️ {title} — was due {}", due.show(&ctx.reference())),
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
    match services::undated(&brain.services, ctx).await.unwrap_or_default() {
        0 => String::new(),
        1 => " (1 task without a day is in /tasks.)".to_owned(),
        many => format!(" ({many} tasks without a day are in /tasks.)"),
    }
}
