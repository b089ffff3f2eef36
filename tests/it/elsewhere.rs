//! A service that writes elsewhere and keeps a mirror of it here: what happened there stands, whatever becomes of the
//! mirror, and is taken back there or not at all.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use brain_agent::core::button::Role;
use brain_agent::core::card::CardBody;
use brain_agent::core::outcome::Status;
use brain_agent::core::plan::{ActingAccount, Action, PlannedAction};
use brain_agent::core::stakes::Stakes;
use brain_agent::ports::{Batch, Change, Expect, Key, Record, RecordExt, Store, Table};
use brain_agent::services::catalog::registry::Registration;
use brain_agent::services::contract::command::{
    Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject, planned,
};
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Service, ServiceInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::rig::{Rig, WatchedStore, action};

/// The pages of a diary, as they were when they were last read.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
struct Mirror {
    pages: Vec<String>,
}

impl Record for Mirror {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Key::of(&["diary"])
    }
}

/// A diary on another machine.
#[derive(Debug)]
struct Diary {
    pages: Mutex<Vec<String>>,
    store: Arc<WatchedStore>,
    /// Somebody else changes the mirror while a page is written.
    meddled_with: AtomicBool,
    mirrored_anew: AtomicUsize,
}

impl Diary {
    fn new(rig: &Rig) -> Arc<Self> {
        let diary = Arc::new(Self {
            pages: Mutex::default(),
            store: rig.store.clone(),
            meddled_with: AtomicBool::new(false),
            mirrored_anew: AtomicUsize::new(0),
        });
        let info = ServiceInfo::new("diary", "Diary", "a diary on another machine", "your diary");
        let registration =
            Registration::of(info, diary.clone()).command::<Write>().command::<Tear>().command::<Burn>().end();
        rig.brain.services.register(registration).unwrap();
        diary
    }

    fn pages(&self) -> Vec<String> {
        self.pages.lock().unwrap().clone()
    }

    async fn mirror(&self) -> (Mirror, Expect) {
        let store: &dyn Store = self.store.as_ref();
        let stored = store.load::<Mirror>(&Key::of(&["diary"])).await.unwrap();
        stored.map_or((Mirror::default(), Expect::Absent), |(mirror, at)| (mirror, Expect::Revision(at)))
    }

    /// Changes what is there, and gives what changes the mirror.
    async fn change(&self, change: impl FnOnce(&mut Vec<String>)) -> Vec<Change> {
        let (_, expect) = self.mirror().await;
        let pages = {
            let mut pages = self.pages.lock().unwrap();
            change(&mut pages);
            pages.clone()
        };
        if self.meddled_with.load(Ordering::SeqCst) {
            let meddled = Mirror { pages: vec!["something else".to_owned()] };
            self.store.put_quietly(Batch { changes: vec![Change::put(&meddled, Expect::Any).unwrap()] });
        }
        vec![Change::put(&Mirror { pages }, expect).unwrap()]
    }
}

