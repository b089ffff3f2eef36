//! Nothing that was said is dropped in silence.

use super::*;
use brain_testing::fuzzing::ThreadClock;

/// Each text, and what of it no action carries.
#[test]
fn what_changes_a_request_and_is_in_no_action_is_unread() {
    for (text, unread) in [
        ("schedule lunch with Tom friday at noon instead of the dentist", "instead of"),
        ("cancel the standup except on Monday", "except"),
        ("move the dentist to friday at 3, not on Monday", "not on Monday"),
        ("schedule a meeting with Sarah if it rains", "if it rains"),
    ] {
        let Understood::Partly { unread: parts, .. } = planned(text, &[]) else {
            panic!("{text}: {}", shown(&planned(text, &[])))
        };
        assert!(parts.iter().any(|part| part.text == unread), "{text}: {parts:?}");
    }
}

#[test]
fn remarks_and_politeness_leave_nothing_unread() {
    for text in [
        "hey, could you please remind me to call mom tomorrow at 5pm? thanks!",
        "cancel spin class tomorrow, my legs are dead",
        "I'm shattered. Remind me to buy milk at 6.",
        "remind me to pay the fine by wednesday or i get a letter",
        "remind me an hour before my dentist appointment tomorrow at 3pm",
        "remind me to check if the door is locked at 10pm",
        "email Bob that I can't come if it rains",
        "what's on tomorrow? i need to know when to get up",
    ] {
        assert!(matches!(planned(text, &[]), Understood::Plan { .. }), "{text}: {}", shown(&planned(text, &[])));
    }
}

#[test]
fn what_is_not_to_be_done_is_not_planned() {
    for text in ["don't remind me tomorrow", "don't cancel the standup", "never email Bob"] {
        assert!(!matches!(planned(text, &[]), Understood::Plan { .. }), "{text}: {}", shown(&planned(text, &[])));
    }
}

#[test]
fn politeness_alone_is_small_talk() {
    assert_eq!(planned("thanks!", &[]), Understood::SmallTalk);
    assert_ne!(planned("frobnicate the widgets", &[]), Understood::SmallTalk);
}

/// Where the parts of a message's account, if it has one, do not follow each other to its end.
fn gap_in_the_account(text: &str) -> Option<String> {
    let (Understood::Plan { account, .. } | Understood::Partly { account, .. }) = planned(text, &meeting_with_sarah())
    else {
        return None;
    };
    let mut end = 0;
    let follow = account.parts.iter().all(|part| {
        let begin = std::mem::replace(&mut end, part.span.end);
        part.span.start == begin && begin < end
    });
    (account.text != text || !follow || end != text.len()).then(|| format!("{account:?}"))
}

