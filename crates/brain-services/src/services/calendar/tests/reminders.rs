//! When events remind, by the clocks of Berlin.

use super::*;
use crate::services::calendar::event_reminder::EventReminder;
use crate::services::calendar::exceptions::Instead;
use crate::services::calendar::occurrence::Occurrence;

fn minutes(minutes: i64) -> EventReminder {
    EventReminder { days: 0, minutes }
}

fn days(days: i64) -> EventReminder {
    EventReminder { days, minutes: 0 }
}

/// The next rings behind a local time, as local times.
fn rings(event: &Event, after: &str, count: usize) -> Vec<String> {
    let mut behind = local(Berlin, after);
    let next = std::iter::from_fn(|| {
        let ring = event.next_ring(behind, Berlin)?;
        behind = ring.at;
        Some(ring.at.with_timezone(&Berlin).format("%m-%d %H:%M").to_string())
    });
    next.take(count).collect()
}

#[test]
fn a_reminder_rings_so_long_before_each_time_of_its_event() {
    let dentist = event("a", "Dentist", "2026-01-13 15:00", Some("2026-01-13 15:30"));
    let reminding =
        |event: &Event, reminders: &[EventReminder]| Event { reminders: reminders.to_vec(), ..event.clone() };
    let twice = reminding(&dentist, &[minutes(15), days(1)]);
    assert_eq!(rings(&twice, "2026-01-01 00:00", 9), ["01-12 15:00", "01-13 14:45"]);
    assert_eq!(rings(&twice, "2026-01-12 15:00", 9), ["01-13 14:45"], "the very instant has rung");
    assert!(rings(&dentist, "2026-01-01 00:00", 9).is_empty());
    // A day before ten o'clock is ten o'clock, also when the clocks change in between; an hour is an hour.
    let sunday = event("b", "Run", "2026-03-29 10:00", Some("2026-03-29 11:00"));
    assert_eq!(rings(&reminding(&sunday, &[days(1)]), "2026-03-01 00:00", 2), ["03-28 10:00"]);
    let night = event("c", "Night", "2026-03-29 03:30", None);
    assert_eq!(rings(&reminding(&night, &[minutes(60)]), "2026-03-01 00:00", 2), ["03-29 01:30"]);
    // Of a whole day: nine in the morning of the day before, and of the day.
    let birthday = event("d", "Birthday", "2026-01-13", None);
    let both = reminding(&birthday, &[minutes(15 * 60), minutes(-9 * 60)]);
    assert_eq!(rings(&both, "2026-01-01 00:00", 9), ["01-12 09:00", "01-13 09:00"]);
    let after = reminding(&dentist, &[minutes(-10)]);
    assert_eq!(rings(&after, "2026-01-13 15:05", 2), ["01-13 15:10"], "ten minutes into it");
}

#[test]
fn a_series_rings_each_time_but_for_those_that_do_not_take_place() {
    let mut standup = series("s", "Standup", "2026-01-12 10:00", "2026-01-12 10:15", "FREQ=DAILY;COUNT=5");
    standup.reminders = vec![minutes(30)];
    let of = |day: &str| Moment::read(&at(day), Berlin).unwrap();
    standup.except(of("2026-01-13 10:00"), None).unwrap();
    let instead = Instead {
        summary: "Standup, late".to_owned(),
        start_time: at("2026-01-14 16:00"),
        end_time: None,
        location: None,
        attendees: Vec::new(),
    };
    standup.except(of("2026-01-14 10:00"), Some(instead)).unwrap();
    let all = ["01-12 09:30", "01-14 15:30", "01-15 09:30", "01-16 09:30"];
    assert_eq!(rings(&standup, "2026-01-12 00:00", 9), all);
    let yearly = Event {
        reminders: vec![days(7)],
        ..series("y", "Anniversary", "2020-02-01 12:00", "2020-02-01 13:00", "FREQ=YEARLY")
    };
    assert_eq!(rings(&yearly, "2026-01-26 00:00", 2), ["01-25 12:00", "01-25 12:00"], "those of the next years");
    for rule in ["FREQ=MINUTELY", "FREQ=SECONDLY;INTERVAL=30"] {
        let often =
            Event { reminders: vec![minutes(5)], ..series("o", "Often", "2026-01-12 10:00", "2026-01-12 10:01", rule) };
        assert!(rings(&often, "2026-01-12 00:00", 1).is_empty(), "{rule}");
    }
    let past = Event { reminders: vec![minutes(5)], ..event("p", "Past", "2020-01-01 10:00", None) };
    assert!(rings(&past, "2026-01-01 00:00", 1).is_empty());
}

#[test]
fn what_is_put_off_rings_once_more() {
    let mut dentist = event("a", "Dentist", "2026-01-13 15:00", Some("2026-01-13 15:30"));
    dentist.reminders = vec![minutes(15)];
    dentist.snoozed = Some(local(Berlin, "2026-01-13 14:55"));
    assert_eq!(rings(&dentist, "2026-01-13 14:45", 9), ["01-13 14:55"]);
    let of: Occurrence = dentist.next_ring(local(Berlin, "2026-01-13 14:50"), Berlin).unwrap().of;
    assert_eq!(of.from, local(Berlin, "2026-01-13 15:00"));
}

#[test]
fn a_reminder_is_told_as_people_say_it() {
    let (timed, day) =
        (Moment::read(&at("2026-01-13 15:00"), Berlin).unwrap(), Moment::read("2026-01-13", Berlin).unwrap());
    for (reminder, start, told) in [
        (minutes(30), timed, "30 min before"),
        (EventReminder { days: 1, minutes: 60 }, timed, "1 day 1 h before"),
        (minutes(0), timed, "when it begins"),
        (minutes(-10), timed, "10 min after it began"),
        (minutes(15 * 60), day, "at 09:00 the day before"),
        (minutes(-9 * 60), day, "at 09:00 that day"),
        (minutes(39 * 60), day, "at 09:00 2 days before"),
        (minutes(0), day, "at 00:00 that day"),
    ] {
        assert_eq!(reminder.words(start), told);
    }
}

#[tokio::test]
async fn reminders_are_added_and_taken_off_and_what_has_passed_is_refused() {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[event("a", "Dentist", "2026-01-13 15:00", Some("2026-01-13 15:30"))]).await;
    let set = async |before: Value| {
        world.run_told(&calendar, "remind_of_event", json!({"find_by": "dentist", "remind_before": before})).await.1
    };
    assert!(set(json!("30 minutes")).await.starts_with("⏰ Reminder 30 min before: "));
    let both = set(json!(["1 day"])).await;
    assert!(both.starts_with("⏰ Reminder 1 day before and 30 min before: "), "{both}");
    assert!(both.ends_with("— Dentist"), "{both}");
    let instead = json!({"find_by": "dentist", "remind_before": ["2 hours"], "instead": true});
    let only = world.run_told(&calendar, "remind_of_event", instead).await.1;
    assert!(only.starts_with("⏰ Reminder 2 h before: "), "{only}");
    assert!(set(json!(["none"])).await.starts_with("🔕 No reminder any more: "));
    let late = json!({"find_by": "dentist", "remind_before": "3 weeks"});
    let refused = world.fails(&calendar, world.action(&calendar, "remind_of_event", late).await).await;
    assert!(refused.contains("passed already"), "{refused}");
}
