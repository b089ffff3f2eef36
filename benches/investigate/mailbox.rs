//! A mailbox of two hundred conversations with people and machines, twenty of which wait for the owner.
//!
//! The twenty were written for this, one by one. Of the others, the longer ones were too; the shorter ones, the people
//! and the newsletters are those of another made-up mailbox. The same every time.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::LazyLock;

use chrono::{DateTime, Days, NaiveTime, Utc};
use serde_json::Value;

/// A Monday.
pub const NOW: &str = "2026-01-12T09:00:00Z";
/// Conversations, those that wait among them.
pub const THREADS: usize = 200;
/// Those that wait for the owner.
pub const WAITING: usize = 20;
/// Letters to many, and receipts.
const BULK: usize = 40;
/// Longer settled ones; the rest of the two hundred are short.
const LONG: usize = 50;
/// How far back it goes.
const DAYS: u64 = 95;
const OWN: [&str; 3] = ["nuala@brandtphysio.example", "nuala.brandt@example.net", "chair@airevalleypaddlers.example"];

const WAITING_TEXT: &str = include_str!("mailbox/waiting.txt");
const LONG_TEXT: &str = include_str!("mailbox/settled.txt");
const SHORT_TEXT: &str = include_str!("mailbox/short.txt");
const WORDS: &str = include_str!("mailbox/words.json");

/// The subjects of those that wait.
static WAITING_SUBJECTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let subject = |text: &str| header(text, "Subject").unwrap_or_default().trim_start_matches("Re: ").to_owned();
    parts(WAITING_TEXT).map(subject).collect()
});

struct Letter {
    from: String,
    to: String,
    cc: Option<String>,
    subject: String,
    at: DateTime<Utc>,
    text: String,
    is_bulk: bool,
}

pub fn now() -> DateTime<Utc> {
    NOW.parse().expect("a moment")
}

/// Whether a conversation of this subject waits for the owner.
pub fn waits(subject: &str) -> bool {
    WAITING_SUBJECTS.iter().any(|known| known == subject.trim_start_matches("Re: "))
}

/// Writes it into a Maildir, and gives the number of letters and their characters.
pub fn fill(root: &Path) -> (usize, usize) {
    for folder in ["cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    let words: Value = serde_json::from_str(WORDS).expect("words");
    let waiting = parts(WAITING_TEXT).map(|text| letters(text, 0));
    let settled =
        settled(&words, LONG_TEXT, LONG, 1).chain(settled(&words, SHORT_TEXT, THREADS - WAITING - BULK - LONG, 2));
    let bulk = (0..BULK).map(|number| vec![bulk(&words, number)]);
    let all: Vec<Vec<Letter>> = waiting.chain(settled).chain(bulk).collect();
    assert_eq!((all.len(), WAITING_SUBJECTS.len()), (THREADS, WAITING));
    let mut counted = (0, 0);
    for (number, thread) in all.iter().enumerate() {
        for at in 0..thread.len() {
            let is_own = OWN.iter().any(|own| thread[at].from.contains(own));
            let name = format!("{}.M{number}P{at}.bench:2,S", thread[at].at.timestamp());
            let mail = mail(number, thread, at);
            counted = (counted.0 + 1, counted.1 + mail.chars().count());
            fs::write(root.join(if is_own { ".Sent/cur" } else { "cur" }).join(name), mail).expect("a mail");
        }
    }
    counted
}

/// The conversations of a file.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n## ").skip(1)
}

fn header(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
}

/// The letters of a conversation that begins so many days before the days it names.
fn letters(text: &str, earlier: u64) -> Vec<Letter> {
    let letter = |text: &str| {
        let (head, body) = text.trim().split_once("\n\n").expect("a head and a letter");
        let when = header(head, "When").expect("a day");
        let (day, clock) = when.split_once("d ").expect("a day and an hour");
        let day: i64 = day.parse().expect("a number of days");
        let back = Days::new((earlier as i64 - day).unsigned_abs());
        let clock = NaiveTime::parse_from_str(clock, "%H:%M").expect("an hour");
        Letter {
            from: header(head, "From").expect("a writer"),
            to: header(head, "To").expect("a reader"),
            cc: header(head, "Cc"),
            subject: header(head, "Subject").expect("a subject"),
            at: now().date_naive().checked_sub_days(back).expect("a day").and_time(clock).and_utc(),
            text: body.to_owned(),
            is_bulk: false,
        }
    };
    text.split("\n=====\n").map(letter).collect()
}

