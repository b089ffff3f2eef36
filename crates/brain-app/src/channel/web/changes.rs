//! That a list has changed, told to a page that shows it, which then fetches itself anew: a small event and no content.
//!
//! Invariants: so many pages are told at once ([`limits::WEB_LIVE_MAX`]), and one more does without; a page whose session
//! has ended is told nothing any more; the list itself works without any of this.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};
use brain_core::limits;
use brain_core::ports::records::{Audit, TurnTrace};
use brain_core::ports::{Key, Reader as _, Scan, StoreError};
use brain_engine::queries::View;
use futures::stream;
use maud::{Markup, html};
use tokio::sync::OwnedSemaphorePermit;

use super::door::Caller;
use super::{PageAnswer, PageRequest, WebContext, encoded};

/// So often is looked.
pub(super) const EVERY: Duration = Duration::from_secs(1);
/// After so many looks without news something is sent all the same, so that a browser that is gone is noticed.
pub(super) const SILENT_MAX: u32 = 20;

/// A list that changes while it is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum LiveList {
    /// What waits for a yes, and what became of it.
    Pending,
    /// How turns went.
    Turns,
}

impl LiveList {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "pending" => Some(Self::Pending),
            "turns" => Some(Self::Turns),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Turns => "turns",
        }
    }

    /// Another one whenever the list is: where its newest entry is. Cards come and go with a row of the audit.
    async fn mark(self, view: &View<'_>) -> Result<String, StoreError> {
        let scan = match self {
            Self::Pending => Scan::of::<Audit>(&[], 1),
            Self::Turns => Scan::of::<TurnTrace>(&[], 1),
        };
        let newest = view.moment.scan(scan.newest_first()).await?;
        Ok(newest.first().map(|(key, _)| encoded(Key::as_str(key))).unwrap_or_default())
    }

    /// The list, so that the page's script keeps it as it is in the store.
    pub(super) async fn kept_up(self, view: &View<'_>, list: &Markup) -> Result<Markup, StoreError> {
        let mark = self.mark(view).await?;
        Ok(html! {
            div data-live={ "/changes/" (self.name()) "?since=" (encoded(&mark)) } { (list) }
            script src="/live.js" {}
        })
    }
}

/// What one page is told.
struct LivePage {
    context: Arc<WebContext>,
    caller: Caller,
    list: LiveList,
    mark: String,
    silent: u32,
    _place: OwnedSemaphorePermit,
}

/// Tells a page when its list changes.
pub(super) fn events(asked: &PageRequest<'_>, list: LiveList) -> PageAnswer {
    let context = Arc::clone(asked.context);
    let Ok(place) = Arc::clone(&context.live).try_acquire_owned() else {
        let why =
            format!("{} pages are told of changes already. Load the page again to see them.", limits::WEB_LIVE_MAX);
        return PageAnswer::Refused(StatusCode::SERVICE_UNAVAILABLE, why);
    };
    let mark = asked.query.get("since").cloned().unwrap_or_default();
    let page = LivePage { context, caller: asked.caller.clone(), list, mark, silent: 0, _place: place };
    let mut response = Response::new(Body::from_stream(stream::unfold(page, next_event)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    PageAnswer::Whole(response)
}

async fn next_event(mut page: LivePage) -> Option<(Result<Bytes, Infallible>, LivePage)> {
    loop {
        if !page.context.door.knows(&page.caller) {
            return None;
        }
        let mark = async { page.list.mark(&page.context.brain.view().await?).await };
        // What cannot be read now is looked at again.
        if let Ok(mark) =
            mark.await.inspect_err(|error: &StoreError| tracing::debug!(%error, "a list was not looked at"))
            && mark != page.mark
        {
            (page.mark, page.silent) = (mark, 0);
            return Some((Ok("event: changed\ndata: \n\n".into()), page));
        }
        page.silent += 1;
        tokio::time::sleep(EVERY).await;
        if page.silent >= SILENT_MAX {
            page.silent = 0;
            return Some((Ok(": \n\n".into()), page));
        }
    }
}
