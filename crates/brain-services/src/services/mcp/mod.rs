//! Servers that bring tools (MCP): each is a service of its own, `mcp:NAME`, whose commands arrive at run time.
//!
//! Invariants:
//! - a tool needs a yes, unless the operator's file names it and its server does not say that it changes something;
//! - a definition that is not the one seen before is withheld until an admin has taken it; one that is gone, or withheld,
//!   carries out no card ([`Action::schema`](brain_core::core::plan::Action::schema) holds its digest);
//! - a definition that cannot be used costs that tool alone, and is listed with its reason;
//! - what a tool answers is somebody else's words; who may not use a server is refused before anything goes out;
//! - what a server asks in the middle of a call goes to the person whose call it is, and the answer to that server alone;
//! - what was seen is kept, so that the tools are there while their server is only just starting.

mod asks;
mod known;
mod offering;
mod progress;
mod service;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::join_all;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub use self::asks::{WhyItAsks, asking_in_words, asking_tools};
pub use self::known::ChangedTool;
use self::known::{KnownTool, remembered};
use self::offering::{KeptBack, Offering};
use self::progress::CallsOfPeople;
use self::service::ServerService;
use super::tool::{KeptQuestions, ResultCache};
use crate::services::catalog::registry::{Registration, Registry};
use crate::services::contract::holder::Holder;
use brain_core::limits;
use brain_core::ports::{Batch, Expect, Key, RecordExt, Store, StoreError, Table};
pub use brain_wire::mcp::ServerState;
use brain_wire::mcp::{KeptServer, ListingEnd, McpServer, ToolListing};

/// The name of a server's service.
pub fn service_name(server: &str) -> String {
    format!("mcp:{server}")
}

/// All servers of the operator's file.
#[derive(Debug, Default)]
pub struct McpServers {
    hosted: Vec<Arc<HostedServer>>,
    /// Some tool is not as it was seen before.
    has_changed: Notify,
}

/// One server, and what became of what it offers.
#[derive(Debug)]
struct HostedServer {
    kept: Arc<KeptServer>,
    holders: Vec<Holder>,
    /// Long answers, for reading on.
    answers: Arc<ResultCache>,
    /// What it asked in the middle of calls.
    questions: Arc<KeptQuestions>,
    under_way: Arc<CallsOfPeople>,
    kept_back: Mutex<KeptBack>,
    /// What it offered last; held by one look at a time.
    last: tokio::sync::Mutex<Option<ToolListing>>,
}

/// How a server is, and what it brings, for whoever runs this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStanding {
    /// What it is called.
    pub name: String,
    /// How it is.
    pub state: ServerState,
    /// What cannot be used, by name, with the reason.
    pub left_out: BTreeMap<String, String>,
    /// What is not used until an admin has taken its new definition.
    pub withheld: BTreeSet<String>,
    /// What needs a yes, by name.
    pub asks: BTreeMap<String, WhyItAsks>,
}

/// The service that a server is with what it offers, and what of that cannot be used; nothing of it is kept.
pub fn registration_of(server: &McpServer, listing: &ToolListing) -> (Registration, BTreeMap<String, String>) {
    let kept = Arc::new(KeptServer::new(server.clone()));
    let service = ServerService {
        kept,
        holders: Vec::new(),
        answers: Arc::default(),
        questions: Arc::default(),
        under_way: Arc::default(),
    };
    let (registration, kept_back) = Offering::of_listing(listing, &BTreeMap::new()).registration(Arc::new(service));
    (registration, kept_back.left_out)
}

/// Why names in `readOnly` let nothing run without a yes, a sentence each.
pub fn read_only_in_vain(server: &McpServer, listing: &ToolListing) -> Vec<String> {
    let why = |name: &String| match listing.tools.iter().find(|tool| tool.name == *name) {
        Some(tool) if !tool.says_it_changes => None,
        Some(_) => {
            Some(format!("readOnly names “{name}”, of which its server says that it changes something: it asks"))
        }
        None if listing.end != ListingEnd::Whole => None,
        None => Some(format!("readOnly names “{name}”, which its server does not offer")),
    };
    server.read_only.iter().filter_map(why).collect()
}