/// So many conversations from those of a file, told over and over by other people of other things.
fn settled<'a>(
    words: &'a Value,
    text: &'static str,
    count: usize,
    seed: usize,
) -> impl Iterator<Item = Vec<Letter>> + 'a {
    let told: Vec<&'static str> = parts(text).collect();
    (0..count).map(move |number| {
        let full = filled(words, told[number % told.len()], (seed, number));
        let span = letters(&full, 0).last().map_or(0, |last| (last.at - now()).num_days().unsigned_abs());
        letters(&full, span + 1 + below((seed, number, "day"), (DAYS - span) as usize) as u64)
    })
}

/// A conversation with its gaps filled, the same gap by the same words.
fn filled(words: &Value, text: &str, number: (usize, usize)) -> String {
    let tags = header(text, "Tags").expect("tags");
    let circle: Vec<&str> = strings(&words["circles"][&tags]);
    let at = below((number, "who"), circle.len());
    let (who, other) = (circle[at], circle[(at + 1) % circle.len()]);
    let first = |person: &str| person.split(' ').next().unwrap_or_default().to_owned();
    let mut gaps = BTreeMap::from([
        ("who", who.to_owned()),
        ("first", first(who)),
        ("other", other.to_owned()),
        ("ofirst", first(other)),
        ("me", format!("Nuala Brandt <{}>", OWN[below((number, "me"), 2)])),
    ]);
    let mut pieces = text.split(['{', '}']);
    let mut full = pieces.next().unwrap_or_default().to_owned();
    while let (Some(gap), Some(after)) = (pieces.next(), pieces.next()) {
        let ways: Vec<&str> = gap.split('|').collect();
        full.push_str(gaps.entry(gap).or_insert_with(|| ways[below((number, gap), ways.len())].to_owned()));
        full.push_str(after);
    }
    full
}

/// What goes to many.
fn bulk(words: &Value, number: usize) -> Letter {
    let pick = |list: &str, part: usize| {
        let all = strings(&words[list]);
        all[below((number, list, part), all.len())].to_owned()
    };
    let is_receipt = number.is_multiple_of(4);
    let kind = if is_receipt { "receipt" } else { "newsletter" };
    let lines: Vec<String> = (0..6).map(|part| pick(&format!("{kind}_lines"), part)).collect();
    let subject = if is_receipt { format!("Your receipt {}", 40_000 + number) } else { pick("newsletter_subjects", 0) };
    let day = Days::new(1 + below((number, "day"), DAYS as usize) as u64);
    let clock = NaiveTime::from_hms_opt(6, below((number, "minute"), 60) as u32, 0).expect("an hour");
    Letter {
        from: pick(&format!("{kind}_senders"), 0),
        to: format!("Nuala Brandt <{}>", OWN[number % 2]),
        cc: None,
        subject,
        at: now().date_naive().checked_sub_days(day).expect("a day").and_time(clock).and_utc(),
        text: lines.join("\n\n"),
        is_bulk: true,
    }
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// A number below `sides`, always the same for the same.
fn below(of: impl Hash, sides: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    (hasher.finish() % sides as u64) as usize
}

/// A mail as it comes over the wire, with the one before quoted below, as most programs do.
fn mail(number: usize, thread: &[Letter], at: usize) -> String {
    let letter = &thread[at];
    let id = |at: usize| format!("<thread{number}.{at}@post.brandtphysio.example>");
    let mut head = format!("From: {}\r\nTo: {}\r\n", letter.from, letter.to);
    if let Some(cc) = &letter.cc {
        head.push_str(&format!("Cc: {cc}\r\n"));
    }
    head.push_str(&format!("Subject: {}\r\nDate: {}\r\n", letter.subject, letter.at.to_rfc2822()));
    head.push_str(&format!("Message-ID: {}\r\n", id(at)));
    if let Some(before) = at.checked_sub(1) {
        head.push_str(&format!("In-Reply-To: {}\r\nReferences: {}\r\n", id(before), id(before)));
    }
    if letter.is_bulk {
        head.push_str("List-Unsubscribe: <https://letters.example/leave>\r\nPrecedence: bulk\r\n");
    }
    let quoted = at.checked_sub(1).filter(|_| !letter.text.contains("\n>")).map(|before| {
        let before = &thread[before];
        let lines: Vec<String> = before.text.lines().map(|line| format!("> {line}")).collect();
        let who = before.from.split(" <").next().unwrap_or_default();
        format!("\n\nOn {}, {who} wrote:\n{}", before.at.format("%a, %-d %b %Y at %H:%M"), lines.join("\n"))
    });
    let text = format!("{}{}", letter.text, quoted.unwrap_or_default()).replace('\n', "\r\n");
    let kind = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit";
    format!("{head}{kind}\r\n\r\n{text}\r\n")
}
