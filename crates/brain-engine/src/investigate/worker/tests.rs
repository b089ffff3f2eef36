//! What a node finds is kept for as long as no source of it has changed.

mod faults;

use std::sync::Arc;

use chrono::Duration;
use serde_json::json;

use super::*;
use crate::investigate::cache::EvidenceCache;
use crate::investigate::node::{BatchThreadRead, KeywordSearch, MetadataFilter};
use crate::investigate::run::{RunEnd, whole};
use crate::testing::{RunBounds, World};
use brain_core::core::ids::UserId;
use brain_core::ports::CpuPool;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::contacts::Contacts;
use brain_services::services::{contacts, memory, notes, task};

/// A person with services, some mail, and a cache.
struct Kept {
    world: World,
    services: Registry,
    people: Arc<Contacts>,
    cache: EvidenceCache,
}

impl Kept {
    fn new() -> Self {
        let world = World::at(chrono_tz::Europe::Berlin, "2026-03-10 09:00");
        let (services, people) = world.services();
        Self { world, services, people, cache: EvidenceCache::default() }
    }

    /// A letter of Ann's arrives.
    fn letter(&self, name: &str, text: &str) {
        let head = format!("From: Ann <ann@example.com>\nTo: me@example.org\nSubject: {name}\nMessage-ID: <{name}@x>");
        let date = "Date: Mon, 09 Mar 2026 10:00:00 +0000";
        self.world.receive(name, &format!("{head}\n{date}\n\n{text}\n"));
    }

    async fn does(&self, service: &str, command: &str, params: serde_json::Value) {
        let services = self.services.now();
        self.world.run(services.find(service).unwrap(), command, params).await;
    }

    /// Runs these nodes: how much each found, with a `=` where it was kept.
    async fn found(&self, nodes: &[EvidenceNode]) -> String {
        let services = self.services.now();
        let sources = EvidenceSources {
            services: &services,
            people: self.people.as_ref(),
            index: self.world.index.as_ref(),
            ctx: &self.world.ctx,
            pool: &CpuPool::default(),
            features: &self.cache.features,
            since: None,
        };
        let cache = Some(self.cache.of(&self.world.ctx.owner, self.world.ctx.now));
        let worker = EvidenceWorker { sources, cache };
        let ran = RunBounds::default().run(&worker, whole(nodes.to_vec())).await;
        assert!(ran.end == RunEnd::Complete && ran.failed() == 0, "{ran:?}");
        let told = |output: &NodeOutput| format!("{}{}", output.findings.len(), if output.is_kept { "=" } else { "" });
        ran.outputs().map(|(id, output)| format!("{id} {}", told(output))).collect::<Vec<_>>().join(", ")
    }
}

fn tasks() -> EvidenceNode {
    let over = vec![ItemKind::Task];
    EvidenceNode::new("tasks", Strategy::MetadataFilter(MetadataFilter { over, ..MetadataFilter::default() }))
}

fn words(over: Vec<ItemKind>) -> EvidenceNode {
    let words = vec!["roof".to_owned()];
    EvidenceNode::new("words", Strategy::KeywordSearch(KeywordSearch { words, over, ..KeywordSearch::default() }))
}

fn mail_of(who: &[&str]) -> Vec<EvidenceNode> {
    let people = who.iter().map(|who| (*who).to_owned()).collect();
    let filter = MetadataFilter { over: vec![ItemKind::Thread], people, ..MetadataFilter::default() };
    let read = BatchThreadRead { items: "{{mail.items}}".to_owned(), ..BatchThreadRead::default() };
    vec![
        EvidenceNode::new("mail", Strategy::MetadataFilter(filter)),
        EvidenceNode::new("read", Strategy::BatchThreadRead(read)),
    ]
}

#[tokio::test]
async fn what_has_not_changed_is_not_looked_for_again() {
    let kept = Kept::new();
    kept.does(task::NAME, "create", json!({"title": "call the roofer"})).await;
    assert_eq!(kept.found(&[tasks()]).await, "tasks 1");
    kept.does(notes::NAME, "create", json!({"title": "roof"})).await;
    assert_eq!(kept.found(&[tasks()]).await, "tasks 1=", "a note is no task");
    kept.does(task::NAME, "create", json!({"title": "paint the fence"})).await;
    assert_eq!(kept.found(&[tasks()]).await, "tasks 2");
    assert_eq!(kept.found(&[tasks()]).await, "tasks 2=");
}

#[tokio::test]
async fn every_source_of_a_search_counts_and_so_does_what_is_searched() {
    let mut kept = Kept::new();
    let over = vec![ItemKind::Task, ItemKind::Note, ItemKind::Fact];
    kept.does(task::NAME, "create", json!({"title": "call about the roof"})).await;
    assert_eq!(kept.found(&[words(over.clone())]).await, "words 1");
    kept.does(notes::NAME, "create", json!({"title": "roof colours"})).await;
    assert_eq!(kept.found(&[words(over.clone())]).await, "words 2");
    let fact = json!({"category": "house", "key": "roof", "value": "slate roof"});
    kept.does(memory::NAME, "store", fact).await;
    assert_eq!(kept.found(&[words(over.clone())]).await, "words 3");
    assert_eq!(kept.found(&[words(over.clone())]).await, "words 3=");
    assert_eq!(kept.found(&[words(vec![ItemKind::Task])]).await, "words 1", "another search");
    kept.world.ctx.now += Duration::minutes(5);
    assert_eq!(kept.found(&[words(over.clone())]).await, "words 3=");
    kept.world.ctx.owner = UserId::new("tg:2");
    assert_eq!(kept.found(&[words(over)]).await, "words 0", "somebody else's");
}

#[tokio::test]
async fn new_mail_is_read_and_who_is_called_so_may_have_changed() {
    let kept = Kept::new();
    kept.letter("boat", "Could you send me the boat papers?");
    let all = mail_of(&[]);
    assert_eq!(kept.found(&all).await, "mail 1, read 1");
    assert_eq!(kept.found(&all).await, "mail 1=, read 1=");
    kept.letter("oars", "And the oars?");
    assert_eq!(kept.found(&all).await, "mail 2, read 2");
    let annas = mail_of(&["Ann"]);
    assert_eq!(kept.found(&annas).await, "mail 2, read 2=", "the same letters");
    assert_eq!(kept.found(&annas).await, "mail 2=, read 2=");
    kept.does(contacts::NAME, "save", json!({"name": "Ann Lee", "email": "lee@example.net"})).await;
    assert_eq!(kept.found(&annas).await, "mail 2, read 2", "she may be somebody else now");
}

#[tokio::test]
async fn what_changes_with_every_minute_or_message_is_looked_for_again() {
    let mut kept = Kept::new();
    let talk = words(vec![ItemKind::Talk]);
    for _ in 0..2 {
        assert_eq!(kept.found(std::slice::from_ref(&talk)).await, "words 0");
    }
    let events = words(vec![ItemKind::Event]);
    assert_eq!(kept.found(std::slice::from_ref(&events)).await, "words 0");
    assert_eq!(kept.found(std::slice::from_ref(&events)).await, "words 0=");
    kept.world.ctx.now += Duration::minutes(1);
    assert_eq!(kept.found(std::slice::from_ref(&events)).await, "words 0");
}
