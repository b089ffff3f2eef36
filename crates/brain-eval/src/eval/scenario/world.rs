//! A world of its own for every row: the whole program over a store in memory, a folder that is thrown away, a clock
//! that stands still, a chat that remembers, and mail that reaches nobody.

use std::panic::AssertUnwindSafe;
use std::path::Path as Folder;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt as _;

use super::happened::{self, Happened};
use super::row::{PersonStep, Pressed, Scenario};
use crate::eval::example::{self, InventoryError};
use brain_adapters::store::MemoryStore;
use brain_app::app::{self, Parts, StartError};
use brain_app::config::Config;
use brain_core::clock::ManualClock;
use brain_core::core::button::{CardVerb, Press, Role};
use brain_core::core::ids::{ChatId, MessageId, RunId};
use brain_core::core::markup::Formatted;
use brain_core::core::outcome::Status;
use brain_core::core::pending::Pending;
use brain_core::core::turn::{Done, Edit, Incoming, Input, Origin, Path, Reply};
use brain_core::limits::EVAL_CARDS_MAX;
use brain_core::ports::{Channel, RecordExt, Scan, SendError, Store, StoreError};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::handle_turn;
use brain_engine::queries::offers::{Offer, Offered};
use brain_language::language::requests;
use brain_services::services::{Accounts, Holder, MailAccount, MailAccounts};

/// Why a row cannot be played.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlayError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Inventory(#[from] InventoryError),
    #[error("its folder cannot be filled: {0}")]
    Files(#[from] std::io::Error),
    #[error("its mail cannot go out: {0}")]
    Mail(String),
}

/// What came of a row.
#[derive(Debug)]
pub(super) struct RowOutcome {
    pub(super) turns: Vec<ScenarioReply>,
    pub(super) happened: Vec<Happened>,
    /// At the end a card or a question is open.
    pub(super) is_open: bool,
    /// What would have happened had the cards that wait at the end been approved; `None`: none waits.
    pub(super) if_approved: Option<Vec<Happened>>,
    /// What would have come of the first choice of the offer that the last message left; `None`: it left none, or a
    /// card waits as well.
    pub(super) if_taken: Option<TakenOffer>,
}

/// An offer that was taken after the row had ended.
#[derive(Debug)]
pub(super) struct TakenOffer {
    /// From the beginning of the row, the cards that followed approved.
    pub(super) happened: Vec<Happened>,
    pub(super) turn: ScenarioReply,
}

/// What came of one message or press.
#[derive(Debug)]
pub(super) struct ScenarioReply {
    pub(super) done: Done,
    pub(super) answers: Vec<String>,
    pub(super) manner: Manner,
}

/// How it was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// With a question, or with a card that waits for a yes.
    Asked,
    /// That it was not understood, cannot be done, or failed.
    Declined,
    /// As small talk.
    Talked,
    /// With what was done or found.
    Answered,
    /// There was no card to press.
    PressedNothing,
}

/// Plays a row to its end, in a folder of its own. What follows the store may still write there afterwards.
pub(super) async fn play(row: &Scenario, config: &Config, folder: &Folder) -> Result<RowOutcome, PlayError> {
    std::fs::create_dir_all(folder)?;
    let world = World::open(row, config, folder).await?;
    let store = world.brain.store.as_ref();
    let before = example::inventory(store, folder, &row.place).await?;
    let mut turns = Vec::new();
    for said in &row.say {
        turns.push(world.takes(said).await?);
    }
    let after = example::inventory(store, folder, &row.place).await?;
    let state = world.brain.chat_state(&row.place.chat).await?;
    let waits = world.open_card().await?.is_some();
    let is_open = waits || state.clarification.is_some();
    let happened = happened::between(&before, &after);
    let mut outcome = RowOutcome { turns, happened, is_open, if_approved: None, if_taken: None };
    if waits {
        world.approves_what_waits().await?;
        let then = example::inventory(store, folder, &row.place).await?;
        outcome.if_approved = Some(happened::between(&before, &then));
    } else if let Some(offer) = world.open_offer().await? {
        let turn = world.presses(offer).await?;
        world.approves_what_waits().await?;
        let then = example::inventory(store, folder, &row.place).await?;
        outcome.if_taken = Some(TakenOffer { happened: happened::between(&before, &then), turn });
    }
    Ok(outcome)
}

