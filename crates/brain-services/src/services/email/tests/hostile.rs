//! Mails nobody should ever get.

use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::services::email::mailbox::source::maildir::Raw;

fn parse(bytes: &[u8]) -> message::read::Parsed {
    message::read::parse(&Raw::Whole(bytes.to_vec()))
}

#[tokio::test]
async fn broken_mails_are_listed_as_far_as_they_can_be_read() {
    let home = MailWorld::new();
    let huge = format!("From: a@x.example\nX-Huge: {}\nSubject: Behind\n\nBody", "x".repeat(1_000_000));
    let broken: [(&str, Vec<u8>); 12] = [
        ("empty", Vec::new()),
        ("nul", vec![0; 1000]),
        ("noise", (0..=255).cycle().take(5000).collect()),
        ("no-headers", b"just some text\nwithout headers".to_vec()),
        ("only-headers", b"From: a@x.example\r\nSubject: Only headers".to_vec()),
        ("truncated", b"From: a@x.example\nSubject: Cut\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nhel".to_vec()),
        ("charset", b"From: a@x.example\nSubject: =?klingon?Q?=FF=FE?= x\nContent-Type: text/plain; charset=klingon\n\n\xFF\xFEhello".to_vec()),
        ("encoding", b"From: a@x.example\nSubject: B64\nContent-Transfer-Encoding: base64\n\n!!!not base64!!!".to_vec()),
        ("huge", huge.into_bytes()),
        ("mbox", b"From a@x.example Mon Jan  1 00:00:00 2026\nFrom: a@x.example\nSubject: Mbox\n\n>From here".to_vec()),
        ("date", b"From: a@x.example\nSubject: Date\nDate: Thu, 99 Foo 20266 99:99:99 +9999\n\nx".to_vec()),
        ("mixed-ends", b"From: a@x.example\r\nSubject: Mixed\nTo: b@x.example\r\n\r\nfoo\r\nbar\nbaz".to_vec()),
    ];
    for (name, bytes) in &broken {
        home.lay("cur", name, bytes);
    }
    let found = home.search(json!({})).await;
    assert_eq!(found["threads"].as_array().unwrap().len(), broken.len());
    let all = subjects(&found);
    for subject in ["Only headers", "Cut", "B64", "Behind", "Mbox", "Date", "Mixed"] {
        assert!(all.contains(&subject), "{subject} in {all:?}");
    }
    let mixed = parse(&broken[11].1);
    assert_eq!(mixed.text, "foo\nbar\nbaz");
    for row in found["threads"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let read = home.run("read_thread", json!({"find_by": id}), "1").await;
        assert!(matches!(read.outcome, Outcome::Succeeded { .. }));
    }
}

#[tokio::test]
async fn links_folders_and_hidden_files_are_no_mails() {
    let home = MailWorld::new();
    let outside = home.dir.path().join("secret");
    fs::write(&outside, "From: a@x.example\nSubject: Secret\n\nx").unwrap();
    home.lay("cur", "real", b"From: a@x.example\nSubject: Real\n\nx");
    home.lay("cur", ".hidden", b"Subject: Hidden\n\nx");
    let cur = home.dir.path().join("mail/me/cur");
    fs::create_dir(cur.join("folder")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, cur.join("link")).unwrap();
        std::os::unix::fs::symlink(home.dir.path(), home.dir.path().join("mail/me/.Linked")).unwrap();
        std::os::unix::fs::symlink("/nowhere", cur.join("dangling")).unwrap();
    }
    assert_eq!(subjects(&home.search(json!({})).await), ["Real"]);
}

#[tokio::test]
async fn a_mail_that_is_too_large_is_listed_but_not_read() {
    let home = MailWorld::new();
    let mut bytes = b"From: a@x.example\r\nSubject: Enormous\r\n\r\n".to_vec();
    bytes.resize(usize::try_from(brain_core::limits::MAIL_BYTES_MAX).unwrap() + 1, b'x');
    home.lay("cur", "large", &bytes);
    let found = home.search(json!({})).await;
    assert_eq!(subjects(&found), ["Enormous"]);
    assert!(found["threads"][0]["snippet"].as_str().unwrap().contains("too large"));
}

#[test]
fn html_alone_becomes_text_and_plain_text_is_preferred() {
    let html = b"From: a@x.example\nContent-Type: text/html; charset=utf-8\n\n<html><head><style>p{}</style></head><body><p>Hello &amp; <b>welcome</b></p><script>evil()</script></body></html>";
    let text = parse(html).text;
    assert!(text.contains("Hello & welcome"), "{text}");
    assert!(!text.contains("evil") && !text.contains("p{}"), "{text}");
    let both = b"From: a@x.example\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>html</p>\n--b--\n";
    assert_eq!(parse(both).text.trim(), "plain");
}

#[test]
fn attachments_are_named_only() {
    let mail = b"From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee file\n--b\nContent-Type: application/pdf; name=\"report.pdf\"\nContent-Disposition: attachment; filename=\"report.pdf\"\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n";
    let parsed = parse(mail);
    assert_eq!(parsed.attachments, ["report.pdf"]);
    assert!(!parsed.text.contains("AAAA"));
}

#[test]
fn encoded_headers_and_old_charsets_are_decoded() {
    let mail = b"From: =?iso-8859-1?Q?J=F6rg?= <j@x.example>\nSubject: =?UTF-8?B?0J/RgNC40LLQtdGC?=\nContent-Type: text/plain; charset=shift_jis\n\n\x83\x65\x83\x58\x83\x67";
    let parsed = parse(mail);
    assert_eq!(parsed.from.name, "Jörg");
    assert_eq!(parsed.subject, "Привет");
    assert_eq!(parsed.text, "テスト");
}

#[test]
fn no_two_owners_share_a_folder() {
    let names = ["a", "A", "tg:1", "tg_1", "..", ".", "", "a/b", "a\\b", "%41", "ä", "a b"];
    let folders: Vec<String> =
        names.iter().map(|name| brain_core::core::ids::UserId::new(*name).folder_name()).collect();
    for (index, folder) in folders.iter().enumerate() {
        assert!(!folder.is_empty() && !folder.contains(['/', '\\', '.']), "{folder}");
        assert!(folder.chars().all(|c| !c.is_ascii_uppercase()));
        assert!(!folders[..index].contains(folder), "{folder}");
    }
    assert!(brain_core::core::ids::UserId::new("x".repeat(5000)).folder_name().len() < 200);
}

proptest! {
    #[test]
    fn no_bytes_make_reading_fail(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut mail = b"From: a@x.example\r\nContent-Type: text/html\r\nSubject: ".to_vec();
        mail.extend_from_slice(&bytes);
        let _ = parse(&mail);
        let _ = parse(&bytes);
    }

    #[test]
    fn no_markup_makes_reading_fail(html in "(<[a-z!/ ]{0,6}>?|&#?[0-9a-zäß]{0,9};?|[ -~äß日]{0,5}){0,40}") {
        let _ = parse(format!("Content-Type: text/html; charset=utf-8\n\n{html}").as_bytes());
    }
}
