//! Composition root: from a configuration to a [`Brain`] that can take turns.

mod endpoints;
mod exposed;
pub mod profiles;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use chrono_tz::Tz;
use endpoints::{client, model};
pub use endpoints::{embedder, transcriber};
pub use exposed::{exposed, exposed_folder};

use crate::channel::console::ConsoleChannel;
use crate::config::{Config, telegram_user};
use brain_adapters::llm;
use brain_adapters::search::{SearchIndex, conversation};
use brain_adapters::store::{RedbStore, Schema};
use brain_core::core::forgotten::Forgotten;
use brain_core::core::ids::{ChatId, MessageId, UserId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{Edit, Notice, Reply};
use brain_core::ports::records::ChatState;
use brain_core::ports::{
    Channel, Clock, Index, Key, RecordExt, Scan, Secondary, SendError, Source, Store, StoreError, secondary,
};
use brain_core::prompts::{PromptError, Prompts};
use brain_engine::investigate::estimate::StagePrices;
use brain_engine::metering::BudgetLedger;
use brain_engine::pipeline::brain::{Brain, Policy};
use brain_engine::shadow::{Shadow, ShadowParts};
use brain_language::language::time::DateOrder;
use brain_services::services::across::probing::SignInProbe;
use brain_services::services::custom_commands::DeclarationError;
use brain_services::services::email::delivery::send::smtp::{Smtp, SmtpUrlError};
use brain_services::services::email::imap::sync_worker::{KeptAccount, MailSyncWorker};
use brain_services::services::email::mailbox::elsewhere::mail_accounts;
use brain_services::services::email::mailbox::mailboxes::Mailboxes;
use brain_services::services::mcp::McpServers;
use brain_services::services::remote::backend::Backends;
use brain_services::services::remote::dav::DavSyncWorker;
use brain_services::services::{self, Accounts, Holder, MailAccounts};
use brain_wire::accounts::{AccountDirectory, AccountProbe, AccountStates, ListedAccount};

/// Why the program cannot start. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be opened: in use, damaged, or written by a newer program.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A replaced prompt.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The model endpoints.
    #[error("the model endpoints cannot be used: {0}")]
    Model(#[from] llm::SettingsError),
    /// The transcription endpoint.
    #[error("TRANSCRIBE_BASE_URL cannot be used: {0}")]
    Transcribe(String),
    /// The embedding endpoint.
    #[error("EMBEDDINGS_BASE_URL cannot be used: {0}")]
    Embeddings(String),
    /// Outgoing mail.
    #[error(transparent)]
    Smtp(#[from] SmtpUrlError),
    /// The operator's own services.
    #[error(transparent)]
    Commands(#[from] DeclarationError),
}

/// The store's file inside the data folder.
pub fn store_path(data_dir: &Path) -> PathBuf {
    data_dir.join("brain.redb")
}

/// Opens the store of a data folder.
pub async fn open_store(data_dir: &Path) -> Result<Arc<RedbStore>, StoreError> {
    RedbStore::open_with(&store_path(data_dir), schema()).await.map(Arc::new)
}

/// The store of a data folder as it is, for looking: its file keeps every byte.
pub async fn open_store_read_only(data_dir: &Path) -> Result<Arc<RedbStore>, StoreError> {
    RedbStore::glance(&store_path(data_dir), schema()).await.map(Arc::new)
}

/// The indexes that the store keeps: those of the ports' own records, and those of the services.
pub fn indexes() -> Vec<&'static Secondary> {
    secondary::OF_RECORDS.into_iter().chain(services::indexes()).collect()
}

/// What of the store can be found: the services' things, and what was said.
fn sources() -> Vec<Source> {
    services::sources().into_iter().chain([conversation::SOURCE]).collect()
}

/// What the store keeps beside its records.
fn schema() -> Schema {
    Schema { followed: sources().iter().map(|source| source.table).collect(), indexes: indexes() }
}

/// The parts that differ between the channels.
#[derive(Debug)]
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Mail and contacts live beside it.
    pub data_dir: PathBuf,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where people read and press.
    pub channel: Arc<dyn Channel>,
    /// The zone given on the command line.
    pub zone: Option<Tz>,
}

/// Threads for work that blocks: reads of the store and of mail folders. They are short; more threads would
/// only be more memory when hundreds of turns come at once.
const BLOCKING_THREADS_MAX: usize = 16;

/// The runtime that every command works on.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().max_blocking_threads(BLOCKING_THREADS_MAX).build()
}

/// What of a configuration could be read and still lets nothing start, in sentences.
pub fn problems(config: &Config) -> Vec<String> {
    let mail = config.smtp_url.as_ref().and_then(|url| Smtp::from_url(url).err()).map(|error| error.to_string());
    let model = client(config).err().map(|error| StartError::from(error).to_string());
    mail.into_iter().chain(model).collect()
}

/// Looks at the servers of accounts, and signs in there.
pub fn account_probe() -> impl AccountProbe {
    SignInProbe
}

