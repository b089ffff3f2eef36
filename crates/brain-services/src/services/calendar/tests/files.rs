//! Events out of calendar files, and into one.

use super::*;
use crate::services::calendar::event_reminder::EventReminder;
use crate::services::calendar::exceptions::Instead;
use crate::services::contract::capabilities::Content;

fn file(inner: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", inner.replace('\n', "\r\n"))
}

fn vevent(lines: &str) -> String {
    format!("BEGIN:VEVENT\n{lines}END:VEVENT\n")
}

fn offered(world: &World, calendar: &Registration, text: &str) -> Option<(String, PlannedAction)> {
    let content = Content { along: None, title: "file.ics", text };
    let mut offers = calendar.service.offers(&content, &world.ctx);
    let offer = offers.pop()?;
    Some((offer.question.unwrap(), offer.action))
}

async fn added(world: &World, calendar: &Registration, text: &str) -> Vec<Event> {
    let (_, action) = offered(world, calendar, text).expect("an offer");
    world.run(calendar, "add_events", Value::Object(action.params)).await;
    let scan = Scan::of::<Event>(&["tg:1"], 1_000);
    let mut events: Vec<Event> =
        world.store.list::<Event>(scan).await.unwrap().into_iter().map(|(event, _)| event).collect();
    events.sort_by(|a, b| a.start_time.cmp(&b.start_time));
    events
}

#[tokio::test]
async fn each_event_of_a_file_is_one_and_a_series_stays_one_with_what_is_not_as_its_rule() {
    let (world, calendar) = world_at(MONDAY_NOON);
    let series = vevent(
        "UID:s\nDTSTART;TZID=Europe/Berlin:20260119T100000\nDTEND;TZID=Europe/Berlin:20260119T110000\nRRULE:FREQ=WEEKLY\nSUMMARY:Choir\n",
    );
    let moved = vevent(
        "UID:s\nRECURRENCE-ID;TZID=Europe/Berlin:20260126T100000\nDTSTART;TZID=Europe/Berlin:20260126T180000\nSUMMARY:Choir, late\nATTENDEE:mailto:eve@evil.example\n",
    );
    let single = vevent(
        "UID:t\nDTSTART:20260114T090000Z\nDURATION:PT30M\nSUMMARY:Train\nATTENDEE:mailto:eve@evil.example\nORGANIZER:mailto:rail@x.example\nDESCRIPTION:Seat 4\n",
    );
    let unnamed = vevent("DTSTART;VALUE=DATE:20260113\nSUMMARY:Fair\n");
    let gone = vevent("UID:g\nDTSTART:20260114T090000Z\nSTATUS:CANCELLED\nSUMMARY:Gone\n");
    let broken = vevent("UID:b\nSUMMARY:Without a time\n");
    let all = added(&world, &calendar, &file(&[series, single, moved, unnamed, gone, broken].concat())).await;
    let names: Vec<&str> = all.iter().map(|event| event.summary.as_str()).collect();
    assert_eq!(names, ["Fair", "Train", "Choir"]);
    assert!(all.iter().all(|event| event.attendees.is_empty() && event.origin.is_none()), "{all:?}");
    assert_eq!(all[1].notes.as_deref(), Some("Invited by rail@x.example\n\nSeat 4"));
    let instead: &Instead = all[2].exceptions[0].instead.as_ref().unwrap();
    assert!(instead.summary == "Choir, late" && instead.attendees.is_empty(), "{instead:?}");
    assert!(all.iter().all(|event| !event.others.is_empty()), "the words are those of a file");
}

#[tokio::test]
async fn what_holds_no_event_is_not_offered_and_what_is_there_is_not_added_again() {
    let (world, calendar) = world_at(MONDAY_NOON);
    let train = vevent("UID:t\nDTSTART:20260114T090000Z\nSUMMARY:Train\n");
    for text in [
        file(""),
        file("BEGIN:VTODO\nUID:a\nSUMMARY:Milk\nEND:VTODO\n"),
        file("BEGIN:VEVENT\nSUMMARY:Half\n"),
        format!("notes\n{}", file(&train)),
        "BEGIN:VCALENDAR".to_owned(),
        String::new(),
    ] {
        assert!(offered(&world, &calendar, &text).is_none(), "{text}");
    }
    let (question, action) = offered(&world, &calendar, &file(&train)).unwrap();
    assert!(question.starts_with("Shall I put this on your calendar?\n") && question.contains("Train"), "{question}");
    assert_eq!(added(&world, &calendar, &file(&train)).await.len(), 1);
    let again = world.action(&calendar, "add_events", Value::Object(action.params)).await;
    assert!(world.fails(&calendar, again).await.contains("It is there already; nothing was added"));
    let both = file(&format!("{train}{}", vevent("UID:u\nDTSTART:20260115T090000Z\nSUMMARY:Train\n")));
    let (_, action) = offered(&world, &calendar, &both).unwrap();
    let (_, told) = world.run_told(&calendar, "add_events", Value::Object(action.params)).await;
    assert!(told.starts_with("📅 Added: ") && told.contains("\n📅 There already: "), "{told}");
}

#[tokio::test]
async fn what_is_handed_out_is_read_back_as_the_same() {
    let (world, calendar) = world_at(MONDAY_NOON);
    let mut choir = series("c", "Choir; \"all\", of us", "2026-01-19 10:00", "2026-01-19 11:00", "FREQ=WEEKLY;COUNT=9");
    let of = |text: &str| Moment::read(&at(text), Berlin).unwrap();
    choir.except(of("2026-01-26 10:00"), None).unwrap();
    let late = Instead {
        summary: "Choir, late".to_owned(),
        start_time: at("2026-02-02 18:00"),
        end_time: Some(at("2026-02-02 19:00")),
        location: Some("Hall".to_owned()),
        attendees: Vec::new(),
    };
    choir.except(of("2026-02-02 10:00"), Some(late)).unwrap();
    choir.reminders = vec![EventReminder { days: 1, minutes: 0 }, EventReminder { days: 0, minutes: 20 }];
    choir.reminders.sort();
    let fair = Event { location: Some("Messe".to_owned()), ..event("f", "Fair", "2026-01-13", Some("2026-01-15")) };
    put(&world, &[choir.clone(), fair.clone()]).await;
    let (handed, count) = calendar.service.file(&world.ctx, "").await.unwrap().expect("a file");
    assert_eq!(count, 2);
    let content = String::from_utf8(handed.content).unwrap();
    assert_eq!(content.matches("BEGIN:VTIMEZONE").count(), 1, "{}", content);
    let (other, elsewhere) = world_at(MONDAY_NOON);
    let again = added(&other, &elsewhere, &content).await;
    for (read, was) in again.iter().zip([&fair, &choir]) {
        let same = Event { id: was.id.clone(), others: was.others.clone(), created_at: was.created_at, ..read.clone() };
        assert_eq!(&same, was);
    }
    let named = calendar.service.file(&world.ctx, "choir").await.unwrap().expect("a file");
    assert_eq!(named.1, 1);
    assert!(calendar.service.file(&world.ctx, "dentist").await.unwrap().is_none());
}
