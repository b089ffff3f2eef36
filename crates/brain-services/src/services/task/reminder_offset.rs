//! Reminders with an offset: a task with the time of the thing and how long ahead to tell of it; behind an occasion
//! that is told first, an event that reminds; of something without a time, a reminder of the event that is there.
//!
//! The lengths are taken out, and what is left is planned as a request to be reminded of the thing.

use crate::services::calendar;
use brain_core::core::plan::PlannedAction;
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::reading::without_determiner;
use brain_language::language::requests::text::tokens;
use brain_language::language::requests::{ParseInput, PlanDraft, derivation};
use brain_language::language::time;
use brain_language::language::time::{OffsetMention, Reference};
use brain_language::language::work::Work;

/// Words of one phrase between a thing and the request.
const ASKING_WORDS_MAX: usize = 4;

/// Empty: nothing is asked for ahead of a time that was said.
pub(in crate::services) fn plan(text: &str, input: &ParseInput, domains: &[String], work: &Work) -> Vec<PlannedAction> {
    planned(text, input, domains, work).unwrap_or_default()
}

fn planned(text: &str, input: &ParseInput, domains: &[String], work: &Work) -> Option<Vec<PlannedAction>> {
    let ahead = time::offset_in(text)?;
    let plan = |text: &str, domains: &[String]| match derivation::plan(
        &ParseInput { text, history: &[], ..*input },
        domains,
        work,
    ) {
        PlanDraft::Plan(plan) => Some(plan.actions),
        PlanDraft::Ask { .. } | PlanDraft::Nothing => None,
    };
    let Some((thing, told_before)) = thing(text, &ahead, input.reference) else {
        let name = text.get(ahead.span.end..).filter(|behind| time::offset_in(behind).is_none())?;
        return calendar::remind_of(without_determiner(name), ahead.lengths).map(|one| vec![one]);
    };
    // Planning comes back here with every request inside a request; one is as deep as people go.
    if time::offset_in(thing).is_some() {
        return None;
    }
    let told = if told_before { plan(thing, domains) } else { None };
    let event = told.filter(|actions| matches!(&actions[..], [one] if is_event(one)));
    let planned = match event {
        Some(event) => event,
        None => {
            let request = format!("{}: {}", &text[ahead.request.clone()], without_determiner(thing));
            plan(&request, domains)?
        }
    };
    let [mut action] = <[PlannedAction; 1]>::try_from(planned).ok()?;
    action.params.insert("remind_before".to_owned(), ahead.lengths.into());
    let is_task = (action.service.as_str(), action.command.as_str()) == ("task", "create");
    (is_event(&action) || is_task && action.params.contains_key("deadline")).then(|| vec![action])
}

fn is_event(action: &PlannedAction) -> bool {
    (action.service.as_str(), action.command.as_str()) == (calendar::NAME, "create_event")
}

/// What is to be told of, and whether it stands in front of the request; else it stands behind the lengths.
fn thing<'t>(text: &'t str, ahead: &OffsetMention, reference: &Reference) -> Option<(&'t str, bool)> {
    let timed =
        |part: &str| time::find(part, reference).iter().any(|f| f.result.as_ref().is_ok_and(|w| w.start().is_some()));
    let behind = text.get(ahead.span.end..)?.trim();
    if timed(behind) {
        return Some((behind, false));
    }
    let before = without_asking(text.get(..ahead.request.start)?);
    timed(before).then_some((before, true))
}

/// A thing without what leads over to the request.
fn without_asking(text: &str) -> &str {
    let mut text = trimmed(text);
    while let Some(cut) = asking_at(text) {
        text = trimmed(&text[..cut]);
    }
    text
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | '-' | '–' | '!'))
}

