//! Resources that are read, and changed line by line.

mod hostile;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::*;
use crate::services::contract::provenance::Others;
use crate::services::remote::backend::RecordOrigin;
use brain_core::core::ids::{ChatId, UserId};

pub(super) const CARD: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:1@x\r\nFN:Anna Meier\r\nN:Meier;Anna;;Dr.;\r\nNICKNAME:Änn,Annie\\, the\r\n\
EMAIL;type=INTERNET;type=pref:anna@x.example\r\nitem1.EMAIL;type=INTERNET:a.meier@work.ex\r\n ample\r\nitem1.X-ABLabel:Desk\r\n\
TEL;TYPE=HOME:030 1\r\nCATEGORIES:Team,Old Friends\\, good ones,Choir\r\nX-MINE;A=\"b:c\":one\r\n  two\r\n\
REV:2020-01-01T00:00:00Z\r\nEND:VCARD\r\n";

pub(super) fn now() -> DateTime<Utc> {
    "2026-01-10T08:00:00Z".parse().unwrap()
}

pub(super) fn tried(text: &str, held: Option<&Contact>, is_shared: bool) -> Result<Option<Contact>, String> {
    let owner = UserId::new("tg:1");
    let reader =
        DavReader { owner: &owner, chat: &ChatId::new("1"), zone: Tz::Europe__Berlin, own: &[], is_shared, now: now() };
    let name = ResourceName { id: "c1".to_owned(), origin: RecordOrigin::new("acct:1", "/c/1.vcf", "\"1\"") };
    <Contact as DavRecord>::read(text, name, held, &reader)
}

pub(super) fn reads(text: &str) -> Option<Contact> {
    tried(text, None, false).unwrap()
}

pub(super) fn changed(text: &str, change: (&Contact, &Contact)) -> String {
    let reader = DavReader {
        owner: &change.0.owner,
        chat: &ChatId::new("1"),
        zone: Tz::Europe__Berlin,
        own: &[],
        is_shared: false,
        now: now(),
    };
    Contact::written(text, change, None, &reader).unwrap()
}

/// What is read back is what was wanted.
pub(super) fn writes(text: &str, change: impl Fn(&mut Contact)) -> String {
    let before = reads(text).unwrap();
    let mut after = before.clone();
    change(&mut after);
    let changed = changed(text, (&before, &after));
    assert_eq!(sorted(reads(&changed).unwrap()), sorted(after), "{changed}");
    changed
}

/// Groups and other names have no order.
pub(super) fn sorted(mut contact: Contact) -> Contact {
    contact.groups.sort();
    contact.nicknames.sort();
    contact
}

/// The lines that are in one text and not in the other: gone, new.
pub(super) fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let less = |a: &[String], b: &[String]| {
        let mut b = b.to_vec();
        a.iter()
            .filter(|line| b.iter().position(|other| other == *line).map(|at| b.remove(at)).is_none())
            .cloned()
            .collect()
    };
    (less(&before, &after), less(&after, &before))
}

/// A text without the lines that may change with a contact.
pub(super) fn foreign(text: &str) -> String {
    let card = card::CardText::of(text).unwrap();
    let ours = ["FN", "N", "ORG", "NICKNAME", "EMAIL", "TEL", "CATEGORIES", "REV", "X-ABLABEL"];
    let mut left = text.to_owned();
    for line in card.lines.iter().rev().filter(|line| ours.contains(&line.name.as_str())) {
        left.replace_range(line.span.clone(), "");
    }
    left
}

/// Stamps aside.
fn lines_of(text: &str, change: impl Fn(&mut Contact)) -> (Vec<String>, Vec<String>) {
    let after = writes(text, change);
    let (gone, new) = difference(text, &after);
    assert_eq!(foreign(text), foreign(&after));
    let stamps = |lines: Vec<String>| lines.into_iter().filter(|line| !line.starts_with("REV")).collect();
    (stamps(gone), stamps(new))
}

