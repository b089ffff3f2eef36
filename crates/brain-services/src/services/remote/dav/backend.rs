//! Writing: an edit becomes the text of a resource, on the condition that nobody has changed it since.
//!
//! ```text
//! new       PUT, if there is nothing of that name
//! changed   GET ─► still the state that was read? ─► its lines changed ─► PUT, if it still is that state
//! gone      GET ─► still that state? ─► DELETE, if it still is
//! ```
//! Of several edits the first that is refused takes back what was done before it; where that fails, nobody knows.
//! A write of which no answer came is looked at once, by reading.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;

use super::place::{DavPlace, uid_of};
use super::record::{DavReader, DavRecord, ResourceName};
use super::state::DavState;
use super::sync::DavPass;
use crate::services::contract::command::Effect;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::remote::backend::{Backend, KeptPlace, Mirror, RecordEdit, RecordOrigin, Replicated, Unwritten};
use brain_core::core::ids::UserId;
use brain_core::limits::{DAV_GLANCE_MS, DAV_UNDO_BYTES_MAX};
use brain_wire::dav::{DavError, DavKind, Resource};

/// What one edit did there.
struct WriteStep<T> {
    written: RecordEdit<T>,
    /// What was there before, and what is there now; `None`: nothing.
    was: Option<Resource>,
    is: Option<(String, String)>,
}

#[async_trait]
impl<T: DavRecord> Backend<T> for DavPlace<T> {
    fn effect(&self) -> Effect {
        Effect::WriteElsewhere
    }

    /// Tasks stay here unless a list was chosen for them; everything else where the server has no place for it.
    fn takes_new(&self) -> bool {
        match (&self.chosen, T::KIND) {
            (Some(_), _) => true,
            (None, DavKind::Tasks) => false,
            (None, DavKind::Events | DavKind::Contacts) => !self.has_none.load(Ordering::Relaxed),
        }
    }

    async fn write(
        &self,
        ctx: &RequestContext,
        edits: Vec<RecordEdit<T>>,
        _: &Attempt,
    ) -> Result<Vec<RecordEdit<T>>, Unwritten> {
        let state = self.known(ctx).await?;
        let mut steps: Vec<WriteStep<T>> = Vec::new();
        for edit in edits {
            match self.step(ctx, &state, edit, &steps).await {
                Ok(step) => steps.push(step),
                Err(error) => return Err(self.taken_back(steps, error).await),
            }
        }
        Ok(steps.into_iter().map(|step| step.written).collect())
    }

    async fn settled(&self, ctx: &RequestContext, edits: &[RecordEdit<T>], _: &Attempt) -> Option<bool> {
        let state = self.state(&ctx.owner).await.ok()?;
        let mut all = Vec::new();
        for edit in edits {
            all.push(self.came_true(ctx, &state, edit).await?);
        }
        let first = *all.first()?;
        all.iter().all(|one| *one == first).then_some(first)
    }

    async fn sync(&self, ctx: &RequestContext, mirror: &dyn Mirror<T>) -> Result<(), ServiceError> {
        DavPass { place: self, ctx, mirror }.run().await?;
        Ok(())
    }

    async fn whereabouts(&self, owner: &UserId, origin: Option<&RecordOrigin>) -> KeptPlace {
        let Ok(state) = self.state(owner).await else { return KeptPlace::default() };
        let collection = match origin {
            Some(origin) => state.of(&origin.id),
            None => state.takes_new(self.chosen.as_deref()),
        };
        let name = collection.map(|one| one.name.clone()).filter(|_| state.collections.len() > 1);
        KeptPlace { name, is_shared: collection.is_some_and(|one| one.is_shared) }
    }
}

impl<T: DavRecord> DavPlace<T> {
    /// Which collections there are; looked up now where nothing was read yet.
    async fn known(&self, ctx: &RequestContext) -> Result<DavState, Unwritten> {
        let unreadable = |error: &dyn std::fmt::Display| Unwritten::Refused(format!("{error} Nothing was done."));
        let mut state = self.state(&ctx.owner).await.map_err(|error| unreadable(&error))?;
        if state.collections.is_empty() {
            let looking = self.client.collections(T::KIND);
            let found = tokio::time::timeout(Duration::from_millis(DAV_GLANCE_MS), looking).await;
            let late = |_| not_done("the server did not answer in time");
            let found = found.map_err(late)?.map_err(refused)?;
            state.collections = found.into_iter().map(Into::into).collect();
        }
        Ok(state)
    }

