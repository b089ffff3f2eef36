//! Commands that change records, whoever keeps them: planned over the replica, written by the backend of the account,
//! told by what is there afterwards. Services say what changes ([`Edits`]); everything else about it is here.
//!
//! What is taken back elsewhere is written elsewhere, too: [`Restore`], which undo alone can ask for.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::backend::{Backends, Mirror, RecordEdit, RecordOrigin, Replicated, Unwritten};
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{shorten, visible};
use brain_core::limits;
use brain_core::ports::{Batch, Change, Record as _, RecordExt, Scan, Secondary, Store, StoreError};

/// A service that keeps records of one kind, here or in accounts.
#[async_trait]
pub trait Replica: Send + Sync + 'static {
    /// What it keeps.
    type Kept: Replicated;

    /// Its name in plans.
    fn service(&self) -> &'static str;

    /// Where the replica is.
    fn store(&self) -> &Arc<dyn Store>;

    /// Who writes.
    fn backends(&self) -> &Backends<Self::Kept>;

    /// Its records by where they come from, see [`origin_key`](super::backend::origin_key).
    fn by_origin(&self) -> &'static Secondary;

    /// What else of the store follows from these edits: reminders.
    async fn along(
        &self,
        _ctx: &RequestContext,
        _edits: &[RecordEdit<Self::Kept>],
    ) -> Result<Vec<Change>, ServiceError> {
        Ok(Vec::new())
    }
}

/// What a receipt is told from, by what is there afterwards; of what is gone, by what was.
type Tell<T, O> = Box<dyn FnOnce(&T) -> O + Send>;

/// What a command is to change.
pub struct PlannedEdits<T, O> {
    /// Told is the last of them.
    edits: Vec<RecordEdit<T>>,
    tell: Tell<T, O>,
}

impl<T: fmt::Debug, O> fmt::Debug for PlannedEdits<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedEdits").field("edits", &self.edits).finish_non_exhaustive()
    }
}

impl<T, O> PlannedEdits<T, O> {
    /// These edits; `tell` makes the command's output of the last of them.
    pub fn new(edits: Vec<RecordEdit<T>>, tell: impl FnOnce(&T) -> O + Send + 'static) -> Self {
        Self { edits, tell: Box::new(tell) }
    }
}

/// A service that carries out `C` by changing its records.
#[async_trait]
pub trait Edits<C: Command>: Replica {
    /// See [`Handle::prepare`].
    async fn prepare(&self, _ctx: &RequestContext, command: C) -> Result<Prepared<C>, ServiceError> {
        Ok(Prepared::as_is(command))
    }

    /// What changes. Reads only.
    async fn edits(&self, call: Invocation<'_, C>) -> Result<PlannedEdits<Self::Kept, C::Output>, ServiceError>;
}

/// Carries out what its service plans.
pub(in crate::services) struct Editor<S>(pub Arc<S>);

impl<S> fmt::Debug for Editor<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Editor")
    }
}

#[async_trait]
impl<C: Command, S: Edits<C>> Handle<C> for Editor<S> {
    fn effect(&self, account: Option<&ActingAccount>) -> Effect {
        self.0.backends().effect(account)
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.0.backends().acting(owner, target)
    }

    async fn prepare(&self, ctx: &RequestContext, command: C) -> Result<Prepared<C>, ServiceError> {
        self.0.prepare(ctx, command).await
    }

