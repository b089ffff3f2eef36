//! The conversation of this terminal in a browser: the console's own lines, out as events and in as forms. Answers grow
//! there while they are written; a file is handed over by itself, before the line that it comes with.
//!
//! Invariant: it is a console like every other one ([`Session`]): what is pressed here decides what was asked in the
//! chat of this machine's person, by the same rules. One browser has one conversation; a newer one takes it over.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use axum::http::{Request, Response, StatusCode};
use brain_core::core::people::ConsoleUser;
use brain_core::kept_files::KeptFiles;
use brain_core::limits;
use brain_core::ports::{StoreError, why_not};
use futures::stream;
use hyper::body::Incoming;
use maud::html;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::io::ReaderStream;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::changes::{EVERY, SILENT_MAX};
use super::door::Caller;
use super::{LIMITS, NOT_FROM_HERE, PageAnswer, PageRequest, SECRET_HEADER, WebContext, encoded, fields, plain, typed};
use crate::channel::console::terminal::shared;
use crate::channel::console::wire::Out;
use crate::channel::console::{Line, ReceivedLines, Session, Sink};
use crate::channel::http::{self, HttpLimits};
use crate::channel::received_files;

/// Hands lines on to a browser, growing answers as well.
#[derive(Debug)]
struct BrowserSink(mpsc::UnboundedSender<Value>);

impl Sink for BrowserSink {
    fn put(&self, out: &Out) -> bool {
        self.0.send(out.json()).is_ok()
    }

    fn shows_drafts(&self) -> bool {
        true
    }
}

/// Where what a browser says goes: of each session its conversation.
#[derive(Debug, Default)]
pub(super) struct OpenChats(Mutex<HashMap<String, mpsc::Sender<Line>>>);

impl OpenChats {
    fn open(&self, session: &str, lines: mpsc::Sender<Line>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(session.to_owned(), lines);
    }

    fn of(&self, session: &str) -> Option<mpsc::Sender<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// Unless a newer one has taken its place.
    fn close(&self, session: &str, lines: &mpsc::Sender<Line>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get(session).is_some_and(|now| now.same_channel(lines)) {
            open.remove(session);
        }
    }
}

pub(super) fn page(asked: &PageRequest<'_>) -> PageAnswer {
    let user = ConsoleUser::default();
    let body = html! {
        p.hint { "The conversation of “" (user.to_string()) "” on this machine, as in its terminal." }
        div #said role="log" aria-live="polite" aria-label="What was said" {}
        div #draft .bubble hidden aria-hidden="true" {}
        p #status .faint role="status" {}
        form #say data-secret=(asked.caller.secret()) {
            label for="text" { "Message" }
            textarea #text name="text" rows="3" {}
            label for="files" { "Files" }
            input #files type="file" multiple;
            button { "Send" }
        }
        noscript { p.warning { "The chat needs the page's own script; everything else does without." } }
        script src="/page.js" {}
    };
    PageAnswer::Page("Chat", body)
}

/// Opens the conversation of a browser: what is said in it, as it is said.
pub(super) async fn events(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let Caller::Browser { id, .. } = &asked.caller else {
        return Ok(PageAnswer::Refused(
            StatusCode::FORBIDDEN,
            "Programs talk through the console (--json).".to_owned(),
        ));
    };
    let (context, id) = (Arc::clone(asked.context), id.clone());
    let watched = (Arc::clone(asked.context), asked.caller.clone());
    let (sender, said) = mpsc::unbounded_channel::<Value>();
    let (_, sink) = shared(BrowserSink(sender));
    let (hand_on, received) = mpsc::channel(limits::LINES_AHEAD_MAX);
    context.chats.open(&id, hand_on.clone());
    let over = CancellationToken::new();
    let is_over = over.clone();
    tokio::spawn(async move {
        let (brain, console) = (context.brain.clone(), context.console.clone());
        let session = Session::open(brain, console.clone(), sink.clone(), None, ConsoleUser::default()).await;
        let mut heard = ReceivedLines::of(received);
        // What runs is answered to its end; a browser that is gone finds it when it comes back.
        while let Some(Some(line)) = is_over.run_until_cancelled(heard.next()).await {
            session.answer(&line, &mut heard).await;
        }
        console.detach(&sink);
        context.chats.close(&id, &hand_on);
    });
    let (context, caller) = watched;
    let page = ChatPage { context, caller, said, _over: over.drop_guard() };
    let events = stream::unfold(page, next_event);
    let mut response = Response::new(Body::from_stream(events));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(PageAnswer::Whole(response))
}

