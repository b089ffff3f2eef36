//! A day and an hour mean the same in whatever order, and among whatever words, they are said.
//!
//! No instant is written down here: what a day means alone, and an hour beside a day, is what both have to mean
//! together in every frame. A question back is allowed now and then, another instant never.

use super::*;
use crate::language::time::start_in;

/// A few sentences in a hundred may be asked about: an hour in figures could be a price.
const ASKED_MAX: f64 = 0.02;

struct Language {
    zone: &'static str,
    tomorrow: &'static str,
    days: &'static [&'static str],
    hours: &'static [&'static str],
    /// `{d}` is the day, `{h}` the hour.
    frames: &'static [&'static str],
}

const ENGLISH: Language = Language {
    zone: "Europe/London",
    tomorrow: "tomorrow",
    days: &[
        "tomorrow",
        "tmrw",
        "the day after tomorrow",
        "friday",
        "on friday",
        "this friday",
        "next friday",
        "mon",
        "next tuesday",
        "on the 12th",
        "12 october",
        "oct 12th",
        "the 12th of october",
        "on 12.10.",
        "12 oct 2026",
        "2026-10-12",
        "sat 12 sept",
        "saturday the 12th",
        "friday week",
        "friday next week",
        "in 3 days",
        "three days from now",
        "in two weeks",
        "this coming monday",
        "first monday in october",
        "last friday of the month",
        "end of the month",
        "christmas eve",
        "on easter monday",
    ],
    hours: &[
        "at 5",
        "at 9",
        "at 9:30",
        "at 9.30",
        "17:30",
        "5pm",
        "at 5 p.m.",
        "8am",
        "at 8 am sharp",
        "half past six",
        "at half six",
        "quarter to 8",
        "at quarter past 4",
        "ten to five",
        "noon",
        "midday",
        "at lunchtime",
        "in the morning",
        "in the evening",
        "early afternoon",
        "late afternoon",
        "late evening",
        "at night",
        "around 5",
        "about 9",
        "5ish",
        "2pm to 10pm",
        "2pm - 10pm",
        "2-4pm",
        "9am to 5pm",
        "9:15-10:45",
        "11.30pm to 1am",
        "5 in the afternoon",
        "8 in the evening",
        "at 3 o'clock",
        "at 3 for 2 hours",
        "by 5pm",
        "before 5pm",
    ],
    frames: &[
        "{d} {h}",
        "{h} {d}",
        "{d}, {h}",
        "dentist {d} {h}",
        "dentist {h} {d}",
        "{d} {h} dentist",
        "{h} {d} dentist",
        "{d} dentist {h}",
        "dentist {d}, {h}",
        "remind me {d} {h} to call anna",
        "remind me to call anna {h} {d}",
        "i have training {d} {h} with the kids",
        "the plumber is coming {h} {d}",
        "add a meeting {d} {h} about the roof",
        "move the standup to {d} {h}",
        "my shift {h} {d}",
        "am i free {d} {h}?",
    ],
};

const GERMAN: Language = Language {
    zone: "Europe/Berlin",
    tomorrow: "morgen",
    days: &[
        "morgen",
        "übermorgen",
        "freitag",
        "am freitag",
        "am fr",
        "diesen freitag",
        "nächsten freitag",
        "freitag nächste woche",
        "am 12.",
        "12. oktober",
        "am 12. oktober",
        "am 12.10.",
        "12.10.2026",
        "sa 12.9.",
        "samstag den 12.",
        "in 3 tagen",
        "in zwei wochen",
        "heute in einer woche",
        "freitag in einer woche",
        "am ersten montag im oktober",
        "ende des monats",
        "am ostermontag",
    ],
    hours: &[
        "um 5",
        "um 9",
        "um 9:30",
        "17:30 uhr",
        "17 uhr",
        "um 17h",
        "um 8 uhr morgens",
        "um halb acht",
        "halb sechs",
        "viertel nach 4",
        "viertel vor acht",
        "um 9.30 uhr",
        "zehn vor fünf",
        "12 uhr",
        "am vormittag",
        "am späten nachmittag",
        "am abend",
        "nach der arbeit",
        "gegen 5",
        "ca. 17 uhr",
        "ab 9 uhr",
        "von 14 bis 16 uhr",
        "14-16 uhr",
        "zwischen 14 und 16 uhr",
        "22 bis 6 uhr",
        "um 8 abends",
        "um 15 uhr für 2 stunden",
        "bis 17 uhr",
        "vor 17 uhr",
    ],
    frames: &[
        "{d} {h}",
        "{d}, {h}",
        "zahnarzt {d} {h}",
        "zahnarzt {h} {d}",
        "{d} {h} zahnarzt",
        "{d} zahnarzt {h}",
        "{h} zahnarzt {d}",
        "zahnarzt {d}, {h}",
        "erinnere mich {d} {h} an den anruf",
        "kannst du den platz für {d} {h} buchen bitte",
        "ich habe {d} {h} training mit den kindern",
        "der klempner kommt {h} {d}",
        "verschieb das standup auf {d} {h}",
        "schicht {h} {d}",
        "{d} hat lena {h} flöte",
    ],
};

/// The sentences that mean another instant, and the share of those that are asked about.
fn composed(language: &Language) -> (Vec<String>, f64) {
    let reference = reference("2026-09-09T06:20", language.zone);
    let start = |text: &str| start_in(text, &reference);
    let (mut other, mut asked, mut all) = (Vec::new(), 0, 0);
    for day in language.days {
        let date = start(day).unwrap_or_else(|| panic!("{day}")).date_naive();
        for hour in language.hours {
            let time = start(&format!("{} {hour}", language.tomorrow)).unwrap_or_else(|| panic!("{hour}")).time();
            for frame in language.frames {
                let text = frame.replace("{d}", day).replace("{h}", hour);
                all += 1;
                match start(&text) {
                    Some(at) if at.naive_local() == date.and_time(time) => {}
                    Some(at) => other.push(format!("{text:?} is {}, not {}", show(at), date.and_time(time))),
                    None => asked += 1,
                }
            }
        }
    }
    (other, f64::from(asked) / f64::from(all))
}

fn check_composed(language: &Language) {
    let (other, asked) = composed(language);
    assert!(other.is_empty(), "{} sentences mean something else:\n{}", other.len(), other.join("\n"));
    assert!(asked < ASKED_MAX, "{:.1} % are asked about", asked * 100.0);
}

#[test]
fn a_day_and_an_hour_mean_the_same_in_any_order() {
    check_composed(&ENGLISH);
}

#[test]
fn so_they_do_in_german() {
    check_composed(&GERMAN);
}
