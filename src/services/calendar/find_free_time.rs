//! `find_free_time`: find free slots.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::frame;
use super::{CalendarService, free};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::ports::records::millis;
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::error::ServiceError;
use crate::services::pages::{self, Page};
use crate::services::show::{self, Paging};

/// Length of a free slot when none was said, and the longest one.
const SLOT_MINUTES: (u32, u32) = (30, 24 * 60);

/// Find free slots.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindFreeTime {
    from: Option<String>,
    to: Option<String>,
    /// Length of the slot wanted.
    minutes: Option<u32>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

/// A free span, as RFC 3339.
#[derive(Debug, Serialize, Deserialize)]
pub struct FreeSlot {
    start: String,
    end: String,
}

/// Spans in which at least `minutes` are free.
#[derive(Debug, Serialize, Deserialize)]
pub struct FreeTime {
    slots: Vec<FreeSlot>,
    minutes: u32,
    /// How many more there are.
    more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl FindFreeTime {
    fn paging<'a>(&'a self, output: &'a FreeTime) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

impl Command for FindFreeTime {
    type Output = FreeTime;

    const NAME: &'static str = "find_free_time";
    const SUMMARY: &'static str = "find free slots";
    const EXAMPLE: &'static str = "When am I free on Thursday for an hour?";
    const STATUS: &'static str = "Looking for free time…";
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
        CardBody::titled("Look for free time?")
    }

    fn receipt(&self, output: &FreeTime, receipt: &Receipt<'_>) -> String {
        let line = |slot: &FreeSlot| format!("▫️ {}", show::span(&slot.start, Some(&slot.end), receipt.reference));
        let place = self.paging(output);
        let list = || show::page(output.slots.iter().map(line).collect(), place);
        match (place.after, output.slots.is_empty()) {
            (None, true) => format!("🕑 No free {} minutes there.", output.minutes),
            (None, false) => format!("🕑 Free:\n{}", list()),
            (Some(_), _) => list(),
        }
    }

    fn next_page(&self, output: &FreeTime) -> Option<(usize, Self)> {
        let (rest, after) = pages::rest(self.paging(output), output.slots.len())?;
        let (from, to, minutes) = (self.from.clone(), self.to.clone(), self.minutes);
        Some((rest, Self { from, to, minutes, after: Some(after) }))
    }

    fn attempt(&self, _: &Action) -> String {
        "look for free time".to_owned()
    }
}

#[async_trait]
impl Handle<FindFreeTime> for CalendarService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, FindFreeTime>) -> Result<Completed<FreeTime>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let minutes = match command.minutes {
            None | Some(0) => SLOT_MINUTES.0,
            Some(minutes) => minutes.min(SLOT_MINUTES.1),
        };
        let frame = frame(command.from.as_deref(), command.to.as_deref(), ctx)?;
        let from = frame.from.max(free::round_up(ctx.now));
        let windows = free::windows(from, frame.to.max(from), frame.clock_times, ctx.zone);
        let busy = self.between(ctx, from, frame.to.max(from)).await?;
        let busy =
            busy.iter().filter(|(_, o)| !o.is_whole_day() && o.from < o.to).map(|(_, o)| (o.from, o.to)).collect();
        let gaps = free::gaps(&windows, busy, Duration::minutes(i64::from(minutes)));
        let slot =
            |(from, to): &free::Span| FreeSlot { start: super::stored(*from, ctx), end: super::stored(*to, ctx) };
        let Page { rows, more, next } = pages::behind(gaps, command.after.as_deref(), |(from, _)| millis(*from));
        Ok(Completed::read(FreeTime { slots: rows.iter().map(slot).collect(), minutes, more, next }))
    }
}
