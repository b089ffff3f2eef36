//! Access control: the configured ids, and who has paired, without those whom the operator has blocked. Nobody else, by
//! default nobody at all.
//!
//! Invariants: who is blocked is told nothing; of a stranger only the number is kept, in memory; a stranger is answered one sentence an hour
//! at most; who was let in by configuration and is taken out of it is a stranger again, whatever else is
//! stored about them (that is why pairing has a record of its own).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::pairing::{Pairing, Try};
use super::place::ChatPlace;
use crate::admin::people::{self, PairingOffer};
use crate::config::telegram_user;
use brain_core::core::ids::UserId;
use brain_core::core::turn::Reply;
use brain_core::limits;
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;

const PAIRED: &str = "paired";

/// A person who has sent the pairing code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// The id under which they are served.
    pub user: UserId,
    /// Telegram's number of them.
    pub number: i64,
    /// When they sent the code.
    pub at: DateTime<Utc>,
}

impl Record for Paired {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Key::of(&[PAIRED, self.user.as_str()])
    }
}

/// Who is let in by configuration.
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// Served.
    pub allowed: HashSet<i64>,
    /// Served, and more.
    pub admins: HashSet<i64>,
}

async fn paired(brain: &Brain) -> Result<Vec<(Paired, u64)>, StoreError> {
    brain.store.list::<Paired>(Scan::of::<Paired>(&[PAIRED], limits::STRANGERS_MAX)).await
}

/// What a stranger is answered.
#[derive(Debug, PartialEq, Eq)]
pub enum StrangerAnswer {
    /// About a code they tried: there are few tries, so it is always said.
    OfTheCode(String),
    /// That they are not served: said while there is room for it.
    ToAStranger(String),
}

/// What the operator has decided while this runs.
#[derive(Debug, Default)]
struct OperatorsWord {
    blocked: BTreeSet<UserId>,
    /// The last code of theirs that was opened: it is opened once, however often it is looked up.
    code: Option<String>,
}

/// Who is served at this moment.
#[derive(Debug)]
pub struct Access {
    served: RwLock<HashSet<i64>>,
    /// Of those, whom the configuration lets in.
    configured: HashSet<i64>,
    /// What the operator has decided since, as it was last looked up.
    decided: RwLock<OperatorsWord>,
    has_admin: bool,
    pairing: Mutex<Pairing>,
    answered: Mutex<HashMap<i64, Instant>>,
}

impl Access {
    /// Reads who may come in. When that is nobody, a pairing code is made, and returned to be shown.
    pub async fn open(brain: &Brain, door: &Door) -> Result<(Self, Option<String>), StoreError> {
        let paired = paired(brain).await?;
        let configured: HashSet<i64> = door.allowed.union(&door.admins).copied().collect();
        let mut served = configured.clone();
        served.extend(paired.iter().map(|(paired, _)| paired.number));
        if door.admins.is_empty() {
            let first = paired.iter().min_by_key(|(paired, _)| paired.at).map(|(paired, _)| paired.user.clone());
            let only = || if served.len() == 1 { served.iter().next().copied().map(telegram_user) } else { None };
            first.or_else(only).into_iter().for_each(|first| drop(brain.policy.first_admin.set(first)));
        }
        let code = served.is_empty().then(|| brain.new_id());
        let pairing = code.clone().map_or_else(Pairing::default, |code| Pairing::open(code, Instant::now()));
        let access = Self {
            served: RwLock::new(served),
            configured,
            decided: RwLock::default(),
            has_admin: !door.admins.is_empty(),
            pairing: Mutex::new(pairing),
            answered: Mutex::default(),
        };
        access.renew(brain).await?;
        Ok((access, code))
    }

    /// Looks up what the operator has decided meanwhile. Who was erased is a stranger.
    pub async fn renew(&self, brain: &Brain) -> Result<(), StoreError> {
        let numbers = paired(brain).await?.into_iter().map(|(paired, _)| paired.number);
        let served = self.configured.iter().copied().chain(numbers).collect();
        *self.served.write().unwrap_or_else(PoisonError::into_inner) = served;
        let blocked = people::blocked(&brain.store.as_ref()).await?;
        let now = brain.clock.now();
        let offer = people::offered(&brain.store.as_ref(), now).await?;
        let mut decided = self.decided.write().unwrap_or_else(PoisonError::into_inner);
        decided.blocked = blocked;
        if let Some(offer) = offer.filter(|offer| decided.code.as_ref() != Some(&offer.code)) {
            let left = (offer.until - now).to_std().unwrap_or_default();
            *self.pairing.lock().unwrap_or_else(PoisonError::into_inner) =
                Pairing::open_for(offer.code.clone(), Instant::now() + left);
            decided.code = Some(offer.code);
        }
        Ok(())
    }

