//! Reads `planted.txt`, the conversations in which there is something to find, and others written like it.

use chrono::NaiveTime;

use super::{Bulk, Mail, Thread, moment};

/// A conversation and what is true of it.
#[derive(Clone, Debug)]
pub struct Planted {
    pub thread: Thread,
    pub tags: Vec<String>,
    /// The day by which somebody was to do something, counted from the Monday.
    pub due: Option<i64>,
}

impl Planted {
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|has| has == tag)
    }
}

pub fn read(text: &str) -> Vec<Planted> {
    parts(text).into_iter().map(thread).collect()
}

/// The conversations of a file, what stands before the first left out.
pub fn parts(text: &str) -> Vec<&str> {
    text.split("\n## ").skip(1).collect()
}

pub fn thread(text: &str) -> Planted {
    let (slug, rest) = text.split_once('\n').unwrap();
    let (tags, rest) =
        rest.strip_prefix("Tags: ").unwrap_or_else(|| panic!("{slug} has no tags")).split_once('\n').unwrap();
    let tags: Vec<String> = tags.split_whitespace().map(str::to_owned).collect();
    let due = tags.iter().find_map(|tag| tag.strip_prefix("due:")).map(|day| day.parse().unwrap());
    let mails = rest.split("\n=====\n").map(mail).collect();
    Planted { thread: Thread { slug: slug.to_owned(), mails }, tags, due }
}

fn mail(text: &str) -> Mail {
    let (head, body) = text.trim().split_once("\n\n").unwrap();
    let header = |name: &str| {
        let mut values = head.lines().filter_map(|line| line.split_once(": ")).filter(|(key, _)| *key == name);
        values.next().map(|(_, value)| value.to_owned())
    };
    let people = |name: &str| -> Vec<String> {
        header(name).map(|list| list.split(", ").map(str::to_owned).collect()).unwrap_or_default()
    };
    let when = header("When").unwrap();
    let (day, clock) = when.split_once("d ").unwrap();
    let clock = NaiveTime::parse_from_str(clock, "%H:%M").unwrap();
    Mail {
        from: header("From").unwrap(),
        to: people("To"),
        cc: people("Cc"),
        reply_to: header("Reply-To"),
        subject: header("Subject").unwrap(),
        at: moment(day.parse().unwrap(), clock),
        text: body.to_owned(),
        attached: header("Attach"),
        bulk: if header("Auto").is_some() { Bulk::Automatic } else { Bulk::No },
        is_unread: header("Unread").is_some(),
        is_archived: header("Folder").is_some(),
    }
}
