//! Finding mails: the search command, and the thread a description means. Pure over an [`MailIndex`].

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::mailbox::{Mail, MailIndex};
use super::read::Mailbox;
use super::search::{SearchMail, ThreadRow, Threads};
use super::source::maildir::Folder;
use super::thread::Thread;
use crate::core::provenance::UntrustedText;
use crate::language::words::{fold, stems, words};
use crate::limits::{CANDIDATES_MAX, MAIL_RESULTS_MAX};
use crate::services::service::{ItemChoice, Noticed};
use crate::services::show::Moment;

/// A search, as the command states it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MailQuery {
    /// Stems that must all be there.
    stems: Vec<String>,
    /// Folded words of sender, recipient and subject.
    from: Vec<String>,
    to: Vec<String>,
    subject: Vec<String>,
    since: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
    unread: Option<bool>,
    drafts: bool,
}

/// Words that say nothing about what is looked for.
const FILLERS: [&str; 34] = [
    "the",
    "a",
    "an",
    "of",
    "for",
    "to",
    "in",
    "on",
    "at",
    "by",
    "with",
    "about",
    "from",
    "and",
    "or",
    "my",
    "me",
    "mail",
    "mails",
    "email",
    "emails",
    "message",
    "messages",
    "thread",
    "conversation",
    "der",
    "die",
    "das",
    "von",
    "uber",
    "el",
    "la",
    "de",
    "le",
];
/// Words that mean the newest of what fits.
const NEWEST: [&str; 6] = ["last", "latest", "newest", "recent", "letzte", "ultimo"];

/// The stems of the words that mean something; of all words when none does.
fn meaningful(text: &str) -> Vec<String> {
    let kept: Vec<String> = words(text).into_iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    stems(&if kept.is_empty() { text.to_owned() } else { kept.join(" ") })
}

impl MailQuery {
    /// What a search asks for. What is no time counts as not given.
    pub fn of(wanted: &SearchMail, zone: Tz) -> Self {
        let folded = |text: &Option<String>| words(text.as_deref().unwrap_or_default());
        let time = |text: &Option<String>| {
            Moment::read(text.as_deref()?.trim(), zone).map(|at| at.start(zone).with_timezone(&Utc))
        };
        Self {
            stems: meaningful(wanted.text.as_deref().unwrap_or_default()),
            from: folded(&wanted.from),
            to: folded(&wanted.to),
            subject: folded(&wanted.subject),
            since: time(&wanted.since),
            before: time(&wanted.before),
            unread: wanted.unread,
            drafts: folded(&wanted.text).iter().any(|word| word == "draft" || word == "drafts"),
        }
    }

    fn fits(&self, mail: &Mail) -> bool {
        let parsed = &mail.head.parsed;
        let names = |people: &[Mailbox], wanted: &[String]| {
            wanted.is_empty()
                || people.iter().any(|person| {
                    let label = fold(&format!("{} {}", person.name, person.address));
                    wanted.iter().all(|word| label.contains(word.as_str()))
                })
        };
        let to: Vec<Mailbox> = parsed.to.iter().chain(&parsed.cc).cloned().collect();
        let subject = fold(&parsed.subject);
        let draft_word = |stem: &&String| !(mail.file.folder == Folder::Drafts && *stem == "draft");
        self.unread.is_none_or(|unread| mail.is_unread() == unread)
            && self.since.is_none_or(|since| mail.head.date >= since)
            && self.before.is_none_or(|before| mail.head.date < before)
            && names(std::slice::from_ref(&parsed.from), &self.from)
            && names(&to, &self.to)
            && self.subject.iter().all(|word| subject.contains(word.as_str()))
            && self.stems.iter().filter(draft_word).all(|stem| mail.head.has(stem))
    }

    /// How many of the words stand in the subject or the sender's name.
    fn prominence(&self, mail: &Mail) -> usize {
        let prominent = stems(&format!("{} {}", mail.head.parsed.subject, mail.head.parsed.from.name));
        self.stems.iter().filter(|stem| prominent.contains(stem)).count()
    }
}

