//! Tables of `data/eval/`, properties over random text, and the phrase books' own consistency.

use std::time::Instant;

use proptest::prelude::*;

use super::lexicon::Lexicon;
use super::{Consent, amends, read};

const TUNE: &str = include_str!("../../../data/eval/consent_tune.tsv");
const TEST: &str = include_str!("../../../data/eval/consent_test.tsv");

/// Characters nobody sees, or that change what is seen.
const HIDDEN: &[char] = &[
    '\u{ad}', '\u{34f}', '\u{61c}', '\u{115f}', '\u{180e}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}',
    '\u{200f}', '\u{202a}', '\u{202c}', '\u{202e}', '\u{2060}', '\u{2063}', '\u{2066}', '\u{2069}', '\u{3164}',
    '\u{fe00}', '\u{fe0e}', '\u{fe0f}', '\u{feff}', '\u{e0001}', '\u{e0079}', '\u{e0100}', '\0', '\u{7}', '\u{a0}',
];

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
    assert!(missed.len() * 10 <= plain, "more than one in ten missed: {missed:?}");
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
