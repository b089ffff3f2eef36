//! A made-up person's mailbox: conversations planted by hand among noise, the same for the same seed, with the questions
//! about them. What is this person's is a [`Mailbox`].
//!
//! - [`planted`]: conversations with something to find in them, written by hand, and what is true of them
//! - [`noise`]: newsletters, receipts, lists, chatter, and conversations in which everything is settled
//! - [`mime`]: mails as they arrive
//!
//! Calendar, tasks, notes and memories are in `belongings.json`. `questions.json` has the questions; what is expected
//! may be a set that the planted conversations make:
//!
//! ```text
//! @TAG [open] [until DAY]
//! ```
//! all with a tag (see `planted.txt`) that are open, or that are due by a day; `@top-mail [since DAY]` is the person with most mails to and from; `@anybody` everybody; else a
//! group.

mod mime;
pub mod noise;
mod planted;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use brain_agent::channel::console::chat_of;
use brain_agent::core::ids::UserId;
use brain_agent::eval::example::{Belongings, Whereabouts};
use brain_agent::services::email::mailbox::source::maildir::Maildir;
use brain_agent::services::email::message::thread::thread_id;
use chrono::{DateTime, Days, NaiveTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::ask::{console, mails_read};
use super::judge::Question;
use super::world::{OWNER, Titles, World, check_names, folder_with, now};
use noise::Kind;
use planted::Planted;

/// What is a person's own. Texts are the contents of the files of these names.
#[derive(Debug)]
pub struct Mailbox {
    /// The world's.
    pub name: &'static str,
    /// The person it belongs to.
    pub owner: &'static str,
    /// Addresses of the owner: at work, at home, further ones.
    pub own: &'static [&'static str],
    /// Where message ids are made.
    pub host: &'static str,
    pub seed: u64,
    /// Conversations, the planted among them.
    pub threads: usize,
    /// How many days the noise goes back.
    pub days: u64,
    /// Kinds of noise, and their percent.
    pub noise: &'static [(u64, Kind)],
    pub list: List,
    /// How relatives abroad begin, and what about.
    pub german: German,
    pub planted: &'static str,
    /// Settled conversations with gaps, for [`Kind::Settled`].
    pub settled: &'static str,
    pub words: &'static str,
    pub belongings: &'static str,
    pub questions: &'static str,
}

/// A mailing list of people.
#[derive(Debug)]
pub struct List {
    pub name: &'static str,
    pub title: &'static str,
    pub host: &'static str,
    pub members: [&'static str; 3],
    pub members_host: &'static str,
}

#[derive(Debug)]
pub struct German {
    pub hello: &'static str,
    pub subject: &'static str,
}

impl Mailbox {
    /// The owner with one of the addresses.
    fn owner_at(&self, at: usize) -> String {
        format!("{} <{}>", self.owner, self.own[at])
    }

    fn is_own(&self, mail: &Mail) -> bool {
        self.own.iter().any(|own| mail.from.contains(own))
    }

    fn goes_to_owner(&self, mail: &Mail) -> bool {
        mail.to.iter().any(|to| self.own.iter().any(|own| to.contains(own)))
    }

