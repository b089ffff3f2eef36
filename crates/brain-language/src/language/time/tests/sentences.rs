//! Times among the other words and figures of a message.

use super::*;
use crate::language::time::{Known, half_of, resolve_within, start_in};

/// Each message and where its time begins; "-" where it has to be asked for.
pub fn begin(now: &str, zone: &str, messages: &[(&str, &str)]) {
    let reference = reference(now, zone);
    for (text, expected) in messages {
        assert_eq!(start_in(text, &reference).map_or_else(|| "-".to_owned(), show), *expected, "{text}");
    }
}

#[test]
fn a_figure_just_before_a_day_is_its_hour() {
    begin(
        "2026-09-22T05:50",
        "Australia/Sydney",
        &[
            ("concrete truck coming 6.30 this morning", "2026-09-22T06:30"),
            ("concrete truck 6.30 friday", "2026-09-25T18:30"),
            ("dentist 9.15 next wednesday", "2026-09-30T09:15"),
            ("see you 7 this evening", "2026-09-22T19:00"),
            ("bus 7 friday", "2026-09-25T00:00"),
            ("12 people friday", "2026-09-25T00:00"),
        ],
    );
}

#[test]
fn that_it_is_meant_roughly_belongs_to_the_time() {
    let reference = reference("2026-01-12T09:00", "UTC");
    for (text, before) in [
        ("call with anna sometime friday morning", "call with anna"),
        ("a call sometime next week", "a call"),
        ("lunch with bob at some point on friday", "lunch with bob"),
    ] {
        let found = find(text, &reference);
        assert_eq!(found.first().map(|found| text[..found.span.start].trim()), Some(before), "{text}");
    }
}

#[test]
fn a_figure_like_an_hour_that_fitted_nowhere_is_asked_about() {
    begin(
        "2026-07-19T23:30",
        "Asia/Singapore",
        &[
            ("friday week im off to galway on the 9.35 train", "2026-07-31T09:35"),
            ("pay the 24.80 bill on friday", "2026-07-24T00:00"),
            ("train to kl thursday 0825 coach 4 seat 11", "2026-07-23T08:25"),
            ("ring the insurance on monday morning 0800 731 2020", "2026-07-20T09:00"),
            ("invoice 2207 is still not paid, chase them today", "2026-07-19T00:00"),
            ("call the insurance 800 555 0142 tomorrow before noon", "2026-07-20T12:00"),
            ("the coffin is 6ft 2 by 24 in light oak", "-"),
            ("the two labs get walked sat at 7am", "2026-07-25T07:00"),
            ("bed 12 had 500ml and bp was 118 over 76", "-"),
            ("the client at 1408 oak wants to walk the site tomorrow at 4", "2026-07-20T16:00"),
            ("dinner for the sponsors on friday, 22 people, book luigis", "2026-07-24T00:00"),
            ("the desk is staffed 24/7, ext 4410", "-"),
        ],
    );
}

#[test]
fn dates_with_a_slash_need_no_preposition_where_they_are_no_fraction() {
    begin(
        "2026-07-19T23:30",
        "Asia/Singapore",
        &[
            ("travel insurance ends 15/8", "2026-08-15T00:00"),
            ("annual leave for kasia 10/8 - 21/8", "2026-08-10T00:00"),
            ("3/4 of the cake is gone", "-"),
        ],
    );
}

#[test]
fn what_is_played_at_any_hour_is_asked_about() {
    begin(
        "2026-05-13T11:10",
        "Europe/Dublin",
        &[
            ("chem quiz tmrw 8:05 dont let me sleep in", "-"),
            ("quiz tmrw at 8 in the evening", "2026-05-14T20:00"),
            ("kids footy final sunday 10.45 oval 3", "2026-05-17T10:45"),
            ("football every saturday at 9", "-"),
            ("football tomorrow at 5", "2026-05-14T17:00"),
            ("wake me at a quarter to four", "-"),
            ("wake me at a quarter to four from my nap", "2026-05-13T15:45"),
            ("wake me at 6", "2026-05-14T06:00"),
            ("set an alarm for 5:30", "2026-05-14T05:30"),
        ],
    );
}

