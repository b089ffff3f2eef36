//! Days, hours and offsets.

use super::*;
use crate::language::time::TimeRole;

#[test]
fn days_are_found_from_today() {
    check(
        sunday_noon(),
        &[
            ("today", "2026-01-11T00:00"),
            ("tomorrow", "2026-01-12T00:00"),
            ("yesterday", "2026-01-10T00:00"),
            ("the day after tomorrow", "2026-01-13T00:00"),
            ("day before yesterday", "2026-01-09T00:00"),
            ("Monday", "2026-01-12T00:00"),
            ("Sunday", "2026-01-18T00:00"),
            ("on Sunday", "2026-01-18T00:00"),
            ("this Sunday", "2026-01-11T00:00"),
            ("next Monday", "2026-01-12T00:00"),
            ("next Sunday", "2026-01-18T00:00"),
            ("this Friday", "2026-01-16T00:00"),
            ("Friday week", "2026-01-23T00:00"),
            ("a week from Friday", "2026-01-23T00:00"),
            ("last Tuesday", "2026-01-06T00:00"),
            ("Friday after next", "2026-01-23T00:00"),
            ("Friday next week", "2026-01-16T00:00"),
            ("next week on Friday", "2026-01-16T00:00"),
            ("3 April", "2026-04-03T00:00"),
            ("3/4", "2026-04-03T00:00"),
            ("03.04.2026", "2026-04-03T00:00"),
            ("3rd of April", "2026-04-03T00:00"),
            ("April 3rd", "2026-04-03T00:00"),
            ("Jan 5", "2027-01-05T00:00"),
            ("5 jan 2027", "2027-01-05T00:00"),
            ("on the 15th", "2026-01-15T00:00"),
            ("on the 9th", "2026-02-09T00:00"),
            ("end of the month", "2026-01-31T00:00"),
            ("beginning of next week", "2026-01-12T00:00"),
            ("first Monday of January", "2027-01-04T00:00"),
            ("last Friday of the month", "2026-01-30T00:00"),
            ("Christmas", "2026-12-25T00:00"),
            ("christmas eve", "2026-12-24T00:00"),
            ("New Year's Eve", "2026-12-31T00:00"),
            ("Valentine's Day", "2026-02-14T00:00"),
            ("Friday the 13th", "2026-02-13T00:00"),
            ("2026-02-12", "2026-02-12T00:00"),
            ("in 3 business days", "2026-01-14T00:00"),
            ("2 weeks from now", "2026-01-25T00:00"),
            ("3 days ago", "2026-01-08T00:00"),
            ("two days before Christmas", "2026-12-23T00:00"),
            ("tomorrow (Mon 12 Jan)", "2026-01-12T00:00"),
            ("30 February", "impossible"),
            ("31 April", "impossible"),
            ("Friday 14 January", "ambiguous"),
            ("on 3 January 2020", "past 2020-01-03T00:00"),
        ],
    );
}

