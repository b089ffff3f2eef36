//! Whatever is added to a request out of the words that matter, the outcome is another one; and no message costs more
//! than the chart may.

use super::*;

/// Requests that are planned, and say all that their commands need.
const REQUESTS: [&str; 10] = [
    "remind me to call mom tomorrow at 5pm",
    "cancel the standup",
    "move the dentist to friday at 3",
    "add milk to the shopping list",
    "mark the report as done",
    "schedule lunch with Tom friday at noon",
    "email Bob that I'm running late",
    "delete the gift ideas note",
    "remember that my shoe size is 42",
    "remind me on friday to water the plants",
];

/// What changes a request, wherever it is said behind it.
const DEAR: [&str; 14] = [
    "if it rains",
    "unless it rains",
    "but only if Anna comes",
    "except on Monday",
    "but not on Monday",
    "instead of the old one",
    "and tell Anna",
    "and cancel the dentist",
    "no wait, the other one",
    "whenever I get home",
    "as long as it is cheap",
    "and remind me to buy milk",
    "and delete the party note",
    "then book a taxi",
];

fn outcome(text: &str) -> String {
    match planned(text, &[]) {
        Understood::Plan { plan, condition, .. } => format!("{:?} {condition:?}", plan.actions),
        other => shown(&other),
    }
}

#[test]
fn the_requests_alone_are_planned() {
    for text in REQUESTS {
        assert!(matches!(planned(text, &[]), Understood::Plan { condition: None, .. }), "{text}: {}", outcome(text));
    }
}

#[test]
fn whatever_matters_changes_the_outcome_or_is_asked_about() {
    for text in REQUESTS {
        for dear in DEAR {
            for dressed in [format!("{text} {dear}"), format!("{text}, {dear}"), format!("Please {text}, {dear}!")] {
                assert_ne!(outcome(text), outcome(&dressed), "{dressed}");
            }
        }
    }
}

/// Without marks and capitals a question is no order.
#[test]
fn a_question_without_its_mark_changes_nothing() {
    for text in ["did I call mom", "is the standup cancelled", "who cancelled the dentist", "was the report done"] {
        let changes =
            |action: &PlannedAction| !matches!(&*action.command, "list" | "list_events" | "search" | "find" | "recall");
        assert!(!actions(planned(text, &[])).iter().any(changes), "{text}: {}", outcome(text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Borders, times, subjects and requests in heaps: what is tried is bounded, so this ends.
    #[test]
    fn the_worst_messages_are_read_in_bounded_work(pattern in proptest::collection::vec(prop_oneof![
        Just("and"), Just(","), Just("remind me"), Just("tomorrow"), Just("i'm late"), Just("so"), Just("because"),
        Just("it's 5"), Just("buy milk"), Just("cancel it"), Just(":"), Just("then"), Just("if"), Just("\""), Just("1)"),
        Just("list"), Just("email Bob that"), Just("."), Just("no wait"), Just("every"),
    ], 2..9), times in 1usize..90) {
        let text = pattern.join(" ").repeat(times);
        let understood = planned(&text, &meeting_with_sarah());
        actions(understood).iter().for_each(|action| assert_in_catalog(action, &text));
    }
}
