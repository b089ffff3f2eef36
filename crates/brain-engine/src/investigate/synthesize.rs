//! The answer of an investigation without a model: what was found, numbered, and what could not be looked at.
//!
//! Invariants: every row stands for something that was found; a list that is cut says how much more there is; gaps are
//! named. Less fluent than a model, and as true.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::features::SenderSort;
use super::features::amounts::Amount;
use super::finding::Finding;
use super::graph::AnswerKind;
use super::node::FindingSort;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::{ROW_CHARS_MAX, ROW_PEOPLE_MAX};
use brain_language::language::requests::QuestionFamily;
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference};
use brain_services::services::contract::searchable::{FoundItem, ItemKind, ItemMark, Party};

/// A row of an answer, as it is kept for what is asked next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRow {
    /// What was found; a number or a button on the row means its id.
    pub item: FoundItem,
    /// What matters of it.
    pub summary: String,
    /// Whom it is with.
    pub with: Option<Party>,
    /// Since when it waits.
    pub since: Option<DateTime<Utc>>,
    /// By when.
    pub due: Option<DateTime<Utc>>,
    /// Of what sorts it is.
    pub sorts: Vec<FindingSort>,
    /// The amount that was asked for.
    pub amount: Option<Amount>,
    /// How often, of somebody.
    pub count: usize,
    /// Something of it is open.
    pub is_open: bool,
    /// Above which rows it stands.
    pub section: Option<String>,
    /// It reads like a fraud, which is said wherever it is shown.
    #[serde(default)]
    pub is_suspect: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl AnswerRow {
    /// Of a finding; `topic` says which of its amounts is meant.
    pub fn of(finding: &Finding, section: Option<&str>, topic: Option<&str>) -> Self {
        let features = finding.features.as_ref();
        let is_open = match finding.item.kind {
            ItemKind::Task => finding.item.is(ItemMark::Open),
            ItemKind::Thread => {
                features.is_some_and(|f| f.i_owe.is_some() || f.they_owe.is_some() || f.machine_asks.is_some())
            }
            ItemKind::Event | ItemKind::Note | ItemKind::Fact | ItemKind::Talk | ItemKind::Person => false,
        };
        Self {
            item: FoundItem {
                people: finding.item.people.iter().take(ROW_PEOPLE_MAX).cloned().collect(),
                ..finding.item.clone()
            },
            summary: finding.summary.clone(),
            with: finding.with.clone(),
            since: finding.since,
            due: finding.due,
            sorts: finding.sorts.clone(),
            amount: meant(finding, topic).cloned(),
            count: if finding.item.kind == ItemKind::Person { finding.score as usize } else { 0 },
            is_open,
            section: section.map(str::to_owned),
            is_suspect: finding.sender() == SenderSort::Suspect,
            warning: features.and_then(|features| features.warning.clone()),
        }
    }

    /// What it is, without what is told of it: a line below words that tell that.
    pub fn name(&self, reference: &Reference) -> String {
        let bare = Self { summary: String::new(), with: None, since: None, due: None, ..self.clone() };
        bare.line(AnswerKind::Model, reference)
    }

    /// One line, without its number.
    pub fn line(&self, answers: AnswerKind, reference: &Reference) -> String {
        let title = visible(&shorten(&self.item.title, ROW_CHARS_MAX));
        let line = match self.item.kind {
            ItemKind::Thread => self.thread(&title, answers, reference),
            ItemKind::Event => format!("📅 {title} · {}{}", self.when(reference), self.company()),
            ItemKind::Task => {
                let mark = if self.item.is(ItemMark::Done) { "✔️" } else { "☐" };
                let due = self.item.at.map(|at| format!(" · due {}", self.day_or_time(at, reference)));
                format!("{mark} {title}{}", due.unwrap_or_default())
            }
            ItemKind::Note => format!("📝 {title}{}", self.said()),
            ItemKind::Fact => format!("🧠 {title}: {}", visible(&self.summary)),
            ItemKind::Talk => format!("💬 {title}"),
            ItemKind::Person => {
                let times = if self.count == 1 { "once" } else { "times" };
                let count = if self.count == 1 { times.to_owned() } else { format!("{} {times}", self.count) };
                format!("👤 {title} · {count}")
            }
        };
        shorten(&line, ROW_CHARS_MAX * 3)
    }

    fn thread(&self, title: &str, answers: AnswerKind, reference: &Reference) -> String {
        let who = self.with.as_ref().map(Party::label).filter(|who| !who.is_empty());
        let who = who.map_or_else(String::new, |who| format!("{who} · "));
        let amount = self.amount.as_ref().filter(|_| answers == AnswerKind::Family(QuestionFamily::FindAmount));
        if let Some(amount) = amount {
            return format!("✉️ {}{} · {title} · “{}”", self.warning(), amount.text, visible(&amount.within));
        }
        let due = self.due.map(|due| {
            let late = if due < reference.now { "was due" } else { "due" };
            format!(" · {late} {}", describe(due, reference))
        });
        let since = match (self.since, self.item.at) {
            (Some(since), _) => format!(" · since {}", day(since, reference)),
            (None, Some(at)) => format!(" · {}", day(at, reference)),
            (None, None) => String::new(),
        };
        // Everything about something holds what is settled as well.
        let open = self.is_open && answers == AnswerKind::Family(QuestionFamily::About);
        let open = if open { " · open" } else { "" };
        format!("✉️ {}{who}{title}{}{}{since}{open}", self.warning(), self.said(), due.unwrap_or_default())
    }

    fn warning(&self) -> String {
        match (&self.warning, self.is_suspect) {
            (Some(why), _) => format!("⚠️ may be a fraud, {} · ", visible(why)),
            (None, true) => "⚠️ may be a fraud · ".to_owned(),
            (None, false) => String::new(),
        }
    }

    fn said(&self) -> String {
        let said = visible(&shorten(&self.summary.replace('\n', " "), ROW_CHARS_MAX));
        if said.is_empty() { String::new() } else { format!(" · “{said}”") }
    }

    fn when(&self, reference: &Reference) -> String {
        let Some(at) = self.item.at else { return String::new() };
        let start = self.day_or_time(at, reference);
        match self.item.until.filter(|_| !self.item.is(ItemMark::WholeDay)) {
            Some(until) => format!("{start}–{}", until.with_timezone(&reference.zone).format("%H:%M")),
            None => start,
        }
    }

    fn company(&self) -> String {
        let names: Vec<String> = self.item.people.iter().take(3).map(Party::label).collect();
        let more = self.item.people.len().saturating_sub(names.len());
        match (names.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!(" · with {}", names.join(", ")),
            (false, more) => format!(" · with {} and {more} more", names.join(", ")),
        }
    }

    fn day_or_time(&self, at: DateTime<Utc>, reference: &Reference) -> String {
        if self.item.is(ItemMark::WholeDay) { day(at, reference) } else { describe(at, reference) }
    }
}

