//! A process that owns the store: what it opens, what runs beside its channel, and how it ends. `serve` is one.
//!
//! Invariant: whoever opens a runtime closes it, so that what is being delivered arrives and the store is whole.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use brain_agent::app::{self, Channels, Parts, StartError};
use brain_agent::channel::console::ConsoleChannel;
use brain_agent::channel::web::Web;
use brain_agent::channel::{control, telegram};
use brain_agent::clock::SystemClock;
use brain_agent::config::{Config, tell};
use brain_agent::core::ids::UserId;
use brain_agent::language;
use brain_agent::limits;
use brain_agent::pipeline::brain::Brain;
use brain_agent::pipeline::recover;
use brain_agent::ports::{Channel, Clock, Store};
use brain_agent::scheduler;
use brain_agent::services::contract::capabilities::ContextSource as _;
use brain_agent::store::RedbStore;
use brain_agent::upkeep::{self, BackupPlan};
use chrono_tz::Tz;
use futures::future::join_all;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// A process that owns the store: its brain, and everything that runs beside the channel.
pub(crate) struct Runtime {
    pub(crate) brain: Arc<Brain>,
    pub(crate) console: Arc<ConsoleChannel>,
    store: Arc<RedbStore>,
    beside: tokio::task::JoinSet<()>,
    /// What falls due, when this process sees to it. It ends by itself, so that what is being delivered arrives.
    time: Option<AbortOnDropHandle<()>>,
    /// Where a backup goes each day.
    backups: Option<BackupPlan>,
    /// What is done when nobody waits.
    upkeep: Option<AbortOnDropHandle<()>>,
    /// What is kept here of accounts elsewhere follows them.
    mirrors: Option<AbortOnDropHandle<()>>,
    /// Traces of turns go to a collector; it ends by itself, so that the last ones arrive.
    telemetry: Option<AbortOnDropHandle<()>>,
    /// Servers that bring services; it ends by itself, so that they end in order.
    servers: Option<AbortOnDropHandle<()>>,
    /// Nothing new begins.
    stop: CancellationToken,
}

/// Which parts a process needs beside its channel.
pub(crate) struct RuntimeParts<'a> {
    pub(crate) data_dir: &'a Path,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) zone: Option<Tz>,
    pub(crate) telegram: Option<Arc<dyn Channel>>,
}

impl<'a> RuntimeParts<'a> {
    /// The configured folder and the real clock, and nobody but the terminal.
    pub(crate) fn by(config: &'a Config) -> Self {
        Self { data_dir: &config.data_dir, clock: Arc::new(SystemClock::new()), zone: None, telegram: None }
    }
}

impl Runtime {
    pub(crate) async fn open(config: &Config, wanted: RuntimeParts<'_>) -> Result<Self, StartError> {
        let RuntimeParts { data_dir, clock, zone, telegram } = wanted;
        // Beside opening the store. Where there is no thread for it, the first message makes them.
        let _ = std::thread::Builder::new().name("tables".to_owned()).spawn(language::ready);
        let file = app::open_store(data_dir).await?;
        let store: Arc<dyn Store> = file.clone();
        let console = Arc::new(app::console_channel(&store, data_dir).await?);
        let channel = Arc::new(Channels { console: console.clone(), telegram });
        let parts = Parts { store, data_dir: data_dir.to_owned(), clock, channel, zone };
        let brain = Arc::new(app::build(config, parts)?);
        brain.servers.register_known(&brain.services, brain.store.as_ref()).await?;
        recover::recover(&brain).await?;
        let (beside, stop) = (tokio::task::JoinSet::new(), CancellationToken::new());
        let backups = backups(config, data_dir);
        Ok(Self {
            brain,
            console,
            store: file,
            beside,
            time: None,
            backups,
            upkeep: None,
            mirrors: None,
            telemetry: None,
            servers: None,
            stop,
        })
    }

    /// What is new in a person's accounts is read first, as far as that does not take long: for a process that answers
    /// once and ends.
    pub(crate) async fn catch_up(&self, person: &UserId) {
        let patience = Duration::from_millis(limits::CATCH_UP_MS);
        let Some(ctx) = self.brain.context_of(person).await else { return };
        let services = self.brain.services.now();
        let mirrors = services.iter().filter_map(|registration| registration.service.mirroring());
        join_all(mirrors.map(|mirror| mirror.catch_up(&ctx, patience))).await;
    }

    /// Starts the servers that bring services.
    pub(crate) fn start_servers(&mut self) {
        let (brain, stop) = (self.brain.clone(), self.stop.clone());
        if !brain.servers.is_empty() {
            let servers =
                tokio::spawn(async move { brain.servers.keep(&brain.services, brain.store.as_ref(), &stop).await });
            self.servers = Some(AbortOnDropHandle::new(servers));
        }
    }

    /// The same, and waits a little for what they offer: for a process that answers once and ends.
    pub(crate) async fn await_servers(&mut self) {
        self.start_servers();
        let patience = Duration::from_secs(limits::MCP_WAIT_SECS);
        let _ = tokio::time::timeout(patience, self.brain.servers.settled(&self.brain.services)).await;
    }

    /// Lets other processes reach this one.
    pub(crate) fn listen(&mut self, data_dir: &Path) {
        if let Some(warning) = app::exposed(data_dir) {
            tell(&format!("brain-agent: {warning}"));
        }
        match control::listen(data_dir) {
            Ok(listener) => {
                self.beside.spawn(control::serve(listener, self.brain.clone(), self.console.clone()));
            }
            Err(error) => {
                tell(&format!(
                    "brain-agent: other commands cannot reach this process ({error}); it works all the same"
                ));
            }
        }
    }

