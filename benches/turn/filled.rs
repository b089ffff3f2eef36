//! A data folder as years of use leave it: so many of everything, written past the program, and one thing of each kind
//! that nothing else is like, for whoever looks for it.

use std::fs;
use std::io::Write;
use std::path::Path;

use brain_agent::app;
use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::{Done, Origin, Path as TurnPath};
use brain_agent::ports::records::{Audit, ChatState, Due, DueKind, Message, Speaker, TurnTrace};
use brain_agent::ports::{Batch, Change, Expect, Key, Store, Table};
use brain_agent::services::email::mailbox::source::maildir::Maildir;
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Value, json};

/// Whose everything is, on the console.
pub const OWNER: &str = "me";
/// In the title of one thing of each kind.
pub const NEEDLE: &str = "zanzibar";

/// Records of one commit.
const AT_ONCE: usize = 2_000;
/// Of so many tasks one is still open.
const OPEN_EVERY: usize = 10;
/// Events that come again and again: nobody has more.
const SERIES_MAX: usize = 20;

const WHAT: [&str; 24] = [
    "invoice",
    "garden",
    "dentist",
    "passport",
    "printer",
    "holiday",
    "budget",
    "kitchen",
    "insurance",
    "birthday",
    "report",
    "contract",
    "flight",
    "school",
    "bicycle",
    "meeting",
    "parcel",
    "museum",
    "recipe",
    "window",
    "concert",
    "laptop",
    "seminar",
    "balcony",
];
const HOW: [&str; 16] = [
    "renew",
    "call about",
    "pay for",
    "plan",
    "repair",
    "collect",
    "order",
    "review",
    "send",
    "clean",
    "measure",
    "return",
    "book",
    "sign",
    "paint",
    "sort",
];
const WHO: [&str; 20] = [
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Henry", "Ida", "Jonas", "Klara", "Leo", "Mia", "Noah",
    "Olga", "Paul", "Rosa", "Sven", "Tilda", "Vera",
];

/// How much of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Mails, tasks, events, notes, memories and contacts, of each.
    pub things: usize,
    /// Turns of the conversation.
    pub turns: usize,
}

/// Fills the folder; its owner is `owner`.
pub fn fill(data: &Path, owner: &str, amount: Amount) {
    let records = Filler { owner: UserId::new(owner), chat: ChatId::new(format!("console:{owner}")), now: Utc::now() };
    app::runtime().expect("a runtime").block_on(async {
        let store = app::open_store(data).await.expect("a store");
        let mut batch = Batch::default();
        for n in 0..amount.things {
            for change in records.things(n, amount.things) {
                batch.changes.push(change);
            }
            commit_full(store.as_ref(), &mut batch, AT_ONCE).await;
        }
        for n in 0..amount.turns {
            records.turn(n, amount.turns, &mut batch);
            commit_full(store.as_ref(), &mut batch, AT_ONCE).await;
        }
        let mut chat = ChatState::new(records.chat.clone());
        chat.next_message = 2 * amount.turns as u64 + 1;
        batch.put(&chat, Expect::Any).expect("a record");
        commit_full(store.as_ref(), &mut batch, 1).await;
        store.close().await;
    });
    mails(data, owner, amount.things);
}

async fn commit_full(store: &dyn Store, batch: &mut Batch, full: usize) {
    if batch.changes.len() >= full {
        store.commit(std::mem::take(batch)).await.expect("a commit");
    }
}

struct Filler {
    owner: UserId,
    chat: ChatId,
    now: DateTime<Utc>,
}

impl Filler {
    /// One of each kind.
    fn things(&self, n: usize, of: usize) -> Vec<Change> {
        let mut changes = vec![self.event(n, of), self.note(n), self.memory(n), self.contact(n)];
        changes.extend(self.task(n));
        changes
    }

    fn record(&self, table: Table, id: &str, body: &Value) -> Change {
        let mut change = Change::delete(table, Key::of(&[self.owner.as_str(), id]), Expect::Any);
        change.put = Some((1, body.to_string().into_bytes()));
        change
    }

    fn task(&self, n: usize) -> Vec<Change> {
        let id = format!("task{n}");
        // Spread over the time before and behind, so that a day holds as many however many there are.
        let is_open = n.is_multiple_of(OPEN_EVERY);
        let due = is_open.then(|| self.now + Duration::hours(30 + 7 * n as i64));
        let body = json!({
            "id": id, "owner": self.owner, "chat": self.chat, "title": title(n), "description": null, "priority": null,
            "deadline": due.map(stored), "zone": "UTC", "repeat": null, "anchor": null,
            "status": if is_open { "open" } else { "done" }, "created_at": self.now - Duration::days(400),
            "done_at": (!is_open).then(|| self.now - Duration::hours(n as i64)), "reminded_at": null,
        });
        let mut changes = vec![self.record(Table::Tasks, &id, &body)];
        if let Some(at) = due {
            let kind = DueKind::Item { service: "task".to_owned(), item: id };
            let due = Due { at, owner: self.owner.clone(), chat: self.chat.clone(), kind, meant: None };
            changes.push(Change::put(&due, Expect::Any).expect("a record"));
        }
        changes
    }