/// Builds the brain.
pub fn build(config: &Config, parts: Parts) -> Result<Brain, StartError> {
    let first_admin = Arc::new(OnceLock::new());
    if let Some(first) = config.admins.first() {
        first_admin.get_or_init(|| telegram_user(*first));
    }
    let (mail, kept) = mail_accounts(&config.accounts, config.smtp_url.as_ref(), &first_admin, &parts.store)?;
    let states: Arc<AccountStates> = Arc::default();
    let events = DavSyncWorker::of(&config.accounts, &first_admin, &parts.store, &states);
    let tasks = DavSyncWorker::of(&config.accounts, &first_admin, &parts.store, &states);
    let contacts = DavSyncWorker::of(&config.accounts, &first_admin, &parts.store, &states);
    let accounts = Accounts {
        mail: MailAccounts::new(mail),
        tasks: Backends::new(tasks.accounts()),
        task_keeper: Some(tasks),
        events: Backends::new(events.accounts()),
        event_keeper: Some(events),
        contacts: Backends::new(contacts.accounts()),
        contact_keeper: Some(contacts),
        ..Accounts::default()
    };
    build_for(config, parts, accounts, KeptInStep { mailboxes: kept, states }, first_admin)
}

/// The same with these accounts, whatever is configured.
pub fn build_with(config: &Config, parts: Parts, accounts: Accounts) -> Result<Brain, StartError> {
    build_for(config, parts, accounts, KeptInStep::default(), Arc::default())
}

/// What is kept in step, and how it is.
#[derive(Default)]
struct KeptInStep {
    mailboxes: Vec<KeptAccount>,
    states: Arc<AccountStates>,
}

fn build_for(
    config: &Config,
    parts: Parts,
    accounts: Accounts,
    kept: KeptInStep,
    first_admin: Arc<OnceLock<UserId>>,
) -> Result<Brain, StartError> {
    let Parts { store, data_dir, clock, channel, zone } = parts;
    let index: Arc<dyn Index> = Arc::new(SearchIndex::new(store.clone(), sources(), Some(data_dir.join("search"))));
    let mailboxes = Mailboxes::of_accounts(&data_dir, accounts.mail.clone(), index.clone());
    let listed = AccountDirectory::new(config.accounts.iter().flat_map(ListedAccount::parts), kept.states);
    let keeper = MailSyncWorker::new(kept.mailboxes, mailboxes.clone(), listed.states.clone(), clock.clone());
    let accounts = Accounts { mail_keeper: Some(Arc::new(keeper)), ..accounts };
    let (services, people) = services::built_in(&store, &index, &mailboxes, accounts, embedder(config)?);
    let first = [Holder::FirstAdmin(first_admin.clone()), Holder::Terminal];
    services::custom_commands::register(&config.commands, &first, &services)?;
    // What a shadow asks is paid from the same budgets.
    let ledger = Arc::new(BudgetLedger::new(config.budgets.clone(), store.clone()));
    let mut brain = Brain {
        model: model(config, &ledger)?,
        prompts: Prompts::load(config.prompts_dir.as_deref())?.into(),
        servers: McpServers::new(&config.servers, &first),
        policy: policy(config, zone, first_admin.clone()),
        shadow: None,
        people,
        store,
        index,
        services,
        accounts: listed,
        since: clock.now(),
        clock,
        channel,
        due_changed: Default::default(),
        pool: Default::default(),
        lanes: Default::default(),
        evidence: Default::default(),
        locks: Default::default(),
        running: Default::default(),
        long_chats: Default::default(),
    };
    if let Some(shadow) = config.shadow.as_deref() {
        let parts = ShadowParts {
            model: model(shadow, &ledger)?,
            prompts: Prompts::load(shadow.prompts_dir.as_deref())?.into(),
            policy: policy(shadow, zone, first_admin),
        };
        brain.shadow = Some(Arc::new(Shadow::of(&brain, parts)));
    }
    Ok(brain)
}

/// The zone of people who have not chosen one: the host's, where the configuration names none.
pub fn zone(config: &Config) -> Tz {
    let host = || iana_time_zone::get_timezone().ok().and_then(|name| name.parse().ok());
    config.timezone.or_else(host).unwrap_or(Tz::UTC)
}

fn policy(config: &Config, wanted: Option<Tz>, first_admin: Arc<OnceLock<UserId>>) -> Policy {
    let chosen = wanted.or(config.timezone);
    let zone = chosen.unwrap_or_else(|| zone(config));
    Policy {
        grounds_plans: config.grounds_plans,
        pending_ttl: config.pending_ttl,
        zone,
        zone_assumed: chosen.is_none(),
        order: DateOrder::usual_in(zone),
        admins: config.admins.iter().copied().map(telegram_user).collect(),
        first_admin,
        admin_may_approve: config.admin_may_approve,
        skip_router: config.skip_router,
        skip_planner: config.skip_planner,
        planning: config.planning,
        tasks: config.tasks,
        keeps_answers: config.keeps_answers,
        whole_schemas: config.whole_schemas,
        wording: config.wording,
        ask_above_usd: config.ask_above_usd,
        prices: stage_prices(config),
        budgets: config.budgets.clone(),
        keep: config.keep.clone(),
        contents_kept: config.contents_kept,
        compresses: config.compresses,
        compression: config.compression,
        learns: config.learns,
        topics: config.topics.clone(),
    }
}

