//! The conversation as planners are shown it, and the dates that they get wrong.

use chrono::{Datelike, Duration, Weekday};

use crate::core::history::{ItemRef, PastAction};
use crate::core::text::shorten;
use crate::pipeline::turn::Facts;
use crate::ports::records::Speaker;

/// The conversation inside its token budget, newest kept.
pub(super) fn history(facts: &Facts, tokens_max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = tokens_max * 4;
    for message in facts.history.iter().rev() {
        let line = match message.speaker {
            Speaker::Person if facts.is_own(message) => format!("person: {}", message.text),
            Speaker::Person if message.origin.is_own_words() => format!("somebody else: {}", message.text),
            Speaker::Person => format!("person passed on: {}", message.text),
            Speaker::Assistant => {
                let done: Vec<String> = message.actions.iter().map(named).collect();
                format!("assistant: {} {}", shorten(&message.text, 400), done.join(" "))
            }
        };
        let Some(rest) = left.checked_sub(line.len()) else {
            break;
        };
        left = rest;
        lines.push(line);
    }
    lines.reverse();
    lines
}

fn named(past: &PastAction) -> String {
    match &past.item {
        Some(ItemRef { id, label }) => format!("[{}.{} {id} “{label}”]", past.service, past.command),
        None => format!("[{}.{}]", past.service, past.command),
    }
}

/// The message of ours that the request replies to, with what it was about, and what of it is quoted.
pub(super) fn replied_line(facts: &Facts) -> Option<String> {
    let message = facts.replied_message.as_ref()?;
    let about = message.actions.iter().map(|past| format!(" {}", named(past))).collect::<String>();
    let quote = facts.incoming.quote.as_ref().map(|quote| format!("; it quotes: {}", shorten(quote, 400)));
    let quote = quote.unwrap_or_default();
    Some(format!("The request replies to your message: {}{about}{quote}", shorten(&message.text, 400)))
}

/// Dates that models get wrong when they compute them, and that are the same all day.
pub(super) fn days(facts: &Facts) -> Vec<String> {
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
