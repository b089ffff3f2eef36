//! What the person says, in the text of the server's resource: new, changed, one of a series, gone and back.

use crate::real_calendar::world::{SERVERS, World, agreed, until};
use crate::support::program::{did, text_of};

/// An event of another program, with what we know nothing of.
const DENTIST: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VEVENT\r\nUID:dentist\r\n\
    DTSTAMP:20260101T000000Z\r\nDTSTART:20300115T140000Z\r\nDTEND:20300115T143000Z\r\nSUMMARY:Dentist\r\n\
    CATEGORIES:HEALTH,TEETH\r\nX-OTHER;A=\"b:c\":kept as it is\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\n\
    DESCRIPTION:Go\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// Ten o'clock every Monday, by the clocks of Berlin.
const STANDUP: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n\
    BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nTZOFFSETFROM:+0200\r\n\
    TZOFFSETTO:+0100\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19700329T020000\r\n\
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\n\
    END:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:standup\r\nDTSTAMP:20260101T000000Z\r\n\
    DTSTART;TZID=Europe/Berlin:20300107T100000\r\nDTEND;TZID=Europe/Berlin:20300107T103000\r\nSUMMARY:Standup\r\n\
    RRULE:FREQ=WEEKLY\r\nCATEGORIES:WORK\r\nX-OTHER:stays\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// Lines of a text but for those that every change stamps.
fn lines(text: &str) -> Vec<String> {
    let stamps = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"];
    let lines = text.lines().map(|line| line.trim_end().to_owned());
    lines.filter(|line| !stamps.iter().any(|stamp| line.starts_with(stamp))).collect()
}

#[test]
fn what_is_said_is_written_there_and_nothing_else_changes() {
    for server in SERVERS {
        let world = World::new(server);
        world.other.put("Personal", "dentist.ics", DENTIST);
        let mut console = world.knows("what's on my calendar on January 15 2030?", "Dentist");
        let added = console.say("lunch with Sarah on January 18 2030 at noon");
        assert_eq!(did(&added), ["calendar.create_event succeeded"], "{server:?}: {}", text_of(&added));
        let calendar = ["Personal", "Work"].into_iter().find(|name| text_of(&added).contains(&format!("in “{name}”")));
        let starts = world.starts(calendar.expect("the receipt names the calendar"));
        assert!(starts.contains(&"2030-01-18T12:00:00+01:00 Lunch with Sarah".to_owned()), "{server:?}: {starts:?}");
        let before = world.text("Personal", "UID:dentist");
        let card = console.say("move the dentist to 4pm");
        assert!(text_of(&card).contains("Personal"), "{server:?}, which calendar: {}", text_of(&card));
        agreed(&mut console, "move the dentist to 4pm");
        let after = world.text("Personal", "UID:dentist");
        let expected = lines(&before).join("\n").replace("T140000Z", "T150000Z").replace("T143000Z", "T153000Z");
        assert_eq!(lines(&after).join("\n"), expected, "{server:?}");
        agreed(&mut console, "rename the dentist to Dentist Dr. Weber");
        assert!(world.text("Personal", "UID:dentist").contains("SUMMARY:Dentist Dr. Weber"), "{server:?}");
        let gone = agreed(&mut console, "cancel the dentist");
        assert!(text_of(&gone).contains("Cancelled"), "{}", text_of(&gone));
        assert!(!world.starts("Personal").iter().any(|one| one.contains("Dentist")), "{server:?}");
        let back = console.say("undo that");
        assert!(text_of(&back).contains("Taken back"), "{server:?}: {}", text_of(&back));
        let again = lines(&world.text("Personal", "UID:dentist")).join("\n");
        assert_eq!(again, expected.replace("SUMMARY:Dentist", "SUMMARY:Dentist Dr. Weber"), "{server:?}");
        console.finish();
    }
}

#[test]
fn of_a_series_one_it_and_all_after_it_or_all_of_it() {
    for server in SERVERS {
        let world = World::new(server);
        world.other.put("Work", "standup.ics", STANDUP);
        let mut console = world.knows("what's on my calendar on January 14 2030?", "Standup");
        agreed(&mut console, "move the standup on January 21 2030 to 11am");
        let text = world.text("Work", "UID:standup");
        assert!(text.contains("RECURRENCE-ID;TZID=Europe/Berlin:20300121T100000"), "{server:?}: {text}");
        let starts = world.starts("Work");
        assert!(starts.contains(&"2030-01-21T11:00:00+01:00 Standup".to_owned()), "{server:?}: {starts:?}");
        agreed(&mut console, "cancel the standup on January 28 2030");
        let starts = world.starts("Work");
        assert!(!starts.iter().any(|one| one.starts_with("2030-01-28")), "{server:?}: {starts:?}");
        assert_eq!(world.texts("Work").len(), 1, "{server:?}: one resource");
        assert!(world.text("Work", "UID:standup").contains("X-OTHER:stays"), "{server:?}");
        agreed(&mut console, "move the standup on February 11 2030 to 12:00 from then on");
        let starts = world.starts("Work");
        let at = |day: &str| starts.iter().find(|one| one.starts_with(day)).cloned().unwrap_or_default();
        assert_eq!(at("2030-02-04"), "2030-02-04T10:00:00+01:00 Standup", "{server:?}: {starts:?}");
        assert_eq!(at("2030-02-11"), "2030-02-11T12:00:00+01:00 Standup", "{server:?}: {starts:?}");
        assert_eq!(at("2030-02-18"), "2030-02-18T12:00:00+01:00 Standup", "{server:?}: {starts:?}");
        assert_eq!(world.texts("Work").iter().filter(|text| text.contains("X-OTHER:stays")).count(), 2, "{server:?}");
        console.finish();
    }
}

#[test]
fn what_others_write_there_is_known_and_what_they_take_away_goes() {
    for server in SERVERS {
        let world = World::new(server);
        let href = world.other.put("Personal", "dentist.ics", DENTIST);
        let console = world.knows("what's on my calendar on January 15 2030?", "Dentist");
        console.finish();
        world.other.put(
            "Personal",
            "dentist.ics",
            &DENTIST.replace("T140000Z", "T080000Z").replace("T143000Z", "T083000Z"),
        );
        let console = world.knows("what's on my calendar on January 15 2030?", "09:00");
        console.finish();
        world.other.delete(&href);
        let mut console = world.console();
        until(&mut console, "what's on my calendar on January 15 2030?", "othing");
        console.finish();
        // Another calendar of the same name and place: other tokens, other things.
        world.other.recreate("Personal");
        world.other.put("Personal", "other.ics", &DENTIST.replace("dentist", "other").replace("Dentist", "Barber"));
        let mut console = world.knows("what's on my calendar on January 15 2030?", "Barber");
        let said = text_of(&console.say("what's on my calendar on January 15 2030?"));
        assert!(!said.contains("Dentist"), "{server:?}: {said}");
        console.finish();
    }
}