#[async_trait]
impl Service for Diary {
    async fn mirror_anew(&self, _: &RequestContext) -> Result<(), ServiceError> {
        self.mirrored_anew.fetch_add(1, Ordering::SeqCst);
        let change = Change::put(&Mirror { pages: self.pages() }, Expect::Any).unwrap();
        self.store.put_quietly(Batch { changes: vec![change] });
        Ok(())
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Nothing {}

macro_rules! command {
    ($(#[$about:meta])* $command:ident, $name:literal, $attempt:literal, $reversal:expr) => {
        $(#[$about])*
        #[derive(Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $command {
            page: String,
        }

        impl Command for $command {
            type Output = Nothing;

            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $attempt;
            const EXAMPLE: &'static str = $attempt;
            const STATUS: &'static str = "Writing…";
            const STAKES: Stakes = Stakes::Low;

            fn slots(&mut self) -> Vec<Slot<'_>> {
                Vec::new()
            }

            fn card(&self, _: &Subject<'_>) -> CardBody {
                CardBody::titled($attempt)
            }

            fn receipt(&self, _: &Nothing, _: &Receipt<'_>) -> String {
                format!("{}: {}", $name, self.page)
            }

            fn attempt(&self, _: &Action) -> String {
                format!("{} {}", $name, self.page)
            }

            fn reversal(&self, _: &Action, _: &Nothing) -> Option<PlannedAction> {
                let reversal: fn(&Self) -> Option<PlannedAction> = $reversal;
                reversal(self)
            }
        }
    };
}

command!(
    /// Writes a page.
    Write, "write", "write a page", |write| Some(planned("diary", &Tear { page: write.page.clone() })));
command!(
    /// Takes a page out.
    Tear, "tear", "tear a page out", |_| None);
command!(
    /// Takes a page out for good.
    Burn, "burn", "burn a page", |_| None);

#[async_trait]
impl Handle<Write> for Diary {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    async fn perform(&self, call: Invocation<'_, Write>) -> Result<Completed<Nothing>, ServiceError> {
        Ok(Completed::changed(Nothing {}, self.change(|pages| pages.push(call.command.page)).await))
    }
}

macro_rules! takes_out {
    ($command:ident) => {
        #[async_trait]
        impl Handle<$command> for Diary {
            fn effect(&self, _: Option<&ActingAccount>) -> Effect {
                Effect::WriteElsewhere
            }

            async fn perform(&self, call: Invocation<'_, $command>) -> Result<Completed<Nothing>, ServiceError> {
                let gone = call.command.page;
                Ok(Completed::changed(Nothing {}, self.change(|pages| pages.retain(|page| *page != gone)).await))
            }
        }
    };
}
takes_out!(Tear);
takes_out!(Burn);

fn write(page: &str) -> serde_json::Value {
    action("diary", "write", json!({"page": page}))
}

#[tokio::test]
async fn what_happened_elsewhere_stands_though_its_mirror_here_met_a_conflict() {
    let rig = Rig::plain();
    let diary = Diary::new(&rig);
    diary.meddled_with.store(true, Ordering::SeqCst);
    rig.plans(json!([write("rain")]));
    let told = rig.says("write into my diary: rain").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{told:?}");
    assert!(told.text().ends_with("write: rain"), "{}", told.text());
    assert_eq!(diary.pages(), ["rain"]);
    assert_eq!(diary.mirrored_anew.load(Ordering::SeqCst), 1);
    assert_eq!(diary.mirror().await.0.pages, ["rain"], "what is kept here is what is there");
}

#[tokio::test]
async fn beside_an_effect_here_each_keeps_its_own_outcome() {
    let rig = Rig::plain();
    let diary = Diary::new(&rig);
    diary.meddled_with.store(true, Ordering::SeqCst);
    rig.plans(json!([write("rain"), action("task", "create", json!({"title": "Buy an umbrella"}))]));
    let told = rig.says("write into my diary: rain, and I have to buy an umbrella").await;
    let statuses: Vec<Status> = told.done.outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, [Status::Succeeded, Status::Succeeded], "{told:?}");
    assert_eq!(diary.pages(), ["rain"]);
    assert_eq!(rig.count(Table::Tasks).await, 1);
}

#[tokio::test]
async fn undo_takes_back_what_is_elsewhere_and_not_its_mirror() {
    let rig = Rig::plain();
    let diary = Diary::new(&rig);
    rig.plans(json!([write("rain")]));
    let told = rig.says("write into my diary: rain").await;
    assert_eq!((diary.pages(), diary.mirror().await.0.pages), (vec!["rain".to_owned()], vec!["rain".to_owned()]));
    let undo = told.button(Role::Undo).expect("it can be taken back");
    let told = rig.presses(&undo).await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{told:?}");
    assert_eq!((diary.pages(), diary.mirror().await.0.pages), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn what_nothing_takes_back_elsewhere_offers_no_undo() {
    let rig = Rig::plain();
    let diary = Diary::new(&rig);
    rig.plans(json!([write("rain")]));
    rig.says("write into my diary: rain").await;
    rig.plans(json!([action("diary", "burn", json!({"page": "rain"}))]));
    let told = rig.says("burn the page in my diary: rain").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{told:?}");
    assert_eq!(told.button(Role::Undo), None);
    assert_eq!(diary.mirror().await.0.pages, Vec::<String>::new());
}
