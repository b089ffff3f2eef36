//! teloxide's dispatcher: the tree of handlers, and what it needs to be trusted with every chat.
//!
//! Handlers only enqueue, so that no worker of the dispatcher is ever busy: its queue of 64 updates a key cannot fill
//! up, which would stop all chats. A panic in a handler would end its worker and, with the next update of that key,
//! the dispatcher; it is caught at the root of the tree. Not here: order and concurrency of turns (see
//! [`super::queue`]), because the dispatcher has no bound on turns at once, cannot tell a person that their line is
//! full, and cannot let a message join the one before.

use std::convert::Infallible;
use std::fmt::Display;
use std::net::Ipv4Addr;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use futures::FutureExt;
use reqwest::Url;
use serde_json::json;
use teloxide::adaptors::CacheMe;
use teloxide::dispatching::{Dispatcher, DpHandlerDescription, UpdateFilterExt, UpdateHandler};
use teloxide::dptree::{self, Handler};
use teloxide::requests::{Requester, RequesterExt};
use teloxide::types::{ThreadId, Update, UpdateKind};
use teloxide::{Bot, types};
use tokio::net::TcpListener;

use super::context::{TelegramContext, UpdateJob};
use super::error::TelegramError;
use super::queue::{ChatLane, Entrance, Full};
use super::turns;
use super::updates::incoming::{BotIdentity, IncomingEvent, is_cancel};
use brain_core::core::turn::Input;
use brain_engine::pipeline::intake::commands;

const BUSY: &str = "I still have many of your messages to answer, so I did not keep this one. Please send it again in a few minutes, with anything you wrote after it.";

/// What a handler returns: what it cannot do is told and stored where it happens.
pub(super) type Handled = Result<(), Infallible>;

/// Updates with the same key are handled one after another.
pub(super) type OrderKey = (types::ChatId, Option<ThreadId>, ChatLane);

/// A client that knows who the bot is, which is all that the dispatcher asks of it, and does not start without. It
/// would ask Telegram, in a form that refuses the answer of older servers and waits ten seconds after a server error.
/// So it asks ourselves, once and over loopback, and is not given the token.
pub(super) async fn introduced(me: &BotIdentity) -> Result<CacheMe<Bot>, TelegramError> {
    let answer = json!({"ok": true, "result": {
        "id": me.id, "is_bot": true, "first_name": me.username, "username": me.username, "can_join_groups": true,
        "can_read_all_group_messages": false, "supports_inline_queries": false, "has_main_web_app": false,
    }});
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(cannot)?;
    let url = Url::parse(&format!("http://{}", listener.local_addr().map_err(cannot)?)).map_err(cannot)?;
    let router = Router::new().fallback(async move || answer.to_string());
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().map_err(cannot)?;
    let bot = Bot::with_client("", client).set_api_url(url).cache_me();
    tokio::select! {
        asked = bot.get_me().into_future() => asked.map_err(cannot)?,
        ended = axum::serve(listener, router).into_future() => return Err(cannot(format!("{ended:?}"))),
    };
    Ok(bot)
}

pub(super) fn cannot(why: impl Display) -> TelegramError {
    TelegramError::Dispatcher(why.to_string())
}

/// The dispatcher for updates that were admitted by `context`.
pub(super) fn dispatcher(
    bot: CacheMe<Bot>,
    context: Arc<TelegramContext>,
) -> Dispatcher<CacheMe<Bot>, Infallible, OrderKey> {
    Dispatcher::builder(bot, guarded(tree()))
        .dependencies(dptree::deps![context])
        .distribution_function(key)
        .default_handler(|update| async move { tracing::debug!(update = update.id.0, "an update of no use") })
        .build()
}

/// One branch a kind of update.
fn tree() -> UpdateHandler<Infallible> {
    dptree::entry()
        .branch(Update::filter_message().chain(job()).endpoint(message))
        .branch(Update::filter_edited_message().chain(job()).endpoint(enqueued))
        .branch(Update::filter_callback_query().chain(job()).endpoint(press))
        .branch(Update::filter_my_chat_member().chain(job()).endpoint(enqueued))
}

/// A message waits for its turn in its chat, `/cancel` for nobody.
async fn message(job: UpdateJob, context: Arc<TelegramContext>) -> Handled {
    match &job.update.event {
        IncomingEvent::Message(message) if message.is_cancel() => context.queues.overtake(job),
        _ => enqueue(&context, ChatLane::Messages, job),
    }
    Ok(())
}

/// What only waits for its turn among the messages.
async fn enqueued(job: UpdateJob, context: Arc<TelegramContext>) -> Handled {
    enqueue(&context, ChatLane::Messages, job);
    Ok(())
}

/// A press has its line beside the messages, and is answered soon whatever it waits for.
async fn press(job: UpdateJob, context: Arc<TelegramContext>) -> Handled {
    context.tapped(&job);
    let lane = match &job.update.event {
        IncomingEvent::Press { data, .. } => lane(data),
        IncomingEvent::Message(_) | IncomingEvent::Edited(_) | IncomingEvent::Joined => ChatLane::Messages,
    };
    enqueue(&context, lane, job);
    Ok(())
}

