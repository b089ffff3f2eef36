//! Dependencies of a turn: store, model, services, clock, channel, and what the operator decided.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use tokio::sync::{Notify, oneshot};

use super::locks::Locks;
use super::long_chats::LongChats;
use super::running::RunningTurns;
use crate::investigate::cache::EvidenceCache;
use crate::investigate::estimate::StagePrices;
use crate::investigate::run::WorkLanes;
use crate::metering::Budgets;
use crate::queries::View;
use brain_core::core::history::{Compression, results_within};
use brain_core::core::ids::{ChatId, UserId, short_id};
use brain_core::core::settings::Settings;
use brain_core::core::tasks::TaskLimits;
use brain_core::core::turn::Incoming;
use brain_core::limits;
use brain_core::limits::kept::Keep;
use brain_core::ports::records::{ChatState, Message, OutboxEntry, ShadowTurn, TurnContents, User};
use brain_core::ports::{
    Batch, Channel, Clock, CpuPool, Expect, Index, Key, Model, Planning, Reader, RecordExt, Scan, Snapshot, Stage,
    Store, StoreError, Stored, Table, Wording,
};
use brain_core::prompts::Prompts;
use brain_language::language::time::DateOrder;
use brain_services::services::catalog::registry::{Registration, Registry, Services};
use brain_services::services::contract::capabilities::ContextSource;
use brain_services::services::contract::context::RequestContext;
use brain_services::services::helpers::address_book::AddressBook;
use brain_services::services::mcp::McpServers;
use brain_wire::accounts::{AccountDirectory, ListedAccount};

/// The account that actions are taken on; one a person until services have several.
pub const ACCOUNT: &str = "default";

/// What the operator decided.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How long a card waits.
    pub pending_ttl: Duration,
    /// The zone of people who have not chosen one.
    pub zone: Tz,
    /// True when that zone was not set but taken from the host; it is then named once.
    pub zone_assumed: bool,
    /// How numeric dates are read.
    pub order: DateOrder,
    /// What the assistant is for, as a rule for a model to hold messages against.
    pub topics: Option<String>,
    /// Who may see and cancel other people's pending actions.
    pub admins: HashSet<UserId>,
    /// Whose the accounts are that the configuration names for nobody: the first admin, or where there is none whoever
    /// the installation was paired with first.
    pub first_admin: Arc<OnceLock<UserId>>,
    /// Whether they may approve them, too.
    pub admin_may_approve: bool,
    /// Whether messages that built-in understanding is sure about go without the model router.
    pub skip_router: bool,
    /// Whether requests that are read exactly are planned without the model.
    pub skip_planner: bool,
    /// How a model plans.
    pub planning: Planning,
    /// How much one request is refined into, where there are more commands than a prompt holds.
    pub tasks: TaskLimits,
    /// Whether a call for the parameters of a command offers all of them, whatever the message speaks of: for an
    /// endpoint at which a schema that it has not seen costs time or money. `None`: for every model that plans whole.
    pub whole_schemas: Option<bool>,
    /// Whether plans are held against what was said before the gate sees them. Nothing that an operator can set; tests
    /// of what stands behind it, and a measurement of what it prevents, go without.
    pub grounds_plans: bool,
    /// Whether a question that only reads and is asked again asks no model for the same once more.
    pub keeps_answers: bool,
    /// When a model is asked for words about what was done.
    pub wording: Wording,
    /// Above which cost, in US dollars, a question is asked about first.
    pub ask_above_usd: f64,
    /// What the stages' tokens cost.
    pub prices: StagePrices,
    /// What calls of models may cost.
    pub budgets: Budgets,
    /// How long what only grows is kept.
    pub keep: Keep,
    /// Of how many turns of a person it is kept what their nodes got and gave; 0: of none.
    pub contents_kept: usize,
    /// Whether what was said long ago is shown to planners in short.
    pub compresses: bool,
    /// When, and how short.
    pub compression: Compression,
    /// Whether what a person tells in passing is proposed to be remembered.
    pub learns: bool,
}

impl Policy {
    /// What earlier rounds of a turn have come to, as the next one is shown it.
    pub fn of_rounds(&self, results: &[String]) -> Vec<String> {
        if self.compresses { results_within(results, Compression::ROUNDS) } else { results.to_vec() }
    }
}

/// Whoever takes turns a second time, with nothing done.
#[async_trait]
pub trait ShadowTurns: Send + Sync + fmt::Debug {
    /// Takes this one beside the turn that counts. `committed` tells when that one began, once it is committed; where it is
    /// dropped, it never was.
    fn begins(&self, incoming: &Incoming, committed: oneshot::Receiver<DateTime<Utc>>);

