//! Requests with what people say around them, and things that are only stated.

use super::*;

#[test]
fn a_remark_behind_a_request_is_no_part_of_what_it_names() {
    for (text, expected) in [
        ("cancel spin class tomorrow, my legs are dead", r#"calendar.delete_event {"find_by":"spin class tomorrow"}"#),
        (
            "drop the quiz night from the calendar, half the team has covid",
            r#"calendar.delete_event {"find_by":"quiz night"}"#,
        ),
        ("mark clean the gutters as done, my back is killing me", r#"task.complete {"find_by":"clean the gutters"}"#),
        ("delete the task about the curtains, the shop took them back", r#"task.delete {"find_by":"curtains"}"#),
        (
            "remind me to pay the fine by wednesday or i get a letter",
            r#"task.create {"deadline":"by wednesday","description":"Or i get a letter","title":"Pay the fine"}"#,
        ),
    ] {
        check(text, &[], expected);
    }
    for (text, expected) in [
        (
            "studio session friday at 1pm, nice chairs there",
            r#"calendar.create_event {"start_time":"friday at 1pm","summary":"Studio session"}"#,
        ),
        (
            "viewing friday at 3pm, code 4421",
            r#"calendar.create_event {"start_time":"friday at 3pm","summary":"Viewing, code 4421"}"#,
        ),
        (
            "wedding cake delivery friday 10am, Holme Hall",
            r#"calendar.create_event {"location":"Holme Hall","start_time":"friday 10am","summary":"Wedding cake delivery"}"#,
        ),
        (
            "lunch with Jo friday at 1pm at Luigi's, 5 Main St",
            r#"calendar.create_event {"location":"Luigi's, 5 Main St","start_time":"friday at 1pm","summary":"Lunch with Jo"}"#,
        ),
        ("find mails from bob, about the rent", r#"email.search {"from":"bob","text":"rent"}"#),
        ("find my note about the stopcock, quick, theres water everywhere", r#"keep.search {"query":"stopcock"}"#),
        (
            "chuck milk and tea bags on the shopping list, lee's been round",
            r#"keep.append {"find_by":"shopping list","text":"milk, tea bags"}"#,
        ),
    ] {
        check(text, &[], expected);
    }
    // A list is more of the same, and a mail may say anything.
    check("remind me to buy milk, eggs and bread", &[], r#"task.create {"title":"Buy milk, eggs and bread"}"#);
    assert!(shown(&planned("email bob that i'm late, the train is stuck", &[])).contains("train is stuck"));
}

#[test]
fn a_few_words_with_a_day_and_an_hour_are_an_event() {
    for (text, summary, start) in [
        ("pottery with jo wed 7pm", "Pottery with jo", "wed 7pm"),
        ("mot tuesday 8.15", "Mot", "tuesday 8.15"),
        ("vaccine booster friday 10:20", "Vaccine booster", "friday 10:20"),
    ] {
        check(text, &[], &format!(r#"calendar.create_event {{"start_time":"{start}","summary":"{summary}"}}"#));
    }
    for text in ["see you friday at 5", "good luck tomorrow at 9", "milk friday", "he left at 5 yesterday", "at 5"] {
        assert!(!shown(&planned(text, &[])).contains("create_event"), "{text}");
    }
}

#[test]
fn a_timer_and_an_alarm_are_tasks() {
    check("timer 10 min for the eggs", &[], r#"task.create {"deadline":"10 min","title":"The eggs"}"#);
    check(
        "alarm for 7 tomorrow morning",
        &[],
        r#"task.create {"deadline":"for 7 tomorrow morning","title":"Wake up"}"#,
    );
    check("set a timer", &[], r#"? deadline: When should it ring? task.create {"title":"Timer"}"#);
    assert_eq!(shown(&planned("eggs came out perfect with your timer this morning", &[])), "-");
}

/// Every comma may divide a message, and twenty of them in a million ways.
#[test]
fn many_commas_are_read_in_bounded_time() {
    for part in [
        "call bob, i am late, ",
        "cancel it, it is off, ",
        "golf is off. take it out. ",
        "a is b, c it ",
        "milk, is bad, ",
    ] {
        // Forty were 2^40 ways to divide; that this comes back at all is the test.
        let _ = planned(&part.repeat(40), &[]);
        let _ = route(&alone(&part.repeat(40), &monday()));
    }
    assert_ne!(shown(&planned(&"remind me to call bob tomorrow, ".repeat(12), &[])), "-");
}

#[test]
fn one_message_may_hold_several_times_and_their_errands() {
    let two = planned("remind me at 1 to feed the fish and at 3 to lock the gate", &[]);
    assert_eq!(shown(&two).matches("task.create").count(), 2, "{}", shown(&two));
    let timers = planned("timer 12 min for the pasta and another one 20 min for the garlic bread", &[]);
    assert_eq!(shown(&timers).matches("deadline").count(), 2, "{}", shown(&timers));
}

/// What follows a comma is no second recipient.
#[test]
fn a_mail_goes_to_nobody_that_was_not_named() {
    let got = shown(&planned("send an email to Martin, pick up is 5 not 6", &[]));
    assert!(!got.contains("ick up\""), "{got}");
}

/// The hour that the words mean in their sentence is kept where alone they would mean another one.
#[test]
fn an_alarm_rings_in_the_morning() {
    let got = shown(&planned("alarm at 5:45 tomorrow: hill session", &[]));
    assert!(got.contains("T05:45"), "{got}");
    // "Party" lets the hour of what is bought for it lie in either half, which is asked about later.
    let got = shown(&planned("remind me to buy drinks for the party tomorrow at 9", &[]));
    assert!(got.contains("tomorrow at 9"), "{got}");
    check("throw away my christmas list", &[], r#"keep.delete {"find_by":"christmas list"}"#);
}

#[test]
fn a_question_is_no_instruction() {
    check("which tasks have i actually finished?", &[], r#"task.list {"status":"done"}"#);
    check("what do i still have on my todo list", &[], "task.list {}");
    for text in ["diolch, thats me sorted", "half asleep over here, any idea tomorrow at 5?"] {
        assert!(shown(&planned(text, &[])) == "-", "{text}: {}", shown(&planned(text, &[])));
    }
}

#[test]
fn why_something_is_looked_up_is_no_task() {
    for text in [
        "when am i free on wednesday? gotta see the tailor at some point",
        "any free slots next week? need to fit the electrician in",
        "what is the number for the clinic? i've got to chase them",
    ] {
        let got = shown(&planned(text, &[]));
        assert!(!got.contains("create"), "{text}: {got}");
    }
    for text in ["what's on tomorrow? i need to call bob at 3", "what's on tomorrow? i need to buy milk"] {
        let got = shown(&planned(text, &[]));
        assert!(got.contains("task.create"), "{text}: {got}");
    }
}

#[test]
fn what_was_told_is_changed_ticked_off_or_kept() {
    for (text, expected) in [
        (
            "the council inspection has been moved, its now wednesday at 10am. change it in the calendar. no notice as usual",
            r#"calendar.update_event {"changes":{"start_time":"wednesday at 10am"},"find_by":"council inspection"}"#,
        ),
        (
            "haircut got moved, its on the 23rd at 5:15pm now",
            r#"calendar.update_event {"changes":{"start_time":"the 23rd at 5:15pm"},"find_by":"haircut"}"#,
        ),
        ("turned in the bus request this morning. tick it off my list", r#"task.complete {"find_by":"bus request"}"#),
        (
            "bins are out, tick that off. and what else is on my to do list?",
            "task.complete {\"find_by\":\"bins\"}\ntask.list {}",
        ),
        (
            "venue got flooded so the brunch gig is off. remove it from my calendar",
            r#"calendar.delete_event {"find_by":"brunch gig"}"#,
        ),
        (
            "farida's email is farida@example.org, save it to my contacts",
            r#"contacts.save {"email":"farida@example.org","name":"Farida"}"#,
        ),
        (
            "can you add Tasha Greene to my contacts? 443-555-0199 and tasha@example.com",
            r#"contacts.save {"email":"tasha@example.com","name":"Tasha Greene","phone":"443-555-0199"}"#,
        ),
        (
            "feed merchant shuts at 5 so remind me at quarter past 4 to collect the straw",
            r#"task.create {"deadline":"at quarter past 4","title":"Collect the straw"}"#,
        ),
    ] {
        check(text, &[], expected);
    }
}

#[test]
fn what_is_asked_before_so_and_what_belongs_to_a_name_is_kept() {
    let got = shown(&planned("cancel the gym tomorrow so remind me at 5 to call them", &[]));
    assert!(got.contains("delete_event") && got.contains("task.create"), "{got}");
    let got = shown(&planned("remind me to buy milk tomorrow, eggs and bread", &[]));
    assert!(got.contains(r#""title":"Buy milk, eggs and bread""#), "{got}");
    let got = shown(&planned("remind me to pay the rent friday, landlord already on my neck", &[]));
    assert!(got.contains(r#""title":"Pay the rent""#) && got.contains("Landlord already on my neck"), "{got}");
}

#[test]
fn what_a_mail_says_behind_a_comma_names_nobody() {
    for (text, to) in [
        ("send a mail to kevin@dartfeeds.example, the pallet was 2 bags short", r#""to":["kevin@dartfeeds.example"]"#),
        ("send a mail to Tasha, final headcount is 118", r#""to":["Tasha"]"#),
        ("shoot Whitfield an email, tell her i can cover her class", r#""to":["Whitfield"]"#),
        ("email anna, bob is ill", r#""to":["anna"]"#),
        ("send a mail to anna, tom, peter and bob saying it is off", r#""to":["anna","tom","peter","bob"]"#),
        ("email anna, tom and peter about the trip", r#""to":["anna","tom","peter"]"#),
        ("email anna, tom and peter that the trip is off", r#""to":["anna","tom","peter"]"#),
        ("reply to the mail from Sinead, the 14th of february is grand", r#""find_by":"Sinead""#),
    ] {
        let got = shown(&planned(text, &[]));
        assert!(got.contains(to) && !got.contains("; "), "{text}: {got}");
    }
}

#[test]
fn who_is_invited_is_kept_beside_a_place_without_a_preposition() {
    let got = shown(&planned("invite Anna and Bob to lunch friday at 1pm town hall", &[]));
    assert!(got.contains(r#""attendees":["Anna","Bob"]"#) && got.contains(r#""location":"town hall""#), "{got}");
}