/// What does a message again is a message, and keeps its place among them.
fn lane(data: &str) -> ChatLane {
    let press = Input::Press { data: data.to_owned(), message: None };
    if commands::overtakes(&press) { ChatLane::Presses } else { ChatLane::Messages }
}

/// Puts a job at the end of its chat's line. Who finds it full is told once, so that nothing gets lost in
/// silence; what an earlier life had taken has its place.
fn enqueue(context: &Arc<TelegramContext>, lane: ChatLane, job: UpdateJob) {
    let chat = job.update.place.id();
    let entrance = if job.resumed { Entrance::Promised } else { Entrance::IfRoom };
    if let Err(Full { job, first }) = context.queues.push(&chat, lane, job, entrance) {
        context.aside(|context| async move {
            let closed = if first {
                turns::say(&context, &[&job.entry], &chat, BUSY).await
            } else {
                context.inbox.close(&job.entry).await
            };
            if let Err(error) = closed {
                tracing::error!(%error, "an update could not be closed");
            }
        });
    }
}

/// The stored update behind the one that is dispatched.
fn job() -> Handler<'static, Handled, DpHandlerDescription> {
    dptree::filter_map(|update: Update, context: Arc<TelegramContext>| context.take(update.id))
}

/// The same tree, in which a panic ends one update only.
fn guarded(tree: UpdateHandler<Infallible>) -> UpdateHandler<Infallible> {
    let (description, signature) = (tree.description().clone(), tree.sig().clone());
    let guard = move |dependencies, rest| {
        let handled = AssertUnwindSafe(tree.clone().execute(dependencies, rest)).catch_unwind();
        handled.map(|handled| {
            handled.unwrap_or_else(|_panic| {
                tracing::error!("an update broke before its turn; it is handled again after the next start");
                ControlFlow::Break(Ok(()))
            })
        })
    };
    dptree::from_fn_with_description(description, guard, signature)
}

/// Messages of a chat are handled in order, and its presses beside them; `/cancel` waits for neither.
fn key(update: &Update) -> Option<OrderKey> {
    let (lane, message) = match &update.kind {
        UpdateKind::Message(message) if message.text().is_some_and(is_cancel) => return None,
        UpdateKind::Message(message) | UpdateKind::EditedMessage(message) => (ChatLane::Messages, Some(message)),
        UpdateKind::CallbackQuery(query) => (lane(query.data.as_deref().unwrap_or_default()), query.regular_message()),
        _ => (ChatLane::Messages, None),
    };
    Some((update.chat()?.id, message.and_then(|message| message.thread_id), lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::telegram::place::ChatPlace;
    use crate::channel::telegram::updates;
    use crate::channel::telegram::updates::incoming::IncomingUpdate;
    use brain_core::core::button::Press;
    use brain_core::core::ids::MessageId;

    fn update_of(event: IncomingEvent) -> Update {
        let place = ChatPlace { chat: 7, topic: None };
        IncomingUpdate { who: 7, place, private: true, event }.envelope(1).unwrap()
    }

    fn said(text: &str) -> Update {
        let raw = format!(
            r#"{{"update_id":1,"message":{{"message_id":1,"text":"{text}","from":{{"id":7}},"chat":{{"id":7,"type":"private"}}}}}}"#
        );
        let me = BotIdentity { id: 42, username: "brain_bot".into() };
        update_of(updates::read(&serde_json::from_str(&raw).unwrap(), &me).unwrap().event)
    }

    fn pressed(press: &Press) -> Update {
        update_of(IncomingEvent::Press { query: "q".into(), message: MessageId(1), data: press.encode() })
    }

    #[test]
    fn presses_have_a_key_of_their_own_and_cancel_has_none() {
        assert_eq!(key(&said("/cancel")), None);
        assert_eq!(key(&said("hello")), key(&said("hello again")));
        assert_eq!(key(&said("hello")), key(&update_of(IncomingEvent::Joined)));
        assert!(key(&pressed(&Press::Undo("a".into()))).is_some_and(|key| key.2 == ChatLane::Presses));
        assert_eq!(key(&pressed(&Press::Redo("a".into()))), key(&said("hello")), "it does a message again");
    }

    #[tokio::test]
    async fn the_dispatcher_learns_who_the_bot_is_from_us_and_only_once() {
        let me = BotIdentity { id: 42, username: "brain_bot".into() };
        let bot = introduced(&me).await.unwrap();
        let known = bot.get_me().await.unwrap();
        assert_eq!((known.id.0, known.username()), (42, "brain_bot"), "nobody listens any more");
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_ends_one_update_and_the_next_one_is_handled() {
        let (heard, mut kept) = tokio::sync::mpsc::unbounded_channel();
        let handler = move |message: types::Message| {
            let heard = heard.clone();
            async move {
                assert!(message.text() != Some("brittle"), "as the test wants it");
                heard.send(message.text().map(str::to_owned)).unwrap();
                Ok(())
            }
        };
        let tree = guarded(dptree::entry().branch(Update::filter_message().endpoint(handler)));
        for text in ["brittle", "hello", "brittle"] {
            assert!(tree.dispatch(dptree::deps![said(text)]).await.is_break());
        }
        assert_eq!((kept.try_recv().unwrap().as_deref(), kept.try_recv().ok()), (Some("hello"), None));
    }
}
