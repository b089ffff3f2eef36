//! What a search asks for, as words and as a query of the index.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::search::{SearchMail, WhichMail};
use crate::services::contract::show::Moment;
use crate::services::email::message::mail::{DRAFT, FROM, Mail, OWN, TO, UNREAD};
use brain_core::limits::MAIL_RESULTS_MAX;
use brain_core::ports::{Query, Ranking};
use brain_language::language::words::{stems, words};

/// A search, as the command states it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MailQuery {
    /// Words that must all be there.
    text: Vec<String>,
    from: String,
    to: String,
    subject: String,
    since: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
    unread: Option<bool>,
    which: Option<WhichMail>,
    /// Only what others wrote.
    others: bool,
    /// Drafts are looked for as well.
    pub drafts: bool,
}

/// Words that say nothing about what is looked for.
pub(in crate::services::email) const FILLERS: [&str; 34] = [
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
pub(in crate::services::email) const NEWEST: [&str; 6] = ["last", "latest", "newest", "recent", "letzte", "ultimo"];

/// The words that mean something; all words when none does.
pub(in crate::services::email) fn meaningful(text: &str) -> Vec<String> {
    let all = words(text);
    let kept: Vec<String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    if kept.is_empty() { all } else { kept }
}

/// The same as they are written, for whoever reads them another way.
pub(in crate::services::email) fn meaningful_as_written(text: &str) -> Vec<String> {
    let kept = meaningful(text);
    let edges = |c: char| !c.is_alphanumeric();
    let said = text.split_whitespace().map(|word| word.trim_matches(edges)).filter(|word| !word.is_empty());
    said.filter(|word| words(word).iter().any(|word| kept.contains(word))).map(str::to_owned).collect()
}

fn is_draft_word(word: &str) -> bool {
    matches!(word, "draft" | "drafts")
}

impl MailQuery {
    /// What a search asks for. What is no time counts as not given.
    pub fn of(wanted: &SearchMail, zone: Tz) -> Self {
        let said = |text: &Option<String>| words(text.as_deref().unwrap_or_default()).join(" ");
        let named = |text: &Option<String>| meaningful(text.as_deref().unwrap_or_default()).join(" ");
        let time = |text: &Option<String>| {
            Moment::read(text.as_deref()?.trim(), zone).map(|at| at.start(zone).with_timezone(&Utc))
        };
        let text = meaningful(wanted.text.as_deref().unwrap_or_default());
        Self {
            drafts: text.iter().any(|word| is_draft_word(word)),
            text,
            from: named(&wanted.from),
            to: named(&wanted.to),
            others: false,
            subject: said(&wanted.subject),
            since: time(&wanted.since),
            before: time(&wanted.before),
            unread: wanted.unread,
            which: wanted.which,
        }
    }

    /// The time it is about, as far as one was named.
    pub(in crate::services::email) fn times(&self) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        (self.since, self.before)
    }

    /// True when it asks for nothing that stands in a mail.
    pub(in crate::services::email) fn is_wordless(&self) -> bool {
        self.text.is_empty() && [&self.from, &self.to, &self.subject].iter().all(|words| words.is_empty())
    }

    /// The same for the index: of drafts, or of everything else.
    pub(in crate::services::email) fn query(&self, drafts: bool) -> Query {
        let text = self.text.iter().filter(|word| !drafts || !is_draft_word(word)).map(String::as_str);
        let people = [(FROM, &self.from), (TO, &self.to)].into_iter().filter(|(_, words)| !words.is_empty());
        let is = |unread: bool| (self.unread == Some(unread)).then(|| UNREAD.to_owned());
        let draft = |wanted: bool| (wanted == drafts).then(|| DRAFT.to_owned());
        Query {
            text: text.collect::<Vec<_>>().join(" "),
            in_title: self.subject.clone(),
            people: people.map(|(role, words)| (role.to_owned(), words.clone())).collect(),
            flags: is(true).into_iter().chain(draft(true)).collect(),
            without: is(false).into_iter().chain(draft(false)).chain(self.others.then(|| OWN.to_owned())).collect(),
            from: self.since,
            until: self.before,
            ranking: match self.which {
                Some(WhichMail::Oldest) => Ranking::Oldest,
                Some(WhichMail::Newest) => Ranking::Newest,
                None if self.text.is_empty() => Ranking::Newest,
                None => Ranking::Relevance,
            },
            limit: MAIL_RESULTS_MAX,
            ..Query::default()
        }
    }

    /// True when their time tells which come first, and no words do.
    pub(in crate::services::email) fn is_by_time(&self) -> bool {
        self.text.is_empty() || self.which.is_some()
    }

    /// The one that is asked for.
    pub(in crate::services::email) fn which(&self) -> Option<WhichMail> {
        self.which
    }

    /// By what those that fit are in order.
    pub(in crate::services::email) fn order(&self) -> &'static str {
        match self.which {
            Some(WhichMail::Oldest) => "oldest first",
            _ if self.is_by_time() => "newest first",
            _ => "best match first, not by date",
        }
    }

    /// Of whom, in words.
    pub fn sender(&self) -> &str {
        &self.from
    }

    /// The same from this address.
    pub(in crate::services::email) fn of_address(&self, address: &str) -> Self {
        Self { from: address.to_owned(), ..self.clone() }
    }

    /// The same of anybody else, where the words for the sender stand in the mail.
    pub(in crate::services::email) fn saying_sender(&self) -> Self {
        let text = self.text.iter().cloned().chain(words(&self.from)).collect();
        Self { text, from: String::new(), others: true, ..self.clone() }
    }

    /// Whether a mail of this moment fits, as far as that tells.
    pub(in crate::services::email) fn fits(&self, unread: bool, date: DateTime<Utc>) -> bool {
        self.unread.is_none_or(|wanted| wanted == unread)
            && self.since.is_none_or(|since| date >= since)
            && self.before.is_none_or(|before| date < before)
    }

    /// How many of the words stand in the subject or the sender's name.
    pub(in crate::services::email) fn prominence(&self, mail: &Mail) -> usize {
        if self.is_by_time() {
            return 0;
        }
        let prominent = stems(&format!("{} {}", mail.head.parsed.subject, mail.head.parsed.from.name));
        stems(&self.text.join(" ")).iter().filter(|stem| prominent.contains(stem)).count()
    }
}