#[test]
fn midnight_ends_the_day_of_a_deadline() {
    begin(
        "2026-10-29T22:50",
        "America/New_York",
        &[
            ("essay due sunday midnight", "2026-11-02T00:00"),
            ("call me on sunday at midnight", "-"),
            ("new years eve fireworks at midnight, remind me", "2027-01-01T00:00"),
        ],
    );
}

#[test]
fn only_its_own_clause_puts_a_date_into_the_past() {
    begin(
        "2026-08-31T07:25",
        "America/Chicago",
        &[
            ("conferences are oct 8, we got the 6:20 pm slot with ms ruiz", "2026-10-08T18:20"),
            ("the invoice i got on oct 8", "2025-10-08T00:00"),
            ("what had we on christmas eve", "2025-12-24T00:00"),
            ("am i free on christmas eve or did i promise something", "2026-12-24T00:00"),
        ],
    );
}

#[test]
fn an_hour_that_something_is_moved_to_is_on_its_day() {
    begin(
        "2026-12-30T16:20",
        "America/Los_Angeles",
        &[
            ("can you move the standup on tuesday to 10:15 and tell the team", "2027-01-05T10:15"),
            ("move it from tuesday to 10:15 on friday", "2027-01-01T10:15"),
            ("kannst du den termin von montag auf donnerstag halb drei schieben", "2026-12-31T14:30"),
            ("verleg die versammlung auf donnerstag in einer woche, bitte um 20 uhr", "2027-01-07T20:00"),
            ("push tomorrow's 10am review with akira to 11:30", "2026-12-31T11:30"),
            ("move tomorrow's hairdo from 2pm to 4pm", "2026-12-31T16:00"),
            ("push thursdays inventory to monday", "2027-01-04T00:00"),
            ("move the exam on friday at 10 to 6pm on saturday", "2027-01-02T18:00"),
            ("shift swap: priya does friday 11 to 7", "2027-01-01T11:00"),
        ],
    );
}

#[test]
fn a_request_comes_before_its_reason() {
    begin(
        "2026-08-31T07:25",
        "America/Chicago",
        &[
            ("school starts tomorrow so remind me tonight to pack the lunches", "2026-08-31T20:00"),
            ("the kid lands tomorrow at 9:45 pm, so please block saturday morning", "2026-09-05T09:00"),
            ("the concrete truck gets here 9:30, ping me at 9:15", "2026-08-31T09:15"),
            ("remind me at 5 so i can leave at 6", "2026-08-31T17:00"),
            ("move it to 3 so the hall is free for bingo at 5", "2026-08-31T15:00"),
        ],
    );
}

#[test]
fn a_day_may_stand_behind_a_range_of_hours() {
    begin(
        "2026-10-21T09:00",
        "Europe/London",
        &[
            ("he will come a week on wednesday between 8 and 12", "2026-11-04T08:00"),
            ("first aid course is 8.30 til 4 on saturday 6 march, costs 120", "2027-03-06T08:30"),
            ("im doing carlas swap on tuesday 1.30pm to 9.30", "2026-10-27T13:30"),
        ],
    );
}

#[test]
fn what_is_known_beside_the_words_counts_less_than_they_do() {
    let now = reference("2026-01-14T09:00", "Europe/Berlin");
    let at = |text: &str, known: Known| resolve_within(text, known, &now).map(|answer| told(&answer)).unwrap();
    let evening = Known { half: half_of("dinner with Ana"), past: false };
    assert_eq!(at("saturday at 8", evening), "2026-01-17T20:00");
    assert_eq!(at("saturday at 8am", evening), "2026-01-17T08:00");
    assert_eq!(at("saturday at 8", Known::default()), "2026-01-17T08:00");
    let been = Known { half: None, past: true };
    assert_eq!(at("in december", been), "2025-12-01T00:00..2026-01-01T00:00");
    assert_eq!(at("friday", been), "2026-01-09T00:00");
    assert_eq!(at("tomorrow", been), "2026-01-15T00:00");
}

