//! Tables of `data/eval/` and the phrase books' own consistency.

mod properties;

use std::time::Instant;

use super::compile::{BOOKS, Books};
use super::lexicon::ConsentLexicon;
use super::{Consent, amends, read};

const TEST: &str = include_str!("../../../../../data/eval/consent_test.tsv");
const REGRESSION: &str = include_str!("../../../../../data/eval/consent_regression.tsv");

fn rows(table: &str) -> impl Iterator<Item = (String, Consent)> + '_ {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
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
        // What puts off decides nothing either.
        let got = if read(&text) == Consent::Wait { Consent::Other } else { read(&text) };
        plain += usize::from(label != Consent::Other);
        if got != label && got != Consent::Other {
            wrong.push((text, label, got));
        } else if got != label {
            missed.push(text);
        }
    }
    println!("{plain} plain, missed {}: {missed:?}", missed.len());
    assert!(wrong.is_empty(), "false decisions: {wrong:#?}");
    assert!(missed.len() * 10 <= plain, "more than one in ten missed: {missed:?}");
}

#[test]
fn the_regression_table_has_no_false_decision() {
    check(REGRESSION);
}

#[test]
fn the_test_table_has_no_false_decision() {
    check(TEST);
}

#[test]
fn every_line_of_the_phrase_books_can_be_read() {
    assert_eq!(Books::read(BOOKS).problems, Vec::<String>::new());
}

#[test]
fn a_malformed_line_is_reported_and_left_out() {
    let bad = "yes ok\nmaybe: ok\nyes: @nowhere\nyes: Loud\nyes: уes\nyes: a1\nyes: ok?\n@a = b\n@a = c\nyes: fine";
    let books = Books::read(&[("en", bad)]);
    assert_eq!(books.problems.len(), 8, "{:?}", books.problems);
    let bytes = books.bytes().unwrap();
    let lexicon = ConsentLexicon::read(&bytes).unwrap();
    assert!(!lexicon.ids("fine").is_empty());
    assert!(lexicon.ids("loud").is_empty());
}

#[test]
fn no_phrase_of_a_language_is_both_a_yes_and_a_no() {
    assert_eq!(Books::read(BOOKS).contradictions(), Vec::<String>::new());
}

#[test]
fn the_answers_the_design_names_are_read_as_it_says() {
    let check = |answers: &[&str], want: Consent| {
        for text in answers {
            assert_eq!(read(text), want, "{text:?}");
        }
    };
    check(
        &["Yep, go ahead please", "👍", "yes, send it", "ok", "k", "y", "sure", "✅", "👍🏽", "👍\u{fe0f}"],
        Consent::Yes,
    );
    check(
        &["no thanks, leave it", "don't send it", "No.", "nope 🙅", "👎", "❌", "n", "stop", "cancel it"],
        Consent::No,
    );
    check(
        &["", " ", "yes?", "no, send it", "yes no", "please", "🙏", "❤️", "😂", "yes 😂", "both", "tak", "ne"],
        Consent::Other,
    );
}

#[test]
fn what_puts_off_is_neither_whatever_stands_beside_it() {
    for text in [
        "wait",
        "Wait!",
        "hold on",
        "Hold on a second",
        "not yet",
        "just a moment please",
        "wait…",
        "hold on...",
        "ok wait",
        "yes, hold on",
        "no, wait",
        "no wait",
        "don't send it yet",
        "Warte mal",
        "Moment bitte",
        "un momento",
        "attends",
        "aspetta",
        "ainda não",
        "подожди",
        "зачекай",
        "tunggu dulu",
        "bekle",
        "انتظر",
        "صبر کن",
        "रुको",
        "رکو",
    ] {
        assert_eq!(read(text), Consent::Wait, "{text:?}");
    }
    for text in ["no wait, keep it", "wait, keep that please", "hold on, leave it as it is", "nein warte, behalt es"] {
        assert_eq!(read(text), Consent::No, "{text:?}");
    }
    for text in ["keep it", "wait, keep the first one", "wait for it"] {
        assert_eq!(read(text), Consent::Other, "{text:?}");
    }
    for text in ["don't wait", "wait until 5", "yes, can't wait", "wait?", "waiting", "the wait is over"] {
        assert_eq!(read(text), Consent::Other, "{text:?}");
    }
    for (text, said) in [("stop", Consent::No), ("cancel", Consent::No), ("ok", Consent::Yes)] {
        assert_eq!(read(text), said, "{text:?}");
    }
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
    for text in ["si confirma", "si va", "si manda", "si procede", "si sale", "si vale"] {
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
        "ok when is my next meeting",
        "ok on my way",
        "ok cuándo es la reunión",
        "ок когда встреча",
        "no in that case I stay",
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
    assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:?}, wrong {wrong:?}");
}

/// Prints, never asserts: how long one message takes.
#[test]
fn the_time_of_one_reading_is_printed() {
    let texts: Vec<String> = rows(TEST).map(|(text, _)| text).collect();
    let start = Instant::now();
    read("yes");
    println!("first reading, phrase books included: {:?}", start.elapsed());
    let start = Instant::now();
    for text in &texts {
        std::hint::black_box(read(text));
    }
    let each = start.elapsed() / u32::try_from(texts.len()).unwrap();
    let start = Instant::now();
    for text in &texts {
        std::hint::black_box(amends(text));
    }
    println!("read {each:?}, amends {:?} a message", start.elapsed() / u32::try_from(texts.len()).unwrap());
}
