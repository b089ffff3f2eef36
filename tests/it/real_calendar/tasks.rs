//! What is to be done, in a task list that the person chose: new, ticked, taken back; a repeat moves on by itself.

use crate::real_calendar::world::{SERVERS, World, agreed, until};
use crate::support::program::{did, text_of};

/// Every Monday morning, by the clocks of Berlin; with what we know nothing of.
const PLANTS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VTODO\r\nUID:plants\r\n\
    DTSTAMP:20260101T000000Z\r\nDTSTART:20300107T080000Z\r\nDUE:20300107T080000Z\r\nSUMMARY:Water the plants\r\n\
    RRULE:FREQ=WEEKLY\r\nCATEGORIES:HOME\r\nX-OTHER;A=\"b:c\":kept as it is\r\nRELATED-TO:house\r\n\
    BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nDESCRIPTION:Go\r\nEND:VALARM\r\n\
    END:VTODO\r\nEND:VCALENDAR\r\n";

fn lines(text: &str) -> Vec<String> {
    let stamps = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"];
    let lines = text.lines().map(|line| line.trim_end().to_owned());
    let mut lines: Vec<String> = lines.filter(|line| !stamps.iter().any(|stamp| line.starts_with(stamp))).collect();
    lines.sort();
    lines
}

fn has(text: &str, line: &str) -> bool {
    lines(text).iter().any(|one| one == line)
}

#[test]
fn what_is_to_be_done_is_written_into_the_list_that_was_chosen() {
    for server in SERVERS {
        let world = World::choosing(server, "task_list = \"tasks\"");
        let mut console = world.console();
        let made = console.say("remind me to buy milk on January 20 2030 at 9am");
        assert_eq!(did(&made), ["task.create succeeded"], "{server:?}: {}", text_of(&made));
        let text = world.text("Tasks", "SUMMARY:Buy milk");
        assert!(has(&text, "DUE;TZID=Europe/Berlin:20300120T090000"), "{server:?}: {text}");
        let done = console.say("mark buy milk as done");
        assert_eq!(did(&done), ["task.complete succeeded"], "{server:?}: {}", text_of(&done));
        let text = world.text("Tasks", "SUMMARY:Buy milk");
        assert!(has(&text, "STATUS:COMPLETED") && text.contains("COMPLETED:20"), "{server:?}: {text}");
        let back = console.say("undo that");
        assert!(text_of(&back).contains("Taken back"), "{server:?}: {}", text_of(&back));
        let text = world.text("Tasks", "SUMMARY:Buy milk");
        assert!(has(&text, "STATUS:NEEDS-ACTION") && !text.contains("COMPLETED"), "{server:?}: {text}");
        agreed(&mut console, "delete the task buy milk");
        assert_eq!(world.texts("Tasks"), Vec::<String>::new(), "{server:?}");
        console.finish();
    }
}

#[test]
fn one_time_of_a_repeat_is_ticked_and_the_series_stays() {
    for server in SERVERS {
        let world = World::choosing(server, "task_list = \"Tasks\"");
        world.other.put("Tasks", "plants.ics", PLANTS);
        let mut console = world.console();
        until(&mut console, "show my tasks", "Water the plants");
        let before = world.text("Tasks", "UID:plants");
        let done = console.say("mark water the plants as done");
        assert_eq!(did(&done), ["task.complete succeeded"], "{server:?}: {}", text_of(&done));
        let after = world.text("Tasks", "UID:plants");
        let expected = lines(&before.replace("20300107T080000Z", "20300114T080000Z"));
        let new: Vec<String> = lines(&after).into_iter().filter(|line| !expected.contains(line)).collect();
        assert!(new.iter().all(|line| line == "STATUS:NEEDS-ACTION"), "{server:?}: {new:?}");
        let gone: Vec<String> = expected.into_iter().filter(|line| !lines(&after).contains(line)).collect();
        assert_eq!(gone, Vec::<String>::new(), "{server:?}: {after}");
        console.finish();
    }
}

#[test]
fn without_a_choice_what_is_new_stays_here_and_what_is_there_is_known() {
    for server in SERVERS {
        let world = World::new(server);
        world.other.put("Tasks", "plants.ics", PLANTS);
        let mut console = world.console();
        until(&mut console, "show my tasks", "Water the plants");
        let made = console.say("remind me to buy milk on January 20 2030 at 9am");
        assert_eq!(did(&made), ["task.create succeeded"], "{server:?}: {}", text_of(&made));
        assert_eq!(world.texts("Tasks").len(), 1, "{server:?}");
        assert!(text_of(&console.say("show my tasks")).contains("milk"), "{server:?}");
        console.finish();
    }
}

#[test]
fn a_list_that_is_not_there_is_said_and_nothing_is_lost() {
    let world = World::choosing(SERVERS[0], "task_list = \"Shopping\"");
    let mut console = world.console();
    let said = console.say("remind me to buy milk on January 20 2030 at 9am");
    assert_eq!(did(&said), ["task.create failed"], "{}", text_of(&said));
    for words in ["“Shopping”", "“Tasks”", "Nothing was done"] {
        assert!(text_of(&said).contains(words), "{words}: {}", text_of(&said));
    }
    console.finish();
    let checked = world.program.run(&["doctor"]);
    assert!(checked.stdout.contains("there is no “Shopping”"), "{}", checked.stdout);
}
