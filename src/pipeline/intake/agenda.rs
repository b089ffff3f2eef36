//! What lies ahead of a person, as lines: for `/today`, `/week` and the morning briefing.
//!
//! Read through the services, without a model. A service that does not answer is named: an agenda with a hole
//! must not look like a free day.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use crate::core::provenance::UntrustedText;
use crate::core::text::{capital, shorten, visible};
use crate::language::time::{DateOrder, Grain, Reference, describe, local_instant};
use crate::limits::LIST_ROWS_MAX;
use crate::pipeline::brain::Brain;
use crate::services::service::{AgendaItem, AgendaKind, Listing, RequestContext};

/// Characters of a title in a line.
const TITLE_CHARS: usize = 100;

/// Lines, and what they hold of others' words.
#[derive(Debug, Default)]
pub struct Agenda {
    /// Empty when there is nothing.
    pub lines: Vec<String>,
    /// For taint in later turns.
    pub untrusted: Vec<UntrustedText>,
}

/// The lines of the days `from..to` in the person's zone; `to` is not among them. Several days get a line of their
/// own each. What is overdue comes first.
pub async fn agenda(brain: &Brain, ctx: &RequestContext, from: NaiveDate, to: NaiveDate) -> Agenda {
    let start = |day: NaiveDate| local_instant(ctx.zone, day.and_time(NaiveTime::MIN)).earliest().to_utc();
    let mut items: Vec<AgendaItem> = Vec::new();
    let mut lines = Vec::new();
    let mut overdue = Listing::default();
    for service in brain.services.now().iter() {
        let found = match service.service.overdue(ctx, start(from)).await {
            Ok(late) => {
                overdue.add(late);
                service.service.agenda(ctx, start(from), start(to)).await
            }
            Err(error) => Err(error),
        };
        match found {
            Ok(found) => items.extend(found),
            Err(error) => lines.push(format!("⚠️ I couldn't look into {}: {error}", service.info.place)),
        }
    }
    let untrusted =
        items.iter().flat_map(|item| item.untrusted.iter().cloned()).chain(overdue.untrusted.iter().cloned()).collect();
    items.sort_by(|a, b| (a.kind, !a.whole_day, a.at, &a.title).cmp(&(b.kind, !b.whole_day, b.at, &b.title)));
    overdue.rows.sort_by(|a, b| (!a.whole_day, a.at, &a.title).cmp(&(!b.whole_day, b.at, &b.title)));
    lines.extend(overdue.rows.iter().map(|item| late(item, ctx)));
    if overdue.more > 0 {
        lines.push(format!("… and {} more overdue: /tasks has them all.", overdue.more));
    }
    let mut days: BTreeMap<NaiveDate, Vec<AgendaItem>> = BTreeMap::new();
    for item in items {
        // What began before is shown on the first day.
        let day = item.at.with_timezone(&ctx.zone).date_naive().max(from);
        days.entry(day).or_default().push(item);
    }
    let several = from.checked_add_days(Days::new(1)).is_some_and(|next| next < to);
    for (day, mut items) in days {
        items.sort_by_key(|item| (!item.whole_day, item.at));
        if several {
            lines.push(format!("{}{}", if lines.is_empty() { "" } else { "\n" }, heading(day, ctx)));
        }
        lines.extend(shown(items.iter().map(|item| line(item, ctx.zone)).collect()));
    }
    Agenda { lines, untrusted }
}

/// As many lines as a list shows, and how many more there are.
fn shown(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LIST_ROWS_MAX);
    lines.truncate(LIST_ROWS_MAX);
    if more > 0 {
        lines.push(format!("… and {more} more."));
    }
    lines
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

/// The morning's message: the day, what is overdue, and what waits for a yes.
pub async fn briefing(brain: &Brain, ctx: &RequestContext) -> String {
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    let mut lines = agenda(brain, ctx, today, tomorrow).await.lines;
    let open = brain.open_pending(&ctx.chat).await;
    let waiting = open.map(|open| open.into_iter().filter(|pending| pending.owner == ctx.owner).count());
    match waiting {
        Ok(0) => {}
        Ok(1) => lines.push("⏳ 1 thing waits for your yes or no: /pending".to_owned()),
        Ok(n) => lines.push(format!("⏳ {n} things wait for your yes or no: /pending")),
        Err(error) => lines.push(format!("⚠️ I couldn't look what waits for you: {error}")),
    }
    if lines.is_empty() {
        return "☀️ Good morning! Nothing on your calendar and nothing due today.".to_owned();
    }
    format!("☀️ Good morning! {}:\n{}", plain(today, ctx), lines.join("\n"))
}