    async fn step(
        &self,
        ctx: &RequestContext,
        state: &DavState,
        edit: RecordEdit<T>,
        before: &[WriteStep<T>],
    ) -> Result<WriteStep<T>, Unwritten> {
        let RecordEdit { before: held, after } = edit;
        match (held, after) {
            (Some((held, revision)), Some(after)) => self.changed(ctx, state, (held, revision), after).await,
            (Some((held, revision)), None) => self.deleted((held, revision)).await,
            (None, Some(after)) => self.created(ctx, state, after, before).await,
            (None, None) => Err(Unwritten::Refused("Nothing was to be changed.".to_owned())),
        }
    }

    async fn created(
        &self,
        ctx: &RequestContext,
        state: &DavState,
        after: T,
        before: &[WriteStep<T>],
    ) -> Result<WriteStep<T>, Unwritten> {
        let (href, is_shared) = self.place_of(state, &after)?;
        let reader = self.reader(ctx, is_shared);
        let put_back = after.origin().and_then(|origin| origin.text.clone());
        let text = match (put_back, before.last()) {
            (Some(text), _) => text,
            // What is made beside a change goes on from what was there, with all that is not ours.
            (None, Some(WriteStep { was: Some(was), written, .. })) if written.before.is_some() => {
                let (from, _) = written.before.as_ref().ok_or(Unwritten::ChangedElsewhere)?;
                T::written(&was.text, (from, &after), Some(&uid_of(after.id())), &reader).map_err(unchangeable)?
            }
            (None, _) => after.made(&uid_of(after.id()), &reader),
        };
        let created = self.client.create(T::KIND, &href, text.clone()).await;
        let etag = match created {
            Ok(stored) => self.etag(&href, stored.etag).await,
            Err(DavError::Doubtful(why)) => self.looked_at(&href, (&after, &text), None, &reader, why).await?,
            Err(DavError::ChangedThere) => {
                return Err(Unwritten::Refused(format!(
                    "There is a {} entry of that name already. Nothing was done.",
                    T::KIND.one()
                )));
            }
            Err(error) => return Err(refused(error)),
        };
        let after = self.as_written(after, &href, &etag, &text, &reader);
        Ok(WriteStep { written: RecordEdit { before: None, after: Some(after) }, was: None, is: Some((href, etag)) })
    }

    async fn changed(
        &self,
        ctx: &RequestContext,
        state: &DavState,
        (held, revision): (T, u64),
        after: T,
    ) -> Result<WriteStep<T>, Unwritten> {
        let was = self.as_it_was(&held).await?;
        let collection = state.of(&was.href);
        let reader = self.reader(ctx, collection.is_some_and(|one| one.is_shared));
        let text = T::written(&was.text, (&held, &after), None, &reader).map_err(unchangeable)?;
        // What a resource has no place for stays here.
        if text == was.text {
            let written = RecordEdit { before: Some((held, revision)), after: Some(after) };
            return Ok(WriteStep { written, was: None, is: None });
        }
        if collection.is_some_and(|one| !one.is_writable) {
            return Err(read_only::<T>(collection.map_or("", |one| &one.name)));
        }
        let etag = match self.client.replace(T::KIND, &was.href, &was.etag, text.clone()).await {
            Ok(stored) => self.etag(&was.href, stored.etag).await,
            Err(DavError::Doubtful(why)) => {
                self.looked_at(&was.href, (&after, &text), Some(&was.etag), &reader, why).await?
            }
            Err(error) => return Err(refused(error)),
        };
        let after = self.as_written(after, &was.href, &etag, &text, &reader);
        let is = Some((was.href.clone(), etag));
        Ok(WriteStep { written: RecordEdit { before: Some((held, revision)), after: Some(after) }, was: Some(was), is })
    }

