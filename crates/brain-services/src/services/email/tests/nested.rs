//! Mails that nest: none is deep, long or odd enough to bring down who reads it.

use proptest::prelude::*;

use crate::services::email::mailbox::source::maildir::Raw;
use crate::services::email::message::read::{self, Parsed};
use brain_core::limits;

/// Reads a mail on a stack as small as a stack gets: what needs more for a deeper mail does not come back.
fn parse(mail: Vec<u8>) -> Parsed {
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    thread.spawn(move || read::parse(&Raw::Whole(mail))).unwrap().join().unwrap()
}

fn encoded(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for (index, three) in bytes.chunks(3).enumerate() {
        let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - three.len()));
        let signs = (0..4).map(|sign| char::from(ALPHABET[bits >> (18 - 6 * sign) & 63]));
        text.extend(signs.take(three.len() + 1));
        text.push_str(&"=".repeat(3 - three.len()));
        text.push_str(if index % 19 == 18 { "\r\n" } else { "" });
    }
    text
}

const START: &str = "From: Eve <eve@x.example>\r\nSubject: Nested\r\n";

#[test]
fn mails_inside_mails_inside_mails_are_read_no_deeper_than_the_first() {
    let heads = [
        "Content-Type: message/rfc822",
        "content-TYPE :\r\n\tMESSAGE/RFC822",
        "Content-Type: (a (nested) comment) message/rfc822 ; x=\"y\"",
        "Content-Type: message/global",
        "Content-Type: text/plain\r\nContent-Type: message/rfc822",
    ];
    for head in heads {
        let mail = format!("{START}{}end", format!("{head}\r\n\r\n").repeat(30_000));
        let parsed = parse(mail.into_bytes());
        assert_eq!((parsed.subject.as_str(), parsed.text.as_str()), ("Nested", ""), "{head}");
    }
}

#[test]
fn mails_hidden_in_an_encoded_part_are_not_opened() {
    let inner = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000);
    let twice = format!(
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
        encoded(inner.as_bytes())
    );
    for body in [encoded(inner.as_bytes()), encoded(twice.as_bytes())] {
        let mail = format!("{START}Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{body}");
        assert_eq!(parse(mail.into_bytes()).text, "");
    }
    let quoted = inner.replace(':', "=3A");
    let mail = format!(
        "{START}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\nContent-Type: message/rfc822; name=\"old.eml\"\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\r\n{quoted}\r\n--b--\r\n"
    );
    let parsed = parse(mail.into_bytes());
    assert_eq!((parsed.text.as_str(), parsed.attachments.as_slice()), ("Hello", ["old.eml".to_owned()].as_slice()));
}

#[test]
fn a_digest_names_its_mails_and_opens_none() {
    let mails = "--d\r\n\r\nSubject: one\r\n\r\nText of one\r\n".repeat(50);
    let nested = "Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\n".repeat(30_000);
    let few = parse(format!("{START}Content-Type: multipart/digest; boundary=d\r\n\r\n{mails}--d--\r\n").into_bytes());
    assert_eq!(few.text, "");
    let deep = parse(format!("{START}{nested}").into_bytes());
    assert_eq!(deep.subject, "Nested");
}

#[test]
fn multiparts_are_read_to_a_depth_and_the_person_is_told_of_the_rest() {
    let nest = |levels: usize| {
        let open: String = (0..levels)
            .map(|n| format!("Content-Type: multipart/mixed; boundary=\"b{n}\"\r\n\r\n--b{n}\r\n"))
            .collect();
        format!("{START}{open}Content-Type: text/plain\r\n\r\nThe core")
    };
    let fine = parse(nest(limits::MAIL_DEPTH_MAX).into_bytes());
    assert_eq!(fine.text, "The core");
    for levels in [limits::MAIL_DEPTH_MAX + 1, 100_000] {
        let deep = parse(nest(levels).into_bytes());
        assert!(deep.text.contains("more parts than I read"), "{}", deep.text);
    }
}

#[test]
fn parts_are_read_up_to_a_number_and_the_person_is_told_of_the_rest() {
    let of = |parts: usize| {
        let parts: String = (0..parts).map(|n| format!("--b\r\n\r\nPart {n}\r\n")).collect();
        parse(format!("{START}Content-Type: multipart/mixed; boundary=b\r\n\r\n{parts}--b--\r\n").into_bytes())
    };
    let fine = of(limits::MAIL_PARTS_MAX - 1);
    assert!(fine.text.ends_with(&format!("Part {}", limits::MAIL_PARTS_MAX - 2)), "{}", fine.text);
    let many = of(100_000);
    assert!(many.text.starts_with("Part 0\n\nPart 1"));
    assert!(many.text.ends_with("A mail program shows all of it.)"), "{}", &many.text[many.text.len() - 200..]);
}

#[test]
fn floods_of_fields_cost_no_more_than_they_are_long() {
    let floods = [
        "X-Flood: x\r\n".repeat(300_000),
        "To: a@x.example\r\n".repeat(100_000),
        format!("Subject: {}\r\n", "=?utf-8?Q?".repeat(200_000)),
        format!("Subject: {}\r\n", "=?utf-8?B?AAAA".repeat(200_000)),
        format!("To: {}\r\n", "g:".repeat(500_000)),
        format!("To: {}\r\n", "(".repeat(1_000_000)),
        format!("Content-Type: text/plain{}\r\n", "; a*1*='".repeat(100_000)),
        format!("Content-Type: {}text/plain\r\n", "(".repeat(500_000)),
        format!("References: {}\r\n", "<a@b>\r\n ".repeat(200_000)),
    ];
    for flood in floods {
        let parsed = parse(format!("{flood}{START}\r\nHello").into_bytes());
        assert_eq!(parsed.text.trim_end(), "Hello", "{}", &flood[..20]);
    }
}

