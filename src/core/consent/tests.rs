//! Tables of `data/eval/`, properties over random text, and the phrase books' own consistency.

use std::time::Instant;

use proptest::prelude::*;

use super::lexicon::Lexicon;
use super::{Consent, amends, read};

const TUNE: &str = include_str!("../../../data/eval/consent_tune.tsv");
const TEST: &str = include_str!("../../../data/eval/consent_test.tsv");

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

fn rows(table: &str) -> impl Iterator<Item = (String, Consent)> + '_ {
    table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (text, label) = line.split_once('\t').expect("text, tab, label");
            let label = match label {
                "yes" => Consent::Yes,
                "no" => Consent::No,
                "other" => Consent::Other,
                label => panic!("no label {label:?}"),
            };
            (unescape(text), label)
        })
}

fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hex, rest) = part.split_once('}').expect("\\u{HEX}");
        let code = u32::from_str_radix(hex, 16).expect("a hexadecimal number");
        out.push(char::from_u32(code).expect("a character"));
        out.push_str(rest);
    }
    out.replace("\\n", "\n").replace("\\t", "\t")
}

/// No false decision, and at least nine in ten of the plain ones decided.
fn check(table: &str) {
    let (mut wrong, mut missed, mut plain) = (Vec::new(), Vec::new(), 0);
    for (text, label) in rows(table) {
        let got = read(&text);
        plain += usize::from(label != Consent::Other);
        if got != label && got != Consent::Other {
            wrong.push((text, label, got));
        } else if got != label {
            missed.push(text);
        }
    }
    println!("{plain} plain, missed {}: {missed:?}", missed.len());
    assert!(wrong.is_empty(), "false decisions: {wrong:#?}");
    assert!(
        missed.len() * 10 <= plain,
        "more than one in ten missed: {missed:?}"
    );
}

#[test]
fn the_tune_table_has_no_false_decision() {
    check(TUNE);
}

#[test]
fn the_test_table_has_no_false_decision() {
    check(TEST);
}

#[test]
fn every_line_of_the_phrase_books_can_be_read() {
    assert_eq!(Lexicon::get().problems, Vec::<String>::new());
}

#[test]
fn a_malformed_line_is_reported_and_left_out() {
    let bad = "yes ok\nmaybe: ok\nyes: @nowhere\nyes: Loud\nyes: уes\nyes: a1\nyes: ok?\n@a = b\n@a = c\nyes: fine";
    let lexicon = Lexicon::parse(&[("en", bad)]);
    assert_eq!(lexicon.problems.len(), 8, "{:?}", lexicon.problems);
    assert!(!lexicon.ids("fine").is_empty());
    assert!(lexicon.ids("loud").is_empty());
}

#[test]
fn no_phrase_of_a_language_is_both_a_yes_and_a_no() {
    assert_eq!(Lexicon::get().contradictions(), Vec::<String>::new());
}

#[test]
fn the_answers_the_design_names_are_read_as_it_says() {
    let check = |answers: &[&str], want: Consent| {
        for text in answers {
            assert_eq!(read(text), want, "{text:?}");
        }
    };
    check(
        &[
            "Yep, go ahead please",
            "👍",
            "yes, send it",
            "ok",
            "k",
            "y",
            "sure",
            "✅",
            "👍🏽",
            "👍\u{fe0f}",
        ],
        Consent::Yes,
    );
    check(
        &[
            "no thanks, leave it",
            "don't send it",
            "No.",
            "nope 🙅",
            "👎",
            "❌",
            "n",
            "stop",
            "cancel it",
        ],
        Consent::No,
    );
    check(
        &[
            "",
            " ",
            "yes?",
            "no, send it",
            "yes no",
            "please",
            "🙏",
            "❤️",
            "😂",
            "yes 😂",
            "both",
            "tak",
            "ne",
        ],
        Consent::Other,
    );
}

#[test]
fn a_very_long_row_of_yes_is_no_yes() {
    assert_eq!(read(&"yes ".repeat(3)), Consent::Yes);
    assert_eq!(read(&"yes ".repeat(25_000)), Consent::Other);
    assert_eq!(read(&format!("ye{}", "s".repeat(100_000))), Consent::Other);
    assert_eq!(read(&"👍".repeat(100)), Consent::Other);
}

#[test]
fn a_condition_without_its_comma_is_no_yes() {
    for text in [
        "si confirma",
        "si va",
        "si manda",
        "si procede",
        "si sale",
        "si vale",
    ] {
        assert_eq!(read(text), Consent::Other, "{text:?}");
    }
    assert_eq!(read("sí, manda"), Consent::Yes);
}