fn day(at: DateTime<Utc>, reference: &Reference) -> String {
    time::describe(at.with_timezone(&reference.zone), Grain::Day, reference)
}

/// An instant; midnight is the end of the day before.
fn describe(at: DateTime<Utc>, reference: &Reference) -> String {
    let local = at.with_timezone(&reference.zone);
    if local.time() == chrono::NaiveTime::MIN {
        return time::describe(local - chrono::Duration::seconds(1), Grain::Day, reference);
    }
    time::describe(local, Grain::Minute, reference)
}

/// The amount that shares most words with what is asked, by its name, its people or its figure; else none.
fn meant<'a>(finding: &'a Finding, topic: Option<&str>) -> Option<&'a Amount> {
    let amounts = &finding.amounts;
    let stems = |text: &str| brain_language::language::terms::stems(&brain_language::language::terms::fold(text));
    let wanted = stems(topic.unwrap_or_default());
    let shared = |amount: &Amount| {
        let said = stems(&amount.within);
        wanted.iter().filter(|word| said.contains(word)).count()
    };
    // Of equally good ones the first: a total comes before what it is made of.
    let best = amounts.iter().map(shared).max()?;
    let people = finding.item.people.iter().map(Party::label);
    let named = people.chain([finding.item.title.clone()]).flat_map(|text| stems(&text));
    let is_asked = best > 0 || wanted.is_empty() || finding.is(FindingSort::About);
    if !is_asked && !named.collect::<Vec<_>>().iter().any(|word| wanted.contains(word)) {
        return None;
    }
    let total = |amount: &&Amount| stems(&amount.within).iter().any(|word| word.starts_with("total"));
    let all: Vec<&Amount> = amounts.iter().filter(|amount| shared(amount) == best).collect();
    all.iter().copied().find(|amount| total(amount)).or(all.first().copied())
}