fn strings(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// One change of one card: the lines that go, the lines that come.
#[track_caller]
fn check(text: &str, change: impl Fn(&mut Contact), gone: &[&str], new: &[&str]) {
    assert_eq!(lines_of(text, change), (strings(gone), strings(new)));
}

#[test]
fn a_card_is_read_as_it_says() {
    let contact = reads(CARD).unwrap();
    assert_eq!(contact.name, "Anna Meier");
    assert_eq!(contact.nicknames, ["Änn", "Annie, the"]);
    assert_eq!(contact.emails, ["anna@x.example", "a.meier@work.example"]);
    assert_eq!(contact.preferred.as_deref(), Some("anna@x.example"));
    assert_eq!(
        (contact.phones, contact.groups),
        (strings(&["030 1"]), strings(&["team", "old friends, good ones", "choir"]))
    );
    assert_eq!((contact.id.as_str(), contact.origin.unwrap().id.as_str()), ("c1", "/c/1.vcf"));
    assert!(contact.others.is_empty());
    let phones = "BEGIN:VCARD\nFN:A\nTEL:1\nTEL;TYPE=HOME,PREF:2\nTEL:3\nEND:VCARD\n";
    assert_eq!(reads(phones).unwrap().phones, ["2", "1", "3"]);
    check(phones, |contact| contact.phones[1] = "4".to_owned(), &["TEL:1"], &["TEL:4"]);
}

#[test]
fn a_new_name_changes_the_name_and_what_of_its_parts_is_another() {
    let named = |name: &'static str| move |contact: &mut Contact| contact.name = name.to_owned();
    let (full, parts) = ("FN:Anna Meier", "N:Meier;Anna;;Dr.;");
    check(CARD, named("Anna von Berg"), &[full, parts], &["FN:Anna von Berg", "N:von Berg;Anna;;;"]);
    check(
        CARD,
        named("Dr. Anna Berg; née Meier"),
        &[full, parts],
        &["FN:Dr. Anna Berg\\; née Meier", "N:Meier;Anna;Berg\\; née;Dr.;"],
    );
    // The parts say that already.
    check(CARD, named("Dr. Anna Meier"), &[full], &["FN:Dr. Anna Meier"]);
    check(CARD, named("Meier, Anna"), &[full], &["FN:Meier\\, Anna"]);
    let sorted =
        CARD.replace("VERSION:3.0", "VERSION:4.0").replace(parts, "N;SORT-AS=\"Meier,Anna\":Meier;Anna,Eva;Q\\;Z;;");
    check(
        &sorted,
        named("Anna Eva Q;Z Lang"),
        &[full, "N;SORT-AS=\"Meier,Anna\":Meier;Anna,Eva;Q\\;Z;;"],
        &["FN:Anna Eva Q\\;Z Lang", "N:Lang;Anna,Eva;Q\\;Z;;"],
    );
    let without = CARD.replace("N:Meier;Anna;;Dr.;\r\n", "");
    check(&without, named("Anna Berg"), &[full], &["FN:Anna Berg", "N:Berg;Anna;;;"]);
    check(&without.replace("3.0", "4.0"), named("Anna Berg"), &[full], &["FN:Anna Berg"]);
}

#[test]
fn the_mark_of_the_address_to_write_to_moves_and_nothing_else() {
    let prefer =
        |address: Option<&'static str>| move |contact: &mut Contact| contact.preferred = address.map(str::to_owned);
    let (anna, work) = (Some("anna@x.example"), Some("a.meier@work.example"));
    check(
        CARD,
        prefer(work),
        &["EMAIL;type=INTERNET;type=pref:anna@x.example", "item1.EMAIL;type=INTERNET:a.meier@work.ex", " ample"],
        &["EMAIL;type=INTERNET:anna@x.example", "item1.EMAIL;type=INTERNET;type=pref:a.meier@work.example"],
    );
    check(
        CARD,
        prefer(None),
        &["EMAIL;type=INTERNET;type=pref:anna@x.example"],
        &["EMAIL;type=INTERNET:anna@x.example"],
    );
    let card = |version: &str, first: &str, second: &str| {
        format!(
            "BEGIN:VCARD\nVERSION:{version}\nFN:A\nREV:1\nEMAIL{first}:anna@x.example\nEMAIL{second}:a.meier@work.example\nEND:VCARD\n"
        )
    };
    for (version, [first, second], to, [first_then, second_then]) in [
        ("4.0", [";PREF=1", ";PREF=2"], work, [";PREF=2", ";PREF=1"]),
        ("4.0", [";PREF=1;TYPE=home", ""], work, [";TYPE=home", ";PREF=1"]),
        ("4.0", [";PREF=7", ";PREF=9"], work, [";PREF=7", ";PREF=1"]),
        ("4.0", [";PREF=7", ";PREF=9"], None, ["", ""]),
        ("4.0", ["", ""], anna, [";PREF=1", ""]),
        ("4.0", [";TYPE=\"home,pref\"", ";TYPE=work"], work, [";TYPE=\"home\"", ";TYPE=work;PREF=1"]),
        ("3.0", [";TYPE=HOME,PREF", ";TYPE=WORK"], work, [";TYPE=HOME", ";TYPE=WORK;TYPE=PREF"]),
        ("3.0", ["", ""], work, ["", ";TYPE=PREF"]),
        ("3.0", [";type=pref", ";type=pref"], work, ["", ";type=pref"]),
        ("2.1", [";PREF;INTERNET", ";INTERNET"], work, [";INTERNET", ";INTERNET;PREF"]),
        ("2.1", [";INTERNET", ";INTERNET"], anna, [";INTERNET;PREF", ";INTERNET"]),
    ] {
        let after = writes(&card(version, first, second), prefer(to));
        let lines: Vec<&str> = after.lines().filter(|line| line.starts_with("EMAIL")).collect();
        let expected =
            [format!("EMAIL{first_then}:anna@x.example"), format!("EMAIL{second_then}:a.meier@work.example")];
        assert_eq!(lines, expected, "{version} {first} {second} {to:?}");
    }
    // Somebody it is not known to have.
    assert_eq!(writes_unlike(CARD, prefer(Some("nobody@x.example"))), CARD);
}

/// Something that a card cannot say.
fn writes_unlike(text: &str, change: impl Fn(&mut Contact)) -> String {
    let before = Contact { preferred: None, ..reads(text).unwrap() };
    let mut after = before.clone();
    change(&mut after);
    changed(text, (&before, &after))
}

#[test]
fn a_value_that_goes_takes_its_label_along_and_no_other_line() {
    let label = ["item1.EMAIL;type=INTERNET:a.meier@work.ex", " ample", "item1.X-ABLabel:Desk"];
    check(CARD, |contact| drop(contact.emails.pop()), &label, &[]);
    let shared = CARD.replace("item1.X-ABLabel:Desk", "item1.X-ABLabel:Desk\r\nitem1.X-KEY:abc");
    check(&shared, |contact| drop(contact.emails.pop()), &label[..2], &[]);
    check(CARD, |contact| contact.phones.clear(), &["TEL;TYPE=HOME:030 1"], &[]);
    check(
        CARD,
        |contact| contact.groups.retain(|group| group != "old friends, good ones"),
        &["CATEGORIES:Team,Old Friends\\, good ones,Choir"],
        &["CATEGORIES:Team,Choir"],
    );
    check(CARD, |contact| contact.groups.clear(), &["CATEGORIES:Team,Old Friends\\, good ones,Choir"], &[]);
    check(
        CARD,
        |contact| contact.nicknames = strings(&["Änn", "A; B"]),
        &["NICKNAME:Änn,Annie\\, the"],
        &["NICKNAME:Änn,A\\; B"],
    );
}

#[test]
fn a_value_in_the_place_of_another_keeps_its_kind_and_its_label() {
    check(
        CARD,
        |contact| contact.emails[1] = "anna@new.example".to_owned(),
        &["item1.EMAIL;type=INTERNET:a.meier@work.ex", " ample"],
        &["item1.EMAIL;type=INTERNET:anna@new.example"],
    );
    let uri = CARD.replace("TEL;TYPE=HOME:030 1", "TEL;VALUE=uri;TYPE=home:tel:+49-30-1");
    check(
        &uri,
        |contact| contact.phones[0] = "030 2".to_owned(),
        &["TEL;VALUE=uri;TYPE=home:tel:+49-30-1"],
        &["TEL;TYPE=home:030 2"],
    );
}

#[test]
fn quoted_printable_stays_so_and_no_line_of_version_2_1_is_folded() {
    let card = "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6=\nrg\n\
                CATEGORIES;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Gr=FC=\nn,Blau,=\nRot\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\n\
                TEL:1=\nEND:VCARD\n";
    assert_eq!(reads(card).unwrap().groups, ["grün", "blau", "rot"]);
    assert!(reads(card).unwrap().phones.is_empty());
    check(
        card,
        |contact| drop(contact.groups.remove(1)),
        &["CATEGORIES;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Gr=FC=", "n,Blau,=", "Rot"],
        &["CATEGORIES;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Gr=FCn,Rot"],
    );
    // Not into the value that is not ended.
    let after = writes(card, |contact| contact.groups.push("gelb, hell".to_owned()));
    assert!(after.contains("\nCATEGORIES:gelb\\, hell\nNOTE"), "{after}");
    let long = "Ä".repeat(60);
    let after = writes(card, |contact| contact.name.clone_from(&long));
    let name: Vec<&str> = after.lines().skip_while(|line| !line.starts_with("FN")).take(6).collect();
    assert!(name.iter().all(|line| line.len() <= 76) && name[0].ends_with('=') && !name[5].ends_with('='), "{after}");
    assert!(name[1..].iter().all(|line| line.starts_with("=C3")), "{after}");
    // Version 3.0 does not have it; what is written anew goes without.
    let third = "BEGIN:VCARD\nVERSION:3.0\nFN;X=1;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=B6rg\nN:;J\nEND:VCARD\n";
    let after = writes(third, |contact| contact.name = "Jörg, der Große".to_owned());
    assert!(after.contains("\nFN;X=1:Jörg\\, der Große\n"), "{after}");
    let plain = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:x\r\nEND:VCARD\r\n";
    let after = writes(plain, |contact| contact.nicknames.push("so long ".repeat(20).trim().to_owned()));
    assert!(after.lines().any(|line| line.starts_with("NICKNAME:") && line.len() > 150), "{after}");
}

#[test]
fn a_stamp_is_written_as_it_stood_and_only_with_a_change() {
    let grown = |contact: &mut Contact| contact.phones.push("1".to_owned());
    for (version, was, becomes) in [
        ("3.0", "REV:2020-01-01T00:00:00Z\n", "REV:2026-01-10T08:00:00Z\n"),
        ("3.0", "REV:20200101T000000Z\n", "REV:20260110T080000Z\n"),
        ("3.0", "REV;VALUE=DATE:2020-01-01\n", "REV:2026-01-10T08:00:00Z\n"),
        ("3.0", "", "REV:2026-01-10T08:00:00Z\n"),
        ("4.0", "", "REV:20260110T080000Z\n"),
        ("4.0", "item1.REV;VALUE=timestamp:20200101T000000Z\n", "item1.REV;VALUE=timestamp:20260110T080000Z\n"),
        ("2.1", "", ""),
        ("2.1", "REV:20200101T000000Z\n", "REV:20260110T080000Z\n"),
    ] {
        let card = format!("BEGIN:VCARD\nVERSION:{version}\nFN:A\n{was}END:VCARD\n");
        let after = writes(&card, grown);
        let found: String = after.split_inclusive('\n').filter(|line| line.contains("REV")).collect();
        assert_eq!(found, becomes, "{version} {was}");
        assert_eq!(writes(&card, |_| {}), card);
    }
}

#[test]
fn what_is_made_new_is_read_back() {
    let contact = Contact {
        name: "Dr. Ana; “Ani” Peña, née Łuk".to_owned(),
        nicknames: strings(&["Ani", "A, B; C\\D"]),
        emails: strings(&["ana@x.example", "ana.pena@work.example"]),
        preferred: Some("Ana.Pena@work.example".to_owned()),
        phones: strings(&["+34 91 1", "0;1,2"]),
        groups: strings(&["choir", "old friends, good ones"]),
        ..reads(CARD).unwrap()
    };
    let reader = DavReader {
        owner: &contact.owner,
        chat: &ChatId::new("1"),
        zone: Tz::UTC,
        own: &[],
        is_shared: false,
        now: now(),
    };
    let text = contact.made("new@us", &reader);
    let again = reads(&text).unwrap();
    assert_eq!(again, Contact { preferred: Some("ana.pena@work.example".to_owned()), ..contact.clone() }, "{text}");
    let lines = [
        "VERSION:3.0",
        "UID:new@us",
        "EMAIL;TYPE=INTERNET;TYPE=PREF:ana.pena@work.example",
        "REV:2026-01-10T08:00:00Z",
    ];
    assert!(lines.iter().all(|line| text.contains(&format!("\r\n{line}\r\n"))), "{text}");
    assert!(text.contains("\r\nN:") && text.lines().all(|line| line.len() <= 75), "{text}");
    let other = Contact::written(&text, (&again, &again), Some("other@us"), &reader).unwrap();
    assert!(other.contains("\r\nUID:other@us\r\n") && !other.contains("new@us"), "{other}");
}

#[test]
fn in_a_shared_book_what_is_new_is_somebody_elses() {
    let sources = |contact: &Contact| {
        contact.others.untrusted("a contact").into_iter().map(|words| (words.text, words.source)).collect::<Vec<_>>()
    };
    let shared = tried(CARD, None, true).unwrap().unwrap();
    let texts: Vec<String> = sources(&shared).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts.len(), 1 + 2 + 1 + 2 + 3);
    assert!(texts.contains(&"Anna Meier".to_owned()) && texts.contains(&"a.meier@work.example".to_owned()));
    // What the person wrote there is theirs, and a mail's words stay a mail's, in whosever book they stand.
    let mut held = Contact { others: Others::default(), ..shared.clone() };
    held.emails.remove(1);
    held.others.add("email", "ANNA@x.example", Some("a mail from Eve".to_owned()));
    let again = tried(CARD, Some(&held), true).unwrap().unwrap();
    let found = sources(&again);
    assert_eq!(found.len(), 2);
    assert!(found.contains(&("anna@x.example".to_owned(), "a mail from Eve".to_owned())));
    assert_eq!(found[1].0, "a.meier@work.example");
    assert_eq!(sources(&tried(CARD, Some(&held), false).unwrap().unwrap()).len(), 1);
}

#[test]
fn what_is_no_contact_is_said_or_not_shown() {
    let no_card = tried("BEGIN:VCALENDAR\nEND:VCALENDAR\n", None, false);
    assert_eq!(no_card, Err("there is no contact in it".to_owned()));
    assert_eq!(
        tried("BEGIN:VCARD\nFN:x\n", None, false),
        Err("its components do not end where they should".to_owned())
    );
    assert_eq!(tried("hello", None, false), Err("there is nothing in it".to_owned()));
    let group = "BEGIN:VCARD\nVERSION:4.0\nKIND:GROUP\nFN:All\nMEMBER:urn:uuid:1\nEND:VCARD\n";
    assert_eq!(tried(group, None, false), Ok(None));
    let contact = reads(CARD).unwrap();
    let reader = DavReader {
        owner: &contact.owner,
        chat: &ChatId::new("1"),
        zone: Tz::UTC,
        own: &[],
        is_shared: false,
        now: now(),
    };
    let renamed = Contact { name: "Other".to_owned(), ..contact.clone() };
    assert!(Contact::written(group, (&contact, &renamed), None, &reader).is_err());
}
