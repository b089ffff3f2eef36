//! Erasure scan: looking through the records for what was forgotten.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::pipeline::brain::Brain;
use brain_core::archive;
use brain_core::core::attachment;
use brain_core::core::forgotten::{Forgotten, MARK};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::pending::State;
use brain_core::limits;
use brain_core::ports::records::{Erasure, Message, Speaker, Undo};
use brain_core::ports::{Batch, Change, Expect, Key, Order, Scan, StoreError, Stored, Table};
use brain_core::ports::{from_stored, optimistic};

/// Where an outgoing message has the bytes of a file that is no text.
const PACKED_FILE: &str = "/show/Send/attachment/base64";

/// What becomes of a record that has it.
enum Treatment {
    /// The mark takes its place; the words of turns about the thing itself go whole.
    Conversation,
    /// The mark takes its place.
    Marked,
    /// It goes: a half of it would be of no use.
    Dropped,
    /// It goes, whatever it says: it may say it in other words. Summaries and vectors are made again of what is left; what
    /// nodes of turns got and gave is not.
    Whole,
    /// It stays: it holds no words, or belongs to what people keep.
    Left,
}

fn treatment(table: Table) -> Treatment {
    match table {
        Table::Messages => Treatment::Conversation,
        Table::Outbox | Table::Chats | Table::Pending | Table::Shown | Table::Runs => Treatment::Marked,
        Table::Audit | Table::Turns => Treatment::Marked,
        // What is restored, or done again, is done with the very words or not at all.
        Table::Undo | Table::Meta | Table::Aside => Treatment::Dropped,
        Table::Summaries | Table::Vectors | Table::Contents => Treatment::Whole,
        // An update loses its words with the turn that answers it.
        Table::Inbox => Treatment::Left,
        Table::Users | Table::PendingOpen | Table::Cards | Table::Due | Table::Erasures => Treatment::Left,
        Table::Tasks | Table::Events | Table::Notes | Table::Memories | Table::Contacts => Treatment::Left,
        Table::MailFolders | Table::MailUids | Table::Tools => Treatment::Left,
        Table::Watches | Table::Compressions | Table::Usage | Table::Forgotten => Treatment::Left,
    }
}

/// True for what the person still has to see or decide, or what is being done: it does not change under them.
fn is_open(table: Table, record: &Value) -> bool {
    match table {
        Table::Pending => match serde_json::from_value(record["state"].clone()) {
            Ok(State::Pending | State::Approved | State::Executing | State::Unknown) | Err(_) => true,
            Ok(State::Succeeded | State::Failed | State::Denied | State::Expired | State::Superseded) => false,
        },
        Table::Outbox => {
            let sent = &record["show"]["Send"];
            !sent["card"].is_null() || sent["notifications"].as_array().is_some_and(|told| !told.is_empty())
        }
        Table::Chats | Table::Runs => true,
        Table::Messages | Table::Shown | Table::Undo | Table::Audit | Table::Turns | Table::Meta => false,
        Table::Aside | Table::Usage | Table::Contents => false,
        Table::Inbox | Table::Users | Table::PendingOpen | Table::Cards | Table::Due | Table::Erasures => false,
        Table::Tasks | Table::Events | Table::Notes | Table::Memories | Table::Contacts => false,
        Table::MailFolders | Table::MailUids | Table::Tools => false,
        Table::Watches | Table::Summaries | Table::Compressions | Table::Vectors | Table::Forgotten => false,
    }
}

/// What is looked for, and in whose records.
pub(super) struct ErasureQuery<'a> {
    erasure: &'a Erasure,
    /// `None` when it is too short to be told from other words.
    pub(super) forgotten: Option<Forgotten>,
    /// Where the person talks among others.
    groups: BTreeSet<String>,
}

/// A record and where it is.
struct PlacedRecord {
    key: Key,
    stored: Stored,
    record: Value,
}

impl<'a> ErasureQuery<'a> {
    pub(super) async fn of(brain: &Brain, erasure: &'a Erasure) -> Result<Self, StoreError> {
        let forgotten = Forgotten::of(erasure.texts.iter().map(String::as_str));
        Ok(Self { erasure, forgotten, groups: groups_of(brain, &erasure.owner).await? })
    }

    /// Whether a record has it.
    pub(super) fn stands_in(&self, record: &Value) -> bool {
        self.forgotten.as_ref().is_some_and(|forgotten| forgotten.is_in(record))
    }