#[test]
fn a_change_of_the_card_is_told_from_another_matter() {
    const CHANGES: &[&str] = &[
        "yes, but at 4pm",
        "make it 5",
        "change the subject to hello",
        "ja, aber morgen",
        "no, at 4pm instead",
        "yes and also invite Tom",
        "ok but shorter",
        "can you make it 6?",
        "could you change the time?",
        "send it tomorrow",
        "send it to Anna",
        "yes only the first",
        "yes in an hour",
        "move it to Friday",
        "actually make it 10",
        "tomorrow instead",
        "да, но в 5",
        "измени тему",
        "лучше завтра",
        "нет, лучше в 6",
        "sí, pero mañana",
        "cambia la hora",
        "mejor a las 5",
        "sim, mas amanhã",
        "muda o assunto",
        "iya tapi besok",
        "ganti jam jadi 5",
        "haan lekin kal",
        "haan par 5 baje",
        "نعم لكن غدا",
        "غير الموضوع",
        "بله ولی فردا",
        "evet ama yarın",
        "saati değiştir",
        "ändere den Betreff",
        "mach es um 5",
        "oui mais demain",
        "change l'heure",
        "plutôt demain",
        "sì ma domani",
        "cambia l'oggetto",
        "meglio domani",
        "так, але завтра",
        "зміни тему",
        "no, tomorrow",
        "yes, at 5",
        "wrong subject",
        "shorten it please",
        "add him too",
    ];
    const OTHERS: &[&str] = &[
        "yes",
        "no",
        "👍",
        "",
        "what's the weather",
        "remind me to buy milk",
        "hello",
        "ok what about the other one",
        "thanks",
        "who is Tom",
        "make a note",
        "move my 3pm to Friday",
        "change my password",
        "what should I do",
        "ok remind me to call mom",
        "no problem",
        "not sure",
        "maybe later",
        "delete everything",
        "lol",
        "create a task to write the report",
        "какая погода",
        "напомни купить молоко",
        "qué tiempo hace",
        "recuérdame comprar leche",
        "wie wird das Wetter",
        "quel temps fait-il",
        "che tempo fa",
        "hava nasıl",
        "cuaca hari ini",
        "मौसम कैसा है",
        "ما الطقس",
        "هوا چطوره",
        "яка погода",
        "que horas são",
        "add milk to the shopping list",
        "send an email to Bob",
        "what is on my calendar tomorrow",
        "yes I met Tom",
        "I said yes to Anna",
        "only you understand me",
        "but why",
    ];
    let missed: Vec<_> = CHANGES.iter().filter(|text| !amends(text)).collect();
    let wrong: Vec<_> = OTHERS.iter().filter(|text| amends(text)).collect();
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "missed {missed:?}, wrong {wrong:?}"
    );
}

/// Prints, never asserts: how long one message takes.
#[test]
fn the_time_of_one_reading_is_printed() {
    let texts: Vec<String> = rows(TEST).map(|(text, _)| text).collect();
    let start = Instant::now();
    read("yes");
    println!(
        "first reading, phrase books included: {:?}",
        start.elapsed()
    );
    let start = Instant::now();
    for text in &texts {
        std::hint::black_box(read(text));
    }
    let each = start.elapsed() / u32::try_from(texts.len()).unwrap();
    let start = Instant::now();
    for text in &texts {
        std::hint::black_box(amends(text));
    }
    println!(
        "read {each:?}, amends {:?} a message",
        start.elapsed() / u32::try_from(texts.len()).unwrap()
    );
}

/// Plain answers of the tune table that are read as labelled.
fn decided() -> Vec<(String, Consent)> {
    rows(TUNE)
        .filter(|(text, label)| *label != Consent::Other && read(text) == *label)
        .collect()
}

fn decided_as(wanted: Consent) -> impl Strategy<Value = String> {
    let texts = decided()
        .into_iter()
        .filter(move |(_, label)| *label == wanted);
    prop::sample::select(texts.map(|(text, _)| text).collect::<Vec<_>>())
}

fn decided_row() -> impl Strategy<Value = (String, Consent)> {
    prop::sample::select(decided())
}

fn yes_in_letters() -> impl Strategy<Value = String> {
    let letters = |text: &str| {
        text.chars().any(char::is_alphabetic) && text.chars().all(|c| (c as u32) < 0x2000)
    };
    let texts = decided()
        .into_iter()
        .filter(|(text, label)| *label == Consent::Yes && letters(text));
    prop::sample::select(texts.map(|(text, _)| text).collect::<Vec<_>>())
}

/// `text` with `extra` put in before its `at`-th character (the end when there are fewer).
fn with(text: &str, at: usize, extra: char) -> String {
    let at = at % (text.chars().count() + 1);
    text.chars()
        .take(at)
        .chain([extra])
        .chain(text.chars().skip(at))
        .collect()
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
                let known = |word: &str| !Lexicon::get().ids(&word.to_lowercase()).is_empty();
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
        prop_assume!(Lexicon::get().ids(&word).is_empty());
        let text = if before { format!("{word} {text}") } else { format!("{text} {word}") };
        prop_assert_eq!(read(&text), Consent::Other, "{}", text);
    }

    #[test]
    fn a_question_a_quote_and_a_second_line_decide_nothing((text, _) in decided_row(), mark in prop::sample::select(vec!["?", "؟", "\"", "…", "\nand", "?!", " :(", ";", " 😂", " 🙄"])) {
        let text = format!("{text}{mark}");
        prop_assert_eq!(read(&text), Consent::Other, "{}", text);
    }

    #[test]
    fn a_yes_and_a_no_together_decide_nothing(yes in decided_as(Consent::Yes), no in decided_as(Consent::No), first: bool) {
        let text = if first { format!("{yes}, {no}") } else { format!("{no}, {yes}") };
        prop_assert_eq!(read(&text), Consent::Other, "{}", text);
    }
}
