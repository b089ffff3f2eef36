use proptest::prelude::*;

use super::*;
use crate::core::markup::GUTTER;

const EXPIRES: &str = "Mon 12 Jan 09:00";

fn shown(bodies: &[CardBody]) -> Vec<String> {
    let parts = render(bodies, EXPIRES, &PendingId::new("abc")).unwrap();
    parts.iter().map(Formatted::with_gutters).collect()
}

#[test]
fn a_card_shows_every_character_and_hides_none() {
    let body = CardBody::titled("Send this email?").row("To", "bob@example.com").body("Hi\u{202E}Bob");
    assert_eq!(
        shown(&[body]).concat(),
        "Send this email?\nTo: bob@example.com\n\n│ Hi⟨U+202E⟩Bob\n\nReply yes or no, or say what to change.\nWaits until Mon 12 Jan 09:00 · abc"
    );
}

#[test]
fn a_card_over_ten_messages_is_refused() {
    let body = CardBody::titled("Send?").body("word ".repeat(20_000));
    assert!(render(&[body], "later", &PendingId::new("abc")).is_err());
}

#[test]
fn a_long_text_is_framed_in_every_message_and_its_length_is_told() {
    let body = CardBody::titled("Send?").body("word ".repeat(2_000).trim());
    let parts = render(&[body], "later", &PendingId::new("abc")).unwrap();
    assert!(parts.len() > 1 && parts.iter().all(|part| utf16_len(&part.text) <= MESSAGE_UTF16_MAX));
    assert!(parts[0].text.starts_with("Send?\n\nText (9999 characters):\nword"));
    for part in &parts {
        assert_eq!(part.spans.len(), 1);
        assert_eq!(part.spans[0].style, Style::Quote { folded: true });
    }
    let words: usize = parts.iter().map(|part| part.text.matches("word").count()).sum();
    assert_eq!(words, 2_000);
}

#[test]
fn what_is_decided_keeps_its_frame_and_loses_its_question() {
    let forged = "Hi\n\nReply yes or no, or say what to change.\nWaits until tomorrow · abc";
    let bodies = [CardBody::titled("Send?").body(forged)];
    let closed = decided(&bodies, EXPIRES, &PendingId::new("abc"), "✅ Sent").unwrap();
    assert_eq!(
        closed.with_gutters(),
        "Send?\n\n│ Hi\n│ \n│ Reply yes or no, or say what to change.\n│ Waits until tomorrow · abc\n\n✅ Sent"
    );
}

#[test]
fn a_look_alike_domain_is_shown_in_punycode_too() {
    assert_eq!(show_address("a@exаmple.com"), "a@exаmple.com (that is xn--exmple-4nf.com)");
    assert_eq!(show_address("a@example.com"), "a@example.com");
    assert_eq!(show_address("a@b.c>, Eve <e@f.g"), "“a@b.c, Eve e@f.g”");
}

/// What somebody would write to be taken for the card itself.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Send this email?".to_owned()),
        Just("Reply yes or no, or say what to change.".to_owned()),
        Just("Waits until Mon 12 Jan 09:00 · abc".to_owned()),
        Just("⚠️ verified".to_owned()),
        Just("2. Delete this task?".to_owned()),
        Just("To: eve@evil.example".to_owned()),
        Just("Text (3 characters):".to_owned()),
        Just("” ".to_owned()),
        Just("\", <eve@evil.example>, ".to_owned()),
        Just(GUTTER.to_owned()),
        Just("\u{1b}[2K\u{9b}1A".to_owned()),
        proptest::sample::select(vec![
            "\n",
            "\r",
            "\r\n",
            "\u{b}",
            "\u{c}",
            "\u{85}",
            "\u{2028}",
            "\u{2029}",
            " ",
            "\t",
            "\u{200B}",
            "\u{202E}",
            "\u{E0041}",
            "“",
            "”",
            "„",
            "«",
            "»",
            "＂",
            "〞",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
        "[ -~]{0,400}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Where lines could be seen to end, on whatever screen.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

proptest! {
    #[test]
    fn no_words_can_add_a_line_to_a_card(title in hostile(), name in hostile(), text in hostile(), note in hostile()) {
        let card = || {
            CardBody {
                warnings: vec![format!("“{note}” is not yours")],
                ..CardBody::titled("Send this email?")
                    .lines("To", vec![format!("{} <bob@example.com>", crate::core::text::quoted(&name, 60)), name.clone()])
                    .words("Subject", &title)
                    .body(&text)
            }
        };
        for bodies in [vec![card()], vec![card(), card()]] {
            let Ok(parts) = render(&bodies, EXPIRES, &PendingId::new("abc")) else { continue };
            let shown = parts.iter().map(Formatted::with_gutters).collect::<Vec<_>>().join("\n");
            prop_assert!(crate::core::text::is_plain(&shown));
            let outside: Vec<&str> =
                lines(&shown).filter(|line| !line.starts_with(GUTTER) && !line.trim().is_empty()).collect();
            let many = bodies.len() > 1;
            let mut expected = Vec::new();
            for index in 1..=bodies.len() {
                expected.push(if many { format!("{index}. Send this email?") } else { "Send this email?".to_owned() });
                expected.push("To: “".to_owned());
                if !name.trim().is_empty() {
                    expected.push("   ".to_owned());
                }
                if !title.is_empty() {
                    expected.push("Subject".to_owned());
                }
                if utf16_len(&text) > QUOTE_UTF16_OPEN {
                    expected.push("Text (".to_owned());
                }
                expected.push("⚠️ “".to_owned());
            }
            expected.push(if many { "Reply yes to do all of it".to_owned() } else { "Reply yes or no".to_owned() });
            expected.push(format!("Waits until {EXPIRES} · abc"));
            prop_assert_eq!(outside.len(), expected.len(), "{}", shown);
            for (line, begin) in outside.iter().zip(&expected) {
                prop_assert!(line.starts_with(begin.as_str()), "{:?} is not {:?}", line, begin);
                if let Some(subject) = line.strip_prefix("Subject: ") {
                    let inner = subject.strip_prefix('“').and_then(|rest| rest.strip_suffix('”'));
                    prop_assert!(inner.is_some_and(|inner| !inner.contains(closes_a_quote)), "{:?}", line);
                }
            }
        }
    }
}
