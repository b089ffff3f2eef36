//! Mails as they come over the wire (RFC 5322, 2045, 2047), in the varieties that mail programs write.

use std::fmt::Write as _;

use super::{Bulk, Mailbox, Thread, address, name};

/// An empty document.
const PDF: &str = "JVBERi0xLjQKJSBub3RoaW5nCg==";
/// Octets of a header that one encoded word holds.
const WORD_BYTES: usize = 18;
const LINE_BYTES: usize = 72;

/// Of the mail at this place in its conversation.
pub fn message_id(mailbox: &Mailbox, slug: &str, at: usize) -> String {
    format!("{slug}.{at}@{}", mailbox.host)
}

/// One mail of a conversation.
pub fn bytes(mailbox: &Mailbox, thread: &Thread, at: usize) -> Vec<u8> {
    let mail = &thread.mails[at];
    let mut head = String::new();
    let mut header = |key: &str, value: &str| write!(head, "{key}: {value}\r\n").unwrap();
    header("From", &people(std::slice::from_ref(&mail.from)));
    header("To", &people(&mail.to));
    if !mail.cc.is_empty() {
        header("Cc", &people(&mail.cc));
    }
    if let Some(to) = &mail.reply_to {
        header("Reply-To", to);
    }
    header("Subject", &words(&mail.subject));
    header("Date", &mail.at.to_rfc2822());
    header("Message-ID", &format!("<{}>", message_id(mailbox, &thread.slug, at)));
    if at > 0 {
        let earlier: Vec<String> = (0..at).map(|at| format!("<{}>", message_id(mailbox, &thread.slug, at))).collect();
        header("In-Reply-To", &earlier[at - 1]);
        header("References", &earlier.join("\r\n "));
    }
    let domain = address(&mail.from).split('@').nth(1).unwrap_or_default().to_owned();
    match mail.bulk {
        Bulk::No => {}
        Bulk::Newsletter => {
            header("List-Id", &format!("<letter.{domain}>"));
            header("List-Unsubscribe", &format!("<https://{domain}/leave>"));
            header("Precedence", "bulk");
        }
        Bulk::List => {
            let list = &mailbox.list;
            header("List-Id", &format!("{} <{}.{}>", list.title, list.name, list.host));
            header("List-Post", &format!("<mailto:{}@{}>", list.name, list.host));
            header("Precedence", "list");
        }
        Bulk::Automatic => header("Auto-Submitted", "auto-generated"),
    }
    header("MIME-Version", "1.0");
    // Both ways to write letters beyond ASCII, and always the same one for the same mail.
    let is_quoted = (thread.slug.len() + at).is_multiple_of(2);
    let text = match is_quoted {
        true => quoted(&mail.text),
        false => mail.text.replace('\n', "\r\n"),
    };
    let encoding = if is_quoted { "quoted-printable" } else { "8bit" };
    let part =
        format!("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{text}\r\n");
    let Some(file) = &mail.attached else { return format!("{head}{part}").into_bytes() };
    let pdf = format!(
        "Content-Type: application/pdf; name=\"{file}\"\r\nContent-Disposition: attachment; filename=\"{file}\"\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{PDF}\r\n"
    );
    let mixed = "Content-Type: multipart/mixed; boundary=\"=_two\"";
    format!("{head}{mixed}\r\n\r\n--=_two\r\n{part}\r\n--=_two\r\n{pdf}\r\n--=_two--\r\n").into_bytes()
}

fn people(people: &[String]) -> String {
    let one = |person: &String| match name(person) {
        _ if !person.contains('<') => person.clone(),
        "" => address(person),
        name if name.contains(',') => format!("\"{name}\" <{}>", address(person)),
        name => format!("{} <{}>", words(name), address(person)),
    };
    people.iter().map(one).collect::<Vec<_>>().join(",\r\n ")
}

/// Text of a header; encoded words where it is more than ASCII.
fn words(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if pieces.last().is_some_and(|piece| piece.len() + letter.len_utf8() > WORD_BYTES) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(letter);
    }
    let octet = |octet: u8| match octet {
        b' ' => "_".to_owned(),
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(octet).to_string(),
        _ => format!("={octet:02X}"),
    };
    let encoded = |piece: &String| format!("=?UTF-8?Q?{}?=", piece.bytes().map(octet).collect::<String>());
    pieces.iter().map(encoded).collect::<Vec<_>>().join("\r\n ")
}

/// Quoted-printable.
fn quoted(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut out = String::new();
        for (at, byte) in line.bytes().enumerate() {
            let is_last_space = byte == b' ' && at + 1 == line.len();
            let piece = match byte {
                b'=' | 127.. => format!("={byte:02X}"),
                _ if is_last_space => "=20".to_owned(),
                _ => char::from(byte).to_string(),
            };
            if out.len() + piece.len() > LINE_BYTES {
                lines.push(format!("{out}="));
                out.clear();
            }
            out.push_str(&piece);
        }
        lines.push(out);
    }
    lines.join("\r\n")
}