/// A browser that shows the conversation; nothing more goes there once it is logged out.
struct ChatPage {
    context: Arc<WebContext>,
    caller: Caller,
    said: mpsc::UnboundedReceiver<Value>,
    _over: DropGuard,
}

async fn next_event(mut page: ChatPage) -> Option<(Result<Bytes, Infallible>, ChatPage)> {
    for _ in 0..SILENT_MAX {
        let said = tokio::time::timeout(EVERY, page.said.recv()).await;
        if !page.context.door.knows(&page.caller) {
            return None;
        }
        if let Ok(said) = said {
            return said.map(|line| (Ok(format!("data: {line}\n\n").into()), page));
        }
    }
    Some((Ok(": \n\n".into()), page))
}

/// What a browser says.
pub(super) fn line(asked: &PageRequest<'_>) -> PageAnswer {
    let Caller::Browser { id, .. } = &asked.caller else { return PageAnswer::none_there("conversation") };
    let (Some(lines), Some(line)) = (asked.context.chats.of(id), asked.form.get("line")) else {
        return PageAnswer::Refused(
            StatusCode::CONFLICT,
            "The conversation is not open; load the page again.".to_owned(),
        );
    };
    match lines.try_send(asked.context.console.line(line.clone())) {
        Ok(()) => PageAnswer::Plain(String::new()),
        Err(_full) => PageAnswer::Refused(
            StatusCode::TOO_MANY_REQUESTS,
            "That was not taken: too much waits for its answer already.".to_owned(),
        ),
    }
}

/// Keeps a file that a browser hands over; its `name` and `kind` stand in the address, its bytes are the body. Whoever
/// is not logged in, or has no secret of the session, sends none of it.
pub(super) async fn received(context: &WebContext, request: Request<Incoming>) -> Response<Body> {
    const LARGEST: HttpLimits = HttpLimits {
        read: Duration::from_millis(limits::WEB_FILE_MS),
        body_bytes: limits::WEB_FILE_BYTES_MAX,
        ..LIMITS
    };
    let headers = request.headers();
    let Some(caller) = context.door.caller(headers) else {
        return plain(StatusCode::UNAUTHORIZED, "Log in first.");
    };
    if !caller.means(headers.get(&SECRET_HEADER).and_then(|value| value.to_str().ok())) {
        return plain(StatusCode::FORBIDDEN, NOT_FROM_HERE);
    }
    let mut about = fields(request.uri().query().unwrap_or_default());
    let bytes = match http::body(request, LARGEST).await {
        Ok(bytes) => bytes.to_vec(),
        Err(StatusCode::PAYLOAD_TOO_LARGE) => {
            let most = limits::WEB_FILE_BYTES_MAX / 1024 / 1024;
            let why = format!("That is too large for me; I can take up to {most} MB.");
            return plain(StatusCode::PAYLOAD_TOO_LARGE, &why);
        }
        Err(status) => return plain(status, "That was too slow. Nothing was kept."),
    };
    let (files, owner) = (KeptFiles::of(context.console.data_dir()), ConsoleUser::default().id());
    match received_files::keep(&files, owner, about.remove("name"), about.remove("kind"), bytes).await {
        Ok((kept, _)) => typed(StatusCode::OK, "application/json", json!(kept).to_string()),
        Err(why) => plain(StatusCode::INTERNAL_SERVER_ERROR, &why),
    }
}

/// A file that was handed to somebody of this machine, as a download.
pub(super) async fn handed_over(asked: &PageRequest<'_>, name: &str) -> PageAnswer {
    if name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        return PageAnswer::none_there("file");
    }
    let path = asked.context.console.files().join(name);
    match tokio::fs::File::open(&path).await {
        Ok(file) => {
            let content = Body::from_stream(ReaderStream::new(file));
            let mut response = typed(StatusCode::OK, "application/octet-stream", content);
            let kept_as = format!("attachment; filename*=UTF-8''{}", encoded(name));
            if let Ok(kept_as) = HeaderValue::from_str(&kept_as) {
                response.headers_mut().insert(CONTENT_DISPOSITION, kept_as);
            }
            PageAnswer::Whole(response)
        }
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => PageAnswer::none_there("file"),
        Err(cause) => PageAnswer::Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The file could not be read: {}.", why_not(&cause)),
        ),
    }
}
