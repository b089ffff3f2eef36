//! A second mailbox that nobody tuned on: Ines Calder, production manager of a small theatre. Two thousand
//! conversations of 120 days, most of them noise, the same for the same seed.
//!
//! - [`planted`]: conversations with something to find in them, written by hand, and what is true of them
//! - [`noise`]: newsletters, receipts, lists, chatter, and conversations in which everything is settled
//! - [`mime`]: mails as they arrive
//!
//! Calendar, tasks, notes and memories are in `belongings.json`. `questions.json` has the questions; what is expected
//! may be a set that the planted conversations make:
//!
//! ```text
//! @TAG [open] [theirs] [since DAY] [until DAY]
//! ```
//! all with a tag (see `planted.txt`) that are open, in which others wrote last, on a day or later, or that are due by a
//! day; `@top-mail [since DAY]` is the person with most mails to and from; `@anybody` everybody; else a group.

mod mime;
mod noise;
mod planted;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use brain_agent::channel::console::chat_of;
use brain_agent::core::ids::UserId;
use brain_agent::services::email::source::maildir::Maildir;
use brain_agent::services::email::thread::thread_id;
use brain_agent::services::example::{Belongings, Whereabouts};
use chrono::{DateTime, Days, NaiveTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::ask::{console, mails_read};
use super::judge::Question;
use super::world::{OWNER, Titles, World, check_names, folder_with, now};
use planted::Planted;

const SEED: u64 = 20_260_112;
const THREADS: usize = 2_000;
/// At work, and at home.
const OWN: [&str; 2] = ["ines.calder@tidewater-playhouse.example", "ines.calder@example.net"];
const BELONGINGS: &str = include_str!("second/belongings.json");
const QUESTIONS: &str = include_str!("second/questions.json");

/// What kind of sender a mail shows in its headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    No,
    /// Many got it: a newsletter.
    Newsletter,
    /// A mailing list of people.
    List,
    /// A machine wrote it.
    Automatic,
}

/// One mail. People are written `Name <address>`.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub reply_to: Option<String>,
    pub subject: String,
    pub at: DateTime<Utc>,
    pub text: String,
    pub attached: Option<String>,
    pub bulk: Bulk,
    pub is_unread: bool,
    pub is_archived: bool,
}

impl Mail {
    pub fn is_own(&self) -> bool {
        OWN.iter().any(|own| self.from.contains(own))
    }

    fn goes_to_owner(&self) -> bool {
        self.to.iter().any(|to| OWN.iter().any(|own| to.contains(own)))
    }
}

/// A conversation.
#[derive(Clone, Debug)]
pub struct Thread {
    pub slug: String,
    pub mails: Vec<Mail>,
}

/// A moment of a day before or after the Monday it all is told on; the clock is London's in winter.
fn moment(day: i64, clock: NaiveTime) -> DateTime<Utc> {
    let days = Days::new(day.unsigned_abs());
    let today = now().date_naive();
    let there = if day < 0 { today.checked_sub_days(days) } else { today.checked_add_days(days) };
    there.unwrap().and_time(clock).and_utc()
}

/// The day of a mail, counted from that Monday.
fn day_of(mail: &Mail) -> i64 {
    mail.at.date_naive().signed_duration_since(now().date_naive()).num_days()
}

fn threads() -> (Vec<Planted>, Vec<Thread>) {
    let planted = planted::read();
    let noise = noise::threads(SEED, THREADS - planted.len());
    (planted, noise)
}