    fn threads(&self) -> (Vec<Planted>, Vec<Thread>) {
        let planted = planted::read(self.planted);
        let noise = noise::threads(self, self.threads - planted.len());
        (planted, noise)
    }
}

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

/// The mailbox and all else in a data folder, with the questions about it.
pub fn world(mailbox: &Mailbox) -> World {
    let zone = chrono_tz::Europe::London;
    let owner = UserId::new(OWNER);
    let belongings: Belongings = serde_json::from_str(mailbox.belongings).unwrap();
    let place = Whereabouts { owner: owner.clone(), chat: chat_of(OWNER), now: now(), zone };
    let folder = folder_with(belongings.furnish(&place).unwrap().batch);
    let (planted, noise) = mailbox.threads();
    let root = Maildir::of(&folder.path().join("state"), &owner).root().to_owned();
    let mut titles = Titles::default();
    for thread in planted.iter().map(|planted| &planted.thread).chain(&noise) {
        put(mailbox, &root, thread);
        for mail in &thread.mails {
            for person in [&mail.from].into_iter().chain(&mail.to).chain(&mail.cc) {
                titles.note_people(&thread.slug, person);
            }
        }
        titles.by_id.insert(thread_id(&mime::message_id(mailbox, &thread.slug, 0)), thread.slug.clone());
    }
    name_belongings(mailbox, &mut titles);
    let questions = questions(mailbox, &planted, &noise, &titles);
    World { name: mailbox.name, zone, questions, folder, titles }
}

/// Ids as `eval::example` gives them.
fn name_belongings(mailbox: &Mailbox, titles: &mut Titles) {
    let given: Value = serde_json::from_str(mailbox.belongings).unwrap();
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
fn put(mailbox: &Mailbox, root: &Path, thread: &Thread) {
    for (at, mail) in thread.mails.iter().enumerate() {
        let sub = match (mailbox.is_own(mail), mail.is_archived) {
            (true, _) => ".Sent/cur",
            (false, true) => ".Archive/cur",
            (false, false) => "cur",
        };
        let folder = root.join(sub);
        fs::create_dir_all(&folder).unwrap();
        let flags = if mail.is_unread { "" } else { "S" };
        let name = format!("{}.{}-{at}:2,{flags}", mail.at.timestamp(), thread.slug);
        fs::write(folder.join(name), mime::bytes(mailbox, thread, at)).unwrap();
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    groups: BTreeMap<String, Vec<String>>,
    questions: Vec<Question>,
}

/// The questions, their sets written out.
fn questions(mailbox: &Mailbox, planted: &[Planted], noise: &[Thread], titles: &Titles) -> Vec<Question> {
    let asked: Asked = serde_json::from_str(mailbox.questions).unwrap();
    let expand = |names: &[String]| -> Vec<String> {
        let mut all = Vec::new();
        for name in names {
            let found = match name.strip_prefix('@') {
                None => vec![name.clone()],
                Some(set) => set_of(mailbox, set, &asked.groups, planted, noise, titles),
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
    mailbox: &Mailbox,
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
            vec![format!("person:{}", ranked(mailbox, all, since.unwrap_or(i64::MIN))[0].0)]
        }
        "anybody" => {
            titles.persons.keys().flat_map(|address| [format!("person:{address}"), format!("with:{address}")]).collect()
        }
        group if groups.contains_key(group) => groups[group].clone(),
        tag => {
            let is_in = |planted: &&Planted| {
                planted.has(tag)
                    && (!words.contains(&"open") || planted.has("open"))
                    && until.is_none_or(|day| planted.due.is_some_and(|due| due <= day))
            };
            planted.iter().filter(is_in).map(|planted| planted.thread.slug.clone()).collect()
        }
    }
}

/// People by how many mails went to and came from them directly, bulk mail left out.
fn ranked<'a>(mailbox: &Mailbox, threads: impl Iterator<Item = &'a Thread>, since: i64) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::<String, usize>::new();
    for mail in threads.flat_map(|thread| &thread.mails).filter(|mail| day_of(mail) >= since) {
        let people: Vec<&String> = match (mailbox.is_own(mail), mail.bulk == Bulk::No && mailbox.goes_to_owner(mail)) {
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

/// Every conversation has a name of its own, nothing comes after now, and a second writing gives the same bytes.
pub fn check_sameness(mailbox: &Mailbox, mails_min: usize) {
    let (planted, noise) = mailbox.threads();
    let all: Vec<&Thread> = planted.iter().map(|planted| &planted.thread).chain(&noise).collect();
    assert_eq!(all.len(), mailbox.threads);
    let slugs: BTreeSet<&String> = all.iter().map(|thread| &thread.slug).collect();
    assert_eq!(slugs.len(), mailbox.threads);
    assert!(all.iter().map(|thread| thread.mails.len()).sum::<usize>() > mails_min);
    for thread in &all {
        assert!(thread.mails.is_sorted_by_key(|mail| mail.at), "{}", thread.slug);
        assert!(thread.mails.iter().all(|mail| mail.at <= now()), "{}", thread.slug);
    }
    let bytes = |threads: &[Thread]| -> Vec<Vec<u8>> {
        threads.iter().flat_map(|thread| (0..thread.mails.len()).map(|at| mime::bytes(mailbox, thread, at))).collect()
    };
    assert_eq!(bytes(&noise), bytes(&mailbox.threads().1));
}

/// Every name in the truth is there, there are ten families, at least so many planted conversations of these tags, and
/// one person is clearly first of those with most mails.
pub fn check_truth(mailbox: &Mailbox, tags: &[(&str, usize)]) {
    let world = world(mailbox);
    check_names(&world);
    let families: BTreeSet<&String> = world.questions.iter().map(|question| &question.family).collect();
    assert_eq!(families.len(), 10);
    assert!(world.questions.len() >= 40);
    let (planted, noise) = mailbox.threads();
    for (tag, least) in tags {
        assert!(planted.iter().filter(|planted| planted.has(tag)).count() >= *least, "{tag}");
    }
    for since in [i64::MIN, -28] {
        let ranked = ranked(mailbox, planted.iter().map(|planted| &planted.thread).chain(&noise), since);
        assert!(ranked[0].1 * 2 > ranked[1].1 * 3, "nobody is clearly first: {:?}", &ranked[..3]);
    }
}

/// The program reads the mailbox as so many conversations, as it writes numbers.
pub fn check_reading(mailbox: &Mailbox, conversations: &str) {
    let world = world(mailbox);
    let mut console = console(&world, &world.data());
    let told = mails_read(&mut console);
    assert!(told.contains(&format!("{conversations} conversations")), "{told}");
}
