//! `find_free_time`: find free slots.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free;
use super::record::NAME;
use super::service::CalendarService;
use super::values::frame;
use crate::services::contract::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::show::{self, Paging};
use brain_core::core::card::CardBody;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::records::millis;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::ClauseReading;
use brain_language::language::time;
use brain_language::language::time::{Reference, When};

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
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
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
        let busy = busy.iter().filter(|(event, o)| event.takes_time(o)).map(|(_, o)| (o.from, o.to)).collect();
        let gaps = free::gaps(&windows, busy, Duration::minutes(i64::from(minutes)));
        let slot =
            |(from, to): &free::Interval| FreeSlot { start: super::stored(*from, ctx), end: super::stored(*to, ctx) };
        let Page { rows, more, next } = pages::behind(gaps, command.after.as_deref(), |(from, _)| millis(*from));
        Ok(Completed::read(FreeTime { slots: rows.iter().map(slot).collect(), minutes, more, next }))
    }
}

/// What a free hour is wanted for, and when such things happen.
const OCCASIONS: [(&str, &str, &str, u32); 6] = [
    ("breakfast", "7am", "10am", 60),
    ("brunch", "10am", "1pm", 90),
    ("lunch", "noon", "2pm", 60),
    ("coffee", "9am", "6pm", 30),
    ("dinner", "6pm", "9pm", 90),
    ("call", "9am", "6pm", 30),
];

/// A search for free time from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "find_free_time");
    let text = said.typed();
    let occasion = OCCASIONS.iter().find(|(name, ..)| text.contains(&format!(" {name}")));
    let words = said.moment("", &[]).map(|words| words.text);
    let split = words.as_deref().and_then(|w| split_length(w, said.input.reference));
    let day = split.as_ref().map(|(day, _)| day.strip_prefix("on ").unwrap_or(day).to_owned()).or(words);
    let is_meal = occasion.is_some_and(|(name, ..)| !matches!(*name, "coffee" | "call"));
    let day_has_clock = day.as_deref().is_some_and(|d| d.chars().any(|c| c.is_ascii_digit()));
    match (occasion, &day) {
        (Some((_, from, to, _)), Some(day)) if is_meal && !day_has_clock && is_one_day(day) => {
            set(&mut action, "from", Some(format!("{day} at {from}")));
            set(&mut action, "to", Some(format!("{day} at {to}")));
        }
        (_, Some(day)) => set(&mut action, "from", Some(day.as_str())),
        (Some((_, from, to, _)), None)
            if is_meal && said.command() == "calendar.find_free_time" && !text.contains("when") =>
        {
            set(&mut action, "from", Some(format!("today at {from}")));
            set(&mut action, "to", Some(format!("today at {to}")));
        }
        (_, None) => {
            set(&mut action, "from", Some("now"));
            set(&mut action, "to", Some("in 7 days"));
        }
    }
    let minutes = split
        .map(|(_, minutes)| minutes)
        .or_else(|| minutes_said(said))
        .unwrap_or_else(|| occasion.map_or(60, |o| o.3));
    set(&mut action, "minutes", Some(minutes));
    Built::Act(action)
}

/// The day, and the minutes, of words that hold both.
fn split_length(words: &str, reference: &Reference) -> Option<(String, u32)> {
    let words: Vec<&str> = words.split_whitespace().collect();
    (1..words.len()).find_map(|at| {
        let (left, right) = (words[..at].join(" "), words[at..].join(" "));
        minutes_of(&right, reference)
            .map(|m| (left.clone(), m))
            .or_else(|| minutes_of(&left, reference).map(|m| (right, m)))
    })
}

fn minutes_of(words: &str, reference: &Reference) -> Option<u32> {
    let bare = words.strip_prefix("of ").unwrap_or(words);
    match time::resolve(bare, reference)? {
        Ok(When::Duration(length)) => u32::try_from(length.num_minutes()).ok().filter(|m| *m > 0),
        Ok(_) | Err(_) => None,
    }
}

fn is_one_day(words: &str) -> bool {
    !["week", "month", "days"].iter().any(|long| words.contains(long))
}

/// A length said as a time, or as a bare number of hours or minutes.
fn minutes_said(said: &ClauseReading) -> Option<u32> {
    if let Some(&length) = said.lengths(&[]).first()
        && let Some(Ok(When::Duration(d))) = said.heard.time(length).map(|f| &f.result)
    {
        return u32::try_from(d.num_minutes()).ok().filter(|m| *m > 0);
    }
    None
}