/// A thread that fits, and its newest mail that does.
#[derive(Debug, Clone, Copy)]
pub struct Hit<'a> {
    /// The conversation.
    pub thread: &'a Thread,
    /// The newest fitting mail of others, else the owner's own.
    pub mail: &'a Mail,
}

/// Every thread with a mail that fits: best first when words were given, newest first otherwise.
pub fn search<'a>(index: &'a MailIndex, query: &MailQuery) -> Vec<Hit<'a>> {
    let mut hits: Vec<(usize, Hit<'a>)> = index
        .threads
        .iter()
        .filter_map(|thread| {
            let fitting: Vec<&Mail> = index.mails_of(thread).filter(|m| query.fits(m)).collect();
            let best = fitting.iter().map(|mail| query.prominence(mail)).max()?;
            let mail = fitting.iter().rev().find(|mail| !mail.is_own());
            let mail = mail.or(fitting.last()).copied()?;
            Some((best, Hit { thread, mail }))
        })
        .collect();
    hits.sort_by(|(a, x), (b, y)| (b, y.mail.head.date).cmp(&(a, x.mail.head.date)));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// The result of `email.search`.
pub fn result(index: &MailIndex, query: &MailQuery, zone: Tz) -> Threads {
    let hits = search(index, query);
    let mut threads: Vec<ThreadRow> = Vec::new();
    let mut more = hits.len();
    if query.drafts {
        let drafts: Vec<&Mail> =
            index.mails.iter().filter(|mail| mail.file.folder == Folder::Drafts && query.fits(mail)).collect();
        more += drafts.len();
        threads.extend(drafts.into_iter().take(MAIL_RESULTS_MAX).map(|mail| draft_row(mail, zone)));
    }
    let free = MAIL_RESULTS_MAX - threads.len();
    threads.extend(hits.iter().take(free).map(|hit| row(index, *hit, zone)));
    more -= threads.len();
    Threads { threads, more }
}

fn row(index: &MailIndex, hit: Hit<'_>, zone: Tz) -> ThreadRow {
    let head = &hit.mail.head;
    ThreadRow {
        id: hit.thread.id.clone(),
        subject: subject_or(&hit.thread.subject).to_owned(),
        from: head.parsed.from.label(),
        address: head.parsed.from.address.clone(),
        date: local(head.date, zone),
        snippet: head.snippet.clone(),
        unread: index.mails_of(hit.thread).any(Mail::is_unread),
        messages: hit.thread.mails.len(),
    }
}

fn draft_row(mail: &Mail, zone: Tz) -> ThreadRow {
    let parsed = &mail.head.parsed;
    let to: Vec<String> = parsed.to.iter().map(Mailbox::label).collect();
    ThreadRow {
        id: super::drafts::id_of(&mail.file.base),
        subject: subject_or(&parsed.subject).to_owned(),
        from: format!("Draft for {}", to.join(", ")),
        address: String::new(),
        date: local(mail.head.date, zone),
        snippet: mail.head.snippet.clone(),
        unread: false,
        messages: 1,
    }
}

/// A subject to show.
pub fn subject_or(subject: &str) -> &str {
    if subject.is_empty() { "(no subject)" } else { subject }
}

/// RFC 3339 in the person's zone.
pub fn local(at: DateTime<Utc>, zone: Tz) -> String {
    Moment::Instant(at.with_timezone(&zone)).store()
}

/// What a description came to.
#[derive(Debug, Clone)]
pub enum ThreadMatch<'a> {
    /// This thread.
    One(&'a Thread),
    /// Several, best first.
    Several(Vec<&'a Thread>),
    /// None.
    Nothing,
}

/// The thread meant by an id, or by words from sender, subject or text. Words that all stand in subject and
/// people win over words somewhere in the text; "latest" takes the newest of what fits.
pub fn thread<'a>(index: &'a MailIndex, description: &str) -> ThreadMatch<'a> {
    let description = description.trim();
    let is_it = |thread: &&Thread| thread.id == description;
    if let Some(thread) = index.threads.iter().find(is_it) {
        return ThreadMatch::One(thread);
    }
    let wanted: Vec<String> = words(description);
    let newest = wanted.iter().any(|word| NEWEST.contains(&word.as_str()));
    let said: Vec<&String> =
        wanted.iter().filter(|word| !NEWEST.contains(&word.as_str()) && !FILLERS.contains(&word.as_str())).collect();
    let said = said.into_iter().cloned().collect::<Vec<_>>().join(" ");
    let stems = stems(&said);
    if stems.is_empty() && !newest {
        return ThreadMatch::Nothing;
    }
    let of_others = |thread: &&Thread| index.mails_of(thread).any(|mail| !mail.is_own());
    let mut fitting: Vec<&Thread> = tiers(index, &stems).into_iter().find(|tier| !tier.is_empty()).unwrap_or_default();
    if fitting.iter().any(of_others) && newest {
        fitting.retain(of_others);
    }
    match fitting.as_slice() {
        [] => ThreadMatch::Nothing,
        [only] => ThreadMatch::One(only),
        [first, ..] if newest => ThreadMatch::One(first),
        _ => ThreadMatch::Several(fitting),
    }
}