    async fn perform(&self, call: Invocation<'_, C>) -> Result<Completed<C::Output>, ServiceError> {
        let (ctx, action, attempt) = (call.ctx, call.action, call.attempt);
        let PlannedEdits { edits, tell } = self.0.edits(call).await?;
        let told = told(&edits)?.clone();
        let edits: Vec<RecordEdit<S::Kept>> = edits.into_iter().filter(changes_something).collect();
        if edits.is_empty() {
            return Ok(Completed::read(tell(&told)).holding(told.others_words()));
        }
        let backend = self.0.backends().backend(&ctx.owner, action.account.as_ref())?;
        let written = match backend.write(ctx, edits, attempt).await {
            Ok(written) => written,
            Err(Unwritten::Refused(why)) => return Err(ServiceError::Refused(why)),
            Err(Unwritten::Doubtful(why)) => return Ok(Completed::Doubtful(why)),
            Err(Unwritten::ChangedElsewhere) => {
                // What the person is asked to say again is then about what is there.
                if let Err(error) = mirror_anew(self.0.as_ref(), ctx).await {
                    tracing::warn!(%error, service = self.0.service(), "what was changed elsewhere could not be read");
                }
                return Err(ServiceError::Conflict { label: named(&told) });
            }
        };
        let is_elsewhere = backend.effect() == Effect::WriteElsewhere;
        let reversal = Restore::of(&written).ok().filter(|_| is_elsewhere);
        let reversal = reversal.map(|restore| planned(self.0.service(), &restore));
        let changes = match replica_changes(self.0.as_ref(), ctx, &written).await {
            // What was done there stands, whatever becomes of its mirror here.
            Err(error) if is_elsewhere => {
                tracing::error!(%error, service = self.0.service(), "what was done elsewhere is not in its replica");
                Vec::new()
            }
            changes => changes?,
        };
        let told = self::told(&written).unwrap_or(&told);
        Ok(Completed::changed(tell(told), changes).holding(told.others_words()).taken_back_by(reversal))
    }

    async fn happened(&self, call: Invocation<'_, C>) -> Option<Result<Completed<C::Output>, ServiceError>> {
        let (ctx, action, attempt) = (call.ctx, call.action, call.attempt);
        let backend = self.0.backends().backend(&ctx.owner, action.account.as_ref()).ok()?;
        let PlannedEdits { edits, tell } = self.0.edits(call).await.ok()?;
        let told = told(&edits).ok()?.clone();
        Some(match backend.settled(ctx, &edits, attempt).await? {
            true => Ok(Completed::read(tell(&told)).holding(told.others_words())),
            false => Err(ServiceError::Refused("I was stopped before it was done".to_owned())),
        })
    }
}

/// What the last edit is about: afterwards, or as it was where it is gone.
fn told<T>(edits: &[RecordEdit<T>]) -> Result<&T, ServiceError> {
    let last = edits.last().and_then(|edit| edit.after.as_ref().or(edit.before.as_ref().map(|(before, _)| before)));
    last.ok_or_else(|| ServiceError::Broken("Nothing was to be changed.".to_owned()))
}

/// What a message calls it.
fn named<T: Replicated>(record: &T) -> String {
    visible(&shorten(&record.name().replace('\n', " "), limits::CARD_INLINE_CHARS_MAX))
}

fn changes_something<T: PartialEq>(edit: &RecordEdit<T>) -> bool {
    edit.before.as_ref().map(|(before, _)| before) != edit.after.as_ref()
}

/// What makes the store hold these edits.
async fn replica_changes<S: Replica>(
    service: &S,
    ctx: &RequestContext,
    edits: &[RecordEdit<S::Kept>],
) -> Result<Vec<Change>, ServiceError> {
    let records: Result<Vec<Option<Change>>, StoreError> = edits.iter().map(RecordEdit::change).collect();
    let mut changes: Vec<Change> = records?.into_iter().flatten().collect();
    changes.extend(service.along(ctx, edits).await?);
    Ok(changes)
}

/// Makes the replica of a person's accounts what is there.
pub(in crate::services) async fn mirror_anew<S: Replica>(
    service: &S,
    ctx: &RequestContext,
) -> Result<(), ServiceError> {
    for account in service.backends().of(&ctx.owner) {
        account.backend.sync(ctx, &StoreMirror { service, ctx, account: &account.id }).await?;
    }
    Ok(())
}

/// The replica of one account in the store.
pub(in crate::services) struct StoreMirror<'m, S> {
    pub service: &'m S,
    pub ctx: &'m RequestContext,
    pub account: &'m str,
}

impl<S: Replica> StoreMirror<'_, S> {
    async fn list(&self, parts: &[&str]) -> Result<Vec<(S::Kept, u64)>, ServiceError> {
        let parts = [&[self.ctx.owner.as_str(), self.account], parts].concat();
        Ok(self.service.store().list(Scan::by(self.service.by_origin(), &parts, usize::MAX)).await?)
    }
}