/// The sentence above the rows.
pub fn heading(answers: AnswerKind, found: usize, topic: &str, is_open: bool) -> String {
    use QuestionFamily as F;
    let AnswerKind::Family(family) = answers else {
        return match (answers, found) {
            (AnswerKind::Search, 0) => {
                format!("🔎 I found nothing that says “{topic}”. I looked for these words, no more.")
            }
            (AnswerKind::Search, _) => {
                format!("🔎 I couldn't take that question apart, so this is a search for “{topic}”, best first:")
            }
            (_, 0) => "🔎 I found nothing for that.".to_owned(),
            (_, _) => "🔎 This is what I found:".to_owned(),
        };
    };
    let things = |one: &str, many: &str| if found == 1 { format!("1 {one}") } else { format!("{found} {many}") };
    let about = if topic.is_empty() { String::new() } else { format!(" about “{topic}”") };
    let that = if topic.is_empty() { "that" } else { topic };
    // What it is called in the mail may be another word.
    let none = |calm: &str, what: &str| match about.as_str() {
        "" => calm.to_owned(),
        about => format!("🔎 I found nothing{about} {what}."),
    };
    match (family, found) {
        (F::WaitingOnMe, 0) => none(
            "✅ Nobody waits for an answer from you, as far as your mail tells.",
            "that waits for an answer from you",
        ),
        (F::WaitingOnMe, _) => {
            format!("📬 {} for an answer from you{about}:", things("conversation waits", "conversations wait"))
        }
        (F::WaitingOnOthers, 0) => {
            none("✅ You wait for nobody's answer, as far as your mail tells.", "that you wait for an answer to")
        }
        (F::WaitingOnOthers, _) => {
            format!("⏳ You wait for others{about} in {}:", things("conversation", "conversations"))
        }
        (F::PromisedToMe, 0) => format!("🤝 I found no promise to you{about} in your mail."),
        (F::PromisedToMe, _) => format!("🤝 Promised to you{about}, in {}:", things("conversation", "conversations")),
        (F::PromisedByMe, 0) => format!("🤝 I found no promise of yours{about} in your mail."),
        (F::PromisedByMe, _) => format!("🤝 Promised by you{about}, in {}:", things("conversation", "conversations")),
        (F::About, 0) if is_open => format!("✅ I found nothing open about {topic}."),
        (F::About, _) if is_open => format!("📌 Still open about {topic}, {}:", things("thing", "things")),
        (F::About, 0) => format!("🔎 I found nothing about {topic}."),
        (F::About, _) => format!("🔎 About {topic}, {}:", things("thing", "things")),
        (F::NeedsMe, 0) => "✅ Nothing needs you then.".to_owned(),
        (F::NeedsMe, _) => format!("📋 {} you:", things("thing needs", "things need")),
        (F::Prepare, 0) => "📅 I found no meeting like that to come.".to_owned(),
        (F::Prepare, _) => "📅 To prepare:".to_owned(),
        (F::Unanswered, 0) => {
            none("✅ You have answered everybody, as far as your mail tells.", "that you have not answered")
        }
        (F::Unanswered, _) => format!("📭 Not answered{about}, {}:", things("thing", "things")),
        (F::WritesMost, 0) | (F::MeetsMost, 0) => "👥 I found nobody in that time.".to_owned(),
        (F::WritesMost, _) => "👥 You write most with:".to_owned(),
        (F::MeetsMost, _) => "👥 You meet most:".to_owned(),
        (F::FindAttachment, 0) if topic.is_empty() => "🔎 I found no mail with an attachment like that.".to_owned(),
        (F::FindAttachment, 0) => format!("🔎 I found no mail with an attachment that fits “{topic}”."),
        (F::FindAmount | F::Find, 0) => format!("🔎 I found nothing about {that} in your mail and notes."),
        (F::FindInvoice | F::FindBooking, 0) => format!("🔎 I found no mail about {that}."),
        (F::FindAmount | F::Find, _) => format!("🔎 {}:", things("thing fits", "things fit")),
        (F::FindInvoice | F::FindBooking | F::FindAttachment, _) => {
            format!("🔎 {}:", things("mail fits", "mails fit"))
        }
    }
}
