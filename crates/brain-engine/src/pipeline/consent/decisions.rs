//! The durable side of decisions: a yes or no becomes a record, an audit row and an intent in one commit, and
//! an approved card is executed and brought to its end.
//!
//! Invariants: decision, audit and intent are durable before anything is acknowledged; the start is durable before the
//! first effect outside the store, and with the first inside; what executes is the stored bytes. Three commits:
//! decision, start (with an effect inside the store), end with the answer. Not here: what counts as a yes (`consent`).
use super::closed;
use crate::pipeline::brain::Brain;
use crate::pipeline::run::{self, Grant, Ran, Start, SuspendedStep};
use crate::pipeline::running::CardUnderWay;
use crate::pipeline::show;
use crate::queries::pending::open_cards;
use brain_core::core::ids::{ChatId, PendingId, RunId, UserId};
use brain_core::core::pending::{Decision, Means, Pending, Transition};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::run::{Run, RunOrigin, Step, StepProgress};
use brain_core::core::turn::Reply;
use brain_core::failpoint::fail_point;
use brain_core::ports::records::{Due, DueKind, PendingOpen, Show, Undo};
use brain_core::ports::{Batch, Change, Expect, Key, Record, RecordExt, StoreError, Table};

/// Said to whoever decides a card whose record is broken.
pub const UNREADABLE: &str = "I can no longer read that card, so it can't be decided, and nothing of it was done by this. Please ask for it again if you still want it.";
const WAITED_UNREADABLE: &str = "⚠️ A card that waited here for your yes or no can no longer be read, so it is withdrawn: nothing of it was done. Please ask for it again if you still want it.";

/// Revisions of the two records of an approved card.
#[derive(Debug, Clone, Copy)]
pub struct Revisions {
    /// Of the pending action.
    pub pending: u64,
    /// Of its run.
    pub run: u64,
}

/// An approved card after execution; its records still have to be committed with the answer.
#[derive(Debug)]
pub struct Finished {
    /// In its final state.
    pub pending: Pending,
    /// Every step done.
    pub run: Run,
    /// Texts of others that it holds.
    pub untrusted: Vec<UntrustedText>,
    /// How to take back what can be taken back.
    pub undo: Vec<Undo>,
    /// The final state, the end of the run, the audit row.
    pub batch: Batch,
    /// What was not done because something has to be answered first.
    pub asks: Vec<SuspendedStep>,
}

impl Finished {
    /// One line an action.
    pub fn reports(&self) -> Vec<brain_core::core::outcome::Report> {
        self.run.steps.iter().map(show::step_report).collect()
    }
}

impl Brain {
    /// The open pending actions of a chat that can be read, oldest first.
    pub async fn open_pending(&self, chat: &ChatId) -> Result<Vec<Pending>, StoreError> {
        let open = open_cards(&self.store.snapshot().await?, chat).await?;
        self.withdraw_broken(&open.broken).await?;
        Ok(open.cards)
    }