    async fn deleted(&self, (mut held, revision): (T, u64)) -> Result<WriteStep<T>, Unwritten> {
        let was = self.as_it_was(&held).await?;
        match self.client.delete(&was.href, &was.etag).await {
            Ok(()) => {}
            Err(DavError::Doubtful(why)) => match self.glanced(&was.href).await {
                Ok(None) => {}
                Ok(Some(there)) if there.etag == was.etag => return Err(not_done(&why)),
                Ok(Some(_)) | Err(_) => return Err(Unwritten::Doubtful(doubtful(&why))),
            },
            Err(error) => return Err(refused(error)),
        }
        // So that undo gives back every byte.
        if let Some(origin) = held.origin().cloned().filter(|_| was.text.len() <= DAV_UNDO_BYTES_MAX) {
            held.set_origin(Some(RecordOrigin { text: Some(was.text.clone()), ..origin }));
        }
        Ok(WriteStep { written: RecordEdit { before: Some((held, revision)), after: None }, was: Some(was), is: None })
    }

    /// Takes back what was done before an edit that was refused, and gives what is to be told.
    async fn taken_back(&self, steps: Vec<WriteStep<T>>, error: Unwritten) -> Unwritten {
        for step in steps.into_iter().rev() {
            let undone = match (step.was, step.is) {
                (Some(was), Some((href, etag))) => {
                    self.client.replace(T::KIND, &href, &etag, was.text).await.map(|_| ())
                }
                (None, Some((href, etag))) => self.client.delete(&href, &etag).await,
                (Some(was), None) => self.client.create(T::KIND, &was.href, was.text).await.map(|_| ()),
                (None, None) => Ok(()),
            };
            if undone.is_err() {
                return Unwritten::Doubtful(format!(
                    "only a part of it was done ({error}), and I could not take that back; please look there"
                ));
            }
        }
        error
    }

    /// A resource as it is now, within the time that a write has for it.
    async fn glanced(&self, href: &str) -> Result<Option<Resource>, DavError> {
        let limit = Duration::from_millis(DAV_GLANCE_MS);
        let late = || DavError::Unreachable("the server did not answer in time".to_owned());
        tokio::time::timeout(limit, self.client.get(href)).await.unwrap_or_else(|_| Err(late()))
    }

    /// The resource of a record, if it still is what was read of it.
    async fn as_it_was(&self, held: &T) -> Result<Resource, Unwritten> {
        let Some(origin) = held.origin() else { return Err(Unwritten::ChangedElsewhere) };
        match self.glanced(&origin.id).await {
            Ok(Some(there)) if there.etag == origin.revision => Ok(there),
            Ok(_) => Err(Unwritten::ChangedElsewhere),
            Err(error) => Err(refused(error)),
        }
    }

    /// Where a new record goes: where it was, or where new ones go.
    fn place_of(&self, state: &DavState, after: &T) -> Result<(String, bool), Unwritten> {
        if let Some(origin) = after.origin() {
            return Ok((origin.id.clone(), state.of(&origin.id).is_some_and(|one| one.is_shared)));
        }
        let one = T::KIND.one();
        let Some(collection) = state.takes_new(self.chosen.as_deref()) else {
            let why = match (&self.chosen, state.collections.is_empty()) {
                (_, true) => format!("There is no {one} in this account."),
                (Some(chosen), false) => {
                    let there: Vec<String> = state.collections.iter().map(|one| format!("“{}”", one.name)).collect();
                    format!("There is no {one} “{chosen}” in this account, there are {}.", there.join(", "))
                }
                (None, false) => format!("I may not write into any {one} of this account."),
            };
            return Err(Unwritten::Refused(format!("{why} Nothing was done.")));
        };
        if !collection.is_writable {
            return Err(read_only::<T>(&collection.name));
        }
        Ok((format!("{}{}{}", collection.href, after.id(), T::SUFFIX), collection.is_shared))
    }

