//! Alarms of events on real servers: told here, and written there as other clients read them.

use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};

use crate::real_calendar::world::{SERVERS, World, until};
use crate::support::program::{button, did, text_of};

/// How long from now the alarm of another program rings: both servers are read before.
const AHEAD_SECS: i64 = 120;
const PATIENCE: Duration = Duration::from_secs(240);

/// With an alarm of another program, a quarter of an hour before it begins.
fn dentist() -> String {
    let at = |minutes: i64| {
        (Utc::now() + TimeDelta::seconds(AHEAD_SECS) + TimeDelta::minutes(minutes)).format("%Y%m%dT%H%M%SZ")
    };
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VEVENT\r\nUID:dentist\r\n\
         DTSTAMP:20260101T000000Z\r\nDTSTART:{}\r\nDTEND:{}\r\nSUMMARY:Dentist\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\n\
         TRIGGER:-PT15M\r\nDESCRIPTION:Go\r\nX-OTHER:stays\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        at(15),
        at(45)
    )
}

#[test]
fn an_alarm_that_another_client_set_rings_here_and_one_that_is_said_is_written_there() {
    let worlds = SERVERS.map(|server| (server, World::new(server)));
    let dentist = dentist();
    let mut consoles = worlds.each_ref().map(|(_, world)| {
        world.other.put("Personal", "dentist.ics", &dentist);
        world.console()
    });
    let texts = worlds.each_ref().map(|(_, world)| world).into_iter().zip(&mut consoles).map(|(world, console)| {
        until(console, "when is the dentist?", "Dentist");
        let set = console.say("remind me 5 minutes before the dentist");
        assert_eq!(did(&set), ["calendar.remind_of_event succeeded"], "{}", text_of(&set));
        let text = world.text("Personal", "UID:dentist");
        for line in ["TRIGGER:-PT5M", "TRIGGER:-PT15M", "X-OTHER:stays"] {
            assert!(text.lines().any(|one| one == line), "{line}: {text}");
        }
        text
    });
    let texts: Vec<String> = texts.collect();
    for (((server, world), mut console), text) in worlds.iter().zip(consoles).zip(texts) {
        let began = Instant::now();
        let rung = loop {
            assert!(began.elapsed() < PATIENCE, "{server:?}: it does not ring");
            std::thread::sleep(Duration::from_secs(1));
            let heard = console.say("thanks");
            if text_of(&heard).contains("⏰ Dentist — ") {
                break heard;
            }
        };
        let off = console.press(&button(&rung, "snooze"));
        assert!(text_of(&off).contains("Snoozed until"), "{server:?}: {}", text_of(&off));
        assert_eq!(world.text("Personal", "UID:dentist"), text, "{server:?}: it stays here");
        console.finish();
    }
}