#[async_trait]
impl<S: Replica> Mirror<S::Kept> for StoreMirror<'_, S> {
    async fn origins(&self) -> Result<Vec<RecordOrigin>, ServiceError> {
        Ok(self.list(&[]).await?.iter().filter_map(|(kept, _)| kept.origin().cloned()).collect())
    }

    async fn held(&self, ids: &[String]) -> Result<Vec<(S::Kept, u64)>, ServiceError> {
        let mut held = Vec::new();
        for id in ids {
            held.extend(self.list(&[id]).await?);
        }
        Ok(held)
    }

    async fn apply(&self, edits: Vec<RecordEdit<S::Kept>>) -> Result<(), ServiceError> {
        let edits: Vec<_> = edits.into_iter().filter(changes_something).collect();
        let changes = replica_changes(self.service, self.ctx, &edits).await?;
        if !changes.is_empty() {
            self.service.store().commit(Batch { changes }).await?;
        }
        Ok(())
    }
}

/// One record as an effect elsewhere left it, and as it was before.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "T: Replicated")]
struct Restoring<T> {
    is: Option<T>,
    was: Option<T>,
}

/// Puts records back as they were before an effect elsewhere. No planner knows of it; it is what undo executes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    records: Vec<Value>,
}

impl Restore {
    fn of<T: Replicated>(written: &[RecordEdit<T>]) -> Result<Self, ServiceError> {
        // What was made last is taken back first.
        let record = |edit: &RecordEdit<T>| {
            let was = edit.before.as_ref().map(|(before, _)| before.clone());
            serde_json::to_value(Restoring { is: edit.after.clone(), was })
        };
        Ok(Self { records: written.iter().rev().map(record).collect::<Result<_, _>>()? })
    }
}

/// That something was put back.
#[derive(Debug, Serialize, Deserialize)]
pub struct Restored {
    name: String,
}

impl Command for Restore {
    type Output = Restored;

    const NAME: &'static str = "restore";
    const SUMMARY: &'static str = "put something back as it was";
    const EXAMPLE: &'static str = "Undo";
    const STATUS: &'static str = "Putting that back…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["records"];

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Put it back as it was?")
    }

    fn receipt(&self, output: &Restored, _: &Receipt<'_>) -> String {
        format!("↩️ Taken back: “{}”.", output.name)
    }

    fn attempt(&self, _: &Action) -> String {
        "put it back as it was".to_owned()
    }
}

#[async_trait]
impl<S: Replica> Edits<Restore> for S {
    /// The account is that of what is put back.
    async fn prepare(&self, _: &RequestContext, command: Restore) -> Result<Prepared<Restore>, ServiceError> {
        let records: Vec<Restoring<S::Kept>> = restoring(&command)?;
        let some = records.iter().find_map(|record| record.is.as_ref().or(record.was.as_ref()));
        let some = some.ok_or_else(|| ServiceError::Broken("Nothing was to be put back.".to_owned()))?;
        let account = some.origin().map(|origin| origin.account.clone());
        let target = Target { label: some.name().to_owned(), account, ..Target::default() };
        Ok(Prepared::Ready { params: command, target: Some(target), notes: Vec::new(), untrusted: Vec::new() })
    }

    async fn edits(&self, call: Invocation<'_, Restore>) -> Result<PlannedEdits<S::Kept, Restored>, ServiceError> {
        let mut edits = Vec::new();
        for Restoring { is, was } in restoring::<S::Kept>(&call.command)? {
            let Some(some) = is.as_ref().or(was.as_ref()) else { continue };
            let before = self.store().load::<S::Kept>(&some.key()).await?;
            if before.as_ref().map(|(there, _)| there) != is.as_ref() {
                return Err(ServiceError::Conflict { label: named(some) });
            }
            let mut after = was;
            if let (Some(after), Some(is)) = (&mut after, &is) {
                after.set_origin(is.origin().cloned());
            }
            edits.push(RecordEdit { before, after });
        }
        Ok(PlannedEdits::new(edits, |record: &S::Kept| Restored { name: record.name().to_owned() }))
    }
}

fn restoring<T: Replicated>(command: &Restore) -> Result<Vec<Restoring<T>>, ServiceError> {
    Ok(command.records.iter().map(Restoring::deserialize).collect::<Result<_, _>>()?)
}
