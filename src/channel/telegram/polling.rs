//! Fetching updates: one long poll after another, each batch stored before the next call acknowledges it.
//!
//! The first call acknowledges nothing: Telegram gives what it still has, and what is known already is told
//! apart by its number. A poll that is not answered in time is dead and begun anew.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use teloxide_core::requests::Payload;
use tokio_util::sync::CancellationToken;

use super::api::ApiError;
use super::convert::{self, ChatUpdate, UpdateKind};
use super::inbox::{Received, WaitingUpdate};
use super::queue::Queues;
use super::trouble::Trouble;
use super::turns::{self, Desk, Job};
use super::wire::Numbered;
use crate::limits;
use crate::ports::StoreError;

/// The kinds of updates we want.
pub(super) const ALLOWED_UPDATES: [&str; 4] = ["message", "edited_message", "callback_query", "my_chat_member"];

/// As the Bot API has it; teloxide's numbers are too narrow, and its updates may fail to be read.
#[derive(Debug, Serialize)]
struct GetUpdates {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    timeout: u32,
    allowed_updates: [&'static str; 4],
}

impl Payload for GetUpdates {
    type Output = Vec<Box<RawValue>>;
    const NAME: &'static str = "getUpdates";
}

/// Fetches until `stop`.
pub(super) async fn poll(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, stop: &CancellationToken) {
    let mut trouble = Trouble::default();
    let mut offset = None;
    loop {
        let fetched = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            fetched = fetch(desk, offset) => fetched,
        };
        let pause = match fetched {
            Ok(batch) => {
                trouble.over();
                let last = batch.iter().map(|(received, _)| received.update).max();
                match arrive(desk, queues, batch).await {
                    Ok(()) => {
                        offset = last.map(|last| last + 1).or(offset);
                        continue;
                    }
                    Err(error) => {
                        tracing::error!(%error, "updates could not be stored; they are fetched again");
                        Duration::from_secs(1)
                    }
                }
            }
            Err(error) => trouble.met(&error),
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// One long poll. An update without a number cannot even be acknowledged, and is left out.
async fn fetch(desk: &Desk, offset: Option<u64>) -> Result<Vec<(Received, Option<ChatUpdate>)>, ApiError> {
    let call = GetUpdates { offset, timeout: limits::POLL_SECS, allowed_updates: ALLOWED_UPDATES };
    let limit = Duration::from_secs(u64::from(limits::POLL_SECS) + limits::POLL_GRACE_SECS);
    let raw: Vec<Box<RawValue>> = desk.chat.wire.api.call_within(&call, limit).await?;
    Ok(raw.iter().filter_map(|raw| sort(desk, raw.get())).collect())
}

/// Only what leads to something for somebody we serve is kept with its words. `None` for what has no number.
pub(super) fn sort(desk: &Desk, raw: &str) -> Option<(Received, Option<ChatUpdate>)> {
    let update = serde_json::from_str::<Numbered>(raw).ok()?.update_id;
    let heard = convert::hear(raw, &desk.me);
    let opens = heard.as_ref().is_some_and(|heard| desk.access.serves(heard.who));
    Some((Received { update, raw: raw.to_owned(), opens }, heard))
}

/// Takes a batch in. What stands behind a pairing code is looked at only once the code was: it may be served.
pub(super) async fn arrive(
    desk: &Arc<Desk>,
    queues: &Arc<Queues<Job>>,
    batch: Vec<(Received, Option<ChatUpdate>)>,
) -> Result<(), StoreError> {
    let may_let_in = |heard: &ChatUpdate| knocking(heard).is_some_and(|words| desk.access.may_let_in(words));
    let mut rest = batch;
    loop {
        for (received, heard) in &mut rest {
            received.opens = heard.as_ref().is_some_and(|heard| desk.access.serves(heard.who));
        }
        let code = rest.iter().position(|(received, heard)| !received.opens && heard.as_ref().is_some_and(may_let_in));
        let behind = code.map(|at| rest.split_off(at + 1)).unwrap_or_default();
        admit(desk, queues, std::mem::replace(&mut rest, behind)).await?;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Stores a part of a batch, then hands out what is new in it.
async fn admit(
    desk: &Arc<Desk>,
    queues: &Arc<Queues<Job>>,
    batch: Vec<(Received, Option<ChatUpdate>)>,
) -> Result<(), StoreError> {
    let at = desk.brain.clock.now();
    let (received, heard): (Vec<Received>, Vec<Option<ChatUpdate>>) = batch.into_iter().unzip();
    let numbers: Vec<u64> = received.iter().map(|received| received.update).collect();
    let fresh = desk.inbox.admit(received, at).await?;
    let mut heard: std::collections::HashMap<u64, ChatUpdate> =
        numbers.into_iter().zip(heard).filter_map(|(update, heard)| Some((update, heard?))).collect();
    for received in fresh {
        let Some(heard) = heard.remove(&received.update) else { continue };
        if received.opens {
            turns::begin(desk, queues, Job::new(WaitingUpdate::of(received, at), heard));
        } else {
            at_the_door(desk, queues, heard).await;
        }
    }
    Ok(())
}

/// What a stranger says to us; nothing in groups.
fn knocking(heard: &ChatUpdate) -> Option<&str> {
    match &heard.what {
        UpdateKind::Said(said) | UpdateKind::Edited(said) if heard.private => Some(&said.text),
        UpdateKind::Said(_) | UpdateKind::Edited(_) | UpdateKind::Press(..) | UpdateKind::Added => None,
    }
}

/// A stranger. Nothing is kept; in groups, nothing is said.
async fn at_the_door(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, heard: ChatUpdate) {
    turns::acknowledge_press(desk, queues, &heard);
    let Some(words) = knocking(&heard) else { return };
    let sentence = desk.access.stranger(&desk.brain, heard.who, heard.place, words).await;
    let (desk, let_in) = (desk.clone(), desk.access.serves(heard.who));
    queues.aside(async move {
        match sentence {
            Some(sentence) => desk.chat.mention(heard.place, &sentence).await,
            None if let_in => desk.brain.deliver(&heard.place.id()).await,
            None => {}
        }
    });
}
