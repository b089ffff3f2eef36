//! Threading: which mails are one conversation.
//!
//! Mails belong together when one names the other's Message-ID (In-Reply-To, References). A reply that names
//! nobody joins the latest earlier conversation of the same subject with somebody in common. Two mails that
//! merely share a subject stay apart.
//!
//! Mails come in any order and go again. Invariant: [`Grouping`] is at every moment what grouping all of its mails
//! afresh would give; only conversations that a change touches are grouped again. Deliberately not here: what a mail
//! says. Of each mail only hashes are kept, some two hundred bytes.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher as _};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::mail::{Mail, MailId};
use brain_core::limits::SAME_SUBJECT_MAX;
use brain_language::language::words::fold;

/// The id of a conversation that began with this mail.
pub fn thread_id(message_id: &str) -> String {
    shown(root(message_id))
}

fn shown(root: u64) -> String {
    format!("t{root:015x}")
}

/// The first 60 bits of a digest.
fn root(message_id: &str) -> u64 {
    Sha256::digest(message_id.as_bytes()).iter().take(8).fold(0, |all, byte| all << 8 | u64::from(*byte)) >> 4
}

/// What decides to which conversation a mail belongs.
#[derive(Debug, Clone)]
pub struct ThreadLink {
    /// When, and which among those of the same moment.
    at: (DateTime<Utc>, MailId),
    /// Its Message-ID and those it names.
    ids: Box<[u64]>,
    /// Its subject without reply marks; none when it is empty.
    subject: Option<u64>,
    people: Box<[u64]>,
    /// Of a reply that names nobody: those it may be a reply to.
    partners: Option<Box<[u64]>>,
    /// The same for copies of one mail.
    twin: Option<u64>,
    /// What its conversation is called when this is its first mail.
    root: u64,
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl ThreadLink {
    /// Of a mail.
    pub fn of(mail: &Mail) -> Self {
        let parsed = &mail.head.parsed;
        let address = |address: &str| hash_of(address.to_ascii_lowercase());
        let (subject, is_reply) = bare_subject(&parsed.subject);
        // Whom the owner is talking with: the sender, or those an own mail goes to.
        let partners = || match mail.is_own() {
            true => mail.recipients().map(|person| address(&person.address)).collect(),
            false => [address(&parsed.from.address)].into(),
        };
        let is_lost = is_reply && parsed.references.is_empty() && !subject.is_empty();
        let copies = || serde_json::to_vec(&mail.head).map(hash_of).ok();
        let names_root = parsed.references.first().or(parsed.message_id.as_ref());
        Self {
            at: (mail.head.date, mail.id()),
            ids: mail.ids().map(hash_of).collect(),
            subject: (!subject.is_empty()).then(|| hash_of(subject)),
            people: mail.people().filter(|p| !p.address.is_empty()).map(|p| address(&p.address)).collect(),
            partners: is_lost.then(partners),
            twin: parsed.message_id.as_ref().and_then(|_| copies()),
            root: names_root.map_or_else(|| root(&mail.id().to_string()), |id| root(id)),
        }
    }
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Stays the same while the mail it began with stays.
    pub id: String,
    /// When the last mail came.
    pub date: DateTime<Utc>,
    /// Oldest first. A mail to oneself, or one copied into another folder, counts once.
    pub mails: Vec<MailId>,
}

#[derive(Debug)]
struct ThreadNode {
    link: ThreadLink,
    group: Option<u32>,
}

/// All conversations of one owner.
#[derive(Debug, Default)]
pub struct Grouping {
    nodes: Vec<Option<ThreadNode>>,
    free: Vec<u32>,
    slots: HashMap<MailId, u32>,
    by_id: HashMap<u64, Vec<u32>>,
    /// In the order of time.
    by_subject: HashMap<u64, Vec<u32>>,
    /// In the order of time.
    groups: HashMap<u32, Vec<u32>>,
    by_root: HashMap<u64, u32>,
    next_group: u32,
}

impl Grouping {
    /// Some mails have gone, others have come. Costs what the conversations it touches have.
    pub fn update(&mut self, gone: impl IntoIterator<Item = MailId>, come: impl IntoIterator<Item = ThreadLink>) {
        let mut touched = Vec::new();
        for id in gone {
            self.remove(id, &mut touched);
        }
        for link in come {
            self.remove(link.at.1, &mut touched);
            self.insert(link, &mut touched);
        }
        self.regroup(touched);
    }

    /// The one that a mail belongs to.
    pub fn of(&self, mail: MailId) -> Option<Thread> {
        self.thread(self.node(*self.slots.get(&mail)?)?.group?)
    }

