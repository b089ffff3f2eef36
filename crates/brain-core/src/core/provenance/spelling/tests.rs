use proptest::prelude::*;

use super::*;

fn spelled(text: &str) -> String {
    Spelled::of(text).words
}

#[test]
fn what_people_write_in_many_ways_is_spelled_in_one() {
    for (written, expected) in [
        ("Eve@Evil.EXAMPLE,", "eve@evil.example"),
        ("eve+news@evil.example", "eve@evil.example"),
        ("<mailto:eve@evil.example>", "eve@evil.example"),
        ("eve AT evil DOT example", "eve@evil.example"),
        ("eve dot long at mail dot evil dot example.", "eve.long@mail.evil.example"),
        ("eve (at) evil [dot] example", "eve@evil.example"),
        ("eve(at)evil.example", "eve@evil.example"),
        ("e\u{200B}ve@ev\u{AD}il.example", "eve@evil.example"),
        ("ｅｖｅ＠ｅｖｉｌ．ｅｘａｍｐｌｅ", "eve@evil.example"),
        ("eve@xn--mller-kva.example", "eve@müller.example"),
        ("eve@MÜLLER.example", "eve@müller.example"),
        ("a@b.example;c@d.example,e@f.example", "a@b.example c@d.example e@f.example"),
        ("https://www.evil.example/", "evil.example"),
        ("http://user@evil.example:8080/Pay/?x=1/", "evil.example/pay/?x=1"),
        ("www.evil.example/", "evil.example"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("DE89-3704-0044-0532-0130-00", "de89370400440532013000"),
        ("GB29 NWBK 6016 1331 9268 19 now", "gb29nwbk60161331926819 now"),
        ("account 4711 0815 before", "account 47110815 before"),
        ("+49 (0)30 1234.567", "490301234567"),
        ("look at the dot", "look at the dot"),
        ("at 5 p.m. on 12 Jan, 3.5 kg", "at 5 p.m on 12 jan 3.5 kg"),
        ("5@3 @bob bob@", "5@3 bob bob"),
        ("", ""),
    ] {
        assert_eq!(spelled(written), expected, "{written}");
    }
}

#[test]
fn alike_is_not_the_same() {
    let likeness = |piece: &str, text: &str| {
        let pieces = Spelled::of(piece).pieces();
        Spelled::of(text).likeness(&pieces[0])
    };
    for (piece, text, expected) in [
        ("eve@evil.example", "to eve@evil.example", Some(Likeness::Same)),
        ("eve@mail.evil.example", "eve@evil.example", Some(Likeness::Related)),
        ("eve@evil.example", "eve@mail.evil.example", Some(Likeness::Related)),
        ("eve@evil.example", "steve@evil.example", None),
        ("eve@evil.example", "eve@evil.example.com", None),
        ("bob@example.co", "bob@example.co.uk", None),
        ("bob@examp1e.com", "bob@example.com", Some(Likeness::Near)),
        ("bob@exаmple.com", "bob@example.com", Some(Likeness::Near)),
        ("bob@ехаmple.com", "bob@example.com", Some(Likeness::Near)),
        ("bob@exarnple.com", "bob@example.com", Some(Likeness::Near)),
        ("bοb@exаmрlе.com", "bob@example.com", Some(Likeness::Near)),
        ("bօb@exɑmple.cօm", "bob@example.com", Some(Likeness::Near)),
        ("ɡreɡ@ԛuick.example", "greg@quick.example", Some(Likeness::Near)),
        ("ann@ԝideʋievv.example", "ann@wideview.example", Some(Likeness::Near)),
        ("b0b@5afe.example", "bob@safe.example", Some(Likeness::Near)),
        ("bøb@exåmple.com", "bob@example.com", None),
        ("bbo@example.com", "bob@example.com", Some(Likeness::Near)),
        ("https://mail.evil.example/", "evil.example", Some(Likeness::Related)),
        ("https://evil.example/", "eve@evil.example", Some(Likeness::Same)),
        ("https://notevil.example/", "evil.example", None),
        ("DE89370400440532013000", "DE89 3704 0044 0532 0130 00", Some(Likeness::Same)),
        ("DE89370400440532013009", "DE89 3704 0044 0532 0130 00", Some(Likeness::Near)),
        ("DE89370400440532013990", "DE89 3704 0044 0532 0130 00", None),
        ("2026-01-12", "2026-01-13", None),
    ] {
        assert_eq!(likeness(piece, text), expected, "{piece} | {text}");
    }
}

#[test]
fn words_are_found_behind_what_only_looks_like_them() {
    let piece = Piece::Words("at at at at".to_owned());
    assert_eq!(Spelled::of("xat at at at at").likeness(&piece), Some(Likeness::Same));
    assert_eq!(Spelled::of("xat at at at").likeness(&piece), None);
}

/// The ways in which somebody may write an address down.
fn spellings() -> impl Strategy<Value = (String, String)> {
    let label = || "[a-z][a-z0-9]{2,8}";
    let parts = (label(), prop::option::of(label()), label(), prop::sample::select(vec!["example", "com", "org"]));
    (parts, prop::collection::vec(0..12_usize, 0..4)).prop_map(|((first, second, host, top), how)| {
        let local = second.map_or(first.clone(), |second| format!("{first}.{second}"));
        let address = format!("{local}@{host}.{top}");
        let written = how.iter().fold(address.clone(), |written, how| respell(&written, *how));
        (address, written)
    })
}

fn respell(address: &str, how: usize) -> String {
    let split = address.split_once('@');
    match (how, split) {
        (0, _) => address.to_uppercase(),
        (1, Some((local, host))) if !local.contains('+') => format!("{local}+tag@{host}"),
        (2, Some((local, host))) => format!("{local} (at) {host}"),
        (3, Some((local, host))) => format!("{local}[at]{host}"),
        (4, Some((local, host))) if address.chars().all(|c| c.is_alphanumeric() || "@.+".contains(c)) => {
            format!("{local} at {}", host.replace('.', " dot "))
        }
        (5, _) => format!("<{address}>"),
        (6, _) => format!("“{address}”."),
        (7, Some(_)) if !address.contains([' ', '<', '“']) => format!("mailto:{address}"),
        (8, _) => address.chars().flat_map(|c| [c, '\u{200B}']).collect(),
        (9, _) => address.chars().map(wide).collect(),
        (10, _) => format!("{address}, please"),
        (11, _) => format!("({address})"),
        _ => address.to_owned(),
    }
}

/// As it is typed with a full-width keyboard.
fn wide(c: char) -> char {
    let letter = matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '@' | '.');
    char::from_u32(u32::from(c) + 0xFEE0).filter(|_| letter).unwrap_or(c)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_spelling_of_an_address_is_that_address((address, written) in spellings()) {
        let text = Spelled::of(&format!("send it to {written} today"));
        prop_assert_eq!(text.likeness(&Piece::Address(address)), Some(Likeness::Same), "{}", written);
    }

    #[test]
    fn every_grouping_of_a_number_is_that_number(number in "[1-9][0-9]{9,20}", size in 1..5_usize, sign in "[ .-]") {
        let digits: Vec<char> = number.chars().collect();
        let grouped = digits.chunks(size).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(&sign);
        let text = Spelled::of(&format!("account {grouped} please"));
        prop_assert_eq!(text.likeness(&Piece::Number(number)), Some(Likeness::Same), "{}", grouped);
    }

    #[test]
    fn spelling_twice_changes_nothing_and_nothing_breaks_it(text in "(\\PC|[@.+ /:<>()0-9-]|dot |at |www\\.|xn--){0,60}") {
        let once = spelled(&text);
        for piece in Spelled::of(&text).pieces() {
            prop_assert!(Spelled::of(&text).likeness(&piece).is_some(), "{:?} of {:?}", piece, once);
        }
    }
}
