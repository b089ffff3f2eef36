//! The update listener: what an earlier life has left open, then what comes in by polling or by the webhook.
//!
//! Invariant: everything that this yields is in the durable inbox, and nothing is confirmed to Telegram before it is.

use std::convert::Infallible;
use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use teloxide::stop::mk_stop_token;
use teloxide::types::{AllowedUpdate, Update};
use teloxide::update_listeners::{StatefulListener, UpdateListener};
use tokio_util::sync::CancellationToken;

use super::context::TelegramContext;
use super::polling;
use super::webhook::Webhook;

struct ListenerState {
    context: Arc<TelegramContext>,
    open: Vec<Update>,
    webhook: Option<Webhook>,
    /// The kinds that the dispatcher's tree handles.
    allowed: Vec<AllowedUpdate>,
    stop: CancellationToken,
}

/// Yields until `stop`; by polling, if there is no webhook.
pub(super) fn listener(
    context: Arc<TelegramContext>,
    open: Vec<Update>,
    webhook: Option<Webhook>,
    stop: CancellationToken,
) -> impl UpdateListener<Err = Infallible> + Send {
    let state = ListenerState { context, open, webhook, allowed: Vec::new(), stop };
    let hint =
        |state: &mut ListenerState, kinds: &mut dyn Iterator<Item = AllowedUpdate>| state.allowed = kinds.collect();
    // The daemon has a token of its own; nobody stops the listener by this one.
    StatefulListener::new_with_hints(state, updates, |_: &mut ListenerState| mk_stop_token().0, Some(hint))
}

fn updates(state: &mut ListenerState) -> BoxStream<'static, Result<Update, Infallible>> {
    let (context, allowed, stop) = (state.context.clone(), std::mem::take(&mut state.allowed), state.stop.clone());
    let fresh = match state.webhook.take() {
        Some(webhook) => webhook.updates(context, allowed).take_until(stop.cancelled_owned()).boxed(),
        None => polling::updates(context, allowed, stop).boxed(),
    };
    stream::iter(std::mem::take(&mut state.open)).chain(fresh).map(Ok).boxed()
}
