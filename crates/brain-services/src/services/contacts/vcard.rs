//! Reading vCards (2.1, 3.0, 4.0; RFC 6350) as far as an address book needs them: names, addresses, numbers, groups.
//!
//! `calcard` reads a card; what is here finds the cards in a file and chooses among their properties.
//! Invariants: no input makes this fail, a broken card is read as far as it goes or left out; time grows with the
//! size of the file, and what one card may hold is bounded (`limits`).
//! Deliberately not here: photos, birthdays, postal addresses, writing.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calcard::vcard::{
    VCard, VCardEntry, VCardParameter, VCardParameterName, VCardParameterValue, VCardProperty, VCardValue,
};
use encoding_rs::{UTF_8, WINDOWS_1252};

use brain_core::core::text::{shorten, without_hidden};
use brain_core::limits::{VCARD_BYTES_MAX, VCARD_VALUE_CHARS_MAX, VCARD_VALUES_MAX, VCARDS_MAX};

/// Somebody, as a card states them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Card {
    /// FN, else made of N.
    pub name: String,
    /// NICKNAME.
    pub nicknames: Vec<String>,
    /// EMAIL, preferred first.
    pub emails: Vec<String>,
    /// TEL, preferred first.
    pub phones: Vec<String>,
    /// CATEGORIES, lower case.
    pub groups: Vec<String>,
}

/// All cards of a file that name somebody, if only by an address.
pub fn parse(file: &[u8]) -> Vec<Card> {
    let (text, _, is_broken) = UTF_8.decode(file);
    // Old programs write Windows-1252; a file that is UTF-8 but for some bytes is mended value by value (`meant`).
    let text = if is_broken { WINDOWS_1252.decode(file).0 } else { text };
    cards(&text).filter_map(read).take(VCARDS_MAX).collect()
}

/// The text of each card, from its last BEGIN to its END: of a card inside another one, the inner.
fn cards(text: &str) -> impl Iterator<Item = &str> {
    let is = |line: &str, mark: &str| {
        let parts = line.split_once(':');
        parts.is_some_and(|(name, value)| {
            name.trim_end().eq_ignore_ascii_case(mark) && value.trim().eq_ignore_ascii_case("VCARD")
        })
    };
    let (mut at, mut begin) = (0, None);
    text.split_inclusive('\n').filter_map(move |line| {
        if is(line, "BEGIN") {
            begin = Some(at);
        }
        at += line.len();
        if is(line, "END") { begin.take().map(|begin| &text[begin..at]) } else { None }
    })
}

fn read(text: &str) -> Option<Card> {
    let text = &text[..text.floor_char_boundary(VCARD_BYTES_MAX)];
    // Version 2.1 allows the encoding without its parameter's name; the parser does not.
    let text = text.replace(";QUOTED-PRINTABLE", ";ENCODING=QUOTED-PRINTABLE");
    // The parser is made for hostile input; should it still stumble, one card is unreadable, no more.
    let parsed = catch_unwind(AssertUnwindSafe(|| VCard::parse(text))).ok()?.ok()?;
    let mut card = Card::default();
    let (mut structured, mut organisation) = (String::new(), String::new());
    let (mut emails, mut phones) = (Vec::new(), Vec::new());
    for entry in &parsed.entries {
        match &entry.name {
            VCardProperty::Fn if card.name.is_empty() => card.name = texts(entry).collect(),
            VCardProperty::N => {
                let mut parts: Vec<String> = texts(entry).take(5).collect();
                parts.resize(5, String::new());
                // Last, first, more, before, after: in the order in which they are said.
                structured = clean(&[3, 1, 2, 0, 4].map(|at| parts[at].as_str()).join(" "));
            }
            VCardProperty::Org => organisation = texts(entry).next().unwrap_or_default(),
            VCardProperty::Nickname => card.nicknames.extend(texts(entry)),
            VCardProperty::Categories => card.groups.extend(texts(entry).map(|group| group.to_lowercase())),
            VCardProperty::Email => emails.extend(value(entry, "mailto:")),
            VCardProperty::Tel => phones.extend(value(entry, "tel:")),
            _ => {}
        }
    }
    card.emails = in_order(emails).filter(|email| email.contains('@')).collect();
    card.phones = in_order(phones).collect();
    for list in [&mut card.nicknames, &mut card.groups, &mut card.emails, &mut card.phones] {
        list.retain(|text| !text.is_empty());
        list.truncate(VCARD_VALUES_MAX);
    }
    let names = [card.name, structured, organisation, card.emails.first().cloned().unwrap_or_default()];
    card.name = names.into_iter().find(|name| !name.is_empty())?;
    Some(card)
}

