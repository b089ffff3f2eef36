//! Words and figures that look like a time and are none.

use super::sentences::begin;

#[test]
fn names_and_figures_that_look_like_days_are_none() {
    begin(
        "2026-09-09T06:20",
        "Europe/London",
        &[
            ("find the email from April Jones", "-"),
            ("my new address is 24 March Road", "-"),
            ("the mail of Mr Friday", "-"),
            ("my locker combo is 18-4-32", "-"),
            ("my plate is 8MAY225", "-"),
            ("the quote is 250 units at 18.40 each", "-"),
            ("the 7-eleven takes parcels", "-"),
        ],
    );
}
#[test]
fn a_wish_or_somebody_of_that_name_is_no_day() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("merry christmas you filthy animal", "-"),
            ("frohe ostern", "-"),
            ("the hamster is called tuesday btw", "-"),
            ("Wednesday Addams costume", "-"),
            ("i am so sad", "-"),
            ("3 by 2 studs for the shed", "-"),
            ("petty cash is off by 4.10", "-"),
            ("class photos are sometime in march", "2027-03-01T00:00"),
            ("i've got jury duty on 4/12", "2027-12-04T00:00"),
            ("a note to HR before 12:45 tomorrow", "2026-12-10T12:45"),
        ],
    );
}
#[test]
fn scores_sizes_and_works_are_no_times() {
    begin(
        "2026-12-09T08:01",
        "America/New_York",
        &[
            ("India won by 6 wickets", "-"),
            ("lost by 12, refs were blind", "-"),
            ("12/2 romex is $98 a roll", "-"),
            ("rewatched The Day After Tomorrow with Jo", "-"),
            ("the ac went out a second time", "-"),
            ("File VAT3 Kinsale Ceramics Tuesday", "2026-12-15T00:00"),
        ],
    );
}
#[test]
fn marks_names_and_places_beside_figures_are_no_times() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("coffee with ann at 3 at the central station", "2026-12-09T15:00"),
            ("3pm pt with dave", "2026-12-09T15:00"),
            ("open house 2 to 4 today", "2026-12-09T14:00"),
            ("buy one tomorrow lunchtime", "2026-12-10T12:00"),
            ("check out by 11 on sunday", "2026-12-13T11:00"),
            ("the bungalow is a 3/2 with a garage", "-"),
            ("21 to 9, a thrashing", "-"),
            ("my left eye is 6/9", "-"),
            ("the party is 12/16", "2026-12-16T00:00"),
            ("class photos 22/09", "2027-09-22T00:00"),
            ("chase the invoices on 31 march", "2027-03-31T00:00"),
            ("find the photos from 3 may", "2026-05-03T00:00"),
            ("romans 8:28 for the bulletin", "-"),
            ("john 3:16 on the banner", "-"),
            ("sunday school needs hymnals", "-"),
            ("xmas market pickup 18:30", "-"),
            ("start xmas card templates in 20 minutes", "2026-12-09T08:21"),
            ("passenger in 4C proposed to the one in 4D", "-"),
            ("the flight is oversold by 9", "-"),
            ("xmas rota meeting 2pm", "-"),
            ("friday 8am, MDT with the team", "2026-12-11T08:00"),
            ("remind me noon to swap my thursday trip", "2026-12-09T12:00"),
            ("havin a nap wake me at 5", "2026-12-09T17:00"),
            ("bus 8.15 tomorrow to town", "2026-12-10T08:15"),
            ("late shift friday 4 til close", "-"),
            ("call about the night out at 3pm", "-"),
            ("shift tomorrows dinner from 7 to 8.30", "2026-12-10T20:30"),
        ],
    );
}
#[test]
fn what_is_measured_shared_out_or_addressed_is_no_time() {
    begin(
        "2026-12-09T08:01",
        "Europe/London",
        &[
            ("that show was a 10/10", "-"),
            ("the film was 10/10", "-"),
            ("dentist 10/10", "2027-10-10T00:00"),
            ("dilute 1 in 10", "-"),
            ("850 for the cake, split by 5", "-"),
            ("pace was 5:52/km, not bad", "-"),
            ("4:21:09!!! did it", "-"),
            ("at 16:21:09 tomorrow", "2026-12-10T16:21"),
            ("the mop broke after 2 uses", "-"),
            ("the handbag is from noon.com", "-"),
            ("write to friday@example.com", "-"),
            ("pay monday.com tomorrow", "2026-12-10T00:00"),
            ("the xmas card list is 61 people", "-"),
            ("listing photos for Wycliffe dr sunday early afternoon", "2026-12-13T13:00"),
        ],
    );
}