impl McpServers {
    /// Those of the file; nothing is started yet. `otherwise`: whose they are where the file names nobody.
    pub fn new(servers: &[McpServer], otherwise: &[Holder]) -> Self {
        let hosted = servers.iter().map(|server| {
            let holders = Holder::named(&server.users, otherwise);
            let kept = Arc::new(KeptServer::new(server.clone()));
            Arc::new(HostedServer {
                kept,
                holders,
                answers: Arc::default(),
                questions: Arc::default(),
                under_way: Arc::default(),
                kept_back: Mutex::default(),
                last: Default::default(),
            })
        });
        Self { hosted: hosted.collect(), has_changed: Notify::new() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hosted.is_empty()
    }

    /// How they are.
    pub fn standing(&self) -> Vec<ServerStanding> {
        let standing = |hosted: &Arc<HostedServer>| {
            let KeptBack { left_out, withheld, asks } =
                hosted.kept_back.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let (name, state) = (hosted.kept.server.name.clone(), hosted.kept.state());
            ServerStanding { name, state, left_out, withheld, asks }
        };
        self.hosted.iter().map(standing).collect()
    }

    /// Registers what was seen of them before.
    pub async fn register_known(&self, registry: &Registry, store: &dyn Store) -> Result<(), StoreError> {
        for hosted in &self.hosted {
            let known = remembered(store, &hosted.kept.server.name).await?;
            let offering = Offering::of_known(known.into_values());
            hosted.register(registry, offering);
        }
        Ok(())
    }

    /// Keeps them running until `stop`, with what they offer in the registry.
    pub async fn keep(&self, registry: &Registry, store: &dyn Store, stop: &CancellationToken) {
        join_all(self.hosted.iter().map(|hosted| async move {
            let listed = move |listing: ToolListing| {
                async move {
                    match hosted.look(registry, store, listing).await {
                        Ok(true) => self.has_changed.notify_one(),
                        Ok(false) => {}
                        Err(error) => {
                            let server = &hosted.kept.server.name;
                            tracing::error!(%error, server, "what a server offers was not kept");
                        }
                    }
                }
                .boxed()
            };
            hosted.kept.keep(&listed, stop).await;
        }))
        .await;
    }

    /// Waits until each of which nothing is known yet has said what it offers, or is down.
    pub async fn settled(&self, registry: &Registry) {
        let services = registry.now();
        let is_new = |hosted: &&Arc<HostedServer>| {
            let known = services.find(&service_name(&hosted.kept.server.name));
            known.is_none_or(|service| service.commands().next().is_none())
        };
        join_all(self.hosted.iter().filter(is_new).map(|hosted| async move {
            let mut state = hosted.kept.watch();
            let _ = state.wait_for(|state| *state != ServerState::Starting).await;
        }))
        .await;
    }

    /// Waits until some tool is not as it was seen before.
    pub async fn has_changed(&self) {
        self.has_changed.notified().await;
    }

    /// The tools whose definition is another one than before, and waits for an admin.
    pub async fn changed(&self, store: &dyn Store) -> Result<Vec<ChangedTool>, StoreError> {
        let mut changed = Vec::new();
        for hosted in &self.hosted {
            let known = remembered(store, &hosted.kept.server.name).await?;
            changed.extend(known.values().filter_map(KnownTool::changed));
        }
        Ok(changed)
    }

    /// An admin has seen the difference and takes the new definition with this id; false: it is no longer that one.
    pub async fn take(&self, registry: &Registry, store: &dyn Store, id: &str) -> Result<bool, StoreError> {
        for hosted in &self.hosted {
            let last = hosted.last.lock().await;
            let mut known = remembered(store, &hosted.kept.server.name).await?;
            let named = known.values_mut().find(|tool| tool.changed().is_some_and(|changed| changed.id == id));
            let Some(tool) = named else { continue };
            let Some((mut taken, revision)) = store.load::<KnownTool>(&tool.key_of()).await? else { continue };
            taken.take();
            let mut batch = Batch::default();
            batch.put(&taken, Expect::Revision(revision))?;
            store.commit(batch).await?;
            *tool = taken;
            let offering = match last.as_ref() {
                Some(listing) => Offering::of_listing(listing, &known),
                None => Offering::of_known(known.into_values()),
            };
            hosted.register(registry, offering);
            return Ok(true);
        }
        Ok(false)
    }

    /// This one was told to an admin, with what the batch tells.
    pub async fn note_told(&self, store: &dyn Store, told: &ChangedTool, batch: &mut Batch) -> Result<(), StoreError> {
        let key = Key::of(&[&told.server, &told.tool]);
        if let Some((mut known, revision)) = store.load::<KnownTool>(&key).await? {
            known.note_told(&told.id);
            batch.put(&known, Expect::Revision(revision))?;
        }
        Ok(())
    }
}

impl HostedServer {
    /// Holds what a server says against what was seen of it, and registers what may be used; true where something changed.
    async fn look(&self, registry: &Registry, store: &dyn Store, listing: ToolListing) -> Result<bool, StoreError> {
        let mut last = self.last.lock().await;
        let name = &self.kept.server.name;
        let mut known = remembered(store, name).await?;
        let mut batch = Batch::default();
        let mut named = BTreeSet::new();
        // Of two of one name the first counts.
        for tool in listing.tools.iter().filter(|tool| named.insert(&tool.name)) {
            if let Some(change) = known::seen(&mut known, name, tool) {
                batch.put(change, Expect::Any)?;
            }
        }
        // A server that comes with other names each time does not fill the store.
        if known.len() > 2 * limits::MCP_TOOLS_MAX {
            let gone = known.values().filter(|tool| !listing.tools.iter().any(|listed| listed.name == tool.used.name));
            for tool in gone {
                batch.delete(Table::Tools, tool.key_of(), Expect::Any);
            }
        }
        let is_other = !batch.changes.is_empty();
        if is_other {
            store.commit(batch).await?;
        }
        self.register(registry, Offering::of_listing(&listing, &known));
        if last.as_ref() != Some(&listing) {
            for why in read_only_in_vain(&self.kept.server, &listing) {
                tracing::warn!(server = name, why, "a name in the servers file does nothing");
            }
        }
        *last = Some(listing);
        Ok(is_other)
    }

    fn register(&self, registry: &Registry, offering: Offering) {
        let (kept, holders, answers) = (self.kept.clone(), self.holders.clone(), self.answers.clone());
        let (questions, under_way) = (self.questions.clone(), self.under_way.clone());
        let service = Arc::new(ServerService { kept, holders, answers, questions, under_way });
        let (registration, kept_back) = offering.registration(service);
        for (tool, why) in &kept_back.left_out {
            tracing::info!(server = self.kept.server.name, tool, why, "a tool is left out");
        }
        for tool in &kept_back.withheld {
            tracing::warn!(server = self.kept.server.name, tool, "a tool has changed and waits for an admin");
        }
        *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner) = kept_back;
        registry.replace(registration);
    }
}
