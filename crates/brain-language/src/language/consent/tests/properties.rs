//! What holds for every answer, whatever its words: properties over random changes of plain answers.

use proptest::prelude::*;

use super::super::lexicon::LEXICON;
use super::super::{Consent, amends, read};
use super::{REGRESSION, rows};

/// Characters nobody sees, or that change what is seen.
const HIDDEN: &[char] = &[
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{180e}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{200f}',
    '\u{202a}',
    '\u{202c}',
    '\u{202e}',
    '\u{2060}',
    '\u{2063}',
    '\u{2066}',
    '\u{2069}',
    '\u{3164}',
    '\u{fe00}',
    '\u{fe0e}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{e0001}',
    '\u{e0079}',
    '\u{e0100}',
    '\0',
    '\u{7}',
    '\u{a0}',
];

/// Plain answers of the tune table that are read as labelled.
fn decided() -> Vec<(String, Consent)> {
    rows(REGRESSION).filter(|(text, label)| *label != Consent::Other && read(text) == *label).collect()
}

fn decided_as(wanted: Consent) -> impl Strategy<Value = String> {
    let texts = decided().into_iter().filter(move |(_, label)| *label == wanted);
    prop::sample::select(texts.map(|(text, _)| text).collect::<Vec<_>>())
}

fn decided_row() -> impl Strategy<Value = (String, Consent)> {
    prop::sample::select(decided())
}

fn yes_in_letters() -> impl Strategy<Value = String> {
    let letters = |text: &str| text.chars().any(char::is_alphabetic) && text.chars().all(|c| (c as u32) < 0x2000);
    let texts = decided().into_iter().filter(|(text, label)| *label == Consent::Yes && letters(text));
    prop::sample::select(texts.map(|(text, _)| text).collect::<Vec<_>>())
}

/// `text` with `extra` put in before its `at`-th character (the end when there are fewer).
fn with(text: &str, at: usize, extra: char) -> String {
    let at = at % (text.chars().count() + 1);
    text.chars().take(at).chain([extra]).chain(text.chars().skip(at)).collect()
}

const LOOKALIKES: &[(char, char)] = &[
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('i', 'і'),
    ('j', 'ј'),
    ('o', 'о'),
    ('p', 'р'),
    ('s', 'ѕ'),
    ('x', 'х'),
    ('y', 'у'),
    ('k', 'к'),
    ('n', 'ո'),
    ('o', 'ο'),
    ('v', 'ν'),
    ('u', 'υ'),
    ('g', 'ɡ'),
    ('l', 'ӏ'),
    ('d', 'ԁ'),
];

