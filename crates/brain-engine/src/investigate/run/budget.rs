//! Budget of one question: tokens, model calls, time. One budget for everything that is done for it.
//!
//! Whoever asks a model first reserves the most that the call can use, then settles what it did use:
//!
//! ```text
//! reserve(2,500) ─► refused, nothing changes              ─► a gap, declared by whoever asked
//!      └─► reserved ─► settle(usage)  1,830 used, the rest is free again
//!                  ─► unsent()        all of it is free again
//!                  ─► dropped         all of it counts as used: nobody knows what a call that was cut off cost
//! ```
//!
//! Invariant: what is used and what is reserved together never exceed the bounds, however many ask at once. A call that
//! used more than it reserved is counted as it was, and then nothing is left. Deliberately not here: how many tokens a
//! call can use, and prices.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use brain_core::limits;
use brain_core::ports::Usage;

/// Bounds of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Of all model calls, in and out.
    pub tokens: u64,
    /// Requests to models.
    pub calls: u32,
    /// From its beginning to the last node.
    pub time_ms: u64,
}

impl Default for BudgetLimits {
    fn default() -> Self {
        Self { tokens: limits::TURN_TOKENS_MAX, calls: limits::TURN_CALLS_MAX, time_ms: limits::TURN_MS_MAX }
    }
}

/// What does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutOfBudget {
    /// More tokens than are left.
    #[error("it would take {asked} tokens, and {left} are left")]
    Tokens {
        /// At most.
        asked: u64,
        /// Neither used nor reserved.
        left: u64,
    },
    /// No call is left.
    #[error("all {most} model calls are used up")]
    Calls {
        /// All there were.
        most: u32,
    },
    /// No time is left.
    #[error("the time is used up")]
    Time,
}

/// What was used up to now; with what is reserved and not settled yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetSpent {
    /// In and out.
    pub tokens: u64,
    /// Requests sent.
    pub calls: u32,
}

/// See the module. Shared by reference.
#[derive(Debug)]
pub struct TurnBudget {
    limits: BudgetLimits,
    deadline: Instant,
    spent: Mutex<BudgetSpent>,
}

impl TurnBudget {
    /// One that begins now.
    pub fn new(limits: BudgetLimits) -> Self {
        let deadline = Instant::now() + Duration::from_millis(limits.time_ms);
        Self { limits, deadline, spent: Mutex::default() }
    }

    /// When the time is used up.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Leave for one call that uses at most so many tokens, prompt and answer together.
    pub fn reserve(&self, tokens: u64) -> Result<Reservation<'_>, OutOfBudget> {
        self.reserve_beside(tokens, BudgetSpent::default())
    }

    /// The same, if so much is left for others after it.
    pub fn reserve_beside(&self, tokens: u64, others: BudgetSpent) -> Result<Reservation<'_>, OutOfBudget> {
        if Instant::now() >= self.deadline {
            return Err(OutOfBudget::Time);
        }
        let mut spent = self.lock();
        if spent.calls.saturating_add(others.calls) >= self.limits.calls {
            return Err(OutOfBudget::Calls { most: self.limits.calls });
        }
        let left = self.limits.tokens.saturating_sub(spent.tokens).saturating_sub(others.tokens);
        if tokens > left {
            return Err(OutOfBudget::Tokens { asked: tokens, left });
        }
        *spent = BudgetSpent { tokens: spent.tokens + tokens, calls: spent.calls + 1 };
        Ok(Reservation { budget: self, tally: None, held: BudgetSpent { tokens, calls: 1 } })
    }

    /// What was used, and what is reserved.
    pub fn spent(&self) -> BudgetSpent {
        *self.lock()
    }

    /// What may still be reserved.
    pub fn left(&self) -> BudgetSpent {
        let spent = self.spent();
        BudgetSpent {
            tokens: self.limits.tokens.saturating_sub(spent.tokens),
            calls: self.limits.calls.saturating_sub(spent.calls),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BudgetSpent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leave for one call.
#[derive(Debug)]
#[must_use = "what is dropped counts as used"]
pub struct Reservation<'a> {
    budget: &'a TurnBudget,
    /// Of the node that asked.
    tally: Option<&'a NodeTally>,
    held: BudgetSpent,
}

impl<'a> Reservation<'a> {
    pub(super) fn for_node(self, tally: &'a NodeTally) -> Self {
        let mut settled = self;
        settled.tally = Some(tally);
        settled
    }

    /// The call is over, and this is what it used.
    pub fn settle(mut self, usage: &Usage) {
        let used = BudgetSpent { tokens: usage.tokens_in + usage.tokens_out, calls: usage.calls };
        self.counts_as(used);
    }

    /// The call was never sent.
    pub fn unsent(mut self) {
        self.counts_as(BudgetSpent::default());
    }

    /// Turns what is held into what was used.
    fn counts_as(&mut self, used: BudgetSpent) {
        let mut spent = self.budget.lock();
        spent.tokens = (spent.tokens - self.held.tokens).saturating_add(used.tokens);
        spent.calls = (spent.calls - self.held.calls).saturating_add(used.calls);
        self.held = used;
    }
}

impl Drop for Reservation<'_> {
    /// `held` is what counts by now, in every case.
    fn drop(&mut self) {
        if let Some(tally) = self.tally {
            tally.tokens.fetch_add(self.held.tokens, Ordering::Relaxed);
            tally.calls.fetch_add(self.held.calls, Ordering::Relaxed);
        }
    }
}

/// What one node took so far, all attempts together.
#[derive(Debug, Default)]
pub(super) struct NodeTally {
    pub attempts: AtomicU32,
    pub calls: AtomicU32,
    pub tokens: AtomicU64,
}