#[test]
fn hours_are_found_on_their_day() {
    check(
        sunday_noon(),
        &[
            ("tomorrow at 5pm", "2026-01-12T17:00"),
            ("at 5 on Friday", "2026-01-16T17:00"),
            ("5pm tomorrow", "2026-01-12T17:00"),
            ("at 5", "2026-01-11T17:00"),
            ("at 8", "2026-01-11T20:00"),
            ("at 8am", "2026-01-12T08:00"),
            ("today at 8am", "past 2026-01-11T08:00"),
            ("today at 8", "2026-01-11T20:00"),
            ("tomorrow at 8", "2026-01-12T08:00"),
            ("5 p.m.", "2026-01-11T17:00"),
            ("5:30pm", "2026-01-11T17:30"),
            ("17:30", "2026-01-11T17:30"),
            ("17h30", "2026-01-11T17:30"),
            ("half past six", "2026-01-11T18:30"),
            ("half six", "2026-01-11T18:30"),
            ("quarter to 8", "2026-01-11T19:45"),
            ("20 past 4", "2026-01-11T16:20"),
            ("noon", "2026-01-12T12:00"),
            ("tomorrow at noon", "2026-01-12T12:00"),
            ("midnight", "2026-01-12T00:00"),
            ("5 o'clock", "2026-01-11T17:00"),
            ("at five", "2026-01-11T17:00"),
            ("this evening", "2026-01-11T18:00"),
            ("tonight", "2026-01-11T20:00"),
            ("tonight at 8", "2026-01-11T20:00"),
            ("tomorrow morning", "2026-01-12T09:00"),
            ("tomorrow morning at 7", "2026-01-12T07:00"),
            ("5 in the morning", "2026-01-12T05:00"),
            ("tomorrow afternoon", "2026-01-12T15:00"),
            ("Friday night at 11", "2026-01-16T23:00"),
            ("last night", "2026-01-10T20:00"),
            ("in 2 hours", "2026-01-11T14:00"),
            ("in half an hour", "2026-01-11T12:30"),
            ("in an hour and a half", "2026-01-11T13:30"),
            ("in 1.5 hours", "2026-01-11T13:30"),
            ("in 1h30", "2026-01-11T13:30"),
            ("in 90 min", "2026-01-11T13:30"),
            ("an hour ago", "2026-01-11T11:00"),
            ("in 3 days at 5pm", "2026-01-14T17:00"),
            ("30 min", "30 min"),
            ("for 90 minutes", "90 min"),
            ("at 5pm London time", "2026-01-11T18:00"),
            ("3pm EST", "2026-01-11T21:00"),
            ("9:00 UTC", "2026-01-12T10:00"),
            ("tomorrow at 5pm in New York", "2026-01-12T23:00"),
            ("2026-01-12T17:00:00", "2026-01-12T17:00"),
            ("2026-01-12 17:00", "2026-01-12T17:00"),
            ("2026-01-12T17:00:00Z", "2026-01-12T18:00"),
            ("2026-01-12T17:00:00+03:00", "2026-01-12T15:00"),
            ("25:00", "impossible"),
            ("tomorrow at midnight", "ambiguous"),
            ("10 minutes before noon", "2026-01-12T11:50"),
            ("an hour before midnight", "2026-01-11T23:00"),
            ("please tomorrow at 5", "2026-01-12T17:00"),
        ],
    );
}

#[test]
fn ranges_have_two_ends() {
    check(
        sunday_noon(),
        &[
            ("between 2 and 4 on Thursday", "2026-01-15T14:00..2026-01-15T16:00"),
            ("from 2 to 4pm tomorrow", "2026-01-12T14:00..2026-01-12T16:00"),
            ("2-4pm", "2026-01-11T14:00..2026-01-11T16:00"),
            ("tomorrow 10-11:30", "2026-01-12T10:00..2026-01-12T11:30"),
            ("from Monday to Wednesday", "2026-01-12T00:00..2026-01-15T00:00"),
            ("Friday the 13th at noon for 90 minutes", "2026-02-13T12:00..2026-02-13T13:30"),
            ("this weekend", "2026-01-10T00:00..2026-01-12T00:00"),
            ("next week", "2026-01-12T00:00..2026-01-19T00:00"),
            ("next month", "2026-02-01T00:00..2026-03-01T00:00"),
            ("the next 3 days", "2026-01-11T12:00..2026-01-14T12:00"),
            ("3-5 May", "2026-05-03T00:00..2026-05-06T00:00"),
            ("in March", "2026-03-01T00:00..2026-04-01T00:00"),
            ("in 2027", "2027-01-01T00:00..2028-01-01T00:00"),
            ("from 9 to 5 on Monday", "2026-01-12T09:00..2026-01-12T17:00"),
            ("Monday 9am to Tuesday 5pm", "2026-01-12T09:00..2026-01-13T17:00"),
        ],
    );
}

