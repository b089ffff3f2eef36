//! `list_events`: show what is on the calendar, and what is to be done in that time.

use async_trait::async_trait;
use chrono::{DateTime, Duration, NaiveDate};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CalendarService;
use super::record::{Event, Occurrence};
use super::values::frame;
use super::view::EventView;
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::language::time::Reference;
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::pages::{self, Page};
use crate::services::service::{AgendaItem, RequestContext};
use crate::services::show::{self, Moment, Paging};

/// Show what is on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEvents {
    /// A day or a span in the person's own words is enough; empty: the coming week.
    from: Option<String>,
    to: Option<String>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

/// What takes place in a span, in order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Events {
    events: Vec<EventView>,
    /// What is to be done in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    due: Vec<DueThen>,
    /// The span that was looked at, as RFC 3339; its end is exclusive.
    from: String,
    to: String,
    /// How many more there are.
    more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// What a line is about.
enum Line {
    Event(Box<(Event, Occurrence)>),
    Due(AgendaItem),
}

/// Something to be done.
#[derive(Debug, Serialize, Deserialize)]
struct DueThen {
    title: String,
    /// In its stored form, see [`Moment::store`].
    at: String,
}

impl DueThen {
    fn of(item: &AgendaItem, ctx: &RequestContext) -> Self {
        let at = item.at.with_timezone(&ctx.zone);
        let moment = if item.whole_day { Moment::Day(at.date_naive()) } else { Moment::Instant(at) };
        Self { title: item.title.clone(), at: moment.store() }
    }

    fn line(&self, reference: &Reference) -> String {
        format!("⏰ {} — {}", show::time(&self.at, reference), self.title)
    }
}

/// Where a line stands: by day, what is for the whole of it first.
fn place(at: &str, reference: &Reference) -> Option<(NaiveDate, bool, DateTime<Tz>)> {
    let moment = Moment::read(at, reference.zone)?;
    let start = moment.start(reference.zone);
    Some((start.date_naive(), matches!(moment, Moment::Instant(_)), start))
}

impl Events {
    /// Events and what is to be done, in order.
    fn lines(&self, reference: &Reference) -> Vec<String> {
        let events = self.events.iter().map(|event| (place(&event.start_time, reference), event.line(reference)));
        let due = self.due.iter().map(|due| (place(&due.at, reference), due.line(reference)));
        let mut lines: Vec<_> = events.chain(due).collect();
        lines.sort_by_key(|(place, _)| *place);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// The end of the span is exclusive; people name its last day.
    fn last_day(&self) -> Option<String> {
        let end = chrono::DateTime::parse_from_rfc3339(&self.to).ok()?;
        Some((end - Duration::seconds(1)).to_rfc3339())
    }
}

impl Command for ListEvents {
    type Output = Events;

    const NAME: &'static str = "list_events";
    const SUMMARY: &'static str = "show what is on the calendar";
    const EXAMPLE: &'static str = "What do I have tomorrow?";
    const STATUS: &'static str = "Checking your calendar…";
    const STAKES: Stakes = Stakes::Low;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::Span {
            param: "from",
            start: &mut self.from,
            end: &mut self.to,
            repeat: None,
            base: Base::Now,
            past: PastTimes::Fine,
        }]
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look at your calendar?")
    }

    fn receipt(&self, output: &Events, receipt: &Receipt<'_>) -> String {
        let span = || show::span(&output.from, output.last_day().as_deref(), receipt.reference);
        let place = Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more };
        let list = || show::page(output.lines(receipt.reference), place);
        match (place.after, output.events.is_empty(), output.due.is_empty()) {
            (Some(_), _, _) => list(),
            (None, true, true) => format!("📅 Nothing on your calendar, {}.", span()),
            (None, true, false) => format!("📅 Nothing on your calendar, {}. To do then:\n{}", span(), list()),
            (None, false, _) => format!("📅 {}", list()),
        }
    }

    fn next_page(&self, output: &Events) -> Option<(usize, Self)> {
        let (from, to) = (Some(output.from.clone()), Some(output.to.clone()));
        pages::rest(&output.next, output.events.len() + output.due.len(), output.more)
            .map(|(rest, after)| (rest, Self { from, to, after: Some(after) }))
    }

    fn attempt(&self, _: &Action) -> String {
        "look at your calendar".to_owned()
    }
}

#[async_trait]
impl Handle<ListEvents> for CalendarService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListEvents>) -> Result<Completed<Events>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let frame = frame(command.from.as_deref(), command.to.as_deref(), ctx)?;
        let found = self.between(ctx, frame.from, frame.to).await?;
        let due = self.due_between(ctx, frame.from, frame.to).await?;
        let found = found.into_iter().map(|(event, o)| {
            let place = super::agenda_item(&event, &o).place(ctx.zone);
            (place, Line::Event(Box::new((event, o))))
        });
        let mut lines: Vec<(String, Line)> =
            found.chain(due.into_iter().map(|item| (item.place(ctx.zone), Line::Due(item)))).collect();
        lines.sort_by(|(a, _), (b, _)| a.cmp(b));
        let Page { rows, more, next } = pages::behind(lines, command.after.as_deref(), |(place, _)| place.clone());
        let (from, to) = (super::stored(frame.from, ctx), super::stored(frame.to, ctx));
        let mut output = Events { events: Vec::new(), due: Vec::new(), from, to, more, next };
        let mut untrusted = Vec::new();
        for (_, line) in rows {
            match line {
                Line::Event(of) => {
                    untrusted.extend(of.0.untrusted());
                    output.events.push(EventView::of(&of.0, Some(&of.1)));
                }
                Line::Due(item) => {
                    output.due.push(DueThen::of(&item, ctx));
                    untrusted.extend(item.untrusted);
                }
            }
        }
        Ok(Completed::read(output).holding(untrusted))
    }
}
