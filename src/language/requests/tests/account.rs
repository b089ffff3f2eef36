//! Nothing that was said is dropped in silence.

use super::*;

/// Each text, and what of it no action carries.
#[test]
fn what_changes_a_request_and_is_in_no_action_is_unread() {
    for (text, unread) in [
        ("remind me to call mom tomorrow at 5pm only if it rains", "only if it rains"),
        ("if it rains, cancel the picnic", "if it rains"),
        ("schedule lunch with Tom friday at noon unless it rains", "unless it rains"),
        ("schedule lunch with Tom friday at noon instead of the dentist", "instead of"),
        ("cancel the standup except on Monday", "except"),
        ("cancel every meeting tomorrow", "every"),
        ("cancel all my meetings tomorrow", "all"),
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
fn politeness_alone_is_small_talk() {
    assert_eq!(planned("thanks!", &[]), Understood::SmallTalk);
    assert_ne!(planned("frobnicate the widgets", &[]), Understood::SmallTalk);
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
        let account = match planned(&text, &meeting_with_sarah()) {
            Understood::Plan { account, .. } | Understood::Partly { account, .. } => account,
            Understood::Ask { .. } | Understood::Which { .. } | Understood::NotUnderstood { .. } | Understood::SmallTalk => {
                return Ok(());
            }
        };
        prop_assert_eq!(&account.text, &text);
        let mut end = 0;
        for part in &account.parts {
            prop_assert_eq!(part.span.start, end);
            prop_assert!(part.span.end > part.span.start);
            end = part.span.end;
        }
        prop_assert_eq!(end, text.len());
    }
}
