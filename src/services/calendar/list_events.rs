//! `list_events`: show what is on the calendar.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CalendarService;
use super::values::frame;
use super::view::EventView;
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::limits::RESULT_ROWS_MAX;
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::error::ServiceError;
use crate::services::items;
use crate::services::show;

/// Show what is on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEvents {
    /// A day or a span in the person's own words is enough; empty: the coming week.
    from: Option<String>,
    to: Option<String>,
}

/// What takes place in a span, in order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Events {
    events: Vec<EventView>,
    /// The span that was looked at, as RFC 3339; its end is exclusive.
    from: String,
    to: String,
    /// How many more there are.
    more: usize,
}

impl Events {
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
            base: Base::Now,
            past: PastTimes::Fine,
        }]
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look at your calendar?")
    }

    fn receipt(&self, output: &Events, receipt: &Receipt<'_>) -> String {
        if output.events.is_empty() {
            let span = show::span(&output.from, output.last_day().as_deref(), receipt.reference);
            return format!("📅 Nothing on your calendar, {span}.");
        }
        let lines = output.events.iter().map(|event| event.line(receipt.reference)).collect();
        format!("📅 {}", show::list(lines, output.more))
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
        let output = Events {
            events: found.iter().take(RESULT_ROWS_MAX).map(|(event, o)| EventView::of(event, Some(o))).collect(),
            from: super::stored(frame.from, ctx),
            to: super::stored(frame.to, ctx),
            more: found.len().saturating_sub(RESULT_ROWS_MAX),
        };
        Ok(Completed::read(output).holding(items::untrusted(found.iter().map(|(event, _)| event))))
    }
}