    /// Whether this person is served.
    pub fn serves(&self, who: i64) -> bool {
        self.served.read().unwrap_or_else(PoisonError::into_inner).contains(&who) && !self.is_blocked(who)
    }

    fn is_blocked(&self, who: i64) -> bool {
        self.decided.read().unwrap_or_else(PoisonError::into_inner).blocked.contains(&telegram_user(who))
    }

    /// Whether somebody may be let in at this moment.
    pub fn is_pairing(&self) -> bool {
        self.pairing.lock().unwrap_or_else(PoisonError::into_inner).is_open(Instant::now())
    }

    /// Hears a stranger out, and says what to answer, if anything. Who is let in finds the welcome in the outbox.
    pub async fn stranger(&self, brain: &Brain, who: i64, place: ChatPlace, text: &str) -> Option<StrangerAnswer> {
        if self.is_blocked(who) {
            return None;
        }
        let now = Instant::now();
        let tried = self.pairing.lock().unwrap_or_else(PoisonError::into_inner).attempt(who, text, now);
        match tried {
            Try::Right => match self.let_in(brain, who, place).await {
                Ok(()) => None,
                Err(error) => {
                    tracing::error!(%error, "a pairing could not be stored");
                    let why = "The code was right, but I could not store that. Please restart me and use the new code.";
                    Some(StrangerAnswer::OfTheCode(why.to_owned()))
                }
            },
            Try::Wrong => {
                let wrong = "That is not the code. It is ten characters long; whoever runs me has it.";
                Some(StrangerAnswer::OfTheCode(wrong.to_owned()))
            }
            Try::Last => {
                let last = "That was not the code either, and the last try I can accept from you.";
                Some(StrangerAnswer::OfTheCode(last.to_owned()))
            }
            Try::Unheard => None,
            Try::None => self.may_answer(who, now).then(|| StrangerAnswer::ToAStranger(self.sentence(who))),
        }
    }

    fn sentence(&self, who: i64) -> String {
        if self.is_pairing() {
            "Hi! I am a private assistant; if I am yours, send me the pairing code that whoever runs me has.".to_owned()
        } else {
            format!("Hi! I am a private assistant and don't know you; my owner can let you in with your number, {who}.")
        }
    }

    fn may_answer(&self, who: i64, now: Instant) -> bool {
        let hour = Duration::from_secs(limits::STRANGER_SECS);
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if answered.len() >= limits::STRANGERS_MAX {
            answered.retain(|_, at| now.duration_since(*at) < hour);
        }
        let lately = answered.get(&who).is_some_and(|at| now.duration_since(*at) < hour);
        // With too many strangers lately, new ones get no answer.
        if lately || answered.len() >= limits::STRANGERS_MAX {
            return false;
        }
        answered.insert(who, now);
        true
    }

    /// The sentence did not get there: the next message of this stranger may have one.
    pub fn not_answered(&self, who: i64) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).remove(&who);
    }

    /// Stores the pairing and the welcome, in one commit.
    async fn let_in(&self, brain: &Brain, who: i64, place: ChatPlace) -> Result<(), StoreError> {
        let chat = place.id();
        // A code of the operator's lets somebody in beside those who are served.
        let admin = !self.has_admin && self.served.read().unwrap_or_else(PoisonError::into_inner).is_empty();
        let id = telegram_user(who);
        let (mut user, expect) = brain.user_at(&id, &chat).await?;
        user.admin |= admin;
        let mut batch = Batch::default();
        batch.put(&Paired { user: id.clone(), number: who, at: brain.clock.now() }, Expect::Any)?;
        batch.put(&user, expect)?;
        batch.delete(Table::Meta, PairingOffer::place(), Expect::Any);
        let role = if admin { " You are my admin, too." } else { "" };
        let welcome = format!(
            "Welcome! From now on I work for you.{role}\n\nTry:\n• Remind me to call mom tomorrow at 5pm\n• What do I have this week?\n\n/help shows everything."
        );
        brain.commit_told(&chat, vec![Show::Send(Reply::text(welcome))], batch).await?;
        self.served.write().unwrap_or_else(PoisonError::into_inner).insert(who);
        if admin {
            brain.policy.first_admin.get_or_init(|| id);
        }
        Ok(())
    }
}