struct World<'a> {
    row: &'a Scenario,
    brain: Brain,
    chat: Arc<RememberingChat>,
}

impl<'a> World<'a> {
    async fn open(row: &'a Scenario, config: &Config, folder: &Folder) -> Result<Self, PlayError> {
        row.start.put_files(folder, &row.place.owner)?;
        let store = Arc::new(MemoryStore::new());
        store.commit(row.start.batch.clone()).await?;
        let chat = Arc::new(RememberingChat::default());
        let parts = Parts {
            store,
            data_dir: folder.to_owned(),
            clock: Arc::new(ManualClock::new(row.place.now)),
            channel: chat.clone(),
            zone: Some(row.place.zone),
        };
        let outgoing = example::outgoing().map_err(PlayError::Mail)?;
        let mail = MailAccounts::new([MailAccount::of(outgoing, [Holder::Everybody])]);
        let brain = app::build_with(config, parts, Accounts { mail, ..Accounts::default() })?;
        Ok(Self { row, brain, chat })
    }

    /// The newest card that can still be decided.
    async fn open_card(&self) -> Result<Option<Pending>, StoreError> {
        let cards = self.brain.store.list::<Pending>(Scan::of::<Pending>(&[], usize::MAX)).await?;
        let open = cards.into_iter().map(|(card, _)| card).filter(|card| card.state.is_open());
        Ok(open.max_by_key(|card| card.last_card_message().map(|message| message.0)))
    }

    async fn approves_what_waits(&self) -> Result<(), StoreError> {
        for _ in 0..EVAL_CARDS_MAX {
            if self.takes(&PersonStep::Press { press: Pressed::Approve }).await?.manner == Manner::PressedNothing {
                break;
            }
        }
        Ok(())
    }

    /// The first choice of the newest offer of something to do since the person's last words that nobody has taken.
    async fn open_offer(&self) -> Result<Option<Input>, StoreError> {
        let store = self.brain.store.as_ref();
        for (message, press) in self.chat.offers() {
            let Press::Offer { id, .. } = &press else { continue };
            let stored = store.load::<Offer>(&Offer::key_of(id)).await?;
            let place = &self.row.place;
            let open = stored.filter(|(offer, _)| offer.is_open_to(&place.owner, &place.chat, place.now));
            match open.map(|(offer, _)| offer.what) {
                Some(Offered::Actions { .. } | Offered::Readings { .. }) => {
                    return Ok(Some(Input::Press { data: press.encode(), message: Some(message) }));
                }
                Some(Offered::Investigation { .. } | Offered::Answers { .. } | Offered::Redo { .. }) | None => {}
            }
        }
        Ok(None)
    }

    async fn takes(&self, said: &PersonStep) -> Result<ScenarioReply, StoreError> {
        let input = match said {
            PersonStep::Words(text) => {
                self.chat.forget_offers();
                Input::Message { text: text.clone(), origin: Origin::Typed, reply_to: None }
            }
            PersonStep::Press { press } => match self.open_card().await? {
                Some(card) => pressed(&card, *press),
                None => return Ok(ScenarioReply::in_vain()),
            },
        };
        let words = match said {
            PersonStep::Words(words) => words,
            PersonStep::Press { .. } => "",
        };
        self.turn(words, input).await
    }

    async fn presses(&self, offer: Input) -> Result<ScenarioReply, StoreError> {
        self.turn("", offer).await
    }

    async fn turn(&self, words: &str, input: Input) -> Result<ScenarioReply, StoreError> {
        let number = self.chat.next_id();
        let incoming = Incoming {
            turn: RunId::new(format!("scenario{}", number.0)),
            user: self.row.place.owner.clone(),
            chat: self.row.place.chat.clone(),
            message_id: number,
            at: self.row.place.now,
            input,
            inbox: None,
            parts: Vec::new(),
            quote: None,
        };
        let done = AssertUnwindSafe(handle_turn(&self.brain, &incoming)).catch_unwind().await;
        let done = done.unwrap_or_else(|_panic| {
            self.brain.end(&incoming);
            Done::quiet(Path::Error)
        });
        let replies = self.chat.take();
        let state = self.brain.chat_state(&self.row.place.chat).await?;
        let is_asking = state.clarification.is_some() || state.editing.is_some() || state.snoozing.is_some();
        let manner = manner(words, &done, &replies, is_asking);
        Ok(ScenarioReply { done, answers: replies.into_iter().map(|reply| reply.text).collect(), manner })
    }
}