    /// The state of what was just written. Where the server does not say it, it is asked for; where that fails, the next
    /// pass finds it.
    async fn etag(&self, href: &str, told: Option<String>) -> String {
        match told {
            Some(etag) => etag,
            None => self.glanced(href).await.ok().flatten().map(|there| there.etag).unwrap_or_default(),
        }
    }

    /// After a write of which no answer came: its state if it is there. Servers write a text down in their own way, so
    /// what it says is compared.
    async fn looked_at(
        &self,
        href: &str,
        (after, text): (&T, &str),
        was: Option<&str>,
        reader: &DavReader<'_>,
        why: String,
    ) -> Result<String, Unwritten> {
        let says = |text: &str| {
            let name = ResourceName { id: after.id().to_owned(), origin: RecordOrigin::new(&self.account, href, "") };
            T::read(text, name, Some(after), reader).ok().flatten()
        };
        match self.glanced(href).await {
            Ok(Some(there)) if was == Some(there.etag.as_str()) => Err(not_done(&why)),
            Ok(Some(there)) if says(&there.text).is_some_and(|there| Some(there) == says(text)) => Ok(there.etag),
            Ok(None) if was.is_none() => Err(not_done(&why)),
            Ok(_) | Err(_) => Err(Unwritten::Doubtful(doubtful(&why))),
        }
    }

    /// The record as it is there now.
    fn as_written(&self, after: T, href: &str, etag: &str, text: &str, reader: &DavReader<'_>) -> T {
        let origin = RecordOrigin::new(&self.account, href, etag);
        let name = ResourceName { id: after.id().to_owned(), origin: origin.clone() };
        match T::read(text, name, Some(&after), reader) {
            Ok(Some(read)) => read,
            Ok(None) | Err(_) => {
                let mut after = after;
                after.set_origin(Some(origin));
                after
            }
        }
    }

    /// Whether an edit is to be seen there.
    async fn came_true(&self, ctx: &RequestContext, state: &DavState, edit: &RecordEdit<T>) -> Option<bool> {
        let held = edit.before.as_ref().map(|(held, _)| held);
        let href = match (held.and_then(Replicated::origin), &edit.after) {
            (Some(origin), _) => origin.id.clone(),
            (None, Some(after)) => self.place_of(state, after).ok()?.0,
            (None, None) => return None,
        };
        let there = self.glanced(&href).await.ok()?;
        let was = held.and_then(Replicated::origin).map(|origin| origin.revision.as_str());
        match (there, &edit.after) {
            (None, None) => Some(true),
            (None, Some(_)) => was.is_none().then_some(false),
            (Some(there), _) if was == Some(there.etag.as_str()) => Some(false),
            (Some(_), None) => None,
            (Some(there), Some(after)) => {
                let reader = self.reader(ctx, state.of(&href).is_some_and(|one| one.is_shared));
                let name = ResourceName {
                    id: after.id().to_owned(),
                    origin: RecordOrigin::new(&self.account, &href, &there.etag),
                };
                let read = T::read(&there.text, name, Some(after), &reader).ok()??;
                let mut wanted = after.clone();
                wanted.set_origin(read.origin().cloned());
                (read == wanted).then_some(true)
            }
        }
    }
}

fn refused(error: DavError) -> Unwritten {
    match error {
        DavError::ChangedThere | DavError::Gone => Unwritten::ChangedElsewhere,
        DavError::Doubtful(why) => Unwritten::Doubtful(doubtful(&why)),
        error => not_done(&error.to_string()),
    }
}

fn not_done(why: &str) -> Unwritten {
    Unwritten::Refused(format!("{} Nothing was done.", sentence(why)))
}

fn doubtful(why: &str) -> String {
    format!("{}; please look there before trying again", why.trim_end_matches('.'))
}

/// With a capital letter and a full stop.
fn sentence(why: &str) -> String {
    let why = why.trim().trim_end_matches('.');
    let mut letters = why.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn read_only<T: DavRecord>(name: &str) -> Unwritten {
    Unwritten::Refused(format!("The {} “{name}” can only be read. Nothing was done.", T::KIND.one()))
}

fn unchangeable(why: String) -> Unwritten {
    Unwritten::Refused(format!("I can't change this one without harming it: {why}. Nothing was done."))
}
