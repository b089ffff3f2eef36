//! What planners are shown beside the conversation: what is replied to, and the dates that they get wrong. Not here:
//! the conversation itself (`core::history`).

use chrono::{Datelike, Duration, Weekday};

use crate::pipeline::turn::TurnFacts;
use brain_core::core::text::shorten;

/// The message of ours that the request replies to, with what it was about, and what of it is quoted.
pub(super) fn replied_line(facts: &TurnFacts) -> Option<String> {
    let message = facts.replied_message.as_ref()?;
    let about = message.actions.iter().map(|past| format!(" {}", past.named())).collect::<String>();
    let quote = facts.incoming.quote.as_ref().map(|quote| format!("; it quotes: {}", shorten(quote, 400)));
    let quote = quote.unwrap_or_default();
    Some(format!("The request replies to your message: {}{about}{quote}", shorten(&message.text, 400)))
}

/// Dates that models get wrong when they compute them, and that are the same all day.
pub(super) fn days(facts: &TurnFacts) -> Vec<String> {
    let now = facts.as_written().now.with_timezone(&facts.ctx.zone);
    let day = |days: i64| (now + Duration::days(days)).date_naive();
    let to_monday = i64::from((7 - now.weekday().num_days_from_monday()) % 7);
    let to_monday = if now.weekday() == Weekday::Mon { 7 } else { to_monday };
    vec![
        format!("today = {}", day(0)),
        format!("tomorrow = {} ({})", day(1), day(1).weekday()),
        format!("next Monday = {}", day(to_monday)),
    ]
}