/// The mailbox and all else in a data folder, with the questions about it.
pub fn second_world() -> World {
    let zone = chrono_tz::Europe::London;
    let owner = UserId::new(OWNER);
    let belongings: Belongings = serde_json::from_str(BELONGINGS).unwrap();
    let place = Whereabouts { owner: owner.clone(), chat: chat_of(OWNER), now: now(), zone };
    let folder = folder_with(belongings.furnish(&place).unwrap().batch);
    let (planted, noise) = threads();
    let root = Maildir::of(&folder.path().join("state"), &owner).root().to_owned();
    let mut titles = Titles::default();
    for thread in planted.iter().map(|planted| &planted.thread).chain(&noise) {
        put(&root, thread);
        for mail in &thread.mails {
            for person in [&mail.from].into_iter().chain(&mail.to).chain(&mail.cc) {
                titles.note_people(&thread.slug, person);
            }
        }
        titles.by_id.insert(thread_id(&mime::message_id(&thread.slug, 0)), thread.slug.clone());
    }
    name_belongings(&mut titles);
    let questions = questions(&planted, &noise, &titles);
    World { name: "second", zone, questions, folder, titles }
}

/// Ids as `services::example` gives them.
fn name_belongings(titles: &mut Titles) {
    let given: Value = serde_json::from_str(BELONGINGS).unwrap();
    let kinds = [
        ("calendar", "event", "summary"),
        ("task", "task", "title"),
        ("keep", "note", "title"),
        ("memory", "memory", "key"),
        ("contacts", "contact", "name"),
    ];
    for (list, kind, field) in kinds {
        for (number, record) in given[list].as_array().unwrap().iter().enumerate() {
            let name = format!("{kind}:{}", record[field].as_str().unwrap());
            for attendee in record["attendees"].as_array().into_iter().flatten() {
                titles.note_people(&name, attendee.as_str().unwrap());
            }
            titles.by_id.insert(format!("given{kind}{number:02}"), name);
        }
    }
}

/// Writes the mails of a conversation into a Maildir; quickly, as nothing has to outlive the test.
fn put(root: &Path, thread: &Thread) {
    for (at, mail) in thread.mails.iter().enumerate() {
        let sub = match (mail.is_own(), mail.is_archived) {
            (true, _) => ".Sent/cur",
            (false, true) => ".Archive/cur",
            (false, false) => "cur",
        };
        let folder = root.join(sub);
        fs::create_dir_all(&folder).unwrap();
        let flags = if mail.is_unread { "" } else { "S" };
        let name = format!("{}.{}-{at}:2,{flags}", mail.at.timestamp(), thread.slug);
        fs::write(folder.join(name), mime::bytes(thread, at)).unwrap();
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    groups: BTreeMap<String, Vec<String>>,
    questions: Vec<Question>,
}

/// The questions, their sets written out.
fn questions(planted: &[Planted], noise: &[Thread], titles: &Titles) -> Vec<Question> {
    let asked: Asked = serde_json::from_str(QUESTIONS).unwrap();
    let expand = |names: &[String]| -> Vec<String> {
        let mut all = Vec::new();
        for name in names {
            let found = match name.strip_prefix('@') {
                None => vec![name.clone()],
                Some(set) => set_of(set, &asked.groups, planted, noise, titles),
            };
            assert!(!found.is_empty(), "{name} is empty");
            all.extend(found.into_iter().filter(|name| !all.contains(name)).collect::<Vec<_>>());
        }
        all
    };
    let full = |question: &Question| {
        let expect = expand(&question.expect);
        let may = expand(&question.may).into_iter().filter(|name| !expect.contains(name)).collect();
        Question { expect, may, ..question.clone() }
    };
    asked.questions.iter().map(full).collect()
}

fn set_of(
    set: &str,
    groups: &BTreeMap<String, Vec<String>>,
    planted: &[Planted],
    noise: &[Thread],
    titles: &Titles,
) -> Vec<String> {
    let words: Vec<&str> = set.split(' ').collect();
    let number = |word: &str| -> Option<i64> {
        words.iter().position(|has| *has == word).map(|at| words[at + 1].parse().unwrap())
    };
    let (since, until) = (number("since"), number("until"));
    match words[0] {
        "top-mail" => {
            let all = planted.iter().map(|planted| &planted.thread).chain(noise);
            vec![format!("person:{}", ranked(all, since.unwrap_or(i64::MIN))[0].0)]
        }
        "anybody" => {
            titles.persons.keys().flat_map(|address| [format!("person:{address}"), format!("with:{address}")]).collect()
        }
        group if groups.contains_key(group) => groups[group].clone(),
        tag => {
            let is_in = |planted: &&Planted| {
                let last = planted.thread.mails.last().unwrap();
                planted.has(tag)
                    && (!words.contains(&"open") || planted.has("open"))
                    && (!words.contains(&"theirs") || !last.is_own())
                    && since.is_none_or(|day| day_of(last) >= day)
                    && until.is_none_or(|day| planted.due.is_some_and(|due| due <= day))
            };
            planted.iter().filter(is_in).map(|planted| planted.thread.slug.clone()).collect()
        }
    }
}

/// People by how many mails went to and came from them directly, bulk mail left out.
fn ranked<'a>(threads: impl Iterator<Item = &'a Thread>, since: i64) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::<String, usize>::new();
    for mail in threads.flat_map(|thread| &thread.mails).filter(|mail| day_of(mail) >= since) {
        let people: Vec<&String> = match (mail.is_own(), mail.bulk == Bulk::No && mail.goes_to_owner()) {
            (true, _) => mail.to.iter().collect(),
            (false, true) => vec![&mail.from],
            (false, false) => Vec::new(),
        };
        for person in people {
            *counts.entry(address(person)).or_default() += 1;
        }
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ranked
}

