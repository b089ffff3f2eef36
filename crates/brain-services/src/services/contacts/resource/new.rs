//! A new contact as a resource: version 3.0, which every server and program takes.

use chrono::{DateTime, Utc};

use super::encoded::{CardVersion, ValueForm, encoded, on_lines, plain};
use super::names;
use crate::services::contacts::record::Contact;

const BREAK: &str = "\r\n";
const VERSION: CardVersion = CardVersion::V3;

/// The text of a new resource.
pub(super) fn made(contact: &Contact, uid: &str, now: DateTime<Utc>) -> String {
    let name = plain(&contact.name);
    let mut lines = vec![
        ("BEGIN:".to_owned(), "VCARD".to_owned()),
        ("VERSION:".to_owned(), "3.0".to_owned()),
        ("PRODID:".to_owned(), "-//Brain Agent//EN".to_owned()),
        line("UID:", &[uid.to_owned()], ValueForm::Single),
        line("FN:", std::slice::from_ref(&name), ValueForm::Single),
        line("N:", &names::parts_of(&name, &Default::default()), ValueForm::Component),
    ];
    let listed = |list: &[String]| list.iter().map(|one| plain(one)).filter(|one| !one.is_empty()).collect::<Vec<_>>();
    let preferred = contact.preferred.as_deref().unwrap_or_default().trim();
    for email in listed(&contact.emails) {
        let is_preferred = email.eq_ignore_ascii_case(preferred);
        lines.push(line(head_of("EMAIL", is_preferred, VERSION), &[email], ValueForm::Single));
    }
    lines.extend(
        listed(&contact.phones)
            .into_iter()
            .map(|phone| line(head_of("TEL", false, VERSION), &[phone], ValueForm::Single)),
    );
    for (head, list) in [("NICKNAME:", &contact.nicknames), ("CATEGORIES:", &contact.groups)] {
        let list = listed(list);
        lines.extend((!list.is_empty()).then(|| line(head, &list, ValueForm::Listed)));
    }
    lines.push(("REV:".to_owned(), stamp(None, VERSION, now)));
    lines.push(("END:".to_owned(), "VCARD".to_owned()));
    lines.iter().map(|(head, value)| on_lines(head, value, VERSION, BREAK)).collect()
}

fn line(head: &str, words: &[String], form: ValueForm) -> (String, String) {
    encoded(head, words, form, VERSION)
}

/// The head of a line that a card has more of.
pub(super) fn head_of(name: &str, is_preferred: bool, version: CardVersion) -> &'static str {
    match (name, is_preferred, version) {
        ("EMAIL", false, CardVersion::V2) => "EMAIL;INTERNET:",
        ("EMAIL", false, CardVersion::V3) => "EMAIL;TYPE=INTERNET:",
        ("EMAIL", false, CardVersion::V4) => "EMAIL:",
        ("EMAIL", true, CardVersion::V2) => "EMAIL;INTERNET;PREF:",
        ("EMAIL", true, CardVersion::V3) => "EMAIL;TYPE=INTERNET;TYPE=PREF:",
        ("EMAIL", true, CardVersion::V4) => "EMAIL;PREF=1:",
        ("TEL", _, CardVersion::V2) => "TEL;VOICE:",
        ("TEL", _, CardVersion::V3) => "TEL;TYPE=VOICE:",
        ("TEL", _, CardVersion::V4) => "TEL;TYPE=voice:",
        ("NICKNAME", ..) => "NICKNAME:",
        ("CATEGORIES", ..) => "CATEGORIES:",
        _ => ":",
    }
}

/// When a card was changed, as it says that already.
pub(super) fn stamp(was: Option<&str>, version: CardVersion, now: DateTime<Utc>) -> String {
    let is_long = was.map_or(version == CardVersion::V3, |was| was.contains('-'));
    now.format(if is_long { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y%m%dT%H%M%SZ" }).to_string()
}