    /// Takes a turn again that is long over, and keeps what that comes to with its contents. `None` where those are gone
    /// by the end, or cannot be taken again: a button, a message that was cut.
    async fn replay(&self, kept: &TurnContents) -> Result<Option<ShadowTurn>, StoreError>;
}

/// Everything a turn works with.
#[derive(Debug)]
pub struct Brain {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What of it can be found.
    pub index: Arc<dyn Index>,
    /// The language model, if there is one.
    pub model: Option<Arc<dyn Model>>,
    /// What can be done, and who does it.
    pub services: Registry,
    /// Servers that bring services.
    pub servers: McpServers,
    /// Who may be meant by a name.
    pub people: Arc<dyn AddressBook>,
    /// Which accounts elsewhere there are, and how they are.
    pub accounts: AccountDirectory,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where people read and press.
    pub channel: Arc<dyn Channel>,
    /// What models are told.
    pub prompts: Arc<Prompts>,
    /// What the operator decided.
    pub policy: Policy,
    /// Takes turns a second time, with nothing done, if that is wanted.
    pub shadow: Option<Arc<dyn ShadowTurns>>,
    /// Wakes the scheduler when something new falls due.
    pub due_changed: Notify,
    /// Where messages and letters are read, beside the runtime.
    pub pool: CpuPool,
    /// Where investigations work, of all turns together.
    pub lanes: WorkLanes,
    /// What investigations need not do again.
    pub evidence: EvidenceCache,
    /// Order among the tasks of this process; nothing rests on it.
    pub locks: Locks,
    /// What runs in this process, for `/cancel`.
    pub running: RunningTurns,
    /// Chats that have become long enough to be shortened.
    pub long_chats: LongChats,
    /// Since when this process runs.
    pub since: DateTime<Utc>,
}

impl Brain {
    /// How the model plans: what is set, or else by its size. `Auto` is left for one that is known to be small.
    pub fn planning(&self) -> Planning {
        let is_small = || self.model.as_ref().is_some_and(|model| model.is_small(Stage::Plan));
        match self.policy.planning {
            Planning::Auto if !is_small() => Planning::Conversation,
            planning => planning,
        }
    }

    /// Whether there is a model that adds to what code reads and holds no conversation.
    pub fn is_small(&self) -> bool {
        self.model.is_some() && matches!(self.planning(), Planning::Auto | Planning::Steps)
    }

    /// Whether turns are conversations with the model.
    pub fn converses(&self) -> bool {
        self.model.is_some() && self.planning() == Planning::Conversation
    }

    /// The services that the planner of this person's turns may choose from.
    pub fn plannable(&self, owner: &UserId) -> Arc<Services> {
        let is_left_out = |service: &Registration| {
            !service.service.is_open_to(owner) || service.service.is_for_conversations() && !self.converses()
        };
        self.services.now().without_those(is_left_out)
    }

    /// Whether a call for a command's parameters offers all of them.
    pub fn offers_whole_schemas(&self) -> bool {
        self.policy.whole_schemas.unwrap_or_else(|| matches!(self.planning(), Planning::Whole | Planning::Conversation))
    }

    /// Does something for a chat, and says there what it is doing once it takes longer than two seconds.
    pub async fn with_status<T>(
        &self,
        chat: &ChatId,
        doing: impl Fn() -> Option<String>,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        let mut shown = None;
        let mut wait = Duration::from_millis(limits::STATUS_AFTER_MS);
        loop {
            tokio::select! {
                biased;
                result = &mut work => return result,
                () = tokio::time::sleep(wait) => {
                    let now = doing();
                    if let Some(doing) = now.as_deref().filter(|_| now != shown) {
                        self.channel.status(chat, doing).await;
                        shown = now;
                    }
                    self.channel.typing(chat).await;
                    wait = Duration::from_secs(1);
                }
            }
        }
    }