fn pressed(card: &Pending, press: Pressed) -> Input {
    let verb = match press {
        Pressed::Approve => CardVerb::Approve,
        Pressed::Cancel => CardVerb::Cancel,
    };
    let digest_prefix = card.digest.prefix().to_owned();
    let press = Press::Card { pending: card.id.clone(), digest_prefix, verb };
    Input::Press { data: press.encode(), message: card.last_card_message() }
}

impl ScenarioReply {
    fn in_vain() -> Self {
        Self { done: Done::quiet(Path::Button), answers: Vec::new(), manner: Manner::PressedNothing }
    }
}

/// How a turn was answered: what it came to first, and what it says only where that does not tell.
pub(super) fn manner(words: &str, done: &Done, replies: &[Reply], is_asking: bool) -> Manner {
    let offers = |reply: &Reply| reply.buttons.iter().flatten().any(|button| button.role == Role::Offer);
    let asks = done.path == Path::Clarify && is_asking;
    if asks || replies.iter().any(|reply| reply.card.is_some() || offers(reply)) {
        return Manner::Asked;
    }
    let failed = |status: Status| matches!(status, Status::Failed | Status::Unknown | Status::Refused);
    let has_failed = done.outcomes.iter().any(|outcome| failed(outcome.status));
    let declines = matches!(done.path, Path::Blocked | Path::Error | Path::Clarify);
    if has_failed || declines || replies.iter().any(|reply| says_so(words, &reply.text)) {
        return Manner::Declined;
    }
    match done.path {
        Path::Chat => Manner::Talked,
        Path::Action
        | Path::Consent
        | Path::Investigate
        | Path::Blocked
        | Path::Clarify
        | Path::Clock
        | Path::Command
        | Path::Button
        | Path::Error => Manner::Answered,
    }
}

/// Whether an answer says that something was not understood or not done.
fn says_so(words: &str, answer: &str) -> bool {
    const PHRASES: &[&str] = &[
        "beyond me",
        "can't do that",
        "cannot do that",
        "couldn't",
        "could not",
        "didn't catch",
        "didn't understand",
        "did not understand",
        "don't understand",
        "i can't",
        "i cannot",
        "leave out",
        "left out",
        "not able to",
        "not something i can",
        "not sure what",
        "nothing was changed",
        "nothing was done",
        "trouble making sense",
        "unable to",
    ];
    let in_kind = !words.is_empty() && answer.starts_with(&requests::not_understood(words));
    let answer = answer.to_lowercase().replace('’', "'");
    in_kind || PHRASES.iter().any(|phrase| answer.contains(phrase))
}

/// A chat that remembers what it was told until that is taken.
#[derive(Debug, Default)]
struct RememberingChat {
    replies: Mutex<Vec<Reply>>,
    /// The first choices of what was offered since the person's last words, each with its message; newest first.
    offers: Mutex<Vec<(MessageId, Press)>>,
    last_id: AtomicI64,
}

impl RememberingChat {
    fn next_id(&self) -> MessageId {
        MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn take(&self) -> Vec<Reply> {
        std::mem::take(&mut *self.replies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn offers(&self) -> Vec<(MessageId, Press)> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn forget_offers(&self) {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[async_trait]
impl Channel for RememberingChat {
    async fn typing(&self, _: &ChatId) {}

    async fn status(&self, _: &ChatId, _: &str) {}

    fn shows_drafts(&self, _: &ChatId) -> bool {
        false
    }

    async fn draft(&self, _: &ChatId, _: &Formatted) {}

    async fn send(&self, _: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        let message = self.next_id();
        let offered = reply.buttons.iter().flatten().find(|button| button.role == Role::Offer);
        if let Some(press) = offered.and_then(|button| Press::decode(&button.data)) {
            self.offers.lock().unwrap_or_else(PoisonError::into_inner).insert(0, (message, press));
        }
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push(reply.clone());
        Ok(message)
    }

    async fn edit(&self, _: &ChatId, edit: &Edit) -> Result<(), SendError> {
        // What becomes of a card is often told on the card itself.
        if let Some(text) = &edit.text {
            self.replies.lock().unwrap_or_else(PoisonError::into_inner).push(Reply::text(text.clone()));
        }
        Ok(())
    }

    fn try_again(&self, _: &ChatId) {}
}
