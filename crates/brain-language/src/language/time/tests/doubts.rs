//! What is asked about instead of guessed.

use super::*;
use crate::language::time::start_in;

#[test]
fn what_can_be_meant_in_two_ways_is_not_guessed() {
    check(
        sunday_noon(),
        &[
            ("Monday or Tuesday", "none"),
            ("in a day or two", "ambiguous"),
            ("Friday at midnight", "ambiguous"),
            ("Tuesday the 21st", "ambiguous"),
            ("tomorrow, Friday", "ambiguous"),
            ("next week at 5pm", "ambiguous"),
            ("10 to 2", "none"),
        ],
    );
    check_found(sunday_noon(), &[("let's meet Monday or Tuesday", &["Monday = ambiguous", "Tuesday = ambiguous"])]);
}
#[test]
fn what_stands_beside_a_time_and_is_not_understood_is_not_ignored() {
    check(
        sunday_noon(),
        &[
            ("Friday same time", "unclear: same time"),
            ("every hour on the hour", "unclear: on the hour"),
            ("at 5 on the day of the wedding", "unclear: the day of"),
            ("the day before the concert at 7", "unclear: before the concert at 7"),
            ("plumber day at 4", "unclear: plumber day"),
            ("payday at 5", "unclear: payday"),
            ("at 5 on founders day", "unclear: on founders day"),
            ("am Geburtstag von Oma um 3", "unclear: am Geburtstag von Oma"),
            ("am Tag vor der Reise um 9", "unclear: am Tag vor der Reise"),
            ("Ruhetag um 5", "unclear: Ruhetag"),
            ("15.10", "ambiguous"),
            ("um 15.10 Uhr", "2026-01-11T15:10"),
            ("movie night at 8", "2026-01-11T20:00"),
            ("Labor Day trip Sep 4 to Sep 7", "2026-09-04T00:00..2026-09-08T00:00"),
            ("Halloween party on Friday at 8pm", "2026-01-16T20:00"),
            ("Christmas dinner at 5", "none"),
            ("an hour before the meeting at 5", "2026-01-11T16:00"),
            ("10 minutes before my call tomorrow at 3", "2026-01-12T14:50"),
            ("two days before the trip on April 3", "2026-04-01T00:00"),
        ],
    );
}
#[test]
fn words_that_would_have_made_it_another_time_are_asked_about() {
    check(
        reference("2026-03-11T09:00", "Europe/London"),
        &[
            ("the third sunday", "ambiguous"),
            ("monday in 8 days", "ambiguous"),
            ("bank holiday monday", "unclear: bank holiday monday"),
            ("in der nacht auf samstag", "none"),
            ("2 days shy of the 15th", "none"),
            ("at ten to the hour", "unclear: to the hour"),
            ("at ten of four", "unclear: of four"),
            ("any day but friday", "unclear: any day but"),
            ("lunch, but not on friday", "unclear: not on"),
            ("wednesday hairdresser 16h", "none"),
            ("closes 2359 on the 30th", "unclear: 2359"),
            ("monday, no sorry, tuesday at 2", "none"),
            ("at 3, make that 4", "unclear: make that"),
            ("noon or 1", "unclear: or 1"),
            ("the concert 8/14, doors at 6:30pm", "unclear: 8/14"),
            ("the sunday the clocks go back", "unclear: the"),
            ("five and twenty past two", "unclear: five"),
            ("at nineteen hundred", "none"),
            ("every 1st and 15th", "unclear: and 15"),
        ],
    );
}
#[test]
fn words_of_correction_that_correct_nothing_stop_nothing() {
    let reference = reference("2026-03-11T09:00", "Europe/London");
    for (text, expected) in [
        ("meeting tomorrow at 3, make it 30 minutes", "2026-03-12T15:00"),
        ("tomorrow I might be late, so call me at 4", "2026-03-12T16:00"),
        ("sorry, lunch on friday at 1", "2026-03-13T13:00"),
        ("call mom on monday, no rush", "2026-03-16T00:00"),
    ] {
        assert_eq!(start_in(text, &reference).map(show).as_deref(), Some(expected), "{text}");
    }
}
#[test]
fn whoever_copies_the_words_of_a_time_copies_its_doubt() {
    for text in ["call Ana plumber day at 4", "call Ana at 4 on founders day", "ruf Ana am Tag vor der Reise um 9 an"] {
        let found = find(text, &sunday_noon());
        let [only] = &found[..] else { panic!("{text}: {found:?}") };
        let words = &text[only.span.clone()];
        assert!(matches!(resolve(words, &sunday_noon()), Some(Err(Problem::Unclear { .. }))), "{words}");
    }
}