/// What goes on behind a yes or comes before it, and makes it something else. Its words may all be known.
const AROUND: &[(&str, &str)] = &[
    ("", " but change the subject"),
    ("", ", but later"),
    ("", " and also invite Tom"),
    ("", " and then call him"),
    ("", " to Bob"),
    ("", " at 5"),
    ("", " at five"),
    ("", " tomorrow"),
    ("", " on friday"),
    ("", " if it rains"),
    ("", " unless he calls"),
    ("", " only the first"),
    ("", " except the last"),
    ("", " instead"),
    ("", " without the greeting"),
    ("", ", delete my tasks"),
    ("", " or no"),
    ("", " not"),
    ("", ", no"),
    ("", " later"),
    ("", " in an hour"),
    ("", ", what else"),
    ("", ", make it shorter"),
    ("", " when I say so"),
    ("", " I guess"),
    ("", " for Anna"),
    ("not ", ""),
    ("not sure ", ""),
    ("don't say ", ""),
    ("never ", ""),
    ("if ", ""),
    ("what if ", ""),
    ("should I say ", ""),
    ("he said ", ""),
    ("did you say ", ""),
    ("I would not ", ""),
    ("maybe ", ""),
    ("almost ", ""),
    ("before you ", ""),
    ("tell Bob ", ""),
    ("no ", ""),
    ("no, ", ""),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn case_punctuation_and_courtesy_do_not_change_a_decision(
        (text, label) in decided_row(), end in prop::sample::select(vec!["", "!", "!!!", " please", ", thanks", " 🙏"]),
        start in prop::sample::select(vec!["", "please ", "pls, ", "  "]), upper: bool,
    ) {
        let text = text.trim_matches(['¡', '.', '!', ' ']);
        let text = if upper { text.to_uppercase() } else { text.to_owned() };
        let text = format!("{start}{text}{end}");
        prop_assert_eq!(read(&text), label, "{}", text);
    }

    #[test]
    fn nothing_panics_and_what_is_a_yes_is_made_of_known_words(text in any::<String>(), more in "[yesokdaн́а👍\u{200d}\u{fe0f} .!?]{0,12}") {
        for text in [text, more] {
            amends(&text);
            if read(&text) == Consent::Yes {
                let known = |word: &str| !LEXICON.ids(&word.to_lowercase()).is_empty();
                let letters = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
                prop_assert!(letters.into_iter().all(known), "{text:?}");
            }
        }
    }

    #[test]
    fn a_hidden_character_undoes_a_yes(text in yes_in_letters(), at in 0..40usize, hidden in prop::sample::select(HIDDEN)) {
        let text = with(&text, at, hidden);
        prop_assert_ne!(read(&text), Consent::Yes, "{:?}", text);
    }

    #[test]
    fn a_look_alike_letter_undoes_a_yes(text in yes_in_letters(), at in 0..40usize, pair in prop::sample::select(LOOKALIKES)) {
        let places: Vec<usize> = text.chars().enumerate().filter(|(_, c)| *c == pair.0).map(|(at, _)| at).collect();
        let place = if places.is_empty() { return Ok(()) } else { places[at % places.len()] };
        let text: String = text.chars().enumerate().map(|(at, c)| if at == place { pair.1 } else { c }).collect();
        prop_assert_ne!(read(&text), Consent::Yes, "{:?}", text);
    }

    #[test]
    fn a_word_nobody_knows_undoes_a_decision((text, _) in decided_row(), word in "[a-zа-яğ]{3,9}|[0-9]{1,4}|[अ-ह]{3,6}", before: bool) {
        prop_assume!(LEXICON.ids(&word).is_empty());
        let text = if before { format!("{word} {text}") } else { format!("{text} {word}") };
        prop_assert_eq!(read(&text), Consent::Other, "{}", text);
    }

    #[test]
    fn a_yes_beside_a_wait_is_none(yes in decided_as(Consent::Yes), wait in prop::sample::select(vec!["wait", "hold on", "not yet"]), first: bool) {
        let text = if first { format!("{yes}, {wait}") } else { format!("{wait}, {yes}") };
        prop_assert_ne!(read(&text), Consent::Yes, "{}", text);
    }

    #[test]
    fn a_question_a_quote_and_a_second_line_decide_nothing((text, _) in decided_row(), mark in prop::sample::select(vec!["?", "؟", "\"", "…", "\nand", "?!", " :(", ";", " 😂", " 🙄"])) {
        let text = format!("{text}{mark}");
        prop_assert_eq!(read(&text), Consent::Other, "{}", text);
    }

    #[test]
    fn a_yes_with_anything_around_it_is_no_yes(
        yes in decided_as(Consent::Yes), (before, behind) in prop::sample::select(AROUND), upper: bool,
    ) {
        let yes = yes.trim_matches(['¡', '.', '!', ' ']);
        let text = format!("{before}{yes}{behind}");
        let text = if upper { text.to_uppercase() } else { text };
        prop_assert_ne!(read(&text), Consent::Yes, "{}", text);
    }

    #[test]
    fn a_yes_and_a_no_together_decide_nothing(yes in decided_as(Consent::Yes), no in decided_as(Consent::No), first: bool) {
        let text = if first { format!("{yes}, {no}") } else { format!("{no}, {yes}") };
        // Alone a yes in English, but a marker of sufficiency behind a Spanish no. It may stay a no, never a yes.
        let allowed = if yes == "ya" { vec![Consent::Other, Consent::No] } else { vec![Consent::Other] };
        prop_assert!(allowed.contains(&read(&text)), "{}", text);
    }
}
