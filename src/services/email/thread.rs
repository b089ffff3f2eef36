//! Which mails are one conversation.
//!
//! Mails belong together when one names the other's Message-ID (In-Reply-To, References). A reply that names
//! nobody joins the latest earlier conversation of the same subject with somebody in common. Two mails that
//! merely share a subject stay apart.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::mailbox::Mail;
use super::source::maildir::Folder;
use crate::core::digest::hex;
use crate::language::words::fold;

/// A conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Stays the same while the mail it began with stays.
    pub id: String,
    /// Of the mail it began with.
    pub subject: String,
    /// When the last mail came.
    pub date: DateTime<Utc>,
    /// Indexes into the index's mails, oldest first.
    pub mails: Vec<usize>,
}

/// The id of a conversation that began with this mail.
pub fn thread_id(message_id: &str) -> String {
    let digest = hex(&Sha256::digest(message_id.as_bytes()));
    format!("t{}", digest.get(..15).unwrap_or(&digest))
}

/// All conversations, newest first. Drafts are left out.
pub fn group(mails: &[Mail]) -> Vec<Thread> {
    let mut order: Vec<usize> = (0..mails.len()).filter(|&at| mails[at].file.folder != Folder::Drafts).collect();
    order.sort_by(|&a, &b| {
        let key = |at: usize| (mails[at].head.date, &mails[at].file.base);
        key(a).cmp(&key(b))
    });
    let mut sets = Sets::new(mails.len());
    join_by_ids(mails, &order, &mut sets);
    join_by_subject(mails, &order, &mut sets);
    let mut threads: HashMap<usize, Vec<usize>> = HashMap::new();
    for &at in &order {
        threads.entry(sets.root(at)).or_default().push(at);
    }
    let mut threads: Vec<Thread> = threads.into_values().filter_map(|members| thread(mails, members)).collect();
    threads.sort_by(|a, b| (b.date, &b.id).cmp(&(a.date, &a.id)));
    threads
}

fn thread(mails: &[Mail], members: Vec<usize>) -> Option<Thread> {
    let mut kept: Vec<usize> = Vec::with_capacity(members.len());
    for at in members {
        // A mail to oneself, or one copied into another folder, lies there twice.
        let twin = |&other: &usize| {
            let (a, b) = (&mails[at].head, &mails[other].head);
            a.parsed.message_id.is_some() && a == b
        };
        if !kept.iter().any(twin) {
            kept.push(at);
        }
    }
    let first = &mails[*kept.first()?];
    let last = &mails[*kept.last()?];
    let root = first.head.parsed.references.first();
    let root = root.or(first.head.parsed.message_id.as_ref());
    Some(Thread {
        id: thread_id(root.unwrap_or(&first.file.base)),
        subject: first.head.parsed.subject.clone(),
        date: last.head.date,
        mails: kept,
    })
}

fn join_by_ids(mails: &[Mail], order: &[usize], sets: &mut Sets) {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for &at in order {
        let parsed = &mails[at].head.parsed;
        for id in parsed.message_id.iter().chain(&parsed.references) {
            match by_id.get(id.as_str()) {
                Some(&other) => sets.join(other, at),
                None => {
                    by_id.insert(id, at);
                }
            }
        }
    }
}

fn join_by_subject(mails: &[Mail], order: &[usize], sets: &mut Sets) {
    let mut last: HashMap<String, Vec<usize>> = HashMap::new();
    for &at in order {
        let parsed = &mails[at].head.parsed;
        let (subject, is_reply) = bare_subject(&parsed.subject);
        if subject.is_empty() {
            continue;
        }
        let earlier = last.entry(subject).or_default();
        if is_reply && parsed.references.is_empty() {
            let people = correspondents(&mails[at]);
            let partner = earlier.iter().rev().find(|&&other| {
                let parsed = &mails[other].head.parsed;
                std::iter::once(&parsed.from)
                    .chain(&parsed.to)
                    .chain(&parsed.cc)
                    .any(|person| people.iter().any(|address| person.is(address)))
            });
            if let Some(&partner) = partner {
                sets.join(partner, at);
            }
        }
        earlier.push(at);
    }
}

/// Whom the owner is talking with in this mail: its sender, or those an own mail goes to.
fn correspondents(mail: &Mail) -> Vec<&str> {
    let parsed = &mail.head.parsed;
    if mail.is_own() {
        let to = parsed.to.iter().chain(&parsed.cc);
        return to.map(|person| person.address.as_str()).collect();
    }
    vec![&parsed.from.address]
}

/// What replies put before a subject.
const REPLY_MARKS: [&str; 12] = ["re", "aw", "antw", "sv", "vs", "odp", "rif", "ref", "res", "fwd", "fw", "wg"];

/// The folded subject without reply marks, and whether there were any.
fn bare_subject(subject: &str) -> (String, bool) {
    let folded = fold(subject);
    let mut rest = folded.trim();
    let mut is_reply = false;
    while let Some((mark, behind)) = rest.split_once(':') {
        let mark = mark.trim_end_matches(|c: char| c.is_ascii_digit() || "[]()".contains(c));
        if !REPLY_MARKS.contains(&mark.trim()) {
            break;
        }
        is_reply = true;
        rest = behind.trim();
    }
    (rest.to_owned(), is_reply)
}

/// `Re: ` before a subject, once.
pub fn reply_subject(subject: &str) -> String {
    let starts = subject.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("re:"));
    if starts { subject.to_owned() } else { format!("Re: {subject}").trim_end().to_owned() }
}

/// Union-find.
struct Sets(Vec<usize>);

impl Sets {
    fn new(len: usize) -> Self {
        Self((0..len).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
