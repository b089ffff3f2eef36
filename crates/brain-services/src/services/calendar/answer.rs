//! What was asked of the calendar, answered in a sentence; the list stands below it.

use chrono::{DateTime, Duration, NaiveTime};
use chrono_tz::Tz;

use super::list_events::{Events, ListEvents, Whether};
use super::search::WhichEvent;
use super::view::EventView;
use crate::services::contract::show::{self, Moment};
use crate::services::helpers::texts::brief;
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference};

/// Free spans that one sentence names.
const GAPS_SAID: usize = 4;

/// The answer, and whether the list below it says anything more.
pub(super) struct Answered {
    pub sentence: String,
    pub has_list: bool,
}

impl Answered {
    fn alone(sentence: String) -> Self {
        Self { sentence, has_list: false }
    }

    fn above_list(sentence: String) -> Self {
        Self { sentence, has_list: true }
    }
}

/// The answer to `asked`, from what was found.
pub(super) fn answer(asked: &ListEvents, output: &Events, reference: &Reference) -> Answered {
    match (asked.whether, asked.which, asked.names()) {
        (Some(whether), ..) => free_or_busy(whether, output, reference),
        (None, Some(which), _) => one(which, asked, output, reference),
        (None, None, true) => named(asked, output, reference),
        (None, None, false) => listed(output, reference),
    }
}

fn free_or_busy(whether: Whether, output: &Events, reference: &Reference) -> Answered {
    let span = output.span(reference);
    let busy: Vec<&EventView> = output.events.iter().filter(|event| event.takes_time()).collect();
    match (whether, busy.as_slice()) {
        (Whether::Free, []) if output.events.is_empty() => Answered::alone(format!("✅ Yes, you're free {span}.")),
        (Whether::Free, []) => Answered::above_list(format!("✅ Yes, you're free {span}; for the whole day there is:")),
        (Whether::DoubleBooked, []) => Answered::alone(match output.compared {
            0 => format!("✅ No: there is nothing at an hour on your calendar {span}."),
            1 => format!("✅ No: there is one event at an hour on your calendar {span}."),
            compared => format!("✅ No: none of your {compared} events {span} overlap."),
        }),
        (Whether::DoubleBooked, busy) => {
            let overlapping = busy.len() + output.more;
            Answered::above_list(format!("🗓 Yes, {overlapping} of your {} events {span} overlap:", output.compared))
        }
        (Whether::Busy, []) if output.events.is_empty() => {
            Answered::alone(format!("🕑 No, nothing on your calendar {span}."))
        }
        (Whether::Busy, []) => Answered::above_list(format!("🕑 Not at any hour; for the whole day there is, {span}:")),
        (Whether::Busy, busy) => Answered::above_list(format!("🗓 Yes, {} {span}:", counted(busy.len(), "event"))),
        (Whether::Free, [first, ..]) => {
            let hours = |(from, to): &(String, String)| hours(from, to, reference);
            let said_often = output.free.len() > GAPS_SAID;
            let taken = |event: &EventView| match &event.end_time {
                Some(end) => format!("{}, {}", brief(&event.summary), hours(&(event.start_time.clone(), end.clone()))),
                None => brief(&event.summary),
            };
            let others = output.events.len() > 1;
            let sentence = match output.free.as_slice() {
                [] => format!("❌ No: {}", taken(first)),
                [(_, to)]
                    if output.free_from.as_deref().is_some_and(|now| is_same(&output.free[0].0, now, reference)) =>
                {
                    format!("✅ Yes, until {}; then {}", clock(to, reference), taken(first))
                }
                [(from, to)] if is_same(to, &output.to, reference) => {
                    let last = busy.last().unwrap_or(first);
                    format!("✅ Yes, from {}; before that {}", clock(from, reference), taken(last))
                }
                _ if said_often => format!("🕑 Not all of it, {span}"),
                several => {
                    let free: Vec<String> = several.iter().map(hours).collect();
                    format!("🕑 Partly: you're free {}", joined(&free))
                }
            };
            match others || output.free.len() > 1 {
                true => Answered::above_list(format!("{sentence}.")),
                false => Answered::alone(format!("{sentence}.")),
            }
        }
    }
}

