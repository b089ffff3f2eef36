//! Messages with two times, of which one is meant: the reminder's and not that of what it is about, where something is
//! moved to and not where it was.
//!
//! No instant is written down here: what a time means alone is what it has to mean beside the other. A question back is
//! allowed where a time is taken back by a negation, another instant never.

use super::*;
use crate::language::time::start_in;

const FULL: &[&str] = &[
    "tomorrow at 5pm",
    "on friday at 10",
    "friday at 3",
    "at 4 on monday",
    "monday 9.30",
    "on the 14th at 11",
    "14 december at 2pm",
    "next tuesday at 10am",
    "6pm on saturday",
    "thursday morning",
    "in two weeks at 3pm",
    "sun at half past 2",
];
const DAYS: &[&str] = &["tomorrow", "on friday", "monday", "on the 15th", "next tuesday", "on 18 december"];
const HOURS: &[&str] = &["at 5", "at 6pm", "at 11:30", "at noon", "at half past 4"];

/// A frame, its first times and its second ones; `{1}` or `{2}` stands in it where the one that is meant does.
struct Frame {
    text: &'static str,
    meant: Meant,
    first: &'static [&'static [&'static str]],
    second: &'static [&'static [&'static str]],
}

#[derive(Clone, Copy)]
enum Meant {
    First,
    Second,
}

const FRAMES: &[Frame] = &[
    Frame { text: "remind me {1} about the exam {2}", meant: Meant::First, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "remind me {1} about the exam {2}", meant: Meant::First, first: &[HOURS], second: &[FULL, DAYS] },
    Frame { text: "{1} remind me about the exam {2}", meant: Meant::First, first: &[FULL, HOURS], second: &[FULL] },
    Frame { text: "remind me {1} that the exam is {2}", meant: Meant::First, first: &[DAYS, HOURS], second: &[FULL] },
    Frame { text: "remind me {1} because it is {2}", meant: Meant::First, first: &[FULL, DAYS], second: &[FULL, DAYS] },
    Frame { text: "the exam is {2}, remind me {1}", meant: Meant::First, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "i land {2} so remind me {1} to pack", meant: Meant::First, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "move the call {1} to {2}", meant: Meant::Second, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "push the call from {1} to {2}", meant: Meant::Second, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "the call moved from {1} to {2}", meant: Meant::Second, first: &[FULL, DAYS], second: &[FULL] },
    Frame { text: "the call is now {2}, not {1}", meant: Meant::Second, first: &[DAYS], second: &[FULL] },
];

/// Without the preposition that the frame has in front of it.
fn placed(frame: &str, place: &str, time: &str) -> String {
    let bare = time.strip_prefix("on ").or_else(|| time.strip_prefix("at ")).unwrap_or(time);
    let led = ["from ", "to ", "now "].iter().any(|lead| frame.contains(&format!("{lead}{place}")));
    frame.replace(place, if led { bare } else { time })
}

#[test]
fn of_two_times_the_one_that_is_meant_is_taken() {
    let reference = reference("2026-12-09T08:01", "Europe/London");
    let (mut all, mut asked, mut wrong) = (0, Vec::new(), Vec::new());
    for Frame { text, meant, first, second } in FRAMES {
        let firsts = first.iter().copied().flatten();
        for (one, two) in firsts.flat_map(|one| second.iter().copied().flatten().map(move |two| (*one, *two))) {
            // One day said twice is another matter.
            if one.split(' ').any(|word| word.len() > 2 && two.contains(word)) {
                continue;
            }
            let message = placed(&placed(text, "{1}", one), "{2}", two);
            let expected = start_in(if matches!(meant, Meant::First) { one } else { two }, &reference);
            all += 1;
            match start_in(&message, &reference) {
                None => asked.push(message),
                got if got == expected => {}
                got => wrong.push(format!("{message}: {:?}, not {:?}", got.map(show), expected.map(show))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let some: Vec<_> = asked.iter().step_by(7).collect();
    assert!(all > 1_000 && asked.len() * 50 < all, "{} of {all} asked about: {some:#?}", asked.len());
}

#[test]
fn a_day_that_is_named_twice_is_one_day() {
    super::sentences::begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("NYE at the club, 31 dec 9pm", "2026-12-31T21:00"),
            ("off on friday, tell the boss by 5pm friday", "2026-12-11T17:00"),
            ("friday night lights at sams friday 8pm", "2026-12-11T20:00"),
            ("sunday league kicks off on the 13th at 10.30am", "2026-12-13T10:30"),
            ("sunday league kicks off on the 12th at 10.30am", "-"),
            ("she can't come on monday so i leave at 3pm that day", "2026-12-14T15:00"),
            ("late night ferry tomorrow at 23:15", "2026-12-10T23:15"),
            ("late night ferry tomorrow at 9:15am", "-"),
            ("half day on friday, pickup is 12:10", "2026-12-11T12:10"),
        ],
    );
}

#[test]
fn what_is_moved_by_a_length_is_counted_from_where_it_was() {
    super::sentences::begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("push my 2pm with Larsen back by half an hour", "2026-12-09T14:30"),
            ("move my 2pm tomorrow an hour earlier", "2026-12-10T13:00"),
            ("bring the 2pm forward by an hour", "2026-12-09T13:00"),
            ("move the 2pm forward by an hour", "2026-12-09T14:00"),
            ("move the dentist an hour earlier", "-"),
            ("postpone the dentist by a week", "-"),
            ("verschieb den termin um 14 uhr um eine stunde nach hinten", "2026-12-09T15:00"),
        ],
    );
}