/// The values of a property, cleaned: control characters and folds are spaces.
fn texts(entry: &VCardEntry) -> impl Iterator<Item = String> {
    entry.values.iter().filter_map(|value| match value {
        VCardValue::Text(text) => Some(clean(&meant(text))),
        VCardValue::Component(parts) => Some(clean(&meant(&parts.join(" ")))),
        _ => None,
    })
}

/// A value that may be a URI, and its rank.
fn value(entry: &VCardEntry, scheme: &str) -> Option<(u32, String)> {
    let text = texts(entry).next()?;
    Some((rank(entry), text.strip_prefix(scheme).unwrap_or(&text).to_owned()))
}

/// 1 for what is preferred most, 100 for what is not; PREF of version 4.0, TYPE=PREF of 3.0, a bare PREF of 2.1.
fn rank(entry: &VCardEntry) -> u32 {
    let rank = |parameter: &VCardParameter| match (&parameter.name, &parameter.value) {
        (VCardParameterName::Pref, VCardParameterValue::Integer(rank)) => Some(*rank),
        (VCardParameterName::Pref, VCardParameterValue::Null) => Some(1),
        (VCardParameterName::Type, VCardParameterValue::Text(text)) => text.eq_ignore_ascii_case("PREF").then_some(1),
        _ => None,
    };
    entry.params.iter().filter_map(rank).min().unwrap_or(100)
}

fn in_order(mut ranked: Vec<(u32, String)>) -> impl Iterator<Item = String> {
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, text)| text)
}

/// Bytes whose charset nobody named were read as Windows-1252; those that are UTF-8 were meant as that.
fn meant(text: &str) -> Cow<'_, str> {
    match WINDOWS_1252.encode(text) {
        (bytes, _, false) if !text.is_ascii() => {
            String::from_utf8(bytes.into_owned()).map_or(Cow::Borrowed(text), Cow::Owned)
        }
        _ => Cow::Borrowed(text),
    }
}