    /// The one of this id.
    pub fn find(&self, id: &str) -> Option<Thread> {
        let root = u64::from_str_radix(id.strip_prefix('t')?, 16).ok()?;
        self.thread(*self.by_root.get(&root)?).filter(|thread| thread.id == id)
    }

    /// How many have a mail like that.
    pub fn count(&self, fits: impl Fn(MailId, DateTime<Utc>) -> bool) -> usize {
        let fits = |slot: &u32| self.node(*slot).is_some_and(|node| fits(node.link.at.1, node.link.at.0));
        self.groups.values().filter(|members| members.iter().any(fits)).count()
    }

    /// Those whose last mail came in `from..until`, the newest first.
    pub fn between(&self, from: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>) -> Vec<Thread> {
        let is_inside = |thread: &Thread| {
            from.is_none_or(|from| thread.date >= from) && until.is_none_or(|until| thread.date < until)
        };
        let may_be = |members: &Vec<u32>| {
            let last = members.last().and_then(|slot| self.node(*slot));
            last.is_some_and(|node| from.is_none_or(|from| node.link.at.0 >= from))
        };
        let groups = self.groups.iter().filter(|(_, members)| may_be(members));
        let mut threads: Vec<Thread> = groups.filter_map(|(group, _)| self.thread(*group)).filter(is_inside).collect();
        threads.sort_unstable_by(|a, b| (b.date, &b.id).cmp(&(a.date, &a.id)));
        threads
    }

    fn thread(&self, group: u32) -> Option<Thread> {
        let mut twins = HashSet::new();
        let members = self.groups.get(&group)?.iter().filter_map(|slot| self.node(*slot));
        let links: Vec<&ThreadLink> =
            members.map(|node| &node.link).filter(|link| link.twin.is_none_or(|twin| twins.insert(twin))).collect();
        let mails = links.iter().map(|link| link.at.1).collect();
        Some(Thread { id: shown(links.first()?.root), date: links.last()?.at.0, mails })
    }

    fn node(&self, slot: u32) -> Option<&ThreadNode> {
        self.nodes.get(slot as usize)?.as_ref()
    }

    fn insert(&mut self, link: ThreadLink, touched: &mut Vec<u32>) {
        let slot = self.free.pop().unwrap_or(self.nodes.len() as u32);
        for id in &link.ids {
            self.by_id.entry(*id).or_default().push(slot);
        }
        self.slots.insert(link.at.1, slot);
        let (subject, at) = (link.subject, link.at);
        let node = Some(ThreadNode { link, group: None });
        match self.nodes.get_mut(slot as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        touched.push(slot);
        if let Some(subject) = subject {
            let place = self.place(subject, at);
            self.by_subject.entry(subject).or_default().insert(place, slot);
            touched.extend(self.just_after(subject, place + 1));
        }
    }

    fn remove(&mut self, id: MailId, touched: &mut Vec<u32>) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let Some(ThreadNode { link, group }) = self.nodes[slot as usize].take() else { return };
        self.free.push(slot);
        for id in &link.ids {
            take_from(&mut self.by_id, *id, slot);
        }
        if let Some(subject) = link.subject {
            let place = self.place(subject, link.at);
            touched.extend(self.just_after(subject, place + 1));
            take_from(&mut self.by_subject, subject, slot);
        }
        if let Some(group) = group {
            self.forget_root(group, link.root);
            take_from(&mut self.groups, group, slot);
            touched.extend(self.groups.get(&group).into_iter().flatten());
        }
    }

    /// Where among the mails of a subject this moment is.
    fn place(&self, subject: u64, at: (DateTime<Utc>, MailId)) -> usize {
        let before = |slot: &u32| self.node(*slot).is_some_and(|node| node.link.at < at);
        self.by_subject.get(&subject).map_or(0, |mails| mails.partition_point(before))
    }

    /// Those whose partner may be, or may have been, the mail before this place.
    fn just_after(&self, subject: u64, place: usize) -> impl Iterator<Item = u32> {
        let mails = self.by_subject.get(&subject).into_iter().flatten();
        mails.copied().skip(place).take(SAME_SUBJECT_MAX)
    }

    /// What a reply that names nobody replies to.
    fn partner(&self, link: &ThreadLink) -> Option<u32> {
        let (subject, partners) = (link.subject?, link.partners.as_ref()?);
        let earlier = self.by_subject.get(&subject)?.get(..self.place(subject, link.at))?;
        let is_it = |slot: &&u32| {
            let other = self.node(**slot);
            other.is_some_and(|other| other.link.people.iter().any(|person| partners.contains(person)))
        };
        earlier.iter().rev().take(SAME_SUBJECT_MAX).find(is_it).copied()
    }