#[test]
fn rules_repeat() {
    check(
        sunday_noon(),
        &[
            ("every weekday at 9", "2026-01-12T09:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"),
            ("every other Tuesday", "2026-01-13T00:00 FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
            ("every day at 8", "2026-01-12T08:00 FREQ=DAILY;BYHOUR=8;BYMINUTE=0"),
            ("daily", "2026-01-12T00:00 FREQ=DAILY"),
            ("every Monday and Thursday at 6pm", "2026-01-12T18:00 FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=18;BYMINUTE=0"),
            ("on the 15th of each month", "2026-01-15T00:00 FREQ=MONTHLY;BYMONTHDAY=15"),
            ("every 2 weeks", "2026-01-25T00:00 FREQ=WEEKLY;INTERVAL=2"),
            ("every year on 3 May", "2026-05-03T00:00 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
            ("every 3 hours", "2026-01-11T15:00 FREQ=HOURLY;INTERVAL=3"),
            ("first Monday of every month", "2026-02-02T00:00 FREQ=MONTHLY;BYDAY=1MO"),
            ("on Mondays at 7pm", "2026-01-12T19:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=19;BYMINUTE=0"),
            ("every morning", "2026-01-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
            (
                "every Tuesday from 6 to 7pm until 3 February",
                "2026-01-13T18:00 FREQ=WEEKLY;BYDAY=TU;BYHOUR=18;BYMINUTE=0;UNTIL=20260203T225959Z",
            ),
            (
                "every weekday at 7am until 2 March",
                "2026-01-12T07:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0;UNTIL=20260302T225959Z",
            ),
            ("every day at 9 until Friday", "2026-01-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260116T225959Z"),
        ],
    );
}

#[test]
fn german_is_only_another_table() {
    check(
        sunday_noon(),
        &[
            ("morgen um 17 Uhr", "2026-01-12T17:00"),
            ("heute Abend", "2026-01-11T18:00"),
            ("übermorgen früh", "2026-01-13T09:00"),
            ("in zwei Stunden", "2026-01-11T14:00"),
            ("nächsten Montag", "2026-01-12T00:00"),
            ("am 3. April um halb sechs", "2026-04-03T17:30"),
            ("jeden Werktag um 9", "2026-01-12T09:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"),
            ("Viertel vor acht", "2026-01-11T19:45"),
            ("morgen früh", "2026-01-12T09:00"),
            ("am 3.4. um 17 Uhr 30", "2026-04-03T17:30"),
            ("fünf vor halb sechs", "2026-01-11T17:25"),
            ("vor drei Tagen", "2026-01-08T00:00"),
            ("in anderthalb Stunden", "2026-01-11T13:30"),
            ("in einer halben Stunde", "2026-01-11T12:30"),
            ("am Freitagabend um 8", "2026-01-16T20:00"),
            ("von 14 bis 16 Uhr am Donnerstag", "2026-01-15T14:00..2026-01-15T16:00"),
            ("jeden Morgen", "2026-01-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
            ("bis Freitag", "2026-01-16T00:00"),
            ("Ende des Monats", "2026-01-31T00:00"),
        ],
    );
}

#[test]
fn a_sentence_gives_up_its_times() {
    check_found(
        sunday_noon(),
        &[
            ("remind me to call mom tomorrow at 5pm", &["tomorrow at 5pm = 2026-01-12T17:00"]),
            ("dinner with Bob on Friday at 8", &["on Friday at 8 = 2026-01-16T20:00"]),
            ("send the report by Friday", &["by Friday = 2026-01-16T00:00"]),
            (
                "move the call from Monday to Tuesday at 3",
                &["from Monday = 2026-01-12T00:00", "to Tuesday at 3 = 2026-01-13T15:00"],
            ),
            ("he sat on the wed bench", &[]),
            ("mails since Monday", &["since Monday = 2026-01-05T00:00"]),
            ("wake me at 6", &["at 6 = 2026-01-12T06:00"]),
        ],
    );
}

#[test]
fn days_that_are_counted_named_or_left_out() {
    check(
        reference("2026-03-11T09:00", "Europe/London"),
        &[
            ("the second to last friday of april", "2026-04-17T00:00"),
            ("penultimate friday of may", "2026-05-22T00:00"),
            ("the last working day of may", "2026-05-29T00:00"),
            ("first business day of next month", "2026-04-01T00:00"),
            ("tomorrow week", "2026-03-19T00:00"),
            ("the tuesday before last", "2026-03-03T00:00"),
            ("wednesday gone", "2026-03-04T00:00"),
            ("whit monday", "2026-05-25T00:00"),
            ("pancake day at 4", "2027-02-09T16:00"),
            ("erster advent", "2026-11-29T00:00"),
            ("2. Advent", "2026-12-06T00:00"),
            ("victoria day", "2026-05-18T00:00"),
            ("end of q2", "2026-06-30T00:00"),
            ("quarter of nine tomorrow morning", "2026-03-12T08:45"),
            ("in an hour and three quarters", "2026-03-11T10:45"),
            ("in 1 hr 15", "2026-03-11T10:15"),
            ("on 15.10", "2026-10-15T00:00"),
            ("freitag 18 uhr", "2026-03-13T18:00"),
            ("the twenty-ninth of june at three forty-five pm", "2026-06-29T15:45"),
            ("in june twenty twenty-seven", "2027-06-01T00:00..2027-07-01T00:00"),
            ("tomorrow at oh seven hundred", "2026-03-12T07:00"),
            ("twenty-two hundred hours", "2026-03-11T22:00"),
            ("at nineteen thirty", "2026-03-11T19:30"),
            ("the visa appointment got moved to 11 feb 8:40", "2027-02-11T08:40"),
            ("what did I note on 2 feb", "2026-02-02T00:00"),
            ("sat btwn 8 and 10am", "2026-03-14T08:00..2026-03-14T10:00"),
            ("15:00 hkt", "2026-03-12T07:00"),
            ("not until friday", "2026-03-13T00:00"),
            ("donnerstag in kw 46", "2026-11-12T00:00"),
            (
                "every day but sunday at 6pm",
                "2026-03-11T18:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=18;BYMINUTE=0",
            ),
            ("every tuesday in july", "2026-07-07T00:00 FREQ=WEEKLY;BYDAY=TU;UNTIL=20260731T225959Z"),
            ("every day this week at 9", "2026-03-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260315T235959Z"),
            (
                "every day except sunday at 9",
                "2026-03-12T09:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0",
            ),
            ("weekdays but not on fridays", "2026-03-12T00:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH"),
            ("every last working day of the month", "2026-03-31T00:00 FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ],
    );
}

#[test]
fn today_and_today_in_a_week_are_both_meant_by_its_name_while_the_hour_is_to_come() {
    let friday = reference("2026-02-20T11:00", "Europe/Berlin");
    check(
        friday,
        &[
            ("friday at 8pm", "ambiguous"),
            ("friday at 8", "2026-02-27T08:00"),
            ("next friday at 8pm", "2026-02-27T20:00"),
            ("this friday at 8pm", "2026-02-20T20:00"),
            ("every friday at 8pm", "2026-02-20T20:00 FREQ=WEEKLY;BYDAY=FR;BYHOUR=20;BYMINUTE=0"),
            ("friday", "2026-02-27T00:00"),
        ],
    );
}

#[test]
fn a_day_that_countries_keep_on_different_dates_is_asked_for_where_it_differs() {
    check(reference("2026-02-27T23:30", "Europe/London"), &[("Mother's Day", "ambiguous")]);
    check(reference("2026-02-27T23:30", "America/New_York"), &[("Mother's Day", "2026-05-10T00:00")]);
    check(reference("2026-02-27T23:30", "Europe/Berlin"), &[("Muttertag", "2026-05-10T00:00")]);
}

#[test]
fn a_preposition_gives_the_role() {
    let roles = [
        ("send it by Friday", TimeRole::By),
        ("wait until 5pm", TimeRole::Until),
        ("mails since Monday", TimeRole::Since),
        ("free from Monday", TimeRole::From),
        ("move it to Friday", TimeRole::To),
        ("lunch on Friday", TimeRole::Plain),
    ];
    for (text, role) in roles {
        let found = find(text, &sunday_noon());
        assert_eq!(found.iter().map(|f| f.role).collect::<Vec<_>>(), [role], "{text}");
    }
}
