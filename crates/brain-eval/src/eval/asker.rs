//! The stages of a turn, as the pipeline runs them, for a message that is nobody's: an empty store, a folder that is
//! thrown away, and nothing is ever executed.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::plan::PlanExample;
use super::{EvalError, Who};
use brain_adapters::store::MemoryStore;
use brain_app::app::{self, Parts};
use brain_app::channel::console::ConsoleChannel;
use brain_app::config::Config;
use brain_core::clock::SystemClock;
use brain_core::core::ids::{ChatId, MessageId, RunId, UserId};
use brain_core::core::plan::PlannedAction;
use brain_core::core::turn::{Done, Incoming, Input, Origin, Path};
use brain_core::ports::records::{Message, Speaker};
use brain_core::ports::{Call, Completion, Model, ModelError, Planning, Stage, StoreError, TokenPrice};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::stages::context::Context;
use brain_engine::pipeline::stages::guessed::{self, Route};
use brain_engine::pipeline::stages::plan;
use brain_engine::pipeline::stages::route;
use brain_engine::pipeline::stages::topic::{Planned, Topic};
use brain_engine::pipeline::turn::debounce::Debounce;
use brain_engine::pipeline::turn::{Turn, TurnAccount, TurnError, TurnFacts};
use brain_language::language::requests::Past;
use brain_language::language::routing::Kind;

/// A model that is asked however slow it is known to be: what built-in understanding would do in its place is measured
/// by itself.
#[derive(Debug)]
struct Unhurried(Arc<dyn Model>);

#[async_trait]
impl Model for Unhurried {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        self.0.complete(call, words).await
    }

    fn reads_tokens_max(&self, stage: Stage) -> Option<u64> {
        self.0.reads_tokens_max(stage)
    }

    fn is_small(&self, stage: Stage) -> bool {
        self.0.is_small(stage)
    }
}

/// Asks the configured model.
#[derive(Debug)]
pub(super) struct Asker {
    brain: Brain,
    name: String,
    price: Option<TokenPrice>,
    /// Gone with this value.
    _folder: TempDir,
}

impl Asker {
    /// `None`: no model is configured, or none is wanted. The price is that of the stage that is measured.
    pub(super) fn open(stage: Stage, who: Who, config: &Config) -> Result<Option<Self>, EvalError> {
        let endpoint = config.models.get(&stage).or_else(|| config.models.values().next());
        let (Who::Configured, Some(endpoint)) = (who, endpoint) else {
            return Ok(None);
        };
        let folder = tempfile::tempdir().map_err(EvalError::Folder)?;
        let parts = Parts {
            store: Arc::new(MemoryStore::new()),
            data_dir: folder.path().to_owned(),
            clock: Arc::new(SystemClock::new()),
            channel: Arc::new(ConsoleChannel::default()),
            zone: Some(chrono_tz::UTC),
        };
        // It is the model that is measured, so it is asked even where built-in understanding is sure.
        let config = Config { skip_router: false, skip_planner: false, ..config.clone() };
        let mut brain = app::build(&config, parts)?;
        brain.model = brain.model.take().map(|model| Arc::new(Unhurried(model)) as Arc<dyn Model>);
        let price = config.prices.get(&stage).copied();
        Ok(Some(Self { brain, name: endpoint.model.clone(), price, _folder: folder }))
    }

    /// What the model is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What its tokens cost, if that was said.
    pub(super) fn price(&self) -> Option<TokenPrice> {
        self.price
    }

    /// The route stage.
    pub(super) async fn route(&self, text: &str) -> Result<(Vec<String>, Done), StoreError> {
        let incoming = incoming(text, self.brain.clock.now());
        let account = TurnAccount::new(incoming.turn.clone());
        let turn = self.heard(&incoming, &account, |_| {}).await?;
        let guess = guessed::guess(turn.brain, &turn.facts);
        let route = route::decide(&turn, &guess).await;
        Ok((route.domains, account.sum_up(Path::Action, Vec::new()).0))
    }

    /// The plan stage, over every service; in steps, over the commands that are selected first.
    pub(super) async fn plan(&self, example: &PlanExample) -> Result<(Vec<PlannedAction>, Done), StoreError> {
        let reference = example.reference;
        let incoming = incoming(&example.text, reference.now);
        let account = TurnAccount::new(incoming.turn.clone());
        let of_example = |facts: &mut TurnFacts| {
            facts.ctx.now = reference.now;
            facts.ctx.zone = reference.zone;
            facts.ctx.order = reference.order;
            facts.history = conversation(&example.history, &incoming);
        };
        let turn = self.heard(&incoming, &account, of_example).await?;
        let names = self.brain.services.now().names();
        let route = match self.brain.planning() {
            Planning::Whole | Planning::Conversation => Route { kind: Kind::Action, domains: names, selection: None },
            Planning::Auto | Planning::Steps => route::decide(&turn, &guessed::guess(turn.brain, &turn.facts)).await,
        };
        if route.kind != Kind::Action {
            return Ok((Vec::new(), account.sum_up(Path::Action, Vec::new()).0));
        }
        let topic = Topic { selection: route.selection.as_ref(), ..Topic::default() };
        let planned = plan::make(&turn, &route.domains, &Context::default(), &topic).await;
        let actions = match planned {
            Planned::Plan { plan, .. } => plan.actions,
            Planned::Depends(depending) => depending.plan.actions,
            Planned::Ask(_) | Planned::NotUnderstood(_) | Planned::Doubt(_) => Vec::new(),
        };
        Ok((actions, account.sum_up(Path::Action, Vec::new()).0))
    }

    /// A turn whose message was read with facts that were changed before.
    async fn heard<'a>(
        &'a self,
        incoming: &Incoming,
        account: &'a TurnAccount,
        change: impl FnOnce(&mut TurnFacts),
    ) -> Result<Turn<'a>, StoreError> {
        let mut turn = Turn::open(&self.brain, incoming, account, CancellationToken::new(), Debounce::over()).await?;
        change(&mut turn.facts);
        match turn.hear().await {
            Ok(()) | Err(TurnError::Cancelled) => Ok(turn),
            Err(TurnError::Store(error)) => Err(error),
        }
    }
}

fn incoming(text: &str, at: DateTime<Utc>) -> Incoming {
    Incoming {
        turn: RunId::new("eval"),
        user: UserId::new("eval"),
        chat: ChatId::new("console:eval"),
        message_id: MessageId(1),
        at,
        input: Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None },
        inbox: None,
        parts: Vec::new(),
        quote: None,
    }
}

/// Earlier turns as the store would hold them: what the person said, then what was done.
fn conversation(history: &[Past], incoming: &Incoming) -> Vec<Message> {
    let message = |speaker, text: &str, actions| Message {
        chat: incoming.chat.clone(),
        number: 0,
        speaker,
        text: text.to_owned(),
        origin: Origin::Typed,
        at: incoming.at,
        actions,
        message: None,
        by: None,
        source: None,
        undo: Vec::new(),
        outcomes: Vec::new(),
        untrusted: Vec::new(),
        only_proposes: false,
    };
    let of_turn = |past: &Past| {
        [message(Speaker::Person, &past.said, Vec::new()), message(Speaker::Assistant, "", past.actions.clone())]
    };
    history.iter().flat_map(of_turn).collect()
}