#[test]
fn words_that_only_look_like_a_correction_stop_nothing() {
    begin(
        "2026-09-25T05:50",
        "Australia/Sydney",
        &[("public holiday monday 5 october, no one on site", "2026-10-05T00:00")],
    );
}

#[test]
fn what_is_asked_for_ahead_is_counted_from_what_was_told() {
    begin(
        "2026-09-09T06:20",
        "Europe/London",
        &[
            ("flight to Bali is 6.40am tomorrow, wake me 3 hours before", "2026-09-10T03:40"),
            ("remind me 15 min before the call, it is at 3", "2026-09-09T14:45"),
            ("taxes by the 15th, remind me the day before", "2026-09-14T00:00"),
            ("erinner mich 15 min vor der übergabe, die ist um 15 uhr", "2026-09-09T14:45"),
            ("remind me an hour before the train tomorrow, it leaves at 16:24", "2026-09-10T15:24"),
            ("remind me an hour before the train tomorrow", "-"),
            ("ping me 15 minutes before the 10am interview tomorrow", "2026-09-10T09:45"),
        ],
    );
}

#[test]
fn two_appointments_in_one_message_are_asked_about_and_what_is_no_appointment_is_not() {
    begin(
        "2026-09-09T06:20",
        "Europe/London",
        &[
            ("the appointment was tuesday at 10 and now it is thursday at 12:40", "2026-09-10T12:40"),
            ("graduation is june 6, email the registrar on monday at 9am", "-"),
            ("dentist on fri, 3pm. not thursday", "2026-09-11T15:00"),
            ("ok last thing today, add the cardiologist for september 24 at 2:30 pm", "2026-09-24T14:30"),
            ("call bob today about the meeting tomorrow at 3pm", "-"),
            ("the choir meets at ours this month, it's on sunday the 27th", "2026-09-27T00:00"),
            ("shops open friday 6am, wake me 5:15 that day", "2026-09-11T05:15"),
            ("saturday morning remind me that sunday is the christening", "2026-09-12T09:00"),
            ("fetch her from the airport tonight, she lands 21:35", "2026-09-09T21:35"),
        ],
    );
}

#[test]
fn days_with_one_hour_are_that_hour_on_each_of_them() {
    check_found(
        reference("2026-09-09T06:20", "Europe/London"),
        &[(
            "gym mon to wed at 7",
            &["mon to wed at 7 = 2026-09-14T07:00 FREQ=DAILY;BYHOUR=7;BYMINUTE=0;UNTIL=20260916T225959Z"],
        )],
    );
}

#[test]
fn every_other_week_begins_on_the_day_it_was_said_to_begin() {
    begin(
        "2026-12-29T13:44",
        "Europe/London",
        &[
            ("every other thursday from 7 january", "2027-01-07T00:00"),
            ("every other thursday at 9 starting 7 january", "2027-01-07T09:00"),
            ("every other tuesday", "2027-01-05T00:00"),
            ("every other tuesday at 3", "2026-12-29T15:00"),
        ],
    );
}

#[test]
fn what_is_found_has_words() {
    let reference = reference("2026-09-09T06:20", "Europe/London");
    for text in [
        "Mon Blue Mon Mon Mon",
        "jeden Mon Mon Mon Monı Mon Mon Mon um 6",
        "Blue Monday Monday",
        "the day after the Sunday Sunday",
    ] {
        let found = find(text, &reference);
        let ends: Vec<usize> = found.iter().map(|f| f.span.end).collect();
        for (f, before) in found.iter().zip(std::iter::once(0).chain(ends)) {
            assert!(before <= f.span.start && !text[f.span.clone()].trim().is_empty(), "{text}: {found:?}");
        }
    }
}

