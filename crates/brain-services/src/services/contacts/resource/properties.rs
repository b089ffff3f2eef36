//! What holds for every card: generated contacts are written and read the same, any text is survived, and what a card
//! may hold is bounded.

use chrono_tz::Tz;
use proptest::prelude::*;

use super::tests::{CARD, changed, foreign, now, reads, sorted, tried, writes};
use super::*;
use brain_core::core::ids::ChatId;

/// A photo is never parsed, wherever it stands.
#[test]
fn a_photo_of_a_megabyte_stays_and_costs_little() {
    let photo: String = (0..18_000).map(|at| format!(" {}{at:06}\r\n", "/9j4".repeat(17))).collect();
    let card = CARD.replacen("UID:", &format!("PHOTO;ENCODING=b;TYPE=JPEG:\r\n{photo}UID:"), 1);
    assert!(card.len() > 1_300_000);
    let began = std::time::Instant::now();
    let after = writes(&card, |contact| contact.emails.push("new@x.example".to_owned()));
    assert!(after.contains(&photo));
    assert_eq!(foreign(&card), foreign(&after));
    assert!(began.elapsed().as_millis() < 2_000, "{:?}", began.elapsed());
}

#[test]
fn what_one_card_may_hold_is_bounded() {
    for (line, count) in
        [("EMAIL:a@x.example\n", 8_000), ("EMAIL:nobody\n", 8_000), ("TEL:\n", 8_000), ("N:;\n", 8_000), ("\n", 80_000)]
    {
        let card = format!("BEGIN:VCARD\nVERSION:3.0\nFN:A\n{}END:VCARD\n", line.repeat(count));
        writes(&card, |contact| contact.name = "Anna Meier".to_owned());
    }
    for (name, part) in [("NICKNAME", "a,"), ("CATEGORIES", ","), ("FN", "x"), ("N", ";"), ("ORG", ";\\")] {
        let card = format!(
            "BEGIN:VCARD\nVERSION:3.0\nEMAIL:a@x.example\n{name}:{}\nEND:VCARD\n",
            part.repeat(200_000 / part.len())
        );
        let after = writes(&card, |contact| contact.phones.push("1".to_owned()));
        assert!(after.len() > 200_000);
    }
    let many: String = (0..60).map(|at| format!("EMAIL:a{at}@x.example\n")).collect();
    let card = format!("BEGIN:VCARD\nVERSION:3.0\nFN:A\n{many}END:VCARD\n");
    assert_eq!(reads(&card).unwrap().emails.len(), 50);
    let late = format!("BEGIN:VCARD\nFN:A\n{}EMAIL:a@x.example\nEND:VCARD\n", "EMAIL:nobody\n".repeat(300));
    assert!(reads(&late).unwrap().emails.is_empty());
}

/// Names and other words, as people have them.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Anna",
        "von",
        "der",
        "O'Neil",
        "Müller,",
        "d’Arc",
        "Łukasz",
        "Ольга",
        "山田",
        "太郎",
        "김",
        "José",
        "a;b",
        "x\\y",
        "=C3",
        "“Bo”",
        "&",
        "(Mum)",
        "😀",
        "Jr.",
        "-",
        "N:",
        "a=b",
        "\"q\"",
        "C:\\d",
        "100%",
        "é",
        "FN;X=1:",
    ]);
    prop::collection::vec(word, 1..6).prop_map(|words| encoded::plain(&words.join(" ")))
}

fn address() -> impl Strategy<Value = String> {
    "[a-z0-9._+=']{1,12}@[a-zäö0-9]{1,8}\\.(example|test)"
}

fn listed<S: Strategy<Value = String>>(one: S) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(one, 0..4).prop_map(|list| {
        let mut all: Vec<String> = Vec::new();
        for one in list.into_iter().filter(|one| !one.is_empty()) {
            if !all.iter().any(|known| known.eq_ignore_ascii_case(&one)) {
                all.push(one);
            }
        }
        all
    })
}

prop_compose! {
    fn contacts()(
        name in words(),
        nicknames in listed(words()),
        emails in listed(address()),
        phones in listed("[+0-9][0-9 ()-]{1,12}[0-9]".prop_map(|number| encoded::plain(&number))),
        groups in listed(words().prop_map(|words| words.to_lowercase())),
        at in any::<prop::sample::Index>(),
        is_preferred in any::<bool>(),
    ) -> Contact {
        let preferred = (is_preferred && !emails.is_empty()).then(|| emails[at.index(emails.len())].clone());
        Contact { name, nicknames, emails, preferred, phones, groups, ..reads(CARD).unwrap() }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_the_same(one in contacts(), other in contacts(), version in 0..3usize) {
        let reader = DavReader { owner: &one.owner, chat: &ChatId::new("1"), zone: Tz::UTC, own: &[], is_shared: false, now: now() };
        let text = one.made("u", &reader);
        prop_assert_eq!(&reads(&text).unwrap(), &one, "{}", text);
        let versions = ["BEGIN:VCARD\nVERSION:2.1\nN:x\nEND:VCARD\n", &text, "BEGIN:VCARD\nVERSION:4.0\nFN:x\nX-A:b\nEND:VCARD\n"];
        let text = versions[version];
        let before = reads(text).unwrap();
        // Made from nothing, changed into another, and back.
        let first = changed(text, (&before, &one));
        prop_assert_eq!(sorted(reads(&first).unwrap()), sorted(one.clone()), "{}", first);
        let second = changed(&first, (&one, &other));
        prop_assert_eq!(unordered(reads(&second).unwrap()), unordered(other.clone()), "{}", second);
        prop_assert_eq!(foreign(text), foreign(&second));
        let third = changed(&second, (&other, &one));
        prop_assert_eq!(unordered(reads(&third).unwrap()), unordered(one.clone()), "{}", third);
    }

    #[test]
    fn any_text_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "BEGIN:VCARD\n", "END:VCARD\n", "FN", "N", "TEL", "EMAIL", "NICKNAME", "CATEGORIES", "ORG", "REV", "PHOTO", "item1.", "X-ABLabel",
        ":", ";", ",", ".", "=", "\"", "\\", "\n", "\r\n", "\n ", " ", "=\n", "=C3=", ";ENCODING=QUOTED-PRINTABLE", ";QUOTED-PRINTABLE",
        ";ENCODING=b", ";CHARSET=UTF-16", ";VALUE=uri", ";PREF=", ";TYPE=pref", "99999999999999999999", "a@x.example", "VERSION:2.1\n",
        "VERSION:4.0\n", "KIND:group\n", "\0", "\u{FEFF}", "é", "日", "\u{85}",
    ]), 0..60), after in contacts()) {
        let text = format!("BEGIN:VCARD\n{}\nEND:VCARD\n", parts.concat());
        if let Ok(Some(before)) = tried(&text, None, false) {
            let changed = changed(&text, (&before, &after));
            prop_assert_eq!(foreign(&text), foreign(&changed));
            prop_assert!(matches!(tried(&changed, None, false), Ok(Some(_))), "{}", changed);
        }
        let _ = tried(&parts.concat(), None, false);
    }
}

/// Where what is in both stands before what is new.
fn unordered(mut contact: Contact) -> Contact {
    for list in [&mut contact.emails, &mut contact.phones, &mut contact.groups, &mut contact.nicknames] {
        list.sort();
    }
    contact
}
