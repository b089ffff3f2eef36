//! Cards that are made to cost much: each is read, and changed, in time that grows with its length.

use std::time::Duration;

use super::{CARD, changed, tried};
use brain_core::limits::{VCARD_VALUE_CHARS_MAX, VCARD_VALUES_MAX};
use brain_testing::fuzzing::{ThreadClock, fuzz};

/// What an unoptimised build may take for a megabyte.
const PATIENCE: Duration = Duration::from_secs(8);

/// Read, and written with another name.
fn read_and_written(text: &str) {
    let Ok(Some(before)) = tried(text, None, false) else { return };
    assert!(before.name.chars().count() <= VCARD_VALUE_CHARS_MAX);
    for list in [&before.emails, &before.phones, &before.nicknames, &before.groups] {
        assert!(list.len() <= VCARD_VALUES_MAX);
    }
    let mut after = before.clone();
    after.name = "Anna Meier".to_owned();
    after.phones.push("+49 30 1".to_owned());
    changed(text, (&before, &after));
}

fn card(lines: &str) -> String {
    format!("BEGIN:VCARD\nVERSION:3.0\nFN:A\n{lines}END:VCARD\n")
}

#[test]
fn a_hundred_thousand_properties_of_any_kind_cost_their_length_or_are_refused() {
    for line in [
        "A:\n",
        "item1.EMAIL:a@x.example\n",
        "TEL;TYPE=pref,home:1\n",
        "CATEGORIES:a,b\n",
        "X-A;B=c;B=c;B=c:d\n",
        "PHOTO;ENCODING=b:AAAA\n",
        "N:a;b;c;d;e\n",
        "NOTE;ENCODING=QUOTED-PRINTABLE:a=\n",
        "KIND:group2\n",
    ] {
        for count in [9_000, 100_000] {
            let began = ThreadClock::now();
            read_and_written(&card(&line.repeat(count)));
            assert!(began.elapsed() < PATIENCE, "{count} × {line:?}: {:?}", began.elapsed());
        }
    }
    for part in [";TYPE=pref", ";TYPE=a,b", ";\"", ";PREF=1", ";A=\"b;c\"", ".a", ";ENCODING=QUOTED-PRINTABLE"] {
        for name in ["EMAIL", "TEL", "FN", "N", "CATEGORIES", "X-A"] {
            let began = ThreadClock::now();
            read_and_written(&card(&format!("{name}{}:a@x.example\n", part.repeat(300_000 / part.len()))));
            assert!(began.elapsed() < PATIENCE, "{name}{part}: {:?}", began.elapsed());
        }
    }
}

#[test]
fn a_hundred_thousand_cards_in_each_other_are_refused_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let read = small.spawn(|| {
        for nest in
            ["BEGIN:VCARD\n", "BEGIN:X\n", "AGENT:BEGIN:VCARD\n", "a.b.c.", "N:;\\;", "X;A=\"", "(", "\\", ";", "["]
        {
            read_and_written(&card(&nest.repeat(100_000)));
            read_and_written(&nest.repeat(100_000));
            let closed = card(&format!("{}{}", nest.repeat(100_000), "END:VCARD\n".repeat(100_000)));
            read_and_written(&closed);
        }
    });
    read.unwrap().join().unwrap();
}

#[test]
fn fuzzed_vcard() {
    let older = "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6=\nrg;;Dr.;\nEMAIL;INTERNET;PREF:a@x.example\nPHOTO;ENCODING=BASE64:\n AAAA\n\nEND:VCARD\n";
    let newer = "BEGIN:VCARD\nVERSION:4.0\nFN:A\nEMAIL;PREF=1:a@x.example\nTEL;VALUE=uri;TYPE=\"voice,home\":tel:+49-30-1\nKIND:individual\nEND:VCARD\n";
    let tokens = [
        "BEGIN:VCARD\n",
        "END:VCARD\n",
        "\n",
        "\n ",
        "=\n",
        ":",
        ";",
        ",",
        ".",
        "=",
        "\"",
        "\\",
        "\\n",
        "=C3=",
        "FN:",
        "N:",
        "EMAIL",
        "TEL",
        "CATEGORIES:",
        "NICKNAME:",
        ";TYPE=pref",
        ";PREF",
        ";PREF=1",
        ";ENCODING=QUOTED-PRINTABLE",
        ";ENCODING=b",
        ";CHARSET=UTF-16",
        "item1.",
        "VERSION:2.1\n",
        "VERSION:4.0\n",
        "data:;base64,",
        "JSCOMPS=\"s,\\;",
        "\u{0}",
        "\u{feff}",
        "é",
        "日",
    ];
    fuzz("vcard", &[CARD, older, newer], &tokens, |bytes| {
        read_and_written(&String::from_utf8_lossy(bytes));
        crate::services::contacts::vcard::parse(bytes);
    });
}