    /// Whether one of these still has it and is still open.
    pub(super) async fn stands_in_any(&self, brain: &Brain, records: &[(Table, Key)]) -> Result<bool, StoreError> {
        for (table, key) in records {
            let record = brain.store.get(*table, key).await?.and_then(|stored| parsed(&stored));
            if record.is_some_and(|record| is_open(*table, &record) && self.stands_in(&record)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Erases it wherever that may be done; gives the records that are still open.
    pub(super) async fn erased(&self, brain: &Brain) -> Result<Vec<(Table, Key)>, StoreError> {
        let mut open = Vec::new();
        for table in Table::ALL {
            let found = match treatment(table) {
                Treatment::Left => continue,
                Treatment::Conversation | Treatment::Marked | Treatment::Dropped | Treatment::Whole => {
                    optimistic(&[table], || self.erased_from(brain, table)).await?
                }
            };
            open.extend(found.into_iter().map(|key| (table, key)));
        }
        Ok(open)
    }

    /// One table, page by page; gives the keys of what is still open.
    async fn erased_from(&self, brain: &Brain, table: Table) -> Result<Vec<Key>, StoreError> {
        let mut open = Vec::new();
        let mut turn = Vec::new();
        let mut after = None;
        loop {
            // What nodes got and gave is long, and lies by person.
            let is_by_person = table == Table::Contents;
            let prefix = is_by_person.then(|| Key::prefix(&[self.erasure.owner.as_str()]));
            let limit = if is_by_person { limits::CONTENTS_STEP } else { limits::ERASURE_PAGE };
            let scan = Scan { table, by: None, prefix, before: None, after, order: Order::Ascending, limit };
            let page = brain.store.scan(scan).await?;
            after = page.last().map(|(key, _)| key.clone());
            let is_last = page.len() < limit;
            let mut batch = Batch::default();
            for (key, stored) in page {
                let Some(record) = parsed(&stored).filter(|record| self.is_the_persons(table, record)) else {
                    continue;
                };
                let found = PlacedRecord { key, stored, record };
                match treatment(table) {
                    Treatment::Left => {}
                    Treatment::Dropped => batch.changes.extend(self.dropped(table, &found)),
                    Treatment::Whole => {
                        batch.delete(table, found.key, Expect::Revision(found.stored.revision));
                    }
                    Treatment::Marked if is_open(table, &found.record) => {
                        open.extend(self.stands_in(&found.record).then_some(found.key));
                    }
                    Treatment::Marked => batch.changes.extend(self.marked(table, found)),
                    Treatment::Conversation => self.add_to_turn(&mut turn, found, &mut batch),
                }
            }
            if is_last {
                let rest = std::mem::take(&mut turn);
                batch.changes.extend(rest.into_iter().filter_map(|said| self.marked(table, said)));
            }
            if !batch.changes.is_empty() {
                brain.commit(batch).await?;
            }
            if is_last {
                return Ok(open);
            }
        }
    }

    /// Records name whose they are, or in which chat they belong; those that name neither are nobody's.
    fn is_the_persons(&self, table: Table, record: &Value) -> bool {
        let owner = &self.erasure.owner;
        if table == Table::Aside {
            // Of what could not be read only the place is known.
            let mut parts = record["key"].as_array().into_iter().flatten().filter_map(Value::as_str);
            return parts.any(|part| part == owner.as_str() || ChatId::new(part).is_private_of(owner));
        }
        let mut names = ["owner", "user", "by"].iter().filter_map(|field| record[*field].as_str()).peekable();
        let is_in_own_chat =
            record["chat"].as_str().map(|chat| ChatId::new(chat).is_private_of(owner) || self.groups.contains(chat));
        if table == Table::Vectors {
            // Those of other facts need not be made again.
            return record["owner"] == owner.as_str() && record["fact"] == self.erasure.item.as_str();
        }
        if table == Table::Summaries {
            // In a group the others' summaries have their words, too.
            return is_in_own_chat.unwrap_or(false);
        }
        let is_named = names.peek().is_some();
        names.all(|name| name == owner.as_str()) && is_in_own_chat.unwrap_or(is_named)
    }

    fn marked(&self, table: Table, mut found: PlacedRecord) -> Option<Change> {
        let forgotten = self.forgotten.as_ref()?;
        // A file that is no text is looked through unpacked.
        let packed = found.record.pointer_mut(PACKED_FILE).map(Value::take);
        let mut changed = forgotten.replace_in(&mut found.record);
        if let (Some(packed), Some(file)) = (packed, found.record.pointer_mut(PACKED_FILE)) {
            let bytes = packed.as_str().and_then(attachment::decoded);
            let marked = bytes.and_then(|bytes| archive::without(&bytes, &self.erasure.owner, forgotten));
            changed |= marked.is_some();
            *file = marked.map_or(packed, |marked| attachment::encoded(&marked).into());
        }
        if changed { put(table, &found) } else { None }
    }

    fn dropped(&self, table: Table, found: &PlacedRecord) -> Option<Change> {
        let restored = (table == Table::Undo).then(|| from_stored::<Undo>(&found.stored).ok()).flatten();
        let bodies = restored.into_iter().flat_map(|undo| undo.changes).filter_map(|change| change.put);
        let mut bodies = bodies.filter_map(|(_, body)| serde_json::from_slice::<Value>(&body).ok());
        // What is no text cannot be looked through; nobody can read it either.
        let is_dark = table == Table::Aside && !found.record["bytes"]["raw"].is_null();
        let has_it = is_dark || self.stands_in(&found.record) || bodies.any(|body| self.stands_in(&body));
        has_it.then(|| Change::delete(table, found.key.clone(), Expect::Revision(found.stored.revision)))
    }

    /// What people say belongs to the answer that follows it: both go whole when the answer names the thing.
    fn add_to_turn(&self, turn: &mut Vec<PlacedRecord>, found: PlacedRecord, batch: &mut Batch) {
        let is_answer = found.record["speaker"] == serde_json::json!(Speaker::Assistant);
        let chat = found.record["chat"].clone();
        let is_elsewhere = turn.first().is_some_and(|said| said.record["chat"] != chat);
        let before = if is_elsewhere { std::mem::take(turn) } else { Vec::new() };
        batch.changes.extend(before.into_iter().filter_map(|said| self.marked(Table::Messages, said)));
        turn.push(found);
        if !is_answer {
            return;
        }
        let about_it = turn.last().is_some_and(|answer| self.is_about_it(&answer.stored));
        for said in std::mem::take(turn) {
            let change = if about_it { self.emptied(said) } else { self.marked(Table::Messages, said) };
            batch.changes.extend(change);
        }
    }

    fn is_about_it(&self, answer: &Stored) -> bool {
        let message = from_stored::<Message>(answer);
        let acted_on = |id: &str| id == self.erasure.item;
        message
            .is_ok_and(|message| message.actions.iter().filter_map(|done| done.item.as_ref()).any(|i| acted_on(&i.id)))
    }

    /// A message of a turn about it: where its words are others, all of them go.
    fn emptied(&self, mut found: PlacedRecord) -> Option<Change> {
        let said = found.record["text"].clone();
        if let Some(forgotten) = &self.forgotten {
            forgotten.replace_in(&mut found.record);
        }
        if found.record["text"] == said {
            found.record["text"] = MARK.into();
        }
        // What was tried is told there in words of its own.
        if let Some(record) = found.record.as_object_mut() {
            record.remove("outcomes");
        }
        put(Table::Messages, &found)
    }
}

/// The chats among others in which this person has spoken.
async fn groups_of(brain: &Brain, owner: &UserId) -> Result<BTreeSet<String>, StoreError> {
    let (table, limit) = (Table::Messages, limits::ERASURE_PAGE);
    let mut groups = BTreeSet::new();
    let mut after = None;
    loop {
        let scan = Scan { table, by: None, prefix: None, before: None, after, order: Order::Ascending, limit };
        let page = brain.store.scan(scan).await?;
        let said = page.iter().filter_map(|(_, stored)| parsed(stored));
        let said = said.filter(|message| message["by"].as_str() == Some(owner.as_str()));
        groups.extend(said.filter_map(|message| message["chat"].as_str().map(str::to_owned)));
        match page.into_iter().next_back() {
            Some((last, _)) => after = Some(last),
            None => return Ok(groups),
        }
    }
}

fn parsed(stored: &Stored) -> Option<Value> {
    serde_json::from_slice(&stored.body).ok()
}

fn put(table: Table, found: &PlacedRecord) -> Option<Change> {
    let body = serde_json::to_vec(&found.record).ok()?;
    let expect = Expect::Revision(found.stored.revision);
    Some(Change { table, key: found.key.clone(), expect, put: Some((found.stored.version, body)) })
}
