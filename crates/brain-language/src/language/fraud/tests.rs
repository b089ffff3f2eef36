use super::*;

const FRAUDS: &str = include_str!("../../../../../data/eval/frauds.tsv");
const ORDINARY: &str = include_str!("../../../../../data/eval/ordinary_mail.tsv");

/// A mail of a table: its half, its kind, and why it is marked.
fn judged(table: &'static str) -> Vec<(&'static str, &'static str, Option<String>)> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_else(|| panic!("too few fields: {line}"));
        let (half, kind, from, reply_to, subject, text) = (next(), next(), next(), next(), next(), next());
        let (name, address) = from.split_once('<').unwrap();
        let text = text.replace('¶', "\n");
        let letter = LetterFacts {
            subject,
            text: &text,
            name: name.trim(),
            address: address.trim_end_matches('>'),
            reply_to: Some(reply_to).filter(|to| *to != "-"),
            ..LetterFacts::default()
        };
        (half, kind, mark(&letter))
    };
    rows.map(row).collect()
}

fn count(half: &str, marks: &[(&str, &str, Option<String>)]) -> (usize, usize) {
    let of_half = || marks.iter().filter(|(of, ..)| *of == half);
    (of_half().filter(|(.., mark)| mark.is_some()).count(), of_half().count())
}

#[test]
fn of_everyday_frauds_most_are_marked_and_of_ordinary_mail_next_to_none() {
    let (frauds, ordinary) = (judged(FRAUDS), judged(ORDINARY));
    let kinds: std::collections::BTreeSet<&str> = frauds.iter().map(|(_, kind, _)| *kind).collect();
    assert!(kinds.len() >= 40 && ordinary.len() >= 200, "{} kinds, {} ordinary", kinds.len(), ordinary.len());
    let missed: Vec<&str> = frauds.iter().filter(|(.., mark)| mark.is_none()).map(|(_, kind, _)| *kind).collect();
    let wrong: Vec<_> = ordinary.iter().filter(|(.., mark)| mark.is_some()).collect();
    let told = format!(
        "of frauds {:?} and {:?}, missed {missed:?}; of ordinary mail {:?} and {:?}: {wrong:?}",
        count("t", &frauds),
        count("h", &frauds),
        count("t", &ordinary),
        count("h", &ordinary)
    );
    let (found, all) = count("t", &frauds);
    assert!(found * 100 >= all * 95, "{told}");
    let (found, all) = count("h", &frauds);
    assert!(found * 100 >= all * 80, "{told}");
    assert!(wrong.len() * 100 <= ordinary.len() * 2, "{told}");
}

fn letter<'l>(text: &'l str, address: &'l str) -> LetterFacts<'l> {
    LetterFacts { subject: "Hello", text, name: "Anna Berg", address, ..LetterFacts::default() }
}

#[test]
fn a_mark_says_what_is_asked_for_and_who_asks() {
    let cards = "Please buy three Apple gift cards and send me the codes.";
    let told = |letter: LetterFacts<'_>| mark(&letter);
    let stranger = letter(cards, "anna@x.example");
    assert_eq!(told(stranger).as_deref(), Some("asks for gift cards, from an address you never wrote to"));
    let known = LetterFacts { is_known: true, ..stranger };
    assert_eq!(told(known).as_deref(), Some("asks for gift cards; make sure that it is them"));
    let borrowed = LetterFacts { is_borrowed: true, ..stranger };
    let why = "asks for gift cards, under the name of somebody you know, from another address";
    assert_eq!(told(borrowed).as_deref(), Some(why));
    let elsewhere = LetterFacts { reply_to: Some("anna@y.example"), ..stranger };
    assert_eq!(told(elsewhere).as_deref(), Some("asks for gift cards, and its answers go elsewhere"));
}

#[test]
fn what_is_warned_of_negated_or_said_by_somebody_known_is_not_marked() {
    for (text, is_known) in [
        ("Beware: scammers ask you to buy gift cards and send them the codes.", false),
        ("Your code is 481220. Do not share this code with us or anyone.", false),
        ("Please transfer your share of 85 today, it is urgent.", true),
        ("Shall we give grandma a gift card?", false),
        ("", false),
    ] {
        let facts = LetterFacts { is_known, ..letter(text, "anna@x.example") };
        assert_eq!(mark(&facts), None, "{text}");
    }
}

#[test]
fn no_letter_costs_more_than_its_beginning() {
    let long = "send me the code now ".repeat(100_000);
    assert!(mark(&letter(&long, "a@x.example")).is_some());
    for text in ["@", "https://", "http://.", "http://.../", "\u{200B}", "a.b@", "....", "%"] {
        mark(&letter(&text.repeat(1_000), text));
    }
}