#[test]
fn what_is_asked_about_as_a_whole_is_accounted_for_as_a_whole() {
    assert_eq!(gap_in_the_account("remind me , the meeting if"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_parts_of_an_account_follow_each_other_without_a_gap(words in proptest::collection::vec(prop_oneof![
        Just("remind me"), Just("to"), Just("and"), Just("tomorrow"), Just("cancel"), Just("it"), Just("email"), Just("Bob"),
        Just("that"), Just(","), Just("."), Just("at 5"), Just("the meeting"), Just("with"), Just("if"), Just("\""), Just("not"),
        Just("gonna"), Just("ß’s"), Just("only"), Just("call mom"), Just("  "), Just("🦖"), Just("buy milk"),
    ], 1..14)) {
        let text = words.join(" ");
        prop_assert_eq!(gap_in_the_account(&text), None);
    }
}

#[test]
fn what_a_request_depends_on_goes_with_its_plan() {
    for (text, words, negated, command) in [
        ("if it rains, cancel the picnic", "it rains", false, "delete_event"),
        ("cancel the picnic unless the sun is out", "the sun is out", true, "delete_event"),
        ("schedule lunch with Tom friday at noon if I'm free", "I'm free", false, "create_event"),
        ("add milk to the shopping list if it isn't on the list yet", "it isn't on the list yet", true, "append"),
        ("remind me to call mom tomorrow at 5pm only if it rains", "it rains", false, "create"),
    ] {
        let understood = planned(text, &[]);
        let Understood::Plan { plan, condition: Some(condition), account } = understood else {
            panic!("{text}: {}", shown(&understood))
        };
        let read = crate::services::across::condition::read(&condition, &monday());
        assert_eq!((read.text.as_str(), read.negated), (words, negated), "{text}");
        assert_eq!(plan.actions[0].command, command, "{text}");
        assert!(account.parts.iter().any(|part| part.role == SpanRole::Condition), "{text}");
        assert!(!Value::Object(plan.actions[0].params.clone()).to_string().contains(words), "{text}: {plan:?}");
    }
}

/// Requests of every kind that are planned as they are.
const REQUESTS: [&str; 10] = [
    "remind me to call mom tomorrow at 5pm",
    "schedule lunch with Tom on friday at noon",
    "cancel the standup",
    "move the dentist to thursday at 4",
    "add milk to the shopping list",
    "mark the report as done",
    "email Bob that I'm late",
    "delete the note about the boiler",
    "what's on my calendar tomorrow",
    "save Tom's number 555 0100",
];

#[test]
fn whatever_matters_changes_the_outcome_or_is_said() {
    let added = [
        "only",
        "only on Mondays",
        "except Bob",
        "except on Monday",
        "if it rains",
        "unless it rains",
        "every week",
        "until Friday",
        "instead of the dentist",
        "and tell Anna",
        "by Saturday",
        "not on Monday",
        "but not today",
        "without Bob",
        "no wait, not that one",
        "both",
        "whenever I'm home",
        "rather than the other one",
    ];
    let mut silent = Vec::new();
    for request in REQUESTS {
        let plain = planned(request, &[]);
        assert!(matches!(plain, Understood::Plan { condition: None, .. }), "{request}: {}", shown(&plain));
        for more in added {
            for text in [
                format!("{request} {more}"),
                format!("{request}, {more}"),
                format!("{request}. {more}"),
                format!("{more}, {request}"),
            ] {
                // At the start it corrects what was said before this message.
                if text.starts_with("no wait") {
                    continue;
                }
                let same = match planned(&text, &[]) {
                    Understood::Plan { plan, condition: None, .. } => actions(plain.clone()) == plan.actions,
                    _ => false,
                };
                if same {
                    silent.push(text);
                }
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn a_question_without_its_marks_and_capitals_is_no_order() {
    for question in [
        "Should I cancel the standup?",
        "Did you cancel the standup?",
        "Is the standup cancelled?",
        "Why did you delete my note?",
        "Have you sent the mail to Bob?",
        "When should I call mom?",
        "Do I have to email Bob?",
        "Who moved the dentist to Friday?",
        "Did I already pay the rent?",
    ] {
        let bare: String = question.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
        for text in [question.to_owned(), bare] {
            let looks = |action: &PlannedAction| {
                ["list", "list_events", "search", "find", "recall", "find_free_time", "read_thread"]
                    .contains(&action.command.as_str())
            };
            assert!(actions(planned(&text, &[])).iter().all(looks), "{text}: {}", shown(&planned(&text, &[])));
        }
    }
}

#[test]
fn nothing_in_quotation_marks_is_a_request() {
    for request in REQUESTS {
        for text in [
            format!("\"{request}\""),
            format!("“{request}”"),
            format!("he said \"{request}\""),
            format!("Anna wrote: «{request}»"),
            format!("\"{request}\" is what she wrote"),
        ] {
            assert!(
                !matches!(planned(&text, &[]), Understood::Plan { condition: None, .. }),
                "{text}: {}",
                shown(&planned(&text, &[]))
            );
        }
    }
    check(
        r#"remind me to say "cancel the standup" at 5"#,
        &[],
        r#"task.create {"deadline":"at 5","title":"Say \"cancel the standup\""}"#,
    );
}

#[test]
fn the_worst_inputs_are_read_in_bounded_time() {
    let quotes = "\"".repeat(1_000);
    for text in [
        ",".repeat(1_000),
        ", ".repeat(1_000),
        "and ".repeat(500),
        "cancel it and ".repeat(200),
        "call bob, because i am late, ".repeat(60),
        "if it rains ".repeat(100),
        "if , if, if".to_owned(),
        format!("remind me to {quotes} at 5"),
        "«„“\"".repeat(200),
        "unless, except, only, ".repeat(100),
    ] {
        let start = ThreadClock::now();
        let _ = planned(&text, &meeting_with_sarah());
        assert!(start.elapsed().as_secs() < 2, "{:?}: {text:.40}", start.elapsed());
    }
}

/// What the passes divide badly is divided anew.
#[test]
fn of_several_ways_to_divide_a_message_the_one_that_leaves_out_least_counts() {
    for (text, expected) in [
        (
            "move the staff meeting to wednesday at 3pm, too many people off tomorrow",
            r#"calendar.update_event {"changes":{"start_time":"wednesday at 3pm"},"find_by":"staff meeting"}"#,
        ),
        ("hey what do i still gotta do, show me my todos and be gentle", "task.list {}"),
    ] {
        check(text, &[], expected);
    }
}