    /// Opens the operator's page, where one is wanted.
    pub(crate) async fn open_page(&mut self, config: &Config, data_dir: &Path) -> anyhow::Result<()> {
        let Some(web) = &config.web else { return Ok(()) };
        let page =
            Web::bind(web, data_dir).await.with_context(|| format!("the page at {} (BRAIN_ADMIN_ADDR)", web.addr))?;
        let token = if web.token.is_some() { "BRAIN_ADMIN_TOKEN".to_owned() } else { page.token_place(data_dir) };
        tell(&format!("The operator's page is at http://{}/; what opens it stands in {token}.", page.addr()));
        self.beside.spawn(page.serve(self.brain.clone(), self.console.clone(), config.origin.clone()));
        Ok(())
    }

    /// Sends traces of turns where they are wanted.
    #[cfg(feature = "otel")]
    pub(crate) fn send_traces(&mut self, config: &Config) {
        use brain_agent::telemetry::{TelemetryTarget, follow};
        let Some(url) = config.otlp_url.clone() else { return };
        let models = config.models.iter().map(|(stage, endpoint)| (*stage, endpoint.model.clone())).collect();
        let (brain, stop, target) = (self.brain.clone(), self.stop.clone(), TelemetryTarget { url, models });
        let sending = tokio::spawn(async move {
            if let Err(error) = follow(&brain, &target, &stop).await {
                tracing::error!(%error, "no traces are sent");
            }
        });
        self.telemetry = Some(AbortOnDropHandle::new(sending));
    }

    /// Nothing is built in that could; the configuration refuses to ask for it.
    #[cfg(not(feature = "otel"))]
    pub(crate) fn send_traces(&mut self, _: &Config) {}

    /// Delivers what falls due, by the real clock, keeps the store in order, and follows the accounts of `people` and of
    /// whoever else takes a turn.
    pub(crate) fn keep_time(&mut self, data_dir: &Path, people: &[UserId]) {
        let (brain, stop) = (self.brain.clone(), self.stop.clone());
        let time = tokio::spawn(async move { scheduler::run(&brain, &stop).await });
        self.time = Some(AbortOnDropHandle::new(time));
        let (brain, stop, backups) = (self.brain.clone(), self.stop.clone(), self.backups.clone());
        let data_dir = data_dir.to_owned();
        let upkeep = tokio::spawn(async move { upkeep::run(&brain, &data_dir, backups.as_ref(), &stop).await });
        self.upkeep = Some(AbortOnDropHandle::new(upkeep));
        let (brain, stop, people) = (self.brain.clone(), self.stop.clone(), people.to_vec());
        let mirrors = tokio::spawn(async move { scheduler::follow(&brain, &people, &stop).await });
        self.mirrors = Some(AbortOnDropHandle::new(mirrors));
    }

    pub(crate) async fn close(mut self, data_dir: &Path) {
        self.stop.cancel();
        if let Some(time) = self.time.take() {
            // It has a limit of its own. If it broke, the next start finds what it has left.
            let _ = time.await;
        }
        let patience = Duration::from_millis(limits::SHUTDOWN_MS);
        for ending in [self.servers.take(), self.telemetry.take()].into_iter().flatten() {
            let _ = tokio::time::timeout(patience, ending).await;
        }
        // Each of its steps is whole, or is done again by the next start.
        drop((self.upkeep.take(), self.mirrors.take()));
        self.beside.shutdown().await;
        let _ = std::fs::remove_file(control::path(data_dir));
        drop(self.brain);
        self.store.close().await;
    }
}

/// Of the configured folder, not of a throw-away one.
fn backups(config: &Config, data_dir: &Path) -> Option<BackupPlan> {
    let folder = config.backup_dir.clone().filter(|_| data_dir == config.data_dir)?;
    let (data_dir, accounts) = (data_dir.to_owned(), config.accounts_place.path.clone());
    Some(BackupPlan { data_dir, accounts, folder, keep: config.backups_kept })
}

pub(crate) async fn serve(config: &Config) -> anyhow::Result<ExitCode> {
    let telegram_config = config
        .telegram
        .as_ref()
        .context("TELEGRAM_BOT_TOKEN is not set; get a token from @BotFather, or use “brain-agent console”")?;
    let telegram = telegram::Telegram::new(telegram_config, config)?.listening_with(app::transcriber(config)?);
    let mut runtime =
        Runtime::open(config, RuntimeParts { telegram: Some(telegram.channel()), ..RuntimeParts::by(config) }).await?;
    runtime.listen(&config.data_dir);
    runtime.open_page(config, &config.data_dir).await?;
    let people: Vec<UserId> = config.accounts.iter().filter_map(|account| account.person.id()).collect();
    runtime.start_servers();
    runtime.send_traces(config);
    runtime.keep_time(&config.data_dir, &people);
    let stopping = runtime.stop.clone();
    runtime.beside.spawn(async move {
        termination().await;
        stopping.cancel();
    });
    let ended = telegram.run(runtime.brain.clone(), runtime.stop.clone()).await;
    runtime.close(&config.data_dir).await;
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// Returns on SIGTERM or Ctrl-C.
pub(crate) async fn termination() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
