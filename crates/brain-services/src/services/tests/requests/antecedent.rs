//! What a second sentence does with what the first one tells of.

use super::*;
use brain_language::language::requests::antecedent;

/// The commands of a message with what they name.
fn planned(text: &str) -> Option<String> {
    let reference = monday();
    let input = alone(text, &reference);
    let PlanDraft::Plan(plan) = antecedent::plan(text, &input, &[], &Work::default())? else {
        return None;
    };
    let told = plan.actions.iter().map(|action| {
        let named = ["find_by", "title"].iter().find_map(|name| action.params.get(*name)?.as_str());
        format!("{}.{} {}", action.service, action.command, named.unwrap_or_default())
    });
    Some(told.collect::<Vec<_>>().join("; "))
}

#[test]
fn it_is_what_the_sentence_before_tells_of() {
    for (text, expected) in [
        ("golf's off on saturday, take it out of the diary", "calendar.delete_event golf"),
        ("the nursery deposit is paid. tick it off pls", "task.complete nursery deposit"),
        ("dinner with josh is cancelled. delete that", "calendar.delete_event dinner with josh"),
        ("the dentist on friday, shift it to friday 9:20", "calendar.update_event dentist"),
        ("I have finally paid the mooring fee. Please mark it as done.", "task.complete mooring fee"),
        ("shower curtain is up, looks awful but its up. check it off", "task.complete shower curtain"),
        ("right ive paid the water rates, robbing so and sos. cross it off", "task.complete water rates"),
        ("fixed the coat pegs!! took all of 5 mins. tick it off", "task.complete coat pegs"),
        ("mums scan has been put back to 9th feb at 10am, can you change it", "calendar.update_event mums scan"),
        (
            "the house meeting is now sunday at 7pm, callum has football. change it pls",
            "calendar.update_event house meeting",
        ),
        ("boiler service thursday at 10, pop it in the calendar will you", "calendar.create_event"),
        ("paid the hydro bill while standing in line for coffee, mark it done pls", "task.complete hydro bill"),
        (
            "ok the passport photos are done, she blinked in 11 of them but done, check it off",
            "task.complete passport photos",
        ),
    ] {
        let got = planned(text).unwrap_or_default();
        assert!(got.starts_with(expected), "{text}: {got}");
    }
}

#[test]
fn remind_me_at_the_end_is_of_what_stands_before() {
    for (text, expected) in [
        ("send timesheet every friday at 4pm - remind me", "task.create Send timesheet"),
        ("gotta print my cv. remind me wednesday evening", "task.create Print my cv"),
        ("bins out every thursday, remind me, because if its left to him we'll have rats", "task.create Bins out"),
        ("I will need to water the orchids on Thursday. Please remind me.", "task.create Water the orchids"),
        ("I must send the proposal by Friday, please make that a task.", "task.create Send the proposal"),
        ("pick up prescription remind me 11am today", "task.create Pick up prescription"),
        (
            "i need to cancel my puregym membership by the 25th, put it on my todos",
            "task.create Cancel my puregym membership",
        ),
    ] {
        assert_eq!(planned(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_asks_by_itself_is_not_said_again() {
    for text in [
        "add tape to the shopping list and remind me at 6 to go shopping",
        "my favourite colour is green, remember that",
        "i'm ill, cancel it",
        "my boss is late again, it sucks",
        "book a table for friday and cancel it",
        "it",
        ", it",
    ] {
        assert_eq!(planned(text), None, "{text}");
    }
}
