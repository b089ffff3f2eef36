//! Reading vCards (2.1, 3.0, 4.0) as far as an address book needs them: names, addresses, numbers, groups.
//!
//! Invariant: no input makes this fail; a broken card is read as far as it goes or left out.
//! Deliberately not here: photos, birthdays, postal addresses, writing.

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

/// Cards of one file that are read.
const CARDS_MAX: usize = 10_000;

/// All cards of a file that have a name, an address or a number.
pub fn parse(text: &str) -> Vec<Card> {
    let mut cards = Vec::new();
    let mut open: Option<Building> = None;
    for line in unfold(text) {
        let Some(property) = Property::parse(&line) else {
            continue;
        };
        match (property.name.as_str(), property.value.trim()) {
            ("BEGIN", value) if value.eq_ignore_ascii_case("vcard") => {
                open = Some(Building::default());
            }
            ("END", value) if value.eq_ignore_ascii_case("vcard") => {
                cards.extend(open.take().and_then(Building::finish));
                if cards.len() >= CARDS_MAX {
                    break;
                }
            }
            _ => {
                if let Some(card) = &mut open {
                    card.add(&property);
                }
            }
        }
    }
    cards
}

/// Logical lines: a line that begins with white space continues the one before (RFC 6350, 3.2); so does one
/// after `=` in a quoted-printable value of version 2.1.
fn unfold(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let text = text.trim_start_matches('\u{FEFF}');
    for line in text.split('\n').map(|line| line.trim_end_matches('\r')) {
        let soft = lines
            .last()
            .is_some_and(|last: &String| last.ends_with('=') && last.to_ascii_uppercase().contains("QUOTED-PRINTABLE"));
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) if !soft => last.push_str(rest),
            (_, Some(last)) if soft => {
                last.pop();
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

#[derive(Debug)]
struct Property {
    name: String,
    preferred: u32,
    value: String,
}

impl Property {
    fn parse(line: &str) -> Option<Self> {
        let (head, value) = split_value(line)?;
        let mut parts = head.split(';');
        let name = parts.next()?.rsplit('.').next()?.trim().to_ascii_uppercase();
        let mut preferred = 100;
        let mut encoded = false;
        for parameter in parts.map(str::to_ascii_uppercase) {
            if let Some(rank) = parameter.strip_prefix("PREF=") {
                preferred = rank.trim_matches('"').parse().unwrap_or(100);
            } else if parameter == "PREF" || parameter.starts_with("TYPE=") && has_pref(&parameter) {
                preferred = 1;
            }
            encoded |= parameter.contains("QUOTED-PRINTABLE");
        }
        let value = if encoded { decode_quoted(value) } else { value.to_owned() };
        Some(Self { name, preferred, value })
    }
}

fn has_pref(types: &str) -> bool {
    types["TYPE=".len()..].split(',').any(|part| part.trim_matches('"') == "PREF")
}

/// Splits at the first colon that is not inside a quoted parameter.
fn split_value(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let at = line.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == ':' && !quoted).then_some(at)
    })?;
    Some((&line[..at], &line[at + 1..]))
}

fn decode_quoted(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = value.get(at + 1..at + 3).filter(|_| bytes[at] == b'=');
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Splits at separators that are not escaped, and takes the escapes away (RFC 6350, 3.4).
fn split_escaped(value: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        let next = match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => ' ',
                Some(escaped) => escaped,
                None => break,
            },
            c if c == separator => {
                parts.push(String::new());
                continue;
            }
            c => c,
        };
        if let Some(last) = parts.last_mut() {
            last.push(next);
        }
    }
    parts.iter().map(|part| clean(part)).collect()
}

fn clean(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Default)]
struct Building {
    card: Card,
    structured: String,
    organisation: String,
    emails: Vec<(u32, String)>,
    phones: Vec<(u32, String)>,
}

impl Building {
    fn add(&mut self, property: &Property) {
        let whole = || split_escaped(&property.value, '\0').concat();
        let list = || split_escaped(&property.value, ',').into_iter().filter(|item| !item.is_empty());
        match property.name.as_str() {
            "FN" if self.card.name.is_empty() => self.card.name = whole(),
            "N" => {
                let mut parts = split_escaped(&property.value, ';');
                parts.resize(5, String::new());
                let [last, first, more, before, after] = &parts[..5] else {
                    return;
                };
                self.structured = clean(&[before, first, more, last, after].map(String::as_str).join(" "));
            }
            "ORG" => {
                self.organisation = split_escaped(&property.value, ';').into_iter().next().unwrap_or_default();
            }
            "NICKNAME" => self.card.nicknames.extend(list()),
            "CATEGORIES" => self.card.groups.extend(list().map(|group| group.to_lowercase())),
            "EMAIL" => {
                let email = whole();
                let email = email.strip_prefix("mailto:").unwrap_or(&email).to_owned();
                if email.contains('@') {
                    self.emails.push((property.preferred, email));
                }
            }
            "TEL" => {
                let phone = whole();
                let phone = phone.strip_prefix("tel:").unwrap_or(&phone).to_owned();
                if !phone.is_empty() {
                    self.phones.push((property.preferred, phone));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Option<Card> {
        self.emails.sort_by_key(|(preferred, _)| *preferred);
        self.phones.sort_by_key(|(preferred, _)| *preferred);
        let mut card = self.card;
        card.emails = self.emails.into_iter().map(|(_, email)| email).collect();
        card.phones = self.phones.into_iter().map(|(_, phone)| phone).collect();
        let fallbacks = [self.structured, self.organisation, card.emails.first().cloned().unwrap_or_default()];
        if card.name.is_empty() {
            card.name = fallbacks.into_iter().find(|name| !name.is_empty())?;
        }
        Some(card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_address_book_is_read_whole() {
        let cards = parse(include_str!("../../../data/demo/contacts.vcf"));
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
        let card = &parse(text)[0];
        assert_eq!(card.name, "Dr. Jörg Müller");
        assert_eq!(card.emails, ["b@x.example", "a@x.example"]);
        assert_eq!(card.phones, ["+49-30-1"]);
        assert_eq!(card.groups, ["old friends, good ones", "choir"]);
    }

    #[test]
    fn broken_files_give_what_they_hold() {
        assert!(parse("").is_empty());
        assert!(parse("BEGIN:VCARD\nFN:Nobody ends this").is_empty());
        assert!(parse("BEGIN:VCARD\nEND:VCARD").is_empty());
        assert!(parse("FN:outside\nEND:VCARD\n:::\n;;;\n\\").is_empty());
        assert_eq!(parse("BEGIN:VCARD\nBEGIN:VCARD\nFN:Inner\\\nN\nEND:VCARD")[0].name, "Inner");
        assert_eq!(parse("BEGIN:VCARD\nORG:Firm;Unit\nEND:VCARD")[0].name, "Firm");
    }
}