    /// The store at this moment, for queries.
    pub async fn view(&self) -> Result<View<'_>, StoreError> {
        Ok(View { moment: self.store.snapshot().await?, ..self.live_view() })
    }

    /// The store as it is while it is read, for queries that wait for services as well.
    pub fn live_view(&self) -> View<'_> {
        View {
            moment: Snapshot::of(self.store.as_ref()),
            services: &self.services,
            now: self.clock.now(),
            zone: self.policy.zone,
            order: self.policy.order,
            prices: &self.policy.prices,
        }
    }

    /// A new id that nobody can guess.
    pub fn new_id(&self) -> String {
        short_id(uuid::Uuid::new_v4().as_u128())
    }

    /// Commits a batch, and wakes the scheduler when it touches what falls due.
    pub async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let due = batch.changes.iter().any(|change| change.table == Table::Due);
        let revision = self.store.commit(batch).await?;
        if due {
            self.due_changed.notify_one();
        }
        Ok(revision)
    }

    /// The accounts elsewhere of a person.
    pub fn accounts_of<'a>(&'a self, owner: &'a UserId) -> impl Iterator<Item = &'a ListedAccount> + 'a {
        self.accounts.of(owner, self.policy.first_admin.get())
    }

    /// Where a person's local times are meant.
    pub fn zone_of(&self, user: &User) -> Tz {
        user.zone.unwrap_or(self.policy.zone)
    }

    /// For whom, when and where.
    pub fn request_context(&self, user: &User, chat: &ChatId) -> RequestContext {
        RequestContext {
            owner: user.id.clone(),
            chat: chat.clone(),
            now: self.clock.now(),
            zone: self.zone_of(user),
            order: self.policy.order,
            hour: user.settings.reminding_hour(),
            files: Vec::new(),
        }
    }

    /// A person's record; a new one is made for somebody who was let in.
    pub async fn user(&self, id: &UserId, chat: &ChatId) -> Result<User, StoreError> {
        Ok(self.user_at(id, chat).await?.0)
    }

    /// The same, and what a change of it has to expect.
    pub async fn user_at(&self, id: &UserId, chat: &ChatId) -> Result<(User, Expect), StoreError> {
        self.user_in(&self.store.as_ref(), id, chat).await
    }

    /// The same, as this reader sees it.
    pub(super) async fn user_in(
        &self,
        reader: &impl Reader,
        id: &UserId,
        chat: &ChatId,
    ) -> Result<(User, Expect), StoreError> {
        let stored = reader.load::<User>(&Key::of(&[id.as_str()])).await?;
        let new = || User {
            id: id.clone(),
            chat: chat.clone(),
            admin: self.policy.admins.contains(id),
            zone: None,
            zone_named: false,
            settings: Settings::default(),
            contents: None,
            since: self.clock.now(),
        };
        Ok(stored.map_or_else(|| (new(), Expect::Absent), |(user, revision)| (user, Expect::Revision(revision))))
    }

    /// What is going on in a chat.
    pub async fn chat_state(&self, chat: &ChatId) -> Result<ChatState, StoreError> {
        Ok(self.chat_state_at(chat).await?.0)
    }

    /// The same, and what a change of it has to expect.
    pub(super) async fn chat_state_at(&self, chat: &ChatId) -> Result<(ChatState, Expect), StoreError> {
        self.chat_state_in(&self.store.as_ref(), chat).await
    }

    /// The same, as this reader sees it.
    pub(super) async fn chat_state_in(
        &self,
        reader: &impl Reader,
        chat: &ChatId,
    ) -> Result<(ChatState, Expect), StoreError> {
        match reader.load::<ChatState>(&Key::of(&[chat.as_str()])).await? {
            Some((state, revision)) => Ok((state, Expect::Revision(revision))),
            None => Ok((new_chat(reader, chat).await?, Expect::Absent)),
        }
    }

    /// A turn is over, however it ended: `/cancel` no longer finds it.
    pub fn end(&self, incoming: &Incoming) {
        self.running.ends(&incoming.chat, &incoming.turn);
    }
}

#[async_trait]
impl ContextSource for Brain {
    async fn context_of(&self, person: &UserId) -> Option<RequestContext> {
        let chat = ChatId::alone_with(person);
        match self.user(person, &chat).await {
            Ok(user) => Some(self.request_context(&user, &user.chat)),
            Err(error) => {
                tracing::warn!(%error, "what somebody has chosen cannot be read");
                None
            }
        }
    }

    fn mirrored(&self) {
        self.due_changed.notify_one();
    }
}

/// A chat without a state. Its numbers go on after what is there: a state that could not be read was set aside.
async fn new_chat(reader: &impl Reader, chat: &ChatId) -> Result<ChatState, StoreError> {
    let said = reader.scan(Scan::of::<Message>(&[chat.as_str()], 1).newest_first()).await?;
    let waiting = reader.scan(Scan::of::<OutboxEntry>(&[chat.as_str()], 1).newest_first()).await?;
    let after = |found: &[(Key, Stored)]| {
        let number = found.first().and_then(|(key, _)| key.parts().last()?.parse::<u64>().ok());
        number.map_or(1, |number| number.saturating_add(1))
    };
    let (next_message, next_outbox) = (after(&said), after(&waiting));
    Ok(ChatState { next_message, next_outbox, ..ChatState::new(chat.clone()) })
}