/// What calls cost, as far as anybody knows.
fn stage_prices(config: &Config) -> StagePrices {
    let priced = config.priced_models().stages;
    StagePrices::of(priced.into_iter().filter_map(|(stage, model)| Some((stage, model.price?))))
}

/// Numbers an earlier life may have shown without living to record them: a killed process has at most a few
/// turns under way. They are never given to another message, so a reply to one cannot mean a wrong card.
const NUMBERS_LEFT_OUT: i64 = 100;

/// The console of this process; its numbers go on where those of earlier lives ended. Files for its people go
/// into a folder of the data folder.
pub async fn console_channel(store: &Arc<dyn Store>, data_dir: &Path) -> Result<ConsoleChannel, StoreError> {
    // The people of this machine, not everybody who writes to the bot.
    let of_console = Some(Key::from_stored("console:"));
    let scan = Scan { prefix: of_console, ..Scan::of::<ChatState>(&[], usize::MAX) };
    let chats = store.list::<ChatState>(scan).await?;
    let last = chats.iter().map(|(state, _)| state.last_bot_message.map_or(0, |last| last.0)).max();
    let after = last.map_or(0, |last| last.saturating_add(NUMBERS_LEFT_OUT));
    Ok(ConsoleChannel::after(MessageId(after), data_dir))
}

/// All channels of a process; each chat belongs to the one that its id begins with.
#[derive(Debug)]
pub struct Channels {
    /// `console:`
    pub console: Arc<ConsoleChannel>,
    /// Everything else, when there is a bot.
    pub telegram: Option<Arc<dyn Channel>>,
}

impl Channels {
    fn of(&self, chat: &ChatId) -> Option<&dyn Channel> {
        if chat.as_str().starts_with("console:") {
            return Some(self.console.as_ref());
        }
        self.telegram.as_deref()
    }
}

/// What a chat hears when its channel is not running.
fn not_running() -> SendError {
    SendError::Later("the bot is not running".to_owned())
}

#[async_trait]
impl Channel for Channels {
    async fn typing(&self, chat: &ChatId) {
        if let Some(channel) = self.of(chat) {
            channel.typing(chat).await;
        }
    }

    async fn status(&self, chat: &ChatId, text: &str) {
        if let Some(channel) = self.of(chat) {
            channel.status(chat, text).await;
        }
    }

    fn shows_drafts(&self, chat: &ChatId) -> bool {
        self.of(chat).is_some_and(|channel| channel.shows_drafts(chat))
    }

    async fn draft(&self, chat: &ChatId, words: &Formatted) {
        if let Some(channel) = self.of(chat) {
            channel.draft(chat, words).await;
        }
    }

    async fn notice(&self, chat: &ChatId, notice: &Notice, words: &str) -> bool {
        match self.of(chat) {
            Some(channel) => channel.notice(chat, notice, words).await,
            None => false,
        }
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        match self.of(chat) {
            Some(channel) => channel.send(chat, reply).await,
            None => Err(not_running()),
        }
    }

    async fn edit(&self, chat: &ChatId, edit: &Edit) -> Result<(), SendError> {
        match self.of(chat) {
            Some(channel) => channel.edit(chat, edit).await,
            None => Err(not_running()),
        }
    }

    fn try_again(&self, chat: &ChatId) {
        if let Some(channel) = self.of(chat) {
            channel.try_again(chat);
        }
    }

    async fn erase(&self, owner: &UserId, what: &Forgotten) {
        self.console.erase(owner, what).await;
        if let Some(channel) = &self.telegram {
            channel.erase(owner, what).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::ports::Stage;
    use brain_engine::investigate::estimate::HOSTED;

    #[test]
    fn a_model_on_this_machine_costs_nothing_unless_a_price_is_set() {
        for (url, price, expected) in [
            ("http://127.0.0.1:11434/v1", None, 0.0),
            ("http://localhost/v1", None, 0.0),
            ("http://[::1]:8080/v1", None, 0.0),
            ("http://localhost/v1", Some("3"), 3.0),
            ("https://api.example.com/v1", Some("3"), 3.0),
            ("https://localhost.example.com/v1", None, HOSTED.of(1_000_000, 0)),
        ] {
            let mut pairs = vec![("LLM_BASE_URL", url), ("LLM_MODEL", "big")];
            pairs.extend(price.iter().flat_map(|price| [("LLM_PRICE_IN", *price), ("LLM_PRICE_OUT", *price)]));
            let env = pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            let config = Config::parse(env, Vec::new()).unwrap();
            let found = stage_prices(&config).price(Stage::ALL[0]).of(1_000_000, 0);
            assert!((found - expected).abs() < 1e-9, "{url}: {found}");
        }
    }
}