fn one(which: WhichEvent, asked: &ListEvents, output: &Events, reference: &Reference) -> Answered {
    let called = asked.called();
    let said_span = asked.says_when();
    let order = match (which, said_span) {
        (WhichEvent::First, true) => "first",
        (WhichEvent::First, false) => "next",
        (WhichEvent::Last, _) => "last",
    };
    Answered::alone(match output.events.first() {
        Some(event) => format!("📅 Your {order} one{called}: {}", event.line(reference)),
        None if said_span => format!("📅 I found none{called}, {}.", output.span(reference)),
        None if which == WhichEvent::First => format!("📅 I found none{called} to come."),
        None => format!("📅 I found none{called} that was."),
    })
}

fn named(asked: &ListEvents, output: &Events, reference: &Reference) -> Answered {
    let called = asked.called();
    let was = |event: &EventView| {
        Moment::read(&event.start_time, reference.zone).is_some_and(|at| at.start(reference.zone) < reference.now)
    };
    match output.events.as_slice() {
        [] if asked.says_when() => {
            Answered::alone(format!("📅 I found nothing{called} on your calendar, {}.", output.span(reference)))
        }
        [] => Answered::alone(format!("📅 I found nothing{called} on your calendar.")),
        [only] if !was(only) || asked.says_when() => Answered::alone(format!("📅 {}", only.line(reference))),
        [only] => Answered::alone(format!("📅 Nothing{called} to come; the last one was {}", only.line(reference))),
        all if was(&all[all.len() - 1]) && !asked.says_when() => {
            Answered::above_list(format!("📅 Nothing{called} to come; these were:"))
        }
        all => Answered::above_list(format!("📅 {}{called}:", counted(all.len() + output.more, "event"))),
    }
}

fn listed(output: &Events, reference: &Reference) -> Answered {
    let span = output.span(reference);
    let (events, due) = (output.events.len(), output.due.len());
    match (events, due, output.more) {
        (0, 0, _) => Answered::alone(format!("📅 Nothing on your calendar, {span}.")),
        (0, _, _) => Answered::above_list(format!("📅 Nothing on your calendar, {span}. To do then:")),
        (_, _, more) if more > 0 => {
            Answered::above_list(format!("📅 {}, {span}:", counted(events + due + more, "thing")))
        }
        (_, 0, _) => Answered::above_list(format!("📅 {}, {span}:", counted(events, "event"))),
        (_, _, _) => Answered::above_list(format!(
            "📅 {} and {} to do, {span}:",
            counted(events, "event"),
            counted(due, "thing")
        )),
    }
}

/// "a, b and c".
fn joined(parts: &[String]) -> String {
    match parts {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        parts => parts.concat(),
    }
}

fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

impl Events {
    /// The span that was looked at, as people say it: whole days by their names.
    pub(super) fn span(&self, reference: &Reference) -> String {
        let (Some(from), Some(to)) = (instant(&self.from, reference), instant(&self.to, reference)) else {
            return String::new();
        };
        let is_midnight = |at: DateTime<Tz>| at.time() == NaiveTime::MIN;
        let last = to - Duration::seconds(1);
        if !is_midnight(from) || !is_midnight(to) {
            return show::span(&self.from, Some(&self.to), reference);
        }
        let day = |at| time::describe(at, Grain::Day, reference);
        if from.date_naive() == last.date_naive() { day(from) } else { format!("{} – {}", day(from), day(last)) }
    }
}

fn instant(text: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    Some(Moment::read(text, reference.zone)?.start(reference.zone))
}

fn is_same(one: &str, other: &str, reference: &Reference) -> bool {
    instant(one, reference) == instant(other, reference)
}

fn clock(text: &str, reference: &Reference) -> String {
    instant(text, reference).map_or_else(|| text.to_owned(), |at| at.format("%H:%M").to_string())
}

/// `14:00–15:00`; with its day where it is another one.
fn hours(from: &str, to: &str, reference: &Reference) -> String {
    let same_day =
        instant(from, reference).map(|at| at.date_naive()) == instant(to, reference).map(|at| at.date_naive());
    if same_day {
        format!("{}–{}", clock(from, reference), clock(to, reference))
    } else {
        show::span(from, Some(to), reference)
    }
}