/// The address of `Name <address>`.
fn address(person: &str) -> String {
    person.split(['<', '>']).nth(1).unwrap_or(person).to_lowercase()
}

/// The name of `Name <address>`.
fn name(person: &str) -> &str {
    person.split('<').next().unwrap_or_default().trim()
}

#[test]
fn the_second_mailbox_is_large_and_always_the_same() {
    let (planted, noise) = threads();
    let all: Vec<&Thread> = planted.iter().map(|planted| &planted.thread).chain(&noise).collect();
    assert_eq!(all.len(), THREADS);
    let slugs: BTreeSet<&String> = all.iter().map(|thread| &thread.slug).collect();
    assert_eq!(slugs.len(), THREADS);
    assert!(all.iter().map(|thread| thread.mails.len()).sum::<usize>() > 3_000);
    for thread in &all {
        assert!(thread.mails.is_sorted_by_key(|mail| mail.at), "{}", thread.slug);
        assert!(thread.mails.iter().all(|mail| mail.at <= now()), "{}", thread.slug);
    }
    let bytes = |threads: &[Thread]| -> Vec<Vec<u8>> {
        threads.iter().flat_map(|thread| (0..thread.mails.len()).map(|at| mime::bytes(thread, at))).collect()
    };
    assert_eq!(bytes(&noise), bytes(&threads().1));
}

#[test]
fn every_item_of_the_second_truth_is_there() {
    let world = second_world();
    check_names(&world);
    let families: BTreeSet<&String> = world.questions.iter().map(|question| &question.family).collect();
    assert_eq!(families.len(), 10);
    assert!(world.questions.len() >= 40);
    let (planted, noise) = threads();
    for (tag, least) in [("me", 14), ("others", 9), ("to-me", 8), ("by-me", 8), ("topic:luebeck", 6), ("topic:shed", 6)]
    {
        assert!(planted.iter().filter(|planted| planted.has(tag)).count() >= least, "{tag}");
    }
    for since in [i64::MIN, -28] {
        let ranked = ranked(planted.iter().map(|planted| &planted.thread).chain(&noise), since);
        assert!(ranked[0].1 * 2 > ranked[1].1 * 3, "nobody is clearly first: {:?}", &ranked[..3]);
    }
}

#[test]
fn the_program_reads_them_as_so_many_conversations() {
    let world = second_world();
    let mut console = console(&world, &world.data());
    let told = mails_read(&mut console);
    assert!(told.contains("2,000 conversations"), "{told}");
}