    fn event(&self, n: usize, of: usize) -> Change {
        let from = self.now + Duration::hours(5 * (n as i64 - of as i64 / 2) + 2);
        let body = json!({
            "id": format!("event{n}"), "owner": self.owner, "summary": title(n), "start_time": stored(from),
            "end_time": stored(from + Duration::hours(1)), "zone": "UTC", "location": null, "attendees": [],
            "notes": null, "recurrence": (n > 0 && n <= SERIES_MAX.min(of / 10)).then_some("FREQ=WEEKLY"),
            "created_at": self.now,
        });
        self.record(Table::Events, &format!("event{n}"), &body)
    }

    fn note(&self, n: usize) -> Change {
        let at = self.now - Duration::minutes(n as i64 + 60);
        let body = json!({
            "id": format!("note{n}"), "owner": self.owner, "title": title(n), "text": text(n), "items": [],
            "created_at": at, "updated_at": at,
        });
        self.record(Table::Notes, &format!("note{n}"), &body)
    }

    fn memory(&self, n: usize) -> Change {
        let body = json!({
            "id": format!("memory{n}"), "owner": self.owner, "category": WHAT[n % WHAT.len()], "key": title(n),
            "value": format!("{} says {}", WHO[n % WHO.len()], HOW[n / 7 % HOW.len()]), "source": "told by you",
            "at": self.now - Duration::minutes(n as i64 + 60),
        });
        self.record(Table::Memories, &format!("memory{n}"), &body)
    }

    fn contact(&self, n: usize) -> Change {
        let name = match n {
            0 => "Zoe Zanzibar".to_owned(),
            _ => format!("{} Family{n}", WHO[n % WHO.len()]),
        };
        let body = json!({
            "owner": self.owner, "id": format!("contact{n}"), "name": name,
            "emails": [format!("person{n}@people.example")], "phones": [],
        });
        self.record(Table::Contacts, &format!("contact{n}"), &body)
    }

    fn turn(&self, n: usize, of: usize, batch: &mut Batch) {
        let at = self.now - Duration::minutes(10 * (of - n) as i64);
        for (half, speaker) in [Speaker::Person, Speaker::Assistant].into_iter().enumerate() {
            let message = Message {
                chat: self.chat.clone(),
                number: (2 * n + half) as u64 + 1,
                speaker,
                text: text(n),
                origin: Origin::Typed,
                at,
                actions: Vec::new(),
                message: None,
                by: Some(self.owner.clone()),
                source: None,
                undo: Vec::new(),
                outcomes: Vec::new(),
                untrusted: Vec::new(),
                only_proposes: false,
            };
            batch.put(&message, Expect::Any).expect("a record");
        }
        let (user, chat) = (self.owner.clone(), self.chat.clone());
        let done = Done::quiet(TurnPath::Chat);
        let trace = TurnTrace { id: format!("turn{n}"), user, chat, at, done, spans: Vec::new(), investigation: None };
        batch.put(&trace, Expect::Any).expect("a record");
        let audit = Audit {
            at,
            id: format!("audit{n}"),
            by: self.owner.clone(),
            what: "approved".to_owned(),
            pending: None,
            state: None,
            digest: None,
            actions: Vec::new(),
        };
        batch.put(&audit, Expect::Any).expect("a record");
    }
}

/// A Maildir with so many mails, a tenth of them sent.
pub fn mails(data: &Path, owner: &str, count: usize) {
    let root = Maildir::of(data, &UserId::new(owner)).root().to_owned();
    for folder in ["cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    let now = Utc::now();
    for n in 0..count {
        let at = now - Duration::minutes(37 * n as i64 + 5);
        let is_sent = n % 10 == 3;
        let other = format!("{} Family <person{n}@people.example>", WHO[n % WHO.len()]);
        let me = format!("{owner}@home.example");
        let (from, to) = if is_sent { (me, other) } else { (other, me) };
        let name = format!("{}.M{n}.bench:2,S", at.timestamp());
        let path = root.join(if is_sent { ".Sent/cur" } else { "cur" }).join(name);
        let mut file = fs::File::create(path).expect("a mail");
        write!(
            file,
            "From: {from}\r\nTo: {to}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <mail{n}@people.example>\r\n\r\n{}\r\n",
            title(n),
            at.to_rfc2822(),
            text(n),
        )
        .expect("a mail");
    }
}

/// The first is like none of the others.
fn title(n: usize) -> String {
    match n {
        0 => format!("Print the {NEEDLE} brochure"),
        _ => format!("{} {} {n} with {}", HOW[n % HOW.len()], WHAT[n / 3 % WHAT.len()], WHO[n / 5 % WHO.len()]),
    }
}

/// Three hundred characters or so.
fn text(n: usize) -> String {
    let sentence = |k: usize| {
        let at = n.wrapping_mul(31).wrapping_add(k * 7);
        format!(
            "{} and I {} the {} before {}.",
            WHO[at % WHO.len()],
            HOW[at / 3 % HOW.len()],
            WHAT[at / 7 % WHAT.len()],
            WHAT[at / 11 % WHAT.len()]
        )
    };
    (0..8).map(sentence).collect::<Vec<_>>().join(" ")
}

fn stored(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