/// Where a phrase that leads over begins, if it ends the text.
fn asking_at(text: &str) -> Option<usize> {
    let asks = |part: &str| {
        let ids: Vec<_> = tokens(part, GRAMMAR.lexicon).into_iter().map(|token| token.id).collect();
        ["lead", "delead"].iter().any(|class| GRAMMAR.lexicon.is_phrase(class, &ids))
    };
    let words = text.char_indices().rev().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    words.take(ASKING_WORDS_MAX).filter(|at| asks(&text[*at..])).last()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::services::tests::requests::alone;
    use brain_language::language::requests::{Understood, plan as plan_of};
    use brain_language::language::time::DateOrder;

    fn planned(text: &str) -> serde_json::Value {
        let now = "2026-11-21T09:00:00Z".parse().unwrap();
        let reference = Reference { now, zone: chrono_tz::Europe::Berlin, order: DateOrder::DayFirst };
        let Understood::Plan { plan, .. } = plan_of(&alone(text, &reference), &[]) else {
            return json!(null);
        };
        plan.actions.iter().map(|a| json!([a.service, a.command, a.params])).collect()
    }

    fn task(title: &str, deadline: &str, before: &[&str]) -> serde_json::Value {
        json!(["task", "create", {"title": title, "deadline": deadline, "remind_before": before}])
    }

    fn event(summary: &str, start: &str, before: &[&str]) -> serde_json::Value {
        json!(["calendar", "create_event", {"summary": summary, "start_time": start, "remind_before": before}])
    }

    #[test]
    fn a_reminder_ahead_is_a_task_with_the_time_of_the_thing() {
        for (text, expected) in [
            (
                "remind me an hour before my dentist appointment tomorrow at 3pm",
                task("Dentist appointment", "tomorrow at 3pm", &["PT1H"]),
            ),
            (
                "remind me a day before and an hour before the exam on friday at 10am",
                task("Exam", "friday at 10am", &["P1D", "PT1H"]),
            ),
            ("pay the rent by friday, remind me a day before", task("Pay the rent", "by friday", &["P1D"])),
        ] {
            assert_eq!(planned(text), json!([expected]), "{text}");
        }
    }

    #[test]
    fn an_appointment_told_with_it_is_an_event_that_reminds() {
        for (text, title, at, before) in [
            ("dentist tomorrow at 3pm, remind me 1 hour before", "Dentist", "tomorrow at 3pm", "PT1H"),
            (
                "meeting with anna on friday at 2, can you please remind me 15 min before",
                "Meeting with anna",
                "friday at 2",
                "PT15M",
            ),
            (
                "add dentist to my calendar tomorrow at 3pm and remind me an hour before",
                "Dentist",
                "tomorrow at 3pm",
                "PT1H",
            ),
            ("zahnarzt morgen um 15 uhr, erinner mich 2 stunden vorher", "Zahnarzt", "morgen um 15 uhr", "PT2H"),
        ] {
            assert_eq!(planned(text), json!([event(title, at, &[before])]), "{text}");
        }
    }

    #[test]
    fn a_request_inside_a_request_is_left_alone_however_often_it_is_said() {
        let text = format!("{}the exam friday at 10", "wake me an hour before ".repeat(170));
        assert!(!planned(&text).to_string().contains("remind_before"));
    }

    #[test]
    fn ahead_of_what_has_no_time_it_is_the_event_that_is_there() {
        for (text, name, before) in [
            ("remind me 30 minutes before the meeting", "meeting", "PT30M"),
            ("remind me a day before my flight to Rome", "flight to Rome", "P1D"),
            ("erinnere mich 15 minuten vor dem zahnarzt", "zahnarzt", "PT15M"),
        ] {
            let expected = json!([["calendar", "remind_of_event", {"find_by": name, "remind_before": [before]}]]);
            assert_eq!(planned(text), expected, "{text}");
        }
        for text in ["remind me before lunch", "an hour before dinner", "remind me 30 minutes before"] {
            let told = planned(text).to_string();
            assert!(!told.contains("remind_before"), "{text}: {told}");
        }
    }
}
