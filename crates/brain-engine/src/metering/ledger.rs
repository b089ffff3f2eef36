//! The ledger of what may be spent: a person's day and month, as far as records and the calls on their way tell.
//!
//! Invariants: what is spent and held together never exceeds a budget; a hold that is dropped costs what was sent. Read
//! from the records once a person and process; two processes over one store each see the other's turns after a restart.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{Datelike, NaiveDate};
use tokio::sync::OnceCell;

use crate::queries::usage;
use brain_core::core::ids::UserId;
use brain_core::ports::{Reader, Stage, Store, StoreError};

/// The part of a budget at which its person is told.
pub const NEARLY: f64 = 0.8;

/// What may be spent, in US dollars.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budgets {
    /// A person on a day of theirs.
    pub daily: Option<f64>,
    /// The same in a month.
    pub monthly: Option<f64>,
    /// A person on a day, for one stage.
    pub stages: BTreeMap<Stage, f64>,
}

impl Budgets {
    /// Whether nothing is bounded.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a person has used so much by this day that nothing is asked of a model which may turn out not to be needed.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn are_nearly_used(
        &self,
        reader: &(impl Reader + ?Sized),
        owner: &UserId,
        day: NaiveDate,
    ) -> Result<bool, StoreError> {
        if self.is_unlimited() {
            return Ok(false);
        }
        let spent = usage::spent(reader, owner, day).await?;
        let nearly = |budget: Option<f64>, used: f64| budget.is_some_and(|budget| used >= budget * NEARLY);
        Ok(nearly(self.daily, spent.today) || nearly(self.monthly, spent.month))
    }
}

/// See the module.
#[derive(Debug)]
pub struct BudgetLedger {
    /// What is bounded.
    pub budgets: Budgets,
    store: Arc<dyn Store>,
    people: Mutex<HashMap<UserId, Arc<OnceCell<SharedSpent>>>>,
}

type SharedSpent = Arc<Mutex<Spent>>;

/// What one person has spent, of the latest day that was asked about.
#[derive(Debug, Default)]
struct Spent {
    day: Option<NaiveDate>,
    today: f64,
    stages: BTreeMap<Stage, f64>,
    /// Today included.
    month: f64,
}

impl Spent {
    fn turn_to(&mut self, day: NaiveDate) {
        // A turn of yesterday that still runs is counted today.
        if self.day.is_some_and(|known| known >= day) {
            return;
        }
        if self.day.is_none_or(|known| (known.year(), known.month()) != (day.year(), day.month())) {
            self.month = 0.0;
        }
        (self.day, self.today) = (Some(day), 0.0);
        self.stages.clear();
    }

    fn add(&mut self, stage: Stage, usd: f64) {
        self.today += usd;
        self.month += usd;
        *self.stages.entry(stage).or_default() += usd;
    }
}

/// Money that is held for a call. Dropped, it costs what was sent.
#[derive(Debug)]
pub struct Hold {
    spent: SharedSpent,
    stage: Stage,
    most: f64,
    least: f64,
}

impl Hold {
    /// The call came to so much.
    pub fn settle(mut self, usd: f64) {
        self.least = usd;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        locked(&self.spent).add(self.stage, self.least - self.most);
    }
}

impl BudgetLedger {
    /// Over these records.
    pub fn new(budgets: Budgets, store: Arc<dyn Store>) -> Self {
        Self { budgets, store, people: Mutex::default() }
    }

    /// Holds the most that a call may cost; why it may not be made, in words for its person. Where the records cannot be
    /// read nothing is known to be left.
    ///
    /// # Errors
    /// Which budget does not hold it.
    pub async fn hold(
        &self,
        owner: &UserId,
        day: NaiveDate,
        stage: Stage,
        (least, most): (f64, f64),
    ) -> Result<Hold, String> {
        let spent = match self.spent(owner, day).await {
            Ok(spent) => spent,
            Err(error) if self.budgets.is_unlimited() => {
                tracing::warn!(%error, "what was spent cannot be read");
                Arc::default()
            }
            Err(error) => return Err(format!("what was spent today cannot be read: {error}")),
        };
        let mut of = locked(&spent);
        of.turn_to(day);
        let budgets = [
            ("today's budget", self.budgets.daily, of.today),
            ("this month's budget", self.budgets.monthly, of.month),
            (
                "today's budget for this",
                self.budgets.stages.get(&stage).copied(),
                of.stages.get(&stage).copied().unwrap_or(0.0),
            ),
        ];
        for (name, budget, used) in budgets {
            if let Some(budget) = budget.as_ref().filter(|budget| most > 0.0 && used + most > **budget) {
                let (used, budget) = (usage::dollars(used), usage::dollars(*budget));
                return Err(format!("{name} for the language model does not hold another call: {used} of {budget}"));
            }
        }
        of.add(stage, most);
        drop(of);
        Ok(Hold { spent, stage, most, least })
    }

    async fn spent(&self, owner: &UserId, day: NaiveDate) -> Result<SharedSpent, StoreError> {
        let cell = {
            let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
            people.entry(owner.clone()).or_default().clone()
        };
        cell.get_or_try_init(|| self.read(owner, day)).await.cloned()
    }

    /// What the records say of a person's month up to this day.
    async fn read(&self, owner: &UserId, day: NaiveDate) -> Result<SharedSpent, StoreError> {
        let mut spent = Spent::default();
        spent.turn_to(day);
        for used in usage::of_month(self.store.as_ref(), owner, day).await? {
            match used.day == day {
                true => spent.add(used.stage, used.sum.usd),
                false => spent.month += used.sum.usd,
            }
        }
        Ok(Arc::new(Mutex::new(spent)))
    }
}

fn locked(spent: &Mutex<Spent>) -> MutexGuard<'_, Spent> {
    spent.lock().unwrap_or_else(PoisonError::into_inner)
}
