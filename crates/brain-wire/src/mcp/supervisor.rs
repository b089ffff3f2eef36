//! A server that is kept running: started, listened to, started again when it ends, with a pause that grows.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::call::{McpCall, McpCallError};
use super::client::{McpClient, ServerFault, ToolListing};
use super::config::{McpEndpoint, McpServer, ServerReach};
use crate::accounts::oauth::TokenStore;
use crate::outside::{CallError, ToolAnswer};
use brain_core::limits;

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// It is being started, or called at.
    Starting,
    /// It answers.
    Up,
    /// It does not; it is started again later.
    Down(ServerFault),
}

/// How a life of it ended.
struct LifeEnd {
    trouble: ServerFault,
    /// For what it did, by us.
    was_put_out: bool,
}

/// A server of the file, running or about to.
#[derive(Debug)]
pub struct KeptServer {
    /// What the file says of it.
    pub server: McpServer,
    state: watch::Sender<ServerState>,
    current: RwLock<Option<Arc<McpClient>>>,
}

/// Is told what a server offers, each time that it says so.
pub type ListingSink<'a> = dyn Fn(ToolListing) -> BoxFuture<'a, ()> + Send + Sync + 'a;

impl KeptServer {
    /// Not started yet.
    pub fn new(server: McpServer) -> Self {
        Self { server, state: watch::Sender::new(ServerState::Starting), current: RwLock::default() }
    }

    /// How it is.
    pub fn state(&self) -> ServerState {
        self.state.borrow().clone()
    }

    /// How it is, for whoever waits for a change.
    pub fn watch(&self) -> watch::Receiver<ServerState> {
        self.state.subscribe()
    }

    /// Keeps it running until `stop`, and ends it then.
    pub async fn keep(&self, listed: &ListingSink<'_>, stop: &CancellationToken) {
        if let ServerReach::Unusable(why) = &self.server.reach {
            self.state.send_replace(ServerState::Down(why.clone().into()));
            return stop.cancelled().await;
        }
        let mut pause = limits::MCP_PAUSE_MIN_MS;
        loop {
            let began = Instant::now();
            let ended = tokio::select! {
                () = stop.cancelled() => None,
                ended = self.run(listed) => Some(ended),
            };
            // Put down before anything is waited for: no call begins on it any more.
            let client = self.current.write().unwrap_or_else(PoisonError::into_inner).take();
            let was_up = self.state() == ServerState::Up;
            let was_put_out = ended.as_ref().is_some_and(|end| end.was_put_out);
            if let (Some(LifeEnd { trouble, .. }), true) = (&ended, was_put_out || !was_up) {
                self.state.send_replace(ServerState::Down(trouble.clone()));
            } else {
                // Whoever calls now waits for it.
                self.state.send_replace(ServerState::Starting);
            }
            if let Some(client) = client {
                client.stop().await;
            }
            let Some(LifeEnd { trouble, .. }) = ended else { return };
            if began.elapsed() > Duration::from_secs(limits::MCP_STAYED_SECS) {
                pause = limits::MCP_PAUSE_MIN_MS;
            }
            if was_put_out {
                pause = pause.max(limits::MCP_ENDED_PAUSE_MS);
            }
            tracing::warn!(server = self.server.name, %trouble, pause_ms = pause, "a server does not answer");
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(Duration::from_millis(pause)) => {}
                () = signed_in(&self.server) => {}
            }
            pause = (pause * 2).min(limits::MCP_PAUSE_MAX_MS);
        }
    }

    /// One life of it; why it ended.
    async fn run(&self, listed: &ListingSink<'_>) -> LifeEnd {
        let client = match McpClient::connect(&self.server).await {
            Ok(client) => Arc::new(client),
            Err(trouble) => return LifeEnd { trouble, was_put_out: false },
        };
        let announced = std::pin::pin!(client.announcements());
        let followed = self.follow(&client, listed);
        let trouble = tokio::select! {
            never = announced => match never {},
            trouble = followed => trouble,
        };
        LifeEnd { trouble, was_put_out: client.was_put_out() }
    }

    async fn follow(&self, client: &Arc<McpClient>, listed: &ListingSink<'_>) -> ServerFault {
        loop {
            let listing = match client.list().await {
                Ok(listing) => listing,
                Err(_) if client.was_put_out() => return client.end(),
                Err(error) => return error.to_string().into(),
            };
            let holds = listing.holds.map(|holds| holds.max(Duration::from_secs(limits::MCP_LIST_HOLDS_SECS)));
            listed(listing).await;
            // Only now: what a call has to say beside its values is in the list.
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
            self.state.send_replace(ServerState::Up);
            let outdated = async {
                match holds {
                    Some(holds) => sleep(holds).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = client.changed() => sleep(Duration::from_millis(limits::MCP_LIST_PAUSE_MS)).await,
                () = outdated => {}
                () = client.over() => return client.end(),
                why = lost(client) => return why.into(),
            }
        }
    }

    /// Calls a tool. Waits a little for a server that is just starting.
    pub async fn call(&self, call: McpCall) -> Result<ToolAnswer, McpCallError> {
        let client = self.client().await?;
        client.call(call, self.server.timeout).await
    }

    async fn client(&self) -> Result<Arc<McpClient>, CallError> {
        let current = || self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        let alive = || current().filter(|client| !client.is_over());
        if let Some(client) = alive() {
            return Ok(client);
        }
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| match state {
            ServerState::Starting => false,
            // It has ended, and that was not noticed yet.
            ServerState::Up => alive().is_some(),
            ServerState::Down(_) => true,
        });
        let _ = timeout(Duration::from_secs(limits::MCP_WAIT_SECS), settled).await;
        match (alive(), self.state()) {
            (Some(client), _) => Ok(client),
            (None, ServerState::Down(trouble)) => Err(CallError::Unreachable(trouble.why)),
            (None, _) => Err(CallError::Unreachable("it is only just starting".to_owned())),
        }
    }
}

/// Waits until somebody has to sign in to it again.
async fn lost(client: &McpClient) -> String {
    match &client.access {
        Some(access) => {
            let why = access.lost().await;
            // Whose request found it out is told so first.
            sleep(Duration::from_millis(limits::MCP_LOOK_MS)).await;
            why
        }
        None => std::future::pending().await,
    }
}

/// Waits until somebody has signed in to it, or out.
async fn signed_in(server: &McpServer) {
    match &server.reach {
        ServerReach::Url(McpEndpoint { tokens: Some(store), .. }) => store_changed(store).await,
        ServerReach::Url(_) | ServerReach::Program(_) | ServerReach::Unusable(_) => std::future::pending().await,
    }
}

async fn store_changed(store: &TokenStore) {
    let changed = || std::fs::metadata(store.path()).and_then(|about| about.modified()).ok();
    let before = changed();
    while changed() == before {
        sleep(Duration::from_millis(limits::MCP_SIGN_IN_LOOK_MS)).await;
    }
}
