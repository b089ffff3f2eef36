//! A mailbox at a real server, always the same one of its size: letters, newsletters, attachments.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;

use crate::bare::BareClient;
use crate::support::dovecot::{Delivered, Dovecot};
use crate::support::program::Program;

pub const USER: &str = "mara@example.com";
pub const PASSWORD: &str = "secret";
pub const FOLDERS: [&str; 3] = ["INBOX", "Sent", "Archive"];
/// In the oldest mail, which is read last, and nowhere else.
pub const OLDEST: &str = "zanzibar";
/// So far back its mails go: less than is kept.
const DAYS: u64 = 700;
/// Where the words of all mails are from: a text that stays as it is.
const TEXT: &str = include_str!("../../LICENSE-APACHE");
const SUBJECTS: [&str; 8] = ["garden", "invoice", "lunch", "contract", "school", "flight", "report", "kitchen"];

/// The server with the mailbox in it.
pub struct Served {
    pub server: Dovecot,
    pub count: usize,
    pub bytes: usize,
}

impl Served {
    /// So many mails, the oldest first; read once by a client, and on the disk.
    pub fn filled(count: usize) -> Self {
        let server = Dovecot::setup().user(USER, PASSWORD).start();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock that is set").as_secs();
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let noise: String = (0..1 << 20).map(|_| char::from(BASE64[random.below(64)])).collect();
        let words: Vec<&str> = TEXT.split_whitespace().filter(|word| word.is_ascii()).collect();
        for n in 0..count {
            let at = now - DAYS * 86_400 * (count - n) as u64 / count as u64;
            let folder = FOLDERS[[0, 0, 0, 0, 0, 0, 0, 1, 1, 2][n % 10]];
            let flags: &[&str] = if n % 10 == 4 { &[] } else { &["\\Seen"] };
            let mail = mail(n, at, &words, &noise, &mut random);
            server.deliver_as(USER, folder, mail, Delivered { flags, arrived: Some(at) });
        }
        let mut client = BareClient::of(&server);
        let (read, bytes) = client.read_all(|_| {});
        assert_eq!(read, count);
        rustix::fs::sync();
        Self { server, count, bytes }
    }

    /// The program with this account, which is `person`'s; the terminal's person's without one.
    pub fn program(&self, data: &Path, person: Option<&str>) -> Program {
        let port = self.server.port();
        let whose = person.map(|person| format!("person = \"{person}\"\n")).unwrap_or_default();
        let account = format!(
            "[[account]]\nname = \"work\"\naddresses = [\"{USER}\"]\nimap = \"imap://127.0.0.1:{port}?tls=none\"\n\
             password_file = \"password\"\n{whose}"
        );
        for (name, text) in [("accounts.toml", account.as_str()), ("password", PASSWORD)] {
            let file = data.join(name);
            std::fs::write(&file, text).expect("a file");
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("one's own");
        }
        Program::with_data_dir(data).env("BRAIN_TIMEZONE", "UTC")
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Marsaglia's xorshift: the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Of a hundred: 60 letters of some 2 kB, 34 newsletters of some 30 kB, five files of 150 kB and one of 700 kB, which is
/// less than the program fetches of a mail.
fn mail(n: usize, at: u64, words: &[&str], noise: &str, random: &mut Random) -> String {
    let subject = SUBJECTS[random.below(SUBJECTS.len())];
    let what = if n == 0 { OLDEST.to_owned() } else { format!("{subject} {n}") };
    let date = DateTime::from_timestamp(at as i64, 0).expect("a time").to_rfc2822();
    let (other, number) = (random.below(400), random.below(1 << 30));
    let other = format!("Person {other} <person{other}@people.example>");
    let (from, to) = if n % 10 == 7 || n % 10 == 8 { (USER, other.as_str()) } else { (other.as_str(), USER) };
    let mut mail = format!(
        "From: {from}\r\nTo: {to}\r\nSubject: About the {what}\r\nDate: {date}\r\nMessage-ID: <{n}.{number}@bench.example>\r\n\
         MIME-Version: 1.0\r\n"
    );
    let mut text = |length: usize, line: &str| {
        let mut text = String::new();
        while text.len() < length {
            let from = random.below(words.len() - 12);
            let _ = write!(text, "{}{line}\r\n", words[from..from + 12].join(" "));
        }
        text
    };
    match n % 100 {
        0..60 => {
            let _ =
                write!(mail, "Content-Type: text/plain; charset=utf-8\r\n\r\nOrder {number}\r\n{}", text(2_000, ""));
        }
        60..94 => {
            let (plain, html) = (text(5_000, ""), text(25_000, "<br style=\"margin:0;padding:0\">"));
            let _ = write!(
                mail,
                "List-Unsubscribe: <https://bench.example/leave>\r\nContent-Type: multipart/alternative; boundary=b1\r\n\r\n\
                 --b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{plain}\r\n\
                 --b1\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>{html}</body></html>\r\n--b1--\r\n"
            );
        }
        rest => {
            let length = if rest == 99 { 700_000 } else { 150_000 };
            let from = (n * 7_919) % (noise.len() - length);
            let lines = noise.as_bytes()[from..from + length].chunks(76);
            let lines: String = lines.map(|line| format!("{}\r\n", String::from_utf8_lossy(line))).collect();
            let _ = write!(
                mail,
                "Content-Type: multipart/mixed; boundary=b1\r\n\r\n--b1\r\nContent-Type: text/plain\r\n\r\n{}\r\n\
                 --b1\r\nContent-Type: application/pdf; name=\"file{n}.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\
                 Content-Disposition: attachment; filename=\"file{n}.pdf\"\r\n\r\n{lines}\r\n--b1--\r\n",
                text(1_000, "")
            );
        }
    }
    mail
}