    fn regroup(&mut self, touched: Vec<u32>) {
        let (members, old) = self.reached(touched);
        for group in old {
            let first = self.groups.remove(&group).and_then(|mails| self.node(*mails.first()?).map(|n| n.link.root));
            first.into_iter().for_each(|root| self.forget_root(group, root));
        }
        let mut sets = Sets::new(members.len());
        let mut by_id: HashMap<u64, usize> = HashMap::new();
        let index: HashMap<u32, usize> = members.iter().enumerate().map(|(at, slot)| (*slot, at)).collect();
        for (at, slot) in members.iter().enumerate() {
            let Some(node) = self.node(*slot) else { continue };
            for id in &node.link.ids {
                match by_id.entry(*id) {
                    Entry::Occupied(other) => sets.join(*other.get(), at),
                    Entry::Vacant(first) => drop(first.insert(at)),
                }
            }
            if let Some(other) = self.partner(&node.link).and_then(|slot| index.get(&slot)) {
                sets.join(*other, at);
            }
        }
        let mut groups: HashMap<usize, Vec<u32>> = HashMap::new();
        for (at, slot) in members.iter().enumerate() {
            groups.entry(sets.root(at)).or_default().push(*slot);
        }
        for mut members in groups.into_values() {
            let group = self.next_group;
            self.next_group = self.next_group.wrapping_add(1);
            members.sort_unstable_by_key(|slot| self.node(*slot).map(|node| node.link.at));
            for slot in &members {
                if let Some(Some(node)) = self.nodes.get_mut(*slot as usize) {
                    node.group = Some(group);
                }
            }
            let first = members.first().and_then(|slot| self.node(*slot)).map(|node| node.link.root);
            if let Some(root) = first {
                self.by_root.insert(root, group);
            }
            self.groups.insert(group, members);
        }
    }

    /// Everything that may belong together with these, and the conversations it stood in so far.
    fn reached(&self, mut waiting: Vec<u32>) -> (Vec<u32>, HashSet<u32>) {
        let (mut seen, mut groups, mut ids) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut reached = Vec::new();
        while let Some(slot) = waiting.pop() {
            let Some(node) = self.node(slot) else { continue };
            if !seen.insert(slot) {
                continue;
            }
            reached.push(slot);
            if let Some(group) = node.group.filter(|group| groups.insert(*group)) {
                waiting.extend(self.groups.get(&group).into_iter().flatten());
            }
            for id in node.link.ids.iter().filter(|id| ids.insert(**id)) {
                waiting.extend(self.by_id.get(id).into_iter().flatten());
            }
            waiting.extend(self.partner(&node.link));
        }
        (reached, groups)
    }

    fn forget_root(&mut self, group: u32, root: u64) {
        if self.by_root.get(&root) == Some(&group) {
            self.by_root.remove(&root);
        }
    }
}

fn take_from<K: Eq + Hash>(lists: &mut HashMap<K, Vec<u32>>, key: K, slot: u32) {
    if let Entry::Occupied(mut list) = lists.entry(key) {
        list.get_mut().retain(|other| *other != slot);
        if list.get().is_empty() {
            list.remove();
        }
    }
}

/// What replies put before a subject, ...
const ANSWER_MARKS: [&str; 8] = ["re", "aw", "antw", "sv", "vs", "odp", "rif", "res"];
/// ... and what tells more than that: a mail that is passed on, or a word of the subject's own.
const OTHER_MARKS: [&str; 4] = ["ref", "fwd", "fw", "wg"];

/// What stands before the first colon of a subject, folded, without the number that some programs put there.
fn mark_of(before_colon: &str) -> String {
    let folded = fold(before_colon);
    folded.trim().trim_end_matches(|c: char| c.is_ascii_digit() || "[]()".contains(c)).trim().to_owned()
}

/// The folded subject without reply marks, and whether there were any.
fn bare_subject(subject: &str) -> (String, bool) {
    let folded = fold(subject);
    let mut rest = folded.trim();
    let mut is_reply = false;
    while let Some((mark, behind)) = rest.split_once(':') {
        let mark = mark_of(mark);
        if !ANSWER_MARKS.iter().chain(&OTHER_MARKS).any(|known| *known == mark) {
            break;
        }
        is_reply = true;
        rest = behind.trim();
    }
    (rest.to_owned(), is_reply)
}

/// `Re: ` before a subject, once, whatever answers in whatever language have put there.
pub fn reply_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((mark, behind)) = rest.split_once(':')
        && ANSWER_MARKS.contains(&mark_of(mark).as_str())
    {
        rest = behind.trim_start();
    }
    format!("Re: {rest}").trim_end().to_owned()
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
