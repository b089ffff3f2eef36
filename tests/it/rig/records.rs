//! What became of everything: read from the store and the log, not from the words.

use brain_agent::core::ids::PendingId;
use brain_agent::core::pending::{Pending, State};
use brain_agent::core::plan::Action;
use brain_agent::ports::records::{Audit, Clarification, Due};
use brain_agent::ports::{Batch, Change, Expect, Key, Order, Reader, Record, RecordExt, Scan, Stored, Table};
use brain_agent::services::task::{Task, TaskStatus};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::log::Event;
use super::{ME, Rig, chat_of};

impl Rig {
    /// The stored card.
    pub async fn pending(&self, id: &PendingId) -> Pending {
        self.brain.pending(id).await.unwrap().unwrap().0
    }

    /// Every record of a kind, whoever it belongs to, in the order of their keys.
    pub async fn all<R: Record>(&self) -> Vec<R> {
        self.store.list_all::<R>(&[]).await.unwrap()
    }

    /// Every card of any state.
    pub async fn all_pending(&self) -> Vec<Pending> {
        self.all().await
    }

    /// When the program would wake: what falls due is kept in the order of its time.
    pub async fn next_due(&self) -> Option<DateTime<Utc>> {
        self.store.list::<Due>(Scan::of::<Due>(&[], 1)).await.unwrap().first().map(|(due, _)| due.at)
    }

    /// The titles of the tasks that are to do, whoever they belong to.
    pub async fn open_tasks(&self) -> Vec<String> {
        let tasks: Vec<Task> = self.all().await;
        tasks.into_iter().filter(|task| task.status == TaskStatus::Open).map(|task| task.title).collect()
    }

    /// The question that is open in [`ME`]'s own chat.
    pub async fn question(&self) -> Option<Clarification> {
        self.brain.chat_state(&chat_of(ME)).await.unwrap().clarification
    }

    /// Changes the stored bytes of a card behind the program's back.
    pub async fn alters(&self, id: &PendingId, change: impl FnOnce(&mut Pending)) {
        let mut pending = self.pending(id).await;
        change(&mut pending);
        let change = Change::put(&pending, Expect::Any).unwrap();
        self.store.put_quietly(Batch { changes: vec![change] });
    }

    pub async fn audit(&self) -> Vec<Audit> {
        self.all().await
    }

    /// Every action a service was told to perform, in order.
    pub fn performed(&self) -> Vec<Action> {
        let performed = self.log.events().into_iter().filter_map(|event| match event {
            Event::Performed { action, .. } => Some(action),
            Event::Committed(_) | Event::Shown(_) => None,
        });
        performed.collect()
    }

    /// Those among them that send, destroy, or change what others see.
    pub fn effects(&self) -> Vec<Action> {
        let mut performed = self.performed();
        performed.retain(is_high_stakes);
        performed
    }

    /// How many records of a service the store holds.
    pub async fn count(&self, table: Table) -> usize {
        self.records(table).await.len()
    }

    /// Everything that a table says.
    pub async fn bodies(&self, table: Table) -> String {
        let records = self.records(table).await.into_iter();
        records.map(|(_, stored)| String::from_utf8(stored.body).unwrap()).collect::<Vec<_>>().join("\n")
    }

    async fn records(&self, table: Table) -> Vec<(Key, Stored)> {
        let scan =
            Scan { table, by: None, prefix: None, before: None, after: None, order: Order::Ascending, limit: 10_000 };
        self.store.scan(scan).await.unwrap()
    }
}

/// The states that a batch gives to pending actions.
pub fn states_in(batch: &Batch) -> Vec<State> {
    let cards = batch.changes.iter().filter(|c| c.table == Table::Pending);
    let bodies = cards.filter_map(|change| change.put.as_ref());
    bodies.map(|(_, body)| serde_json::from_slice::<Pending>(body).unwrap().state).collect()
}

/// What DESIGN §3 marks with **H**, written down a second time and apart from the catalog on purpose: the
/// tests must not believe the code they test.
pub fn is_high_stakes(action: &Action) -> bool {
    let invites = |params: &Value| params["attendees"].as_array().is_some_and(|a| !a.is_empty());
    let by_command = match (action.service.as_str(), action.command.as_str()) {
        ("task", "delete")
        | ("calendar", "update_event" | "delete_event")
        | ("email", "send_email" | "reply_to_email" | "reply_all" | "forward_email" | "answer_invitation" | "delete_email")
        | ("memory", "forget")
        | ("keep" | "contacts", "delete") => true,
        ("calendar", "create_event") => invites(&Value::Object(action.params.clone())),
        ("task", "create" | "list" | "update" | "complete")
        | ("calendar", "list_events" | "find_free_time" | "remind_of_event")
        | ("email", "search" | "read_thread" | "create_draft" | "mark")
        | ("memory", "store" | "update" | "recall")
        | ("keep", "create" | "append" | "tick" | "untick" | "remove" | "list" | "search")
        | ("contacts", "find" | "save")
        // What undo does.
        | ("task" | "calendar" | "contacts", "restore") => false,
        // A press on exactly this asks for it.
        ("calendar", "add_events" | "snooze_event") => false,
        // Nobody knows what it does.
        _ => true,
    };
    by_command || !action.taints.is_empty()
}
