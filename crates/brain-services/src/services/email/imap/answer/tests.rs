//! What servers say, and what nobody should.

use super::*;
use crate::services::email::imap::framing::{AnswerBounds, Framing};
use brain_testing::fuzzing::fuzz;

fn parsed(line: &str) -> Result<ImapAnswer, Nonsense> {
    ImapAnswer::parse(format!("{line}\r\n").as_bytes(), ImapReading::All)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn what_servers_say_of_mails_is_read_and_what_else_they_tell_passed_over() {
    let row = FetchRow {
        uid: 7,
        flags: words(&["\\Seen", "$Label1", "OIB-Seen-[Gmail]/All"]),
        internal_date: " 1-Jan-2026 00:30:00 +0100".to_owned(),
        body: Some(b"A: (\"{5}\r\n".to_vec()),
    };
    let said = "* 12 FETCH (UID 7 FLAGS (\\Seen $Label1 OIB-Seen-[Gmail]/All ) MODSEQ (12) RFC822.SIZE 9 \
                SAVEDATE \"x (\" X-GM-LABELS (\"a b\" (c)) INTERNALDATE \" 1-Jan-2026 00:30:00 +0100\" \
                BODY[]<0> {10}\r\nA: (\"{5}\r\n)";
    assert_eq!(parsed(said), Ok(ImapAnswer::Fetch(row)));
    let nothing = FetchRow { uid: 7, ..FetchRow::default() };
    assert_eq!(parsed("* 1 FETCH (INTERNALDATE NIL BODY[] NIL UID 7)"), Ok(ImapAnswer::Fetch(nothing)));
}

#[test]
fn folders_numbers_and_states_are_read_as_servers_write_them() {
    let row = |attributes: &[&str], delimiter, name: &str| {
        Ok(ImapAnswer::List(ListRow { attributes: words(attributes), delimiter, name: name.to_owned() }))
    };
    assert_eq!(
        parsed("* LIST (\\HasNoChildren \\Sent) \"/\" Sent"),
        row(&["\\hasnochildren", "\\sent"], Some('/'), "Sent")
    );
    assert_eq!(parsed("* list () NIL \"a \\\"b\\\\\""), row(&[], None, "a \"b\\"));
    assert_eq!(parsed("* LIST () \".\" {5}\r\nx (\"y (\"CHILDINFO\" (\"SUBSCRIBED\"))"), row(&[], Some('.'), "x (\"y"));
    assert_eq!(parsed("* SEARCH 4 2 (MODSEQ 9) "), Ok(ImapAnswer::Search(vec![4, 2])));
    assert_eq!(parsed("* SEARCH"), Ok(ImapAnswer::Search(Vec::new())));
    let numbers = vec![("MESSAGES".to_owned(), 3), ("HIGHESTMODSEQ".to_owned(), 5_000_000_000)];
    assert_eq!(
        parsed("* STATUS \"a b\" (MESSAGES 3 HIGHESTMODSEQ 5000000000)  "),
        Ok(ImapAnswer::FolderStatus(numbers))
    );
    assert_eq!(parsed("* STATUS INBOX ()"), Ok(ImapAnswer::FolderStatus(Vec::new())));
    let offered = words(&["IMAP4REV1", "AUTH=PLAIN", "MOVE"]);
    assert_eq!(parsed("* CAPABILITY IMAP4rev1 AUTH=PLAIN Move"), Ok(ImapAnswer::Capabilities(offered)));
    assert_eq!(parsed("* 3 EXISTS"), Ok(ImapAnswer::Exists(3)));
    for other in ["* 3 RECENT", "* 3 EXPUNGE", "* FLAGS (\\Seen \\*)", "* VANISHED (EARLIER) 1:3,5"] {
        assert_eq!(parsed(other), Ok(ImapAnswer::Other), "{other}");
    }
}

#[test]
fn a_status_has_its_number_and_its_words() {
    let said = |status, code, words: &str| StatusReply { status, code, words: words.to_owned() };
    let is =
        |line: &str, said: StatusReply| assert_eq!(parsed(&format!("* {line}")), Ok(ImapAnswer::Said(said)), "{line}");
    is("OK [UIDVALIDITY 9] UIDs (\" valid", said(ImapStatus::Ok, Some(FolderCode::UidValidity(9)), "UIDs (\" valid"));
    is("ok [HIGHESTMODSEQ 5]", said(ImapStatus::Ok, Some(FolderCode::HighestModSeq(5)), ""));
    is("NO [ALERT]é", said(ImapStatus::No, None, "é"));
    is("BYE", said(ImapStatus::Bye, None, ""));
    is("PREAUTH [x", said(ImapStatus::Preauth, None, "[x"));
    let done = ImapAnswer::Done("B7".to_owned(), said(ImapStatus::Bad, None, "what?"));
    assert_eq!(parsed("B7 BAD what?"), Ok(done));
    assert_eq!(parsed("+"), Ok(ImapAnswer::Continue));
}

#[test]
fn what_nothing_asks_for_is_refused() {
    for said in [
        "* 1 FETCH (BODYSTRUCTURE ((((",
        "* 1 FETCH (UID 7 BODY (\"TEXT\" \"PLAIN\"))",
        "* 1 FETCH (ENVELOPE (NIL NIL))",
        "* 1 FETCH (BODY[HEADER] \"x\")",
        "* 1 FETCH (RFC822 \"x\")",
        "* METADATA \"\" (/private/comment \"x\")",
        "* QUOTA \"\" (STORAGE 10 512)",
        "* 4294967296 EXISTS",
    ] {
        assert_eq!(parsed(said), Err(Nonsense::NotAsked), "{said}");
    }
    for said in ["* CAPABILITY IMAP4rev1", "* 1 FETCH (UID 1)", "* LIST () NIL x", "* SEARCH 1"] {
        let read = ImapAnswer::parse(format!("{said}\r\n").as_bytes(), ImapReading::StatusAlone);
        assert_eq!(read, Err(Nonsense::NotAsked), "{said}");
    }
    for said in
        ["", "*", "B1", "B1 PREAUTH", "* 1 FETCH", "* 1 FETCH (UID", "* 1 FETCH (UID x)", "* LIST (", "* SEARCH )"]
    {
        assert!(parsed(said).is_err(), "{said}");
    }
}

/// Whatever a server sends, in both ways of reading.
fn read(bytes: &[u8]) {
    let mails = AnswerBounds::of_mails(1, 300 * 1024);
    for bounds in [AnswerBounds::IN_THE_CLEAR, AnswerBounds::NUMBERS, mails] {
        let mut framing = Framing::new();
        framing.allow(bounds);
        for piece in bytes.chunks(97) {
            framing.push(piece);
            while let Ok(Some(answer)) = framing.next() {
                let _ = ImapAnswer::parse(&answer, bounds.reading);
            }
        }
    }
}

#[test]
fn a_hundred_thousand_brackets_in_an_imap_answer_are_refused() {
    let deep = |open: &str| open.repeat(100_000);
    let said = [
        format!("* 1 FETCH (X {}", deep("(")),
        format!("* 1 FETCH (X {}{})", deep("("), deep(")")),
        format!("* FLAGS {}", deep("(x ")),
        format!("* LIST (\\x) \"/\" a {}", deep("(\"b\" ")),
        format!("* STATUS x (a {}", deep("(")),
        format!("* SEARCH {}", deep("(")),
    ];
    let small = std::thread::Builder::new().stack_size(128 * 1024);
    let read_all = move || said.map(|said| (parsed(&said), read(said.as_bytes())).0);
    for answer in small.spawn(read_all).unwrap().join().unwrap() {
        assert!(matches!(answer, Err(Nonsense::TooDeep | Nonsense::Garbled)), "{answer:?}");
    }
}

#[test]
fn fuzzed_answers_of_mail_servers_are_read_or_refused() {
    let seeds = [
        "* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n",
        "* 12 FETCH (UID 7 FLAGS (\\Seen) MODSEQ (12) INTERNALDATE \" 1-Jan-2026 00:30:00 +0100\" BODY[]<0> {6}\r\nA: b\r\n)\r\n",
        "* LIST (\\HasNoChildren \\Sent) \"/\" \"Se\\\"nt\"\r\n* LIST () NIL {3}\r\na b\r\nB1 OK done\r\n",
        "* SEARCH 1 2 3 (MODSEQ 9)\r\n* STATUS x (UIDNEXT 4 MESSAGES 3)\r\n",
        "* 1 FETCH (BODYSTRUCTURE (\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1))\r\n",
        "+ idling\r\n* 3 EXISTS\r\n* VANISHED 1:3\r\nB2 NO [ALERT] no\r\n",
    ];
    let tokens =
        ["(", ")", "\"", "\\", "{3}\r\n", "{3", "}", "\r\n", "\n", " ", "[", "]", "* ", "+", "NIL", "99999999999"];
    fuzz("imap", &seeds, &tokens, read);
}
