//! Free time, and whether somebody has any.

use super::*;
use proptest::prelude::*;

async fn slots(world: &World, calendar: &Registration, params: Value) -> Vec<String> {
    let result = world.run(calendar, "find_free_time", params).await;
    let short = |slot: &Value, name: &str| slot[name].as_str().unwrap()[5..16].to_owned();
    let slots = result["slots"].as_array().unwrap();
    slots.iter().map(|slot| format!("{}–{}", short(slot, "start"), short(slot, "end"))).collect()
}
#[tokio::test]
async fn free_time_is_what_events_leave_of_working_hours() {
    let (world, calendar) = world_at("2026-01-12 12:02");
    put(
        &world,
        &[
            event("a", "Call", "2026-01-12 14:00", Some("2026-01-12 15:00")),
            event("b", "Review", "2026-01-12 14:30", Some("2026-01-12 17:40")),
            event("c", "Birthday", "2026-01-12", None),
            event("d", "Party", "2026-01-17 10:00", Some("2026-01-17 17:00")),
        ],
    )
    .await;
    let today = slots(&world, &calendar, json!({"from": "2026-01-12"})).await;
    assert_eq!(today, ["01-12T12:05–01-12T14:00"]);
    let short = slots(&world, &calendar, json!({"from": "2026-01-12", "minutes": 20})).await;
    assert_eq!(short, ["01-12T12:05–01-12T14:00", "01-12T17:40–01-12T18:00"]);
    let evening = json!({"from": at("2026-01-12 17:00"), "to": at("2026-01-12 21:00"), "minutes": 60});
    assert_eq!(slots(&world, &calendar, evening).await, ["01-12T17:40–01-12T21:00"]);
    let week = slots(&world, &calendar, json!({"from": "2026-01-14", "to": "2026-01-20"})).await;
    assert_eq!(week.len(), 4, "no weekend: {week:?}");
    let saturday = slots(&world, &calendar, json!({"from": "2026-01-17"})).await;
    assert_eq!(saturday, ["01-17T09:00–01-17T10:00", "01-17T17:00–01-17T18:00"]);
    assert!(slots(&world, &calendar, json!({"from": "2026-01-10", "to": "2026-01-12"})).await.is_empty());
}
#[tokio::test]
async fn a_day_with_a_clock_change_has_its_working_hours() {
    let (world, calendar) = world_at("2026-03-28 12:00");
    assert_eq!(slots(&world, &calendar, json!({"from": "2026-03-29"})).await, ["03-29T09:00–03-29T18:00"]);
    assert_eq!(slots(&world, &calendar, json!({"from": "2026-10-25"})).await, ["10-25T09:00–10-25T18:00"]);
}
#[tokio::test]
async fn whoever_has_something_then_is_not_free() {
    let (world, calendar) = world_at(MONDAY_NOON);
    let call = event("e1", "Northwind call", "2026-01-13 14:00", Some("2026-01-13 15:00"));
    put(&world, &[call, event("e2", "Tom's birthday", "2026-01-14", None)]).await;
    let free = async |from: &str, to: &str| {
        let (from, to) = (local(Berlin, from), local(Berlin, to));
        calendar.service.holds(&world.ctx, &Circumstance::Free { from, to }).await.unwrap()
    };
    let busy = free("2026-01-13 14:30", "2026-01-13 15:30").await.unwrap();
    assert!(!busy.holds);
    assert!(busy.shown.as_deref().is_some_and(|shown| shown.starts_with("Northwind call (")), "{busy:?}");
    assert!(free("2026-01-13 15:00", "2026-01-13 16:00").await.unwrap().holds);
    // A birthday keeps nobody busy; one call leaves most of a day.
    let birthday = free("2026-01-14 00:00", "2026-01-15 00:00").await.unwrap();
    assert!(birthday.holds && birthday.shown.as_deref().is_some_and(|shown| shown.starts_with("Tom's birthday")));
    assert_eq!(free("2026-01-13 00:00", "2026-01-14 00:00").await, None);
}

proptest! {
    #[test]
    fn free_slots_never_overlap_an_event_and_are_long_enough(
        events in prop::collection::vec((0i64..10_000, 1i64..600), 0..30),
        least in 1i64..240,
    ) {
        let base = local(Berlin, "2026-03-27 00:00");
        let minutes = |n| base + Duration::minutes(n);
        let busy: Vec<free::Interval> = events.iter().map(|(start, length)| (minutes(*start), minutes(start + length))).collect();
        let windows = free::windows(base, minutes(10_000), free::ClockTimes::Unsaid, Berlin);
        let gaps = free::gaps(&windows, busy.clone(), Duration::minutes(least));
        for (from, to) in &gaps {
            prop_assert!(*to - *from >= Duration::minutes(least));
            prop_assert!(busy.iter().all(|(start, end)| end <= from || start >= to));
            prop_assert!(windows.iter().any(|(start, end)| start <= from && to <= end));
        }
        prop_assert!(gaps.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        // Nothing free is left out: a minute of a window is busy, in a gap, or in a gap that is too short.
        for minute in (0..10_000).step_by(7).map(minutes) {
            let inside = |spans: &[free::Interval]| spans.iter().any(|(start, end)| *start <= minute && minute < *end);
            if inside(&windows) && !inside(&busy) && !inside(&gaps) {
                let all = free::gaps(&windows, busy.clone(), Duration::zero());
                let gap = all.iter().find(|(start, end)| *start <= minute && minute < *end);
                prop_assert!(gap.is_some_and(|(start, end)| *end - *start < Duration::minutes(least)));
            }
        }
    }
}