#[test]
fn markup_inside_markup_is_read_as_its_text() {
    for nest in ["<div>", "<b", "<!--", "<![CDATA[", "&lt;", "<a href=\"", "<table><tr><td>", "</p>"] {
        let html = nest.repeat(1_000_000 / nest.len());
        let parsed = parse(format!("{START}Content-Type: text/html\r\n\r\nHello {html}").into_bytes());
        assert!(parsed.text.starts_with("Hello") && parsed.text.len() <= html.len() + 10, "{nest}");
    }
}

#[test]
fn of_alternatives_the_plain_one_is_read_and_of_related_parts_the_first() {
    let mail = "Content-Type: multipart/mixed; boundary=m\n\n--m\n\
        Content-Type: multipart/alternative; boundary=a\n\n--a\n\
        Content-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n<p>rich</p>\n--r\nContent-Type: image/png; name=logo.png\n\nx\n--r--\n--a\n\
        Content-Type: text/plain\n\nplain\n--a--\n--m\n\
        Content-Type: text/plain\n\nsent by the list\n--m\n\
        Content-Type: text/plain; name=log.txt\n\nlines\n--m--\n";
    let parsed = parse(mail.as_bytes().to_vec());
    assert_eq!(parsed.text, "plain\n\nsent by the list");
    assert_eq!(parsed.attachments, ["logo.png", "log.txt"]);
}

/// Pieces of mails, put together in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Content-Type: message/rfc822\r\n\r\n".to_owned()),
        Just("Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\n".to_owned()),
        Just("Content-Type: multipart/alternative; boundary=\"b--\"\n\n--b--\n".to_owned()),
        Just("Content-Transfer-Encoding: base64\r\n".to_owned()),
        Just("Content-Transfer-Encoding: quoted-printable\r\n".to_owned()),
        Just("--b\r\n".to_owned()),
        Just("--b--\r\n".to_owned()),
        Just("\r\n\r\n".to_owned()),
        "[A-Za-z=?<>&;()\\\\\"@:. \\t-]{0,12}\\r?\\n",
    ];
    (proptest::collection::vec(piece, 1..12), 1..400usize).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_mail_put_together_from_pieces_makes_reading_fail(mail in pieces()) {
        let parsed = parse(mail.clone().into_bytes());
        prop_assert!(parsed.text.len() <= 4 * mail.len() + 400);
        let hidden = format!("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{}", encoded(mail.as_bytes()));
        prop_assert_eq!(parse(hidden.into_bytes()).text, "");
    }
}

#[test]
fn fuzzed_mails_are_read_as_far_as_they_go() {
    let alternative = format!(
        "{START}To: \"A, b\" <a@x.example>, g: c@x.example;\r\nDate: Thu, 1 Jan 2026 10:00:00 +0100\r\n\
         Content-Type: multipart/mixed; boundary=\"m\"\r\n\r\n--m\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n\
         --a\r\n\r\nplain\r\n--a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>rich &amp; <b>bold</b></p>\r\n--a--\r\n\
         --m\r\nContent-Type: message/rfc822\r\n\r\nSubject: Inner\r\n\r\ninner\r\n--m--\r\n"
    );
    let encoded = format!(
        "{START}Subject: =?utf-8?B?w6TDtsO8?= =?iso-8859-1?Q?=E4?=\r\nContent-Transfer-Encoding: quoted-printable\r\n\
         Content-Type: text/plain; charset=iso-2022-jp\r\nReferences: <a@b> <c@d>\r\n\r\n=E4=\r\n=FF caf=C3=A9\r\n> said\r\n-- \r\nEve\r\n"
    );
    let file = format!(
        "{START}Content-Type: application/pdf; name*0*=utf-8''a%20; name*1=\"b.pdf\"\r\n\
         Content-Disposition: attachment; filename=\"=?utf-8?Q?a=2Epdf?=\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0x\r\n"
    );
    let tokens = [
        "\r\n",
        "\n",
        "\r\n\r\n",
        "--m",
        "--m--",
        "--a\r\n",
        "boundary=",
        "Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n",
        "Content-Type: message/rfc822\r\n\r\n",
        "Content-Transfer-Encoding: base64\r\n",
        "=?utf-8?B?",
        "?=",
        "=",
        "<",
        ">",
        "<p>",
        "&#x",
        "(",
        ")",
        "\"",
        ";",
        ":",
        ",",
        " ",
        "\t",
        "From ",
        "\u{0}",
        "\u{1b}$B",
        "*0*=",
    ];
    brain_testing::fuzzing::fuzz("mime", &[&alternative, &encoded, &file], &tokens, |bytes| {
        let _ = read::parse(&Raw::Whole(bytes.to_vec()));
        let _ = read::parse(&Raw::Beginning(bytes.to_vec()));
        let _ = crate::services::email::message::mime::carried(bytes);
    });
}
