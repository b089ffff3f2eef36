//! Amendments of what waits for a yes: another time, other people, other words.
//!
//! The change is applied to the one action it fits, newest first; nothing fitting means nothing is guessed. What words
//! change of a command stands with its service.

use crate::services::planning::amending::{Amender, AmendingWords, captured, replacement};
use crate::services::{calendar, email, task};
use brain_core::core::plan::PlannedAction;
use brain_language::language::time::Reference;

/// Each service's, by its commands.
const AMENDERS: [(&str, &[(&str, Amender)]); 3] =
    [(email::NAME, &email::AMENDERS), (calendar::NAME, &calendar::AMENDERS), (task::NAME, &task::AMENDERS)];

/// Who may be meant by what words put in the place of what was there.
pub fn instead(text: &str) -> Option<&str> {
    replacement(without_lead(text))
}

/// The actions of a card with the change applied; `None` when the words change nothing we know of. `is_somebody`: whether
/// a name is that of somebody it may be for.
pub fn amend(
    actions: &[PlannedAction],
    text: &str,
    reference: &Reference,
    is_somebody: impl Fn(&str) -> bool,
) -> Option<Vec<PlannedAction>> {
    let somebody = instead(text).filter(|name| is_somebody(name));
    let said = AmendingWords { text: without_lead(text), reference, somebody };
    (0..actions.len()).rev().find_map(|index| {
        let changed = amend_one(&actions[index], &said)?;
        let mut all = actions.to_vec();
        all[index] = changed;
        Some(all)
    })
}

fn amend_one(action: &PlannedAction, said: &AmendingWords<'_>) -> Option<PlannedAction> {
    let (_, amenders) = AMENDERS.iter().find(|(service, _)| *service == action.service)?;
    let (_, amender) = amenders.iter().find(|(command, _)| *command == action.command)?;
    let mut changed = action.clone();
    amender(&mut changed.params, said).then_some(changed)
}

/// The words behind what leads in an amendment: a yes or a no, and an adverb or a conjunction.
fn without_lead(text: &str) -> &str {
    let behind = r"(?is)^(?:\s*(?:yes|yeah|yep|ok(?:ay)?|sure|no|nope|fine|good|but|actually|hmm|please|wait|and|ja|aber|nein|doch)\b[\s,.!:;-]*)*(.*)$";
    captured(&[behind], text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use serde_json::{Value, json};

    use super::*;
    use brain_core::core::plan::Params;
    use brain_language::language::time;

    fn change(service: &str, command: &str, params: Value, text: &str) -> Option<Params> {
        let reference =
            Reference { now: "2026-01-11T09:00:00Z".parse().unwrap(), zone: Tz::UTC, order: time::DateOrder::DayFirst };
        let action = PlannedAction {
            service: service.into(),
            command: command.into(),
            params: params.as_object().unwrap().clone(),
            ..PlannedAction::default()
        };
        amend(&[action], text, &reference, |name| name.ends_with("Miller")).map(|mut actions| actions.remove(0).params)
    }

    fn event() -> Value {
        json!({"summary": "Lunch", "start_time": "2026-01-13T12:00:00+00:00", "end_time": "2026-01-13T13:30:00+00:00", "attendees": ["tom@example.com"]})
    }

    #[test]
    fn a_clock_time_moves_the_event_on_its_own_day_and_keeps_its_length() {
        let params = change("calendar", "create_event", event(), "yes, but at 4pm").unwrap();
        assert_eq!(params["start_time"], "2026-01-13T16:00:00+00:00");
        assert_eq!(params["end_time"], "2026-01-13T17:30:00+00:00");
    }

    #[test]
    fn a_day_moves_it_to_that_day() {
        let params = change("calendar", "create_event", event(), "make it Thursday at 1pm").unwrap();
        assert_eq!(params["start_time"], "2026-01-15T13:00:00+00:00");
    }

    #[test]
    fn a_mail_takes_another_subject_body_or_recipient() {
        let mail = json!({"to": ["bob@example.com"], "subject": "Late", "body": "I'm late."});
        let changed = |text: &str| change("email", "send_email", mail.clone(), text).unwrap();
        assert_eq!(changed("change the subject to Running late")["subject"], "Running late");
        assert_eq!(changed("yes but say I'll be there at noon")["body"], "I'll be there at noon.");
        assert_eq!(changed("also say sorry")["body"], "I'm late.\nSorry.");
        assert_eq!(changed("to Anna instead")["to"], json!(["Anna"]));
        assert_eq!(changed("add Tom too")["to"], json!(["bob@example.com", "Tom"]));
    }

    #[test]
    fn somebody_takes_the_place_of_whoever_it_was_for() {
        let mail = json!({"to": ["bob@example.com"], "subject": "Late", "body": "I'm late."});
        for text in ["change it to Dan Miller", "no, make that to Dan Miller please", "to Dan Miller instead"] {
            assert_eq!(
                change("email", "send_email", mail.clone(), text).unwrap()["to"],
                json!(["Dan Miller"]),
                "{text}"
            );
            let params = change("calendar", "create_event", event(), text).unwrap();
            assert_eq!((&params["attendees"], &params["summary"]), (&json!(["Dan Miller"]), &json!("Lunch")), "{text}");
        }
        let with_tom = json!({"summary": "Lunch with Tom", "attendees": ["tom@example.com"]});
        let params = change("calendar", "create_event", with_tom, "change it to Dan Miller").unwrap();
        assert_eq!(params["summary"], "Lunch with Dan Miller");
        let two = json!({"summary": "Lunch", "attendees": ["tom@example.com", "bob@example.com"]});
        assert_eq!(change("calendar", "create_event", two, "change it to Dan Miller"), None);
        assert_eq!(change("email", "send_email", mail, "change it to something nicer"), None);
        let moved = change("calendar", "create_event", event(), "change it to Thursday").unwrap();
        assert_eq!(moved["attendees"], event()["attendees"]);
    }

    #[test]
    fn people_can_be_left_out_and_things_renamed() {
        assert_eq!(change("calendar", "create_event", event(), "without tom").unwrap()["attendees"], json!([]));
        assert_eq!(change("calendar", "create_event", event(), "call it Team lunch").unwrap()["summary"], "Team lunch");
    }

    #[test]
    fn words_that_change_nothing_change_nothing() {
        for text in ["what's the weather", "hmm", "", "yes but", "I said yes to Anna", "🙂"] {
            assert_eq!(
                change("email", "send_email", json!({"to": ["b@example.com"], "subject": "s", "body": "b"}), text),
                None,
                "{text}"
            );
        }
    }
}