fn tiers<'a>(index: &'a MailIndex, stems: &[String]) -> [Vec<&'a Thread>; 3] {
    let exact = |thread: &Thread| self::stems(&thread.subject) == stems;
    let heads = |thread: &Thread| {
        let mut text = String::new();
        for mail in index.mails_of(thread) {
            let parsed = &mail.head.parsed;
            text.push_str(&format!(" {} {} ", parsed.subject, parsed.from.name));
            if mail.is_own() {
                text.extend(parsed.to.iter().map(|p| format!(" {} ", p.name)));
            }
            text.push_str(&parsed.from.address);
        }
        let present = self::stems(&text);
        stems.iter().all(|stem| present.contains(stem))
    };
    let anywhere = |thread: &Thread| stems.iter().all(|stem| index.mails_of(thread).any(|mail| mail.head.has(stem)));
    let pick = |fits: &dyn Fn(&Thread) -> bool| index.threads.iter().filter(|t| fits(t)).collect();
    [pick(&exact), pick(&heads), pick(&anywhere)]
}

/// Threads to choose from.
pub fn candidates(index: &MailIndex, threads: &[&Thread], zone: Tz) -> Vec<ItemChoice> {
    threads
        .iter()
        .take(CANDIDATES_MAX)
        .map(|thread| {
            let from = index.mails_of(thread).rfind(|mail| !mail.is_own());
            let from = from.or(index.mails_of(thread).next_back());
            let from = from.map_or_else(String::new, |mail| mail.head.parsed.from.label());
            let date = thread.date.with_timezone(&zone).format("%a %-d %b %H:%M");
            let label = format!("{from}: {} ({date})", subject_or(&thread.subject));
            let untrusted = vec![UntrustedText::new(format!("a mail from {from}"), label.clone())];
            ItemChoice { id: thread.id.clone(), label, untrusted }
        })
        .collect()
}

/// Threads whose subject or sender shares words with a message, most in common first.
pub fn notice(index: &MailIndex, message: &str, limit: usize, zone: Tz) -> Vec<Noticed> {
    let stems = meaningful(message);
    let mut near: Vec<(usize, &Thread, &Mail)> = index
        .threads
        .iter()
        .filter_map(|thread| {
            let mail = index.mails_of(thread).rfind(|mail| !mail.is_own())?;
            let from = &mail.head.parsed.from.name;
            let present = self::stems(&format!("{} {from}", thread.subject));
            let common = stems.iter().filter(|stem| present.contains(stem)).count();
            (common > 0).then_some((common, thread, mail))
        })
        .collect();
    near.sort_by_key(|(common, thread, _)| std::cmp::Reverse((*common, thread.date)));
    near.into_iter()
        .take(limit)
        .map(|(_, thread, mail)| {
            let from = mail.head.parsed.from.label();
            let subject = subject_or(&thread.subject);
            let date = thread.date.with_timezone(&zone).format("%Y-%m-%d");
            let unread = if mail.is_unread() { ", unread" } else { "" };
            let line = format!("mail from {from}: {subject} ({date}{unread})");
            let untrusted = vec![UntrustedText::new(format!("a mail from {from}"), line.clone())];
            Noticed { id: thread.id.clone(), line, untrusted }
        })
        .collect()
}