#[test]
fn a_timer_runs_from_now() {
    begin(
        "2026-12-09T08:01",
        "Europe/Berlin",
        &[
            ("set a timer for 35 minutes", "2026-12-09T08:36"),
            ("timer 20 minutes for the eggs", "2026-12-09T08:21"),
            ("45 min timer for the sourdough", "2026-12-09T08:46"),
            ("timer for 10", "2026-12-09T08:11"),
            ("set a timer for 9am", "2026-12-09T09:00"),
            ("stell einen timer auf 10 minuten", "2026-12-09T08:11"),
            ("the meeting is for 10 minutes", "-"),
        ],
    );
}

#[test]
fn what_leaves_at_a_dotted_hour_does_so_then() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("8.20 train tmrw morning", "2026-12-10T08:20"),
            ("be on the 5.50 bus tomorrow morning", "2026-12-10T05:50"),
            ("ward meeting 13.30 on the 11th", "2026-12-11T13:30"),
            ("i paid 13.30 on the 11th", "-"),
            ("12-8 shift on friday", "2026-12-11T12:00"),
            ("jury selection starts 4/1", "2027-01-04T00:00"),
            ("wake me tomorrow an hour before the 8.15 train", "2026-12-10T07:15"),
            ("weck mich morgen eine stunde vor meinem 8-Uhr-Zug", "2026-12-10T07:00"),
        ],
    );
}

#[test]
fn hours_of_three_figures_are_hours_beside_a_day_or_a_request() {
    begin(
        "2026-12-09T17:01",
        "Europe/London",
        &[
            ("pick up tre at 530 today", "2026-12-09T17:30"),
            ("goin live at 830 tonight", "2026-12-09T20:30"),
            ("class 2nite 630", "2026-12-09T18:30"),
            ("studio 930 tn", "2026-12-09T21:30"),
            ("remind me at 745", "2026-12-09T19:45"),
            ("roast at 350 for an hour", "-"),
            ("preheat to 350 tonight", "-"),
            ("budget of 500 due friday", "2026-12-11T00:00"),
        ],
    );
}

#[test]
fn a_day_by_its_number_belongs_to_the_hour_behind_it() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("dentist 27th 3pm", "2026-12-27T15:00"),
            ("gas man 27th between 8am and 12", "2026-12-27T08:00"),
            ("the flyers came 14th, home by 5", "-"),
            ("match sat throw in at 12", "-"),
            ("remind me at 3 about tomorrow's meeting", "2026-12-09T15:00"),
        ],
    );
}

#[test]
fn a_day_beside_a_holiday_says_which_country_keeps_it() {
    begin(
        "2026-03-09T08:01",
        "Europe/London",
        &[("mothers day sunday, get flowers", "2026-03-15T00:00"), ("flowers for mothers day", "-")],
    );
}

#[test]
fn an_hour_of_another_place_is_read_there_or_asked_about() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("call on friday at 3pm, dubai time", "2026-12-11T11:00"),
            ("friday 3pm call, dubai time, with rashid", "-"),
            ("call with yuki friday 4pm nagano time", "-"),
            ("friday 4pm story time at the library", "2026-12-11T16:00"),
        ],
    );
}

#[test]
fn what_may_be_a_day_or_an_hour_beside_others_is_read_or_asked_about() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("pick up the mixer fri after work", "2026-12-11T18:00"),
            ("tech sat from 2", "2026-12-12T14:00"),
            ("mark the floor sat before the cast arrive, 7.45am", "-"),
            ("lunch w darren at noon, lau pa sat", "-"),
            ("tmrw 11 seminar hall", "-"),
            ("load in tmrw 11 dont forget the cables", "2026-12-10T11:00"),
            ("buy for tomorrow 12 lanterns", "2026-12-10T00:00"),
            ("send the sunday roast recipe in an hour", "2026-12-09T09:01"),
            ("two days before the 31st remind me about leave", "2026-12-29T00:00"),
            ("first lecture is monday at 9 in the wallace theatre", "2026-12-14T09:00"),
        ],
    );
}
