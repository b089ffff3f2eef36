//! What lies ahead of a person, as lines: for `/today`, `/week` and the morning briefing.
//!
//! What there is: `queries::agenda`. A service that does not answer is named.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::queries::agenda::{AgendaPage, page};
use crate::queries::questions;
use brain_core::core::notification::late_by;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::{capital, shorten, visible};
use brain_core::ports::StoreError;
use brain_language::language::time::{DateOrder, Grain, Reference, describe, local_instant};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::service::{AgendaItem, AgendaKind};
use brain_services::services::contract::show::Paging;

/// Characters of a title in a line.
const TITLE_CHARS: usize = 100;

/// Lines, and what they hold of others' words.
#[derive(Debug, Default)]
pub struct Agenda {
    /// Empty when there is nothing; the last one says how many more there are.
    pub lines: Vec<String>,
    /// How many more there are, of what is not overdue.
    pub more: usize,
    /// What the next page goes on after.
    pub next: Option<String>,
    /// For taint in later turns.
    pub untrusted: Vec<UntrustedText>,
}

/// A page of the lines of the days `from..to` in the person's zone; `to` is not among them. Several days get a line of
/// their own each. What is overdue comes first.
pub async fn agenda(
    brain: &Brain,
    ctx: &RequestContext,
    from: NaiveDate,
    to: NaiveDate,
    behind: Option<&str>,
) -> Agenda {
    let page = page(&brain.services, ctx, from, to, behind).await;
    let untrusted = page.untrusted();
    let AgendaPage { silent, overdue, items, more, next } = page;
    let hole = |(place, error): &(String, ServiceError)| format!("⚠️ I couldn't look into {place}: {error}");
    let mut lines: Vec<String> = silent.iter().map(hole).collect();
    lines.extend(overdue.rows.iter().map(|item| late(item, ctx)));
    if overdue.more > 0 {
        lines.push(format!("… and {} more overdue: /tasks has them all.", overdue.more));
    }
    let several = from.checked_add_days(Days::new(1)).is_some_and(|next| next < to);
    let mut day = None;
    for (first, item) in &items {
        if several && day != Some(first) {
            day = Some(first);
            lines.push(format!("{}{}", if lines.is_empty() { "" } else { "\n" }, heading(*first, ctx)));
        }
        lines.push(line(item, ctx.zone));
    }
    let end = Paging { after: behind, next: next.as_deref(), more }.end();
    lines.extend(Some(end).filter(|end| !end.is_empty()));
    Agenda { lines, more, next, untrusted }
}

fn heading(day: NaiveDate, ctx: &RequestContext) -> String {
    let midnight = local_instant(ctx.zone, day.and_time(NaiveTime::MIN)).earliest();
    capital(&describe(midnight, Grain::Day, &reference(ctx)))
}

fn reference(ctx: &RequestContext) -> Reference {
    Reference { now: ctx.now, zone: ctx.zone, order: DateOrder::DayFirst }
}

/// `Mon 12 Jan`, with the year where it is another.
fn plain(day: NaiveDate, ctx: &RequestContext) -> String {
    let same_year = day.year() == ctx.now.with_timezone(&ctx.zone).year();
    day.format(if same_year { "%a %-d %b" } else { "%a %-d %b %Y" }).to_string()
}

fn title(item: &AgendaItem) -> String {
    visible(&shorten(&item.title, TITLE_CHARS))
}

fn late(item: &AgendaItem, ctx: &RequestContext) -> String {
    format!("❗ {} — since {}", title(item), plain(item.at.with_timezone(&ctx.zone).date_naive(), ctx))
}

/// `09:30–10:00 Standup, Room 4`, `▫️ 17:00 Call mom`.
fn line(item: &AgendaItem, zone: Tz) -> String {
    let clock = |at: DateTime<Utc>| at.with_timezone(&zone).format("%H:%M").to_string();
    let mark = match item.kind {
        AgendaKind::Overdue | AgendaKind::Task => "▫️",
        AgendaKind::Event => "🗓",
    };
    let time = match (item.whole_day, item.until) {
        (true, _) => String::new(),
        (false, Some(until)) => format!("{}–{} ", clock(item.at), clock(until)),
        (false, None) => format!("{} ", clock(item.at)),
    };
    let place = item.place.as_ref().map(|place| format!(", {}", visible(&shorten(place, TITLE_CHARS))));
    format!("{mark} {time}{}{}", title(item), place.unwrap_or_default())
}

/// The morning's message: the day, what is overdue, and what waits for a yes. `meant`: when it was due.
pub async fn briefing(brain: &Brain, ctx: &RequestContext, meant: DateTime<Utc>) -> String {
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    let Agenda { mut lines, more, .. } = agenda(brain, ctx, today, tomorrow, None).await;
    if more > 0 {
        // A briefing is no list that is gone on with.
        lines.pop();
        lines.push(format!("… and {more} more: /today"));
    }
    let waiting = waiting(brain, ctx).await;
    match waiting {
        Ok(0) => {}
        Ok(1) => lines.push("⏳ 1 thing waits for your yes or no: /pending".to_owned()),
        Ok(n) => lines.push(format!("⏳ {n} things wait for your yes or no: /pending")),
        Err(error) => lines.push(format!("⚠️ I couldn't look what waits for you: {error}")),
    }
    let greeting = late_by(meant, ctx.now).map_or("Good morning!".to_owned(), |late| format!("Your briefing, {late}."));
    if lines.is_empty() {
        return format!("☀️ {greeting} Nothing on your calendar and nothing due today.");
    }
    format!("☀️ {greeting} {}:\n{}", plain(today, ctx), lines.join("\n"))
}

/// How many cards and costly questions wait for a yes.
async fn waiting(brain: &Brain, ctx: &RequestContext) -> Result<usize, StoreError> {
    let cards = brain.open_pending(&ctx.chat).await?;
    let questions = questions::waiting(&brain.view().await?, Some((&ctx.owner, &ctx.chat))).await?;
    Ok(cards.iter().filter(|pending| pending.owner == ctx.owner).count() + questions.len())
}