/// On one line, without an escape that escapes nothing and without what cannot be seen.
fn clean(text: &str) -> String {
    let text = without_hidden(text);
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    shorten(words.collect::<Vec<_>>().join(" ").trim_end_matches('\\'), VCARD_VALUE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_demo_address_book_is_read_whole() {
        let cards = parse(include_bytes!("../../../../../data/demo/contacts.vcf"));
        assert_eq!(cards.len(), 19);
        let count = |group: &str| cards.iter().filter(|c| c.groups.contains(&group.to_owned())).count();
        assert_eq!((count("team"), count("family"), count("bookclub")), (5, 3, 4));
        let mum = cards.iter().find(|c| c.name == "Mum").unwrap();
        assert_eq!(mum.nicknames, ["Mom", "Helen"]);
        let school = cards.iter().find(|c| c.name == "Hillcrest Primary").unwrap();
        assert_eq!(school.emails[0], "office@hillcrest-primary.example");
        assert!(cards.iter().any(|c| c.name == "Ольга Смирнова"));
    }

    #[test]
    fn older_and_odd_cards_are_read_too() {
        let text = "\u{FEFF}begin:vcard\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6=\nrg;;Dr.;\nEMAIL;INTERNET:a@x.example\nitem1.EMAIL;TYPE=INTERNET,PREF:b@x.example\nTEL;VALUE=uri;TYPE=\"voice,home\":tel:+49-30-1\nCATEGORIES:Old Friends\\, good ones,Choir\nNICKNAME:J\nEND:VCARD\n";
        let card = &parse(text.as_bytes())[0];
        assert_eq!(card.name, "Dr. Jörg Müller");
        assert_eq!(card.emails, ["b@x.example", "a@x.example"]);
        assert_eq!(card.phones, ["+49-30-1"]);
        assert_eq!(card.groups, ["old friends, good ones", "choir"]);
    }

    #[test]
    fn broken_files_give_what_they_hold() {
        assert!(parse(b"").is_empty());
        assert!(parse(b"BEGIN:VCARD\nFN:Nobody ends this").is_empty());
        assert!(parse(b"BEGIN:VCARD\nEND:VCARD").is_empty());
        assert!(parse(b"FN:outside\nEND:VCARD\n:::\n;;;\n\\").is_empty());
        assert_eq!(parse(b"BEGIN:VCARD\nBEGIN:VCARD\nFN:Inner\\\nN\nEND:VCARD")[0].name, "Inner");
        assert_eq!(parse(b"BEGIN:VCARD\nORG:Firm;Unit\nEND:VCARD")[0].name, "Firm");
    }

    /// Each of these took time that grew with the square of its size in one reader of vCards or another.
    #[test]
    fn two_megabytes_of_folds_are_read_in_one_go() {
        for (head, fold) in [
            ("FN;ENCODING=QUOTED-PRINTABLE", "ab=\n"),
            ("FN", "ab\n "),
            ("FN", " \n "),
            ("NOTE", "\\\n "),
            ("PHOTO;ENCODING=b", "AAAA\n"),
        ] {
            let folded = fold.repeat(2 * 1024 * 1024 / fold.len());
            let text = format!("BEGIN:VCARD\nEMAIL:a@x.example\n{head}:{folded}\nEND:VCARD\n");
            assert_eq!(parse(text.as_bytes())[0].emails, ["a@x.example"], "{head}");
        }
    }

    #[test]
    fn the_charset_need_not_be_told() {
        let utf16: Vec<u8> =
            "\u{FEFF}BEGIN:VCARD\nFN:Jörg\nEND:VCARD\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (file, name) in [
            (&b"BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg\nEND:VCARD"[..], "Jörg"),
            (b"BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:J=F6rg\nEND:VCARD", "Jörg"),
            (b"BEGIN:VCARD\nFN;QUOTED-PRINTABLE:J=C3=B6rg\nEND:VCARD", "Jörg"),
            (b"BEGIN:VCARD\nFN;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:=EF=CC=D8=C7=C1\nEND:VCARD", "Ольга"),
            (b"BEGIN:VCARD\nFN:J\xF6rg\nEND:VCARD", "Jörg"),
            ("BEGIN:VCARD\nFN:Ольга\nEND:VCARD".as_bytes(), "Ольга"),
            (&utf16, "Jörg"),
        ] {
            assert_eq!(parse(file)[0].name, name, "{}", String::from_utf8_lossy(file));
        }
        let mixed = parse(b"BEGIN:VCARD\nFN:J\xF6rg\nNICKNAME:J\xC3\xB6\nEND:VCARD");
        assert_eq!((mixed[0].name.as_str(), mixed[0].nicknames[0].as_str()), ("Jörg", "Jö"));
    }

    #[test]
    fn what_one_file_may_hold_is_bounded() {
        let huge = 10 * 1024 * 1024;
        let cards = parse("BEGIN:VCARD\nFN:x\nEND:VCARD\n".repeat(huge / 28).as_bytes());
        assert_eq!(cards.len(), VCARDS_MAX);
        for line in ["EMAIL:a@x.example\n", "TEL;TYPE=home:1\n", "NICKNAME:a,b\n", "A:\n", "\n", ":"] {
            let text = format!(
                "BEGIN:VCARD\nFN:{}\n{}\nEND:VCARD",
                "x".repeat(2_000),
                line.repeat(2 * VCARD_BYTES_MAX / line.len())
            );
            let card = &parse(text.as_bytes())[0];
            assert_eq!(card.name.chars().count(), VCARD_VALUE_CHARS_MAX, "{line}");
            let lists = [&card.emails, &card.phones, &card.nicknames];
            assert!(lists.iter().all(|list| list.len() <= VCARD_VALUES_MAX), "{line}");
        }
        assert!(parse("BEGIN:VCARD\n".repeat(huge / 12).as_bytes()).is_empty());
        assert!(parse(&vec![b'['; huge]).is_empty());
    }

    #[test]
    fn nothing_nests_deep_enough_to_bring_down_who_reads_it() {
        for nest in [
            "BEGIN:VCARD\n",
            "BEGIN:X\n",
            "N:;",
            "N;",
            "X;JSCOMPS=\"s,\\;",
            "\"",
            "(",
            "FN;A=\"",
            "item1.",
            "FN:\\",
            "NOTE:data:;base64,",
            "BEGIN:VCARD\nFN:x\nEND:VCARD\n",
        ] {
            let text = format!("BEGIN:VCARD\nFN:x\n{}\nEND:VCARD\n", nest.repeat(1_000_000 / nest.len()));
            let thread = std::thread::Builder::new().stack_size(256 * 1024);
            let read = thread.spawn(move || parse(text.as_bytes()).len()).unwrap().join();
            assert!(read.is_ok_and(|cards| cards <= VCARDS_MAX), "{nest}");
        }
    }

    proptest! {
        #[test]
        fn any_card_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
            "BEGIN:VCARD\n", "END:VCARD\n", "FN", "N", "TEL", "EMAIL", "BDAY", "GENDER", "PHOTO", ":", ";", ",", ".", "=", "\"",
            "\\", "\n", "\r\n", "\n ", " ", "=\n", "=C3=", "ENCODING=QUOTED-PRINTABLE", "ENCODING=b", "CHARSET=UTF-16",
            "VALUE=date", "data:;base64,", "PREF=", "99999999999999999999", "JSCOMPS=\"s,\\;", "19850412T1", "--04",
            "VERSION:2.1\n", "\0", "\u{FEFF}", "é", "日",
        ]), 0..60), bytes in any::<Vec<u8>>()) {
            let text = format!("BEGIN:VCARD\n{}\nEND:VCARD\n", parts.concat());
            parse(text.as_bytes());
            parse(&[text.as_bytes(), &bytes, b"\nEND:VCARD\n"].concat());
        }
    }
}