    /// Withdraws and tells what nobody can decide, because it cannot be read.
    pub async fn withdraw_broken(&self, broken: &[(PendingOpen, u64)]) -> Result<(), StoreError> {
        for (entry, revision) in broken {
            let mut batch = Batch::default();
            batch.delete(Table::PendingOpen, entry.key(), Expect::Revision(*revision));
            let told = vec![Show::Send(Reply::text(WAITED_UNREADABLE))];
            match self.commit_told(&entry.chat, told, batch).await {
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes a decision durable: new state, audit row, and for a yes the intent to execute, in one commit.
    pub async fn record_decision(
        &self,
        pending: &mut Pending,
        revision: u64,
        event: Transition,
        decision: Decision,
        inbox: Option<&str>,
    ) -> Result<Revisions, StoreError> {
        let (decided, batch) = self.decision(pending, revision, event, decision, inbox)?;
        fail_point("decision-before");
        let revision = self.commit(batch).await?;
        fail_point("decision-durable");
        *pending = decided;
        Ok(Revisions { pending: revision, run: revision })
    }

    /// What a decision writes: the record in its new state, its audit row, the intent of a yes.
    fn decision(
        &self,
        pending: &Pending,
        revision: u64,
        event: Transition,
        decision: Decision,
        inbox: Option<&str>,
    ) -> Result<(Pending, Batch), StoreError> {
        let mut decided = pending.clone();
        let by = decision.by.clone();
        let at = decision.at;
        decided
            .apply(event)
            .map_err(|illegal| StoreError::Unreadable { table: Table::Pending, why: illegal.to_string() })?;
        decided.decision = Some(decision);
        let mut batch = Batch::default();
        batch.put(&decided, Expect::Revision(revision))?;
        self.leave_open(&decided, &mut batch);
        batch.put(&self.audit_pending(&by, at, &decided), Expect::Absent)?;
        if event == Transition::Approve {
            batch.put(&intent(&decided, at, inbox), Expect::Absent)?;
        }
        Ok((decided, batch))
    }

    /// Takes a pending action out of the indexes of open ones, together with a change of it that expects its revision:
    /// that is what makes it happen once.
    pub fn leave_open(&self, pending: &Pending, batch: &mut Batch) {
        batch.delete(Table::PendingOpen, PendingOpen::of(pending).key(), Expect::Any);
        batch.delete(Table::Due, expiry(pending).key(), Expect::Any);
    }

    /// Closes a card nobody decided in time.
    pub async fn expire(&self, pending: &mut Pending, revision: u64) -> Result<(), StoreError> {
        let decision = self.clock_decides(pending);
        match self.record_decision(pending, revision, Transition::Expire, decision, None).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Closes a card nobody decided in time and tells its owner, in one commit: neither happens without
    /// the other. Nothing is told when somebody decided it at this very moment. The caller sees to the delivery.
    pub async fn expire_and_tell(&self, pending: &Pending, revision: u64) -> Result<(), StoreError> {
        let decision = self.clock_decides(pending);
        let (expired, batch) = self.decision(pending, revision, Transition::Expire, decision, None)?;
        let words = format!(
            "⌛ That card has expired, so I did not {}. Ask again if you still want it.",
            show::title(&self.services, &expired)
        );
        let mut shows = closed::shows(self, &expired).await?;
        shows.push(Show::Send(Reply::text(words)));
        match self.commit_decided(&expired, shows, batch).await {
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other,
        }
    }

    fn clock_decides(&self, pending: &Pending) -> Decision {
        Decision { by: UserId::new("clock"), means: Means::Clock, at: self.clock.now(), digest: pending.digest.clone() }
    }

    /// Executes an approved card: checks time and digest, records the start, does every step.
    /// The end still has to be committed: it is in the result's batch.
    pub async fn execute_approved(
        &self,
        ctx: &brain_services::services::contract::context::RequestContext,
        mut pending: Pending,
        revisions: Revisions,
        under_way: &CardUnderWay<'_>,
    ) -> Result<Finished, StoreError> {
        let Some((run, run_revision)) = self.store.load::<Run>(&intent_key(&pending.id)).await? else {
            return Err(StoreError::Unreadable {
                table: Table::Runs,
                why: format!("the intent of {} is gone", pending.id),
            });
        };
        let instants = self.clock.instants();
        if pending.approval_is_stale(&instants) || pending.has_expired(&instants) {
            return self.give_up(
                pending,
                Revisions { run: run_revision, ..revisions },
                run,
                Transition::Expire,
                "the approval is too old; ask again if you still want it",
            );
        }
        if pending.digest != pending.compute_digest() {
            return self.give_up(
                pending,
                Revisions { run: run_revision, ..revisions },
                run,
                Transition::PreconditionChanged,
                "its record was altered after it was shown",
            );
        }
        let illegal = |e: brain_core::core::pending::IllegalTransition| StoreError::Unreadable {
            table: Table::Pending,
            why: e.to_string(),
        };
        pending.apply(Transition::Begin).map_err(illegal)?;
        let begins = Change::put(&pending, Expect::Revision(revisions.pending))?;
        let start = Start::at(run_revision).with([begins]);
        let ran = run::run(self, ctx, run, start, Grant::Approved(&pending, under_way)).await?;
        // A card of nothing but looks has not been written since its approval.
        let revision = ran.begun.unwrap_or(revisions.pending);
        self.finish(pending, revision, ran)
    }

    /// The final state of an executed card, with the end of its run.
    pub fn finish(&self, mut pending: Pending, revision: u64, ran: Ran) -> Result<Finished, StoreError> {
        let illegal = |e: brain_core::core::pending::IllegalTransition| StoreError::Unreadable {
            table: Table::Pending,
            why: e.to_string(),
        };
        pending.apply(Transition::Finish(ran.run.end())).map_err(illegal)?;
        let mut batch = Batch::default();
        batch.put(&pending, Expect::Revision(revision))?;
        batch.put(&self.audit_pending(&pending.owner, self.clock.now(), &pending), Expect::Absent)?;
        ran.end_journal(self, &mut batch)?;
        let Ran { run, untrusted, undo, asks, .. } = ran;
        Ok(Finished { pending, run, untrusted, undo: undo.into_iter().flatten().collect(), batch, asks })
    }

    /// An approved card that will not execute.
    fn give_up(
        &self,
        mut pending: Pending,
        revisions: Revisions,
        mut run: Run,
        event: Transition,
        why: &str,
    ) -> Result<Finished, StoreError> {
        let illegal = |e: brain_core::core::pending::IllegalTransition| StoreError::Unreadable {
            table: Table::Pending,
            why: e.to_string(),
        };
        pending.apply(event).map_err(illegal)?;
        for step in &mut run.steps {
            step.progress = StepProgress::Done { outcome: brain_core::core::outcome::Outcome::failed(why) };
        }
        let mut batch = Batch::default();
        batch.put(&pending, Expect::Revision(revisions.pending))?;
        batch.put(&self.audit_pending(&pending.owner, self.clock.now(), &pending), Expect::Absent)?;
        batch.delete(Table::Runs, run.key(), Expect::Revision(revisions.run));
        Ok(Finished { pending, run, untrusted: Vec::new(), undo: Vec::new(), batch, asks: Vec::new() })
    }
}

/// The due entry that expires a card.
pub fn expiry(pending: &Pending) -> Due {
    Due {
        at: pending.expires_at,
        owner: pending.owner.clone(),
        chat: pending.chat.clone(),
        kind: DueKind::Expiry { pending: pending.id.clone() },
        meant: None,
    }
}

fn intent_key(id: &PendingId) -> Key {
    Key::of(&[id.as_str()])
}

/// The intent to execute an approved card: a run with every step planned.
fn intent(pending: &Pending, at: chrono::DateTime<chrono::Utc>, inbox: Option<&str>) -> Run {
    let depends_on = |index: usize| pending.depends_on.get(index).cloned().unwrap_or_default();
    let steps = pending.actions.iter().enumerate();
    let steps = steps.map(|(index, action)| Step::planned(action.clone(), depends_on(index)));
    Run {
        id: RunId::new(pending.id.as_str()),
        origin: RunOrigin::Pending(pending.id.clone()),
        owner: pending.owner.clone(),
        chat: pending.chat.clone(),
        request: pending.request.clone(),
        inbox: inbox.map(str::to_owned),
        reply_to: None,
        started_at: at,
        steps: steps.collect(),
    }
}
